//! A bot's matchmaking: decides which lobby request to send next, and when. Pure: the time is an argument.
//!
//! The server pushes the lobby, so the bot accepts a seek as soon as it is listed.

use std::sync::Arc;
use std::time::Duration;

use noughts_protocol::wire::{LobbyView, Message, Reject, RejectCode, SessionRequest};
use noughts_protocol::{Name, RequestId, RoomRef};
use tokio::time::Instant;

use super::policy::Policy;

/// Delay before a rejected request is retried, unless the server names a delay.
const RETRY_DELAY: Duration = Duration::from_secs(2);
/// Maximum delay that a server can name.
const MAX_RETRY_DELAY: Duration = Duration::from_secs(60);
/// Time that a seek stays open before the bot seeks a game by its next rules.
const ADVERTISE_DURATION: Duration = Duration::from_secs(15);

/// Games that a bot looks for.
#[derive(Clone, Debug)]
pub(super) enum BotTarget {
    /// Any games that the policy allows.
    Play(Arc<Policy>),
    /// A game in this room.
    Join(RoomRef),
}

#[derive(Clone, Debug)]
pub(super) enum MatchmakingAction {
    /// Wait for an event, at most until this time.
    Wait(Option<Instant>),
    /// Send this request.
    Send(SessionRequest),
}

/// Request that has been sent, or is due to be sent.
#[derive(Clone, Debug)]
enum PendingStep {
    /// Look for an opponent in the lobby, once the server pushes it.
    Look,
    SeekOrJoin(SessionRequest),
    /// Cancel the seek, then send this request.
    Cancel(SessionRequest),
}

/// State of the matchmaking of one connection.
#[derive(Debug)]
pub(super) struct Matchmaking {
    target: BotTarget,
    own_name: Name,
    pending: PendingStep,
    /// When to send `pending`; `None` waits for a message.
    due_at: Option<Instant>,
    request_id: Option<RequestId>,
    /// Id of the request that opened the current seek.
    open_seek: Option<RequestId>,
    /// Number of seeks sent so far.
    seek_count: usize,
    /// The lobby, once the subscription has been answered.
    view: Option<LobbyView>,
}

impl Matchmaking {
    pub(super) fn new(target: BotTarget, own_name: Name, now: Instant) -> Matchmaking {
        let pending = PendingStep::Look;
        let mut matchmaking = Matchmaking {
            target,
            own_name,
            pending,
            due_at: None,
            request_id: None,
            open_seek: None,
            seek_count: 0,
            view: None,
        };
        matchmaking.start(now);
        matchmaking
    }

    /// Starts the matchmaking, or restarts it after a reconnect, because the server drops the seeks of a closed
    /// connection.
    pub(super) fn start(&mut self, now: Instant) {
        self.view = None;
        self.pending = match &self.target {
            BotTarget::Join(room) => PendingStep::SeekOrJoin(SessionRequest::Join { room: *room }),
            BotTarget::Play(_) => PendingStep::Look,
        };
        (self.due_at, self.request_id, self.open_seek) = (Some(now), None, None);
    }

    /// Returns whether the server pushes the lobby to this connection.
    pub(super) fn is_subscribed(&self) -> bool {
        self.view.is_some()
    }

    pub(super) fn next_action(&mut self, now: Instant) -> MatchmakingAction {
        let is_due = self.request_id.is_none() && self.due_at.is_some_and(|at| at <= now);
        if is_due && matches!(self.pending, PendingStep::Look) {
            self.look(now);
        }
        match self.due_at {
            Some(at) if self.request_id.is_none() && at <= now => {
                MatchmakingAction::Send(match &self.pending {
                    PendingStep::Look => SessionRequest::Lobby { end: false },
                    PendingStep::SeekOrJoin(request) => request.clone(),
                    PendingStep::Cancel(_) => SessionRequest::Cancel,
                })
            }
            Some(at) if self.request_id.is_none() => MatchmakingAction::Wait(Some(at)),
            Some(_) | None => MatchmakingAction::Wait(None),
        }
    }

    /// Records that the request from [`Matchmaking::next_action`] was sent as `id`.
    pub(super) fn on_sent(&mut self, id: RequestId) {
        self.request_id = Some(id);
    }

    /// Schedules a retry if the response to the current request is lost.
    pub(super) fn on_request_lost(&mut self, id: RequestId, now: Instant) {
        if self.request_id == Some(id) {
            self.on_send_failed(now);
        }
    }

    /// Schedules a retry after a send failure.
    pub(super) fn on_send_failed(&mut self, now: Instant) {
        (self.request_id, self.due_at) = (None, Some(now + RETRY_DELAY));
    }

    /// Processes a message; ignores messages that are not a response to the current request.
    ///
    /// # Errors
    /// Returns the rejection if a retry would not help.
    pub(super) fn on_message(&mut self, message: &Message, now: Instant) -> Result<(), Reject> {
        match message {
            Message::Done { re, .. } if Some(*re) == self.request_id => self.on_done(now),
            Message::Reject {
                re: Some(re),
                reject,
            } if Some(*re) == self.request_id => {
                return self.on_reject(reject, now);
            }
            Message::Reject { re, reject } if re.is_some() && *re == self.open_seek => {
                self.on_seek_failed(reject, now);
            }
            Message::Lobby { re, view, .. } => {
                self.view = Some(view.clone());
                if re.is_some() && *re == self.request_id {
                    (self.request_id, self.pending) = (None, PendingStep::Look);
                }
                self.on_view_changed(now);
            }
            Message::LobbyChanged { change, .. } => {
                if let Some(view) = &mut self.view {
                    view.apply(change.clone());
                    self.on_view_changed(now);
                }
            }
            Message::Done { .. }
            | Message::Rooms { .. }
            | Message::Games { .. }
            | Message::Game { .. }
            | Message::Profile { .. }
            | Message::Reject { .. }
            | Message::Welcome { .. }
            | Message::Snapshot { .. }
            | Message::Events { .. }
            | Message::Notice { .. }
            | Message::Announcement { .. }
            | Message::Restarting { .. } => {}
        }
        Ok(())
    }

    /// Looks for an opponent, unless a request is on its way or due soon. A change of the bot's own seek can wait.
    fn on_view_changed(&mut self, now: Instant) {
        let is_waiting = match self.pending {
            PendingStep::Look => true,
            PendingStep::Cancel(_) => self.due_at.is_some_and(|at| at > now),
            PendingStep::SeekOrJoin(_) => false,
        };
        if self.request_id.is_none() && is_waiting {
            self.look(now);
        }
    }

    /// Chooses the next request from the lobby, if the bot has received it.
    fn look(&mut self, now: Instant) {
        let (Some(view), BotTarget::Play(policy)) = (&self.view, &self.target) else {
            return;
        };
        let picked = policy.choose_from_lobby(view, &self.own_name);
        let changes_seek = matches!(self.pending, PendingStep::Cancel(_));
        match (picked, self.open_seek.is_some()) {
            (Some(request), true) => {
                (self.pending, self.due_at) = (PendingStep::Cancel(request), Some(now));
            }
            (Some(request), false) => {
                (self.pending, self.due_at) = (PendingStep::SeekOrJoin(request), Some(now));
            }
            (None, false) => {
                let seek = policy.next_seek(self.seek_count);
                self.seek_count += 1;
                (self.pending, self.due_at) = (PendingStep::SeekOrJoin(seek), Some(now));
            }
            (None, true) if policy.rules.len() > 1 => {
                if !changes_seek {
                    let seek = policy.next_seek(self.seek_count);
                    self.seek_count += 1;
                    self.pending = PendingStep::Cancel(seek);
                    self.due_at = Some(now + ADVERTISE_DURATION);
                }
            }
            (None, true) => (self.pending, self.due_at) = (PendingStep::Look, None),
        }
    }

    fn on_done(&mut self, now: Instant) {
        let request_id = self.request_id.take();
        match std::mem::replace(&mut self.pending, PendingStep::Look) {
            // `done` is not a response to a subscription, so the subscription is retried.
            PendingStep::Look => self.due_at = Some(now + RETRY_DELAY),
            PendingStep::SeekOrJoin(_) => {
                (self.open_seek, self.due_at) = (request_id, None);
                self.look(now);
            }
            PendingStep::Cancel(next) => {
                self.open_seek = None;
                (self.pending, self.due_at) = (PendingStep::SeekOrJoin(next), Some(now));
            }
        }
    }

    /// Seeks again after an open seek was rejected. The response to a request that is on its way comes first.
    fn on_seek_failed(&mut self, reject: &Reject, now: Instant) {
        self.open_seek = None;
        if self.request_id.is_none() {
            (self.pending, self.due_at) = (PendingStep::Look, Some(now + retry_delay(reject)));
        }
    }

    fn on_reject(&mut self, reject: &Reject, now: Instant) -> Result<(), Reject> {
        use RejectCode as Code;
        let request_id = self.request_id.take();
        self.due_at = Some(now + retry_delay(reject));
        let playing = matches!(self.target, BotTarget::Play(_));
        let (code, is_seek_or_join) = (
            reject.code,
            matches!(self.pending, PendingStep::SeekOrJoin(_)),
        );
        if code == Code::AlreadySeeking && is_seek_or_join {
            // The server reports that the bot's seek is already open.
            self.request_id = request_id;
            self.on_done(now);
            Ok(())
        } else if playing
            && matches!(
                code,
                Code::NotSeeking | Code::UnknownRoom | Code::RoomFull | Code::NoOffer
            )
        {
            // Either the bot has just been paired and the snapshot follows, or another player was faster.
            self.open_seek = None;
            self.pending = PendingStep::Look;
            Ok(())
        } else if matches!(
            code,
            Code::Busy
                | Code::Unavailable
                | Code::RateLimited
                | Code::ServerFull
                | Code::Draining
                | Code::AlreadyInRoom
        ) {
            Ok(())
        } else {
            Err(reject.clone())
        }
    }
}

fn retry_delay(reject: &Reject) -> Duration {
    let wait = reject.wait_ms.map_or(RETRY_DELAY, Duration::from_millis);
    wait.clamp(RETRY_DELAY, MAX_RETRY_DELAY)
}

#[cfg(test)]
mod tests;
