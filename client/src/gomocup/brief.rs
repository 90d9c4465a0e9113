//! What to say to a brain so that it thinks about a position. Pure.

use std::time::Duration;

use noughts_protocol::{Cell, Position, Rules};

use super::{Info, Order, Owner, Point, can_play};

/// What a brain has been told of a game so far, its own moves among it.
#[derive(Clone, Debug, Default)]
pub struct Told {
    game: Option<(Rules, Vec<Cell>)>,
}

/// The lines for one move: those that are answered by `OK`, then those that are answered by a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Brief {
    /// Begins a board of its own; none when the brain has this one before it.
    pub start: Option<Order>,
    /// Then all these at once; the last asks for the move.
    pub ask: Vec<Order>,
}

impl Told {
    /// What to say next; none when the protocol has no words for the rules.
    ///
    /// A game that goes on by one move is told by that move. Any other position is set up anew: brains that
    /// take moves back are few.
    pub fn brief(&self, position: &Position, turn: Duration) -> Option<Brief> {
        let (rules, moves) = (*position.rules(), position.moves());
        if !can_play(&rules) {
            return None;
        }
        let point = |cell: Cell| Point::of(&rules, cell);
        let turn = u64::try_from(turn.as_millis()).unwrap_or(u64::MAX);
        // Of the whole game no time is told: what there is for this move says all.
        let mut ask = vec![Order::Info(Info::TimeoutTurn(turn.max(1))), Order::Info(Info::TimeoutMatch(0))];
        let goes_on = match (&self.game, moves.split_last()) {
            (Some((told_rules, told)), Some((last, before))) => {
                (*told_rules == rules && !told.is_empty() && told == before).then_some(*last)
            }
            (Some(_), None) | (None, Some(_)) | (None, None) => None,
        };
        if let Some(last) = goes_on {
            ask.push(Order::Turn(point(last)?));
            return Some(Brief { start: None, ask });
        }
        let (width, height) = (rules.width(), rules.height());
        let start = if width == height { Order::Start(width) } else { Order::RectStart(width, height) };
        ask.insert(0, Order::Info(Info::Rule(if rules.exact() { Info::EXACT } else { 0 })));
        if moves.is_empty() {
            ask.push(Order::Begin);
        } else {
            ask.push(Order::Board);
            for (ply, &cell) in moves.iter().enumerate() {
                let own = (moves.len() - ply).is_multiple_of(2);
                ask.push(Order::Stone(point(cell)?, if own { Owner::Own } else { Owner::Other }));
            }
            ask.push(Order::Done);
        }
        Some(Brief { start: Some(start), ask })
    }

    /// The brain has been told of this position, and has answered with this move.
    pub fn knows(&mut self, position: &Position, answer: Cell) {
        let moves = position.moves().iter().copied().chain([answer]).collect();
        self.game = Some((*position.rules(), moves));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(rules: &str, moves: &str) -> Position {
        let rules: Rules = rules.parse().unwrap();
        let mut position = Position::new(rules);
        for text in moves.split_whitespace() {
            position.play(rules.parse_cell(text).unwrap()).unwrap();
        }
        position
    }

    /// What is said about a position after another was told and answered.
    fn check(told: Option<(&str, &str, &str)>, rules: &str, moves: &str, expected: &[&str]) {
        let mut known = Told::default();
        if let Some((rules, moves, answer)) = told {
            let before = position(rules, moves);
            known.knows(&before, before.rules().parse_cell(answer).unwrap());
        }
        let brief = known.brief(&position(rules, moves), Duration::from_millis(800)).unwrap();
        let lines: Vec<String> = brief.start.iter().chain(&brief.ask).map(Order::to_string).collect();
        assert_eq!(lines, expected, "{told:?}, then {rules} {moves}");
    }

    const TIMES: [&str; 2] = ["INFO timeout_turn 800", "INFO timeout_match 0"];

    #[test]
    fn a_game_is_begun_and_goes_on() {
        let [turn, game] = TIMES;
        check(None, "15x15:5", "", &["START 15", "INFO rule 0", turn, game, "BEGIN"]);
        check(
            None,
            "20x15:5+exact",
            "h8",
            &["RECTSTART 20,15", "INFO rule 1", turn, game, "BOARD", "7,7,2", "DONE"],
        );
        check(Some(("15x15:5", "", "h8")), "15x15:5", "h8 h9", &[turn, game, "TURN 7,8"]);
        check(Some(("15x15:5", "h8", "h9")), "15x15:5", "h8 h9 g1", &[turn, game, "TURN 6,0"]);
    }

    #[test]
    fn what_did_not_go_on_by_one_move_is_set_up_anew() {
        let [turn, game] = TIMES;
        let anew =
            ["START 15", "INFO rule 0", turn, game, "BOARD", "7,7,1", "6,6,2", "DONE"].map(str::to_owned);
        let anew: Vec<&str> = anew.iter().map(String::as_str).collect();
        for told in [
            None,
            // Another move was played for it.
            Some(("15x15:5", "", "a1")),
            // Taken back and played otherwise.
            Some(("15x15:5", "h8 h9", "a1")),
            Some(("15x15:5+exact", "", "h8")),
            Some(("16x16:5", "", "h8")),
        ] {
            check(told, "15x15:5", "h8 g7", &anew);
        }
        check(Some(("15x15:5", "", "h8")), "15x15:5", "", &["START 15", "INFO rule 0", turn, game, "BEGIN"]);
    }

    #[test]
    fn rules_without_words_are_not_told() {
        assert_eq!(Told::default().brief(&position("3x3:3", ""), Duration::ZERO), None);
    }
}
