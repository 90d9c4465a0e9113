//! A client of another node in a room or in the lobby of this node: passes its requests to the room or lobby, and their
//! frames to the relay.

use std::future::poll_fn;
use std::time::Duration;

use noughts_protocol::wire::{
    CloseCode, Message, Reject, RejectCode, Request, RequestBody, SessionRequest,
};
use noughts_protocol::{RequestId, RoomRef};
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;
use tracing::debug;

use super::relay_message::{RelayControl, RelayEntry};
use super::relay_socket::{RelayEvent, RelaySocket};
use super::relay_warnings::limited_warn;
use crate::lobby::handle::{LobbyHandle, LobbyMessage, SeekContact, SeekEnd, SeekOrigin};
use crate::lobby::{PingId, Seeker};
use crate::room::handle::{ConnectionId, JoinRequest, MemberQueue, RoomHandle, RoomRequest};
use crate::room::registry::Registry;
use crate::runtime::context::ServerContext;
use crate::send_queue::{self, EncodedFrame, Outgoing, QueueEvent, SendQueueReceiver};

/// Maximum time to send the client the responses to the requests that it sent before its room closed.
const LAST_RESPONSE_TIME: Duration = Duration::from_secs(4);

/// Reason why a relay ends on this side.
enum RelayEnd {
    /// All messages to the client are sent.
    Closed(CloseCode),
    /// The other node has ended the relay, or the relay is broken.
    Lost,
}

/// Reason why a client is neither in a room nor in the lobby.
#[derive(Debug)]
pub(super) enum EntryFailure {
    Rejected(RequestId, RejectCode),
    /// No room has the id or the code.
    UnknownRoom,
    /// Another node has the lobby.
    SeekMoved,
    /// The request is not a request to enter or to seek.
    Malformed,
}

impl EntryFailure {
    /// Replies, and closes the relay.
    pub(super) async fn send(self, mut socket: RelaySocket, ctx: &ServerContext) {
        let control = match self {
            EntryFailure::Rejected(..) => RelayControl::Left,
            EntryFailure::UnknownRoom => RelayControl::UnknownRoom,
            EntryFailure::SeekMoved => RelayControl::SeekEnded(SeekEnd::Moved),
            EntryFailure::Malformed => RelayControl::Restart {
                retry_after_ms: ctx.retry_after_ms(),
            },
        };
        let mut is_intact = socket.buffer_control(control).await;
        if let EntryFailure::Rejected(id, code) = self {
            is_intact = is_intact && socket.buffer_text(reject_text(ctx, id, code)).await;
        }
        if is_intact {
            socket.close(CloseCode::Normal).await;
        }
    }
}

/// A client of another node.
#[derive(Debug)]
pub(super) struct RemoteMember {
    ctx: ServerContext,
    member: ConnectionId,
    /// `None` in the lobby.
    room: Option<RoomHandle>,
    /// Lobby of this node, for a client that seeks.
    lobby: Option<LobbyHandle>,
    seek_end: Option<oneshot::Receiver<SeekEnd>>,
    send_queue: MemberQueue,
    receiver: SendQueueReceiver<RoomHandle>,
    /// Set when the client has left: time when the relay ends, even if responses to earlier requests are still missing.
    ends_at: Option<Instant>,
    /// The request to enter, then the request to leave. The client sends no further request before the response.
    last_request: RequestId,
}

impl RemoteMember {
    /// Passes a request to enter to the room, or a seek to the lobby.
    ///
    /// # Errors
    /// If the room does not exist or accepts no request, or if another node has the lobby.
    pub(super) async fn enter(
        entry: RelayEntry,
        ctx: &ServerContext,
        lobby: Option<&LobbyHandle>,
    ) -> Result<RemoteMember, EntryFailure> {
        let (send_queue, receiver) = send_queue::without_stream(ctx.limits.send_queue);
        let mut member = RemoteMember {
            ctx: ctx.clone(),
            member: ctx.next_connection_id(),
            room: None,
            lobby: None,
            seek_end: None,
            send_queue,
            receiver,
            ends_at: None,
            last_request: entry.id,
        };
        let is_seek = matches!(
            entry.request,
            SessionRequest::Seek { .. } | SessionRequest::AcceptSeek { .. }
        );
        if is_seek {
            member.seek(entry, lobby)?;
        } else {
            member.enter_room(entry).await?;
        }
        Ok(member)
    }

    async fn enter_room(&mut self, entry: RelayEntry) -> Result<(), EntryFailure> {
        let ctx = &self.ctx;
        let failed = |code| EntryFailure::Rejected(entry.id, code);
        let identity = entry.details.identity;
        let mut joiner = Box::new(JoinRequest {
            member: self.member,
            send_queue: self.send_queue.clone(),
            player: entry.player(),
            party: entry.hello.party,
            request_id: entry.id,
            already_answered: entry.details.already_answered,
            yields_to_holder: entry.details.yields_to_holder,
            wants_remarks: false,
            features: entry.hello.wants,
            spectator_budget: None,
        });
        let (key, token, request) = if let SessionRequest::Join { room } = entry.request {
            (room, None, RoomRequest::Join(joiner))
        } else if let SessionRequest::Watch { room, remarks } = entry.request {
            joiner.wants_remarks = remarks;
            joiner.spectator_budget = Some(ctx.shared.spectator_budgets.of_client(entry.client));
            (room, None, RoomRequest::Watch(joiner))
        } else if let SessionRequest::Resume { room, token, seq } = entry.request {
            let request = RoomRequest::Resume(joiner, token, seq);
            (RoomRef::Id(room), Some((room, token, identity)), request)
        } else {
            return Err(EntryFailure::Malformed);
        };
        let find = |registry: &Registry| match token {
            Some((room, token, identity)) => registry.find_to_resume(room, token, identity),
            None => registry.find(key),
        };
        let room = match ctx.find_here(key, find).map_err(failed)? {
            Ok(room) => room,
            // If another node has replaced this node, the other node may have the room.
            Err(absent) => {
                ctx.confirm_absence(absent).await.map_err(failed)?;
                return Err(EntryFailure::UnknownRoom);
            }
        };
        room.try_send(request).map_err(failed)?;
        self.room = Some(room);
        Ok(())
    }

    fn seek(&mut self, entry: RelayEntry, lobby: Option<&LobbyHandle>) -> Result<(), EntryFailure> {
        let ctx = &self.ctx;
        let moved = || EntryFailure::SeekMoved;
        let lobby = lobby.ok_or_else(moved)?;
        let permit = ctx.room_quota.try_acquire(entry.client);
        let permit = permit.map_err(|_| match entry.details.meeting {
            None => EntryFailure::Rejected(entry.id, RejectCode::ServerFull),
            Some(_) => moved(),
        })?;
        let seeker = Seeker {
            since: ctx.shared.time.now().saturating_sub(entry.details.age_ms),
            connection: self.member,
            client: entry.client,
            player: entry.player(),
            party: entry.hello.party,
            seat_room_at_hello: entry.details.seat_room_at_hello,
            features: entry.hello.wants,
        };
        let (end, seek_end) = oneshot::channel();
        let contact = SeekContact {
            send_queue: self.send_queue.clone(),
            request_id: entry.id,
            already_answered: entry.details.already_answered,
            permit,
            origin: Some(SeekOrigin {
                node: (!entry.details.has_missed_meeting).then_some(entry.node.0),
                end,
            }),
        };
        let request = (&entry.request, entry.details.meeting);
        let message =
            LobbyMessage::of_seeker(seeker, request, contact).ok_or(EntryFailure::Malformed)?;
        lobby.try_send(message).map_err(|_| moved())?;
        (self.lobby, self.seek_end) = (Some(lobby.clone()), Some(seek_end));
        Ok(())
    }

    /// Relays until the client has left the room or the lobby, or its connection has ended. `gone` is cancelled when
    /// the node of the client is not live any more, `rooms_ended` when the rooms of this node have ended.
    pub(super) async fn run(
        mut self,
        mut socket: RelaySocket,
        gone: CancellationToken,
        rooms_ended: CancellationToken,
    ) {
        let end = loop {
            let ends_at = self.ends_at;
            let end = tokio::select! {
                biased;
                event = socket.next() => self.on_event(event).await,
                event = poll_fn(|context| self.receiver.poll_next(context)) => {
                    self.send_all(event, &mut socket).await
                }
                end = async { self.seek_end.as_mut().expect("checked").await }, if self.seek_end.is_some() => {
                    self.seek_end = None;
                    match end {
                        Ok(end) => Self::end(&mut socket, RelayControl::SeekEnded(end)).await,
                        // The queue may still contain frames.
                        Err(_) => None,
                    }
                }
                () = gone.cancelled() => Some(RelayEnd::Lost),
                () = rooms_ended.cancelled() => self.send_last(&mut socket).await,
                () = sleep_until(ends_at.unwrap_or_else(Instant::now)), if ends_at.is_some() => {
                    Some(RelayEnd::Closed(CloseCode::Normal))
                }
            };
            if let Some(end) = end {
                break end;
            }
        };
        // The room or the lobby notices that the member has disconnected.
        let RemoteMember {
            room,
            lobby,
            receiver,
            ..
        } = self;
        drop(receiver);
        request_sweep(room.as_ref(), lobby.as_ref());
        match end {
            RelayEnd::Closed(code) => Box::pin(socket.close(code)).await,
            RelayEnd::Lost => {}
        }
    }

    async fn on_event(&mut self, event: RelayEvent) -> Option<RelayEnd> {
        match event {
            RelayEvent::Text(text) => return self.on_request(&text),
            RelayEvent::Control(RelayControl::Lag(ms)) => {
                let request = RoomRequest::Lag(self.member, ms);
                if self
                    .room
                    .as_ref()
                    .is_none_or(|room| room.try_send(request).is_err())
                {
                    debug!(
                        "round-trip time not reported: the member is in no room, or the inbox of the room is full"
                    );
                }
            }
            RelayEvent::Control(RelayControl::Withdraw) => {
                let message = LobbyMessage::Withdraw(self.member);
                self.send_to_lobby(message).await;
            }
            RelayEvent::Control(RelayControl::Pong(ping)) => {
                let message = LobbyMessage::Pong(self.member, PingId(ping));
                self.send_to_lobby(message).await;
            }
            RelayEvent::Control(
                RelayControl::Entered { .. }
                | RelayControl::Left
                | RelayControl::UnknownRoom
                | RelayControl::Ping(_)
                | RelayControl::SeekEnded(_)
                | RelayControl::Restart { .. },
            )
            | RelayEvent::Closed(_)
            | RelayEvent::Lost => return Some(RelayEnd::Lost),
        }
        None
    }

    /// Sends a message to the lobby that has the seek of the client.
    async fn send_to_lobby(&self, message: LobbyMessage) {
        if let Some(lobby) = &self.lobby
            && let Err(code) = lobby.send(message).await
        {
            debug!(%code, "lobby of the node has ended");
        }
    }

    fn on_request(&mut self, text: &str) -> Option<RelayEnd> {
        let Ok(Request { id, body }) = Request::parse(text) else {
            limited_warn!("relay closed: request of another format");
            return Some(RelayEnd::Lost);
        };
        let member = self.member;
        let request = match body {
            RequestBody::Command(command) => RoomRequest::Command {
                member,
                // The delay between the nodes counts for the player, like the delay of the network.
                at: self.ctx.shared.time.now(),
                id,
                command,
            },
            RequestBody::Remark(remark) => RoomRequest::Remark(member, id, Box::new(remark)),
            RequestBody::Session(SessionRequest::Say { phrase }) => {
                RoomRequest::Say(member, id, phrase)
            }
            RequestBody::Session(SessionRequest::Substitute { end }) => {
                RoomRequest::Substitute(member, id, end)
            }
            RequestBody::Session(SessionRequest::Sync { seq }) => {
                RoomRequest::Sync(member, id, seq)
            }
            RequestBody::Session(SessionRequest::Leave) => {
                self.last_request = id;
                RoomRequest::Leave(member, id)
            }
            RequestBody::Session(_) | RequestBody::Hello(_) => {
                debug!("request from a remote member is not for a room");
                return None;
            }
        };
        let sent = self
            .room
            .as_ref()
            .map_or(Err(RejectCode::NotInRoom), |room| room.try_send(request));
        if let Err(code) = sent {
            let code = if code == RejectCode::UnknownRoom {
                RejectCode::NotInRoom
            } else {
                code
            };
            let text = reject_text(&self.ctx, id, code);
            self.send_queue
                .send_reply(Outgoing::Text(EncodedFrame::from(&*text)));
        }
        None
    }

    /// Sends an event of the queue, and the events that follow without a wait.
    async fn send_all(
        &mut self,
        first: QueueEvent<RoomHandle>,
        socket: &mut RelaySocket,
    ) -> Option<RelayEnd> {
        let mut next = Some(first);
        while let Some(event) = next {
            let end = self.send(event, socket).await;
            if end.is_some() {
                return end;
            }
            next = self.receiver.try_next();
        }
        (!socket.flush().await).then_some(RelayEnd::Lost)
    }

    /// Buffers an event of the queue.
    async fn send(
        &mut self,
        event: QueueEvent<RoomHandle>,
        socket: &mut RelaySocket,
    ) -> Option<RelayEnd> {
        let is_intact = match event {
            QueueEvent::Outgoing(Outgoing::Text(frame)) => {
                let is_last = self.ends_at.is_some() && is_response(&frame, self.last_request);
                let is_intact = socket.buffer_text(&*frame).await;
                if is_intact && is_last {
                    return Some(RelayEnd::Closed(CloseCode::Normal));
                }
                is_intact
            }
            QueueEvent::Outgoing(Outgoing::EnterRoom(handle)) => {
                let is_seated = handle.is_seated();
                self.room = Some(handle);
                socket
                    .buffer_control(RelayControl::Entered { is_seated })
                    .await
            }
            QueueEvent::Outgoing(Outgoing::LeaveRoom | Outgoing::LeaveLobby) => {
                self.ends_at = Some(Instant::now() + LAST_RESPONSE_TIME);
                socket.buffer_control(RelayControl::Left).await
            }
            QueueEvent::Outgoing(Outgoing::Restart { retry_after_ms }) => {
                return Self::end(socket, RelayControl::Restart { retry_after_ms }).await;
            }
            QueueEvent::Outgoing(Outgoing::Ping { ping }) => {
                socket.buffer_control(RelayControl::Ping(ping)).await
            }
            QueueEvent::Close(code) => return Some(RelayEnd::Closed(code)),
            QueueEvent::Behind => {
                self.send_queue.request_snapshot();
                request_sweep(self.room.as_ref(), self.lobby.as_ref());
                true
            }
            QueueEvent::WritePending => true,
        };
        (!is_intact).then_some(RelayEnd::Lost)
    }

    /// Buffers the last message to the node of the client.
    async fn end(socket: &mut RelaySocket, control: RelayControl) -> Option<RelayEnd> {
        Some(if socket.buffer_control(control).await {
            RelayEnd::Closed(CloseCode::Normal)
        } else {
            RelayEnd::Lost
        })
    }

    /// Sends the last frames of the rooms, and makes the client connect again.
    async fn send_last(&mut self, socket: &mut RelaySocket) -> Option<RelayEnd> {
        if let Some(event) = self.receiver.try_next() {
            return self.send_all(event, socket).await;
        }
        if self.ends_at.is_some() {
            return Some(RelayEnd::Closed(CloseCode::Normal));
        }
        let retry_after_ms = self.ctx.retry_after_ms();
        Self::end(socket, RelayControl::Restart { retry_after_ms }).await
    }
}

/// Makes the room or the lobby check whether a member has disconnected or requests a snapshot.
fn request_sweep(room: Option<&RoomHandle>, lobby: Option<&LobbyHandle>) {
    match (room, lobby) {
        (Some(room), _) => room.request_sweep(),
        (None, Some(lobby)) => lobby.notify(),
        (None, None) => {}
    }
}

/// Returns whether a frame is the `done` or the `reject` that answers request `id`, rather than a view of a room.
fn is_response(frame: &str, id: RequestId) -> bool {
    match Message::parse(frame) {
        Ok(Message::Done { re, .. }) => re == id,
        Ok(Message::Reject { re, .. }) => re == Some(id),
        Ok(_) | Err(_) => false,
    }
}

fn reject_text(ctx: &ServerContext, id: RequestId, code: RejectCode) -> String {
    ctx.shared.metrics.count_reject(code);
    Message::Reject {
        re: Some(id),
        reject: Reject::new(code),
    }
    .to_json()
}
