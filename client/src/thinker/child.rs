//! A program that speaks the Gomocup protocol, as a child process within limits of time and memory. One
//! that misbehaves is killed, with whatever it has started, and told of.

use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use noughts_protocol::{Cell, Position, Rules};
use rustix::process::{Pid, Signal};
use tokio::io::AsyncWriteExt;
use tokio::process::{ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::time::{Instant, sleep_until, timeout, timeout_at};

use crate::gomocup::brief::Told;
use crate::gomocup::{MAX_LINE, Order, Say, can_play};
use crate::lines::{Lines, LinesError};

/// The time for a move where nobody says another.
pub const TURN: Duration = Duration::from_secs(5);
/// How long a program may take to be ready for a board: interpreters and large tables are slow.
const START: Duration = Duration::from_secs(10);
/// How long to wait for its name.
const NAME: Duration = Duration::from_secs(2);
/// How long it may take to end after it was told to.
const END: Duration = Duration::from_secs(1);
/// Some programs do not hear a command that follows within a millisecond of their own move.
const BREATH: Duration = Duration::from_millis(20);
/// Of the time for a move, what is left to the pipe and a busy machine at most.
const RESERVE: Duration = Duration::from_millis(100);
/// By how much a move may be late.
const GRACE: Duration = Duration::from_millis(500);
/// Memory enough for the engines that are about: two gigabytes.
pub const DEFAULT_MEMORY_KIB: u64 = 2 * 1024 * 1024;
/// Lines that it may say beside its answer to one command.
const MAX_TALK: usize = 1_000;
/// Lines beside its answer that are logged.
const LOGGED: usize = 20;
/// Bytes of its error output that are logged; what follows is read and forgotten.
const LOGGED_ERRORS: usize = 16 * 1024;

/// What a program is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most memory in KiB, as `ulimit -v` counts; none: no limit.
    pub memory_kib: Option<u64>,
    /// By how much a move may be later than the time for it before the program is killed.
    pub grace: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { memory_kib: Some(DEFAULT_MEMORY_KIB), grace: GRACE }
    }
}

/// What a program did wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The system does not start it.
    #[error("it does not start: {0}")]
    Start(String),
    /// It ended, or no longer hears.
    #[error("it ended{}", .0.map_or_else(String::new, |status| format!(" ({status})")))]
    Ended(Option<ExitStatus>),
    /// It did not answer in its time.
    #[error("it did not answer within {} ms", .0.as_millis())]
    Late(Duration),
    /// Its answer is no move that can be played.
    #[error("it answered «{0}», which is no move here")]
    Illegal(String),
    /// It says too much.
    #[error("it says too much")]
    Flood,
    /// It says that it cannot.
    #[error("it says: {0}")]
    Refused(String),
    /// Its protocol has no words for the rules.
    #[error("its protocol cannot name these rules")]
    Rules,
    /// The game is over.
    #[error("there is no move")]
    NoMove,
}

/// A running program. Dropping it kills it and whatever it has started.
#[derive(Debug)]
pub struct Child {
    process: tokio::process::Child,
    /// Itself and whatever it has started.
    group: Option<Pid>,
    to: ChildStdin,
    from: Lines<ChildStdout>,
    limits: Limits,
    told: Told,
    /// When it last said something that was waited for.
    answered: Option<Instant>,
}

impl Child {
    /// Starts the program of a command line, through the shell: that is also what limits its memory.
    ///
    /// # Errors
    /// When there is no shell, or no process is to be had.
    pub fn start(command: &str, limits: Limits) -> Result<Child, Fault> {
        let script = match limits.memory_kib {
            Some(kib) => format!("ulimit -v {kib}\n{command}"),
            None => command.to_owned(),
        };
        let mut process = Command::new("/bin/sh")
            .arg("-c")
            .arg(script)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // A group of its own: Ctrl-C at the terminal is for us, and what it starts ends with it.
            .process_group(0)
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| Fault::Start(error.to_string()))?;
        let pipes = (process.stdin.take(), process.stdout.take(), process.stderr.take());
        let (Some(to), Some(from), Some(errors)) = pipes else {
            return Err(Fault::Start("no pipes".to_owned()));
        };
        tokio::spawn(log_errors(errors));
        let group = process.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        let from = Lines::new(from, MAX_LINE);
        Ok(Child { process, group, to, from, limits, told: Told::default(), answered: None })
    }

    /// Asks for its name, and whether it knows the board. Programs need not have a name.
    pub(super) async fn introduce(&mut self, rules: &Rules) -> Result<Option<String>, Fault> {
        if !can_play(rules) {
            return Err(Fault::Rules);
        }
        let until = Instant::now() + START;
        let (width, height) = (rules.width(), rules.height());
        let start = if width == height { Order::Start(width) } else { Order::RectStart(width, height) };
        self.tell(&[start], until).await?;
        self.answer(until, START, |say| matches!(say, Say::Ok).then_some(())).await?;
        let until = Instant::now() + NAME;
        self.tell(&[Order::About], until).await?;
        let named = self.answer(until, NAME, |say| Some(say.name().map(str::to_owned))).await;
        match named {
            Ok(name) => Ok(name),
            Err(Fault::Late(_) | Fault::Refused(_)) => Ok(None),
            Err(fault) => Err(fault),
        }
    }

    /// Its move in this position, within the time for it.
    pub(super) async fn choose(&mut self, position: &Position, turn: Duration) -> Result<Cell, Fault> {
        let told = turn - (turn / 5).min(RESERVE);
        let brief = self.told.brief(position, told).ok_or(Fault::Rules)?;
        if position.legal_count() == 0 {
            return Err(Fault::NoMove);
        }
        if let Some(answered) = self.answered {
            sleep_until(answered + BREATH).await;
        }
        if let Some(start) = brief.start {
            let until = Instant::now() + START;
            self.tell(&[start], until).await?;
            self.answer(until, START, |say| matches!(say, Say::Ok).then_some(())).await?;
        }
        let until = Instant::now() + turn + self.limits.grace;
        self.tell(&brief.ask, until).await?;
        let point = self.answer(until, turn + self.limits.grace, |say| match say {
            Say::Move(point) => Some(*point),
            Say::Ok | Say::Error(_) | Say::Unknown(_) | Say::Message(_) | Say::Debug(_) | Say::About(_) => {
                None
            }
        });
        let point = point.await?;
        let cell = point.cell(position.rules()).filter(|&cell| position.is_legal(cell));
        let cell = cell.ok_or_else(|| Fault::Illegal(point.to_string()))?;
        self.told.knows(position, cell);
        Ok(cell)
    }

    /// Tells it to end, and sees to it that it does.
    pub(super) async fn end(mut self) {
        let until = Instant::now() + END;
        if self.tell(&[Order::End], until).await.is_ok()
            && timeout_at(until, self.process.wait()).await.is_err()
        {
            tracing::debug!("an engine does not end by itself");
        }
    }

    async fn tell(&mut self, orders: &[Order], until: Instant) -> Result<(), Fault> {
        let mut text = String::new();
        for order in orders {
            tracing::trace!(%order, "to the engine");
            text.push_str(&format!("{order}\n"));
        }
        match timeout_at(until, self.to.write_all(text.as_bytes())).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => {
                tracing::debug!(%error, "the engine does not hear");
                Err(self.ended().await)
            }
            Err(_) => Err(Fault::Late(END)),
        }
    }

    /// Waits for the line that is `wanted`, and passes over what it says to others, up to a limit.
    async fn answer<T>(
        &mut self,
        until: Instant,
        within: Duration,
        wanted: impl Fn(&Say) -> Option<T>,
    ) -> Result<T, Fault> {
        for talk in 0..MAX_TALK {
            let line = match timeout_at(until, self.from.next()).await {
                Ok(Ok(Some(line))) => line,
                Ok(Ok(None)) => return Err(self.ended().await),
                Ok(Err(LinesError::TooLong(_))) => return Err(Fault::Flood),
                Ok(Err(LinesError::Io(error))) => {
                    tracing::debug!(%error, "the engine's pipe");
                    return Err(self.ended().await);
                }
                Err(_) => return Err(Fault::Late(within)),
            };
            let say = line.parse::<Say>();
            if let Some(answer) = say.as_ref().ok().and_then(&wanted) {
                self.answered = Some(Instant::now());
                return Ok(answer);
            }
            match say {
                Ok(Say::Error(text)) => return Err(Fault::Refused(shortened(&text))),
                Ok(Say::Move(_)) => return Err(Fault::Illegal(shortened(&line))),
                // Something that was to be a move.
                Err(_) if is_like_a_move(&line) => {
                    return Err(Fault::Illegal(shortened(&line)));
                }
                // A command that it does not know, such as one of the times, is no fault.
                Ok(Say::Unknown(_) | Say::Message(_) | Say::Debug(_) | Say::About(_) | Say::Ok) | Err(_) => {
                    if talk < LOGGED {
                        tracing::info!(line = %shortened(&line), "the engine says");
                    }
                }
            }
        }
        Err(Fault::Flood)
    }

    /// It does not hear or say anything any more: why.
    async fn ended(&mut self) -> Fault {
        // It may have closed its pipes and live on.
        let status = timeout(END, self.process.wait()).await;
        self.kill();
        Fault::Ended(status.ok().and_then(Result::ok))
    }
}

impl Child {
    /// Kills it and all that it has started. Once only: when nothing of the group is left, its number may
    /// some day be another's.
    fn kill(&mut self) {
        if let Some(group) = self.group.take()
            && let Err(error) = rustix::process::kill_process_group(group, Signal::KILL)
        {
            tracing::debug!(%error, "the engine was gone first");
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Logs the error output of a program, up to a limit, and reads the rest so that it does not wait for us.
async fn log_errors(errors: ChildStderr) {
    let mut lines = Lines::new(errors, MAX_LINE);
    let mut logged = 0;
    loop {
        match lines.next().await {
            Ok(Some(line)) if logged < LOGGED_ERRORS => {
                logged += line.len() + 1;
                tracing::info!(line = %shortened(&line), "the engine's errors");
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
fn is_like_a_move(line: &str) -> bool {
    let line = line.trim_start();
    let begins_with_figure = |text: &str| text.starts_with(|first: char| first.is_ascii_digit());
    let after_first = line.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let is_point = begins_with_figure(line) && after_first.strip_prefix(',').is_some_and(begins_with_figure);
    let is_talk = line.contains(|letter: char| letter.is_alphabetic());
    is_point || ((begins_with_figure(line) || line.starts_with('-')) && !is_talk)
}

/// As much of what a strange program says as is safe to show.
fn shortened(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).take(120).collect()
}

#[cfg(test)]
mod tests;
