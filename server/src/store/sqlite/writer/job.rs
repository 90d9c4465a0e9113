//! What the log is asked to do, and where the answer goes.

use noughts_protocol::{EventRecord, RoomId, Seq};

use crate::store::{Checkpoint, FinishedGame, RoomSecrets, StoredRoom};
use crate::sync::wake_chain::ReplySender;
use crate::time::uptime::UptimeHistory;

/// What is long and seldom is boxed: all of it goes from hand to hand.
#[derive(Debug)]
pub(crate) enum WriterJob {
    Create(Box<RoomSecrets>, Vec<EventRecord>, ReplySender<()>),
    UpdateSecrets(Box<RoomSecrets>, ReplySender<()>),
    Append(RoomId, Vec<EventRecord>, Option<FinishedGame>, ReplySender<()>),
    Checkpoint(RoomId, Checkpoint, ReplySender<()>),
    Delete(RoomId, ReplySender<()>),
    Load(RoomId, ReplySender<StoredRoom>),
    EventsSince(RoomId, Seq, ReplySender<Vec<EventRecord>>),
    Recover(ReplySender<Vec<(RoomSecrets, StoredRoom)>>),
    RecordUptime(UptimeHistory),
    #[cfg(test)]
    LimitPages(Option<u32>, ReplySender<()>),
}

impl WriterJob {
    /// The room that it is about, as far as it is one room.
    pub(crate) fn room(&self) -> Option<RoomId> {
        match self {
            WriterJob::Create(secrets, ..) | WriterJob::UpdateSecrets(secrets, _) => Some(secrets.room),
            WriterJob::Append(room, ..)
            | WriterJob::Checkpoint(room, ..)
            | WriterJob::Delete(room, _)
            | WriterJob::Load(room, _)
            | WriterJob::EventsSince(room, ..) => Some(*room),
            WriterJob::Recover(_) | WriterJob::RecordUptime(_) => None,
            #[cfg(test)]
            WriterJob::LimitPages(..) => None,
        }
    }

    /// Whether nobody waits for it any more, and nothing is wrong without it: who gave up an append
    /// looks what became of it, in this order, before it goes on. A room that is given up stays given
    /// up.
    pub(crate) fn is_abandoned(&self) -> bool {
        match self {
            WriterJob::Create(_, _, reply)
            | WriterJob::UpdateSecrets(_, reply)
            | WriterJob::Append(_, _, _, reply)
            | WriterJob::Checkpoint(_, _, reply) => reply.is_closed(),
            WriterJob::Load(_, reply) => reply.is_closed(),
            WriterJob::EventsSince(_, _, reply) => reply.is_closed(),
            WriterJob::Recover(reply) => reply.is_closed(),
            WriterJob::Delete(_, _) | WriterJob::RecordUptime(_) => false,
            #[cfg(test)]
            WriterJob::LimitPages(_, _) => false,
        }
    }
}
