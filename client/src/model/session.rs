//! The dealings with a server, from the first connection to the last farewell.

use noughts_protocol::wire::{Body, Lobby};
use noughts_protocol::{Cell, Name, Offer, RequestId, RoomRef, Rules, Seat, TimeControl};

use super::next_second;
use crate::connection::Ended;
use crate::engine::Level;
use crate::server_url::ServerUrl;
use crate::unfinished::Unfinished;

/// Requests that may be unanswered at once.
const MAX_ASKS: usize = 32;

/// What the player went to the server for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Goal {
    /// To be paired.
    Seek {
        /// What to play.
        rules: Rules,
        /// The time for each side.
        clock: Option<TimeControl>,
        /// The seat to have.
        seat: Option<Seat>,
    },
    /// To wait in a room of one's own.
    Create {
        /// What to play.
        rules: Rules,
        /// The time for each side.
        clock: Option<TimeControl>,
        /// The seat to have.
        seat: Option<Seat>,
        /// Whether anyone may find it.
        public: bool,
        /// A bot to invite at once.
        bot: Option<Level>,
    },
    /// To join somebody.
    Join(RoomRef),
    /// To watch somebody.
    Watch(RoomRef),
    /// To have one's seat again that an earlier program had.
    Continue(Box<Unfinished>),
    /// To see what there is, print it and go.
    List,
    /// To see what there is and choose.
    Browse,
}

impl Goal {
    /// What to ask the server for.
    pub fn request(&self) -> Body {
        Body::Lobby(match *self {
            // The board is not here: the whole view is wanted.
            Goal::Continue(ref game) => Lobby::Resume { room: game.room, token: game.token, seq: None },
            Goal::Seek { rules, clock, seat } => Lobby::Seek { rules, clock, seat },
            Goal::Create { rules, clock, seat, public, .. } => Lobby::Create { rules, clock, seat, public },
            Goal::Join(room) => Lobby::Join { room },
            Goal::Watch(room) => Lobby::Watch { room, remarks: true },
            Goal::List | Goal::Browse => Lobby::List,
        })
    }
}

/// How far things are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The first connection is not there yet.
    Connecting,
    /// The goal was asked for and is not answered yet.
    Asked,
    /// Waits to be paired.
    Seeking,
    /// In the lobby, or in a room, with nothing to wait for.
    There,
    /// The line is lost and will be tried again.
    Offline {
        /// Which attempt is to come or under way.
        attempt: u32,
        /// When it comes, on the scale of the model's `now`.
        at: u64,
    },
    /// Nothing more will come.
    Ended(Ended),
}

/// A request that waits for its answer: what it was for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// The goal of the session.
    Goal,
    /// To mark this cell.
    Move(Cell),
    /// To give up.
    Resign,
    /// To propose.
    Offer(Offer),
    /// To say yes.
    Accept(Offer),
    /// To say no.
    Decline(Offer),
    /// To claim the game.
    Claim,
    /// To point at the clock.
    Flag,
    /// To have what is missing.
    Sync,
    /// To see what there is.
    List,
}

/// The dealings with one server.
#[derive(Clone, Debug)]
pub struct Session {
    /// Which server.
    pub server: ServerUrl,
    /// As whom.
    pub name: Name,
    /// What for.
    pub goal: Goal,
    /// How far it is.
    pub stage: Stage,
    /// Whether the server has welcomed us before.
    pub welcomed: bool,
    /// What is kept of the game, to be continued if this program is killed.
    pub kept: Option<Unfinished>,
    asks: Vec<(RequestId, Ask)>,
}

impl Session {
    /// A session that begins.
    pub fn new(server: ServerUrl, name: Name, goal: Goal) -> Session {
        Session {
            server,
            name,
            goal,
            stage: Stage::Connecting,
            welcomed: false,
            kept: None,
            asks: Vec::new(),
        }
    }

    /// Remembers what a request was for. One too many pushes the oldest out: its answer will then be
    /// passed over.
    pub fn asked(&mut self, id: RequestId, ask: Ask) {
        if self.asks.len() >= MAX_ASKS {
            self.asks.remove(0);
        }
        self.asks.push((id, ask));
    }

    /// What the request was for, once: its answer is here.
    pub fn answered(&mut self, id: RequestId) -> Option<Ask> {
        let place = self.asks.iter().position(|(asked, _)| *asked == id)?;
        Some(self.asks.remove(place).1)
    }

    /// Whether such a request waits for its answer.
    pub fn waits_for(&self, ask: Ask) -> bool {
        self.asks.iter().any(|(_, asked)| *asked == ask)
    }

    /// When the countdown to the next attempt shows another second.
    pub(super) fn next_second(&self, now: u64) -> Option<u64> {
        match self.stage {
            Stage::Offline { at, .. } => next_second(now, at),
            Stage::Connecting | Stage::Asked | Stage::Seeking | Stage::There | Stage::Ended(_) => None,
        }
    }
}
