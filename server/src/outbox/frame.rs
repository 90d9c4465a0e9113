//! A message as it goes over a line: framed once, however many it goes to.

use std::ops::Deref;
use std::sync::Arc;

use noughts_protocol::wire::{Message, write_json};

/// A text or a ping and the header before it, as RFC 6455 has them from a server: one frame, not masked.
#[derive(Clone, Debug)]
pub struct Frame(Arc<[u8]>);

/// The first byte of a text's only frame, and of a ping.
const TEXT: u8 = 0x81;
const PING: u8 = 0x89;

impl Frame {
    /// A ping with a number, which its pong has too.
    pub fn ping(number: u64) -> Frame {
        let [a, b, c, d, e, f, g, h] = number.to_be_bytes();
        Frame([PING, 8, a, b, c, d, e, f, g, h].into())
    }

    /// What goes over the line.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Where the text begins.
    fn header(&self) -> usize {
        match self.0[1] {
            ..126 => 2,
            126 => 4,
            127.. => 10,
        }
    }
}

/// Before a text: as much as the header of any but the longest takes.
const HEADER: usize = 4;

/// As long as most messages are.
const USUAL: usize = 256;

impl Frame {
    /// A text that is written behind the place of its header, to be copied once.
    fn of(write: impl FnOnce(&mut Vec<u8>)) -> Frame {
        let mut bytes = Vec::with_capacity(USUAL);
        bytes.extend([0; HEADER]);
        write(&mut bytes);
        let length = bytes.len() - HEADER;
        match (u8::try_from(length), u16::try_from(length)) {
            (Ok(short @ ..126), _) => {
                bytes[2..HEADER].copy_from_slice(&[TEXT, short]);
                Frame(bytes[2..].into())
            }
            (_, Ok(long)) => {
                bytes[..2].copy_from_slice(&[TEXT, 126]);
                bytes[2..HEADER].copy_from_slice(&long.to_be_bytes());
                Frame(bytes.into())
            }
            (_, Err(_)) => {
                let length = (length as u64).to_be_bytes();
                Frame([&[TEXT, 127], &length[..], &bytes[HEADER..]].concat().into())
            }
        }
    }
}

impl From<&str> for Frame {
    fn from(text: &str) -> Frame {
        Frame::of(|bytes| bytes.extend_from_slice(text.as_bytes()))
    }
}

impl From<&Message> for Frame {
    fn from(message: &Message) -> Frame {
        Frame::of(|bytes| write_json(message, bytes))
    }
}

/// The text.
impl Deref for Frame {
    type Target = str;

    fn deref(&self) -> &str {
        str::from_utf8(&self.0[self.header()..]).expect("made of a text")
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
            let frame = Frame::from(&*text);
            assert_eq!(*frame, *text);
            let mut client =
                WebSocket::from_raw_socket(Cursor::new(frame.bytes().to_vec()), Role::Client, None);
            assert_eq!(client.read().unwrap(), Message::text(text));
        }
    }

    #[test]
    fn a_client_reads_the_number_of_a_ping() {
        let ping = Frame::ping(0x0102_0304_0506_0708);
        let mut client = WebSocket::from_raw_socket(Cursor::new(ping.bytes().to_vec()), Role::Client, None);
        assert_eq!(client.read().unwrap(), Message::Ping(vec![1, 2, 3, 4, 5, 6, 7, 8].into()));
    }
}
