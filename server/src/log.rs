//! Where events are made durable: the only storage seam. A room awaits its append between deciding
//! and applying, so whatever anyone has seen is here.

mod memory;
pub mod sqlite;

use std::fmt;

use futures::future::BoxFuture;
use noughts_protocol::{Code, Party, ResumeToken, RoomId, Seat, Seq, Stamped};

use crate::lived::Lived;

pub use memory::MemoryLog;
pub use sqlite::SqliteLog;

/// What a room is founded with: its name and its secrets. Kept apart from the events, which everybody sees.
/// Only the parties change.
#[derive(Clone, Copy, Debug)]
pub struct Founding {
    /// The public name.
    pub room: RoomId,
    /// The code, for a private room.
    pub code: Option<Code>,
    /// The rights to the seats, for X and O of the first game.
    pub tokens: [ResumeToken; 2],
    /// Who has those rights, as far as a party is known.
    pub parties: [Option<Party>; 2],
}

impl Founding {
    /// The right to `seat` in the `game`th game of the room.
    pub fn token(&self, seat: Seat, game: u32) -> ResumeToken {
        self.tokens[place(seat, game)]
    }

    /// Who has it.
    pub fn party(&self, seat: Seat, game: u32) -> Option<Party> {
        self.parties[place(seat, game)]
    }

    /// From here on it is this party's.
    pub fn give(&mut self, seat: Seat, game: u32, party: Option<Party>) {
        self.parties[place(seat, game)] = party;
    }
}

/// Which of the rights a seat has: they go with the players, who swap seats with every game after the first.
fn place(seat: Seat, game: u32) -> usize {
    let swapped = game.saturating_sub(1) % 2 == 1;
    if swapped { seat.other() } else { seat }.index()
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
    /// It is not known whether the events were stored: look before going on.
    #[error("no answer from the log")]
    Unknown,
    /// What is stored is not what was written: asking again gives the same.
    #[error("the log is damaged: {0}")]
    Damaged(String),
}

impl LogError {
    fn no_room() -> LogError {
        LogError::Unavailable("the room was never founded, or has closed".into())
    }
}

/// What a room was after an event, in the room's own words: the events before it are not needed to
/// go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// The last event that it contains.
    pub seq: Seq,
    /// The room's words.
    pub body: Vec<u8>,
}

/// A room's history as it is stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stored {
    /// Where it begins; without one, with the first event.
    pub image: Option<Image>,
    /// The events since.
    pub events: Vec<Stamped>,
}

impl Stored {
    /// Where it ends.
    pub fn last_seq(&self) -> Seq {
        let image = self.image.as_ref().map_or(Seq::ZERO, |image| image.seq);
        self.events.last().map_or(image, |event| event.seq)
    }

    /// What follows `after`.
    fn since(&self, after: Seq) -> Result<Vec<Stamped>, LogError> {
        since(self.image.as_ref(), self.events.iter(), after)
    }
}

/// Those of the events since the image that follow `after`.
fn since<'e>(
    image: Option<&Image>,
    events: impl Iterator<Item = &'e Stamped>,
    after: Seq,
) -> Result<Vec<Stamped>, LogError> {
    match image {
        Some(image) if image.seq > after => Err(LogError::Conflict { expected: after, found: image.seq }),
        Some(_) | None => Ok(events.filter(|event| event.seq > after).cloned().collect()),
    }
}

/// A game played to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// Which game of the room.
    pub number: u32,
    /// When it ended, in the server's milliseconds.
    pub ended: u64,
    /// The game, as [`noughts_protocol::Record`] writes it.
    pub record: String,
}

/// Durable, ordered, gapless events of rooms.
pub trait EventLog: Send + Sync + fmt::Debug + 'static {
    /// Founds a room with its first events, all or none.
    fn create(&self, founding: Founding, events: Vec<Stamped>) -> BoxFuture<'_, Result<(), LogError>>;

    /// Notes whose the seats of an open room are now.
    fn hold(&self, founding: Founding) -> BoxFuture<'_, Result<(), LogError>>;

    /// Appends the next events of a room, all or none: the first must follow the last that is stored.
    /// The game that ends with them is kept beyond the life of its room, or not at all if they are not.
    fn append(
        &self,
        room: RoomId,
        events: Vec<Stamped>,
        finished: Option<Finished>,
    ) -> BoxFuture<'_, Result<(), LogError>>;

    /// The history of an open room.
    fn load(&self, room: RoomId) -> BoxFuture<'_, Result<Stored, LogError>>;

    /// The events of an open room that follow `after`; a conflict when an image stands in their place.
    fn since(&self, room: RoomId, after: Seq) -> BoxFuture<'_, Result<Vec<Stamped>, LogError>>;

    /// Takes an image of an open room, as of its last event, in place of the events up to there.
    fn keep(&self, room: RoomId, image: Image) -> BoxFuture<'_, Result<(), LogError>>;

    /// Every room that is open in the log, as at a start. Asked once.
    fn recover(&self) -> BoxFuture<'_, Result<Vec<(Founding, Stored)>, LogError>>;

    /// The room has closed and will not be asked for again by its players.
    fn retire(&self, room: RoomId) -> BoxFuture<'_, Result<(), LogError>>;

    /// Notes, as soon as there is time, when servers were there. Nobody waits for it, and nothing is wrong
    /// without it: of what a note does not say, clocks are given back too much.
    fn beat(&self, lived: Lived);

    /// The last such note of the runs before this one that is known.
    fn lived(&self) -> Lived;

    /// Whether finished games are kept: else nobody needs to write them down.
    fn keeps_games(&self) -> bool {
        true
    }

    /// Whether events can be stored at present.
    fn healthy(&self) -> bool;

    /// Waits until the log has failed in a way that does not pass: the server has to stop.
    fn broken(&self) -> BoxFuture<'_, ()>;
}
