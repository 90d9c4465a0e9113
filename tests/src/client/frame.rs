//! Frames of RFC 6455 as a client sends them, good ones and bad ones.

/// A continuation of a message.
pub const CONTINUATION: u8 = 0;
/// A text.
pub const TEXT: u8 = 1;
/// Bytes.
pub const BINARY: u8 = 2;
/// The end.
pub const CLOSE: u8 = 8;
/// A question for life.
pub const PING: u8 = 9;
/// The answer.
pub const PONG: u8 = 10;

/// A frame, good unless told otherwise: whole, masked, with the shortest length.
#[derive(Clone, Debug)]
pub struct ClientFrame {
    first_byte: u8,
    masked: bool,
    declared_length: Option<u64>,
    payload: Vec<u8>,
}

impl ClientFrame {
    /// A good frame.
    pub fn new(opcode: u8, payload: impl Into<Vec<u8>>) -> ClientFrame {
        ClientFrame {
            first_byte: 0x80 | opcode,
            masked: true,
            declared_length: None,
            payload: payload.into(),
        }
    }

    /// A close frame with this code and reason.
    pub fn close(code: u16, reason: &[u8]) -> ClientFrame {
        ClientFrame::new(CLOSE, [&code.to_be_bytes()[..], reason].concat())
    }

    /// Not the last of its message.
    #[must_use]
    pub fn without_fin(mut self) -> ClientFrame {
        self.first_byte &= 0x7f;
        self
    }

    /// With these of the three reserved bits, in their place in the first byte.
    #[must_use]
    pub fn with_reserved_bits(mut self, bits: u8) -> ClientFrame {
        self.first_byte |= bits;
        self
    }

    /// Without a mask, as only a server may.
    #[must_use]
    pub fn without_mask(mut self) -> ClientFrame {
        self.masked = false;
        self
    }

    /// Says that it is this long, whatever it is.
    #[must_use]
    pub fn with_declared_length(mut self, length: u64) -> ClientFrame {
        self.declared_length = Some(length);
        self
    }

    /// Its bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let length = self.declared_length.unwrap_or(self.payload.len() as u64);
        let mask = if self.masked { 0x80 } else { 0 };
        let mut bytes = vec![self.first_byte];
        match (u8::try_from(length), u16::try_from(length)) {
            (Ok(short @ ..126), _) => bytes.push(mask | short),
            (_, Ok(medium)) => {
                bytes.push(mask | 126);
                bytes.extend(medium.to_be_bytes());
            }
            (_, Err(_)) => {
                bytes.push(mask | 127);
                bytes.extend(length.to_be_bytes());
            }
        }
        if self.masked {
            let key = [0x37, 0xfa, 0x21, 0x3d];
            bytes.extend(key);
            bytes.extend(self.payload.iter().zip(key.iter().cycle()).map(|(byte, key)| byte ^ key));
        } else {
            bytes.extend(&self.payload);
        }
        bytes
    }
}

/// What a client wrote, taken apart: the kind of each whole frame, and its bytes.
pub fn split(mut bytes: &[u8]) -> Vec<(u8, &[u8])> {
    let mut frames = Vec::new();
    while let [first, second, rest @ ..] = bytes {
        let (head, length) = match (second & 0x7f, rest) {
            (126, [a, b, ..]) => (4, usize::from(u16::from_be_bytes([*a, *b]))),
            (126 | 127, _) => panic!("no client writes a request of 64 KiB"),
            (short, _) => (2, usize::from(short)),
        };
        // A mask of four bytes is between head and payload.
        let Some((frame, after)) = bytes.split_at_checked(head + 4 + length) else { break };
        frames.push((first & 0x0f, frame));
        bytes = after;
    }
    frames
}

/// The bytes of several frames.
pub fn encode_frames(frames: &[ClientFrame]) -> Vec<u8> {
    frames.iter().flat_map(ClientFrame::to_bytes).collect()
}
