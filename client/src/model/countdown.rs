//! Times at which a countdown or a waiting time on the screen changes.

/// Remaining time below which a clock shows tenths of a second, in milliseconds.
const TENTHS_BELOW_MS: u64 = 10_000;

/// Returns the first time after `now` at which a countdown to `end` shows another second; `None` after its end.
/// Both times are milliseconds on the same scale.
pub(super) fn next_countdown_change(now: u64, end: u64) -> Option<u64> {
    next_change(now, end, 1000)
}

/// Returns the first time after `now` at which a clock that runs out at `end` shows another time: below ten seconds a
/// tenth of a second.
pub(super) fn next_clock_change(now: u64, end: u64) -> Option<u64> {
    let is_low = end.saturating_sub(now) <= TENTHS_BELOW_MS;
    next_change(now, end, if is_low { 100 } else { 1000 })
}

fn next_change(now: u64, end: u64, step: u64) -> Option<u64> {
    let left = end.checked_sub(now).filter(|&left| left > 0)?;
    Some(
        now + if left.is_multiple_of(step) {
            step
        } else {
            left % step
        },
    )
}

/// Returns the first time after `now` at which a time that has passed, `elapsed` at `now`, shows another second.
pub(super) fn next_elapsed_change(now: u64, elapsed: u64) -> u64 {
    now + 1000 - elapsed % 1000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_changes_by_seconds_and_at_the_end_by_tenths() {
        assert_eq!(next_clock_change(0, 60_000), Some(1000));
        assert_eq!(next_clock_change(0, 59_400), Some(400));
        assert_eq!(next_clock_change(0, 10_000), Some(100));
        assert_eq!(next_clock_change(0, 9_950), Some(50));
        assert_eq!(next_clock_change(5, 5), None);
        assert_eq!(next_countdown_change(0, 9_950), Some(950));
    }

    #[test]
    fn elapsed_seconds_change_on_the_second() {
        for (now, next) in [(500, 1500), (1499, 1500), (1500, 2500), (2600, 3500)] {
            assert_eq!(next_elapsed_change(now, now - 500), next);
        }
    }
}
