//! Heartbeats and batches between nodes, in order. They are lost while a node is cut off, and now and then.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt, stream};
use tokio::sync::mpsc;
use tokio_util::bytes::Bytes;

use super::model_log::ModelLog;
use super::planted_fault::PlantedFault;
use crate::cluster::links::bus::{Bus, BusError, ConnectedBus};
use crate::cluster::links::link_batch::{BatchHeader, HEADER_LEN, decode_batch, encode_batch};
use crate::cluster::nodes::heartbeat_channel::HeartbeatChannel;
use crate::cluster::shard::NodeId;
use crate::runtime::sync::lock;

/// Messages that a node has not received; further ones are lost.
const MAX_WAITING_MESSAGES: usize = 4096;

/// Mean number of misbehaving accesses for each lost message.
const LOSS_RARITY: u32 = 10;

/// Mean number of batches for each one that is lost under [`PlantedFault::IgnoreLinkGap`].
const HIDDEN_LOSS_RARITY: u32 = 20;

/// Lost batches of a generation that the numbers of the later ones do not show.
#[derive(Clone, Copy, Debug, Default)]
struct HiddenLosses {
    generation: u64,
    count: u64,
}

/// The connection of one process.
#[derive(Debug)]
struct NodePort {
    id: NodeId,
    is_cut: Arc<AtomicBool>,
    heartbeats: mpsc::Sender<Bytes>,
    batches: mpsc::Sender<Bytes>,
    /// By receiver.
    hidden_losses: HashMap<NodeId, HiddenLosses>,
}

impl NodePort {
    fn is_cut(&self) -> bool {
        self.is_cut.load(Ordering::Relaxed)
    }
}

/// Connects all nodes.
pub(crate) struct ModelNetwork {
    log: Arc<ModelLog>,
    /// The latest process of each node.
    ports: Mutex<Vec<NodePort>>,
}

impl ModelNetwork {
    /// A network that loses messages while `log` misbehaves.
    pub(crate) fn new(log: Arc<ModelLog>) -> ModelNetwork {
        ModelNetwork {
            log,
            ports: Mutex::default(),
        }
    }

    /// Connects a process, which receives nothing while `is_cut` is set.
    pub(crate) fn connect(
        self: &Arc<Self>,
        id: NodeId,
        is_cut: Arc<AtomicBool>,
    ) -> (Box<dyn HeartbeatChannel>, ConnectedBus) {
        let (heartbeats, heartbeat_receiver) = mpsc::channel(MAX_WAITING_MESSAGES);
        let (batches, batch_receiver) = mpsc::channel(MAX_WAITING_MESSAGES);
        let mut ports = lock(&self.ports);
        ports.retain(|port| !port.heartbeats.is_closed());
        ports.push(NodePort {
            id,
            is_cut,
            heartbeats,
            batches,
            hidden_losses: HashMap::new(),
        });
        let connection = ModelConnection {
            network: Arc::clone(self),
            id,
        };
        let channel = ModelHeartbeatChannel {
            connection: connection.clone(),
            receiver: heartbeat_receiver,
        };
        let batches = stream::unfold(batch_receiver, |mut receiver| async {
            let batch = receiver.recv().await?;
            Some((batch, receiver))
        });
        (
            Box::new(channel),
            ConnectedBus {
                bus: Box::new(connection),
                batches: batches.boxed(),
            },
        )
    }

    fn loses_message(&self) -> bool {
        self.log.misbehaves() && self.log.random_below(LOSS_RARITY) == 0
    }

    fn send_heartbeat(&self, from: NodeId, heartbeat: &Bytes) {
        let ports = lock(&self.ports);
        if ports.iter().any(|port| port.id == from && port.is_cut()) {
            return;
        }
        for port in ports.iter().filter(|port| !port.is_cut()) {
            if !self.loses_message() {
                // A full or closed queue loses it.
                let (Ok(()) | Err(_)) = port.heartbeats.try_send(heartbeat.clone());
            }
        }
    }

    fn send_batch(&self, from: NodeId, to: NodeId, batch: Bytes) {
        let mut ports = lock(&self.ports);
        let is_lost = ports
            .iter()
            .any(|port| (port.id == from || port.id == to) && port.is_cut());
        if is_lost || self.loses_message() {
            return;
        }
        let mut batch = Some(batch);
        if self.log.planted() == Some(PlantedFault::IgnoreLinkGap)
            && let Some(port) = ports.iter_mut().find(|port| port.id == from)
        {
            let losses = port.hidden_losses.entry(to).or_default();
            batch = batch.and_then(|batch| self.hide_losses(batch, losses));
        }
        if let Some(batch) = batch
            && let Some(port) = ports.iter().find(|port| port.id == to)
        {
            let (Ok(()) | Err(_)) = port.batches.try_send(batch);
        }
    }

    /// Loses some batches, and numbers the others without a gap.
    fn hide_losses(&self, batch: Bytes, losses: &mut HiddenLosses) -> Option<Bytes> {
        let (header, entries) = decode_batch(batch.clone())?;
        if losses.generation != header.generation {
            *losses = HiddenLosses {
                generation: header.generation,
                count: 0,
            };
        }
        if !entries.is_empty() && self.log.random_below(HIDDEN_LOSS_RARITY) == 0 {
            losses.count += 1;
            return None;
        }
        let header = BatchHeader {
            number: header.number - losses.count,
            ..header
        };
        Some(encode_batch(&header, &batch[HEADER_LEN..]))
    }
}

impl fmt::Debug for ModelNetwork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelNetwork")
            .field("ports", &self.ports)
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
    fn send(&self, to: NodeId, batch: Bytes) -> BoxFuture<'_, Result<(), BusError>> {
        async move {
            self.network.send_batch(self.id, to, batch);
            Ok(())
        }
        .boxed()
    }

    fn flush(&self) -> BoxFuture<'_, ()> {
        async {}.boxed()
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
