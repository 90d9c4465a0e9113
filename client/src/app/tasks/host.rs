//! The server that the player starts on this computer from the home menu.
//!
//! Games are kept in memory only. The server stops when the player leaves the session or this program ends. The
//! server's standard input is a pipe from this program. When the pipe closes, the server stops, even if this program
//! was killed with SIGKILL.

use std::ffi::OsStr;
use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::pin::Pin;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::connection::server_url::ServerUrl;
use crate::facts::HostError;

/// Name of the server program.
const PROGRAM: &str = "noughts-server";
/// Timeout until the server prints its address.
const START_TIMEOUT: Duration = Duration::from_secs(5);
/// Timeout for stopping a server before it is killed.
const STOP_TIMEOUT: Duration = Duration::from_secs(3);
/// Maximum length of the line with the address.
const MAX_LINE_BYTES: u64 = 4096;
/// Maximum length of an error text that is read from the server.
const MAX_ERROR_BYTES: u64 = 4096;

type StartResult = Result<(Child, ServerUrl), HostError>;

/// The player's server while it starts, runs or stops.
#[derive(Default)]
pub(in crate::app) struct HostTask {
    starting: Option<Pin<Box<dyn Future<Output = StartResult> + Send>>>,
    server: Option<Child>,
    stopping: Option<JoinHandle<()>>,
}

impl HostTask {
    /// Starts a server on this port, on all addresses of this computer, after the previous server has stopped.
    /// [`HostTask::next`] returns the result.
    pub(in crate::app) fn start(&mut self, port: u16) {
        self.stop();
        let stopping = self.stopping.take();
        self.starting = Some(Box::pin(async move {
            wait_for_end(stopping).await;
            start_server(port).await
        }));
    }

    /// Waits until the server has started, and returns its address for this program; waits forever if none is starting.
    ///
    /// # Errors
    /// Returns why no server runs.
    pub(in crate::app) async fn next(&mut self) -> Result<ServerUrl, HostError> {
        let Some(starting) = &mut self.starting else {
            return std::future::pending().await;
        };
        let result = starting.await;
        self.starting = None;
        let (server, url) = result?;
        self.server = Some(server);
        Ok(url)
    }

    /// Stops a running or starting server in the background.
    pub(in crate::app) fn stop(&mut self) {
        // Dropping `starting` kills a server that has not printed its address yet.
        self.starting = None;
        if let Some(server) = self.server.take() {
            let previous = self.stopping.take();
            self.stopping = Some(tokio::spawn(async move {
                stop_server(server).await;
                wait_for_end(previous).await;
            }));
        }
    }

    /// Stops the server, and waits until it has ended.
    pub(in crate::app) async fn shutdown(mut self) {
        self.stop();
        wait_for_end(self.stopping).await;
    }
}

async fn wait_for_end(stopping: Option<JoinHandle<()>>) {
    if let Some(stopping) = stopping
        && let Err(error) = stopping.await
    {
        tracing::warn!(%error, "server stop failed");
    }
}

async fn start_server(port: u16) -> StartResult {
    let listen = SocketAddr::from((Ipv4Addr::UNSPECIFIED, port));
    let mut command = Command::new(program_path());
    // The environment variables of `noughts-server` configure a different server.
    for (name, _) in std::env::vars_os().filter(|(name, _)| is_setting_of_server(name)) {
        command.env_remove(name);
    }
    let started = command
        .args([
            "--listen",
            &listen.to_string(),
            "--data",
            "memory",
            "--stop-with-stdin",
        ])
        // The program never writes to this pipe. The pipe closes when the server is dropped, or when this process ends.
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        // In its own process group, the server does not receive Ctrl-C from the terminal.
        .process_group(0)
        .kill_on_drop(true)
        .spawn();
    let mut server = started.map_err(|error| {
        let is_missing = error.kind() == ErrorKind::NotFound;
        if is_missing {
            HostError::NotInstalled
        } else {
            HostError::Failed(error.to_string())
        }
    })?;
    let mut address = String::new();
    let stdout = server.stdout.take();
    let first_line = async {
        if let Some(stdout) = stdout {
            let mut lines = BufReader::new(stdout);
            (&mut lines)
                .take(MAX_LINE_BYTES)
                .read_line(&mut address)
                .await?;
            tokio::spawn(discard(lines));
        }
        std::io::Result::Ok(())
    };
    let Ok(read) = timeout(START_TIMEOUT, first_line).await else {
        return Err(HostError::TimedOut);
    };
    let url = address
        .strip_prefix("Browser:")
        .and_then(|page| page.parse::<ServerUrl>().ok())
        .filter(|_| read.is_ok());
    let Some(url) = url else {
        return Err(read_failure(server, port).await);
    };
    if let Some(stderr) = server.stderr.take() {
        tokio::spawn(discard(stderr));
    }
    Ok((server, url.with_host("127.0.0.1")))
}

fn is_setting_of_server(variable: &OsStr) -> bool {
    variable.to_string_lossy().starts_with("NOUGHTS_")
}

/// Stops the server by closing its standard input. The server notifies its clients first; an additional signal would
/// end it immediately.
async fn stop_server(mut server: Child) {
    // `wait` closes the standard input.
    if timeout(STOP_TIMEOUT, server.wait()).await.is_err() {
        tracing::warn!("server did not stop in time");
        // Dropping the process kills it.
    }
}

/// Reads and drops the server's output, so that the server neither blocks nor fails when it prints more. Returns when
/// the server ends.
async fn discard(mut output: impl AsyncRead + Unpin) {
    if let Err(error) = tokio::io::copy(&mut output, &mut tokio::io::sink()).await {
        tracing::debug!(%error, "cannot read server output");
    }
}

/// Returns the path of the server program beside this program, or else the name that the shell would look up.
fn program_path() -> PathBuf {
    let beside = std::env::current_exe()
        .ok()
        .map(|path| path.with_file_name(PROGRAM));
    beside
        .filter(|path| path.is_file())
        .unwrap_or_else(|| PathBuf::from(PROGRAM))
}

/// Returns why the server did not start.
async fn read_failure(mut server: Child, port: u16) -> HostError {
    let mut text = String::new();
    if let Some(stderr) = server.stderr.take() {
        let mut stderr = stderr.take(MAX_ERROR_BYTES);
        if timeout(STOP_TIMEOUT, stderr.read_to_string(&mut text))
            .await
            .is_err()
        {
            tracing::debug!("server did not print the reason in time");
        }
    }
    if text.contains("in use") {
        return HostError::PortTaken(port);
    }
    let first = text.lines().find(|line| !line.trim().is_empty());
    first.map_or(HostError::TimedOut, |line| {
        HostError::Failed(line.to_owned())
    })
}
