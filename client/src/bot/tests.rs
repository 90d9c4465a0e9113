//! The bot against a scripted server, in virtual time; only the thinking is real, and short.

mod decisions;
mod exhaustive;
mod games;

use std::sync::Arc;
use std::time::Duration;

use noughts_protocol::wire::{Body, Command, Lobby, Message, Notice, Presence};
use noughts_protocol::{
    Cell, Event, Game, Kind, Outcome, Phase, RequestId, Seat, Snapshot, Stamped, TimeControl,
};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::BotError;
use super::crew::Crew;
use super::manners::Manners;
use super::policy::Policy;
use super::quest::Aim;
use super::worker::Worker;
use crate::connection::scripted::{Calls, Peer, Pipe, options, room, server};
use crate::connection::{Chance, Link, Retry};
use crate::engine::Level;
use crate::thinker::threads::Threads;
use crate::thinker::{Means, Spec, child};

const PATIENT: Retry = Retry::For(Duration::from_secs(60));

/// A bot under test, and the server's end of its calls.
struct Bot {
    task: JoinHandle<Result<(), BotError>>,
    retire: CancellationToken,
    shutdown: CancellationToken,
    calls: Calls,
}

fn policy() -> Policy {
    Policy::of("3x3:3".parse().unwrap())
}

fn aim() -> Aim {
    Aim::Play(Arc::new(policy()))
}

fn worker(pipe: Pipe, aim: Aim, manners: Manners, crew: Crew, shutdown: CancellationToken) -> Worker {
    Worker {
        open: Box::new(move || Link::over(options(PATIENT), pipe.clone(), Chance::default())),
        own: "Tess".parse().unwrap(),
        aim,
        manners,
        thinks: Spec::Level(Level::Perfect),
        means: Means { own: Arc::new(Threads::new(2)), limits: child::Limits::default() },
        instead: None,
        budget: Duration::from_secs(5),
        retire: CancellationToken::new(),
        shutdown,
        crew,
        faults: None,
    }
}

fn bot(aim: Aim, manners: Manners) -> Bot {
    let (pipe, calls) = server();
    let shutdown = CancellationToken::new();
    let worker = worker(pipe, aim, manners, Crew::new(), shutdown.clone());
    let retire = worker.retire.clone();
    Bot { task: tokio::spawn(worker.work()), retire, shutdown, calls }
}

/// The server's side of one room: it decides nothing that it is not told to, but counts and folds.
struct Referee {
    game: Game,
    bot: Seat,
}

impl Referee {
    /// A room where a game has just begun.
    fn new(rules: &str, clock: Option<TimeControl>, bot: Seat) -> Referee {
        let snapshot = Snapshot {
            clock,
            left: clock.map(|clock| [clock.base_ms(); 2]),
            ..crate::connection::scripted::snapshot(rules)
        };
        Referee { game: Game::from_snapshot(&snapshot).unwrap(), bot }
    }

    /// The same with somebody of this kind opposite.
    fn against(self, kind: Kind) -> Referee {
        let mut snapshot = self.game.snapshot(self.game.at());
        if let Some(player) = &mut snapshot.players[self.bot.other().index()] {
            player.kind = kind;
        }
        Referee { game: Game::from_snapshot(&snapshot).unwrap(), ..self }
    }

    /// The whole view, for the bot.
    fn snapshot(&self, re: Option<RequestId>) -> Message {
        let Message::Snapshot { you, .. } = crate::connection::scripted::seated(None, self.bot) else {
            unreachable!()
        };
        Message::Snapshot { re, room: room(), you, state: self.game.snapshot(self.game.at()) }
    }

    /// Lets something happen and returns the news of it.
    fn happens(&mut self, event: Event, by: Option<RequestId>) -> Message {
        let by = by.map(|id| noughts_protocol::By { seat: self.bot, id });
        let stamped = Stamped { seq: self.game.seq().next(), at: self.game.at() + 1, by, event };
        self.game.apply(&stamped).expect("it can happen");
        if matches!(stamped.event, Event::Started { .. }) {
            self.bot = self.bot.other();
        }
        Message::Events { re: None, room: room(), events: vec![stamped] }
    }

    /// A move of whoever is to move, and the end of the game if it is one.
    async fn moves(&mut self, peer: &mut Peer, cell: Cell, by: Option<RequestId>) {
        let left = self.game.left(self.game.at());
        let seat = self.game.position().turn();
        let moved = self.happens(Event::Moved { seat, cell, left }, by);
        peer.say(moved).await;
        if let Some(outcome) = self.game.position().outcome() {
            self.ends(peer, outcome).await;
        }
    }

    async fn ends(&mut self, peer: &mut Peer, outcome: Outcome) {
        let left = self.game.left(self.game.at());
        let ended = self.happens(Event::Ended { outcome, left }, None);
        peer.say(ended).await;
    }

    /// Waits for the bot's move and makes it.
    async fn bot_moves(&mut self, peer: &mut Peer) {
        let (id, command) = command(peer).await;
        let Command::Move { cell, seq } = command else { panic!("not a move: {command:?}") };
        assert!(seq >= self.game.board_seq(), "made against the board as it is");
        let cell = self.game.check_move(self.bot, cell).expect("a legal move");
        self.moves(peer, cell, Some(id)).await;
    }

    /// Plays on until the game is over, the other side by its first free cell.
    async fn plays_out(&mut self, peer: &mut Peer) {
        while self.game.phase() == Phase::Playing {
            if self.game.position().turn() == self.bot {
                self.bot_moves(peer).await;
            } else {
                let cell = self.game.position().legal_moves().next().expect("the game goes on");
                self.moves(peer, cell, None).await;
            }
        }
    }

    fn other_is(&self, presence: Presence, claim_in_ms: Option<u64>) -> Message {
        let seat = self.bot.other();
        Message::Notice { room: room(), notice: Notice::Presence { seat, presence, claim_in_ms } }
    }
}

async fn command(peer: &mut Peer) -> (RequestId, Command) {
    let request = peer.request().await;
    let Body::Command(command) = request.body else { panic!("not a command: {request:?}") };
    (request.id, command)
}

async fn done(peer: &mut Peer, re: RequestId) {
    peer.say(Message::Done { re, seq: None }).await;
}

/// Waits for the bot to leave and lets it.
async fn leaves(peer: &mut Peer) {
    let (id, lobby) = peer.lobby().await;
    assert!(matches!(lobby, Lobby::Leave), "{lobby:?}");
    done(peer, id).await;
}

/// Waits for the bot to seek, and pairs it.
async fn pairs(peer: &mut Peer, referee: &Referee) {
    let (id, lobby) = peer.lobby().await;
    assert!(matches!(lobby, Lobby::Seek { .. }), "{lobby:?}");
    done(peer, id).await;
    peer.say(referee.snapshot(None)).await;
}
