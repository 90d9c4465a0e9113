//! Stored form of [`RoomSecrets`].

use noughts_protocol::{PartyKey, ResumeToken, RoomCode, RoomId};
use serde::{Deserialize, Serialize};

use crate::store::RoomSecrets;

/// The stored document. The spelling of its fields is part of the storage format.
#[derive(Serialize, Deserialize)]
struct StoredSecrets {
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<RoomCode>,
    tokens: [ResumeToken; 2],
    #[serde(default, skip_serializing_if = "all_none")]
    parties: [Option<PartyKey>; 2],
}

fn all_none(parties: &[Option<PartyKey>; 2]) -> bool {
    parties.iter().all(Option::is_none)
}

/// Encodes the secrets of a room, apart from its id.
pub(crate) fn encode_secrets(secrets: &RoomSecrets) -> Vec<u8> {
    let stored = StoredSecrets {
        code: secrets.code,
        tokens: secrets.tokens,
        parties: secrets.parties,
    };
    serde_json::to_vec(&stored).expect("secrets are strings")
}

/// Decodes the secrets of a room. `None` if they are not what was written.
pub(crate) fn decode_secrets(room: RoomId, body: &[u8]) -> Option<RoomSecrets> {
    let stored: StoredSecrets = serde_json::from_slice(body).ok()?;
    Some(RoomSecrets {
        room,
        code: stored.code,
        tokens: stored.tokens,
        parties: stored.parties,
    })
}
