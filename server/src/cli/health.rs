//! `noughts-server health`: asks a server on this machine whether it responds, for service managers of containers.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, ensure};

/// Time limit of the connection, and of each read and write.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Longest line that is read.
const STATUS_LINE_BYTES_MAX: u64 = 128;

/// Requests `/health`.
///
/// # Errors
/// If there is no response, or another one than 200.
pub(super) fn run(address: SocketAddr) -> anyhow::Result<ExitCode> {
    let status_line =
        request_status_line(address).with_context(|| format!("no response from {address}"))?;
    let status = status_line.split(' ').nth(1).unwrap_or_default();
    ensure!(
        status == "200",
        "unexpected response from {address}: {status_line:?}; with TLS, check the admin listener"
    );
    Ok(ExitCode::SUCCESS)
}

fn request_status_line(address: SocketAddr) -> std::io::Result<String> {
    let mut stream = TcpStream::connect_timeout(&address, TIMEOUT)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.set_write_timeout(Some(TIMEOUT))?;
    write!(
        stream,
        "GET /health HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"
    )?;
    let mut status_line = String::new();
    BufReader::new(stream.take(STATUS_LINE_BYTES_MAX)).read_line(&mut status_line)?;
    Ok(status_line.trim_end().to_owned())
}
