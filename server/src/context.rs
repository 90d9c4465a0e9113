//! What every connection and the lobby share: the parts of one running server.

use std::ops::Deref;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use noughts_protocol::wire::MAX_REQUEST_BYTES;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::config::ServerLimits;
use crate::limits::guess_limiter::GuessLimiter;
use crate::limits::quota::Quota;
use crate::lobby::task::LobbyHandle;
use crate::metrics::Metrics;
use crate::registry::Registry;
use crate::rng::ServerRng;
use crate::room::RoomTimeouts;
use crate::room::context::RoomContext;
use crate::room::members::MemberId;
use crate::store::EventLog;
use crate::time::heartbeat::Heartbeat;
use crate::time::server_clock::ServerClock;

/// A cheap handle to the shared parts.
#[derive(Clone, Debug)]
pub struct ServerContext(Arc<ContextInner>);

/// The shared parts.
#[derive(Debug)]
pub struct ContextInner {
    /// The operator's limits.
    pub limits: ServerLimits,
    /// The time.
    pub time: ServerClock,
    /// Tells the next run which time counted.
    pub heartbeat: Arc<Heartbeat>,
    /// The lots.
    pub rng: ServerRng,
    /// Where events become durable.
    pub log: Arc<dyn EventLog>,
    /// What is counted.
    pub metrics: Arc<Metrics>,
    /// The open rooms.
    pub registry: Arc<Registry>,
    /// Who has opened how many rooms, or waits for one.
    pub room_quota: Arc<Quota>,
    /// The way to the lobby.
    pub lobby: LobbyHandle,
    /// The tasks of rooms and lobby.
    pub actors: TaskTracker,
    /// Cancelled when nothing new begins and connections end.
    pub draining: CancellationToken,
    /// Cancelled after that, when rooms and lobby end.
    pub stopping: CancellationToken,
    /// What of all this the rooms work with.
    pub room_ctx: Arc<RoomContext>,
    guess_limiter: Mutex<GuessLimiter>,
    seek_count: AtomicUsize,
    /// The length of the last list.
    room_list_bytes: AtomicUsize,
    next_member_id: AtomicU64,
}

impl ServerContext {
    /// The parts of a server that is about to run.
    pub fn new(
        limits: ServerLimits,
        log: Arc<dyn EventLog>,
        rng: ServerRng,
        time: ServerClock,
        lobby: LobbyHandle,
    ) -> ServerContext {
        let room_ctx = Arc::new(RoomContext {
            heartbeat: Heartbeat::new(log.uptime(), time.clone()),
            time,
            event_log: log,
            metrics: Arc::default(),
            registry: Arc::new(Registry::new(limits.max_rooms)),
            draining: CancellationToken::new(),
            timeouts: Arc::new(RoomTimeouts::new(&limits)),
            append_timeout: limits.append,
            tail_capacity: limits.tail,
            max_spectators: limits.max_watching,
            takeover_burst: limits.takeovers,
        });
        ServerContext(Arc::new(ContextInner {
            time: room_ctx.time.clone(),
            heartbeat: Arc::clone(&room_ctx.heartbeat),
            rng,
            log: Arc::clone(&room_ctx.event_log),
            metrics: Arc::clone(&room_ctx.metrics),
            registry: Arc::clone(&room_ctx.registry),
            room_quota: Quota::new(usize::MAX, limits.rooms_per_address()),
            guess_limiter: Mutex::new(GuessLimiter::new(limits.guesses)),
            lobby,
            actors: TaskTracker::new(),
            draining: room_ctx.draining.clone(),
            stopping: CancellationToken::new(),
            room_ctx,
            seek_count: AtomicUsize::new(0),
            room_list_bytes: AtomicUsize::new(0),
            next_member_id: AtomicU64::new(0),
            limits,
        }))
    }

    /// A name for a new connection.
    pub fn next_member_id(&self) -> MemberId {
        MemberId(self.next_member_id.fetch_add(1, Ordering::Relaxed))
    }

    /// Who has shown wrong keys. Nothing panics while the lock is held.
    pub fn guess_limiter(&self) -> MutexGuard<'_, GuessLimiter> {
        self.guess_limiter.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes how many wait in the lobby.
    pub fn set_seek_count(&self, seek_count: usize) {
        self.seek_count.store(seek_count, Ordering::Relaxed);
    }

    /// Notes how long the list of rooms and seeks is.
    pub fn set_room_list_size(&self, bytes: usize) {
        self.room_list_bytes.store(bytes, Ordering::Relaxed);
    }

    /// What a list costs who asks for it, in messages: as many of the largest that it may send have as many
    /// bytes as the last answer.
    pub fn room_list_cost(&self) -> u32 {
        let messages = self.room_list_bytes.load(Ordering::Relaxed).div_ceil(MAX_REQUEST_BYTES);
        u32::try_from(messages).unwrap_or(u32::MAX).max(1)
    }

    /// How many waited in the lobby when it last said so.
    pub fn seek_count(&self) -> usize {
        self.seek_count.load(Ordering::Relaxed)
    }

    /// Whether new games can begin.
    pub fn is_ready(&self) -> bool {
        !self.draining.is_cancelled() && self.log.is_healthy()
    }
}

impl Deref for ServerContext {
    type Target = ContextInner;

    fn deref(&self) -> &ContextInner {
        &self.0
    }
}
