//! Texts about external engines and the arena.

use noughts_protocol::{Name, Rules};

use crate::engines::arena::MatchResult;
use crate::engines::arena::tally::Elo;
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
