//! Who is connected to a room, and how what happens in it reaches them.

use noughts_protocol::Seat;
use noughts_protocol::wire::CloseCode;

use crate::send_queue::{EncodedFrame, Outgoing, SendOutcome, SendQueue};

/// A connection, for as long as the server lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MemberId(pub u64);

/// What a connected party is in a room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The holder of a seat.
    Player(Seat),
    /// One of the audience.
    Spectator,
}

/// A connected party.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) id: MemberId,
    pub(super) role: Role,
    pub(super) send_queue: SendQueue,
    /// The last round trip that the connection measured, in milliseconds.
    pub(super) lag: Option<u32>,
    /// Is told what players' programs think, as long as it has no seat.
    wants_remarks: bool,
    /// An event was left out: no more of them until it has the whole view.
    lagging: bool,
}

/// The members of a room in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct Members {
    members: Vec<Member>,
}

impl Members {
    pub(super) fn add(&mut self, id: MemberId, role: Role, send_queue: SendQueue, wants_remarks: bool) {
        // Two, as most rooms have, and not the four with which a vector begins.
        if self.members.is_empty() {
            self.members.reserve_exact(2);
        }
        self.members.push(Member { id, role, send_queue, lag: None, wants_remarks, lagging: false });
    }

    pub(super) fn remove(&mut self, id: MemberId) -> Option<Member> {
        let index = self.members.iter().position(|member| member.id == id)?;
        Some(self.members.remove(index))
    }

    pub(super) fn get(&self, id: MemberId) -> Option<&Member> {
        self.members.iter().find(|member| member.id == id)
    }

    pub(super) fn get_mut(&mut self, id: MemberId) -> Option<&mut Member> {
        self.members.iter_mut().find(|member| member.id == id)
    }

    pub(super) fn seat_holder(&self, seat: Seat) -> Option<&Member> {
        self.members.iter().find(|member| member.role == Role::Player(seat))
    }

    pub(super) fn spectator_count(&self) -> usize {
        self.members.iter().filter(|member| member.role == Role::Spectator).count()
    }

    /// The players change places.
    pub(super) fn swap_seats(&mut self) {
        for member in &mut self.members {
            if let Role::Player(seat) = &mut member.role {
                *seat = seat.other();
            }
        }
    }

    /// Offers part of the history to everyone. It may not be missed: a player who has no room for
    /// it is cut off and resumes; a spectator gets the whole view later instead.
    pub(super) fn broadcast(&mut self, frame: &EncodedFrame) {
        for member in self.members.iter_mut().filter(|member| !member.lagging) {
            if member.send_queue.try_send(Outgoing::Text(frame.clone())) == SendOutcome::Full {
                match member.role {
                    Role::Player(_) => member.send_queue.close_with(CloseCode::SlowConsumer),
                    Role::Spectator => {
                        member.lagging = true;
                        member.send_queue.mark_lagging();
                    }
                }
            }
        }
    }

    /// Waits until everyone has room for more, which nobody is to do: a deliberate fault.
    pub(super) async fn wait_for_queue_space(&self) {
        for member in &self.members {
            member.send_queue.wait_for_capacity().await;
        }
    }

    /// The member is to have the whole view, and from there on follows again.
    pub(super) fn mark_caught_up(&mut self, id: MemberId) -> Option<(Role, SendQueue)> {
        let member = self.get_mut(id)?;
        member.lagging = false;
        Some((member.role, member.send_queue.clone()))
    }

    /// Who has gone.
    pub(super) fn disconnected_members(&self) -> Vec<MemberId> {
        self.members.iter().filter(|member| member.send_queue.is_closed()).map(|member| member.id).collect()
    }

    /// Everyone who is there.
    pub(super) fn member_ids(&self) -> Vec<MemberId> {
        self.members.iter().map(|member| member.id).collect()
    }

    /// Who asks for the whole view, and is to have it now.
    pub(super) fn take_snapshot_requests(&self) -> Vec<MemberId> {
        self.members
            .iter()
            .filter(|member| member.send_queue.take_snapshot_request())
            .map(|member| member.id)
            .collect()
    }

    /// Offers news of the moment to everyone; who has no room for it does without. What is `passing` is made
    /// good by the next of its kind, and takes no room from what is not.
    pub(super) fn broadcast_lossy(&self, frame: &EncodedFrame, droppable: bool) {
        for member in &self.members {
            let outgoing = Outgoing::Text(frame.clone());
            // Lossy on purpose; a gone member is dropped when its connection rings.
            let (SendOutcome::Queued | SendOutcome::Full | SendOutcome::Closed) = if droppable {
                member.send_queue.send_lossy(outgoing)
            } else {
                member.send_queue.try_send(outgoing)
            };
        }
    }

    /// Offers what a player's program thinks to those who watch and have asked for it, and to no player.
    pub(super) fn broadcast_remark(&self, frame: &EncodedFrame) {
        for member in &self.members {
            if member.role == Role::Spectator && member.wants_remarks {
                // Lossy on purpose, as any news of the moment.
                let (SendOutcome::Queued | SendOutcome::Full | SendOutcome::Closed) =
                    member.send_queue.send_lossy(Outgoing::Text(frame.clone()));
            }
        }
    }

    /// Sends everyone out of the room.
    pub(super) fn remove_all(&mut self) {
        for member in self.members.drain(..) {
            member.send_queue.send_reply(Outgoing::LeaveRoom);
        }
    }

    /// Closes everyone's connection.
    pub(super) fn close_all(&mut self, code: CloseCode) {
        for member in self.members.drain(..) {
            member.send_queue.close_with(code);
        }
    }
}
