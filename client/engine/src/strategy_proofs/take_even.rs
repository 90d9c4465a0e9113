//! Winning strategies of misère with gravity (Steele and Larremore, "Misère Connect Four is solved", arXiv 2410.05551).
//!
//! *Take-even*: on a board of even height the second player answers on top of each stone. It owns every second layer,
//! so each of its lines is within a layer, above a line that the opponent completed before. The board cannot fill up
//! without a line in the lowest layer, so the opponent completes one. The proof holds in every number of dimensions.
//!
//! *Delayed take-even*: on a board of odd height, the same holds above the lowest row. The lowest row is divided into
//! pairs of neighbours, on odd width beside an edge cell that the first player takes; the strategy answers in a pair
//! with its other cell, so it has at most two neighbours in this row. It needs lines of three cells or more, in two
//! dimensions.
//!
//! *Neighbours*: in lines of two on odd width and odd height, the second player takes an edge cell, but not the cell of
//! the first stone, and answers a stone in the lowest row with the next cell away from this edge. Such pairs cannot
//! grow: a stone upon them has a neighbour of its seat. At the other edge it takes the cell behind the first stone
//! instead, which is free because the first player cannot take it. Above its edge cell it answers every stone. So it
//! always has an answer.
//!
//! *Mirror*: in lines of two, the second player on a board of even width answers in the mirrored column. A line of its
//! own is the image of a line that the opponent completed before, and no board fills up without neighbours of one seat.

use noughts_protocol::{Cell, Position, RuleFlag, Rules, Seat};

use crate::strategy_proofs::StrategyResult;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Plan {
    TakeEven,
    Delayed,
    Neighbours,
    Mirror,
}

/// Returns the result of the position, if one side has followed its strategy so far.
pub(crate) fn find(position: &Position) -> Option<StrategyResult> {
    let (plan, winner) = plan(position.rules())?;
    let moves = position.moves();
    let before = |count: usize| Board {
        rules: position.rules(),
        moves: &moves[..count],
    };
    if position.turn() != winner {
        return before(moves.len())
            .is_kept(plan, winner)
            .then_some(StrategyResult::Loses);
    }
    let Some((&last, _)) = moves.split_last() else {
        // The first player takes an edge cell.
        return position
            .landing_cell(Cell::new(0))
            .ok()
            .map(StrategyResult::Wins);
    };
    if !before(moves.len() - 1).is_kept(plan, winner) {
        return None;
    }
    let (x, height) = position_of(position.rules(), last);
    let column = match plan {
        Plan::Neighbours if height == 0 => Some(before(moves.len()).neighbours_answer(x)),
        Plan::Mirror => Some(usize::from(position.rules().width()) - 1 - x),
        Plan::Delayed if height == 0 => Some(partner(x, winner)),
        Plan::TakeEven | Plan::Delayed | Plan::Neighbours => None,
    };
    let cell = column.map_or(last, |column| Cell::new((last.index() - x + column) as u16));
    position.landing_cell(cell).ok().map(StrategyResult::Wins)
}

/// Returns whether a strategy applies to these rules.
pub(crate) fn supports(rules: &Rules) -> bool {
    plan(rules).is_some()
}

/// Returns the strategy for these rules, and the seat that wins with it.
fn plan(rules: &Rules) -> Option<(Plan, Seat)> {
    let (width, height, line) = (rules.width(), rules.height(), rules.line());
    // With `exact`, a row may fill up without a line of the exact length.
    if !rules.misere()
        || !rules.gravity()
        || !rules.has_only(&[RuleFlag::Misere, RuleFlag::Gravity])
        || line < 2
    {
        return None;
    }
    if line == 2 && rules.dimensions() == 2 && width >= 3 && width % 2 == 1 && height % 2 == 1 {
        return Some((Plan::Neighbours, Seat::O));
    }
    if height < 2 {
        return None;
    }
    let mut sides = rules.sides().iter().enumerate();
    let has_line_in_layer = sides.any(|(axis, &side)| axis != HEIGHT_AXIS && side >= line);
    match (height.is_multiple_of(2), width.is_multiple_of(2)) {
        _ if !has_line_in_layer => None,
        (true, _) => Some((Plan::TakeEven, Seat::O)),
        (false, true) if line == 2 && rules.dimensions() == 2 => Some((Plan::Mirror, Seat::O)),
        (false, is_width_even) if line >= 3 && rules.dimensions() == 2 => {
            Some((Plan::Delayed, if is_width_even { Seat::O } else { Seat::X }))
        }
        (false, _) => None,
    }
}

/// Axis of the fall of stones.
const HEIGHT_AXIS: usize = 1;

/// Returns the other column of the pair in the lowest row.
fn partner(x: usize, winner: Seat) -> usize {
    match winner {
        Seat::O => x ^ 1,
        Seat::X => ((x + 1) ^ 1) - 1,
    }
}

/// Returns the first coordinate of a cell, and its height above the lowest layer.
fn position_of(rules: &Rules, cell: Cell) -> (usize, usize) {
    let (width, height) = (usize::from(rules.width()), usize::from(rules.height()));
    (
        cell.index() % width,
        height - 1 - cell.index() / width % height,
    )
}

/// The stones after some moves.
struct Board<'p> {
    rules: &'p Rules,
    moves: &'p [Cell],
}

impl Board<'_> {
    /// Returns whether the winner has followed its strategy, with the opponent to move.
    fn is_kept(&self, plan: Plan, winner: Seat) -> bool {
        let mut owners = vec![None; self.rules.cells()];
        for (&cell, seat) in self
            .moves
            .iter()
            .zip([Seat::X, Seat::O].into_iter().cycle())
        {
            owners[cell.index()] = Some(seat);
        }
        let width = usize::from(self.rules.width());
        if plan == Plan::Neighbours {
            return self.moves.is_empty() || self.has_neighbours(&owners);
        }
        let mut cells = (0..self.rules.cells()).map(|index| Cell::new(index as u16));
        cells.all(|cell| {
            let (x, height) = position_of(self.rules, cell);
            let owner = owners[cell.index()];
            let at_column = |column: usize| owners[cell.index() - x + column];
            // The rows of the strategy, the lowest first: stones of the opponent and answers in turn.
            let from = usize::from(plan == Plan::Delayed);
            match plan {
                Plan::Mirror => at_column(width - 1 - x) == owner.map(Seat::other),
                Plan::Delayed if height == 0 && winner == Seat::X && x == 0 => {
                    owner == Some(Seat::X)
                }
                Plan::Delayed if height == 0 => {
                    at_column(partner(x, winner)) == owner.map(Seat::other)
                }
                Plan::TakeEven | Plan::Delayed if (height - from).is_multiple_of(2) => {
                    // The cell above contains the answer.
                    let above = owners[cell.index() - width];
                    owner != Some(winner) && above == owner.map(Seat::other)
                }
                Plan::TakeEven | Plan::Delayed | Plan::Neighbours => {
                    owner.is_none_or(|seat| seat == winner)
                }
            }
        })
    }

    /// Returns the column of the first stone.
    fn first_column(&self) -> usize {
        self.moves
            .first()
            .map_or(0, |&cell| position_of(self.rules, cell).0)
    }

    /// Converts a column to its distance from the edge that the second player takes, and a distance to a column.
    fn edge_distance(&self, x: usize) -> usize {
        let width = usize::from(self.rules.width());
        if self.first_column() == 0 {
            width - 1 - x
        } else {
            x
        }
    }

    /// Returns the column of the answer to the last stone, which is in the lowest row of this column.
    fn neighbours_answer(&self, x: usize) -> usize {
        let (column, first) = (
            self.edge_distance(x),
            self.edge_distance(self.first_column()),
        );
        let answer = match column {
            _ if self.moves.len() == 1 => 0,
            column if column + 1 == usize::from(self.rules.width()) => first + 1,
            column => column + 1,
        };
        self.edge_distance(answer)
    }

    /// Returns whether the second player has answered every stone by the strategy of neighbours.
    fn has_neighbours(&self, owners: &[Option<Seat>]) -> bool {
        let (width, height) = (
            usize::from(self.rules.width()),
            usize::from(self.rules.height()),
        );
        let first = self.edge_distance(self.first_column());
        let owner = |column: usize, row: usize| {
            (column < width)
                .then(|| owners[(height - 1 - row) * width + self.edge_distance(column)])
                .flatten()
        };
        let lowest = |column: usize| owner(column, 0);
        let is_answered = |column: usize| match lowest(column) {
            Some(Seat::X) if column == first => lowest(column + 1) != Some(Seat::X),
            Some(Seat::X) if column + 1 == width => lowest(first + 1) == Some(Seat::O),
            Some(Seat::X) => lowest(column + 1) == Some(Seat::O),
            Some(Seat::O) => lowest(column - 1) == Some(Seat::X),
            None => true,
        };
        let is_edge_answered = (1..height).step_by(2).all(|row| {
            matches!(
                (owner(0, row), owner(0, row + 1)),
                (None, None) | (Some(Seat::X), Some(Seat::O))
            )
        });
        let is_flat = |column: usize| (1..height).all(|row| owner(column, row).is_none());
        lowest(0) == Some(Seat::O)
            && is_edge_answered
            && (1..width).all(|column| is_answered(column) && is_flat(column))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use noughts_protocol::Status;
    use noughts_protocol::rng::split_mix64;

    use super::*;

    /// Returns the winner of a position, by exhaustive minimax; `None` for a draw.
    fn winner(position: &mut Position, known: &mut HashMap<u64, Option<Seat>>) -> Option<Seat> {
        match position.status() {
            Status::Won(seat) => return Some(seat),
            Status::Drawn => return None,
            Status::Ongoing => {}
        }
        if let Some(&winner) = known.get(&position.key()) {
            return winner;
        }
        let turn = position.turn();
        let mut best = Some(turn.other());
        for cell in position.legal_moves().collect::<Vec<_>>() {
            position.play(cell).unwrap();
            let found = winner(position, known);
            position.undo();
            if found == Some(turn) {
                best = found;
                break;
            }
            best = if found.is_none() { None } else { best };
        }
        known.insert(position.key(), best);
        best
    }

    /// Every position on small boards where a strategy applies has the result that minimax finds.
    #[test]
    fn results_are_those_of_minimax() {
        let mut found = 0;
        for (rules, first) in [
            ("3x2:3", Some(Seat::O)),
            ("4x2:3", Some(Seat::O)),
            ("5x2:4", Some(Seat::O)),
            ("3x4:3", Some(Seat::O)),
            ("3x4:2", Some(Seat::O)),
            ("3x3:3", Some(Seat::X)),
            ("4x3:3", Some(Seat::O)),
            ("4x3:4", Some(Seat::O)),
            ("5x3:3", Some(Seat::X)),
            ("5x3:5", Some(Seat::X)),
            ("3x5:3", Some(Seat::X)),
            ("2x3:2", Some(Seat::O)),
            ("4x3:2", Some(Seat::O)),
            ("3x3:2", Some(Seat::O)),
            ("5x3:2", Some(Seat::O)),
            ("7x3:2", Some(Seat::O)),
            ("5x5:2", Some(Seat::O)),
            ("3x1:2", Some(Seat::O)),
            ("9x1:2", Some(Seat::O)),
            ("2x2x2:2", Some(Seat::O)),
            ("3x2x2:3", Some(Seat::O)),
            ("3x4:4", None),
            ("2x4:3", None),
        ] {
            let mut known = HashMap::new();
            let mut game = crate::tests::position(&format!("{rules}+gravity+misere"), "");
            assert_eq!(winner(&mut game, &mut known), first, "{rules}");
            assert_eq!(find(&game).is_some(), first.is_some(), "{rules}");
            for seed in 0..300 {
                let mut game = crate::tests::position(&format!("{rules}+gravity+misere"), "");
                let mut random = seed;
                while game.status() == Status::Ongoing {
                    random = split_mix64(random);
                    let any = game
                        .legal_nth((random % game.legal_count() as u64) as usize)
                        .unwrap();
                    let next = match find(&game) {
                        Some(StrategyResult::Wins(best)) => {
                            assert_eq!(
                                winner(&mut game, &mut known),
                                Some(game.turn()),
                                "{game:?}"
                            );
                            // Sometimes plays another move, so that strategies are lost and found again.
                            if seed % 3 == 0 && random.is_multiple_of(7) {
                                any
                            } else {
                                best
                            }
                        }
                        Some(StrategyResult::Loses) => {
                            assert_eq!(
                                winner(&mut game, &mut known),
                                Some(game.turn().other()),
                                "{game:?}"
                            );
                            any
                        }
                        Some(StrategyResult::Holds(_)) => {
                            panic!("a strategy under gravity wins or loses")
                        }
                        None => any,
                    };
                    found += u32::from(next != any);
                    game.play(next).unwrap();
                }
            }
        }
        assert!(found > 3_000, "{found}");
    }

    #[test]
    fn strategies_win_every_game() {
        for (rules, own) in [
            ("7x6:4", Seat::O),
            ("8x8:5", Seat::O),
            ("7x7:4", Seat::X),
            ("8x7:4", Seat::O),
            ("9x5:3", Seat::X),
            ("6x5:2", Seat::O),
            ("9x7:2", Seat::O),
            ("25x25:2", Seat::O),
            ("25x1:2", Seat::O),
            ("4x4x4:4", Seat::O),
        ] {
            for seed in 0..200 {
                let mut game = crate::tests::position(&format!("{rules}+gravity+misere"), "");
                let mut random = seed;
                while game.status() == Status::Ongoing {
                    let found = find(&game);
                    let next = if let Some(StrategyResult::Wins(best)) = found {
                        best
                    } else {
                        assert_eq!(found, Some(StrategyResult::Loses), "{game:?}");
                        random = split_mix64(random);
                        game.legal_nth((random % game.legal_count() as u64) as usize)
                            .unwrap()
                    };
                    game.play(next).unwrap();
                }
                assert_eq!(game.status(), Status::Won(own), "{game:?}");
            }
        }
    }

    #[test]
    fn other_rules_have_no_strategy() {
        for rules in [
            "7x6:4+gravity",
            "7x6:4+misere",
            "7x6:4+gravity+misere+exact",
            "3x6:4+gravity+misere",
            "7x1:3+gravity+misere",
            "5x5x5:3+gravity+misere",
            "1x5:2+gravity+misere",
            "8x1:2+gravity+misere",
            "5x5x5:2+gravity+misere",
        ] {
            assert_eq!(find(&crate::tests::position(rules, "")), None, "{rules}");
        }
        assert_eq!(
            find(&crate::tests::position("7x6:4+gravity+misere", "d1 c1")),
            None,
            "the wrong answer"
        );
    }
}
