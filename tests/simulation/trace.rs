//! Trace of a run, line by line, and the first violation.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use noughts_protocol::RoomId;
use noughts_tests::lock::lock;

/// Trace of one run. It is equal, byte for byte, for equal seeds.
#[derive(Debug, Default)]
pub(crate) struct Trace(Mutex<TraceData>);

#[derive(Debug, Default)]
struct TraceData {
    now: Duration,
    text: String,
    violation: Option<String>,
    counts: BTreeMap<&'static str, u64>,
    /// Time when each client last received anything.
    last_received: BTreeMap<String, Duration>,
    /// Rooms that clients have entered and not left, as the clients know it.
    entered: BTreeSet<(String, RoomId)>,
    left: BTreeSet<(String, RoomId)>,
}

impl Trace {
    fn lock(&self) -> MutexGuard<'_, TraceData> {
        lock(&self.0)
    }

    /// Sets the time of the following lines.
    pub(crate) fn set_time(&self, now: Duration) {
        self.lock().now = now;
    }

    pub(crate) fn now(&self) -> Duration {
        self.lock().now
    }

    /// Adds a line.
    pub(crate) fn record(&self, actor: &str, what: fmt::Arguments<'_>) {
        let mut data = self.lock();
        let now = data.now.as_millis();
        writeln!(data.text, "{now:>6} {actor}: {what}").expect("writing to a string cannot fail");
    }

    /// Records a violation. Only the first counts: others may follow from it.
    pub(crate) fn record_violation(&self, actor: &str, what: fmt::Arguments<'_>) {
        self.record(actor, format_args!("VIOLATION: {what}"));
        let mut data = self.lock();
        let now = data.now;
        data.violation
            .get_or_insert_with(|| format!("{actor} at {now:?}: {what}"));
    }

    pub(crate) fn first_violation(&self) -> Option<String> {
        self.lock().violation.clone()
    }

    /// Counts an event that runs must contain to be meaningful.
    pub(crate) fn count(&self, what: &'static str) {
        *self.lock().counts.entry(what).or_default() += 1;
    }

    pub(crate) fn counts(&self) -> BTreeMap<&'static str, u64> {
        self.lock().counts.clone()
    }

    /// Records that a client received something.
    pub(crate) fn record_receive(&self, actor: &str) {
        let mut data = self.lock();
        let now = data.now;
        data.last_received.insert(actor.to_owned(), now);
    }

    /// Returns the time since a client last received anything.
    pub(crate) fn silence(&self, actor: &str) -> Duration {
        let data = self.lock();
        data.now - data.last_received.get(actor).copied().unwrap_or_default()
    }

    pub(crate) fn record_entry(&self, actor: &str, room: RoomId) {
        self.lock().entered.insert((actor.to_owned(), room));
    }

    pub(crate) fn record_departure(&self, actor: &str, room: RoomId) {
        self.lock().left.insert((actor.to_owned(), room));
    }

    /// Records that a client leaves all rooms.
    pub(crate) fn record_departure_from_all(&self, actor: &str) {
        let mut data = self.lock();
        let rooms: Vec<_> = data
            .entered
            .iter()
            .filter(|(name, _)| name == actor)
            .cloned()
            .collect();
        data.left.extend(rooms);
    }

    /// Returns whether a client knows that it plays in a room, and has not left it.
    pub(crate) fn is_staying(&self, actor: &str, room: RoomId) -> bool {
        let data = self.lock();
        let key = (actor.to_owned(), room);
        data.entered.contains(&key) && !data.left.contains(&key)
    }

    pub(crate) fn text(&self) -> String {
        self.lock().text.clone()
    }
}
