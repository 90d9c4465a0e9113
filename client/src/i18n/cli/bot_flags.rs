//! Help texts of the arguments of `bot`, `arena` and `engine`.

use crate::i18n::{Texts, tr};

/// Argument of `bot`, `arena` or `engine`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BotFlag {
    Rules,
    Clock,
    Name,
    Level,
    Engine,
    Memory,
    Fallback,
    Count,
    ReserveForPeople,
    JoinPublic,
    Join,
    MoveTime,
    MinMoveTime,
    Games,
    Rematches,
    SendEvaluations,
    Threads,
    UgiRules,
    Players,
    ArenaRules,
    ArenaGames,
    ArenaMoveTime,
    Nodes,
    OpeningPlies,
    BalancedOpenings,
    Seed,
    Jobs,
}

impl Texts {
    /// Describes an argument of `bot`, `arena` or `engine`.
    pub fn bot_flag(self, flag: BotFlag) -> &'static str {
        match flag {
            BotFlag::Rules => tr!(
                self,
                "Game to play; may be repeated [default: any game]",
                "Игра; можно указать несколько раз [по умолчанию: любая]",
                "要下的游戏；可重复指定 [默认：任意游戏]",
                "要下的遊戲；可重複指定 [預設：任意遊戲]"
            ),
            BotFlag::ArenaRules => tr!(
                self,
                "Game to play; may be repeated",
                "Игра; можно указать несколько раз",
                "要下的游戏；可重复指定",
                "要下的遊戲；可重複指定"
            ),
            BotFlag::Clock => tr!(
                self,
                "Accepted time controls: any, none, one, or a range [default: any, with --rules none]",
                "Допустимые часы: any, none, одни или диапазон [по умолчанию: any, при --rules none]",
                "接受的计时：any、none、一种或范围 [默认：any，有 --rules 时为 none]",
                "接受的計時：any、none、一種或範圍 [預設：any，有 --rules 時為 none]"
            ),
            BotFlag::Name => tr!(
                self,
                "Bot name [default: engine name]",
                "Имя бота [по умолчанию: имя движка]",
                "机器人名字 [默认：引擎名]",
                "機器人名字 [預設：引擎名]"
            ),
            BotFlag::Level => tr!(
                self,
                "Strength: 1 to 8, or novice, easy, casual, medium, skilled, strong, hard, perfect",
                "Сила игры: от 1 до 8 или novice, easy, casual, medium, skilled, strong, hard, perfect",
                "棋力：1 至 8，或 novice、easy、casual、medium、skilled、strong、hard、perfect",
                "棋力：1 至 8，或 novice、easy、casual、medium、skilled、strong、hard、perfect"
            ),
            BotFlag::Engine => tr!(
                self,
                "External Gomocup engine command",
                "Команда внешнего движка Gomocup",
                "外部 Gomocup 引擎命令",
                "外部 Gomocup 引擎指令"
            ),
            BotFlag::Memory => tr!(
                self,
                "Memory limit for an engine in megabytes; 0 for no limit",
                "Предел памяти движка в мегабайтах; 0 - без ограничения",
                "引擎的内存上限 (MB)；0 为不限",
                "引擎的記憶體上限 (MB)；0 為不限"
            ),
            BotFlag::Fallback => tr!(
                self,
                "Fallback level if the engine fails [default: resign]",
                "Уровень, который заменит движок при сбое [по умолчанию: сдаться]",
                "引擎出错时接替的级别 [默认：认输]",
                "引擎出錯時接替的級別 [預設：認輸]"
            ),
            BotFlag::Count | BotFlag::Jobs => {
                tr!(
                    self,
                    "Number of games at once",
                    "Число одновременных партий",
                    "同时对局数",
                    "同時對局數"
                )
            }
            BotFlag::ReserveForPeople => tr!(
                self,
                "Number of these games reserved for human opponents",
                "Сколько из них оставить для людей",
                "其中留给真人的对局数",
                "其中留給真人的對局數"
            ),
            BotFlag::JoinPublic => tr!(
                self,
                "Also join public rooms that wait for an opponent",
                "Входить и в открытые комнаты, ждущие соперника",
                "也加入等待对手的公开房间",
                "也加入等待對手的公開房間"
            ),
            BotFlag::Join => tr!(
                self,
                "Room to join instead of looking for an opponent",
                "Комната, в которую войти вместо поиска соперника",
                "要加入的房间，不再寻找对手",
                "要加入的房間，不再尋找對手"
            ),
            BotFlag::MoveTime => tr!(
                self,
                "Maximum time per move, in milliseconds",
                "Наибольшее время на ход, в миллисекундах",
                "每步最多用时（毫秒）",
                "每步最多用時（毫秒）"
            ),
            BotFlag::MinMoveTime => tr!(
                self,
                "Minimum time per move against humans, in milliseconds",
                "Наименьшее время на ход против человека, в миллисекундах",
                "对真人每步最少用时（毫秒）",
                "對真人每步最少用時（毫秒）"
            ),
            BotFlag::Games => {
                tr!(
                    self,
                    "Number of games to play before leaving",
                    "После скольких партий уйти",
                    "下几局后离开",
                    "下幾局後離開"
                )
            }
            BotFlag::Rematches => tr!(
                self,
                "Maximum number of rematches with one opponent",
                "Наибольшее число реваншей с одним соперником",
                "与同一对手最多再下几局",
                "與同一對手最多再下幾局"
            ),
            BotFlag::SendEvaluations => tr!(
                self,
                "Show evaluation and expected moves to spectators only",
                "Показывать оценку и ожидаемые ходы только зрителям",
                "只向观战者显示评估和预期着法",
                "只向觀戰者顯示評估和預期著法"
            ),
            BotFlag::Threads => tr!(
                self,
                "Number of search threads [default: number of processors]",
                "Число потоков поиска [по умолчанию: число процессоров]",
                "搜索线程数 [默认：处理器个数]",
                "搜尋執行緒數 [預設：處理器個數]"
            ),
            BotFlag::UgiRules => tr!(
                self,
                "Game that UGI's startpos refers to",
                "Игра, которую означает startpos в протоколе UGI",
                "UGI 的 startpos 所指的游戏",
                "UGI 的 startpos 所指的遊戲"
            ),
            BotFlag::Players => tr!(
                self,
                "Two or more players: level:1 to level:8, or engine:COMMAND",
                "Двое или больше участников: от level:1 до level:8 или engine:COMMAND",
                "两个或更多参赛者：level:1 至 level:8，或 engine:COMMAND",
                "兩個或更多參賽者：level:1 至 level:8，或 engine:COMMAND"
            ),
            BotFlag::ArenaGames => tr!(
                self,
                "Games per pair, each opening with sides swapped; rounded up to an even number",
                "Партий на пару, каждый дебют за обе стороны; округляется до чётного",
                "每对的局数，每个开局双方轮流先行；取偶数",
                "每對的局數，每個開局雙方輪流先行；取偶數"
            ),
            BotFlag::ArenaMoveTime => tr!(
                self,
                "Time per move, in milliseconds",
                "Время на ход, в миллисекундах",
                "每步用时（毫秒）",
                "每步用時（毫秒）"
            ),
            BotFlag::Nodes => tr!(
                self,
                "Limit built-in levels by positions instead of time, for the same result on every machine",
                "Ограничить встроенные уровни числом позиций, а не временем: результат не зависит от машины",
                "内置级别按局面数而非时间限制：在任何机器上结果相同",
                "內建級別按局面數而非時間限制：在任何機器上結果相同"
            ),
            BotFlag::OpeningPlies => tr!(
                self,
                "Random moves at the start of a game [default: depends on the board]",
                "Число случайных первых ходов [по умолчанию: зависит от доски]",
                "开局的随机步数 [默认：视棋盘而定]",
                "開局的隨機步數 [預設：視棋盤而定]"
            ),
            BotFlag::BalancedOpenings => tr!(
                self,
                "Use only openings that the engine evaluates as balanced",
                "Только дебюты, которые движок оценивает как равные",
                "只用引擎评估为均势的开局",
                "只用引擎評估為均勢的開局"
            ),
            BotFlag::Seed => tr!(
                self,
                "Random seed for openings",
                "Начальное число для случайных дебютов",
                "开局的随机种子",
                "開局的隨機種子"
            ),
        }
    }
}
