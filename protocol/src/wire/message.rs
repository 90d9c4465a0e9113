//! What a server sends: answers, events and notices.

use serde::{Deserialize, Serialize};

use super::{Evaluation, Reject};
use crate::{
    Cell, EventRecord, Name, Phase, Player, RequestId, ResumeToken, RoomCode, RoomId, Rules, Seat, Seq,
    Snapshot, TimeControl,
};

/// A message from the server.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Message {
    /// The answer to hello.
    Welcome {
        /// Whose answer.
        re: RequestId,
        /// The version that this connection speaks: the newest that both know.
        version: u16,
        /// The software.
        server: String,
        /// The name as it will be shown.
        name: Name,
        /// What the server allows.
        limits: AnnouncedLimits,
        /// The seat that its party took last and has not left, wherever it may know of it from.
        #[serde(rename = "held", default, skip_serializing_if = "Option::is_none")]
        grant: Option<SeatGrant>,
    },
    /// The request is done and there is nothing more to say.
    Done {
        /// Which.
        re: RequestId,
        /// For a command that had been applied before: the event that did it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seq: Option<Seq>,
    },
    /// The request is refused and nothing has changed.
    Reject {
        /// Which; absent when the message had no good id.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        re: Option<RequestId>,
        /// Why.
        #[serde(flatten)]
        reject: Reject,
    },
    /// The whole view of the room that the connection is now in.
    Snapshot {
        /// The request that it answers; absent after a pairing, or where events were left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        re: Option<RequestId>,
        /// Which room.
        room: RoomId,
        /// The receiver's own part.
        #[serde(rename = "you")]
        role: OwnRole,
        /// What there is to see.
        state: Snapshot,
    },
    /// Events of the room, in order and without a gap.
    Events {
        /// The `resume` or `sync` that it answers.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        re: Option<RequestId>,
        /// Which room.
        room: RoomId,
        /// The events; none when the resumed client has all.
        events: Vec<EventRecord>,
    },
    /// News of the moment, not part of the history.
    Notice {
        /// Which room.
        room: RoomId,
        /// The news.
        notice: Notice,
    },
    /// The public rooms, and who waits for what.
    Rooms {
        /// Whose answer.
        re: RequestId,
        /// The newest public rooms, at most 50.
        rooms: Vec<RoomListing>,
        /// What those in the lobby wait for, first come first, at most 50.
        seeks: Vec<OpenSeek>,
    },
    /// The server is about to stop; the connection will close (1012).
    Restarting {
        /// When to come back, in milliseconds; clients add some chance of their own.
        #[serde(rename = "back_in_ms")]
        retry_after_ms: u64,
    },
}

impl Message {
    /// The message text.
    pub fn to_json(&self) -> String {
        super::to_json(self)
    }

    /// Reads a message.
    ///
    /// # Errors
    /// When it is not one that this version knows.
    pub fn parse(text: &str) -> Result<Message, serde_json::Error> {
        serde_json::from_str(text)
    }
}

/// What it takes to have a seat again.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct SeatGrant {
    /// Which room.
    pub room: RoomId,
    /// The right to the seat, to be kept secret.
    pub token: ResumeToken,
}

/// The receiver's part in a room.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct OwnRole {
    /// Its seat; absent for a spectator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seat: Option<Seat>,
    /// The right to that seat, to be kept secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<ResumeToken>,
    /// The code of a private room, for players to pass on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<RoomCode>,
}

/// News of the moment: unnumbered, and the newest counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Notice {
    /// Whether the holder of a seat is there.
    Presence {
        /// Which seat.
        seat: Seat,
        /// How it is.
        presence: Presence,
        /// Not here: milliseconds until the other may claim the game; 0 from then on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        claim_in_ms: Option<u64>,
    },
    /// How long a message takes to a player and back, as the server last measured it.
    Lag {
        /// Milliseconds for X and for O; null before the first measure.
        ms: [Option<u32>; 2],
    },
    /// How many watch.
    #[serde(rename = "crowd")]
    Spectators {
        /// Spectators.
        #[serde(rename = "watching")]
        spectators: u32,
    },
    /// What a player's program thinks, for those who watch and have asked for that.
    Remark {
        /// Whose program.
        seat: Seat,
        /// The last event of the room when it thought so.
        seq: Seq,
        /// What the position is worth to that seat.
        #[serde(rename = "score")]
        evaluation: Evaluation,
        /// What it expects both sides to play from there.
        #[serde(rename = "line")]
        pv: Vec<Cell>,
    },
}

/// Whether the holder of a seat is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Presence {
    /// Connected.
    #[serde(rename = "here")]
    Connected,
    /// The connection was lost.
    #[serde(rename = "away")]
    Disconnected,
    /// Went on purpose.
    Left,
}

/// A public room in the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoomListing {
    /// Its id.
    pub room: RoomId,
    /// What is played.
    pub rules: Rules,
    /// The time for each side; absent without a clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<TimeControl>,
    /// Where it is in its life.
    pub phase: Phase,
    /// Who sits where; null for a free seat.
    pub players: [Option<Player>; 2],
    /// The moves of this game so far.
    pub moves: u32,
    /// Spectators.
    #[serde(rename = "watching")]
    pub spectators: u32,
}

/// Somebody who waits for an opponent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenSeek {
    /// Who.
    pub player: Player,
    /// What to play.
    pub rules: Rules,
    /// The time for each side; absent without a clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<TimeControl>,
    /// The seat that it wants; absent if it does not care.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seat: Option<Seat>,
}

/// What the server allows, so that a client can keep to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnnouncedLimits {
    /// The largest message from a client, in bytes.
    pub message_bytes: u32,
    /// Messages that may come at once.
    pub burst: u32,
    /// Messages a second in the long run.
    pub per_second: u32,
    /// A ping comes about this often, in milliseconds; after two unanswered the connection closes.
    pub ping_ms: u64,
    /// How long a lost player may stay away before the other may claim the game, in milliseconds.
    pub grace_ms: u64,
    /// The same for one who left on purpose.
    pub left_grace_ms: u64,
    /// The events that a room keeps for `resume` and `sync`; beyond them comes a snapshot.
    #[serde(rename = "tail")]
    pub resume_events: u32,
    /// The messages that may wait for a slow reader before it is cut off.
    #[serde(rename = "outbox")]
    pub send_queue: u32,
}
