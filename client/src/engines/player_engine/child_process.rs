//! External engine: a child process that speaks the Gomocup protocol, with limits on time, memory and output.
//!
//! An engine that violates the protocol or a limit is killed together with its process group, and the failure is
//! returned as an [`EngineError`].

use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use noughts_protocol::{Cell, Position, Rules};
use rustix::process::{Pid, Signal};
use tokio::io::AsyncWriteExt;
use tokio::process::{ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::time::{Instant, sleep_until, timeout, timeout_at};

use crate::engines::gomocup::command::KnownPosition;
use crate::engines::gomocup::{
    GomocupCommand, GomocupResponse, MAX_LINE_BYTES, can_play, printable_excerpt,
};
use crate::engines::subtract_pipe_overhead;
use crate::io::line_reader::{LineReader, LineReaderError};

/// Time for a move if the caller sets no limit.
pub(crate) const DEFAULT_MOVE_TIME: Duration = Duration::from_secs(5);
/// Time to accept a board. Interpreters and engines with large tables start slowly.
const START_TIMEOUT: Duration = Duration::from_secs(10);
/// Time to answer `ABOUT`.
const NAME_TIMEOUT: Duration = Duration::from_secs(2);
/// Time to exit after `END`.
const EXIT_TIMEOUT: Duration = Duration::from_secs(1);
/// Pause after a response. Some engines lose a command that follows their move within a millisecond.
const COMMAND_GAP: Duration = Duration::from_millis(20);
/// Default of [`ProcessLimits::grace`].
const DEFAULT_GRACE: Duration = Duration::from_millis(500);
/// Default memory limit: 2 GiB, enough for common engines.
pub(crate) const DEFAULT_MEMORY_KIB: u64 = 2 * 1024 * 1024;
/// Lines of other output that an engine may print before the response to one command.
const MAX_OUTPUT_LINES: usize = 1_000;
/// Lines of other output per command that are logged.
const MAX_LOGGED_LINES: usize = 20;
/// Bytes of standard error that are logged; the rest is read and discarded.
const MAX_LOGGED_STDERR_BYTES: usize = 16 * 1024;
/// Longest excerpt of engine output in errors and log messages, in characters.
const MAX_EXCERPT_CHARS: usize = 120;

/// Limits of an engine process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessLimits {
    /// Maximum virtual memory in KiB, enforced by `ulimit -v`; `None` for no limit.
    pub memory_kib: Option<u64>,
    /// Time beyond the move time after which the engine is killed.
    pub grace: Duration,
}

impl Default for ProcessLimits {
    fn default() -> ProcessLimits {
        ProcessLimits {
            memory_kib: Some(DEFAULT_MEMORY_KIB),
            grace: DEFAULT_GRACE,
        }
    }
}

/// Failure of an external engine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EngineError {
    /// The process cannot be started.
    #[error("cannot start engine: {0}")]
    Spawn(String),
    /// The process exited or closed its standard input or output.
    #[error("engine exited{}", .0.map_or_else(String::new, |status| format!(" ({status})")))]
    Exited(Option<ExitStatus>),
    /// No response within this time.
    #[error("no response from the engine within {} ms", .0.as_millis())]
    Timeout(Duration),
    /// The response is not a legal move.
    #[error("illegal move \"{0}\" from the engine")]
    IllegalMove(String),
    /// Too many lines, or a line that is too long, before the response.
    #[error("engine output too long")]
    TooMuchOutput,
    /// The engine answered `ERROR` with this text.
    #[error("engine reported an error: {0}")]
    ErrorResponse(String),
    /// The Gomocup protocol does not support the rules.
    #[error("the Gomocup protocol does not support these rules")]
    UnsupportedRules,
    /// The position has no legal move.
    #[error("no legal move")]
    NoMove,
}

/// A running engine. Dropping it kills its process group.
#[derive(Debug)]
pub(crate) struct EngineProcess {
    child: tokio::process::Child,
    /// The engine and all processes that it has started; `None` once killed.
    process_group: Option<Pid>,
    stdin: ChildStdin,
    stdout: LineReader<ChildStdout>,
    limits: ProcessLimits,
    known_position: KnownPosition,
    /// Time of the last expected response.
    last_response_at: Option<Instant>,
}

impl EngineProcess {
    /// Starts the engine of a command line through `/bin/sh`, which also applies the memory limit.
    ///
    /// # Errors
    /// Returns [`EngineError::Spawn`] if the system cannot start the shell.
    pub(crate) fn start(
        command: &str,
        limits: ProcessLimits,
    ) -> Result<EngineProcess, EngineError> {
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
            // Own process group: Ctrl-C at the terminal does not reach the engine, and `kill` reaches its children.
            .process_group(0)
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| EngineError::Spawn(error.to_string()))?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(EngineError::Spawn("no pipes".to_owned()));
        };
        tokio::spawn(log_stderr(stderr));
        let process_group = child
            .id()
            .and_then(|id| i32::try_from(id).ok())
            .and_then(Pid::from_raw);
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

    /// Checks that the engine accepts the board, then returns the name that it reports, if any.
    pub(super) async fn query_name(
        &mut self,
        rules: &Rules,
    ) -> Result<Option<String>, EngineError> {
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
        self.wait_for_response(deadline, START_TIMEOUT, |response| {
            matches!(response, GomocupResponse::Ok).then_some(())
        })
        .await?;
        let deadline = Instant::now() + NAME_TIMEOUT;
        self.send(&[GomocupCommand::About], deadline).await?;
        let result = self
            .wait_for_response(deadline, NAME_TIMEOUT, |response| {
                Some(response.name().map(str::to_owned))
            })
            .await;
        match result {
            Ok(name) => Ok(name),
            Err(EngineError::Timeout(_) | EngineError::ErrorResponse(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Asks the engine for a move within `move_time`.
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
            self.wait_for_response(deadline, START_TIMEOUT, |response| {
                matches!(response, GomocupResponse::Ok).then_some(())
            })
            .await?;
        }
        let deadline = Instant::now() + move_time + self.limits.grace;
        self.send(&commands.search, deadline).await?;
        let point = self.wait_for_response(deadline, move_time + self.limits.grace, |response| {
            match response {
                GomocupResponse::Move(point) => Some(*point),
                GomocupResponse::Ok
                | GomocupResponse::Opening(_)
                | GomocupResponse::Swap
                | GomocupResponse::Error(_)
                | GomocupResponse::Unknown(_)
                | GomocupResponse::Message(_)
                | GomocupResponse::Debug(_)
                | GomocupResponse::About(_) => None,
            }
        });
        let point = point.await?;
        let cell = point
            .cell(position.rules())
            .filter(|&cell| position.is_legal(cell));
        let cell = cell.ok_or_else(|| EngineError::IllegalMove(point.to_string()))?;
        self.known_position.record_move(position, cell);
        Ok(cell)
    }

    /// Sends `END` and waits for the exit; dropping `self` then kills a process that is still running.
    pub(super) async fn end(mut self) {
        let deadline = Instant::now() + EXIT_TIMEOUT;
        if self.send(&[GomocupCommand::End], deadline).await.is_ok()
            && timeout_at(deadline, self.child.wait()).await.is_err()
        {
            tracing::debug!("engine did not exit; killing");
        }
    }

    async fn send(
        &mut self,
        commands: &[GomocupCommand],
        deadline: Instant,
    ) -> Result<(), EngineError> {
        let mut text = String::new();
        for command in commands {
            tracing::trace!(%command, "engine command sent");
            text.push_str(&format!("{command}\n"));
        }
        match timeout_at(deadline, self.stdin.write_all(text.as_bytes())).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => {
                tracing::debug!(%error, "engine stdin closed");
                Err(self.exit_error().await)
            }
            Err(_) => Err(EngineError::Timeout(EXIT_TIMEOUT)),
        }
    }

    /// Waits for a response that `wanted` accepts. Skips other output, up to [`MAX_OUTPUT_LINES`] lines.
    ///
    /// A move or an `ERROR` that was not asked for is a failure.
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
                Ok(Err(LineReaderError::TooLong(_))) => return Err(EngineError::TooMuchOutput),
                Ok(Err(LineReaderError::Io(error))) => {
                    tracing::debug!(%error, "engine stdout read failed");
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
                Ok(GomocupResponse::Error(text)) => {
                    return Err(EngineError::ErrorResponse(printable_excerpt(
                        &text,
                        MAX_EXCERPT_CHARS,
                    )));
                }
                Ok(
                    GomocupResponse::Move(_) | GomocupResponse::Opening(_) | GomocupResponse::Swap,
                ) => {
                    return Err(EngineError::IllegalMove(printable_excerpt(
                        &line,
                        MAX_EXCERPT_CHARS,
                    )));
                }
                // A malformed move.
                Err(_) if looks_like_move(&line) => {
                    return Err(EngineError::IllegalMove(printable_excerpt(
                        &line,
                        MAX_EXCERPT_CHARS,
                    )));
                }
                // `UNKNOWN` is not a failure: an engine may ignore optional commands, such as those of the time.
                Ok(
                    GomocupResponse::Unknown(_)
                    | GomocupResponse::Message(_)
                    | GomocupResponse::Debug(_)
                    | GomocupResponse::About(_)
                    | GomocupResponse::Ok,
                )
                | Err(_) => {
                    if line_count < MAX_LOGGED_LINES {
                        tracing::info!(line = %printable_excerpt(&line, MAX_EXCERPT_CHARS), "engine output");
                    }
                }
            }
        }
        Err(EngineError::TooMuchOutput)
    }

    /// Kills an engine whose pipe is closed, and returns its exit status as the error.
    async fn exit_error(&mut self) -> EngineError {
        // The process may have closed its pipes and still be running.
        let status = timeout(EXIT_TIMEOUT, self.child.wait()).await;
        self.kill();
        EngineError::Exited(status.ok().and_then(Result::ok))
    }
}

impl EngineProcess {
    /// Kills the process group. Does so only once, because the system may reuse the id of an empty group.
    fn kill(&mut self) {
        if let Some(group) = self.process_group.take()
            && let Err(error) = rustix::process::kill_process_group(group, Signal::KILL)
        {
            tracing::debug!(%error, "engine process group kill failed");
        }
    }
}

impl Drop for EngineProcess {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Logs the standard error of an engine up to a limit, and discards the rest so that the engine never blocks on it.
async fn log_stderr(stderr: ChildStderr) {
    let mut lines = LineReader::new(stderr, MAX_LINE_BYTES);
    let mut logged = 0;
    loop {
        match lines.next().await {
            Ok(Some(line)) if logged < MAX_LOGGED_STDERR_BYTES => {
                logged += line.len() + 1;
                tracing::info!(line = %printable_excerpt(&line, MAX_EXCERPT_CHARS), "engine stderr");
            }
            Ok(Some(_)) => {}
            Ok(None) => return,
            Err(error) => {
                // Returning closes the pipe; further writes of the engine fail.
                tracing::debug!(%error, "engine stderr read failed");
                return;
            }
        }
    }
}

/// Returns whether a line is an attempt at a move: a line that begins with `NUMBER,NUMBER`, or one that begins with a
/// digit or `-` and contains no letters. Other lines are free text.
fn looks_like_move(line: &str) -> bool {
    let line = line.trim_start();
    let begins_with_digit = |text: &str| text.starts_with(|first: char| first.is_ascii_digit());
    let after_first = line.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let is_point =
        begins_with_digit(line) && after_first.strip_prefix(',').is_some_and(begins_with_digit);
    let has_letters = line.contains(|letter: char| letter.is_alphabetic());
    is_point || ((begins_with_digit(line) || line.starts_with('-')) && !has_letters)
}

#[cfg(test)]
mod tests;
