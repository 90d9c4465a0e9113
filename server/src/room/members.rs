//! The connected members of a room, and the delivery of messages to their send queues.
//!
//! Owns the list of members and what each may miss. Never waits: a full queue closes a player's connection
//! and marks a spectator as behind. Does not decide what is sent.

use noughts_protocol::Seat;
use noughts_protocol::wire::{CloseCode, Feature, FeatureSet};

use super::details::{self, DetailedFrames};
pub(crate) use super::handle::MemberId;
use super::handle::MemberQueue;
use crate::runtime::ignore::ignore;
use crate::send_queue::{EncodedFrame, Outgoing, SendOutcome};

/// Role of a member in a room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The player of this seat.
    Player(Seat),
    /// A member without a seat.
    Spectator,
}

impl Role {
    /// The seat of a player.
    pub(super) fn seat(self) -> Option<Seat> {
        match self {
            Role::Player(seat) => Some(seat),
            Role::Spectator => None,
        }
    }
}

/// A connected member of a room.
#[derive(Debug)]
pub(super) struct Member {
    id: MemberId,
    role: Role,
    send_queue: MemberQueue,
    /// Last round-trip time that the connection measured.
    rtt_ms: Option<u32>,
    /// Receives remarks of the players' engines while it is a spectator.
    wants_remarks: bool,
    /// The features of the connection.
    features: FeatureSet,
    /// Missed an event: receives no further events until it received a snapshot.
    is_behind: bool,
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
}

/// The members of a room in the order in which they joined.
#[derive(Debug, Default)]
pub(super) struct Members {
    members: Vec<Member>,
}

impl Members {
    pub(super) fn add(
        &mut self,
        id: MemberId,
        role: Role,
        send_queue: MemberQueue,
        wants_remarks: bool,
        features: FeatureSet,
    ) {
        // Most rooms have two members; a vector would reserve four.
        if self.members.is_empty() {
            self.members.reserve_exact(2);
        }
        let is_behind = false;
        self.members.push(Member { id, role, send_queue, rtt_ms: None, wants_remarks, features, is_behind });
    }

    pub(super) fn remove(&mut self, id: MemberId) -> Option<Member> {
        let index = self.members.iter().position(|member| member.id == id)?;
        Some(self.members.remove(index))
    }

    pub(super) fn get(&self, id: MemberId) -> Option<&Member> {
        self.members.iter().find(|member| member.id == id)
    }

    /// The member that plays `seat`.
    pub(super) fn seat_holder(&self, seat: Seat) -> Option<&Member> {
        self.members.iter().find(|member| member.role == Role::Player(seat))
    }

    /// Removes the member that plays `seat`.
    pub(super) fn remove_seat_holder(&mut self, seat: Seat) -> Option<Member> {
        let id = self.seat_holder(seat)?.id;
        self.remove(id)
    }

    /// Whether the room has no members.
    pub(super) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    pub(super) fn spectator_count(&self) -> usize {
        self.members.iter().filter(|member| member.role == Role::Spectator).count()
    }

    /// Swaps the seats of the players.
    pub(super) fn swap_seats(&mut self) {
        for member in &mut self.members {
            if let Role::Player(seat) = &mut member.role {
                *seat = seat.other();
            }
        }
    }

    /// Stores a measured round-trip time, and returns whether that of a player changed.
    pub(super) fn set_rtt(&mut self, id: MemberId, ms: u32) -> bool {
        let Some(member) = self.members.iter_mut().find(|member| member.id == id) else { return false };
        let changed = member.rtt_ms.replace(ms) != Some(ms);
        changed && member.role != Role::Spectator
    }

    /// The last round-trip time of each player, by seat.
    pub(super) fn player_rtts_ms(&self) -> [Option<u32>; 2] {
        Seat::ALL.map(|seat| self.seat_holder(seat).and_then(|member| member.rtt_ms))
    }

    /// Sends events to every member that misses none. If the queue is full, a player's connection is closed,
    /// so that the player resumes; a spectator is sent a snapshot later. Members with details get `detailed`.
    pub(super) fn broadcast(&mut self, frame: &EncodedFrame, detailed: &mut DetailedFrames<'_>) {
        for member in self.members.iter_mut().filter(|member| !member.is_behind) {
            let frame = if details::is_detailed(member.features) {
                detailed.frame_for(member.role.seat(), member.features).unwrap_or(frame)
            } else {
                frame
            };
            if member.send_queue.try_send(Outgoing::Text(frame.clone())) == SendOutcome::Full {
                match member.role {
                    Role::Player(_) => member.send_queue.close_with(CloseCode::SlowConsumer),
                    Role::Spectator => {
                        member.is_behind = true;
                        member.send_queue.mark_behind();
                    }
                }
            }
        }
    }

    /// Sends a notice to every member; a full queue drops it. A `droppable` notice is replaced by the next
    /// of its kind, and uses only the part of a queue that is reserved for such messages.
    pub(super) fn broadcast_lossy(&self, frame: &EncodedFrame, droppable: bool) {
        for member in &self.members {
            let outgoing = Outgoing::Text(frame.clone());
            let outcome = if droppable {
                member.send_queue.send_lossy(outgoing)
            } else {
                member.send_queue.try_send(outgoing)
            };
            ignore(outcome, "lossy; a closed connection requests a sweep when it ends");
        }
    }

    /// Sends an engine's remark to the spectators that subscribed to remarks; a full queue drops it.
    pub(super) fn broadcast_remark(&self, frame: &EncodedFrame) {
        for member in &self.members {
            if member.role == Role::Spectator && member.wants_remarks {
                let outcome = member.send_queue.send_lossy(Outgoing::Text(frame.clone()));
                ignore(outcome, "lossy, like any droppable notice");
            }
        }
    }

    /// Waits until every queue has capacity. Only an injected fault waits for clients.
    pub(super) async fn wait_for_queue_space(&self) {
        for member in &self.members {
            member.send_queue.wait_for_capacity().await;
        }
    }

    /// Resumes event delivery to a member about to receive a snapshot; returns its role and queue.
    pub(super) fn mark_caught_up(&mut self, id: MemberId) -> Option<(Role, MemberQueue)> {
        let member = self.members.iter_mut().find(|member| member.id == id)?;
        member.is_behind = false;
        Some((member.role, member.send_queue.clone()))
    }

    /// The members whose connection has ended.
    pub(super) fn disconnected_members(&self) -> Vec<MemberId> {
        self.members.iter().filter(|member| member.send_queue.is_closed()).map(|member| member.id).collect()
    }

    pub(super) fn member_ids(&self) -> Vec<MemberId> {
        self.members.iter().map(|member| member.id).collect()
    }

    /// Whether a member receives events with details.
    pub(super) fn any_detailed(&self) -> bool {
        self.members.iter().any(|member| details::is_detailed(member.features))
    }

    /// The members without a feature.
    pub(super) fn members_without(&self, feature: Feature) -> Vec<MemberId> {
        let without = |member: &&Member| !member.features.has(feature);
        self.members.iter().filter(without).map(|member| member.id).collect()
    }

    /// The members that requested a snapshot; each request is returned once.
    pub(super) fn take_snapshot_requests(&self) -> Vec<MemberId> {
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

    /// Removes every member and closes its connection.
    pub(super) fn close_all(&mut self, code: CloseCode) {
        for member in self.members.drain(..) {
            member.send_queue.close_with(code);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::send_queue::{QueueEvent, SendQueueReceiver, without_stream};

    const FRAME_CAPACITY: usize = 2;

    /// Members X, O and a spectator that wants remarks, with their receivers.
    fn three_members() -> (Members, [SendQueueReceiver<crate::room::handle::RoomHandle>; 3]) {
        let mut members = Members::default();
        let roles = [Role::Player(Seat::X), Role::Player(Seat::O), Role::Spectator];
        let mut id = 0;
        let receivers = roles.map(|role| {
            let (send_queue, receiver) = without_stream(FRAME_CAPACITY);
            members.add(MemberId(id), role, send_queue, true, FeatureSet::default());
            id += 1;
            receiver
        });
        (members, receivers)
    }

    #[tokio::test]
    async fn a_full_queue_closes_a_player_and_marks_a_spectator_as_behind() {
        let (mut members, [mut x, _, mut spectator]) = three_members();
        for _ in 0..=FRAME_CAPACITY {
            members.broadcast(&EncodedFrame::from("event"), &mut DetailedFrames::none());
        }
        assert!(matches!(x.next().await, QueueEvent::Close(CloseCode::SlowConsumer)));
        for _ in 0..FRAME_CAPACITY {
            assert!(matches!(spectator.next().await, QueueEvent::Outgoing(Outgoing::Text(_))));
        }
        assert!(members.members[2].is_behind);
        assert_eq!(members.mark_caught_up(MemberId(2)).unwrap().0, Role::Spectator);
        assert!(!members.members[2].is_behind);
    }

    #[tokio::test]
    async fn only_spectators_receive_remarks() {
        let (members, mut receivers) = three_members();
        members.broadcast_remark(&EncodedFrame::from("remark"));
        let received = receivers.each_mut().map(|receiver| receiver.try_next().is_some());
        assert_eq!(received, [false, false, true]);
    }

    #[test]
    fn seats_and_lags_follow_the_players() {
        let (mut members, receivers) = three_members();
        assert!(members.set_rtt(MemberId(0), 20));
        assert!(!members.set_rtt(MemberId(0), 20), "unchanged");
        assert!(!members.set_rtt(MemberId(2), 20), "a spectator");
        assert_eq!(members.player_rtts_ms(), [Some(20), None]);
        members.swap_seats();
        assert_eq!(members.player_rtts_ms(), [None, Some(20)]);
        assert_eq!(members.spectator_count(), 1);
        drop(receivers);
        assert_eq!(members.disconnected_members(), members.member_ids());
        assert_eq!(members.remove_seat_holder(Seat::O).map(|member| member.id), Some(MemberId(0)));
        assert!(members.get(MemberId(0)).is_none());
    }
}
