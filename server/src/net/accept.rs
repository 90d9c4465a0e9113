//! Accepting connections: where they come from, the delay after a failed accept, TLS, and the close of a refused
//! connection.
//!
//! A [`Listener`] accepts from TCP, or from a simulated network in tests. After a failed accept the delay grows
//! exponentially from 50 ms to 1 s. Certificate and key are reloadable.
//!
//! The input of a refused connection is read before the close, because the kernel answers unread input with a reset,
//! which can discard the response.

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::FutureExt;
use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::pki_types::pem::{self, PemObject};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{self, CertificateError, ServerConfig};
use tokio_util::task::TaskTracker;
use tracing::{debug, info, warn};
use x509_parser::certificate::X509Certificate;
use x509_parser::prelude::FromDer;

use crate::runtime::ignore;
use crate::runtime::sync::lock;

/// `SO_SNDBUF` of a connection, in bytes. Linux doubles it for its own bookkeeping.
const SEND_BUFFER_BYTES: usize = 32 * 1024;

/// Length of the accept queue of the kernel. With the usual 128, a thousand clients that reconnect at the same time
/// overflow it and retry after a second or more.
const LISTEN_BACKLOG: u16 = 4096;

/// Binds a TCP listener to an address.
///
/// # Errors
/// If the address is in use or not permitted.
pub fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() {
        TcpSocket::new_v4()
    } else {
        TcpSocket::new_v6()
    }?;
    // Without this option, the address would stay in use for a minute after a server has ended.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(LISTEN_BACKLOG.into())
}

/// Prepares a TCP listener that the service manager has bound. Its queue gets the same length as the queue of a
/// listener that the server binds.
///
/// # Errors
/// If the socket does not listen.
pub(crate) fn inherit(listener: std::net::TcpListener) -> io::Result<TcpListener> {
    let socket = SockRef::from(&listener);
    if !socket.is_listener()? {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "the socket does not listen",
        ));
    }
    socket.listen(LISTEN_BACKLOG.into())?;
    listener.set_nonblocking(true)?;
    TcpListener::from_std(listener)
}

/// A source of connections.
pub trait Listener: Send + 'static {
    /// Byte stream of a connection.
    type Stream: AsyncRead + AsyncWrite + Unpin + Send + 'static;

    /// Accepts the next connection and returns the address of its peer. Cancel safe.
    ///
    /// # Errors
    /// If this accept failed. The next accept may succeed.
    fn accept(&mut self) -> impl Future<Output = io::Result<(Self::Stream, SocketAddr)>> + Send;

    /// Returns whether the listener is reachable only from this machine.
    fn is_loopback(&self) -> bool;
}

impl Listener for TcpListener {
    type Stream = TcpStream;

    async fn accept(&mut self) -> io::Result<(TcpStream, SocketAddr)> {
        loop {
            let (stream, peer) = TcpListener::accept(self).await?;
            // Without SO_SNDBUF the kernel buffers megabytes for a client that does not read.
            let narrowed = SockRef::from(&stream).set_send_buffer_size(SEND_BUFFER_BYTES);
            match narrowed.and_then(|()| stream.set_nodelay(true)) {
                Ok(()) => return Ok((stream, peer)),
                Err(error) => debug!(%error, "cannot configure socket; connection dropped"),
            }
        }
    }

    fn is_loopback(&self) -> bool {
        self.local_addr()
            .is_ok_and(|address| address.ip().is_loopback())
    }
}

/// Initial delay after a failed accept. Without file descriptors or memory the next accept fails as well, until a
/// connection closes. Meanwhile new connections wait in the backlog of the kernel.
const MIN_ACCEPT_DELAY: Duration = Duration::from_millis(50);
const MAX_ACCEPT_DELAY: Duration = Duration::from_secs(1);

/// The current delay; `None` after a successful accept. Logs the first failure and the recovery.
#[derive(Debug, Default)]
pub(super) struct AcceptBackoff(Option<Duration>);

impl AcceptBackoff {
    /// Returns the delay before the next accept. Returns `None` if only this connection failed.
    pub(super) fn on_error(&mut self, error: &io::Error) -> Option<Duration> {
        if is_peer_error(error) {
            debug!(%error, "connection reset before accept");
            return None;
        }
        match &mut self.0 {
            None => {
                warn!(%error, retry_in = ?MIN_ACCEPT_DELAY, "accept failed; retrying with backoff");
                Some(*self.0.insert(MIN_ACCEPT_DELAY))
            }
            Some(delay) => {
                *delay = (*delay * 2).min(MAX_ACCEPT_DELAY);
                Some(*delay)
            }
        }
    }

    /// Resets the delay.
    pub(super) fn on_success(&mut self) {
        if self.0.take().is_some() {
            info!("accepting connections again");
        }
    }
}

fn is_peer_error(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted};
    [
        ConnectionAborted,
        ConnectionRefused,
        ConnectionReset,
        Interrupted,
    ]
    .contains(&error.kind())
}

/// Maximum number of bytes that are read from a refused connection and discarded.
const LINGER_BYTES: u64 = 64 * 1024;
const LINGER: Duration = Duration::from_secs(1);

/// Maximum number of refused connections that linger at the same time. Further connections are closed immediately.
const LINGERING_MAX: usize = 256;

/// Refuses connections without waiting for them.
#[derive(Clone, Debug)]
pub(super) struct LingeringClose {
    permits: Arc<Semaphore>,
    tasks: TaskTracker,
}

impl LingeringClose {
    /// Spawns the tasks of lingering connections on `tasks`.
    pub(super) fn new(tasks: TaskTracker) -> LingeringClose {
        LingeringClose {
            permits: Arc::new(Semaphore::new(LINGERING_MAX)),
            tasks,
        }
    }

    /// Sends a response and closes the connection.
    pub(super) fn close<S>(&self, mut stream: S, response: &[u8])
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        // The send buffer of a new socket is empty, so the response fits into it without waiting.
        let sent = stream.write_all(response).now_or_never();
        ignore(sent, "the server does not wait for a refused client");
        if let Ok(permit) = Arc::clone(&self.permits).try_acquire_owned() {
            self.tasks.spawn(async move {
                linger(&mut stream).await;
                drop(permit);
            });
        }
    }
}

/// Ends the output of a connection and discards its input for a short time.
pub(super) async fn linger(stream: &mut (impl AsyncRead + AsyncWrite + Unpin)) {
    let discarded = timeout(LINGER, async {
        stream.shutdown().await?;
        tokio::io::copy(&mut stream.take(LINGER_BYTES), &mut tokio::io::sink()).await
    });
    ignore(
        discarded.await,
        "the response is sent; the peer may be gone",
    );
}

/// Failure to load a certificate.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read or parsed.
    #[error("{path}: {error}")]
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        error: pem::Error,
    },
    /// The certificate is invalid or does not match the key.
    #[error("invalid certificate: {0}")]
    Certificate(#[from] rustls::Error),
}

/// A certificate chain and its private key, loaded from two files.
#[derive(Debug)]
pub struct TlsCertificate {
    certificate: PathBuf,
    key: PathBuf,
    current: Mutex<LoadedCertificate>,
}

#[derive(Clone, Debug)]
struct LoadedCertificate {
    config: Arc<ServerConfig>,
    /// End of the validity of the first certificate, in seconds since 1970.
    not_after: i64,
}

impl TlsCertificate {
    /// Loads a certificate chain and a private key, both in PEM.
    ///
    /// # Errors
    /// If a file cannot be read, or the key does not match the certificate.
    pub fn open(certificate: &Path, key: &Path) -> Result<TlsCertificate, TlsError> {
        let current = Mutex::new(load(certificate, key)?);
        Ok(TlsCertificate {
            certificate: certificate.to_owned(),
            key: key.to_owned(),
            current,
        })
    }

    /// Reloads both files. Keeps the current certificate if that fails.
    pub fn reload(&self) {
        match load(&self.certificate, &self.key) {
            Ok(fresh) => {
                *lock(&self.current) = fresh;
                info!("certificate reloaded");
            }
            Err(error) => warn!(%error, "certificate reload failed; keeping the old certificate"),
        }
    }

    /// Returns an acceptor with the current certificate, for one handshake.
    pub fn acceptor(&self) -> TlsAcceptor {
        TlsAcceptor::from(Arc::clone(&lock(&self.current).config))
    }

    /// Returns the end of the validity of the current certificate, in seconds since 1970.
    pub(super) fn not_after(&self) -> i64 {
        lock(&self.current).not_after
    }
}

fn load(certificate: &Path, key: &Path) -> Result<LoadedCertificate, TlsError> {
    let file_error = |path: &Path, error| TlsError::File {
        path: path.to_owned(),
        error,
    };
    let chain = CertificateDer::pem_file_iter(certificate)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| file_error(certificate, error))?;
    let key = PrivateKeyDer::from_pem_file(key).map_err(|error| file_error(key, error))?;
    let not_after = chain.first().map_or(Ok(i64::MAX), read_not_after)?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain, key)?;
    Ok(LoadedCertificate {
        config: Arc::new(config),
        not_after,
    })
}

fn read_not_after(certificate: &CertificateDer<'_>) -> Result<i64, TlsError> {
    let (_, certificate) = X509Certificate::from_der(certificate)
        .map_err(|_| CertificateError::BadEncoding)
        .map_err(rustls::Error::from)?;
    Ok(certificate.validity().not_after.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backoff_grows_to_its_limit_and_resets() {
        let mut backoff = AcceptBackoff::default();
        let error = io::Error::other("too many open files");
        let delays: Vec<_> = (0..7)
            .map(|_| backoff.on_error(&error).unwrap().as_millis())
            .collect();
        assert_eq!(delays, [50, 100, 200, 400, 800, 1000, 1000]);
        assert_eq!(
            backoff.on_error(&io::ErrorKind::ConnectionAborted.into()),
            None
        );
        backoff.on_success();
        assert_eq!(backoff.on_error(&error), Some(MIN_ACCEPT_DELAY));
    }
}
