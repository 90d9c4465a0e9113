//! A few threads on which searches run, shared fairly by all games.
//!
//! Each search has until its own deadline. Where others wait for a thread, time runs faster for those who
//! have one: with `n` searches for one thread each gets an `n`th, and none moves later than it may.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

use super::question::Question;
use crate::engine::{self, Limits, Report};

/// What a search gets at least, however long it waited for a thread.
const LEAST: Duration = Duration::from_millis(5);

/// Some threads to search on.
#[derive(Clone, Debug)]
pub struct Threads {
    free: Arc<Semaphore>,
    count: u32,
    /// Searches without a thread.
    waiting: Arc<AtomicUsize>,
}

/// A search under way. Dropping it ends it.
#[derive(Debug)]
pub struct Search {
    stop: Arc<AtomicBool>,
    report: JoinHandle<Option<Report>>,
}

impl Threads {
    /// So many threads, at least one.
    pub fn new(count: u32) -> Threads {
        let count = count.max(1);
        Threads { free: Arc::new(Semaphore::new(count as usize)), count, waiting: Arc::default() }
    }

    /// Begins a search. Its time counts from now, on a thread or not.
    pub fn begin(&self, question: Question) -> Search {
        let Question { position, level, limits, seed, stop } = question;
        let (threads, flag, asked) = (self.clone(), Arc::clone(&stop), now());
        let report = tokio::spawn(async move {
            let waiting = Waiting::new(&threads.waiting);
            let thread = Arc::clone(&threads.free).acquire_owned().await.ok()?;
            drop(waiting);
            let search = move || {
                let began = now();
                let limits = Limits {
                    time: limits.time.map(|time| time.saturating_sub(began - asked).max(LEAST)),
                    ..limits
                };
                let report =
                    engine::choose(&position, level, limits, seed, &|| threads.felt(began.elapsed()), &flag);
                drop(thread);
                report
            };
            match tokio::task::spawn_blocking(search).await {
                Ok(report) => report,
                Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
                // The runtime is shutting down.
                Err(_) => None,
            }
        });
        Search { stop, report }
    }

    /// How long a time feels to a search on a thread that others wait for.
    fn felt(&self, elapsed: Duration) -> Duration {
        let waiting = u32::try_from(self.waiting.load(Ordering::Relaxed)).unwrap_or(u32::MAX);
        elapsed.saturating_mul(self.count.saturating_add(waiting)) / self.count
    }
}

/// One search that waits for a thread.
struct Waiting(Arc<AtomicUsize>);

impl Waiting {
    fn new(count: &Arc<AtomicUsize>) -> Waiting {
        count.fetch_add(1, Ordering::Relaxed);
        Waiting(Arc::clone(count))
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Search {
    /// Ends it with what it has found so far.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Waits for its end. `None` when there was no move. May be cancelled; not to be called after its end.
    pub async fn report(&mut self) -> Option<Report> {
        match (&mut self.report).await {
            Ok(report) => report,
            Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
            // The runtime is shutting down.
            Err(_) => std::future::pending().await,
        }
    }
}

impl Drop for Search {
    fn drop(&mut self) {
        self.stop();
        // One that has no thread yet need not wait for it.
        self.report.abort();
    }
}

#[expect(clippy::disallowed_methods, reason = "the one place where the time of searches is read")]
fn now() -> Instant {
    Instant::now()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Level;
    use noughts_protocol::{Cell, Position};

    /// A position that no search solves in the time of a test.
    fn wide(level: Level, limits: Limits, seed: u64) -> Question {
        let mut position = Position::new("15x15:5".parse().unwrap());
        position.play(Cell::new(112)).unwrap();
        Question { position, level, limits, seed, stop: Arc::default() }
    }

    fn time(ms: u64) -> Limits {
        Limits { time: Some(Duration::from_millis(ms)), ..Limits::default() }
    }

    #[tokio::test]
    async fn searches_for_one_thread_share_it() {
        let threads = Threads::new(1);
        let began = now();
        let mut searches: Vec<Search> =
            (0..4).map(|seed| threads.begin(wide(Level::Hard, time(2_000), seed))).collect();
        let mut nodes = Vec::new();
        for search in &mut searches {
            nodes.push(search.report().await.expect("a move").nodes);
        }
        // One after the other each with its own time would take eight seconds.
        assert!(began.elapsed() < Duration::from_millis(4_000), "{:?}", began.elapsed());
        // And none was left with nothing: a fair share is a quarter, a hundredth would be none.
        let all: u64 = nodes.iter().sum();
        assert!(nodes.iter().all(|&nodes| nodes > all / 100), "{nodes:?}");
    }

    #[tokio::test]
    async fn time_feels_longer_while_others_wait() {
        let threads = Threads::new(2);
        let second = Duration::from_secs(1);
        assert_eq!(threads.felt(second), second);
        let waiting: Vec<Waiting> = (0..3).map(|_| Waiting::new(&threads.waiting)).collect();
        assert_eq!(threads.felt(second), second * 5 / 2);
        drop(waiting);
        assert_eq!(threads.felt(second), second);
    }

    #[tokio::test]
    async fn a_search_ends_when_told_and_when_nobody_wants_it() {
        let threads = Threads::new(1);
        let mut endless = threads.begin(wide(Level::Hard, Limits::default(), 1));
        // This one has no thread, and gives up its place.
        drop(threads.begin(wide(Level::Hard, Limits::default(), 2)));
        endless.stop();
        assert!(endless.report().await.is_some(), "the best move so far");
        drop(threads.begin(wide(Level::Hard, Limits::default(), 3)));
        // The thread is free again.
        let mut next = threads.begin(wide(Level::Easy, time(50), 4));
        assert!(next.report().await.is_some());
        assert_eq!(threads.waiting.load(Ordering::Relaxed), 0);
    }
}
