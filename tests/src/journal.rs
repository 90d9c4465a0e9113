//! What all clients were told, together: the measure for what a server has after a kill.

mod history;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};

use noughts_protocol::{Game, RequestId, RoomId, Seq, Stamped};
use noughts_server::log::sqlite::{Durability, Options, SqliteLog};
use noughts_server::log::{EventLog, Founding, Stored};
use noughts_server::time::Time;

use crate::program::Folder;
use history::History;

/// Every event of every room that anybody saw, on the wire or in the files.
#[derive(Debug, Default)]
pub struct Journal {
    rooms: Mutex<HashMap<RoomId, History>>,
    told: AtomicUsize,
    back: AtomicUsize,
    again: AtomicUsize,
    sent_away: AtomicUsize,
    done_before: AtomicUsize,
    over: AtomicBool,
}

impl Journal {
    fn rooms(&self) -> MutexGuard<'_, HashMap<RoomId, History>> {
        self.rooms.lock().expect("nobody failed while writing")
    }

    /// Notes events that somebody was told. What is known already must be the same.
    ///
    /// # Panics
    /// When it is not.
    pub fn tell(&self, room: RoomId, events: &[Stamped]) {
        self.rooms().entry(room).or_default().note(room, events);
        self.told.fetch_add(events.len(), Ordering::Relaxed);
        if let Some(last) = events.last() {
            self.tell_seq(room, last.seq);
        }
    }

    /// Notes that somebody was told that there is such an event.
    pub fn tell_seq(&self, room: RoomId, seq: Seq) {
        let mut rooms = self.rooms();
        let known = rooms.entry(room).or_default();
        known.told_to = seq.max(known.told_to);
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
        // Of a room that nobody was told anything of, nothing is known to be done.
        self.rooms().get(&room)?.done(room, id)
    }

    /// What a player sees must be the fold of the history up to there. Where that is not known yet, it is
    /// compared when the files have been read.
    ///
    /// # Panics
    /// When it is not.
    pub fn check_view(&self, room: RoomId, view: &Game) {
        self.rooms().entry(room).or_default().see(room, view);
    }

    /// What the files hold after the end of a server: everything told, nothing twice, nothing else.
    ///
    /// An image may stand for the last few events before a kill, of which nobody has been told: they were
    /// stored, and so was the image, before the word was out. From there on the history begins anew.
    ///
    /// # Panics
    /// When it is not so.
    pub fn check(&self, stored: &[(Founding, Stored)]) {
        let mut rooms = self.rooms();
        let found: HashMap<RoomId, &Stored> =
            stored.iter().map(|(founding, stored)| (founding.room, stored)).collect();
        for room in rooms.keys() {
            assert!(found.contains_key(room), "room {room} is lost");
        }
        for (room, stored) in found {
            let history = rooms.entry(room).or_default();
            history.check(room, stored, history.told_to);
            history.settle(room);
        }
    }

    /// The same for what is in a data directory that no server uses.
    ///
    /// # Panics
    /// When it is not so.
    pub async fn check_files(&self, data: &Path) {
        self.check(&read(data).await);
    }

    /// What a backup holds that was taken while the server ran: all that had been told to then, as
    /// [`Journal::told_to`] gave it, and in every room a state that it has been in. Gives the last event of each.
    ///
    /// # Panics
    /// When it is not so.
    pub async fn check_backup(&self, data: &Path, told_to: &HashMap<RoomId, Seq>) -> HashMap<RoomId, Seq> {
        let stored = read(data).await;
        let mut rooms = self.rooms();
        let mut last = HashMap::new();
        for (founding, stored) in &stored {
            let (room, history) = (founding.room, rooms.entry(founding.room).or_default());
            history.check(room, stored, told_to.get(&room).copied().unwrap_or_default());
            last.insert(room, stored.last_seq());
        }
        for room in told_to.keys() {
            assert!(last.contains_key(room), "room {room} is in no backup");
        }
        last
    }

    /// The last event of each room that was told so far.
    pub fn told_to(&self) -> HashMap<RoomId, Seq> {
        self.rooms().iter().map(|(room, history)| (*room, history.told_to)).collect()
    }

    /// The events of a room that are known, in their order.
    pub fn events(&self, room: RoomId) -> Vec<Stamped> {
        self.rooms()[&room].events().cloned().collect()
    }

    /// What was counted, for a person.
    pub fn summary(&self) -> String {
        let rooms = self.rooms();
        let events: usize = rooms.values().map(History::len).sum();
        let longest = rooms.values().map(History::len).max().unwrap_or(0);
        let untold: usize = rooms.values().map(History::beginnings).sum();
        format!(
            "{} rooms, {events} events (at most {longest} in a room), told {} times; {untold} times an image stood \
             for events that nobody was told; {} returns; {} requests sent again, {} of them had been done",
            rooms.len(),
            self.told(),
            self.back(),
            self.again.load(Ordering::Relaxed),
            self.done_before.load(Ordering::Relaxed),
        )
    }
}

/// The open rooms in a data directory that no server uses, from a copy of it: the next server finds the files as
/// the last one left them.
async fn read(data: &Path) -> Vec<(Founding, Stored)> {
    let copy = Folder::default();
    for file in std::fs::read_dir(data).expect("the data directory") {
        let file = file.expect("a file");
        std::fs::copy(file.path(), copy.path().join(file.file_name())).expect("a copy");
    }
    let options = Options::new(Durability::Power, Time::start());
    let log = SqliteLog::open(copy.path(), options).unwrap_or_else(|error| panic!("the files: {error}"));
    let stored = log.recover().await.expect("the histories");
    tokio::task::spawn_blocking(|| drop(log)).await.expect("the log closes");
    stored
}
