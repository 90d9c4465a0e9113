//! `noughts engine`: the built-in search as an engine process that speaks Gomocup or UGI on standard input and output.
//!
//! The first line selects the protocol. One search runs at a time; input is read during the search.

#[cfg(test)]
mod tests;

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use noughts_protocol::{Position, Rules};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::engine::{Level, SearchLimits, SearchResult, SearchScore};
use crate::engines::analysis::{MoveValues, StopAndClock, evaluate_moves};
use crate::engines::gomocup::GomocupResponse;
use crate::engines::gomocup::brain::{self, Brain};
use crate::engines::player_engine::search_pool::{SearchHandle, SearchPool};
use crate::engines::player_engine::search_request::SearchRequest;
use crate::engines::ugi::{self, Ugi, UgiSearchRequest};
use crate::io::line_reader::{LineReader, LineReaderError};

/// Defaults of the engine, which commands can change.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EngineOptions {
    pub level: Level,
    /// Rules of `startpos` in UGI; Gomocup sets its own.
    pub rules: Rules,
}

/// Protocol of the peer, with its state.
enum EngineDialect {
    Gomocup(Brain),
    Ugi(Ugi),
}

/// Maximum number of `info` lines that wait for the output. Further ones are dropped: the next iteration supersedes them.
const INFO_LINES_MAX: usize = 256;

/// A search in progress or withheld.
struct RunningSearch {
    search: SearchHandle,
    /// Lines on the progress of the search.
    info: mpsc::Receiver<String>,
    rules: Rules,
    started_at: Instant,
    /// Result of an infinite search that has ended, withheld until `stop`.
    withheld_report: Option<Option<SearchResult>>,
    infinite: bool,
}

enum LoopControl {
    Continue,
    Exit,
}

/// Processes commands until the peer ends the engine or closes the input.
///
/// # Errors
/// Returns the failure of a pipe.
pub(crate) async fn serve(
    options: EngineOptions,
    input: impl AsyncRead + Unpin,
    output: impl AsyncWrite + Unpin,
) -> Result<(), LineReaderError> {
    let mut server = EngineServer {
        options,
        dialect: None,
        running_search: None,
        queued_line: None,
        search_pool: SearchPool::new(1),
        output,
    };
    let mut lines = LineReader::new(input, ugi::MAX_LINE_BYTES);
    loop {
        let line = tokio::select! {
            biased;
            event = wait_for_search(&mut server.running_search) => match event {
                SearchEvent::Info(info) => {
                    server.write_lines(&[info]).await?;
                    None
                }
                SearchEvent::Finished(report) => {
                    server.on_search_finished(report).await?;
                    // Process the line that arrived during the search.
                    server.queued_line.take()
                }
            },
            // Gomocup commands are processed in order: do not read past a queued line.
            line = lines.next(), if server.queued_line.is_none() => match line? {
                Some(line) => Some(line),
                None => return Ok(()),
            },
        };
        if let Some(line) = line
            && let LoopControl::Exit = server.on_line(line).await?
        {
            return Ok(());
        }
    }
}

enum SearchEvent {
    Info(String),
    Finished(Option<SearchResult>),
}

/// Waits for the running search: its lines first, then its result. Never returns without a running search, or while its result is withheld.
async fn wait_for_search(running_search: &mut Option<RunningSearch>) -> SearchEvent {
    match running_search {
        Some(RunningSearch { search, info, withheld_report: None, .. }) => {
            // The channel closes when the search ends.
            match info.recv().await {
                Some(line) => SearchEvent::Info(line),
                None => SearchEvent::Finished(search.report().await),
            }
        }
        Some(RunningSearch { withheld_report: Some(_), .. }) | None => std::future::pending().await,
    }
}

struct EngineServer<W> {
    options: EngineOptions,
    dialect: Option<EngineDialect>,
    running_search: Option<RunningSearch>,
    /// Gomocup command that waits for the end of the search.
    queued_line: Option<String>,
    search_pool: SearchPool,
    output: W,
}

impl<W: AsyncWrite + Unpin> EngineServer<W> {
    async fn on_line(&mut self, line: String) -> io::Result<LoopControl> {
        let EngineOptions { level, rules } = self.options;
        let dialect = self.dialect.get_or_insert_with(|| {
            if is_ugi_command(&line) {
                EngineDialect::Ugi(Ugi::new(rules, level))
            } else {
                EngineDialect::Gomocup(Brain::default())
            }
        });
        match dialect {
            EngineDialect::Gomocup(_)
                if self.running_search.is_some() && !line.trim().eq_ignore_ascii_case("end") =>
            {
                self.queued_line = Some(line);
            }
            EngineDialect::Gomocup(brain) => match brain.on_line(&line) {
                brain::BrainAction::Nothing => {}
                brain::BrainAction::Respond(response) => self.write_lines(&[response.to_string()]).await?,
                brain::BrainAction::Search(position, budget) => {
                    let limits = SearchLimits { time: Some(budget), ..SearchLimits::default() };
                    self.start_search(*position, limits, level);
                }
                brain::BrainAction::Quit => return Ok(LoopControl::Exit),
            },
            EngineDialect::Ugi(ugi) => match ugi.on_line(&line) {
                ugi::UgiAction::Respond(lines) => self.write_lines(&lines).await?,
                ugi::UgiAction::Search(_) if self.running_search.is_some() => {
                    self.write_lines(&["info string error: search in progress; stop it first".to_owned()])
                        .await?;
                }
                ugi::UgiAction::Search(search) => {
                    self.start_analysis(*search);
                }
                ugi::UgiAction::Stop => self.stop().await?,
                ugi::UgiAction::Quit => return Ok(LoopControl::Exit),
            },
        }
        Ok(LoopControl::Continue)
    }

    /// Starts a search without lines on its progress.
    fn start_search(&mut self, position: Position, limits: SearchLimits, level: Level) {
        let rules = *position.rules();
        let (_, info) = mpsc::channel(1);
        let request = SearchRequest { position, level, limits, seed: rand::random(), stop: Arc::default() };
        self.set_running(self.search_pool.start(request), info, rules, false);
    }

    /// Starts a search that reports its progress; for several best moves, an evaluation of all moves.
    fn start_analysis(&mut self, request: UgiSearchRequest) {
        let UgiSearchRequest { position, limits, level, infinite, multi_pv } = request;
        let rules = *position.rules();
        let (sender, info) = mpsc::channel(INFO_LINES_MAX);
        let started_at = Instant::now();
        let stop = Arc::default();
        let search = if multi_pv == 1 {
            let request = SearchRequest { position, level, limits, seed: rand::random(), stop };
            let on_progress =
                move |report| drop(sender.try_send(ugi::info_line(&rules, &report, started_at.elapsed())));
            self.search_pool.start_with_progress(request, on_progress)
        } else {
            let evaluate = move |limits: SearchLimits, elapsed: &dyn Fn() -> Duration, stop: &AtomicBool| {
                let mut report = |values: &MoveValues| {
                    for line in ugi::multi_pv_lines(values, multi_pv, started_at.elapsed()) {
                        // A full channel drops the line.
                        drop(sender.try_send(line));
                    }
                };
                let clock = StopAndClock { elapsed, stop };
                let values = evaluate_moves(&position, limits, clock, &mut report)?;
                report(&values);
                let &(best, score) = values.cells.first()?;
                let SearchScore { evaluation: score, exact } = score;
                Some(SearchResult { best, score, exact, depth: 0, nodes: values.nodes, pv: vec![best] })
            };
            self.search_pool.start_search(limits, stop, evaluate)
        };
        self.set_running(search, info, rules, infinite);
    }

    fn set_running(
        &mut self,
        search: SearchHandle,
        info: mpsc::Receiver<String>,
        rules: Rules,
        infinite: bool,
    ) {
        self.running_search = Some(RunningSearch {
            search,
            info,
            rules,
            started_at: Instant::now(),
            withheld_report: None,
            infinite,
        });
    }

    /// Stops the search, or reports a withheld result.
    async fn stop(&mut self) -> io::Result<()> {
        let Some(running) = &mut self.running_search else { return Ok(()) };
        running.infinite = false;
        match running.withheld_report.take() {
            Some(report) => self.on_search_finished(report).await,
            None => {
                running.search.stop();
                Ok(())
            }
        }
    }

    async fn on_search_finished(&mut self, report: Option<SearchResult>) -> io::Result<()> {
        let Some(mut running) = self.running_search.take() else { return Ok(()) };
        if running.infinite {
            running.withheld_report = Some(report);
            self.running_search = Some(running);
            return Ok(());
        }
        let lines = match &mut self.dialect {
            Some(EngineDialect::Ugi(_)) => {
                ugi::best_move_lines(&running.rules, report.as_ref(), running.started_at.elapsed())
            }
            Some(EngineDialect::Gomocup(brain)) => brain_result_lines(brain, report.as_ref()),
            None => Vec::new(),
        };
        self.write_lines(&lines).await
    }

    /// Writes and flushes lines.
    async fn write_lines(&mut self, lines: &[String]) -> io::Result<()> {
        let mut text = lines.join("\n");
        if !text.is_empty() {
            text.push('\n');
        }
        self.output.write_all(text.as_bytes()).await?;
        self.output.flush().await
    }
}

/// Returns whether the first line is a UGI command. UGI commands are lower case.
fn is_ugi_command(line: &str) -> bool {
    let first = line.split_whitespace().next();
    matches!(
        first,
        Some("ugi" | "isready" | "uginewgame" | "setoption" | "position" | "go" | "query" | "quit")
    )
}

/// Formats the result of a search for a Gomocup manager: a message for the user, then the move.
fn brain_result_lines(brain: &mut Brain, report: Option<&SearchResult>) -> Vec<String> {
    let Some(report) = report else { return vec![GomocupResponse::Error("no move".to_owned()).to_string()] };
    let (score, depth, nodes) = (report.score, report.depth, report.nodes);
    let message = GomocupResponse::Message(format!("{score}, depth {depth}, {nodes} positions"));
    vec![message.to_string(), brain.on_search_result(report.best, report.score).to_string()]
}
