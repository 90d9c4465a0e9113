//! What all clients were told, together: the measure for what a server has after a kill.

mod room_history;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};

use noughts_protocol::{EventRecord, Game, RequestId, RoomId, Seq};
use noughts_server::store::sqlite::{Durability, SqliteLog, SqliteOptions};
use noughts_server::store::{EventLog, RoomSecrets, StoredRoom};
use noughts_server::time::server_clock::ServerClock;

use crate::program::TempDir;
use room_history::ObservedRoomHistory;

/// Every event of every room that anybody saw, on the wire or in the files.
#[derive(Debug, Default)]
pub struct Observations {
    rooms: Mutex<HashMap<RoomId, ObservedRoomHistory>>,
    event_count: AtomicUsize,
    seated_count: AtomicUsize,
    resent_count: AtomicUsize,
    restart_close_count: AtomicUsize,
    already_done_count: AtomicUsize,
    is_finished: AtomicBool,
}

impl Observations {
    fn rooms(&self) -> MutexGuard<'_, HashMap<RoomId, ObservedRoomHistory>> {
        self.rooms.lock().expect("nobody failed while writing")
    }

    /// Notes events that somebody was told. What is known already must be the same.
    ///
    /// # Panics
    /// When it is not.
    pub fn record_events(&self, room: RoomId, events: &[EventRecord]) {
        self.rooms().entry(room).or_default().record_events(room, events);
        self.event_count.fetch_add(events.len(), Ordering::Relaxed);
        if let Some(last) = events.last() {
            self.record_seq(room, last.seq);
        }
    }

    /// Notes that somebody was told that there is such an event.
    pub fn record_seq(&self, room: RoomId, seq: Seq) {
        let mut rooms = self.rooms();
        let known = rooms.entry(room).or_default();
        known.last_sent_seq = seq.max(known.last_sent_seq);
    }

    /// How many events were told so far, each as often as it was.
    pub fn event_count(&self) -> usize {
        self.event_count.load(Ordering::Relaxed)
    }

    /// Notes that a player has its seat, for the first time or again.
    pub fn record_seated(&self) {
        self.seated_count.fetch_add(1, Ordering::Relaxed);
    }

    /// How often a player had its seat.
    pub fn seated_count(&self) -> usize {
        self.seated_count.load(Ordering::Relaxed)
    }

    /// Notes a player that was told to come back later, and closed with the code that says so.
    pub fn record_restart_close(&self) {
        self.restart_close_count.fetch_add(1, Ordering::Relaxed);
    }

    /// How many there were.
    pub fn restart_close_count(&self) -> usize {
        self.restart_close_count.load(Ordering::Relaxed)
    }

    /// Notes a request that was sent again, and whether it had been done before.
    pub fn record_resent(&self, was_already_done: bool) {
        self.resent_count.fetch_add(1, Ordering::Relaxed);
        self.already_done_count.fetch_add(usize::from(was_already_done), Ordering::Relaxed);
    }

    /// How many requests were sent again, and how many of them had been done.
    pub fn resent_counts(&self) -> [usize; 2] {
        [&self.resent_count, &self.already_done_count].map(|count| count.load(Ordering::Relaxed))
    }

    /// Tells the players to come to an end.
    pub fn finish(&self) {
        self.is_finished.store(true, Ordering::Relaxed);
    }

    /// Whether they have been told to.
    pub fn is_finished(&self) -> bool {
        self.is_finished.load(Ordering::Relaxed)
    }

    /// The one event of a room that answers this request; none if it was not done.
    ///
    /// # Panics
    /// When it was done twice.
    pub fn event_for_request(&self, room: RoomId, id: RequestId) -> Option<Seq> {
        // Of a room that nobody was told anything of, nothing is known to be done.
        self.rooms().get(&room)?.event_for_request(room, id)
    }

    /// What a player sees must be the fold of the history up to there. Where that is not known yet, it is
    /// compared when the files have been read.
    ///
    /// # Panics
    /// When it is not.
    pub fn check_view(&self, room: RoomId, view: &Game) {
        self.rooms().entry(room).or_default().record_view(room, view);
    }

    /// What the files hold after the end of a server: everything told, nothing twice, nothing else.
    ///
    /// An image may stand for the last few events before a kill, of which nobody has been told: they were
    /// stored, and so was the image, before the word was out. From there on the history begins anew.
    ///
    /// # Panics
    /// When it is not so.
    pub fn check(&self, stored: &[(RoomSecrets, StoredRoom)]) {
        let mut rooms = self.rooms();
        let found: HashMap<RoomId, &StoredRoom> =
            stored.iter().map(|(founding, stored)| (founding.room, stored)).collect();
        for room in rooms.keys() {
            assert!(found.contains_key(room), "room {room} is lost");
        }
        for (room, stored) in found {
            let history = rooms.entry(room).or_default();
            history.check(room, stored, history.last_sent_seq);
            history.check_remaining_views(room);
        }
    }

    /// The same for what is in a data directory that no server uses.
    ///
    /// # Panics
    /// When it is not so.
    pub async fn check_files(&self, data: &Path) {
        self.check(&read_rooms(data).await);
    }

    /// What a backup holds that was taken while the server ran: all that had been told to then, as
    /// [`Observations::last_sent_seqs`] gave it, and in every room a state that it has been in. Gives the last event of each.
    ///
    /// # Panics
    /// When it is not so.
    pub async fn check_backup(
        &self,
        data: &Path,
        last_sent_seqs: &HashMap<RoomId, Seq>,
    ) -> HashMap<RoomId, Seq> {
        let stored = read_rooms(data).await;
        let mut rooms = self.rooms();
        let mut last = HashMap::new();
        for (founding, stored) in &stored {
            let (room, history) = (founding.room, rooms.entry(founding.room).or_default());
            history.check(room, stored, last_sent_seqs.get(&room).copied().unwrap_or_default());
            last.insert(room, stored.last_seq());
        }
        for room in last_sent_seqs.keys() {
            assert!(last.contains_key(room), "room {room} is in no backup");
        }
        last
    }

    /// The last event of each room that was told so far.
    pub fn last_sent_seqs(&self) -> HashMap<RoomId, Seq> {
        self.rooms().iter().map(|(room, history)| (*room, history.last_sent_seq)).collect()
    }

    /// The events of a room that are known, in their order.
    pub fn events(&self, room: RoomId) -> Vec<EventRecord> {
        self.rooms()[&room].events().cloned().collect()
    }

    /// What was counted, for a person.
    pub fn summary(&self) -> String {
        let rooms = self.rooms();
        let events: usize = rooms.values().map(ObservedRoomHistory::len).sum();
        let longest = rooms.values().map(ObservedRoomHistory::len).max().unwrap_or(0);
        let trusted_checkpoints: usize =
            rooms.values().map(ObservedRoomHistory::trusted_checkpoint_count).sum();
        format!(
            "{} rooms, {events} events (at most {longest} in a room), told {} times; {trusted_checkpoints} times an image stood \
             for events that nobody was told; {} returns; {} requests sent again, {} of them had been done",
            rooms.len(),
            self.event_count(),
            self.seated_count(),
            self.resent_count.load(Ordering::Relaxed),
            self.already_done_count.load(Ordering::Relaxed),
        )
    }
}

/// The open rooms in a data directory that no server uses, from a copy of it: the next server finds the files as
/// the last one left them.
async fn read_rooms(data: &Path) -> Vec<(RoomSecrets, StoredRoom)> {
    let copy = TempDir::default();
    for file in std::fs::read_dir(data).expect("the data directory") {
        let file = file.expect("a file");
        std::fs::copy(file.path(), copy.path().join(file.file_name())).expect("a copy");
    }
    let options = SqliteOptions::new(Durability::Power, ServerClock::start());
    let log = SqliteLog::open(copy.path(), options).unwrap_or_else(|error| panic!("the files: {error}"));
    let stored = log.recover().await.expect("the histories");
    tokio::task::spawn_blocking(|| drop(log)).await.expect("the log closes");
    stored
}
