//! Messages from the server: responses, events and notices.
//!
//! A message with `re` is the response to the request with this id. The response to a command is an event instead,
//! which names the command in `by`.

use serde::{Deserialize, Serialize};

use super::{
    Announcement, Evaluation, FeatureSet, FinishedListing, GameId, LobbyChange, LobbyView,
    OpenSeek, Phrase, PlayerProfile, Reject, RoomListing,
};
use crate::{
    Cell, EventRecord, Identity, Name, RequestId, ResumeToken, RoomCode, RoomId, Seat, Seq,
    Snapshot,
};

/// Maximum number of rooms in the `own_rooms` of a welcome.
pub const MAX_OWN_ROOMS: usize = 16;

/// A message from the server. Clients ignore fields that they do not know.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Message {
    /// Response to `hello`: from now on the connection accepts every request.
    Welcome {
        /// The id of the `hello`.
        re: RequestId,
        /// The version of this connection: the newest that both sides support.
        version: u16,
        /// Name and version of the server software, for logs. Clients draw no conclusions from it.
        server: String,
        /// The name as other clients see it: trimmed, and with single spaces.
        name: Name,
        /// The identity of the player, as other clients see it; absent for a guest.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        identity: Option<Identity>,
        /// The limits that the client must respect.
        limits: AnnouncedLimits,
        /// The latest seat taken with the client's party key that the client has not left. `resume` takes it again,
        /// even if the response to the request for the seat was lost.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        grant: Option<SeatGrant>,
        /// Rooms with a seat of the player with this identity, at most [`MAX_OWN_ROOMS`]. `resume` takes the seat
        /// without a token.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        own_rooms: Vec<RoomId>,
        /// The features of this connection: the requested features that the server has.
        #[serde(default, skip_serializing_if = "FeatureSet::is_empty")]
        has: FeatureSet,
        /// The WebSocket address of the server for other machines, if it has one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        address: Option<String>,
    },
    /// Response to a request that succeeded and has no other response.
    Done {
        /// The id of the request.
        re: RequestId,
        /// For a retransmitted command: the event that it led to before. The command was not applied again.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seq: Option<Seq>,
    },
    /// Response to a request that was rejected and changed nothing.
    Reject {
        /// The id of the request; absent when the message had no valid id.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        re: Option<RequestId>,
        /// The reason, and parameters that help the client to react.
        #[serde(flatten)]
        reject: Reject,
    },
    /// The whole state of the room that the connection is in. It replaces everything that the client knows of the room;
    /// events continue after its `seq`.
    Snapshot {
        /// The id of the request; absent after a pairing without the feature `replies`, or when the server skipped
        /// events.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        re: Option<RequestId>,
        /// The room that the client has entered.
        room: RoomId,
        /// The receiver's role, with the token of its seat.
        role: OwnRole,
        /// The state of the room after the last event.
        state: Snapshot,
    },
    /// Events of the room, in order and without a gap. Every member receives each event once; for the client that
    /// sent the command, the event is the response.
    Events {
        /// The id of the `resume` or `sync` request, if the events are its response.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        re: Option<RequestId>,
        /// The room of the connection.
        room: RoomId,
        /// The events; empty when the client has them all.
        events: Vec<EventRecord>,
    },
    /// Transient information about the room. A notice is not part of the history, and is dropped for a client that
    /// reads too slowly.
    Notice {
        /// The room of the connection.
        room: RoomId,
        /// What has changed.
        notice: Notice,
    },
    /// Response to `list`: the public rooms and the open seeks at this moment.
    Rooms {
        /// The id of the `list`.
        re: RequestId,
        /// Public rooms, at most 50: rooms with a seat to take, then other rooms, each newest first.
        rooms: Vec<RoomListing>,
        /// The open seeks in order of arrival, at most 50.
        seeks: Vec<OpenSeek>,
    },
    /// The whole lobby, for a subscriber. It replaces everything that the client knows of the lobby.
    Lobby {
        /// The id of the `lobby` request; absent when the server skipped changes for a slow subscriber.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        re: Option<RequestId>,
        /// Time of the server in milliseconds since 1970-01-01 UTC. A seek has waited for `at` − `since`.
        at: u64,
        /// Rooms, seeks and counts.
        #[serde(flatten)]
        view: LobbyView,
    },
    /// Changes of the lobby since the last view or change, for a subscriber. Several changes may come in one message.
    LobbyChanged {
        /// Time of the server in milliseconds since 1970-01-01 UTC.
        at: u64,
        /// What is new, has changed or is gone; see [`LobbyView::apply`].
        #[serde(flatten)]
        change: LobbyChange,
    },
    /// The operator says something to all clients.
    Announcement {
        /// One line, at most [`Announcement::MAX_CHARS`] characters.
        text: Announcement,
    },
    /// Finished games, newest first.
    Games {
        /// The request.
        re: RequestId,
        /// The games.
        games: Vec<FinishedListing>,
        /// There may be older games: the `before` of the next request. Absent at the end.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        before: Option<GameId>,
    },
    /// The record of a finished game.
    Game {
        /// The request.
        re: RequestId,
        /// The id of the game.
        game: GameId,
        /// The record as text. Readers skip unknown tags.
        record: String,
    },
    /// The profile of a player: name, numbers of games, and the latest games.
    Profile {
        /// The request.
        re: RequestId,
        /// The profile.
        #[serde(flatten)]
        profile: Box<PlayerProfile>,
    },
    /// The server is about to restart, and closes the connection with 1012 after this message.
    Restarting {
        /// Delay before the client reconnects, in milliseconds. Clients add a random delay, so that they do not all
        /// return in the same moment.
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

/// The data that a client needs to `resume` its seat.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct SeatGrant {
    /// The id of the room with the seat. A private room also has an id, in addition to its code.
    pub room: RoomId,
    /// The secret that grants the seat.
    pub token: ResumeToken,
}

/// The receiver's role in a room. Empty for a spectator.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct OwnRole {
    /// The receiver's seat. A rematch swaps it without a new message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seat: Option<Seat>,
    /// The secret that grants the seat, for `resume`. It does not change when seats swap.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<ResumeToken>,
    /// The secret code of a private room, for players to pass on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<RoomCode>,
}

/// A notice has no number, and may be lost. The newest notice of each kind counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Notice {
    /// A player went away or returned. A player counts as connected until such a notice says otherwise.
    Presence {
        /// The seat of the player.
        seat: Seat,
        /// The new presence of the player.
        presence: Presence,
        /// For an absent player: milliseconds until the opponent may claim the game, then 0. A claim also requires that
        /// the absent player is to move.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        claim_in_ms: Option<u64>,
    },
    /// Round-trip times between server and players, as last measured.
    Lag {
        /// Milliseconds for X and for O; null before the first measurement.
        ms: [Option<u32>; 2],
    },
    /// The number of spectators has changed.
    Spectators {
        /// Members of the room without a seat. In a public room, previews do not count.
        count: u32,
    },
    /// A player's engine evaluated the position. Only spectators who `watch` with `remarks` receive it.
    Remark {
        /// The seat of the player who uses the engine.
        seat: Seat,
        /// The last event of the room at the time of the evaluation: after later moves it is out of date.
        seq: Seq,
        /// The evaluation from the point of view of the seat.
        evaluation: Evaluation,
        /// The principal variation: the moves that the engine expects from that position.
        pv: Vec<Cell>,
    },
    /// A player said a phrase. Every member receives the notice, including this player.
    Phrase {
        /// The seat of the player.
        seat: Seat,
        /// The meaning. The client words it in the language of its user.
        phrase: Phrase,
    },
}

/// Presence of the holder of a seat. An absent player keeps the seat and may resume it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Presence {
    /// A connection has the seat.
    Connected,
    /// The connection was lost. The opponent may claim the game after `grace_ms`.
    Disconnected,
    /// The player sent `leave`. The opponent may claim the game after `left_grace_ms`.
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
    /// Interval of the pings in milliseconds, ± 10 %. When nothing has arrived for twice as long, the connection is
    /// dead: reconnect.
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
