//! Messages between nodes over a relay, in addition to the requests and frames of the client. Pure.

use std::net::IpAddr;

use noughts_protocol::wire::{Hello, Request, RequestBody, SessionRequest};
use noughts_protocol::{Identity, Player, RequestId, RoomId};
use serde::{Deserialize, Serialize};

use crate::cluster::shard::NodeId;
use crate::limits::client_prefix::ClientPrefix;
use crate::lobby::handle::SeekEnd;

/// The first message of a relay: a client, and its request to enter a room or to seek.
#[derive(Clone, Debug)]
pub(super) struct RelayEntry {
    /// Node of the client.
    pub(super) node: NodeId,
    pub(super) client: ClientPrefix,
    pub(super) hello: Hello,
    pub(super) id: RequestId,
    pub(super) request: SessionRequest,
    pub(super) details: EntryDetails,
}

/// Properties of the request of a [`RelayEntry`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct EntryDetails {
    /// The client has already received the response to its request.
    pub(super) already_answered: bool,
    /// If a live connection has the seat, this connection ends instead of replacing it.
    pub(super) yields_to_holder: bool,
    /// The room with the seat that the party of a seeker already had at its hello.
    pub(super) seat_room_at_hello: Option<RoomId>,
    /// Age of the request to seek, in milliseconds.
    pub(super) age_ms: u64,
    /// Number of the pair that meets here.
    pub(super) meeting: Option<u64>,
    /// The seek was paired before, and its opponent missed the meeting.
    pub(super) has_missed_meeting: bool,
    /// The identity of the player, which the node of the client has computed from the secret.
    #[serde(default)]
    pub(super) identity: Option<Identity>,
}

/// A [`RelayEntry`] as JSON.
#[derive(Serialize, Deserialize)]
struct EntryJson {
    node: NodeId,
    client: IpAddr,
    hello: String,
    request: String,
    details: EntryDetails,
}

impl RelayEntry {
    /// Returns the request of a person, in tests.
    #[cfg(test)]
    pub(super) fn of_person(
        node: NodeId,
        client: IpAddr,
        request: SessionRequest,
        details: EntryDetails,
    ) -> RelayEntry {
        RelayEntry {
            node,
            client: ClientPrefix::from_ip(client),
            hello: Hello {
                versions: [noughts_protocol::wire::VERSION; 2],
                name: "Ann".parse().unwrap(),
                kind: noughts_protocol::PlayerKind::Person,
                client: None,
                party: None,
                identity_secret: None,
                wants: noughts_protocol::wire::FeatureSet::default(),
            },
            id: RequestId::new(3).unwrap(),
            request,
            details,
        }
    }

    pub(super) fn to_json(&self) -> String {
        let request = Request {
            id: self.id,
            body: RequestBody::Session(self.request.clone()),
        };
        let entry = EntryJson {
            node: self.node,
            client: self.client.address(),
            hello: Request::hello(self.id, self.hello.clone()).to_json(),
            request: request.to_json(),
            details: self.details,
        };
        serde_json::to_string(&entry).expect("strings, numbers and flags are JSON")
    }

    /// Returns the player of the client.
    pub(super) fn player(&self) -> Player {
        Player {
            name: self.hello.name.clone(),
            kind: self.hello.kind,
            identity: self.details.identity,
        }
    }

    /// Parses the first message of a relay. `None` if it has another format.
    pub(super) fn parse(text: &str) -> Option<RelayEntry> {
        let entry: EntryJson = serde_json::from_str(text).ok()?;
        let RequestBody::Hello(hello) = Request::parse(&entry.hello).ok()?.body else {
            return None;
        };
        let Request { id, body } = Request::parse(&entry.request).ok()?;
        let RequestBody::Session(request) = body else {
            return None;
        };
        Some(RelayEntry {
            node: entry.node,
            client: ClientPrefix::from_ip(entry.client),
            hello,
            id,
            request,
            details: entry.details,
        })
    }
}

/// A message for the other node. `Lag`, `Pong` and `Withdraw` go to the node of the room or the lobby, all others to
/// the node of the client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum RelayControl {
    /// The measured round-trip time of the client, in milliseconds.
    Lag(u32),
    /// The client has answered the ping of the lobby with this number.
    Pong(u64),
    /// The seek should end, unless it is paired.
    Withdraw,
    /// The client has become a member of the room.
    Entered {
        is_seated: bool,
    },
    /// The client is not a member of the room or the lobby any more. A response may follow.
    Left,
    /// No room has the id or the code of the request to enter.
    UnknownRoom,
    /// The node of the client should ping the client for the lobby.
    Ping(u64),
    SeekEnded(SeekEnd),
    /// The room moves to another node. The client should return after this time.
    Restart {
        retry_after_ms: u64,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_read_as_written() {
        let request = SessionRequest::Watch {
            room: "abcdefgh".parse().unwrap(),
            remarks: true,
        };
        let details = EntryDetails {
            yields_to_holder: true,
            seat_room_at_hello: Some(RoomId::from_bits(5)),
            age_ms: 9,
            identity: Some(Identity::from_bytes([3; 16])),
            ..EntryDetails::default()
        };
        let client = "2001:db8::7".parse().unwrap();
        let entry = RelayEntry::of_person(NodeId([7; 16]), client, request, details);
        let read = RelayEntry::parse(&entry.to_json()).unwrap();
        assert_eq!(format!("{read:?}"), format!("{entry:?}"));
        for text in ["", "{}", &entry.to_json().replace("watch", "move")] {
            assert!(RelayEntry::parse(text).is_none(), "{text}");
        }
    }
}
