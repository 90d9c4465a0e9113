//! The links of this node to all others, for the tasks of clients and members.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use noughts_protocol::wire::RejectCode;
use tokio::sync::Notify;
use tokio::time::Instant;
use tracing::{debug, warn};

use super::gateway_member::GatewayMember;
use super::link_batch::{LinkEntryKind, MembershipId};
use super::link_state::LinkState;
use super::remote_member::EntryReplies;
use crate::cluster::metered_log::ClusterMetrics;
use crate::cluster::shard::NodeId;
use crate::room::handle::RoomHandle;
use crate::runtime::sync::lock;

/// The links of a node.
#[derive(Debug)]
pub(super) struct LinkTable {
    node: NodeId,
    links: Mutex<BTreeMap<NodeId, LinkState>>,
    /// First generation of the next link, later than those of all links that were forgotten.
    first_generation: AtomicU64,
    metrics: ClusterMetrics,
    /// Entries wait to be sent.
    wake: Notify,
}

impl LinkTable {
    pub(super) fn new(node: NodeId, metrics: ClusterMetrics) -> LinkTable {
        let first_generation = AtomicU64::new(1);
        LinkTable {
            node,
            links: Mutex::default(),
            first_generation,
            metrics,
            wake: Notify::new(),
        }
    }

    /// Locks the links. Never held across an await.
    pub(super) fn lock(&self) -> MutexGuard<'_, BTreeMap<NodeId, LinkState>> {
        lock(&self.links)
    }

    /// A link that begins at `now`.
    pub(super) fn new_link(&self, now: Instant) -> LinkState {
        let generation = self.first_generation.load(Ordering::Relaxed);
        LinkState::new(
            self.node,
            generation,
            self.metrics.closed_links.clone(),
            now,
        )
    }

    /// Forgets the links without members whose other side is gone.
    pub(super) fn forget_gone(&self, now: Instant) {
        self.lock().retain(|_, state| {
            let is_kept = state.is_used() || !state.link.is_gone(now);
            if !is_kept {
                self.first_generation
                    .fetch_max(state.link.generation() + 1, Ordering::Relaxed);
            }
            is_kept
        });
    }

    /// Measures the members of all links.
    pub(super) fn measure(&self) {
        let (mut clients, mut members) = (0, 0);
        for state in self.lock().values() {
            clients += state.clients.len();
            members += state.members.len();
        }
        self.metrics.remote_clients.set(clients as i64);
        self.metrics.remote_members.set(members as i64);
    }

    /// Waits until entries wait to be sent.
    pub(super) async fn wait_for_entries(&self) {
        self.wake.notified().await;
    }

    /// Makes the links send what waits.
    pub(super) fn wake(&self) {
        self.wake.notify_one();
    }

    /// Sends the request of a client to enter a room or the lobby.
    ///
    /// # Errors
    /// The client, with `busy` if the link has no capacity for it, and with `unavailable` if the node has stopped.
    pub(super) fn enter(
        &self,
        peer: NodeId,
        member: MembershipId,
        client: GatewayMember,
        (kind, value): (LinkEntryKind, u32),
        body: &str,
    ) -> Result<(), (GatewayMember, RejectCode)> {
        let mut links = self.lock();
        let now = Instant::now();
        let state = links.entry(peer).or_insert_with(|| self.new_link(now));
        if state.link.is_silent(now) {
            state.close();
        }
        if state.has_ended {
            return Err((client, RejectCode::Unavailable));
        }
        if !state.has_capacity() || !state.push(kind, member, value, body) {
            return Err((client, RejectCode::Busy));
        }
        state.clients.insert(member, Arc::new(client));
        drop(links);
        self.wake.notify_one();
        Ok(())
    }

    /// Sends an entry. Without space for it, the link is closed.
    pub(super) fn send(
        &self,
        peer: NodeId,
        kind: LinkEntryKind,
        member: MembershipId,
        value: u32,
        body: &str,
    ) {
        let mut links = self.lock();
        // Without a link, the member was disconnected already.
        let Some(state) = links.get_mut(&peer) else {
            return;
        };
        if !state.push(kind, member, value, body) {
            warn!(node = %peer, "link closed: too many messages wait");
            state.close();
        }
        drop(links);
        self.wake.notify_one();
    }

    /// Sends an entry that concerns no client, unless too much waits.
    pub(super) fn send_to_node(&self, peer: NodeId, kind: LinkEntryKind, number: u64, body: &str) {
        let mut links = self.lock();
        let now = Instant::now();
        let state = links.entry(peer).or_insert_with(|| self.new_link(now));
        if state.link.is_silent(now) && !state.is_used() {
            state.link.restart(now);
        }
        if !state.push(kind, MembershipId(number), 0, body) {
            debug!(node = %peer, "message to a node dropped: too many messages wait");
        }
        drop(links);
        self.wake.notify_one();
    }

    /// Sends the reply to a request to enter that neither a room nor the lobby received.
    pub(super) fn send_replies(&self, peer: NodeId, member: MembershipId, replies: EntryReplies) {
        for (kind, value, body) in replies {
            self.send(peer, kind, member, value, &body);
        }
    }

    /// Ends the membership of a client of this node, whose connection has ended.
    pub(super) fn exit(&self, peer: NodeId, member: MembershipId) {
        let client = self
            .lock()
            .get_mut(&peer)
            .and_then(|state| state.clients.remove(&member));
        if client.is_some() {
            self.send(peer, LinkEntryKind::Exit, member, 0, "");
        }
    }

    /// Ends the membership of a client of another node, with a last entry.
    pub(super) fn end_member(
        &self,
        peer: NodeId,
        member: MembershipId,
        kind: LinkEntryKind,
        value: u32,
    ) {
        let ended = self
            .lock()
            .get_mut(&peer)
            .and_then(|state| state.members.remove(&member));
        if ended.is_some() {
            self.send(peer, kind, member, value, "");
        }
    }

    /// A client of another node has left its room.
    pub(super) fn set_left(&self, peer: NodeId, member: MembershipId) {
        if let Some(state) = self.lock().get_mut(&peer)
            && let Some(member) = state.members.get_mut(&member)
        {
            member.has_left = true;
        }
    }

    /// A client of another node has entered a room.
    pub(super) fn set_room(&self, peer: NodeId, member: MembershipId, room: RoomHandle) {
        if let Some(state) = self.lock().get_mut(&peer)
            && let Some(member) = state.members.get_mut(&member)
        {
            member.set_room(room);
        }
    }
}

#[cfg(test)]
mod tests {
    use noughts_protocol::{RequestId, RoomId};
    use tokio::time::advance;
    use tokio_util::sync::CancellationToken;

    use super::*;
    use crate::cluster::nodes::membership::SUSPECT_AFTER;
    use crate::limits::client_prefix::ClientPrefix;
    use crate::room::handle::room_channel;
    use crate::send_queue::{Outgoing, QueueEvent, SendQueueReceiver, without_stream};

    fn client() -> (GatewayMember, SendQueueReceiver<RoomHandle>) {
        let (send_queue, receiver) = without_stream(16);
        let prefix = ClientPrefix::from_ip([192, 0, 2, 1].into());
        let (handle, _inbox) = room_channel(RoomId::from_bits(1), 4);
        let entering = RequestId::new(1).unwrap();
        let member = GatewayMember::new(
            send_queue,
            entering,
            prefix,
            handle,
            CancellationToken::new(),
        );
        (member, receiver)
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_waits_on_a_silent_link_connects_again_when_another_one_enters() {
        let (table, peer) = (
            LinkTable::new(NodeId([1; 16]), ClusterMetrics::default()),
            NodeId([2; 16]),
        );
        let enter = |member, client| {
            table
                .enter(
                    peer,
                    MembershipId(member),
                    client,
                    (LinkEntryKind::Enter, 0),
                    "",
                )
                .expect("capacity");
        };
        let (first, mut first_receiver) = client();
        enter(1, first);
        advance(SUSPECT_AFTER).await;
        let (second, mut second_receiver) = client();
        enter(2, second);
        let event = first_receiver.try_next();
        assert!(
            matches!(event, Some(QueueEvent::Outgoing(Outgoing::Restart { .. }))),
            "{event:?}"
        );
        assert!(second_receiver.try_next().is_none());
        assert_eq!(table.lock()[&peer].clients.len(), 1);
    }
}
