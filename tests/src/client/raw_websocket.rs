//! A WebSocket by hand, frame by frame: for those who break its rules, and for those who do not read.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use noughts_protocol::wire::{Message, Request};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::Instant;

use crate::client::frame::ClientFrame;
use crate::server::TestServer;
use crate::wait::with_timeout;

/// The first byte of a frame that is a whole text.
pub const TEXT: u8 = 0x81;
/// The first byte of a frame that begins a text.
pub const TEXT_FIRST_FRAGMENT: u8 = 0x01;
/// The first byte of a frame that goes on.
pub const CONTINUATION: u8 = 0x00;
/// The first byte of a frame that ends what was begun.
pub const FINAL_CONTINUATION: u8 = 0x80;
/// The first byte of a whole binary message.
pub const BINARY: u8 = 0x82;
/// The first byte of a close.
pub const CLOSE: u8 = 0x88;
/// The first byte of a ping.
pub const PING: u8 = 0x89;
/// The first byte of a pong.
pub const PONG: u8 = 0x8A;

/// A line to the server.
#[derive(Debug)]
pub struct RawWebSocket {
    /// The line itself.
    pub stream: TcpStream,
    read_buffer: Vec<u8>,
}

/// The head of a handshake that the server accepts, but for what `read_more` adds.
pub fn handshake_request(extra_headers: &str) -> String {
    format!(
        "GET /ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n{extra_headers}\r\n"
    )
}

impl RawWebSocket {
    /// A TCP connection and nothing said.
    pub async fn connect(address: SocketAddr) -> RawWebSocket {
        let stream =
            with_timeout("a connection", TcpStream::connect(address)).await.expect("the server listens");
        RawWebSocket { stream, read_buffer: Vec::new() }
    }

    /// The same from another address of this machine: loopback is a whole network.
    pub async fn connect_from(from: Ipv4Addr, address: SocketAddr) -> RawWebSocket {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.bind(SocketAddr::new(from.into(), 0)).expect("an address of loopback");
        RawWebSocket::with_stream(
            with_timeout("a connection", socket.connect(address)).await.expect("the server listens"),
        )
    }

    /// The same over a connection of the test's own.
    pub fn with_stream(stream: TcpStream) -> RawWebSocket {
        RawWebSocket { stream: stream, read_buffer: Vec::new() }
    }

    /// One that can take little at a time: the server soon sees that nobody reads.
    pub async fn connect_with_small_buffer(address: SocketAddr) -> RawWebSocket {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.set_recv_buffer_size(4096).expect("a smaller buffer");
        let stream = with_timeout("a connection", socket.connect(address)).await.expect("the server listens");
        RawWebSocket { stream, read_buffer: Vec::new() }
    }

    /// Makes it a WebSocket.
    pub async fn upgrade(&mut self) {
        self.write(handshake_request("").as_bytes()).await;
        let head = self.read_head().await;
        assert!(head.starts_with("HTTP/1.1 101 "), "{head}");
    }

    /// A WebSocket, nothing said.
    pub async fn connect_websocket(address: SocketAddr) -> RawWebSocket {
        let mut socket = RawWebSocket::connect(address).await;
        socket.upgrade().await;
        socket
    }

    /// A WebSocket that has said hello and read the welcome.
    pub async fn connect_and_greet(address: SocketAddr) -> RawWebSocket {
        let mut socket = RawWebSocket::connect_websocket(address).await;
        socket.greet().await;
        socket
    }

    /// Says hello and reads the welcome.
    pub async fn greet(&mut self) {
        self.write_text(r#"{"type":"hello","id":0,"versions":[1,1],"name":"Raw","kind":"bot"}"#).await;
        let welcome = self.next_message().await;
        assert!(matches!(welcome, Message::Welcome { .. }), "{welcome:?}");
    }

    /// Writes bytes.
    pub async fn write(&mut self, bytes: &[u8]) {
        with_timeout("writing", self.stream.write_all(bytes)).await.expect("the line is open");
    }

    /// Writes bytes to a server that may have closed already.
    pub async fn try_write(&mut self, bytes: &[u8]) -> bool {
        with_timeout("writing", self.stream.write_all(bytes)).await.is_ok()
    }

    /// Writes a masked frame.
    pub async fn write_frame(&mut self, first: u8, payload: &[u8]) {
        self.write(&encode_frame(first, payload)).await;
    }

    /// Writes a text message.
    pub async fn write_text(&mut self, text: &str) {
        self.write_frame(TEXT, text.as_bytes()).await;
    }

    /// Writes a request.
    pub async fn write_request(&mut self, request: &Request) {
        self.write_text(&request.to_json()).await;
    }

    /// Writes frames in one go.
    pub async fn write_frames(&mut self, frames: &[ClientFrame]) {
        self.write(&crate::client::frame::encode_frames(frames)).await;
    }

    /// Says that nothing more will come, as a FIN does.
    pub async fn shutdown_write(&mut self) {
        with_timeout("a shutdown", self.stream.shutdown()).await.expect("the line is open");
    }

    /// Ends the line with a reset, as a machine does that knows nothing of it.
    pub fn reset(self) {
        self.stream.set_zero_linger().expect("an open socket");
    }

    /// Asks for long answers and reads none, until the server can write no more. Nobody else may speak
    /// meanwhile.
    ///
    /// # Panics
    /// When it goes on writing.
    pub async fn fill_send_queue(&mut self, server: &TestServer) {
        let long = format!(r#"{{"type":"offer","id":2,"offer":"{}"}}"#, "a".repeat(3900));
        let received = server.metric("noughts_messages_total").await;
        for number in 1..4_000 {
            self.write_text(&long).await;
            // Each look is answered by the server itself: one that has had so many turns since, and some
            // time for the line, and has not heard this one, is waiting for its own words to be read.
            let (mut polls, asked) = (0, Instant::now());
            while server.metric("noughts_messages_total").await < received + number {
                polls += 1;
                if polls >= 50 && asked.elapsed() >= Duration::from_millis(150) {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        }
        panic!("4000 long answers, and it goes on writing");
    }

    /// Reads more; false at the end of the line, however it ended.
    async fn read_more(&mut self) -> bool {
        matches!(
            with_timeout("bytes from the server", self.stream.read_buf(&mut self.read_buffer)).await,
            Ok(1..)
        )
    }

    /// The head of an HTTP answer; what there was of one, if the line ended before.
    pub async fn read_head(&mut self) -> String {
        loop {
            if let Some(at) = self.read_buffer.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
                let head: Vec<u8> = self.read_buffer.drain(..at + 4).collect();
                return String::from_utf8(head).expect("a head is text");
            }
            if !self.read_more().await {
                return String::from_utf8_lossy(&self.read_buffer).into_owned();
            }
        }
    }

    /// The next frame: its first byte and its payload; none when the line ended.
    pub async fn next_frame(&mut self) -> Option<(u8, Vec<u8>)> {
        loop {
            if let Some((first, head, length)) = frame_lengths(&self.read_buffer)
                && self.read_buffer.len() >= head + length
            {
                let frame: Vec<u8> = self.read_buffer.drain(..head + length).collect();
                return Some((first, frame[head..].to_vec()));
            }
            if !self.read_more().await {
                return None;
            }
        }
    }

    /// The next message; pings go unanswered, pongs unread.
    pub async fn next_message(&mut self) -> Message {
        loop {
            match self.next_frame().await.expect("the line is open") {
                (TEXT, text) => {
                    let text = String::from_utf8(text).expect("text");
                    return Message::parse(&text).unwrap_or_else(|error| panic!("{error} in {text}"));
                }
                (PING | PONG, _) => {}
                (first, payload) => panic!("unexpected frame {first:#04x}: {}", payload.escape_ascii()),
            }
        }
    }

    /// Reads on until the server closes, and gives its last payload; none when the line just ended.
    /// Nothing may follow a close.
    pub async fn read_close_payload(&mut self) -> Option<Vec<u8>> {
        while let Some((first, payload)) = self.next_frame().await {
            if first == CLOSE {
                if let Some((after, payload)) = self.next_frame().await {
                    panic!("a frame {after:#04x} after a close: {}", payload.escape_ascii());
                }
                assert!(self.read_buffer.is_empty(), "half a frame after a close: {:?}", self.read_buffer);
                return Some(payload);
            }
        }
        None
    }

    /// The messages until the server closes, and its code.
    pub async fn read_until_close(&mut self) -> (Vec<Message>, Option<u16>) {
        let mut messages = Vec::new();
        while let Some((first, payload)) = self.next_frame().await {
            match first {
                TEXT => messages.push(serde_json::from_slice(&payload).expect("a message")),
                CLOSE => return (messages, payload.first_chunk().map(|code| u16::from_be_bytes(*code))),
                _ => {}
            }
        }
        (messages, None)
    }

    /// Reads on until the server closes, and gives its code; none when the line just ended.
    pub async fn read_close_code(&mut self) -> Option<u16> {
        while let Some((first, payload)) = self.next_frame().await {
            if first == CLOSE {
                return payload.first_chunk().map(|code| u16::from_be_bytes(*code));
            }
        }
        None
    }
}

/// A frame as a client sends it: masked.
pub fn encode_frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let mask = [0x37, 0xfa, 0x21, 0x3d];
    let mut bytes = vec![first];
    match u16::try_from(payload.len()) {
        Ok(length @ 0..126) => bytes.push(0x80 | length as u8),
        Ok(length) => {
            bytes.push(0x80 | 126);
            bytes.extend(length.to_be_bytes());
        }
        Err(_) => {
            bytes.push(0x80 | 127);
            bytes.extend((payload.len() as u64).to_be_bytes());
        }
    }
    bytes.extend(mask);
    bytes.extend(payload.iter().zip(mask.iter().cycle()).map(|(byte, mask)| byte ^ mask));
    bytes
}

/// The first byte of the frame at hand, and the lengths of its head and of its payload.
fn frame_lengths(bytes: &[u8]) -> Option<(u8, usize, usize)> {
    let [first, second] = *bytes.first_chunk()?;
    assert_eq!(second & 0x80, 0, "a server masks nothing");
    Some(match second {
        126 => (first, 4, usize::from(u16::from_be_bytes(*bytes[2..].first_chunk()?))),
        127 => (first, 10, u64::from_be_bytes(*bytes[2..].first_chunk()?) as usize),
        short => (first, 2, usize::from(short)),
    })
}
