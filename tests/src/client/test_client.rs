//! Scripted client that folds the events of its room and hands out responses and messages.

mod requests;

use std::collections::VecDeque;
use std::net::Ipv4Addr;

use futures::{SinkExt, StreamExt};
use noughts_protocol::wire::{
    self, FeatureSet, Hello, Message, Notice, OwnRole, Presence, Reject, RejectCode, Request,
    RequestBody, SUBPROTOCOL, SeatGrant, SessionRequest,
};
use noughts_protocol::{
    Event, EventRecord, Game, Identity, IdentitySecret, Party, PlayerKind, RequestId, RoomId, Seat,
    Seq, Snapshot,
};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::{self, Utf8Bytes};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, client_async, connect_async};

use crate::client::tcp;
use crate::wait::with_timeout;

pub type ClientStream = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// Response to a request: a message or a reject.
pub type ClientResult<T> = Result<T, Reject>;

/// Connected client.
#[derive(Debug)]
pub struct TestClient {
    /// Underlying WebSocket, for tests that misuse it.
    pub stream: ClientStream,
    next_id: u64,
    /// Kind that the hello declares.
    kind: PlayerKind,
    /// Messages received while the client waited for a different message.
    buffered: VecDeque<Message>,
    /// The room as this client knows it.
    pub room: Option<SeatInfo>,
}

/// A client in a room.
#[derive(Clone, Debug)]
pub struct SeatInfo {
    pub id: RoomId,
    /// The client's own role, from the last snapshot.
    pub role: OwnRole,
    /// Game folded from the snapshots and events received.
    pub game: Game,
}

impl TestClient {
    /// Connects with the subprotocol, without a hello.
    pub async fn connect(url: &str) -> TestClient {
        let connected = TestClient::try_connect(url).await;
        connected.expect("the server accepts the handshake")
    }

    /// Connects as [`TestClient::connect`] does.
    ///
    /// # Errors
    /// Returns the failure of the handshake.
    pub async fn try_connect(url: &str) -> Result<TestClient, tungstenite::Error> {
        let mut request = url.into_client_request().expect("an address");
        request.headers_mut().insert(
            "Sec-WebSocket-Protocol",
            HeaderValue::from_static(SUBPROTOCOL),
        );
        let connected = with_timeout("a connection", Box::pin(connect_async(request))).await;
        let (stream, _) = connected?;
        Ok(TestClient::with_websocket(stream))
    }

    /// Connects from another loopback address, which the server counts as another client, and sends hello.
    pub async fn connect_from(from: Ipv4Addr, url: &str, name: &str) -> TestClient {
        let address = url.trim_start_matches("ws://").trim_end_matches("/ws");
        let address = address.parse().expect("an address and a port");
        let mut client = TestClient::with_stream(tcp::connect_from(from, address).await, url).await;
        client.greet(name).await;
        client
    }

    /// Performs the handshake on an existing stream.
    pub async fn with_stream(stream: TcpStream, url: &str) -> TestClient {
        let request = url.into_client_request().expect("an address");
        let stream = MaybeTlsStream::Plain(stream);
        let upgraded = with_timeout("a handshake", Box::pin(client_async(request, stream))).await;
        TestClient::with_websocket(upgraded.expect("a handshake").0)
    }

    fn with_websocket(stream: ClientStream) -> TestClient {
        TestClient {
            stream,
            next_id: 1,
            kind: PlayerKind::Person,
            buffered: VecDeque::new(),
            room: None,
        }
    }

    /// Connects and sends hello as a person.
    pub async fn connect_as(url: &str, name: &str) -> TestClient {
        let mut client = TestClient::connect(url).await;
        client.greet(name).await;
        client
    }

    /// Connects and sends hello as a bot.
    pub async fn connect_as_bot(url: &str, name: &str) -> TestClient {
        let mut client = TestClient {
            kind: PlayerKind::Bot,
            ..TestClient::connect(url).await
        };
        client.greet(name).await;
        client
    }

    /// Connects and sends hello with a party key; returns the seat that the welcome grants.
    pub async fn connect_as_party(
        url: &str,
        name: &str,
        party: Party,
    ) -> (TestClient, Option<SeatGrant>) {
        let mut client = TestClient::connect(url).await;
        let response = client
            .greet_as(name, Some(party), FeatureSet::default())
            .await;
        let Message::Welcome { grant, .. } = response else {
            panic!("expected a welcome: {response:?}")
        };
        (client, grant)
    }

    /// Connects and sends hello with the secret of an identity. Returns the identity, and the rooms of its seats.
    pub async fn connect_with_identity(
        url: &str,
        name: &str,
        kind: PlayerKind,
        secret: IdentitySecret,
    ) -> (TestClient, Identity, Vec<RoomId>) {
        let mut client = TestClient {
            kind,
            ..TestClient::connect(url).await
        };
        let hello = Hello {
            identity_secret: Some(secret),
            ..client.hello(name)
        };
        let welcome = client.request(RequestBody::Hello(hello)).await;
        let Ok(Message::Welcome {
            identity: Some(identity),
            own_rooms,
            ..
        }) = welcome
        else {
            panic!("expected a welcome with an identity: {welcome:?}")
        };
        (client, identity, own_rooms)
    }

    fn hello(&self, name: &str) -> Hello {
        Hello {
            versions: [wire::VERSION; 2],
            name: name.parse().expect("a name"),
            kind: self.kind,
            client: Some("tests".into()),
            party: None,
            identity_secret: None,
            wants: FeatureSet::default(),
        }
    }

    /// Sends hello; returns the welcome.
    pub async fn greet(&mut self, name: &str) -> Message {
        self.greet_as(name, None, FeatureSet::default()).await
    }

    /// Sends hello with a party and features.
    pub async fn greet_as(
        &mut self,
        name: &str,
        party: Option<Party>,
        wants: FeatureSet,
    ) -> Message {
        let hello = Hello {
            party,
            wants,
            ..self.hello(name)
        };
        let welcome = self.request(RequestBody::Hello(hello)).await;
        welcome.unwrap_or_else(|reject| panic!("expected a welcome: {reject}"))
    }

    /// Returns an unused request id.
    pub fn next_request_id(&mut self) -> RequestId {
        self.next_id += 1;
        RequestId::new(self.next_id).expect("fits the type")
    }

    pub async fn send(&mut self, request: &Request) {
        self.send_text(&request.to_json()).await;
    }

    pub async fn send_text(&mut self, text: &str) {
        let message = tungstenite::Message::Text(Utf8Bytes::from(text));
        with_timeout(("sending", text), self.stream.send(message))
            .await
            .expect("the connection is open");
    }

    /// Sends a text on a connection that may have ended.
    ///
    /// # Errors
    ///
    /// If the connection has ended.
    pub async fn try_send_text(&mut self, text: &str) -> Result<(), tungstenite::Error> {
        with_timeout(
            ("sending", text),
            self.stream
                .send(tungstenite::Message::Text(Utf8Bytes::from(text))),
        )
        .await
    }

    /// Receives the next message and folds it into the room.
    async fn receive(&mut self) -> Message {
        let message = with_timeout("a message", async {
            loop {
                match self
                    .stream
                    .next()
                    .await
                    .expect("the connection is open")
                    .expect("the connection works")
                {
                    tungstenite::Message::Text(text) => {
                        return Message::parse(&text)
                            .unwrap_or_else(|error| panic!("{error} in {text}"));
                    }
                    tungstenite::Message::Ping(_) | tungstenite::Message::Pong(_) => {}
                    other @ (tungstenite::Message::Binary(_)
                    | tungstenite::Message::Close(_)
                    | tungstenite::Message::Frame(_)) => panic!("unexpected {other:?}"),
                }
            }
        })
        .await;
        self.fold(&message);
        message
    }

    /// Folds a message into the room.
    ///
    /// # Panics
    ///
    /// If an event is missing.
    fn fold(&mut self, message: &Message) {
        match message {
            Message::Snapshot {
                room, role, state, ..
            } => {
                let game = Game::from_snapshot(state).expect("a consistent snapshot");
                self.room = Some(SeatInfo {
                    id: *room,
                    role: *role,
                    game,
                });
            }
            Message::Events { room, events, .. } => {
                let seat_info = self.room.as_mut().expect("events come to those in a room");
                assert_eq!(seat_info.id, *room);
                for event in events {
                    seat_info
                        .game
                        .apply(event)
                        .unwrap_or_else(|error| panic!("{error}: {event:?}"));
                    if matches!(event.event, Event::Started { game } if game > 1) {
                        seat_info.role.seat = seat_info.role.seat.map(Seat::other);
                    }
                }
            }
            Message::Welcome { .. }
            | Message::Done { .. }
            | Message::Reject { .. }
            | Message::Notice { .. }
            | Message::Rooms { .. }
            | Message::Games { .. }
            | Message::Game { .. }
            | Message::Profile { .. }
            | Message::Lobby { .. }
            | Message::LobbyChanged { .. }
            | Message::Announcement { .. }
            | Message::Restarting { .. } => {}
        }
    }

    /// Waits for a message that matches; earlier messages stay in the buffer.
    pub async fn wait_for(&mut self, what: &str, predicate: impl Fn(&Message) -> bool) -> Message {
        if let Some(at) = self.buffered.iter().position(&predicate) {
            return self.buffered.remove(at).expect("a valid index");
        }
        let mut seen = Vec::new();
        let found = tokio::time::timeout(crate::wait::WAIT_TIMEOUT, async {
            loop {
                let message = self.receive().await;
                if predicate(&message) {
                    return message;
                }
                seen.push(message.to_json());
                self.buffered.push_back(message);
            }
        })
        .await;
        found.unwrap_or_else(|_| panic!("no {what} among {seen:#?}"))
    }

    /// Returns the next message in wire order, including buffered ones.
    pub async fn next_message(&mut self) -> Message {
        match self.buffered.pop_front() {
            Some(message) => message,
            None => self.receive().await,
        }
    }

    /// Waits until all messages that the server has sent so far have arrived. Requests a list, and its response comes
    /// after them.
    pub async fn drain_messages(&mut self) {
        self.request(RequestBody::Session(SessionRequest::List))
            .await
            .expect("a list");
    }

    /// Sends a request and waits for its response.
    pub async fn request(&mut self, body: RequestBody) -> ClientResult<Message> {
        let id = self.next_request_id();
        self.request_with_id(id, body).await
    }

    /// Like [`TestClient::request`], with a given request id.
    pub async fn request_with_id(
        &mut self,
        id: RequestId,
        body: RequestBody,
    ) -> ClientResult<Message> {
        // An event is a response if its `by` names the seat that the client has at the time of the request.
        let seat = self.room.as_ref().and_then(|seat_info| seat_info.role.seat);
        let before = self
            .room
            .as_ref()
            .map_or(Seq::ZERO, |seat_info| seat_info.game.seq());
        self.send(&Request { id, body }).await;
        self.wait_for_response_after(before, id, seat).await
    }

    /// Waits for the response to a request sent before.
    pub async fn wait_for_response(
        &mut self,
        id: RequestId,
        seat: Option<Seat>,
    ) -> ClientResult<Message> {
        self.wait_for_response_after(Seq::ZERO, id, seat).await
    }

    /// Waits for the response; an event counts only after `before`, because the opponent may have used the
    /// same seat and id in an earlier game.
    async fn wait_for_response_after(
        &mut self,
        before: Seq,
        id: RequestId,
        seat: Option<Seat>,
    ) -> ClientResult<Message> {
        let is_response = |message: &Message| match message {
            Message::Welcome { re, .. }
            | Message::Done { re, .. }
            | Message::Rooms { re, .. }
            | Message::Games { re, .. }
            | Message::Game { re, .. }
            | Message::Profile { re, .. } => *re == id,
            Message::Reject { re, .. } => *re == Some(id),
            Message::Snapshot { re, .. } | Message::Lobby { re, .. } => *re == Some(id),
            Message::Events { re, events, .. } => {
                let by_me = |event: &EventRecord| {
                    event
                        .by
                        .is_some_and(|by| by.id == id && Some(by.seat) == seat)
                };
                *re == Some(id)
                    || events
                        .iter()
                        .any(|event| event.seq > before && by_me(event))
            }
            Message::Notice { .. }
            | Message::LobbyChanged { .. }
            | Message::Announcement { .. }
            | Message::Restarting { .. } => false,
        };
        match self
            .wait_for(&format!("response to {id}"), is_response)
            .await
        {
            Message::Reject { reject, .. } => Err(reject),
            message @ (Message::Welcome { .. }
            | Message::Done { .. }
            | Message::Snapshot { .. }
            | Message::Events { .. }
            | Message::Notice { .. }
            | Message::Rooms { .. }
            | Message::Games { .. }
            | Message::Game { .. }
            | Message::Profile { .. }
            | Message::Lobby { .. }
            | Message::LobbyChanged { .. }
            | Message::Announcement { .. }
            | Message::Restarting { .. }) => Ok(message),
        }
    }

    /// Sends a request that must be rejected; returns the code.
    pub async fn expect_reject(&mut self, body: RequestBody) -> RejectCode {
        match self.request(body).await {
            Err(reject) => reject.code,
            Ok(message) => panic!("not rejected: {message:?}"),
        }
    }

    /// Waits for the next snapshot.
    pub async fn next_snapshot(&mut self) -> Snapshot {
        let found = self
            .wait_for("snapshot", |message| {
                matches!(message, Message::Snapshot { .. })
            })
            .await;
        let Message::Snapshot { state, .. } = found else {
            unreachable!()
        };
        state
    }

    pub fn seat_info(&self) -> &SeatInfo {
        self.room.as_ref().expect("in a room")
    }

    /// Returns the game folded from the received events.
    pub fn game(&self) -> &Game {
        &self.seat_info().game
    }

    pub fn seat(&self) -> Seat {
        self.seat_info().role.seat.expect("a player")
    }

    /// Waits until the game has reached an event number.
    pub async fn wait_until_seq(&mut self, seq: Seq) {
        while self.game().seq() < seq {
            let message = self.receive().await;
            self.buffered.push_back(message);
        }
    }

    /// Waits for an event that matches; skips earlier messages.
    pub async fn wait_for_event(
        &mut self,
        what: &str,
        predicate: impl Fn(&Event) -> bool,
    ) -> Event {
        let has = |message: &Message| matches!(message, Message::Events { events, .. } if events.iter().any(|event| predicate(&event.event)));
        let Message::Events { events, .. } = self.wait_for(what, has).await else {
            unreachable!()
        };
        events
            .into_iter()
            .map(|event| event.event)
            .find(|event| predicate(event))
            .expect("wait_for checks the event")
    }

    /// Waits until a player of the room is connected, disconnected or has left.
    pub async fn wait_for_presence(&mut self, wanted_seat: Seat, wanted: Presence) {
        let is_wanted = |notice: &Notice| matches!(notice, Notice::Presence { seat, presence, .. } if (*seat, *presence) == (wanted_seat, wanted));
        self.wait_for_notice("presence", is_wanted).await;
    }

    /// Waits for a notice that matches.
    pub async fn wait_for_notice(
        &mut self,
        what: &str,
        predicate: impl Fn(&Notice) -> bool,
    ) -> Notice {
        let is = |message: &Message| matches!(message, Message::Notice { notice, .. } if predicate(notice));
        let Message::Notice { notice, .. } = self.wait_for(what, is).await else {
            unreachable!()
        };
        notice
    }

    /// Reads until the server closes; returns the close code, or `None` if the connection broke without a close frame.
    pub async fn wait_for_close(mut self) -> Option<u16> {
        with_timeout("a close", async {
            loop {
                match self.stream.next().await {
                    Some(Ok(tungstenite::Message::Close(frame))) => {
                        return frame.map(|CloseFrame { code, .. }| code.into());
                    }
                    Some(Ok(_)) => {}
                    Some(Err(_)) | None => return None,
                }
            }
        })
        .await
    }

    /// Waits for a message that matches; returns `None` if the connection ends first.
    pub async fn try_wait_for(&mut self, predicate: impl Fn(&Message) -> bool) -> Option<Message> {
        while let Some(Ok(frame)) = with_timeout("a message or the end", self.stream.next()).await {
            if let tungstenite::Message::Text(text) = frame {
                let message =
                    Message::parse(&text).unwrap_or_else(|error| panic!("{error} in {text}"));
                self.fold(&message);
                if predicate(&message) {
                    return Some(message);
                }
            }
        }
        None
    }

    /// Takes a matching message from the buffer.
    pub fn take_buffered(&mut self, predicate: impl Fn(&Message) -> bool) -> Option<Message> {
        let at = self.buffered.iter().position(predicate)?;
        self.buffered.remove(at)
    }

    /// Drops the connection without a close frame: the server reads the end of the stream.
    pub fn disconnect(self) -> SeatInfo {
        self.room.expect("in a room")
    }

    /// Resets the connection: the server reads an error.
    pub fn reset(self) -> SeatInfo {
        let MaybeTlsStream::Plain(stream) = self.stream.get_ref() else {
            panic!("a plain TCP stream")
        };
        stream.set_zero_linger().expect("a socket of this test");
        self.disconnect()
    }
}
