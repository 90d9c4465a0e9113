//! Identifiers on the wire: rooms, room codes, tokens, client keys, identities, requests, and event numbers.
//!
//! No type here draws randomness: the caller passes the bits.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

mod base32;

pub use base32::IdError;

use base32::{Digits, decode};

/// Implements `Serialize` and `Deserialize` as text, for a type with `Display` and `FromStr`.
macro_rules! serde_as_text {
    ($type:ty) => {
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        $crate::id::deserialize_from_text!($type);
    };
}

/// Implements `Deserialize` from text, for a type with `FromStr`.
macro_rules! deserialize_from_text {
    ($type:ty) => {
        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<$type, D::Error> {
                let text = String::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}
pub(crate) use {deserialize_from_text, serde_as_text};

/// The public id of a room: 8 base-32 digits (40 bits), e.g. `k7qf3mzx`. Not a secret.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RoomId(u64);

impl RoomId {
    const DIGITS: usize = 8;

    /// Returns the id with the lowest 40 bits of `bits`.
    pub fn from_bits(bits: u64) -> RoomId {
        RoomId(bits & ((1 << (5 * Self::DIGITS)) - 1))
    }

    /// Returns the 40 bits of this id.
    pub fn bits(self) -> u64 {
        self.0
    }
}

impl fmt::Display for RoomId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Digits::<{ Self::DIGITS }>::from_bits(u128::from(self.0)).as_str())
    }
}

impl fmt::Debug for RoomId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RoomId({self})")
    }
}

impl FromStr for RoomId {
    type Err = IdError;

    fn from_str(text: &str) -> Result<RoomId, IdError> {
        decode(text, Self::DIGITS).map(|bits| RoomId(bits as u64))
    }
}

/// Bypasses `Display`, because its formatting machinery costs more than the digits, and every message to a room has a
/// room id.
impl Serialize for RoomId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(Digits::<{ Self::DIGITS }>::from_bits(u128::from(self.0)).as_str())
    }
}

deserialize_from_text!(RoomId);

/// The secret code of a private room: 12 base-32 digits (60 bits), written `abcd-efgh-jkmn`.
///
/// A client with the code may join or watch the room. `Debug` hides the code, so that it does not reach a log by
/// accident.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct RoomCode(u64);

impl RoomCode {
    const DIGITS: usize = 12;

    /// Returns the code with the lowest 60 bits of `bits`, which must come from a cryptographic random number
    /// generator.
    pub fn from_bits(bits: u64) -> RoomCode {
        RoomCode(bits & ((1 << (5 * Self::DIGITS)) - 1))
    }
}

impl fmt::Display for RoomCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = Digits::<{ Self::DIGITS }>::from_bits(u128::from(self.0));
        let digits = digits.as_str();
        write!(f, "{}-{}-{}", &digits[..4], &digits[4..8], &digits[8..])
    }
}

impl fmt::Debug for RoomCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Code(hidden)")
    }
}

impl FromStr for RoomCode {
    type Err = IdError;

    fn from_str(text: &str) -> Result<RoomCode, IdError> {
        decode(text, Self::DIGITS).map(|bits| RoomCode(bits as u64))
    }
}

serde_as_text!(RoomCode);

/// A reference to a room: the public id, or the code of a private room. The length of the text decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RoomRef {
    /// A public room.
    Id(RoomId),
    /// A private room.
    Code(RoomCode),
}

impl fmt::Display for RoomRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RoomRef::Id(id) => id.fmt(f),
            RoomRef::Code(code) => code.fmt(f),
        }
    }
}

impl FromStr for RoomRef {
    type Err = IdError;

    fn from_str(text: &str) -> Result<RoomRef, IdError> {
        text.parse()
            .map(RoomRef::Id)
            .or_else(|_| text.parse().map(RoomRef::Code))
    }
}

serde_as_text!(RoomRef);

/// The secret that grants a seat: 26 base-32 digits (128 bits). `Debug` hides it.
///
/// The type has no `PartialEq`: compare [`ResumeToken::to_bytes`] in constant time.
// The token is stored as bytes, because a `u128` has an alignment of 16 bytes and a room holds several tokens.
#[derive(Clone, Copy)]
pub struct ResumeToken([u8; 16]);

impl ResumeToken {
    const DIGITS: usize = 26;

    /// Returns the token with these bits, which must come from a cryptographic random number generator.
    pub fn from_bits(bits: u128) -> ResumeToken {
        ResumeToken(bits.to_be_bytes())
    }

    /// Returns the bits, for comparison in constant time and for storage.
    pub fn to_bytes(self) -> [u8; 16] {
        self.0
    }
}

impl fmt::Display for ResumeToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Digits::<{ Self::DIGITS }>::from_bits(u128::from_be_bytes(self.0)).as_str())
    }
}

impl fmt::Debug for ResumeToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ResumeToken(hidden)")
    }
}

impl FromStr for ResumeToken {
    type Err = IdError;

    fn from_str(text: &str) -> Result<ResumeToken, IdError> {
        // 26 digits hold 130 bits, so the first digit must be below 8.
        match text.bytes().find(|&byte| byte != b'-') {
            Some(b'0'..=b'7') => decode(text, Self::DIGITS).map(ResumeToken::from_bits),
            Some(_) | None => Err(IdError),
        }
    }
}

serde_as_text!(ResumeToken);

/// A secret that identifies one client on all its connections: 26 base-32 digits (128 bits), chosen by the client.
/// `Debug` hides it.
///
/// The server never pairs two connections with the same key. If a connection breaks before the client learns of its new
/// seat, the server grants the seat in the next welcome.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Party([u8; 16]);

impl Party {
    /// Returns the key with these bits, which must come from a cryptographic random number generator.
    pub fn from_bits(bits: u128) -> Party {
        Party(bits.to_be_bytes())
    }
}

impl fmt::Display for Party {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        ResumeToken(self.0).fmt(f)
    }
}

impl fmt::Debug for Party {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Party(hidden)")
    }
}

impl FromStr for Party {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Party, IdError> {
        text.parse().map(|ResumeToken(bytes)| Party(bytes))
    }
}

serde_as_text!(Party);

/// The secret that shows a server who the player is: 26 base-32 digits (128 bits), drawn by the client. `Debug` hides
/// it.
///
/// A server computes the [`Identity`] from it and forgets the secret.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct IdentitySecret([u8; 16]);

impl IdentitySecret {
    /// Returns the secret with these bytes, which must be unpredictable.
    pub const fn from_bytes(bytes: [u8; 16]) -> IdentitySecret {
        IdentitySecret(bytes)
    }

    /// Returns the bytes, for hash functions.
    pub fn to_bytes(self) -> [u8; 16] {
        self.0
    }
}

impl fmt::Display for IdentitySecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        ResumeToken(self.0).fmt(f)
    }
}

impl fmt::Debug for IdentitySecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("IdentitySecret(hidden)")
    }
}

impl FromStr for IdentitySecret {
    type Err = IdError;

    fn from_str(text: &str) -> Result<IdentitySecret, IdError> {
        text.parse().map(|ResumeToken(bytes)| IdentitySecret(bytes))
    }
}

serde_as_text!(IdentitySecret);

/// The public id of a player who is recognised: 26 base-32 digits (128 bits), which the server computes from an
/// [`IdentitySecret`] and the kind of the player. Not a secret.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Identity([u8; 16]);

impl Identity {
    /// Number of digits of a [`Identity::tag`].
    pub const TAG_DIGITS: usize = 6;

    /// Returns the identity with these bytes.
    pub fn from_bytes(bytes: [u8; 16]) -> Identity {
        Identity(bytes)
    }

    /// Returns the bytes of the digest.
    pub fn to_bytes(self) -> [u8; 16] {
        self.0
    }

    /// Returns the first digits, which clients show beside the name. Two players may have the same tag, by accident or
    /// because one of them searched for it.
    pub fn tag(self) -> String {
        self.to_string()[..Self::TAG_DIGITS].to_owned()
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        ResumeToken(self.0).fmt(f)
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Identity({self})")
    }
}

impl FromStr for Identity {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Identity, IdError> {
        text.parse().map(|ResumeToken(bytes)| Identity(bytes))
    }
}

serde_as_text!(Identity);

/// The number of a request, chosen by the client: 0 to 2^53 − 1, the integers that JavaScript represents exactly.
///
/// The response repeats the number. A client that resends a request after a lost connection keeps its number, and the
/// server applies it once. Every new request needs a new number, even from another process with the same seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct RequestId(u64);

impl RequestId {
    /// The largest number.
    pub const MAX: u64 = (1 << 53) - 1;

    /// Returns the id with this number. `None` above [`RequestId::MAX`].
    pub fn new(number: u64) -> Option<RequestId> {
        (number <= Self::MAX).then_some(RequestId(number))
    }

    /// Returns the number.
    pub fn get(self) -> u64 {
        self.0
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<'de> Deserialize<'de> for RequestId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RequestId, D::Error> {
        let number = u64::deserialize(deserializer)?;
        RequestId::new(number).ok_or_else(|| serde::de::Error::custom("a request id is below 2^53"))
    }
}

/// The number of an event in the history of a room. The numbers are consecutive and begin at 1; 0 stands for the time
/// before the first event.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Seq(u64);

impl Seq {
    /// The number before the first event.
    pub const ZERO: Seq = Seq(0);

    /// Creates a sequence number from `number`.
    pub fn new(number: u64) -> Seq {
        Seq(number)
    }

    /// Returns the number.
    pub fn get(self) -> u64 {
        self.0
    }

    /// Returns the next number; saturates at `u64::MAX`.
    pub fn next(self) -> Seq {
        Seq(self.0.saturating_add(1))
    }
}

impl fmt::Display for Seq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_do_not_show_in_debug() {
        assert_eq!(format!("{:?}", RoomCode::from_bits(77)), "Code(hidden)");
        assert_eq!(
            format!("{:?}", ResumeToken::from_bits(77)),
            "ResumeToken(hidden)"
        );
        assert_eq!(format!("{:?}", Party::from_bits(77)), "Party(hidden)");
        assert_eq!(
            format!("{:?}", IdentitySecret::from_bytes([7; 16])),
            "IdentitySecret(hidden)"
        );
    }
}
