//! A finished game of a cluster: its key, its entry in a shard log, and its message in the stream of finished games.
//! Pure.
//!
//! ```text
//! body of an entry `Finished`: ended u64 | record; of an entry `Published`: ended u64
//! message of the stream: "NG" 1 | room u64 | number u32 | ended u64 | record | crc32
//! ```
//!
//! Integers are big-endian.

use noughts_protocol::RoomId;
use tokio_util::bytes::Bytes;

use crate::store::FinishedGame;

const MAGIC: &[u8; 3] = b"NG\x01";

const CHECKSUM_LEN: usize = 4;

/// Identity of a finished game. The end distinguishes successive rooms with the same id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct GameKey {
    pub(crate) room: RoomId,
    /// Number of the game in its room.
    pub(crate) number: u32,
    /// End of the game, in server milliseconds.
    pub(crate) ended_at: u64,
}

impl GameKey {
    pub(crate) fn of(room: RoomId, game: &FinishedGame) -> GameKey {
        GameKey {
            room,
            number: game.number,
            ended_at: game.ended_at,
        }
    }

    /// Returns the id of the message of the game. For a limited time, the stream recognizes by this id that a message
    /// is repeated.
    pub(crate) fn message_id(&self) -> String {
        format!("{}-{}-{}", self.room, self.number, self.ended_at)
    }
}

/// Returns the body of the entry of a finished game.
pub(crate) fn encode_entry(game: &FinishedGame) -> Vec<u8> {
    [&game.ended_at.to_be_bytes()[..], game.record.as_bytes()].concat()
}

/// Decodes the body of the entry of the `number`th game of a room. `None` if it is damaged.
pub(crate) fn decode_entry(number: u32, body: &[u8]) -> Option<FinishedGame> {
    let (ended_at, record) = body.split_first_chunk()?;
    let record = str::from_utf8(record).ok()?.to_owned();
    Some(FinishedGame {
        number,
        ended_at: u64::from_be_bytes(*ended_at),
        record,
    })
}

/// Error of reading bytes that are not a finished game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum GameMessageError {
    #[error("wrong checksum")]
    Checksum,
    #[error("not a finished game")]
    Format,
    #[error("finished game of another version")]
    OtherVersion,
}

/// A finished game and its room: the content of one message of the stream of finished games.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GameMessage {
    pub(crate) room: RoomId,
    pub(crate) game: FinishedGame,
}

impl GameMessage {
    pub(crate) fn encode(room: RoomId, game: &FinishedGame) -> Bytes {
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&room.bits().to_be_bytes());
        bytes.extend_from_slice(&game.number.to_be_bytes());
        bytes.extend_from_slice(&encode_entry(game));
        let checksum = crc32fast::hash(&bytes);
        bytes.extend_from_slice(&checksum.to_be_bytes());
        bytes.into()
    }

    /// Verifies and decodes a message.
    ///
    /// # Errors
    /// The first violation.
    pub(crate) fn parse(bytes: &[u8]) -> Result<GameMessage, GameMessageError> {
        if !bytes.starts_with(MAGIC) {
            let is_other_version = bytes.len() >= MAGIC.len() && bytes.starts_with(&MAGIC[..2]);
            return Err(if is_other_version {
                GameMessageError::OtherVersion
            } else {
                GameMessageError::Format
            });
        }
        let (content, checksum) = bytes
            .split_last_chunk::<CHECKSUM_LEN>()
            .ok_or(GameMessageError::Format)?;
        if crc32fast::hash(content) != u32::from_be_bytes(*checksum) {
            return Err(GameMessageError::Checksum);
        }
        let parse = |content: &[u8]| {
            let (room, rest) = content.get(MAGIC.len()..)?.split_first_chunk()?;
            let (number, rest) = rest.split_first_chunk()?;
            let game = decode_entry(u32::from_be_bytes(*number), rest)?;
            Some(GameMessage {
                room: RoomId::from_bits(u64::from_be_bytes(*room)),
                game,
            })
        };
        parse(content).ok_or(GameMessageError::Format)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game() -> GameMessage {
        let game = FinishedGame {
            number: 3,
            ended_at: 1_700_000_000_123,
            record: "[X \"Änn\"]\n".into(),
        };
        GameMessage {
            room: RoomId::from_bits(0x12_3456_789a),
            game,
        }
    }

    #[test]
    fn a_game_is_read_as_written_and_every_damage_is_found() {
        let written = game();
        let bytes = GameMessage::encode(written.room, &written.game);
        assert_eq!(GameMessage::parse(&bytes), Ok(written.clone()));
        for bit in 0..bytes.len() * 8 {
            let mut flipped = bytes.to_vec();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(GameMessage::parse(&flipped).is_err(), "bit {bit}");
        }
        for length in 0..bytes.len() {
            assert!(
                GameMessage::parse(&bytes[..length]).is_err(),
                "{length} bytes"
            );
        }
        let mut of_other_version = bytes.to_vec();
        of_other_version[2] = 2;
        assert_eq!(
            GameMessage::parse(&of_other_version),
            Err(GameMessageError::OtherVersion)
        );
        assert_eq!(
            decode_entry(3, &encode_entry(&written.game)),
            Some(written.game)
        );
        assert_eq!(decode_entry(3, b"short"), None);
    }

    #[test]
    fn the_layout_of_a_message_is_fixed() {
        let GameMessage { room, game } = game();
        let hex: String = GameMessage::encode(room, &game)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        assert!(
            hex.starts_with(
                "4e470100000012345678 9a000000030000018bcfe5687b5b5820"
                    .replace(' ', "")
                    .as_str()
            ),
            "{hex}"
        );
        assert!(
            GameKey::of(room, &game)
                .message_id()
                .ends_with("-3-1700000000123")
        );
    }
}
