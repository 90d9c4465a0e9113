//! The dealings with a server, from the first connection to the last farewell.

use noughts_protocol::wire::{LobbyRequest, RequestBody};
use noughts_protocol::{Name, RequestId, RoomRef, Rules, Seat, TimeControl};

use super::countdown::next_countdown_change;
use crate::connection::TerminationReason;
use crate::engine::Level;
use crate::facts::PendingRequest;
use crate::saved_games::SavedGame;
use crate::server_url::ServerUrl;

/// Requests that may be unanswered at once.
const MAX_PENDING_REQUESTS: usize = 32;

/// What the player went to the server for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionGoal {
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
    Continue(Box<SavedGame>),
    /// To see what there is, print it and go.
    List,
    /// To see what there is and choose.
    Browse,
}

impl SessionGoal {
    /// What to ask the server for.
    pub fn request(&self) -> RequestBody {
        RequestBody::Lobby(match *self {
            // The board is not here: the whole view is wanted.
            SessionGoal::Continue(ref game) => {
                LobbyRequest::Resume { room: game.room, token: game.token, seq: None }
            }
            SessionGoal::Seek { rules, clock, seat } => LobbyRequest::Seek { rules, clock, seat },
            SessionGoal::Create { rules, clock, seat, public, .. } => {
                LobbyRequest::Create { rules, clock, seat, public }
            }
            SessionGoal::Join(room) => LobbyRequest::Join { room },
            SessionGoal::Watch(room) => LobbyRequest::Watch { room, remarks: true },
            SessionGoal::List | SessionGoal::Browse => LobbyRequest::List,
        })
    }
}

/// How far things are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The first connection is not there yet.
    Connecting,
    /// The goal was asked for and is not answered yet.
    GoalRequested,
    /// Waits to be paired.
    Seeking,
    /// In the lobby, or in a room, with nothing to wait for.
    Ready,
    /// The line is lost and will be tried again.
    Reconnecting {
        /// Which attempt is to come or under way.
        attempt: u32,
        /// When it comes, on the scale of the model's `now`.
        retry_at: u64,
    },
    /// Nothing more will come.
    Terminated(TerminationReason),
}

/// The dealings with one server.
#[derive(Clone, Debug)]
pub struct Session {
    /// Which server.
    pub server: ServerUrl,
    /// As whom.
    pub name: Name,
    /// What for.
    pub goal: SessionGoal,
    /// How far it is.
    pub stage: Stage,
    /// Whether the server has welcomed us before.
    pub was_welcomed: bool,
    /// What is kept of the game, to be continued if this program is killed.
    pub saved_game: Option<SavedGame>,
    pending_requests: Vec<(RequestId, PendingRequest)>,
}

impl Session {
    /// A session that begins.
    pub fn new(server: ServerUrl, name: Name, goal: SessionGoal) -> Session {
        Session {
            server,
            name,
            goal,
            stage: Stage::Connecting,
            was_welcomed: false,
            saved_game: None,
            pending_requests: Vec::new(),
        }
    }

    /// Remembers what a request was for. One too many pushes the oldest out: its answer will then be
    /// passed over.
    pub fn track(&mut self, id: RequestId, request: PendingRequest) {
        if self.pending_requests.len() >= MAX_PENDING_REQUESTS {
            self.pending_requests.remove(0);
        }
        self.pending_requests.push((id, request));
    }

    /// What the request was for, once: its answer is here.
    pub fn resolve(&mut self, id: RequestId) -> Option<PendingRequest> {
        let index = self.pending_requests.iter().position(|(pending_id, _)| *pending_id == id)?;
        Some(self.pending_requests.remove(index).1)
    }

    /// Whether such a request waits for its answer.
    pub fn is_pending(&self, request: PendingRequest) -> bool {
        self.pending_requests.iter().any(|(_, pending)| *pending == request)
    }

    /// When the countdown to the next attempt shows another second.
    pub(super) fn next_countdown_change(&self, now: u64) -> Option<u64> {
        match self.stage {
            Stage::Reconnecting { retry_at: at, .. } => next_countdown_change(now, at),
            Stage::Connecting
            | Stage::GoalRequested
            | Stage::Seeking
            | Stage::Ready
            | Stage::Terminated(_) => None,
        }
    }
}
