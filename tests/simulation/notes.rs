//! What happened in a run, line by line, and the first thing that must not have happened.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use noughts_protocol::RoomId;

/// The notes of one run. The same seed makes the same notes, byte for byte.
#[derive(Debug, Default)]
pub(crate) struct Notes(Mutex<Pages>);

#[derive(Debug, Default)]
struct Pages {
    now: Duration,
    trace: String,
    breach: Option<String>,
    counts: BTreeMap<&'static str, u64>,
    /// When each party last heard anything from the server.
    heard: BTreeMap<String, Duration>,
    /// Who was told that it is in which room, and who went from there on purpose.
    entered: BTreeSet<(String, RoomId)>,
    left: BTreeSet<(String, RoomId)>,
}

impl Notes {
    fn pages(&self) -> MutexGuard<'_, Pages> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The time of what comes next, from the start of the run.
    pub(crate) fn at(&self, now: Duration) {
        self.pages().now = now;
    }

    pub(crate) fn now(&self) -> Duration {
        self.pages().now
    }

    /// Notes what somebody did or heard.
    pub(crate) fn note(&self, who: &str, what: fmt::Arguments<'_>) {
        let mut pages = self.pages();
        let now = pages.now.as_millis();
        writeln!(pages.trace, "{now:>6} {who}: {what}").expect("a string takes all that is written to it");
    }

    /// Notes what must not be. The first counts: what follows may follow from it.
    pub(crate) fn breach(&self, who: &str, what: fmt::Arguments<'_>) {
        self.note(who, format_args!("BREACH: {what}"));
        let mut pages = self.pages();
        let now = pages.now;
        pages.breach.get_or_insert_with(|| format!("{who} at {now:?}: {what}"));
    }

    pub(crate) fn first_breach(&self) -> Option<String> {
        self.pages().breach.clone()
    }

    /// Counts what is to happen often enough for the runs to prove something.
    pub(crate) fn count(&self, what: &'static str) {
        *self.pages().counts.entry(what).or_default() += 1;
    }

    pub(crate) fn counts(&self) -> BTreeMap<&'static str, u64> {
        self.pages().counts.clone()
    }

    /// Notes a sign of life from the server.
    pub(crate) fn heard(&self, who: &str) {
        let mut pages = self.pages();
        let now = pages.now;
        pages.heard.insert(who.to_owned(), now);
    }

    /// For how long this party has heard nothing.
    pub(crate) fn silence(&self, who: &str) -> Duration {
        let pages = self.pages();
        pages.now - pages.heard.get(who).copied().unwrap_or_default()
    }

    pub(crate) fn entered(&self, who: &str, room: RoomId) {
        self.pages().entered.insert((who.to_owned(), room));
    }

    pub(crate) fn leaves(&self, who: &str, room: RoomId) {
        self.pages().left.insert((who.to_owned(), room));
    }

    /// This party goes from wherever it is.
    pub(crate) fn leaves_all(&self, who: &str) {
        let mut pages = self.pages();
        let rooms: Vec<_> = pages.entered.iter().filter(|(name, _)| name == who).cloned().collect();
        pages.left.extend(rooms);
    }

    /// Whether this party knows that it plays in this room, and has not gone on purpose.
    pub(crate) fn stays(&self, who: &str, room: RoomId) -> bool {
        let pages = self.pages();
        let key = (who.to_owned(), room);
        pages.entered.contains(&key) && !pages.left.contains(&key)
    }

    pub(crate) fn trace(&self) -> String {
        self.pages().trace.clone()
    }
}
