//! What the player wants to know of a game is found out on a thread that may block.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokio::task::JoinSet;

use crate::study::{self, Findings, Study, Watch};

/// The time for the values of a position.
const VALUES: Duration = Duration::from_secs(2);
/// The time for each move of a review.
const MOVE: Duration = Duration::from_millis(500);

/// What is being studied.
#[derive(Debug, Default)]
pub(super) struct Studying {
    studies: JoinSet<Findings>,
    stop: Arc<AtomicBool>,
}

impl Studying {
    /// Begins a study. At most one is of any use: those before it are stopped.
    pub(super) fn begin(&mut self, study: Study) {
        self.stop();
        let time = match &study {
            Study::Values(_) => VALUES,
            Study::Review(record) => MOVE * u32::try_from(record.moves.len() + 1).unwrap_or(u32::MAX),
        };
        let stop = Arc::clone(&self.stop);
        self.studies.spawn_blocking(move || {
            #[expect(clippy::disallowed_methods, reason = "the one place where the time of a study begins")]
            let began = Instant::now();
            study::study(&study, time, Watch { elapsed: &|| began.elapsed(), stop: &stop })
        });
    }

    /// Stops all studies. They still tell what they have found.
    pub(super) fn stop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.stop = Arc::default();
    }

    /// The next study that has come to its end; waits for ever when there is none.
    pub(super) async fn next(&mut self) -> Findings {
        loop {
            match self.studies.join_next().await {
                Some(Ok(findings)) => return findings,
                // A panic has ended the program already; nothing is ever aborted.
                Some(Err(error)) => tracing::error!(%error, "a study was lost"),
                None => std::future::pending().await,
            }
        }
    }
}
