//! Random player that outlives the server: it records received events, resumes its seat after a restart, and
//! repeats the request that has no response.

use std::sync::Arc;
use std::time::Duration;

use crate::client::random_action::{is_too_late, random_action};
use crate::client::test_client::{ClientStream, TestClient};
use crate::oracle::observations::Observations;
use crate::rng::SeededRng;
use crate::wait::with_timeout;
use futures::{SinkExt, StreamExt};
use noughts_protocol::wire::{
    Message, RejectCode, Request, RequestBody, RoomCommand, SessionRequest,
};
use noughts_protocol::{EventRecord, RequestId, ResumeToken, RoomId, RoomRef, Seat, Seq};
use tokio::sync::watch;
use tokio_tungstenite::tungstenite;

/// Flags that set timeouts longer than any test.
pub const LONG_TIMEOUT_FLAGS: [&str; 2] = ["--set", "ping-interval=10m,write-timeout=10m"];

/// A request that has had no response yet.
#[derive(Clone, Copy, Debug)]
struct CrashRequest {
    id: RequestId,
    command: RoomCommand,
    /// Whether the request was sent on an earlier connection, which broke.
    resend: bool,
    /// Whether the request was sent on the current connection.
    sent: bool,
    /// Last event that any client knew when the request was made: the server executes the request after it.
    after: Seq,
}

/// A player of one room, on successive connections.
#[derive(Debug)]
pub struct CrashPlayer {
    name: String,
    room: RoomId,
    token: ResumeToken,
    seat: Seat,
    game: noughts_protocol::Game,
    next_id: u64,
    pending: Option<CrashRequest>,
    rng: SeededRng,
    observations: Arc<Observations>,
    stream: Option<ClientStream>,
    /// Whether the server has announced its stop on the current connection.
    restart_announced: bool,
    /// Whether the test lets the store be unavailable for some seconds.
    allows_outages: bool,
}

/// Maximum time that the player waits for the server to return.
const SERVER_RETURN_TIMEOUT: Duration = Duration::from_secs(180);

/// Delay before another attempt to resume: at a restart, and while the store is unavailable.
const RETRY_DELAY: Duration = Duration::from_millis(5);
const OUTAGE_RETRY_DELAY: Duration = Duration::from_millis(100);

/// The connection broke because the server has ended.
#[derive(Debug)]
struct ServerLost;

impl CrashPlayer {
    /// Connects pairs in private rooms, with several kinds of games. `url` names one server, or several nodes of a
    /// cluster separated by commas. The two players of a room connect to these nodes in turn.
    pub async fn start_pairs(
        pairs: usize,
        seed: u64,
        observations: &Arc<Observations>,
        url: &watch::Sender<Option<String>>,
    ) -> Vec<CrashPlayer> {
        let urls = url.borrow().clone().expect("the server runs");
        let urls: Vec<&str> = urls.split(',').collect();
        let mut players = Vec::new();
        for pair in 0..pairs {
            let (rules, clock) = [
                ("3x3:3", None),
                ("15x15:5", None),
                ("7x6:4+gravity", Some("10+1")),
                ("25x25:25", None),
            ][pair % 4];
            let mut ann =
                TestClient::connect_as(urls[pair % urls.len()], &format!("Ann {pair}")).await;
            let mut bob =
                TestClient::connect_as(urls[(pair + 1) % urls.len()], &format!("Bob {pair}")).await;
            let code = ann.create_when_available(rules, clock).await;
            assert!(matches!(code, RoomRef::Code(_)));
            bob.join(code).await.expect("the free seat");
            let seq = bob.game().seq();
            ann.wait_until_seq(seq).await;
            for (at, client) in [ann, bob].into_iter().enumerate() {
                let rng = SeededRng::new(seed << 32 | (2 * pair + at) as u64);
                players.push(CrashPlayer::from_peer(client, at as u64, rng, observations));
            }
        }
        players
    }

    fn from_peer(
        client: TestClient,
        parity: u64,
        rng: SeededRng,
        observations: &Arc<Observations>,
    ) -> CrashPlayer {
        let seat_info = client.room.expect("in a room");
        observations.record_seq(seat_info.id, seat_info.game.seq());
        observations.record_seated();
        CrashPlayer {
            name: format!("{} of {}", ["Ann", "Bob"][parity as usize], seat_info.id),
            room: seat_info.id,
            token: seat_info.role.token.expect("a player"),
            seat: seat_info.role.seat.expect("a player"),
            game: seat_info.game,
            // The two players of a room use different request ids, so that an event identifies its sender.
            next_id: 1000 + parity,
            pending: None,
            rng,
            observations: Arc::clone(observations),
            stream: Some(client.stream),
            restart_announced: false,
            allows_outages: false,
        }
    }

    /// Accepts that requests are rejected because the store is unavailable.
    pub fn allow_outages(mut self) -> CrashPlayer {
        self.allows_outages = true;
        self
    }

    fn is_outage(&self, code: RejectCode) -> bool {
        self.allows_outages && code == RejectCode::Unavailable
    }

    /// Plays until the test finishes, always on the current server.
    pub async fn run(mut self, mut url: watch::Receiver<Option<String>>) {
        loop {
            // The inner loop ends when the server is lost.
            while self.stream.is_some() {
                if self.observations.is_finished() && self.pending.is_none() {
                    self.observations.check_view(self.room, &self.game);
                    return;
                }
                if let Err(ServerLost) = self.step().await {
                    self.stream = None;
                }
            }
            self.observations.check_view(self.room, &self.game);
            if let Some(pending) = &mut self.pending {
                (pending.resend, pending.sent) = (true, false);
            }
            // The test checks the files while the server is down. The larger the files are, the longer this takes.
            let server_url =
                tokio::time::timeout(SERVER_RETURN_TIMEOUT, url.wait_for(Option::is_some)).await;
            let server_url = server_url
                .expect("a server comes back")
                .expect("the test is running")
                .clone();
            let server_urls = server_url.expect("the server runs");
            let server_urls: Vec<&str> = server_urls.split(',').collect();
            let server_url = server_urls[self.rng.random_below(server_urls.len() as u64) as usize];
            if let Err(ServerLost) = self.resume(server_url).await {
                self.stream = None;
                let retry_delay = if self.allows_outages {
                    OUTAGE_RETRY_DELAY
                } else {
                    RETRY_DELAY
                };
                tokio::time::sleep(retry_delay).await;
            }
        }
    }

    async fn resume(&mut self, url: &str) -> Result<(), ServerLost> {
        let connected = with_timeout("a connection", tokio_tungstenite::connect_async(url)).await;
        self.stream = Some(connected.map_err(|_| ServerLost)?.0);
        self.restart_announced = false;
        let id = self.next_request_id();
        self.send(format!(
            r#"{{"type":"hello","id":{id},"versions":[1,1],"name":"Returned","kind":"bot"}}"#
        ))
        .await?;
        let welcome = self.receive().await?;
        if self.restart_announced {
            return Err(ServerLost);
        }
        assert!(
            matches!(welcome, Message::Welcome { .. }),
            "{}: {welcome:?}",
            self.name
        );
        // Sometimes resumes without an event number.
        let seq = (self.rng.random_below(4) > 0).then(|| self.game.seq());
        let id = self.next_request_id();
        let known_seq = self.observations.last_sent_seq(self.room);
        let body = RequestBody::Session(SessionRequest::Resume {
            room: self.room,
            token: Some(self.token),
            seq,
        });
        self.send(Request { id, body }.to_json()).await?;
        loop {
            let message = self.receive().await?;
            if let Message::Reject { reject, .. } = &message {
                if self.is_outage(reject.code) {
                    return Err(ServerLost);
                }
                panic!("{} cannot resume: {reject:?}", self.name);
            }
            if matches!(message, Message::Events { re: Some(re), .. } | Message::Snapshot { re: Some(re), .. } if re == id)
            {
                break;
            }
        }
        assert!(
            self.game.seq() >= known_seq,
            "{} resumed an old state: {known_seq} is known",
            self.name
        );
        self.observations.record_seated();
        self.send_pending().await
    }

    /// Sends the pending request.
    async fn send_pending(&mut self) -> Result<(), ServerLost> {
        let Some(pending) = &mut self.pending else {
            return Ok(());
        };
        pending.sent = true;
        let text = Request::command(pending.id, pending.command).to_json();
        self.send(text).await
    }

    /// Sends a request if none is pending, and handles a message.
    async fn step(&mut self) -> Result<(), ServerLost> {
        if self.pending.is_none()
            && let Some(command) = random_action(&self.game, self.seat, &mut self.rng)
        {
            let id = self.next_request_id();
            let after = self.observations.last_sent_seq(self.room);
            self.pending = Some(CrashRequest {
                id,
                command,
                resend: false,
                sent: false,
                after,
            });
            self.send_pending().await?;
        }
        // The other player may be waiting as well. If no message arrives, the next step soon looks for an action again.
        match tokio::time::timeout(Duration::from_millis(20), self.receive()).await {
            Err(_) if self.pending.is_none() => Ok(()),
            Err(_) => self.receive().await.map(|_| ()),
            Ok(message) => message.map(|_| ()),
        }
    }

    fn next_request_id(&mut self) -> RequestId {
        self.next_id += 2;
        RequestId::new(self.next_id).expect("fits the type")
    }

    async fn send(&mut self, text: String) -> Result<(), ServerLost> {
        let stream = self.stream.as_mut().expect("connected");
        let message = tungstenite::Message::Text(text.into());
        with_timeout("sending", stream.send(message))
            .await
            .map_err(|_| ServerLost)
    }

    async fn receive(&mut self) -> Result<Message, ServerLost> {
        loop {
            let stream = self.stream.as_mut().expect("connected");
            let next = with_timeout((&self.name, "waits for a message"), stream.next()).await;
            let text = match next {
                Some(Ok(tungstenite::Message::Text(text))) => text,
                Some(Ok(tungstenite::Message::Ping(_) | tungstenite::Message::Pong(_))) => continue,
                Some(Ok(tungstenite::Message::Close(Some(frame)))) => {
                    assert_eq!(
                        u16::from(frame.code),
                        1012,
                        "{} is closed: {frame:?}",
                        self.name
                    );
                    assert!(
                        self.restart_announced,
                        "{}: connection closed without a close frame",
                        self.name
                    );
                    self.observations.record_restart_close();
                    return Err(ServerLost);
                }
                Some(Ok(_) | Err(_)) | None => return Err(ServerLost),
            };
            let message = Message::parse(&text).unwrap_or_else(|error| panic!("{error} in {text}"));
            self.on_message(&message);
            return Ok(message);
        }
    }

    fn on_message(&mut self, message: &Message) {
        match message {
            Message::Snapshot {
                room, role, state, ..
            } => {
                assert_eq!(*room, self.room);
                let game =
                    noughts_protocol::Game::from_snapshot(state).expect("a consistent snapshot");
                assert!(
                    game.seq() >= self.game.seq(),
                    "{} moved back to {}",
                    self.name,
                    game.seq()
                );
                self.observations.record_seq(*room, game.seq());
                self.game = game;
                self.seat = role.seat.expect("a player");
            }
            Message::Events { room, events, .. } => {
                assert_eq!(*room, self.room);
                self.observations.record_events(*room, events);
                for event in events {
                    self.apply_event(event);
                }
            }
            Message::Done { re, seq } => {
                let pending = self
                    .pending
                    .take_if(|pending| pending.id == *re)
                    .expect("one request at a time");
                let seq = seq.expect("a duplicate was executed before");
                assert!(pending.resend, "{} sent {pending:?} once", self.name);
                self.observations.record_seq(self.room, seq);
                self.observations.record_resent(true);
                if let Some(done_seq) = self.observations.event_for_request(self.room, *re) {
                    assert_eq!(done_seq, seq, "{pending:?}");
                }
            }
            Message::Reject { re, reject } => {
                let pending = self.pending.take_if(|pending| Some(pending.id) == *re);
                let Some(pending) = pending else {
                    // The server has rejected the request to resume, which the player repeats.
                    assert!(self.is_outage(reject.code), "{}: {reject:?}", self.name);
                    return;
                };
                // A simultaneous action of the opponent may make the request late; it changes nothing then.
                let is_expected = is_too_late(reject.code) || self.is_outage(reject.code);
                assert!(
                    is_expected,
                    "{}: {pending:?} is rejected: {reject:?}",
                    self.name
                );
                assert_eq!(
                    self.observations.event_for_request(self.room, pending.id),
                    None,
                    "{pending:?} was rejected with {:?}, but executed",
                    reject.code
                );
                if pending.resend {
                    self.observations.record_resent(false);
                }
            }
            Message::Announcement { .. } => {}
            Message::Restarting { retry_after_ms } => {
                assert!(
                    *retry_after_ms > 0,
                    "{}: restart notice without a delay",
                    self.name
                );
                self.restart_announced = true;
            }
            Message::Notice { .. } | Message::Welcome { .. } => {}
            Message::Rooms { .. }
            | Message::Lobby { .. }
            | Message::LobbyChanged { .. }
            | Message::Games { .. }
            | Message::Game { .. }
            | Message::Profile { .. } => {
                panic!("unexpected {message:?}")
            }
        }
    }

    fn apply_event(&mut self, event: &EventRecord) {
        let seat = self.seat;
        assert_eq!(
            event.seq,
            Seq::new(self.game.seq().get() + 1),
            "{}: gap in the events",
            self.name
        );
        self.game
            .apply(event)
            .unwrap_or_else(|error| panic!("{}: {error} at {event:?}", self.name));
        if matches!(event.event, noughts_protocol::Event::Started { game } if game > 1) {
            self.seat = seat.other();
        }
        if let Some(pending) = self.pending
            && event.by.is_some_and(|by| by.id == pending.id)
        {
            assert_eq!(
                event.by.map(|request| request.seat),
                Some(seat),
                "{pending:?}"
            );
            assert!(
                event.seq > pending.after,
                "{}: {pending:?} is event {}",
                self.name,
                event.seq
            );
            // The event is the response, unless an earlier connection sent the request: the server has then executed
            // it, and the player repeats it to get the response `duplicate`.
            if pending.sent {
                self.pending = None;
                if pending.resend {
                    self.observations.record_resent(false);
                }
            }
        }
    }
}
