//! What happened in a run, line by line, and the first thing that must not have happened.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use noughts_protocol::RoomId;

/// The notes of one run. The same seed makes the same notes, byte for byte.
#[derive(Debug, Default)]
pub(crate) struct Trace(Mutex<TraceData>);

#[derive(Debug, Default)]
struct TraceData {
    now: Duration,
    text: String,
    violation: Option<String>,
    counts: BTreeMap<&'static str, u64>,
    /// When each party last heard anything from the server.
    last_received: BTreeMap<String, Duration>,
    /// Who was told that it is in which room, and who went from there on purpose.
    entered: BTreeSet<(String, RoomId)>,
    left: BTreeSet<(String, RoomId)>,
}

impl Trace {
    fn lock(&self) -> MutexGuard<'_, TraceData> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The time of what comes next, from the start of the run.
    pub(crate) fn set_time(&self, now: Duration) {
        self.lock().now = now;
    }

    pub(crate) fn now(&self) -> Duration {
        self.lock().now
    }

    /// Notes what somebody did or heard.
    pub(crate) fn record(&self, actor: &str, what: fmt::Arguments<'_>) {
        let mut data = self.lock();
        let now = data.now.as_millis();
        writeln!(data.text, "{now:>6} {actor}: {what}").expect("a string takes all that is written to it");
    }

    /// Notes what must not be. The first counts: what follows may follow from it.
    pub(crate) fn record_violation(&self, actor: &str, what: fmt::Arguments<'_>) {
        self.record(actor, format_args!("BREACH: {what}"));
        let mut data = self.lock();
        let now = data.now;
        data.violation.get_or_insert_with(|| format!("{actor} at {now:?}: {what}"));
    }

    pub(crate) fn first_violation(&self) -> Option<String> {
        self.lock().violation.clone()
    }

    /// Counts what is to happen often enough for the runs to prove something.
    pub(crate) fn count(&self, what: &'static str) {
        *self.lock().counts.entry(what).or_default() += 1;
    }

    pub(crate) fn counts(&self) -> BTreeMap<&'static str, u64> {
        self.lock().counts.clone()
    }

    /// Notes a sign of life from the server.
    pub(crate) fn record_receive(&self, actor: &str) {
        let mut data = self.lock();
        let now = data.now;
        data.last_received.insert(actor.to_owned(), now);
    }

    /// For how long this party has heard nothing.
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

    /// This party goes from wherever it is.
    pub(crate) fn record_departure_from_all(&self, actor: &str) {
        let mut data = self.lock();
        let rooms: Vec<_> = data.entered.iter().filter(|(name, _)| name == actor).cloned().collect();
        data.left.extend(rooms);
    }

    /// Whether this party knows that it plays in this room, and has not gone on purpose.
    pub(crate) fn is_staying(&self, actor: &str, room: RoomId) -> bool {
        let data = self.lock();
        let key = (actor.to_owned(), room);
        data.entered.contains(&key) && !data.left.contains(&key)
    }

    pub(crate) fn text(&self) -> String {
        self.lock().text.clone()
    }
}
