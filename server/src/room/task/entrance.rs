//! Who comes in and goes: newcomers, those who return, and what the others are told of it.

use noughts_protocol::wire::{CloseCode, Held, Message, Reject, RejectCode};
use noughts_protocol::{Party, RequestId, ResumeToken, Seat, Seq};
use subtle::ConstantTimeEq;
use tracing::info;

use super::{Doubt, RoomTask, Truth};
use crate::fault::Fault;
use crate::outbox::{Offered, Out};
use crate::rate_limit::Verdict;
use crate::room::Attendance;
use crate::room::audience::{MemberId, Role};
use crate::room::handle::{Ask, Newcomer};

impl RoomTask {
    pub(super) async fn join(&mut self, newcomer: Newcomer) {
        // Who asks again, since the answer was lost with the line, has the seat already.
        if let Some(held) = newcomer.party.and_then(|party| self.around.registry.seat_of(party))
            && held.room == self.founding.room
            && self.seat_held_by(held.token).is_some()
        {
            self.resume(newcomer, held.token, None);
            return self.note_parties().await;
        }
        match self.room.decide_seating(newcomer.player.clone(), None) {
            Err(code) => self.turn_away(&newcomer, code.into()),
            Ok((seat, events)) => {
                // The clock of the first game may start with this: the newcomer counts as here.
                let before = self.room.attendance(seat);
                self.room.attend(seat, Attendance::Here);
                // Before the seat is stored as taken: whatever happens next, its party finds it again. It is told
                // of it behind that: nobody else is to have a seat whose token it knows.
                self.reserve(seat, newcomer.party);
                let noted = self.store_parties().await.map_err(|_| Reject::from(RejectCode::Unavailable));
                let seated = match noted {
                    Ok(()) => self.record(self.now(), None, events).await,
                    Err(reject) => Err(reject),
                };
                match seated {
                    Ok(()) => {
                        self.give(seat, newcomer.party);
                        self.admit(newcomer, Role::Player(seat));
                    }
                    Err(_) if self.truth == Truth::Behind => {
                        // It may have the seat: `unavailable`, with nothing changed, might be a lie.
                        self.room.attend(seat, before);
                        self.in_doubt = Some(Box::new(Doubt::Seat(newcomer, seat)));
                    }
                    Err(reject) => {
                        self.room.attend(seat, before);
                        self.reserve(seat, None);
                        self.turn_away(&newcomer, reject);
                    }
                }
            }
        }
    }

    pub(super) fn watch(&mut self, newcomer: Newcomer) {
        if self.audience.watching() >= self.around.max_watching {
            self.turn_away(&newcomer, RejectCode::RoomFull.into());
        } else {
            self.admit(newcomer, Role::Spectator);
        }
    }

    pub(super) fn resume(&mut self, newcomer: Newcomer, token: ResumeToken, seq: Option<Seq>) {
        let Some(seat) = self.seat_held_by(token) else {
            self.turn_away(&newcomer, RejectCode::UnknownRoom.into());
            return;
        };
        if let Some(wait_ms) = self.takeover_wait(seat) {
            self.turn_away(&newcomer, Reject::new(RejectCode::RateLimited).wait_ms(wait_ms));
            return;
        }
        if self.faults().has(Fault::LogTokens) {
            info!(room = %self.founding.room, %seat, %token, "resumed");
        }
        if !self.faults().has(Fault::ShareSeats)
            && let Some(older) = self.audience.holder(seat).map(|member| member.id)
            && let Some(older) = self.audience.leave(older)
        {
            info!(room = %self.founding.room, %seat, "a newer connection took the seat");
            older.outbox.cut(CloseCode::Replaced);
        }
        self.give(seat, newcomer.party);
        let view = self.catch_up_message(newcomer.re(), seq, Role::Player(seat));
        self.settle(newcomer, Role::Player(seat), view);
    }

    /// The taken seat that this is the right to.
    fn seat_held_by(&self, token: ResumeToken) -> Option<Seat> {
        let number = self.room.game().number();
        // Both are compared whatever the first says, in constant time: an answer's delay tells
        // nothing of a token.
        let held = Seat::ALL.map(|seat| {
            let taken = self.room.game().player(seat).is_some();
            let same = self.founding.token(seat, number).to_bytes().ct_eq(&token.to_bytes());
            taken & (bool::from(same) | self.faults().has(Fault::TakeAnyToken))
        });
        Seat::ALL.into_iter().find(|seat| held[seat.index()])
    }

    /// Notes whose a seat is going to be, if the log takes it.
    pub(super) fn reserve(&mut self, seat: Seat, party: Option<Party>) {
        let before = self.founding.parties;
        self.founding.give(seat, self.room.game().number(), party);
        self.unstored |= self.founding.parties != before;
    }

    /// Notes whose a seat is, for when that party connects again.
    pub(super) fn give(&mut self, seat: Seat, party: Option<Party>) {
        self.reserve(seat, party);
        let token = self.founding.token(seat, self.room.game().number());
        self.around.registry.give(Held { room: self.founding.room, token }, party);
    }

    /// How long a newcomer has to wait for a seat that somebody is in, if it changes hands too often: two
    /// programs that take it from each other would keep the room busy with nothing else. A seat that
    /// nobody is in is free at any time.
    fn takeover_wait(&mut self, seat: Seat) -> Option<u64> {
        self.audience.holder(seat).filter(|holder| !holder.outbox.is_gone())?;
        let now = self.time.now();
        match self.limits().takeovers[seat.index()].take(now) {
            Verdict::Pass => None,
            Verdict::Refuse { wait_ms } => Some(wait_ms),
            Verdict::Flood => Some(1000),
        }
    }

    /// Lets a newcomer in, with the whole view.
    pub(super) fn admit(&mut self, newcomer: Newcomer, role: Role) {
        let view = self.snapshot(newcomer.re(), role);
        self.settle(newcomer, role, view);
    }

    fn settle(&mut self, newcomer: Newcomer, role: Role, view: Out) {
        let way = match role {
            Role::Player(_) => self.handle.clone(),
            Role::Spectator => self.handle.unseated(),
        };
        let entered = newcomer.outbox.answer(Out::Enter(way)) == Offered::Queued;
        newcomer.outbox.answer(view);
        self.audience.enter(newcomer.member, role, newcomer.outbox, newcomer.remarks);
        match role {
            Role::Player(seat) => {
                let was_away = self.room.attendance(seat) != Attendance::Here;
                self.room.attend(seat, Attendance::Here);
                if was_away {
                    self.mention(self.presence(seat));
                }
            }
            Role::Spectator => self.crowd_changed(),
        }
        // What a snapshot does not say: who is away, and how many watch.
        if let Some(member) = self.audience.get(newcomer.member) {
            for seat in Seat::ALL {
                if self.room.game().player(seat).is_some() && self.room.attendance(seat) != Attendance::Here {
                    member.outbox.answer(self.notice(self.presence(seat)));
                }
            }
            if self.audience.watching() > 0 {
                member.outbox.answer(self.notice(self.crowd()));
            }
        }
        self.publish();
        // It may have gone before it could learn that it is in this room, or be cut off because there was no
        // room for that in its outbox: nobody else will say so.
        if !entered || self.audience.get(newcomer.member).is_some_and(|member| member.outbox.is_gone()) {
            self.gone(newcomer.member);
        }
    }

    /// Sends the whole view to a member that events were left out for.
    pub(super) fn refresh(&mut self, member: MemberId) {
        if let Some((role, outbox)) = self.audience.caught_up(member) {
            outbox.answer(self.snapshot(None, role));
        }
    }

    /// Sees who has gone, and who asks for the whole view.
    pub(super) fn look_round(&mut self) {
        if !self.faults().has(Fault::KeepGhosts) {
            for member in self.audience.gone() {
                self.gone(member);
            }
        }
        // As long as the view is not known they go on waiting for it.
        if self.truth == Truth::Known {
            for member in self.audience.take_wishes() {
                self.refresh(member);
            }
        }
    }

    pub(super) fn leave(&mut self, member: MemberId, id: RequestId) {
        // Who does not wait for what came of a command has an answer all the same.
        if let Some(&Doubt::Command(asker, by)) = self.in_doubt.as_deref()
            && asker == member
        {
            self.in_doubt = None;
            self.refuse_member(member, by.id, RejectCode::Unavailable);
        }
        if let Some(left) = self.audience.leave(member) {
            if let Role::Player(seat) = left.role {
                self.give(seat, None);
            }
            left.outbox.answer(Out::Exit);
            left.outbox.answer(Out::message(&Message::Done { re: id, seq: None }));
            self.departed(left.role, true);
        }
    }

    pub(super) fn gone(&mut self, member: MemberId) {
        if let Some(left) = self.audience.leave(member) {
            self.departed(left.role, false);
        }
    }

    pub(super) fn departed(&mut self, role: Role, on_purpose: bool) {
        match role {
            Role::Player(seat) => {
                let now = self.time.now();
                let attendance = if on_purpose { Attendance::Left(now) } else { Attendance::Away(now) };
                self.room.attend(seat, attendance);
                self.mention(self.presence(seat));
            }
            Role::Spectator => self.crowd_changed(),
        }
        self.publish();
    }

    /// Refuses what needs the room's true state while that is not to be had, or is no more; goings
    /// are noted all the same.
    pub(super) fn refuse_all(&mut self, ask: Ask, code: RejectCode) {
        match ask {
            Ask::Command { member, id, .. } | Ask::Remark(member, id, _) | Ask::Sync(member, id, _) => {
                // For who is in it, a room that is no more is a room that it is not in.
                let gone = code == RejectCode::UnknownRoom;
                self.refuse_member(member, id, if gone { RejectCode::NotInRoom } else { code });
            }
            Ask::Join(newcomer) | Ask::Watch(newcomer) | Ask::Resume(newcomer, _, _) => {
                self.turn_away(&newcomer, code.into());
            }
            Ask::Leave(member, id) => self.leave(member, id),
            Ask::Lag(_, _) => {}
        }
    }
}
