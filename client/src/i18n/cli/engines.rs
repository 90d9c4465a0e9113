//! What is said of programs that play.

use noughts_protocol::{Name, Rules};

use crate::engines::arena::MatchResult;
use crate::engines::arena::tally::Elo;
use crate::engines::player_engine::EngineSpec;
use crate::engines::player_engine::child_process::EngineError;
use crate::i18n::{Texts, pad_left, pad_right, tr, trf};

/// What a bot is called that plays with a program of somebody else: as that calls itself, as far as a
/// name can hold it.
pub fn engine_name(reported_name: Option<&str>) -> Name {
    let plain: String =
        reported_name.unwrap_or_default().chars().filter(char::is_ascii_graphic).take(18).collect();
    let name = if plain.is_empty() { "Bot engine".to_owned() } else { format!("Bot {plain}") };
    name.parse().expect("short, and of plain letters")
}

impl Texts {
    /// An engine of the Gomocup protocol cannot be asked to play these rules.
    pub fn engine_rejects_rules(self, rules: &Rules) -> String {
        let rules = self.rules(rules);
        trf!(
            self,
            "The Gomocup protocol has no words for {rules}: two dimensions and lines of five.",
            "Протокол Gomocup не знает игры {rules}: только два измерения и пять в ряд.",
            "Gomocup 协议无法表示 {rules}：只有二维和五连。",
            "Gomocup 協定無法表示 {rules}：只有二維和五連。"
        )
    }

    /// An engine did something wrong.
    pub fn engine_error(self, fault: &EngineError) -> String {
        let fault = self.engine_error_reason(fault);
        trf!(
            self,
            "The engine failed: {fault}.",
            "Сбой движка: {fault}.",
            "引擎出错：{fault}。",
            "引擎出錯：{fault}。"
        )
    }

    /// An engine is not tried again.
    pub fn engine_abandoned(self, fault: &EngineError) -> String {
        let fault = self.engine_error_reason(fault);
        trf!(
            self,
            "The engine failed in too many games in a row, at last so: {fault}.",
            "Сбой движка в слишком многих партиях подряд, последний: {fault}.",
            "引擎连续多局出错，最后一次：{fault}。",
            "引擎連續多局出錯，最後一次：{fault}。"
        )
    }

    /// A bot was told to stop once.
    pub fn bot_retiring(self) -> &'static str {
        tr!(
            self,
            "Playing the games that are on to their end. Once more to leave them.",
            "Начатые партии доигрываются до конца. Ещё один сигнал - и бот уйдёт из них.",
            "正在把进行中的棋局下完。再发一次信号则立即离开。",
            "正在把進行中的棋局下完。再發一次訊號則立即離開。"
        )
    }

    /// Over the lines of an arena.
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
                "Elo (95 % of cases)",
                "Эло (в 95 % случаев)",
                "Elo (95 % 区间)",
                "Elo (95 % 區間)"
            ),
            stronger: tr!(self, "stronger", "сильнее", "更强概率", "更強機率"),
        }
        .row()
    }

    /// How two programs played each other, in a line, and what went wrong.
    pub fn match_result(self, meeting: &MatchResult) -> Vec<String> {
        let MatchResult { rules, players, tally, last_errors: faults } = meeting;
        let [won, drawn, lost] = tally.results();
        let Elo { difference, confidence_interval: [low, high] } = tally.elo();
        let to = tr!(self, "to", "до", "至", "至");
        let [first, second] = players.each_ref().map(EngineSpec::to_string);
        let columns = ArenaRow {
            game: &rules.to_string(),
            players: [&first, &second],
            counts: [&tally.games().to_string(), &won.to_string(), &drawn.to_string(), &lost.to_string()],
            points: &format!("{:.1} %", 100.0 * tally.score()),
            elo: &format!("{difference:+.0} ({low:+.0} {to} {high:+.0})"),
            stronger: &format!("{:.1} %", 100.0 * tally.likelihood_of_superiority()),
        };
        let mut lines = vec![columns.row()];
        for (player, fault) in players.iter().zip(faults) {
            if let Some(fault) = fault {
                let fault = self.engine_error_reason(fault);
                lines.push(trf!(
                    self,
                    "  {player} failed, at last so: {fault}.",
                    "  Сбой: {player}, последний: {fault}.",
                    "  {player} 出错，最后一次：{fault}。",
                    "  {player} 出錯，最後一次：{fault}。"
                ));
            }
        }
        lines
    }

    fn engine_error_reason(self, fault: &EngineError) -> String {
        let text = match fault {
            EngineError::Spawn(why) => {
                return trf!(
                    self,
                    "it does not start: {why}",
                    "не запускается: {why}",
                    "无法启动：{why}",
                    "無法啟動：{why}"
                );
            }
            EngineError::Exited(Some(status)) => {
                return trf!(
                    self,
                    "it ended by itself ({status})",
                    "завершился сам ({status})",
                    "自行结束 ({status})",
                    "自行結束 ({status})"
                );
            }
            EngineError::Exited(None) => {
                tr!(self, "it no longer hears", "больше не слушает", "不再接收", "不再接收")
            }
            EngineError::Timeout(within) => {
                let ms = within.as_millis();
                return trf!(
                    self,
                    "no answer within {ms} ms",
                    "нет ответа за {ms} мс",
                    "{ms} 毫秒内没有回答",
                    "{ms} 毫秒內沒有回答"
                );
            }
            EngineError::IllegalMove(answer) => {
                return trf!(
                    self,
                    "\"{answer}\" is no move here",
                    "\"{answer}\" здесь не ход",
                    "\"{answer}\" 在此不是合法着法",
                    "\"{answer}\" 在此不是合法著法"
                );
            }
            EngineError::TooMuchOutput => {
                tr!(self, "it says too much", "пишет слишком много", "输出过多", "輸出過多")
            }
            EngineError::ErrorResponse(why) => {
                return trf!(
                    self,
                    "it says \"{why}\"",
                    "сообщает \"{why}\"",
                    "回答 \"{why}\"",
                    "回答 \"{why}\""
                );
            }
            EngineError::UnsupportedRules => tr!(
                self,
                "its protocol has no words for these rules",
                "его протокол не знает этих правил",
                "其协议无法表示这种规则",
                "其協定無法表示這種規則"
            ),
            EngineError::NoMove => tr!(self, "there was no move", "ходов не было", "没有着法", "沒有著法"),
        };
        text.to_owned()
    }
}

/// A line of the table of an arena.
struct ArenaRow<'a> {
    game: &'a str,
    players: [&'a str; 2],
    counts: [&'a str; 4],
    points: &'a str,
    elo: &'a str,
    stronger: &'a str,
}

impl ArenaRow<'_> {
    fn row(&self) -> String {
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
        for (introduced, expected) in [
            (None, "Bot engine"),
            (Some("Rapfi"), "Bot Rapfi"),
            (Some("\u{1b}[2J"), "Bot [2J"),
            (Some("  "), "Bot engine"),
            (Some("an engine of a very long name indeed"), "Bot anengineofaverylon"),
        ] {
            assert_eq!(engine_name(introduced).as_str(), expected);
        }
    }
}
