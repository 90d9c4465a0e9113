//! Encoding of a message of a shard log: a header, the entries of one commit, and a checksum of both. Pure.
//!
//! ```text
//! "NL" 3 | kind | shard u16 | epoch | number | prev | floor | owner [16] | at | count u32 | entries | crc32
//! entry: kind | room | first | count u32 | length u32 | body
//! ```
//!
//! Integers are big-endian and, unless stated otherwise, 64 bits wide.

#[cfg(test)]
mod tests;

use noughts_protocol::{RoomId, Seq};
use tokio_util::bytes::Bytes;

use crate::cluster::shard::{Epoch, LogPosition, NodeId, Shard};

const MAGIC: &[u8; 3] = b"NL\x03";

/// Length of the header, including the number of entries.
const HEADER_LEN: usize = MAGIC.len() + 1 + 2 + 4 * 8 + 16 + 8 + 4;

const ENTRY_HEADER_LEN: usize = 1 + 8 + 8 + 4 + 4;

const CHECKSUM_LEN: usize = 4;

/// A message of this size or more takes no further entry.
pub(crate) const FULL_MESSAGE_BYTES: usize = 256 << 10;

/// Maximum size of the body of an entry. A message therefore has at most 512 KiB and a header; NATS allows 1 MiB.
pub(crate) const MAX_ENTRY_BYTES: usize = 256 << 10;

/// Purpose of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MessageKind {
    /// Takes ownership of the shard. The first message of an epoch.
    Claim = 1,
    /// The entries of one commit. A message without entries only confirms ownership.
    Group = 2,
    /// Gives up ownership. The last message of an epoch.
    Release = 3,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MessageHeader {
    pub(crate) kind: MessageKind,
    pub(crate) shard: Shard,
    pub(crate) epoch: Epoch,
    /// Number of the message within its epoch, without gaps. A claim has number 0.
    pub(crate) number: u64,
    /// Position of the previous message. The append succeeds only if that message is the last message of the shard.
    pub(crate) prev: LogPosition,
    /// Oldest message that is still needed; [`LogPosition::START`] for the first message.
    pub(crate) floor: LogPosition,
    /// The node that owns the epoch.
    pub(crate) owner: NodeId,
    /// Time of the message by the owner's clock.
    pub(crate) at: u64,
}

/// Content of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryKind {
    /// Id, code and tokens of a room.
    Secrets = 1,
    /// Events of a room.
    Events = 2,
    /// Checkpoint of a room.
    Checkpoint = 3,
    /// Deletion of a room and of all its earlier entries.
    Deleted = 4,
    /// A finished game that is not published. Survives its room.
    Finished = 5,
    /// A finished game is published.
    Published = 6,
}

impl EntryKind {
    fn from_byte(byte: u8) -> Option<EntryKind> {
        let kinds = [
            EntryKind::Secrets,
            EntryKind::Events,
            EntryKind::Checkpoint,
            EntryKind::Deleted,
            EntryKind::Finished,
            EntryKind::Published,
        ];
        kinds.into_iter().find(|kind| *kind as u8 == byte)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MessageEntry<'a> {
    pub(crate) kind: EntryKind,
    pub(crate) room: RoomId,
    /// Number of the first event; for a checkpoint, number of its last event.
    pub(crate) first: Seq,
    /// Number of events; for a finished game, its number in the room.
    pub(crate) count: u32,
    pub(crate) body: &'a [u8],
}

impl MessageEntry<'_> {
    /// Returns the size in a message.
    pub(crate) fn size(&self) -> u64 {
        (ENTRY_HEADER_LEN + self.body.len()) as u64
    }
}

/// Error of reading bytes that are not a message of a shard log.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum MessageError {
    #[error("wrong checksum")]
    Checksum,
    #[error("not a message of this format")]
    Format,
    #[error("message or entry of another version")]
    OtherVersion,
    #[error("entries of room {0} are damaged")]
    Entries(RoomId),
}

/// Builds the next message. Entries are added while the header is not known yet.
#[derive(Debug)]
pub(crate) struct MessageBuilder {
    body: Vec<u8>,
    entries: u32,
}

impl Default for MessageBuilder {
    fn default() -> MessageBuilder {
        MessageBuilder {
            body: vec![0; HEADER_LEN],
            entries: 0,
        }
    }
}

impl MessageBuilder {
    /// Returns whether no entry was added.
    pub(crate) fn is_empty(&self) -> bool {
        self.entries == 0
    }

    /// Returns whether further entries belong in the next message.
    pub(crate) fn is_full(&self) -> bool {
        self.body.len() >= FULL_MESSAGE_BYTES
    }

    /// Returns the size of the entries.
    pub(crate) fn size(&self) -> u64 {
        (self.body.len() - HEADER_LEN) as u64
    }

    /// Adds an entry. The caller has checked [`MAX_ENTRY_BYTES`].
    pub(crate) fn push(&mut self, entry: MessageEntry<'_>) {
        self.body.push(entry.kind as u8);
        self.body
            .extend_from_slice(&entry.room.bits().to_be_bytes());
        self.body
            .extend_from_slice(&entry.first.get().to_be_bytes());
        self.body.extend_from_slice(&entry.count.to_be_bytes());
        let length = u32::try_from(entry.body.len()).expect("at most MAX_ENTRY_BYTES");
        self.body.extend_from_slice(&length.to_be_bytes());
        self.body.extend_from_slice(entry.body);
        self.entries += 1;
    }

    /// Completes the message.
    pub(crate) fn finish(mut self, header: &MessageHeader) -> Bytes {
        let mut head = Vec::with_capacity(HEADER_LEN);
        head.extend_from_slice(MAGIC);
        head.push(header.kind as u8);
        head.extend_from_slice(&header.shard.0.to_be_bytes());
        for number in [header.epoch.0, header.number, header.prev.0, header.floor.0] {
            head.extend_from_slice(&number.to_be_bytes());
        }
        head.extend_from_slice(&header.owner.0);
        head.extend_from_slice(&header.at.to_be_bytes());
        head.extend_from_slice(&self.entries.to_be_bytes());
        self.body[..HEADER_LEN].copy_from_slice(&head);
        let checksum = crc32fast::hash(&self.body);
        self.body.extend_from_slice(&checksum.to_be_bytes());
        self.body.into()
    }
}

/// A verified message.
#[derive(Clone, Debug)]
pub(crate) struct ShardMessage {
    pub(crate) header: MessageHeader,
    bytes: Bytes,
}

impl ShardMessage {
    /// Verifies the checksum and the boundaries of all entries.
    ///
    /// # Errors
    /// The first violation.
    pub(crate) fn parse(bytes: Bytes) -> Result<ShardMessage, MessageError> {
        if !bytes.starts_with(MAGIC) {
            let is_other_version = bytes.len() >= MAGIC.len() && bytes.starts_with(&MAGIC[..2]);
            return Err(if is_other_version {
                MessageError::OtherVersion
            } else {
                MessageError::Format
            });
        }
        let (content, checksum) = bytes
            .split_last_chunk::<CHECKSUM_LEN>()
            .ok_or(MessageError::Format)?;
        if crc32fast::hash(content) != u32::from_be_bytes(*checksum) {
            return Err(MessageError::Checksum);
        }
        let mut head = Reader(
            content
                .get(MAGIC.len()..HEADER_LEN)
                .ok_or(MessageError::Format)?,
        );
        let kind = match head.array::<1>() {
            [1] => MessageKind::Claim,
            [2] => MessageKind::Group,
            [3] => MessageKind::Release,
            _ => return Err(MessageError::OtherVersion),
        };
        let header = MessageHeader {
            kind,
            shard: Shard(u16::from_be_bytes(head.array())),
            epoch: Epoch(head.u64()),
            number: head.u64(),
            prev: LogPosition(head.u64()),
            floor: LogPosition(head.u64()),
            owner: NodeId(head.array()),
            at: head.u64(),
        };
        let count = head.u32();
        let message = ShardMessage { header, bytes };
        let mut seen = 0;
        for entry in message.read_entries() {
            entry?;
            seen += 1;
        }
        if seen == count {
            Ok(message)
        } else {
            Err(MessageError::Format)
        }
    }

    /// Returns the size in the log.
    pub(crate) fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// Returns the entries in their order.
    pub(crate) fn entries(&self) -> impl Iterator<Item = MessageEntry<'_>> {
        self.read_entries()
            .map(|entry| entry.expect("verified by parse"))
    }

    fn read_entries(&self) -> impl Iterator<Item = Result<MessageEntry<'_>, MessageError>> {
        let mut rest = &self.bytes[HEADER_LEN..self.bytes.len() - CHECKSUM_LEN];
        std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            let entry = read_entry(rest);
            rest = entry
                .as_ref()
                .map_or(&[], |entry| &rest[ENTRY_HEADER_LEN + entry.body.len()..]);
            Some(entry)
        })
    }
}

fn read_entry(bytes: &[u8]) -> Result<MessageEntry<'_>, MessageError> {
    let (header, rest) = bytes
        .split_at_checked(ENTRY_HEADER_LEN)
        .ok_or(MessageError::Format)?;
    let mut header = Reader(header);
    let kind = EntryKind::from_byte(header.array::<1>()[0]).ok_or(MessageError::OtherVersion)?;
    let room = RoomId::from_bits(header.u64());
    let (first, count) = (Seq::new(header.u64()), header.u32());
    let body = rest
        .get(..header.u32() as usize)
        .ok_or(MessageError::Entries(room))?;
    Ok(MessageEntry {
        kind,
        room,
        first,
        count,
        body,
    })
}

/// Reads integers from bytes that are long enough.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn array<const N: usize>(&mut self) -> [u8; N] {
        let (array, rest) = self.0.split_first_chunk().expect("the header is complete");
        self.0 = rest;
        *array
    }

    fn u64(&mut self) -> u64 {
        u64::from_be_bytes(self.array())
    }

    fn u32(&mut self) -> u32 {
        u32::from_be_bytes(self.array())
    }
}
