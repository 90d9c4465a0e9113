//! Shared state of one server: everything that its tasks have in common.

use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use noughts_protocol::RoomRef;
use noughts_protocol::wire::RejectCode;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::{debug, warn};

use crate::config::ServerLimits;
use crate::limits::client_prefix::ClientPrefix;
use crate::limits::meters::{ArchiveBudget, ByteBudgets, NetworkRate};
use crate::limits::refusal_log::{Refusal, RefusalLog};
use crate::limits::slots::{Quota, QuotaError};
use crate::lobby::handle::{FeedHandle, LobbyHandle, LobbyPlacement};
use crate::operator::bans::BanList;
use crate::operator::clients::ConnectedClients;
use crate::room::handle::{ConnectionId, RoomHandle};
use crate::room::registry::{Registry, RoomHold, RoomPlacement};
use crate::room::task::{RoomContext, confirm_in_log};
use crate::runtime::clock::{RestartSchedule, ServerClock};
use crate::runtime::metrics::Population;
use crate::runtime::rng::ServerRng;
use crate::runtime::sync::lock;
use crate::store::EventLog;

/// Whether new games can begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Readiness {
    Ready,
    /// The server is stopping.
    Draining,
    /// The operator drains the server.
    Drained,
    /// Events cannot be stored.
    StoreFailing,
}

/// A room that was not found on the server which has its shard.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AbsentRoom {
    key: RoomRef,
    /// Number of the server's claim to the shard. `None` on a single server.
    claim: Option<u64>,
}

/// What follows the end of the server.
#[derive(Debug)]
pub(crate) enum ServerEnd {
    /// Clients return to the next server.
    Restart(RestartSchedule),
    /// No server follows.
    Final,
}

/// Cheap handle to the shared state, for connections and the lobby.
#[derive(Clone, Debug)]
pub(crate) struct ServerContext(Arc<ContextInner>);

/// The shared state behind a [`ServerContext`].
#[derive(Debug)]
pub(crate) struct ContextInner {
    pub limits: Arc<ServerLimits>,
    /// Secret-grade random number generator.
    pub rng: Arc<ServerRng>,
    /// The part that rooms use as well.
    pub shared: Arc<RoomContext>,
    /// Rooms and open seeks per client.
    pub room_quota: Arc<Quota>,
    pub lobby: LobbyHandle,
    /// Sends the lobby to its subscribers.
    pub feed: FeedHandle,
    /// Budgets of the clients for changes of the lobby.
    pub lobby_budgets: ByteBudgets,
    /// Bytes of long responses to all connections of a client.
    pub reply_budgets: ByteBudgets,
    /// Tasks of rooms and lobby.
    pub actors: TaskTracker,
    /// Cancelled after the connections have ended, to end rooms and lobby.
    pub stopping: CancellationToken,
    /// Whether the server will stop soon. It still serves.
    is_stop_announced: AtomicBool,
    /// Set when the server begins to drain.
    end: OnceLock<ServerEnd>,
    /// Placement of the rooms among servers. Empty on a single server.
    placement: OnceLock<Arc<dyn RoomPlacement>>,
    /// Place of the lobby in a cluster. Empty on a single server.
    lobby_placement: OnceLock<Arc<dyn LobbyPlacement>>,
    /// Who may not connect.
    pub bans: BanList,
    /// The clients that the operator reaches.
    pub clients: ConnectedClients,
    bad_key_rate: Mutex<NetworkRate>,
    refusal_log: Mutex<RefusalLog>,
    seek_count: AtomicUsize,
    /// Length of the last room list.
    room_list_bytes: AtomicUsize,
    next_connection_id: AtomicU64,
}

impl ServerContext {
    /// Creates the shared state of a server that is about to run.
    pub(crate) fn new(
        limits: Arc<ServerLimits>,
        log: Arc<dyn EventLog>,
        rng: ServerRng,
        time: ServerClock,
        lobby: LobbyHandle,
        feed: FeedHandle,
    ) -> ServerContext {
        let rng = Arc::new(rng);
        let shared = Arc::new(RoomContext {
            time,
            event_log: log,
            archive_budget: Mutex::new(ArchiveBudget::new(limits.max_kept_games_per_hour)),
            spectator_budgets: ByteBudgets::new(limits.spectator_byte_rate().into()),
            metrics: Arc::default(),
            population: Population::default(),
            rng: Arc::clone(&rng),
            registry: Arc::new(Registry::new(limits.max_rooms)),
            draining: CancellationToken::new(),
            is_drained: AtomicBool::new(false),
            limits: Arc::clone(&limits),
        });
        let bad_keys = limits.max_bad_keys_per_minute;
        ServerContext(Arc::new(ContextInner {
            rng,
            shared,
            room_quota: Quota::new(usize::MAX, limits.rooms_per_address()),
            lobby,
            feed,
            lobby_budgets: ByteBudgets::new(limits.lobby_byte_rate().into()),
            reply_budgets: ByteBudgets::new(limits.reply_byte_rate()),
            actors: TaskTracker::new(),
            stopping: CancellationToken::new(),
            is_stop_announced: AtomicBool::new(false),
            end: OnceLock::new(),
            placement: OnceLock::new(),
            lobby_placement: OnceLock::new(),
            bans: BanList::default(),
            clients: ConnectedClients::default(),
            bad_key_rate: Mutex::new(NetworkRate::new(bad_keys, bad_keys)),
            refusal_log: Mutex::default(),
            seek_count: AtomicUsize::new(0),
            room_list_bytes: AtomicUsize::new(0),
            next_connection_id: AtomicU64::new(0),
            limits,
        }))
    }

    /// Returns the id of a new connection.
    pub(crate) fn next_connection_id(&self) -> ConnectionId {
        ConnectionId(self.next_connection_id.fetch_add(1, Ordering::Relaxed))
    }

    /// Returns the placement of the rooms among servers. `None` on a single server, which has all rooms.
    pub(crate) fn placement(&self) -> Option<&Arc<dyn RoomPlacement>> {
        self.placement.get()
    }

    /// Makes this server a node of a cluster. Called before it serves.
    #[cfg(feature = "cluster")]
    pub(crate) fn set_placement(&self, placement: Arc<dyn RoomPlacement>) {
        if self.placement.set(placement).is_err() {
            debug!("placement of rooms among servers was already set; ignored");
        }
    }

    /// Returns the place of the lobby in a cluster. `None` on a single server.
    pub(crate) fn lobby_placement(&self) -> Option<&Arc<dyn LobbyPlacement>> {
        self.lobby_placement.get()
    }

    /// Sets the place of the lobby in a cluster. Called before the server serves.
    #[cfg(feature = "cluster")]
    pub(crate) fn set_lobby_placement(&self, placement: Arc<dyn LobbyPlacement>) {
        if self.lobby_placement.set(placement).is_err() {
            debug!("place of the lobby was already set; ignored");
        }
    }

    /// Looks up a room in a shard that this server has.
    ///
    /// # Errors
    /// `unavailable` if the server does not have the shard. While a shard moves, a room that exists may briefly not be
    /// found. Its absence is certain only if the same claim is valid during the whole look-up.
    pub(crate) fn find_here(
        &self,
        key: RoomRef,
        find: impl Fn(&Registry) -> Option<RoomHandle>,
    ) -> Result<Result<RoomHandle, AbsentRoom>, RejectCode> {
        let claim = self.claim(key)?;
        let found = find(&self.shared.registry);
        let absent = AbsentRoom { key, claim };
        if found.is_none() {
            self.check_claim(absent)?;
        }
        Ok(found.ok_or(absent))
    }

    /// Waits until it is certain that a room that is absent here is not on another server either.
    ///
    /// # Errors
    /// `unavailable` if another server may have it.
    pub(crate) async fn confirm_absence(&self, absent: AbsentRoom) -> Result<(), RejectCode> {
        confirm_in_log(&self.shared, absent.key).await?;
        // The log has confirmed the current claim, but another server may have had the shard between the look-up and
        // this claim.
        self.check_claim(absent)?;
        // The code of a private room is a secret.
        let room = match absent.key {
            RoomRef::Id(room) => Some(room),
            RoomRef::Code(_) => None,
        };
        debug!(?room, claim = absent.claim, "absence of a room confirmed");
        Ok(())
    }

    fn check_claim(&self, absent: AbsentRoom) -> Result<(), RejectCode> {
        if self.claim(absent.key)? == absent.claim {
            Ok(())
        } else {
            Err(RejectCode::Unavailable)
        }
    }

    /// Returns the number of this server's claim to the shard of a room. `None` on a single server.
    ///
    /// # Errors
    /// `unavailable` if the server does not have the shard.
    fn claim(&self, key: RoomRef) -> Result<Option<u64>, RejectCode> {
        let claim = |placement: &Arc<dyn RoomPlacement>| placement.claim(key);
        let claim = self.placement().map(claim);
        claim
            .map(|claim| claim.ok_or(RejectCode::Unavailable))
            .transpose()
    }

    /// Spawns the task of a room. In a cluster, `hold` comes from [`RoomPlacement::hold`].
    pub(crate) fn spawn_room<F: Future<Output = ()> + Send + 'static>(
        &self,
        hold: Option<RoomHold>,
        run: impl FnOnce(CancellationToken) -> F,
    ) {
        match hold {
            None => drop(self.actors.spawn(run(self.stopping.clone()))),
            Some(hold) => {
                let room = run(hold.stop());
                self.actors.spawn(async move {
                    room.await;
                    drop(hold);
                });
            }
        }
    }

    /// Charges a client for an unknown room id, code or token.
    ///
    /// # Errors
    /// The time until the next unknown key would be allowed, in milliseconds.
    pub(crate) fn try_take_bad_key(&self, client_prefix: ClientPrefix) -> Result<(), u64> {
        lock(&self.bad_key_rate).try_take(client_prefix, self.shared.time.now())
    }

    /// Counts a connection that a quota refuses, and logs the client if the quota belongs to the client.
    pub(crate) fn count_refusal(&self, client_prefix: ClientPrefix, error: QuotaError) {
        self.shared.metrics.refused.add(1);
        match error {
            QuotaError::PerClient => self.log_refusal(client_prefix, Refusal::TooManyConnections),
            // The client is not at fault if the total limit is reached.
            QuotaError::Total => {}
        }
    }

    /// Logs the address of a client that the server refuses, at most once per minute.
    pub(crate) fn log_refusal(&self, client_prefix: ClientPrefix, refusal: Refusal) {
        if lock(&self.refusal_log).record(client_prefix, self.shared.time.now()) {
            // deploy/fail2ban-filter.conf matches this text up to the address.
            warn!(address = %client_prefix, reason = refusal.reason(), "client refused");
        }
    }

    /// Records the number of open seeks.
    pub(crate) fn set_seek_count(&self, seek_count: usize) {
        self.seek_count.store(seek_count, Ordering::Relaxed);
    }

    /// Records the length of the last room list.
    pub(crate) fn set_room_list_size(&self, bytes: usize) {
        self.room_list_bytes.store(bytes, Ordering::Relaxed);
    }

    /// Returns the length of the last room list.
    pub(crate) fn room_list_size(&self) -> usize {
        self.room_list_bytes.load(Ordering::Relaxed)
    }

    /// Returns the number of open seeks, as last recorded by the lobby.
    pub(crate) fn seek_count(&self) -> usize {
        self.seek_count.load(Ordering::Relaxed)
    }

    /// Announces that the server will stop soon. The server stops being ready, so that load balancers and other nodes
    /// send it nothing further, but it still serves all requests.
    pub(crate) fn announce_stop(&self) {
        self.is_stop_announced.store(true, Ordering::Relaxed);
        if let Some(shared) = self.shared.event_log.shared() {
            shared.announce_stop();
        }
    }

    /// Begins to drain: all connections end with the announcement of this end.
    pub(crate) fn announce_end(&self, end: ServerEnd) {
        if self.end.set(end).is_err() {
            debug!("end of the server was already announced; ignored");
        }
        self.shared.draining.cancel();
    }

    /// Returns the time until a client should return, in milliseconds, at least 1.
    pub(crate) fn retry_after_ms(&self) -> u64 {
        match self.end.get() {
            Some(ServerEnd::Restart(schedule)) => {
                schedule.retry_after_ms(self.shared.time.now(), self.rng.random_unit())
            }
            Some(ServerEnd::Final) | None => 1,
        }
    }

    /// Returns whether the server ends and no server follows it.
    pub(crate) fn is_final_end(&self) -> bool {
        matches!(self.end.get(), Some(ServerEnd::Final))
    }

    /// Returns whether new games can begin.
    pub(crate) fn is_ready(&self) -> bool {
        self.readiness() == Readiness::Ready
    }

    /// Returns whether new games can begin, with the reason if not.
    pub(crate) fn readiness(&self) -> Readiness {
        if self.is_stop_announced.load(Ordering::Relaxed) || self.shared.draining.is_cancelled() {
            Readiness::Draining
        } else if self.shared.is_drained() {
            Readiness::Drained
        } else if self.shared.event_log.is_healthy() {
            Readiness::Ready
        } else {
            Readiness::StoreFailing
        }
    }
}

impl Deref for ServerContext {
    type Target = ContextInner;

    fn deref(&self) -> &ContextInner {
        &self.0
    }
}
