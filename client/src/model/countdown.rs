//! Countdowns in whole seconds.

/// Returns the first time after `now` at which a countdown to `end` shows another second; `None` after its end.
/// Both times are milliseconds on the same scale.
pub(super) fn next_countdown_change(now: u64, end: u64) -> Option<u64> {
    let left = end.checked_sub(now).filter(|&left| left > 0)?;
    Some(now + if left.is_multiple_of(1000) { 1000 } else { left % 1000 })
}
