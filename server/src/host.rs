//! What every connection and the lobby share: the parts of one running server.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::config::Limits;
use crate::dice::Dice;
use crate::lobby::task::LobbyHandle;
use crate::log::EventLog;
use crate::metrics::Metrics;
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
    /// The lots.
    pub dice: Dice,
    /// Where events become durable.
    pub log: Arc<dyn EventLog>,
    /// What is counted.
    pub metrics: Arc<Metrics>,
    /// The open rooms.
    pub registry: Arc<Registry>,
    /// The way to the lobby.
    pub lobby: LobbyHandle,
    /// The tasks of rooms and lobby.
    pub actors: TaskTracker,
    /// Cancelled when nothing new begins and connections end.
    pub draining: CancellationToken,
    /// Cancelled after that, when rooms and lobby end.
    pub stopping: CancellationToken,
    seeks: AtomicUsize,
    members: AtomicU64,
}

impl Host {
    /// The parts of a server that is about to run.
    pub fn new(limits: Limits, log: Arc<dyn EventLog>, dice: Dice, time: Time, lobby: LobbyHandle) -> Host {
        Host(Arc::new(Parts {
            time,
            dice,
            log,
            metrics: Arc::default(),
            registry: Arc::new(Registry::new(limits.max_rooms)),
            lobby,
            actors: TaskTracker::new(),
            draining: CancellationToken::new(),
            stopping: CancellationToken::new(),
            seeks: AtomicUsize::new(0),
            members: AtomicU64::new(0),
            limits,
        }))
    }

    /// A name for a new connection.
    pub fn next_member(&self) -> MemberId {
        MemberId(self.members.fetch_add(1, Ordering::Relaxed))
    }

    /// Notes how many wait in the lobby.
    pub fn note_seeks(&self, seeks: usize) {
        self.seeks.store(seeks, Ordering::Relaxed);
    }

    /// How many waited in the lobby when it last said so.
    pub fn seeks(&self) -> usize {
        self.seeks.load(Ordering::Relaxed)
    }

    /// Whether new games can begin.
    pub fn ready(&self) -> bool {
        !self.draining.is_cancelled() && self.log.healthy()
    }

    /// What a room's task works with.
    pub fn surroundings(&self) -> Surroundings {
        Surroundings {
            time: self.time.clone(),
            log: Arc::clone(&self.log),
            metrics: Arc::clone(&self.metrics),
            registry: Arc::clone(&self.registry),
            draining: self.draining.clone(),
            patience: Patience::new(&self.limits),
            append: self.limits.append,
            tail: self.limits.tail,
            max_watching: self.limits.max_watching,
        }
    }
}

impl Deref for Host {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}
