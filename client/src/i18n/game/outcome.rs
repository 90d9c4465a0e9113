//! Names of games, and how a game ended.

use noughts_protocol::{Outcome, Rules, Seat, WinningLine};

use crate::facts::PlayerRef;
use crate::i18n::Texts;
use crate::i18n::errors::capitalize;
use crate::i18n::messages::{RULE_CLAUSE, RULES, SHORT_FLAG};

impl Texts {
    /// Says who won and how, from the reader's point of view.
    pub fn outcome(self, outcome: &Outcome, rules: &Rules, players: &[PlayerRef; 2]) -> String {
        let names = |winner: Seat| {
            let [winner, loser] = [winner, winner.other()].map(|seat| &players[seat.index()]);
            (&winner.name, &loser.name, self.winner_text(winner))
        };
        match outcome {
            Outcome::Line { winner, line } => {
                let reason = match rules.misere() {
                    true => {
                        let (_, loser, wins) = names(*winner);
                        let (won, lost) = (self.you_win_misere(loser), self.you_lost_misere());
                        for_reader(
                            *winner,
                            players,
                            [won, lost.to_owned(), self.wins_misere(loser, wins)],
                        )
                    }
                    false => self.line_result(*winner, players),
                };
                self.result_with_line(self.winning_line(line, rules), reason)
            }
            Outcome::Full => self.draw_full().to_owned(),
            Outcome::Agreed => self.draw_agreed().to_owned(),
            Outcome::Aborted => self.aborted().to_owned(),
            Outcome::Abandoned { winner: None } => self.draw_abandoned().to_owned(),
            Outcome::Resigned { winner } => {
                let (name, loser, wins) = names(*winner);
                let (won, lost) = (self.you_win_resigned(loser), self.you_resigned_to(name));
                for_reader(
                    *winner,
                    players,
                    [won, lost, self.wins_resigned(loser, wins)],
                )
            }
            Outcome::Flag { winner } => {
                let (_, _, wins) = names(*winner);
                let (won, lost) = (self.you_win_on_time(), self.you_lost_on_time());
                for_reader(
                    *winner,
                    players,
                    [won.to_owned(), lost.to_owned(), self.wins_on_time(wins)],
                )
            }
            Outcome::Abandoned {
                winner: Some(winner),
            } => {
                let (_, loser, wins) = names(*winner);
                let (won, lost) = (self.you_win_abandoned(loser), self.you_lost_abandoned());
                for_reader(
                    *winner,
                    players,
                    [won, lost.to_owned(), self.wins_abandoned(loser, wins)],
                )
            }
        }
    }

    /// Says in a sentence who completed a line.
    fn line_result(self, winner: Seat, players: &[PlayerRef; 2]) -> String {
        let who = &players[winner.index()];
        let (won, lost) = (self.you_win().to_owned(), self.you_lost_to(&who.name));
        for_reader(
            winner,
            players,
            [won, lost, self.with_period(self.winner_text(who))],
        )
    }

    /// Names the winner to a spectator, without a period.
    fn winner_text(self, who: &PlayerRef) -> String {
        let PlayerRef { name, seat, .. } = who;
        self.wins(name, seat)
    }

    /// Names the line that ended a game, with its cells.
    pub fn winning_line(self, line: &WinningLine, rules: &Rules) -> String {
        let cells = self.cells(&line.cells, rules);
        let cells = cells.replace(' ', self.cell_separator());
        let name = capitalize(self.winning_line_name(line.name));
        format!("{name}{}", self.line_cells(cells))
    }
}

impl Texts {
    /// Names a game as a heading: `Connect Four 7x6`, or `Custom 6x6` if the rules have no name.
    pub fn rules(self, rules: &Rules) -> String {
        match self.rules_name(rules) {
            Some(_) => capitalize(&self.rules_in_sentence(rules)),
            None => self.custom_rules(size_text(rules)),
        }
    }

    /// Names a game in a list that has narrow columns and does not state the rules. Leaves out the size, unless another
    /// size has the same name. A game without a name is described by its size and the length of its line.
    pub fn short_rules(self, rules: &Rules) -> String {
        match self.rules_name(rules) {
            Some(name) if rules.name() != Some("gomoku19") => capitalize(name),
            Some(_) => self.rules(rules),
            None => {
                self.with_short_flags(&self.unnamed_rules(rules.line(), size_text(rules)), rules)
            }
        }
    }

    /// Says in a few words what distinguishes a game: `4 in a row, falling`. A board with layers has its size, unless
    /// the size is beside the name.
    pub fn short_rule_line(self, rules: &Rules, has_size: bool) -> String {
        let line = match rules.dimensions() {
            3.. if !has_size => self.unnamed_rules(rules.line(), size_text(rules)),
            _ => self.short_line(rules.line()),
        };
        self.with_short_flags(&line, rules)
    }

    fn with_short_flags(self, line: &str, rules: &Rules) -> String {
        let mut parts = vec![line];
        parts.extend(
            rules
                .flags()
                .map(|flag| self.keyed(&SHORT_FLAG, flag.word())),
        );
        // The kind of line follows the line's length.
        parts[1..].reverse();
        parts.join(self.short_separator())
    }

    /// Names a game within a sentence: `tic-tac-toe 3x3`.
    pub(crate) fn rules_in_sentence(self, rules: &Rules) -> String {
        match self.rules_name(rules) {
            Some(name) => format!("{name} {}", size_text(rules)),
            None => self.rules_without_name(self.rule_line(rules), size_text(rules)),
        }
    }

    /// Says in one line how a game is won: `marks fall, four in a row wins`. A part before a comma can be left out.
    pub fn rule_line(self, rules: &Rules) -> String {
        let row = self.row_length(rules.line());
        let line = if rules.misere() {
            self.rule_misere(row)
        } else if rules.exact() {
            self.rule_exact(row)
        } else {
            self.rule_line_wins(row)
        };
        let clauses = rules
            .flags()
            .filter_map(|flag| self.find(&RULE_CLAUSE, flag.word()));
        clauses.fold(line, |line, clause| self.rule_with_clause(clause, line))
    }

    /// Returns the last entry in the list of games, and what to type for it.
    pub fn custom_game(self) -> [&'static str; 2] {
        [self.custom_game_entry(), self.custom_game_hint()]
    }

    /// Returns the name of a game, if it has one. A game without a text keeps the name of its rules.
    fn rules_name(self, rules: &Rules) -> Option<&'static str> {
        let name = rules.name()?;
        Some(self.find(&RULES, name).unwrap_or(name))
    }
}

/// Chooses the text of a result for the winner, the loser or a spectator.
pub(in crate::i18n) fn for_reader(
    winner: Seat,
    players: &[PlayerRef; 2],
    [won, lost, watched]: [String; 3],
) -> String {
    match [winner, winner.other()].map(|seat| players[seat.index()].you) {
        [true, false] => won,
        [false, true] => lost,
        [true, true] | [false, false] => watched,
    }
}

/// Returns the part of a text before its first comma.
pub(crate) fn first_part(text: &str) -> &str {
    text.split([',', '\u{ff0c}']).next().unwrap_or_default()
}

/// Returns the size of a board: `15x15`.
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
    use noughts_protocol::RuleFlag;

    use super::*;
    use crate::i18n::lang::Lang;

    #[test]
    fn games_without_a_name_have_their_size_and_their_line() {
        for (typed, sentence, short) in [
            ("25x25:5", "25x25, five in a row wins", "25x25, 5 in a row"),
            (
                "6x5:4+gravity",
                "6x5, four in a row wins, marks fall",
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
            // The short name of Gomoku on 19x19 equals its name.
            assert_eq!(names.len(), count - 1, "{lang}: {names:?}");
        }
    }

    #[test]
    fn the_rule_is_stated_in_a_line() {
        let line = |rules: &str, lang: Lang| Texts::new(lang).rule_line(&rules.parse().unwrap());
        assert_eq!(line("tictactoe", Lang::En), "three in a row wins");
        assert_eq!(line("misere", Lang::En), "whoever makes three loses");
        assert_eq!(line("connect4", Lang::En), "four in a row wins, marks fall");
        assert_eq!(line("gomoku-exact", Lang::Ru), "ровно 5 в ряд");
        assert_eq!(line("9x9:6", Lang::Hans), "6 子连线获胜");
        assert_eq!(line("torus4", Lang::Ru), "4 в ряд, края соединены");
        let plain = Rules::new(&[9, 9], 5).unwrap();
        for &flag in RuleFlag::ALL {
            let rules = plain.with(flag).unwrap();
            for texts in Lang::ALL.map(Texts::new) {
                assert_ne!(texts.rule_line(&rules), texts.rule_line(&plain), "{flag}");
                assert_ne!(
                    texts.short_rules(&rules),
                    texts.short_rules(&plain),
                    "{flag}"
                );
            }
        }
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
