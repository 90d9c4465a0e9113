//! A client's end of a line, as cheap as it can be: the generator has one core, like the server, and
//! must not be the slower of the two. Speaks just enough of WebSocket, or frames of its own over bare TCP.

use std::io;
use std::net::SocketAddr;
use std::ops::Range;

use anyhow::{Context, bail, ensure};
use clap::ValueEnum;
use serde::Serialize;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// How messages are told apart on the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Framing {
    /// RFC 6455.
    WebSocket,
    /// Four bytes of length, big-endian, then the text.
    Tcp,
}

const TEXT: u8 = 0x81;
const BINARY: u8 = 0x82;
const CLOSE: u8 = 0x88;
const PING: u8 = 0x89;
const PONG: u8 = 0x8a;
/// A client must mask; nobody says that every mask has to be another.
const MASK: [u8; 4] = [0x37, 0xfa, 0x21, 0x3d];

/// Nothing that is sent here is longer: no server answers 3×3 games with more.
const MOST: usize = 64 * 1024;

/// One line.
#[derive(Debug)]
pub(crate) struct Line {
    stream: TcpStream,
    framing: Framing,
    /// What came and was not yet taken is `inbox[start..]`.
    inbox: Vec<u8>,
    start: usize,
    /// Where the last text lies in the inbox.
    last: Range<usize>,
    outbox: Vec<u8>,
}

impl Line {
    /// Connects, and shakes hands where there is a handshake: for what lies at `path`.
    pub(crate) async fn open(address: SocketAddr, framing: Framing, path: &str) -> anyhow::Result<Line> {
        let stream = TcpStream::connect(address).await.context("no connection")?;
        stream.set_nodelay(true)?;
        let (inbox, outbox) = (Vec::new(), Vec::new());
        let mut line = Line { stream, framing, inbox, start: 0, last: 0..0, outbox };
        match framing {
            Framing::Tcp => {}
            Framing::WebSocket => line.upgrade(address, path).await?,
        }
        Ok(line)
    }

    async fn upgrade(&mut self, address: SocketAddr, path: &str) -> anyhow::Result<()> {
        let head = format!(
            "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        );
        self.stream.write_all(head.as_bytes()).await?;
        loop {
            if let Some(end) = self.inbox.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
                let head = String::from_utf8_lossy(&self.inbox[..end]);
                ensure!(head.starts_with("HTTP/1.1 101 "), "the server answers {head:?}");
                self.start = end + 4;
                return Ok(());
            }
            self.fill().await?;
        }
    }

    /// Sends a text.
    pub(crate) async fn send(&mut self, text: &str) -> anyhow::Result<()> {
        self.outbox.clear();
        match self.framing {
            Framing::Tcp => {
                self.outbox.extend(u32::try_from(text.len())?.to_be_bytes());
                self.outbox.extend(text.as_bytes());
            }
            Framing::WebSocket => self.frame(TEXT, text.as_bytes()),
        }
        self.stream.write_all(&self.outbox).await.context("a message could not be sent")
    }

    /// Sends bytes.
    pub(crate) async fn send_bytes(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        self.outbox.clear();
        self.frame(BINARY, bytes);
        self.stream.write_all(&self.outbox).await.context("a message could not be sent")
    }

    /// Writes a masked frame into the outbox.
    fn frame(&mut self, first: u8, payload: &[u8]) {
        self.outbox.push(first);
        match u8::try_from(payload.len()) {
            Ok(short @ ..126) => self.outbox.push(0x80 | short),
            Ok(_) | Err(_) => {
                self.outbox.push(0x80 | 126);
                let length = u16::try_from(payload.len()).expect("requests are short");
                self.outbox.extend(length.to_be_bytes());
            }
        }
        self.outbox.extend(MASK);
        self.outbox.extend(payload.iter().zip(MASK.iter().cycle()).map(|(byte, mask)| byte ^ mask));
    }

    /// The next text.
    pub(crate) async fn receive(&mut self) -> anyhow::Result<&str> {
        ensure!(self.message().await? == TEXT, "bytes came, and no text");
        std::str::from_utf8(&self.inbox[self.last.clone()])?;
        Ok(self.last())
    }

    /// The next bytes.
    pub(crate) async fn receive_bytes(&mut self) -> anyhow::Result<&[u8]> {
        ensure!(self.message().await? == BINARY, "text came, and no bytes");
        Ok(&self.inbox[self.last.clone()])
    }

    /// Waits for a message, and says of which kind. What else a server sends is dealt with on the way.
    async fn message(&mut self) -> anyhow::Result<u8> {
        loop {
            let Some((first, header, length)) = self.header()? else {
                self.fill().await?;
                continue;
            };
            let whole = header + length;
            if self.inbox.len() - self.start < whole {
                self.fill().await?;
                continue;
            }
            let payload = self.start + header..self.start + whole;
            self.start += whole;
            match first {
                TEXT | BINARY => {
                    self.last = payload;
                    return Ok(first);
                }
                PING => {
                    let payload = self.inbox[payload].to_vec();
                    self.outbox.clear();
                    self.frame(PONG, &payload);
                    self.stream.write_all(&self.outbox).await?;
                }
                CLOSE => {
                    let code =
                        self.inbox[payload].iter().take(2).fold(0, |code, byte| code << 8 | u32::from(*byte));
                    bail!("the server closes with {code}");
                }
                PONG => {}
                other => bail!("a frame of kind {other:#x}"),
            }
        }
    }

    /// The text that [`Line::receive`] gave last.
    pub(crate) fn last(&self) -> &str {
        std::str::from_utf8(&self.inbox[self.last.clone()]).expect("looked at when it came")
    }

    /// The first byte, the length of the header and of the payload of the next frame, if it is there.
    fn header(&self) -> anyhow::Result<Option<(u8, usize, usize)>> {
        let bytes = &self.inbox[self.start..];
        let found = match (self.framing, bytes) {
            (Framing::Tcp, [a, b, c, d, ..]) => (TEXT, 4, u32::from_be_bytes([*a, *b, *c, *d]) as usize),
            (Framing::WebSocket, [first, 126, high, low, ..]) => {
                (*first, 4, usize::from(u16::from_be_bytes([*high, *low])))
            }
            (Framing::WebSocket, [first, length, ..]) if *length < 126 => (*first, 2, usize::from(*length)),
            (Framing::WebSocket, [_, length, ..]) if *length > 126 => bail!("a frame that is masked or huge"),
            (Framing::Tcp | Framing::WebSocket, _) => return Ok(None),
        };
        ensure!(found.2 <= MOST, "a message of {} bytes", found.2);
        Ok(Some(found))
    }

    async fn fill(&mut self) -> anyhow::Result<()> {
        if self.start == self.inbox.len() {
            self.inbox.clear();
            self.start = 0;
        } else if self.start > MOST {
            self.inbox.drain(..self.start);
            self.start = 0;
        }
        let read = self.stream.read_buf(&mut self.inbox).await?;
        ensure!(read > 0, io::Error::from(io::ErrorKind::UnexpectedEof));
        Ok(())
    }
}
