//! How a bot comes to a move: on a thread of its own, or as a test would have it.

use std::fmt;
use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use noughts_protocol::Position;

use crate::engine::{self, Level, Report};

/// What there is to think about.
#[derive(Debug)]
pub struct Question {
    /// The board; the side to move is the one to think for.
    pub position: Position,
    /// How strong to play.
    pub level: Level,
    /// The most time to use.
    pub time: Duration,
    /// Set when the answer is wanted no more.
    pub stop: Arc<AtomicBool>,
}

/// A way to come to a move.
pub trait Think: fmt::Debug + Send + Sync + 'static {
    /// Begins to think, and gives the answer: none when there is no move.
    fn think(&self, question: Question) -> BoxFuture<'static, Option<Report>>;
}

/// Thinks by the clock on a thread that may block, so that games do not wait for each other.
#[derive(Clone, Copy, Debug)]
pub struct OnThread;

impl Think for OnThread {
    fn think(&self, question: Question) -> BoxFuture<'static, Option<Report>> {
        let Question { position, level, time, stop } = question;
        let seed = rand::random();
        // The thread goes on when nobody waits for it, until it is told to stop.
        let thread = tokio::task::spawn_blocking(move || engine::think(position, level, time, seed, stop));
        async move {
            match thread.await {
                Ok(report) => report,
                Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
                // The runtime is shutting down.
                Err(_) => pending().await,
            }
        }
        .boxed()
    }
}
