//! Waits with timeouts. A timeout reports the condition that did not occur.

use std::fmt::Debug;
use std::time::Duration;

/// Default timeout: far longer than any step takes on a busy machine.
pub const WAIT_TIMEOUT: Duration = Duration::from_secs(60);

/// Awaits `work` for at most [`WAIT_TIMEOUT`].
///
/// # Panics
///
/// On a timeout.
pub async fn with_timeout<T>(what: impl Debug, work: impl Future<Output = T>) -> T {
    match tokio::time::timeout(WAIT_TIMEOUT, work).await {
        Ok(done) => done,
        Err(_) => panic!("waited {WAIT_TIMEOUT:?} for {what:?}"),
    }
}

/// Polls `condition` every few milliseconds until it returns a value.
///
/// # Panics
///
/// After [`WAIT_TIMEOUT`].
pub async fn wait_until<T>(what: impl Debug, condition: impl AsyncFnMut() -> Option<T>) -> T {
    wait_until_timeout(WAIT_TIMEOUT, what, condition).await
}

/// Like [`wait_until`], with a given timeout.
///
/// # Panics
///
/// On a timeout.
pub async fn wait_until_timeout<T>(
    limit: Duration,
    what: impl Debug,
    mut condition: impl AsyncFnMut() -> Option<T>,
) -> T {
    let found = tokio::time::timeout(limit, async {
        loop {
            if let Some(found) = condition().await {
                return found;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    });
    found
        .await
        .unwrap_or_else(|_| panic!("waited {limit:?} for {what:?}"))
}
