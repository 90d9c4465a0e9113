//! The simulated network, as server and clients know a network.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use noughts::connection::Dial;
use noughts::server_url::ServerUrl;
use noughts_server::http::Listen;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use turmoil::net::{TcpListener, TcpStream};

use crate::ear::Ear;
use crate::plan::Place;
use crate::world::World;

/// The server's host, and the port that it listens on.
pub(crate) const SERVER: &str = "server";
pub(crate) const PORT: u16 = 7878;

/// Where the server listens.
pub(crate) struct Door(TcpListener);

impl Door {
    pub(crate) async fn open() -> io::Result<Door> {
        TcpListener::bind(("0.0.0.0", PORT)).await.map(Door)
    }
}

impl Listen for Door {
    type Stream = TcpStream;

    async fn accept(&mut self) -> io::Result<(TcpStream, SocketAddr)> {
        self.0.accept().await
    }

    fn is_loopback(&self) -> bool {
        false
    }
}

/// How a client connects, with an ear on the line.
#[derive(Clone, Debug)]
pub(crate) struct Dialler {
    pub(crate) world: Arc<World>,
    pub(crate) who: &'static str,
    pub(crate) place: Place,
}

impl Dial for Dialler {
    type Stream = Tapped;

    async fn dial(&mut self, url: &ServerUrl) -> io::Result<Tapped> {
        let stream = TcpStream::connect((url.host(), url.port())).await?;
        let ear = Ear::new(Arc::clone(&self.world), self.who, self.place);
        Ok(Tapped { stream, ear })
    }
}

/// A line whose other end is listened to.
pub(crate) struct Tapped {
    stream: TcpStream,
    ear: Ear,
}

impl AsyncRead for Tapped {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.stream).poll_read(context, buffer);
        match &polled {
            Poll::Ready(Ok(())) if buffer.filled().len() > before => {
                self.ear.hear(&buffer.filled()[before..]);
            }
            Poll::Ready(Ok(()) | Err(_)) => self.ear.end(),
            Poll::Pending => {}
        }
        polled
    }
}

impl AsyncWrite for Tapped {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
