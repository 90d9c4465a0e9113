//! The messages that the server sends without a request. The worst that one address can build is a game of two players of its own before
//! idle spectators of its own, and a seeker before idle subscribers of the lobby; an honest audience of one address sees every
//! move.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use noughts_protocol::wire::Message;
use noughts_protocol::{Event, EventRecord, RoomId, Seq};
use noughts_tests::client::raw_websocket::{RawWebSocket, TEXT};
use noughts_tests::server::ServerProcess;
use noughts_tests::wait::wait_until;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until};

use super::amplification::AMPLIFICATION_MAX;

/// Time between two messages of a player: just above the default limit.
const MESSAGE_INTERVAL: Duration = Duration::from_millis(101);

/// Messages that a player of the attack omits between two remarks, of which two per second are forwarded.
const REMARK_PAUSES: u32 = 4;

/// Connections of one address with the default limits, without its two players.
const SPECTATOR_COUNT: usize = 62;

/// No ping is due during a test: spectators that only read would have to answer it.
const FLAGS: [&str; 2] = ["--set", "ping-interval=10m"];

/// A player that keeps the message limit.
struct SteadyPlayer {
    socket: RawWebSocket,
    next_id: u64,
    may_send_at: Instant,
    seq: Seq,
    room: Option<RoomId>,
}

impl SteadyPlayer {
    async fn connect(server: &ServerProcess, from: Ipv4Addr) -> SteadyPlayer {
        let mut socket = RawWebSocket::connect_from(from, server.address()).await;
        socket.upgrade().await;
        // The features and names that make events longest.
        let hello = r#"{"id":0,"type":"hello","versions":[1,1],"name":"界界界界界界界界界界界界","kind":"bot",
            "wants":["replies","details"]}"#;
        socket.write_text(hello).await;
        let (may_send_at, seq) = (Instant::now(), Seq::ZERO);
        let mut player = SteadyPlayer {
            socket,
            next_id: 1,
            may_send_at,
            seq,
            room: None,
        };
        while !matches!(player.read().await, Some(Message::Welcome { .. })) {}
        player
    }

    /// Sends a request when the message limit allows it. `fields` follow id and type.
    async fn send(&mut self, kind: &str, fields: &str) {
        sleep_until(self.may_send_at).await;
        self.may_send_at = Instant::now() + MESSAGE_INTERVAL;
        let text = format!(r#"{{"id":{},"type":"{kind}"{fields}}}"#, self.next_id);
        self.next_id += 1;
        self.socket.write_text(&text).await;
    }

    /// Reads the next frame, and keeps the number of the last event. Returns `None` for a ping.
    async fn read(&mut self) -> Option<Message> {
        let (first, payload) = self
            .socket
            .next_frame()
            .await
            .expect("the connection is open");
        if first != TEXT {
            return None;
        }
        let message = Message::parse(str::from_utf8(&payload).expect("text")).expect("a message");
        if let Message::Snapshot { room, state, .. } = &message {
            (self.room, self.seq) = (Some(*room), state.seq);
        } else if let Message::Events { events, .. } = &message {
            self.seq = events.last().map_or(self.seq, |record| record.seq);
        } else if let Message::Reject { reject, .. } = &message {
            panic!("{reject:?}");
        }
        Some(message)
    }

    async fn read_until_seq(&mut self, seq: Seq) {
        while self.seq < seq {
            self.read().await;
        }
    }
}

/// A spectator or a subscriber of the lobby that only reads.
struct IdleReceiver {
    task: JoinHandle<()>,
    counts: Arc<ReceiverCounts>,
}

#[derive(Debug, Default)]
struct ReceiverCounts {
    bytes: AtomicUsize,
    snapshots: AtomicUsize,
    moves: AtomicUsize,
    last_seq: AtomicUsize,
}

impl IdleReceiver {
    /// Connects and sends a request, which a snapshot or the lobby answers.
    async fn connect(
        server: &ServerProcess,
        from: Ipv4Addr,
        kind: &str,
        fields: &str,
    ) -> IdleReceiver {
        let mut player = SteadyPlayer::connect(server, from).await;
        player.send(kind, fields).await;
        while !matches!(
            player.read().await,
            Some(Message::Snapshot { .. } | Message::Lobby { .. })
        ) {}
        let counts = Arc::<ReceiverCounts>::default();
        let task_counts = Arc::clone(&counts);
        player.socket.received = 0;
        let task = tokio::spawn(async move {
            loop {
                let message = player.read().await;
                let counts = &task_counts;
                counts
                    .bytes
                    .store(player.socket.received, Ordering::Relaxed);
                counts
                    .last_seq
                    .store(player.seq.get() as usize, Ordering::Relaxed);
                if let Some(Message::Snapshot { .. } | Message::Lobby { .. }) = message {
                    counts.snapshots.fetch_add(1, Ordering::Relaxed);
                } else if let Some(Message::Events { events, .. }) = message {
                    let moved = |record: &&EventRecord| matches!(record.event, Event::Moved { .. });
                    counts
                        .moves
                        .fetch_add(events.iter().filter(moved).count(), Ordering::Relaxed);
                }
            }
        });
        IdleReceiver { task, counts }
    }
}

impl Drop for IdleReceiver {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Two players of one address in a room, and spectators of the same address.
struct Audience {
    players: [SteadyPlayer; 2],
    /// Index of the player in seat X.
    x: usize,
    next_cell: u32,
    spectators: Vec<IdleReceiver>,
}

impl Audience {
    async fn open(server: &ServerProcess, from: Ipv4Addr, spectator_count: usize) -> Audience {
        let mut x = SteadyPlayer::connect(server, from).await;
        x.send("create", r#","rules":"25x25:25","seat":"X","public":true"#)
            .await;
        while x.room.is_none() {
            x.read().await;
        }
        let room = x.room.expect("the snapshot names the room");
        let mut o = SteadyPlayer::connect(server, from).await;
        o.send("join", &format!(r#","room":"{room}""#)).await;
        while o.seq == Seq::ZERO {
            o.read().await;
        }
        x.read_until_seq(o.seq).await;
        let mut audience = Audience {
            players: [x, o],
            x: 0,
            next_cell: 0,
            spectators: vec![],
        };
        for _ in 0..spectator_count {
            let fields = format!(r#","room":"{room}","remarks":true"#);
            audience
                .spectators
                .push(IdleReceiver::connect(server, from, "watch", &fields).await);
        }
        audience
    }

    /// Sends a request that one event answers, and waits until both players have it.
    async fn request(&mut self, player: usize, kind: &str, fields: &str) {
        let seq = self.players[player].seq.next();
        self.players[player].send(kind, fields).await;
        for reader in &mut self.players {
            reader.read_until_seq(seq).await;
        }
    }

    async fn play(&mut self) {
        let mover = if self.next_cell.is_multiple_of(2) {
            self.x
        } else {
            1 - self.x
        };
        let fields = format!(
            r#","cell":{},"seq":{}"#,
            self.next_cell, self.players[mover].seq
        );
        self.request(mover, "move", &fields).await;
        self.next_cell += 1;
        if self.next_cell == 600 {
            self.begin_next_game().await;
        }
    }

    /// Ends the game and begins the next, in which the players have swapped seats.
    async fn begin_next_game(&mut self) {
        self.request(0, "resign", "").await;
        self.request(0, "offer", r#","offer":"rematch""#).await;
        self.request(1, "accept", r#","offer":"rematch""#).await;
        (self.x, self.next_cell) = (1 - self.x, 0);
    }

    /// Bytes that the players sent, that they received, and that the spectators received.
    fn bytes(&self) -> [usize; 3] {
        let sent = self.players.iter().map(|player| player.socket.sent).sum();
        let received = self
            .players
            .iter()
            .map(|player| player.socket.received)
            .sum();
        let idle = self
            .spectators
            .iter()
            .map(|spectator| spectator.counts.bytes.load(Ordering::Relaxed));
        [sent, received, idle.sum()]
    }
}

/// Actions of the attacking players.
#[derive(Clone, Copy, Debug)]
enum Attack {
    Moves,
    Games,
    Offers,
    Remarks,
}

impl Attack {
    /// Time of a step at the message limit.
    fn step_time(self) -> Duration {
        MESSAGE_INTERVAL
            * match self {
                Attack::Moves => return MESSAGE_INTERVAL / 2,
                Attack::Games => 2,
                Attack::Offers => 4,
                Attack::Remarks => 1 + REMARK_PAUSES,
            }
    }

    async fn step(self, audience: &mut Audience) {
        match self {
            Attack::Moves => audience.play().await,
            Attack::Games => audience.begin_next_game().await,
            Attack::Offers => {
                // Offers of a draw are limited per game.
                audience.request(0, "offer", r#","offer":"draw""#).await;
                audience.request(0, "decline", r#","offer":"draw""#).await;
                audience.begin_next_game().await;
            }
            Attack::Remarks => {
                for player in &mut audience.players {
                    // Two per second are forwarded.
                    player.may_send_at += REMARK_PAUSES * MESSAGE_INTERVAL;
                    let fields = format!(r#","seq":{},"score":"+0","line":[]"#, player.seq);
                    player.send("remark", &fields).await;
                    while !matches!(player.read().await, Some(Message::Done { .. })) {}
                }
            }
        }
    }
}

#[tokio::test]
async fn the_game_of_one_address_before_its_own_spectators_is_not_amplified() {
    let server = ServerProcess::start(&FLAGS);
    let mut audience = Audience::open(&server, Ipv4Addr::new(127, 0, 9, 1), SPECTATOR_COUNT).await;
    // The burst that the limits allow is spent first.
    let thinned_count = |audience: &Audience| {
        let counts = audience
            .spectators
            .iter()
            .map(|spectator| &spectator.counts);
        counts
            .filter(|counts| counts.snapshots.load(Ordering::Relaxed) > 0)
            .count()
    };
    while thinned_count(&audience) < 8 {
        audience.play().await;
        assert!(
            audience.players[0].seq.get() < 2000,
            "no spectator is thinned"
        );
    }
    let mut worst: f64 = 0.0;
    for attack in [
        Attack::Moves,
        Attack::Games,
        Attack::Offers,
        Attack::Remarks,
    ] {
        let (before, began) = (audience.bytes(), Instant::now());
        let mut time_at_limit = Duration::ZERO;
        while began.elapsed() < Duration::from_secs(5) {
            attack.step(&mut audience).await;
            time_at_limit += attack.step_time();
        }
        let after = audience.bytes();
        let [sent, players, spectators] = [0, 1, 2].map(|part| (after[part] - before[part]) as f64);
        // Spectators are sent bytes per second: a busy machine, which needs longer for the messages, gives them more.
        let spectators_at_limit =
            spectators * time_at_limit.div_duration_f64(began.elapsed()).min(1.0);
        let ratio = (players + spectators_at_limit) / sent;
        println!("{attack:?}: {sent} bytes in, {players} + {spectators} bytes out: {ratio:.1}");
        worst = worst.max(ratio);
    }
    assert!(worst < AMPLIFICATION_MAX, "{worst:.1}");
    // Each spectator learns the state when the game pauses.
    let seq = audience.players[0].seq.get() as usize;
    for spectator in &audience.spectators {
        wait_until("the last event", async || {
            (spectator.counts.last_seq.load(Ordering::Relaxed) == seq).then_some(())
        })
        .await;
    }
}

#[tokio::test]
async fn the_seeks_of_one_address_before_its_own_subscribers_are_not_amplified() {
    // A tenth of the default, so that the bytes of four minutes are spent within seconds.
    let flags = [
        FLAGS[0],
        FLAGS[1],
        "--set",
        "spectator-bytes-per-second=307",
    ];
    let (server, from) = (ServerProcess::start(&flags), Ipv4Addr::new(127, 0, 9, 3));
    let mut seeker = SteadyPlayer::connect(&server, from).await;
    let mut subscribers = vec![];
    for _ in 0..=SPECTATOR_COUNT {
        subscribers.push(IdleReceiver::connect(&server, from, "lobby", "").await);
    }
    let received = |subscribers: &[IdleReceiver]| -> usize {
        subscribers
            .iter()
            .map(|subscriber| subscriber.counts.bytes.load(Ordering::Relaxed))
            .sum()
    };
    let views = |subscribers: &[IdleReceiver]| -> usize {
        subscribers
            .iter()
            .map(|subscriber| subscriber.counts.snapshots.load(Ordering::Relaxed))
            .sum()
    };
    let mut is_seeking = false;
    let mut seek_or_cancel = async |seeker: &mut SteadyPlayer| {
        let request = if is_seeking {
            ("cancel", "")
        } else {
            ("seek", r#","rules":"3x3:3""#)
        };
        seeker.send(request.0, request.1).await;
        is_seeking = !is_seeking;
        while !matches!(seeker.read().await, Some(Message::Done { .. })) {}
    };
    // The burst that the limits allow is spent first. Each subscriber may get a view because it subscribed between two changes.
    let deadline = Instant::now() + Duration::from_secs(120);
    while views(&subscribers) < subscribers.len() + 8 {
        seek_or_cancel(&mut seeker).await;
        assert!(Instant::now() < deadline, "no subscriber is thinned");
    }
    let (sent, answered, pushed) = (
        seeker.socket.sent,
        seeker.socket.received,
        received(&subscribers),
    );
    let began = Instant::now();
    let mut time_at_limit = Duration::ZERO;
    while began.elapsed() < Duration::from_secs(10) {
        seek_or_cancel(&mut seeker).await;
        time_at_limit += MESSAGE_INTERVAL;
    }
    // See the test above.
    let share_at_limit = time_at_limit.div_duration_f64(began.elapsed()).min(1.0);
    let pushed = (received(&subscribers) - pushed) as f64 * share_at_limit * 10.0;
    let ratio =
        (pushed + (seeker.socket.received - answered) as f64) / (seeker.socket.sent - sent) as f64;
    println!("seeks: {ratio:.1} with ten times the budget");
    assert!(ratio < AMPLIFICATION_MAX, "{ratio:.1}");
    assert!(pushed > 0.0, "subscribers still learn of changes");
}

#[tokio::test]
async fn an_honest_audience_of_one_address_sees_every_move() {
    const MOVES: usize = 60;
    let server = ServerProcess::start(&FLAGS);
    let mut audience = Audience::open(&server, Ipv4Addr::new(127, 0, 9, 2), 30).await;
    for number in 0..MOVES as u32 {
        let until = Instant::now() + Duration::from_millis(250);
        audience.play().await;
        sleep_until(until).await;
        assert_eq!(audience.next_cell, number + 1);
    }
    for spectator in &audience.spectators {
        wait_until("all moves", async || {
            (spectator.counts.moves.load(Ordering::Relaxed) == MOVES).then_some(())
        })
        .await;
        assert_eq!(spectator.counts.snapshots.load(Ordering::Relaxed), 0);
    }
}
