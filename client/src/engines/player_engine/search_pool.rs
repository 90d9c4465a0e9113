//! Thread pool for searches, shared fairly by all games.
//!
//! A search counts its time from the request, including the wait for a thread. While other searches wait, time runs
//! faster for the running ones: of `n` searches on one thread each gets an `n`th of its time, and none misses its
//! deadline.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

use super::search_request::{SearchRequest, Searcher};
use crate::engine::{self, SearchLimits, SearchResult};

/// Minimum time of a search after its wait for a thread.
const MIN_SLICE: Duration = Duration::from_millis(5);

/// Bounded set of search threads. Clones share the threads.
#[derive(Clone, Debug)]
pub(crate) struct SearchPool {
    permits: Arc<Semaphore>,
    thread_count: u32,
    /// Number of searches that wait for a thread.
    queued: Arc<AtomicUsize>,
}

/// A search in progress. Dropping the handle stops the search.
#[derive(Debug)]
pub(crate) struct SearchHandle {
    stop: Arc<AtomicBool>,
    report: JoinHandle<Option<SearchResult>>,
}

impl SearchPool {
    /// Creates a pool of `count` threads, at least one.
    pub(crate) fn new(count: u32) -> SearchPool {
        let thread_count = count.max(1);
        SearchPool {
            permits: Arc::new(Semaphore::new(thread_count as usize)),
            thread_count,
            queued: Arc::default(),
        }
    }

    /// Starts a search. Its time limit counts from this call, including the wait for a thread.
    pub(crate) fn start(&self, request: SearchRequest) -> SearchHandle {
        let SearchRequest {
            position,
            level,
            limits,
            seed,
            stop,
        } = request;
        let (pool, flag, requested_at) = (self.clone(), Arc::clone(&stop), now());
        let report = tokio::spawn(async move {
            let queued = QueuedSearch::new(&pool.queued);
            let permit = Arc::clone(&pool.permits).acquire_owned().await.ok()?;
            drop(queued);
            let run = move || {
                let started_at = now();
                let limits = SearchLimits {
                    time: limits.time.map(|time| {
                        time.saturating_sub(started_at - requested_at)
                            .max(MIN_SLICE)
                    }),
                    ..limits
                };
                let elapsed = || pool.virtual_elapsed(started_at.elapsed());
                let report = engine::best_move(&position, level, limits, seed, &elapsed, &flag);
                drop(permit);
                report
            };
            match tokio::task::spawn_blocking(run).await {
                Ok(report) => report,
                Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
                // The runtime is shutting down.
                Err(_) => None,
            }
        });
        SearchHandle { stop, report }
    }

    /// Scales the elapsed time of a running search by the number of searches that wait for a thread.
    fn virtual_elapsed(&self, elapsed: Duration) -> Duration {
        let waiting = u32::try_from(self.queued.load(Ordering::Relaxed)).unwrap_or(u32::MAX);
        elapsed.saturating_mul(self.thread_count.saturating_add(waiting)) / self.thread_count
    }
}

impl Searcher for SearchPool {
    fn search(&self, request: SearchRequest) -> BoxFuture<'static, Option<SearchResult>> {
        let mut handle = self.start(request);
        async move { handle.report().await }.boxed()
    }
}

/// Counts one search as waiting until dropped.
struct QueuedSearch(Arc<AtomicUsize>);

impl QueuedSearch {
    fn new(count: &Arc<AtomicUsize>) -> QueuedSearch {
        count.fetch_add(1, Ordering::Relaxed);
        QueuedSearch(Arc::clone(count))
    }
}

impl Drop for QueuedSearch {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl SearchHandle {
    /// Stops the search; [`SearchHandle::report`] then returns the best move so far.
    pub(crate) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Waits for the result; `None` if the position has no legal move. Cancel safe. Must not be called again after
    /// it has returned.
    pub(crate) async fn report(&mut self) -> Option<SearchResult> {
        match (&mut self.report).await {
            Ok(report) => report,
            Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
            // The runtime is shutting down.
            Err(_) => std::future::pending().await,
        }
    }
}

impl Drop for SearchHandle {
    fn drop(&mut self) {
        self.stop();
        // A search without a thread must not keep waiting for one.
        self.report.abort();
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the only place that reads the clock of searches"
)]
fn now() -> Instant {
    Instant::now()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Level;
    use noughts_protocol::{Cell, Position};

    /// Request that no search solves within the time of a test.
    fn unsolvable_request(level: Level, limits: SearchLimits, seed: u64) -> SearchRequest {
        let mut position = Position::new("15x15:5".parse().unwrap());
        position.play(Cell::new(112)).unwrap();
        SearchRequest {
            position,
            level,
            limits,
            seed,
            stop: Arc::default(),
        }
    }

    fn time(ms: u64) -> SearchLimits {
        SearchLimits {
            time: Some(Duration::from_millis(ms)),
            ..SearchLimits::default()
        }
    }

    #[tokio::test]
    async fn searches_share_one_thread() {
        let pool = SearchPool::new(1);
        let began = now();
        let mut searches: Vec<SearchHandle> = (0..4)
            .map(|seed| pool.start(unsolvable_request(Level::Perfect, time(2_000), seed)))
            .collect();
        let mut nodes = Vec::new();
        for search in &mut searches {
            nodes.push(search.report().await.expect("a move").nodes);
        }
        // Four searches in sequence with two seconds each would take eight seconds.
        assert!(
            began.elapsed() < Duration::from_millis(4_000),
            "{:?}",
            began.elapsed()
        );
        // A fair share is a quarter; less than a hundredth means starvation.
        let all: u64 = nodes.iter().sum();
        assert!(nodes.iter().all(|&nodes| nodes > all / 100), "{nodes:?}");
    }

    #[tokio::test]
    async fn virtual_time_runs_faster_while_searches_are_queued() {
        let pool = SearchPool::new(2);
        let second = Duration::from_secs(1);
        assert_eq!(pool.virtual_elapsed(second), second);
        let queued: Vec<QueuedSearch> = (0..3).map(|_| QueuedSearch::new(&pool.queued)).collect();
        assert_eq!(pool.virtual_elapsed(second), second * 5 / 2);
        drop(queued);
        assert_eq!(pool.virtual_elapsed(second), second);
    }

    #[tokio::test]
    async fn a_search_ends_when_stopped_and_when_dropped() {
        let pool = SearchPool::new(1);
        let mut endless = pool.start(unsolvable_request(
            Level::Perfect,
            SearchLimits::default(),
            1,
        ));
        // This search has no thread yet and leaves the queue.
        drop(pool.start(unsolvable_request(
            Level::Perfect,
            SearchLimits::default(),
            2,
        )));
        endless.stop();
        assert!(endless.report().await.is_some(), "the best move so far");
        drop(pool.start(unsolvable_request(
            Level::Perfect,
            SearchLimits::default(),
            3,
        )));
        // The thread is free again.
        let mut next = pool.start(unsolvable_request(Level::Easy, time(50), 4));
        assert!(next.report().await.is_some());
        assert_eq!(pool.queued.load(Ordering::Relaxed), 0);
    }
}
