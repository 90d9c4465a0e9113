//! What a row holds, with a checksum over all of it: damage is named, never skipped.

use noughts_protocol::{Code, ResumeToken, RoomId, Stamped};
use serde::{Deserialize, Serialize};

use crate::log::Founding;

/// A row whose content is not what was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Damaged;

/// The checksum of a body that belongs to `room`: a row copied to another room is damage too.
pub(super) fn checksum(room: RoomId, body: &[u8]) -> i64 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&room.bits().to_be_bytes());
    hasher.update(body);
    i64::from(hasher.finalize())
}

/// A room's id as SQLite's integer: 40 bits fit.
pub(super) fn key(room: RoomId) -> i64 {
    room.bits() as i64
}

pub(super) fn room(key: i64) -> RoomId {
    RoomId::from_bits(key as u64)
}

pub(super) fn event_body(event: &Stamped) -> Vec<u8> {
    serde_json::to_vec(event).expect("an event has only string keys and finite numbers")
}

pub(super) fn read_event(room: RoomId, body: &[u8], crc: i64) -> Result<Stamped, Damaged> {
    if checksum(room, body) != crc {
        return Err(Damaged);
    }
    serde_json::from_slice(body).map_err(|_| Damaged)
}

/// The secrets of a room as they are stored.
#[derive(Serialize, Deserialize)]
struct Secrets {
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<Code>,
    tokens: [ResumeToken; 2],
}

pub(super) fn founding_body(founding: &Founding) -> Vec<u8> {
    let secrets = Secrets { code: founding.code, tokens: founding.tokens };
    serde_json::to_vec(&secrets).expect("secrets are strings")
}

pub(super) fn read_founding(room: RoomId, body: &[u8], crc: i64) -> Result<Founding, Damaged> {
    if checksum(room, body) != crc {
        return Err(Damaged);
    }
    let secrets: Secrets = serde_json::from_slice(body).map_err(|_| Damaged)?;
    Ok(Founding { room, code: secrets.code, tokens: secrets.tokens })
}
