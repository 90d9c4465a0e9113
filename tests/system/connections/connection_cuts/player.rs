//! Random player on the client's own connection, through a proxy that cuts the connection during requests.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use noughts::testing::{
    ConnectionEvent, ConnectionHandle, ConnectionOptions, DisconnectReason, RetryPolicy,
};
use noughts_protocol::wire::{self, FeatureSet, Hello, Message, RequestBody, SessionRequest};
use noughts_protocol::{
    Event, EventRecord, Game, PlayerKind, RequestId, RoomId, RoomRef, Seat, Seq,
};
use noughts_tests::client::game_setup;
use noughts_tests::client::random_action::{is_too_late, random_action};
use noughts_tests::faults::proxy::{Proxy, StreamDirection, StreamEnd};
use noughts_tests::oracle::observations::Observations;
use noughts_tests::rng::SeededRng;
use noughts_tests::server::ServerProcess;
use noughts_tests::wait::with_timeout;

/// How connections are lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CutMode {
    /// Cut at a byte of a request, or of the server's output after it.
    DuringRequests,
    /// Delayed, slow, stalled, closed or reset, from the handshake on.
    Random,
}

impl CutMode {
    /// Server flags: a short ping interval where connections stall.
    pub(super) fn flags(self) -> &'static [&'static str] {
        match self {
            // Timeouts of seeks do not matter here.
            CutMode::DuringRequests => &[
                "--ping-interval",
                "10m",
                "--hello-timeout",
                "2m",
                "--handshake-timeout",
                "2m",
                "--write-timeout",
                "2m",
            ],
            CutMode::Random => &["--ping-interval", "1s"],
        }
    }
}

/// Counters of all players.
#[derive(Debug, Default)]
pub(super) struct CutCounts {
    /// Number of responses cut off, or of random losses, after which the players finish.
    pub(super) target: u64,
    /// Connections lost during a request, before or after its commit.
    pub(super) during_request: AtomicU64,
    /// Those cut in the direction from the server.
    pub(super) downstream: AtomicU64,
    /// Cut connections without a request in flight.
    pub(super) without_request: AtomicU64,
    /// `not_ready` rejects of a resume.
    pub(super) not_ready: AtomicU64,
}

/// Request without a response.
#[derive(Clone, Copy, Debug)]
struct CutRequest {
    id: RequestId,
    /// Whether its connection was lost, so that it is sent again.
    resend: bool,
}

pub(super) struct CutPlayer {
    link: ConnectionHandle,
    proxy: Proxy,
    mode: CutMode,
    rng: SeededRng,
    observations: Arc<Observations>,
    counts: Arc<CutCounts>,
    seat: Seat,
    view: Option<(RoomId, Game)>,
    pending: Option<CutRequest>,
    /// Connection to cut, and the direction.
    planned_cut: Option<(usize, StreamDirection)>,
    /// Requests that the server reported as executed.
    accepted: Vec<(RoomId, RequestId, Seq)>,
}

impl CutPlayer {
    /// Starts two players in a private room, each behind a proxy without faults.
    pub(super) async fn start_pair(
        server: &ServerProcess,
        number: u64,
        mode: CutMode,
        seed: u64,
        observations: &Arc<Observations>,
        counts: &Arc<CutCounts>,
    ) -> [CutPlayer; 2] {
        let kinds = [
            ("3x3:3", None),
            ("15x15:5", None),
            ("7x6:4+gravity", Some("10+1")),
            ("25x25:25", None),
        ];
        let (rules, clock) = kinds[number as usize % kinds.len()];
        let new = |at| {
            let rng = SeededRng::new(seed << 32 | (2 * number + at));
            CutPlayer::connect(server, mode, rng, observations, counts)
        };
        let [mut ann, mut bob] = [new(0).await, new(1).await];
        ann.link
            .send(game_setup::create_request(rules, clock, None, false))
            .expect("nothing waits");
        let code = with_timeout("a room", ann.wait_for_seat())
            .await
            .expect("a private room has a code");
        bob.link
            .send(RequestBody::Session(SessionRequest::Join { room: code }))
            .expect("nothing waits");
        with_timeout("a seat", bob.wait_for_seat()).await;
        // The events that began the room reached no client and are lost from the files after a checkpoint;
        // the oracle must not expect them.
        let id = bob
            .link
            .send(RequestBody::Session(SessionRequest::Sync {
                seq: Seq::ZERO,
            }))
            .expect("nothing waits");
        with_timeout("the first events", bob.wait_for_resync(id)).await;
        [ann, bob]
    }

    async fn connect(
        server: &ServerProcess,
        mode: CutMode,
        rng: SeededRng,
        observations: &Arc<Observations>,
        counts: &Arc<CutCounts>,
    ) -> CutPlayer {
        let proxy = Proxy::start(server.address()).await;
        let hello = Hello {
            versions: [wire::VERSION; 2],
            name: "Ann".parse().expect("a name"),
            kind: PlayerKind::Bot,
            client: Some("tests".into()),
            party_key: None,
            wants: FeatureSet::default(),
        };
        let url = proxy.url().parse().expect("an address");
        // Longer than any test.
        let retry = RetryPolicy::For(Duration::from_secs(15 * 60));
        CutPlayer {
            link: ConnectionHandle::open(ConnectionOptions { url, hello, retry }),
            proxy,
            mode,
            rng,
            observations: Arc::clone(observations),
            counts: Arc::clone(counts),
            seat: Seat::X,
            view: None,
            pending: None,
            planned_cut: None,
            accepted: Vec::new(),
        }
    }

    /// Waits for a seat; returns the room's code if it comes with one.
    async fn wait_for_seat(&mut self) -> Option<RoomRef> {
        loop {
            let event = self.link.next().await.expect("the link is running");
            if let ConnectionEvent::Message(Message::Snapshot { role, .. }) = &event {
                let code = role.code.map(RoomRef::Code);
                self.on_link_event(event);
                return code;
            }
        }
    }

    /// Waits for events that are already known.
    async fn wait_for_resync(&mut self, id: RequestId) {
        loop {
            let event = self.link.next().await.expect("the link is running");
            if let ConnectionEvent::Message(Message::Events {
                re: Some(re),
                room,
                events,
            }) = &event
                && *re == id
            {
                return self.observations.record_events(*room, events);
            }
            self.on_link_event(event);
        }
    }

    /// Plays until enough connections were cut and no request is in flight; returns the executed requests.
    pub(super) async fn run(mut self) -> Vec<(RoomId, RequestId, Seq)> {
        if self.mode == CutMode::Random {
            self.proxy.randomize(self.rng.clone(), 3_000);
            self.proxy.reset_all();
        }
        loop {
            if self.pending.is_none() {
                if self.is_target_reached() {
                    let (room, view) = self.view.as_ref().expect("seated");
                    self.observations.check_view(*room, view);
                    self.link.close().await;
                    return self.accepted;
                }
                self.send_request();
            }
            // Both players may be waiting: a player without a request in flight looks again soon.
            let wait_time = if self.pending.is_some() {
                Duration::from_secs(120)
            } else {
                Duration::from_millis(30)
            };
            match tokio::time::timeout(wait_time, self.link.next()).await {
                Ok(event) => self.on_link_event(event.expect("the link is running")),
                Err(_) => assert!(self.pending.is_none(), "{:?} has no response", self.pending),
            }
        }
    }

    fn is_target_reached(&self) -> bool {
        let cut_count = self.counts.during_request.load(Ordering::Relaxed);
        let [_, done_before] = self.observations.resent_counts();
        match self.mode {
            // A duplicate is a request whose first response was cut off.
            CutMode::DuringRequests => {
                assert!(
                    cut_count < 10 * self.counts.target,
                    "{cut_count} cuts, {done_before} of a response"
                );
                done_before as u64 >= self.counts.target
            }
            CutMode::Random => cut_count >= self.counts.target,
        }
    }

    /// Sends a request if it is this player's turn to act, and schedules a cut within the request or within
    /// the output after it.
    fn send_request(&mut self) {
        let (_, view) = self.view.as_ref().expect("seated");
        // A player waiting in a private room has no game yet.
        if view.phase() == noughts_protocol::Phase::Waiting {
            return;
        }
        let Some(command) = random_action(view, self.seat, &mut self.rng) else {
            return;
        };
        // The connection may have ended before the cut was set.
        self.planned_cut = self.planned_cut.filter(|(line, _)| {
            line + 1 == self.proxy.connection_count() || self.proxy.has_hit_fault(*line)
        });
        // Some requests are not cut, so that games advance.
        if self.mode == CutMode::DuringRequests
            && self.planned_cut.is_none()
            && self.rng.random_below(3) > 0
        {
            let ends = [StreamEnd::Reset, StreamEnd::Close, StreamEnd::HalfClose];
            let end = ends[self.rng.random_below(ends.len() as u64) as usize];
            let (way, bytes) = match self.rng.random_below(5) {
                0 => (StreamDirection::Up, self.rng.random_below(100)),
                _ => (StreamDirection::Down, self.rng.random_below(200)),
            };
            self.planned_cut = Some((self.proxy.end_after(way, bytes, end), way));
        }
        let id = self
            .link
            .send(RequestBody::Command(command))
            .expect("one request at a time");
        self.pending = Some(CutRequest { id, resend: false });
    }

    fn on_link_event(&mut self, event: ConnectionEvent) {
        match event {
            ConnectionEvent::Connecting { .. } | ConnectionEvent::Connected { .. } => {}
            ConnectionEvent::Disconnected { reason, .. } => self.on_offline(&reason),
            ConnectionEvent::RequestLost(id) => panic!("request {id} was lost: {:?}", self.pending),
            ConnectionEvent::Terminated(reason) => panic!("the connection has ended: {reason}"),
            ConnectionEvent::Message(message) => self.on_message(message),
        }
    }

    fn on_offline(&mut self, reason: &DisconnectReason) {
        let planned_cut = self.planned_cut.take();
        let counts = &self.counts;
        let count = |count: &AtomicU64| count.fetch_add(1, Ordering::Relaxed);
        match (
            self.mode,
            planned_cut.filter(|(line, _)| self.proxy.has_hit_fault(*line)),
            reason,
        ) {
            (CutMode::DuringRequests, Some(_), _) if self.pending.is_none() => {
                count(&counts.without_request)
            }
            (CutMode::DuringRequests, Some((_, StreamDirection::Down)), _) => {
                count(&counts.downstream);
                count(&counts.during_request)
            }
            (CutMode::DuringRequests, Some((_, StreamDirection::Up)), _)
            | (CutMode::Random, _, _) => count(&counts.during_request),
            (CutMode::DuringRequests, None, DisconnectReason::NotReady(_)) => {
                count(&counts.not_ready)
            }
            (
                CutMode::DuringRequests,
                None,
                DisconnectReason::Io(_)
                | DisconnectReason::Timeout
                | DisconnectReason::PingTimeout
                | DisconnectReason::Restarting
                | DisconnectReason::Closed(_)
                | DisconnectReason::Http(_)
                | DisconnectReason::MalformedMessage,
            ) => panic!(
                "a connection was lost without a cut: {reason}; {planned_cut:?} of {}",
                self.proxy.connection_count()
            ),
        };
        if let Some(pending) = &mut self.pending {
            pending.resend = true;
        }
        let (room, view) = self.view.as_ref().expect("seated");
        self.observations.check_view(*room, view);
    }

    fn on_message(&mut self, message: Message) {
        match message {
            Message::Snapshot {
                room, role, state, ..
            } => {
                let game = Game::from_snapshot(&state).expect("a consistent snapshot");
                if let Some((known, view)) = &self.view {
                    assert_eq!(*known, room);
                    assert!(game.seq() >= view.seq(), "moved back to {}", game.seq());
                }
                self.observations.record_seq(room, game.seq());
                self.seat = role.seat.expect("a player");
                self.view = Some((room, game));
            }
            Message::Events { re, room, events } => {
                self.observations.record_events(room, &events);
                for event in &events {
                    // A resume is answered by the events that happened while the connection was lost.
                    self.apply_event(event, re.is_some());
                }
            }
            Message::Done { re, seq } => {
                if let Some(pending) = self.pending.take_if(|pending| pending.id == re) {
                    assert!(
                        pending.resend,
                        "{pending:?} was sent once, but is a duplicate"
                    );
                    self.on_done(pending, seq.expect("a command causes an event"), true);
                }
            }
            Message::Reject { re, reject } => {
                let pending = self.pending.take_if(|pending| Some(pending.id) == re);
                let pending = pending.unwrap_or_else(|| panic!("{re:?} is rejected: {reject:?}"));
                assert!(
                    is_too_late(reject.code),
                    "{pending:?} is rejected: {reject:?}"
                );
                let (room, _) = self.view.as_ref().expect("seated");
                assert_eq!(
                    self.observations.event_for_request(*room, pending.id),
                    None,
                    "{pending:?} was rejected, but executed"
                );
                if pending.resend {
                    self.observations.record_resent(false);
                }
            }
            Message::Welcome { .. } | Message::Notice { .. } => {}
            Message::Rooms { .. }
            | Message::Lobby { .. }
            | Message::LobbyChanged { .. }
            | Message::Restarting { .. } => panic!("unexpected {message:?}"),
        }
    }

    fn apply_event(&mut self, event: &EventRecord, done_before: bool) {
        let (_, view) = self.view.as_mut().expect("the first message is a snapshot");
        let seat = self.seat;
        view.apply(event)
            .unwrap_or_else(|error| panic!("{error} at {event:?}"));
        if matches!(event.event, Event::Started { game } if game > 1) {
            self.seat = seat.other();
        }
        let by_me = |pending: &mut CutRequest| event.request.is_some_and(|by| by.id == pending.id);
        if let Some(pending) = self.pending.take_if(by_me) {
            assert_eq!(event.request.map(|by| by.seat), Some(seat), "{pending:?}");
            self.on_done(pending, event.seq, done_before);
        }
    }

    fn on_done(&mut self, pending: CutRequest, seq: Seq, was_done_before: bool) {
        let (room, _) = self.view.as_ref().expect("seated");
        self.accepted.push((*room, pending.id, seq));
        if pending.resend {
            self.observations.record_resent(was_done_before);
        }
    }
}
