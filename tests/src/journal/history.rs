//! What is known of one room: its events, and where an image stands for events that nobody was told.

use std::collections::BTreeMap;
use std::ops::Bound::{Excluded, Included};

use noughts_protocol::{Game, RequestId, RoomId, Seq, Stamped};
use noughts_server::config::Limits;
use noughts_server::log::{Image, Stored};
use noughts_server::room::{Patience, Room};
use serde_json::Value;

/// How many events of a room may be stored without anybody's knowledge when its server is killed: each of two
/// players has one request under way, which leads to two events at most, and a flag may fall.
const UNTOLD: u64 = 5;
const DAY: u64 = 24 * 60 * 60 * 1000;

/// A room as far as it is known.
#[derive(Debug, Default)]
pub(super) struct History {
    events: BTreeMap<Seq, Stamped>,
    /// Images that stand for events of which some were told to nobody: the history is counted from them on.
    beginnings: BTreeMap<Seq, Image>,
    /// The last event that was told, not only found.
    pub(super) told_to: Seq,
    /// What players saw before it was known how it came about.
    views: Vec<(Seq, Value)>,
}

impl History {
    /// Takes in events. What is known already must be the same.
    pub(super) fn note(&mut self, room: RoomId, events: &[Stamped]) {
        for event in events {
            let first = self.events.entry(event.seq).or_insert_with(|| event.clone());
            assert_eq!(first, event, "room {room} has two histories");
        }
    }

    /// The events that are known, in their order.
    pub(super) fn events(&self) -> impl Iterator<Item = &Stamped> {
        self.events.values()
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.events.len()
    }

    /// How often an image had to be believed.
    pub(super) fn beginnings(&self) -> usize {
        self.beginnings.len()
    }

    /// The one event that answers this request; none if it was not done.
    pub(super) fn done(&self, room: RoomId, id: RequestId) -> Option<Seq> {
        let mut done = self.events.values().filter(|event| event.by.is_some_and(|by| by.id == id));
        let seq = done.next()?.seq;
        assert!(done.next().is_none(), "request {id} was done twice in room {room}");
        Some(seq)
    }

    /// Compares a view with the history up to there, now or as soon as that is known.
    pub(super) fn see(&mut self, room: RoomId, view: &Game) {
        self.views.push((view.seq(), state(view)));
        self.judge_views(room);
    }

    fn judge_views(&mut self, room: RoomId) {
        let mut views = std::mem::take(&mut self.views);
        views.retain(|(seq, seen)| match self.fold_to(*seq) {
            Some(game) => {
                assert_eq!(*seen, state(&game), "a view of room {room} is no prefix of its history");
                false
            }
            None => true,
        });
        self.views = views;
    }

    /// What is stored must be what was told, up to `told_to` at least, and may be a little more.
    pub(super) fn check(&mut self, room: RoomId, stored: &Stored, told_to: Seq) {
        let last = stored.last_seq();
        assert!(last >= told_to, "room {room} was told {told_to} and has {last}");
        let begin = stored.image.as_ref().map_or(Seq::ZERO, |image| image.seq);
        for (before, event) in (begin.get()..).zip(&stored.events) {
            assert_eq!(event.seq.get(), before + 1, "a gap in room {room}");
        }
        self.note(room, &stored.events);
        if let Some(image) = &stored.image
            && self.fold_to(begin).is_none()
        {
            self.begin_with(room, image);
        }
        let mut ids: Vec<_> = self.events.values().filter_map(|event| Some(event.by?.id)).collect();
        let count = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), count, "a request was done twice in room {room}");
        let game = self.fold_to(last).unwrap_or_else(|| {
            panic!("of room {room}, not all events from {} to {last} are known", self.begin_before(last))
        });
        // Whatever the time is when it is read: a day later, and a year after that.
        let [left, later] = [1, 366].map(|days| {
            let now = game.at() + days * DAY;
            let replayed = replay(stored, now);
            let (seen, wanted) = (state(replayed.game()), state(&game));
            assert_eq!(seen, wanted, "room {room} is not the fold of its history");
            replayed.game().left(now)
        });
        assert_eq!(left, later, "room {room} goes by the time of its reader");
    }

    /// Compares every view that was seen, now that all there is has been read.
    pub(super) fn settle(&mut self, room: RoomId) {
        self.judge_views(room);
        // What is left was seen of events for which an image stands.
        let views = std::mem::take(&mut self.views);
        let known = |seq: Seq| self.beginnings.keys().next_back().is_some_and(|begin| seq < *begin);
        assert!(views.iter().all(|(seq, _)| known(*seq)), "a view of room {room} is of no history");
    }

    /// Goes on from an image: some of the events before it are in no file any more, and were told to nobody.
    fn begin_with(&mut self, room: RoomId, image: &Image) {
        let before = self.begin_before(image.seq);
        let known = self.events.range((Excluded(before), Included(image.seq))).count() as u64;
        let untold = image.seq.get() - before.get() - known;
        assert!(untold <= UNTOLD, "nobody saw {untold} events of room {room} up to {}", image.seq);
        self.beginnings.insert(image.seq, image.clone());
    }

    /// Where the history up to `seq` is counted from.
    fn begin_before(&self, seq: Seq) -> Seq {
        self.beginnings.range(..=seq).next_back().map_or(Seq::ZERO, |(begin, _)| *begin)
    }

    /// The game after the event `seq`; none as long as not all events up to there are known.
    fn fold_to(&self, seq: Seq) -> Option<Game> {
        let begin = self.begin_before(seq);
        let events = || self.events.range((Excluded(begin), Included(seq))).map(|(_, event)| event);
        if seq == Seq::ZERO || events().count() as u64 != seq.get() - begin.get() {
            return None;
        }
        let mut events = events();
        let mut game = match self.beginnings.get(&begin) {
            Some(image) => {
                let stored = Stored { image: Some(image.clone()), events: Vec::new() };
                replay(&stored, 0).game().clone()
            }
            None => Game::open(events.next()?).expect("a room begins with its opening"),
        };
        for event in events {
            game.apply(event).unwrap_or_else(|error| panic!("{error} at {event:?}"));
        }
        Some(game)
    }
}

fn replay(stored: &Stored, now: u64) -> Room {
    Room::replay(stored, Patience::new(&Limits::default()).into(), now).expect("a history that holds")
}

/// All that there is to see of a game, but for what a clock says in between events.
fn state(game: &Game) -> Value {
    let mut state = serde_json::to_value(game.snapshot(game.at())).expect("a snapshot");
    let fields = state.as_object_mut().expect("an object");
    fields.remove("left");
    fields.remove("at");
    state
}
