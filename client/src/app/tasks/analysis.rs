//! What the player wants to know of a game is found out on a thread that may block.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokio::task::JoinSet;

use crate::engines::analysis::{self, AnalysisRequest, AnalysisResult, StopAndClock};

/// The time for the values of a position.
const VALUES_TIME_LIMIT: Duration = Duration::from_secs(2);
/// The time for each move of a review.
const REVIEW_TIME_PER_MOVE: Duration = Duration::from_millis(500);

/// What is being studied.
#[derive(Debug, Default)]
pub(in crate::app) struct AnalysisTask {
    tasks: JoinSet<AnalysisResult>,
    stop: Arc<AtomicBool>,
}

impl AnalysisTask {
    /// Begins a study. At most one is of any use: those before it are stopped.
    pub(in crate::app) fn start(&mut self, request: AnalysisRequest) {
        self.stop();
        let time = match &request {
            AnalysisRequest::Values(_) => VALUES_TIME_LIMIT,
            AnalysisRequest::Review(record) => {
                REVIEW_TIME_PER_MOVE * u32::try_from(record.moves.len() + 1).unwrap_or(u32::MAX)
            }
        };
        let stop = Arc::clone(&self.stop);
        self.tasks.spawn_blocking(move || {
            #[expect(clippy::disallowed_methods, reason = "the one place where the time of a study begins")]
            let started_at = Instant::now();
            analysis::analyse(&request, time, StopAndClock { elapsed: &|| started_at.elapsed(), stop: &stop })
        });
    }

    /// Stops all studies. They still tell what they have found.
    pub(in crate::app) fn stop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.stop = Arc::default();
    }

    /// The next study that has come to its end; waits for ever when there is none.
    pub(in crate::app) async fn next(&mut self) -> AnalysisResult {
        loop {
            match self.tasks.join_next().await {
                Some(Ok(result)) => return result,
                // A panic has ended the program already; nothing is ever aborted.
                Some(Err(error)) => tracing::error!(%error, "a study was lost"),
                None => std::future::pending().await,
            }
        }
    }
}
