//! Server under test, in its own process on its own core.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::PathBuf;
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

/// Server programs that this workspace does not build.
#[derive(Debug, Default)]
pub(crate) struct ServerPrograms {
    /// Folder with the servers for Node and their packages.
    pub(crate) node_folder: Option<PathBuf>,
    /// Another build of `noughts-server`.
    pub(crate) other_build: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(crate) enum LoadTarget {
    /// Minimal server on the product's libraries; all ratios are relative to it.
    #[value(name = "relay")]
    Baseline,
    /// Minimal server on bare TCP.
    #[value(name = "raw")]
    BaselineTcp,
    /// The product with its log in memory.
    Memory,
    /// The product with a log that survives the process.
    Process,
    /// The product with a log that survives a power loss.
    Power,
    /// Another build of the product with its log in memory.
    OtherMemory,
    /// Another build of the product with a log that survives the process.
    OtherProcess,
    /// Handwritten server on Node and its package `ws`.
    NodeWs,
    /// Colyseus with immediate state patches.
    ColyseusTuned,
    /// Colyseus with its default patch interval of 50 ms.
    Colyseus,
    Boardgame,
}

impl LoadTarget {
    /// Servers that this workspace builds, baselines first.
    pub(crate) const BUILT_IN: [LoadTarget; 5] = [
        LoadTarget::Baseline,
        LoadTarget::BaselineTcp,
        LoadTarget::Memory,
        LoadTarget::Process,
        LoadTarget::Power,
    ];

    /// Servers that need Node and its packages.
    pub(crate) const NODE_SERVERS: [LoadTarget; 4] = [
        LoadTarget::NodeWs,
        LoadTarget::ColyseusTuned,
        LoadTarget::Colyseus,
        LoadTarget::Boardgame,
    ];

    /// Another build of the product, for a comparison of two versions in one run.
    pub(crate) const OTHER_BUILD: [LoadTarget; 2] =
        [LoadTarget::OtherMemory, LoadTarget::OtherProcess];

    /// Returns the name in tables.
    pub(crate) fn name(self) -> &'static str {
        match self {
            LoadTarget::Baseline => "relay",
            LoadTarget::BaselineTcp => "raw tcp",
            LoadTarget::Memory => "memory",
            LoadTarget::Process => "process",
            LoadTarget::Power => "power",
            LoadTarget::OtherMemory => "other memory",
            LoadTarget::OtherProcess => "other process",
            LoadTarget::NodeWs => "node ws",
            LoadTarget::ColyseusTuned => "colyseus tuned",
            LoadTarget::Colyseus => "colyseus",
            LoadTarget::Boardgame => "boardgame.io",
        }
    }

    /// Returns the protocol of the server.
    pub(crate) fn protocol(self) -> PlayerProtocol {
        match self {
            LoadTarget::BaselineTcp => PlayerProtocol::Noughts(Framing::Tcp),
            LoadTarget::Baseline
            | LoadTarget::Memory
            | LoadTarget::Process
            | LoadTarget::Power
            | LoadTarget::OtherMemory
            | LoadTarget::OtherProcess
            | LoadTarget::NodeWs => PlayerProtocol::Noughts(Framing::WebSocket),
            LoadTarget::ColyseusTuned | LoadTarget::Colyseus => PlayerProtocol::Colyseus,
            LoadTarget::Boardgame => PlayerProtocol::Boardgame,
        }
    }

    fn command(self, folder: &TempDir, programs: &ServerPrograms) -> anyhow::Result<Command> {
        let data = folder.path().to_str().context("the path is not UTF-8")?;
        let storage: &[&str] = match self {
            LoadTarget::Baseline => return baseline_command("web-socket"),
            LoadTarget::BaselineTcp => return baseline_command("tcp"),
            LoadTarget::Memory | LoadTarget::OtherMemory => &["--data", "memory"],
            LoadTarget::Process | LoadTarget::OtherProcess => {
                &["--data", data, "--durability", "process"]
            }
            LoadTarget::Power => &["--data", data, "--durability", "power"],
            LoadTarget::NodeWs => return node_command(programs, &["ws.mjs"]),
            LoadTarget::ColyseusTuned => return node_command(programs, &["colyseus.mjs", "tuned"]),
            LoadTarget::Colyseus => return node_command(programs, &["colyseus.mjs"]),
            LoadTarget::Boardgame => return node_command(programs, &["boardgame.cjs"]),
        };
        let program = if LoadTarget::OTHER_BUILD.contains(&self) {
            programs
                .other_build
                .clone()
                .context("the other build of the server is not given")?
        } else {
            program::binary_path("noughts-server")
        };
        let mut command = Command::new(program);
        command
            .args(["--listen", "127.0.0.1:0"])
            .args(storage)
            .env("RUST_LOG", "warn");
        // All players share one address.
        command.args(["--max-per-address", "1000000"]);
        command.args(["--set", "rate-burst=1000000,rate-per-second=1000000"]);
        Ok(command)
    }
}

fn baseline_command(framing: &str) -> anyhow::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["relay", framing]);
    Ok(command)
}

fn node_command(programs: &ServerPrograms, program: &[&str]) -> anyhow::Result<Command> {
    let mut command = Command::new("node");
    command.args(program).env("NODE_ENV", "production");
    let folder = programs.node_folder.as_ref();
    command.current_dir(folder.context("the folder of the Node servers is missing (--node)")?);
    Ok(command)
}

/// Running server, killed when dropped.
#[derive(Debug)]
pub(crate) struct TargetProcess {
    child: Child,
    /// Kept open, because a server that prints more must not fail.
    _stdout: BufReader<ChildStdout>,
    pub(crate) address: SocketAddr,
    /// Time from the start of the process until it listens.
    pub(crate) startup_time: Duration,
    _folder: TempDir,
}

impl TargetProcess {
    /// Starts a server on its own core.
    pub(crate) fn start(
        target: LoadTarget,
        programs: &ServerPrograms,
    ) -> anyhow::Result<TargetProcess> {
        let folder = TempDir::default();
        let mut command = target.command(&folder, programs)?;
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit());
        let began = Instant::now();
        let mut child =
            run_pinned(SERVER_CORE, || command.spawn()).context("cannot start the server")?;
        let affinity = sched_getaffinity(Some(Pid::from_child(&child)))?;
        ensure!(
            affinity == single_cpu(CORES[SERVER_CORE]),
            "the server is not pinned to its core"
        );
        let mut line = String::new();
        let mut stdout = BufReader::new(child.stdout.take().context("stdout is piped")?);
        stdout.read_line(&mut line)?;
        let startup_time = began.elapsed();
        let address = line
            .trim()
            .trim_start_matches("Browser: http://")
            .trim_end_matches('/');
        let address = address
            .parse()
            .with_context(|| format!("no address in {line:?}"))?;
        Ok(TargetProcess {
            child,
            _stdout: stdout,
            address,
            startup_time,
            _folder: folder,
        })
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for TargetProcess {
    fn drop(&mut self) {
        // The process may have ended already.
        let (Ok(()) | Err(_)) = self.child.kill();
        let (Ok(_) | Err(_)) = self.child.wait();
    }
}

/// Indexes of the cores in `CORES`.
const SERVER_CORE: usize = 0;
const GENERATOR_CORE: usize = 1;

/// First two cores that this process may use; the same core twice if it may use only one.
static CORES: LazyLock<[usize; 2]> = LazyLock::new(|| {
    let given = sched_getaffinity(None).expect("the affinity can be read");
    let mut given = (0..CpuSet::MAX_CPU).filter(|&core| given.is_set(core));
    let first = given.next().expect("a process runs on a core");
    [first, given.next().unwrap_or(first)]
});

/// Pins this thread to the generator's core; returns whether the server has a different core.
pub(crate) fn pin_generator() -> std::io::Result<bool> {
    sched_setaffinity(None, &single_cpu(CORES[GENERATOR_CORE]))?;
    Ok(CORES[GENERATOR_CORE] != CORES[SERVER_CORE])
}

/// Pins this thread to the core of servers, which child processes inherit.
pub(crate) fn pin_servers() -> std::io::Result<()> {
    Ok(sched_setaffinity(None, &single_cpu(CORES[SERVER_CORE]))?)
}

/// Runs an action with this thread pinned to one core, which child processes inherit.
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
