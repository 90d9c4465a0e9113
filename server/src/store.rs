//! Storage of events: the [`EventLog`] trait and its implementations, [`MemoryLog`] and [`SqliteLog`].
//!
//! The only storage interface of the server. A room waits for an append between deciding on events and applying them,
//! so that the log contains every event that a client has seen. [`RoomSecrets`] are stored beside the events, as JSON.

pub(crate) mod game_tags;
mod memory;
pub(crate) mod sqlite;
pub(crate) mod writer;

use std::fmt;

use futures::FutureExt;
use futures::future::{BoxFuture, Map};
use noughts_protocol::{EventRecord, Party, ResumeToken, RoomCode, RoomId, Seat, Seq};
use prometheus_client::registry::Registry;
use serde::{Deserialize, Serialize};

pub use memory::MemoryLog;
pub use sqlite::ArchiveReader;
pub(crate) use sqlite::SqliteLog;
pub(crate) use sqlite::{ArchiveQuery, ArchiveQueryError, ArchiveResponse};

/// Id and code of a room, fixed at its creation, and the tokens and owners of its seats. Stored apart from the events,
/// because every member sees the events.
#[derive(Clone, Copy, Debug)]
pub struct RoomSecrets {
    /// The public id.
    pub room: RoomId,
    /// The code of a private room.
    pub code: Option<RoomCode>,
    /// The resume tokens of X and O in the first game. A substitute gets a new token.
    pub tokens: [ResumeToken; 2],
    /// The party keys of the owners of the tokens. `None` for an owner without a party key.
    pub parties: [Option<Party>; 2],
    /// Whether the owner of each token was removed because it left the seat on purpose. The identity of a removed owner
    /// does not find the seat.
    pub left: [bool; 2],
}

impl RoomSecrets {
    /// Returns the resume token of `seat` in the `game`th game of the room.
    pub fn token(&self, seat: Seat, game: u32) -> ResumeToken {
        self.tokens[token_index(seat, game)]
    }

    /// Returns the owner of the resume token of `seat` in the `game`th game of the room.
    pub fn party(&self, seat: Seat, game: u32) -> Option<Party> {
        self.parties[token_index(seat, game)]
    }

    /// Replaces the resume token of `seat` in the `game`th game of the room.
    pub fn set_token(&mut self, seat: Seat, game: u32, token: ResumeToken) {
        self.tokens[token_index(seat, game)] = token;
    }

    /// Changes the owner of the resume token of `seat` in the `game`th game of the room. The new owner counts as not
    /// having left.
    pub fn set_party(&mut self, seat: Seat, game: u32, party: Option<Party>) {
        self.parties[token_index(seat, game)] = party;
        self.left[token_index(seat, game)] = false;
    }

    /// Forgets the party of the resume token of `seat`, because a substitute takes the seat. Until the substitute is
    /// stored, the identity of the absent player still finds the seat.
    pub fn remove_party(&mut self, seat: Seat, game: u32) {
        self.parties[token_index(seat, game)] = None;
    }

    /// Removes the owner of the resume token of `seat`, because the owner has left the seat on purpose.
    pub fn remove_owner(&mut self, seat: Seat, game: u32) {
        self.parties[token_index(seat, game)] = None;
        self.left[token_index(seat, game)] = true;
    }

    /// Returns whether the owner of the resume token of `seat` was removed.
    pub fn has_left(&self, seat: Seat, game: u32) -> bool {
        self.left[token_index(seat, game)]
    }
}

/// Returns the index of the token of a seat. Tokens belong to players, who swap seats after every game.
fn token_index(seat: Seat, game: u32) -> usize {
    let swapped = game.saturating_sub(1) % 2 == 1;
    if swapped { seat.other() } else { seat }.index()
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LogError {
    /// The last stored event is not the event that the caller expected. Nothing was stored.
    #[error("log ends at event {found}, expected {expected}")]
    Conflict {
        /// Last event according to the caller.
        expected: Seq,
        /// Last stored event.
        found: Seq,
    },
    /// Nothing was stored. A later attempt may succeed.
    #[error("log is unavailable: {0}")]
    Unavailable(String),
    /// The events may or may not be stored. The caller has to read the log before it continues.
    #[error("log timed out")]
    Unknown,
    /// The stored data is corrupt. Further attempts fail, too.
    #[error("log is corrupt: {0}")]
    Corrupt(String),
}

impl LogError {
    pub(crate) fn unknown_room() -> LogError {
        LogError::Unavailable("the room does not exist or has closed".into())
    }
}

/// State of a room after an event. Replaces the events up to that event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// Last event that the state contains.
    pub seq: Seq,
    /// Encoded state, in a format of the room.
    pub body: Vec<u8>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredRoom {
    /// Start of the history; without a checkpoint, the history starts with the first event.
    pub checkpoint: Option<Checkpoint>,
    /// Events after the checkpoint.
    pub events: Vec<EventRecord>,
}

impl StoredRoom {
    /// Returns the number of the last event.
    pub fn last_seq(&self) -> Seq {
        let checkpoint_seq = self
            .checkpoint
            .as_ref()
            .map_or(Seq::ZERO, |checkpoint| checkpoint.seq);
        self.events.last().map_or(checkpoint_seq, |event| event.seq)
    }

    fn events_since(&self, after: Seq) -> Result<Vec<EventRecord>, LogError> {
        events_since(self.checkpoint.as_ref(), self.events.iter(), after)
    }
}

/// Returns the events that follow `after`.
///
/// # Errors
/// A conflict if the checkpoint has replaced some of them.
fn events_since<'e>(
    checkpoint: Option<&Checkpoint>,
    events: impl Iterator<Item = &'e EventRecord>,
    after: Seq,
) -> Result<Vec<EventRecord>, LogError> {
    match checkpoint {
        Some(checkpoint) if checkpoint.seq > after => Err(LogError::Conflict {
            expected: after,
            found: checkpoint.seq,
        }),
        Some(_) | None => Ok(events.filter(|event| event.seq > after).cloned().collect()),
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinishedGame {
    /// Number of the game in its room.
    pub number: u32,
    /// End of the game, in server milliseconds.
    pub ended_at: u64,
    /// Text of the [`noughts_protocol::Record`].
    pub record: String,
}

/// State of a store, for metrics. The values are at most a few seconds old.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StoreStats {
    /// Size of the database file.
    pub database_bytes: u64,
    /// Size of the write-ahead log.
    pub wal_bytes: u64,
    /// Free space of the disk that holds the data. `None` without a disk.
    pub disk_free_bytes: Option<u64>,
    /// How long the oldest reader has already kept the write-ahead log from being emptied, in milliseconds.
    pub oldest_reader_ms: u64,
    /// Number of damaged finished games that the last complete scan found.
    pub damaged_games: u64,
    /// Number of finished games that were not kept because the archive was full of recent games.
    pub rejected_games: u64,
}

/// An operation on the rooms of a log. Large, rare variants are boxed so that moving an operation stays cheap.
#[derive(Clone, Debug)]
pub enum LogOp {
    /// Creates a room with its first events, atomically.
    Create {
        /// Data that is stored with the events.
        secrets: Box<RoomSecrets>,
        events: Vec<EventRecord>,
    },
    /// Updates the tokens and the owners of the seats of an open room.
    UpdateSecrets(Box<RoomSecrets>),
    /// Appends the next events of a room, atomically. The first must follow the last stored event.
    Append {
        room: RoomId,
        events: Vec<EventRecord>,
        /// The game that ends with these events, which is archived in the same transaction.
        finished: Option<FinishedGame>,
    },
    /// Replaces the events of an open room with a checkpoint, which must contain its last event.
    Checkpoint {
        room: RoomId,
        /// The state that replaces its events.
        checkpoint: Checkpoint,
    },
    Delete(RoomId),
    /// Reads the history of an open room, as [`LogReply::Room`].
    Load(RoomId),
    /// Reads the events of an open room after `after`, as [`LogReply::Events`]. The reply is a conflict if a checkpoint
    /// has replaced some of them.
    EventsSince {
        room: RoomId,
        /// The last event that is known.
        after: Seq,
    },
    /// Reads every open room, as [`LogReply::Rooms`]. Requested once, at startup.
    Recover,
    /// Changes nothing. A `SharedLog` replies only after it has stored something, as `SharedLog::confirm` requires.
    Confirm,
    /// Limits the size of the file, to simulate a full disk.
    #[cfg(test)]
    LimitPages(Option<u32>),
}

impl LogOp {
    /// Returns the room of the operation, if it concerns a single room.
    pub fn room(&self) -> Option<RoomId> {
        match self {
            LogOp::Create { secrets, .. } | LogOp::UpdateSecrets(secrets) => Some(secrets.room),
            LogOp::Append { room, .. }
            | LogOp::Checkpoint { room, .. }
            | LogOp::Delete(room)
            | LogOp::Load(room)
            | LogOp::EventsSince { room, .. } => Some(*room),
            LogOp::Recover | LogOp::Confirm => None,
            #[cfg(test)]
            LogOp::LimitPages(_) => None,
        }
    }

    /// Returns whether the operation leaves the stored data unchanged.
    pub(crate) fn is_read(&self) -> bool {
        match self {
            LogOp::Load(_) | LogOp::EventsSince { .. } | LogOp::Recover | LogOp::Confirm => true,
            LogOp::Create { .. }
            | LogOp::UpdateSecrets(_)
            | LogOp::Append { .. }
            | LogOp::Checkpoint { .. }
            | LogOp::Delete(_) => false,
            #[cfg(test)]
            LogOp::LimitPages(_) => false,
        }
    }
}

/// The reply of a log to an operation.
#[derive(Clone, Debug)]
pub enum LogReply {
    /// The operation was executed. It does not read anything.
    Done,
    /// The history of a room.
    Room(StoredRoom),
    /// Events of a room.
    Events(Vec<EventRecord>),
    /// All open rooms.
    Rooms(Vec<(RoomSecrets, StoredRoom)>),
}

/// The reply to an operation, or its error.
pub type LogResult = Result<LogReply, LogError>;

/// The future of a reply that has the type `T`.
pub(crate) type LogFuture<'a, T> =
    Map<BoxFuture<'a, LogResult>, fn(LogResult) -> Result<T, LogError>>;

impl LogReply {
    /// Converts the result of an operation that reads nothing.
    pub(crate) fn done(result: LogResult) -> Result<(), LogError> {
        let LogReply::Done = result? else {
            unreachable!("the operation reads nothing")
        };
        Ok(())
    }

    fn room(result: LogResult) -> Result<StoredRoom, LogError> {
        let LogReply::Room(stored) = result? else {
            unreachable!("the operation reads a room")
        };
        Ok(stored)
    }

    fn events(result: LogResult) -> Result<Vec<EventRecord>, LogError> {
        let LogReply::Events(events) = result? else {
            unreachable!("the operation reads events")
        };
        Ok(events)
    }

    /// Converts the result of [`LogOp::Recover`].
    pub(crate) fn rooms(result: LogResult) -> Result<Vec<(RoomSecrets, StoredRoom)>, LogError> {
        let LogReply::Rooms(rooms) = result? else {
            unreachable!("the operation reads all rooms")
        };
        Ok(rooms)
    }
}

/// A durable store of the events of rooms, ordered and without gaps.
///
/// An implementation executes operations in [`EventLog::submit`]. Its callers use one function for each operation,
/// which states the arguments and the type of the reply.
pub trait EventLog: Send + Sync + fmt::Debug + 'static {
    /// Executes an operation. If its future is dropped, the result of the operation is unknown.
    fn submit(&self, op: LogOp) -> BoxFuture<'_, LogResult>;

    /// Returns whether events can be stored at present.
    fn is_healthy(&self) -> bool;

    /// Waits until the log has failed permanently. The server must then stop.
    fn failed(&self) -> BoxFuture<'_, ()>;

    /// Returns the log as a `SharedLog` if several servers share it. `None` if no other server can change the rooms.
    fn shared(&self) -> Option<&dyn SharedLog> {
        None
    }

    /// Returns whether finished games are archived. If not, rooms need not encode them.
    fn archives_games(&self) -> bool {
        true
    }

    /// Returns the reader of finished games. `None` if this log cannot list them.
    fn archive_reader(&self) -> Option<&ArchiveReader> {
        None
    }

    /// Records the time when this run begins to stop, for [`EventLog::previous_stop`] of the next run.
    fn record_stop(&self, _at: u64) {}

    /// Returns the time when the previous run began to stop, if it closed the log afterwards.
    fn previous_stop(&self) -> Option<u64> {
        None
    }

    /// Returns the number of steps that the writer of the log has taken. It takes at least one step per second, even
    /// without work. `None` for a log without a writer.
    fn writer_steps(&self) -> Option<u64> {
        None
    }

    /// Adds the histograms of the log to a registry.
    fn register_histograms(&self, _registry: &mut Registry) {}

    /// Returns the state of the store, for metrics.
    fn stats(&self) -> StoreStats {
        StoreStats::default()
    }

    /// See [`LogOp::Create`].
    fn create(&self, secrets: RoomSecrets, events: Vec<EventRecord>) -> LogFuture<'_, ()> {
        let secrets = Box::new(secrets);
        self.submit(LogOp::Create { secrets, events })
            .map(LogReply::done)
    }

    /// See [`LogOp::UpdateSecrets`].
    fn update_secrets(&self, secrets: RoomSecrets) -> LogFuture<'_, ()> {
        self.submit(LogOp::UpdateSecrets(Box::new(secrets)))
            .map(LogReply::done)
    }

    /// See [`LogOp::Append`].
    fn append(
        &self,
        room: RoomId,
        events: Vec<EventRecord>,
        finished: Option<FinishedGame>,
    ) -> LogFuture<'_, ()> {
        self.submit(LogOp::Append {
            room,
            events,
            finished,
        })
        .map(LogReply::done)
    }

    /// See [`LogOp::Checkpoint`].
    fn checkpoint(&self, room: RoomId, checkpoint: Checkpoint) -> LogFuture<'_, ()> {
        self.submit(LogOp::Checkpoint { room, checkpoint })
            .map(LogReply::done)
    }

    /// See [`LogOp::Delete`].
    fn delete(&self, room: RoomId) -> LogFuture<'_, ()> {
        self.submit(LogOp::Delete(room)).map(LogReply::done)
    }

    /// See [`LogOp::Load`].
    fn load(&self, room: RoomId) -> LogFuture<'_, StoredRoom> {
        self.submit(LogOp::Load(room)).map(LogReply::room)
    }

    /// See [`LogOp::EventsSince`].
    fn events_since(&self, room: RoomId, after: Seq) -> LogFuture<'_, Vec<EventRecord>> {
        self.submit(LogOp::EventsSince { room, after })
            .map(LogReply::events)
    }

    /// See [`LogOp::Recover`].
    fn recover(&self) -> LogFuture<'_, Vec<(RoomSecrets, StoredRoom)>> {
        self.submit(LogOp::Recover).map(LogReply::rooms)
    }
}

/// A log that several servers share: another server can take the rooms over while this server runs.
pub trait SharedLog {
    /// Waits until the log has stored something after this call, which proves that no other server has changed the room.
    fn confirm(&self, room: RoomId) -> LogFuture<'_, ()>;

    /// Waits like [`SharedLog::confirm`], for the rooms that a code may lead to.
    fn confirm_code(&self, code: RoomCode) -> LogFuture<'_, ()>;

    /// Announces that this server will stop soon. Other servers should then give it no further rooms, but should not
    /// take its rooms yet.
    fn announce_stop(&self);
}

/// The stored document. The spelling of its fields is part of the storage format.
#[derive(Serialize, Deserialize)]
struct StoredSecrets {
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<RoomCode>,
    tokens: [ResumeToken; 2],
    #[serde(default, skip_serializing_if = "is_default")]
    parties: [Option<Party>; 2],
    #[serde(default, skip_serializing_if = "is_default")]
    left: [bool; 2],
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Encodes the secrets of a room, apart from its id.
pub(crate) fn encode_secrets(secrets: &RoomSecrets) -> Vec<u8> {
    let stored = StoredSecrets {
        code: secrets.code,
        tokens: secrets.tokens,
        parties: secrets.parties,
        left: secrets.left,
    };
    serde_json::to_vec(&stored).expect("secrets are strings")
}

/// Decodes the secrets of a room. `None` if they are damaged.
pub(crate) fn decode_secrets(room: RoomId, body: &[u8]) -> Option<RoomSecrets> {
    let stored: StoredSecrets = serde_json::from_slice(body).ok()?;
    Some(RoomSecrets {
        room,
        code: stored.code,
        tokens: stored.tokens,
        parties: stored.parties,
        left: stored.left,
    })
}
