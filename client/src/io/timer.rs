//! Waiting for an optional deadline.

use tokio::time::Instant;

/// Waits until the deadline; without one, forever. Cancel safe.
pub(crate) async fn sleep_until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}
