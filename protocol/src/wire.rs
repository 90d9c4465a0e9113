//! The wire protocol: JSON text frames over WebSocket.
//!
//! A client sends [`Request`]s, each with an id, and receives exactly one response to each; the server also sends
//! events and notices in [`Message`]s. `README.md` beside this crate describes every message; `tests/readme/main.rs`
//! compares the page with this module, and the golden files fix the JSON of every type.
//!
//! | module | contents |
//! |---|---|
//! | `request` | messages from a client |
//! | `server_message` | messages from the server |
//! | `reject` | error responses and their codes |
//! | `announcement` | the text of the operator |
//! | `close` | WebSocket close codes |
//! | `feature` | options that a client must request |
//! | `listing` | entries of the room list and of the lobby |
//! | `finished_games` | rows of finished games, and profiles |
//! | `lobby` | views of the lobby and their changes |
//! | `phrase` | what players can say |
//! | `engine_remark` | evaluations by engines |
//! | `detailed_events` | `events` for a client with the features `replies` or `details` |
//! | `vocabulary` | the macro that defines words with their documentation |
//! | `object`, `field` | validating reader of request fields |
//! | `flat_object_reader` | fast path of that reader for nearly every request |
//! | `json` | writer of messages |

mod announcement;
mod close;
mod detailed_events;
mod engine_remark;
mod feature;
mod field;
mod finished_games;
mod flat_object_reader;
mod json;
mod listing;
mod lobby;
mod object;
mod phrase;
mod reject;
mod request;
mod server_message;
mod vocabulary;

pub use announcement::{Announcement, AnnouncementError};
pub use close::CloseCode;
pub use detailed_events::{DetailedEvent, DetailedEvents, EventDetails};
pub use engine_remark::{EngineRemark, Evaluation, EvaluationError};
pub use feature::{Feature, FeatureSet};
pub use finished_games::{
    FinishedListing, GameCounts, GameId, GamesFilter, MAX_COUNTED_GAMES, MAX_LISTED_GAMES,
    MAX_PROFILE_RULES, PROFILE_GAMES, PlayerProfile, RulesCounts,
};
pub use json::{to_json, write_json};
pub use listing::{OpenSeek, RoomListing};
pub use lobby::{ListedSeek, LobbyChange, LobbyCounts, LobbyView, SeekId};
pub use phrase::Phrase;
pub use reject::{Reject, RejectCode};
pub use request::{BadRequest, Claim, Hello, Request, RequestBody, RoomCommand, SessionRequest};
pub use server_message::{
    AnnouncedLimits, MAX_OWN_ROOMS, Message, Notice, OwnRole, Presence, SeatGrant,
};

/// The WebSocket subprotocol that both sides state in the handshake.
pub const SUBPROTOCOL: &str = "noughts";

/// The version of the wire protocol. New fields do not change the version, because clients ignore unknown fields.
/// Messages that a client must request, for example by a [`Feature`], do not change it either. Any other new message,
/// event, notice or code raises the version, and the server continues to support older versions for older clients.
pub const VERSION: u16 = 1;

/// Maximum size of a message from a client, in bytes.
pub const MAX_REQUEST_BYTES: usize = 4096;

/// Maximum size of a message from a server, in bytes; a client may close the connection on a larger message.
pub const MAX_MESSAGE_BYTES: usize = 64 * 1024;
