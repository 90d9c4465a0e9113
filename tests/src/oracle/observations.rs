//! Everything that the clients of a test received. It is compared with the stored log after a crash.

mod room_history;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use noughts_protocol::{EventRecord, Game, RequestId, RoomId, Seq};
use noughts_server::testing::ServerClock;
use noughts_server::testing::{Durability, SqliteLog, SqliteOptions};
use noughts_server::testing::{EventLog, RoomSecrets, StoredRoom};

use crate::lock::lock;
use crate::program::TempDir;
use room_history::{MAX_UNSENT_EVENTS, ObservedRoomHistory};

/// All events observed in any room, from clients or from files.
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
        lock(&self.rooms)
    }

    /// Records events that a client received.
    ///
    /// # Panics
    ///
    /// If an event differs from an earlier observation.
    pub fn record_events(&self, room: RoomId, events: &[EventRecord]) {
        self.rooms()
            .entry(room)
            .or_default()
            .record_events(room, events);
        self.event_count.fetch_add(events.len(), Ordering::Relaxed);
        if let Some(last) = events.last() {
            self.record_seq(room, last.seq);
        }
    }

    /// Records that a client learned of an event number.
    pub fn record_seq(&self, room: RoomId, seq: Seq) {
        self.rooms().entry(room).or_default().record_seq(seq);
    }

    /// Returns the number of the last event of a room that any client knows. The server executes all later requests
    /// after this event.
    pub fn last_sent_seq(&self, room: RoomId) -> Seq {
        self.rooms()
            .get(&room)
            .map_or(Seq::ZERO, |history| history.last_sent_seq)
    }

    /// Returns the maximum time without a new event since the last call, for each room.
    pub fn take_longest_pauses(&self) -> HashMap<RoomId, Duration> {
        let mut rooms = self.rooms();
        rooms
            .iter_mut()
            .map(|(room, history)| (*room, history.take_longest_pause()))
            .collect()
    }

    /// Returns the number of events received, counted once per receipt.
    pub fn event_count(&self) -> usize {
        self.event_count.load(Ordering::Relaxed)
    }

    /// Records that a player took or resumed a seat.
    pub fn record_seated(&self) {
        self.seated_count.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the number of seats taken and resumed.
    pub fn seated_count(&self) -> usize {
        self.seated_count.load(Ordering::Relaxed)
    }

    /// Records that the server closed the connection of a player for a restart.
    pub fn record_restart_close(&self) {
        self.restart_close_count.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the number of connections closed for a restart.
    pub fn restart_close_count(&self) -> usize {
        self.restart_close_count.load(Ordering::Relaxed)
    }

    /// Records a repeated request and whether the server had executed it before.
    pub fn record_resent(&self, was_already_done: bool) {
        self.resent_count.fetch_add(1, Ordering::Relaxed);
        self.already_done_count
            .fetch_add(usize::from(was_already_done), Ordering::Relaxed);
    }

    /// Requests the players to finish.
    pub fn finish(&self) {
        self.is_finished.store(true, Ordering::Relaxed);
    }

    /// Returns whether the players are to finish.
    pub fn is_finished(&self) -> bool {
        self.is_finished.load(Ordering::Relaxed)
    }

    /// Returns the number of the event that a request caused, or `None` if it was not executed.
    ///
    /// # Panics
    ///
    /// If it was executed twice.
    pub fn event_for_request(&self, room: RoomId, id: RequestId) -> Option<Seq> {
        // A room without observations has executed no request.
        self.rooms().get(&room)?.event_for_request(room, id)
    }

    /// Checks that a client's game is the fold of the history up to its event number. If that part is not
    /// known yet, the view is checked after the files have been read.
    ///
    /// # Panics
    ///
    /// If they differ.
    pub fn check_view(&self, room: RoomId, view: &Game) {
        self.rooms()
            .entry(room)
            .or_default()
            .record_view(room, view);
    }

    /// Checks the stored rooms after the end of a server: every received event exists once, and no other
    /// event does.
    ///
    /// A checkpoint may replace the last events before a kill, although no client received them: the server stores
    /// events and checkpoint before it sends the events. The history then restarts at the checkpoint.
    ///
    /// # Panics
    ///
    /// On a violation.
    pub fn check(&self, stored: &[(RoomSecrets, StoredRoom)]) {
        self.check_after_faults(stored, 1);
    }

    /// Checks the stored rooms like [`Observations::check`], but after several faults without a check between them.
    ///
    /// # Panics
    ///
    /// On a violation.
    pub fn check_after_faults(&self, stored: &[(RoomSecrets, StoredRoom)], faults: u64) {
        let mut rooms = self.rooms();
        let found: HashMap<RoomId, &StoredRoom> = stored
            .iter()
            .map(|(secrets, stored)| (secrets.room, stored))
            .collect();
        for room in rooms.keys() {
            assert!(found.contains_key(room), "room {room} is lost");
        }
        for (room, stored) in found {
            let history = rooms.entry(room).or_default();
            history.check(
                room,
                stored,
                history.last_sent_seq,
                faults * MAX_UNSENT_EVENTS,
            );
            history.check_remaining_views(room);
        }
    }

    /// Checks the rooms in a data directory that no server uses.
    ///
    /// # Panics
    ///
    /// On a violation.
    pub async fn check_files(&self, data: &Path) {
        self.check(&read_rooms(data).await);
    }

    /// Checks a backup taken from a running server: it contains every event received before, according to
    /// [`Observations::last_sent_seqs`], and each room is in a state that it went through. Returns the last
    /// event number of each room.
    ///
    /// # Panics
    ///
    /// On a violation.
    pub async fn check_backup(
        &self,
        data: &Path,
        last_sent_seqs: &HashMap<RoomId, Seq>,
    ) -> HashMap<RoomId, Seq> {
        let stored = read_rooms(data).await;
        let mut rooms = self.rooms();
        let mut last = HashMap::new();
        for (secrets, stored) in &stored {
            let (room, history) = (secrets.room, rooms.entry(secrets.room).or_default());
            let last_sent = last_sent_seqs.get(&room).copied().unwrap_or_default();
            history.check(room, stored, last_sent, MAX_UNSENT_EVENTS);
            last.insert(room, stored.last_seq());
        }
        for room in last_sent_seqs.keys() {
            assert!(
                last.contains_key(room),
                "room {room} is missing in the backup"
            );
        }
        last
    }

    /// Returns the last event number that a client received, for each room.
    pub fn last_sent_seqs(&self) -> HashMap<RoomId, Seq> {
        self.rooms()
            .iter()
            .map(|(room, history)| (*room, history.last_sent_seq))
            .collect()
    }

    /// Returns the known events of a room in order.
    pub fn events(&self, room: RoomId) -> Vec<EventRecord> {
        self.rooms()[&room].events().cloned().collect()
    }

    /// Returns the counters as text.
    pub fn summary(&self) -> String {
        let rooms = self.rooms();
        let events: usize = rooms.values().map(ObservedRoomHistory::len).sum();
        let longest = rooms
            .values()
            .map(ObservedRoomHistory::len)
            .max()
            .unwrap_or(0);
        let trusted_checkpoints: usize = rooms
            .values()
            .map(ObservedRoomHistory::trusted_checkpoint_count)
            .sum();
        format!(
            "{} rooms, {events} events (at most {longest} in a room), received {} times; {trusted_checkpoints} checkpoints \
             replaced unsent events; {} seats taken or resumed; {} requests repeated, {} of them already executed",
            rooms.len(),
            self.event_count(),
            self.seated_count(),
            self.resent_count.load(Ordering::Relaxed),
            self.already_done_count.load(Ordering::Relaxed),
        )
    }
}

/// Reads the open rooms of an unused data directory from a copy, so that the next server finds the files
/// unchanged.
async fn read_rooms(data: &Path) -> Vec<(RoomSecrets, StoredRoom)> {
    let copy = TempDir::default();
    for file in std::fs::read_dir(data).expect("the data directory") {
        let file = file.expect("a file");
        // A killed server leaves the socket of its operator behind.
        if !file.file_type().is_ok_and(|kind| kind.is_file()) {
            continue;
        }
        std::fs::copy(file.path(), copy.path().join(file.file_name())).expect("a copy");
    }
    let options = SqliteOptions::new(Durability::Power, ServerClock::start());
    let log = SqliteLog::open(copy.path(), options)
        .unwrap_or_else(|error| panic!("cannot read the files: {error}"));
    let stored = log.recover().await.expect("the histories");
    tokio::task::spawn_blocking(|| drop(log))
        .await
        .expect("the log can be closed");
    stored
}
