//! Requests of a connection: charges, parses and checks them against the state, then forwards them without waiting.

use noughts_protocol::wire::{
    self, CloseCode, Feature, Hello, Message, Reject, RejectCode, Request, RequestBody,
    SessionRequest,
};
use noughts_protocol::{Player, RequestId, RoomRef, Seat};
use tracing::debug;

use super::socket::CloseReason;
use super::{ConnState, Connection, ReadOutcome};
use crate::identity::identity_of;
use crate::limits::meters::{RateLimitDecision, ReplyBudget};
use crate::limits::refusal_log::Refusal;
use crate::limits::slots;
use crate::limits::slots::QuotaError;
use crate::lobby::handle::{FeedMessage, LobbyMessage, SeekContact};
use crate::lobby::{Seek, Seeker, task as lobby};
use crate::operator::clients::ConnectedClient;
use crate::room::handle::{self as room, JoinRequest, RoomHandle, SeatHolder};
use crate::room::registry::{KnownSeats, Registry};
use crate::room::task::reject_entry;
use crate::runtime::context::AbsentRoom;
use crate::store::ArchiveQuery;

/// Number of malformed messages that are rejected; the next malformed message closes the connection.
const MAX_MALFORMED_REQUESTS: u32 = 10;

/// Minimum estimate of the length of a response: the view of a room before its first move.
const MIN_REPLY_BYTES: u64 = 2048;

impl Connection {
    pub(super) fn on_request(&mut self, text: &str) -> Result<ReadOutcome, CloseReason> {
        self.ctx.shared.metrics.messages.add(1);
        let at = self.ctx.shared.time.now();
        let decision = self.rate_limit.try_take(at);
        if decision == RateLimitDecision::Flood {
            return Err(CloseReason::ByServer(CloseCode::Policy));
        }
        let request = match Request::parse(text) {
            Ok(request) => request,
            Err(bad) => {
                if bad.re.is_none() {
                    self.malformed_requests += 1;
                }
                if self.malformed_requests > MAX_MALFORMED_REQUESTS {
                    return Err(CloseReason::ByServer(CloseCode::Garbage));
                }
                self.send_reject(bad.re, bad.reject);
                return Ok(ReadOutcome::Handled);
            }
        };
        let id = request.id;
        if let RateLimitDecision::Reject { wait_ms } = decision {
            self.send_reject(
                Some(id),
                Reject::new(RejectCode::RateLimited).wait_ms(wait_ms),
            );
            return Ok(ReadOutcome::Handled);
        }
        let result = match (request.body, &self.player) {
            (RequestBody::Hello(hello), None) => return self.on_hello(id, hello),
            (RequestBody::Hello(_), Some(_)) => Err(RejectCode::HelloTwice.into()),
            (RequestBody::Session(_) | RequestBody::Command(_) | RequestBody::Remark(_), None) => {
                Err(RejectCode::HelloFirst.into())
            }
            (RequestBody::Session(request), Some(player)) => {
                let player = player.clone();
                self.on_session_request(id, request, player)
            }
            (RequestBody::Command(command), Some(_)) => {
                let sent = self.state.room().and_then(|room| {
                    send_to_room(
                        room,
                        room::RoomRequest::Command {
                            member: self.id,
                            at,
                            id,
                            command,
                        },
                    )
                });
                sent.map_err(Reject::from)
            }
            (RequestBody::Remark(remark), Some(_)) => {
                let sent = self.state.room().and_then(|room| {
                    send_to_room(
                        room,
                        room::RoomRequest::Remark(self.id, id, Box::new(remark)),
                    )
                });
                sent.map_err(Reject::from)
            }
        };
        if let Err(reject) = result {
            self.send_reject(Some(id), reject);
            if self.bad_keys > self.ctx.limits.max_bad_keys_per_connection {
                return Err(CloseReason::ByServer(CloseCode::Policy));
            }
        }
        Ok(ReadOutcome::Handled)
    }

    fn on_hello(&mut self, id: RequestId, hello: Hello) -> Result<ReadOutcome, CloseReason> {
        let [oldest, newest] = hello.versions;
        if !(oldest..=newest).contains(&wire::VERSION) {
            let mut reject = Reject::new(RejectCode::Version).field("versions");
            reject.versions = Some([wire::VERSION; 2]);
            self.send_reject(Some(id), reject);
            return Err(CloseReason::ByServer(CloseCode::Version));
        }
        debug!(connection = self.id.0, name = hello.name.as_str(), kind = ?hello.kind, client = hello.client, "hello received");
        let identity = hello
            .identity_secret
            .map(|secret| identity_of(secret, hello.kind));
        self.player = Some(Player {
            name: hello.name,
            kind: hello.kind,
            identity,
        });
        if !hello.wants.has(Feature::Second) {
            self.ctx
                .shared
                .population
                .connections(hello.kind)
                .increment();
        }
        self.party = hello.party;
        self.features = hello.wants;
        if self.is_banned() {
            return Err(CloseReason::ByServer(CloseCode::Banned));
        }
        let client = self.seat_holder();
        let may_have_seats = client.party.is_some() || client.identity.is_some();
        if may_have_seats && self.ctx.lobby_placement().is_some() {
            return Ok(ReadOutcome::SeatSought(id));
        }
        self.welcome(id, self.ctx.shared.registry.known_seats(client));
        Ok(ReadOutcome::Handled)
    }

    /// Returns whether the operator has banned the client.
    fn is_banned(&self) -> bool {
        let identity = self.player.as_ref().and_then(|player| player.identity);
        let now = self.ctx.shared.time.now();
        self.ctx.bans.is_banned(self.client_prefix, identity, now)
    }

    /// Makes the client known to the operator. A ban that was added after the check at the hello counts now, and a later
    /// ban finds the client.
    fn introduce_to_operator(&self, player: Player) {
        let client = ConnectedClient {
            send_queue: self.send_queue.clone(),
            client_prefix: self.client_prefix,
            player,
            since: self.ctx.shared.time.now(),
        };
        self.ctx.clients.add(self.id, client);
        if self.is_banned() {
            self.send_queue.close_with(CloseCode::Banned);
        }
    }

    /// Returns the client, for the registry.
    fn seat_holder(&self) -> SeatHolder {
        SeatHolder {
            party: self.party,
            identity: self.player.as_ref().and_then(|player| player.identity),
        }
    }

    /// Answers the hello of a client, after the search for its seats on all nodes.
    pub(super) async fn welcome_from_all_nodes(&mut self, id: RequestId) {
        let client = self.seat_holder();
        let seats = match self.ctx.lobby_placement() {
            Some(placement) => placement.find_seats(&self.ctx.shared, client).await,
            None => KnownSeats::default(),
        };
        self.welcome(id, seats);
    }

    /// Answers the hello, with the seats that the client holds.
    fn welcome(&mut self, id: RequestId, seats: KnownSeats) {
        let Some(player) = self.player.clone() else {
            return;
        };
        let (name, identity) = (player.name.clone(), player.identity);
        let KnownSeats { grant, own_rooms } = seats;
        self.seat_room_at_hello = grant.map(|held| held.room);
        self.state = ConnState::InLobby;
        let welcome = Message::Welcome {
            re: id,
            version: wire::VERSION,
            server: concat!("noughts-server ", env!("CARGO_PKG_VERSION")).into(),
            name,
            identity,
            limits: self.ctx.limits.wire_limits(),
            grant,
            own_rooms,
            has: self.features,
            address: self
                .ctx
                .limits
                .network
                .public_url
                .as_ref()
                .map(|url| url.as_str().to_owned()),
        };
        self.send(&welcome);
        // No announcement precedes the welcome.
        self.introduce_to_operator(player);
        // The first ping is sent immediately, so that the round-trip time is known before the player enters a room.
        if let Some(ping) = self.next_ping_frame() {
            self.socket.send_frame(&ping);
        }
    }

    /// Forwards a request that is not a command. The room or the lobby that receives the request responds to it.
    fn on_session_request(
        &mut self,
        id: RequestId,
        request: SessionRequest,
        player: Player,
    ) -> Result<(), Reject> {
        let newcomer = |player| JoinRequest {
            member: self.id,
            send_queue: self.send_queue.clone(),
            player,
            party: self.party,
            request_id: id,
            already_answered: false,
            yields_to_holder: false,
            wants_remarks: false,
            features: self.features,
            spectator_budget: None,
        };
        match request {
            SessionRequest::Ping => {
                self.send(&Message::Done { re: id, seq: None });
                Ok(())
            }
            SessionRequest::List => {
                self.reserve_reply(self.ctx.room_list_size() as u64)?;
                Ok(self
                    .ctx
                    .lobby
                    .try_send(LobbyMessage::List(id, self.send_queue.clone()))?)
            }
            SessionRequest::Seek {
                rules,
                clock,
                seat,
                opponents,
            } => {
                self.state.ensure_idle()?;
                if self.ctx.shared.starts_no_game() {
                    return Err(RejectCode::Draining.into());
                }
                let seek = Seek {
                    opponents,
                    ..Seek::new(self.seeker(player), rules, clock, seat)
                };
                let contact = self.seek_contact(id)?;
                self.ctx.lobby.try_send(LobbyMessage::Seek(seek, contact))?;
                self.state = ConnState::Seeking(None);
                Ok(())
            }
            SessionRequest::AcceptSeek { seek } => {
                self.state.ensure_idle()?;
                if self.ctx.shared.starts_no_game() {
                    return Err(RejectCode::Draining.into());
                }
                let acceptor = self.seeker(player);
                let contact = self.seek_contact(id)?;
                self.ctx
                    .lobby
                    .try_send(LobbyMessage::AcceptSeek(seek, acceptor, contact))?;
                self.state = ConnState::Creating;
                Ok(())
            }
            SessionRequest::Lobby { end: false } => {
                self.reserve_reply(self.ctx.room_list_size() as u64)?;
                let budget = self.ctx.lobby_budgets.of_client(self.client_prefix);
                let send_queue = self.send_queue.clone();
                Ok(self
                    .ctx
                    .feed
                    .try_send(FeedMessage::Subscribe(self.id, id, send_queue, budget))?)
            }
            SessionRequest::Lobby { end: true } => Ok(self.ctx.feed.try_send(
                FeedMessage::Unsubscribe(self.id, id, self.send_queue.clone()),
            )?),
            SessionRequest::Say { phrase } => Ok(send_to_room(
                self.state.room()?,
                room::RoomRequest::Say(self.id, id, phrase),
            )?),
            SessionRequest::Substitute { end } => Ok(send_to_room(
                self.state.room()?,
                room::RoomRequest::Substitute(self.id, id, end),
            )?),
            SessionRequest::Cancel if matches!(self.state, ConnState::Seeking(_)) => Ok(self
                .ctx
                .lobby
                .try_send(LobbyMessage::Cancel(self.id, id, self.send_queue.clone()))?),
            SessionRequest::Cancel => Err(RejectCode::NotSeeking.into()),
            SessionRequest::Create {
                rules,
                clock,
                seat,
                public,
            } => {
                self.state.ensure_idle()?;
                let seat = seat.unwrap_or(if self.ctx.rng.random_bool() {
                    Seat::X
                } else {
                    Seat::O
                });
                let (seated, permits) = (
                    vec![(newcomer(player), seat)],
                    vec![self.acquire_room_permit()?],
                );
                lobby::open_room(&self.ctx, rules, clock, public, seated, permits)?;
                self.state = ConnState::Creating;
                Ok(())
            }
            SessionRequest::Join { room } => {
                let newcomer = Box::new(newcomer(player));
                let found = self.find_or_forward(room, |registry| registry.find(room))?;
                self.request_entry_by_key(found, room::RoomRequest::Join(newcomer))
            }
            SessionRequest::Watch { room, remarks } => {
                let budget = self
                    .ctx
                    .shared
                    .spectator_budgets
                    .of_client(self.client_prefix);
                let spectator_budget = Some(budget);
                let newcomer = JoinRequest {
                    wants_remarks: remarks,
                    spectator_budget,
                    ..newcomer(player)
                };
                let found = self.find_or_forward(room, |registry| registry.find(room))?;
                self.request_entry_by_key(found, room::RoomRequest::Watch(Box::new(newcomer)))
            }
            SessionRequest::Resume { room, token, seq } => {
                let identity = player.identity;
                if token.is_none() && identity.is_none() {
                    return Err(Reject::new(RejectCode::BadField)
                        .field("token")
                        .detail("needed without an identity"));
                }
                let newcomer = Box::new(newcomer(player));
                let request = room::RoomRequest::Resume(newcomer, token, seq);
                let find = |registry: &Registry| registry.find_to_resume(room, token, identity);
                let found = self.find_or_forward(RoomRef::Id(room), find)?;
                self.request_entry_by_key(found, request)
            }
            SessionRequest::Sync { seq } => {
                let snapshot_bytes = self.state.room()?.snapshot_bytes();
                self.reserve_reply(snapshot_bytes)?;
                Ok(send_to_room(
                    self.state.room()?,
                    room::RoomRequest::Sync(self.id, id, seq),
                )?)
            }
            SessionRequest::Games(filter) => self.on_games(id, filter, player.identity),
            SessionRequest::Game { game } => {
                let asker = player.identity;
                self.query_archive(id, ArchiveQuery::Game { game, asker }, MIN_REPLY_BYTES)
            }
            SessionRequest::Profile { of } => self.on_profile(id, of, player.identity),
            SessionRequest::Leave => {
                let room = self.state.room()?.clone();
                send_to_room(&room, room::RoomRequest::Leave(self.id, id))?;
                self.state = ConnState::Leaving(room);
                Ok(())
            }
        }
    }

    /// Returns the client of this connection as the lobby needs it.
    fn seeker(&self, player: Player) -> Seeker {
        Seeker {
            since: self.ctx.shared.time.now(),
            connection: self.id,
            client: self.client_prefix,
            player,
            party: self.party,
            seat_room_at_hello: self.seat_room_at_hello,
            features: self.features,
        }
    }

    /// Returns a handle to this client, for the lobby. Acquires the permit for one room.
    fn seek_contact(&self, request_id: RequestId) -> Result<SeekContact, Reject> {
        let (send_queue, permit) = (self.send_queue.clone(), self.acquire_room_permit()?);
        Ok(SeekContact {
            send_queue,
            request_id,
            already_answered: false,
            permit,
            origin: None,
        })
    }

    /// Acquires the permit for one room of this client.
    fn acquire_room_permit(&self) -> Result<slots::QuotaPermit, Reject> {
        self.ctx
            .room_quota
            .try_acquire(self.client_prefix)
            .map_err(|refused| match refused {
                QuotaError::Total => RejectCode::ServerFull.into(),
                QuotaError::PerClient => {
                    Reject::new(RejectCode::ServerFull).detail("too many rooms from this address")
                }
            })
    }

    /// Returns the room that `find` finds on this server. If it finds none, returns a handle to the room on the server
    /// that has its shard.
    ///
    /// # Errors
    /// `unavailable` if no server has the shard.
    fn find_or_forward(
        &self,
        room: RoomRef,
        find: impl Fn(&Registry) -> Option<RoomHandle>,
    ) -> Result<Result<RoomHandle, AbsentRoom>, Reject> {
        if let Some(found) = find(&self.ctx.shared.registry) {
            return Ok(Ok(found));
        }
        if let Some(placement) = self.ctx.placement() {
            self.state.ensure_idle()?;
            if let Some(elsewhere) = placement.find_elsewhere(room, self.client_prefix)? {
                return Ok(Ok(elsewhere));
            }
        }
        Ok(self.ctx.find_here(room, find)?)
    }

    /// Sends a request to enter to the room that an id, a code or a token has found. A known key is always accepted.
    /// Unknown keys are limited per network and per connection, and all get the same response.
    fn request_entry_by_key(
        &mut self,
        found: Result<RoomHandle, AbsentRoom>,
        request: room::RoomRequest,
    ) -> Result<(), Reject> {
        self.state.ensure_idle()?;
        let room = match found {
            Ok(room) => room,
            Err(absent) => return self.reject_absent_room(absent, request),
        };
        self.bad_keys = 0;
        self.request_entry(room, request)
    }

    fn reject_absent_room(
        &mut self,
        absent: AbsentRoom,
        request: room::RoomRequest,
    ) -> Result<(), Reject> {
        self.bad_keys = self.bad_keys.saturating_add(1);
        if let Err(wait_ms) = self.ctx.try_take_bad_key(self.client_prefix) {
            self.ctx.log_refusal(self.client_prefix, Refusal::BadKeys);
            return Err(Reject::new(RejectCode::RateLimited).wait_ms(wait_ms));
        }
        if self.ctx.shared.event_log.shared().is_none() {
            return Err(RejectCode::UnknownRoom.into());
        }
        // A client gives up its seat in a room that is reported as unknown. A server that another server has replaced
        // must therefore not report a room as unknown.
        self.state = ConnState::Creating;
        let ctx = self.ctx.clone();
        self.ctx.actors.spawn(async move {
            let confirmed = ctx.confirm_absence(absent).await;
            let code = confirmed.err().unwrap_or(RejectCode::UnknownRoom);
            reject_entry(&ctx.shared, &request, code);
        });
        Ok(())
    }

    /// Checks that the budget of the connection covers a response of this length, after it was charged for earlier
    /// responses.
    pub(super) fn reserve_reply(&mut self, estimated_bytes: u64) -> Result<(), Reject> {
        let now = self.ctx.shared.time.now();
        let ctx = &self.ctx;
        let budgets = self.reply_budget.get_or_insert_with(|| {
            let network = ctx.reply_budgets.of_client(self.client_prefix);
            let is_full = network.wait_ms(now) == 0;
            let budget = ReplyBudget::new(ctx.limits.reply_bytes_per_second, is_full, now);
            Box::new((budget, network))
        });
        let (budget, network) = &mut **budgets;
        let sent_bytes = self.send_queue.take_priced_bytes();
        budget.charge(sent_bytes, now);
        network.charge(sent_bytes as usize, now);
        budget
            .try_reserve(estimated_bytes.max(MIN_REPLY_BYTES), now)
            .map_err(|wait_ms| Reject::new(RejectCode::RateLimited).wait_ms(wait_ms))
    }

    fn request_entry(
        &mut self,
        room: RoomHandle,
        request: room::RoomRequest,
    ) -> Result<(), Reject> {
        self.state.ensure_idle()?;
        self.reserve_reply(room.snapshot_bytes())?;
        room.try_send(request)?;
        self.state = ConnState::Joining(room);
        Ok(())
    }
}

/// Sends a request to the room of the connection. A closed room rejects it with `not_in_room`.
fn send_to_room(room: &RoomHandle, request: room::RoomRequest) -> Result<(), RejectCode> {
    room.try_send(request).map_err(|code| {
        if code == RejectCode::UnknownRoom {
            RejectCode::NotInRoom
        } else {
            code
        }
    })
}
