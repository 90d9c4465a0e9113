//! Value of each legal move of a position.

use std::time::Duration;

use noughts_protocol::{Cell, Position, Status};

use super::{StopAndClock, compare_scores, is_proven, score_for_parent, search, terminal_score};
use crate::engine::Evaluation;

/// Search nodes per move in the first pass; doubled in each further pass.
const INITIAL_NODES: u64 = 500;

/// Values of the legal moves, for the side to move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveValues {
    pub position: Position,
    /// Cells with their values, best first.
    pub cells: Vec<(Cell, Evaluation)>,
}

impl MoveValues {
    /// Returns the value of a move.
    pub fn score(&self, cell: Cell) -> Option<Evaluation> {
        self.cells.iter().find(|(known, _)| *known == cell).map(|&(_, score)| score)
    }

    /// Returns the rank of a move among those with an estimated value, from 1. Equal values share a rank. `None` if the
    /// value is exact.
    pub fn rank(&self, cell: Cell) -> Option<usize> {
        let own = self.score(cell).filter(|&score| !is_proven(score))?;
        let better =
            self.cells.iter().filter(|&&(_, score)| !is_proven(score) && compare_scores(score, own).is_gt());
        Some(1 + better.count())
    }
}

/// Evaluates every legal move: each pass gives all moves the same number of nodes, twice that of the previous pass.
/// Ends when all values are exact, after `time`, or when stopped. Returns `None` if the game is over.
pub(crate) fn evaluate_moves(
    position: &Position,
    time: Duration,
    stop_and_clock: StopAndClock<'_>,
) -> Option<MoveValues> {
    let mut cells: Vec<(Cell, Evaluation)> =
        position.legal_moves().map(|cell| (cell, Evaluation::Estimate(0))).collect();
    if cells.is_empty() {
        return None;
    }
    let mut nodes = INITIAL_NODES;
    loop {
        let mut updated = cells.clone();
        for (cell, score) in &mut updated {
            if is_proven(*score) {
                continue;
            }
            let Some(value) = evaluate_move(position, *cell, nodes, time, stop_and_clock) else { break };
            *score = value;
            if (stop_and_clock.elapsed)() >= time
                || stop_and_clock.stop.load(std::sync::atomic::Ordering::Relaxed)
            {
                break;
            }
        }
        let stopped = (stop_and_clock.elapsed)() >= time
            || stop_and_clock.stop.load(std::sync::atomic::Ordering::Relaxed);
        if !stopped || nodes == INITIAL_NODES {
            cells = updated;
        } else {
            // Values of an incomplete pass are not comparable with the others; exact values are valid anyway.
            for (known, (_, score)) in cells.iter_mut().zip(updated) {
                if is_proven(score) {
                    known.1 = score;
                }
            }
        }
        if stopped || cells.iter().all(|&(_, score)| is_proven(score)) {
            cells.sort_by(|one, other| compare_scores(other.1, one.1).then(one.0.cmp(&other.0)));
            return Some(MoveValues { position: position.clone(), cells });
        }
        nodes = nodes.saturating_mul(2);
    }
}

fn evaluate_move(
    position: &Position,
    cell: Cell,
    nodes: u64,
    time: Duration,
    stop_and_clock: StopAndClock<'_>,
) -> Option<Evaluation> {
    let mover = position.turn();
    let mut child_position = position.clone();
    let status = child_position.play(cell).ok()?;
    match status {
        Status::Ongoing => search(&child_position, None, Some(nodes), time, stop_and_clock)
            .map(|report| score_for_parent(report.score)),
        Status::Drawn | Status::Won(_) => terminal_score(status, mover),
    }
}

#[cfg(test)]
mod tests {
    use super::super::review::tests::{AMPLE_TIME, frozen_clock, position};
    use super::*;

    fn check(rules: &str, moves: &str, expected: &[(&str, Evaluation)]) {
        let position = position(rules, moves);
        let values = evaluate_moves(&position, AMPLE_TIME, frozen_clock()).unwrap();
        assert_eq!(values.cells.len(), position.legal_count());
        for (text, score) in expected {
            let cell = position.rules().parse_cell(text).unwrap();
            assert_eq!(values.score(cell), Some(*score), "{text} in {position:?}");
        }
        assert!(
            values.cells.windows(2).all(|pair| compare_scores(pair[0].1, pair[1].1).is_ge()),
            "{values:?}"
        );
    }

    #[test]
    fn every_first_move_of_tic_tac_toe_draws() {
        let draws: Vec<(&str, Evaluation)> = ["a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"]
            .map(|text| (text, Evaluation::Draw))
            .into();
        check("3x3:3", "", &draws);
        // Against the centre, an edge loses and a corner draws.
        check("3x3:3", "b2", &[("a1", Evaluation::Draw), ("c3", Evaluation::Draw)]);
        let lost = evaluate_moves(&position("3x3:3", "b2 b1"), AMPLE_TIME, frozen_clock()).unwrap();
        assert!(matches!(lost.cells[0].1, Evaluation::Win(_)), "{lost:?}");
    }

    #[test]
    fn winning_losing_and_drawing_moves_are_exact() {
        check("3x3:3", "a1 b1 a2 b2", &[("a3", Evaluation::Win(1)), ("c3", Evaluation::Loss(2))]);
        check("3x3:3+misere", "a1 b2 a2 c3", &[("a3", Evaluation::Loss(1))]);
        check("4x1:3", "a1 b1 c1", &[("d1", Evaluation::Draw)]);
        assert_eq!(evaluate_moves(&position("3x1:1", "a1"), AMPLE_TIME, frozen_clock()), None);
    }

    #[test]
    fn without_time_there_are_still_estimates() {
        let position = position("15x15:5", "h8 a1 h9 a2 h10 a3 h11 a5");
        let values = evaluate_moves(&position, Duration::ZERO, frozen_clock()).unwrap();
        assert_eq!(values.cells.len(), position.legal_count());
        let cell = position.rules().parse_cell("h12").unwrap();
        assert!(matches!(values.score(cell), Some(Evaluation::Win(1) | Evaluation::Estimate(_))));
        assert!(values.cells.iter().all(|&(cell, score)| is_proven(score) == values.rank(cell).is_none()));
    }
}
