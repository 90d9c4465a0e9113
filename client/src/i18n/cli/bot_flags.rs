//! What the arguments of the commands for programs that play are.

use crate::i18n::{Texts, tr};

/// The arguments of `bot`, `arena` and `engine` that have a text of their own.
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
    /// What an argument of a command for programs is.
    pub fn bot_flag(self, flag: BotFlag) -> &'static str {
        match flag {
            BotFlag::Rules => tr!(
                self,
                "A game that it plays: a name, or sizes and line such as 15x15:5; given several times it offers them in turn",
                "Игра, в которую он играет: название или размеры и линия, например 15x15:5; если указать несколько, предлагает их по очереди",
                "它下的游戏：名称，或尺寸和连子数，例如 15x15:5；写多个则轮流提供",
                "它下的遊戲：名稱，或尺寸和連子數，例如 15x15:5；寫多個則輪流提供"
            ),
            BotFlag::Clock => tr!(
                self,
                "The clocks that it plays on: none, one, or from the shortest to the longest",
                "Часы, с которыми он играет: none, одни или от самых коротких до самых длинных",
                "它接受的计时：none、一种，或从最短到最长",
                "它接受的計時：none、一種，或從最短到最長"
            ),
            BotFlag::Name => tr!(
                self,
                "What the bot is called there; else it says what thinks for it",
                "Имя бота там; иначе он называет то, что за него думает",
                "机器人的名字；默认说明由谁思考",
                "機器人的名字；預設說明由誰思考"
            ),
            BotFlag::Level => tr!(
                self,
                "How strong: easy, medium, hard or perfect",
                "Сила игры: easy, medium, hard или perfect",
                "棋力：easy、medium、hard 或 perfect",
                "棋力：easy、medium、hard 或 perfect"
            ),
            BotFlag::Engine => tr!(
                self,
                "A program of the Gomocup protocol that thinks instead: a command line for the shell",
                "Программа протокола Gomocup, которая думает вместо него: команда для оболочки",
                "代为思考的 Gomocup 协议程序：一条 shell 命令",
                "代為思考的 Gomocup 協定程式：一條 shell 指令"
            ),
            BotFlag::Memory => tr!(
                self,
                "The memory that an engine may use, in megabytes; 0 for no limit",
                "Сколько памяти может занять движок, в мегабайтах; 0 - без предела",
                "引擎可用的内存，以兆字节计；0 为不限",
                "引擎可用的記憶體，以 MB 計；0 為不限"
            ),
            BotFlag::Fallback => tr!(
                self,
                "Who plays on when the engine fails: a level; without it the game is given up",
                "Кто играет дальше при сбое движка: уровень; без этого партия сдаётся",
                "引擎出错时由谁接着下：一个级别；不写则认输",
                "引擎出錯時由誰接著下：一個級別；不寫則認輸"
            ),
            BotFlag::Count => {
                tr!(self, "How many games at once", "Сколько партий сразу", "同时下几局", "同時下幾局")
            }
            BotFlag::ReserveForPeople => tr!(
                self,
                "So many of these are for people only",
                "Сколько из них только для людей",
                "其中几局只留给真人",
                "其中幾局只留給真人"
            ),
            BotFlag::JoinPublic => tr!(
                self,
                "Also take the free seat of public rooms where somebody waits",
                "Садиться и на свободное место в открытых комнатах, где кто-то ждёт",
                "也加入有人等待的公开房间",
                "也加入有人等待的公開房間"
            ),
            BotFlag::Join => tr!(
                self,
                "The room to join, instead of being paired",
                "Комната, в которую войти, вместо подбора соперника",
                "要加入的房间，不再配对",
                "要加入的房間，不再配對"
            ),
            BotFlag::MoveTime => tr!(
                self,
                "The most time for a move, in milliseconds",
                "Наибольшее время на ход, в миллисекундах",
                "每步最多用时，毫秒",
                "每步最多用時，毫秒"
            ),
            BotFlag::MinMoveTime => tr!(
                self,
                "The least time for a move against a person, in milliseconds",
                "Наименьшее время на ход против человека, в миллисекундах",
                "对真人每步最少用时，毫秒",
                "對真人每步最少用時，毫秒"
            ),
            BotFlag::Games => {
                tr!(
                    self,
                    "Leave after so many games",
                    "Уйти после стольких партий",
                    "下完几局后离开",
                    "下完幾局後離開"
                )
            }
            BotFlag::Rematches => tr!(
                self,
                "The most rematches with one opponent",
                "Сколько реваншей с одним соперником",
                "与同一对手最多再下几局",
                "與同一對手最多再下幾局"
            ),
            BotFlag::SendEvaluations => tr!(
                self,
                "Tell those who watch, and never the opponent, its score and what it expects",
                "Сообщать зрителям, но не сопернику, оценку и ожидаемые ходы",
                "把评估和预期着法告诉观战者，从不告诉对手",
                "把評估和預期著法告訴觀戰者，從不告訴對手"
            ),
            BotFlag::Threads => tr!(
                self,
                "How many moves are searched at once; else as many as there are processors",
                "Сколько ходов искать сразу; иначе по числу процессоров",
                "同时搜索几步；默认等于处理器个数",
                "同時搜尋幾步；預設等於處理器個數"
            ),
            BotFlag::UgiRules => tr!(
                self,
                "The game that a UGI program means by startpos",
                "Игра, которую программа UGI имеет в виду под startpos",
                "UGI 程序以 startpos 所指的游戏",
                "UGI 程式以 startpos 所指的遊戲"
            ),
            BotFlag::Players => tr!(
                self,
                "Who plays: level:easy to level:perfect, or engine:COMMAND; two or more",
                "Кто играет: от level:easy до level:perfect или engine:COMMAND; двое или больше",
                "参赛者：level:easy 至 level:perfect，或 engine:COMMAND；两个或更多",
                "參賽者：level:easy 至 level:perfect，或 engine:COMMAND；兩個或更多"
            ),
            BotFlag::ArenaRules => tr!(
                self,
                "A game to play: a name, or sizes and line such as 15x15:5; may be given several times",
                "Игра: название или размеры и линия, например 15x15:5; можно указать несколько",
                "要下的游戏：名称，或尺寸和连子数，例如 15x15:5；可写多个",
                "要下的遊戲：名稱，或尺寸和連子數，例如 15x15:5；可寫多個"
            ),
            BotFlag::ArenaGames => tr!(
                self,
                "Games of each pair, each opening with both colours; rounded up to an even number",
                "Партий у каждой пары, каждое начало обоими цветами; округляется до чётного",
                "每对下几局，每个开局双方换先；取偶数",
                "每對下幾局，每個開局雙方換先；取偶數"
            ),
            BotFlag::ArenaMoveTime => tr!(
                self,
                "The time for a move, in milliseconds",
                "Время на ход, в миллисекундах",
                "每步用时，毫秒",
                "每步用時，毫秒"
            ),
            BotFlag::Nodes => tr!(
                self,
                "Count positions instead of time for our own levels: the same on every machine",
                "Считать для своих уровней позиции, а не время: одинаково на любой машине",
                "自带级别按局面数而非时间计：在任何机器上都一样",
                "內建級別按局面數而非時間計：在任何機器上都一樣"
            ),
            BotFlag::OpeningPlies => tr!(
                self,
                "Moves that are drawn by lot before a game; else as many as suit the board",
                "Сколько первых ходов выбрать по жребию; иначе сколько подходит доске",
                "开局随机下几步；默认视棋盘而定",
                "開局隨機下幾步；預設視棋盤而定"
            ),
            BotFlag::BalancedOpenings => tr!(
                self,
                "Only openings that our own search holds to be even: others decide the game before it begins",
                "Только начала, которые наш поиск считает равными: прочие решают партию заранее",
                "只用自家搜索认为均势的开局：其他开局未下已定胜负",
                "只用自家搜尋認為均勢的開局：其他開局未下已定勝負"
            ),
            BotFlag::Seed => tr!(
                self,
                "Draws the openings: the same number, the same openings",
                "Определяет начала: то же число - те же начала",
                "决定开局：同样的数，同样的开局",
                "決定開局：同樣的數，同樣的開局"
            ),
            BotFlag::Jobs => {
                tr!(self, "How many games at once", "Сколько партий сразу", "同时下几局", "同時下幾局")
            }
        }
    }
}
