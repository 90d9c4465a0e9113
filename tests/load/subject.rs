//! What is measured: a server as a process of its own, on a core of its own.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use anyhow::Context;
use noughts_tests::program::{self, Folder};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use tokio::time::Instant;

use crate::line::Framing;

/// A kind of server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Subject {
    /// The floor that the chosen libraries set: all ratios are to this one.
    Relay,
    /// The floor that the kernel sets.
    Raw,
    /// The product, keeping nothing.
    Memory,
    /// The product, safe against its own end.
    Process,
    /// The product, safe against the machine's end.
    Power,
}

impl Subject {
    /// All of them, references first.
    pub(crate) const ALL: [Subject; 5] =
        [Subject::Relay, Subject::Raw, Subject::Memory, Subject::Process, Subject::Power];

    /// As tables call it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Subject::Relay => "relay",
            Subject::Raw => "raw tcp",
            Subject::Memory => "memory",
            Subject::Process => "process",
            Subject::Power => "power",
        }
    }

    /// How it is spoken to.
    pub(crate) fn framing(self) -> Framing {
        match self {
            Subject::Raw => Framing::Tcp,
            Subject::Relay | Subject::Memory | Subject::Process | Subject::Power => Framing::WebSocket,
        }
    }

    fn command(self, folder: &Folder) -> anyhow::Result<Command> {
        let data = folder.path().to_str().context("a folder with a plain name")?;
        let storage: &[&str] = match self {
            Subject::Relay => return relay("web-socket"),
            Subject::Raw => return relay("tcp"),
            Subject::Memory => &["--data", "memory"],
            Subject::Process => &["--data", data, "--durability", "process"],
            Subject::Power => &["--data", data, "--durability", "power"],
        };
        let mut command = Command::new(program::path("noughts-server"));
        command.args(["--listen", "127.0.0.1:0"]).args(storage).env("RUST_LOG", "warn");
        // One address stands for a whole world of players here.
        for wide in ["--max-per-address", "--burst", "--per-second"] {
            command.args([wide, "1000000"]);
        }
        Ok(command)
    }
}

fn relay(framing: &str) -> anyhow::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["relay", framing]);
    Ok(command)
}

/// A server that runs, until this is dropped.
#[derive(Debug)]
pub(crate) struct Running {
    child: Child,
    /// Held open: it has more to say than is read.
    _stdout: BufReader<ChildStdout>,
    /// Where it listens.
    pub(crate) address: SocketAddr,
    /// From the start of the process until it listened.
    pub(crate) started_in: Duration,
    _folder: Folder,
}

impl Running {
    /// Starts a server on the machine's first core.
    pub(crate) fn start(subject: Subject) -> anyhow::Result<Running> {
        let folder = Folder::default();
        let mut command = subject.command(&folder)?;
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let began = Instant::now();
        let mut child = on_core(0, || command.spawn()).context("the server does not start")?;
        let mut line = String::new();
        let mut stdout = BufReader::new(child.stdout.take().context("piped")?);
        stdout.read_line(&mut line)?;
        let started_in = began.elapsed();
        let address = line.trim().trim_start_matches("ws://").trim_end_matches("/ws");
        let address = address.parse().with_context(|| format!("{line:?} names no address"))?;
        Ok(Running { child, _stdout: stdout, address, started_in, _folder: folder })
    }

    /// The process.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended already; it is ours in any case.
        let (Ok(()) | Err(_)) = self.child.kill();
        let (Ok(_) | Err(_)) = self.child.wait();
    }
}

/// Does something while this thread may run on one core only; a child that it starts inherits that.
fn on_core<T>(core: usize, what: impl FnOnce() -> std::io::Result<T>) -> std::io::Result<T> {
    let before = sched_getaffinity(None)?;
    pin(core)?;
    let done = what();
    sched_setaffinity(None, &before)?;
    done
}

/// Keeps this thread on a core. A machine with one core has no choice to make.
pub(crate) fn pin(core: usize) -> std::io::Result<()> {
    let allowed = sched_getaffinity(None)?;
    if !allowed.is_set(core) {
        return Ok(());
    }
    let mut only = CpuSet::new();
    only.set(core);
    Ok(sched_setaffinity(None, &only)?)
}
