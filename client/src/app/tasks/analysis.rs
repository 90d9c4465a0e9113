//! Analysis on a blocking thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokio::task::JoinSet;

use crate::engines::analysis::{self, AnalysisRequest, AnalysisResult, StopAndClock};

/// Time limit for the evaluation of the free cells.
const VALUES_TIME_LIMIT: Duration = Duration::from_secs(2);
/// Time limit for each move of a review.
const REVIEW_TIME_PER_MOVE: Duration = Duration::from_millis(500);

/// The running analyses.
#[derive(Debug, Default)]
pub(in crate::app) struct AnalysisTask {
    tasks: JoinSet<AnalysisResult>,
    stop: Arc<AtomicBool>,
}

impl AnalysisTask {
    /// Starts an analysis and stops any earlier one.
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
            #[expect(
                clippy::disallowed_methods,
                reason = "the only start of the time of an analysis"
            )]
            let started_at = Instant::now();
            analysis::analyse(
                &request,
                time,
                StopAndClock {
                    elapsed: &|| started_at.elapsed(),
                    stop: &stop,
                },
            )
        });
    }

    /// Stops all analyses. They still return what they have found.
    pub(in crate::app) fn stop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.stop = Arc::default();
    }

    /// Waits for the next finished analysis; without analyses, waits forever. Cancel safe.
    pub(in crate::app) async fn next(&mut self) -> AnalysisResult {
        loop {
            match self.tasks.join_next().await {
                Some(Ok(result)) => return result,
                // The panic hook has ended the program already; tasks are never aborted.
                Some(Err(error)) => tracing::error!(%error, "analysis task panicked"),
                None => std::future::pending().await,
            }
        }
    }
}
