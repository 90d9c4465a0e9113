//! Encoding of the batches of a link. Pure.
//!
//! ```text
//! "NB" 1 | from [16] | generation | peer_generation | number | received | entries
//! entry: kind | member | value u32 | length u32 | body
//! ```
//!
//! Integers are big-endian, 64 bits wide where nothing else is said.

use tokio_util::bytes::{Buf, BufMut, Bytes, BytesMut};

use crate::cluster::shard::NodeId;

const MAGIC: &[u8; 3] = b"NB\x01";

pub(crate) const HEADER_LEN: usize = MAGIC.len() + 16 + 4 * 8;

const ENTRY_HEADER_LEN: usize = 1 + 8 + 4 + 4;

/// Size up to which entries share a batch. A single longer entry is a batch of its own.
pub(crate) const MAX_BATCH_BYTES: usize = 256 << 10;

/// Position of a batch in the stream from one node to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BatchHeader {
    pub(crate) from: NodeId,
    /// Number of the sender's current attempt to link, without 0.
    pub(crate) generation: u64,
    /// That of the receiver, as far as the sender knows it; 0 if it does not.
    pub(crate) peer_generation: u64,
    /// Number of the batch in the generation; of the last one if this batch has no entries.
    pub(crate) number: u64,
    /// Number of the last batch that the sender has received.
    pub(crate) received: u64,
}

/// Meaning of an entry. The first ones go to the node of the room, the others to the node of the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LinkEntryKind {
    /// A client requests to enter. Body: address, hello and request, in three lines. Value: the [`EntryFlags`].
    Enter = 1,
    /// A request of a member; value: its age in milliseconds.
    Request = 2,
    /// The measured round-trip time of a member, in milliseconds.
    Lag = 3,
    /// The connection of a member has ended.
    Exit = 4,
    /// A client seeks in the lobby of the node. Body: address, room in which the party has known its seat, hello and request,
    /// in four lines. Value: age of the request in milliseconds.
    Seek = 5,
    /// The seek of a member should end, unless it is paired.
    Withdraw = 6,
    /// The client has answered a ping of the lobby; body: its number.
    Pong = 7,
    /// The node stops: it accepts no further seeks. Value 1: this is its last entry.
    Leaving = 8,
    /// The lobby of the node; body: the message `lobby`, or nothing if it is as before.
    Lobby = 9,
    /// A query about a party. The member is the number of the query.
    PartyQuery = 10,
    /// The answer to such a query.
    PartyAnswer = 11,
    /// The client is a member; value 1 if it has a seat.
    Entered = 17,
    /// A frame for the client.
    Frame = 18,
    /// The client is not a member. A response may follow.
    Left = 19,
    /// The room moves; value: time after which the client should return, in milliseconds.
    Restart = 20,
    /// The connection of the client has to close; value: the code.
    Close = 21,
    /// No room has the key of the request to enter.
    WrongKey = 22,
    /// Nothing more follows for the client.
    Ended = 23,
    /// The client should be pinged for the lobby; body: the number of the ping.
    Ping = 24,
    /// The seek is not in the lobby of the node: it meets others elsewhere. Nothing more follows.
    SeekMoved = 25,
    /// The seek was withdrawn. Nothing more follows.
    SeekWithdrawn = 26,
}

impl LinkEntryKind {
    const ALL: [LinkEntryKind; 21] = [
        LinkEntryKind::Enter,
        LinkEntryKind::Request,
        LinkEntryKind::Lag,
        LinkEntryKind::Exit,
        LinkEntryKind::Seek,
        LinkEntryKind::Withdraw,
        LinkEntryKind::Pong,
        LinkEntryKind::Leaving,
        LinkEntryKind::Lobby,
        LinkEntryKind::PartyQuery,
        LinkEntryKind::PartyAnswer,
        LinkEntryKind::Entered,
        LinkEntryKind::Frame,
        LinkEntryKind::Left,
        LinkEntryKind::Restart,
        LinkEntryKind::Close,
        LinkEntryKind::WrongKey,
        LinkEntryKind::Ended,
        LinkEntryKind::Ping,
        LinkEntryKind::SeekMoved,
        LinkEntryKind::SeekWithdrawn,
    ];
}

/// Properties of a request to enter a room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EntryFlags {
    /// The request is answered.
    pub(crate) already_answered: bool,
    /// The connection ends if a live one has the seat.
    pub(crate) yields_to_holder: bool,
}

impl EntryFlags {
    /// Value of the entry.
    pub(crate) fn bits(self) -> u32 {
        u32::from(self.already_answered) | u32::from(self.yields_to_holder) << 1
    }

    pub(crate) fn from_bits(bits: u32) -> EntryFlags {
        EntryFlags {
            already_answered: bits & 1 != 0,
            yields_to_holder: bits & 2 != 0,
        }
    }
}

/// Identifies the membership of a client in a remote room. Drawn by the node of the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct MembershipId(pub(crate) u64);

impl MembershipId {
    /// In entries that concern no client.
    pub(crate) const NONE: MembershipId = MembershipId(0);
}

/// An entry of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LinkEntry {
    pub(crate) kind: LinkEntryKind,
    pub(crate) member: MembershipId,
    pub(crate) value: u32,
    /// Text in UTF-8.
    pub(crate) body: Bytes,
}

impl LinkEntry {
    /// Appends the entry to the entries of a batch.
    pub(crate) fn encode(
        kind: LinkEntryKind,
        member: MembershipId,
        value: u32,
        body: &str,
        entries: &mut BytesMut,
    ) {
        entries.reserve(ENTRY_HEADER_LEN + body.len());
        entries.put_u8(kind as u8);
        entries.put_u64(member.0);
        entries.put_u32(value);
        entries.put_u32(u32::try_from(body.len()).expect("a frame is shorter than 4 GiB"));
        entries.put_slice(body.as_bytes());
    }

    /// The body as text.
    pub(crate) fn text(&self) -> Option<&str> {
        str::from_utf8(&self.body).ok()
    }
}

/// Encodes a batch.
pub(crate) fn encode_batch(header: &BatchHeader, entries: &[u8]) -> Bytes {
    let mut batch = BytesMut::with_capacity(HEADER_LEN + entries.len());
    batch.put_slice(MAGIC);
    batch.put_slice(&header.from.0);
    for number in [
        header.generation,
        header.peer_generation,
        header.number,
        header.received,
    ] {
        batch.put_u64(number);
    }
    batch.put_slice(entries);
    batch.freeze()
}

/// Decodes a batch. `None` if the bytes are not a batch, or have a later format.
pub(crate) fn decode_batch(mut batch: Bytes) -> Option<(BatchHeader, Vec<LinkEntry>)> {
    if batch.len() < HEADER_LEN || !batch.starts_with(MAGIC) {
        return None;
    }
    batch.advance(MAGIC.len());
    let from = NodeId(batch.split_to(16)[..].try_into().ok()?);
    let [generation, peer_generation, number, received] = [(); 4].map(|()| batch.get_u64());
    let mut entries = Vec::new();
    while !batch.is_empty() {
        if batch.len() < ENTRY_HEADER_LEN {
            return None;
        }
        let kind = batch.get_u8();
        let kind = LinkEntryKind::ALL
            .into_iter()
            .find(|known| *known as u8 == kind)?;
        let (member, value) = (MembershipId(batch.get_u64()), batch.get_u32());
        let length = usize::try_from(batch.get_u32()).ok()?;
        if batch.len() < length {
            return None;
        }
        entries.push(LinkEntry {
            kind,
            member,
            value,
            body: batch.split_to(length),
        });
    }
    Some((
        BatchHeader {
            from,
            generation,
            peer_generation,
            number,
            received,
        },
        entries,
    ))
}

/// Length of the entries that the next batch takes.
pub(crate) fn next_batch_len(entries: &[u8]) -> usize {
    let mut length = 0;
    while length < entries.len() {
        let mut body_length = &entries[length + ENTRY_HEADER_LEN - 4..][..4];
        let end = length + ENTRY_HEADER_LEN + body_length.get_u32() as usize;
        if length > 0 && end > MAX_BATCH_BYTES {
            break;
        }
        length = end;
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header() -> BatchHeader {
        BatchHeader {
            from: NodeId([7; 16]),
            generation: 1,
            peer_generation: 2,
            number: 3,
            received: 4,
        }
    }

    #[test]
    fn a_batch_is_read_as_written() {
        let mut entries = BytesMut::new();
        let mut written = Vec::new();
        for (value, kind) in LinkEntryKind::ALL.into_iter().enumerate() {
            let (member, value, body) = (MembershipId(u64::MAX), value as u32, "é".repeat(value));
            LinkEntry::encode(kind, member, value, &body, &mut entries);
            written.push(LinkEntry {
                kind,
                member,
                value,
                body: body.into(),
            });
        }
        let batch = encode_batch(&header(), &entries);
        assert_eq!(
            decode_batch(batch.clone()),
            Some((header(), written.clone()))
        );
        // A batch that is cut between two entries stays valid; one that is cut elsewhere is invalid.
        let whole: Vec<usize> = written
            .iter()
            .scan(HEADER_LEN, |end, entry| {
                Some(std::mem::replace(end, *end + 17 + entry.body.len()))
            })
            .collect();
        for length in 0..batch.len() {
            assert_eq!(
                decode_batch(batch.slice(..length)).is_some(),
                whole.contains(&length),
                "{length}"
            );
        }
        let mut unknown = batch.to_vec();
        unknown[HEADER_LEN] = 99;
        assert_eq!(decode_batch(unknown.into()), None);
    }

    #[test]
    fn batches_have_a_maximum_size() {
        let mut entries = BytesMut::new();
        let body = "x".repeat(MAX_BATCH_BYTES / 2 - 50);
        for _ in 0..3 {
            LinkEntry::encode(
                LinkEntryKind::Frame,
                MembershipId(1),
                0,
                &body,
                &mut entries,
            );
        }
        let entry = ENTRY_HEADER_LEN + body.len();
        assert_eq!(next_batch_len(&entries), 2 * entry);
        assert_eq!(next_batch_len(&entries[2 * entry..]), entry);
        assert_eq!(next_batch_len(&[]), 0);
        let mut long = BytesMut::new();
        let body = "x".repeat(2 * MAX_BATCH_BYTES);
        LinkEntry::encode(LinkEntryKind::Frame, MembershipId(1), 0, &body, &mut long);
        assert_eq!(next_batch_len(&long), long.len());
    }
}
