//! Events of a connection, and the reasons why it is lost or ends.

use std::time::Duration;

use noughts_protocol::wire::{self, CloseCode, Message, Reject};
use noughts_protocol::{Identity, Name, RequestId, RoomId};
use serde::ser::Error;
use serde::{Serialize, Serializer};

use super::server_url::ServerUrl;
use crate::io::io_error::LocalizableIoError;

/// The server's response to hello.
#[derive(Clone, Debug)]
pub struct Welcome {
    /// Wire version that both sides use on this connection.
    pub version: u16,
    /// Name and version of the server software.
    pub server: String,
    /// The player's name as other players see it.
    pub name: Name,
    pub limits: wire::AnnouncedLimits,
    /// The player's identity as other players see it; `None` for a guest.
    pub identity: Option<Identity>,
    /// Rooms with a seat of the player with this identity.
    pub own_rooms: Vec<RoomId>,
    /// Address of the server for other machines, if the server announces one.
    pub address: Option<ServerUrl>,
}

#[derive(Clone, Debug)]
pub enum ConnectionEvent {
    /// An attempt to connect has started.
    Connecting {
        /// One-based number of the attempt since the last connection.
        attempt: u32,
    },
    /// The server has sent its welcome, for the first time or again. The task resumes a room automatically. A seek does
    /// not survive the loss of a connection.
    Connected { welcome: Welcome },
    /// The connection is lost and will be retried.
    Disconnected {
        /// Number of the next attempt.
        attempt: u32,
        /// Delay before the next attempt.
        retry_in: Duration,
        reason: DisconnectReason,
    },
    /// A message from the server other than the welcome. Responses to the task's own resume requests are included; the
    /// consumer does not know their ids.
    Message(Message),
    /// The connection was lost before the response to this request, and the request will not be sent again. The server
    /// may or may not have executed it.
    RequestLost(RequestId),
    /// The connection has ended. This is the last event.
    Terminated(TerminationReason),
}

/// Reason for the loss of a connection that may be restored.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum DisconnectReason {
    #[error("{0}")]
    Io(LocalizableIoError),
    /// A response or a write took too long.
    #[error("no response in time")]
    Timeout,
    /// No message and no ping arrived for more than two ping intervals.
    #[error("no message and no ping from the server")]
    Silent,
    #[error("the server restarts")]
    Restarting,
    /// The server closed the connection, with this code if it sent one.
    #[error("closed by the server{}", .0.map(|code| format!(" ({code})")).unwrap_or_default())]
    #[serde(serialize_with = "close")]
    Closed(Option<u16>),
    /// The server responded to the handshake with this HTTP status.
    #[error("the server responded with HTTP {0}")]
    #[serde(serialize_with = "http")]
    Http(u16),
    #[error("malformed message from the server")]
    Garbled,
    /// The server rejected the hello or the resume request; a later attempt may succeed.
    #[error("the server is not ready: {0}")]
    #[serde(serialize_with = "reject")]
    NotReady(Reject),
}

/// Reason for the end of a connection.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum TerminationReason {
    /// The consumer closed the connection.
    #[error("closed")]
    Closed,
    /// The first attempt to connect failed.
    #[error("cannot connect: {0}")]
    #[serde(serialize_with = "cause")]
    CannotConnect(DisconnectReason),
    /// The server rejected the hello, for example because of its version.
    #[error("rejected by the server: {0}")]
    #[serde(serialize_with = "reject")]
    Rejected(Reject),
    /// The server responded to the handshake with this HTTP status.
    #[error("rejected by the server: HTTP {0}")]
    #[serde(serialize_with = "http")]
    Http(u16),
    /// The peer does not speak this protocol.
    #[error("not a noughts server")]
    NotNoughts,
    /// A newer connection has taken over the seat.
    #[error("a newer connection has taken this seat")]
    Replaced,
    /// The server closed the connection with a code that forbids a retry.
    #[error("closed by the server: {}", .0.reason())]
    #[serde(rename = "closed", serialize_with = "final_close")]
    Final(CloseCode),
    /// The connection was lost, and [`RetryPolicy`](super::RetryPolicy) allows no further attempt.
    #[error("connection lost: {0}")]
    #[serde(serialize_with = "cause")]
    GaveUp(DisconnectReason),
}

/// Reason why a request could not be queued.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// The queue is full, usually because the connection is down.
    #[error("too many requests are queued")]
    Busy,
    #[error("the connection has ended")]
    Offline,
}

// Functions that write the fields of a reason in JSON, next to its code.

fn close<S: Serializer>(code: &Option<u16>, to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(code.map(|code| ("close", code)))
}

fn final_close<S: Serializer>(code: &CloseCode, to: S) -> Result<S::Ok, S::Error> {
    to.collect_map([("close", code.code())])
}

fn http<S: Serializer>(status: &u16, to: S) -> Result<S::Ok, S::Error> {
    to.collect_map([("http", status)])
}

fn reject<S: Serializer>(reject: &Reject, to: S) -> Result<S::Ok, S::Error> {
    to.collect_map([("reject", reject)])
}

/// Writes the fields of the reason for the last loss. The code of the reason becomes the field `cause`.
fn cause<S: Serializer>(reason: &DisconnectReason, to: S) -> Result<S::Ok, S::Error> {
    let members = serde_json::to_value(reason).map_err(S::Error::custom)?;
    let members = members.as_object().into_iter().flatten();
    to.collect_map(members.map(|(name, value)| match name.as_str() {
        "code" => ("cause", value),
        name => (name, value),
    }))
}
