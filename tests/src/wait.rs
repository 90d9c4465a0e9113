//! Waits with a limit: a test that hangs says what it waited for.

use std::fmt::Debug;
use std::time::Duration;

/// How long anything may take here: far longer than it does on a busy machine, so that only a thing
/// that never comes is missed.
pub const LIMIT: Duration = Duration::from_secs(20);

/// What `work` gives within [`LIMIT`].
///
/// # Panics
/// When it takes longer.
pub async fn within<T>(what: impl Debug, work: impl Future<Output = T>) -> T {
    match tokio::time::timeout(LIMIT, work).await {
        Ok(done) => done,
        Err(_) => panic!("waited {LIMIT:?} for {what:?}"),
    }
}

/// Waits until `condition` gives something, looking every few milliseconds.
///
/// # Panics
/// When it never does.
pub async fn until<T>(what: impl Debug, condition: impl AsyncFnMut() -> Option<T>) -> T {
    until_in(LIMIT, what, condition).await
}

/// The same with a limit of its own, for what many have to do.
///
/// # Panics
/// When it never does.
pub async fn until_in<T>(
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
