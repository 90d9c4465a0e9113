//! The value of each cell that may be marked.

use std::time::Duration;

use noughts_protocol::{Cell, Position, Status};

use super::{Watch, before, compare, is_settled, of_the_end, search};
use crate::engine::Score;

/// Positions for each cell in the first look, doubled in each that follows.
const FIRST_LOOK: u64 = 500;

/// What each move is worth to the side to move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Values {
    /// The position.
    pub position: Position,
    /// The cells with their values, the best first.
    pub cells: Vec<(Cell, Score)>,
}

impl Values {
    /// The value of a cell.
    pub fn of(&self, cell: Cell) -> Option<Score> {
        self.cells.iter().find(|(known, _)| *known == cell).map(|&(_, score)| score)
    }

    /// The place of a cell among those whose value is an estimate, from 1; cells of equal value share it.
    pub fn rank(&self, cell: Cell) -> Option<usize> {
        let own = self.of(cell).filter(|&score| !is_settled(score))?;
        let better =
            self.cells.iter().filter(|&&(_, score)| !is_settled(score) && compare(score, own).is_gt());
        Some(1 + better.count())
    }
}

/// Looks at every move, with the same effort for each, and then again with twice as much, until all are
/// settled or the time is over. `None` when the game is over.
pub fn values(position: &Position, time: Duration, watch: Watch<'_>) -> Option<Values> {
    let mut cells: Vec<(Cell, Score)> =
        position.legal_moves().map(|cell| (cell, Score::Estimate(0))).collect();
    if cells.is_empty() {
        return None;
    }
    let mut nodes = FIRST_LOOK;
    loop {
        let mut looked = cells.clone();
        for (cell, score) in &mut looked {
            if is_settled(*score) {
                continue;
            }
            let Some(value) = value(position, *cell, nodes, time, watch) else { break };
            *score = value;
            if (watch.elapsed)() >= time || watch.stop.load(std::sync::atomic::Ordering::Relaxed) {
                break;
            }
        }
        let over = (watch.elapsed)() >= time || watch.stop.load(std::sync::atomic::Ordering::Relaxed);
        if !over || nodes == FIRST_LOOK {
            cells = looked;
        } else {
            // Half a look would set deep values beside shallow ones; what it settled is true all the same.
            for (known, (_, score)) in cells.iter_mut().zip(looked) {
                if is_settled(score) {
                    known.1 = score;
                }
            }
        }
        if over || cells.iter().all(|&(_, score)| is_settled(score)) {
            cells.sort_by(|one, other| compare(other.1, one.1).then(one.0.cmp(&other.0)));
            return Some(Values { position: position.clone(), cells });
        }
        nodes = nodes.saturating_mul(2);
    }
}

fn value(position: &Position, cell: Cell, nodes: u64, time: Duration, watch: Watch<'_>) -> Option<Score> {
    let mover = position.turn();
    let mut after = position.clone();
    let status = after.play(cell).ok()?;
    match status {
        Status::Ongoing => search(&after, None, Some(nodes), time, watch).map(|report| before(report.score)),
        Status::Drawn | Status::Won(_) => of_the_end(status, mover),
    }
}

#[cfg(test)]
mod tests {
    use super::super::review::tests::{WIDE, at_once, position};
    use super::*;

    fn check(rules: &str, moves: &str, expected: &[(&str, Score)]) {
        let position = position(rules, moves);
        let values = values(&position, WIDE, at_once()).unwrap();
        assert_eq!(values.cells.len(), position.legal_count());
        for (text, score) in expected {
            let cell = position.rules().parse_cell(text).unwrap();
            assert_eq!(values.of(cell), Some(*score), "{text} in {position:?}");
        }
        assert!(values.cells.windows(2).all(|pair| compare(pair[0].1, pair[1].1).is_ge()), "{values:?}");
    }

    #[test]
    fn every_first_move_of_tic_tac_toe_draws() {
        let draws: Vec<(&str, Score)> =
            ["a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"].map(|text| (text, Score::Draw)).into();
        check("3x3:3", "", &draws);
        // The edge against the middle loses, the corner draws.
        check("3x3:3", "b2", &[("a1", Score::Draw), ("c3", Score::Draw)]);
        let lost = values(&position("3x3:3", "b2 b1"), WIDE, at_once()).unwrap();
        assert!(matches!(lost.cells[0].1, Score::Win(_)), "{lost:?}");
    }

    #[test]
    fn ends_are_known() {
        check("3x3:3", "a1 b1 a2 b2", &[("a3", Score::Win(1)), ("c3", Score::Loss(2))]);
        check("3x3:3+misere", "a1 b2 a2 c3", &[("a3", Score::Loss(1))]);
        check("4x1:3", "a1 b1 c1", &[("d1", Score::Draw)]);
        assert_eq!(values(&position("3x1:1", "a1"), WIDE, at_once()), None);
    }

    #[test]
    fn without_time_there_are_estimates_and_wins_all_the_same() {
        let position = position("15x15:5", "h8 a1 h9 a2 h10 a3 h11 a5");
        let values = values(&position, Duration::ZERO, at_once()).unwrap();
        assert_eq!(values.cells.len(), position.legal_count());
        let cell = position.rules().parse_cell("h12").unwrap();
        assert!(matches!(values.of(cell), Some(Score::Win(1) | Score::Estimate(_))));
        assert!(values.cells.iter().all(|&(cell, score)| is_settled(score) == values.rank(cell).is_none()));
    }
}
