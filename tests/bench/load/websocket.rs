//! Minimal client connection. The generator has one core, like the server, and must not be the bottleneck. The
//! connection implements only the parts of WebSocket that the generator needs, or length-prefixed messages over bare
//! TCP.

use std::io;
use std::net::SocketAddr;
use std::ops::Range;

use anyhow::{Context, bail, ensure};
use clap::ValueEnum;
use noughts_tests::client::frame::{FrameHeader, push_masked_frame};
use noughts_tests::client::raw_websocket::{BINARY, CLOSE, PING, PONG, TEXT};
use serde::Serialize;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Framing of messages on the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Framing {
    WebSocket,
    /// Length in four bytes, big-endian, then the text.
    Tcp,
}

/// Maximum size of a received message. In a 3×3 game, no server sends longer messages.
const MAX_MESSAGE_BYTES: usize = 64 * 1024;

/// Connection to a server.
#[derive(Debug)]
pub(crate) struct LeanSocket {
    stream: TcpStream,
    framing: Framing,
    /// Unread bytes are `read_buffer[start..]`.
    read_buffer: Vec<u8>,
    start: usize,
    /// Position of the last payload in the read buffer.
    last_payload: Range<usize>,
    write_buffer: Vec<u8>,
}

impl LeanSocket {
    /// Connects, with a WebSocket handshake for `path` if the framing needs it.
    pub(crate) async fn open(
        address: SocketAddr,
        framing: Framing,
        path: &str,
    ) -> anyhow::Result<LeanSocket> {
        let stream = TcpStream::connect(address)
            .await
            .context("cannot connect")?;
        stream.set_nodelay(true)?;
        let (read_buffer, write_buffer) = (Vec::new(), Vec::new());
        let mut socket = LeanSocket {
            stream,
            framing,
            read_buffer,
            start: 0,
            last_payload: 0..0,
            write_buffer,
        };
        match framing {
            Framing::Tcp => {}
            Framing::WebSocket => socket.upgrade_to_websocket(address, path).await?,
        }
        Ok(socket)
    }

    async fn upgrade_to_websocket(
        &mut self,
        address: SocketAddr,
        path: &str,
    ) -> anyhow::Result<()> {
        let head = format!(
            "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        );
        self.stream.write_all(head.as_bytes()).await?;
        loop {
            if let Some(end) = self
                .read_buffer
                .windows(4)
                .position(|bytes| bytes == b"\r\n\r\n")
            {
                let head = String::from_utf8_lossy(&self.read_buffer[..end]);
                ensure!(
                    head.starts_with("HTTP/1.1 101 "),
                    "handshake failed: {head:?}"
                );
                self.start = end + 4;
                return Ok(());
            }
            self.read_more().await?;
        }
    }

    pub(crate) async fn send(&mut self, text: &str) -> anyhow::Result<()> {
        self.write_buffer.clear();
        match self.framing {
            Framing::Tcp => {
                self.write_buffer
                    .extend(u32::try_from(text.len())?.to_be_bytes());
                self.write_buffer.extend(text.as_bytes());
            }
            Framing::WebSocket => push_masked_frame(&mut self.write_buffer, TEXT, text.as_bytes()),
        }
        self.stream
            .write_all(&self.write_buffer)
            .await
            .context("cannot send a message")
    }

    pub(crate) async fn send_bytes(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        self.write_buffer.clear();
        push_masked_frame(&mut self.write_buffer, BINARY, bytes);
        self.stream
            .write_all(&self.write_buffer)
            .await
            .context("cannot send a message")
    }

    pub(crate) async fn receive(&mut self) -> anyhow::Result<&str> {
        ensure!(
            self.receive_frame().await? == TEXT,
            "binary message instead of text"
        );
        std::str::from_utf8(&self.read_buffer[self.last_payload.clone()])?;
        Ok(self.last_text())
    }

    pub(crate) async fn receive_bytes(&mut self) -> anyhow::Result<&[u8]> {
        ensure!(
            self.receive_frame().await? == BINARY,
            "text message instead of binary"
        );
        Ok(&self.read_buffer[self.last_payload.clone()])
    }

    /// Receives a data frame and returns its opcode; answers control frames.
    async fn receive_frame(&mut self) -> anyhow::Result<u8> {
        loop {
            let Some((first_byte, header, length)) = self.parse_header()? else {
                self.read_more().await?;
                continue;
            };
            let frame_len = header + length;
            if self.read_buffer.len() - self.start < frame_len {
                self.read_more().await?;
                continue;
            }
            let payload = self.start + header..self.start + frame_len;
            self.start += frame_len;
            match first_byte {
                TEXT | BINARY => {
                    self.last_payload = payload;
                    return Ok(first_byte);
                }
                PING => {
                    let payload = self.read_buffer[payload].to_vec();
                    self.write_buffer.clear();
                    push_masked_frame(&mut self.write_buffer, PONG, &payload);
                    self.stream.write_all(&self.write_buffer).await?;
                }
                CLOSE => {
                    let code = self.read_buffer[payload]
                        .iter()
                        .take(2)
                        .fold(0, |code, byte| code << 8 | u32::from(*byte));
                    bail!("the server closed with {code}");
                }
                PONG => {}
                other => bail!("unexpected frame {other:#04x}"),
            }
        }
    }

    /// Returns the text of the last [`LeanSocket::receive`].
    pub(crate) fn last_text(&self) -> &str {
        std::str::from_utf8(&self.read_buffer[self.last_payload.clone()])
            .expect("checked by receive")
    }

    /// Parses the next header: first byte, header length and payload length. Returns `None` if it is incomplete.
    fn parse_header(&self) -> anyhow::Result<Option<(u8, usize, usize)>> {
        let bytes = &self.read_buffer[self.start..];
        let (first_byte, header_len, payload_len) = match self.framing {
            Framing::Tcp => {
                let Some(length) = bytes.first_chunk() else {
                    return Ok(None);
                };
                (TEXT, length.len(), u32::from_be_bytes(*length) as usize)
            }
            Framing::WebSocket => {
                let Some(header) = FrameHeader::parse(bytes) else {
                    return Ok(None);
                };
                ensure!(!header.is_masked, "the server masks a frame");
                (header.first_byte, header.header_len, header.payload_len)
            }
        };
        ensure!(
            payload_len <= MAX_MESSAGE_BYTES,
            "message of {payload_len} bytes"
        );
        Ok(Some((first_byte, header_len, payload_len)))
    }

    async fn read_more(&mut self) -> anyhow::Result<()> {
        if self.start == self.read_buffer.len() {
            self.read_buffer.clear();
            self.start = 0;
        } else if self.start > MAX_MESSAGE_BYTES {
            self.read_buffer.drain(..self.start);
            self.start = 0;
        }
        let read = self.stream.read_buf(&mut self.read_buffer).await?;
        ensure!(read > 0, io::Error::from(io::ErrorKind::UnexpectedEof));
        Ok(())
    }
}
