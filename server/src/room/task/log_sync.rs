//! The state of a room relative to its log: whether the room and the log agree, when a failed access is repeated, and
//! which data is not stored yet. Also contains the last events, for clients that resume.
//!
//! Pure: the time is an argument, and the room task accesses the log (`events`). A failed append changes nothing in the
//! room. After an append with an unknown result, the room answers no request until it has read the log.

use std::collections::VecDeque;
use std::task::Poll;
use std::time::Duration;

use futures::poll;
use noughts_protocol::{EventRecord, Game, RequestRef, Seat, Seq};
use tokio::time::{Instant, timeout};

use crate::room::handle::JoinRequest;
use crate::room::members::ConnectionId;
use crate::store::{LogError, LogFuture};

/// After a failed access to the log, delay before the next access.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// Relation of the room to its log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::room) enum LogSync {
    /// The room and the log agree.
    InSync,
    /// The result of an append is unknown: the log may contain more.
    Unconfirmed,
    /// The room panicked, or contradicts the log: it must be rebuilt.
    NeedsReload,
    /// The log contains no valid history of the room.
    Lost,
}

/// A request with events that the log may or may not contain.
#[derive(Debug)]
pub(in crate::room) enum UnconfirmedRequest {
    /// A request to join on this seat.
    Join(JoinRequest, Seat),
    /// A command of a player.
    Command(ConnectionId, RequestRef),
}

#[derive(Debug)]
pub(in crate::room) struct LogState {
    sync: LogSync,
    /// The log is not accessed before this time.
    retry_at: Option<Instant>,
    /// The last event in the stored checkpoint.
    checkpoint_seq: Seq,
    /// The owners of the seats have changed, and the log may not have the change.
    parties_dirty: bool,
    /// Request that is answered when the log has been read. Boxed, because it is rarely present.
    unconfirmed: Option<Box<UnconfirmedRequest>>,
    last_panic: Option<Instant>,
}

impl LogState {
    pub(in crate::room) fn new(checkpoint_seq: Seq) -> LogState {
        LogState {
            sync: LogSync::InSync,
            retry_at: None,
            checkpoint_seq,
            parties_dirty: false,
            unconfirmed: None,
            last_panic: None,
        }
    }

    pub(in crate::room) fn sync(&self) -> LogSync {
        self.sync
    }

    /// Returns whether the log may be accessed now, and ends a delay that is over.
    pub(in crate::room) fn try_end_delay(&mut self, now: impl FnOnce() -> Instant) -> bool {
        let is_over = self.retry_at.is_none_or(|at| at <= now());
        if is_over {
            self.retry_at = None;
        }
        is_over
    }

    /// Delays the next access to the log.
    pub(in crate::room) fn delay_retry(&mut self, now: Instant) {
        self.retry_at = Some(now + RETRY_DELAY);
    }

    /// Returns the time when the room must act without a request. Depends on the next deadline of the game, and on
    /// whether the time of the room stands still.
    pub(in crate::room) fn deadline(
        &self,
        game_deadline: Option<Instant>,
        time_stopped: bool,
        now: impl FnOnce() -> Instant,
    ) -> Option<Instant> {
        match (self.sync, self.retry_at) {
            (LogSync::InSync, None) => game_deadline,
            (LogSync::InSync, Some(retry_at)) if time_stopped => Some(retry_at),
            (LogSync::InSync, Some(retry_at)) => {
                game_deadline.map(|deadline| deadline.max(retry_at))
            }
            (LogSync::Unconfirmed | LogSync::NeedsReload | LogSync::Lost, retry_at) => {
                Some(retry_at.unwrap_or_else(now))
            }
        }
    }

    pub(in crate::room) fn on_append_error(&mut self, error: &LogError, now: Instant) {
        self.delay_retry(now);
        self.sync = match error {
            LogError::Unavailable(_) => LogSync::InSync,
            LogError::Conflict { .. } | LogError::Unknown | LogError::Corrupt(_) => {
                LogSync::Unconfirmed
            }
        };
    }

    pub(in crate::room) fn on_read_error(&mut self, error: &LogError, now: Instant) {
        match error {
            LogError::Unavailable(_) | LogError::Unknown => self.delay_retry(now),
            LogError::Conflict { .. } => {
                self.delay_retry(now);
                self.sync = LogSync::NeedsReload;
            }
            LogError::Corrupt(_) => self.mark_lost(),
        }
    }

    /// Requires a rebuild. The rebuild follows immediately after the first panic, and after a delay if panics follow
    /// each other soon.
    pub(in crate::room) fn on_panic(&mut self, now: Instant) {
        self.sync = LogSync::NeedsReload;
        let is_repeated = self
            .last_panic
            .replace(now)
            .is_some_and(|previous| now - previous < RETRY_DELAY);
        self.retry_at = is_repeated.then(|| now + RETRY_DELAY);
    }

    /// Records that the room contains all events of the log.
    pub(in crate::room) fn mark_in_sync(&mut self) {
        self.sync = LogSync::InSync;
    }

    pub(in crate::room) fn mark_lost(&mut self) {
        self.sync = LogSync::Lost;
    }

    pub(in crate::room) fn checkpoint_seq(&self) -> Seq {
        self.checkpoint_seq
    }

    pub(in crate::room) fn set_checkpoint_seq(&mut self, seq: Seq) {
        self.checkpoint_seq = seq;
    }

    pub(in crate::room) fn has_unsaved_parties(&self) -> bool {
        self.parties_dirty
    }

    pub(in crate::room) fn mark_parties_dirty(&mut self) {
        self.parties_dirty = true;
    }

    pub(in crate::room) fn mark_parties_saved(&mut self) {
        self.parties_dirty = false;
    }

    pub(in crate::room) fn set_unconfirmed(&mut self, request: UnconfirmedRequest) {
        self.unconfirmed = Some(Box::new(request));
    }

    pub(in crate::room) fn take_unconfirmed(&mut self) -> Option<UnconfirmedRequest> {
        self.unconfirmed.take().map(|request| *request)
    }

    /// Returns the unconfirmed request, if it is a command.
    pub(in crate::room) fn unconfirmed_command(&self) -> Option<RequestRef> {
        match self.unconfirmed.as_deref()? {
            UnconfirmedRequest::Command(_, by) => Some(*by),
            UnconfirmedRequest::Join(..) => None,
        }
    }

    /// Lets `member` wait for the result of the command `by`, if it is the unconfirmed command. Returns whether it is.
    pub(in crate::room) fn redirect_unconfirmed(
        &mut self,
        by: RequestRef,
        member: ConnectionId,
    ) -> bool {
        match self.unconfirmed.as_deref_mut() {
            Some(UnconfirmedRequest::Command(requester, command)) if *command == by => {
                *requester = member;
                true
            }
            Some(UnconfirmedRequest::Command(..) | UnconfirmedRequest::Join(..)) | None => false,
        }
    }

    /// Forgets the unconfirmed command of `member`, if any, and returns it.
    pub(in crate::room) fn take_unconfirmed_of(
        &mut self,
        member: ConnectionId,
    ) -> Option<RequestRef> {
        match self.unconfirmed.as_deref() {
            Some(&UnconfirmedRequest::Command(requester, by)) if requester == member => {
                self.unconfirmed = None;
                Some(by)
            }
            Some(UnconfirmedRequest::Command(..) | UnconfirmedRequest::Join(..)) | None => None,
        }
    }
}

/// Waits for the log, at most for `limit`. After that time the result is unknown.
pub(in crate::room) async fn with_timeout<T>(
    limit: Duration,
    mut response: LogFuture<'_, T>,
) -> Result<T, LogError> {
    // The log in memory responds immediately, and needs no timer.
    match poll!(&mut response) {
        Poll::Ready(response) => response,
        // Boxed, because the timer would enlarge every future that calls this function.
        Poll::Pending => Box::pin(timeout(limit, response))
            .await
            .unwrap_or(Err(LogError::Unknown)),
    }
}

/// The last events of a room, and the first event that a client can catch up from without a snapshot.
#[derive(Debug)]
pub(in crate::room) struct EventTail {
    events: VecDeque<EventRecord>,
    /// A client that does not know this event needs a snapshot: time was credited to the clocks before this event, and
    /// no event records a credit.
    replayable_from: Seq,
}

impl EventTail {
    pub(in crate::room) fn new(events: VecDeque<EventRecord>, replayable_from: Seq) -> EventTail {
        EventTail {
            events,
            replayable_from,
        }
    }

    /// Keeps the last `capacity` events of a room that was read from the log.
    pub(in crate::room) fn from_log(
        events: Vec<EventRecord>,
        capacity: usize,
        game: &Game,
    ) -> EventTail {
        let excess = events.len().saturating_sub(capacity);
        EventTail::new(
            events.into_iter().skip(excess).collect(),
            replayable_after_restart(game),
        )
    }

    /// Appends events and discards the oldest beyond `capacity`.
    pub(in crate::room) fn extend(&mut self, events: &[EventRecord], capacity: usize) {
        self.events.extend(events.iter().cloned());
        while self.events.len() > capacity {
            self.events.pop_front();
        }
    }

    /// Records that from now on, a client that does not know the event `seq` needs a snapshot.
    pub(in crate::room) fn require_snapshot_before(&mut self, seq: Seq) {
        self.replayable_from = seq;
    }

    /// Returns the events from `after` up to `last`, the last event of the room. `None` if only a snapshot brings the
    /// client up to date.
    pub(in crate::room) fn events_after(&self, after: Seq, last: Seq) -> Option<Vec<EventRecord>> {
        let oldest = self.events.front().map_or(last.next(), |first| first.seq);
        if after > last || after.next() < oldest || after < self.replayable_from {
            return None;
        }
        Some(
            self.events
                .iter()
                .filter(|event| event.seq > after)
                .cloned()
                .collect(),
        )
    }
}

/// Returns the first event that a client can catch up from without a snapshot, just after the room was read from the
/// log. A running clock has then been credited the time of the outage.
pub(in crate::room) fn replayable_after_restart(game: &Game) -> Seq {
    if game.clock().is_some_and(|clock| clock.running().is_some()) {
        game.seq().next()
    } else {
        Seq::ZERO
    }
}

#[cfg(test)]
mod tests {
    use noughts_protocol::{Event, Offer, RequestId, Seat};

    use super::*;

    #[test]
    fn an_unavailable_log_delays_the_game_but_loses_nothing() {
        let (now, mut log_state) = (Instant::now(), LogState::new(Seq::ZERO));
        let due = Some(now);
        assert_eq!(log_state.deadline(due, false, || now), due);
        log_state.on_append_error(&LogError::Unavailable("full".into()), now);
        assert_eq!(log_state.sync(), LogSync::InSync);
        assert_eq!(
            log_state.deadline(due, false, || now),
            Some(now + RETRY_DELAY)
        );
        assert_eq!(log_state.deadline(None, false, || now), None);
        assert_eq!(
            log_state.deadline(None, true, || now),
            Some(now + RETRY_DELAY),
            "time has to run again"
        );
        assert!(!log_state.try_end_delay(|| now));
        assert!(log_state.try_end_delay(|| now + RETRY_DELAY));
        assert_eq!(log_state.deadline(due, false, || now), due);
    }

    #[test]
    fn a_repeated_panic_delays_the_rebuild() {
        let (now, mut log_state) = (Instant::now(), LogState::new(Seq::ZERO));
        log_state.on_panic(now);
        assert_eq!(log_state.sync(), LogSync::NeedsReload);
        assert_eq!(log_state.deadline(None, false, || now), Some(now));
        log_state.on_panic(now + RETRY_DELAY / 2);
        assert_eq!(
            log_state.deadline(None, false, || now),
            Some(now + RETRY_DELAY * 3 / 2)
        );
    }

    #[test]
    fn read_errors_decide_between_retry_rebuild_and_loss() {
        let now = Instant::now();
        for (error, sync) in [
            (LogError::Unknown, LogSync::Unconfirmed),
            (
                LogError::Conflict {
                    expected: Seq::ZERO,
                    found: Seq::new(1),
                },
                LogSync::NeedsReload,
            ),
            (LogError::Corrupt("row".into()), LogSync::Lost),
        ] {
            let mut log_state = LogState::new(Seq::ZERO);
            log_state.on_append_error(&LogError::Unknown, now);
            assert_eq!(log_state.sync(), LogSync::Unconfirmed);
            log_state.on_read_error(&error, now);
            assert_eq!(log_state.sync(), sync, "{error}");
        }
    }

    #[test]
    fn a_repeated_command_takes_over_the_answer() {
        let mut log_state = LogState::new(Seq::ZERO);
        let by = |id| RequestRef {
            seat: Seat::X,
            id: RequestId::new(id).unwrap(),
        };
        log_state.set_unconfirmed(UnconfirmedRequest::Command(ConnectionId(1), by(7)));
        assert!(!log_state.redirect_unconfirmed(by(8), ConnectionId(2)));
        assert!(log_state.redirect_unconfirmed(by(7), ConnectionId(2)));
        assert_eq!(log_state.take_unconfirmed_of(ConnectionId(1)), None);
        assert_eq!(log_state.unconfirmed_command(), Some(by(7)));
        assert_eq!(log_state.take_unconfirmed_of(ConnectionId(2)), Some(by(7)));
        assert_eq!(log_state.unconfirmed_command(), None);
    }

    const LAST: u64 = 10;

    /// Returns the events 7 to 10.
    fn tail() -> EventTail {
        let event = Event::Offered {
            seat: Seat::X,
            offer: Offer::Draw,
        };
        let records: Vec<EventRecord> = (1..=10)
            .map(|seq| EventRecord {
                seq: Seq::new(seq),
                at: 1,
                by: None,
                event: event.clone(),
            })
            .collect();
        let mut tail = EventTail::new(VecDeque::new(), Seq::ZERO);
        tail.extend(&records[..6], 4);
        tail.extend(&records[6..], 4);
        tail
    }

    fn missed(tail: &EventTail, after: u64) -> Option<Vec<u64>> {
        let events = tail.events_after(Seq::new(after), Seq::new(LAST))?;
        Some(events.iter().map(|event| event.seq.get()).collect())
    }

    #[test]
    fn only_retained_events_are_returned() {
        let tail = tail();
        assert_eq!(missed(&tail, 5), None, "event 6 was discarded");
        assert_eq!(missed(&tail, 6), Some(vec![7, 8, 9, 10]));
        assert_eq!(missed(&tail, 10), Some(vec![]));
        assert_eq!(missed(&tail, 11), None, "not an event of this room");
    }

    #[test]
    fn a_client_from_before_a_credit_needs_a_snapshot() {
        let mut tail = tail();
        tail.require_snapshot_before(Seq::new(9));
        assert_eq!(missed(&tail, 8), None);
        assert_eq!(missed(&tail, 9), Some(vec![10]));
    }
}
