//! WebSocket client on the level of frames, for protocol violations and clients that do not read.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use noughts_protocol::wire::{Message, Request};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::{Instant, timeout_at};

use crate::client::frame::{self, ClientFrame};
use crate::client::tcp;
use crate::server::TestServer;
use crate::wait::with_timeout;

/// First byte of a complete text message.
pub const TEXT: u8 = frame::FIN | frame::TEXT;
/// First byte of a fragment in the middle.
pub const CONTINUATION: u8 = frame::CONTINUATION;
/// First byte of a complete binary message.
pub const BINARY: u8 = frame::FIN | frame::BINARY;
/// First byte of a close frame.
pub const CLOSE: u8 = frame::FIN | frame::CLOSE;
/// First byte of a ping.
pub const PING: u8 = frame::FIN | frame::PING;
/// First byte of a pong.
pub const PONG: u8 = frame::FIN | frame::PONG;

/// Connection to a server, before or after the WebSocket handshake.
#[derive(Debug)]
pub struct RawWebSocket {
    pub stream: TcpStream,
    read_buffer: Vec<u8>,
    /// Number of bytes written, the handshake included.
    pub sent: usize,
    /// Number of bytes read.
    pub received: usize,
}

/// Returns the head of a valid handshake request; each extra header line includes its line break.
pub fn handshake_request(extra_headers: &str) -> String {
    format!(
        "GET /ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n{extra_headers}\r\n"
    )
}

impl RawWebSocket {
    /// Opens a TCP connection.
    pub async fn connect(address: SocketAddr) -> RawWebSocket {
        RawWebSocket::connect_from(Ipv4Addr::UNSPECIFIED, address).await
    }

    /// Opens a TCP connection from another loopback address, which the server counts as another client.
    pub async fn connect_from(from: Ipv4Addr, address: SocketAddr) -> RawWebSocket {
        RawWebSocket::with_stream(tcp::connect_from(from, address).await)
    }

    pub fn with_stream(stream: TcpStream) -> RawWebSocket {
        RawWebSocket {
            stream,
            read_buffer: Vec::new(),
            sent: 0,
            received: 0,
        }
    }

    /// Opens a TCP connection with a small receive buffer: the server soon cannot write to a client that does
    /// not read.
    pub async fn connect_with_small_buffer(address: SocketAddr) -> RawWebSocket {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.set_recv_buffer_size(4096).expect("a smaller buffer");
        let stream = with_timeout("a connection", socket.connect(address)).await;
        RawWebSocket::with_stream(stream.expect("the server listens"))
    }

    /// Performs the WebSocket handshake.
    pub async fn upgrade(&mut self) {
        self.write(handshake_request("").as_bytes()).await;
        let head = self.read_head().await;
        assert!(head.starts_with("HTTP/1.1 101 "), "{head}");
    }

    /// Opens a WebSocket connection without a hello.
    pub async fn connect_websocket(address: SocketAddr) -> RawWebSocket {
        let mut socket = RawWebSocket::connect(address).await;
        socket.upgrade().await;
        socket
    }

    /// Opens a WebSocket connection, sends hello and reads the welcome.
    pub async fn connect_and_greet(address: SocketAddr) -> RawWebSocket {
        let mut socket = RawWebSocket::connect_websocket(address).await;
        socket.greet().await;
        socket
    }

    /// Sends hello and reads the welcome.
    pub async fn greet(&mut self) {
        self.write_text(r#"{"type":"hello","id":0,"versions":[1,1],"name":"Raw","kind":"bot"}"#)
            .await;
        let welcome = self.next_message().await;
        assert!(matches!(welcome, Message::Welcome { .. }), "{welcome:?}");
    }

    pub async fn write(&mut self, bytes: &[u8]) {
        assert!(self.try_write(bytes).await, "the connection is open");
    }

    /// Writes to a server that may have closed the connection; returns whether the write succeeded.
    pub async fn try_write(&mut self, bytes: &[u8]) -> bool {
        self.sent += bytes.len();
        with_timeout("writing", self.stream.write_all(bytes))
            .await
            .is_ok()
    }

    /// Writes a masked frame.
    pub async fn write_frame(&mut self, first: u8, payload: &[u8]) {
        self.write(&encode_frame(first, payload)).await;
    }

    pub async fn write_text(&mut self, text: &str) {
        self.write_frame(TEXT, text.as_bytes()).await;
    }

    pub async fn write_request(&mut self, request: &Request) {
        self.write_text(&request.to_json()).await;
    }

    /// Writes several frames in one call.
    pub async fn write_frames(&mut self, frames: &[ClientFrame]) {
        self.write(&frame::encode_frames(frames)).await;
    }

    /// Closes the sending side (FIN).
    pub async fn shutdown_write(&mut self) {
        with_timeout("a shutdown", self.stream.shutdown())
            .await
            .expect("the connection is open");
    }

    /// Closes the connection with a reset (RST).
    pub fn reset(self) {
        self.stream.set_zero_linger().expect("an open socket");
    }

    /// Requests long responses without reading them until the server cannot write any more. The server must
    /// have no other active client.
    ///
    /// # Panics
    ///
    /// If the server keeps writing.
    pub async fn fill_send_queue(&mut self, server: &TestServer) {
        let long = format!(
            r#"{{"type":"offer","id":2,"offer":"{}"}}"#,
            "a".repeat(3900)
        );
        let received = server.metric("noughts_messages_total").await;
        for number in 1..4_000 {
            self.write_text(&long).await;
            // The server answers each metrics request itself, so it has had a turn for each of them. If it has not read
            // the offer after many turns, it is waiting for this client to read.
            let (mut polls, sent_at) = (0, Instant::now());
            while server.metric("noughts_messages_total").await < received + number {
                polls += 1;
                if polls >= 50 && sent_at.elapsed() >= Duration::from_millis(150) {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        }
        panic!("the server keeps writing after 4000 long responses");
    }

    /// Reads more bytes; returns `false` at the end of the stream or on an error.
    async fn read_more(&mut self) -> bool {
        let read = self.stream.read_buf(&mut self.read_buffer);
        let Ok(count @ 1..) = with_timeout("bytes from the server", read).await else {
            return false;
        };
        self.received += count;
        true
    }

    /// Reads and drops everything that arrives until `end`.
    ///
    /// # Panics
    ///
    /// If the server closes the connection.
    pub async fn read_until(&mut self, end: Instant) {
        while let Ok(is_open) = timeout_at(end, self.read_more()).await {
            assert!(is_open, "the server closed the connection");
            self.read_buffer.clear();
        }
    }

    /// Reads the head of an HTTP response, or the part of it before the connection closed.
    pub async fn read_head(&mut self) -> String {
        loop {
            if let Some(at) = self
                .read_buffer
                .windows(4)
                .position(|bytes| bytes == b"\r\n\r\n")
            {
                let head: Vec<u8> = self.read_buffer.drain(..at + 4).collect();
                return String::from_utf8(head).expect("a head is text");
            }
            if !self.read_more().await {
                return String::from_utf8_lossy(&self.read_buffer).into_owned();
            }
        }
    }

    /// Reads to the end of the stream.
    pub async fn read_rest(&mut self) -> String {
        while self.read_more().await {}
        String::from_utf8_lossy(&std::mem::take(&mut self.read_buffer)).into_owned()
    }

    /// Reads the next frame: first byte and payload. Returns `None` at the end of the stream.
    pub async fn next_frame(&mut self) -> Option<(u8, Vec<u8>)> {
        loop {
            if let Some(frame) = frame::take_server_frame(&mut self.read_buffer) {
                return Some(frame);
            }
            if !self.read_more().await {
                return None;
            }
        }
    }

    /// Reads the next message. Skips pings and pongs.
    pub async fn next_message(&mut self) -> Message {
        loop {
            match self.next_frame().await.expect("the connection is open") {
                (TEXT, text) => {
                    let text = String::from_utf8(text).expect("text");
                    return Message::parse(&text)
                        .unwrap_or_else(|error| panic!("{error} in {text}"));
                }
                (PING | PONG, _) => {}
                (first, payload) => {
                    panic!("unexpected frame {first:#04x}: {}", payload.escape_ascii())
                }
            }
        }
    }

    /// Reads until the server closes; returns the payload of the close frame, or `None` if the connection ended without
    /// a close frame.
    ///
    /// # Panics
    ///
    /// If a frame follows the close frame.
    pub async fn read_close_payload(&mut self) -> Option<Vec<u8>> {
        while let Some((first, payload)) = self.next_frame().await {
            if first == CLOSE {
                if let Some((after, payload)) = self.next_frame().await {
                    panic!(
                        "a frame {after:#04x} after a close: {}",
                        payload.escape_ascii()
                    );
                }
                assert!(
                    self.read_buffer.is_empty(),
                    "incomplete frame after a close: {:?}",
                    self.read_buffer
                );
                return Some(payload);
            }
        }
        None
    }

    /// Reads until the server closes; returns the messages and the close code.
    pub async fn read_until_close(&mut self) -> (Vec<Message>, Option<u16>) {
        let mut messages = Vec::new();
        while let Some((first, payload)) = self.next_frame().await {
            match first {
                TEXT => messages.push(serde_json::from_slice(&payload).expect("a message")),
                CLOSE => {
                    return (
                        messages,
                        payload.first_chunk().map(|code| u16::from_be_bytes(*code)),
                    );
                }
                _ => {}
            }
        }
        (messages, None)
    }

    /// Reads until the server closes; returns the close code, or `None` if the connection ended without a
    /// close frame.
    pub async fn read_close_code(&mut self) -> Option<u16> {
        self.read_until_close().await.1
    }
}

/// Encodes a masked frame.
fn encode_frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    frame::push_masked_frame(&mut bytes, first, payload);
    bytes
}
