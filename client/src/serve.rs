//! `noughts engine`: our search behind a text protocol on a pipe, so that other programs can use it.
//!
//! Which protocol it is the first line tells. One search runs at a time, and the pipe is read meanwhile.

use std::io;
use std::sync::Arc;

use noughts_protocol::{Position, Rules};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::time::Instant;

use crate::engine::{Level, Limits, Report};
use crate::gomocup::Say;
use crate::gomocup::brain::{self, Brain};
use crate::lines::{Lines, LinesError};
use crate::thinker::question::Question;
use crate::thinker::threads::{Search, Threads};
use crate::ugi::{self, Ugi};

/// How the engine plays until it is told otherwise.
#[derive(Clone, Copy, Debug)]
pub struct EngineOptions {
    /// The handicap.
    pub level: Level,
    /// The game; UGI can name others, Gomocup has its own.
    pub rules: Rules,
}

/// Whom we talk to.
enum Talk {
    Gomocup(Brain),
    Ugi(Ugi),
}

/// A search, and what is to be done with it.
struct Running {
    search: Search,
    rules: Rules,
    began: Instant,
    /// What it came to, held back until somebody says to stop.
    held: Option<Option<Report>>,
    until_told: bool,
}

/// What to do after a line.
enum Then {
    GoOn,
    End,
}

/// Answers until the other side ends it or its pipe.
///
/// # Errors
/// When a pipe fails.
pub async fn serve(
    options: EngineOptions,
    input: impl AsyncRead + Unpin,
    output: impl AsyncWrite + Unpin,
) -> Result<(), LinesError> {
    let mut server =
        Server { options, talk: None, running: None, next: None, threads: Threads::new(1), output };
    let mut lines = Lines::new(input, ugi::MAX_LINE);
    loop {
        let line = tokio::select! {
            biased;
            report = finish(&mut server.running) => {
                server.finished(report).await?;
                // A line that came meanwhile has waited for this.
                server.next.take()
            }
            // A brain takes one command after the other: with one in hand no other is read.
            line = lines.next(), if server.next.is_none() => match line? {
                Some(line) => Some(line),
                None => return Ok(()),
            },
        };
        if let Some(line) = line
            && let Then::End = server.hears(line).await?
        {
            return Ok(());
        }
    }
}

/// Waits for a search that is on its way.
async fn finish(running: &mut Option<Running>) -> Option<Report> {
    match running {
        Some(Running { search, held: None, .. }) => search.report().await,
        Some(Running { held: Some(_), .. }) | None => std::future::pending().await,
    }
}

struct Server<W> {
    options: EngineOptions,
    talk: Option<Talk>,
    running: Option<Running>,
    /// A command for a brain that still thinks.
    next: Option<String>,
    threads: Threads,
    output: W,
}

impl<W: AsyncWrite + Unpin> Server<W> {
    async fn hears(&mut self, line: String) -> io::Result<Then> {
        let EngineOptions { level, rules } = self.options;
        let talk = self.talk.get_or_insert_with(|| {
            if speaks_ugi(&line) {
                Talk::Ugi(Ugi::new(rules, level))
            } else {
                Talk::Gomocup(Brain::default())
            }
        });
        match talk {
            Talk::Gomocup(_) if self.running.is_some() && !line.trim().eq_ignore_ascii_case("end") => {
                self.next = Some(line);
            }
            Talk::Gomocup(brain) => match brain.hears(&line) {
                brain::Reaction::Nothing => {}
                brain::Reaction::Say(say) => self.say(&[say.to_string()]).await?,
                brain::Reaction::Think(position, budget) => {
                    let limits = Limits { time: Some(budget), ..Limits::default() };
                    self.think(*position, limits, level, false);
                }
                brain::Reaction::End => return Ok(Then::End),
            },
            Talk::Ugi(ugi) => match ugi.hears(&line) {
                ugi::Reaction::Say(lines) => self.say(&lines).await?,
                ugi::Reaction::Think(_) if self.running.is_some() => {
                    self.say(&["info string a search is on; stop it first".to_owned()]).await?;
                }
                ugi::Reaction::Think(search) => {
                    let ugi::Search { position, limits, level, until_told } = *search;
                    self.think(position, limits, level, until_told);
                }
                ugi::Reaction::Stop => self.stop().await?,
                ugi::Reaction::Quit => return Ok(Then::End),
            },
        }
        Ok(Then::GoOn)
    }

    fn think(&mut self, position: Position, limits: Limits, level: Level, until_told: bool) {
        let rules = *position.rules();
        let question = Question { position, level, limits, seed: rand::random(), stop: Arc::default() };
        let search = self.threads.begin(question);
        self.running = Some(Running { search, rules, began: Instant::now(), held: None, until_told });
    }

    /// Ends the search with what it has; tells what was held back.
    async fn stop(&mut self) -> io::Result<()> {
        let Some(running) = &mut self.running else { return Ok(()) };
        running.until_told = false;
        match running.held.take() {
            Some(report) => self.finished(report).await,
            None => {
                running.search.stop();
                Ok(())
            }
        }
    }

    async fn finished(&mut self, report: Option<Report>) -> io::Result<()> {
        let Some(mut running) = self.running.take() else { return Ok(()) };
        if running.until_told {
            running.held = Some(report);
            self.running = Some(running);
            return Ok(());
        }
        let lines = match &mut self.talk {
            Some(Talk::Ugi(_)) => ugi::best(&running.rules, report.as_ref(), running.began.elapsed()),
            Some(Talk::Gomocup(brain)) => tell(brain, report.as_ref()),
            None => Vec::new(),
        };
        self.say(&lines).await
    }

    /// Writes lines at once: the other side waits for them.
    async fn say(&mut self, lines: &[String]) -> io::Result<()> {
        let mut text = lines.join("\n");
        if !text.is_empty() {
            text.push('\n');
        }
        self.output.write_all(text.as_bytes()).await?;
        self.output.flush().await
    }
}

/// Whether a first line is of the universal game interface: its words are in lower case.
fn speaks_ugi(line: &str) -> bool {
    let first = line.split_whitespace().next();
    matches!(
        first,
        Some("ugi" | "isready" | "uginewgame" | "setoption" | "position" | "go" | "query" | "quit")
    )
}

/// What a brain tells of its thought: a word to those who look on, and its move.
fn tell(brain: &mut Brain, report: Option<&Report>) -> Vec<String> {
    let Some(report) = report else { return vec![Say::Error("no move".to_owned()).to_string()] };
    let (score, depth, nodes) = (report.score, report.depth, report.nodes);
    let message = Say::Message(format!("{score}, depth {depth}, {nodes} positions"));
    vec![message.to_string(), brain.moved(report.best).to_string()]
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::io::{DuplexStream, duplex};

    use super::*;

    /// An engine between two pipes, and the other side of them.
    struct Other {
        to: DuplexStream,
        from: Lines<DuplexStream>,
        engine: tokio::task::JoinHandle<Result<(), LinesError>>,
    }

    fn engine() -> Other {
        let (to, input) = duplex(4096);
        let (output, from) = duplex(4096);
        let options = EngineOptions { level: Level::Hard, rules: "3x3:3".parse().unwrap() };
        let engine = tokio::spawn(serve(options, input, output));
        Other { to, from: Lines::new(from, 4096), engine }
    }

    impl Other {
        async fn says(&mut self, lines: &str) {
            self.to.write_all(lines.as_bytes()).await.unwrap();
        }

        /// The next line that begins like this.
        async fn hears(&mut self, beginning: &str) -> String {
            let wait = async {
                loop {
                    let line = self.from.next().await.unwrap().expect("it goes on");
                    if line.starts_with(beginning) {
                        return line;
                    }
                }
            };
            tokio::time::timeout(Duration::from_secs(30), wait).await.expect("an answer")
        }

        async fn ends(self) {
            let ended = tokio::time::timeout(Duration::from_secs(30), self.engine).await;
            assert!(ended.expect("it ends").expect("without a fault").is_ok());
        }
    }

    #[tokio::test]
    async fn a_manager_of_gomocup_plays_with_it() {
        let mut other = engine();
        other.says("ABOUT\nINFO timeout_turn 60\nSTART 15\n").await;
        assert!(other.hears("name=").await.contains("noughts"));
        other.hears("OK").await;
        // All that is written ahead is answered in order.
        other.says("BEGIN\nTURN 0,0\nTURN 0,2\nFLY\n").await;
        let mut seen = vec!["0,0".to_owned(), "0,2".to_owned()];
        for _ in 0..3 {
            other.hears("MESSAGE").await;
            let line = other.from.next().await.unwrap().unwrap();
            assert!(line.parse::<Say>().is_ok_and(|say| matches!(say, Say::Move(_))), "{line}");
            assert!(!seen.contains(&line), "{line} again");
            seen.push(line);
        }
        assert_eq!(other.hears("UNKNOWN").await, "UNKNOWN FLY");
        // It does not think its thought to the end when nobody waits for it.
        other.says("INFO timeout_turn 600000\nRESTART\nTURN 7,7\nEND\n").await;
        other.hears("OK").await;
        other.ends().await;
    }

    #[tokio::test]
    async fn a_program_of_the_universal_interface_plays_with_it() {
        let mut other = engine();
        other.says("ugi\nisready\nposition startpos moves b2 a1 c3 a3 a2\ngo\n").await;
        other.hears("ugiok").await;
        other.hears("readyok").await;
        assert!(other.hears("info depth").await.contains("score"));
        assert_eq!(other.hears("bestmove").await, "bestmove c2");
        other.says("position fen 15x15:5 moves h8\ngo infinite\ngo depth 3\n").await;
        assert!(other.hears("info string").await.contains("stop it first"));
        other.says("isready\nstop\n").await;
        other.hears("readyok").await;
        other.hears("bestmove").await;
        // Solved at once, but told only when it is to stop.
        other.says("position startpos moves b2 a1 c3 a3 a2\ngo infinite\nquery gameover\n").await;
        assert_eq!(other.from.next().await.unwrap().as_deref(), Some("response false"));
        let early = tokio::time::timeout(Duration::from_millis(200), other.from.next()).await;
        assert!(early.is_err(), "it said {early:?}");
        other.says("stop\n").await;
        assert_eq!(other.hears("bestmove").await, "bestmove c2");
        other.says("stop\nquit\n").await;
        other.ends().await;
    }

    #[tokio::test]
    async fn it_ends_with_its_pipe_even_while_it_thinks() {
        let mut other = engine();
        other.says("START 20\nINFO timeout_turn 600000\nTURN 9,9\n").await;
        other.hears("OK").await;
        let Other { to, from, engine } = other;
        drop(to);
        let ended = tokio::time::timeout(Duration::from_secs(30), engine).await;
        assert!(ended.expect("it ends").expect("without a fault").is_ok());
        drop(from);
    }
}
