//! The bots of this terminal: they think on threads that may block, and stop when told.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use noughts_protocol::Position;
use tokio::task::JoinSet;

use crate::engine::{self, Level, Report};
use crate::local::Ticket;

/// The most time for a move.
const BUDGET: Duration = Duration::from_secs(1);

/// What is being thought.
#[derive(Debug, Default)]
pub(super) struct Thinking {
    thoughts: JoinSet<(Ticket, Option<Report>)>,
    stop: Arc<AtomicBool>,
}

impl Thinking {
    /// Begins a thought. At most one is of any use: those before it are stopped.
    pub(super) fn begin(&mut self, ticket: Ticket, position: Position, level: Level, seed: u64) {
        self.stop();
        let stop = Arc::clone(&self.stop);
        self.thoughts.spawn_blocking(move || (ticket, engine::think(position, level, BUDGET, seed, stop)));
    }

    /// Stops all thoughts. They are still reported, for what they came to, and told apart by their tickets.
    pub(super) fn stop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.stop = Arc::default();
    }

    /// The next thought that has come to its end; waits for ever when there is none.
    pub(super) async fn next(&mut self) -> (Ticket, Option<Report>) {
        loop {
            match self.thoughts.join_next().await {
                Some(Ok(thought)) => return thought,
                // A panic has ended the program already; nothing is ever aborted.
                Some(Err(error)) => tracing::error!(%error, "a thought was lost"),
                None => std::future::pending().await,
            }
        }
    }
}
