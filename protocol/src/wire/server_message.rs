//! Messages from the server: responses, events and notices.

use serde::{Deserialize, Serialize};

use super::{
    Evaluation, FeatureSet, LobbyChange, LobbyView, OpenSeek, Phrase, Reject, RoomListing,
};
use crate::{
    Cell, EventRecord, Identity, Name, RequestId, ResumeToken, RoomCode, RoomId, Seat, Seq,
    Snapshot,
};

/// Maximum number of rooms in the `own_rooms` of a welcome.
pub const MAX_OWN_ROOMS: usize = 16;

/// A message from the server.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Message {
    /// Response to `hello`.
    Welcome {
        /// The request.
        re: RequestId,
        /// The version of this connection: the newest that both sides support.
        version: u16,
        /// The server software.
        server: String,
        /// The name as other clients see it.
        name: Name,
        /// The identity of the player, as other clients see it; absent for a guest.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        identity: Option<Identity>,
        /// The limits of the server.
        limits: AnnouncedLimits,
        /// The latest seat taken with the client's party key that the client has not left.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        grant: Option<SeatGrant>,
        /// Rooms with a seat of the player with this identity, at most [`MAX_OWN_ROOMS`].
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        own_rooms: Vec<RoomId>,
        /// The features of this connection: the requested features that the server has.
        #[serde(default, skip_serializing_if = "FeatureSet::is_empty")]
        has: FeatureSet,
        /// The WebSocket address of the server for other machines, if it has one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        address: Option<String>,
    },
    /// The request succeeded.
    Done {
        /// The request.
        re: RequestId,
        /// For a command that was applied before: its event.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seq: Option<Seq>,
    },
    /// The request was rejected and changed nothing.
    Reject {
        /// The request; absent when the message had no valid id.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        re: Option<RequestId>,
        /// The rejection.
        #[serde(flatten)]
        reject: Reject,
    },
    /// The whole state of the room that the connection is in.
    Snapshot {
        /// The request; absent after a pairing without the feature `replies`, or when the server skipped events.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        re: Option<RequestId>,
        /// The room.
        room: RoomId,
        /// The receiver's role.
        role: OwnRole,
        /// The state of the room.
        state: Snapshot,
    },
    /// Events of the room, in order and without a gap.
    Events {
        /// The `resume` or `sync` request, if the events are its response.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        re: Option<RequestId>,
        /// The room.
        room: RoomId,
        /// The events; empty when a resumed client has all.
        events: Vec<EventRecord>,
    },
    /// A notice: unnumbered and not part of the history.
    Notice {
        /// The room.
        room: RoomId,
        /// The notice.
        notice: Notice,
    },
    /// The public rooms and the open seeks.
    Rooms {
        /// The request.
        re: RequestId,
        /// Public rooms, at most 50: rooms with a seat to take, then other rooms, each newest first.
        rooms: Vec<RoomListing>,
        /// The open seeks in order of arrival, at most 50.
        seeks: Vec<OpenSeek>,
    },
    /// The whole lobby. Replaces earlier views.
    Lobby {
        /// The request; absent when the server skipped changes for a slow subscriber.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        re: Option<RequestId>,
        /// Time of the server in milliseconds since 1970-01-01 UTC.
        at: u64,
        /// The lobby.
        #[serde(flatten)]
        view: LobbyView,
    },
    /// Changes of the lobby since the last view or change.
    LobbyChanged {
        /// Time of the server in milliseconds since 1970-01-01 UTC.
        at: u64,
        /// The changes.
        #[serde(flatten)]
        change: LobbyChange,
    },
    /// The server is about to restart; the connection will close (1012).
    Restarting {
        /// Delay before the client reconnects, in milliseconds; clients add random jitter.
        retry_after_ms: u64,
    },
}

impl Message {
    /// Returns the JSON text of the message.
    pub fn to_json(&self) -> String {
        super::to_json(self)
    }

    /// Parses a message from the server.
    ///
    /// # Errors
    /// When the text is not a message of this version.
    pub fn parse(text: &str) -> Result<Message, serde_json::Error> {
        serde_json::from_str(text)
    }
}

/// The data that a client needs to reclaim its seat.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct SeatGrant {
    /// The room.
    pub room: RoomId,
    /// The secret token of the seat.
    pub token: ResumeToken,
}

/// The receiver's role in a room.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct OwnRole {
    /// The seat; absent for a spectator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seat: Option<Seat>,
    /// The secret token of the seat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<ResumeToken>,
    /// The code of a private room, which players may share.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<RoomCode>,
}

/// Unnumbered, lossy messages. The newest of each kind counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Notice {
    /// Presence of a player.
    Presence {
        /// The seat.
        seat: Seat,
        /// The presence.
        presence: Presence,
        /// For an absent player: milliseconds until the opponent may claim the game, then 0.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        claim_in_ms: Option<u64>,
    },
    /// Round-trip times between server and players, as last measured.
    Lag {
        /// Milliseconds for X and for O; null before the first measurement.
        ms: [Option<u32>; 2],
    },
    /// Number of spectators.
    Spectators {
        /// The number.
        count: u32,
    },
    /// Evaluation by a player's engine, for spectators who want remarks.
    Remark {
        /// The seat of the engine.
        seat: Seat,
        /// The last event of the room at the time of the evaluation.
        seq: Seq,
        /// The evaluation from the point of view of the seat.
        evaluation: Evaluation,
        /// The principal variation.
        pv: Vec<Cell>,
    },
    /// A player said something.
    Phrase {
        /// The seat of the player.
        seat: Seat,
        /// The phrase.
        phrase: Phrase,
    },
}

/// Presence of the holder of a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Presence {
    /// Connected.
    Connected,
    /// The connection was lost.
    Disconnected,
    /// Left on purpose.
    Left,
}

/// Defines each announced limit once. The doc comment is its row in the README.
macro_rules! announced_limits {
    ($($(#[doc = $doc:literal])+ $field:ident: $type:ty,)+) => {
        /// The limits of the server, so that a client can comply.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        pub struct AnnouncedLimits {
            $($(#[doc = $doc])+ pub $field: $type,)+
        }

        impl AnnouncedLimits {
            /// The name of each limit on the wire, and the lines of its doc comment.
            pub const DOCUMENTS: &[(&str, &[&str])] = &[$((stringify!($field), &[$($doc),+]),)+];
        }
    };
}

announced_limits! {
    /// The largest message that you may send, in bytes.
    message_bytes: u32,
    /// Messages that you may send at once. Further messages are rejected with `rate_limited`; then close 1008.
    burst: u32,
    /// Sustained messages per second.
    per_second: u32,
    /// Interval of the pings in milliseconds, ± 10 %. When nothing has arrived for twice as long, the connection is dead:
    /// reconnect.
    ping_ms: u64,
    /// Time that a disconnected player may stay away before the opponent may claim the game, in milliseconds.
    grace_ms: u64,
    /// Like `grace_ms`, but for a player who left on purpose.
    left_grace_ms: u64,
    /// Number of most recent events that a room keeps for `resume` and `sync`. A client that is further behind gets a
    /// snapshot.
    resume_events: u32,
    /// Maximum number of queued messages for a client. When the queue is full, a player is closed with 4200, and a
    /// spectator gets a snapshot instead of the missed events.
    send_queue: u32,
}
