//! Where events are made durable: the only storage seam. A room awaits its append between deciding
//! and applying, so whatever anyone has seen is here.

mod memory;

use std::fmt;

use futures::future::BoxFuture;
use noughts_protocol::{Code, ResumeToken, RoomId, Seat, Seq, Stamped};

pub use memory::MemoryLog;

/// What a room is founded with and never changes: its name and its secrets. Kept apart from the
/// events, which everybody sees.
#[derive(Clone, Copy, Debug)]
pub struct Founding {
    /// The public name.
    pub room: RoomId,
    /// The code, for a private room.
    pub code: Option<Code>,
    /// The rights to the seats, for X and O of the first game.
    pub tokens: [ResumeToken; 2],
}

impl Founding {
    /// The right to `seat` in the `game`th game of the room: it goes with the player, and players
    /// swap seats with every game after the first.
    pub fn token(&self, seat: Seat, game: u32) -> ResumeToken {
        let swapped = game.saturating_sub(1) % 2 == 1;
        self.tokens[if swapped { seat.other() } else { seat }.index()]
    }
}

/// Why events were not stored.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LogError {
    /// Another writer was faster: the log ends elsewhere than the caller thought. Nothing was stored.
    #[error("the log ends at {found}, not at {expected}")]
    Conflict {
        /// Where the caller thought that the log ended.
        expected: Seq,
        /// Where it ends.
        found: Seq,
    },
    /// Nothing was stored, and nothing will be for now.
    #[error("the log is not available: {0}")]
    Unavailable(String),
    /// It is not known whether the events were stored: load before going on.
    #[error("no answer from the log")]
    Unknown,
}

/// Durable, ordered, gapless events of rooms.
pub trait EventLog: Send + Sync + fmt::Debug + 'static {
    /// Founds a room with its first events, all or none.
    fn create(&self, founding: Founding, events: Vec<Stamped>) -> BoxFuture<'_, Result<(), LogError>>;

    /// Appends the next events of a room, all or none: the first must follow the last that is stored.
    fn append(&self, room: RoomId, events: Vec<Stamped>) -> BoxFuture<'_, Result<(), LogError>>;

    /// The events of a room after `after`, in order.
    fn load(&self, room: RoomId, after: Seq) -> BoxFuture<'_, Result<Vec<Stamped>, LogError>>;

    /// The room has closed and will not be asked for again by its players.
    fn retire(&self, room: RoomId) -> BoxFuture<'_, Result<(), LogError>>;

    /// Whether events can be stored at present.
    fn healthy(&self) -> bool;
}
