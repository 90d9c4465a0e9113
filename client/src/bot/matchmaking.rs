//! Matchmaking of a bot: decides which lobby request to send next, and when. Pure: the time is an argument.

use std::sync::Arc;
use std::time::Duration;

use noughts_protocol::wire::{Message, Reject, RejectCode, SessionRequest};
use noughts_protocol::{Name, RequestId, RoomRef};
use tokio::time::Instant;

use super::policy::Policy;

/// Delay before a rejected request is retried, unless the server names one.
const RETRY_DELAY: Duration = Duration::from_secs(2);
/// Maximum of a delay that the server names.
const MAX_RETRY_DELAY: Duration = Duration::from_secs(60);
/// Time that a seek stays open before the bot lists the lobby again.
const ADVERTISE_DURATION: Duration = Duration::from_secs(15);
/// Interval of lobby listings without a seek of its own, and the time that a chosen opponent has to accept before the
/// seek is cancelled.
const LIST_POLL_INTERVAL: Duration = Duration::from_secs(2);

/// Games that a bot looks for.
#[derive(Clone, Debug)]
pub(super) enum BotTarget {
    /// Any games that the policy allows.
    Play(Arc<Policy>),
    /// A game in this room.
    Join(RoomRef),
}

/// Next action of the matchmaking.
#[derive(Clone, Debug)]
pub(super) enum MatchmakingAction {
    /// Wait for an event, at most until this time.
    Wait(Option<Instant>),
    /// Send this request.
    Send(SessionRequest),
}

/// Request that is to be sent or has been sent.
#[derive(Clone, Debug)]
enum PendingStep {
    List,
    SeekOrJoin(SessionRequest),
    /// Cancel the seek, then send this request.
    Cancel(Option<SessionRequest>),
}

/// State of the matchmaking of one connection.
#[derive(Debug)]
pub(super) struct Matchmaking {
    target: BotTarget,
    own_name: Name,
    people_only: bool,
    pending: PendingStep,
    /// Time at which `pending` is sent; `None` waits for a message.
    due_at: Option<Instant>,
    request_id: Option<RequestId>,
    /// Whether the server holds a seek of this connection.
    seeking: bool,
    /// Number of seeks sent so far.
    seek_count: usize,
}

impl Matchmaking {
    /// Creates the matchmaking and starts it.
    pub(super) fn new(target: BotTarget, own_name: Name, people_only: bool, now: Instant) -> Matchmaking {
        let pending = PendingStep::List;
        let mut matchmaking = Matchmaking {
            target,
            own_name,
            people_only,
            pending,
            due_at: None,
            request_id: None,
            seeking: false,
            seek_count: 0,
        };
        matchmaking.start(now);
        matchmaking
    }

    /// Starts, or restarts after a reconnect: the server drops the seeks of a closed connection.
    pub(super) fn start(&mut self, now: Instant) {
        self.pending = match &self.target {
            BotTarget::Join(room) => PendingStep::SeekOrJoin(SessionRequest::Join { room: *room }),
            BotTarget::Play(policy) if policy.browses_lobby(self.people_only) => PendingStep::List,
            BotTarget::Play(policy) => PendingStep::SeekOrJoin(policy.next_seek(self.seek_count)),
        };
        (self.due_at, self.request_id, self.seeking) = (Some(now), None, false);
    }

    /// Returns whether only people are accepted as opponents.
    pub(super) fn is_people_only(&self) -> bool {
        self.people_only
    }

    /// Returns the next action.
    pub(super) fn next_action(&self, now: Instant) -> MatchmakingAction {
        match self.due_at {
            Some(at) if self.request_id.is_none() && at <= now => {
                MatchmakingAction::Send(match &self.pending {
                    PendingStep::List => SessionRequest::List,
                    PendingStep::SeekOrJoin(request) => request.clone(),
                    PendingStep::Cancel(_) => SessionRequest::Cancel,
                })
            }
            Some(at) if self.request_id.is_none() => MatchmakingAction::Wait(Some(at)),
            Some(_) | None => MatchmakingAction::Wait(None),
        }
    }

    /// Records that the request of [`Matchmaking::next_action`] was sent as `id`.
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
    /// Returns a rejection that a retry would not change.
    pub(super) fn on_message(&mut self, message: &Message, now: Instant) -> Result<(), Reject> {
        match message {
            Message::Done { re, .. } if Some(*re) == self.request_id => self.on_done(now),
            Message::Rooms { re, rooms, seeks } if Some(*re) == self.request_id => {
                let BotTarget::Play(policy) = &self.target else { return Ok(()) };
                let picked = policy.choose_opponent(rooms, seeks, self.people_only, &self.own_name);
                self.on_list(picked, now);
            }
            Message::Reject { re: Some(re), reject } if Some(*re) == self.request_id => {
                return self.on_reject(reject, now);
            }
            Message::Done { .. }
            | Message::Rooms { .. }
            | Message::Reject { .. }
            | Message::Welcome { .. }
            | Message::Snapshot { .. }
            | Message::Events { .. }
            | Message::Notice { .. }
            | Message::Lobby { .. }
            | Message::LobbyChanged { .. }
            | Message::Restarting { .. } => {}
        }
        Ok(())
    }

    fn on_done(&mut self, now: Instant) {
        self.request_id = None;
        match std::mem::replace(&mut self.pending, PendingStep::List) {
            // `done` is not a response to a list request; retry.
            PendingStep::List => self.due_at = Some(now + RETRY_DELAY),
            PendingStep::SeekOrJoin(_) => {
                self.seeking = true;
                let polls_list = match &self.target {
                    BotTarget::Play(policy) => policy.browses_lobby(self.people_only),
                    BotTarget::Join(_) => false,
                };
                self.due_at = polls_list
                    .then(|| now + if self.people_only { LIST_POLL_INTERVAL } else { ADVERTISE_DURATION });
            }
            PendingStep::Cancel(next) => {
                self.seeking = false;
                self.schedule_request(next, now);
            }
        }
    }

    /// Schedules `next`, or another listing.
    fn schedule_request(&mut self, next: Option<SessionRequest>, now: Instant) {
        match next {
            Some(request) => (self.pending, self.due_at) = (PendingStep::SeekOrJoin(request), Some(now)),
            None => (self.pending, self.due_at) = (PendingStep::List, Some(now + LIST_POLL_INTERVAL)),
        }
    }

    fn on_list(&mut self, picked: Option<SessionRequest>, now: Instant) {
        self.request_id = None;
        let BotTarget::Play(policy) = &self.target else { return };
        // Without a suitable opponent, open a seek; but not for people only, because a seek cannot exclude bots.
        let next = picked.or_else(|| {
            let offers = !self.people_only && (!self.seeking || policy.rules.len() > 1);
            offers.then(|| policy.next_seek(self.seek_count))
        });
        match (next, self.seeking) {
            (Some(request), true) => {
                self.seek_count += 1;
                (self.pending, self.due_at) = (PendingStep::Cancel(Some(request)), Some(now));
            }
            (Some(request), false) => {
                self.seek_count += 1;
                self.schedule_request(Some(request), now);
            }
            (None, true) if self.people_only => {
                (self.pending, self.due_at) = (PendingStep::Cancel(None), Some(now));
            }
            (None, true) => (self.pending, self.due_at) = (PendingStep::List, Some(now + ADVERTISE_DURATION)),
            (None, false) => self.schedule_request(None, now),
        }
    }

    fn on_reject(&mut self, reject: &Reject, now: Instant) -> Result<(), Reject> {
        use RejectCode as Code;
        self.request_id = None;
        let wait = reject.wait_ms.map_or(RETRY_DELAY, Duration::from_millis);
        self.due_at = Some(now + wait.clamp(RETRY_DELAY, MAX_RETRY_DELAY));
        let playing = matches!(self.target, BotTarget::Play(_));
        let (code, is_seek_or_join) = (reject.code, matches!(self.pending, PendingStep::SeekOrJoin(_)));
        if code == Code::AlreadySeeking && is_seek_or_join {
            // The open seek is the one that was requested.
            self.on_done(now);
            Ok(())
        } else if playing && matches!(code, Code::NotSeeking | Code::UnknownRoom | Code::RoomFull) {
            // The bot has just been paired and the snapshot follows, or another player was faster.
            self.seeking = false;
            self.pending = PendingStep::List;
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

#[cfg(test)]
mod tests;
