//! An external program: a child process that reads and writes lines, with limits on time, memory and output.
//!
//! A program that exceeds a limit is killed with its process group, and the failure is returned as an [`EngineError`].

use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use futures::FutureExt;
use noughts_protocol::{Cell, CellError, MoveError, Position};
use rustix::process::{Pid, Signal};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout, timeout_at};

use crate::engines::gomocup::{MAX_LINE_BYTES, printable_excerpt};
use crate::io::line_reader::{LineReader, LineReaderError};

/// Time for a move if the caller sets no limit.
pub(crate) const DEFAULT_MOVE_TIME: Duration = Duration::from_secs(5);
/// Timeout for starting: until the program has accepted a board, or made its first move. Interpreters, virtual machines
/// and engines with large tables start slowly.
pub(super) const START_TIMEOUT: Duration = Duration::from_secs(10);
/// Timeout for exiting after the end of the input.
const EXIT_TIMEOUT: Duration = Duration::from_secs(1);
/// Default of [`ProcessLimits::grace`].
const DEFAULT_GRACE: Duration = Duration::from_millis(500);
/// Default memory limit: 2 GiB, enough for common engines.
pub(crate) const DEFAULT_MEMORY_KIB: u64 = 2 * 1024 * 1024;
/// Maximum number of other lines that an engine may print before the response to a command.
const MAX_OUTPUT_LINES: usize = 1_000;
/// Maximum number of other lines per command that are logged.
const MAX_LOGGED_LINES: usize = 20;
/// Maximum number of bytes of standard error that are logged. The rest is read and discarded.
const MAX_LOGGED_STDERR_BYTES: usize = 16 * 1024;
/// Maximum number of last lines of standard error in the report of an exit.
const MAX_REPORTED_STDERR_LINES: usize = 10;
/// Maximum length of engine output in errors and log messages, in characters.
pub(super) const MAX_EXCERPT_CHARS: usize = 120;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessLimits {
    /// Maximum memory in KiB, enforced with `ulimit -d`; `None` for no limit. Virtual memory that a program only
    /// reserves does not count, because the virtual machines of Java and JavaScript reserve gigabytes.
    pub memory_kib: Option<u64>,
    /// Time beyond the move time before the engine is killed.
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

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EngineError {
    #[error("cannot start engine: {0}")]
    Spawn(String),
    /// The process exited or closed its standard input or output. Contains the last lines of its standard error.
    #[error("engine exited{}{}", .status.map_or_else(String::new, |status| format!(" ({status})")), .stderr.last().map_or_else(String::new, |line| format!(": {line}")))]
    Exited {
        status: Option<ExitStatus>,
        stderr: Vec<String>,
    },
    /// The engine did not respond within this time.
    #[error("no response from the engine within {} ms", .0.as_millis())]
    Timeout(Duration),
    /// The response is not a legal move.
    #[error("illegal move \"{answer}\" from the engine{}", .reason.map_or_else(String::new, |reason| format!(": {reason}")))]
    IllegalMove {
        answer: String,
        reason: Option<IllegalMoveReason>,
    },
    /// The engine wrote this line without having been asked.
    #[error("line \"{0}\" from the engine without a question")]
    UnaskedLine(String),
    /// The engine wrote too many lines, or a line that is too long, before the response.
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

/// Reason why an answer is not a legal move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IllegalMoveReason {
    /// The answer is not the name of a cell of the board.
    #[error(transparent)]
    Cell(#[from] CellError),
    /// The cell cannot be played.
    #[error(transparent)]
    Move(#[from] MoveError),
}

impl EngineError {
    /// Creates the error for an answer that is not a legal move.
    pub(crate) fn illegal_move(
        answer: &str,
        reason: impl Into<Option<IllegalMoveReason>>,
    ) -> EngineError {
        EngineError::IllegalMove {
            answer: printable_excerpt(answer, MAX_EXCERPT_CHARS),
            reason: reason.into(),
        }
    }
}

/// Timeout for a program's answer, counted from the creation of the value.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimeLimit {
    time: Duration,
    deadline: Instant,
}

impl TimeLimit {
    pub(super) fn new(time: Duration) -> TimeLimit {
        TimeLimit {
            time,
            deadline: Instant::now() + time,
        }
    }
}

/// Parses the name of a cell that can be played.
pub(super) fn read_cell(position: &Position, text: &str) -> Result<Cell, EngineError> {
    let rules = position.rules();
    let cell = rules.parse_cell(text).map_err(IllegalMoveReason::Cell);
    cell.and_then(|cell| Ok(position.landing_cell(cell)?))
        .map_err(|reason| EngineError::illegal_move(text, reason))
}

/// A running program. Dropping it kills its process group.
#[derive(Debug)]
pub(super) struct ChildProcess {
    child: tokio::process::Child,
    /// The program and all processes that it has started; `None` once they were killed.
    process_group: Option<Pid>,
    /// `None` after the end of the input.
    stdin: Option<ChildStdin>,
    stdout: LineReader<ChildStdout>,
    /// Task that reads the standard error to its end, and returns the last lines.
    stderr: Option<JoinHandle<Vec<String>>>,
}

impl ChildProcess {
    /// Starts a program by its command line through `/bin/sh`, which also applies the memory limit.
    ///
    /// # Errors
    /// Returns [`EngineError::Spawn`] if the system cannot start the shell.
    pub(super) fn start(command: &str, limits: ProcessLimits) -> Result<ChildProcess, EngineError> {
        let script = match limits.memory_kib {
            Some(kib) => format!("ulimit -d {kib}\n{command}"),
            None => command.to_owned(),
        };
        let mut child = Command::new("/bin/sh")
            .arg("-c")
            .arg(script)
            // Without this variable, Python buffers the output of `print` when it writes to a pipe, unless the program
            // flushes it.
            .env("PYTHONUNBUFFERED", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // With its own process group, the engine does not receive Ctrl-C from the terminal, and `kill` reaches its
            // children.
            .process_group(0)
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| EngineError::Spawn(error.to_string()))?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(EngineError::Spawn("no pipes".to_owned()));
        };
        let process_group = child
            .id()
            .and_then(|id| i32::try_from(id).ok())
            .and_then(Pid::from_raw);
        Ok(ChildProcess {
            child,
            process_group,
            stdin: Some(stdin),
            stdout: LineReader::new(stdout, MAX_LINE_BYTES),
            stderr: Some(tokio::spawn(read_stderr(stderr))),
        })
    }

    /// Writes lines, each with its line end.
    pub(super) async fn send(&mut self, lines: &str, limit: TimeLimit) -> Result<(), EngineError> {
        tracing::trace!(lines, "engine lines sent");
        let Some(stdin) = &mut self.stdin else {
            return Err(self.exit_error().await);
        };
        match timeout_at(limit.deadline, stdin.write_all(lines.as_bytes())).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => {
                tracing::debug!(%error, "engine stdin closed");
                Err(self.exit_error().await)
            }
            Err(_) => Err(EngineError::Timeout(limit.time)),
        }
    }

    async fn read_line(&mut self, limit: TimeLimit) -> Result<String, EngineError> {
        match timeout_at(limit.deadline, self.stdout.next()).await {
            Ok(Ok(Some(line))) => Ok(line),
            Ok(Ok(None)) => Err(self.exit_error().await),
            Ok(Err(LineReaderError::TooLong(_))) => Err(EngineError::TooMuchOutput),
            Ok(Err(LineReaderError::Io(error))) => {
                tracing::debug!(%error, "engine stdout read failed");
                Err(self.exit_error().await)
            }
            Err(_) => Err(EngineError::Timeout(limit.time)),
        }
    }

    /// Returns an error if the program has written a line without having been asked. Blank lines are allowed.
    pub(super) async fn check_silence(&mut self) -> Result<(), EngineError> {
        // The number of lines is limited, because a program can write lines as fast as they are read.
        for _ in 0..MAX_OUTPUT_LINES {
            match self.stdout.next().now_or_never() {
                None | Some(Ok(None)) => return Ok(()),
                Some(Ok(Some(line))) if line.trim().is_empty() => {}
                Some(Ok(Some(line))) => {
                    let excerpt = printable_excerpt(&line, MAX_EXCERPT_CHARS);
                    return Err(EngineError::UnaskedLine(excerpt));
                }
                Some(Err(LineReaderError::TooLong(_))) => break,
                Some(Err(LineReaderError::Io(error))) => {
                    tracing::debug!(%error, "engine stdout read failed");
                    return Err(self.exit_error().await);
                }
            }
        }
        Err(EngineError::TooMuchOutput)
    }

    /// Reads lines until `read` returns a response or an error, but at most [`MAX_OUTPUT_LINES`]. Logs the other lines.
    pub(super) async fn wait_for_response<T>(
        &mut self,
        limit: TimeLimit,
        read: impl Fn(&str) -> Result<Option<T>, EngineError>,
    ) -> Result<T, EngineError> {
        for line_count in 0..MAX_OUTPUT_LINES {
            let line = self.read_line(limit).await?;
            if let Some(response) = read(&line)? {
                return Ok(response);
            }
            if line_count < MAX_LOGGED_LINES {
                tracing::info!(line = %printable_excerpt(&line, MAX_EXCERPT_CHARS), "engine output");
            }
        }
        Err(EngineError::TooMuchOutput)
    }

    /// Sends the lines that end the program, closes its input, and waits for the exit. Dropping `self` then kills a
    /// process that is still running.
    pub(super) async fn end(mut self, last_lines: &str) {
        let limit = TimeLimit::new(EXIT_TIMEOUT);
        if self.send(last_lines, limit).await.is_err() {
            return;
        }
        // Closes the pipe, which `shutdown` does not do.
        self.stdin = None;
        if timeout_at(limit.deadline, self.child.wait()).await.is_err() {
            tracing::debug!("engine did not exit and is killed");
        }
    }

    /// Kills a program that has closed its pipe. Returns its exit status as the error.
    async fn exit_error(&mut self) -> EngineError {
        // The process may have closed its pipes and still be running.
        let status = timeout(EXIT_TIMEOUT, self.child.wait()).await;
        // Kills children that keep the standard error open.
        self.kill();
        let stderr = match self.stderr.take() {
            Some(reader) => timeout(EXIT_TIMEOUT, reader).await.ok(),
            None => None,
        };
        EngineError::Exited {
            status: status.ok().and_then(Result::ok),
            stderr: stderr.and_then(Result::ok).unwrap_or_default(),
        }
    }

    /// Returns the process group, so that a test can wait for its end.
    #[cfg(test)]
    pub(super) fn process_group(&self) -> Option<Pid> {
        self.process_group
    }

    /// Kills the process group, but only once, because the system may reuse the id of an empty group.
    fn kill(&mut self) {
        if let Some(group) = self.process_group.take()
            && let Err(error) = rustix::process::kill_process_group(group, Signal::KILL)
        {
            tracing::debug!(%error, "engine process group kill failed");
        }
    }
}

impl Drop for ChildProcess {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Reads a program's standard error to its end, so that the program never blocks on it. Returns the last lines, and
/// logs the text up to a limit.
async fn read_stderr(mut stderr: ChildStderr) -> Vec<String> {
    let (mut lines, mut chunk) = (StderrLines::default(), Vec::with_capacity(MAX_LINE_BYTES));
    loop {
        chunk.clear();
        match stderr.read_buf(&mut chunk).await {
            Ok(0) => break,
            Ok(_) => lines.add(&chunk),
            Err(error) => {
                tracing::debug!(%error, "engine stderr read failed");
                break;
            }
        }
    }
    lines.end_line();
    lines.last
}

/// Lines of standard error. A progress bar ends its lines with `\r`, and a dump may have no line end at all.
#[derive(Debug, Default)]
struct StderrLines {
    /// The current line so far, at most [`MAX_LINE_BYTES`]. The rest of a longer line is dropped.
    line: Vec<u8>,
    logged_bytes: usize,
    last: Vec<String>,
}

impl StderrLines {
    fn add(&mut self, bytes: &[u8]) {
        for piece in bytes.split_inclusive(|byte| b"\r\n".contains(byte)) {
            let room = MAX_LINE_BYTES - self.line.len();
            self.line.extend(piece.iter().take(room));
            if piece.ends_with(b"\n") || piece.ends_with(b"\r") {
                self.end_line();
            }
        }
    }

    /// Keeps the line, unless it is blank.
    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(line.trim_ascii_end());
        if line.is_empty() {
            return;
        }
        let excerpt = printable_excerpt(&line, MAX_EXCERPT_CHARS);
        if self.logged_bytes < MAX_LOGGED_STDERR_BYTES {
            self.logged_bytes += line.len() + 1;
            tracing::info!(line = %excerpt, "engine stderr");
        }
        if self.last.len() == MAX_REPORTED_STDERR_LINES {
            self.last.remove(0);
        }
        self.last.push(excerpt);
    }
}
