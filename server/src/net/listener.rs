//! Sources of connections: TCP, or a simulated network in tests.

use std::io;
use std::net::SocketAddr;

use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tracing::debug;

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
    // Otherwise the address stays in use for a minute after a server has ended.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(LISTEN_BACKLOG.into())
}

/// Prepares a TCP listener that the service manager has bound. Its queue gets the length of one that the server binds.
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
    /// If this accept failed; the next one may succeed.
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
