//! Requests of the operator, and the rows and ends of the responses.

use noughts_protocol::wire::{Announcement, Presence, RejectCode};
use noughts_protocol::{Phase, Player, RoomId, Rules, Seat};
use serde::{Deserialize, Serialize};

use crate::operator::bans::{Ban, BanChangeError, BanTarget};

/// A request of the operator: a line of JSON.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "verb", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum OperatorRequest {
    Status {},
    /// The open rooms, all or those with this text in their id, rules, names or identities.
    Rooms {
        #[serde(default)]
        filter: Option<String>,
    },
    /// A room and its members.
    Room {
        room: RoomId,
    },
    Close {
        room: RoomId,
        /// For the log.
        #[serde(default)]
        reason: Option<String>,
    },
    Kick {
        connection: u64,
    },
    Ban {
        target: BanTarget,
        /// Duration; without it, the ban lasts until it is lifted.
        #[serde(default)]
        for_ms: Option<u64>,
    },
    Bans {},
    Unban {
        target: BanTarget,
    },
    Announce {
        text: Announcement,
    },
    Drain {
        /// Ends the drain.
        #[serde(default)]
        end: bool,
    },
}

/// A row of a response.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum OperatorRow {
    Server(ServerReport),
    Room(Box<RoomReport>),
    Member(MemberReport),
    Ban(Ban),
}

/// The last line of a response: the number of rows, or of clients that the change has reached; or the error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum OperatorEnd {
    Done(u64),
    #[serde(untagged)]
    Failed(OperatorError),
}

/// Reason why a request has changed nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(tag = "error", content = "detail", rename_all = "snake_case")]
pub(crate) enum OperatorError {
    #[error("invalid request: {0}")]
    BadRequest(String),
    #[error("the request is not a line of at most {0} bytes")]
    TooLong(usize),
    #[error("the operator's socket has too many connections; try again")]
    Busy,
    #[error("the request took too long; a change may still happen")]
    Timeout,
    #[error("no open room has this id")]
    UnknownRoom,
    #[error("no client has this connection")]
    UnknownConnection,
    #[error("there is no such ban")]
    UnknownBan,
    #[error("there are {0} bans; lift one first")]
    TooManyBans(usize),
    #[error("the bans cannot be stored: {0}")]
    NotStored(String),
    #[error("the room does not respond at present: {0}")]
    Unavailable(RejectCode),
}

impl From<BanChangeError> for OperatorError {
    fn from(error: BanChangeError) -> OperatorError {
        match error {
            BanChangeError::UnknownBan => OperatorError::UnknownBan,
            BanChangeError::TooManyBans(count) => OperatorError::TooManyBans(count),
            BanChangeError::NotStored(detail) => OperatorError::NotStored(detail),
        }
    }
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct ServerReport {
    pub version: &'static str,
    pub uptime_ms: u64,
    pub connections: i64,
    pub people: u32,
    pub bots: u32,
    pub rooms: usize,
    pub rooms_unavailable: usize,
    /// Running games.
    pub games: u32,
    pub seeks: usize,
    pub bans: usize,
    pub ready: bool,
    /// The operator drains the server: no game starts.
    pub drained: bool,
    pub database_bytes: u64,
    pub disk_free_bytes: Option<u64>,
}

/// A room, as its task reports it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct RoomReport {
    pub room: RoomId,
    pub rules: Rules,
    pub public: bool,
    pub phase: Phase,
    /// Number of the game, from 1; 0 before the first.
    pub game: u32,
    pub moves: u32,
    pub players: [Option<Player>; 2],
    pub presence: [Presence; 2],
    pub spectators: usize,
    /// The connections of the members, with their seats.
    #[serde(skip)]
    pub members: Vec<(u64, Option<Seat>)>,
}

impl RoomReport {
    /// Returns whether the id, the rules, a name or an identity contains a text in lower case.
    pub(super) fn contains(&self, text: &str) -> bool {
        let players = self.players.iter().flatten();
        let mut words = vec![self.room.to_string(), self.rules.to_string()];
        for player in players {
            words.push(player.name.as_str().to_lowercase());
            words.extend(player.identity.map(|identity| identity.to_string()));
        }
        words.iter().any(|word| word.contains(text))
    }
}

/// A member of a room.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct MemberReport {
    pub connection: u64,
    /// Absent for a spectator.
    pub seat: Option<Seat>,
    /// Absent for a client of another node.
    #[serde(flatten)]
    pub client: Option<ClientReport>,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct ClientReport {
    pub player: Player,
    /// IPv4 address, or the /64 of an IPv6 address.
    pub network: String,
    /// Time of the hello in milliseconds since 1970-01-01 UTC.
    pub since: u64,
}
