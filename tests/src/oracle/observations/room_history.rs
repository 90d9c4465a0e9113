//! Known events of one room, and the checkpoints that replace events which no client received.

use std::collections::BTreeMap;
use std::ops::Bound::{Excluded, Included};
use std::time::Duration;

use noughts_protocol::{EventRecord, Game, RequestId, RoomId, Seq};
use noughts_server::ServerLimits;
use noughts_server::testing::Room;
use noughts_server::testing::{Checkpoint, StoredRoom};
use serde_json::Value;
use tokio::time::Instant;

/// Maximum number of stored events that no client has received when the server is killed: one request of each
/// of two players, with up to two events each, and one flag fall.
pub(super) const MAX_UNSENT_EVENTS: u64 = 5;
const DAY_MS: u64 = 24 * 60 * 60 * 1000;

/// Known history of a room.
#[derive(Debug, Default)]
pub(super) struct ObservedRoomHistory {
    events: BTreeMap<Seq, EventRecord>,
    /// Checkpoints that replace unobserved events; the history restarts at each of them.
    trusted_checkpoints: BTreeMap<Seq, Checkpoint>,
    /// Number of the last event that a client received.
    pub(super) last_sent_seq: Seq,
    /// Time of the last event that no client had received before.
    progressed_at: Option<Instant>,
    /// Maximum time between two such events.
    longest_pause: Duration,
    /// Views that cannot be checked yet, because their history is not known.
    views: Vec<(Seq, Value)>,
}

impl ObservedRoomHistory {
    /// Records events; an event that is already known must be equal.
    pub(super) fn record_events(&mut self, room: RoomId, events: &[EventRecord]) {
        for event in events {
            let first = self
                .events
                .entry(event.seq)
                .or_insert_with(|| event.clone());
            assert_eq!(first, event, "room {room} has two histories");
        }
    }

    /// Records that a client learned of an event number.
    pub(super) fn record_seq(&mut self, seq: Seq) {
        if seq > self.last_sent_seq {
            self.last_sent_seq = seq;
            let now = Instant::now();
            let progressed_at = self.progressed_at.replace(now).unwrap_or(now);
            self.longest_pause = self.longest_pause.max(now - progressed_at);
        }
    }

    /// Returns the longest pause since the last call, including the current pause.
    pub(super) fn take_longest_pause(&mut self) -> Duration {
        let now = Instant::now();
        let current = self
            .progressed_at
            .map_or(Duration::ZERO, |progressed_at| now - progressed_at);
        std::mem::take(&mut self.longest_pause).max(current)
    }

    /// Returns the known events in order.
    pub(super) fn events(&self) -> impl Iterator<Item = &EventRecord> {
        self.events.values()
    }

    /// Returns the number of known events.
    pub(super) fn len(&self) -> usize {
        self.events.len()
    }

    /// Returns the number of trusted checkpoints.
    pub(super) fn trusted_checkpoint_count(&self) -> usize {
        self.trusted_checkpoints.len()
    }

    /// Returns the event that a request caused, or `None` if it was not executed.
    pub(super) fn event_for_request(&self, room: RoomId, id: RequestId) -> Option<Seq> {
        let mut done = self
            .events
            .values()
            .filter(|event| event.by.is_some_and(|by| by.id == id));
        let seq = done.next()?.seq;
        assert!(
            done.next().is_none(),
            "request {id} was executed twice in room {room}"
        );
        Some(seq)
    }

    /// Compares a view with the history, or stores it until that part of the history is known.
    pub(super) fn record_view(&mut self, room: RoomId, view: &Game) {
        self.views.push((view.seq(), comparable_state(view)));
        self.check_views(room);
    }

    fn check_views(&mut self, room: RoomId) {
        let mut views = std::mem::take(&mut self.views);
        views.retain(|(seq, seen)| match self.fold_to(*seq) {
            Some(game) => {
                assert_eq!(
                    *seen,
                    comparable_state(&game),
                    "a view of room {room} is not a prefix of its history"
                );
                false
            }
            None => true,
        });
        self.views = views;
    }

    /// Checks that the stored room contains all events up to `last_sent`, and at most a few more.
    /// A checkpoint may replace `max_unsent` events that no client received.
    pub(super) fn check(
        &mut self,
        room: RoomId,
        stored: &StoredRoom,
        last_sent_seq: Seq,
        max_unsent: u64,
    ) {
        let last = stored.last_seq();
        assert!(
            last >= last_sent_seq,
            "room {room}: {last_sent_seq} events were sent, {last} are stored"
        );
        let start = stored
            .checkpoint
            .as_ref()
            .map_or(Seq::ZERO, |checkpoint| checkpoint.seq);
        for (before, event) in (start.get()..).zip(&stored.events) {
            assert_eq!(event.seq.get(), before + 1, "gap in room {room}");
        }
        self.record_events(room, &stored.events);
        if let Some(checkpoint) = &stored.checkpoint
            && self.fold_to(start).is_none()
        {
            self.trust_checkpoint(room, checkpoint, max_unsent);
        }
        let mut ids: Vec<_> = self
            .events
            .values()
            .filter_map(|event| Some(event.by?.id))
            .collect();
        let count = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(
            ids.len(),
            count,
            "a request was executed twice in room {room}"
        );
        let game = self.fold_to(last).unwrap_or_else(|| {
            panic!(
                "unknown events between {} and {last} in room {room}",
                self.start_before(last)
            )
        });
        // The state must not depend on the time at the read: the room is read 1 day and 366 days after its last event.
        let [left, later] = [1, 366].map(|days| {
            let now = game.last_event_at() + days * DAY_MS;
            let replayed = replay(stored, now);
            let (seen, wanted) = (comparable_state(replayed.game()), comparable_state(&game));
            assert_eq!(seen, wanted, "room {room} is not the fold of its history");
            replayed.game().left(now)
        });
        assert_eq!(left, later, "room {room} depends on the time of reading");
    }

    /// Compares all remaining views after the files have been read.
    pub(super) fn check_remaining_views(&mut self, room: RoomId) {
        self.check_views(room);
        // The views that remain must show events that a checkpoint replaces.
        let views = std::mem::take(&mut self.views);
        let known = |seq: Seq| {
            self.trusted_checkpoints
                .keys()
                .next_back()
                .is_some_and(|start| seq < *start)
        };
        assert!(
            views.iter().all(|(seq, _)| known(*seq)),
            "a view of room {room} has no history"
        );
    }

    /// Restarts the history at a checkpoint: some events before it are in no file and reached no client.
    fn trust_checkpoint(&mut self, room: RoomId, checkpoint: &Checkpoint, max_unsent: u64) {
        let before = self.start_before(checkpoint.seq);
        let known = self
            .events
            .range((Excluded(before), Included(checkpoint.seq)))
            .count() as u64;
        let unsent = checkpoint.seq.get() - before.get() - known;
        assert!(
            unsent <= max_unsent,
            "{unsent} unsent events in room {room} up to {}",
            checkpoint.seq
        );
        self.trusted_checkpoints
            .insert(checkpoint.seq, checkpoint.clone());
    }

    /// Returns the first event number of the history up to `seq`.
    fn start_before(&self, seq: Seq) -> Seq {
        self.trusted_checkpoints
            .range(..=seq)
            .next_back()
            .map_or(Seq::ZERO, |(start, _)| *start)
    }

    /// Returns the game after the event `seq`, or `None` if some earlier event is not known.
    fn fold_to(&self, seq: Seq) -> Option<Game> {
        let start = self.start_before(seq);
        let events = || {
            self.events
                .range((Excluded(start), Included(seq)))
                .map(|(_, event)| event)
        };
        if seq == Seq::ZERO || events().count() as u64 != seq.get() - start.get() {
            return None;
        }
        let mut events = events();
        let mut game = match self.trusted_checkpoints.get(&start) {
            Some(checkpoint) => {
                let stored = StoredRoom {
                    checkpoint: Some(checkpoint.clone()),
                    events: Vec::new(),
                };
                replay(&stored, 0).game().clone()
            }
            None => Game::open(events.next()?).expect("the first event opens the room"),
        };
        for event in events {
            game.apply(event)
                .unwrap_or_else(|error| panic!("{error} at {event:?}"));
        }
        Some(game)
    }
}

fn replay(stored: &StoredRoom, now: u64) -> Room {
    Room::replay(stored, ServerLimits::default().into(), now).expect("a valid history")
}

/// Returns the state of a game without the running clock.
fn comparable_state(game: &Game) -> Value {
    let mut state = serde_json::to_value(game.snapshot(game.last_event_at())).expect("a snapshot");
    let fields = state.as_object_mut().expect("an object");
    fields.remove("left");
    fields.remove("at");
    // Like `left`, it depends on the credits for outages.
    if let Some(shown) = fields.get_mut("shown") {
        *shown = Value::Bool(true);
    }
    state
}
