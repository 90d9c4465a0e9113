//! Where events are made durable: the only storage seam. A room awaits its append between deciding
//! and applying, so whatever anyone has seen is here.

mod memory;
pub mod sqlite;

use std::fmt;

use futures::future::BoxFuture;
use noughts_protocol::{EventRecord, PartyKey, ResumeToken, RoomCode, RoomId, Seat, Seq};

use crate::time::uptime::UptimeHistory;

pub use memory::MemoryLog;
pub use sqlite::SqliteLog;

/// What a room is founded with: its name and its secrets. Kept apart from the events, which everybody sees.
/// Only the parties change.
#[derive(Clone, Copy, Debug)]
pub struct RoomSecrets {
    /// The public name.
    pub room: RoomId,
    /// The code, for a private room.
    pub code: Option<RoomCode>,
    /// The rights to the seats, for X and O of the first game.
    pub tokens: [ResumeToken; 2],
    /// Who has those rights, as far as a party is known.
    pub parties: [Option<PartyKey>; 2],
}

impl RoomSecrets {
    /// The right to `seat` in the `game`th game of the room.
    pub fn token(&self, seat: Seat, game: u32) -> ResumeToken {
        self.tokens[token_index(seat, game)]
    }

    /// Who has it.
    pub fn party(&self, seat: Seat, game: u32) -> Option<PartyKey> {
        self.parties[token_index(seat, game)]
    }

    /// From here on it is this party's.
    pub fn set_party(&mut self, seat: Seat, game: u32, party: Option<PartyKey>) {
        self.parties[token_index(seat, game)] = party;
    }
}

/// Which of the rights a seat has: they go with the players, who swap seats with every game after the first.
fn token_index(seat: Seat, game: u32) -> usize {
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
    Corrupt(String),
}

impl LogError {
    fn unknown_room() -> LogError {
        LogError::Unavailable("the room was never founded, or has closed".into())
    }
}

/// What a room was after an event, in the room's own words: the events before it are not needed to
/// go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// The last event that it contains.
    pub seq: Seq,
    /// The room's words.
    pub body: Vec<u8>,
}

/// A room's history as it is stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredRoom {
    /// Where it begins; without one, with the first event.
    pub checkpoint: Option<Checkpoint>,
    /// The events since.
    pub events: Vec<EventRecord>,
}

impl StoredRoom {
    /// Where it ends.
    pub fn last_seq(&self) -> Seq {
        let checkpoint_seq = self.checkpoint.as_ref().map_or(Seq::ZERO, |checkpoint| checkpoint.seq);
        self.events.last().map_or(checkpoint_seq, |event| event.seq)
    }

    /// What follows `after`.
    fn events_since(&self, after: Seq) -> Result<Vec<EventRecord>, LogError> {
        events_since(self.checkpoint.as_ref(), self.events.iter(), after)
    }
}

/// Those of the events since the image that follow `after`.
fn events_since<'e>(
    checkpoint: Option<&Checkpoint>,
    events: impl Iterator<Item = &'e EventRecord>,
    after: Seq,
) -> Result<Vec<EventRecord>, LogError> {
    match checkpoint {
        Some(checkpoint) if checkpoint.seq > after => {
            Err(LogError::Conflict { expected: after, found: checkpoint.seq })
        }
        Some(_) | None => Ok(events.filter(|event| event.seq > after).cloned().collect()),
    }
}

/// A game played to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinishedGame {
    /// Which game of the room.
    pub number: u32,
    /// When it ended, in the server's milliseconds.
    pub ended_at: u64,
    /// The game, as [`noughts_protocol::Record`] writes it.
    pub record: String,
}

/// Durable, ordered, gapless events of rooms.
pub trait EventLog: Send + Sync + fmt::Debug + 'static {
    /// Founds a room with its first events, all or none.
    fn create(&self, secrets: RoomSecrets, events: Vec<EventRecord>) -> BoxFuture<'_, Result<(), LogError>>;

    /// Notes whose the seats of an open room are now.
    fn update_secrets(&self, secrets: RoomSecrets) -> BoxFuture<'_, Result<(), LogError>>;

    /// Appends the next events of a room, all or none: the first must follow the last that is stored.
    /// The game that ends with them is kept beyond the life of its room, or not at all if they are not.
    fn append(
        &self,
        room: RoomId,
        events: Vec<EventRecord>,
        finished: Option<FinishedGame>,
    ) -> BoxFuture<'_, Result<(), LogError>>;

    /// The history of an open room.
    fn load(&self, room: RoomId) -> BoxFuture<'_, Result<StoredRoom, LogError>>;

    /// The events of an open room that follow `after`; a conflict when an image stands in their place.
    fn events_since(&self, room: RoomId, after: Seq) -> BoxFuture<'_, Result<Vec<EventRecord>, LogError>>;

    /// Takes an image of an open room, as of its last event, in place of the events up to there.
    fn checkpoint(&self, room: RoomId, checkpoint: Checkpoint) -> BoxFuture<'_, Result<(), LogError>>;

    /// Every room that is open in the log, as at a start. Asked once.
    fn recover(&self) -> BoxFuture<'_, Result<Vec<(RoomSecrets, StoredRoom)>, LogError>>;

    /// The room has closed and will not be asked for again by its players.
    fn delete(&self, room: RoomId) -> BoxFuture<'_, Result<(), LogError>>;

    /// Notes, as soon as there is time, when servers were there. Nobody waits for it, and nothing is wrong
    /// without it: of what a note does not say, clocks are given back too much.
    fn record_uptime(&self, uptime: UptimeHistory);

    /// The last such note of the runs before this one that is known.
    fn uptime(&self) -> UptimeHistory;

    /// Whether finished games are kept: else nobody needs to write them down.
    fn archives_games(&self) -> bool {
        true
    }

    /// Whether events can be stored at present.
    fn is_healthy(&self) -> bool;

    /// Waits until the log has failed in a way that does not pass: the server has to stop.
    fn failed(&self) -> BoxFuture<'_, ()>;
}
