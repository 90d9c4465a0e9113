//! A server that does what a test says, over pipes in memory: with paused time nothing here waits for
//! real, and nothing depends on a network.

use std::io;

use futures::{SinkExt, StreamExt};
use noughts_protocol::wire::{Body, CloseCode, Held, Limits, Lobby, Message, Request, SUBPROTOCOL, You};
use noughts_protocol::{
    By, Event, Kind, Phase, Player, RequestId, ResumeToken, RoomId, Score, Seat, Seq, Snapshot, Stamped,
};
use tokio::io::{DuplexStream, duplex};
use tokio::sync::{mpsc, oneshot};
use tokio_tungstenite::tungstenite::handshake::server::{ErrorResponse, Request as Upgrade, Response};
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::protocol::Message as Frame;
use tokio_tungstenite::tungstenite::protocol::frame::CloseFrame;
use tokio_tungstenite::{WebSocketStream, accept_hdr_async};

use super::{Chance, Dial, Link, Options, Retry};
use crate::server_url::ServerUrl;

type Answer = oneshot::Sender<io::Result<DuplexStream>>;

/// The client's end: each dial is a call that the script answers.
#[derive(Clone, Debug)]
pub(crate) struct Pipe(mpsc::Sender<Answer>);

/// The server's end.
#[derive(Debug)]
pub(crate) struct Calls(mpsc::Receiver<Answer>);

/// One accepted connection.
#[derive(Debug)]
pub(crate) struct Peer(WebSocketStream<DuplexStream>);

pub(crate) fn server() -> (Pipe, Calls) {
    let (to_script, calls) = mpsc::channel(64);
    (Pipe(to_script), Calls(calls))
}

pub(crate) fn options(retry: Retry) -> Options {
    let hello = noughts_protocol::wire::Hello {
        versions: [1, 1],
        name: "Tess".parse().unwrap(),
        kind: Kind::Human,
        client: None,
        party: None,
    };
    Options { url: ServerUrl::local(), hello, retry }
}

/// A link to a scripted server, which has welcomed it.
pub(crate) async fn welcomed(retry: Retry) -> (Link, Calls, Peer) {
    let (pipe, mut calls) = server();
    let link = Link::over(options(retry), pipe, Chance::default());
    let peer = calls.welcome().await;
    (link, calls, peer)
}

impl Dial for Pipe {
    type Stream = DuplexStream;

    async fn dial(&mut self, _url: &ServerUrl) -> io::Result<DuplexStream> {
        let (answer, connected) = oneshot::channel();
        let refused = || io::Error::from(io::ErrorKind::ConnectionRefused);
        self.0.send(answer).await.map_err(|_| refused())?;
        connected.await.map_err(|_| refused())?
    }
}

impl Calls {
    /// Waits for a call and takes it, up to the bare stream.
    pub(crate) async fn pick_up(&mut self) -> DuplexStream {
        let (near, far) = duplex(256 * 1024);
        let answer = self.0.recv().await.expect("the client calls");
        answer.send(Ok(far)).expect("the client waits");
        near
    }

    pub(crate) async fn refuse(&mut self) {
        let answer = self.0.recv().await.expect("the client calls");
        answer.send(Err(io::ErrorKind::ConnectionRefused.into())).expect("the client waits");
    }

    /// True when the client will not call again.
    pub(crate) async fn none_follow(&mut self) -> bool {
        self.0.recv().await.is_none()
    }

    /// Takes a call and shakes hands.
    pub(crate) async fn accept(&mut self) -> Peer {
        #[expect(clippy::result_large_err, reason = "the library's signature")]
        let choose = |_: &Upgrade, mut response: Response| -> Result<Response, ErrorResponse> {
            response.headers_mut().insert("sec-websocket-protocol", HeaderValue::from_static(SUBPROTOCOL));
            Ok(response)
        };
        Peer(accept_hdr_async(self.pick_up().await, choose).await.expect("a handshake"))
    }

    /// Takes a call, and welcomes who says hello.
    pub(crate) async fn welcome(&mut self) -> Peer {
        self.welcome_to(None).await
    }

    /// The same, telling of a seat that its party holds.
    pub(crate) async fn welcome_to(&mut self, held: Option<Held>) -> Peer {
        let mut peer = self.accept().await;
        let hello = peer.request().await;
        let Body::Hello(said) = hello.body else { panic!("hello comes first, not {hello:?}") };
        peer.say(Message::Welcome {
            re: hello.id,
            version: 1,
            server: "script".to_owned(),
            name: said.name,
            limits: LIMITS,
            held,
        })
        .await;
        peer
    }
}

pub(crate) const LIMITS: Limits = Limits {
    message_bytes: 4096,
    burst: 20,
    per_second: 10,
    ping_ms: 15_000,
    grace_ms: 60_000,
    left_grace_ms: 10_000,
    tail: 64,
    outbox: 64,
};

impl Peer {
    /// The next request.
    pub(crate) async fn request(&mut self) -> Request {
        self.request_or_end().await.expect("a request, not the end")
    }

    /// The next request, or the close code with which the client left, if it gave one.
    pub(crate) async fn request_or_end(&mut self) -> Result<Request, Option<u16>> {
        loop {
            match self.0.next().await {
                Some(Ok(Frame::Text(text))) => {
                    return Ok(Request::parse(text.as_str()).expect("a good request"));
                }
                Some(Ok(Frame::Close(frame))) => return Err(frame.map(|frame| u16::from(frame.code))),
                Some(Ok(Frame::Ping(_) | Frame::Pong(_))) => {}
                Some(Ok(other)) => panic!("not a request: {other:?}"),
                Some(Err(_)) | None => return Err(None),
            }
        }
    }

    /// The next request, which has to be about rooms.
    pub(crate) async fn lobby(&mut self) -> (RequestId, Lobby) {
        let request = self.request().await;
        let Body::Lobby(lobby) = request.body else { panic!("not about rooms: {request:?}") };
        (request.id, lobby)
    }

    pub(crate) async fn say(&mut self, message: Message) {
        self.raw(Frame::text(message.to_json())).await;
    }

    pub(crate) async fn raw(&mut self, frame: Frame) {
        self.0.send(frame).await.expect("the client is there");
    }

    /// Closes with a code and waits for the client's answer to it.
    pub(crate) async fn close(mut self, code: CloseCode) {
        self.close_as(code.code()).await;
    }

    pub(crate) async fn close_as(&mut self, code: u16) {
        self.0
            .close(Some(CloseFrame { code: code.into(), reason: "script".into() }))
            .await
            .expect("the client is there");
        while let Some(Ok(_)) = self.0.next().await {}
    }
}

pub(crate) fn room() -> RoomId {
    "k7qf3mzx".parse().unwrap()
}

pub(crate) fn token() -> ResumeToken {
    ResumeToken::from_bits(0x1234_5678)
}

/// A game of 3x3 about to begin, seen from a seat; event 3 has been the last.
pub(crate) fn seated(re: Option<RequestId>, seat: Seat) -> Message {
    Message::Snapshot {
        re,
        room: room(),
        you: You { seat: Some(seat), token: Some(token()), code: None },
        state: snapshot("3x3:3"),
    }
}

pub(crate) fn snapshot(rules: &str) -> Snapshot {
    let player = |name: &str, kind| Player { name: name.parse().unwrap(), kind };
    Snapshot {
        seq: Seq::new(4),
        at: 1_000,
        rules: rules.parse().unwrap(),
        clock: None,
        public: true,
        phase: Phase::Playing,
        players: [Some(player("Ann", Kind::Human)), Some(player("Bob", Kind::Human))],
        game: 1,
        score: Score::default(),
        moves: Vec::new(),
        turn: Some(Seat::X),
        left: None,
        offers: [None; 3],
        outcome: None,
        closing: None,
    }
}

/// One event as the server sends it.
pub(crate) fn event(seq: u64, by: Option<(Seat, RequestId)>, event: Event) -> Message {
    let by = by.map(|(seat, id)| By { seat, id });
    let stamped = Stamped { seq: Seq::new(seq), at: 1_000 + seq, by, event };
    Message::Events { re: None, room: room(), events: vec![stamped] }
}
