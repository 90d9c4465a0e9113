//! Who comes in and goes: newcomers, those who return, and what the others are told of it.

use noughts_protocol::wire::{CloseCode, Message, Reject, RejectCode, SeatGrant};
use noughts_protocol::{PartyKey, RequestId, ResumeToken, Seat, Seq};
use subtle::ConstantTimeEq;
use tracing::info;

use super::{LogSync, RoomTask, UnconfirmedRequest};
use crate::fault_injection::InjectedFault;
use crate::limits::rate_limit::RateLimitDecision;
use crate::room::Connectivity;
use crate::room::handle::{JoinRequest, RoomRequest};
use crate::room::members::{MemberId, Role};
use crate::send_queue::{Outgoing, SendOutcome};

impl RoomTask {
    pub(super) async fn join(&mut self, joiner: JoinRequest) {
        // Who asks again, since the answer was lost with the line, has the seat already.
        if let Some(grant) = joiner.party.and_then(|party| self.ctx.registry.seat_of(party))
            && grant.room == self.secrets.room
            && self.seat_for_token(grant.token).is_some()
        {
            self.resume(joiner, grant.token, None);
            return self.try_persist_parties().await;
        }
        match self.room.decide_seating(joiner.player.clone(), None) {
            Err(code) => self.reject_joiner(&joiner, code.into()),
            Ok((seat, events)) => {
                // The clock of the first game may start with this: the newcomer counts as here.
                let before = self.room.connectivity(seat);
                self.room.set_connectivity(seat, Connectivity::Connected);
                // Before the seat is stored as taken: whatever happens next, its party finds it again. It is told
                // of it behind that: nobody else is to have a seat whose token it knows.
                self.reserve_seat_for(seat, joiner.party);
                let persisted =
                    self.persist_parties().await.map_err(|_| Reject::from(RejectCode::Unavailable));
                let result = match persisted {
                    Ok(()) => self.append_and_apply(self.now(), None, events).await,
                    Err(reject) => Err(reject),
                };
                match result {
                    Ok(()) => {
                        self.set_seat_party(seat, joiner.party);
                        self.admit_with_snapshot(joiner, Role::Player(seat));
                    }
                    Err(_) if self.log_sync == LogSync::Unconfirmed => {
                        // It may have the seat: `unavailable`, with nothing changed, might be a lie.
                        self.room.set_connectivity(seat, before);
                        self.unconfirmed = Some(Box::new(UnconfirmedRequest::Join(joiner, seat)));
                    }
                    Err(reject) => {
                        self.room.set_connectivity(seat, before);
                        self.reserve_seat_for(seat, None);
                        self.reject_joiner(&joiner, reject);
                    }
                }
            }
        }
    }

    pub(super) fn watch(&mut self, joiner: JoinRequest) {
        if self.members.spectator_count() >= self.ctx.max_spectators {
            self.reject_joiner(&joiner, RejectCode::RoomFull.into());
        } else {
            self.admit_with_snapshot(joiner, Role::Spectator);
        }
    }

    pub(super) fn resume(&mut self, joiner: JoinRequest, token: ResumeToken, seq: Option<Seq>) {
        let Some(seat) = self.seat_for_token(token) else {
            self.reject_joiner(&joiner, RejectCode::UnknownRoom.into());
            return;
        };
        if let Some(wait_ms) = self.takeover_retry_after(seat) {
            self.reject_joiner(&joiner, Reject::new(RejectCode::RateLimited).wait_ms(wait_ms));
            return;
        }
        if self.faults().has(InjectedFault::LogTokens) {
            info!(room = %self.secrets.room, %seat, %token, "resumed");
        }
        if !self.faults().has(InjectedFault::ShareSeats)
            && let Some(replaced_id) = self.members.seat_holder(seat).map(|member| member.id)
            && let Some(replaced) = self.members.remove(replaced_id)
        {
            info!(room = %self.secrets.room, %seat, "a newer connection took the seat");
            replaced.send_queue.close_with(CloseCode::Replaced);
        }
        self.set_seat_party(seat, joiner.party);
        let message = self.catch_up_message(joiner.unanswered_id(), seq, Role::Player(seat));
        self.add_member(joiner, Role::Player(seat), message);
    }

    /// The taken seat that this is the right to.
    fn seat_for_token(&self, token: ResumeToken) -> Option<Seat> {
        let number = self.room.game().number();
        // Both are compared whatever the first says, in constant time: an answer's delay tells
        // nothing of a token.
        let valid = Seat::ALL.map(|seat| {
            let taken = self.room.game().player(seat).is_some();
            let matches = self.secrets.token(seat, number).to_bytes().ct_eq(&token.to_bytes());
            taken & (bool::from(matches) | self.faults().has(InjectedFault::AcceptAnyToken))
        });
        Seat::ALL.into_iter().find(|seat| valid[seat.index()])
    }

    /// Notes whose a seat is going to be, if the log takes it.
    pub(super) fn reserve_seat_for(&mut self, seat: Seat, party: Option<PartyKey>) {
        let before = self.secrets.parties;
        self.secrets.set_party(seat, self.room.game().number(), party);
        self.parties_dirty |= self.secrets.parties != before;
    }

    /// Notes whose a seat is, for when that party connects again.
    pub(super) fn set_seat_party(&mut self, seat: Seat, party: Option<PartyKey>) {
        self.reserve_seat_for(seat, party);
        let token = self.secrets.token(seat, self.room.game().number());
        self.ctx.registry.assign_seat(SeatGrant { room: self.secrets.room, token }, party);
    }

    /// How long a newcomer has to wait for a seat that somebody is in, if it changes hands too often: two
    /// programs that take it from each other would keep the room busy with nothing else. A seat that
    /// nobody is in is free at any time.
    fn takeover_retry_after(&mut self, seat: Seat) -> Option<u64> {
        self.members.seat_holder(seat).filter(|holder| !holder.send_queue.is_closed())?;
        let now = self.time.now();
        match self.seat_limits_mut().takeovers[seat.index()].try_take(now) {
            RateLimitDecision::Allow => None,
            RateLimitDecision::Reject { wait_ms } => Some(wait_ms),
            RateLimitDecision::Flood => Some(1000),
        }
    }

    /// Lets a newcomer in, with the whole view.
    pub(super) fn admit_with_snapshot(&mut self, joiner: JoinRequest, role: Role) {
        let message = self.snapshot_message(joiner.unanswered_id(), role);
        self.add_member(joiner, role, message);
    }

    fn add_member(&mut self, joiner: JoinRequest, role: Role, message: Outgoing) {
        let handle = match role {
            Role::Player(_) => self.handle.clone(),
            Role::Spectator => self.handle.without_seat(),
        };
        let enter_queued = joiner.send_queue.send_reply(Outgoing::EnterRoom(handle)) == SendOutcome::Queued;
        joiner.send_queue.send_reply(message);
        self.members.add(joiner.member, role, joiner.send_queue, joiner.wants_remarks);
        match role {
            Role::Player(seat) => {
                let was_disconnected = self.room.connectivity(seat) != Connectivity::Connected;
                self.room.set_connectivity(seat, Connectivity::Connected);
                if was_disconnected {
                    self.broadcast_lossy(self.presence_notice(seat));
                }
            }
            Role::Spectator => self.on_spectator_count_changed(),
        }
        // What a snapshot does not say: who is away, and how many watch.
        if let Some(member) = self.members.get(joiner.member) {
            for seat in Seat::ALL {
                if self.room.game().player(seat).is_some()
                    && self.room.connectivity(seat) != Connectivity::Connected
                {
                    member.send_queue.send_reply(self.notice_message(self.presence_notice(seat)));
                }
            }
            if self.members.spectator_count() > 0 {
                member.send_queue.send_reply(self.notice_message(self.spectator_count_notice()));
            }
        }
        self.publish_listing();
        // It may have gone before it could learn that it is in this room, or be cut off because there was no
        // room for that in its outbox: nobody else will say so.
        if !enter_queued
            || self.members.get(joiner.member).is_some_and(|member| member.send_queue.is_closed())
        {
            self.on_disconnect(joiner.member);
        }
    }

    /// Sends the whole view to a member that events were left out for.
    pub(super) fn send_snapshot_to(&mut self, member: MemberId) {
        if let Some((role, send_queue)) = self.members.mark_caught_up(member) {
            send_queue.send_reply(self.snapshot_message(None, role));
        }
    }

    /// Sees who has gone, and who asks for the whole view.
    pub(super) fn sweep_members(&mut self) {
        if !self.faults().has(InjectedFault::IgnoreDisconnects) {
            for member in self.members.disconnected_members() {
                self.on_disconnect(member);
            }
        }
        // As long as the view is not known they go on waiting for it.
        if self.log_sync == LogSync::InSync {
            for member in self.members.take_snapshot_requests() {
                self.send_snapshot_to(member);
            }
        }
    }

    pub(super) fn leave(&mut self, member: MemberId, id: RequestId) {
        // Who does not wait for what came of a command has an answer all the same.
        if let Some(&UnconfirmedRequest::Command(sender, by)) = self.unconfirmed.as_deref()
            && sender == member
        {
            self.unconfirmed = None;
            self.reject_member(member, by.id, RejectCode::Unavailable);
        }
        if let Some(removed) = self.members.remove(member) {
            if let Role::Player(seat) = removed.role {
                self.set_seat_party(seat, None);
            }
            removed.send_queue.send_reply(Outgoing::LeaveRoom);
            removed.send_queue.send_reply(Outgoing::message(&Message::Done { re: id, seq: None }));
            self.on_departure(removed.role, true);
        }
    }

    pub(super) fn on_disconnect(&mut self, member: MemberId) {
        if let Some(removed) = self.members.remove(member) {
            self.on_departure(removed.role, false);
        }
    }

    pub(super) fn on_departure(&mut self, role: Role, on_purpose: bool) {
        match role {
            Role::Player(seat) => {
                let now = self.time.now();
                let connectivity =
                    if on_purpose { Connectivity::Left(now) } else { Connectivity::Disconnected(now) };
                self.room.set_connectivity(seat, connectivity);
                self.broadcast_lossy(self.presence_notice(seat));
            }
            Role::Spectator => self.on_spectator_count_changed(),
        }
        self.publish_listing();
    }

    /// Refuses what needs the room's true state while that is not to be had, or is no more; goings
    /// are noted all the same.
    pub(super) fn reject_request(&mut self, request: RoomRequest, code: RejectCode) {
        match request {
            RoomRequest::Command { member, id, .. }
            | RoomRequest::Remark(member, id, _)
            | RoomRequest::Sync(member, id, _) => {
                // For who is in it, a room that is no more is a room that it is not in.
                let room_closed = code == RejectCode::UnknownRoom;
                self.reject_member(member, id, if room_closed { RejectCode::NotInRoom } else { code });
            }
            RoomRequest::Join(joiner) | RoomRequest::Watch(joiner) | RoomRequest::Resume(joiner, _, _) => {
                self.reject_joiner(&joiner, code.into());
            }
            RoomRequest::Leave(member, id) => self.leave(member, id),
            RoomRequest::Lag(_, _) => {}
        }
    }
}
