//! What everybody in a run shares: the plan, the disk, the notes, the telephone.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use noughts_protocol::{Code, RoomId, Seq};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::disk::Disk;
use crate::notes::Notes;
use crate::plan::{Place, Plan};

/// The world of one run.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) plan: Plan,
    pub(crate) disk: Arc<Disk>,
    pub(crate) notes: Arc<Notes>,
    /// Told to the server that is to stop.
    pub(crate) stop: Notify,
    /// Told to the bot at the end.
    pub(crate) bot_stop: CancellationToken,
    /// How often a program of each kind was started, so that each takes a course of its own.
    starts: AtomicUsize,
    finishing: AtomicBool,
    shared: Mutex<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    lines: Vec<LineNotes>,
    /// What the host of the private room tells the guest.
    phone: Option<Code>,
    /// Who has done all that was to be done.
    done: BTreeSet<&'static str>,
}

/// What came over one connection.
#[derive(Debug)]
pub(crate) struct LineNotes {
    pub(crate) who: &'static str,
    pub(crate) place: Place,
    /// Every text.
    pub(crate) text: String,
    /// When it last brought anything.
    pub(crate) heard: Duration,
    pub(crate) welcomed: bool,
    /// The server has said that it restarts, and then with which code it closed.
    pub(crate) restarting: bool,
    pub(crate) closed: Option<u16>,
    /// The line has ended: by the server or the network, or by the client itself.
    pub(crate) ended: bool,
    pub(crate) dropped: bool,
    /// The stays in rooms, each from the view that it began with to the last event.
    pub(crate) stays: Vec<Stay>,
}

/// A connection's time in a room.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stay {
    pub(crate) room: RoomId,
    pub(crate) from: Option<Seq>,
    pub(crate) to: Option<Seq>,
}

impl World {
    pub(crate) fn new(plan: Plan) -> Arc<World> {
        let notes = Arc::new(Notes::default());
        Arc::new(World {
            disk: Disk::new(&plan, Arc::clone(&notes)),
            notes,
            stop: Notify::new(),
            bot_stop: CancellationToken::new(),
            starts: AtomicUsize::new(0),
            finishing: AtomicBool::new(false),
            shared: Mutex::default(),
            plan,
        })
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn note(&self, who: &str, what: fmt::Arguments<'_>) {
        self.notes.note(who, what);
    }

    pub(crate) fn breach(&self, who: &str, what: fmt::Arguments<'_>) {
        self.notes.breach(who, what);
    }

    /// A seed that no program has had in this run.
    pub(crate) fn fresh_seed(&self) -> u64 {
        let starts = self.starts.fetch_add(1, Ordering::Relaxed) as u64;
        self.plan.seed.wrapping_mul(1_000_003).wrapping_add(starts)
    }

    /// Everybody is to come to an end.
    pub(crate) fn finish(&self) {
        self.finishing.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_finishing(&self) -> bool {
        self.finishing.load(Ordering::Relaxed)
    }

    /// The host of the private room has a new code, or none any more.
    pub(crate) fn phone(&self, code: Option<Code>) {
        self.shared().phone = code;
    }

    pub(crate) fn phoned(&self) -> Option<Code> {
        self.shared().phone
    }

    pub(crate) fn done(&self, who: &'static str) {
        self.note(who, format_args!("done"));
        self.shared().done.insert(who);
    }

    pub(crate) fn who_is_done(&self) -> BTreeSet<&'static str> {
        self.shared().done.clone()
    }

    /// Begins the notes of a connection, and gives their number.
    pub(crate) fn new_line(&self, who: &'static str, place: Place) -> usize {
        let mut shared = self.shared();
        shared.lines.push(LineNotes {
            who,
            place,
            text: String::new(),
            heard: self.notes.now(),
            welcomed: false,
            restarting: false,
            closed: None,
            ended: false,
            dropped: false,
            stays: Vec::new(),
        });
        shared.lines.len() - 1
    }

    pub(crate) fn line<T>(&self, number: usize, change: impl FnOnce(&mut LineNotes) -> T) -> T {
        change(&mut self.shared().lines[number])
    }

    pub(crate) fn lines<T>(&self, look: impl FnOnce(&[LineNotes]) -> T) -> T {
        look(&self.shared().lines)
    }
}
