//! How much of its time a bot spends on a move. Pure.

use std::time::Duration;

/// For the way to the server and back, and for a busy machine.
const MOVE_OVERHEAD: Duration = Duration::from_millis(200);
/// With so little left everything is played at once.
const MIN_MOVE_TIME: Duration = Duration::from_millis(5);
/// A game has about so many moves to come.
const EXPECTED_MOVES_LEFT: u32 = 20;

/// The time for the next move: the budget, or less when the clock is short. `left` is what the clock has
/// now, and `increment` what it gets after the move.
///
/// Never more than a quarter of what is left, so that a slow machine does not lose by the flag.
pub(super) fn move_budget(budget: Duration, left: Option<Duration>, increment: Duration) -> Duration {
    let Some(left) = left else { return budget };
    let left = left.saturating_sub(MOVE_OVERHEAD);
    let share = left / EXPECTED_MOVES_LEFT + increment * 3 / 4;
    budget.min(share).min(left / 4).max(MIN_MOVE_TIME)
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn without_a_clock_the_budget_counts() {
        assert_eq!(move_budget(ms(1_000), None, ms(0)), ms(1_000));
    }

    #[test]
    fn with_a_clock_a_share_of_what_is_left() {
        assert_eq!(move_budget(ms(1_000), Some(ms(300_000)), ms(0)), ms(1_000));
        assert_eq!(move_budget(ms(10_000), Some(ms(20_200)), ms(0)), ms(1_000));
        assert_eq!(move_budget(ms(10_000), Some(ms(20_200)), ms(2_000)), ms(2_500));
        assert_eq!(move_budget(ms(10_000), Some(ms(1_000)), ms(10_000)), ms(200));
        assert_eq!(move_budget(ms(10_000), Some(ms(100)), ms(10_000)), MIN_MOVE_TIME);
    }

    #[test]
    fn a_game_of_sixty_moves_is_not_lost_on_time() {
        let (mut left, increment) = (ms(30_000), ms(0));
        for _ in 0..60 {
            // Each move costs more than was meant.
            let used = move_budget(ms(60_000), Some(left), increment) + ms(30);
            left = left.checked_sub(used).expect("the flag falls");
        }
    }
}
