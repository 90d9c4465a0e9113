//! Checks of received frame headers that tungstenite does not make (RFC 6455, sections 5.2 and 5.5): lengths are minimal,
//! and control frames short. Finds a binary message at its first fragment instead of its end.
//!
//! Follows the frames without reading their payloads. All other violations are left to tungstenite, which sees them at the
//! same byte or before.

use noughts_protocol::wire::CloseCode;

/// Length of the longest header, without the mask.
const HEADER_BYTES_MAX: usize = 10;

const FIN: u8 = 0x80;
const MASKED: u8 = 0x80;
const MASK_BYTES: u64 = 4;

/// Length of the header of a short masked frame, with the mask.
const SHORT_HEADER_BYTES: usize = 6;

const OPCODE_CONTINUATION: u8 = 0;
const OPCODE_TEXT: u8 = 1;
const OPCODE_BINARY: u8 = 2;
const TEXT_FIRST_BYTE: u8 = FIN | OPCODE_TEXT;
/// Opcodes from this one on are those of control frames.
const OPCODE_CONTROL_MIN: u8 = 8;

/// Length field of a header whose true length follows in two bytes, or in eight.
const LENGTH_IN_TWO_BYTES: u8 = 126;
const LENGTH_IN_EIGHT_BYTES: u8 = 127;

/// Position in the frames of a peer.
#[derive(Clone, Copy, Debug)]
pub(super) struct FrameCheck {
    allows_binary: bool,
    /// Bytes of the current frame that follow its header: mask and payload.
    remaining: u64,
    header: [u8; HEADER_BYTES_MAX],
    header_len: u8,
    /// A text message has begun and not ended.
    is_fragmented: bool,
    violation: Option<CloseCode>,
}

impl FrameCheck {
    pub(super) fn new(allows_binary: bool) -> FrameCheck {
        FrameCheck {
            allows_binary,
            remaining: 0,
            header: [0; HEADER_BYTES_MAX],
            header_len: 0,
            is_fragmented: false,
            violation: None,
        }
    }

    /// The code that a violation is closed with.
    pub(super) fn violation(&self) -> Option<CloseCode> {
        self.violation
    }

    /// Checks the next bytes of the peer, and returns the number of those before a violation.
    pub(super) fn check(&mut self, bytes: &[u8]) -> usize {
        // Most reads are one short text.
        if self.remaining == 0
            && self.header_len == 0
            && let [TEXT_FIRST_BYTE, second @ (MASKED..=u8::MAX), ..] = bytes
            && bytes.len() == SHORT_HEADER_BYTES + usize::from(second & !MASKED)
            && bytes.len() < SHORT_HEADER_BYTES + usize::from(LENGTH_IN_TWO_BYTES)
        {
            self.is_fragmented = false;
            return bytes.len();
        }
        self.check_headers(bytes)
    }

    fn check_headers(&mut self, bytes: &[u8]) -> usize {
        let mut at = 0;
        while at < bytes.len() {
            let skipped = self.remaining.min((bytes.len() - at) as u64);
            self.remaining -= skipped;
            at += skipped as usize;
            let header_start = at;
            while at < bytes.len() {
                self.header[usize::from(self.header_len)] = bytes[at];
                self.header_len += 1;
                at += 1;
                if self.header_len >= 2 && self.header_len == self.needed_header_len() {
                    self.header_len = 0;
                    self.violation = self.on_header();
                    break;
                }
            }
            if self.violation.is_some() {
                return header_start;
            }
        }
        at
    }

    fn length_field(&self) -> u8 {
        self.header[1] & !MASKED
    }

    fn needed_header_len(&self) -> u8 {
        match self.length_field() {
            LENGTH_IN_TWO_BYTES => 4,
            LENGTH_IN_EIGHT_BYTES => 10,
            _ => 2,
        }
    }

    fn on_header(&mut self) -> Option<CloseCode> {
        let [first, second, ..] = self.header;
        let (is_final, opcode) = (first & FIN != 0, first & 0x0f);
        let (length, min_length) = match self.length_field() {
            LENGTH_IN_TWO_BYTES => (
                u64::from(u16::from_be_bytes([self.header[2], self.header[3]])),
                126,
            ),
            LENGTH_IN_EIGHT_BYTES => {
                let [_, _, length @ ..] = self.header;
                (u64::from_be_bytes(length), 1 << 16)
            }
            short => (u64::from(short), 0),
        };
        let is_control = opcode >= OPCODE_CONTROL_MIN;
        if length < min_length || (is_control && length >= u64::from(LENGTH_IN_TWO_BYTES)) {
            return Some(CloseCode::ProtocolError);
        }
        match opcode {
            OPCODE_BINARY if !is_final && !self.is_fragmented && !self.allows_binary => {
                return Some(CloseCode::Unsupported);
            }
            OPCODE_TEXT | OPCODE_CONTINUATION => self.is_fragmented = !is_final,
            _ => {}
        }
        let mask_bytes = if second & MASKED != 0 { MASK_BYTES } else { 0 };
        self.remaining = length.saturating_add(mask_bytes);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A masked frame of a client with its length in a field of `extra` more bytes.
    fn frame(first: u8, length: usize, extra: usize) -> Vec<u8> {
        let field = match extra {
            0 => length as u8,
            2 => LENGTH_IN_TWO_BYTES,
            _ => LENGTH_IN_EIGHT_BYTES,
        };
        let long = (length as u64).to_be_bytes();
        let mut bytes = vec![first, MASKED | field];
        bytes.extend(&long[8 - extra..]);
        bytes.extend([7; 4]);
        bytes.resize(bytes.len() + length, 0xff);
        bytes
    }

    const TEXT: u8 = FIN | OPCODE_TEXT;
    const PING: u8 = FIN | 9;

    #[test]
    fn violations_are_found_at_the_header_in_pieces_of_any_size() {
        let before = [
            frame(TEXT, 5, 0),
            frame(TEXT, 126, 2),
            frame(PING, 125, 0),
            frame(TEXT, 65_536, 8),
        ]
        .concat();
        for (last, expected) in [
            (frame(TEXT, 125, 0), None),
            (frame(TEXT, 125, 2), Some(CloseCode::ProtocolError)),
            (frame(TEXT, 65_535, 8), Some(CloseCode::ProtocolError)),
            (frame(TEXT, 65_535, 2), None),
            (frame(PING, 3, 2), Some(CloseCode::ProtocolError)),
            (frame(PING, 126, 2), Some(CloseCode::ProtocolError)),
            (frame(PING, 70_000, 8), Some(CloseCode::ProtocolError)),
            (frame(OPCODE_BINARY, 3, 0), Some(CloseCode::Unsupported)),
            (frame(FIN | OPCODE_BINARY, 3, 0), None),
            // Violations that tungstenite finds.
            (
                [frame(OPCODE_TEXT, 3, 0), frame(OPCODE_BINARY, 3, 0)].concat(),
                None,
            ),
        ] {
            let bytes = [&*before, &last].concat();
            for size in [1, 2, 3, 7, 100, 4096, bytes.len()] {
                let mut check = FrameCheck::new(false);
                let passed: usize = bytes
                    .chunks(size)
                    .map(|piece| {
                        if check.violation().is_none() {
                            check.check(piece)
                        } else {
                            0
                        }
                    })
                    .sum();
                assert_eq!(
                    check.violation(),
                    expected,
                    "{:?} in pieces of {size}",
                    &last[..4]
                );
                let is_header_begun =
                    (before.len()..before.len() + HEADER_BYTES_MAX).contains(&passed);
                assert!(
                    if expected.is_none() {
                        passed == bytes.len()
                    } else {
                        is_header_begun
                    },
                    "{passed}"
                );
            }
            let mut check = FrameCheck::new(false);
            assert_eq!(
                check.check(&bytes),
                if expected.is_none() {
                    bytes.len()
                } else {
                    before.len()
                }
            );
        }
    }

    #[test]
    fn binary_fragments_are_allowed_where_requested() {
        let mut check = FrameCheck::new(true);
        check.check(&frame(OPCODE_BINARY, 3, 0));
        assert_eq!(check.violation(), None);
    }
}
