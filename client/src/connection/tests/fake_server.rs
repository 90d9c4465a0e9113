//! A server that a test scripts, over in-memory pipes. With paused time, no test waits in real time or depends on a
//! network.

use std::io;

use futures::{SinkExt, StreamExt};
use noughts_protocol::wire::{
    AnnouncedLimits, CloseCode, FeatureSet, Hello, LobbyView, Message, OwnRole, Reject, Request,
    RequestBody, SUBPROTOCOL, SeatGrant, SessionRequest,
};
use noughts_protocol::{
    Event, EventRecord, MatchScore, Phase, Player, PlayerKind, RequestId, RequestRef, ResumeToken,
    RoomId, Seat, Seq, Snapshot,
};
use tokio::io::{DuplexStream, duplex};
use tokio::sync::{mpsc, oneshot};
use tokio_tungstenite::tungstenite::handshake::server::{
    ErrorResponse, Request as Upgrade, Response,
};
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::protocol::Message as Frame;
use tokio_tungstenite::tungstenite::protocol::frame::CloseFrame;
use tokio_tungstenite::{WebSocketStream, accept_hdr_async};

use super::super::{ClientRng, ConnectionHandle, ConnectionOptions, Connector, RetryPolicy};
use crate::connection::server_url::ServerUrl;

type ConnectReply = oneshot::Sender<io::Result<DuplexStream>>;

/// The connector of the client; the test accepts or refuses each attempt.
#[derive(Clone, Debug)]
pub(crate) struct PipeConnector(mpsc::Sender<ConnectReply>);

/// The server's end of the pipes.
#[derive(Debug)]
pub(crate) struct FakeServer(mpsc::Receiver<ConnectReply>);

/// An accepted connection.
#[derive(Debug)]
pub(crate) struct FakeConnection {
    stream: WebSocketStream<DuplexStream>,
    /// The lobby that is sent to subscribers.
    pub(crate) lobby: LobbyView,
}

pub(crate) fn pipe_server() -> (PipeConnector, FakeServer) {
    let (attempts, calls) = mpsc::channel(64);
    (PipeConnector(attempts), FakeServer(calls))
}

pub(crate) fn connection_options(retry: RetryPolicy) -> ConnectionOptions {
    let hello = Hello {
        versions: [1, 1],
        name: "Tess".parse().unwrap(),
        kind: PlayerKind::Person,
        client: None,
        party: None,
        identity_secret: None,
        wants: FeatureSet::default(),
    };
    ConnectionOptions {
        url: ServerUrl::local(),
        hello,
        retry,
    }
}

/// Returns a connection that the fake server has welcomed.
pub(crate) async fn connect_welcomed(
    retry: RetryPolicy,
) -> (ConnectionHandle, FakeServer, FakeConnection) {
    let (pipe, mut calls) = pipe_server();
    let link =
        ConnectionHandle::with_connector(connection_options(retry), pipe, ClientRng::default());
    let peer = calls.accept_and_welcome().await;
    (link, calls, peer)
}

impl Connector for PipeConnector {
    type Stream = DuplexStream;

    async fn connect(&mut self, _url: &ServerUrl) -> io::Result<DuplexStream> {
        let (answer, connected) = oneshot::channel();
        let refused = || io::Error::from(io::ErrorKind::ConnectionRefused);
        self.0.send(answer).await.map_err(|_| refused())?;
        connected.await.map_err(|_| refused())?
    }
}

impl FakeServer {
    /// Accepts an attempt to connect, without a WebSocket handshake.
    pub(crate) async fn accept_stream(&mut self) -> DuplexStream {
        let (near, far) = duplex(256 * 1024);
        let answer = self.0.recv().await.expect("the client makes no attempt");
        answer.send(Ok(far)).expect("the client has given up");
        near
    }

    pub(crate) async fn refuse_connect(&mut self) {
        let answer = self.0.recv().await.expect("the client makes no attempt");
        answer
            .send(Err(io::ErrorKind::ConnectionRefused.into()))
            .expect("the client has given up");
    }

    /// Returns whether the client makes no further attempt.
    pub(crate) async fn expect_no_more(&mut self) -> bool {
        self.0.recv().await.is_none()
    }

    /// Accepts an attempt to connect, and completes the WebSocket handshake.
    pub(crate) async fn accept(&mut self) -> FakeConnection {
        #[expect(clippy::result_large_err, reason = "the library's signature")]
        let select_subprotocol =
            |_: &Upgrade, mut response: Response| -> Result<Response, ErrorResponse> {
                response.headers_mut().insert(
                    "sec-websocket-protocol",
                    HeaderValue::from_static(SUBPROTOCOL),
                );
                Ok(response)
            };
        let stream = accept_hdr_async(self.accept_stream().await, select_subprotocol)
            .await
            .expect("the handshake fails");
        FakeConnection {
            stream,
            lobby: LobbyView::default(),
        }
    }

    /// Accepts an attempt to connect, and answers hello with a welcome.
    pub(crate) async fn accept_and_welcome(&mut self) -> FakeConnection {
        self.accept_with_seat(None).await
    }

    /// Like `accept_and_welcome`; the welcome names a seat that the client already has.
    pub(crate) async fn accept_with_seat(&mut self, grant: Option<SeatGrant>) -> FakeConnection {
        self.accept_hello(grant).await.0
    }

    /// Like `accept_with_seat`; returns the hello as well.
    pub(crate) async fn accept_hello(
        &mut self,
        grant: Option<SeatGrant>,
    ) -> (FakeConnection, Hello) {
        let mut peer = self.accept().await;
        let hello = peer.next_request().await;
        let RequestBody::Hello(hello_body) = hello.body else {
            panic!("the first request is not hello: {hello:?}")
        };
        peer.send(Message::Welcome {
            re: hello.id,
            version: 1,
            server: "script".to_owned(),
            name: hello_body.name.clone(),
            identity: None,
            limits: LIMITS,
            grant,
            own_rooms: vec![],
            has: FeatureSet::default(),
            address: None,
        })
        .await;
        (peer, hello_body)
    }
}

const LIMITS: AnnouncedLimits = AnnouncedLimits {
    message_bytes: 4096,
    burst: 20,
    per_second: 10,
    ping_ms: 15_000,
    grace_ms: 60_000,
    left_grace_ms: 10_000,
    resume_events: 64,
    send_queue: 64,
};

impl FakeConnection {
    /// Returns the next request.
    pub(crate) async fn next_request(&mut self) -> Request {
        self.next_request_or_close()
            .await
            .expect("the connection is closed")
    }

    /// Returns the next request, or the client's close code. Subscriptions to the lobby are answered here.
    pub(crate) async fn next_request_or_close(&mut self) -> Result<Request, Option<u16>> {
        loop {
            match self.stream.next().await {
                Some(Ok(Frame::Text(text))) => {
                    let request = Request::parse(text.as_str()).expect("the request is malformed");
                    let re = request.id;
                    let RequestBody::Session(SessionRequest::Lobby { end }) = request.body else {
                        return Ok(request);
                    };
                    let answer = if end {
                        Message::Done { re, seq: None }
                    } else {
                        let (re, view) = (Some(re), self.lobby.clone());
                        Message::Lobby { re, at: 0, view }
                    };
                    self.send(answer).await;
                }
                Some(Ok(Frame::Close(frame))) => {
                    return Err(frame.map(|frame| u16::from(frame.code)));
                }
                Some(Ok(Frame::Ping(_) | Frame::Pong(_))) => {}
                Some(Ok(other)) => panic!("the frame is not a request: {other:?}"),
                Some(Err(_)) | None => return Err(None),
            }
        }
    }

    /// Returns the next request, which must be a lobby request.
    pub(crate) async fn next_session_request(&mut self) -> (RequestId, SessionRequest) {
        let request = self.next_request().await;
        let RequestBody::Session(lobby) = request.body else {
            panic!("the request is not a lobby request: {request:?}")
        };
        (request.id, lobby)
    }

    pub(crate) async fn send(&mut self, message: Message) {
        self.send_frame(Frame::text(message.to_json())).await;
    }

    pub(crate) async fn send_events(&mut self, re: Option<RequestId>, events: Vec<EventRecord>) {
        let room = room_id();
        self.send(Message::Events { re, room, events }).await;
    }

    pub(crate) async fn reject(&mut self, re: RequestId, reject: impl Into<Reject>) {
        let (re, reject) = (Some(re), reject.into());
        self.send(Message::Reject { re, reject }).await;
    }

    /// Waits for a resume, and answers with the missing events.
    pub(crate) async fn accept_resume(&mut self, events: Vec<EventRecord>) {
        let (resume, _) = self.next_session_request().await;
        self.send_events(Some(resume), events).await;
    }

    pub(crate) async fn send_frame(&mut self, frame: Frame) {
        self.stream
            .send(frame)
            .await
            .expect("the client has closed the connection");
    }

    /// Closes with a code, and waits for the client's close frame.
    pub(crate) async fn close(mut self, code: CloseCode) {
        self.close_with_code(code.code()).await;
    }

    pub(crate) async fn close_with_code(&mut self, code: u16) {
        self.stream
            .close(Some(CloseFrame {
                code: code.into(),
                reason: "script".into(),
            }))
            .await
            .expect("the client has closed the connection");
        while let Some(Ok(_)) = self.stream.next().await {}
    }
}

pub(crate) fn room_id() -> RoomId {
    "k7qf3mzx".parse().unwrap()
}

pub(crate) fn resume_token() -> ResumeToken {
    ResumeToken::from_bits(0x1234_5678)
}

/// Returns the snapshot of a new 3x3 game for a seat, after event 3.
pub(crate) fn seated_snapshot(re: Option<RequestId>, seat: Seat) -> Message {
    Message::Snapshot {
        re,
        room: room_id(),
        role: OwnRole {
            seat: Some(seat),
            token: Some(resume_token()),
            code: None,
        },
        state: snapshot("3x3:3"),
    }
}

pub(crate) fn snapshot(rules: &str) -> Snapshot {
    let player = |name: &str, kind| Player::guest(name.parse().unwrap(), kind);
    Snapshot {
        seq: Seq::new(4),
        at: 1_000,
        rules: rules.parse().unwrap(),
        clock: None,
        public: true,
        phase: Phase::Playing,
        players: [
            Some(player("Ann", PlayerKind::Person)),
            Some(player("Bob", PlayerKind::Person)),
        ],
        game: 1,
        score: MatchScore::default(),
        moves: Vec::new(),
        turn: Some(Seat::X),
        left: None,
        shown: None,
        offers: [None; 3],
        outcome: None,
        close_reason: None,
    }
}

/// Returns the message for one event.
pub(crate) fn event_message(seq: u64, by: Option<(Seat, RequestId)>, event: Event) -> Message {
    let by = by.map(|(seat, id)| RequestRef { seat, id });
    let record = EventRecord {
        seq: Seq::new(seq),
        at: 1_000 + seq,
        by,
        event,
    };
    Message::Events {
        re: None,
        room: room_id(),
        events: vec![record],
    }
}
