//! The connected members of a room, and the delivery of messages to their send queues.
//!
//! Owns the list of members and their delivery states. Never waits: a full queue closes a player's connection and marks
//! a spectator as behind; an exhausted budget thins the messages to a spectator. The caller chooses the messages.
//!
//! Members that requested more than the bare events get events with details, which are encoded once. The notice of the
//! spectator count is throttled, so that hundreds of spectators that come at the same moment cause one notice.
//!
//! `now`, the server time in milliseconds, is read when the first spectator needs it: most rooms have none.

#[cfg(test)]
mod tests;

use std::cell::LazyCell;
use std::time::Duration;

use noughts_protocol::wire::{CloseCode, DetailedEvents, Feature, FeatureSet};
use noughts_protocol::{EventRecord, Game, RoomId, Seat};
use tokio::time::Instant;

use crate::limits::meters::ByteBudget;
use crate::room::handle::{JoinRequest, MemberQueue};
use crate::runtime::ignore;
use crate::send_queue::{EncodedFrame, Outgoing, SendOutcome};

pub(crate) use crate::room::handle::ConnectionId;

/// Role of a member in a room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The player of this seat.
    Player(Seat),
    /// A member without a seat.
    Spectator,
}

impl Role {
    /// Returns the seat of a player; `None` for a spectator.
    pub(super) fn seat(self) -> Option<Seat> {
        match self {
            Role::Player(seat) => Some(seat),
            Role::Spectator => None,
        }
    }
}

/// Delivery of events to a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Delivery {
    /// The member receives every event.
    Current,
    /// The spectator missed an event because its queue was full. It receives no further events until it requests a
    /// snapshot.
    Behind,
    /// The spectator missed a message because the budget of its address was exhausted. It receives no message until it
    /// gets the view of the room.
    Thinned,
}

/// A connected member of a room.
#[derive(Debug)]
pub(super) struct Member {
    id: ConnectionId,
    role: Role,
    send_queue: MemberQueue,
    /// Last round-trip time that the connection measured.
    rtt_ms: Option<u32>,
    /// Receives remarks of the players' engines while it is a spectator.
    wants_remarks: bool,
    /// The features of the connection.
    features: FeatureSet,
    delivery: Delivery,
    /// Budget that pays for the messages to a spectator.
    budget: Option<ByteBudget>,
}

impl Member {
    pub(super) fn role(&self) -> Role {
        self.role
    }

    pub(super) fn send_queue(&self) -> &MemberQueue {
        &self.send_queue
    }

    pub(super) fn features(&self) -> FeatureSet {
        self.features
    }

    /// Charges a message to the budget of a spectator. Returns whether it may be sent.
    fn try_charge(&self, bytes: usize, now: &LazyCell<u64, impl FnOnce() -> u64>) -> bool {
        self.budget
            .as_ref()
            .is_none_or(|budget| budget.try_charge(bytes, **now))
    }
}

/// The members of a room, in the order of their arrival.
#[derive(Debug, Default)]
pub(super) struct Members {
    members: Vec<Member>,
    /// A member may be thinned.
    has_thinned: bool,
    /// Index of the member that catches up first the next time, so that all members get a turn.
    next_turn: usize,
}

impl Members {
    /// Adds the client of a request as a member.
    pub(super) fn add(&mut self, joiner: JoinRequest, role: Role) {
        // Reserves space for exactly two members, because most rooms have two and a vector would reserve space for
        // four.
        if self.members.is_empty() {
            self.members.reserve_exact(2);
        }
        let JoinRequest {
            member: id,
            send_queue,
            wants_remarks,
            features,
            spectator_budget,
            ..
        } = joiner;
        let budget = spectator_budget.filter(|_| role == Role::Spectator);
        let delivery = Delivery::Current;
        self.members.push(Member {
            id,
            role,
            send_queue,
            rtt_ms: None,
            wants_remarks,
            features,
            delivery,
            budget,
        });
    }

    pub(super) fn remove(&mut self, id: ConnectionId) -> Option<Member> {
        let index = self.members.iter().position(|member| member.id == id)?;
        Some(self.members.remove(index))
    }

    pub(super) fn get(&self, id: ConnectionId) -> Option<&Member> {
        self.members.iter().find(|member| member.id == id)
    }

    pub(super) fn seat_holder(&self, seat: Seat) -> Option<&Member> {
        self.members
            .iter()
            .find(|member| member.role == Role::Player(seat))
    }

    pub(super) fn remove_seat_holder(&mut self, seat: Seat) -> Option<Member> {
        let id = self.seat_holder(seat)?.id;
        self.remove(id)
    }

    /// Returns whether the room has no members.
    pub(super) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Returns the members without a seat.
    fn spectators(&self) -> impl Iterator<Item = &Member> {
        self.members
            .iter()
            .filter(|member| member.role == Role::Spectator)
    }

    /// Returns all members with their roles.
    pub(super) fn roles(&self) -> impl Iterator<Item = (ConnectionId, Role)> {
        self.members.iter().map(|member| (member.id, member.role))
    }

    /// Returns the spectator count that the members receive: it excludes previews.
    pub(super) fn spectator_count(&self) -> usize {
        let has_chosen = |member: &&Member| !member.features.has(Feature::Preview);
        self.spectators().filter(has_chosen).count()
    }

    /// Returns whether the room has at least `max` spectators. Previews count, because they take memory, too.
    pub(super) fn has_spectators(&self, max: usize) -> bool {
        self.spectators().count() >= max
    }

    /// Swaps the seats of the players.
    pub(super) fn swap_seats(&mut self) {
        for member in &mut self.members {
            if let Role::Player(seat) = &mut member.role {
                *seat = seat.other();
            }
        }
    }

    /// Stores a measured round-trip time, and returns whether the round-trip time of a player changed.
    pub(super) fn set_rtt(&mut self, id: ConnectionId, ms: u32) -> bool {
        let Some(member) = self.members.iter_mut().find(|member| member.id == id) else {
            return false;
        };
        let changed = member.rtt_ms.replace(ms) != Some(ms);
        changed && member.role != Role::Spectator
    }

    /// Returns the last round-trip time of each player, by seat.
    pub(super) fn player_rtts_ms(&self) -> [Option<u32>; 2] {
        Seat::ALL.map(|seat| self.seat_holder(seat).and_then(|member| member.rtt_ms))
    }

    /// Sends events to every member that has missed no event. If the queue is full, a player's connection is closed, so
    /// that the player resumes; a spectator with a full queue or an exhausted budget receives a snapshot later. Members
    /// with details get `detailed`.
    pub(super) fn broadcast(
        &mut self,
        frame: &EncodedFrame,
        detailed: &mut DetailedFrames<'_>,
        now: &LazyCell<u64, impl FnOnce() -> u64>,
    ) {
        for member in self
            .members
            .iter_mut()
            .filter(|member| member.delivery == Delivery::Current)
        {
            let frame = if is_detailed(member.features) {
                detailed
                    .frame_for(member.role.seat(), member.features)
                    .unwrap_or(frame)
            } else {
                frame
            };
            if !member.try_charge(frame.bytes().len(), now) {
                member.delivery = Delivery::Thinned;
                self.has_thinned = true;
            } else if member.send_queue.try_send(Outgoing::Text(frame.clone())) == SendOutcome::Full
            {
                match member.role {
                    Role::Player(_) => member.send_queue.close_with(CloseCode::SlowConsumer),
                    Role::Spectator => {
                        member.delivery = Delivery::Behind;
                        member.send_queue.mark_behind();
                    }
                }
            }
        }
    }

    /// Sends a notice to every member; a full queue or an exhausted budget drops it. The next notice of its kind
    /// replaces a `droppable` notice, which uses only the part of a queue that is reserved for such messages.
    pub(super) fn broadcast_lossy(
        &mut self,
        frame: &EncodedFrame,
        droppable: bool,
        now: &LazyCell<u64, impl FnOnce() -> u64>,
    ) {
        for member in self
            .members
            .iter_mut()
            .filter(|member| member.delivery != Delivery::Thinned)
        {
            if !member.try_charge(frame.bytes().len(), now) {
                if !droppable {
                    member.delivery = Delivery::Thinned;
                    self.has_thinned = true;
                }
                continue;
            }
            let outgoing = Outgoing::Text(frame.clone());
            let outcome = if droppable {
                member.send_queue.send_lossy(outgoing)
            } else {
                member.send_queue.try_send(outgoing)
            };
            ignore(
                outcome,
                "lossy; a closed connection requests a sweep when it ends",
            );
        }
    }

    /// Sends an engine's remark to the spectators that subscribed to remarks; a full queue or an exhausted budget drops
    /// it.
    pub(super) fn broadcast_remark(
        &self,
        frame: &EncodedFrame,
        now: &LazyCell<u64, impl FnOnce() -> u64>,
    ) {
        for member in &self.members {
            if member.role == Role::Spectator
                && member.wants_remarks
                && member.delivery != Delivery::Thinned
                && member.try_charge(frame.bytes().len(), now)
            {
                let outcome = member.send_queue.send_lossy(Outgoing::Text(frame.clone()));
                ignore(outcome, "lossy, like any droppable notice");
            }
        }
    }

    /// Sends a phrase to the members; a full queue or an exhausted budget drops it.
    pub(super) fn broadcast_phrase(
        &self,
        frame: &EncodedFrame,
        now: &LazyCell<u64, impl FnOnce() -> u64>,
    ) {
        for member in &self.members {
            if member.delivery != Delivery::Thinned && member.try_charge(frame.bytes().len(), now) {
                let outcome = member.send_queue.send_lossy(Outgoing::Text(frame.clone()));
                ignore(outcome, "lossy, like any droppable notice");
            }
        }
    }

    /// Sends a snapshot to a member, which then receives events again. A spectator with an exhausted budget catches up
    /// later.
    pub(super) fn send_snapshot(
        &mut self,
        id: ConnectionId,
        snapshot: EncodedFrame,
        now: &LazyCell<u64, impl FnOnce() -> u64>,
    ) {
        let Some(member) = self.members.iter_mut().find(|member| member.id == id) else {
            return;
        };
        if member.delivery == Delivery::Thinned {
            return;
        }
        if member.try_charge(snapshot.bytes().len(), now) {
            member.delivery = Delivery::Current;
            member.send_queue.send_reply(Outgoing::Text(snapshot));
        } else {
            member.delivery = Delivery::Thinned;
            self.has_thinned = true;
        }
    }

    /// Returns whether a member may be thinned.
    pub(super) fn has_thinned(&self) -> bool {
        self.has_thinned
    }

    /// Returns the time until the first thinned member can catch up, in milliseconds; `None` without such a member.
    pub(super) fn thinned_wait_ms(&self, now: u64) -> Option<u64> {
        let thinned = self
            .members
            .iter()
            .filter(|member| member.delivery == Delivery::Thinned);
        thinned
            .map(|member| {
                member
                    .budget
                    .as_ref()
                    .map_or(0, |budget| budget.wait_ms(now))
            })
            .min()
    }

    /// Sends the view of the room to the thinned members that have the budget for it. They then receive events again.
    /// Returns their number.
    pub(super) fn catch_up_thinned(&mut self, view: &[EncodedFrame], now: u64) -> u64 {
        let bytes = view.iter().map(|frame| frame.bytes().len()).sum();
        let (mut count, length) = (0, self.members.len());
        self.has_thinned = false;
        for at in (0..length)
            .map(|step| (self.next_turn + step) % length)
            .collect::<Vec<_>>()
        {
            let member = &mut self.members[at];
            if member.delivery != Delivery::Thinned {
                continue;
            }
            if !member
                .budget
                .as_ref()
                .is_none_or(|budget| budget.try_charge(bytes, now))
            {
                self.has_thinned = true;
                continue;
            }
            self.next_turn = at + 1;
            count += 1;
            let mut outcomes = view
                .iter()
                .map(|frame| member.send_queue.try_send(Outgoing::Text(frame.clone())));
            let is_full = outcomes.any(|outcome| outcome == SendOutcome::Full);
            if is_full {
                member.send_queue.mark_behind();
            }
            member.delivery = if is_full {
                Delivery::Behind
            } else {
                Delivery::Current
            };
        }
        count
    }

    /// Returns the members that missed an event.
    pub(super) fn members_with_gaps(&self) -> Vec<ConnectionId> {
        let gaps = self
            .members
            .iter()
            .filter(|member| member.delivery != Delivery::Current);
        gaps.map(|member| member.id).collect()
    }

    /// Returns the members that have lost their connection.
    pub(super) fn disconnected_members(&self) -> Vec<ConnectionId> {
        self.members
            .iter()
            .filter(|member| member.send_queue.is_closed())
            .map(|member| member.id)
            .collect()
    }

    pub(super) fn member_ids(&self) -> Vec<ConnectionId> {
        self.members.iter().map(|member| member.id).collect()
    }

    /// Returns whether a member receives events with details.
    pub(super) fn any_detailed(&self) -> bool {
        self.members
            .iter()
            .any(|member| is_detailed(member.features))
    }

    /// Returns the members that requested a snapshot; each request is returned once.
    pub(super) fn take_snapshot_requests(&self) -> Vec<ConnectionId> {
        self.members
            .iter()
            .filter(|member| member.send_queue.take_snapshot_request())
            .map(|member| member.id)
            .collect()
    }

    /// Removes every member and returns its connection to the lobby.
    pub(super) fn remove_all(&mut self) {
        for member in self.members.drain(..) {
            member.send_queue.send_reply(Outgoing::LeaveRoom);
        }
    }

    /// Removes all members. Each connection announces a short time to its client, which then connects again.
    pub(super) fn restart_all(&mut self, mut retry_after_ms: impl FnMut() -> u64) {
        for member in self.members.drain(..) {
            member.send_queue.send_reply(Outgoing::Restart {
                retry_after_ms: retry_after_ms(),
            });
        }
    }

    /// Removes every member and closes its connection.
    pub(super) fn close_all(&mut self, code: CloseCode) {
        for member in self.members.drain(..) {
            member.send_queue.close_with(code);
        }
    }
}

/// Returns whether a member with these features receives events in a text of its own.
pub(super) fn is_detailed(features: FeatureSet) -> bool {
    features.changes_events()
}

/// The texts of one broadcast for members with details. Each text is encoded when the first member needs it, so that a
/// room without such members encodes no text.
#[derive(Debug)]
pub(super) struct DetailedFrames<'a> {
    /// Room, events, and the game after them. `None` without details.
    source: Option<(RoomId, &'a [EventRecord], &'a Game)>,
    /// The texts that were encoded, each with its receivers: the members with this seat, or without a seat, and with
    /// these features.
    frames: Vec<(Option<Seat>, FeatureSet, EncodedFrame)>,
}

impl<'a> DetailedFrames<'a> {
    /// Prepares the texts of `events`, the last events of `game`.
    pub(super) fn new(
        room: RoomId,
        events: &'a [EventRecord],
        game: &'a Game,
    ) -> DetailedFrames<'a> {
        DetailedFrames {
            source: Some((room, events, game)),
            frames: Vec::new(),
        }
    }

    /// Returns no texts.
    #[cfg(test)]
    pub(super) fn none() -> DetailedFrames<'a> {
        DetailedFrames {
            source: None,
            frames: Vec::new(),
        }
    }

    /// Returns the text for a member that has the seat `own`; `None` if the events alone do not determine the details.
    /// The events of one decision always determine them.
    fn frame_for(&mut self, own: Option<Seat>, features: FeatureSet) -> Option<&EncodedFrame> {
        let known = |(seat, set, _): &(Option<Seat>, FeatureSet, EncodedFrame)| {
            *seat == own && *set == features
        };
        let at = match self.frames.iter().position(known) {
            Some(at) => at,
            None => {
                let (room, events, game) = self.source?;
                let detailed = DetailedEvents::new(room, events, game, own, features)?;
                self.frames
                    .push((own, features, EncodedFrame::from(&*detailed.to_json())));
                self.frames.len() - 1
            }
        };
        Some(&self.frames[at].2)
    }
}

/// Minimum interval between two notices.
const MIN_NOTICE_INTERVAL: Duration = Duration::from_millis(500);

/// Decides when the members receive the number of spectators.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SpectatorCountThrottle(State);

#[derive(Clone, Copy, Debug, Default)]
enum State {
    /// The count never changed.
    #[default]
    Idle,
    /// The members know the count; it was sent at this time.
    Sent(Instant),
    /// The count has changed and is sent at this time.
    Pending(Instant),
}

impl SpectatorCountThrottle {
    /// Schedules a notice, if none is pending.
    pub(super) fn on_count_changed(&mut self, now: Instant) {
        let send_at = match self.0 {
            State::Idle => now,
            State::Sent(at) => now.max(at + MIN_NOTICE_INTERVAL),
            State::Pending(at) => at,
        };
        self.0 = State::Pending(send_at);
    }

    /// Returns the time of the pending notice.
    pub(super) fn send_at(self) -> Option<Instant> {
        match self.0 {
            State::Pending(at) => Some(at),
            State::Idle | State::Sent(_) => None,
        }
    }

    /// Returns whether the caller has to send the notice at `now`, and records that it was sent.
    pub(super) fn take_due(&mut self, now: Instant) -> bool {
        let is_due = self.send_at().is_some_and(|at| at <= now);
        if is_due {
            self.0 = State::Sent(now);
        }
        is_due
    }
}
