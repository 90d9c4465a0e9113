//! A message encoded once as a WebSocket frame, for any number of receivers.

use std::ops::Deref;
use std::sync::Arc;

use noughts_protocol::wire::{Message, write_json};

/// A text or ping frame of a server: header and unmasked payload (RFC 6455, section 5.2). Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct EncodedFrame(Arc<[u8]>);

/// First bytes of an unfragmented text and of a ping: FIN and opcode.
const TEXT_FIRST_BYTE: u8 = 0x81;
const PING_FIRST_BYTE: u8 = 0x89;

impl EncodedFrame {
    /// Encodes a ping with a number as payload, which the pong repeats.
    pub(crate) fn ping(number: u64) -> EncodedFrame {
        let [a, b, c, d, e, f, g, h] = number.to_be_bytes();
        EncodedFrame([PING_FIRST_BYTE, 8, a, b, c, d, e, f, g, h].into())
    }

    /// Returns header and payload.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns the length of the header.
    fn header_len(&self) -> usize {
        match self.0[1] {
            ..126 => 2,
            126 => 4,
            127.. => 10,
        }
    }
}

/// Space reserved for the header: enough for payloads below 64 KiB.
const RESERVED_HEADER_BYTES: usize = 4;

/// Initial capacity: the length of most messages.
const TYPICAL_FRAME_BYTES: usize = 256;

impl EncodedFrame {
    /// Encodes a text. `write` appends it behind the reserved header, so that it is copied once.
    fn from_writer(write: impl FnOnce(&mut Vec<u8>)) -> EncodedFrame {
        let mut bytes = Vec::with_capacity(TYPICAL_FRAME_BYTES);
        bytes.extend([0; RESERVED_HEADER_BYTES]);
        write(&mut bytes);
        let length = bytes.len() - RESERVED_HEADER_BYTES;
        match (u8::try_from(length), u16::try_from(length)) {
            (Ok(short @ ..126), _) => {
                bytes[2..RESERVED_HEADER_BYTES].copy_from_slice(&[TEXT_FIRST_BYTE, short]);
                EncodedFrame(bytes[2..].into())
            }
            (_, Ok(long)) => {
                bytes[..2].copy_from_slice(&[TEXT_FIRST_BYTE, 126]);
                bytes[2..RESERVED_HEADER_BYTES].copy_from_slice(&long.to_be_bytes());
                EncodedFrame(bytes.into())
            }
            (_, Err(_)) => {
                let length = (length as u64).to_be_bytes();
                EncodedFrame(
                    [
                        &[TEXT_FIRST_BYTE, 127],
                        &length[..],
                        &bytes[RESERVED_HEADER_BYTES..],
                    ]
                    .concat()
                    .into(),
                )
            }
        }
    }
}

impl From<&str> for EncodedFrame {
    fn from(text: &str) -> EncodedFrame {
        EncodedFrame::from_writer(|bytes| bytes.extend_from_slice(text.as_bytes()))
    }
}

impl From<&Message> for EncodedFrame {
    fn from(message: &Message) -> EncodedFrame {
        EncodedFrame::from_writer(|bytes| write_json(message, bytes))
    }
}

/// Dereferences to the payload of a text frame.
impl Deref for EncodedFrame {
    type Target = str;

    fn deref(&self) -> &str {
        str::from_utf8(&self.0[self.header_len()..]).expect("the payload was encoded from text")
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use tokio_tungstenite::tungstenite::protocol::Role;
    use tokio_tungstenite::tungstenite::{Message, WebSocket};

    use super::*;

    #[test]
    fn a_client_reads_a_text_of_any_length() {
        for length in [0, 1, 125, 126, 127, 65_535, 65_536, 70_000] {
            let text = "é".repeat(length / 2) + &"x".repeat(length % 2);
            let frame = EncodedFrame::from(&*text);
            assert_eq!(*frame, *text);
            let mut client =
                WebSocket::from_raw_socket(Cursor::new(frame.bytes().to_vec()), Role::Client, None);
            assert_eq!(client.read().unwrap(), Message::text(text));
        }
    }

    #[test]
    fn a_client_reads_the_number_of_a_ping() {
        let ping = EncodedFrame::ping(0x0102_0304_0506_0708);
        let mut client =
            WebSocket::from_raw_socket(Cursor::new(ping.bytes().to_vec()), Role::Client, None);
        assert_eq!(
            client.read().unwrap(),
            Message::Ping(vec![1, 2, 3, 4, 5, 6, 7, 8].into())
        );
    }
}
