//! Messages between nodes about their lists and the seats of parties. Messages may be lost. Reports are therefore
//! repeated, and a node that does not reply to a query counts as a node without shards.

use std::fmt;

use futures::StreamExt;
use futures::future::BoxFuture;
use futures::stream::BoxStream;
use tokio::sync::mpsc;
use tokio_util::bytes::Bytes;
use tokio_util::sync::CancellationToken;
use tracing::{debug, error};

use super::party_queries::{PartyReport, client_words, parse_client};
use crate::cluster::shard::NodeId;
use crate::room::handle::SeatHolder;

/// Maximum number of messages in the queue for sending. Further messages are dropped.
const MAX_WAITING_MESSAGES: usize = 4096;

/// Error of a bus that did not take a message in time.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot send to node: {0}")]
pub(crate) struct BusError(pub(crate) String);

/// Carries messages between nodes. A sender does not detect the loss of a message.
pub(crate) trait Bus: Send + Sync + fmt::Debug + 'static {
    /// Sends a message. The wait is bounded.
    ///
    /// # Errors
    /// If the bus did not take the message in time.
    fn send(&self, to: NodeId, message: Bytes) -> BoxFuture<'_, Result<(), BusError>>;
}

/// The bus of a node, and the messages that it receives. The stream ends when the connection has ended for good.
pub(crate) struct ConnectedBus {
    pub(crate) bus: Box<dyn Bus>,
    pub(crate) messages: BoxStream<'static, Bytes>,
}

impl fmt::Debug for ConnectedBus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConnectedBus")
            .field("bus", &self.bus)
            .finish_non_exhaustive()
    }
}

#[derive(Clone, Debug)]
pub(super) enum NodeMessage {
    /// The lobby of the node as the wire message `lobby`, or nothing if the lobby has not changed.
    Lobby(String),
    /// A query for the seats of a client, with its number.
    PartyQuery(u64, SeatHolder),
    /// The report on the query with this number.
    PartyReport(u64, PartyReport),
}

impl NodeMessage {
    /// Encodes the message for the bus: sender, kind, number and content.
    fn encode(&self, from: NodeId) -> String {
        let from = u128::from_be_bytes(from.0);
        match self {
            NodeMessage::Lobby(report) => format!("{from:032x} lobby 0 {report}"),
            NodeMessage::PartyQuery(number, client) => {
                format!("{from:032x} query {number} {}", client_words(*client))
            }
            NodeMessage::PartyReport(number, report) => {
                format!("{from:032x} report {number} {report}")
            }
        }
    }

    /// Parses a message. `None` if it has another format.
    fn parse(bytes: &[u8]) -> Option<(NodeId, NodeMessage)> {
        let mut words = str::from_utf8(bytes).ok()?.splitn(4, ' ');
        let from = u128::from_str_radix(words.next()?, 16).ok()?;
        let (kind, number) = (words.next()?, words.next()?.parse().ok()?);
        let content = words.next()?;
        let message = match kind {
            "lobby" => NodeMessage::Lobby(content.to_owned()),
            "query" => NodeMessage::PartyQuery(number, parse_client(content)?),
            "report" => NodeMessage::PartyReport(number, content.parse().ok()?),
            _ => return None,
        };
        Some((NodeId(from.to_be_bytes()), message))
    }
}

/// Sends messages to other nodes.
#[derive(Clone, Debug)]
pub(crate) struct NodeMessageSender(mpsc::Sender<(NodeId, NodeMessage)>);

impl NodeMessageSender {
    /// Sends a message without waiting.
    pub(super) fn send(&self, to: NodeId, message: NodeMessage) {
        if self.0.try_send((to, message)).is_err() {
            debug!(node = %to, "message to a node dropped: queue full");
        }
    }
}

/// The messages of a node, which a task sends and receives.
#[derive(Debug)]
pub(crate) struct NodeMessages {
    node: NodeId,
    bus: ConnectedBus,
    waiting: mpsc::Receiver<(NodeId, NodeMessage)>,
}

/// Returns the sender and the receiving end of the messages between a node and other nodes over a bus.
pub(crate) fn node_messages(node: NodeId, bus: ConnectedBus) -> (NodeMessageSender, NodeMessages) {
    let (sender, waiting) = mpsc::channel(MAX_WAITING_MESSAGES);
    (
        NodeMessageSender(sender),
        NodeMessages { node, bus, waiting },
    )
}

impl NodeMessages {
    /// Sends and receives messages until `stop` is cancelled, or the bus has ended for good.
    pub(super) async fn run(
        mut self,
        on_message: impl Fn(NodeId, NodeMessage),
        stop: CancellationToken,
    ) {
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                Some((to, message)) = self.waiting.recv() => {
                    let sent = self.bus.bus.send(to, message.encode(self.node).into()).await;
                    if let Err(error) = sent {
                        debug!(node = %to, %error, "message to a node lost");
                    }
                }
                received = self.bus.messages.next() => match received {
                    Some(bytes) => match NodeMessage::parse(&bytes) {
                        Some((from, message)) => on_message(from, message),
                        None => debug!("message with an unknown format ignored"),
                    },
                    None => {
                        return error!("connection to the NATS servers ended permanently");
                    }
                },
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use noughts_protocol::{Identity, Party};

    use super::*;

    #[test]
    fn messages_are_read_as_written() {
        let client = SeatHolder {
            party: Some(Party::from_bits(7)),
            identity: Some(Identity::from_bytes([7; 16])),
        };
        for message in [
            NodeMessage::Lobby(String::new()),
            NodeMessage::Lobby("{\"type\": \"lobby\"}".into()),
            NodeMessage::PartyQuery(3, client),
            NodeMessage::PartyQuery(4, SeatHolder::default()),
            NodeMessage::PartyReport(u64::MAX, PartyReport::default()),
        ] {
            let text = message.encode(NodeId([0x0a; 16]));
            let (from, read) = NodeMessage::parse(text.as_bytes()).unwrap();
            assert_eq!(from, NodeId([0x0a; 16]));
            assert_eq!(format!("{read:?}"), format!("{message:?}"));
        }
        for text in [
            "",
            "0a",
            "0a lobby",
            "0a lobby x y",
            "0a other 1 y",
            "0a query 1 y",
        ] {
            assert!(NodeMessage::parse(text.as_bytes()).is_none(), "{text}");
        }
    }
}
