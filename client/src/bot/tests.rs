//! A bot against a fake server, in virtual time. Only the searches take real time; they are short.

mod connections;
mod decisions;
mod exhaustive;
mod games;

use std::sync::Arc;
use std::time::Duration;

use noughts_protocol::wire::{
    ListedSeek, Message, Notice, OpenSeek, Presence, RequestBody, RoomCommand, SeekId,
    SessionRequest,
};
use noughts_protocol::{
    Cell, Event, EventRecord, Game, Offer, Outcome, Phase, Player, PlayerKind, RequestId, RoomRef,
    Seat, Snapshot, TimeControl,
};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::BotError;
use super::behaviour::Behaviour;
use super::matchmaking::BotTarget;
use super::policy::Policy;
use super::shared::BotShared;
use super::worker::Worker;
use crate::connection::tests::fake_server::{
    FakeConnection, FakeServer, PipeConnector, connection_options, pipe_server, room_id,
};
use crate::connection::{ClientRng, ConnectionHandle, RetryPolicy};
use crate::engine::Level;
use crate::engines::player_engine::SearchPool;
use crate::engines::player_engine::{EngineResources, EngineSpec, child_process};

const RETRY_POLICY: RetryPolicy = RetryPolicy::For(Duration::from_secs(60));

/// Bot under test with the server ends of its connections.
struct TestBot {
    task: JoinHandle<Result<(), BotError>>,
    retire: CancellationToken,
    shutdown: CancellationToken,
    calls: FakeServer,
}

fn policy() -> Policy {
    Policy::new("3x3:3".parse().unwrap())
}

fn play_target() -> BotTarget {
    BotTarget::Play(Arc::new(policy()))
}

fn worker(
    pipe: PipeConnector,
    target: BotTarget,
    behaviour: Behaviour,
    shared: BotShared,
    shutdown: CancellationToken,
) -> Worker {
    Worker {
        open: Box::new(move || {
            ConnectionHandle::with_connector(
                connection_options(RETRY_POLICY),
                pipe.clone(),
                ClientRng::default(),
            )
        }),
        own_name: "Tess".parse().unwrap(),
        target,
        behaviour,
        engine_spec: EngineSpec::Level(Level::Perfect),
        resources: EngineResources {
            searcher: Arc::new(SearchPool::new(2)),
            process_limits: child_process::ProcessLimits::default(),
        },
        move_time: Duration::from_secs(5),
        retire: CancellationToken::new(),
        shutdown,
        shared,
        reports: None,
    }
}

fn spawn_bot(target: BotTarget, behaviour: Behaviour) -> TestBot {
    let (pipe, calls) = pipe_server();
    let shutdown = CancellationToken::new();
    let worker = worker(pipe, target, behaviour, BotShared::new(), shutdown.clone());
    let retire = worker.retire.clone();
    TestBot {
        task: tokio::spawn(worker.run()),
        retire,
        shutdown,
        calls,
    }
}

/// Room of the fake server. It numbers and applies events, and makes no decisions.
struct FakeRoom {
    game: Game,
    bot_seat: Seat,
}

impl FakeRoom {
    /// Creates a room with a game that has just started.
    fn new(rules: &str, clock: Option<TimeControl>, bot_seat: Seat) -> FakeRoom {
        let snapshot = Snapshot {
            clock,
            left: clock.map(|clock| [clock.base_ms(); 2]),
            ..crate::connection::tests::fake_server::snapshot(rules)
        };
        FakeRoom {
            game: Game::from_snapshot(&snapshot).unwrap(),
            bot_seat,
        }
    }

    /// Sets the kind of the opponent.
    fn with_opponent_kind(self, kind: PlayerKind) -> FakeRoom {
        let mut snapshot = self.game.snapshot(self.game.last_event_at());
        if let Some(player) = &mut snapshot.players[self.bot_seat.other().index()] {
            player.kind = kind;
        }
        FakeRoom {
            game: Game::from_snapshot(&snapshot).unwrap(),
            ..self
        }
    }

    /// Returns the snapshot that the bot receives.
    fn snapshot_message(&self, re: Option<RequestId>) -> Message {
        let Message::Snapshot { role, .. } =
            crate::connection::tests::fake_server::seated_snapshot(None, self.bot_seat)
        else {
            unreachable!()
        };
        Message::Snapshot {
            re,
            room: room_id(),
            role,
            state: self.game.snapshot(self.game.last_event_at()),
        }
    }

    /// Applies an event and returns the message that reports it.
    fn apply_event(&mut self, event: Event, by: Option<RequestId>) -> Message {
        let by = by.map(|id| noughts_protocol::RequestRef {
            seat: self.bot_seat,
            id,
        });
        let record = EventRecord {
            seq: self.game.seq().next(),
            at: self.game.last_event_at() + 1,
            by,
            event,
        };
        self.game.apply(&record).expect("the event is possible");
        if matches!(record.event, Event::Started { .. }) {
            self.bot_seat = self.bot_seat.other();
        }
        Message::Events {
            re: None,
            room: room_id(),
            events: vec![record],
        }
    }

    /// Makes a move for the side to move, and ends the game if the move decides it.
    async fn play_move(&mut self, peer: &mut FakeConnection, cell: Cell, by: Option<RequestId>) {
        let left = self.game.left(self.game.last_event_at());
        let seat = self.game.position().turn();
        let moved = self.apply_event(Event::Moved { seat, cell, left }, by);
        peer.send(moved).await;
        if let Some(outcome) = self.game.position().outcome() {
            self.end_game(peer, outcome).await;
        }
    }

    async fn end_game(&mut self, peer: &mut FakeConnection, outcome: Outcome) {
        let left = self.game.left(self.game.last_event_at());
        let ended = self.apply_event(Event::Ended { outcome, left }, None);
        peer.send(ended).await;
    }

    /// Waits for a move of the bot and applies it.
    async fn expect_bot_move(&mut self, peer: &mut FakeConnection) {
        let (id, command) = expect_command(peer).await;
        let RoomCommand::Move { cell, seq } = command else {
            panic!("not a move: {command:?}")
        };
        assert!(
            seq >= self.game.board_seq(),
            "the move is for the current board"
        );
        let cell = self
            .game
            .check_move(self.bot_seat, cell)
            .expect("a legal move");
        self.play_move(peer, cell, Some(id)).await;
    }

    /// Plays until the game is over. The opponent always plays its first free cell.
    async fn play_out(&mut self, peer: &mut FakeConnection) {
        while self.game.phase() == Phase::Playing {
            if self.game.position().turn() == self.bot_seat {
                self.expect_bot_move(peer).await;
            } else {
                let cell = self
                    .game
                    .position()
                    .legal_moves()
                    .next()
                    .expect("the game is not over");
                self.play_move(peer, cell, None).await;
            }
        }
    }

    /// Applies a move in a game without a clock, and returns its message.
    fn move_event(&mut self, seat: Seat, cell: Cell) -> Message {
        let left = None;
        self.apply_event(Event::Moved { seat, cell, left }, None)
    }

    /// Returns the request to play a cell on the current board.
    fn move_command(&self, cell: Cell) -> RoomCommand {
        let seq = self.game.seq();
        RoomCommand::Move { cell, seq }
    }

    fn opponent_offer(&mut self, offer: Offer) -> Message {
        let seat = self.bot_seat.other();
        self.apply_event(Event::Offered { seat, offer }, None)
    }

    /// Offers a rematch on behalf of the opponent. Returns the id of the request that accepts it.
    async fn offer_rematch(&mut self, peer: &mut FakeConnection) -> RequestId {
        let offer = Offer::Rematch;
        peer.send(self.opponent_offer(offer)).await;
        let (id, accepted) = expect_command(peer).await;
        assert_eq!(accepted, RoomCommand::Accept { offer });
        id
    }

    fn opponent_presence(&self, presence: Presence, claim_in_ms: Option<u64>) -> Message {
        let seat = self.bot_seat.other();
        Message::Notice {
            room: room_id(),
            notice: Notice::Presence {
                seat,
                presence,
                claim_in_ms,
            },
        }
    }
}

fn ended(outcome: Outcome) -> Event {
    let left = None;
    Event::Ended { outcome, left }
}

/// Returns a listed seek without a clock. A name that begins with "Bot" is a bot.
pub(super) fn listed_seek(number: u64, name: &str, rules: &str) -> ListedSeek {
    ListedSeek {
        seek: SeekId(number),
        since: 0,
        open: OpenSeek {
            player: player(name),
            rules: rules.parse().unwrap(),
            clock: None,
            seat: None,
            opponents: None,
        },
    }
}

/// Returns a player. A name that begins with "Bot" is a bot.
pub(super) fn player(name: &str) -> Player {
    let is_bot = name.starts_with("Bot");
    let kind = if is_bot {
        PlayerKind::Bot
    } else {
        PlayerKind::Person
    };
    Player::guest(name.parse().unwrap(), kind)
}

async fn expect_command(peer: &mut FakeConnection) -> (RequestId, RoomCommand) {
    let request = peer.next_request().await;
    let RequestBody::Command(command) = request.body else {
        panic!("not a command: {request:?}")
    };
    (request.id, command)
}

async fn send_done(peer: &mut FakeConnection, re: RequestId) {
    peer.send(Message::Done { re, seq: None }).await;
}

/// Waits for a leave request and confirms it.
async fn expect_leave(peer: &mut FakeConnection) {
    let (id, lobby) = peer.next_session_request().await;
    assert!(matches!(lobby, SessionRequest::Leave), "{lobby:?}");
    send_done(peer, id).await;
}

async fn expect_seek(peer: &mut FakeConnection) -> RequestId {
    let (id, lobby) = peer.next_session_request().await;
    assert!(matches!(lobby, SessionRequest::Seek { .. }), "{lobby:?}");
    id
}

/// Waits for a seek and pairs the bot.
async fn expect_seek_and_pair(peer: &mut FakeConnection, fake_room: &FakeRoom) {
    let id = expect_seek(peer).await;
    send_done(peer, id).await;
    peer.send(fake_room.snapshot_message(None)).await;
}

/// Spawns a bot that plays X in a 3x3 game. Returns it with its connection and room.
async fn spawn_paired_bot(behaviour: Behaviour) -> (TestBot, FakeConnection, FakeRoom) {
    let mut bot = spawn_bot(play_target(), behaviour);
    let mut peer = bot.calls.accept_and_welcome().await;
    let fake_room = FakeRoom::new("3x3:3", None, Seat::X);
    expect_seek_and_pair(&mut peer, &fake_room).await;
    (bot, peer, fake_room)
}

/// Spawns a bot that was invited to a room and plays O. Returns it with its connection.
async fn spawn_invited_bot(
    rules: &str,
    max_games: Option<u32>,
) -> (TestBot, FakeConnection, FakeRoom) {
    let target = BotTarget::Join(RoomRef::Id(room_id()));
    let mut bot = spawn_bot(target, Behaviour::for_invited_bot(max_games));
    let mut peer = bot.calls.accept_and_welcome().await;
    let (id, _) = peer.next_session_request().await;
    let fake_room = FakeRoom::new(rules, None, Seat::O);
    peer.send(fake_room.snapshot_message(Some(id))).await;
    (bot, peer, fake_room)
}
