//! The session on a server: its goal, its stage, and the pending requests.

use noughts_protocol::wire::{ListedSeek, RequestBody, SeekId, SessionRequest};
use noughts_protocol::{Name, PlayerKind, RequestId, RoomId, RoomRef, Rules, Seat, TimeControl};

use super::game_view::{next_countdown_change, next_elapsed_change};
use super::lobby::PushedLobby;
use crate::connection::TerminationReason;
use crate::connection::server_url::ServerUrl;
use crate::engine::Level;
use crate::facts::PendingRequest;
use crate::io::saved_games::SavedGame;

/// Maximum number of pending requests. A further request replaces the oldest request, and the response to the oldest
/// request is ignored.
const MAX_PENDING_REQUESTS: usize = 32;

/// Purpose of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SessionGoal {
    /// Find an opponent.
    Seek {
        rules: Rules,
        clock: Option<TimeControl>,
        /// Seat of the player; `None` means random.
        seat: Option<Seat>,
        /// The only kind of opponent; `None` means people and bots.
        opponents: Option<PlayerKind>,
    },
    /// Create a room and wait for an opponent.
    Create {
        rules: Rules,
        clock: Option<TimeControl>,
        /// Seat of the player; `None` means random.
        seat: Option<Seat>,
        /// Whether the room is listed.
        public: bool,
        /// Level of a bot to invite immediately.
        bot: Option<Level>,
    },
    Join(RoomRef),
    Watch(RoomRef),
    /// Play against the client that opened a seek.
    AcceptSeek {
        seek: SeekId,
        rules: Rules,
        clock: Option<TimeControl>,
    },
    /// Resume a game after a crash.
    Continue(Box<SavedGame>),
    /// Take over, from another device, a seat that the player's identity holds.
    Return(RoomId),
    /// Print the room list, then end.
    List,
    /// Choose a room from the list.
    Browse,
}

impl SessionGoal {
    /// Returns the request that leads to the goal, for a client that does not follow the lobby.
    pub(crate) fn request(&self) -> RequestBody {
        RequestBody::Session(match *self {
            // Without an event number, the server sends a full snapshot.
            SessionGoal::Continue(ref game) => SessionRequest::Resume {
                room: game.room,
                token: Some(game.token),
                seq: None,
            },
            SessionGoal::Return(room) => SessionRequest::Resume {
                room,
                token: None,
                seq: None,
            },
            SessionGoal::Seek {
                rules,
                clock,
                seat,
                opponents,
            } => SessionRequest::Seek {
                rules,
                clock,
                seat,
                opponents,
            },
            SessionGoal::Create {
                rules,
                clock,
                seat,
                public,
                ..
            } => SessionRequest::Create {
                rules,
                clock,
                seat,
                public,
            },
            SessionGoal::Join(room) => SessionRequest::Join { room },
            SessionGoal::AcceptSeek { seek, .. } => SessionRequest::AcceptSeek { seek },
            SessionGoal::Watch(room) => SessionRequest::Watch {
                room,
                remarks: true,
            },
            SessionGoal::List | SessionGoal::Browse => SessionRequest::List,
        })
    }
}

/// Progress of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// The first attempt to connect is in progress.
    Connecting,
    /// The goal has been requested, and the server has not responded.
    GoalRequested,
    /// The client waits to be paired.
    Seeking,
    /// The client is in the lobby or in a room, and waits for no response.
    Ready,
    /// The connection is lost and will be retried.
    Reconnecting {
        /// Number of the next or current attempt.
        attempt: u32,
        /// Time of the attempt, on the scale of the model's `now`.
        retry_at: u64,
    },
    /// The connection has ended.
    Terminated(TerminationReason),
}

#[derive(Clone, Debug)]
pub(crate) struct Session {
    pub server: ServerUrl,
    /// The player's name as the server knows it.
    pub name: Name,
    pub goal: SessionGoal,
    pub stage: Stage,
    /// Whether a connection has ever succeeded.
    pub was_welcomed: bool,
    /// Address of the server for other machines, if the server has announced it.
    pub address: Option<ServerUrl>,
    /// The lobby, while the server pushes it.
    pub lobby: Option<PushedLobby>,
    /// The open seek of another player that is selected on the waiting screen.
    pub selected_seek: Option<SeekId>,
    /// What to request when the player's own seek has been withdrawn.
    pub next_goal: Option<SessionGoal>,
    /// The player's own seek of an earlier session. The lobby may still list it briefly.
    pub ended_seek: Option<SeekId>,
    /// The player's own withdrawn seek. It is repeated if the request that followed it fails.
    pub withdrawn: Option<SessionGoal>,
    /// Request of the player's own seek that the server has accepted.
    pub open_seek: Option<RequestId>,
    /// Time when the client started to wait for a pairing, on the scale of the model's `now`.
    pub seeking_since: Option<u64>,
    /// Time when interactive line mode says that no opponent has come, on the same scale.
    pub advice_at: Option<u64>,
    pub saved_game: Option<SavedGame>,
    pending_requests: Vec<(RequestId, PendingRequest)>,
}

/// Waiting time until a client says that no opponent has come, or that others look for the same game.
pub(crate) const ADVICE_AFTER_MS: u64 = 10_000;

impl Session {
    pub(crate) fn new(server: ServerUrl, name: Name, goal: SessionGoal) -> Session {
        Session {
            server,
            name,
            goal,
            stage: Stage::Connecting,
            was_welcomed: false,
            address: None,
            lobby: None,
            selected_seek: None,
            next_goal: None,
            ended_seek: None,
            withdrawn: None,
            open_seek: None,
            seeking_since: None,
            advice_at: None,
            saved_game: None,
            pending_requests: Vec::new(),
        }
    }

    /// Returns the server address for an invitation. Another machine cannot use an address that only this machine can
    /// reach.
    pub(crate) fn invite_server(&self) -> &ServerUrl {
        self.address
            .as_ref()
            .filter(|_| self.server.is_loopback())
            .unwrap_or(&self.server)
    }

    /// Returns the player's own seek, if the lobby lists it.
    pub(crate) fn own_seek(&self) -> Option<SeekId> {
        let SessionGoal::Seek {
            rules,
            clock,
            seat,
            opponents,
        } = self.goal
        else {
            return None;
        };
        let is_own = |seek: &&ListedSeek| {
            let open = &seek.open;
            open.player.name == self.name
                && (open.rules, open.clock, open.seat, open.opponents)
                    == (rules, clock, seat, opponents)
        };
        let lobby = self.lobby.as_ref().filter(|_| self.stage == Stage::Seeking);
        let own = lobby?.view.seeks.iter().rfind(is_own);
        own.map(|seek| seek.seek)
    }

    /// Returns the other players' open seeks in order of arrival. The server's list also contains the player's own
    /// seek.
    pub(crate) fn other_seeks(&self) -> Vec<&ListedSeek> {
        if !matches!(self.goal, SessionGoal::Seek { .. }) {
            return Vec::new();
        }
        let own = [self.own_seek(), self.ended_seek];
        let seeks = self.lobby.iter().flat_map(|lobby| &lobby.view.seeks);
        seeks
            .filter(|seek| !own.contains(&Some(seek.seek)))
            .filter(|seek| seek.open.admits(PlayerKind::Person))
            .collect()
    }

    /// Returns the selected seek among [`Session::other_seeks`]. Returns `None` until the player selects a seek, and
    /// again when that seek is gone, because no key may start a game that was not chosen.
    pub(crate) fn selected_seek(&self) -> Option<&ListedSeek> {
        let others = self.other_seeks();
        others
            .into_iter()
            .find(|seek| Some(seek.seek) == self.selected_seek)
    }

    /// Selects the next or the previous seek of [`Session::other_seeks`]. If no seek is selected, selects the first.
    pub(crate) fn move_seek_selection(&mut self, down: bool) {
        let selected = self.selected_seek().map(|seek| seek.seek);
        let others: Vec<SeekId> = self.other_seeks().iter().map(|seek| seek.seek).collect();
        let index = others.iter().position(|seek| Some(*seek) == selected);
        let index = index.map_or(0, |index| {
            if down {
                index + 1
            } else {
                index.saturating_sub(1)
            }
        });
        self.selected_seek = others.get(index).copied().or(selected);
    }

    /// Restores the goal of the seek that was to be withdrawn. Returns whether there was such a seek.
    pub(crate) fn restore_seek(&mut self) -> bool {
        let Some(seek) = self.withdrawn.take() else {
            return false;
        };
        (self.goal, self.next_goal) = (seek, None);
        true
    }

    /// Returns the time when the waiting screen shows its next second.
    pub(super) fn next_waiting_change(&self, now: u64) -> Option<u64> {
        (self.stage == Stage::Seeking).then_some(())?;
        Some(next_elapsed_change(
            now,
            now.saturating_sub(self.seeking_since?),
        ))
    }

    /// Returns whether it is time to say that no opponent has come; true only once.
    pub(crate) fn take_advice(&mut self, now: u64) -> bool {
        let is_due = self.stage == Stage::Seeking && self.advice_at.is_some_and(|at| at <= now);
        is_due && self.advice_at.take().is_some()
    }

    /// Records the purpose of a sent request.
    pub(crate) fn track(&mut self, id: RequestId, request: PendingRequest) {
        if self.pending_requests.len() >= MAX_PENDING_REQUESTS {
            self.pending_requests.remove(0);
        }
        self.pending_requests.push((id, request));
    }

    /// Removes and returns the purpose of a request after its response has arrived.
    pub(crate) fn resolve(&mut self, id: RequestId) -> Option<PendingRequest> {
        let index = self
            .pending_requests
            .iter()
            .position(|(pending_id, _)| *pending_id == id)?;
        Some(self.pending_requests.remove(index).1)
    }

    /// Returns whether a request with this purpose has no response yet.
    pub(crate) fn is_pending(&self, request: PendingRequest) -> bool {
        self.pending_requests
            .iter()
            .any(|(_, pending)| *pending == request)
    }

    /// Returns the time when the countdown to the next attempt shows its next second.
    pub(super) fn next_countdown_change(&self, now: u64) -> Option<u64> {
        match self.stage {
            Stage::Reconnecting { retry_at, .. } => next_countdown_change(now, retry_at),
            Stage::Connecting
            | Stage::GoalRequested
            | Stage::Seeking
            | Stage::Ready
            | Stage::Terminated(_) => None,
        }
    }
}
