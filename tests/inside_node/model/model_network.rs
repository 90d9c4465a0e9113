//! Heartbeats and messages between nodes. All messages of a node that is cut off are lost, and other messages are lost
//! now and then.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt, stream};
use tokio::sync::mpsc;
use tokio_util::bytes::Bytes;

use super::model_log::ModelLog;
use super::model_stream::{ModelStream, model_streams};
use crate::cluster::lobby::node_messages::{Bus, BusError, ConnectedBus};
use crate::cluster::nodes::heartbeat_channel::HeartbeatChannel;
use crate::cluster::relay::relay_address::RelayAddress;
use crate::cluster::relay::transport::{RelayAccess, RelayConnector};
use crate::cluster::shard::NodeId;
use crate::runtime::sync::lock;
use crate::send_queue::ByteStream;

/// Maximum number of messages that wait for a node to receive them. Further messages are lost.
const MAX_WAITING_MESSAGES: usize = 4096;

/// Maximum number of connections that wait for a node to accept them. Further connections are refused.
const MAX_WAITING_CONNECTIONS: usize = 256;

/// Mean number of misbehaving accesses for each lost message.
const LOSS_RARITY: u32 = 10;

/// The connection of one process.
#[derive(Debug)]
struct NodePort {
    id: NodeId,
    address: SocketAddr,
    is_cut: Arc<AtomicBool>,
    heartbeats: mpsc::Sender<Bytes>,
    messages: mpsc::Sender<Bytes>,
    relays: mpsc::Sender<ModelStream>,
}

impl NodePort {
    fn is_cut(&self) -> bool {
        self.is_cut.load(Ordering::Relaxed)
    }
}

/// The connections of a process to other processes.
pub(crate) struct ModelConnections {
    pub(crate) heartbeats: Box<dyn HeartbeatChannel>,
    pub(crate) bus: ConnectedBus,
    pub(crate) relays: RelayAccess,
}

#[derive(Debug, Default)]
struct NetworkState {
    /// The latest process of each node.
    ports: Vec<NodePort>,
    /// Number of processes so far.
    process_count: u16,
}

/// Connects all nodes.
pub(crate) struct ModelNetwork {
    log: Arc<ModelLog>,
    state: Mutex<NetworkState>,
}

impl ModelNetwork {
    /// Creates a network that loses messages while `log` misbehaves.
    pub(crate) fn new(log: Arc<ModelLog>) -> ModelNetwork {
        ModelNetwork {
            log,
            state: Mutex::default(),
        }
    }

    /// Connects a process, which neither sends nor receives while `is_cut` is set.
    pub(crate) fn connect(
        self: &Arc<Self>,
        id: NodeId,
        is_cut: Arc<AtomicBool>,
    ) -> ModelConnections {
        let (heartbeats, heartbeat_receiver) = mpsc::channel(MAX_WAITING_MESSAGES);
        let (messages, message_receiver) = mpsc::channel(MAX_WAITING_MESSAGES);
        let (relays, relay_receiver) = mpsc::channel(MAX_WAITING_CONNECTIONS);
        let mut state = lock(&self.state);
        state.process_count += 1;
        let relay =
            RelayAddress::of_model(state.process_count, self.log.random_below(1 << 20).into());
        state.ports.retain(|port| !port.heartbeats.is_closed());
        state.ports.push(NodePort {
            id,
            address: relay.address,
            is_cut,
            heartbeats,
            messages,
            relays,
        });
        drop(state);
        let connection = ModelConnection {
            network: Arc::clone(self),
            id,
        };
        ModelConnections {
            heartbeats: Box::new(ModelHeartbeatChannel {
                connection: connection.clone(),
                receiver: heartbeat_receiver,
            }),
            bus: ConnectedBus {
                bus: Box::new(connection.clone()),
                messages: received(message_receiver).boxed(),
            },
            relays: RelayAccess {
                address: relay,
                connections: received(relay_receiver)
                    .map(|stream| Box::new(stream) as Box<dyn ByteStream>)
                    .boxed(),
                connector: Box::new(connection),
            },
        }
    }

    fn loses_message(&self) -> bool {
        self.log.misbehaves() && self.log.random_below(LOSS_RARITY) == 0
    }

    fn send_heartbeat(&self, from: NodeId, heartbeat: &Bytes) {
        let ports = &lock(&self.state).ports;
        if ports.iter().any(|port| port.id == from && port.is_cut()) {
            return;
        }
        for port in ports.iter().filter(|port| !port.is_cut()) {
            if !self.loses_message() {
                // If the queue is full or closed, the heartbeat is lost.
                let (Ok(()) | Err(_)) = port.heartbeats.try_send(heartbeat.clone());
            }
        }
    }

    fn send_message(&self, from: NodeId, to: NodeId, message: Bytes) {
        let ports = &lock(&self.state).ports;
        let is_lost = ports
            .iter()
            .any(|port| (port.id == from || port.id == to) && port.is_cut());
        if is_lost || self.loses_message() {
            return;
        }
        if let Some(port) = ports.iter().find(|port| port.id == to) {
            let (Ok(()) | Err(_)) = port.messages.try_send(message);
        }
    }

    /// Connects a process to the address of another process.
    fn open_stream(&self, from: NodeId, to: SocketAddr) -> io::Result<Box<dyn ByteStream>> {
        let ports = &lock(&self.state).ports;
        let refused = || io::Error::from(io::ErrorKind::ConnectionRefused);
        let here = ports.iter().find(|port| port.id == from);
        let there = ports.iter().find(|port| port.address == to);
        let (here, there) = here.zip(there).ok_or_else(refused)?;
        if here.is_cut() || there.is_cut() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        let cuts = [Arc::clone(&here.is_cut), Arc::clone(&there.is_cut)];
        let [near, far] = model_streams(&self.log, &cuts);
        there.relays.try_send(far).map_err(|_| refused())?;
        Ok(Box::new(near))
    }
}

fn received<T: Send + 'static>(
    receiver: mpsc::Receiver<T>,
) -> impl futures::Stream<Item = T> + Send + 'static {
    stream::unfold(receiver, |mut receiver| async {
        let item = receiver.recv().await?;
        Some((item, receiver))
    })
}

impl fmt::Debug for ModelNetwork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelNetwork")
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}

/// The access of one process to the network.
#[derive(Clone, Debug)]
struct ModelConnection {
    network: Arc<ModelNetwork>,
    id: NodeId,
}

impl Bus for ModelConnection {
    fn send(&self, to: NodeId, message: Bytes) -> BoxFuture<'_, Result<(), BusError>> {
        async move {
            self.network.send_message(self.id, to, message);
            Ok(())
        }
        .boxed()
    }
}

impl RelayConnector for ModelConnection {
    fn connect(&self, address: SocketAddr) -> BoxFuture<'_, io::Result<Box<dyn ByteStream>>> {
        async move { self.network.open_stream(self.id, address) }.boxed()
    }
}

struct ModelHeartbeatChannel {
    connection: ModelConnection,
    receiver: mpsc::Receiver<Bytes>,
}

impl HeartbeatChannel for ModelHeartbeatChannel {
    fn receive(&mut self) -> BoxFuture<'_, Option<Bytes>> {
        self.receiver.recv().boxed()
    }

    fn send(&self, heartbeat: String) -> BoxFuture<'_, ()> {
        async move {
            self.connection
                .network
                .send_heartbeat(self.connection.id, &heartbeat.into());
        }
        .boxed()
    }

    fn flush(&self) -> BoxFuture<'_, ()> {
        async {}.boxed()
    }

    fn switch_server(&self) -> BoxFuture<'_, ()> {
        async {}.boxed()
    }
}
