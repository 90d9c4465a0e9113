//! A scripted client: sends what it is told, and hands out what comes, answer by answer.

mod requests;

use std::collections::VecDeque;

use futures::{SinkExt, StreamExt};
use noughts_protocol::wire::{
    self, Hello, Message, Notice, OwnRole, Reject, RejectCode, Request, RequestBody, SUBPROTOCOL, SeatGrant,
};
use noughts_protocol::{
    Event, EventRecord, Game, PartyKey, PlayerKind, RequestId, RoomId, Seat, Seq, Snapshot,
};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::{self, Utf8Bytes};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, client_async, connect_async};

use crate::wait::with_timeout;

/// The stream under a peer.
pub type ClientStream = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// What a request came to.
pub type ClientResult<T> = Result<T, Reject>;

/// A connected client.
#[derive(Debug)]
pub struct TestClient {
    /// The line itself, for those who would misuse it.
    pub stream: ClientStream,
    next_id: u64,
    /// What came while something else was waited for.
    buffered: VecDeque<Message>,
    /// The room as this peer knows it.
    pub room: Option<SeatInfo>,
}

/// A peer's place in a room.
#[derive(Clone, Debug)]
pub struct SeatInfo {
    /// Which room.
    pub id: RoomId,
    /// Its own part, as the last snapshot told.
    pub you: OwnRole,
    /// The fold of what it was sent.
    pub game: Game,
}

impl TestClient {
    /// Connects, with the subprotocol, and says nothing.
    pub async fn connect(url: &str) -> TestClient {
        TestClient::try_connect(url).await.expect("the server lets a peer in")
    }

    /// The same, or why not.
    pub async fn try_connect(url: &str) -> Result<TestClient, tungstenite::Error> {
        let mut request = url.into_client_request()?;
        request.headers_mut().insert("Sec-WebSocket-Protocol", HeaderValue::from_static(SUBPROTOCOL));
        let (stream, _) = with_timeout("a connection", Box::pin(connect_async(request))).await?;
        Ok(TestClient { stream, next_id: 1, buffered: VecDeque::new(), room: None })
    }

    /// The same over a line of the test's making.
    pub async fn with_stream(stream: TcpStream, url: &str) -> TestClient {
        let request = url.into_client_request().expect("an address");
        let stream = MaybeTlsStream::Plain(stream);
        let (stream, _) =
            with_timeout("a handshake", Box::pin(client_async(request, stream))).await.expect("a handshake");
        TestClient { stream, next_id: 1, buffered: VecDeque::new(), room: None }
    }

    /// Connects and says hello as a person.
    pub async fn connect_as(url: &str, name: &str) -> TestClient {
        let mut client = TestClient::connect(url).await;
        client.greet(name).await;
        client
    }

    /// Connects and says hello as a person of this party; gives the seat that it holds, as the welcome has it.
    pub async fn connect_as_party(url: &str, name: &str, party: PartyKey) -> (TestClient, Option<SeatGrant>) {
        let mut client = TestClient::connect(url).await;
        let response = client.greet_as(name, Some(party)).await;
        let Message::Welcome { held: grant, .. } = response else { panic!("no welcome, but {response:?}") };
        (client, grant)
    }

    /// Says hello as a person, and gives the welcome.
    pub async fn greet(&mut self, name: &str) -> Message {
        self.greet_as(name, None).await
    }

    async fn greet_as(&mut self, name: &str, party: Option<PartyKey>) -> Message {
        let (name, kind) = (name.parse().expect("a name"), PlayerKind::Human);
        let client = Some("tests".into());
        let hello = Hello { versions: [wire::VERSION; 2], name, kind, client, party };
        let welcome = self.request(RequestBody::Hello(hello)).await;
        welcome.unwrap_or_else(|reject| panic!("no welcome, but {reject}"))
    }

    /// A fresh number for a request.
    pub fn next_request_id(&mut self) -> RequestId {
        self.next_id += 1;
        RequestId::new(self.next_id).expect("small")
    }

    /// Sends a request as it is.
    pub async fn send(&mut self, request: &Request) {
        self.send_text(&request.to_json()).await;
    }

    /// Sends any text.
    pub async fn send_text(&mut self, text: &str) {
        let message = tungstenite::Message::Text(Utf8Bytes::from(text));
        with_timeout(("sending", text), self.stream.send(message)).await.expect("the line is open");
    }

    /// The same over a line that may have ended.
    ///
    /// # Errors
    /// When it has.
    pub async fn try_send_text(&mut self, text: &str) -> Result<(), tungstenite::Error> {
        with_timeout(("sending", text), self.stream.send(tungstenite::Message::Text(Utf8Bytes::from(text))))
            .await
    }

    /// The next message from the wire, in order; folded into the room if it belongs there.
    async fn receive(&mut self) -> Message {
        let message = with_timeout("a message", async {
            loop {
                match self.stream.next().await.expect("the line is open").expect("the line is sound") {
                    tungstenite::Message::Text(text) => {
                        return Message::parse(&text).unwrap_or_else(|error| panic!("{error} in {text}"));
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

    /// What it knows of the room follows what it is sent; a gap is a failure of the server.
    fn fold(&mut self, message: &Message) {
        match message {
            Message::Snapshot { room, you, state, .. } => {
                let game = Game::from_snapshot(state).expect("a snapshot that holds together");
                self.room = Some(SeatInfo { id: *room, you: *you, game });
            }
            Message::Events { room, events, .. } => {
                let seat_info = self.room.as_mut().expect("events come to those in a room");
                assert_eq!(seat_info.id, *room);
                for event in events {
                    seat_info.game.apply(event).unwrap_or_else(|error| panic!("{error}: {event:?}"));
                    if matches!(event.event, Event::Started { game } if game > 1) {
                        seat_info.you.seat = seat_info.you.seat.map(Seat::other);
                    }
                }
            }
            Message::Welcome { .. }
            | Message::Done { .. }
            | Message::Reject { .. }
            | Message::Notice { .. }
            | Message::Rooms { .. }
            | Message::Restarting { .. } => {}
        }
    }

    /// The next message that is wanted; those before it stay for later.
    pub async fn wait_for(&mut self, what: &str, predicate: impl Fn(&Message) -> bool) -> Message {
        if let Some(at) = self.buffered.iter().position(&predicate) {
            return self.buffered.remove(at).expect("just found");
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
        found.unwrap_or_else(|_| panic!("no {what} came, but {seen:#?}"))
    }

    /// The next message in the order of the wire, also one that was passed over.
    pub async fn next_message(&mut self) -> Message {
        match self.buffered.pop_front() {
            Some(message) => message,
            None => self.receive().await,
        }
    }

    /// Asks, and waits for the one answer.
    pub async fn request(&mut self, body: RequestBody) -> ClientResult<Message> {
        let id = self.next_request_id();
        self.request_with_id(id, body).await
    }

    /// The same under a number of the test's choice.
    pub async fn request_with_id(&mut self, id: RequestId, body: RequestBody) -> ClientResult<Message> {
        // The seat that counts for `by` is the one held when asking.
        let seat = self.room.as_ref().and_then(|seat_info| seat_info.you.seat);
        let before = self.room.as_ref().map_or(Seq::ZERO, |seat_info| seat_info.game.seq());
        self.send(&Request { id, body }).await;
        self.wait_for_response_after(before, id, seat).await
    }

    /// The answer to a request sent before.
    pub async fn wait_for_response(&mut self, id: RequestId, seat: Option<Seat>) -> ClientResult<Message> {
        self.wait_for_response_after(Seq::ZERO, id, seat).await
    }

    /// The same when it can only be an event after `before`: the other player, who may have had this
    /// seat in an earlier game, numbers requests too.
    async fn wait_for_response_after(
        &mut self,
        before: Seq,
        id: RequestId,
        seat: Option<Seat>,
    ) -> ClientResult<Message> {
        let is_response = |message: &Message| match message {
            Message::Welcome { re, .. } | Message::Done { re, .. } | Message::Rooms { re, .. } => *re == id,
            Message::Reject { re, .. } => *re == Some(id),
            Message::Snapshot { re, .. } => *re == Some(id),
            Message::Events { re, events, .. } => {
                let by_me =
                    |event: &EventRecord| event.by.is_some_and(|by| by.id == id && Some(by.seat) == seat);
                *re == Some(id) || events.iter().any(|event| event.seq > before && by_me(event))
            }
            Message::Notice { .. } | Message::Restarting { .. } => false,
        };
        match self.wait_for(&format!("answer to {id}"), is_response).await {
            Message::Reject { reject, .. } => Err(reject),
            message @ (Message::Welcome { .. }
            | Message::Done { .. }
            | Message::Snapshot { .. }
            | Message::Events { .. }
            | Message::Notice { .. }
            | Message::Rooms { .. }
            | Message::Restarting { .. }) => Ok(message),
        }
    }

    /// The code of a refusal.
    pub async fn expect_reject(&mut self, body: RequestBody) -> RejectCode {
        match self.request(body).await {
            Err(reject) => reject.code,
            Ok(message) => panic!("not refused: {message:?}"),
        }
    }

    /// The next snapshot.
    pub async fn next_snapshot(&mut self) -> Snapshot {
        let found = self.wait_for("snapshot", |message| matches!(message, Message::Snapshot { .. })).await;
        let Message::Snapshot { state, .. } = found else { unreachable!() };
        state
    }

    /// Its place in its room.
    pub fn seat_info(&self) -> &SeatInfo {
        self.room.as_ref().expect("in a room")
    }

    /// The game as it was told.
    pub fn game(&self) -> &Game {
        &self.seat_info().game
    }

    /// Its seat.
    pub fn seat(&self) -> Seat {
        self.seat_info().you.seat.expect("a player")
    }

    /// Waits until its game has come this far.
    pub async fn wait_until_seq(&mut self, seq: Seq) {
        while self.game().seq() < seq {
            let message = self.receive().await;
            self.buffered.push_back(message);
        }
    }

    /// Waits for the event that `wanted` describes; those before it are passed over.
    pub async fn wait_for_event(&mut self, what: &str, predicate: impl Fn(&Event) -> bool) -> Event {
        let has = |message: &Message| matches!(message, Message::Events { events, .. } if events.iter().any(|event| predicate(&event.event)));
        let Message::Events { events, .. } = self.wait_for(what, has).await else { unreachable!() };
        events.into_iter().map(|event| event.event).find(|event| predicate(event)).expect("just seen")
    }

    /// Waits for the notice that `wanted` describes.
    pub async fn wait_for_notice(&mut self, what: &str, predicate: impl Fn(&Notice) -> bool) -> Notice {
        let is = |message: &Message| matches!(message, Message::Notice { notice, .. } if predicate(notice));
        let Message::Notice { notice, .. } = self.wait_for(what, is).await else { unreachable!() };
        notice
    }

    /// Reads until the server closes, and says with which code; none for a line that just broke.
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

    /// The next message that is wanted; none when the line ends before it comes.
    pub async fn try_wait_for(&mut self, predicate: impl Fn(&Message) -> bool) -> Option<Message> {
        while let Some(Ok(frame)) = with_timeout("a message or the end", self.stream.next()).await {
            if let tungstenite::Message::Text(text) = frame {
                let message = Message::parse(&text).unwrap_or_else(|error| panic!("{error} in {text}"));
                self.fold(&message);
                if predicate(&message) {
                    return Some(message);
                }
            }
        }
        None
    }

    /// A message that has come and was passed over, if there is one.
    pub fn take_buffered(&mut self, predicate: impl Fn(&Message) -> bool) -> Option<Message> {
        let at = self.buffered.iter().position(predicate)?;
        self.buffered.remove(at)
    }

    /// Drops the line without a word: the other side reads its end.
    pub fn disconnect(self) -> SeatInfo {
        self.room.expect("in a room")
    }

    /// Resets the line: the other side reads an error.
    pub fn reset(self) -> SeatInfo {
        let MaybeTlsStream::Plain(stream) = self.stream.get_ref() else { panic!("not a plain line") };
        stream.set_zero_linger().expect("a socket of our own");
        self.disconnect()
    }
}
