//! What things are called on the wire: rooms, codes, tokens, requests, places in a room's history.
//!
//! None of these draws its own randomness: whoever makes one passes the bits in.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Crockford's base 32: no `i`, `l`, `o`, `u`, so that a code survives a phone call.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// Why a text is not an id, a code or a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdError;

impl fmt::Display for IdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not an id: wrong length, or a character that no id has")
    }
}

impl std::error::Error for IdError {}

/// The lowest `N * 5` bits as base 32, highest digit first. No text is made on the heap: every message to a
/// room has the room's.
struct Digits<const N: usize>([u8; N]);

impl<const N: usize> Digits<N> {
    fn from_bits(mut bits: u128) -> Digits<N> {
        let mut digits = [0; N];
        for digit in digits.iter_mut().rev() {
            *digit = ALPHABET[(bits & 31) as usize];
            bits >>= 5;
        }
        Digits(digits)
    }

    fn as_str(&self) -> &str {
        str::from_utf8(&self.0).expect("the alphabet is ASCII")
    }
}

/// Reads exactly `digits` digits; case does not count, dashes are passed over, and `i`, `l` and `o`
/// are taken for the digits that they look like.
fn decode(text: &str, len: usize) -> Result<u128, IdError> {
    let mut bits: u128 = 0;
    let mut count = 0;
    for byte in text.bytes().filter(|&byte| byte != b'-') {
        let byte = match byte.to_ascii_lowercase() {
            b'i' | b'l' => b'1',
            b'o' => b'0',
            other => other,
        };
        let digit = ALPHABET.iter().position(|&known| known == byte).ok_or(IdError)?;
        count += 1;
        if count > len {
            return Err(IdError);
        }
        bits = bits << 5 | digit as u128;
    }
    if count == len { Ok(bits) } else { Err(IdError) }
}

/// Serde as the text form, for a type that has `Display` and `FromStr`.
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
pub(crate) use serde_as_text;

/// The half of it that reads.
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
pub(crate) use deserialize_from_text;

/// The public name of a room: 8 base-32 digits (40 bits), `k7qf3mzx`. Not a secret.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RoomId(u64);

impl RoomId {
    const DIGITS: usize = 8;

    /// The id made of the lowest 40 bits of `bits`.
    pub fn from_bits(bits: u64) -> RoomId {
        RoomId(bits & ((1 << (5 * Self::DIGITS)) - 1))
    }

    /// The 40 bits of this id.
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

/// Without `Display`, whose machinery costs more than the digits: it is in every message to a room.
impl Serialize for RoomId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(Digits::<{ Self::DIGITS }>::from_bits(u128::from(self.0)).as_str())
    }
}

deserialize_from_text!(RoomId);

/// The secret name of a private room: 12 base-32 digits (60 bits), written `abcd-efgh-jkmn`.
///
/// Whoever has it may join or watch. `Debug` hides it, so that it reaches no log by accident.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct RoomCode(u64);

impl RoomCode {
    const DIGITS: usize = 12;

    /// The code made of the lowest 60 bits of `bits`, which come from a source fit for secrets.
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

/// How a client points at a room: by its public id, or by the code of a private one.
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
        text.parse().map(RoomRef::Id).or_else(|_| text.parse().map(RoomRef::Code))
    }
}

serde_as_text!(RoomRef);

/// The secret right to a seat: 26 base-32 digits (128 bits). `Debug` hides it.
///
/// There is no `PartialEq`: tokens are compared in constant time, over [`ResumeToken::to_bytes`].
// As bytes: a number of 128 bits would be laid out at every sixteenth, and a room holds several with gaps between.
#[derive(Clone, Copy)]
pub struct ResumeToken([u8; 16]);

impl ResumeToken {
    const DIGITS: usize = 26;

    /// The token made of `bits`, which come from a source fit for secrets.
    pub fn from_bits(bits: u128) -> ResumeToken {
        ResumeToken(bits.to_be_bytes())
    }

    /// The token's bits, for a comparison in constant time and for storage.
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
        // 26 digits hold 130 bits: the first digit has two to spare.
        match text.bytes().find(|&byte| byte != b'-') {
            Some(b'0'..=b'7') => decode(text, Self::DIGITS).map(ResumeToken::from_bits),
            Some(_) | None => Err(IdError),
        }
    }
}

serde_as_text!(ResumeToken);

/// A secret by which a party is known on each of its connections: 26 base-32 digits (128 bits), of its own
/// choice. `Debug` hides it.
///
/// Two connections of one party are never paired with each other, and the party is told of the seat that it
/// took on a connection which broke before it could hear so.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct PartyKey([u8; 16]);

impl PartyKey {
    /// The party of these bits, which come from a source fit for secrets.
    pub fn from_bits(bits: u128) -> PartyKey {
        PartyKey(bits.to_be_bytes())
    }
}

impl fmt::Display for PartyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        ResumeToken(self.0).fmt(f)
    }
}

impl fmt::Debug for PartyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Party(hidden)")
    }
}

impl FromStr for PartyKey {
    type Err = IdError;

    fn from_str(text: &str) -> Result<PartyKey, IdError> {
        text.parse().map(|ResumeToken(bytes)| PartyKey(bytes))
    }
}

serde_as_text!(PartyKey);

/// The number that a client gives a request: 0 to 2^53 − 1, so that JavaScript keeps it whole.
///
/// An answer names it. A request sent again after a lost line keeps its number, and is then applied
/// once; a new request takes a new number, also from another process with the same seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct RequestId(u64);

impl RequestId {
    /// The largest number.
    pub const MAX: u64 = (1 << 53) - 1;

    /// The request numbered `number`, if that is within [`RequestId::MAX`].
    pub fn new(number: u64) -> Option<RequestId> {
        (number <= Self::MAX).then_some(RequestId(number))
    }

    /// The number.
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

/// A place in a room's history: the first event is number 1, and there are no gaps. 0 is before all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seq(u64);

impl Seq {
    /// Before the first event.
    pub const ZERO: Seq = Seq(0);

    /// The place numbered `number`.
    pub fn new(number: u64) -> Seq {
        Seq(number)
    }

    /// The number.
    pub fn get(self) -> u64 {
        self.0
    }

    /// The place after this one.
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
    fn text_forms_round_trip() {
        for bits in [0, 1, 31, u64::MAX, 0x0123_4567_89ab_cdef] {
            let id = RoomId::from_bits(bits);
            assert_eq!(id.to_string().parse(), Ok(id));
            let code = RoomCode::from_bits(bits);
            assert_eq!(code.to_string().parse(), Ok(code));
            let token = ResumeToken::from_bits(u128::from(bits) << 64 | 7);
            let again: ResumeToken = token.to_string().parse().unwrap();
            assert_eq!(again.to_bytes(), token.to_bytes());
            let party = PartyKey::from_bits(u128::from(bits) << 64 | 7);
            assert_eq!(party.to_string().parse(), Ok(party));
        }
    }

    #[test]
    fn a_code_may_be_typed_as_it_was_heard() {
        let code: RoomCode = "0a1b-2c3d-4e5f".parse().unwrap();
        for heard in ["OA1B2C3D4E5F", "oaib-2c3d4e5f", "0alb2c3d-4e5f"] {
            assert_eq!(heard.parse(), Ok(code), "{heard}");
        }
    }

    #[test]
    fn a_reference_is_told_apart_by_its_length() {
        assert!(matches!("k7qf3mzx".parse(), Ok(RoomRef::Id(_))));
        assert!(matches!("k7qf-3mzx-0000".parse(), Ok(RoomRef::Code(_))));
        for wrong in ["", "k7qf3mz", "k7qf3mzx0", "k7qf-3mzx-000", "k7qf3mz*", "../../..", "k7qf3mzé"] {
            assert_eq!(wrong.parse::<RoomRef>(), Err(IdError), "{wrong}");
        }
    }

    #[test]
    fn a_token_with_bits_to_spare_is_refused() {
        assert!("80000000000000000000000000".parse::<ResumeToken>().is_err());
        assert!("7zzzzzzzzzzzzzzzzzzzzzzzzz".parse::<ResumeToken>().is_ok());
    }

    #[test]
    fn secrets_do_not_show_in_debug() {
        assert_eq!(format!("{:?}", RoomCode::from_bits(77)), "Code(hidden)");
        assert_eq!(format!("{:?}", ResumeToken::from_bits(77)), "ResumeToken(hidden)");
        assert_eq!(format!("{:?}", PartyKey::from_bits(77)), "Party(hidden)");
    }
}
