//! `noughts engine`: the built-in search as an engine process that speaks Gomocup or UGI on standard input and output.
//!
//! The first line selects the protocol. One search runs at a time; input is read during the search.

use std::io;
use std::sync::Arc;

use noughts_protocol::{Position, Rules};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::time::Instant;

use crate::engine::{Level, SearchLimits, SearchResult};
use crate::engines::gomocup::GomocupResponse;
use crate::engines::gomocup::brain::{self, Brain};
use crate::engines::player_engine::search_pool::{SearchHandle, SearchPool};
use crate::engines::player_engine::search_request::SearchRequest;
use crate::engines::ugi::{self, Ugi};
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

/// A search in progress or withheld.
struct RunningSearch {
    search: SearchHandle,
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
            report = wait_for_report(&mut server.running_search) => {
                server.on_search_finished(report).await?;
                // Process the line that arrived during the search.
                server.queued_line.take()
            }
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

/// Waits for the running search. Never returns if there is none or its result is withheld.
async fn wait_for_report(running_search: &mut Option<RunningSearch>) -> Option<SearchResult> {
    match running_search {
        Some(RunningSearch { search, withheld_report: None, .. }) => search.report().await,
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
                    self.start_search(*position, limits, level, false);
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
                    let ugi::UgiSearchRequest { position, limits, level, infinite } = *search;
                    self.start_search(position, limits, level, infinite);
                }
                ugi::UgiAction::Stop => self.stop().await?,
                ugi::UgiAction::Quit => return Ok(LoopControl::Exit),
            },
        }
        Ok(LoopControl::Continue)
    }

    fn start_search(&mut self, position: Position, limits: SearchLimits, level: Level, infinite: bool) {
        let rules = *position.rules();
        let request = SearchRequest { position, level, limits, seed: rand::random(), stop: Arc::default() };
        let search = self.search_pool.start(request);
        self.running_search = Some(RunningSearch {
            search,
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
    vec![message.to_string(), brain.on_search_result(report.best).to_string()]
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::io::{DuplexStream, duplex};

    use super::*;

    /// An engine task and the manager's ends of its pipes.
    struct EngineClient {
        to: DuplexStream,
        from: LineReader<DuplexStream>,
        engine: tokio::task::JoinHandle<Result<(), LineReaderError>>,
    }

    fn spawn_engine() -> EngineClient {
        let (to, input) = duplex(4096);
        let (output, from) = duplex(4096);
        let options = EngineOptions { level: Level::Hard, rules: "3x3:3".parse().unwrap() };
        let engine = tokio::spawn(serve(options, input, output));
        EngineClient { to, from: LineReader::new(from, 4096), engine }
    }

    impl EngineClient {
        async fn send(&mut self, lines: &str) {
            self.to.write_all(lines.as_bytes()).await.unwrap();
        }

        /// Returns the next line that starts with `beginning`.
        async fn expect_line(&mut self, beginning: &str) -> String {
            let wait = async {
                loop {
                    let line = self.from.next().await.unwrap().expect("the engine is running");
                    if line.starts_with(beginning) {
                        return line;
                    }
                }
            };
            tokio::time::timeout(Duration::from_secs(30), wait).await.expect("a response")
        }

        async fn wait_for_exit(self) {
            let ended = tokio::time::timeout(Duration::from_secs(30), self.engine).await;
            assert!(ended.expect("the engine exits").expect("the engine does not panic").is_ok());
        }
    }

    #[tokio::test]
    async fn a_gomocup_manager_plays_a_game() {
        let mut client = spawn_engine();
        client.send("ABOUT\nINFO timeout_turn 60\nSTART 15\n").await;
        assert!(client.expect_line("name=").await.contains("noughts"));
        client.expect_line("OK").await;
        // Commands sent ahead are answered in order.
        client.send("BEGIN\nTURN 0,0\nTURN 0,2\nFLY\n").await;
        let mut seen = vec!["0,0".to_owned(), "0,2".to_owned()];
        for _ in 0..3 {
            client.expect_line("MESSAGE").await;
            let line = client.from.next().await.unwrap().unwrap();
            assert!(
                line.parse::<GomocupResponse>()
                    .is_ok_and(|response| matches!(response, GomocupResponse::Move(_))),
                "{line}"
            );
            assert!(!seen.contains(&line), "{line} again");
            seen.push(line);
        }
        assert_eq!(client.expect_line("UNKNOWN").await, "UNKNOWN FLY");
        // END stops a running search.
        client.send("INFO timeout_turn 600000\nRESTART\nTURN 7,7\nEND\n").await;
        client.expect_line("OK").await;
        client.wait_for_exit().await;
    }

    #[tokio::test]
    async fn a_ugi_manager_searches_and_stops() {
        let mut client = spawn_engine();
        client.send("ugi\nisready\nposition startpos moves b2 a1 c3 a3 a2\ngo\n").await;
        client.expect_line("ugiok").await;
        client.expect_line("readyok").await;
        assert!(client.expect_line("info depth").await.contains("score"));
        assert_eq!(client.expect_line("bestmove").await, "bestmove c2");
        client.send("position fen 15x15:5 moves h8\ngo infinite\ngo depth 3\n").await;
        assert!(client.expect_line("info string").await.contains("stop it first"));
        client.send("isready\nstop\n").await;
        client.expect_line("readyok").await;
        client.expect_line("bestmove").await;
        // Solved at once, but reported only after stop.
        client.send("position startpos moves b2 a1 c3 a3 a2\ngo infinite\nquery gameover\n").await;
        assert_eq!(client.from.next().await.unwrap().as_deref(), Some("response false"));
        let early = tokio::time::timeout(Duration::from_millis(200), client.from.next()).await;
        assert!(early.is_err(), "reported early: {early:?}");
        client.send("stop\n").await;
        assert_eq!(client.expect_line("bestmove").await, "bestmove c2");
        client.send("stop\nquit\n").await;
        client.wait_for_exit().await;
    }

    #[tokio::test]
    async fn closing_the_input_ends_a_search() {
        let mut client = spawn_engine();
        client.send("START 20\nINFO timeout_turn 600000\nTURN 9,9\n").await;
        client.expect_line("OK").await;
        let EngineClient { to, from, engine } = client;
        drop(to);
        let ended = tokio::time::timeout(Duration::from_secs(30), engine).await;
        assert!(ended.expect("the engine exits").expect("the engine does not panic").is_ok());
        drop(from);
    }
}
