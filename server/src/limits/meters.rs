//! Meters: how many messages, events, bytes and kept games a client may have per time. Pure: the time is an argument.
//!
//! - [`RateLimit`] meters the messages of one sender.
//! - [`NetworkRate`] limits how often something happens per client and network. An event beyond the limit is not
//!   recorded, so that the addresses of one network displace only as many other addresses as the limit of the network
//!   allows.
//! - [`ReplyBudget`] meters the bytes that one connection draws by requests with long responses. The length of a
//!   response is known only after a room or the lobby has sent it. A request therefore needs budget for an estimate.
//!   The true length is charged later, and may leave a debt that delays the next such request. A budget starts full,
//!   unless the network of the client has drawn more than the rates of its connections allow. A client that connects
//!   again and again therefore draws little more than these rates.
//! - [`ByteBudget`] limits the bytes that the server sends to one network. Most bytes have no request: a move reaches
//!   all spectators of its room, and a seek all subscribers of the lobby. Without a limit, a client with many idle
//!   connections of its own would receive hundreds of bytes for each byte that it sends. When the budget of a network
//!   is exhausted, its spectators and subscribers receive the whole state at intervals instead of each change. Files of
//!   the page wait until the budget allows them. Requests with long responses are still served, but a new connection
//!   starts with fewer bytes, so that no client of a shared address is kept out. A message may be sent while the budget
//!   is not exhausted, and is charged in full: it may leave a debt that delays the next message.
//! - [`ArchiveBudget`] limits the finished games that each client adds to the archive. Without this limit, one client
//!   could fill the archive within hours, and the oldest games of all other clients would be deleted. A game beyond the
//!   budget is played like any other game, but not kept.
//!
//! Memory is bounded, because the meters of all networks are in a [`GenerationMap`], which keeps the keys written last.
//! A discarded network starts again with a full burst or budget.

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use noughts_protocol::RoomId;
use noughts_protocol::rate_limit::Gcra;

use crate::limits::client_prefix::{ClientPrefix, Network, SHARE_MAX};
use crate::runtime::sync::lock;

/// Cost of a message in ticks. A millisecond has as many ticks as a second allows messages, so that every rate is
/// exact.
const TICKS_PER_MESSAGE: u64 = 1000;

/// Limits the messages of one sender. Detects floods by the number of consecutive rejects.
///
/// All ticks count from the creation. A time before the latest time counts as the latest time, so a clock that goes
/// back does not refill the burst.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RateLimit {
    burst: u32,
    per_second: u32,
    /// Time of the creation, in milliseconds.
    created_at: u64,
    /// Latest time of a message, in ticks.
    latest: u64,
    /// Time when the whole burst is available again, in ticks; see [`Gcra`].
    full_at: u64,
    /// Rejects since the last allowed message.
    consecutive_rejects: u32,
}

/// Decision on one message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RateLimitDecision {
    /// The message is handled.
    Allow,
    /// The message is rejected.
    Reject {
        /// Time until the message would be allowed, in milliseconds.
        wait_ms: u64,
    },
    /// The sender has ignored as many rejects in a row as a burst has messages. The connection is closed.
    Flood,
}

impl RateLimit {
    /// Creates a limit with the whole burst available.
    pub(crate) fn new(burst: u32, per_second: u32, now: u64) -> RateLimit {
        RateLimit {
            burst: burst.max(1),
            per_second: per_second.max(1),
            created_at: now,
            latest: 0,
            full_at: 0,
            consecutive_rejects: 0,
        }
    }

    /// Charges one message that arrived at `now`.
    pub(crate) fn try_take(&mut self, now: u64) -> RateLimitDecision {
        let ticks = now
            .saturating_sub(self.created_at)
            .saturating_mul(u64::from(self.per_second));
        self.latest = self.latest.max(ticks);
        let Err(wait_ms) = self.try_charge(1, 1) else {
            // A sender that waits as requested is never disconnected.
            self.consecutive_rejects = 0;
            return RateLimitDecision::Allow;
        };
        self.consecutive_rejects += 1;
        if self.consecutive_rejects > self.burst {
            return RateLimitDecision::Flood;
        }
        RateLimitDecision::Reject { wait_ms }
    }

    /// Charges `messages`. If they exceed the limit, charges nothing and returns the time until `retried` messages
    /// would be allowed, in milliseconds.
    fn try_charge(&mut self, messages: u64, retried: u64) -> Result<(), u64> {
        let limit = Gcra::new(TICKS_PER_MESSAGE, TICKS_PER_MESSAGE * u64::from(self.burst));
        if limit.wait(self.full_at, messages, self.latest) > 0 {
            let wait = limit.wait(self.full_at, retried, self.latest);
            return Err(wait.div_ceil(u64::from(self.per_second)));
        }
        self.full_at = limit.charge(self.full_at, messages, self.latest);
        Ok(())
    }
}

/// Number of networks or contributors per generation. A discarded network starts again with a full burst or budget. A
/// network with frequent new receivers is not discarded.
const GENERATION_CAPACITY: usize = 8192;

/// Ticks per millisecond: microseconds, times the greatest share of a network, so that every share is exact.
const TICKS_PER_MS: u64 = 1000 * SHARE_MAX as u64;

/// The rate of each client, and a multiple of that rate for each larger network; see [`Network::share`].
#[derive(Debug)]
pub(crate) struct NetworkRate {
    /// By network, the time when its whole burst is available again, in ticks; see [`Gcra`].
    full_at: GenerationMap<Network, u64, GENERATION_CAPACITY>,
    /// Ticks per event of one client.
    interval: u64,
    /// Ticks of a whole burst.
    capacity: u64,
}

impl NetworkRate {
    /// Allows each client bursts of `burst` events, and `per_minute` events in the long run.
    pub(crate) fn new(burst: u32, per_minute: u32) -> NetworkRate {
        let interval = 60_000 * TICKS_PER_MS / u64::from(per_minute.max(1));
        let capacity = interval.saturating_mul(u64::from(burst.max(1)));
        NetworkRate {
            full_at: GenerationMap::new(),
            interval,
            capacity,
        }
    }

    /// Charges one event of a client at `now`, in milliseconds.
    ///
    /// # Errors
    /// The time until the event would be allowed, in milliseconds. Nothing is charged.
    pub(crate) fn try_take(&mut self, client_prefix: ClientPrefix, now: u64) -> Result<(), u64> {
        let waits = client_prefix
            .networks()
            .map(|network| self.wait_ms(network, now));
        match waits.max() {
            None | Some(0) => {
                self.charge(client_prefix, now);
                Ok(())
            }
            Some(wait_ms) => Err(wait_ms),
        }
    }

    /// Returns the time until the limit of a network allows an event, in milliseconds.
    pub(crate) fn wait_ms(&self, network: Network, now: u64) -> u64 {
        let now = now.saturating_mul(TICKS_PER_MS);
        let wait = self.limit(network).wait(self.full_at(network), 1, now);
        wait.div_ceil(TICKS_PER_MS)
    }

    /// Charges one event of a client to all of the client's networks. The caller has checked that each of them allows
    /// it.
    pub(crate) fn charge(&mut self, client_prefix: ClientPrefix, now: u64) {
        let now = now.saturating_mul(TICKS_PER_MS);
        for network in client_prefix.networks() {
            let full_at = self.limit(network).charge(self.full_at(network), 1, now);
            self.full_at.insert(network, full_at);
        }
    }

    fn limit(&self, network: Network) -> Gcra {
        Gcra::new(self.interval / u64::from(network.share()), self.capacity)
    }

    fn full_at(&self, network: Network) -> u64 {
        self.full_at.get(&network).unwrap_or(0)
    }
}

/// Minimum capacity: the longest list, and the room that the client chooses from it.
const CAPACITY_MIN_BYTES: u64 = 64 * 1024;

/// Bytes of a budget that does not start full: a typical view of a room.
const REDUCED_BYTES: u64 = 8 * 1024;

/// Number of seconds until an empty budget is full again, unless it has the minimum capacity.
const CAPACITY_SECONDS: u64 = 20;

/// Maximum time from a request to its response, in milliseconds. After this time, the estimate of the response is not
/// reserved any more.
const RESERVATION_MS: u64 = 1000;

/// Ticks per byte. A millisecond has as many ticks as a second allows bytes, so that every rate is exact.
const TICKS_PER_BYTE: u64 = 1000;

/// The bytes that a connection may still draw.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReplyBudget {
    bytes_per_second: u64,
    /// Time of the creation, in milliseconds.
    created_at: u64,
    /// Time when the whole budget is available again, in ticks since the creation; see [`Gcra`].
    full_at: u64,
    /// Estimated length of the responses that may not have been charged yet.
    reserved_bytes: u64,
    /// Time when `reserved_bytes` become available again, in milliseconds.
    reserved_until: u64,
}

impl ReplyBudget {
    /// Creates a budget that is full, or that has [`REDUCED_BYTES`].
    pub(crate) fn new(bytes_per_second: u32, is_full: bool, now: u64) -> ReplyBudget {
        let mut budget = ReplyBudget {
            bytes_per_second: u64::from(bytes_per_second.max(1)),
            created_at: now,
            full_at: 0,
            reserved_bytes: 0,
            reserved_until: 0,
        };
        if !is_full {
            budget.charge(budget.capacity_bytes() - REDUCED_BYTES, now);
        }
        budget
    }

    /// Charges responses that were sent before `now`.
    pub(crate) fn charge(&mut self, bytes: u64, now: u64) {
        self.full_at = self.limit().charge(self.full_at, bytes, self.ticks(now));
    }

    /// Reserves an estimate for a response, at most the whole budget.
    ///
    /// # Errors
    /// The time until the budget suffices, in milliseconds. Nothing is reserved.
    pub(crate) fn try_reserve(&mut self, estimated_bytes: u64, now: u64) -> Result<(), u64> {
        if now >= self.reserved_until {
            self.reserved_bytes = 0;
        }
        let estimated_bytes = estimated_bytes.min(self.capacity_bytes());
        let needed = self.reserved_bytes + estimated_bytes;
        if needed > self.capacity_bytes() {
            return Err(self.reserved_until - now);
        }
        let wait = self.limit().wait(self.full_at, needed, self.ticks(now));
        if wait > 0 {
            return Err(wait.div_ceil(self.bytes_per_second));
        }
        self.reserved_bytes += estimated_bytes;
        self.reserved_until = now.saturating_add(RESERVATION_MS);
        Ok(())
    }

    fn capacity_bytes(&self) -> u64 {
        CAPACITY_MIN_BYTES.max(self.bytes_per_second * CAPACITY_SECONDS)
    }

    fn limit(&self) -> Gcra {
        Gcra::new(TICKS_PER_BYTE, TICKS_PER_BYTE * self.capacity_bytes())
    }

    fn ticks(&self, now: u64) -> u64 {
        now.saturating_sub(self.created_at)
            .saturating_mul(self.bytes_per_second)
    }
}

const NANOS_PER_SECOND: u64 = 1_000_000_000;
const NANOS_PER_MS: u64 = 1_000_000;

/// Default time until an exhausted budget is full again.
const REFILL_TIME: Duration = Duration::from_secs(240);

/// The budgets of all networks that had receivers recently.
#[derive(Debug)]
pub(crate) struct ByteBudgets {
    by_network: Mutex<GenerationMap<Network, Arc<NetworkBudget>, GENERATION_CAPACITY>>,
    bytes_per_second: u64,
    refill: Duration,
}

/// The budgets that pay for the messages to one receiver: the budgets of its client and of the larger networks.
#[derive(Debug)]
pub(crate) struct ByteBudget(Box<[Arc<NetworkBudget>]>);

#[derive(Debug)]
struct NetworkBudget {
    limit: Gcra,
    /// Time when the whole budget is available again, in nanoseconds; see [`Gcra`].
    full_at: AtomicU64,
}

impl ByteBudgets {
    /// Allows the receivers of each client `bytes_per_second`, and the receivers of each larger network
    /// [`Network::share`] times as much. A full budget holds the bytes of [`REFILL_TIME`].
    pub(crate) fn new(bytes_per_second: u64) -> ByteBudgets {
        ByteBudgets::with_refill(bytes_per_second, REFILL_TIME)
    }

    /// Like [`ByteBudgets::new`], but a full budget holds the bytes of `refill`.
    pub(crate) fn with_refill(bytes_per_second: u64, refill: Duration) -> ByteBudgets {
        ByteBudgets {
            by_network: Mutex::new(GenerationMap::new()),
            bytes_per_second: bytes_per_second.max(1),
            refill,
        }
    }

    /// Returns the time until the budget of a network allows a message, in milliseconds.
    pub(crate) fn wait_ms(&self, network: Network, now: u64) -> u64 {
        let budget = lock(&self.by_network).get(&network);
        budget.map_or(0, |budget| budget.wait_ms(now))
    }

    /// Returns the budgets that pay for a receiver of a client.
    pub(crate) fn of_client(&self, client_prefix: ClientPrefix) -> ByteBudget {
        let mut by_network = lock(&self.by_network);
        let budgets = client_prefix.networks().map(|network| {
            let budget = by_network.get(&network).unwrap_or_else(|| {
                let rate = self.bytes_per_second.saturating_mul(network.share().into());
                let refill = self.refill.as_nanos() as u64;
                let limit = Gcra::new((NANOS_PER_SECOND / rate).max(1), refill);
                Arc::new(NetworkBudget {
                    limit,
                    full_at: AtomicU64::new(0),
                })
            });
            // A known network is written again, because the map keeps the keys written last.
            by_network.insert(network, Arc::clone(&budget));
            budget
        });
        ByteBudget(budgets.collect())
    }
}

impl NetworkBudget {
    fn wait_ms(&self, now: u64) -> u64 {
        let full_at = self.full_at.load(Ordering::Relaxed);
        let wait = self
            .limit
            .wait(full_at, 0, now.saturating_mul(NANOS_PER_MS));
        wait.div_ceil(NANOS_PER_MS)
    }
}

impl ByteBudget {
    /// Returns the time until a message may be sent, in milliseconds.
    pub(crate) fn wait_ms(&self, now: u64) -> u64 {
        let waits = self.0.iter().map(|budget| budget.wait_ms(now));
        waits.max().unwrap_or(0)
    }

    /// Charges a message of `bytes`, unless the budget is exhausted. Returns whether the message may be sent.
    pub(crate) fn try_charge(&self, bytes: usize, now: u64) -> bool {
        let is_allowed = self.wait_ms(now) == 0;
        if is_allowed {
            self.charge(bytes, now);
        }
        is_allowed
    }

    /// Charges a message of `bytes`, even if the budget is exhausted. The caller sends the message now or later.
    pub(crate) fn charge(&self, bytes: usize, now: u64) {
        let now = now.saturating_mul(NANOS_PER_MS);
        for NetworkBudget { limit, full_at } in self.0.iter().map(|budget| &**budget) {
            let charge = |full_at| Some(limit.charge(full_at, bytes as u64, now));
            let (Ok(_) | Err(_)) =
                full_at.fetch_update(Ordering::Relaxed, Ordering::Relaxed, charge);
        }
    }
}

const HOUR_MS: u64 = 60 * 60 * 1000;

/// The source of finished games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ArchiveContributor {
    /// A client that opened the room, or sent a seek that led to it.
    Client(ClientPrefix),
    /// A room that was open when the server started. Its clients are unknown.
    Room(RoomId),
}

/// A budget of games for each contributor.
#[derive(Debug)]
pub(crate) struct ArchiveBudget {
    /// By contributor, the time when its budget is full again, in milliseconds; see [`Gcra`].
    full_at: GenerationMap<ArchiveContributor, u64, GENERATION_CAPACITY>,
    limit: Gcra,
}

impl ArchiveBudget {
    /// Allows each contributor `per_hour` games per hour, which may come in one burst.
    pub(crate) fn new(per_hour: u32) -> ArchiveBudget {
        let interval_ms = (HOUR_MS / u64::from(per_hour.max(1))).max(1);
        let limit = Gcra::new(interval_ms, HOUR_MS);
        ArchiveBudget {
            full_at: GenerationMap::new(),
            limit,
        }
    }

    /// Charges a game at `now` to the first contributor with budget left. Returns whether the game may be kept. A game
    /// without contributors is not limited.
    pub(crate) fn try_charge(&mut self, contributors: &[ArchiveContributor], now: u64) -> bool {
        let has_budget = |contributor: &&ArchiveContributor| {
            self.limit.wait(self.full_at(**contributor), 1, now) == 0
        };
        let Some(contributor) = contributors.iter().find(has_budget).copied() else {
            return contributors.is_empty();
        };
        let full_at = self.limit.charge(self.full_at(contributor), 1, now);
        self.full_at.insert(contributor, full_at);
        true
    }

    fn full_at(&self, contributor: ArchiveContributor) -> u64 {
        self.full_at.get(&contributor).unwrap_or(0)
    }
}

/// Maps keys to values in two generations of at most `CAPACITY` keys. When the current generation is full, the older
/// generation is discarded. The map therefore keeps at least the `CAPACITY` keys written last, and at most twice as
/// many.
#[derive(Debug)]
pub(crate) struct GenerationMap<K, V, const CAPACITY: usize> {
    current: HashMap<K, V>,
    previous: HashMap<K, V>,
}

impl<K: Eq + Hash, V: Clone, const CAPACITY: usize> GenerationMap<K, V, CAPACITY> {
    /// Creates an empty map.
    pub(crate) fn new() -> GenerationMap<K, V, CAPACITY> {
        GenerationMap {
            current: HashMap::new(),
            previous: HashMap::new(),
        }
    }

    /// Returns the value of a key, if the key is kept.
    pub(crate) fn get(&self, key: &K) -> Option<V> {
        self.current
            .get(key)
            .or_else(|| self.previous.get(key))
            .cloned()
    }

    /// Sets the value of a key and makes it the key written last.
    pub(crate) fn insert(&mut self, key: K, value: V) {
        self.previous.remove(&key);
        if self.current.len() >= CAPACITY && !self.current.contains_key(&key) {
            self.previous = std::mem::take(&mut self.current);
        }
        self.current.insert(key, value);
    }
}
