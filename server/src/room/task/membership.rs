//! Members that join, watch, resume, leave or disconnect, and substitutes.
//!
//! A bot takes the seat of an absent player as a substitute, if the opponent agrees. The absent player loses the seat
//! before the substitute has it, because the new token is stored first, then the event. If the server stops between the
//! two, the token of the absent player is void. The seat is still found by the identity of the player, and the opponent
//! may agree again.

use std::cell::LazyCell;

use noughts_protocol::wire::{CloseCode, Feature, Message, Reject, RejectCode, SeatGrant};
use noughts_protocol::{
    Identity, Party, PlayerKind, RequestId, ResumeToken, RoomCloseReason, Seat, Seq,
};
use subtle::ConstantTimeEq;
use tokio::time::Instant;
use tracing::debug;

use crate::operator::requests::RoomReport;
use crate::room::SeatPresence;
use crate::room::handle::{JoinRequest, RoomHandle, RoomRequest, SeatHolder};
use crate::room::members::{ConnectionId, Member, Role};
use crate::room::registry::Vacancy;
use crate::room::task::RoomTask;
use crate::room::task::log_sync::{LogSync, UnconfirmedRequest};
use crate::runtime::fault_injection::InjectedFault;
use crate::runtime::ignore;
use crate::send_queue::{Outgoing, SendOutcome};
use crate::store::RoomSecrets;

impl RoomTask {
    /// Seats a client on the free seat.
    pub(in crate::room) async fn join(&mut self, joiner: JoinRequest) {
        // A client that repeats the request, because it lost the response with its connection, has the seat.
        if let Some(grant) = joiner
            .party
            .and_then(|party| self.ctx.registry.seat_of(party))
            && grant.room == self.secrets.room
            && self.seat_for_token(grant.token).is_some()
        {
            self.resume(joiner, Some(grant.token), None);
            return self.try_persist_parties().await;
        }
        if let Some(seat) = self
            .open_seat
            .filter(|_| joiner.player.kind == PlayerKind::Bot)
        {
            return self.substitute(joiner, seat).await;
        }
        match self.room.decide_seating(joiner.player.clone(), None) {
            // The second player would start the first game.
            Ok(_) if self.ctx.is_drained() => {
                self.reject_joiner(&joiner, RejectCode::Draining.into());
            }
            Err(code) => self.reject_joiner(&joiner, code.into()),
            Ok((seat, events)) => {
                // The player counts as connected when the clock of the first game starts with these events.
                let before = self.room.presence(seat);
                self.room.set_presence(seat, SeatPresence::Connected);
                // The owner is stored before the seat is taken, so that the party finds the seat again after a crash.
                // The party receives the token only afterwards, because no other client may have a seat if the party
                // knows its token.
                self.reserve_seat_for(seat, joiner.party);
                let persisted = self
                    .persist_parties()
                    .await
                    .map_err(|_| Reject::from(RejectCode::Unavailable));
                let result = match persisted {
                    Ok(()) => self.append_and_apply(self.clock.now(), None, events).await,
                    Err(reject) => Err(reject),
                };
                match result {
                    Ok(()) => {
                        self.set_seat_party(seat, joiner.party);
                        self.admit_with_snapshot(joiner, Role::Player(seat));
                    }
                    Err(_) if self.log_state.sync() == LogSync::Unconfirmed => {
                        // `unavailable` promises that nothing changed, but the seat may be taken.
                        self.room.set_presence(seat, before);
                        self.log_state
                            .set_unconfirmed(UnconfirmedRequest::Join(joiner, seat));
                    }
                    Err(reject) => {
                        self.room.set_presence(seat, before);
                        self.reserve_seat_for(seat, None);
                        self.reject_joiner(&joiner, reject);
                    }
                }
            }
        }
    }

    pub(in crate::room) fn watch(&mut self, mut joiner: JoinRequest) {
        if !self.room.game().is_public() {
            // In a private room, previews count as spectators, so that the players know that someone watches.
            joiner.features = joiner.features.without(Feature::Preview);
        }
        if self.members.has_spectators(self.ctx.limits.max_spectators) {
            self.reject_joiner(&joiner, RejectCode::RoomFull.into());
        } else {
            self.admit_with_snapshot(joiner, Role::Spectator);
        }
    }

    /// Gives a player that knows the token, or has the identity of the seat, its seat back, and replaces its earlier
    /// connection.
    pub(in crate::room) fn resume(
        &mut self,
        joiner: JoinRequest,
        token: Option<ResumeToken>,
        seq: Option<Seq>,
    ) {
        let seat = match token {
            Some(token) => self.seat_for_token(token),
            None => joiner
                .player
                .identity
                .and_then(|identity| self.seat_for_identity(identity)),
        };
        let Some(seat) = seat else {
            self.reject_joiner(&joiner, RejectCode::UnknownRoom.into());
            return;
        };
        // The rate is limited only if a connection has the seat.
        let is_taken = self
            .members
            .seat_holder(seat)
            .is_some_and(|holder| !holder.send_queue().is_closed());
        if is_taken && joiner.yields_to_holder {
            joiner.send_queue.close_with(CloseCode::Replaced);
            return;
        }
        if is_taken
            && let Err(wait_ms) = self
                .seat_limits
                .try_take_over(seat, self.clock.server_now())
        {
            self.reject_joiner(
                &joiner,
                Reject::new(RejectCode::RateLimited).wait_ms(wait_ms),
            );
            return;
        }
        if !self.faults().is_on(InjectedFault::ShareSeats)
            && let Some(replaced) = self.members.remove_seat_holder(seat)
        {
            debug!(room = %self.secrets.room, %seat, "connection replaced by a newer connection");
            replaced.send_queue().close_with(CloseCode::Replaced);
        }
        self.set_seat_party(seat, joiner.party);
        let message =
            self.catch_up_message(joiner.named_id(), seq, Role::Player(seat), joiner.features);
        self.add_member(joiner, Role::Player(seat), message);
    }

    /// Returns the occupied seat that `token` grants. Compares both tokens in constant time: the delay of the response
    /// reveals nothing about a token.
    fn seat_for_token(&self, token: ResumeToken) -> Option<Seat> {
        let number = self.room.game().number();
        let valid = Seat::ALL.map(|seat| {
            let taken = self.room.game().player(seat).is_some();
            let matches = self
                .secrets
                .token(seat, number)
                .to_bytes()
                .ct_eq(&token.to_bytes());
            taken & bool::from(matches)
        });
        Seat::ALL.into_iter().find(|seat| valid[seat.index()])
    }

    /// Returns the client that has a seat.
    fn seat_holder(&self, seat: Seat) -> SeatHolder {
        SeatHolder::of(&self.secrets, self.room.game(), seat)
    }

    /// Returns the occupied seat of a player with this identity. If the player has both seats, returns the seat without
    /// a connection.
    fn seat_for_identity(&self, identity: Identity) -> Option<Seat> {
        let is_own = |seat: &Seat| self.seat_holder(*seat).identity == Some(identity);
        Seat::ALL
            .into_iter()
            .filter(is_own)
            .min_by_key(|seat| self.members.seat_holder(*seat).is_some())
    }

    /// Changes the owner of a seat in the secrets of the room. The log is updated later.
    pub(in crate::room) fn reserve_seat_for(&mut self, seat: Seat, party: Option<Party>) {
        let before = (self.secrets.parties, self.secrets.left);
        self.secrets
            .set_party(seat, self.room.game().number(), party);
        if (self.secrets.parties, self.secrets.left) != before {
            self.log_state.mark_parties_dirty();
        }
    }

    /// Changes the owner of a seat here and in the registry, where the party and the player find the seat when they
    /// connect again.
    pub(in crate::room) fn set_seat_party(&mut self, seat: Seat, party: Option<Party>) {
        self.reserve_seat_for(seat, party);
        self.publish_seat(seat);
    }

    /// Reports the owner of a seat to the registry.
    fn publish_seat(&self, seat: Seat) {
        let token = self.secrets.token(seat, self.room.game().number());
        let grant = SeatGrant {
            room: self.secrets.room,
            token,
        };
        self.ctx
            .registry
            .assign_seat(grant, self.seat_holder(seat), self.ctx.time.now());
    }

    /// Adds a member and sends it a snapshot.
    pub(in crate::room) fn admit_with_snapshot(&mut self, joiner: JoinRequest, role: Role) {
        let message = self.snapshot_message(joiner.named_id(), role);
        self.add_member(joiner, role, message);
    }

    /// Adds a member and sends it `message`, and the presence of absent players and the spectator count, which
    /// no snapshot contains.
    fn add_member(&mut self, joiner: JoinRequest, role: Role, message: Outgoing<RoomHandle>) {
        let handle = match role {
            Role::Player(_) => self.handle.clone(),
            Role::Spectator => self.handle.without_seat(),
        };
        let enter_queued =
            joiner.send_queue.send_reply(Outgoing::EnterRoom(handle)) == SendOutcome::Queued;
        joiner.send_queue.send_priced_reply(message);
        let id = joiner.member;
        self.members.add(joiner, role);
        match role {
            Role::Player(seat) => {
                if self.open_seat == Some(seat) {
                    self.open_seat = None;
                }
                let was_disconnected = self.room.presence(seat) != SeatPresence::Connected;
                self.room.set_presence(seat, SeatPresence::Connected);
                if was_disconnected {
                    self.broadcast_lossy(self.presence_notice(seat));
                }
            }
            Role::Spectator => self.spectator_count.on_count_changed(Instant::now()),
        }
        if let Some(member) = self.members.get(id) {
            for seat in Seat::ALL {
                if self.room.game().player(seat).is_some()
                    && self.room.presence(seat) != SeatPresence::Connected
                {
                    member
                        .send_queue()
                        .send_reply(self.notice_message(self.presence_notice(seat)));
                }
            }
            if self.members.spectator_count() > 0 {
                member
                    .send_queue()
                    .send_reply(self.notice_message(self.spectator_count_notice()));
            }
        }
        self.publish_listing();
        // A connection that ended before it received the handle, or that had a full queue, will not request a sweep of
        // this room.
        if !enter_queued
            || self
                .members
                .get(id)
                .is_some_and(|member| member.send_queue().is_closed())
        {
            self.on_disconnect(id);
        }
    }

    /// Sends a snapshot to a member, which then receives events again.
    pub(in crate::room) fn send_snapshot_to(&mut self, member: ConnectionId) {
        if let Some(role) = self.members.get(member).map(Member::role) {
            let snapshot = self.snapshot_frame(None, role);
            let now = LazyCell::new(|| self.ctx.time.now());
            self.members.send_snapshot(member, snapshot, &now);
        }
    }

    /// Removes disconnected members, and sends the requested snapshots.
    pub(in crate::room) fn sweep_members(&mut self) {
        if !self.faults().is_on(InjectedFault::IgnoreDisconnects) {
            for member in self.members.disconnected_members() {
                self.on_disconnect(member);
            }
        }
        // Requests for snapshots wait until the room and the log agree.
        if self.log_state.sync() == LogSync::InSync {
            for member in self.members.take_snapshot_requests() {
                self.send_snapshot_to(member);
            }
        }
    }

    pub(in crate::room) fn leave(&mut self, member: ConnectionId, id: RequestId) {
        // The member does not wait for the result of its command, but must get a response.
        if let Some(by) = self.log_state.take_unconfirmed_of(member) {
            self.reject_member(member, by.id, RejectCode::Unavailable);
        }
        if let Some(removed) = self.members.remove(member) {
            if let Role::Player(seat) = removed.role() {
                self.secrets.remove_owner(seat, self.room.game().number());
                self.log_state.mark_parties_dirty();
                self.publish_seat(seat);
            }
            removed.send_queue().send_reply(Outgoing::LeaveRoom);
            removed
                .send_queue()
                .send_reply(Outgoing::message(&Message::Done { re: id, seq: None }));
            self.on_departure(removed.role(), true);
        }
    }

    fn on_disconnect(&mut self, member: ConnectionId) {
        if let Some(removed) = self.members.remove(member) {
            self.on_departure(removed.role(), false);
        }
    }

    fn on_departure(&mut self, role: Role, on_purpose: bool) {
        match role {
            Role::Player(seat) => {
                let now = self.clock.server_now();
                let presence = if on_purpose {
                    SeatPresence::Left(now)
                } else {
                    SeatPresence::Disconnected(now)
                };
                self.room.set_presence(seat, presence);
                self.broadcast_lossy(self.presence_notice(seat));
            }
            Role::Spectator => self.spectator_count.on_count_changed(Instant::now()),
        }
        self.publish_listing();
    }

    /// Tells the registry whether the room has no members, if that has changed. `grace_ms` postpones the time when the
    /// room may give way.
    pub(in crate::room) fn publish_vacancy(&mut self, grace_ms: u64) {
        let is_vacant = self.members.is_empty();
        if is_vacant == self.is_vacancy_published {
            return;
        }
        self.is_vacancy_published = is_vacant;
        let vacancy = is_vacant.then(|| Vacancy {
            has_progress: self.room.has_progress(),
            since: self.clock.server_now().saturating_add(grace_ms),
        });
        self.ctx.registry.set_vacancy(self.secrets.room, vacancy);
    }

    /// Closes the room in favour of a new room, unless a client has entered it since the registry chose it.
    pub(in crate::room) async fn give_way(&mut self) {
        if self.members.is_empty() {
            let now = self.clock.now();
            let events = self.room.decide_eviction(now);
            if self.append_and_apply(now, None, events).await.is_ok() {
                return debug!(room = %self.secrets.room, "empty room closed for a new room");
            }
        }
        self.decline_eviction();
    }

    /// Closes the room because the operator asks for it. A running game ends without a winner.
    pub(in crate::room) async fn close_for_operator(&mut self) -> Result<(), RejectCode> {
        let now = self.clock.now();
        let events = self.room.decide_closing(now, RoomCloseReason::Operator);
        let closed = self.append_and_apply(now, None, events).await;
        closed.map_err(|reject| reject.code)
    }

    /// Describes the room for the operator.
    pub(in crate::room) fn report(&self) -> Box<RoomReport> {
        let game = self.room.game();
        let now = self.clock.now();
        let members = self.members.roles();
        Box::new(RoomReport {
            room: self.secrets.room,
            rules: *game.rules(),
            public: game.is_public(),
            phase: game.phase(),
            game: game.number(),
            moves: u32::try_from(game.position().ply()).unwrap_or(u32::MAX),
            players: Seat::ALL.map(|seat| game.player(seat).cloned()),
            presence: Seat::ALL.map(|seat| self.room.presence_and_claim(seat, now).0),
            spectators: self.members.spectator_count(),
            members: members.map(|(id, role)| (id.0, role.seat())).collect(),
        })
    }

    fn decline_eviction(&mut self) {
        self.is_vacancy_published = false;
        self.ctx.registry.cancel_eviction(self.secrets.room);
    }

    /// Rejects a request because the state of the room is unknown, or the room has closed. A request to leave is
    /// granted nevertheless.
    pub(in crate::room) fn reject_request(&mut self, request: RoomRequest, code: RejectCode) {
        match request {
            RoomRequest::Command { member, id, .. }
            | RoomRequest::Remark(member, id, _)
            | RoomRequest::Say(member, id, _)
            | RoomRequest::Substitute(member, id, _)
            | RoomRequest::Sync(member, id, _) => {
                // A member of a closed room is in no room.
                let room_closed = code == RejectCode::UnknownRoom;
                self.reject_member(
                    member,
                    id,
                    if room_closed {
                        RejectCode::NotInRoom
                    } else {
                        code
                    },
                );
            }
            RoomRequest::Join(joiner)
            | RoomRequest::Watch(joiner)
            | RoomRequest::Resume(joiner, _, _) => {
                self.reject_joiner(&joiner, code.into());
            }
            RoomRequest::Leave(member, id) => self.leave(member, id),
            RoomRequest::GiveWay => self.decline_eviction(),
            RoomRequest::Close(reply) => {
                ignore(reply.send(Err(code)), "the operator has not waited");
            }
            // Without a reply the operator learns that the room does not respond.
            RoomRequest::Describe(_) | RoomRequest::Lag(_, _) => {}
        }
    }
}

impl RoomTask {
    /// Opens the seat of the absent opponent to bots, or closes it.
    pub(in crate::room) fn on_substitute(
        &mut self,
        member: ConnectionId,
        id: RequestId,
        end: bool,
    ) {
        let Some(sender) = self.members.get(member) else {
            return;
        };
        let (role, send_queue) = (sender.role(), sender.send_queue().clone());
        let seat = role.seat().ok_or(Reject::from(RejectCode::NotAPlayer));
        let opened = match (seat, end) {
            (Ok(seat), false) => self
                .room
                .check_opponent_absent(self.clock.now(), seat)
                .map(Some),
            (Ok(_), true) => Ok(None),
            (Err(reject), _) => Err(reject),
        };
        match opened {
            Ok(open_seat) => {
                self.open_seat = open_seat;
                self.publish_listing_state();
                send_queue.send_reply(Outgoing::message(&Message::Done { re: id, seq: None }));
            }
            Err(reject) => self.send_reject(&send_queue, Some(id), reject),
        }
    }

    /// Seats a bot in place of the absent player of `seat`.
    pub(in crate::room) async fn substitute(&mut self, joiner: JoinRequest, seat: Seat) {
        let event = match self.room.decide_substitution(joiner.player.clone(), seat) {
            Ok(event) => event,
            Err(code) => return self.reject_joiner(&joiner, code.into()),
        };
        let former = self.secrets;
        let number = self.room.game().number();
        let mut secrets = former;
        secrets.set_token(seat, number, self.ctx.rng.new_resume_token());
        secrets.remove_party(seat, number);
        self.replace_secrets(secrets, seat);
        if self.persist_parties().await.is_err() {
            self.replace_secrets(former, seat);
            return self.reject_joiner(&joiner, RejectCode::Unavailable.into());
        }
        let before = self.room.presence(seat);
        // The substitute counts as connected when the event is applied.
        self.room.set_presence(seat, SeatPresence::Connected);
        match self
            .append_and_apply(self.clock.now(), None, vec![event])
            .await
        {
            Ok(()) => {
                debug!(room = %self.secrets.room, %seat, "absent player replaced");
                self.set_seat_party(seat, joiner.party);
                self.admit_with_snapshot(joiner, Role::Player(seat));
                self.broadcast_lossy(self.presence_notice(seat));
                self.try_persist_parties().await;
            }
            Err(_) if self.log_state.sync() == LogSync::Unconfirmed => {
                self.room.set_presence(seat, before);
                self.log_state
                    .set_unconfirmed(UnconfirmedRequest::Join(joiner, seat));
            }
            Err(reject) => {
                self.room.set_presence(seat, before);
                self.replace_secrets(former, seat);
                self.try_persist_parties().await;
                self.reject_joiner(&joiner, reject);
            }
        }
    }

    /// Changes token and owner of a seat, here and in the registry. The log is updated later.
    fn replace_secrets(&mut self, secrets: RoomSecrets, seat: Seat) {
        let number = self.room.game().number();
        let (old, new) = (
            self.secrets.token(seat, number),
            secrets.token(seat, number),
        );
        self.ctx.registry.replace_token(secrets.room, old, new);
        self.secrets = secrets;
        self.publish_seat(seat);
        self.log_state.mark_parties_dirty();
    }
}
