//! What travels: JSON text frames over WebSocket. `README.md` beside this crate is the description
//! for those who do not read Rust; a test holds the two together.

mod close;
mod engine_remark;
mod fast;
mod field;
mod message;
mod object;
mod reject;
mod request;

pub use close::CloseCode;
pub use engine_remark::{EngineRemark, Evaluation, EvaluationError};
pub use fast::writer::{to_json, write_json};
pub use message::{AnnouncedLimits, Message, Notice, OpenSeek, OwnRole, Presence, RoomListing, SeatGrant};
pub use reject::{Reject, RejectCode};
pub use request::{BadRequest, Claim, Hello, LobbyRequest, Request, RequestBody, RoomCommand};

/// The WebSocket subprotocol that both sides name in the handshake.
pub const SUBPROTOCOL: &str = "noughts";

/// The version of the wire that this crate speaks. A server that adds fields keeps the number; one that
/// adds a message, an event, a notice or a code raises it, and speaks the older one to older clients.
pub const VERSION: u16 = 1;

/// The largest message that a client may send, in bytes.
pub const MAX_REQUEST_BYTES: usize = 4096;

/// The largest message that a server sends, in bytes: a client may refuse more.
pub const MAX_MESSAGE_BYTES: usize = 64 * 1024;
