//! Waits with a limit: a test that hangs says what it waited for.

use std::fmt::Debug;
use std::time::Duration;

/// How long anything may take here: far longer than it does on a busy machine, so that only a thing
/// that never comes is missed.
pub const WAIT_TIMEOUT: Duration = Duration::from_secs(20);

/// What `work` gives within [`WAIT_TIMEOUT`].
///
/// # Panics
/// When it takes longer.
pub async fn with_timeout<T>(what: impl Debug, work: impl Future<Output = T>) -> T {
    match tokio::time::timeout(WAIT_TIMEOUT, work).await {
        Ok(done) => done,
        Err(_) => panic!("waited {WAIT_TIMEOUT:?} for {what:?}"),
    }
}

/// Waits until `condition` gives something, looking every few milliseconds.
///
/// # Panics
/// When it never does.
pub async fn wait_until<T>(what: impl Debug, condition: impl AsyncFnMut() -> Option<T>) -> T {
    wait_until_timeout(WAIT_TIMEOUT, what, condition).await
}

/// The same with a limit of its own, for what many have to do.
///
/// # Panics
/// When it never does.
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
    found.await.unwrap_or_else(|_| panic!("waited {limit:?} for {what:?}"))
}
