//! Where connections come from: TCP, or whatever a test makes of it.

use std::io;
use std::net::SocketAddr;

use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tracing::debug;

/// The kernel's part of what may be unsent, in bytes; it takes twice as much for its own accounts.
const SEND_BUFFER_BYTES: usize = 32 * 1024;

/// How many may wait in the kernel to be let in. With the usual 128, a thousand clients that come back in
/// one moment find no place, and try again a second and more later.
const LISTEN_BACKLOG: u32 = 4096;

/// Listens on an address.
///
/// # Errors
/// When it is taken, or may not be used.
pub fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // Else the address of a server that has just ended stays taken for a minute.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(LISTEN_BACKLOG)
}

/// A source of connections.
pub trait Listener: Send + 'static {
    /// A connection.
    type Stream: AsyncRead + AsyncWrite + Unpin + Send + 'static;

    /// The next connection, and who is at the other end. May be cancelled: none is lost.
    ///
    /// # Errors
    /// When none can be had just now; the next one may.
    fn accept(&mut self) -> impl Future<Output = io::Result<(Self::Stream, SocketAddr)>> + Send;

    /// Whether only this machine can connect.
    fn is_loopback(&self) -> bool;
}

impl Listener for TcpListener {
    type Stream = TcpStream;

    async fn accept(&mut self) -> io::Result<(TcpStream, SocketAddr)> {
        loop {
            let (stream, peer) = TcpListener::accept(self).await?;
            // The kernel would hold megabytes for one who does not read, before any limit of ours is felt.
            let narrowed = SockRef::from(&stream).set_send_buffer_size(SEND_BUFFER_BYTES);
            match narrowed.and_then(|()| stream.set_nodelay(true)) {
                Ok(()) => return Ok((stream, peer)),
                Err(error) => debug!(%error, "the peer was gone before it was served"),
            }
        }
    }

    fn is_loopback(&self) -> bool {
        self.local_addr().is_ok_and(|address| address.ip().is_loopback())
    }
}
