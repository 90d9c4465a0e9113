//! Names of games, and how a game ended.

use noughts_protocol::outcome::LineName;
use noughts_protocol::{Outcome, Rules, WinningLine};

use crate::facts::PlayerRef;
use crate::i18n::errors::capitalize;
use crate::i18n::game::with_blank_after;
use crate::i18n::lang::Lang;
use crate::i18n::{Texts, tr, trf};

impl Texts {
    /// States who won and how, from the point of view of the reader.
    pub fn outcome(self, outcome: &Outcome, rules: &Rules, players: &[PlayerRef; 2]) -> String {
        match outcome {
            Outcome::Line { winner, line } => {
                let reason = match rules.misere() {
                    true => self
                        .misere_result(&players[winner.index()], &players[winner.other().index()]),
                    false => {
                        self.line_result(&players[winner.index()], &players[winner.other().index()])
                    }
                };
                let line = self.winning_line(line, rules);
                trf!(
                    self,
                    "{reason} {line}",
                    "{reason} {line}",
                    "{reason}{line}",
                    "{reason}{line}"
                )
            }
            Outcome::Full => tr!(
                self,
                "Draw: the board is full.",
                "Ничья: доска заполнена.",
                "平局：棋盘已满。",
                "平局：棋盤已滿。"
            )
            .to_owned(),
            Outcome::Agreed => tr!(
                self,
                "Draw by agreement.",
                "Ничья по соглашению.",
                "双方议和。",
                "雙方議和。"
            )
            .to_owned(),
            Outcome::Aborted => tr!(
                self,
                "The game was aborted.",
                "Партия отменена.",
                "对局已取消。",
                "對局已取消。"
            )
            .to_owned(),
            Outcome::Abandoned { winner: None } => tr!(
                self,
                "Draw: a player did not reconnect.",
                "Ничья: игрок не вернулся.",
                "平局：一方未重新连接。",
                "平局：一方未重新連線。"
            )
            .to_owned(),
            Outcome::Resigned { winner } => {
                let (winner, loser) = (&players[winner.index()], &players[winner.other().index()]);
                let (name, other) = (&winner.name, &loser.name);
                let (zh_name, zh_other) = (
                    with_blank_after(name.as_str()),
                    with_blank_after(other.as_str()),
                );
                match (winner.you, loser.you) {
                    (true, false) => trf!(
                        self,
                        "You win: {other} resigned.",
                        "Вы выиграли: соперник сдался.",
                        "你赢了：{zh_other}认输。",
                        "你贏了：{zh_other}認輸。"
                    ),
                    (false, true) => trf!(
                        self,
                        "You resigned: {name} wins.",
                        "Вы сдались. Побеждает {name}.",
                        "你认输了：{zh_name}获胜。",
                        "你認輸了：{zh_name}獲勝。"
                    ),
                    (true, true) | (false, false) => {
                        let wins = self.winner_text(winner);
                        trf!(
                            self,
                            "{wins}: {other} resigned.",
                            "{wins}: соперник сдался.",
                            "{wins}：{zh_other}认输。",
                            "{wins}：{zh_other}認輸。"
                        )
                    }
                }
            }
            Outcome::Flag { winner } => {
                let (winner, loser) = (&players[winner.index()], &players[winner.other().index()]);
                match (winner.you, loser.you) {
                    (true, false) => tr!(
                        self,
                        "You win on time.",
                        "Вы выиграли: у соперника вышло время.",
                        "你赢了：对手超时。",
                        "你贏了：對手超時。"
                    )
                    .to_owned(),
                    (false, true) => tr!(
                        self,
                        "You lost on time.",
                        "Вы проиграли: время вышло.",
                        "你输了：你超时了。",
                        "你輸了：你超時了。"
                    )
                    .to_owned(),
                    (true, true) | (false, false) => {
                        let wins = self.winner_text(winner);
                        trf!(
                            self,
                            "{wins} on time.",
                            "{wins}: у соперника вышло время.",
                            "{wins}：对方超时。",
                            "{wins}：對方超時。"
                        )
                    }
                }
            }
            Outcome::Abandoned {
                winner: Some(winner),
            } => {
                let (winner, loser) = (&players[winner.index()], &players[winner.other().index()]);
                let other = &loser.name;
                let zh_other = with_blank_after(other.as_str());
                match (winner.you, loser.you) {
                    (true, false) => trf!(
                        self,
                        "You win: {other} did not reconnect.",
                        "Вы выиграли: соперник не вернулся.",
                        "你赢了：{zh_other}未重新连接。",
                        "你贏了：{zh_other}未重新連線。"
                    ),
                    (false, true) => tr!(
                        self,
                        "You lost: you did not reconnect.",
                        "Вы проиграли: вы не вернулись.",
                        "你输了：你未重新连接。",
                        "你輸了：你未重新連線。"
                    )
                    .to_owned(),
                    (true, true) | (false, false) => {
                        let wins = self.winner_text(winner);
                        trf!(
                            self,
                            "{wins}: {other} did not reconnect.",
                            "{wins}: соперник не вернулся.",
                            "{wins}：{zh_other}未重新连接。",
                            "{wins}：{zh_other}未重新連線。"
                        )
                    }
                }
            }
        }
    }

    /// States who completed a line, as a sentence.
    pub(in crate::i18n) fn line_result(self, winner: &PlayerRef, loser: &PlayerRef) -> String {
        let name = &winner.name;
        let zh_name = with_blank_after(name.as_str());
        match (winner.you, loser.you) {
            (true, false) => {
                tr!(self, "You win!", "Вы выиграли!", "你赢了！", "你贏了！").to_owned()
            }
            (false, true) => trf!(
                self,
                "You lost: {name} wins.",
                "Вы проиграли. Побеждает {name}.",
                "你输了：{zh_name}获胜。",
                "你輸了：{zh_name}獲勝。"
            ),
            (true, true) | (false, false) => self.with_period(&self.winner_text(winner)),
        }
    }

    /// States who won a misere game, which the player of a complete line loses.
    fn misere_result(self, winner: &PlayerRef, loser: &PlayerRef) -> String {
        let other = &loser.name;
        let zh_other = with_blank_after(other.as_str());
        match (winner.you, loser.you) {
            (true, false) => trf!(
                self,
                "You win: {other} completed a line.",
                "Вы выиграли: соперник собрал линию.",
                "你赢了：{zh_other}连成一线。",
                "你贏了：{zh_other}連成一線。"
            ),
            (false, true) => tr!(
                self,
                "You lost: you completed a line.",
                "Вы проиграли: вы собрали линию.",
                "你输了：你连成一线。",
                "你輸了：你連成一線。"
            )
            .to_owned(),
            (true, true) | (false, false) => {
                let wins = self.winner_text(winner);
                trf!(
                    self,
                    "{wins}: {other} completed a line.",
                    "{wins}: соперник собрал линию.",
                    "{wins}：{zh_other}连成一线。",
                    "{wins}：{zh_other}連成一線。"
                )
            }
        }
    }

    /// Names the winner to a spectator, without a period.
    pub(in crate::i18n) fn winner_text(self, who: &PlayerRef) -> String {
        let PlayerRef { name, seat, .. } = who;
        trf!(
            self,
            "{name} ({seat}) wins",
            "{name} ({seat}) побеждает",
            "{name} ({seat}) 获胜",
            "{name} ({seat}) 獲勝"
        )
    }

    /// Names the line that ended a game, and its cells.
    pub fn winning_line(self, line: &WinningLine, rules: &Rules) -> String {
        let cells = self.cells(&line.cells, rules);
        match self.lang() {
            Lang::En => self.winning_line_sentence(line.name, &cells.replace(' ', "-")),
            Lang::Ru | Lang::Hans | Lang::Hant => self.winning_line_sentence(line.name, &cells),
        }
    }

    /// Names a line and its cells as a sentence.
    pub(in crate::i18n) fn winning_line_sentence(self, name: LineName, cells: &str) -> String {
        let name = capitalize(self.winning_line_name(name));
        match self.lang() {
            Lang::En => format!("{name} {cells}."),
            Lang::Ru | Lang::Hans | Lang::Hant => self.with_period(&self.with_reason(&name, cells)),
        }
    }
}

impl Texts {
    /// Names a game as a heading: `Connect Four 7x6`, or `Custom 6x6` if the rules have no name.
    pub fn rules(self, rules: &Rules) -> String {
        match self.rules_name(rules) {
            Some(_) => capitalize(&self.rules_in_sentence(rules)),
            None => self.custom_rules(&size_text(rules)),
        }
    }

    /// Names a game in a list, where columns are few and the rule is not stated: without the size, unless another size
    /// has the same name. A game without a name has its size and the length of its line.
    pub fn short_rules(self, rules: &Rules) -> String {
        match self.rules_name(rules) {
            Some(name) if rules.name() != Some("gomoku19") => capitalize(name),
            Some(_) => self.rules(rules),
            None => {
                let (size, count) = (size_text(rules), rules.line());
                let name = trf!(
                    self,
                    "{size}, {count} in a row",
                    "{size}, {count} в ряд",
                    "{size} {count} 连",
                    "{size} {count} 連"
                );
                let flags = [
                    (rules.exact(), tr!(self, "exactly", "ровно", "恰好", "恰好")),
                    (
                        rules.misere(),
                        tr!(self, "loses", "проигрывает", "连者负", "連者負"),
                    ),
                    (
                        rules.gravity(),
                        tr!(self, "falling", "с падением", "下落", "下落"),
                    ),
                ];
                let flags = flags
                    .into_iter()
                    .filter(|(is_set, _)| *is_set)
                    .map(|(_, text)| text);
                let separator = tr!(self, ", ", ", ", " ", " ");
                std::iter::once(name.as_str())
                    .chain(flags)
                    .collect::<Vec<_>>()
                    .join(separator)
            }
        }
    }

    fn custom_rules(self, size: &str) -> String {
        trf!(
            self,
            "Custom {size}",
            "Своя игра {size}",
            "自定义 {size}",
            "自訂 {size}"
        )
    }

    /// Names a game within a sentence: `tic-tac-toe 3x3`.
    pub(crate) fn rules_in_sentence(self, rules: &Rules) -> String {
        match self.rules_name(rules) {
            Some(name) => format!("{name} {}", size_text(rules)),
            None => {
                let (size, line) = (size_text(rules), self.rule_line(rules));
                trf!(
                    self,
                    "{size}, {line}",
                    "{size}, {line}",
                    "{size}，{line}",
                    "{size}，{line}"
                )
            }
        }
    }

    /// States in one line how a game is won: `pieces fall, four in a row wins`. A part before a comma may be left out.
    pub fn rule_line(self, rules: &Rules) -> String {
        let count = rules.line();
        let row = match (count, self.lang()) {
            (2, Lang::En) => "two".to_owned(),
            (3, Lang::En) => "three".to_owned(),
            (4, Lang::En) => "four".to_owned(),
            (5, Lang::En) => "five".to_owned(),
            (_, Lang::En | Lang::Ru | Lang::Hans | Lang::Hant) => count.to_string(),
        };
        let line = if rules.misere() {
            trf!(
                self,
                "whoever makes {row} loses",
                "{row} в ряд проигрывают",
                "{row} 子连线者负",
                "{row} 子連線者負"
            )
        } else if rules.exact() {
            trf!(
                self,
                "exactly {row} in a row wins",
                "ровно {row} в ряд",
                "恰好 {row} 子连线获胜",
                "恰好 {row} 子連線獲勝"
            )
        } else {
            trf!(
                self,
                "{row} in a row wins",
                "{row} в ряд",
                "{row} 子连线获胜",
                "{row} 子連線獲勝"
            )
        };
        if rules.gravity() {
            trf!(
                self,
                "{line}, pieces fall",
                "{line}, фишки падают",
                "{line}，棋子下落",
                "{line}，棋子下落"
            )
        } else {
            line
        }
    }

    /// The last entry of the list of games, and what to type for it.
    pub fn custom_game(self) -> [&'static str; 2] {
        [
            tr!(self, "Custom ...", "Другая ...", "自定义 ...", "自訂 ..."),
            tr!(
                self,
                "type its sizes, such as 9x9:5",
                "введите размеры, например 9x9:5",
                "输入大小，如 9x9:5",
                "輸入大小，如 9x9:5"
            ),
        ]
    }

    fn rules_name(self, rules: &Rules) -> Option<&'static str> {
        Some(match rules.name()? {
            "tictactoe" => tr!(self, "tic-tac-toe", "крестики-нолики", "井字棋", "井字棋"),
            "misere" => tr!(
                self,
                "misere tic-tac-toe",
                "крестики-нолики в поддавки",
                "反井字棋",
                "反井字棋"
            ),
            "connect4" => tr!(self, "Connect Four", "четыре в ряд", "四子棋", "四子棋"),
            "gomoku" | "gomoku19" => tr!(self, "Gomoku", "гомоку", "五子棋", "五子棋"),
            "gomoku-exact" => tr!(
                self,
                "Gomoku (exactly five)",
                "гомоку (ровно пять)",
                "五子棋（长连无效）",
                "五子棋（長連無效）"
            ),
            "tictactoe3d" => {
                tr!(
                    self,
                    "3-D tic-tac-toe",
                    "объёмные крестики-нолики",
                    "立体井字棋",
                    "立體井字棋"
                )
            }
            "score4" => tr!(
                self,
                "Score Four",
                "объёмные четыре в ряд",
                "立体四子棋",
                "立體四子棋"
            ),
            // A brand name in every language.
            "qubic" => "Qubic",
            "tesseract" => {
                tr!(
                    self,
                    "4-D tic-tac-toe",
                    "4-мерные крестики-нолики",
                    "四维井字棋",
                    "四維井字棋"
                )
            }
            other => other,
        })
    }
}

/// The part of a text before its first comma.
pub(crate) fn first_part(text: &str) -> &str {
    text.split([',', '\u{ff0c}']).next().unwrap_or_default()
}

/// The size of a board: `15x15`.
fn size_text(rules: &Rules) -> String {
    rules
        .sides()
        .iter()
        .map(u8::to_string)
        .collect::<Vec<_>>()
        .join("x")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_without_a_name_have_their_size_and_their_line() {
        for (typed, sentence, short) in [
            ("25x25:5", "25x25, five in a row wins", "25x25, 5 in a row"),
            (
                "6x5:4+gravity",
                "6x5, four in a row wins, pieces fall",
                "6x5, 4 in a row, falling",
            ),
        ] {
            let rules: Rules = typed.parse().unwrap();
            let texts = Texts::new(Lang::En);
            assert_eq!(
                (texts.rules_in_sentence(&rules), texts.short_rules(&rules)),
                (sentence.into(), short.into())
            );
            for texts in Lang::ALL.map(Texts::new) {
                assert!(!texts.rules_in_sentence(&rules).contains(':'), "{typed}");
            }
        }
    }

    #[test]
    fn each_named_game_has_its_own_name_in_every_language() {
        for lang in Lang::ALL {
            let texts = Texts::new(lang);
            let mut names = Vec::new();
            for (typed, _) in Rules::NAMED {
                let rules: Rules = typed.parse().unwrap();
                let name = texts.rules(&rules);
                assert!(!name.contains(typed), "{lang}: {typed} has no name: {name}");
                assert_eq!(
                    name.is_ascii(),
                    lang == Lang::En || *typed == "qubic",
                    "{lang}: {name}"
                );
                names.extend([name, texts.short_rules(&rules)]);
            }
            names.sort();
            let count = names.len();
            names.dedup();
            // The short name of the Gomoku on 19x19 is its name.
            assert_eq!(names.len(), count - 1, "{lang}: {names:?}");
        }
    }

    #[test]
    fn the_rule_is_stated_in_a_line() {
        let line = |rules: &str, lang: Lang| Texts::new(lang).rule_line(&rules.parse().unwrap());
        assert_eq!(line("tictactoe", Lang::En), "three in a row wins");
        assert_eq!(line("misere", Lang::En), "whoever makes three loses");
        assert_eq!(
            line("connect4", Lang::En),
            "four in a row wins, pieces fall"
        );
        assert_eq!(line("gomoku-exact", Lang::Ru), "ровно 5 в ряд");
        assert_eq!(line("9x9:6", Lang::Hans), "6 子连线获胜");
    }

    #[test]
    fn names_are_capitalized_outside_of_sentences() {
        let [connect4, misere, custom] =
            ["connect4", "misere", "6x6:4+gravity"].map(|text| text.parse::<Rules>().unwrap());
        let (english, russian) = (Texts::new(Lang::En), Texts::new(Lang::Ru));
        assert_eq!(english.rules(&connect4), "Connect Four 7x6");
        assert_eq!(english.rules_in_sentence(&misere), "misere tic-tac-toe 3x3");
        assert_eq!(russian.rules(&misere), "Крестики-нолики в поддавки 3x3");
        assert_eq!(russian.rules_in_sentence(&connect4), "четыре в ряд 7x6");
        assert_eq!(Texts::new(Lang::Hans).short_rules(&connect4), "四子棋");
        assert_eq!(english.rules(&custom), "Custom 6x6");
        assert_eq!(english.short_rules(&custom), "6x6, 4 in a row, falling");
        let flags = "6x6:4+misere+exact".parse().unwrap();
        assert_eq!(
            english.short_rules(&flags),
            "6x6, 4 in a row, exactly, loses"
        );
        assert_eq!(
            Texts::new(Lang::Hans).short_rules(&"9x9:4".parse().unwrap()),
            "9x9 4 连"
        );
    }
}
