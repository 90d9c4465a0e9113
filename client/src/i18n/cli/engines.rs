//! Texts of the subcommands of bots and engines: `bot`, `arena`, `engine`.

use noughts_protocol::{Name, Rules};

use crate::engines::arena::Elo;
use crate::engines::arena::MatchResult;
use crate::engines::player_engine::EngineSpec;
use crate::engines::player_engine::child_process::EngineError;
use crate::i18n::{Texts, pad_left, pad_right, tr, trf};

/// Builds the name of a bot that plays with an external engine from the name that the engine reports,
/// shortened to a valid player name.
pub(crate) fn engine_name(reported_name: Option<&str>) -> Name {
    let plain: String = reported_name
        .unwrap_or_default()
        .chars()
        .filter(char::is_ascii_graphic)
        .take(18)
        .collect();
    let name = if plain.is_empty() {
        "Bot engine".to_owned()
    } else {
        format!("Bot {plain}")
    };
    name.parse().expect("at most 24 graphic ASCII characters")
}

impl Texts {
    /// Error for rules that the Gomocup protocol cannot express.
    pub fn engine_rejects_rules(self, rules: &Rules) -> String {
        let rules = self.rules_in_sentence(rules);
        trf!(
            self,
            "The Gomocup protocol does not support {rules}: only two dimensions and five in a row.",
            "Протокол Gomocup не поддерживает {rules}: только плоская доска и пять в ряд.",
            "Gomocup 协议不支持 {rules}：只支持二维棋盘和五子连线。",
            "Gomocup 協定不支援 {rules}：只支援二維棋盤和五子連線。"
        )
    }

    pub fn engine_error(self, error: &EngineError) -> String {
        let reason = self.engine_error_reason(error);
        trf!(
            self,
            "The engine failed: {reason}.",
            "Сбой движка: {reason}.",
            "引擎出错：{reason}。",
            "引擎出錯：{reason}。"
        )
    }

    /// States that the bot stops because its engine keeps failing.
    pub fn engine_abandoned(self, error: &EngineError) -> String {
        let reason = self.engine_error_reason(error);
        trf!(
            self,
            "The engine failed in too many games in a row; last error: {reason}.",
            "Сбои движка в слишком многих партиях подряд; последняя ошибка: {reason}.",
            "引擎连续多局出错；最后的错误：{reason}。",
            "引擎連續多局出錯；最後的錯誤：{reason}。"
        )
    }

    /// Printed when a bot receives its first stop signal.
    pub fn bot_retiring(self) -> &'static str {
        tr!(
            self,
            "Finishing running games. Press Ctrl-C again to quit now.",
            "Начатые партии доигрываются. Ещё раз Ctrl-C - выйти сразу.",
            "正在下完进行中的棋局。再按 Ctrl-C 立即退出。",
            "正在下完進行中的棋局。再按 Ctrl-C 立即退出。"
        )
    }

    /// Column headings of the arena's table.
    pub fn arena_heading(self) -> String {
        ArenaRow {
            game: tr!(self, "game", "игра", "游戏", "遊戲"),
            players: [
                tr!(self, "first", "первый", "甲方", "甲方"),
                tr!(self, "second", "второй", "乙方", "乙方"),
            ],
            counts: [
                tr!(self, "games", "партий", "局数", "局數"),
                tr!(self, "won", "победы", "胜", "勝"),
                tr!(self, "drawn", "ничьи", "平", "平"),
                tr!(self, "lost", "пораж.", "负", "負"),
            ],
            points: tr!(self, "points", "очки", "得分", "得分"),
            elo: tr!(
                self,
                "Elo (95 % interval)",
                "Эло (интервал 95 %)",
                "Elo (95 % 区间)",
                "Elo (95 % 區間)"
            ),
            stronger: tr!(self, "stronger", "сильнее", "更强概率", "更強機率"),
        }
        .format()
    }

    /// Formats the result of a match as a table row, followed by the last error of each failed engine.
    pub fn match_result(self, result: &MatchResult) -> Vec<String> {
        let MatchResult {
            rules,
            players,
            tally,
            last_errors,
        } = result;
        let [won, drawn, lost] = tally.results();
        let Elo {
            difference,
            confidence_interval: [low, high],
        } = tally.elo();
        let to = tr!(self, "to", "до", "至", "至");
        let [first, second] = players.each_ref().map(EngineSpec::to_string);
        let row = ArenaRow {
            game: &rules.to_string(),
            players: [&first, &second],
            counts: [
                &tally.games().to_string(),
                &won.to_string(),
                &drawn.to_string(),
                &lost.to_string(),
            ],
            points: &format!("{:.1} %", 100.0 * tally.score()),
            elo: &format!("{difference:+.0} ({low:+.0} {to} {high:+.0})"),
            stronger: &format!("{:.1} %", 100.0 * tally.likelihood_of_superiority()),
        };
        let mut lines = vec![row.format()];
        for (player, error) in players.iter().zip(last_errors) {
            if let Some(error) = error {
                let reason = self.engine_error_reason(error);
                lines.push(trf!(
                    self,
                    "  {player} failed; last error: {reason}.",
                    "  Сбой: {player}; последняя ошибка: {reason}.",
                    "  {player} 出错；最后的错误：{reason}。",
                    "  {player} 出錯；最後的錯誤：{reason}。"
                ));
            }
        }
        lines
    }

    fn engine_error_reason(self, error: &EngineError) -> String {
        let text = match error {
            EngineError::Spawn(why) => {
                return trf!(
                    self,
                    "cannot start: {why}",
                    "не запускается: {why}",
                    "无法启动：{why}",
                    "無法啟動：{why}"
                );
            }
            EngineError::Exited(Some(status)) => {
                return trf!(
                    self,
                    "exited ({status})",
                    "завершил работу ({status})",
                    "已退出 ({status})",
                    "已退出 ({status})"
                );
            }
            EngineError::Exited(None) => {
                tr!(
                    self,
                    "stdin closed",
                    "stdin закрыт",
                    "stdin 已关闭",
                    "stdin 已關閉"
                )
            }
            EngineError::Timeout(within) => {
                let ms = within.as_millis();
                return trf!(
                    self,
                    "no response within {ms} ms",
                    "нет ответа за {ms} мс",
                    "{ms} 毫秒内没有回答",
                    "{ms} 毫秒內沒有回答"
                );
            }
            EngineError::IllegalMove(answer) => {
                return trf!(
                    self,
                    "illegal move \"{answer}\"",
                    "недопустимый ход \"{answer}\"",
                    "非法着法 \"{answer}\"",
                    "非法著法 \"{answer}\""
                );
            }
            EngineError::TooMuchOutput => {
                tr!(
                    self,
                    "too much output",
                    "слишком большой вывод",
                    "输出过多",
                    "輸出過多"
                )
            }
            EngineError::ErrorResponse(why) => {
                return trf!(
                    self,
                    "error response \"{why}\"",
                    "ошибка \"{why}\"",
                    "返回错误 \"{why}\"",
                    "傳回錯誤 \"{why}\""
                );
            }
            EngineError::UnsupportedRules => tr!(
                self,
                "its protocol does not support these rules",
                "его протокол не поддерживает эти правила",
                "其协议不支持这种规则",
                "其協定不支援這種規則"
            ),
            EngineError::NoMove => {
                tr!(
                    self,
                    "no legal move",
                    "нет допустимых ходов",
                    "没有合法着法",
                    "沒有合法著法"
                )
            }
        };
        text.to_owned()
    }
}

/// Row of the arena's table.
struct ArenaRow<'a> {
    game: &'a str,
    players: [&'a str; 2],
    counts: [&'a str; 4],
    points: &'a str,
    elo: &'a str,
    stronger: &'a str,
}

impl ArenaRow<'_> {
    fn format(&self) -> String {
        let mut row = pad_right(self.game, 15);
        row.extend(self.players.map(|player| pad_right(player, 17)));
        row.extend(self.counts.map(|count| pad_left(count, 7)));
        row.push_str(&pad_left(self.points, 9));
        row.push_str("  ");
        row.push_str(&pad_right(self.elo, 25));
        row.push_str(self.stronger);
        row
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engine_name_starts_with_bot() {
        for (reported, expected) in [
            (None, "Bot engine"),
            (Some("Rapfi"), "Bot Rapfi"),
            (Some("\u{1b}[2J"), "Bot [2J"),
            (Some("  "), "Bot engine"),
            (
                Some("an engine of a very long name indeed"),
                "Bot anengineofaverylon",
            ),
        ] {
            assert_eq!(engine_name(reported).as_str(), expected);
        }
    }
}
