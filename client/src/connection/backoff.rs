//! Delays between attempts to connect. Pure: the random number is an argument.

use std::time::Duration;

const MIN_DELAY: Duration = Duration::from_millis(250);
const MAX_DELAY: Duration = Duration::from_secs(10);
/// Maximum random delay before a client returns after a server restart.
const MAX_RESTART_JITTER: Duration = Duration::from_secs(1);
/// Maximum delay that a server can request.
const MAX_REQUESTED_DELAY: Duration = Duration::from_secs(60);

/// Returns the delay before attempt number `attempt` (one-based). It grows exponentially from 250 ms to 10 s. `jitter`
/// (0 to 1) reduces the delay by up to half, so that clients that lost their connections together do not return
/// together.
pub(super) fn delay(attempt: u32, jitter: f64) -> Duration {
    let doublings = attempt.saturating_sub(1).min(16);
    let full = MIN_DELAY.saturating_mul(1 << doublings).min(MAX_DELAY);
    full.mul_f64(1.0 - jitter.clamp(0.0, 1.0) / 2.0)
}

/// Returns the delay that the server requested, at most 60 s, plus a jitter of up to 1 s. `jitter` is from 0 to 1.
pub(super) fn requested_delay(requested: Duration, jitter: f64) -> Duration {
    requested.min(MAX_REQUESTED_DELAY) + MAX_RESTART_JITTER.mul_f64(jitter.clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_double_up_to_a_limit() {
        let delays: Vec<u128> = (1..=8)
            .map(|attempt| delay(attempt, 0.0).as_millis())
            .collect();
        assert_eq!(delays, [250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000]);
        assert_eq!(delay(u32::MAX, 0.0), MAX_DELAY);
    }

    #[test]
    fn jitter_reduces_a_delay_by_at_most_half() {
        assert_eq!(delay(3, 1.0).as_millis(), 500);
        assert_eq!(delay(3, 7.0).as_millis(), 500);
        assert_eq!(
            requested_delay(Duration::from_secs(3), 0.5).as_millis(),
            3500
        );
        assert_eq!(
            requested_delay(Duration::from_secs(1 << 40), 0.0),
            MAX_REQUESTED_DELAY
        );
    }
}
