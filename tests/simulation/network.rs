//! Simulated network behind the listener and connector interfaces of server and client.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use noughts::testing::{Connector, ServerUrl};
use noughts_server::testing::Listener;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use turmoil::net::{TcpListener, TcpStream};

use crate::checks::wire_checker::WireChecker;
use crate::plan::SimMachine;
use crate::sim_state::SimState;

/// Host name and port of the server.
pub(crate) const SERVER: &str = "server";
pub(crate) const PORT: u16 = 7878;

pub(crate) struct SimListener(TcpListener);

impl SimListener {
    pub(crate) async fn bind() -> io::Result<SimListener> {
        TcpListener::bind(("0.0.0.0", PORT)).await.map(SimListener)
    }
}

impl Listener for SimListener {
    type Stream = TcpStream;

    async fn accept(&mut self) -> io::Result<(TcpStream, SocketAddr)> {
        self.0.accept().await
    }

    fn is_loopback(&self) -> bool {
        false
    }
}

/// Connector of a client; each connection is observed.
#[derive(Clone, Debug)]
pub(crate) struct SimConnector {
    pub(crate) sim_state: Arc<SimState>,
    pub(crate) actor: &'static str,
    pub(crate) machine: SimMachine,
}

impl Connector for SimConnector {
    type Stream = ObservedStream;

    /// Connects to the server, or to one of the nodes, as a load balancer would.
    async fn connect(&mut self, url: &ServerUrl) -> io::Result<ObservedStream> {
        let hosts = self.sim_state.hosts();
        let first = self.sim_state.next_host();
        let mut connected = Err(io::ErrorKind::NotFound.into());
        for attempt in 0..hosts.len() {
            let host = hosts[(first + attempt) % hosts.len()];
            connected = TcpStream::connect((host, url.port())).await;
            if connected.is_ok() {
                break;
            }
        }
        let stream = connected?;
        let checker = WireChecker::new(Arc::clone(&self.sim_state), self.actor, self.machine);
        Ok(ObservedStream { stream, checker })
    }
}

/// Stream that checks the bytes that it receives.
pub(crate) struct ObservedStream {
    stream: TcpStream,
    checker: WireChecker,
}

impl AsyncRead for ObservedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.stream).poll_read(context, buffer);
        match &polled {
            Poll::Ready(Ok(())) if buffer.filled().len() > before => {
                self.checker.on_bytes(&buffer.filled()[before..]);
            }
            Poll::Ready(Ok(()) | Err(_)) => self.checker.on_end(),
            Poll::Pending => {}
        }
        polled
    }
}

impl AsyncWrite for ObservedStream {
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
