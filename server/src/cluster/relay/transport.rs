//! Opens connections to other nodes, and accepts connections from them.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use futures::future::BoxFuture;
use futures::stream::{self, BoxStream};
use futures::{FutureExt, StreamExt};
use socket2::{SockRef, TcpKeepalive};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::sleep;
use tracing::debug;

use super::relay_address::{RelayAddress, RelayKey};
use super::relay_warnings::limited_warn;
use crate::cluster::nodes::live_nodes::SUSPECT_AFTER;
use crate::net::accept::{Listener, bind};
use crate::runtime::rng::ServerRng;
use crate::send_queue::ByteStream;

/// Delay after a failed accept, because further accepts may fail until a connection closes.
const ACCEPT_DELAY: Duration = Duration::from_millis(50);

/// After a silence of this length, the kernel checks whether the other node is reachable.
const KEEPALIVE_TIME: Duration = Duration::from_secs(2);

const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(1);

/// Connects to other nodes.
pub(crate) trait RelayConnector: Send + Sync + fmt::Debug + 'static {
    /// Connects to an address that a node has announced. The caller bounds the wait.
    ///
    /// # Errors
    /// If the node cannot be reached.
    fn connect(&self, address: SocketAddr) -> BoxFuture<'_, io::Result<Box<dyn ByteStream>>>;
}

/// The access of a node to relays: its own address, and the connections from and to other nodes.
pub(crate) struct RelayAccess {
    pub(crate) address: RelayAddress,
    pub(crate) connections: BoxStream<'static, Box<dyn ByteStream>>,
    pub(crate) connector: Box<dyn RelayConnector>,
}

impl fmt::Debug for RelayAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RelayAccess")
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}

impl RelayAccess {
    /// Accepts relays at an address of this machine, which other nodes can reach.
    ///
    /// # Errors
    /// If the address is in use or not permitted.
    pub(crate) fn listen(address: SocketAddr, rng: &ServerRng) -> io::Result<RelayAccess> {
        let listener = bind(address)?;
        Ok(RelayAccess {
            address: RelayAddress {
                address: listener.local_addr()?,
                key: RelayKey::new(rng),
            },
            connections: stream::unfold(listener, accept).boxed(),
            connector: Box::new(TcpConnector),
        })
    }
}

async fn accept(mut listener: TcpListener) -> Option<(Box<dyn ByteStream>, TcpListener)> {
    loop {
        match Listener::accept(&mut listener).await {
            Ok((stream, peer)) => match end_when_unreachable(&stream) {
                Ok(()) => return Some((Box::new(stream), listener)),
                Err(error) => {
                    debug!(%peer, %error, "relay dropped: its socket cannot be configured");
                }
            },
            Err(error) => {
                limited_warn!(%error, "cannot accept relay; retrying");
                sleep(ACCEPT_DELAY).await;
            }
        }
    }
}

/// Makes the kernel end a connection to a node that does not acknowledge data, even if heartbeats of the node still
/// arrive.
fn end_when_unreachable(stream: &TcpStream) -> io::Result<()> {
    let socket = SockRef::from(stream);
    let keepalive = TcpKeepalive::new()
        .with_time(KEEPALIVE_TIME)
        .with_interval(KEEPALIVE_INTERVAL);
    socket.set_tcp_keepalive(&keepalive)?;
    #[cfg(target_os = "linux")]
    socket.set_tcp_user_timeout(Some(SUSPECT_AFTER))?;
    Ok(())
}

#[derive(Debug)]
struct TcpConnector;

impl RelayConnector for TcpConnector {
    fn connect(&self, address: SocketAddr) -> BoxFuture<'_, io::Result<Box<dyn ByteStream>>> {
        async move {
            let stream = TcpStream::connect(address).await?;
            stream.set_nodelay(true)?;
            end_when_unreachable(&stream)?;
            Ok(Box::new(stream) as Box<dyn ByteStream>)
        }
        .boxed()
    }
}
