//! An engine that plays one game at a time: the built-in search or an external program. Used by the bot, the arena and
//! local games.
//!
//! Built-in searches run on a thread pool that all games share fairly. The time of a search starts with the request,
//! and includes the wait for a thread. While other searches wait, time runs faster for the running searches. If `n`
//! searches share one thread, each gets one `n`th of its time, and all meet their deadlines.

pub(crate) mod child_process;
mod managers;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use futures::FutureExt;
use futures::future::BoxFuture;
use noughts_protocol::{Cell, Position, Rules};
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

use crate::engine::{self, Evaluation, Level, SearchLimits, SearchResult};
use child_process::EngineError;
use managers::EngineProcess;

pub(crate) use managers::{EngineProgram, EngineProtocol};

/// A position to search, with limits.
#[derive(Debug)]
pub struct SearchRequest {
    pub position: Position,
    pub level: Level,
    /// Limits that end the search.
    pub limits: SearchLimits,
    /// Seed for the choice between equally good moves.
    pub seed: u64,
    /// When set, ends the search with its best move so far.
    pub stop: Arc<AtomicBool>,
}

pub trait Searcher: fmt::Debug + Send + Sync + 'static {
    /// Starts a search and returns its result; `None` if the position has no legal move.
    fn search(&self, request: SearchRequest) -> BoxFuture<'static, Option<SearchResult>>;
}

/// Choice of an engine. The text form is a level of the built-in search, such as `hard`, or the text form of an
/// [`EngineProgram`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EngineSpec {
    /// The built-in search at this level.
    Level(Level),
    Program(EngineProgram),
}

impl EngineSpec {
    /// Returns whether the engine supports these rules.
    pub fn can_play(&self, rules: &Rules) -> bool {
        match self {
            EngineSpec::Level(_) => true,
            EngineSpec::Program(program) => program.can_play(rules),
        }
    }
}

impl fmt::Display for EngineSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EngineSpec::Level(level) => level.fmt(f),
            EngineSpec::Program(program) => program.fmt(f),
        }
    }
}

/// Resources that engines share.
#[derive(Clone, Debug)]
pub(crate) struct EngineResources {
    pub searcher: Arc<dyn Searcher>,
    /// Limits for external programs.
    pub process_limits: child_process::ProcessLimits,
}

/// An engine that chooses moves in one game at a time.
#[derive(Debug)]
pub(crate) struct PlayerEngine {
    resources: EngineResources,
    rng: Xoshiro256PlusPlus,
    backend: EngineBackend,
}

#[derive(Debug)]
enum EngineBackend {
    BuiltIn(Level),
    External {
        program: EngineProgram,
        /// The running program. `None` before the first move and after a failure.
        process: Option<Box<EngineProcess>>,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BestMove {
    pub cell: Cell,
    /// Result of the built-in search; `None` for an external program.
    pub report: Option<SearchResult>,
}

impl BestMove {
    /// Returns the evaluation of the position for the side to move, if known.
    pub(crate) fn score(&self) -> Option<Evaluation> {
        self.report.as_ref().map(|report| report.score)
    }
}

impl PlayerEngine {
    /// Creates an idle engine. The first request starts an external program.
    pub(crate) fn new(spec: &EngineSpec, resources: &EngineResources) -> PlayerEngine {
        let backend = match spec {
            EngineSpec::Level(level) => EngineBackend::BuiltIn(*level),
            EngineSpec::Program(program) => EngineBackend::External {
                program: program.clone(),
                process: None,
            },
        };
        PlayerEngine {
            resources: resources.clone(),
            rng: rand::make_rng(),
            backend,
        }
    }

    /// Sets the random seed, so that the built-in search's choice between equally good moves is reproducible.
    #[must_use]
    pub(crate) fn with_seed(self, seed: u64) -> PlayerEngine {
        PlayerEngine {
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
            ..self
        }
    }

    /// Checks that an external program starts and supports these rules, and returns the name that it reports. Returns
    /// `None` for the built-in search and for a program without a name.
    ///
    /// # Errors
    /// Returns the external program's failure.
    pub(crate) async fn query_name(
        &mut self,
        rules: &Rules,
    ) -> Result<Option<String>, EngineError> {
        match &mut self.backend {
            EngineBackend::BuiltIn(_) => Ok(None),
            EngineBackend::External { program, process } => {
                let started = process.insert(Box::new(EngineProcess::start(
                    program,
                    self.resources.process_limits,
                )?));
                let named = started.query_name(rules).await;
                if named.is_err() {
                    *process = None;
                }
                named
            }
        }
    }

    /// Chooses a move within the limits. Returns the engine and the result. An external program receives only the time
    /// limit.
    ///
    /// Dropping the future stops the search, and kills an external program because two of the protocols cannot cancel a
    /// search.
    ///
    /// # Errors
    /// Returns the external program's failure. The program is then killed, and the next move starts it again.
    pub(crate) async fn choose(
        mut self,
        position: Position,
        limits: SearchLimits,
    ) -> (PlayerEngine, Result<BestMove, EngineError>) {
        let result = match &mut self.backend {
            EngineBackend::BuiltIn(level) => {
                let stop = StopOnDrop(Arc::default());
                let (seed, flag) = (self.rng.random(), Arc::clone(&stop.0));
                let request = SearchRequest {
                    position,
                    level: *level,
                    limits,
                    seed,
                    stop: flag,
                };
                self.resources.searcher.search(request).await.map_or(
                    Err(EngineError::NoMove),
                    |report| {
                        Ok(BestMove {
                            cell: report.best,
                            report: Some(report),
                        })
                    },
                )
            }
            EngineBackend::External { program, process } => {
                let move_time = limits.time.unwrap_or(child_process::DEFAULT_MOVE_TIME);
                let result = match process.take().map_or_else(
                    || EngineProcess::start(program, self.resources.process_limits).map(Box::new),
                    Ok,
                ) {
                    Ok(mut running) => {
                        let cell = running.choose(&position, move_time).await;
                        if cell.is_ok() {
                            *process = Some(running);
                        }
                        cell
                    }
                    Err(error) => Err(error),
                };
                result.map(|cell| BestMove { cell, report: None })
            }
        };
        (self, result)
    }

    /// Ends an external program. Kills it if it does not exit.
    pub(crate) async fn end(self) {
        if let EngineBackend::External {
            process: Some(child),
            ..
        } = self.backend
        {
            child.end().await;
        }
    }
}

/// Stops a search when its future is dropped.
struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Minimum time of a search after it has waited for a thread.
const MIN_SLICE: Duration = Duration::from_millis(5);

/// A bounded set of search threads. Clones share the threads.
#[derive(Clone, Debug)]
pub(crate) struct SearchPool {
    permits: Arc<Semaphore>,
    thread_count: u32,
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

    /// Starts a search. Its time limit counts from this call, and includes the wait for a thread.
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

/// Counts a search as waiting until dropped.
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

    /// Waits for the result; `None` if the position has no legal move. Cancel safe. Must not be called again after it
    /// has returned.
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

    #[test]
    fn an_external_engine_plays_only_rules_that_its_protocol_supports() {
        let own = EngineSpec::Level(Level::Hard);
        for (program, tic_tac_toe) in [("plain:x", true), ("ugi:x", true), ("gomocup:x", false)] {
            let program = EngineSpec::Program(EngineProgram::parse(program).unwrap());
            for (rules, expected) in [("15x15:5", true), ("3x3:3", tic_tac_toe)] {
                let rules = rules.parse().unwrap();
                assert!(own.can_play(&rules));
                assert_eq!(program.can_play(&rules), expected);
            }
        }
    }

    /// Returns a request that no search can solve within the time of a test.
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
        // Four searches of two seconds each would take eight seconds in sequence.
        assert!(
            began.elapsed() < Duration::from_millis(4_000),
            "{:?}",
            began.elapsed()
        );
        // A fair share is a quarter. Less than a hundredth means starvation.
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
        // This search has no thread yet, and leaves the queue.
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
