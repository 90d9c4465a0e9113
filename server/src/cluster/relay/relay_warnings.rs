//! Rate limit for warnings about relays. Each client has a relay of its own, so a single failing node would otherwise
//! cause many warnings.

use std::sync::Mutex;
use std::time::Duration;

use tokio::time::Instant;

use crate::runtime::sync::lock;

/// Minimum interval between two warnings of one kind.
const WARNING_INTERVAL: Duration = Duration::from_secs(10);

/// Logs a warning. Each place in the code has a limit of its own, so that no kind of warning hides another.
macro_rules! limited_warn {
    ($($warning:tt)*) => {{
        static WARNED_AT: std::sync::Mutex<Option<tokio::time::Instant>> = std::sync::Mutex::new(None);
        if $crate::cluster::relay::relay_warnings::may_warn(&WARNED_AT) {
            tracing::warn!($($warning)*);
        }
    }};
}

pub(super) use limited_warn;

/// Returns whether a warning is due, and counts it as logged.
pub(super) fn may_warn(warned_at: &Mutex<Option<Instant>>) -> bool {
    let (now, mut warned_at) = (Instant::now(), lock(warned_at));
    let is_due = warned_at.is_none_or(|at| now - at >= WARNING_INTERVAL);
    if is_due {
        *warned_at = Some(now);
    }
    is_due
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_warning_of_one_kind_is_logged_once_in_an_interval() {
        let [one, other] = [const { Mutex::new(None) }; 2];
        assert!(may_warn(&one) && !may_warn(&one));
        assert!(may_warn(&other), "another kind");
        tokio::time::advance(WARNING_INTERVAL).await;
        assert!(may_warn(&one) && !may_warn(&one));
    }
}
