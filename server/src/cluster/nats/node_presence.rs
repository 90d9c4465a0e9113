//! The heartbeats of this node and of others on the bus.

use std::time::Duration;

use async_nats::{Client, Subscriber};
use futures::StreamExt;
use tokio::sync::watch;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval, timeout};
use tokio_util::sync::CancellationToken;
use tracing::{debug, info, warn};

use crate::cluster::cluster_log::ClusterError;
use crate::cluster::nodes::membership::{
    HEARTBEAT_INTERVAL, LOOPBACK_TIMEOUT, Membership, NodeHeartbeat, NodeState,
};
use crate::cluster::shard::NodeId;

/// Time for the last heartbeat.
const LEAVE_TIMEOUT: Duration = Duration::from_secs(1);

/// Sends the heartbeats of this node, and listens to those of all nodes.
#[derive(Debug)]
pub(super) struct NodePresence {
    client: Client,
    subject: String,
    heartbeats: Subscriber,
    ticks: Interval,
    own: NodeHeartbeat,
    members: Membership,
    /// Notified when another node is active, too.
    rivals: watch::Sender<()>,
    /// Last change of the server, because the own heartbeats did not arrive.
    switched_at: Instant,
}

impl NodePresence {
    /// Begins to listen. The second value changes whenever another node is active beside this one.
    pub(super) async fn new(
        client: Client,
        name: &str,
        node: NodeId,
    ) -> Result<(NodePresence, watch::Receiver<()>), ClusterError> {
        let subject = format!("{name}.heartbeat");
        let heartbeats = client.subscribe(subject.clone()).await;
        let heartbeats = heartbeats.map_err(|error| ClusterError::Setup(error.to_string()))?;
        let now = Instant::now();
        let mut ticks = interval(HEARTBEAT_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let (rivals, rival_receiver) = watch::channel(());
        let presence = NodePresence {
            client,
            subject,
            heartbeats,
            ticks,
            own: NodeHeartbeat { node, state: NodeState::Standby },
            members: Membership::new(node, now),
            rivals,
            switched_at: now,
        };
        Ok((presence, rival_receiver))
    }

    /// Waits until this node may claim the shards, and announces it.
    ///
    /// # Errors
    /// If the connection ends for good.
    pub(super) async fn wait_for_turn(&mut self) -> Result<(), ClusterError> {
        let mut reported = None;
        while !self.members.may_claim(Instant::now()) {
            self.step().await?;
            let active = self.members.active_node(Instant::now());
            if let Some(node) = active.filter(|_| active != reported) {
                info!(%node, "standing by: another node serves the cluster");
                reported = active;
            }
        }
        self.own.state = NodeState::Active;
        self.send().await;
        Ok(())
    }

    /// Sends heartbeats until `stopped` is cancelled, and then a last one, so that another node can take over at once.
    pub(super) async fn run(mut self, stopped: CancellationToken) {
        let ended = stopped.run_until_cancelled(async { while self.step().await.is_ok() {} }).await;
        if ended.is_some() {
            return warn!("heartbeats ended: another node may take over");
        }
        self.own.state = NodeState::Leaving;
        self.send().await;
        match timeout(LEAVE_TIMEOUT, self.client.flush()).await {
            Ok(Ok(())) => {}
            Ok(Err(_)) | Err(_) => debug!("last heartbeat not sent; another node waits until it is overdue"),
        }
    }

    async fn step(&mut self) -> Result<(), ClusterError> {
        tokio::select! {
            biased;
            heartbeat = self.heartbeats.next() => {
                let Some(message) = heartbeat else {
                    return Err(ClusterError::Setup("NATS connection has ended".into()));
                };
                match NodeHeartbeat::parse(&message.payload) {
                    Some(heartbeat) => self.on_heartbeat(heartbeat),
                    None => debug!("heartbeat of another format ignored"),
                }
            }
            now = self.ticks.tick() => {
                self.send().await;
                if !self.members.has_loopback(now) && now - self.switched_at >= 2 * LOOPBACK_TIMEOUT {
                    self.switched_at = now;
                    warn!("NATS server does not respond; switching to another one");
                    if let Err(error) = self.client.force_reconnect().await {
                        warn!(%error, "cannot switch NATS server");
                    }
                }
            }
        }
        Ok(())
    }

    fn on_heartbeat(&mut self, heartbeat: NodeHeartbeat) {
        self.members.on_heartbeat(Instant::now(), heartbeat);
        let is_other = heartbeat.node != self.own.node;
        if is_other && [heartbeat.state, self.own.state] == [NodeState::Active; 2] {
            self.rivals.send_replace(());
        }
    }

    async fn send(&self) {
        if let Err(error) = self.client.publish(self.subject.clone(), self.own.encode().into()).await {
            debug!(%error, "heartbeat not sent");
        }
    }
}
