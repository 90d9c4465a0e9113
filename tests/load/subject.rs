//! What is measured: a server as a process of its own, on a core of its own.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::LazyLock;
use std::time::Duration;

use anyhow::{Context, ensure};
use clap::ValueEnum;
use noughts_tests::program::{self, Folder};
use rustix::thread::{CpuSet, Pid, sched_getaffinity, sched_setaffinity};
use tokio::time::Instant;

use crate::line::Framing;
use crate::player::Dialect;

/// A kind of server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
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
    /// Node and its package `ws`, by hand.
    NodeWs,
    /// Colyseus, telling what has changed at once.
    ColyseusTuned,
    /// Colyseus as its documentation has it: every 50 ms.
    Colyseus,
    /// boardgame.io.
    Boardgame,
}

impl Subject {
    /// What needs nothing but this workspace, references first.
    pub(crate) const OWN: [Subject; 5] =
        [Subject::Relay, Subject::Raw, Subject::Memory, Subject::Process, Subject::Power];

    /// What others play the same game on, if Node and its packages are there.
    pub(crate) const PEERS: [Subject; 4] =
        [Subject::NodeWs, Subject::ColyseusTuned, Subject::Colyseus, Subject::Boardgame];

    /// As tables call it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Subject::Relay => "relay",
            Subject::Raw => "raw tcp",
            Subject::Memory => "memory",
            Subject::Process => "process",
            Subject::Power => "power",
            Subject::NodeWs => "node ws",
            Subject::ColyseusTuned => "colyseus tuned",
            Subject::Colyseus => "colyseus",
            Subject::Boardgame => "boardgame.io",
        }
    }

    /// How it is spoken to.
    pub(crate) fn dialect(self) -> Dialect {
        match self {
            Subject::Raw => Dialect::Noughts(Framing::Tcp),
            Subject::Relay | Subject::Memory | Subject::Process | Subject::Power | Subject::NodeWs => {
                Dialect::Noughts(Framing::WebSocket)
            }
            Subject::ColyseusTuned | Subject::Colyseus => Dialect::Colyseus,
            Subject::Boardgame => Dialect::Boardgame,
        }
    }

    fn command(self, folder: &Folder, peers: Option<&Path>) -> anyhow::Result<Command> {
        let data = folder.path().to_str().context("a folder with a plain name")?;
        let storage: &[&str] = match self {
            Subject::Relay => return relay("web-socket"),
            Subject::Raw => return relay("tcp"),
            Subject::Memory => &["--data", "memory"],
            Subject::Process => &["--data", data, "--durability", "process"],
            Subject::Power => &["--data", data, "--durability", "power"],
            Subject::NodeWs => return node(peers, &["ws.mjs"]),
            Subject::ColyseusTuned => return node(peers, &["colyseus.mjs", "tuned"]),
            Subject::Colyseus => return node(peers, &["colyseus.mjs"]),
            Subject::Boardgame => return node(peers, &["boardgame.cjs"]),
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

fn node(peers: Option<&Path>, program: &[&str]) -> anyhow::Result<Command> {
    let mut command = Command::new("node");
    command.args(program).env("NODE_ENV", "production");
    command.current_dir(peers.context("the folder with the servers of Node is not given")?);
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
    /// Starts a server on a core of its own.
    pub(crate) fn start(subject: Subject, peers: Option<&Path>) -> anyhow::Result<Running> {
        let folder = Folder::default();
        let mut command = subject.command(&folder, peers)?;
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let began = Instant::now();
        let mut child = on(SERVER, || command.spawn()).context("the server does not start")?;
        let its = sched_getaffinity(Some(Pid::from_child(&child)))?;
        ensure!(its == only(CORES[SERVER]), "the server is not on its core");
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

/// Whose core is which.
const SERVER: usize = 0;
const GENERATOR: usize = 1;

/// The first two cores that this process was given, or the only one twice.
static CORES: LazyLock<[usize; 2]> = LazyLock::new(|| {
    let given = sched_getaffinity(None).expect("a process may see its cores");
    let mut given = (0..CpuSet::MAX_CPU).filter(|&core| given.is_set(core));
    let first = given.next().expect("it runs on one");
    [first, given.next().unwrap_or(first)]
});

/// Keeps this thread, which is the generator, on its core, and says whether the server will have another.
pub(crate) fn keep_apart() -> std::io::Result<bool> {
    sched_setaffinity(None, &only(CORES[GENERATOR]))?;
    Ok(CORES[GENERATOR] != CORES[SERVER])
}

/// Does something while this thread may run on one core only; a child that it starts inherits that.
fn on<T>(whose: usize, what: impl FnOnce() -> std::io::Result<T>) -> std::io::Result<T> {
    let before = sched_getaffinity(None)?;
    sched_setaffinity(None, &only(CORES[whose]))?;
    let done = what();
    sched_setaffinity(None, &before)?;
    done
}

fn only(core: usize) -> CpuSet {
    let mut only = CpuSet::new();
    only.set(core);
    only
}
