//! What is measured: a server as a process of its own, on a core of its own.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::LazyLock;
use std::time::Duration;

use anyhow::{Context, ensure};
use clap::ValueEnum;
use noughts_tests::program::{self, TempDir};
use rustix::thread::{CpuSet, Pid, sched_getaffinity, sched_setaffinity};
use tokio::time::Instant;

use crate::player::PlayerProtocol;
use crate::websocket::Framing;

/// A kind of server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(crate) enum LoadTarget {
    /// The floor that the chosen libraries set: all ratios are to this one.
    #[value(name = "relay")]
    Baseline,
    /// The floor that the kernel sets.
    #[value(name = "raw")]
    BaselineTcp,
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

impl LoadTarget {
    /// What needs nothing but this workspace, references first.
    pub(crate) const BUILT_IN: [LoadTarget; 5] = [
        LoadTarget::Baseline,
        LoadTarget::BaselineTcp,
        LoadTarget::Memory,
        LoadTarget::Process,
        LoadTarget::Power,
    ];

    /// What others play the same game on, if Node and its packages are there.
    pub(crate) const NODE_SERVERS: [LoadTarget; 4] =
        [LoadTarget::NodeWs, LoadTarget::ColyseusTuned, LoadTarget::Colyseus, LoadTarget::Boardgame];

    /// As tables call it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            LoadTarget::Baseline => "relay",
            LoadTarget::BaselineTcp => "raw tcp",
            LoadTarget::Memory => "memory",
            LoadTarget::Process => "process",
            LoadTarget::Power => "power",
            LoadTarget::NodeWs => "node ws",
            LoadTarget::ColyseusTuned => "colyseus tuned",
            LoadTarget::Colyseus => "colyseus",
            LoadTarget::Boardgame => "boardgame.io",
        }
    }

    /// How it is spoken to.
    pub(crate) fn protocol(self) -> PlayerProtocol {
        match self {
            LoadTarget::BaselineTcp => PlayerProtocol::Noughts(Framing::Tcp),
            LoadTarget::Baseline
            | LoadTarget::Memory
            | LoadTarget::Process
            | LoadTarget::Power
            | LoadTarget::NodeWs => PlayerProtocol::Noughts(Framing::WebSocket),
            LoadTarget::ColyseusTuned | LoadTarget::Colyseus => PlayerProtocol::Colyseus,
            LoadTarget::Boardgame => PlayerProtocol::Boardgame,
        }
    }

    fn command(self, folder: &TempDir, node_folder: Option<&Path>) -> anyhow::Result<Command> {
        let data = folder.path().to_str().context("a folder with a plain name")?;
        let storage: &[&str] = match self {
            LoadTarget::Baseline => return baseline_command("web-socket"),
            LoadTarget::BaselineTcp => return baseline_command("tcp"),
            LoadTarget::Memory => &["--data", "memory"],
            LoadTarget::Process => &["--data", data, "--durability", "process"],
            LoadTarget::Power => &["--data", data, "--durability", "power"],
            LoadTarget::NodeWs => return node_command(node_folder, &["ws.mjs"]),
            LoadTarget::ColyseusTuned => return node_command(node_folder, &["colyseus.mjs", "tuned"]),
            LoadTarget::Colyseus => return node_command(node_folder, &["colyseus.mjs"]),
            LoadTarget::Boardgame => return node_command(node_folder, &["boardgame.cjs"]),
        };
        let mut command = Command::new(program::binary_path("noughts-server"));
        command.args(["--listen", "127.0.0.1:0"]).args(storage).env("RUST_LOG", "warn");
        // One address stands for a whole world of players here.
        for flag in ["--max-per-address", "--burst", "--per-second"] {
            command.args([flag, "1000000"]);
        }
        Ok(command)
    }
}

fn baseline_command(framing: &str) -> anyhow::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["relay", framing]);
    Ok(command)
}

fn node_command(node_folder: Option<&Path>, program: &[&str]) -> anyhow::Result<Command> {
    let mut command = Command::new("node");
    command.args(program).env("NODE_ENV", "production");
    command.current_dir(node_folder.context("the folder with the servers of Node is not given")?);
    Ok(command)
}

/// A server that runs, until this is dropped.
#[derive(Debug)]
pub(crate) struct TargetProcess {
    child: Child,
    /// Held open: it has more to say than is read.
    _stdout: BufReader<ChildStdout>,
    /// Where it listens.
    pub(crate) address: SocketAddr,
    /// From the start of the process until it listened.
    pub(crate) startup_time: Duration,
    _folder: TempDir,
}

impl TargetProcess {
    /// Starts a server on a core of its own.
    pub(crate) fn start(target: LoadTarget, node_folder: Option<&Path>) -> anyhow::Result<TargetProcess> {
        let folder = TempDir::default();
        let mut command = target.command(&folder, node_folder)?;
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let began = Instant::now();
        let mut child = run_pinned(SERVER_CORE, || command.spawn()).context("the server does not start")?;
        let affinity = sched_getaffinity(Some(Pid::from_child(&child)))?;
        ensure!(affinity == single_cpu(CORES[SERVER_CORE]), "the server is not on its core");
        let mut line = String::new();
        let mut stdout = BufReader::new(child.stdout.take().context("piped")?);
        stdout.read_line(&mut line)?;
        let startup_time = began.elapsed();
        let address = line.trim().trim_start_matches("ws://").trim_end_matches("/ws");
        let address = address.parse().with_context(|| format!("{line:?} names no address"))?;
        Ok(TargetProcess { child, _stdout: stdout, address, startup_time, _folder: folder })
    }

    /// The process.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for TargetProcess {
    fn drop(&mut self) {
        // It may have ended already; it is ours in any case.
        let (Ok(()) | Err(_)) = self.child.kill();
        let (Ok(_) | Err(_)) = self.child.wait();
    }
}

/// Whose core is which.
const SERVER_CORE: usize = 0;
const GENERATOR_CORE: usize = 1;

/// The first two cores that this process was given, or the only one twice.
static CORES: LazyLock<[usize; 2]> = LazyLock::new(|| {
    let given = sched_getaffinity(None).expect("a process may see its cores");
    let mut given = (0..CpuSet::MAX_CPU).filter(|&core| given.is_set(core));
    let first = given.next().expect("it runs on one");
    [first, given.next().unwrap_or(first)]
});

/// Keeps this thread, which is the generator, on its core, and says whether the server will have another.
pub(crate) fn pin_generator() -> std::io::Result<bool> {
    sched_setaffinity(None, &single_cpu(CORES[GENERATOR_CORE]))?;
    Ok(CORES[GENERATOR_CORE] != CORES[SERVER_CORE])
}

/// Does something while this thread may run on one core only; a child that it starts inherits that.
fn run_pinned<T>(core: usize, action: impl FnOnce() -> std::io::Result<T>) -> std::io::Result<T> {
    let before = sched_getaffinity(None)?;
    sched_setaffinity(None, &single_cpu(CORES[core]))?;
    let result = action();
    sched_setaffinity(None, &before)?;
    result
}

fn single_cpu(core: usize) -> CpuSet {
    let mut cpus = CpuSet::new();
    cpus.set(core);
    cpus
}
