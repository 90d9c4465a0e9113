//! The Unix socket of the operator: a connection carries one request, and the response.
//!
//! Only the user of the server can open the socket. Programs of this user may still be broken: a request is bounded, a
//! connection has a time limit, and further connections than [`MAX_CONNECTIONS`] get an error.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::time::Duration;

use socket2::SockRef;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixSocket, UnixStream};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tracing::{debug, warn};

use crate::operator::execution::execute;
use crate::operator::requests::{OperatorEnd, OperatorError, OperatorRequest, OperatorRow};
use crate::runtime::context::ServerContext;
use crate::runtime::ignore;

/// Name of the socket in the data directory.
const FILE_NAME: &str = "operator.sock";

/// Maximum number of connections; further ones get the error `busy`.
const MAX_CONNECTIONS: usize = 16;
/// Length of the accept queue of the kernel.
const BACKLOG: u32 = 64;
/// Maximum length of a request, with its line break.
const MAX_REQUEST_BYTES: usize = 4096;
/// Time limit to send a request, and to read the response.
const TRANSFER_TIMEOUT: Duration = Duration::from_secs(5);
/// Time limit of the response to a request. A change that takes longer still happens.
pub(crate) const EXECUTION_TIMEOUT: Duration = Duration::from_secs(30);
/// Delay after a failed accept, for example without file descriptors.
const ACCEPT_DELAY: Duration = Duration::from_millis(100);

/// Returns the path of the socket of a server with this data directory.
pub(crate) fn socket_path(directory: &Path) -> PathBuf {
    directory.join(FILE_NAME)
}

/// The bound socket. Its file is removed at the end.
#[derive(Debug)]
pub(crate) struct OperatorSocket {
    listener: UnixListener,
    path: PathBuf,
}

impl OperatorSocket {
    /// Binds the socket in a data directory that this process has locked: an existing socket is of a server that was
    /// killed, and is replaced.
    ///
    /// # Errors
    /// If the path is too long for a socket, another file has it, or the directory does not admit sockets.
    pub(crate) fn bind(directory: &Path) -> io::Result<OperatorSocket> {
        let path = socket_path(directory);
        match fs::symlink_metadata(&path) {
            Ok(file) if file.file_type().is_socket() => fs::remove_file(&path)?,
            Ok(_) => return Err(io::ErrorKind::AlreadyExists.into()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        let socket = UnixSocket::new_stream()?;
        socket.bind(&path)?;
        // Before it listens: until then, no program can connect.
        fs::set_permissions(&path, Permissions::from_mode(0o600))?;
        let listener = socket.listen(BACKLOG)?;
        Ok(OperatorSocket { listener, path })
    }

    /// Serves the operator until it is dropped.
    pub(crate) async fn serve(self, ctx: ServerContext) {
        let mut connections = JoinSet::new();
        loop {
            let accepted = tokio::select! {
                accepted = self.listener.accept() => accepted,
                Some(_) = connections.join_next() => continue,
            };
            match accepted {
                Ok((stream, _)) if connections.len() >= MAX_CONNECTIONS => refuse(&stream),
                Ok((stream, _)) => {
                    connections.spawn(serve_connection(stream, ctx.clone()));
                }
                Err(error) => {
                    warn!(%error, "accept of the operator's socket failed");
                    sleep(ACCEPT_DELAY).await;
                }
            }
        }
    }
}

impl Drop for OperatorSocket {
    fn drop(&mut self) {
        ignore(fs::remove_file(&self.path), "the next server replaces it");
    }
}

/// Tells a client that there are too many, without waiting. A new socket takes the line.
fn refuse(stream: &UnixStream) {
    let line = end_line(&OperatorEnd::Failed(OperatorError::Busy));
    // Directly, because the runtime does not know yet that the stream is writable.
    ignore(
        SockRef::from(stream).send(line.as_bytes()),
        "the client may be gone",
    );
}

async fn serve_connection(stream: UnixStream, ctx: ServerContext) {
    let mut stream = BufReader::new(stream);
    let read = timeout(TRANSFER_TIMEOUT, read_request(&mut stream)).await;
    let request = match read.unwrap_or(Err(OperatorError::Timeout)) {
        Ok(request) => request,
        Err(error) => return send(&mut stream, response(Err(error))).await,
    };
    let mut execution = pin!(execute(&ctx, request));
    if let Ok(executed) = timeout(EXECUTION_TIMEOUT, &mut execution).await {
        return send(&mut stream, response(executed)).await;
    }
    send(&mut stream, response(Err(OperatorError::Timeout))).await;
    // A change is not left half done. Until it ends, it counts as a connection.
    if let Err(error) = execution.await {
        warn!(%error, "late request of the operator failed");
    }
}

/// Sends a response. Only its client suffers if it does not read.
async fn send(stream: &mut BufReader<UnixStream>, response: String) {
    match timeout(TRANSFER_TIMEOUT, stream.write_all(response.as_bytes())).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => debug!(%error, "response to the operator not sent"),
        Err(_) => debug!("response to the operator not read in time"),
    }
}

async fn read_request(
    stream: &mut BufReader<UnixStream>,
) -> Result<OperatorRequest, OperatorError> {
    let mut line = Vec::new();
    let mut limited = stream.take(MAX_REQUEST_BYTES as u64);
    let read = limited.read_until(b'\n', &mut line).await;
    read.map_err(|error| OperatorError::BadRequest(error.to_string()))?;
    if !line.ends_with(b"\n") {
        return Err(OperatorError::TooLong(MAX_REQUEST_BYTES));
    }
    serde_json::from_slice(&line).map_err(|error| OperatorError::BadRequest(error.to_string()))
}

/// Returns the lines of a response.
fn response(executed: Result<(Vec<OperatorRow>, u64), OperatorError>) -> String {
    match executed {
        Ok((rows, count)) => {
            let rows: String = rows.iter().map(row_line).collect();
            rows + &end_line(&OperatorEnd::Done(count))
        }
        Err(error) => end_line(&OperatorEnd::Failed(error)),
    }
}

fn row_line(row: &OperatorRow) -> String {
    serde_json::to_string(row).expect("rows are JSON") + "\n"
}

fn end_line(end: &OperatorEnd) -> String {
    serde_json::to_string(end).expect("ends are JSON") + "\n"
}
