//! Estimate of the cost of solving a position. The cost grows so fast with the number of free cells that a rough estimate
//! separates solvable positions from others.

use noughts_protocol::Position;

use super::is_free_placement;
use crate::SearchLimits;

/// Approximate speed of the solver in positions per second.
const NODES_PER_SECOND: f64 = 4e6;
/// Assumed error of the estimate, as a power of two, within which an attempt gets half of the budget.
const SLACK_BITS: f64 = 3.0;
/// Denominator of the share of the budget for an unlikely attempt, which may still find quick wins and pairing proofs.
const UNLIKELY_SHARE: u32 = 20;

/// Maximum cost of a small position, as a power of two: far less than a second.
const MAX_SMALL_BITS: f64 = 20.0;

/// Whether the solver precedes the threat proofs: it is expected to need far less than a second, or to succeed where no
/// proof search follows.
pub(crate) fn is_solver_first(position: &Position, limits: SearchLimits) -> bool {
    log2_nodes(position) <= MAX_SMALL_BITS
        || (!is_free_placement(position.rules()) && time_share(position, limits) != UNLIKELY_SHARE)
}

/// Number of positions that the solver may visit whatever the clock says, because they take less processor time than the
/// limit allows: a quarter of those that fit into it.
pub(crate) fn guaranteed_nodes(limits: SearchLimits) -> u64 {
    limits.time.map_or(0, |time| {
        (time.as_secs_f64() * NODES_PER_SECOND / 4.0) as u64
    })
}

/// Share of the limits that an attempt to solve the position gets, as parts and their number. Where no proof search follows,
/// the solver gets most of them if it is likely to succeed.
pub(crate) fn solver_share(position: &Position, limits: SearchLimits) -> (u32, u32) {
    match time_share(position, limits) {
        UNLIKELY_SHARE => (1, UNLIKELY_SHARE),
        _ if is_free_placement(position.rules()) => (1, 2),
        _ => (9, 10),
    }
}

/// Denominator of the share of the limits that a proof search may take as long as the solver would.
pub(crate) fn time_share(position: &Position, limits: SearchLimits) -> u32 {
    let by_time = limits
        .time
        .map(|time| time.as_secs_f64() * NODES_PER_SECOND);
    let nodes = [limits.nodes.map(|nodes| nodes as f64), by_time]
        .into_iter()
        .flatten();
    let nodes = nodes.fold(f64::INFINITY, f64::min);
    if log2_nodes(position) <= nodes.log2() + SLACK_BITS {
        2
    } else {
        UNLIKELY_SHARE
    }
}

/// Estimated number of positions, as a power of two.
///
/// The estimate is a fraction of the logarithm of the number of move sequences: one quarter with gravity (measured for the
/// winner of Connect Four from the 8th stone on), one fifth otherwise (measured on 4×4:4 to 8×4:4).
fn log2_nodes(position: &Position) -> f64 {
    let rules = position.rules();
    let free = rules.cells() - position.ply();
    let columns = rules.cells() / usize::from(rules.height());
    let (max_choices, divisor) = if rules.gravity() {
        (columns, 4.0)
    } else {
        (free, 5.0)
    };
    let choices = |free: usize| free.min(max_choices) as f64;
    (1..=free).map(|free| choices(free).log2()).sum::<f64>() / divisor
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::tests::position;

    #[test]
    fn unlikely_attempts_get_a_small_share() {
        let second = SearchLimits {
            time: Some(Duration::from_secs(1)),
            ..SearchLimits::default()
        };
        for (rules, moves, part) in [
            ("5x5:4", "", 2),
            ("7x4:4", "", 2),
            (
                "7x6:4+gravity",
                "d6 d5 d4 d3 d2 b6 b5 b4 b3 f6 f5 b2 c6 e6 a6",
                2,
            ),
            ("7x6:4+gravity", "", UNLIKELY_SHARE),
            ("4x4x4:4", "", UNLIKELY_SHARE),
            ("9x9:5", "e5", UNLIKELY_SHARE),
        ] {
            assert_eq!(
                time_share(&position(rules, moves), second),
                part,
                "{rules} {moves}"
            );
        }
        assert_eq!(
            time_share(&position("9x9:5", ""), SearchLimits::default()),
            2,
            "without a limit it is solved"
        );
    }
}
