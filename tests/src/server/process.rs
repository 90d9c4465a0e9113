//! The real server as a process of its own.

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::Duration;

#[cfg(target_os = "linux")]
use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit};

use super::in_process::get;
use crate::program::{binary_path, resident_kib, send_signal};
use crate::wait::wait_until;

/// How long a server may take to start: it reads what it has before it listens.
const START_TIMEOUT: Duration = Duration::from_secs(120);

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
        let mut command = Command::new(binary_path("noughts-server"));
        command.args(flags).stderr(Stdio::null());
        ServerProcess::start_command(command)
    }

    /// Starts a server that keeps its games in `data`, and has patience with everybody.
    pub fn start_durable(data: &Path, durability: &str, extra_flags: &[&str]) -> ServerProcess {
        let mut command = durable_command(data, durability);
        command.args(extra_flags);
        ServerProcess::start_command(command)
    }

    /// Starts a server with whatever else the test wants of the process.
    pub fn start_command(mut command: Command) -> ServerProcess {
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the server starts");
        let mut stdout = BufReader::new(child.stdout.take().expect("piped"));
        let (read, lines) = mpsc::sync_channel(1);
        std::thread::spawn(move || {
            let mut line = || {
                let mut line = String::new();
                stdout.read_line(&mut line).map(|_| line.trim_end().to_owned())
            };
            let printed = line().and_then(|url| Ok((url, line()?)));
            // The test has given up if nobody takes it.
            let (Ok(()) | Err(_)) = read.send(printed.map(|both| (both, stdout)));
        });
        match lines.recv_timeout(START_TIMEOUT) {
            Ok(Ok(((url, join), stdout))) if !join.is_empty() => ServerProcess { child, stdout, url, join },
            said => {
                // It may have ended already; it is ours in any case.
                let (Ok(()) | Err(_)) = child.kill();
                panic!("the server printed no two lines in {START_TIMEOUT:?}: {said:?}, {:?}", child.wait())
            }
        }
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
    pub fn open_descriptors(&self) -> usize {
        let open = std::fs::read_dir(format!("/proc/{}/fd", self.pid())).expect("a process that runs");
        open.count()
    }

    /// How much memory it has, in KiB.
    pub fn resident_kib(&self) -> u64 {
        resident_kib(self.pid())
    }

    /// Sends a signal by name, as `kill` does.
    pub fn send_signal(&self, name: &str) {
        send_signal(self.pid(), name);
    }

    /// A number from its metrics.
    pub async fn metric(&self, name: &str) -> i64 {
        let (_, text) = get(self.address(), "/metrics").await;
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
    pub fn cpu_ticks(&self) -> u64 {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.pid())).expect("our own child");
        let fields = stat.rsplit_once(')').expect("the name ends").1.split_whitespace();
        fields.skip(11).take(2).map(|ticks| ticks.parse::<u64>().expect("a number")).sum()
    }

    /// Kills it (SIGKILL) and waits for its end, which may have come before.
    pub fn kill(mut self) -> ExitStatus {
        self.child.kill().expect("our own child");
        self.child.wait().expect("our own child")
    }

    /// Waits for its end.
    pub async fn wait_for_exit(&mut self) -> ExitStatus {
        wait_until("the server's end", async || self.child.try_wait().expect("our own child")).await
    }

    /// What it printed after its first two lines, once it has ended.
    pub fn remaining_stdout(&mut self) -> String {
        let mut rest = String::new();
        self.stdout.read_to_string(&mut rest).expect("text");
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

/// The command line of [`ServerProcess::start_durable`].
fn durable_command(data: &Path, durability: &str) -> Command {
    let data = data.to_str().expect("a path in UTF-8");
    let mut command = Command::new(binary_path("noughts-server"));
    command.args(["--listen", "127.0.0.1:0", "--data", data, "--durability", durability]);
    command.args(["--burst", "1000000", "--per-second", "1000000", "--max-per-address", "10000"]);
    command.args(["--tail", "400", "--grace", "1h", "--abandon", "2h"]).stderr(Stdio::null());
    command
}

/// Starts the server of [`ServerProcess::start_durable`] and kills it so long after, however far it has come:
/// it may not have opened its files yet.
pub async fn kill_during_start(data: &Path, durability: &str, delay: Duration) {
    let mut command = durable_command(data, durability);
    command.stdin(Stdio::null()).stdout(Stdio::null());
    let mut child = command.spawn().expect("the server starts");
    tokio::time::sleep(delay).await;
    child.kill().expect("our own child");
    child.wait().expect("our own child");
}
