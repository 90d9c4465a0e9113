//! Who is connected to a room, and how what happens in it reaches them.

use noughts_protocol::Seat;
use noughts_protocol::wire::CloseCode;

use crate::outbox::{Frame, Offered, Out, Outbox};

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
    pub(super) outbox: Outbox,
    /// The last round trip that the connection measured, in milliseconds.
    pub(super) lag: Option<u32>,
    /// Is told what players' programs think, as long as it has no seat.
    remarks: bool,
    /// An event was left out: no more of them until it has the whole view.
    behind: bool,
}

/// The members of a room in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct Audience {
    members: Vec<Member>,
}

impl Audience {
    pub(super) fn enter(&mut self, id: MemberId, role: Role, outbox: Outbox, remarks: bool) {
        // Two, as most rooms have, and not the four with which a vector begins.
        if self.members.is_empty() {
            self.members.reserve_exact(2);
        }
        self.members.push(Member { id, role, outbox, lag: None, remarks, behind: false });
    }

    pub(super) fn leave(&mut self, id: MemberId) -> Option<Member> {
        let at = self.members.iter().position(|member| member.id == id)?;
        Some(self.members.remove(at))
    }

    pub(super) fn get(&self, id: MemberId) -> Option<&Member> {
        self.members.iter().find(|member| member.id == id)
    }

    pub(super) fn get_mut(&mut self, id: MemberId) -> Option<&mut Member> {
        self.members.iter_mut().find(|member| member.id == id)
    }

    pub(super) fn holder(&self, seat: Seat) -> Option<&Member> {
        self.members.iter().find(|member| member.role == Role::Player(seat))
    }

    pub(super) fn watching(&self) -> usize {
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
    pub(super) fn tell(&mut self, text: &Frame) {
        for member in self.members.iter_mut().filter(|member| !member.behind) {
            if member.outbox.offer(Out::Text(text.clone())) == Offered::Full {
                match member.role {
                    Role::Player(_) => member.outbox.cut(CloseCode::SlowConsumer),
                    Role::Spectator => {
                        member.behind = true;
                        member.outbox.fall_behind();
                    }
                }
            }
        }
    }

    /// Waits until everyone has room for more, which nobody is to do: a deliberate fault.
    pub(super) async fn wait_for_all(&self) {
        for member in &self.members {
            member.outbox.wait().await;
        }
    }

    /// The member is to have the whole view, and from there on follows again.
    pub(super) fn caught_up(&mut self, id: MemberId) -> Option<(Role, Outbox)> {
        let member = self.get_mut(id)?;
        member.behind = false;
        Some((member.role, member.outbox.clone()))
    }

    /// Who has gone.
    pub(super) fn gone(&self) -> Vec<MemberId> {
        self.members.iter().filter(|member| member.outbox.is_gone()).map(|member| member.id).collect()
    }

    /// Everyone who is there.
    pub(super) fn everyone(&self) -> Vec<MemberId> {
        self.members.iter().map(|member| member.id).collect()
    }

    /// Who asks for the whole view, and is to have it now.
    pub(super) fn take_wishes(&self) -> Vec<MemberId> {
        self.members.iter().filter(|member| member.outbox.take_wish()).map(|member| member.id).collect()
    }

    /// Offers news of the moment to everyone; who has no room for it does without. What is `passing` is made
    /// good by the next of its kind, and takes no room from what is not.
    pub(super) fn mention(&self, text: &Frame, passing: bool) {
        for member in &self.members {
            let out = Out::Text(text.clone());
            // Lossy on purpose; a gone member is dropped when its connection rings.
            let (Offered::Queued | Offered::Full | Offered::Gone) =
                if passing { member.outbox.mention(out) } else { member.outbox.offer(out) };
        }
    }

    /// Offers what a player's program thinks to those who watch and have asked for it, and to no player.
    pub(super) fn confide(&self, text: &Frame) {
        for member in &self.members {
            if member.role == Role::Spectator && member.remarks {
                // Lossy on purpose, as any news of the moment.
                let (Offered::Queued | Offered::Full | Offered::Gone) =
                    member.outbox.mention(Out::Text(text.clone()));
            }
        }
    }

    /// Sends everyone out of the room.
    pub(super) fn dismiss(&mut self) {
        for member in self.members.drain(..) {
            member.outbox.answer(Out::Exit);
        }
    }

    /// Closes everyone's connection.
    pub(super) fn cut_all(&mut self, code: CloseCode) {
        for member in self.members.drain(..) {
            member.outbox.cut(code);
        }
    }
}
