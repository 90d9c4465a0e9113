//! Changes the bytes between a server and its clients, as a server with a fault would send or accept them.

use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, ready};

use noughts_server::testing::Listener;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::client::frame::{CLOSE, FrameHeader, TEXT, push_masked_frame, push_server_frame};
use crate::lock::lock;

/// A fault between a server and its clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WireFault {
    /// P3: skips some broadcasts.
    DropBroadcasts,
    /// P5: accepts any token for a seat.
    AcceptAnyToken,
    /// P5: sends a player's token to spectators.
    LeakTokensToSpectators,
    /// P5: logs a token.
    LogTokens,
    /// P7: omits the first missed event on resume.
    GapOnResume,
    /// P7: omits events that have left the buffer, instead of sending a snapshot.
    ResumeWithoutSnapshot,
    /// P9: all clients wait for a client that does not read.
    BlockOnSlowClients,
    /// P11: closes with the wrong code.
    WrongCloseCode,
    /// P11: rejects with the wrong code.
    WrongRejectCode,
    /// P12: accepts unmasked frames of a client.
    AcceptUnmaskedFrames,
    /// P13: shuts down without notice to the clients.
    OmitRestartNotice,
}

/// A listener that adds a fault, if any, to its connections.
#[derive(Debug)]
pub struct FaultyListener<L> {
    listener: L,
    server: Option<Arc<FaultyServer>>,
}

/// State that all connections of a server share.
#[derive(Debug)]
struct FaultyServer {
    fault: WireFault,
    rooms: Mutex<HashMap<String, SeenRoom>>,
    /// Whether one of the clients does not read.
    is_blocked: AtomicBool,
}

/// Parts of the messages about one room that the server has sent to any client.
#[derive(Debug, Default)]
struct SeenRoom {
    /// The first token that the server has sent.
    token: Option<String>,
    last_event: Option<Value>,
}

impl<L> FaultyListener<L> {
    pub fn new(listener: L, fault: Option<WireFault>) -> FaultyListener<L> {
        let server = fault.map(|fault| {
            Arc::new(FaultyServer {
                fault,
                rooms: Mutex::default(),
                is_blocked: AtomicBool::new(false),
            })
        });
        FaultyListener { listener, server }
    }
}

impl<L: Listener> Listener for FaultyListener<L> {
    type Stream = FaultyStream<L::Stream>;

    async fn accept(&mut self) -> io::Result<(FaultyStream<L::Stream>, SocketAddr)> {
        let (stream, peer) = self.listener.accept().await?;
        let rewriter = self
            .server
            .as_ref()
            .map(|server| Box::new(Rewriter::new(server)));
        Ok((FaultyStream { stream, rewriter }, peer))
    }

    fn is_loopback(&self) -> bool {
        self.listener.is_loopback()
    }
}

/// The stream of a connection on the side of the server.
#[derive(Debug)]
pub struct FaultyStream<S> {
    stream: S,
    rewriter: Option<Box<Rewriter>>,
}

/// What to do with a frame.
enum FrameAction {
    Keep,
    Drop,
    Replace(Vec<u8>),
}

/// Bytes of one direction that wait to be passed on.
#[derive(Debug, Default)]
struct RewrittenStream {
    received: Vec<u8>,
    /// Bytes to pass on, changed or not.
    outgoing: Vec<u8>,
    stage: RewriteStage,
}

/// What the next bytes of a direction are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum RewriteStage {
    /// The head of an HTTP request or response.
    #[default]
    Head,
    Frames,
    /// No frames: the connection does not become a WebSocket.
    Other,
}

impl RewrittenStream {
    /// Takes bytes, and calls `on_frame` for each frame with its header and payload. `push` appends a replaced frame.
    fn take(
        &mut self,
        bytes: &[u8],
        push: fn(&mut Vec<u8>, u8, &[u8]),
        mut on_frame: impl FnMut(FrameHeader, &[u8]) -> FrameAction,
    ) {
        self.received.extend(bytes);
        if self.stage == RewriteStage::Head
            && let Some(end) = find(&self.received, b"\r\n\r\n")
        {
            let head: Vec<u8> = self.received.drain(..end + 4).collect();
            let text = String::from_utf8_lossy(&head).to_ascii_lowercase();
            let is_websocket = text.contains("\r\nupgrade: websocket");
            self.stage = if is_websocket {
                RewriteStage::Frames
            } else {
                RewriteStage::Other
            };
            self.outgoing.extend(head);
        }
        if self.stage == RewriteStage::Other {
            self.outgoing.append(&mut self.received);
        }
        while self.stage == RewriteStage::Frames
            && let Some(header) = FrameHeader::parse(&self.received)
            && self.received.len() >= header.frame_len()
        {
            let frame: Vec<u8> = self.received.drain(..header.frame_len()).collect();
            let (head, payload) = frame.split_at(header.header_len);
            let mut payload = payload.to_vec();
            if header.is_masked {
                let mask = head[head.len() - 4..].iter().cycle();
                payload
                    .iter_mut()
                    .zip(mask)
                    .for_each(|(byte, key)| *byte ^= key);
            }
            match on_frame(header, &payload) {
                FrameAction::Keep => self.outgoing.extend(frame),
                FrameAction::Drop => {}
                FrameAction::Replace(payload) => {
                    push(&mut self.outgoing, header.first_byte, &payload);
                }
            }
        }
    }
}

/// Returns the position of `part` in `bytes`.
fn find(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).position(|window| window == part)
}

/// Returns the message of a frame, if the frame contains a whole message.
fn message_of(header: FrameHeader, payload: &[u8]) -> Option<Value> {
    if header.first_byte & 0x0f != TEXT {
        return None;
    }
    serde_json::from_slice(payload).ok()
}

/// Changes the bytes of one connection.
#[derive(Debug)]
struct Rewriter {
    server: Arc<FaultyServer>,
    from_client: RewrittenStream,
    from_server: RewrittenStream,
    /// Id of the last `resume` request that named an event, to get the events after it.
    resume: Option<Value>,
    /// Whether this is the client that does not read.
    is_blocking: bool,
}

impl Rewriter {
    fn new(server: &Arc<FaultyServer>) -> Rewriter {
        Rewriter {
            server: Arc::clone(server),
            from_client: RewrittenStream::default(),
            from_server: RewrittenStream::default(),
            resume: None,
            is_blocking: false,
        }
    }

    fn take_from_client(&mut self, bytes: &[u8]) {
        let (server, resume) = (&self.server, &mut self.resume);
        self.from_client
            .take(bytes, push_masked_frame, |header, payload| {
                if server.fault == WireFault::AcceptUnmaskedFrames && !header.is_masked {
                    return FrameAction::Replace(payload.to_vec());
                }
                match message_of(header, payload) {
                    Some(request) if request["type"] == "resume" => {
                        server.on_resume(request, resume)
                    }
                    Some(_) | None => FrameAction::Keep,
                }
            });
    }

    fn take_from_server(&mut self, bytes: &[u8]) {
        let (server, resume) = (&self.server, &self.resume);
        self.from_server
            .take(bytes, push_server_frame, |header, payload| {
                if header.first_byte & 0x0f == CLOSE {
                    return server.on_close(payload);
                }
                message_of(header, payload).map_or(FrameAction::Keep, |message| {
                    server.on_message(message, resume.as_ref())
                })
            });
    }

    /// Returns whether the client waits for a client that does not read.
    fn is_held(&self) -> bool {
        self.server.fault == WireFault::BlockOnSlowClients
            && self.from_server.stage == RewriteStage::Frames
            && self.server.is_blocked.load(Ordering::SeqCst)
            && !self.is_blocking
    }

    /// Passes all waiting bytes on to the client.
    fn poll_send<S: AsyncWrite + Unpin>(
        &mut self,
        stream: &mut S,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        while !self.from_server.outgoing.is_empty() {
            let Poll::Ready(sent) =
                Pin::new(&mut *stream).poll_write(context, &self.from_server.outgoing)
            else {
                if self.from_server.stage == RewriteStage::Frames
                    && !self.server.is_blocked.swap(true, Ordering::SeqCst)
                {
                    self.is_blocking = true;
                }
                return Poll::Pending;
            };
            self.from_server.outgoing.drain(..sent?);
        }
        Poll::Ready(Ok(()))
    }
}

impl FaultyServer {
    fn on_resume(&self, mut request: Value, resume: &mut Option<Value>) -> FrameAction {
        if request["seq"].is_u64() {
            *resume = Some(request["id"].clone());
        }
        let known = request["room"]
            .as_str()
            .and_then(|room| lock(&self.rooms).get(room)?.token.clone());
        match known {
            Some(token) if self.fault == WireFault::AcceptAnyToken => {
                request["token"] = token.into();
                FrameAction::Replace(request.to_string().into_bytes())
            }
            Some(_) | None => FrameAction::Keep,
        }
    }

    fn on_close(&self, payload: &[u8]) -> FrameAction {
        let restarting = 1012_u16.to_be_bytes();
        if self.fault == WireFault::WrongCloseCode {
            FrameAction::Replace(1000_u16.to_be_bytes().to_vec())
        } else if self.fault == WireFault::OmitRestartNotice && payload.starts_with(&restarting) {
            FrameAction::Drop
        } else {
            FrameAction::Keep
        }
    }

    fn on_message(&self, mut message: Value, resume: Option<&Value>) -> FrameAction {
        let kind = message["type"].as_str().unwrap_or_default().to_owned();
        let is_response = !message["re"].is_null();
        let room = message["room"].as_str().unwrap_or_default().to_owned();
        let mut rooms = lock(&self.rooms);
        let seen = rooms.entry(room).or_default();
        match (self.fault, &*kind) {
            (WireFault::DropBroadcasts, "events") if !is_response => {
                let events = message["events"].as_array().into_iter().flatten();
                let mut numbers = events.filter_map(|event| event["seq"].as_u64());
                return if numbers.any(|seq| seq % 8 == 7) {
                    FrameAction::Drop
                } else {
                    FrameAction::Keep
                };
            }
            (WireFault::GapOnResume, "events") if is_response => {
                let Some(events) = message["events"]
                    .as_array_mut()
                    .filter(|events| !events.is_empty())
                else {
                    return FrameAction::Keep;
                };
                events.remove(0);
            }
            (WireFault::ResumeWithoutSnapshot, "events") => {
                seen.last_event = message["events"]
                    .as_array()
                    .and_then(|events| events.last())
                    .cloned();
                return FrameAction::Keep;
            }
            (WireFault::ResumeWithoutSnapshot, "snapshot") if resume == Some(&message["re"]) => {
                let Some(last) = &seen.last_event else {
                    return FrameAction::Keep;
                };
                message = json!({
                    "type": "events", "re": message["re"], "room": message["room"], "events": [last],
                });
            }
            (WireFault::LogTokens, "snapshot") => {
                if let Some(token) = message["role"]["token"].as_str() {
                    tracing::info!(token, "seat taken");
                }
                return FrameAction::Keep;
            }
            (WireFault::AcceptAnyToken | WireFault::LeakTokensToSpectators, "snapshot") => {
                if let Some(token) = message["role"]["token"].as_str() {
                    seen.token.get_or_insert_with(|| token.to_owned());
                    return FrameAction::Keep;
                }
                match &seen.token {
                    Some(token) if self.fault == WireFault::LeakTokensToSpectators => {
                        message["role"]["token"] = token.clone().into();
                    }
                    Some(_) | None => return FrameAction::Keep,
                }
            }
            (WireFault::WrongRejectCode, "reject") => message["code"] = "busy".into(),
            (WireFault::OmitRestartNotice, "restarting") => return FrameAction::Drop,
            _ => return FrameAction::Keep,
        }
        FrameAction::Replace(message.to_string().into_bytes())
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for FaultyStream<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        output: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let FaultyStream { stream, rewriter } = self.get_mut();
        let Some(rewriter) = rewriter else {
            return Pin::new(stream).poll_read(context, output);
        };
        loop {
            let outgoing = &mut rewriter.from_client.outgoing;
            if !outgoing.is_empty() {
                let count = outgoing.len().min(output.remaining());
                output.put_slice(&outgoing[..count]);
                outgoing.drain(..count);
                return Poll::Ready(Ok(()));
            }
            let mut bytes = [0; 4096];
            let mut buffer = ReadBuf::new(&mut bytes);
            ready!(Pin::new(&mut *stream).poll_read(context, &mut buffer))?;
            if !buffer.filled().is_empty() {
                rewriter.take_from_client(buffer.filled());
            } else if rewriter.from_client.received.is_empty() {
                return Poll::Ready(Ok(()));
            } else {
                // The connection has ended within a frame: its first bytes are passed on as they are.
                outgoing.append(&mut rewriter.from_client.received);
            }
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for FaultyStream<S> {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let FaultyStream { stream, rewriter } = self.get_mut();
        let Some(rewriter) = rewriter else {
            return Pin::new(stream).poll_write(context, bytes);
        };
        if rewriter.is_held() {
            // Nothing wakes the task: the blocking client never reads.
            return Poll::Pending;
        }
        ready!(rewriter.poll_send(stream, context))?;
        rewriter.take_from_server(bytes);
        match rewriter.poll_send(stream, context) {
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            Poll::Ready(Ok(())) | Poll::Pending => Poll::Ready(Ok(bytes.len())),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let FaultyStream { stream, rewriter } = self.get_mut();
        if let Some(rewriter) = rewriter {
            ready!(rewriter.poll_send(stream, context))?;
        }
        Pin::new(stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let FaultyStream { stream, rewriter } = self.get_mut();
        if let Some(rewriter) = rewriter {
            ready!(rewriter.poll_send(stream, context))?;
        }
        Pin::new(stream).poll_shutdown(context)
    }
}
