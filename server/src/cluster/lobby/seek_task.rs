//! The task of one seek: places it in the lobby, and again when the lobby moves to another node or fails.
//!
//! A seek is in one lobby at a time. It is placed again only after its lobby has reported its end, or after the relay
//! to the lobby is lost. Only this task responds to a cancel, and only when the seek has ended, so that a client that
//! has cancelled is not paired later. A seek that lost its relay may have been paired, so the task first looks for a
//! seat of its party.

use std::sync::Arc;
use std::time::Duration;

use noughts_protocol::wire::{Message, RejectCode, SeatGrant, SessionRequest};
use noughts_protocol::{Party, RequestId, RoomRef};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep_until};
use tracing::debug;

use super::node_lobby::NodeLobby;
use crate::cluster::nodes::shard_owners::ShardLocation;
use crate::cluster::relay::RemoteSeek;
use crate::cluster::shard::NodeId;
use crate::limits::slots::QuotaPermit;
use crate::lobby::handle::{LobbyHandle, LobbyMessage, Meeting, SeekContact, SeekEnd, SeekOrigin};
use crate::lobby::task::send_reject;
use crate::lobby::{PingId, Seeker};
use crate::room::handle::{JoinRequest, MemberQueue, RoomRequest, SeatHolder};
use crate::runtime::context::ServerContext;
use crate::send_queue::Outgoing;

/// Maximum number of events of a connection that wait for the task. A connection sends one event for each ping of the
/// lobby and for each request to cancel.
pub(super) const MAX_WAITING_EVENTS: usize = 16;

/// Maximum number of requests to cancel that wait for the lobby. A usual client sends only one, and waits for the
/// response.
const MAX_WAITING_CANCELS: usize = 8;

/// Maximum time to find a lobby, in addition to the time that a node takes to stop. The replacement of a killed node
/// takes less time.
const PLACE_TIMEOUT: Duration = Duration::from_secs(10);

/// Mean delay after the first attempt to place a seek. It doubles with each further attempt.
const MIN_RETRY_DELAY: Duration = Duration::from_millis(20);

const MAX_RETRY_DELAY: Duration = Duration::from_secs(1);

/// A seek that was in a lobby for this time has the whole [`PLACE_TIMEOUT`] again for its next search.
const STEADY_AFTER: Duration = Duration::from_secs(1);

/// Maximum time until both seeks of a pair have arrived at their meeting. After this time, a seek returns to the lobby.
const MEETING_TIMEOUT: Duration = Duration::from_secs(3);

/// Interval between queries about the party of a waiting seek. An earlier query may have missed the seat of the party,
/// if its shard was moving or if an older seek of the party has opened the room since.
const QUERY_INTERVAL: Duration = Duration::from_secs(2);

/// Delay between an incomplete query and the next query. The seek is not placed meanwhile.
const INCOMPLETE_QUERY_DELAY: Duration = Duration::from_millis(200);

/// Maximum time for a query that misses no shard. After this time, the seek is placed even if its party may have a
/// seat.
const COMPLETE_QUERY_TIMEOUT: Duration = Duration::from_secs(10);

/// Like [`COMPLETE_QUERY_TIMEOUT`], for the acceptance of a listed seek. Its client waits for a response.
const COMPLETE_ANSWER_TIMEOUT: Duration = Duration::from_secs(2);

/// Event from the connection of a seek. When the sender of the events is dropped, the connection has ended.
#[derive(Clone, Copy, Debug)]
pub(super) enum SeekEvent {
    Cancel(RequestId),
    Pong(PingId),
}

/// A seek in a lobby, or on its way there.
#[derive(Debug)]
struct PlacedSeek {
    /// `None` if the seek is in the lobby of this node.
    remote: Option<RemoteSeek>,
    end: oneshot::Receiver<SeekEnd>,
}

/// Result of a query for the seat of a party.
struct SeatSearch {
    /// A seat that the client does not know about, in an open room.
    seat: Option<SeatGrant>,
    /// Whether the result is final: a further query would not find another seat.
    is_certain: bool,
}

/// The task of one seek, or of one acceptance of a listed seek.
#[derive(Debug)]
pub(super) struct SeekTask {
    ctx: ServerContext,
    node: Arc<NodeLobby>,
    /// Lobby of this node.
    lobby: LobbyHandle,
    events: mpsc::Receiver<SeekEvent>,
    seeker: Seeker,
    /// The request to seek or to accept a seek.
    request: SessionRequest,
    id: RequestId,
    send_queue: MemberQueue,
    /// `None` while the lobby or the relay has the permit.
    permit: Option<QuotaPermit>,
    /// Requests to cancel that wait for the end of the seek in its lobby.
    cancels: Vec<RequestId>,
    /// A seat that the party holds but the client does not know about.
    seat: Option<SeatGrant>,
    /// The seek was in a lobby. If the client has taken the seat of its party since then, it did so on a newer
    /// connection.
    was_placed: bool,
    /// The seek was paired, and its opponent missed the meeting.
    has_missed_meeting: bool,
}

impl SeekTask {
    /// Creates the task of a request that has arrived from its connection.
    pub(super) fn new(
        ctx: ServerContext,
        node: Arc<NodeLobby>,
        lobby: LobbyHandle,
        (seeker, request): (Seeker, SessionRequest),
        contact: SeekContact,
        events: mpsc::Receiver<SeekEvent>,
    ) -> SeekTask {
        SeekTask {
            ctx,
            node,
            lobby,
            events,
            seeker,
            request,
            id: contact.request_id,
            send_queue: contact.send_queue,
            permit: Some(contact.permit),
            cancels: Vec::new(),
            seat: None,
            was_placed: false,
            has_missed_meeting: false,
        }
    }

    fn is_acceptance(&self) -> bool {
        matches!(self.request, SessionRequest::AcceptSeek { .. })
    }

    /// Runs until the seek has ended, or the server stops.
    pub(super) async fn run(mut self) {
        if !self.is_acceptance() {
            // The client gets its response now, even if no node has the lobby yet.
            self.respond_done(self.id);
        }
        let stopping = self.ctx.stopping.clone();
        stopping.run_until_cancelled(self.seek()).await;
        self.events.close();
        while let Ok(event) = self.events.try_recv() {
            if let SeekEvent::Cancel(id) = event {
                self.cancels.push(id);
            }
        }
        self.reject_cancels();
    }

    /// Seeks until the client enters a room, has left the lobby, or its connection has ended.
    async fn seek(&mut self) {
        if !self.find_seat().await {
            return;
        }
        let mut meeting = None;
        let (mut place_by, mut delay) = (self.place_deadline(), MIN_RETRY_DELAY);
        loop {
            let placed_at = Instant::now();
            let is_meeting = meeting.is_some();
            if let Some(placed) = self.place(meeting.take()).await {
                let Some(end) = self.wait_for_end(placed, is_meeting).await else {
                    return;
                };
                self.has_missed_meeting |= is_meeting;
                let is_steady = placed_at.elapsed() >= STEADY_AFTER;
                if self.leave() {
                    return;
                }
                if let SeekEnd::Paired(at) = end {
                    meeting = Some(at);
                    (place_by, delay) = (self.place_deadline(), MIN_RETRY_DELAY);
                    continue;
                }
                if end == SeekEnd::Lost && !self.find_seat().await {
                    return;
                }
                if is_steady {
                    (place_by, delay) = (self.place_deadline(), MIN_RETRY_DELAY);
                }
            }
            if self.is_acceptance() {
                // A lobby that has moved to another node gives its seeks new numbers.
                return self.reject(if self.was_placed {
                    RejectCode::NoOffer
                } else {
                    RejectCode::Unavailable
                });
            }
            if Instant::now() >= place_by {
                return self.reject(RejectCode::Unavailable);
            }
            // The delay is random, so that the seeks of a stopping node do not return at the same moment.
            if !self.wait_outside(self.ctx.rng.jitter(delay, 0.5)).await {
                return;
            }
            delay = (2 * delay).min(MAX_RETRY_DELAY);
        }
    }

    /// Returns the deadline for finding a lobby. The deadline allows for a stopping node, which keeps the lobby until
    /// its connections and its rooms have ended.
    fn place_deadline(&self) -> Instant {
        Instant::now() + PLACE_TIMEOUT + 2 * self.ctx.limits.drain_timeout
    }

    /// Looks for a seat that the party holds but the client does not know about. Returns false if the client has
    /// entered that seat, or if the seek has ended.
    async fn find_seat(&mut self) -> bool {
        let Some(party) = self.seeker.party else {
            return true;
        };
        let admit_at = Instant::now()
            + if self.is_acceptance() {
                COMPLETE_ANSWER_TIMEOUT
            } else {
                COMPLETE_QUERY_TIMEOUT
            };
        loop {
            let search = self.query_party(party).await;
            if search.is_certain || Instant::now() >= admit_at {
                self.seat = search.seat;
                return !self.leave();
            }
            if !self.wait_outside(INCOMPLETE_QUERY_DELAY).await {
                return false;
            }
        }
    }

    async fn query_party(&self, party: Party) -> SeatSearch {
        let client = SeatHolder {
            party: Some(party),
            identity: None,
        };
        let report = self.node.query_client(&self.ctx.shared, client).await;
        let known_room = self.seeker.seat_room_at_hello;
        let unknown = report
            .seat
            .map(|seat| seat.grant)
            .filter(|grant| Some(grant.room) != known_room);
        // A room of a shard that was not searched is about to move to another node, so the client cannot enter it now.
        let is_open = unknown.is_none_or(|seat| self.node.is_searched(seat.room, &report));
        SeatSearch {
            seat: unknown.filter(|_| is_open),
            is_certain: is_open && (unknown.is_some() || self.node.is_complete(&report)),
        }
    }

    /// Waits for `delay` while the seek is in no lobby. Returns false if the seek has ended.
    async fn wait_outside(&mut self, delay: Duration) -> bool {
        let until = Instant::now() + delay;
        loop {
            tokio::select! {
                biased;
                event = self.events.recv() => match event {
                    None => return false,
                    Some(SeekEvent::Cancel(id)) => {
                        self.cancels.push(id);
                        return !self.leave();
                    }
                    Some(SeekEvent::Pong(_)) => {}
                },
                () = sleep_until(until) => return true,
            }
        }
    }

    /// Ends a seek that is in no lobby if its client has cancelled or has a seat. Returns whether the seek
    /// has ended.
    fn leave(&mut self) -> bool {
        if !self.cancels.is_empty() {
            self.send_queue.send_reply(Outgoing::LeaveLobby);
            let first = self.cancels.remove(0);
            self.respond_done(first);
            self.reject_cancels();
            return true;
        }
        match self.seat.take() {
            Some(seat) => self.enter_seat(seat),
            None => return false,
        }
        true
    }

    /// Resumes the client at the seat of its party, as if it had just been paired.
    fn enter_seat(&mut self, SeatGrant { room, token }: SeatGrant) {
        if self.send_queue.is_closed() {
            // A newer connection may have the seat.
            return;
        }
        let (ctx, key) = (&self.ctx, RoomRef::Id(room));
        let here = ctx.shared.registry.find_by_token(room, token);
        let there = || {
            ctx.placement()?
                .find_elsewhere(key, self.seeker.client)
                .ok()?
        };
        let handle = here.filter(|handle| !handle.is_closed()).or_else(there);
        let (seeker, send_queue) = (self.seeker.clone(), self.send_queue.clone());
        let newcomer = JoinRequest {
            yields_to_holder: self.was_placed,
            ..seeker.join_request(send_queue, self.id, !self.is_acceptance())
        };
        let request = RoomRequest::Resume(Box::new(newcomer), Some(token), None);
        if handle.is_none_or(|handle| handle.try_send(request).is_err()) {
            // The shard of the room is moving to another node. A client that seeks again gets its seat there.
            self.reject(RejectCode::Unavailable);
        }
    }

    /// Sends the seek to the lobby, or to the node of its meeting if it is paired. `None` if no node has the lobby, or
    /// the client has too many rooms.
    async fn place(&mut self, meeting: Option<Meeting>) -> Option<PlacedSeek> {
        let location = match meeting.map(|meeting| NodeId(meeting.node)) {
            Some(node) if node == self.node.node() => ShardLocation::Own,
            Some(node) => ShardLocation::Remote(node),
            None => self.node.locate(),
        };
        if location == ShardLocation::Unowned {
            return None;
        }
        let (quota, client) = (&self.ctx.room_quota, self.seeker.client);
        let permit = self
            .permit
            .take()
            .or_else(|| quota.try_acquire(client).ok())?;
        let (end_sender, end) = oneshot::channel();
        let contact = SeekContact {
            send_queue: self.send_queue.clone(),
            request_id: self.id,
            already_answered: !self.is_acceptance(),
            permit,
            origin: Some(SeekOrigin {
                node: (!self.has_missed_meeting).then_some(self.node.node().0),
                end: end_sender,
            }),
        };
        self.was_placed = true;
        let seeker = self.seeker.clone();
        let request = match meeting {
            None => self.request.clone(),
            Some(Meeting {
                rules, clock, seat, ..
            }) => SessionRequest::Seek {
                rules,
                clock,
                seat: Some(seat),
                opponents: None,
            },
        };
        let number = meeting.map(|meeting| meeting.number);
        let remote = if let ShardLocation::Remote(peer) = location {
            let relays = self.node.relays();
            Some(relays.place_seek(&self.ctx, peer, seeker, (request, number), contact))
        } else {
            let message = LobbyMessage::of_seeker(seeker, (&request, number), contact)?;
            self.lobby.send(message).await.ok()?;
            None
        };
        Some(PlacedSeek { remote, end })
    }

    /// Waits for the end of a seek in its lobby. Returns `None` if the seek was paired or rejected, or if its
    /// connection has ended.
    async fn wait_for_end(&mut self, mut placed: PlacedSeek, is_meeting: bool) -> Option<SeekEnd> {
        let placed_at = Instant::now();
        let mut return_at = is_meeting.then_some(placed_at + MEETING_TIMEOUT);
        let party = self.seeker.party.filter(|_| !self.is_acceptance());
        let mut query_at = party.map(|_| placed_at + QUERY_INTERVAL);
        loop {
            tokio::select! {
                biased;
                event = self.events.recv() => match event? {
                    SeekEvent::Pong(ping) => self.pass_pong(&placed, ping).await,
                    SeekEvent::Cancel(id) if self.cancels.len() >= MAX_WAITING_CANCELS => {
                        self.send_reject(id, RejectCode::Busy);
                    }
                    SeekEvent::Cancel(id) => {
                        self.cancels.push(id);
                        self.withdraw(&placed).await;
                    }
                },
                end = &mut placed.end => return end.ok(),
                () = sleep_until(return_at.unwrap_or(placed_at)), if return_at.is_some() => {
                    return_at = None;
                    self.withdraw(&placed).await;
                }
                () = sleep_until(query_at.unwrap_or(placed_at)), if query_at.is_some() => {
                    self.seat = self.query_party(party?).await.seat;
                    query_at = match self.seat {
                        None => Some(Instant::now() + QUERY_INTERVAL),
                        Some(_) => {
                            self.withdraw(&placed).await;
                            None
                        }
                    };
                }
            }
        }
    }

    async fn withdraw(&self, placed: &PlacedSeek) {
        match &placed.remote {
            Some(remote) => remote.withdraw(),
            None => {
                let message = LobbyMessage::Withdraw(self.seeker.connection);
                self.send_to_lobby(message).await;
            }
        }
    }

    async fn pass_pong(&self, placed: &PlacedSeek, ping: PingId) {
        match &placed.remote {
            Some(remote) => remote.on_pong(ping),
            None => {
                let message = LobbyMessage::Pong(self.seeker.connection, ping);
                self.send_to_lobby(message).await;
            }
        }
    }

    /// Sends a message to the lobby of this node.
    async fn send_to_lobby(&self, message: LobbyMessage) {
        if let Err(code) = self.lobby.send(message).await {
            debug!(%code, "lobby of the node has ended");
        }
    }

    fn respond_done(&self, id: RequestId) {
        self.send_queue
            .send_reply(Outgoing::message(&Message::Done { re: id, seq: None }));
    }

    /// Rejects the request to seek, and removes the client from the lobby.
    fn reject(&self, code: RejectCode) {
        self.send_queue.send_reply(Outgoing::LeaveLobby);
        self.send_reject(self.id, code);
    }

    /// Rejects the requests to cancel a seek that has ended.
    fn reject_cancels(&mut self) {
        for id in std::mem::take(&mut self.cancels) {
            self.send_reject(id, RejectCode::NotSeeking);
        }
    }

    fn send_reject(&self, id: RequestId, code: RejectCode) {
        send_reject(&self.ctx, &self.send_queue, id, code);
    }
}

#[cfg(test)]
mod tests;
