//! Measures the messages that the server sends without a request. There are two worst cases of one address: a game
//! between two of its clients with idle spectators from the same address, and a seeker with idle subscribers to the
//! lobby. An honest audience of one address sees every move.
//!
//! The players send faster than the default limit permits. The bytes that the players receive depend on the number of
//! messages; the bytes that their audience receives depend on time. The ratio is calculated for players who use the
//! default limit in full.

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

/// Interval between two messages of a player with the default limit.
const MESSAGE_INTERVAL: Duration = Duration::from_millis(100);

/// Interval between two changes of the lobby.
const CHANGE_INTERVAL: Duration = Duration::from_millis(500);

/// Interval between two remarks of a player. Two per second are forwarded.
const REMARK_INTERVAL: Duration = Duration::from_millis(505);

/// Bytes per second that an audience of one address receives by default; a subscriber of the lobby counts half.
const DEFAULT_BYTES_PER_SECOND: f64 = 48.0 * 64.0;

/// Budget of an audience in tests that lower the budget, so that the audience soon spends it.
const LOW_BYTES_PER_SECOND: f64 = 200.0;

/// The burst: the server sends the bytes of this many seconds without a delay.
const BURST_SECONDS: f64 = 240.0;

/// Upper bound of the length of a message to an audience.
const MAX_MESSAGE_BYTES: f64 = 4096.0;

/// Connections of one address with the default limits, without its two players.
const SPECTATOR_COUNT: usize = 62;

/// Starts a server without a limit of messages. No ping is due during a test, because spectators that only read would
/// have to answer it.
fn start_server(flags: &[&str]) -> ServerProcess {
    let limits = ["ping-interval=10m", "rate-burst=1000000"].map(|limit| ["--set", limit]);
    ServerProcess::start(&[limits.as_flattened(), flags].concat())
}

/// A player that counts its bytes.
struct CountingPlayer {
    socket: RawWebSocket,
    next_id: u64,
    seq: Seq,
    room: Option<RoomId>,
}

impl CountingPlayer {
    async fn connect(server: &ServerProcess, from: Ipv4Addr) -> CountingPlayer {
        let mut socket = RawWebSocket::connect_from(from, server.address()).await;
        socket.upgrade().await;
        // The features and names that make events longest.
        let hello = r#"{"id":0,"type":"hello","versions":[1,1],"name":"界界界界界界界界界界界界","kind":"bot",
            "wants":["replies","details"]}"#;
        socket.write_text(hello).await;
        let mut player = CountingPlayer {
            socket,
            next_id: 1,
            seq: Seq::ZERO,
            room: None,
        };
        while !matches!(player.read().await, Some(Message::Welcome { .. })) {}
        player
    }

    /// Sends a request. `fields` follow id and type.
    async fn send(&mut self, kind: &str, fields: &str) {
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
        let mut player = CountingPlayer::connect(server, from).await;
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
    players: [CountingPlayer; 2],
    /// Index of the player in seat X.
    x: usize,
    next_cell: u32,
    spectators: Vec<IdleReceiver>,
}

impl Audience {
    async fn open(server: &ServerProcess, from: Ipv4Addr, spectator_count: usize) -> Audience {
        let mut x = CountingPlayer::connect(server, from).await;
        x.send("create", r#","rules":"25x25:25","seat":"X","public":true"#)
            .await;
        while x.room.is_none() {
            x.read().await;
        }
        let room = x.room.expect("the snapshot names the room");
        let mut o = CountingPlayer::connect(server, from).await;
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

    /// Ends the game and begins the next game with swapped seats.
    async fn begin_next_game(&mut self) {
        self.request(0, "resign", "").await;
        self.request(0, "offer", r#","offer":"rematch""#).await;
        self.request(1, "accept", r#","offer":"rematch""#).await;
        (self.x, self.next_cell) = (1 - self.x, 0);
    }

    /// Returns the bytes that the players sent, and that they received.
    fn bytes(&self) -> [usize; 2] {
        let [x, o] = &self.players;
        [
            x.socket.sent + o.socket.sent,
            x.socket.received + o.socket.received,
        ]
    }
}

/// Returns the sum of a count of all receivers.
fn sum(receivers: &[IdleReceiver], count: fn(&ReceiverCounts) -> &AtomicUsize) -> usize {
    let counts = receivers.iter().map(|receiver| count(&receiver.counts));
    counts.map(|count| count.load(Ordering::Relaxed)).sum()
}

/// Checks that an audience has received the bytes of the first burst, then the bytes of its budget.
fn check_budget(receivers: &[IdleReceiver], bytes_per_second: f64, began: Instant) {
    let pushed = sum(receivers, |counts| &counts.bytes) as f64;
    let seconds = BURST_SECONDS + began.elapsed().as_secs_f64();
    let allowed = bytes_per_second * seconds + MAX_MESSAGE_BYTES;
    println!("{pushed} of {allowed} bytes");
    assert!(
        (bytes_per_second * BURST_SECONDS..allowed).contains(&pushed),
        "{pushed} of {allowed} bytes"
    );
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
    /// Returns the duration of a step with the default limits.
    fn step_time(self) -> Duration {
        match self {
            Attack::Moves => MESSAGE_INTERVAL / 2,
            Attack::Games => MESSAGE_INTERVAL * 2,
            Attack::Offers => MESSAGE_INTERVAL * 4,
            Attack::Remarks => REMARK_INTERVAL,
        }
    }

    /// Returns the number of steps that are measured.
    fn steps(self) -> u32 {
        match self {
            Attack::Moves => 100,
            Attack::Games | Attack::Offers => 20,
            // Few steps, because remarks cannot be faster.
            Attack::Remarks => 3,
        }
    }

    async fn step(self, audience: &mut Audience) {
        match self {
            Attack::Moves => audience.play().await,
            Attack::Games => audience.begin_next_game().await,
            Attack::Offers => {
                // The server limits the draw offers per game, so each step begins a new game.
                audience.request(0, "offer", r#","offer":"draw""#).await;
                audience.request(0, "decline", r#","offer":"draw""#).await;
                audience.begin_next_game().await;
            }
            Attack::Remarks => {
                let until = Instant::now() + REMARK_INTERVAL;
                for player in &mut audience.players {
                    let fields = format!(r#","seq":{},"evaluation":"+0","pv":[]"#, player.seq);
                    player.send("remark", &fields).await;
                    while !matches!(player.read().await, Some(Message::Done { .. })) {}
                }
                sleep_until(until).await;
            }
        }
    }
}

#[tokio::test]
async fn the_game_of_one_address_before_its_own_spectators_is_not_amplified() {
    let began = Instant::now();
    let budget = format!("spectator-bytes-per-second={LOW_BYTES_PER_SECOND}");
    let server = start_server(&["--set", &budget]);
    let mut audience = Audience::open(&server, Ipv4Addr::new(127, 0, 9, 1), SPECTATOR_COUNT).await;
    // First, the audience receives the burst that the limits allow.
    let burst = (LOW_BYTES_PER_SECOND * BURST_SECONDS) as usize;
    while sum(&audience.spectators, |counts| &counts.bytes) < burst {
        audience.play().await;
        assert!(
            audience.players[0].seq.get() < 2000,
            "the spectators receive too little"
        );
    }
    let mut worst: f64 = 0.0;
    for attack in [
        Attack::Moves,
        Attack::Games,
        Attack::Offers,
        Attack::Remarks,
    ] {
        let before = audience.bytes();
        for _ in 0..attack.steps() {
            attack.step(&mut audience).await;
        }
        let after = audience.bytes();
        let [sent, players] = [0, 1].map(|part| (after[part] - before[part]) as f64);
        let time = attack.step_time() * attack.steps();
        let spectators = DEFAULT_BYTES_PER_SECOND * time.as_secs_f64();
        let ratio = (players + spectators) / sent;
        println!("{attack:?}: {sent} bytes in, {players} + {spectators} bytes out: {ratio:.1}");
        worst = worst.max(ratio);
    }
    assert!(worst < AMPLIFICATION_MAX, "{worst:.1}");
    // When the game pauses, the spectators get the state in turn.
    let seq = audience.players[0].seq.get() as usize;
    wait_until("the last event", async || {
        let mut spectators = audience.spectators.iter();
        spectators
            .any(|spectator| spectator.counts.last_seq.load(Ordering::Relaxed) == seq)
            .then_some(())
    })
    .await;
    check_budget(&audience.spectators, LOW_BYTES_PER_SECOND, began);
}

#[tokio::test]
async fn the_seeks_of_one_address_before_its_own_subscribers_are_not_amplified() {
    let began = Instant::now();
    let budget = format!("spectator-bytes-per-second={}", LOW_BYTES_PER_SECOND / 2.0);
    let server = start_server(&["--set", &budget]);
    let from = Ipv4Addr::new(127, 0, 9, 3);
    let mut seeker = CountingPlayer::connect(&server, from).await;
    let mut subscribers = vec![];
    for _ in 0..=SPECTATOR_COUNT {
        subscribers.push(IdleReceiver::connect(&server, from, "lobby", "").await);
    }
    let (sent, answered, mut messages) = (seeker.socket.sent, seeker.socket.received, 0);
    let mut views_before = None;
    // First, the subscribers receive the burst that the limits allow. Then they get whole views.
    loop {
        let views = sum(&subscribers, |counts| &counts.snapshots);
        if sum(&subscribers, |counts| &counts.bytes) as f64 >= LOW_BYTES_PER_SECOND * BURST_SECONDS
            && views >= *views_before.get_or_insert(views) + 2
        {
            break;
        }
        let (kind, fields) = match messages % 2 {
            0 => ("seek", r#","rules":"3x3:3""#),
            _ => ("cancel", ""),
        };
        seeker.send(kind, fields).await;
        while !matches!(seeker.read().await, Some(Message::Done { .. })) {}
        messages += 1;
        sleep_until(Instant::now() + CHANGE_INTERVAL).await;
        assert!(messages < 200, "no subscriber is thinned");
    }
    check_budget(&subscribers, LOW_BYTES_PER_SECOND, began);
    let pushed = 2.0 * DEFAULT_BYTES_PER_SECOND * (MESSAGE_INTERVAL * messages).as_secs_f64();
    let ratio =
        (pushed + (seeker.socket.received - answered) as f64) / (seeker.socket.sent - sent) as f64;
    println!("seeks: {ratio:.1}");
    assert!(ratio < AMPLIFICATION_MAX, "{ratio:.1}");
}

#[tokio::test]
async fn an_honest_audience_of_one_address_sees_every_move() {
    const MOVES: usize = 60;
    let server = start_server(&[]);
    let mut audience = Audience::open(&server, Ipv4Addr::new(127, 0, 9, 2), 30).await;
    for _ in 0..MOVES {
        audience.play().await;
    }
    for spectator in &audience.spectators {
        wait_until("all moves", async || {
            (spectator.counts.moves.load(Ordering::Relaxed) == MOVES).then_some(())
        })
        .await;
        assert_eq!(spectator.counts.snapshots.load(Ordering::Relaxed), 0);
    }
}
