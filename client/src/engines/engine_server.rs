//! `noughts engine`: the built-in search as an engine process that speaks Gomocup or UGI on standard input and output.
//!
//! The first line selects the protocol. One search runs at a time. The thread that reads the input first searches
//! briefly itself, because handing over to another thread and back would take longer than most endgames. A search that
//! does not finish in that time starts again on the search thread while the input is read. The same seed gives the same
//! result on both threads.

#[cfg(test)]
mod tests;

use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, SyncSender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use noughts_protocol::{Position, Rules};
use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::engine::{self, Level, SearchLimits, SearchResult, SearchScore};
use crate::engines::analysis::{MoveValues, StopAndClock, evaluate_moves};
use crate::engines::gomocup::GomocupResponse;
use crate::engines::gomocup::brain::{self, Brain};
use crate::engines::player_engine::SearchRequest;
use crate::engines::ugi::{self, Ugi, UgiSearchRequest};
use crate::io::line_reader::{BlockingLineReader, LineReaderError};

/// Defaults of the engine. Commands can change them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EngineOptions {
    pub level: Level,
    /// Rules of `startpos` in UGI. Gomocup sets its own rules.
    pub rules: Rules,
}

/// The manager's protocol, with its state.
enum EngineDialect {
    Gomocup(Brain),
    Ugi(Ugi),
}

/// A search in progress, or a finished search with a withheld move.
struct RunningSearch {
    stop: Arc<AtomicBool>,
    rules: Rules,
    started_at: Instant,
    /// The `bestmove` line of an infinite search that has ended. It is withheld until `stop`.
    withheld_line: Option<String>,
    infinite: bool,
}

enum LoopControl {
    Continue,
    Exit,
}

/// Search that a command requests, in a form that any thread can run.
enum SearchJob {
    BestMove(SearchRequest),
    /// Evaluates all moves of a position, and reports this number of best moves.
    AllMoves(Position, SearchLimits, u32),
}

/// A job for the search thread.
struct SearchTask {
    job: SearchJob,
    stop: Arc<AtomicBool>,
    started_at: Instant,
}

/// Starts a thread that processes commands until the manager ends the engine or closes the input. The result arrives
/// when the engine ends; it is an error if one of its pipes or threads fails.
pub(crate) fn start(
    options: EngineOptions,
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
) -> oneshot::Receiver<Result<(), LineReaderError>> {
    let (sender, ended) = oneshot::channel();
    let server = Arc::new(EngineServer {
        options,
        state: Mutex::new(EngineState {
            dialect: None,
            running_search: None,
            output,
        }),
        search_ended: Condvar::new(),
        end_sender: Mutex::new(Some(sender)),
    });
    let (tasks, queue) = mpsc::sync_channel::<SearchTask>(1);
    let searcher = Arc::clone(&server);
    // The search thread ends with the thread that reads the input.
    thread::spawn(move || queue.iter().for_each(|task| searcher.run_search(&task)));
    thread::spawn(move || {
        let guard = PanicGuard(&server);
        let result = server.serve(input, &tasks);
        server.end(result);
        drop(guard);
    });
    ended
}

/// An engine. The thread that reads the input and the search thread share it.
struct EngineServer<W> {
    options: EngineOptions,
    state: Mutex<EngineState<W>>,
    /// Notified when the running search has reported its result.
    search_ended: Condvar,
    /// Receives the result of the first thread that ends the engine.
    end_sender: Mutex<Option<oneshot::Sender<Result<(), LineReaderError>>>>,
}

struct EngineState<W> {
    dialect: Option<EngineDialect>,
    running_search: Option<RunningSearch>,
    output: W,
}

impl<W: Write + Send + 'static> EngineServer<W> {
    /// Processes commands until the manager ends the engine or closes the input.
    fn serve(
        &self,
        input: impl Read,
        tasks: &SyncSender<SearchTask>,
    ) -> Result<(), LineReaderError> {
        let mut lines = BlockingLineReader::new(input, ugi::MAX_LINE_BYTES);
        while let Some(line) = lines.next()? {
            if let LoopControl::Exit = self.on_line(&line, tasks)? {
                break;
            }
        }
        Ok(())
    }

    /// Ends the engine: stops its search, and delivers the result unless the engine has already ended.
    fn end(&self, result: Result<(), LineReaderError>) {
        if let Some(sender) = lock(&self.end_sender).take() {
            // The receiver is gone if a signal has ended the program.
            drop(sender.send(result));
        }
        if let Some(running) = &lock(&self.state).running_search {
            running.stop.store(true, Ordering::Relaxed);
        }
    }

    fn on_line(&self, line: &str, tasks: &SyncSender<SearchTask>) -> io::Result<LoopControl> {
        let EngineOptions { level, rules } = self.options;
        let mut state = lock(&self.state);
        let is_end = line.trim().eq_ignore_ascii_case("end");
        if let Some(EngineDialect::Gomocup(_)) = &state.dialect
            && !is_end
        {
            // Waits for the search, because Gomocup commands are processed one after another.
            state = self
                .search_ended
                .wait_while(state, |state| state.running_search.is_some())
                .unwrap_or_else(PoisonError::into_inner);
        }
        let dialect = state.dialect.get_or_insert_with(|| {
            if is_ugi_command(line) {
                EngineDialect::Ugi(Ugi::new(rules, level))
            } else {
                EngineDialect::Gomocup(Brain::default())
            }
        });
        match dialect {
            EngineDialect::Gomocup(brain) => match brain.on_line(line) {
                brain::BrainAction::Nothing => {}
                brain::BrainAction::Respond(response) => {
                    state.write_lines(&[response.to_string()])?;
                }
                brain::BrainAction::Search(position, budget) => {
                    let limits = SearchLimits {
                        time: Some(budget),
                        ..SearchLimits::default()
                    };
                    let position = *position;
                    let request = new_request(position, level, limits, None);
                    state.start_search(request, false, tasks)?;
                }
                brain::BrainAction::Quit => return Ok(LoopControl::Exit),
            },
            EngineDialect::Ugi(ugi) => match ugi.on_line(line) {
                ugi::UgiAction::Respond(lines) => state.write_lines(&lines)?,
                ugi::UgiAction::Search(_) if state.running_search.is_some() => {
                    state.write_lines(&[
                        "info string error: search in progress; stop it first".to_owned()
                    ])?;
                }
                ugi::UgiAction::Search(search) => {
                    let UgiSearchRequest {
                        position,
                        limits,
                        level,
                        infinite,
                        multi_pv,
                        seed,
                    } = *search;
                    if multi_pv == 1 {
                        state.start_search(
                            new_request(position, level, limits, seed),
                            infinite,
                            tasks,
                        )?;
                    } else {
                        let job = SearchJob::AllMoves(position, limits, multi_pv);
                        state.send_search(job, Instant::now(), infinite, tasks)?;
                    }
                }
                ugi::UgiAction::Stop => state.stop()?,
                ugi::UgiAction::Quit => return Ok(LoopControl::Exit),
            },
        }
        Ok(LoopControl::Continue)
    }

    /// Runs a search on the search thread. Reports its progress and its result.
    fn run_search(
        &self,
        SearchTask {
            job,
            stop,
            started_at,
        }: &SearchTask,
    ) {
        let guard = PanicGuard(self);
        let elapsed = || started_at.elapsed();
        let report = match job {
            SearchJob::BestMove(SearchRequest {
                position,
                level,
                limits,
                seed,
                ..
            }) => {
                let mut on_progress = |report: SearchResult| {
                    self.write_progress(stop, || {
                        vec![ugi::info_line(position.rules(), &report, elapsed())]
                    });
                };
                engine::best_move_with_progress(
                    position,
                    *level,
                    *limits,
                    *seed,
                    &elapsed,
                    stop,
                    &mut on_progress,
                )
            }
            &SearchJob::AllMoves(ref position, limits, multi_pv) => {
                let mut on_progress = |values: &MoveValues| {
                    self.write_progress(stop, || ugi::multi_pv_lines(values, multi_pv, elapsed()));
                };
                let clock = StopAndClock {
                    elapsed: &elapsed,
                    stop,
                };
                evaluate_moves(position, limits, clock, &mut on_progress).and_then(|values| {
                    on_progress(&values);
                    let &(best, score) = values.cells.first()?;
                    let SearchScore {
                        evaluation: score,
                        exact,
                    } = score;
                    Some(SearchResult {
                        best,
                        score,
                        exact,
                        depth: 0,
                        nodes: values.nodes,
                        pv: vec![best],
                    })
                })
            }
        };
        let mut state = lock(&self.state);
        if let Some(running) = state.running_search.take() {
            let result = state.on_search_finished(running, report, Vec::new());
            drop(state);
            self.search_ended.notify_all();
            if let Err(error) = result {
                self.end(Err(error.into()));
            }
        }
        drop(guard);
    }

    /// Writes lines about the progress of a search, in UGI. A failure stops the search and ends the engine.
    fn write_progress(&self, stop: &AtomicBool, lines: impl FnOnce() -> Vec<String>) {
        let mut state = lock(&self.state);
        if let Some(EngineDialect::Ugi(_)) = &state.dialect
            && let Err(error) = state.write_lines(&lines())
        {
            stop.store(true, Ordering::Relaxed);
            drop(state);
            self.end(Err(error.into()));
        }
    }
}

impl<W: Write> EngineState<W> {
    /// Searches briefly on this thread. If that does not suffice, searches on the search thread.
    fn start_search(
        &mut self,
        request: SearchRequest,
        infinite: bool,
        tasks: &SyncSender<SearchTask>,
    ) -> io::Result<()> {
        let started_at = Instant::now();
        let Some(BriefSearch { progress, report }) = search_briefly(&request, started_at) else {
            return self.send_search(SearchJob::BestMove(request), started_at, infinite, tasks);
        };
        let rules = *request.position.rules();
        let mut lines = Vec::new();
        if let Some(EngineDialect::Ugi(_)) = &self.dialect {
            let elapsed = started_at.elapsed();
            lines.extend(
                progress
                    .iter()
                    .map(|report| ugi::info_line(&rules, report, elapsed)),
            );
        }
        let running = RunningSearch {
            stop: request.stop,
            rules,
            started_at,
            withheld_line: None,
            infinite,
        };
        self.on_search_finished(running, report, lines)
    }

    /// Starts a search on the search thread.
    fn send_search(
        &mut self,
        job: SearchJob,
        started_at: Instant,
        infinite: bool,
        tasks: &SyncSender<SearchTask>,
    ) -> io::Result<()> {
        let (rules, stop) = match &job {
            SearchJob::BestMove(request) => (*request.position.rules(), Arc::clone(&request.stop)),
            SearchJob::AllMoves(position, ..) => (*position.rules(), Arc::default()),
        };
        let task = SearchTask {
            job,
            stop: Arc::clone(&stop),
            started_at,
        };
        // The queue is empty, because only one search runs at a time.
        tasks
            .send(task)
            .map_err(|_| io::Error::other("the search thread has ended"))?;
        self.running_search = Some(RunningSearch {
            stop,
            rules,
            started_at,
            withheld_line: None,
            infinite,
        });
        Ok(())
    }

    /// Stops the search, or reports a withheld move.
    fn stop(&mut self) -> io::Result<()> {
        let Some(mut running) = self.running_search.take() else {
            return Ok(());
        };
        running.infinite = false;
        match running.withheld_line.take() {
            Some(line) => self.write_lines(&[line]),
            None => {
                running.stop.store(true, Ordering::Relaxed);
                self.running_search = Some(running);
                Ok(())
            }
        }
    }

    /// Writes these lines and the result of a search. Withholds the move of an infinite search, because a manager
    /// expects it only after `stop`.
    fn on_search_finished(
        &mut self,
        mut running: RunningSearch,
        report: Option<SearchResult>,
        mut lines: Vec<String>,
    ) -> io::Result<()> {
        match &mut self.dialect {
            Some(EngineDialect::Ugi(_)) => {
                let (rules, elapsed) = (running.rules, running.started_at.elapsed());
                let report = report.as_ref();
                lines.extend(report.map(|report| ugi::info_line(&rules, report, elapsed)));
                let best_move = ugi::best_move_line(&rules, report.map(|report| report.best));
                if running.infinite {
                    running.withheld_line = Some(best_move);
                    self.running_search = Some(running);
                } else {
                    lines.push(best_move);
                }
            }
            Some(EngineDialect::Gomocup(brain)) => {
                lines.extend(brain_result_lines(brain, report.as_ref()));
            }
            None => {}
        }
        self.write_lines(&lines)
    }

    /// Writes and flushes lines.
    fn write_lines(&mut self, lines: &[String]) -> io::Result<()> {
        if lines.is_empty() {
            return Ok(());
        }
        let mut text = lines.join("\n");
        text.push('\n');
        self.output.write_all(text.as_bytes())?;
        self.output.flush()
    }
}

/// Ends the engine with an error when its thread panics, because the other thread would wait forever.
struct PanicGuard<'a, W: Write + Send + 'static>(&'a EngineServer<W>);

impl<W: Write + Send + 'static> Drop for PanicGuard<'_, W> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.end(Err(
                io::Error::other("a thread of the engine has panicked").into()
            ));
        }
    }
}

/// Locks a mutex. Its value stays valid when a thread panics.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn new_request(
    position: Position,
    level: Level,
    limits: SearchLimits,
    seed: Option<u64>,
) -> SearchRequest {
    SearchRequest {
        position,
        level,
        limits,
        seed: seed.unwrap_or_else(rand::random),
        stop: Arc::default(),
    }
}

/// Returns whether the first line is a UGI command. UGI commands are in lower case.
fn is_ugi_command(line: &str) -> bool {
    let first = line.split_whitespace().next();
    matches!(
        first,
        Some("ugi" | "isready" | "uginewgame" | "setoption" | "position" | "go" | "query" | "quit")
    )
}

/// Formats the result of a search for a Gomocup manager: a message for the user, then the move.
fn brain_result_lines(brain: &mut Brain, report: Option<&SearchResult>) -> Vec<String> {
    let Some(report) = report else {
        return vec![GomocupResponse::Error("no move".to_owned()).to_string()];
    };
    let (score, depth, nodes) = (report.score, report.depth, report.nodes);
    let message = GomocupResponse::Message(format!("{score}, depth {depth}, {nodes} positions"));
    vec![
        message.to_string(),
        brain
            .on_search_result(report.best, report.score)
            .to_string(),
    ]
}

/// Maximum time of the brief search. This time is lost if the search does not finish.
const BRIEF_SEARCH_TIME: Duration = Duration::from_micros(500);
/// Maximum number of cells. On larger boards a search does not read the clock often enough.
const BRIEF_SEARCH_CELLS_MAX: usize = 64;

/// A finished search.
#[derive(Debug)]
struct BriefSearch {
    /// The results of the finished iterations.
    progress: Vec<SearchResult>,
    /// `None` if the position has no legal move.
    report: Option<SearchResult>,
}

/// Searches until [`BRIEF_SEARCH_TIME`] after `started_at`. Returns `None` if the search has not finished by then. Also
/// returns `None` for a search with a time limit, because such a search does not always read the clock.
fn search_briefly(request: &SearchRequest, started_at: Instant) -> Option<BriefSearch> {
    let SearchRequest {
        position,
        level,
        limits,
        seed,
        ..
    } = request;
    if position.rules().cells() > BRIEF_SEARCH_CELLS_MAX || limits.time.is_some() {
        return None;
    }
    let is_halted = AtomicBool::new(false);
    let elapsed = || {
        let elapsed = started_at.elapsed();
        if elapsed >= BRIEF_SEARCH_TIME {
            is_halted.store(true, Ordering::Relaxed);
        }
        elapsed
    };
    let mut progress = Vec::new();
    let report = engine::best_move_with_progress(
        position,
        *level,
        *limits,
        *seed,
        &elapsed,
        &is_halted,
        &mut |report| progress.push(report),
    );
    // The result of a search that was halted is useless.
    (!is_halted.load(Ordering::Relaxed)).then_some(BriefSearch { progress, report })
}
