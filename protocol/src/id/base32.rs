//! Base 32 of ids, codes, tokens and keys.

use std::fmt;

/// The digits of Crockford's base 32, without `i`, `l`, `o` and `u`, so that a code can be read aloud.
///
/// Source: Douglas Crockford, "Base 32", <https://www.crockford.com/base32.html>.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// Error of reading an id, a code, a token or a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdError;

impl fmt::Display for IdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not_an_id")
    }
}

impl std::error::Error for IdError {}

/// The lowest `N * 5` bits as base 32, highest digit first. The digits stay on the stack, because every message
/// to a room contains a room id.
pub(super) struct Digits<const N: usize>([u8; N]);

impl<const N: usize> Digits<N> {
    pub(super) fn from_bits(mut bits: u128) -> Digits<N> {
        let mut digits = [0; N];
        for digit in digits.iter_mut().rev() {
            *digit = ALPHABET[(bits & 31) as usize];
            bits >>= 5;
        }
        Digits(digits)
    }

    pub(super) fn as_str(&self) -> &str {
        str::from_utf8(&self.0).expect("the alphabet is ASCII")
    }
}

/// Reads exactly `len` digits in either case. Skips dashes, and reads `i` and `l` as 1 and `o` as 0.
pub(super) fn decode(text: &str, len: usize) -> Result<u128, IdError> {
    let mut bits: u128 = 0;
    let mut count = 0;
    for byte in text.bytes().filter(|&byte| byte != b'-') {
        let byte = match byte.to_ascii_lowercase() {
            b'i' | b'l' => b'1',
            b'o' => b'0',
            other => other,
        };
        let digit = ALPHABET
            .iter()
            .position(|&known| known == byte)
            .ok_or(IdError)?;
        count += 1;
        if count > len {
            return Err(IdError);
        }
        bits = bits << 5 | digit as u128;
    }
    if count == len { Ok(bits) } else { Err(IdError) }
}
