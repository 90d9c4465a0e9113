//! The manager's side of the Gomocup protocol: commands that ask an engine for a move in a position. Pure.

use std::time::Duration;

use noughts_protocol::{Cell, Position, Rules};

use super::{GomocupCommand, GomocupInfo, Point, StoneOwner, can_play};

/// Game state that an engine has received, including its own moves.
#[derive(Clone, Debug, Default)]
pub(crate) struct KnownPosition {
    game: Option<(Rules, Vec<Cell>)>,
}

/// Commands that ask for one move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MoveCommands {
    /// Sets up an empty board; the engine answers `OK`. `None` if the engine already has the board.
    pub start: Option<GomocupCommand>,
    /// Sent together afterwards; the engine answers the last one with a move.
    pub search: Vec<GomocupCommand>,
}

impl KnownPosition {
    /// Returns the commands that ask for a move in `position`; `None` if the protocol does not support the rules.
    ///
    /// A known position with one more move is continued by `TURN`. Any other position is sent as a board, because few
    /// engines support `TAKEBACK`.
    pub(crate) fn move_commands(
        &self,
        position: &Position,
        move_time: Duration,
    ) -> Option<MoveCommands> {
        let (rules, moves) = (*position.rules(), position.moves());
        if !can_play(&rules) {
            return None;
        }
        let point = |cell: Cell| Point::from_cell(&rules, cell);
        let move_time_ms = u64::try_from(move_time.as_millis()).unwrap_or(u64::MAX);
        // No limit for the game: the limit for this move already accounts for the clock.
        let mut search = vec![
            GomocupCommand::Info(GomocupInfo::TimeoutTurn(move_time_ms.max(1))),
            GomocupCommand::Info(GomocupInfo::TimeoutMatch(0)),
        ];
        let continuation = match (&self.game, moves.split_last()) {
            (Some((known_rules, known_moves)), Some((last, before))) => {
                (*known_rules == rules && !known_moves.is_empty() && known_moves == before)
                    .then_some(*last)
            }
            (Some(_), None) | (None, Some(_)) | (None, None) => None,
        };
        if let Some(last) = continuation {
            search.push(GomocupCommand::Turn(point(last)?));
            return Some(MoveCommands {
                start: None,
                search,
            });
        }
        let (width, height) = (rules.width(), rules.height());
        let start = if width == height {
            GomocupCommand::Start(width)
        } else {
            GomocupCommand::RectStart(width, height)
        };
        search.insert(
            0,
            GomocupCommand::Info(GomocupInfo::Rule(if rules.exact() {
                GomocupInfo::EXACT
            } else {
                0
            })),
        );
        if moves.is_empty() {
            search.push(GomocupCommand::Begin);
        } else {
            search.push(GomocupCommand::Board);
            for (ply, &cell) in moves.iter().enumerate() {
                let own = (moves.len() - ply).is_multiple_of(2);
                search.push(GomocupCommand::Stone(
                    point(cell)?,
                    if own {
                        StoneOwner::Own
                    } else {
                        StoneOwner::Other
                    },
                ));
            }
            search.push(GomocupCommand::Done);
        }
        Some(MoveCommands {
            start: Some(start),
            search,
        })
    }

    /// Records that the engine received `position` and answered with the move `answer`.
    pub(crate) fn record_move(&mut self, position: &Position, answer: Cell) {
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

    /// Checks the commands for a position after the engine has answered in another one.
    fn check(previous: Option<(&str, &str, &str)>, rules: &str, moves: &str, expected: &[&str]) {
        let mut known = KnownPosition::default();
        if let Some((rules, moves, answer)) = previous {
            let before = position(rules, moves);
            known.record_move(&before, before.rules().parse_cell(answer).unwrap());
        }
        let commands = known
            .move_commands(&position(rules, moves), Duration::from_millis(800))
            .unwrap();
        let lines: Vec<String> = commands
            .start
            .iter()
            .chain(&commands.search)
            .map(GomocupCommand::to_string)
            .collect();
        assert_eq!(lines, expected, "{previous:?}, then {rules} {moves}");
    }

    const TIMES: [&str; 2] = ["INFO timeout_turn 800", "INFO timeout_match 0"];

    #[test]
    fn a_game_starts_with_a_board_and_continues_by_turns() {
        let [turn, game] = TIMES;
        check(
            None,
            "15x15:5",
            "",
            &["START 15", "INFO rule 0", turn, game, "BEGIN"],
        );
        check(
            None,
            "20x15:5+exact",
            "h8",
            &[
                "RECTSTART 20,15",
                "INFO rule 1",
                turn,
                game,
                "BOARD",
                "7,7,2",
                "DONE",
            ],
        );
        check(
            Some(("15x15:5", "", "h8")),
            "15x15:5",
            "h8 h9",
            &[turn, game, "TURN 7,8"],
        );
        check(
            Some(("15x15:5", "h8", "h9")),
            "15x15:5",
            "h8 h9 g1",
            &[turn, game, "TURN 6,0"],
        );
    }

    #[test]
    fn other_positions_are_sent_as_a_board() {
        let [turn, game] = TIMES;
        let board_commands = [
            "START 15",
            "INFO rule 0",
            turn,
            game,
            "BOARD",
            "7,7,1",
            "6,6,2",
            "DONE",
        ]
        .map(str::to_owned);
        let board_commands: Vec<&str> = board_commands.iter().map(String::as_str).collect();
        for previous in [
            None,
            // The engine answered with another move.
            Some(("15x15:5", "", "a1")),
            // A move was taken back.
            Some(("15x15:5", "h8 h9", "a1")),
            Some(("15x15:5+exact", "", "h8")),
            Some(("16x16:5", "", "h8")),
        ] {
            check(previous, "15x15:5", "h8 g7", &board_commands);
        }
        check(
            Some(("15x15:5", "", "h8")),
            "15x15:5",
            "",
            &["START 15", "INFO rule 0", turn, game, "BEGIN"],
        );
    }

    #[test]
    fn unsupported_rules_have_no_commands() {
        assert_eq!(
            KnownPosition::default().move_commands(&position("3x3:3", ""), Duration::ZERO),
            None
        );
    }
}
