//! [`HeartbeatChannel`] over a subject of NATS.

use std::time::Duration;

use async_nats::{Client, Subscriber};
use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt};
use tokio::time::timeout;
use tokio_util::bytes::Bytes;
use tracing::{debug, warn};

use crate::cluster::cluster_error::ClusterError;
use crate::cluster::nodes::heartbeat_channel::HeartbeatChannel;
use crate::cluster::nodes::live_nodes::HEARTBEAT_INTERVAL;

/// Message of a node that starts.
pub(super) const START_ANNOUNCEMENT: &str = "joining";

/// Time limit for sending a heartbeat, and for changing the server. It is short, because the writers must not wait
/// longer.
const SEND_TIMEOUT: Duration = HEARTBEAT_INTERVAL;

/// Time limit for sending the last heartbeat of a node.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(1);

/// Time limit for announcing the start of a node.
const ANNOUNCE_TIMEOUT: Duration = Duration::from_secs(10);

/// The subject that carries the heartbeats of all nodes.
#[derive(Debug)]
pub(crate) struct HeartbeatSubject {
    client: Client,
    subject: String,
    heartbeats: Subscriber,
}

impl HeartbeatSubject {
    /// Subscribes to the heartbeats of all nodes.
    pub(super) async fn new(client: Client, name: &str) -> Result<HeartbeatSubject, ClusterError> {
        let subject = format!("{name}.heartbeat");
        let heartbeats = client.subscribe(subject.clone()).await;
        let heartbeats = heartbeats.map_err(|error| ClusterError::Setup(error.to_string()))?;
        Ok(HeartbeatSubject {
            client,
            subject,
            heartbeats,
        })
    }

    /// Announces a starting node before it reads data that a command of the operator may change. Other nodes ignore the
    /// message.
    ///
    /// # Errors
    /// If the server does not take the message in time.
    pub(super) async fn announce_start(&self) -> Result<(), ClusterError> {
        let announce = async {
            self.client
                .publish(self.subject.clone(), START_ANNOUNCEMENT.into())
                .await
                .map_err(|error| error.to_string())?;
            self.client.flush().await.map_err(|error| error.to_string())
        };
        let announced = timeout(ANNOUNCE_TIMEOUT, announce)
            .await
            .unwrap_or_else(|_| Err("no reply in time".into()));
        announced.map_err(|error| ClusterError::Setup(format!("cannot announce the node: {error}")))
    }
}

impl HeartbeatChannel for HeartbeatSubject {
    fn receive(&mut self) -> BoxFuture<'_, Option<Bytes>> {
        self.heartbeats
            .next()
            .map(|message| message.map(|message| message.payload))
            .boxed()
    }

    fn send(&self, heartbeat: String) -> BoxFuture<'_, ()> {
        async move {
            // Sending has a time limit, because the queue of the client fills up while the connection is lost for a
            // long time.
            match timeout(
                SEND_TIMEOUT,
                self.client.publish(self.subject.clone(), heartbeat.into()),
            )
            .await
            {
                Ok(Ok(())) => {}
                Ok(Err(error)) => debug!(%error, "heartbeat not sent"),
                Err(_) => debug!("heartbeat not sent in time"),
            }
        }
        .boxed()
    }

    fn flush(&self) -> BoxFuture<'_, ()> {
        async move {
            match timeout(FLUSH_TIMEOUT, self.client.flush()).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) | Err(_) => {
                    debug!("last heartbeat not sent; other nodes wait until it is overdue");
                }
            }
        }
        .boxed()
    }

    fn switch_server(&self) -> BoxFuture<'_, ()> {
        async move {
            match timeout(SEND_TIMEOUT, self.client.force_reconnect()).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => warn!(%error, "cannot switch NATS server"),
                Err(_) => warn!("cannot switch NATS server in time"),
            }
        }
        .boxed()
    }
}
