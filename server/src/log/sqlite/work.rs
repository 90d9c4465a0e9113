//! What the log is asked to do, and where the answer goes.

use noughts_protocol::{RoomId, Seq, Stamped};

use super::answer::Answer;
use crate::lived::Lived;
use crate::log::{Finished, Founding, Image, Stored};

/// What is long and seldom is boxed: all of it goes from hand to hand.
#[derive(Debug)]
pub(super) enum Work {
    Create(Box<Founding>, Vec<Stamped>, Answer<()>),
    Hold(Box<Founding>, Answer<()>),
    Append(RoomId, Vec<Stamped>, Option<Finished>, Answer<()>),
    Keep(RoomId, Image, Answer<()>),
    Retire(RoomId, Answer<()>),
    Load(RoomId, Answer<Stored>),
    Since(RoomId, Seq, Answer<Vec<Stamped>>),
    Recover(Answer<Vec<(Founding, Stored)>>),
    Beat(Lived),
    #[cfg(test)]
    LimitPages(Option<u32>, Answer<()>),
}

impl Work {
    /// The room that it is about, as far as it is one room.
    pub(super) fn room(&self) -> Option<RoomId> {
        match self {
            Work::Create(founding, ..) | Work::Hold(founding, _) => Some(founding.room),
            Work::Append(room, ..)
            | Work::Keep(room, ..)
            | Work::Retire(room, _)
            | Work::Load(room, _)
            | Work::Since(room, ..) => Some(*room),
            Work::Recover(_) | Work::Beat(_) => None,
            #[cfg(test)]
            Work::LimitPages(..) => None,
        }
    }

    /// Whether nobody waits for it any more, and nothing is wrong without it: who gave up an append
    /// looks what became of it, in this order, before it goes on. A room that is given up stays given
    /// up.
    pub(super) fn is_abandoned(&self) -> bool {
        match self {
            Work::Create(_, _, answer)
            | Work::Hold(_, answer)
            | Work::Append(_, _, _, answer)
            | Work::Keep(_, _, answer) => answer.is_closed(),
            Work::Load(_, answer) => answer.is_closed(),
            Work::Since(_, _, answer) => answer.is_closed(),
            Work::Recover(answer) => answer.is_closed(),
            Work::Retire(_, _) | Work::Beat(_) => false,
            #[cfg(test)]
            Work::LimitPages(_, _) => false,
        }
    }
}
