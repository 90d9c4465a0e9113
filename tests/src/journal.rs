//! What all clients were told, together: the measure for what a server has after a kill.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use noughts_protocol::{Game, RequestId, RoomId, Seq, Stamped};
use noughts_server::config::Limits;
use noughts_server::log::sqlite::{Durability, Options, SqliteLog};
use noughts_server::log::{EventLog, Founding, Stored};
use noughts_server::room::{Patience, Room};
use noughts_server::time::Time;
use serde_json::Value;

use crate::program::Folder;

/// Every event of every room that anybody saw, on the wire or in the files.
#[derive(Debug, Default)]
pub struct Journal {
    rooms: Mutex<HashMap<RoomId, BTreeMap<Seq, Stamped>>>,
    /// The last event of each room that was told, not only found.
    told_to: Mutex<HashMap<RoomId, Seq>>,
    told: AtomicUsize,
    back: AtomicUsize,
    again: AtomicUsize,
    sent_away: AtomicUsize,
    done_before: AtomicUsize,
    over: AtomicBool,
}

impl Journal {
    fn rooms(&self) -> MutexGuard<'_, HashMap<RoomId, BTreeMap<Seq, Stamped>>> {
        self.rooms.lock().expect("nobody failed while writing")
    }

    /// Notes events that somebody was told. What is known already must be the same.
    pub fn tell(&self, room: RoomId, events: &[Stamped]) {
        self.note(room, events);
        self.told.fetch_add(events.len(), Ordering::Relaxed);
        if let Some(last) = events.last() {
            self.tell_seq(room, last.seq);
        }
    }

    /// Notes that somebody was told that there is such an event.
    pub fn tell_seq(&self, room: RoomId, seq: Seq) {
        let mut told_to = self.told_to.lock().expect("nobody failed while writing");
        let last = told_to.entry(room).or_default();
        *last = seq.max(*last);
    }

    fn note(&self, room: RoomId, events: &[Stamped]) {
        let mut rooms = self.rooms();
        let known = rooms.entry(room).or_default();
        for event in events {
            let first = known.entry(event.seq).or_insert_with(|| event.clone());
            assert_eq!(first, event, "room {room} has two histories");
        }
    }

    /// How many events were told so far, each as often as it was.
    pub fn told(&self) -> usize {
        self.told.load(Ordering::Relaxed)
    }

    /// Notes that a player has its seat, for the first time or again.
    pub fn came_back(&self) {
        self.back.fetch_add(1, Ordering::Relaxed);
    }

    /// How often a player had its seat.
    pub fn back(&self) -> usize {
        self.back.load(Ordering::Relaxed)
    }

    /// Notes a player that was told to come back later, and closed with the code that says so.
    pub fn sent_away(&self) {
        self.sent_away.fetch_add(1, Ordering::Relaxed);
    }

    /// How many there were.
    pub fn all_sent_away(&self) -> usize {
        self.sent_away.load(Ordering::Relaxed)
    }

    /// Notes a request that was sent again, and whether it had been done before.
    pub fn sent_again(&self, done_before: bool) {
        self.again.fetch_add(1, Ordering::Relaxed);
        self.done_before.fetch_add(usize::from(done_before), Ordering::Relaxed);
    }

    /// How many requests were sent again, and how many of them had been done.
    pub fn again(&self) -> [usize; 2] {
        [&self.again, &self.done_before].map(|count| count.load(Ordering::Relaxed))
    }

    /// Tells the players to come to an end.
    pub fn finish(&self) {
        self.over.store(true, Ordering::Relaxed);
    }

    /// Whether they have been told to.
    pub fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    /// The one event of a room that answers this request; none if it was not done.
    ///
    /// # Panics
    /// When it was done twice.
    pub fn done(&self, room: RoomId, id: RequestId) -> Option<Seq> {
        let rooms = self.rooms();
        // Of a room that nobody was told anything of, nothing is known to be done.
        let mut done = rooms.get(&room)?.values().filter(|event| event.by.is_some_and(|by| by.id == id));
        let seq = done.next()?.seq;
        assert!(done.next().is_none(), "request {id} was done twice in room {room}");
        Some(seq)
    }

    /// What a player sees must be the fold of the history up to there.
    ///
    /// # Panics
    /// When it is not.
    pub fn check_view(&self, room: RoomId, view: &Game) {
        let rooms = self.rooms();
        let Some(known) = rooms.get(&room) else { return };
        let history = known.range(..=view.seq()).map(|(_, event)| event);
        // Until the files were read once, nobody has seen how the room began.
        if let Some(game) = fold(history) {
            assert_eq!(state(view), state(&game), "a view of room {room} is no prefix of its history");
        }
    }

    /// What the files hold after the end of a server: everything told, nothing twice, nothing else.
    ///
    /// # Panics
    /// When it is not so.
    pub fn check(&self, stored: &[(Founding, Stored)]) {
        let found: HashMap<RoomId, &Stored> =
            stored.iter().map(|(founding, stored)| (founding.room, stored)).collect();
        for (room, last) in self.told_to.lock().expect("nobody failed while writing").iter() {
            let stored = found.get(room).unwrap_or_else(|| panic!("room {room} is lost"));
            assert!(stored.last_seq() >= *last, "room {room} was told {last} and has {}", stored.last_seq());
        }
        for (room, stored) in found {
            let begin = stored.image.as_ref().map_or(Seq::ZERO, |image| image.seq);
            for (before, event) in (begin.get()..).zip(&stored.events) {
                assert_eq!(event.seq.get(), before + 1, "a gap in room {room}");
            }
            self.note(room, &stored.events);
            let history = self.rooms()[&room].clone();
            for (at, seq) in (1..).zip(history.keys()) {
                assert_eq!(seq.get(), at, "nobody saw event {at} of room {room}");
            }
            let mut ids: Vec<_> = history.values().filter_map(|event| Some(event.by?.id)).collect();
            let count = ids.len();
            ids.sort_unstable();
            ids.dedup();
            assert_eq!(ids.len(), count, "a request was done twice in room {room}");
            let game = fold(history.values()).expect("the history is whole");
            let patience = Patience::new(&Limits::default());
            // Whatever the time is when it is read: a day later, and a year after that.
            let [left, later] = [1, 366].map(|days| {
                let now = game.at() + days * 24 * 60 * 60 * 1000;
                let replayed = Room::replay(stored, patience, now).expect("a history that holds");
                let (seen, wanted) = (state(replayed.game()), state(&game));
                assert_eq!(seen, wanted, "room {room} is not the fold of its history");
                replayed.game().left(now)
            });
            assert_eq!(left, later, "room {room} goes by the time of its reader");
        }
    }

    /// The same for what is in a data directory, read from a copy, so that the next server finds the files
    /// as the last one left them.
    ///
    /// # Panics
    /// When it is not so.
    pub async fn check_files(&self, data: &Path) {
        let copy = Folder::default();
        for file in std::fs::read_dir(data).expect("the data directory") {
            let file = file.expect("a file");
            std::fs::copy(file.path(), copy.path().join(file.file_name())).expect("a copy");
        }
        let options =
            Options { durability: Durability::Power, keep_games: Duration::MAX, time: Time::start() };
        let log = SqliteLog::open(copy.path(), options).unwrap_or_else(|error| panic!("the files: {error}"));
        let stored = log.recover().await.expect("the histories");
        tokio::task::spawn_blocking(|| drop(log)).await.expect("the log closes");
        self.check(&stored);
    }

    /// What was counted, for a person.
    pub fn summary(&self) -> String {
        let rooms = self.rooms();
        let events: usize = rooms.values().map(BTreeMap::len).sum();
        let longest = rooms.values().map(BTreeMap::len).max().unwrap_or(0);
        format!(
            "{} rooms, {events} events (at most {longest} in a room), told {} times; {} returns; {} requests \
             sent again, {} of them had been done",
            rooms.len(),
            self.told(),
            self.back(),
            self.again.load(Ordering::Relaxed),
            self.done_before.load(Ordering::Relaxed),
        )
    }
}

/// The game after these events; none when the first of them is not the first of the room.
fn fold<'a>(mut events: impl Iterator<Item = &'a Stamped>) -> Option<Game> {
    let first = events.next().filter(|event| event.seq.get() == 1)?;
    let mut game = Game::open(first).expect("a room begins with its opening");
    for event in events {
        game.apply(event).unwrap_or_else(|error| panic!("{error} at {event:?}"));
    }
    Some(game)
}

/// All that there is to see of a game, but for what a clock says in between events.
fn state(game: &Game) -> Value {
    let mut state = serde_json::to_value(game.snapshot(game.at())).expect("a snapshot");
    let fields = state.as_object_mut().expect("an object");
    fields.remove("left");
    fields.remove("at");
    state
}

/// What the journal is for: it must not stay silent.
#[test]
fn the_journal_sees_what_is_lost_doubled_changed_or_missing() {
    use noughts_protocol::{By, Cell, Event, Kind, Player, ResumeToken, Seat};

    let (room, tokens) = (RoomId::from_bits(1), [ResumeToken::from_bits(1); 2]);
    let founding = Founding { room, code: None, tokens };
    let player = |name: &str| Player { name: name.parse().unwrap(), kind: Kind::Bot };
    let by = |seat, id| Some(By { seat, id: RequestId::new(id).unwrap() });
    let history: Vec<Stamped> = [
        (None, Event::Opened { rules: "3x3:3".parse().unwrap(), clock: None, public: true }),
        (None, Event::Seated { seat: Seat::X, player: player("Ann") }),
        (None, Event::Seated { seat: Seat::O, player: player("Bob") }),
        (None, Event::Started { game: 1 }),
        (by(Seat::X, 1), Event::Moved { seat: Seat::X, cell: Cell::new(4), left: None }),
        (by(Seat::O, 2), Event::Moved { seat: Seat::O, cell: Cell::new(0), left: None }),
    ]
    .into_iter()
    .zip(1..)
    .map(|((by, event), seq)| Stamped { seq: Seq::new(seq), at: 7, by, event })
    .collect();
    let objects = |told: &[Stamped], stored: Vec<Stamped>| {
        let judged = std::panic::catch_unwind(|| {
            let journal = Journal::default();
            journal.tell(room, told);
            journal.check(&[(founding, Stored { image: None, events: stored })]);
        });
        let error = judged.err()?;
        Some(error.downcast_ref::<String>().cloned().unwrap_or_else(|| "a failed assertion".into()))
    };
    assert_eq!(objects(&history, history.clone()), None);
    assert_eq!(objects(&history[4..5], history.clone()), None, "more may be stored than was told");
    let with = |change: fn(&mut Vec<Stamped>)| {
        let mut stored = history.clone();
        change(&mut stored);
        objects(&history[3..], stored).expect("the journal objects")
    };
    assert!(with(|events| drop(events.pop())).contains("was told 6 and has 5"));
    assert!(with(|events| drop(events.remove(2))).contains("a gap"));
    assert!(with(|events| events[5].by = events[4].by).contains("two histories"));
    assert!(with(|events| events.swap(3, 4)).contains("a gap"));
    let twice = |events: &mut Vec<Stamped>| events[5].by = events[4].by;
    let mut doubled = history.clone();
    twice(&mut doubled);
    assert!(objects(&history[..5], doubled).expect("the journal objects").contains("done twice"));
}
