//! Engines: programs and searches that choose or evaluate moves.
//!
//! `player_engine` runs the built-in search or an external program as one player; `arena` plays engines against each
//! other; `analysis` evaluates positions and finished games; `gomocup`, `ugi` and `engine_server` speak the engine
//! protocols. This module computes the time budget for a move: the share of the clock that it may use, and the reserve
//! for delays outside the search. No module here knows a server, a room or a screen.

pub(crate) mod analysis;
pub(crate) mod arena;
pub(crate) mod engine_server;
pub(crate) mod gomocup;
pub(crate) mod player_engine;
pub(crate) mod ugi;

use std::time::Duration;

/// Estimated number of moves that each side still has to make.
const EXPECTED_MOVES_LEFT: u32 = 20;
/// Reserve for the network round trip and for a busy machine.
const NETWORK_OVERHEAD: Duration = Duration::from_millis(200);
/// Minimum budget for a move when the clock has almost run out.
const NETWORK_MOVE_TIME_MIN: Duration = Duration::from_millis(5);
/// Maximum reserve for a busy machine and for the pipe between an engine and its manager.
const MAX_PIPE_OVERHEAD: Duration = Duration::from_millis(100);

/// Returns the share of the clock for the next move. `left` is the remaining time, and `increment` the time that the
/// clock gains after the move.
///
/// The share is at most a quarter of `left`, so that a slow machine does not lose on time.
pub(crate) fn clock_share(left: Duration, increment: Duration) -> Duration {
    (left / EXPECTED_MOVES_LEFT + increment * 3 / 4).min(left / 4)
}

/// Returns the search time for the next move in a game on a server: `move_time`, or the share of the clock if that is
/// shorter. `left` is `None` in a game without a clock.
pub(crate) fn network_move_budget(
    move_time: Duration,
    left: Option<Duration>,
    increment: Duration,
) -> Duration {
    let Some(left) = left else { return move_time };
    let share = clock_share(left.saturating_sub(NETWORK_OVERHEAD), increment);
    move_time.min(share).max(NETWORK_MOVE_TIME_MIN)
}

/// Returns the search time for a move that must reach the other end of a pipe within `move_time`. It is one fifth
/// shorter, but by at most [`MAX_PIPE_OVERHEAD`].
pub(crate) fn subtract_pipe_overhead(move_time: Duration) -> Duration {
    move_time - (move_time / 5).min(MAX_PIPE_OVERHEAD)
}

#[cfg(test)]
pub(crate) mod tests {
    use noughts_protocol::{Position, Rules};

    use super::*;

    /// Returns the position after these moves.
    pub(crate) fn position(rules: &str, moves: &str) -> Position {
        let rules: Rules = rules.parse().unwrap();
        let mut position = Position::new(rules);
        for text in moves.split_whitespace() {
            position.play(rules.parse_cell(text).unwrap()).unwrap();
        }
        position
    }

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn the_share_of_a_clock_counts_the_increment_and_is_at_most_a_quarter() {
        assert_eq!(clock_share(ms(20_000), ms(0)), ms(1_000));
        assert_eq!(clock_share(ms(40_000), ms(1_000)), ms(2_750));
        assert_eq!(clock_share(ms(800), ms(10_000)), ms(200));
        assert_eq!(clock_share(ms(0), ms(10_000)), ms(0));
    }

    #[test]
    fn a_move_uses_at_most_its_time_and_a_share_of_the_clock() {
        for (move_time, left, increment, expected) in [
            (1_000, None, 0, ms(1_000)),
            (1_000, Some(300_000), 0, ms(1_000)),
            (10_000, Some(20_200), 0, ms(1_000)),
            (10_000, Some(20_200), 2_000, ms(2_500)),
            (10_000, Some(1_000), 10_000, ms(200)),
            (10_000, Some(100), 10_000, NETWORK_MOVE_TIME_MIN),
        ] {
            let budget = network_move_budget(ms(move_time), left.map(ms), ms(increment));
            assert_eq!(budget, expected, "{move_time} {left:?} {increment}");
        }
    }

    #[test]
    fn a_game_of_sixty_moves_is_not_lost_on_time() {
        let (mut left, increment) = (ms(30_000), ms(0));
        for _ in 0..60 {
            // Each move takes longer than its budget.
            let used = network_move_budget(ms(60_000), Some(left), increment) + ms(30);
            left = left.checked_sub(used).expect("the clock does not run out");
        }
    }

    #[test]
    fn the_pipe_overhead_is_a_fifth_of_the_move_time_and_bounded() {
        assert_eq!(subtract_pipe_overhead(ms(20)), ms(16));
        assert_eq!(subtract_pipe_overhead(ms(500)), ms(400));
        assert_eq!(subtract_pipe_overhead(ms(60_000)), ms(59_900));
        assert_eq!(subtract_pipe_overhead(ms(0)), ms(0));
    }
}
