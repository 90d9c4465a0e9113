//! How long to wait before the next attempt. Pure: chance comes in as an argument.

use std::time::Duration;

const MIN_DELAY: Duration = Duration::from_millis(250);
const MAX_DELAY: Duration = Duration::from_secs(10);
/// A server that restarts is spread over this much by its returning clients.
const MAX_RESTART_JITTER: Duration = Duration::from_secs(1);
/// A server may ask for patience, but not for ever.
const MAX_REQUESTED_DELAY: Duration = Duration::from_secs(60);

/// The wait before attempt number `attempt` (from 1): doubling up to 10 s, of which chance, between 0 and
/// 1, takes off up to a half, so that clients that were cut off together do not come back together.
pub(super) fn delay(attempt: u32, jitter: f64) -> Duration {
    let doublings = attempt.saturating_sub(1).min(16);
    let full = MIN_DELAY.saturating_mul(1 << doublings).min(MAX_DELAY);
    full.mul_f64(1.0 - jitter.clamp(0.0, 1.0) / 2.0)
}

/// The wait that a server asked for, and a little more by chance.
pub(super) fn requested_delay(requested: Duration, jitter: f64) -> Duration {
    requested.min(MAX_REQUESTED_DELAY) + MAX_RESTART_JITTER.mul_f64(jitter.clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_a_limit() {
        let waits: Vec<u128> = (1..=8).map(|attempt| delay(attempt, 0.0).as_millis()).collect();
        assert_eq!(waits, [250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000]);
        assert_eq!(delay(u32::MAX, 0.0), MAX_DELAY);
    }

    #[test]
    fn chance_takes_off_at_most_half() {
        assert_eq!(delay(3, 1.0).as_millis(), 500);
        assert_eq!(delay(3, 7.0).as_millis(), 500);
        assert_eq!(requested_delay(Duration::from_secs(3), 0.5).as_millis(), 3500);
        assert_eq!(requested_delay(Duration::from_secs(1 << 40), 0.0), MAX_REQUESTED_DELAY);
    }
}
