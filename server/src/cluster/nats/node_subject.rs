//! [`Bus`] over NATS: each node receives on a subject of its own.

use std::time::Duration;

use async_nats::Client;
use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt};
use tokio::time::timeout;
use tokio_util::bytes::Bytes;

use crate::cluster::cluster_error::ClusterError;
use crate::cluster::lobby::node_messages::{Bus, BusError, ConnectedBus};
use crate::cluster::shard::NodeId;

/// Maximum time until the client takes a message. Its queue is full only while the connection is down or too slow.
const SEND_TIMEOUT: Duration = Duration::from_secs(1);

#[derive(Debug)]
struct NodeSubject {
    client: Client,
    name: String,
}

fn subject(name: &str, node: NodeId) -> String {
    format!("{name}.node.{:032x}", u128::from_be_bytes(node.0))
}

/// Begins to receive the messages that other nodes send to `node`.
pub(super) async fn subscribe(
    client: Client,
    name: &str,
    node: NodeId,
) -> Result<ConnectedBus, ClusterError> {
    let received = client.subscribe(subject(name, node)).await;
    let received = received.map_err(|error| ClusterError::Setup(error.to_string()))?;
    // The flush makes sure that the server knows the subscription before a heartbeat names this node.
    client
        .flush()
        .await
        .map_err(|error| ClusterError::Setup(error.to_string()))?;
    let messages = received.map(|message| message.payload).boxed();
    Ok(ConnectedBus {
        bus: Box::new(NodeSubject {
            client,
            name: name.to_owned(),
        }),
        messages,
    })
}

impl Bus for NodeSubject {
    fn send(&self, to: NodeId, message: Bytes) -> BoxFuture<'_, Result<(), BusError>> {
        async move {
            match timeout(
                SEND_TIMEOUT,
                self.client.publish(subject(&self.name, to), message),
            )
            .await
            {
                Ok(sent) => sent.map_err(|error| BusError(error.to_string())),
                Err(_) => Err(BusError("no connection".into())),
            }
        }
        .boxed()
    }
}
