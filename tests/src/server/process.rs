//! Server as a child process.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::Duration;

#[cfg(target_os = "linux")]
use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit};

use super::in_process::metric;
use crate::program::{binary_path, resident_kib, send_signal};
use crate::wait::wait_until;

/// Timeout for a start, which includes reading the stored rooms.
const START_TIMEOUT: Duration = Duration::from_secs(120);

/// Time limits of a new connection, unless a test sets different limits: a client on a busy machine may pause while it
/// connects.
pub const CONNECT_TIMEOUTS: [&str; 3] = [
    "first-line-timeout=10m",
    "handshake-timeout=10m",
    "hello-timeout=10m",
];

/// Limits and timeouts that no test under load reaches.
pub const LOAD_FLAGS: [&str; 4] = [
    "--max-per-address",
    "10000",
    "--set",
    "rate-burst=1000000,rate-per-second=1000000,offer-burst=1000000,max-kept-games-per-hour=1000000,\
     resume-buffer=400,reconnect-grace=1h,abandon-after=2h",
];

/// Running `noughts-server`, killed when dropped.
#[derive(Debug)]
pub struct ServerProcess {
    child: Child,
    stdout: BufReader<ChildStdout>,
    /// The WebSocket URL, from the page in the first printed line.
    pub url: String,
    /// How to join, from the second printed line.
    pub join: String,
    /// The URL of the metrics, from the third printed line, with `--admin-listener`.
    pub metrics_url: Option<String>,
}

impl ServerProcess {
    /// Starts the server on a free port with its log in memory, and extra flags.
    pub fn start(flags: &[&str]) -> ServerProcess {
        ServerProcess::start_with(
            &[&["--listen", "127.0.0.1:0", "--data", "memory"], flags].concat(),
        )
    }

    /// Starts the server with exactly these flags.
    pub fn start_with(flags: &[&str]) -> ServerProcess {
        let mut command = Command::new(binary_path("noughts-server"));
        command.args(flags).stderr(Stdio::null());
        ServerProcess::start_command(command)
    }

    /// Starts the server with its log in `data` and with timeouts longer than any test.
    pub fn start_durable(data: &Path, durability: &str, extra_flags: &[&str]) -> ServerProcess {
        let mut command = durable_command(data, durability);
        command.args(extra_flags);
        ServerProcess::start_command(command)
    }

    /// Starts a command without input.
    pub fn start_command(mut command: Command) -> ServerProcess {
        command.stdin(Stdio::null());
        let has_admin_listener = command.get_args().any(|flag| flag == "--admin-listener");
        ServerProcess::start_prepared(command, has_admin_listener)
    }

    /// Starts a command with stdin already set. With an admin listener, the server prints a third line.
    pub(super) fn start_prepared(mut command: Command, has_admin_listener: bool) -> ServerProcess {
        for timeout in CONNECT_TIMEOUTS {
            let (name, _) = timeout.split_once('=').expect("a setting");
            let sets_it = |arg: &OsStr| arg.to_string_lossy().contains(name);
            if !command.get_args().any(sets_it) {
                command.args(["--set", timeout]);
            }
        }
        // The wait before a stop is for load balancers, and these tests have none. A test may set the flag.
        command
            .env("NOUGHTS_DRAIN_WAIT", "0s")
            .stdout(Stdio::piped());
        let mut child = command.spawn().expect("the server starts");
        let mut stdout = BufReader::new(child.stdout.take().expect("stdout is piped"));
        let (read, lines) = mpsc::sync_channel(1);
        std::thread::spawn(move || {
            // The value after the label of a line.
            let mut line = |label: &str| {
                let mut line = String::new();
                stdout.read_line(&mut line)?;
                let value = line.trim_end().strip_prefix(label);
                value
                    .map(str::to_owned)
                    .ok_or_else(|| std::io::Error::other(format!("no {label} in {line:?}")))
            };
            let printed = line("Browser: ").and_then(|page| {
                let join = line("Terminal: ")?;
                let metrics_url = has_admin_listener.then(|| line("Metrics: ")).transpose()?;
                // `https` becomes `wss`.
                let url = format!("{}ws", page.replacen("http", "ws", 1));
                Ok((url, join, metrics_url))
            });
            // Sending fails only if the test has already failed.
            let (Ok(()) | Err(_)) = read.send(printed.map(|lines| (lines, stdout)));
        });
        match lines.recv_timeout(START_TIMEOUT) {
            Ok(Ok(((url, join, metrics_url), stdout))) => ServerProcess {
                child,
                stdout,
                url,
                join,
                metrics_url,
            },
            output => {
                // The process may have ended already.
                let (Ok(()) | Err(_)) = child.kill();
                panic!(
                    "the server did not print two lines in {START_TIMEOUT:?}: {output:?}, {:?}",
                    child.wait()
                )
            }
        }
    }

    pub fn address(&self) -> SocketAddr {
        let (_, address) = self.url.split_once("://").expect("a URL");
        address
            .trim_end_matches("/ws")
            .parse()
            .expect("an address and a port")
    }

    /// Returns the address of the admin listener.
    pub fn admin_address(&self) -> SocketAddr {
        let url = self
            .metrics_url
            .as_deref()
            .expect("started with --admin-listener");
        let address = url
            .trim_start_matches("http://")
            .trim_end_matches("/metrics");
        address.parse().expect("an address and a port")
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Returns the number of open files and sockets.
    pub fn open_descriptors(&self) -> usize {
        let open =
            std::fs::read_dir(format!("/proc/{}/fd", self.pid())).expect("a process that runs");
        open.count()
    }

    /// Returns the resident memory in KiB.
    pub fn resident_kib(&self) -> u64 {
        resident_kib(self.pid())
    }

    /// Sends a signal by name.
    pub fn send_signal(&self, name: &str) {
        send_signal(self.pid(), name);
    }

    /// Returns the value of a metric.
    pub async fn metric(&self, name: &str) -> i64 {
        metric(self.address(), name).await
    }

    /// Returns the highest number of an open descriptor.
    pub fn highest_descriptor(&self) -> usize {
        let open =
            std::fs::read_dir(format!("/proc/{}/fd", self.pid())).expect("a process that runs");
        let number = |entry: std::fs::DirEntry| {
            entry
                .file_name()
                .to_str()
                .and_then(|name| name.parse().ok())
        };
        open.filter_map(Result::ok)
            .filter_map(number)
            .max()
            .expect("a process has open files")
    }

    /// Limits a resource, or with `None` lifts the limit (Linux). [`Resource::Nofile`]: descriptor numbers are below
    /// `limit`.
    #[cfg(target_os = "linux")]
    pub fn limit_resource(&self, resource: Resource, limit: Option<u64>) {
        // Only root may raise the hard limit, so it stays unchanged.
        let maximum = getrlimit(resource).maximum;
        let limit = Rlimit {
            current: limit,
            maximum,
        };
        let pid = i32::try_from(self.pid())
            .ok()
            .and_then(Pid::from_raw)
            .expect("a process id");
        prlimit(Some(pid), resource, limit).expect("a child of this test");
    }

    /// Returns the processor time used, in ticks of 10 ms (Linux).
    pub fn cpu_ticks(&self) -> u64 {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.pid()))
            .expect("a child of this process");
        let fields = stat
            .rsplit_once(')')
            .expect("the name has an end")
            .1
            .split_whitespace();
        fields
            .skip(11)
            .take(2)
            .map(|ticks| ticks.parse::<u64>().expect("a number"))
            .sum()
    }

    /// Kills the process (SIGKILL) and waits for it; it may have ended before.
    pub fn kill(mut self) -> ExitStatus {
        self.child.kill().expect("a child of this process");
        self.child.wait().expect("a child of this process")
    }

    /// Waits for the process to end.
    pub async fn wait_for_exit(&mut self) -> ExitStatus {
        wait_until("the server's end", async || {
            self.child.try_wait().expect("a child of this process")
        })
        .await
    }

    /// Returns the output after the first two lines. The process must have ended.
    pub fn remaining_stdout(&mut self) -> String {
        let mut rest = String::new();
        self.stdout.read_to_string(&mut rest).expect("text");
        rest
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        // The process may have ended already.
        let (Ok(()) | Err(_)) = self.child.kill();
        let (Ok(_) | Err(_)) = self.child.wait();
    }
}

/// Returns the command of [`ServerProcess::start_durable`].
fn durable_command(data: &Path, durability: &str) -> Command {
    let data = data.to_str().expect("a path in UTF-8");
    let mut command = Command::new(binary_path("noughts-server"));
    command.args([
        "--listen",
        "127.0.0.1:0",
        "--data",
        data,
        "--durability",
        durability,
    ]);
    command.args(LOAD_FLAGS).stderr(Stdio::null());
    command
}

/// Starts a server like [`ServerProcess::start_durable`] and kills it after `delay`, possibly before it has opened its
/// files.
pub async fn kill_during_start(data: &Path, durability: &str, delay: Duration) {
    let mut command = durable_command(data, durability);
    command.stdin(Stdio::null()).stdout(Stdio::null());
    let mut child = command.spawn().expect("the server starts");
    tokio::time::sleep(delay).await;
    child.kill().expect("a child of this process");
    child.wait().expect("a child of this process");
}
