//! The limit of the warnings about relays.

use std::sync::Mutex;
use std::time::Duration;

use tokio::time::Instant;

use crate::runtime::sync::lock;

/// Interval of the warnings about relays: each client of a node that fails has a relay.
const WARNING_INTERVAL: Duration = Duration::from_secs(10);

/// Time of the last warning about a relay.
static WARNED_AT: Mutex<Option<Instant>> = Mutex::new(None);

/// Returns whether a warning about a relay is due, and counts it as logged.
pub(super) fn may_warn() -> bool {
    let (now, mut warned_at) = (Instant::now(), lock(&WARNED_AT));
    let is_due = warned_at.is_none_or(|at| now - at >= WARNING_INTERVAL);
    if is_due {
        *warned_at = Some(now);
    }
    is_due
}
