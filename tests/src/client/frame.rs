//! WebSocket frames (RFC 6455): valid and invalid frames of a client, and a parser for both directions.

pub const CONTINUATION: u8 = 0;
pub const TEXT: u8 = 1;
pub const BINARY: u8 = 2;
pub const CLOSE: u8 = 8;
pub const PING: u8 = 9;
pub const PONG: u8 = 10;

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
            first_byte: 0x80 | opcode,
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
        self.first_byte &= 0x7f;
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

    /// Declares this payload length regardless of the actual one.
    #[must_use]
    pub fn with_declared_length(mut self, length: u64) -> ClientFrame {
        self.declared_length = Some(length);
        self
    }

    /// Encodes the frame.
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

/// Splits the bytes that a client wrote into opcode and raw bytes of each complete frame.
pub fn split(mut bytes: &[u8]) -> Vec<(u8, &[u8])> {
    let mut frames = Vec::new();
    while let [first, second, rest @ ..] = bytes {
        let (head, length) = match (second & 0x7f, rest) {
            (126, [a, b, ..]) => (4, usize::from(u16::from_be_bytes([*a, *b]))),
            (126 | 127, _) => panic!("no client writes a request of 64 KiB"),
            (short, _) => (2, usize::from(short)),
        };
        // The mask of four bytes lies between header and payload.
        let Some((frame, after)) = bytes.split_at_checked(head + 4 + length) else { break };
        frames.push((first & 0x0f, frame));
        bytes = after;
    }
    frames
}

/// Concatenates the bytes of several frames.
pub fn encode_frames(frames: &[ClientFrame]) -> Vec<u8> {
    frames.iter().flat_map(ClientFrame::to_bytes).collect()
}
