//! The real programs as processes of their own, killed when dropped.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
#[cfg(target_os = "linux")]
use rustix::process::{Resource, Rlimit, getrlimit, prlimit};

use crate::server;
use crate::wait::until;

/// A program of this workspace, freshly built: `noughts` or `noughts-server`.
pub fn path(name: &str) -> PathBuf {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    let folder = BUILT.get_or_init(|| {
        // The test stands in <target>/<profile>/deps; the programs one folder up.
        let test = std::env::current_exe().expect("a test has a path");
        let folder = test.parent().and_then(|deps| deps.parent()).expect("in a target folder").to_owned();
        let target = folder.parent().expect("in a target folder");
        let mut build = Command::new(env!("CARGO"));
        build.args(["build", "--quiet", "--locked", "-p", "noughts-server", "-p", "noughts", "--bins"]);
        build.arg("--target-dir").arg(target).current_dir(env!("CARGO_MANIFEST_DIR"));
        if folder.ends_with("release") {
            build.arg("--release");
        }
        let status = build.status().expect("cargo runs");
        assert!(status.success(), "the programs do not build");
        folder
    });
    folder.join(name)
}

/// A program of the system, installed from Debian's packages if it is not there.
pub fn of_the_system(name: &str, package: &str) -> Command {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let is_there =
        Command::new(name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    if !is_there {
        for arguments in [&["update"][..], &["install", "--yes", "--no-install-recommends", package]] {
            let status =
                Command::new("apt-get").args(arguments).env("DEBIAN_FRONTEND", "noninteractive").status();
            let status =
                status.unwrap_or_else(|error| panic!("{name} is not there, and nor is apt-get: {error}"));
            assert!(status.success(), "{name} is not there, and {package} cannot be installed");
        }
    }
    Command::new(name)
}

/// A folder of the test's own, gone with it.
#[derive(Debug)]
pub struct Folder(PathBuf);

impl Default for Folder {
    fn default() -> Folder {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let name = format!("noughts-{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).expect("a folder for the test");
        Folder(path)
    }
}

impl Folder {
    /// Where it is.
    pub fn path(&self) -> &std::path::Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.0) {
            eprintln!("{} stays: {error}", self.0.display());
        }
    }
}

/// A `noughts-server` process.
#[derive(Debug)]
pub struct ServerProcess {
    child: Child,
    stdout: BufReader<ChildStdout>,
    /// The first line that it printed.
    pub url: String,
    /// The second.
    pub join: String,
}

impl ServerProcess {
    /// Starts the server on a free port with no memory of earlier games, and these flags besides.
    pub fn start(flags: &[&str]) -> ServerProcess {
        ServerProcess::start_with(&[&["--listen", "127.0.0.1:0", "--data", "memory"], flags].concat())
    }

    /// Starts the server with these flags only.
    pub fn start_with(flags: &[&str]) -> ServerProcess {
        let mut command = Command::new(path("noughts-server"));
        command.args(flags).stderr(Stdio::null());
        ServerProcess::of(command)
    }

    /// Starts a server that keeps its games in `data`, and has patience with everybody.
    pub fn durable(data: &Path, durability: &str, more: &[&str]) -> ServerProcess {
        let mut command = durable(data, durability);
        command.args(more);
        ServerProcess::of(command)
    }

    /// Starts a server with whatever else the test wants of the process.
    pub fn of(mut command: Command) -> ServerProcess {
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the server starts");
        let mut stdout = BufReader::new(child.stdout.take().expect("piped"));
        let mut line = || {
            let mut line = String::new();
            stdout.read_line(&mut line).expect("the server prints two lines");
            line.trim_end().to_owned()
        };
        let (url, join) = (line(), line());
        ServerProcess { child, stdout, url, join }
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        let address = self.url.trim_start_matches("ws://").trim_end_matches("/ws");
        address.parse().expect("an address and a port")
    }

    /// The process's number, for signals.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// How many files and sockets it has open.
    pub fn descriptors(&self) -> usize {
        let open = std::fs::read_dir(format!("/proc/{}/fd", self.pid())).expect("a process that runs");
        open.count()
    }

    /// How much memory it has, in KiB.
    pub fn resident_kib(&self) -> u64 {
        resident_kib(self.pid())
    }

    /// Sends a signal by name, as `kill` does.
    pub fn signal(&self, name: &str) {
        signal(self.pid(), name);
    }

    /// A number from its metrics.
    pub async fn metric(&self, name: &str) -> i64 {
        let (_, text) = server::get(self.address(), "/metrics").await;
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.unwrap_or_else(|| panic!("no {name} in\n{text}")).parse().expect("a number")
    }

    /// The highest number of an open descriptor.
    pub fn highest_descriptor(&self) -> usize {
        let open = std::fs::read_dir(format!("/proc/{}/fd", self.pid())).expect("a process that runs");
        let number = |entry: std::fs::DirEntry| entry.file_name().to_str().and_then(|name| name.parse().ok());
        open.filter_map(Result::ok).filter_map(number).max().expect("a process has open files")
    }

    /// From now on its descriptors have numbers below this (Linux).
    #[cfg(target_os = "linux")]
    pub fn limit_descriptors(&self, below: usize) {
        // Only root may raise the hard limit: it stays as it is, which this process has handed down.
        let maximum = getrlimit(Resource::Nofile).maximum;
        let limit = Rlimit { current: u64::try_from(below).ok(), maximum };
        let pid = i32::try_from(self.pid()).ok().and_then(Pid::from_raw).expect("a process's number");
        prlimit(Some(pid), Resource::Nofile, limit).expect("a process of the test's own");
    }

    /// The processor time that it has used, in ticks of a hundredth of a second (Linux).
    pub fn ticks(&self) -> u64 {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.pid())).expect("our own child");
        let fields = stat.rsplit_once(')').expect("the name ends").1.split_whitespace();
        fields.skip(11).take(2).map(|ticks| ticks.parse::<u64>().expect("a number")).sum()
    }

    /// Kills it (SIGKILL) and waits for its end.
    pub fn kill(mut self) {
        self.child.kill().expect("our own child");
        self.child.wait().expect("our own child");
    }

    /// Waits for its end.
    pub async fn ended(&mut self) -> ExitStatus {
        until("the server's end", async || self.child.try_wait().expect("our own child")).await
    }

    /// What it printed after its first two lines, once it has ended.
    pub fn rest_of_stdout(&mut self) -> String {
        let mut rest = String::new();
        std::io::Read::read_to_string(&mut self.stdout, &mut rest).expect("text");
        rest
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        // It may have ended already; it is ours in any case.
        let (Ok(()) | Err(_)) = self.child.kill();
        let (Ok(_) | Err(_)) = self.child.wait();
    }
}

/// The command line of [`ServerProcess::durable`].
fn durable(data: &Path, durability: &str) -> Command {
    let data = data.to_str().expect("a path in UTF-8");
    let mut command = Command::new(path("noughts-server"));
    command.args(["--listen", "127.0.0.1:0", "--data", data, "--durability", durability]);
    command.args(["--burst", "1000000", "--per-second", "1000000", "--max-per-address", "10000"]);
    command.args(["--tail", "400", "--grace", "1h", "--abandon", "2h"]).stderr(Stdio::null());
    command
}

/// Starts the server of [`ServerProcess::durable`] and kills it so long after, however far it has come:
/// it may not have opened its files yet.
pub async fn kill_at_start(data: &Path, durability: &str, after: Duration) {
    let mut command = durable(data, durability);
    command.stdin(Stdio::null()).stdout(Stdio::null());
    let mut child = command.spawn().expect("the server starts");
    tokio::time::sleep(after).await;
    child.kill().expect("our own child");
    child.wait().expect("our own child");
}

/// How much memory a process has, in KiB (Linux).
pub fn resident_kib(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("a process that runs");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a process has memory");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

/// Sends a signal by name to a process of the test's own.
pub fn signal(pid: u32, name: &str) {
    let signal = match name {
        "TERM" => Signal::TERM,
        "INT" => Signal::INT,
        "HUP" => Signal::HUP,
        "STOP" => Signal::STOP,
        "CONT" => Signal::CONT,
        "KILL" => Signal::KILL,
        _ => panic!("no signal {name} here"),
    };
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw).expect("a process's number");
    kill_process(pid, signal).expect("a process of the test's own");
}
