//! A client of this node in a room or in the lobby of another node: the task behind the [`RoomHandle`] of the client.
//! The task relays the requests of the client to the other node, and frames from the other node to the connection of
//! the client.
//!
//! The other node sends every frame that the client gets, because only the connection of the client, on this node,
//! knows how fast the client reads. A client that reads too slowly is disconnected, even a spectator.

use std::future::poll_fn;
use std::sync::Arc;
use std::time::Duration;

use noughts_protocol::wire::{
    CloseCode, FeatureSet, Hello, Reject, RejectCode, Request, RequestBody, SessionRequest, VERSION,
};
use noughts_protocol::{Party, Player, RequestId, RoomId, RoomRef};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;
use tracing::debug;

use super::node_relays::{NodeRelays, OpenRelay};
use super::relay_message::{EntryDetails, RelayControl, RelayEntry};
use super::relay_socket::{OpenError, RelayEvent, RelaySocket};
use crate::cluster::shard::NodeId;
use crate::limits::client_prefix::ClientPrefix;
use crate::limits::refusal_log::Refusal;
use crate::limits::slots::QuotaPermit;
use crate::lobby::handle::{SeekContact, SeekEnd, SeekOrigin};
use crate::lobby::task::send_reject;
use crate::lobby::{PingId, Seeker};
use crate::room::handle::{
    InboxEvent, JoinRequest, MemberQueue, RoomHandle, RoomInbox, RoomRequest, room_channel,
};
use crate::runtime::context::ServerContext;
use crate::runtime::ignore;
use crate::send_queue::{EncodedFrame, Outgoing, SendOutcome};

/// Maximum time to wait for the request to enter a room after the room was found. The request usually follows
/// immediately.
const ENTER_TIMEOUT: Duration = Duration::from_secs(10);

/// Minimum delay before clients return after the loss of a relay, in milliseconds. The delay of each client is random,
/// up to three times this value.
const LOST_RETRY_MS: u64 = 250;

/// Maximum number of messages of a seek that wait for the relay. A seek sends a message for each ping of the lobby, and
/// a message to end.
const MAX_WAITING_CONTROLS: usize = 16;

/// A client of this node in a room or lobby of another node.
#[derive(Debug)]
struct RelayedClient {
    relays: Arc<NodeRelays>,
    ctx: ServerContext,
    /// Node of the room or lobby.
    peer: NodeId,
    client: ClientPrefix,
    handle: RoomHandle,
    send_queue: MemberQueue,
    /// Request to enter or to seek.
    entering: RequestId,
    /// The seek of a client that is in the lobby.
    seek: Option<RelayedSeek>,
    /// Permit for the room that a seek leads to.
    permit: Option<QuotaPermit>,
    /// The client is in no room or lobby of the other node any more. Its connection may already be in another room, so
    /// only the responses to earlier requests are still passed on.
    has_left: bool,
}

/// The part of a [`RemoteSeek`] in the task of its relay.
#[derive(Debug)]
struct RelayedSeek {
    end: oneshot::Sender<SeekEnd>,
    /// Messages for the lobby.
    controls: mpsc::Receiver<RelayControl>,
}

/// A seek in the lobby of another node. Dropping the value ends the seek, unless the client is in a room.
#[derive(Debug)]
pub(crate) struct RemoteSeek(mpsc::Sender<RelayControl>);

impl RemoteSeek {
    /// Requests the lobby to remove the seek.
    pub(crate) fn withdraw(&self) {
        self.send(RelayControl::Withdraw);
    }

    /// Relays the response of the connection to a ping of the lobby.
    pub(crate) fn on_pong(&self, PingId(ping): PingId) {
        self.send(RelayControl::Pong(ping));
    }

    fn send(&self, control: RelayControl) {
        if let Err(error) = self.0.try_send(control) {
            debug!(%error, "message of a seek dropped: its relay has ended or is ending");
        }
    }
}

impl NodeRelays {
    /// Returns a handle for one client to a room of another node, which need not exist.
    pub(crate) fn open_room(
        self: &Arc<Self>,
        ctx: &ServerContext,
        peer: NodeId,
        key: RoomRef,
        client: ClientPrefix,
    ) -> RoomHandle {
        let id = match key {
            RoomRef::Id(id) => id,
            RoomRef::Code(_) => RoomId::from_bits(0),
        };
        let (handle, mut inbox) = room_channel(id, ctx.limits.room_inbox);
        let (relays, ctx, returned) = (Arc::clone(self), ctx.clone(), handle.clone());
        ctx.clone().actors.spawn(async move {
            let first = timeout(ENTER_TIMEOUT, poll_fn(|context| inbox.poll_next(context)));
            let first = ctx.stopping.run_until_cancelled(first).await;
            let Some(Ok(InboxEvent::Request(request))) = first else {
                return;
            };
            let Some((joiner, request)) = entry_request(key, request) else {
                return debug!("request dropped: client has not entered the remote room");
            };
            let entry = RelayEntry {
                node: relays.node(),
                client,
                hello: hello(&joiner.player, joiner.party, joiner.features),
                id: joiner.request_id,
                request,
                details: EntryDetails {
                    already_answered: joiner.already_answered,
                    yields_to_holder: joiner.yields_to_holder,
                    identity: joiner.player.identity,
                    ..EntryDetails::default()
                },
            };
            let relayed = RelayedClient {
                relays,
                ctx,
                peer,
                client,
                handle,
                send_queue: joiner.send_queue,
                entering: entry.id,
                seek: None,
                permit: None,
                has_left: false,
            };
            relayed.run(entry, inbox).await;
        });
        returned
    }

    /// Places a seek, requested at `since`, in the lobby of another node, or at the node of its meeting if it is
    /// paired. A seek that does not reach the lobby ends as moved.
    pub(crate) fn place_seek(
        self: &Arc<Self>,
        ctx: &ServerContext,
        peer: NodeId,
        seeker: Seeker,
        (request, meeting): (SessionRequest, Option<u64>),
        contact: SeekContact,
    ) -> RemoteSeek {
        let (handle, inbox) = room_channel(RoomId::from_bits(0), ctx.limits.room_inbox);
        let entry = RelayEntry {
            node: self.node(),
            client: seeker.client,
            hello: hello(&seeker.player, seeker.party, seeker.features),
            id: contact.request_id,
            request,
            details: EntryDetails {
                already_answered: contact.already_answered,
                seat_room_at_hello: seeker.seat_room_at_hello,
                age_ms: ctx.shared.time.now().saturating_sub(seeker.since),
                meeting,
                has_missed_meeting: contact
                    .origin
                    .as_ref()
                    .is_some_and(|origin| origin.node.is_none()),
                identity: seeker.player.identity,
                ..EntryDetails::default()
            },
        };
        let (sender, controls) = mpsc::channel(MAX_WAITING_CONTROLS);
        let relayed = RelayedClient {
            relays: Arc::clone(self),
            ctx: ctx.clone(),
            peer,
            client: seeker.client,
            handle,
            send_queue: contact.send_queue,
            entering: entry.id,
            seek: contact
                .origin
                .map(|SeekOrigin { end, .. }| RelayedSeek { end, controls }),
            permit: Some(contact.permit),
            has_left: false,
        };
        ctx.actors.spawn(relayed.run(entry, inbox));
        RemoteSeek(sender)
    }
}

fn hello(player: &Player, party: Option<Party>, wants: FeatureSet) -> Hello {
    Hello {
        versions: [VERSION; 2],
        name: player.name.clone(),
        kind: player.kind,
        client: None,
        party,
        identity_secret: None,
        wants,
    }
}

/// Returns the request of the client to enter the room with this key.
fn entry_request(key: RoomRef, request: RoomRequest) -> Option<(JoinRequest, SessionRequest)> {
    match request {
        RoomRequest::Join(joiner) => Some((*joiner, SessionRequest::Join { room: key })),
        RoomRequest::Watch(joiner) => {
            let remarks = joiner.wants_remarks;
            Some((*joiner, SessionRequest::Watch { room: key, remarks }))
        }
        RoomRequest::Resume(joiner, token, seq) => {
            let RoomRef::Id(room) = key else { return None };
            Some((*joiner, SessionRequest::Resume { room, token, seq }))
        }
        RoomRequest::Command { .. }
        | RoomRequest::Remark(..)
        | RoomRequest::Say(..)
        | RoomRequest::Substitute(..)
        | RoomRequest::Sync(..)
        | RoomRequest::Leave(..)
        | RoomRequest::Lag(..)
        | RoomRequest::GiveWay
        | RoomRequest::Describe(_)
        | RoomRequest::Close(_) => None,
    }
}

impl RelayedClient {
    /// Opens the relay, and relays until the client has left the room or the lobby, or the relay is lost.
    async fn run(mut self, mut entry: RelayEntry, mut inbox: RoomInbox) {
        let (ctx, stopping) = (self.ctx.clone(), self.ctx.stopping.clone());
        let opening_at = ctx.shared.time.now();
        // Boxed, because a relay is open for much longer than it takes to open.
        let opened = Box::pin(stopping.run_until_cancelled(self.relays.open(self.peer)));
        let OpenRelay {
            mut socket,
            gone,
            _slot,
        } = match opened.await {
            Some(Ok(open)) => open,
            Some(Err(error)) => return self.on_open_failed(&error),
            None => return,
        };
        entry.details.age_ms += ctx.shared.time.now().saturating_sub(opening_at);
        let is_sent = socket.buffer_text(entry.to_json()).await && socket.flush().await;
        drop(entry);
        if !is_sent {
            return self.on_lost();
        }
        let is_intact = loop {
            let is_intact = tokio::select! {
                biased;
                event = socket.next() => {
                    let is_intact = !matches!(event, RelayEvent::Lost);
                    if !self.on_event(event, &ctx) {
                        break is_intact;
                    }
                    true
                }
                () = gone.cancelled() => false,
                () = stopping.cancelled() => break true,
                control = async { self.seek.as_mut().expect("checked").controls.recv().await },
                    if self.seek.is_some() => match control
                {
                    Some(control) => socket.buffer_control(control).await && socket.flush().await,
                    // The connection of the client has ended.
                    None => break true,
                },
                event = poll_fn(|context| inbox.poll_next(context)) => match event {
                    InboxEvent::Request(request) => self.relay(request, &mut socket).await,
                    InboxEvent::Sweep if self.send_queue.is_closed() => break true,
                    InboxEvent::Sweep => true,
                },
            };
            if !is_intact {
                self.on_lost();
                break false;
            }
        };
        for request in inbox.close(RejectCode::NotInRoom) {
            if let Some(id) = request_id(&request) {
                send_reject(&ctx, &self.send_queue, id, RejectCode::NotInRoom);
            }
        }
        drop(self);
        if is_intact {
            // The other node must disconnect first, because the kernel would otherwise keep a port of this node in
            // TIME-WAIT.
            Box::pin(socket.close(CloseCode::Normal)).await;
        }
    }

    /// Handles an event of the relay. Returns whether the relay continues.
    fn on_event(&mut self, event: RelayEvent, ctx: &ServerContext) -> bool {
        match event {
            RelayEvent::Text(text) => {
                self.send_queue
                    .send_reply(Outgoing::Text(EncodedFrame::from(&*text)));
                true
            }
            RelayEvent::Control(RelayControl::Entered { is_seated }) => {
                let handle = if is_seated {
                    self.handle.clone()
                } else {
                    self.handle.without_seat()
                };
                if self.send_queue.send_reply(Outgoing::EnterRoom(handle)) == SendOutcome::Closed {
                    // The connection ended before it entered the room. The sweep makes the task of the relay notice
                    // this.
                    self.handle.request_sweep();
                }
                self.seek = None;
                true
            }
            RelayEvent::Control(RelayControl::Left) => {
                self.leave();
                self.seek = None;
                true
            }
            RelayEvent::Control(RelayControl::Ping(ping)) => {
                self.send_queue.send_reply(Outgoing::Ping { ping });
                true
            }
            RelayEvent::Control(RelayControl::SeekEnded(end)) => {
                self.end_seek(end);
                false
            }
            RelayEvent::Control(RelayControl::Restart { retry_after_ms }) => {
                self.restart(retry_after_ms);
                false
            }
            RelayEvent::Control(RelayControl::UnknownRoom) => {
                self.reject_key(ctx);
                false
            }
            RelayEvent::Control(
                RelayControl::Lag(_) | RelayControl::Pong(_) | RelayControl::Withdraw,
            )
            | RelayEvent::Lost => {
                self.on_lost();
                false
            }
            RelayEvent::Closed(CloseCode::Normal) => false,
            RelayEvent::Closed(code) => {
                if !self.has_left {
                    self.send_queue.close_with(code);
                }
                false
            }
        }
    }

    fn on_open_failed(mut self, error: &OpenError) {
        self.relays.on_open_failed(self.peer, error);
        if self.seek.is_some() {
            return self.end_seek(SeekEnd::Moved);
        }
        self.reject_entry(match error {
            OpenError::TooMany => RejectCode::Busy.into(),
            OpenError::NotLive
            | OpenError::Connect(..)
            | OpenError::WrongKey(_)
            | OpenError::Handshake(..)
            | OpenError::Timeout(_) => RejectCode::Unavailable.into(),
        });
    }

    /// Reports the loss to the seek of the client, or makes a client that has not left connect again.
    fn on_lost(&mut self) {
        if self.has_left {
            return;
        }
        self.relays.on_lost(self.peer);
        let spread = 2.0 * self.ctx.rng.random_unit() * LOST_RETRY_MS as f64;
        self.restart(LOST_RETRY_MS + spread as u64);
    }

    fn restart(&mut self, retry_after_ms: u64) {
        if self.seek.is_some() {
            self.end_seek(SeekEnd::Lost);
        } else if !self.has_left {
            self.send_queue
                .send_reply(Outgoing::Restart { retry_after_ms });
        }
    }

    /// Removes the client from the room or the lobby.
    fn leave(&mut self) {
        self.has_left = true;
        // A further request of the client may need the permit.
        self.permit = None;
        self.send_queue.send_reply(Outgoing::LeaveRoom);
    }

    fn end_seek(&mut self, end: SeekEnd) {
        // Released first, because the seek may need the permit again.
        self.permit = None;
        if let Some(seek) = self.seek.take() {
            ignore(seek.end.send(end), "without a receiver, the server stops");
        }
    }

    /// Rejects the request to enter.
    fn reject_entry(&mut self, reject: Reject) {
        self.leave();
        send_reject(&self.ctx, &self.send_queue, self.entering, reject);
    }

    /// Rejects a key that no room has. The node of the client counts these keys.
    fn reject_key(&mut self, ctx: &ServerContext) {
        self.reject_entry(match ctx.try_take_bad_key(self.client) {
            Ok(()) => RejectCode::UnknownRoom.into(),
            Err(wait_ms) => {
                ctx.log_refusal(self.client, Refusal::BadKeys);
                Reject::new(RejectCode::RateLimited).wait_ms(wait_ms)
            }
        });
    }

    /// Relays a request of the client. Returns whether the relay is intact.
    async fn relay(&self, request: RoomRequest, socket: &mut RelaySocket) -> bool {
        let (id, body) = match request {
            RoomRequest::Command { id, command, .. } => (id, RequestBody::Command(command)),
            RoomRequest::Remark(_, id, remark) => (id, RequestBody::Remark(*remark)),
            RoomRequest::Say(_, id, phrase) => {
                (id, RequestBody::Session(SessionRequest::Say { phrase }))
            }
            RoomRequest::Substitute(_, id, end) => {
                (id, RequestBody::Session(SessionRequest::Substitute { end }))
            }
            RoomRequest::Sync(_, id, seq) => {
                (id, RequestBody::Session(SessionRequest::Sync { seq }))
            }
            RoomRequest::Leave(_, id) => (id, RequestBody::Session(SessionRequest::Leave)),
            RoomRequest::Lag(_, ms) => {
                return socket.buffer_control(RelayControl::Lag(ms)).await && socket.flush().await;
            }
            RoomRequest::Join(joiner)
            | RoomRequest::Watch(joiner)
            | RoomRequest::Resume(joiner, _, _) => {
                let id = joiner.request_id;
                send_reject(&self.ctx, &self.send_queue, id, RejectCode::Busy);
                return true;
            }
            // The operator asks the node that has the room.
            RoomRequest::GiveWay | RoomRequest::Describe(_) | RoomRequest::Close(_) => return true,
        };
        let request = Request { id, body };
        socket.buffer_text(request.to_json()).await && socket.flush().await
    }
}

/// Returns the id of a request that expects a response.
fn request_id(request: &RoomRequest) -> Option<RequestId> {
    match request {
        RoomRequest::Command { id, .. }
        | RoomRequest::Remark(_, id, _)
        | RoomRequest::Say(_, id, _)
        | RoomRequest::Substitute(_, id, _)
        | RoomRequest::Sync(_, id, _)
        | RoomRequest::Leave(_, id) => Some(*id),
        RoomRequest::Join(joiner)
        | RoomRequest::Watch(joiner)
        | RoomRequest::Resume(joiner, _, _) => Some(joiner.request_id),
        RoomRequest::Lag(..)
        | RoomRequest::GiveWay
        | RoomRequest::Describe(_)
        | RoomRequest::Close(_) => None,
    }
}
