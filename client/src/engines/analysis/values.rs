//! The value of each legal move in a position.

use std::time::Duration;

use noughts_protocol::{Cell, Position, Status};
use serde::{Serialize, Serializer};

use super::CanonicalPosition;
use super::{StopAndClock, compare_scores, is_proven, search, terminal_score};
use crate::engine::{Evaluation, SearchLimits, SearchScore};
use crate::facts::json_members::JsonEvaluation;

/// Search nodes per move in the first pass. Each further pass doubles the number.
const INITIAL_NODES: u64 = 500;
/// Maximum time between two reports of the values so far, during the first pass.
const MAX_SILENCE: Duration = Duration::from_millis(100);

/// Values of the legal moves for the side to move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveValues {
    pub position: Position,
    /// Cells with their values, best first. Moves that were not searched are absent.
    pub cells: Vec<(Cell, SearchScore)>,
    /// Number of positions that the searches visited.
    pub nodes: u64,
}

impl Serialize for MoveValues {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct CellWorth {
            cell: String,
            #[serde(flatten)]
            evaluation: JsonEvaluation,
        }
        let rules = self.position.rules();
        let cells = self.cells.iter().map(|&(cell, score)| CellWorth {
            cell: rules.cell_text(cell),
            evaluation: score.into(),
        });
        serializer.collect_map([("cells", cells.collect::<Vec<_>>())])
    }
}

impl MoveValues {
    /// Returns the value of a move if it was searched.
    pub fn score(&self, cell: Cell) -> Option<SearchScore> {
        self.cells
            .iter()
            .find(|(known, _)| *known == cell)
            .map(|&(_, score)| score)
    }

    /// Returns a move's one-based rank among the moves with an estimated value. Equal values share a rank. Returns
    /// `None` if the value is proven or unknown.
    pub fn rank(&self, cell: Cell) -> Option<usize> {
        let own = self.score(cell).filter(|&score| !is_proven(score))?;
        let better = self
            .cells
            .iter()
            .filter(|&&(_, score)| !is_proven(score) && compare_scores(score, own).is_gt());
        Some(1 + better.count())
    }
}

/// Evaluates every legal move within the limits. Each pass searches all moves with the same number of nodes, twice as
/// many as the previous pass. Symmetric moves share a search, as do symmetric positions, so that their values are
/// equal. The search ends when all values are exact, at a limit, or when stopped. With a limit of depth, it ends when a
/// pass with more nodes would find the same. Returns `None` if the game is over.
///
/// Passes the values to `on_pass` after each complete pass, and during the first pass the values so far.
pub(crate) fn evaluate_moves(
    position: &Position,
    limits: SearchLimits,
    stop_and_clock: StopAndClock<'_>,
    on_pass: &mut dyn FnMut(&MoveValues),
) -> Option<MoveValues> {
    let time = limits.time.unwrap_or(Duration::MAX);
    let canonical = CanonicalPosition::new(position);
    let mut moves: Vec<Cell> = canonical.position.legal_moves().collect();
    moves.retain(|&cell| canonical.representative(cell) == cell);
    if moves.is_empty() {
        return None;
    }
    let mut values: Vec<(Cell, Option<SearchScore>)> =
        moves.into_iter().map(|cell| (cell, None)).collect();
    let is_stopped = |total: u64| {
        (stop_and_clock.elapsed)() >= time
            || limits.nodes.is_some_and(|most| total >= most)
            || stop_and_clock
                .stop
                .load(std::sync::atomic::Ordering::Relaxed)
    };
    let (mut nodes, mut total) = (INITIAL_NODES, 0);
    let mut next_report = (stop_and_clock.elapsed)() + MAX_SILENCE;
    loop {
        let mut updated = values.clone();
        let mut needs_nodes = false;
        for index in 0..updated.len() {
            let (cell, known) = updated[index];
            if known.is_some_and(SearchScore::is_final) {
                continue;
            }
            let move_limits = SearchLimits {
                nodes: Some(nodes),
                ..limits
            };
            let found = evaluate_move(&canonical.position, cell, move_limits, time, stop_and_clock);
            if let Some((found, visited)) = found {
                updated[index].1 = Some(better_known(known, found));
                total += visited;
                // A search may end before its last iteration, when few nodes are left.
                needs_nodes |= visited >= nodes / 2;
            }
            if is_stopped(total) {
                break;
            }
            if nodes == INITIAL_NODES && (stop_and_clock.elapsed)() >= next_report {
                next_report = (stop_and_clock.elapsed)() + MAX_SILENCE;
                on_pass(&MoveValues {
                    cells: mapped_values(position, &canonical, &updated),
                    position: position.clone(),
                    nodes: total,
                });
            }
        }
        let stopped = is_stopped(total);
        for (known, (_, score)) in values.iter_mut().zip(updated) {
            // Estimates of an incomplete pass are not comparable with the other estimates. Proofs are valid anyway.
            if !stopped || nodes == INITIAL_NODES || score.is_some_and(is_proven) {
                known.1 = score;
            }
        }
        let result = MoveValues {
            cells: mapped_values(position, &canonical, &values),
            position: position.clone(),
            nodes: total,
        };
        if stopped
            || (limits.depth.is_some() && !needs_nodes)
            || values
                .iter()
                .all(|&(_, score)| score.is_some_and(SearchScore::is_final))
        {
            return Some(result);
        }
        on_pass(&result);
        nodes = nodes.saturating_mul(2);
    }
}

/// Returns the more precise of two values: a proof rather than an estimate, and the smaller of two distances that are
/// upper bounds.
fn better_known(known: Option<SearchScore>, found: SearchScore) -> SearchScore {
    match (known, known.map(|known| known.evaluation), found.evaluation) {
        (Some(known), Some(Evaluation::Win(plies)), Evaluation::Win(other))
        | (Some(known), Some(Evaluation::Loss(plies)), Evaluation::Loss(other))
            if !found.exact && plies <= other =>
        {
            known
        }
        (Some(known), _, Evaluation::Estimate(_)) if is_proven(known) => known,
        (Some(_) | None, _, _) => found,
    }
}

/// Returns the values in the original position, best first.
fn mapped_values(
    position: &Position,
    canonical: &CanonicalPosition,
    values: &[(Cell, Option<SearchScore>)],
) -> Vec<(Cell, SearchScore)> {
    let score = |cell: Cell| {
        let representative = canonical.representative(canonical.image(cell));
        let (_, score) = values.iter().find(|(known, _)| *known == representative)?;
        Some((cell, (*score)?))
    };
    let mut cells: Vec<(Cell, SearchScore)> = position.legal_moves().filter_map(score).collect();
    cells.sort_by(|one, other| compare_scores(other.1, one.1).then(one.0.cmp(&other.0)));
    cells
}

/// Returns the value of a move and the number of positions visited. The search ends when the clock reaches `time`.
fn evaluate_move(
    position: &Position,
    cell: Cell,
    limits: SearchLimits,
    time: Duration,
    stop_and_clock: StopAndClock<'_>,
) -> Option<(SearchScore, u64)> {
    let mover = position.turn();
    let mut child_position = position.clone();
    let status = child_position.play(cell).ok()?;
    match status {
        Status::Ongoing => search(&child_position, limits, time, stop_and_clock)
            .map(|report| (report.search_score().before_move(), report.nodes)),
        Status::Drawn | Status::Won(_) => terminal_score(status, mover).map(|score| (score, 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::review::tests::{AMPLE_TIME, frozen_clock};
    use super::*;
    use crate::engines::tests::position;

    fn within(time: Duration) -> SearchLimits {
        SearchLimits {
            time: Some(time),
            ..SearchLimits::default()
        }
    }

    fn values(position: &Position, time: Duration) -> MoveValues {
        evaluate_moves(position, within(time), frozen_clock(), &mut |_| {})
            .expect("the game is not over")
    }

    fn check(rules: &str, moves: &str, expected: &[(&str, Evaluation)]) {
        let position = position(rules, moves);
        let values = values(&position, AMPLE_TIME);
        assert_eq!(values.cells.len(), position.legal_count());
        for (text, score) in expected {
            let cell = position.rules().parse_cell(text).unwrap();
            let score = SearchScore {
                evaluation: *score,
                exact: true,
            };
            assert!(values.score(cell).is_some_and(SearchScore::is_final));
            assert_eq!(
                values.score(cell).map(|score| score.evaluation),
                Some(score.evaluation),
                "{text}"
            );
        }
        assert!(
            values
                .cells
                .windows(2)
                .all(|pair| compare_scores(pair[0].1, pair[1].1).is_ge()),
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
        check(
            "3x3:3",
            "b2",
            &[("a1", Evaluation::Draw), ("c3", Evaluation::Draw)],
        );
        let lost = values(&position("3x3:3", "b2 b1"), AMPLE_TIME);
        assert!(
            matches!(lost.cells[0].1.evaluation, Evaluation::Win(_)),
            "{lost:?}"
        );
    }

    #[test]
    fn a_limit_of_depth_ends_the_search() {
        for rules in ["15x15:5", "7x6:4+gravity+misere", "4x4x4:4+torus"] {
            let position = position(rules, "");
            let limits = SearchLimits {
                depth: Some(1),
                ..SearchLimits::default()
            };
            let found = evaluate_moves(&position, limits, frozen_clock(), &mut |_| {}).unwrap();
            assert_eq!(found.cells.len(), position.legal_count(), "{rules}");
        }
    }

    #[test]
    fn winning_losing_and_drawing_moves_are_exact() {
        check(
            "3x3:3",
            "a1 b1 a2 b2",
            &[("a3", Evaluation::Win(1)), ("c3", Evaluation::Loss(2))],
        );
        check(
            "3x3:3+misere",
            "a1 b2 a2 c3",
            &[("a3", Evaluation::Loss(1))],
        );
        check("4x1:3", "a1 b1 c1", &[("d1", Evaluation::Draw)]);
        let over = position("3x1:1", "a1");
        assert_eq!(
            evaluate_moves(&over, within(AMPLE_TIME), frozen_clock(), &mut |_| {}),
            None
        );
    }

    /// Without time, only the first move gets an estimate. The other moves have no value.
    #[test]
    fn moves_without_a_search_have_no_value() {
        let position = position("15x15:5", "h8 a1 h9 a2 h10 a3 h11 a5");
        let values = values(&position, Duration::ZERO);
        assert_eq!(values.cells.len(), 1);
        let unknown = position
            .legal_moves()
            .filter(|&cell| values.score(cell).is_none());
        assert_eq!(unknown.count(), position.legal_count() - 1);
        assert!(position.legal_moves().all(|cell| {
            values.score(cell).is_some_and(|score| !is_proven(score)) == values.rank(cell).is_some()
        }));
    }

    /// The symmetric images of a position have the position's values, cell by cell.
    #[test]
    fn symmetric_positions_have_symmetric_values() {
        // The evaluation ends after two passes, because the number of positions is limited.
        let passes = |position: &Position| {
            let stop = std::sync::atomic::AtomicBool::new(false);
            let clock = StopAndClock {
                elapsed: &|| Duration::ZERO,
                stop: &stop,
            };
            let mut left = 2;
            let mut on_pass = |_: &MoveValues| {
                left -= 1;
                stop.store(left == 0, std::sync::atomic::Ordering::Relaxed);
            };
            evaluate_moves(position, within(AMPLE_TIME), clock, &mut on_pass).unwrap()
        };
        for (rules, moves) in [
            ("3x3:3", "a1 b2"),
            ("4x3:3", "a1"),
            ("7x6:4+gravity", "d1 c1 f1 b1"),
            ("5x5:4", "b3 a1 c4 d2 a5"),
            ("3x3x3:3+misere", "a1-1"),
            ("7x7:5", "d4 c3 b5"),
        ] {
            let original = position(rules, moves);
            let values = passes(&original);
            // The cube has 48 symmetries; a square has 8.
            let symmetries = original.geometry().symmetries();
            for symmetry in symmetries.iter().step_by(symmetries.len().div_ceil(8)) {
                let mut image = Position::new(*original.rules());
                for cell in original.moves() {
                    image.play(symmetry[cell.index()]).unwrap();
                }
                let of_image = passes(&image);
                for &(cell, score) in &values.cells {
                    assert_eq!(
                        of_image.score(symmetry[cell.index()]),
                        Some(score),
                        "{original:?} {cell:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_book_gives_the_values_of_connect_four() {
        let values = values(&position("7x6:4+gravity", ""), Duration::ZERO);
        assert!(
            values.cells.len() <= 2,
            "symmetric moves share a search: {values:?}"
        );
        let stop = std::sync::atomic::AtomicBool::new(false);
        let clock = StopAndClock {
            elapsed: &|| Duration::ZERO,
            stop: &stop,
        };
        let empty = position("7x6:4+gravity", "");
        let mut on_pass = |_: &MoveValues| stop.store(true, std::sync::atomic::Ordering::Relaxed);
        let values = evaluate_moves(&empty, within(AMPLE_TIME), clock, &mut on_pass).unwrap();
        let results: String = ["a1", "b1", "c1", "d1", "e1", "f1", "g1"]
            .map(|cell| {
                match values.score(
                    empty
                        .landing_cell(empty.rules().parse_cell(cell).unwrap())
                        .unwrap(),
                ) {
                    Some(SearchScore {
                        evaluation: Evaluation::Win(_),
                        ..
                    }) => '+',
                    Some(SearchScore {
                        evaluation: Evaluation::Draw,
                        ..
                    }) => '=',
                    Some(SearchScore {
                        evaluation: Evaluation::Loss(_),
                        ..
                    }) => '-',
                    Some(SearchScore {
                        evaluation: Evaluation::Estimate(_),
                        ..
                    })
                    | None => '?',
                }
            })
            .iter()
            .collect();
        assert_eq!(results, "--=+=--");
    }
}
