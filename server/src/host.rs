//! What every connection and the lobby share: the parts of one running server.

use std::ops::Deref;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use noughts_protocol::wire::MAX_REQUEST_BYTES;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::config::Limits;
use crate::dice::Dice;
use crate::guesses::Guesses;
use crate::lobby::task::LobbyHandle;
use crate::log::EventLog;
use crate::metrics::Metrics;
use crate::places::Places;
use crate::pulse::Pulse;
use crate::registry::Registry;
use crate::room::Patience;
use crate::room::audience::MemberId;
use crate::room::task::Surroundings;
use crate::time::Time;

/// A cheap handle to the shared parts.
#[derive(Clone, Debug)]
pub struct Host(Arc<Parts>);

/// The shared parts.
#[derive(Debug)]
pub struct Parts {
    /// The operator's limits.
    pub limits: Limits,
    /// The time.
    pub time: Time,
    /// Tells the next run which time counted.
    pub pulse: Arc<Pulse>,
    /// The lots.
    pub dice: Dice,
    /// Where events become durable.
    pub log: Arc<dyn EventLog>,
    /// What is counted.
    pub metrics: Arc<Metrics>,
    /// The open rooms.
    pub registry: Arc<Registry>,
    /// Who has opened how many rooms, or waits for one.
    pub rooms: Arc<Places>,
    /// The way to the lobby.
    pub lobby: LobbyHandle,
    /// The tasks of rooms and lobby.
    pub actors: TaskTracker,
    /// Cancelled when nothing new begins and connections end.
    pub draining: CancellationToken,
    /// Cancelled after that, when rooms and lobby end.
    pub stopping: CancellationToken,
    /// What of all this the rooms work with.
    pub around: Arc<Surroundings>,
    guesses: Mutex<Guesses>,
    seeks: AtomicUsize,
    /// The length of the last list.
    listing: AtomicUsize,
    members: AtomicU64,
}

impl Host {
    /// The parts of a server that is about to run.
    pub fn new(limits: Limits, log: Arc<dyn EventLog>, dice: Dice, time: Time, lobby: LobbyHandle) -> Host {
        let around = Arc::new(Surroundings {
            pulse: Pulse::new(log.lived(), time.clone()),
            time,
            log,
            metrics: Arc::default(),
            registry: Arc::new(Registry::new(limits.max_rooms)),
            draining: CancellationToken::new(),
            patience: Arc::new(Patience::new(&limits)),
            append: limits.append,
            tail: limits.tail,
            max_watching: limits.max_watching,
            takeovers: limits.takeovers,
        });
        Host(Arc::new(Parts {
            time: around.time.clone(),
            pulse: Arc::clone(&around.pulse),
            dice,
            log: Arc::clone(&around.log),
            metrics: Arc::clone(&around.metrics),
            registry: Arc::clone(&around.registry),
            rooms: Places::new(usize::MAX, limits.rooms_per_address()),
            guesses: Mutex::new(Guesses::new(limits.guesses)),
            lobby,
            actors: TaskTracker::new(),
            draining: around.draining.clone(),
            stopping: CancellationToken::new(),
            around,
            seeks: AtomicUsize::new(0),
            listing: AtomicUsize::new(0),
            members: AtomicU64::new(0),
            limits,
        }))
    }

    /// A name for a new connection.
    pub fn next_member(&self) -> MemberId {
        MemberId(self.members.fetch_add(1, Ordering::Relaxed))
    }

    /// Who has shown wrong keys. Nothing panics while the lock is held.
    pub fn guesses(&self) -> MutexGuard<'_, Guesses> {
        self.guesses.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes how many wait in the lobby.
    pub fn note_seeks(&self, seeks: usize) {
        self.seeks.store(seeks, Ordering::Relaxed);
    }

    /// Notes how long the list of rooms and seeks is.
    pub fn note_listing(&self, bytes: usize) {
        self.listing.store(bytes, Ordering::Relaxed);
    }

    /// What a list costs who asks for it, in messages: as many of the largest that it may send have as many
    /// bytes as the last answer.
    pub fn listing_price(&self) -> u32 {
        let messages = self.listing.load(Ordering::Relaxed).div_ceil(MAX_REQUEST_BYTES);
        u32::try_from(messages).unwrap_or(u32::MAX).max(1)
    }

    /// How many waited in the lobby when it last said so.
    pub fn seeks(&self) -> usize {
        self.seeks.load(Ordering::Relaxed)
    }

    /// Whether new games can begin.
    pub fn ready(&self) -> bool {
        !self.draining.is_cancelled() && self.log.healthy()
    }
}

impl Deref for Host {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}
