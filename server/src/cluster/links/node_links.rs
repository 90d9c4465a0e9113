//! The links of this node to all others.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, MutexGuard, OnceLock, Weak};
use std::time::Duration;

use futures::StreamExt;
use noughts_protocol::{RequestId, RoomId, RoomRef};
use tokio::sync::oneshot;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep};
use tokio_util::bytes::Bytes;
use tokio_util::sync::CancellationToken;
use tracing::{debug, error, warn};

use super::bus::{Bus, ConnectedBus};
use super::gateway_member::GatewayMember;
use super::link_batch::{LinkEntry, LinkEntryKind, MembershipId, decode_batch};
use super::link_state::LinkState;
use super::link_table::LinkTable;
use super::member_pump::MemberPump;
use super::node_messages::NodeMessages;
use super::remote_member::{EntryFailure, RemoteMember};
use super::remote_room::RemoteRoom;
use super::remote_seek::RemoteSeek;
use super::remote_seeker::RemoteSeeker;
use crate::cluster::metered_log::ClusterMetrics;
use crate::cluster::nodes::membership::HEARTBEAT_INTERVAL;
use crate::cluster::shard::NodeId;
use crate::limits::client_prefix::ClientPrefix;
use crate::lobby::handle::{LobbyHandle, SeekEnd};
use crate::room::handle::{MemberQueue, RoomHandle, room_channel};
use crate::runtime::context::ServerContext;

/// Time in which the members must have left, and the other nodes know that this one stops.
const LAST_FLUSH_TIMEOUT: Duration = Duration::from_secs(1);

/// Interval in which a stopping server looks whether the links have finished.
const LAST_FLUSH_INTERVAL: Duration = Duration::from_millis(5);

/// Value of the last entry to another node.
const LAST_ENTRY: u32 = 1;

/// The links of a node.
#[derive(Debug)]
pub(crate) struct NodeLinks {
    table: Arc<LinkTable>,
    last_member: AtomicU64,
    /// Lobby of this node.
    lobby: OnceLock<LobbyHandle>,
    messages: OnceLock<Weak<dyn NodeMessages>>,
}

impl NodeLinks {
    pub(crate) fn new(node: NodeId, metrics: ClusterMetrics) -> NodeLinks {
        let (table, last_member) = (Arc::new(LinkTable::new(node, metrics)), AtomicU64::new(0));
        NodeLinks {
            table,
            last_member,
            lobby: OnceLock::new(),
            messages: OnceLock::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<NodeId, LinkState>> {
        self.table.lock()
    }

    /// Returns a handle for one client to a room of another node, which need not exist.
    pub(crate) fn open_room(
        &self,
        ctx: &ServerContext,
        peer: NodeId,
        key: RoomRef,
        client: ClientPrefix,
    ) -> RoomHandle {
        let id = match key {
            RoomRef::Id(id) => id,
            RoomRef::Code(_) => RoomId::from_bits(0),
        };
        let (handle, inbox) = room_channel(id, ctx.limits.room_inbox);
        let room = self.new_membership(ctx, peer, client, handle.clone());
        ctx.actors.spawn(room.run(key, inbox));
        handle
    }

    fn new_membership(
        &self,
        ctx: &ServerContext,
        peer: NodeId,
        client: ClientPrefix,
        handle: RoomHandle,
    ) -> RemoteRoom {
        let member = MembershipId(self.last_member.fetch_add(1, Ordering::Relaxed) + 1);
        let (links, ctx) = (Arc::clone(&self.table), ctx.clone());
        RemoteRoom {
            links,
            ctx,
            peer,
            member,
            client,
            handle,
        }
    }

    /// Places a seek in the lobby of another node. `body` is that of [`encode_seek`](super::remote_seek::encode_seek), `age`
    /// the time since the request in milliseconds. The second value receives the end of the seek.
    ///
    /// # Errors
    /// If the link has no capacity.
    pub(crate) fn place_seek(
        &self,
        ctx: &ServerContext,
        peer: NodeId,
        (client, send_queue, id): (ClientPrefix, MemberQueue, RequestId),
        age: u32,
        body: &str,
    ) -> Option<(RemoteSeek, oneshot::Receiver<SeekEnd>)> {
        let (handle, inbox) = room_channel(RoomId::from_bits(0), ctx.limits.room_inbox);
        let room = self.new_membership(ctx, peer, client, handle.clone());
        let (end_sender, seek_end) = oneshot::channel();
        let ended = CancellationToken::new();
        let member = GatewayMember::new(send_queue.clone(), id, client, handle, ended.clone());
        let member = member.with_seek_end(end_sender);
        self.table
            .enter(peer, room.member, member, (LinkEntryKind::Seek, age), body)
            .ok()?;
        Some((
            RemoteSeek {
                room,
                inbox,
                send_queue,
                ended,
            },
            seek_end,
        ))
    }

    /// Announces to all nodes that this one stops.
    pub(crate) fn announce_leaving(&self) {
        self.lock()
            .values_mut()
            .for_each(LinkState::announce_leaving);
        self.table.wake();
    }

    /// Whether a node has announced that it stops.
    pub(crate) fn is_leaving(&self, peer: NodeId) -> bool {
        self.lock().get(&peer).is_some_and(|state| state.is_leaving)
    }

    /// Whether a node has sent its last entry.
    pub(crate) fn has_ended(&self, peer: NodeId) -> bool {
        self.lock().get(&peer).is_some_and(|state| state.has_ended)
    }

    /// Sends a message that concerns no client, with a number. It may be lost.
    pub(crate) fn send_to_node(&self, peer: NodeId, kind: LinkEntryKind, number: u64, body: &str) {
        self.table.send_to_node(peer, kind, number, body);
    }

    /// Changes the lobby of this node, in which clients of other nodes seek, and the receiver of messages between nodes.
    pub(crate) fn set_lobby(&self, lobby: LobbyHandle, messages: Weak<dyn NodeMessages>) {
        if self.lobby.set(lobby).is_err() || self.messages.set(messages).is_err() {
            debug!("lobby of the node already set");
        }
    }

    /// Whether clients of other nodes are in rooms of this one, or requests of theirs may be under way.
    fn has_unfinished_links(&self) -> bool {
        let now = Instant::now();
        self.lock().values().any(|state| {
            state.members.values().any(|member| !member.has_left) || state.awaits_requests(now)
        })
    }

    /// Receives and sends batches until `stop` is cancelled and the rooms have ended, or the bus has ended for good.
    pub(crate) async fn run(
        self: Arc<Self>,
        ConnectedBus { bus, mut batches }: ConnectedBus,
        ctx: ServerContext,
        stop: CancellationToken,
    ) {
        let mut ticks = interval(HEARTBEAT_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        // Receiving and sending alternate, so that neither delays the other.
        let mut has_received = false;
        let mut end_by = None;
        while end_by.is_none_or(|end_by| Instant::now() < end_by && self.has_unfinished_links()) {
            tokio::select! {
                biased;
                () = stop.cancelled(), if end_by.is_none() => {
                    end_by = Some(Instant::now() + LAST_FLUSH_TIMEOUT);
                }
                now = ticks.tick() => self.on_tick(&*bus, now).await,
                () = self.table.wait_for_entries(), if has_received => {
                    has_received = false;
                    self.flush(&*bus).await;
                }
                batch = batches.next() => match batch {
                    Some(batch) => {
                        has_received = true;
                        self.on_batch(batch, &ctx);
                    }
                    None => {
                        error!("links ended: the connection to the NATS servers has failed");
                        self.close_all();
                        break;
                    }
                },
                () = self.table.wait_for_entries(), if !has_received => self.flush(&*bus).await,
                () = sleep(LAST_FLUSH_INTERVAL), if end_by.is_some() => {}
            }
        }
        if self.has_unfinished_links() {
            warn!("clients of other nodes may not learn that this node stops");
        }
        self.flush(&*bus).await;
        // In order with all entries before, unlike a heartbeat.
        for state in self.lock().values_mut() {
            state.push(LinkEntryKind::Leaving, MembershipId::NONE, LAST_ENTRY, "");
        }
        self.flush(&*bus).await;
        bus.flush().await;
        self.close_all();
    }

    fn close_all(&self) {
        self.lock().values_mut().for_each(LinkState::close);
    }

    /// Sends all waiting entries.
    async fn flush(&self, bus: &dyn Bus) {
        let peers: Vec<NodeId> = self.lock().keys().copied().collect();
        for peer in peers {
            loop {
                let batch = self.lock().get_mut(&peer).and_then(LinkState::take_batch);
                let Some(batch) = batch else { break };
                self.send_batch(bus, peer, batch).await;
            }
        }
    }

    async fn send_batch(&self, bus: &dyn Bus, peer: NodeId, batch: Bytes) {
        let sent = bus.send(peer, batch).await;
        let mut links = self.lock();
        let Some(state) = links.get_mut(&peer) else {
            return;
        };
        match sent {
            Ok(()) if state.link.is_congested() => {
                warn!(node = %peer, "link closed: the other node is too slow");
                state.close();
            }
            Ok(()) => {}
            Err(error) => {
                warn!(node = %peer, %error, "link closed: the bus is too slow");
                state.close();
            }
        }
    }

    /// Acknowledges what was received, and closes links that are silent.
    async fn on_tick(&self, bus: &dyn Bus, now: Instant) {
        self.table.forget_gone(now);
        self.table.measure();
        let mut acknowledgements = Vec::new();
        for (peer, state) in self.lock().iter_mut() {
            match (state.link.is_silent(now), state.is_used()) {
                (true, true) => {
                    warn!(node = %peer, "link closed: the other node is silent");
                    state.close();
                }
                (true, false) => {}
                (false, _) => acknowledgements.push((*peer, state.acknowledgement())),
            }
        }
        for (peer, batch) in acknowledgements {
            self.send_batch(bus, peer, batch).await;
        }
    }

    fn on_batch(&self, batch: Bytes, ctx: &ServerContext) {
        let Some((header, entries)) = decode_batch(batch) else {
            return debug!("batch of another format ignored");
        };
        let peer = header.from;
        {
            let (mut links, now) = (self.lock(), Instant::now());
            let state = links
                .entry(peer)
                .or_insert_with(|| self.table.new_link(now));
            let verdict = state.link.on_batch(&header, !entries.is_empty(), now);
            if verdict.is_broken {
                if state.is_used() {
                    warn!(node = %peer, "link closed: messages were lost");
                }
                state.end_members();
            }
            if !verdict.is_next {
                return;
            }
        }
        for entry in entries {
            self.on_entry(peer, &entry, header.generation, ctx);
        }
    }

    /// Handles an entry of a generation of the other node.
    fn on_entry(&self, peer: NodeId, entry: &LinkEntry, generation: u64, ctx: &ServerContext) {
        match entry.kind {
            LinkEntryKind::Enter => self.on_enter(peer, entry, generation, ctx),
            LinkEntryKind::Seek => self.on_seek(peer, entry, generation, ctx),
            LinkEntryKind::Lobby | LinkEntryKind::PartyQuery | LinkEntryKind::PartyAnswer => {
                if let Some(messages) = self.messages.get().and_then(Weak::upgrade) {
                    messages.on_message(peer, entry, ctx);
                }
            }
            LinkEntryKind::Leaving => {
                if let Some(state) = self.lock().get_mut(&peer) {
                    (state.is_leaving, state.is_acknowledgement_due) = (true, true);
                    if entry.value == LAST_ENTRY {
                        state.has_ended = true;
                        state.close();
                    }
                }
                self.table.wake();
            }
            LinkEntryKind::Request
            | LinkEntryKind::Lag
            | LinkEntryKind::Withdraw
            | LinkEntryKind::Pong => {
                if let Some(state) = self.lock().get(&peer)
                    && let Some(member) = state.members.get(&entry.member)
                {
                    member.on_entry(entry, ctx);
                }
            }
            LinkEntryKind::Exit => {
                drop(
                    self.lock()
                        .get_mut(&peer)
                        .and_then(|state| state.members.remove(&entry.member)),
                );
            }
            LinkEntryKind::Entered
            | LinkEntryKind::Frame
            | LinkEntryKind::Left
            | LinkEntryKind::Restart
            | LinkEntryKind::Close
            | LinkEntryKind::WrongKey
            | LinkEntryKind::Ended
            | LinkEntryKind::Ping
            | LinkEntryKind::SeekMoved
            | LinkEntryKind::SeekWithdrawn => {
                // The client writes to its socket without the lock.
                let client = self
                    .lock()
                    .get(&peer)
                    .and_then(|state| state.clients.get(&entry.member).cloned());
                if let Some(client) = client
                    && !client.on_entry(entry, ctx)
                    && let Some(state) = self.lock().get_mut(&peer)
                {
                    state.clients.remove(&entry.member);
                }
            }
        }
    }

    fn on_enter(&self, peer: NodeId, entry: &LinkEntry, generation: u64, ctx: &ServerContext) {
        match RemoteMember::enter(entry, ctx) {
            Ok((remote_member, receiver)) => {
                self.add_member(peer, entry.member, generation, remote_member, ctx, |pump| {
                    pump.run(receiver, None)
                });
            }
            Err(EntryFailure::Rejected(replies)) => {
                self.table.send_replies(peer, entry.member, replies);
            }
            Err(EntryFailure::NoSuchRoom(unknown)) => {
                let (table, ctx, member) = (Arc::clone(&self.table), ctx.clone(), entry.member);
                ctx.actors.clone().spawn(async move {
                    table.send_replies(peer, member, unknown.reply(&ctx).await);
                });
            }
        }
    }

    fn on_seek(&self, peer: NodeId, entry: &LinkEntry, generation: u64, ctx: &ServerContext) {
        match RemoteSeeker::enter(entry, ctx, self.lobby.get()) {
            Ok(RemoteSeeker {
                member,
                receiver,
                seek_end,
            }) => {
                self.add_member(peer, entry.member, generation, member, ctx, |pump| {
                    pump.run(receiver, Some(seek_end))
                });
            }
            Err(replies) => self.table.send_replies(peer, entry.member, replies),
        }
    }

    /// Adds a client of another node, and runs the pump of what it is sent.
    fn add_member<F: Future<Output = ()> + Send + 'static>(
        &self,
        peer: NodeId,
        member: MembershipId,
        generation: u64,
        remote_member: RemoteMember,
        ctx: &ServerContext,
        run: impl FnOnce(MemberPump) -> F,
    ) {
        let pump = MemberPump::new(&remote_member, Arc::clone(&self.table), peer, member);
        // If the link was closed meanwhile, the client connects again: the member is dropped.
        if let Some(state) = self
            .lock()
            .get_mut(&peer)
            .filter(|state| state.link.is_up(generation))
        {
            state.members.insert(member, remote_member);
        }
        ctx.actors.spawn(run(pump));
    }
}
