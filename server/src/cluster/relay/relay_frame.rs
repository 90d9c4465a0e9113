//! Messages between nodes over a relay, in addition to the requests and frames of the client. Pure.

use std::net::IpAddr;

use noughts_protocol::wire::{Hello, Request, RequestBody, SessionRequest};
use noughts_protocol::{RequestId, RoomId, Seat};
use serde::{Deserialize, Serialize};

use crate::cluster::shard::NodeId;
use crate::limits::client_prefix::ClientPrefix;
use crate::lobby::handle::{Meeting, SeekEnd};

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
    /// The request is answered.
    pub(super) already_answered: bool,
    /// The connection ends if a live one has the seat.
    pub(super) yields_to_holder: bool,
    /// Room with the seat that the party of a seeker knew.
    pub(super) seat_room_at_hello: Option<RoomId>,
    /// Time since the request to seek, in milliseconds.
    pub(super) age_ms: u64,
    /// Number of the pair that meets here.
    pub(super) meeting: Option<u64>,
    /// The seek was paired before, and its opponent missed the meeting.
    pub(super) has_missed_meeting: bool,
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

/// A message for the other node, not for the room or the client. `Lag`, `Pong` and `Withdraw` go to the node of the room or the
/// lobby, all others to the node of the client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum RelayControl {
    /// The measured round-trip time of the client, in milliseconds.
    Lag(u32),
    /// The client has answered the ping of the lobby with this number.
    Pong(u64),
    /// The seek should end, unless it is paired.
    Withdraw,
    /// The client is a member of the room.
    Entered { is_seated: bool },
    /// The client is not a member. A response may follow.
    Left,
    /// No room has the id or the code of the request to enter.
    UnknownRoom,
    /// The client should be pinged for the lobby.
    Ping(u64),
    /// Another node has the lobby.
    SeekMoved,
    /// The seek is paired. Both seeks of the pair meet at a node with this number, for this game. The words of the wire
    /// describe the game.
    SeekPaired {
        node: NodeId,
        number: u64,
        rules: String,
        clock: Option<String>,
        seat: Seat,
    },
    /// The seek was withdrawn.
    SeekWithdrawn,
    /// The room moves: the client should return after this time.
    Restart { retry_after_ms: u64 },
}

impl RelayControl {
    /// The end of a seek in the lobby of this node.
    pub(super) fn of_seek_end(end: SeekEnd) -> RelayControl {
        match end {
            SeekEnd::Withdrawn => RelayControl::SeekWithdrawn,
            SeekEnd::Moved | SeekEnd::Lost => RelayControl::SeekMoved,
            SeekEnd::Paired(meeting) => RelayControl::SeekPaired {
                node: NodeId(meeting.node),
                number: meeting.number,
                rules: meeting.rules.to_string(),
                clock: meeting.clock.map(|clock| clock.to_string()),
                seat: meeting.seat,
            },
        }
    }

    /// The end of a seek that another node reports. `None` if this is another message.
    pub(super) fn seek_end(&self) -> Option<SeekEnd> {
        if let RelayControl::SeekPaired {
            node,
            number,
            rules,
            clock,
            seat,
        } = self
        {
            let clock = clock.as_ref().map(|clock| clock.parse());
            return Some(SeekEnd::Paired(Meeting {
                node: node.0,
                number: *number,
                rules: rules.parse().ok()?,
                clock: clock.transpose().ok()?,
                seat: *seat,
            }));
        }
        match self {
            RelayControl::SeekMoved => Some(SeekEnd::Moved),
            RelayControl::SeekWithdrawn => Some(SeekEnd::Withdrawn),
            RelayControl::Lag(_)
            | RelayControl::Pong(_)
            | RelayControl::Withdraw
            | RelayControl::Entered { .. }
            | RelayControl::Left
            | RelayControl::UnknownRoom
            | RelayControl::Ping(_)
            | RelayControl::SeekPaired { .. }
            | RelayControl::Restart { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use noughts_protocol::PlayerKind;
    use noughts_protocol::wire::{FeatureSet, VERSION};

    use super::*;

    #[test]
    fn the_end_of_a_seek_is_read_as_written() {
        let meeting = |clock: Option<&str>, seat| Meeting {
            node: [7; 16],
            number: 5,
            rules: "15x15:5+exact".parse().unwrap(),
            clock: clock.map(|clock| clock.parse().unwrap()),
            seat,
        };
        for end in [
            SeekEnd::Moved,
            SeekEnd::Withdrawn,
            SeekEnd::Paired(meeting(None, Seat::X)),
            SeekEnd::Paired(meeting(Some("5+3"), Seat::O)),
        ] {
            let control = RelayControl::of_seek_end(end);
            let text = serde_json::to_string(&control).unwrap();
            let read: RelayControl = serde_json::from_str(&text).unwrap();
            assert_eq!(read.seek_end(), Some(end));
        }
    }

    #[test]
    fn an_entry_is_read_as_written() {
        let entry = RelayEntry {
            node: NodeId([7; 16]),
            client: ClientPrefix::from_ip("2001:db8::7".parse().unwrap()),
            hello: Hello {
                versions: [VERSION; 2],
                name: "Ann".parse().unwrap(),
                kind: PlayerKind::Human,
                client: None,
                party_key: None,
                wants: FeatureSet::default(),
            },
            id: RequestId::new(3).unwrap(),
            request: SessionRequest::Watch {
                room: "abcdefgh".parse().unwrap(),
                remarks: true,
            },
            details: EntryDetails {
                yields_to_holder: true,
                seat_room_at_hello: Some(RoomId::from_bits(5)),
                age_ms: 9,
                ..EntryDetails::default()
            },
        };
        let read = RelayEntry::parse(&entry.to_json()).unwrap();
        assert_eq!(format!("{read:?}"), format!("{entry:?}"));
        for text in ["", "{}", &entry.to_json().replace("watch", "move")] {
            assert!(RelayEntry::parse(text).is_none(), "{text}");
        }
    }
}
