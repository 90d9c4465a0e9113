//! A program that speaks the Gomocup protocol, as a child process within limits of time and memory. One
//! that misbehaves is killed, with whatever it has started, and told of.

use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use noughts_protocol::{Cell, Position, Rules};
use rustix::process::{Pid, Signal};
use tokio::io::AsyncWriteExt;
use tokio::process::{ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::time::{Instant, sleep_until, timeout, timeout_at};

use crate::engines::gomocup::move_commands::KnownPosition;
use crate::engines::gomocup::{
    GomocupCommand, GomocupResponse, MAX_LINE_BYTES, can_play, printable_excerpt,
};
use crate::engines::time_budget::subtract_pipe_overhead;
use crate::lines::{LineReader, LinesError};

/// The time for a move where nobody says another.
pub const DEFAULT_MOVE_TIME: Duration = Duration::from_secs(5);
/// How long a program may take to be ready for a board: interpreters and large tables are slow.
const START_TIMEOUT: Duration = Duration::from_secs(10);
/// How long to wait for its name.
const NAME_TIMEOUT: Duration = Duration::from_secs(2);
/// How long it may take to end after it was told to.
const EXIT_TIMEOUT: Duration = Duration::from_secs(1);
/// Some programs do not hear a command that follows within a millisecond of their own move.
const COMMAND_GAP: Duration = Duration::from_millis(20);
/// By how much a move may be late.
const DEFAULT_GRACE: Duration = Duration::from_millis(500);
/// Memory enough for the engines that are about: two gigabytes.
pub const DEFAULT_MEMORY_KIB: u64 = 2 * 1024 * 1024;
/// Lines that it may say beside its answer to one command.
const MAX_OUTPUT_LINES: usize = 1_000;
/// Lines beside its answer that are logged.
const MAX_LOGGED_LINES: usize = 20;
/// Bytes of its error output that are logged; what follows is read and forgotten.
const MAX_LOGGED_STDERR_BYTES: usize = 16 * 1024;
/// Longest excerpt of engine output in errors and log messages, in characters.
const EXCERPT_CHARS_MAX: usize = 120;

/// What a program is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessLimits {
    /// The most memory in KiB, as `ulimit -v` counts; none: no limit.
    pub memory_kib: Option<u64>,
    /// By how much a move may be later than the time for it before the program is killed.
    pub grace: Duration,
}

impl Default for ProcessLimits {
    fn default() -> ProcessLimits {
        ProcessLimits { memory_kib: Some(DEFAULT_MEMORY_KIB), grace: DEFAULT_GRACE }
    }
}

/// What a program did wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EngineError {
    /// The system does not start it.
    #[error("it does not start: {0}")]
    Spawn(String),
    /// It ended, or no longer hears.
    #[error("it ended{}", .0.map_or_else(String::new, |status| format!(" ({status})")))]
    Exited(Option<ExitStatus>),
    /// It did not answer in its time.
    #[error("it did not answer within {} ms", .0.as_millis())]
    Timeout(Duration),
    /// Its answer is no move that can be played.
    #[error("it answered «{0}», which is no move here")]
    IllegalMove(String),
    /// It says too much.
    #[error("it says too much")]
    TooMuchOutput,
    /// It says that it cannot.
    #[error("it says: {0}")]
    ErrorResponse(String),
    /// Its protocol has no words for the rules.
    #[error("its protocol cannot name these rules")]
    UnsupportedRules,
    /// The game is over.
    #[error("there is no move")]
    NoMove,
}

/// A running program. Dropping it kills it and whatever it has started.
#[derive(Debug)]
pub struct EngineProcess {
    child: tokio::process::Child,
    /// Itself and whatever it has started.
    process_group: Option<Pid>,
    stdin: ChildStdin,
    stdout: LineReader<ChildStdout>,
    limits: ProcessLimits,
    known_position: KnownPosition,
    /// When it last said something that was waited for.
    last_response_at: Option<Instant>,
}

impl EngineProcess {
    /// Starts the program of a command line, through the shell: that is also what limits its memory.
    ///
    /// # Errors
    /// When there is no shell, or no process is to be had.
    pub fn start(command: &str, limits: ProcessLimits) -> Result<EngineProcess, EngineError> {
        let script = match limits.memory_kib {
            Some(kib) => format!("ulimit -v {kib}\n{command}"),
            None => command.to_owned(),
        };
        let mut child = Command::new("/bin/sh")
            .arg("-c")
            .arg(script)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // A group of its own: Ctrl-C at the terminal is for us, and what it starts ends with it.
            .process_group(0)
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| EngineError::Spawn(error.to_string()))?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(EngineError::Spawn("no pipes".to_owned()));
        };
        tokio::spawn(log_stderr(stderr));
        let process_group = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        let from = LineReader::new(stdout, MAX_LINE_BYTES);
        Ok(EngineProcess {
            child,
            process_group,
            stdin,
            stdout: from,
            limits,
            known_position: KnownPosition::default(),
            last_response_at: None,
        })
    }

    /// Asks for its name, and whether it knows the board. Programs need not have a name.
    pub(super) async fn query_name(&mut self, rules: &Rules) -> Result<Option<String>, EngineError> {
        if !can_play(rules) {
            return Err(EngineError::UnsupportedRules);
        }
        let deadline = Instant::now() + START_TIMEOUT;
        let (width, height) = (rules.width(), rules.height());
        let start = if width == height {
            GomocupCommand::Start(width)
        } else {
            GomocupCommand::RectStart(width, height)
        };
        self.send(&[start], deadline).await?;
        self.wait_for_response(deadline, START_TIMEOUT, |say| {
            matches!(say, GomocupResponse::Ok).then_some(())
        })
        .await?;
        let deadline = Instant::now() + NAME_TIMEOUT;
        self.send(&[GomocupCommand::About], deadline).await?;
        let result =
            self.wait_for_response(deadline, NAME_TIMEOUT, |say| Some(say.name().map(str::to_owned))).await;
        match result {
            Ok(name) => Ok(name),
            Err(EngineError::Timeout(_) | EngineError::ErrorResponse(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Its move in this position, within the time for it.
    pub(super) async fn choose(
        &mut self,
        position: &Position,
        move_time: Duration,
    ) -> Result<Cell, EngineError> {
        let reported_time = subtract_pipe_overhead(move_time);
        let commands = self
            .known_position
            .move_commands(position, reported_time)
            .ok_or(EngineError::UnsupportedRules)?;
        if position.legal_count() == 0 {
            return Err(EngineError::NoMove);
        }
        if let Some(answered) = self.last_response_at {
            sleep_until(answered + COMMAND_GAP).await;
        }
        if let Some(start) = commands.start {
            let deadline = Instant::now() + START_TIMEOUT;
            self.send(&[start], deadline).await?;
            self.wait_for_response(deadline, START_TIMEOUT, |say| {
                matches!(say, GomocupResponse::Ok).then_some(())
            })
            .await?;
        }
        let deadline = Instant::now() + move_time + self.limits.grace;
        self.send(&commands.search, deadline).await?;
        let point = self.wait_for_response(deadline, move_time + self.limits.grace, |say| match say {
            GomocupResponse::Move(point) => Some(*point),
            GomocupResponse::Ok
            | GomocupResponse::Error(_)
            | GomocupResponse::Unknown(_)
            | GomocupResponse::Message(_)
            | GomocupResponse::Debug(_)
            | GomocupResponse::About(_) => None,
        });
        let point = point.await?;
        let cell = point.cell(position.rules()).filter(|&cell| position.is_legal(cell));
        let cell = cell.ok_or_else(|| EngineError::IllegalMove(point.to_string()))?;
        self.known_position.record_move(position, cell);
        Ok(cell)
    }

    /// Tells it to end, and sees to it that it does.
    pub(super) async fn end(mut self) {
        let deadline = Instant::now() + EXIT_TIMEOUT;
        if self.send(&[GomocupCommand::End], deadline).await.is_ok()
            && timeout_at(deadline, self.child.wait()).await.is_err()
        {
            tracing::debug!("an engine does not end by itself");
        }
    }

    async fn send(&mut self, commands: &[GomocupCommand], deadline: Instant) -> Result<(), EngineError> {
        let mut text = String::new();
        for order in commands {
            tracing::trace!(%order, "to the engine");
            text.push_str(&format!("{order}\n"));
        }
        match timeout_at(deadline, self.stdin.write_all(text.as_bytes())).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => {
                tracing::debug!(%error, "the engine does not hear");
                Err(self.exit_error().await)
            }
            Err(_) => Err(EngineError::Timeout(EXIT_TIMEOUT)),
        }
    }

    /// Waits for the line that is `wanted`, and passes over what it says to others, up to a limit.
    async fn wait_for_response<T>(
        &mut self,
        deadline: Instant,
        time_limit: Duration,
        wanted: impl Fn(&GomocupResponse) -> Option<T>,
    ) -> Result<T, EngineError> {
        for line_count in 0..MAX_OUTPUT_LINES {
            let line = match timeout_at(deadline, self.stdout.next()).await {
                Ok(Ok(Some(line))) => line,
                Ok(Ok(None)) => return Err(self.exit_error().await),
                Ok(Err(LinesError::TooLong(_))) => return Err(EngineError::TooMuchOutput),
                Ok(Err(LinesError::Io(error))) => {
                    tracing::debug!(%error, "the engine's pipe");
                    return Err(self.exit_error().await);
                }
                Err(_) => return Err(EngineError::Timeout(time_limit)),
            };
            let response = line.parse::<GomocupResponse>();
            if let Some(answer) = response.as_ref().ok().and_then(&wanted) {
                self.last_response_at = Some(Instant::now());
                return Ok(answer);
            }
            match response {
                Ok(GomocupResponse::Error(text)) => return Err(EngineError::ErrorResponse(printable_excerpt(&text, EXCERPT_CHARS_MAX))),
                Ok(GomocupResponse::Move(_)) => return Err(EngineError::IllegalMove(printable_excerpt(&line, EXCERPT_CHARS_MAX))),
                // Something that was to be a move.
                Err(_) if looks_like_move(&line) => {
                    return Err(EngineError::IllegalMove(printable_excerpt(&line, EXCERPT_CHARS_MAX)));
                }
                // A command that it does not know, such as one of the times, is no fault.
                Ok(
                    GomocupResponse::Unknown(_)
                    | GomocupResponse::Message(_)
                    | GomocupResponse::Debug(_)
                    | GomocupResponse::About(_)
                    | GomocupResponse::Ok,
                )
                | Err(_) => {
                    if line_count < MAX_LOGGED_LINES {
                        tracing::info!(line = %printable_excerpt(&line, EXCERPT_CHARS_MAX), "the engine says");
                    }
                }
            }
        }
        Err(EngineError::TooMuchOutput)
    }

    /// It does not hear or say anything any more: why.
    async fn exit_error(&mut self) -> EngineError {
        // It may have closed its pipes and live on.
        let status = timeout(EXIT_TIMEOUT, self.child.wait()).await;
        self.kill();
        EngineError::Exited(status.ok().and_then(Result::ok))
    }
}

impl EngineProcess {
    /// Kills it and all that it has started. Once only: when nothing of the group is left, its number may
    /// some day be another's.
    fn kill(&mut self) {
        if let Some(group) = self.process_group.take()
            && let Err(error) = rustix::process::kill_process_group(group, Signal::KILL)
        {
            tracing::debug!(%error, "the engine was gone first");
        }
    }
}

impl Drop for EngineProcess {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Logs the error output of a program, up to a limit, and reads the rest so that it does not wait for us.
async fn log_stderr(stderr: ChildStderr) {
    let mut lines = LineReader::new(stderr, MAX_LINE_BYTES);
    let mut logged = 0;
    loop {
        match lines.next().await {
            Ok(Some(line)) if logged < MAX_LOGGED_STDERR_BYTES => {
                logged += line.len() + 1;
                tracing::info!(line = %printable_excerpt(&line, EXCERPT_CHARS_MAX), "the engine's errors");
            }
            Ok(Some(_)) => {}
            Ok(None) => return,
            Err(error) => {
                // Its pipe is closed by that: a program that writes on is told so by the system.
                tracing::debug!(%error, "the engine's errors");
                return;
            }
        }
    }
}

/// Whether a line was meant as a move: it begins with two numbers and a comma between, whatever follows, or is of
/// figures and signs alone. Anything else with letters in it is the rest of some talk.
fn looks_like_move(line: &str) -> bool {
    let line = line.trim_start();
    let begins_with_figure = |text: &str| text.starts_with(|first: char| first.is_ascii_digit());
    let after_first = line.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let is_point = begins_with_figure(line) && after_first.strip_prefix(',').is_some_and(begins_with_figure);
    let is_talk = line.contains(|letter: char| letter.is_alphabetic());
    is_point || ((begins_with_figure(line) || line.starts_with('-')) && !is_talk)
}

#[cfg(test)]
mod tests;
