//! A server that the player starts on this computer from the home menu.
//!
//! Games are kept in memory only. The server stops when the player leaves the session, and with the program; the death of
//! the program by SIGKILL leaves it running, so that the player can continue the game.

use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::time::timeout;

use crate::connection::server_url::ServerUrl;
use crate::facts::HostError;

/// Name of the program of the server.
const PROGRAM: &str = "noughts-server";
/// Time in which the server must print its address.
const START_TIMEOUT: Duration = Duration::from_secs(5);
/// Time after which a server that does not stop is killed.
const STOP_TIMEOUT: Duration = Duration::from_secs(3);
/// Maximum length of an error text that is read from the server.
const MAX_ERROR_BYTES: u64 = 4096;

/// The running server, if there is one.
#[derive(Debug, Default)]
pub(in crate::app) struct HostTask {
    server: Option<Child>,
}

impl HostTask {
    /// Starts a server on a port of all addresses of this computer, and returns the address for this program.
    ///
    /// # Errors
    /// The reason why no server runs.
    pub(in crate::app) async fn start(&mut self, port: u16) -> Result<ServerUrl, HostError> {
        self.stop().await;
        let listen = SocketAddr::from((Ipv4Addr::UNSPECIFIED, port));
        let started = Command::new(program_path())
            .args(["--listen", &listen.to_string(), "--data", "memory"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // Ctrl-C at the terminal does not reach the server.
            .process_group(0)
            .kill_on_drop(true)
            .spawn();
        let mut server = started.map_err(|error| {
            let is_missing = error.kind() == ErrorKind::NotFound;
            if is_missing { HostError::NotInstalled } else { HostError::Failed(error.to_string()) }
        })?;
        let mut address = String::new();
        let stdout = server.stdout.take();
        let first_line = async {
            if let Some(stdout) = stdout {
                let mut lines = BufReader::new(stdout);
                lines.read_line(&mut address).await?;
                tokio::spawn(discard(lines));
            }
            std::io::Result::Ok(())
        };
        let in_time = timeout(START_TIMEOUT, first_line).await;
        let url = address.trim().parse::<ServerUrl>().ok().filter(|_| matches!(in_time, Ok(Ok(()))));
        let Some(url) = url else { return Err(failure(server, port).await) };
        if let Some(stderr) = server.stderr.take() {
            tokio::spawn(discard(stderr));
        }
        self.server = Some(server);
        Ok(url.with_host("127.0.0.1"))
    }

    /// Stops the server, if it runs: it says goodbye to its clients first.
    pub(in crate::app) async fn stop(&mut self) {
        let Some(mut server) = self.server.take() else { return };
        let pid = server.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
        if let Some(pid) = pid
            && let Err(error) = kill_process(pid, Signal::TERM)
        {
            tracing::debug!(%error, "server stop failed");
        }
        if timeout(STOP_TIMEOUT, server.wait()).await.is_err() {
            tracing::warn!("server did not stop in time");
            // Dropping the process kills it.
        }
    }
}

/// Reads and drops the output of the server, which must neither block nor fail when it prints more. Ends with the server.
async fn discard(mut output: impl AsyncRead + Unpin) {
    if let Err(error) = tokio::io::copy(&mut output, &mut tokio::io::sink()).await {
        tracing::debug!(%error, "output of the server not read");
    }
}

/// The program beside this one, or else the one that the shell would find.
fn program_path() -> PathBuf {
    let beside = std::env::current_exe().ok().map(|path| path.with_file_name(PROGRAM));
    beside.filter(|path| path.is_file()).unwrap_or_else(|| PathBuf::from(PROGRAM))
}

/// Reads why the server did not start.
async fn failure(mut server: Child, port: u16) -> HostError {
    let mut text = String::new();
    if let Some(stderr) = server.stderr.take() {
        let mut stderr = stderr.take(MAX_ERROR_BYTES);
        if timeout(STOP_TIMEOUT, stderr.read_to_string(&mut text)).await.is_err() {
            tracing::debug!("server gave no reason in time");
        }
    }
    if text.contains("in use") {
        return HostError::PortTaken(port);
    }
    let first = text.lines().find(|line| !line.trim().is_empty());
    HostError::Failed(first.unwrap_or("no address in time").to_owned())
}
