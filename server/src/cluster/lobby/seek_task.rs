//! The task of one seek: places it in the lobby of its game, and again when that lobby moves to another node.

use std::sync::Arc;
use std::time::Duration;

use noughts_protocol::wire::{
    CloseCode, Message, Reject, RejectCode, SeatGrant, SeekId, SessionRequest,
};
use noughts_protocol::{PartyKey, RequestId, RoomRef, Rules, Seat, TimeControl};
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep_until};

use super::node_lobby::{LobbyLocation, NodeLobby};
use super::party_queries::PartyQuery;
use super::seek_control::SeekControl;
use super::seek_route::{RouteAction, RouteEvent, SeekRoute};
use crate::cluster::relay::RemoteSeek;
use crate::cluster::shard::NodeId;
use crate::limits::slots::QuotaPermit;
use crate::lobby::handle::{LobbyHandle, LobbyMessage, SeekContact, SeekEnd, TicketHolder};
use crate::lobby::{Seek, Seeker};
use crate::room::handle::{JoinRequest, MemberQueue, RoomRequest};
use crate::runtime::context::ServerContext;
use crate::send_queue::Outgoing;

/// Time in which a lobby must be found. A node that was killed is replaced in less.
const PLACE_TIMEOUT: Duration = Duration::from_secs(10);

/// Time after the first attempt to place a seek; twice as much after each further one.
const MIN_RETRY_DELAY: Duration = Duration::from_millis(20);

const MAX_RETRY_DELAY: Duration = Duration::from_millis(500);

/// Interval of the queries about the party of a seek that waits: its seat may be in a shard that changed its node.
const QUERY_INTERVAL: Duration = Duration::from_secs(2);

/// Delay between an incomplete query and the next one. The seek is not placed meanwhile.
const INCOMPLETE_QUERY_DELAY: Duration = Duration::from_millis(200);

/// Time for a query in which no shard is missing. After it, a seek is placed even if its party may have a seat.
const COMPLETE_QUERY_TIMEOUT: Duration = Duration::from_secs(10);

/// Like [`COMPLETE_QUERY_TIMEOUT`], for the answer to a listed seek, whose client waits for a response.
const COMPLETE_ANSWER_TIMEOUT: Duration = Duration::from_secs(2);

/// Time in a lobby after which the next search for a lobby has the whole time again.
const STEADY_AFTER: Duration = Duration::from_secs(1);

/// Kind of a request.
#[derive(Clone, Debug)]
enum SoughtGame {
    New {
        rules: Rules,
        clock: Option<TimeControl>,
        seat: Option<Seat>,
    },
    Listed(SeekId),
}

/// A request to seek, or to answer a listed seek.
#[derive(Debug)]
pub(super) struct SeekRequest {
    seeker: Seeker,
    /// Time of the request, in server milliseconds.
    since: u64,
    game: SoughtGame,
}

impl SeekRequest {
    pub(super) fn from_seek(seek: Seek) -> SeekRequest {
        let Seek {
            seeker,
            since,
            rules,
            clock,
            seat,
            answers: _,
        } = seek;
        SeekRequest {
            seeker,
            since,
            game: SoughtGame::New { rules, clock, seat },
        }
    }

    pub(super) fn from_answer(seek: SeekId, seeker: Seeker, since: u64) -> SeekRequest {
        SeekRequest {
            seeker,
            since,
            game: SoughtGame::Listed(seek),
        }
    }

    /// Time of the request, in server milliseconds.
    pub(super) fn since(&self) -> u64 {
        self.since
    }

    fn is_answer(&self) -> bool {
        matches!(self.game, SoughtGame::Listed(_))
    }

    /// The request on the wire.
    fn body(&self) -> SessionRequest {
        match self.game {
            SoughtGame::New { rules, clock, seat } => SessionRequest::Seek { rules, clock, seat },
            SoughtGame::Listed(seek) => SessionRequest::Answer { seek },
        }
    }
}

/// A lobby in which the seek is.
#[derive(Debug)]
enum PlacedSeek {
    Here(TicketHolder),
    There(RemoteSeek),
}

/// Event of the task.
enum TaskEvent {
    Route(RouteEvent),
    /// The next attempt to place the seek is due.
    PlaceDue,
    /// The next query about the party is due.
    QueryDue,
}

/// The task of one seek.
#[derive(Debug)]
pub(super) struct SeekTask {
    ctx: ServerContext,
    node: Arc<NodeLobby>,
    /// Lobby of this node.
    lobby: LobbyHandle,
    control: Arc<SeekControl>,
    request: SeekRequest,
    send_queue: MemberQueue,
    id: RequestId,
    /// None while the lobby of this node has it.
    permit: Option<QuotaPermit>,
    route: SeekRoute,
    placed: Option<PlacedSeek>,
    seek_end: Option<oneshot::Receiver<SeekEnd>>,
    placed_at: Instant,
    /// Time of the next attempt to place the seek.
    place_at: Option<Instant>,
    place_by: Instant,
    /// Time of the next query about the party.
    query_at: Option<Instant>,
    /// Time after which the seek is placed even if the query is incomplete.
    admit_at: Instant,
    /// A seat of the party that the client does not know.
    seat: Option<SeatGrant>,
    /// Whether the client may have a newer connection at that seat.
    yields_to_holder: bool,
    retry_delay: Duration,
    enters_room: bool,
}

impl SeekTask {
    /// The task of a request that has arrived from its connection.
    pub(super) fn new(
        ctx: ServerContext,
        node: Arc<NodeLobby>,
        lobby: LobbyHandle,
        control: Arc<SeekControl>,
        request: SeekRequest,
        contact: SeekContact,
    ) -> SeekTask {
        let SeekContact {
            send_queue,
            request_id: id,
            permit,
            ..
        } = contact;
        let now = Instant::now();
        let is_answer = request.is_answer();
        SeekTask {
            route: SeekRoute::new(is_answer),
            ctx,
            node,
            lobby,
            control,
            request,
            send_queue,
            id,
            permit: Some(permit),
            placed: None,
            seek_end: None,
            placed_at: now,
            place_at: None,
            place_by: now + PLACE_TIMEOUT,
            query_at: None,
            admit_at: now
                + if is_answer {
                    COMPLETE_ANSWER_TIMEOUT
                } else {
                    COMPLETE_QUERY_TIMEOUT
                },
            seat: None,
            yields_to_holder: false,
            retry_delay: MIN_RETRY_DELAY,
            enters_room: false,
        }
    }

    /// Runs until the seek has ended, and then until the client has left its room if that is on another node.
    pub(super) async fn run(mut self) {
        if !self.request.is_answer() {
            // The seek waits from now on, wherever its lobby is.
            self.send(&Message::Done {
                re: self.id,
                seq: None,
            });
        }
        let party = self.request.seeker.party;
        match party {
            Some(party) => self.query_party(party, false).await,
            None => self.handle(RouteEvent::Admitted),
        }
        self.control.set_queried();
        // The end of a connection that ends from now on is reported.
        if self.send_queue.is_closed() {
            self.handle(RouteEvent::Disconnected);
        }
        let stopping = self.ctx.stopping.clone();
        while !self.route.has_ended() {
            match stopping.run_until_cancelled(self.next_event()).await {
                None => break,
                Some(TaskEvent::Route(event)) => self.handle(event),
                Some(TaskEvent::PlaceDue) => self.place().await,
                Some(TaskEvent::QueryDue) => {
                    let party = party.expect("a query is due for a party only");
                    self.query_party(party, true).await;
                }
            }
        }
        if let Some(party) = party {
            self.node.parties().remove(party, &self.control);
        }
        for id in self.control.end() {
            self.reject(id, RejectCode::NotSeeking);
        }
        if let Some(PlacedSeek::There(seek)) = self.placed.take_if(|_| self.enters_room) {
            seek.wait_for_end().await;
        }
        drop(self.permit);
    }

    /// Ends older seeks of the party on all nodes, and looks for a seat that the client does not know.
    async fn query_party(&mut self, party: PartyKey, is_repeated: bool) {
        let (ctx, node, since) = (&self.ctx, &self.node, self.request.since);
        let insert = || node.parties().insert(party, Arc::clone(&self.control));
        let older = if is_repeated { None } else { insert() };
        let end_older = async {
            if let Some(older) = &older {
                older.displace().await;
            }
        };
        let query = PartyQuery {
            party,
            seeks_since: Some(since),
            is_repeated,
        };
        let (mut answer, ()) = tokio::join!(node.query_party(&ctx.shared, query), end_older);
        if !answer.has_newer_seek && (answer.had_seek || older.is_some()) {
            // It may have been paired when it was about to end.
            let query = PartyQuery {
                party,
                seeks_since: None,
                is_repeated: false,
            };
            answer = node.query_party(&ctx.shared, query).await;
        }
        let now = Instant::now();
        let known_room = self.request.seeker.seat_room_at_hello;
        let seat = answer
            .seat
            .map(|seat| seat.grant)
            .filter(|grant| Some(grant.room) != known_room);
        // The client could not enter a room that is about to end here and to be opened elsewhere.
        let is_open = seat.is_none_or(|seat| node.is_searched(seat.room, &answer));
        let is_certain = is_open && (seat.is_some() || node.is_complete(&answer));
        let (event, delay) = match seat {
            _ if answer.has_newer_seek => (Some(RouteEvent::Displaced), None),
            _ if !is_certain && now < self.admit_at && self.route.is_querying() => {
                (None, Some(INCOMPLETE_QUERY_DELAY))
            }
            Some(_) if is_open => (Some(RouteEvent::SeatFound), None),
            Some(_) | None => (
                Some(RouteEvent::Admitted),
                (!self.request.is_answer()).then_some(QUERY_INTERVAL),
            ),
        };
        // A client that takes the seat while this seek waits in a lobby has a newer connection.
        (self.seat, self.yields_to_holder) = (seat, !self.route.is_querying());
        self.query_at = delay.map(|delay| now + delay);
        if let Some(event) = event {
            self.handle(event);
        }
    }

    /// Resumes the client at the seat of its party, as if it had just been paired.
    fn enter_seat(&mut self) {
        if self.send_queue.is_closed() {
            // A newer connection may have the seat.
            return;
        }
        let Some(SeatGrant { room, token }) = self.seat else {
            return;
        };
        let (ctx, key) = (&self.ctx, RoomRef::Id(room));
        let here = ctx.shared.registry.find_by_token(room, token);
        let there = || {
            ctx.placement()?
                .find_elsewhere(key, self.request.seeker.client)
                .ok()?
        };
        let handle = here.filter(|handle| !handle.is_closed()).or_else(there);
        let Seeker {
            member,
            player,
            party,
            features,
            ..
        } = self.request.seeker.clone();
        let newcomer = JoinRequest {
            member,
            send_queue: self.send_queue.clone(),
            player,
            party,
            request_id: self.id,
            already_answered: !self.request.is_answer(),
            yields_to_holder: self.yields_to_holder,
            wants_remarks: false,
            features,
            spectator_budget: None,
        };
        let request = RoomRequest::Resume(Box::new(newcomer), token, None);
        if handle.is_none_or(|handle| handle.try_send(request).is_err()) {
            // The shard of the room changes its node. A client that seeks again gets its seat there.
            self.send_queue.send_reply(Outgoing::LeaveLobby);
            self.reject(self.id, RejectCode::Unavailable);
        }
    }

    async fn next_event(&mut self) -> TaskEvent {
        let (place_at, query_at) = (self.place_at, self.query_at);
        tokio::select! {
            biased;
            event = self.control.next_event() => TaskEvent::Route(event),
            end = async { self.seek_end.as_mut().expect("checked").await }, if self.seek_end.is_some() => {
                self.seek_end = None;
                TaskEvent::Route(match (end, &self.placed) {
                    (Ok(end), _) => RouteEvent::End(end),
                    (Err(_), Some(PlacedSeek::There(_))) => RouteEvent::Lost,
                    (Err(_), _) => RouteEvent::End(SeekEnd::Rejected),
                })
            }
            () = sleep_until(place_at.unwrap_or_else(Instant::now)), if place_at.is_some() => TaskEvent::PlaceDue,
            () = sleep_until(query_at.unwrap_or_else(Instant::now)), if query_at.is_some() => TaskEvent::QueryDue,
        }
    }

    fn handle(&mut self, event: RouteEvent) {
        for action in self.route.on_event(event) {
            match action {
                RouteAction::Place => self.schedule_place(),
                RouteAction::Withdraw => match &self.placed {
                    Some(PlacedSeek::Here(ticket)) => ticket.withdraw(),
                    Some(PlacedSeek::There(seek)) => seek.withdraw(),
                    None => {}
                },
                RouteAction::Pong(ping) => match &self.placed {
                    Some(PlacedSeek::Here(ticket)) => ticket.on_pong(ping),
                    Some(PlacedSeek::There(seek)) => seek.on_pong(ping),
                    None => {}
                },
                RouteAction::LeaveLobby => drop(self.send_queue.send_reply(Outgoing::LeaveLobby)),
                RouteAction::Done(id) => self.send(&Message::Done { re: id, seq: None }),
                RouteAction::NotSeeking(id) => self.reject(id, RejectCode::NotSeeking),
                RouteAction::Busy(id) => self.reject(id, RejectCode::Busy),
                RouteAction::Reject(code) => self.reject(self.id, code),
                RouteAction::CloseReplaced => self.send_queue.close_with(CloseCode::Replaced),
                RouteAction::EnterSeat => self.enter_seat(),
                RouteAction::ServeRoom => self.enters_room = true,
            }
        }
        if !self.route.is_inside() && !self.enters_room {
            self.placed = None;
        }
    }

    /// Schedules the next attempt, the first one at once, and one after a lobby has moved after a delay.
    fn schedule_place(&mut self) {
        let now = Instant::now();
        if self.placed.is_none() {
            (self.place_at, self.place_by) = (Some(now), now + PLACE_TIMEOUT);
            return;
        }
        if now - self.placed_at >= STEADY_AFTER {
            (self.place_by, self.retry_delay) = (now + PLACE_TIMEOUT, MIN_RETRY_DELAY);
        }
        self.schedule_retry(now);
    }

    fn schedule_retry(&mut self, now: Instant) {
        if now >= self.place_by {
            return self.handle(RouteEvent::Unavailable);
        }
        self.place_at = Some(now + self.retry_delay);
        self.retry_delay = (2 * self.retry_delay).min(MAX_RETRY_DELAY);
    }

    async fn place(&mut self) {
        self.place_at = None;
        let location = match self.request.game {
            SoughtGame::New { rules, clock, .. } => self.node.locate(rules, clock),
            SoughtGame::Listed(seek) => self.node.locate_seek(seek),
        };
        let placed = match location {
            LobbyLocation::Here => self.place_here().await,
            LobbyLocation::There(peer) => Some(self.place_there(peer)),
            LobbyLocation::Unknown => None,
        };
        match placed {
            Some((placed, seek_end)) => {
                (self.placed, self.seek_end) = (Some(placed), Some(seek_end));
                self.placed_at = Instant::now();
                self.route.on_placed();
            }
            None => self.schedule_retry(Instant::now()),
        }
    }

    async fn place_here(&mut self) -> Option<(PlacedSeek, oneshot::Receiver<SeekEnd>)> {
        let permit = self.permit.take().or_else(|| {
            self.ctx
                .room_quota
                .try_acquire(self.request.seeker.client)
                .ok()
        })?;
        let (ticket, holder, seek_end) = self.lobby.new_ticket();
        let contact = SeekContact {
            send_queue: self.send_queue.clone(),
            request_id: self.id,
            already_answered: !self.request.is_answer(),
            permit,
            ticket: Some(ticket),
        };
        let (seeker, since) = (self.request.seeker.clone(), self.request.since);
        let message = match self.request.game {
            SoughtGame::New { rules, clock, seat } => {
                let seek = Seek::new(seeker, since, rules, clock, seat);
                LobbyMessage::Seek(seek, contact)
            }
            SoughtGame::Listed(seek) => LobbyMessage::Answer(seek, (seeker, since), contact),
        };
        self.lobby.send(message).await.ok()?;
        Some((PlacedSeek::Here(holder), seek_end))
    }

    fn place_there(&self, peer: NodeId) -> (PlacedSeek, oneshot::Receiver<SeekEnd>) {
        let (ctx, seeker) = (&self.ctx, &self.request.seeker);
        let age_ms = ctx.shared.time.now().saturating_sub(self.request.since);
        let contact = (self.send_queue.clone(), self.id);
        let request = (self.request.body(), age_ms);
        let relays = self.node.relays();
        let (seek, seek_end) = relays.place_seek(ctx, peer, seeker, contact, request);
        (PlacedSeek::There(seek), seek_end)
    }

    fn send(&self, message: &Message) {
        self.send_queue.send_reply(Outgoing::message(message));
    }

    fn reject(&self, id: RequestId, code: RejectCode) {
        self.ctx.shared.metrics.count_reject(code);
        self.send(&Message::Reject {
            re: Some(id),
            reject: Reject::new(code),
        });
    }
}
