//! WebSocket frames (RFC 6455): valid and invalid frames of a client, and a parser for both directions.

pub const CONTINUATION: u8 = 0;
pub const TEXT: u8 = 1;
pub const BINARY: u8 = 2;
pub const CLOSE: u8 = 8;
pub const PING: u8 = 9;
pub const PONG: u8 = 10;

/// FIN bit of the first byte: the frame is the last of its message.
pub const FIN: u8 = 0x80;
/// Mask bit of the second byte.
const MASK_BIT: u8 = 0x80;
/// Length of a mask in bytes.
const MASK_LEN: usize = 4;
/// The key that masks all frames here. A client must mask, but may reuse a key.
const MASK: [u8; MASK_LEN] = [0x37, 0xfa, 0x21, 0x3d];

/// Header of a frame in either direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameHeader {
    /// FIN bit, reserved bits and opcode.
    pub first_byte: u8,
    pub is_masked: bool,
    /// Length of the header, with the mask if there is one.
    pub header_len: usize,
    pub payload_len: usize,
}

impl FrameHeader {
    /// Parses the header at the start of `bytes`. Returns `None` if it is incomplete.
    ///
    /// # Panics
    ///
    /// If the payload length exceeds `usize`.
    pub fn parse(bytes: &[u8]) -> Option<FrameHeader> {
        let [first_byte, second_byte] = *bytes.first_chunk()?;
        let (length_len, payload_len) = match second_byte & !MASK_BIT {
            127 => (8, u64::from_be_bytes(*bytes.get(2..)?.first_chunk()?)),
            126 => (
                2,
                u16::from_be_bytes(*bytes.get(2..)?.first_chunk()?).into(),
            ),
            short => (0, short.into()),
        };
        let is_masked = second_byte & MASK_BIT != 0;
        Some(FrameHeader {
            first_byte,
            is_masked,
            header_len: 2 + length_len + if is_masked { MASK_LEN } else { 0 },
            payload_len: usize::try_from(payload_len).expect("a length in memory"),
        })
    }

    /// Returns the length of the whole frame.
    pub fn frame_len(&self) -> usize {
        self.header_len + self.payload_len
    }
}

/// Takes the first frame out of `buffer`: first byte and payload, which must not be masked. Returns `None` if it
/// is incomplete.
///
/// # Panics
///
/// If the frame is masked, which no frame of a server may be.
pub fn take_server_frame(buffer: &mut Vec<u8>) -> Option<(u8, Vec<u8>)> {
    let header = FrameHeader::parse(buffer)?;
    assert!(!header.is_masked, "a server does not mask its frames");
    if buffer.len() < header.frame_len() {
        return None;
    }
    let payload = buffer[header.header_len..header.frame_len()].to_vec();
    buffer.drain(..header.frame_len());
    Some((header.first_byte, payload))
}

/// Appends a masked frame to `buffer`.
pub fn push_masked_frame(buffer: &mut Vec<u8>, first_byte: u8, payload: &[u8]) {
    buffer.push(first_byte);
    push_length(buffer, MASK_BIT, payload.len() as u64);
    buffer.extend(MASK);
    buffer.extend(
        payload
            .iter()
            .zip(MASK.iter().cycle())
            .map(|(byte, key)| byte ^ key),
    );
}

/// Appends a frame of a server to `buffer`.
pub fn push_server_frame(buffer: &mut Vec<u8>, first_byte: u8, payload: &[u8]) {
    buffer.push(first_byte);
    push_length(buffer, 0, payload.len() as u64);
    buffer.extend(payload);
}

/// Appends the second byte and the extended length, in the shortest encoding.
fn push_length(buffer: &mut Vec<u8>, mask_bit: u8, length: u64) {
    match (u8::try_from(length), u16::try_from(length)) {
        (Ok(short @ ..126), _) => buffer.push(mask_bit | short),
        (_, Ok(medium)) => {
            buffer.push(mask_bit | 126);
            buffer.extend(medium.to_be_bytes());
        }
        (_, Err(_)) => {
            buffer.push(mask_bit | 127);
            buffer.extend(length.to_be_bytes());
        }
    }
}

/// Client frame, by default valid: final, masked, with the shortest length encoding.
#[derive(Clone, Debug)]
pub struct ClientFrame {
    first_byte: u8,
    masked: bool,
    declared_length: Option<u64>,
    payload: Vec<u8>,
}

impl ClientFrame {
    /// Creates a valid frame.
    pub fn new(opcode: u8, payload: impl Into<Vec<u8>>) -> ClientFrame {
        ClientFrame {
            first_byte: FIN | opcode,
            masked: true,
            declared_length: None,
            payload: payload.into(),
        }
    }

    /// Creates a close frame with a code and a reason.
    pub fn close(code: u16, reason: &[u8]) -> ClientFrame {
        ClientFrame::new(CLOSE, [&code.to_be_bytes()[..], reason].concat())
    }

    /// Clears the FIN bit: more fragments follow.
    #[must_use]
    pub fn without_fin(mut self) -> ClientFrame {
        self.first_byte &= !FIN;
        self
    }

    /// Sets reserved bits at their position in the first byte.
    #[must_use]
    pub fn with_reserved_bits(mut self, bits: u8) -> ClientFrame {
        self.first_byte |= bits;
        self
    }

    /// Omits the mask, which only a server may do.
    #[must_use]
    pub fn without_mask(mut self) -> ClientFrame {
        self.masked = false;
        self
    }

    /// Declares this payload length regardless of the actual length.
    #[must_use]
    pub fn with_declared_length(mut self, length: u64) -> ClientFrame {
        self.declared_length = Some(length);
        self
    }

    /// Encodes the frame.
    pub fn to_bytes(&self) -> Vec<u8> {
        let length = self.declared_length.unwrap_or(self.payload.len() as u64);
        let mut bytes = vec![self.first_byte];
        let mask_bit = if self.masked { MASK_BIT } else { 0 };
        push_length(&mut bytes, mask_bit, length);
        if self.masked {
            bytes.extend(MASK);
            bytes.extend(
                self.payload
                    .iter()
                    .zip(MASK.iter().cycle())
                    .map(|(byte, key)| byte ^ key),
            );
        } else {
            bytes.extend(&self.payload);
        }
        bytes
    }
}

/// Splits the bytes that a client wrote into opcode and raw bytes of each complete frame.
pub fn split(mut bytes: &[u8]) -> Vec<(u8, &[u8])> {
    let mut frames = Vec::new();
    while let Some(header) = FrameHeader::parse(bytes) {
        assert!(header.is_masked, "a client masks its frames");
        let Some((frame, rest)) = bytes.split_at_checked(header.frame_len()) else {
            break;
        };
        frames.push((header.first_byte & 0x0f, frame));
        bytes = rest;
    }
    frames
}

/// Concatenates the bytes of several frames.
pub fn encode_frames(frames: &[ClientFrame]) -> Vec<u8> {
    frames.iter().flat_map(ClientFrame::to_bytes).collect()
}
