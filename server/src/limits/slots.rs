//! Slots: limits on concurrent uses of a resource, and the queues of clients that wait for a turn.
//!
//! - [`Quota`] limits the number of concurrent uses of a resource: in total, per client, and per larger network.
//! - [`HandshakeSlots`] limits unfinished handshakes, and always admits new handshakes: when all slots are taken, the
//!   network with the most handshakes loses its oldest handshake.
//! - [`TurnQueues`] hold clients that wait until the limits of their networks allow their next event, first come first
//!   served. The users of one address share its limits. If events over a limit failed immediately, a client that
//!   retries as fast as possible would take every turn, and keep other clients out. A waiter that gives up leaves the
//!   queue, and is not charged.

#[cfg(test)]
mod tests;

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use futures::future::AbortHandle;
use tokio::sync::OwnedMutexGuard;
use tokio::time::{Instant, sleep, timeout_at};

use crate::limits::client_prefix::{ClientPrefix, Network};
use crate::runtime::sync::lock;

/// Counts permits in total and per network. Its memory is proportional to the permits in use.
#[derive(Debug)]
pub(crate) struct Quota {
    counts: Mutex<QuotaCounts>,
    max: usize,
    max_per_client: usize,
}

#[derive(Debug, Default)]
struct QuotaCounts {
    total: usize,
    by_network: HashMap<Network, usize>,
}

/// The limit that a request for a permit exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QuotaError {
    /// The total limit.
    Total,
    /// The limit of the client, or of a larger network that contains it.
    PerClient,
}

/// A permit, released on drop.
#[derive(Debug)]
pub(crate) struct QuotaPermit {
    quota: Arc<Quota>,
    client_prefix: ClientPrefix,
}

impl Quota {
    /// Allows `max` permits in total, `max_per_client` for each client, and [`Network::share`] times as many for each
    /// larger network.
    pub(crate) fn new(max: usize, max_per_client: usize) -> Arc<Quota> {
        Arc::new(Quota {
            counts: Mutex::default(),
            max,
            max_per_client,
        })
    }

    fn counts(&self) -> MutexGuard<'_, QuotaCounts> {
        lock(&self.counts)
    }

    /// Acquires a permit.
    ///
    /// # Errors
    /// The limit that is exhausted; the counts are unchanged.
    pub(crate) fn try_acquire(
        self: &Arc<Self>,
        client_prefix: ClientPrefix,
    ) -> Result<QuotaPermit, QuotaError> {
        let mut counts = self.counts();
        if counts.total >= self.max {
            return Err(QuotaError::Total);
        }
        let is_full = |network: &Network| {
            let limit = self.max_per_client.saturating_mul(network.share() as usize);
            counts
                .by_network
                .get(network)
                .is_some_and(|count| *count >= limit)
        };
        if self.max_per_client == 0 || client_prefix.networks().any(|network| is_full(&network)) {
            return Err(QuotaError::PerClient);
        }
        counts.total += 1;
        for network in client_prefix.networks() {
            *counts.by_network.entry(network).or_default() += 1;
        }
        Ok(QuotaPermit {
            quota: Arc::clone(self),
            client_prefix,
        })
    }
}

impl QuotaPermit {
    /// Returns the client that holds the permit.
    pub(crate) fn client_prefix(&self) -> ClientPrefix {
        self.client_prefix
    }
}

impl Drop for QuotaPermit {
    fn drop(&mut self) {
        let mut counts = self.quota.counts();
        counts.total -= 1;
        for network in self.client_prefix.networks() {
            if let Some(count) = counts.by_network.get_mut(&network) {
                *count -= 1;
                if *count == 0 {
                    counts.by_network.remove(&network);
                }
            }
        }
    }
}

#[derive(Debug)]
pub(crate) struct HandshakeSlots {
    state: Mutex<State>,
    /// Unfinished handshakes per client, without a total limit.
    quota: Arc<Quota>,
    max: usize,
}

#[derive(Debug, Default)]
struct State {
    count: usize,
    started_count: u64,
    /// Unfinished handshakes of each customer's network, oldest first.
    networks: HashMap<Network, VecDeque<Handshake>>,
}

#[derive(Debug)]
struct Handshake {
    number: u64,
    abort: AbortHandle,
}

/// The slot of a handshake, released on drop.
#[derive(Debug)]
pub(crate) struct HandshakeSlot {
    slots: Arc<HandshakeSlots>,
    number: u64,
    network: Network,
    /// `None` while only the address of a proxy is known.
    permit: Option<QuotaPermit>,
}

/// A slot, and whether another handshake was ended to free it.
#[derive(Debug)]
pub(crate) struct AcquiredSlot {
    pub(crate) slot: HandshakeSlot,
    pub(crate) evicted: bool,
}

impl HandshakeSlots {
    /// Creates `max` slots. A client takes at most `max_per_client` of them.
    pub(crate) fn new(max: usize, max_per_client: usize) -> Arc<HandshakeSlots> {
        let quota = Quota::new(usize::MAX, max_per_client);
        Arc::new(HandshakeSlots {
            state: Mutex::default(),
            quota,
            max: max.max(1),
        })
    }

    /// Acquires a slot for a client, or for a client of the proxy with this address. `abort` ends the handshake if a
    /// newer handshake takes its slot.
    ///
    /// # Errors
    /// If the client has taken its share. Clients of a proxy are not limited before [`HandshakeSlot::set_client`].
    pub(crate) fn acquire(
        self: &Arc<Self>,
        peer: ClientPrefix,
        is_proxy: bool,
        abort: AbortHandle,
    ) -> Result<AcquiredSlot, QuotaError> {
        let permit = if is_proxy {
            None
        } else {
            Some(self.quota.try_acquire(peer)?)
        };
        let mut state = lock(&self.state);
        let evicted = if state.count >= self.max {
            state.remove_oldest_of_largest()
        } else {
            None
        };
        let number = state.started_count;
        state.started_count += 1;
        let network = peer.customer_network();
        state.insert(network, Handshake { number, abort });
        drop(state);
        if let Some(evicted) = &evicted {
            evicted.abort.abort();
        }
        let slot = HandshakeSlot {
            slots: Arc::clone(self),
            number,
            network,
            permit,
        };
        Ok(AcquiredSlot {
            slot,
            evicted: evicted.is_some(),
        })
    }
}

impl State {
    fn insert(&mut self, network: Network, handshake: Handshake) {
        self.count += 1;
        let handshakes = self.networks.entry(network).or_default();
        // The place is nearly always the end of the queue. Only handshakes of clients of a proxy are inserted after
        // newer handshakes, because their client is known late.
        let at = handshakes.partition_point(|earlier| earlier.number < handshake.number);
        handshakes.insert(at, handshake);
    }

    fn remove(&mut self, network: Network, number: u64) -> Option<Handshake> {
        let handshakes = self.networks.get_mut(&network)?;
        let at = handshakes
            .binary_search_by_key(&number, |handshake| handshake.number)
            .ok()?;
        let removed = handshakes.remove(at);
        if handshakes.is_empty() {
            self.networks.remove(&network);
        }
        self.count -= 1;
        removed
    }

    /// Removes the oldest handshake of the network that has the most handshakes; if several networks tie, the oldest of
    /// all of theirs.
    fn remove_oldest_of_largest(&mut self) -> Option<Handshake> {
        let oldest =
            |handshakes: &VecDeque<Handshake>| handshakes.front().map_or(0, |oldest| oldest.number);
        let rank =
            |handshakes: &VecDeque<Handshake>| (handshakes.len(), u64::MAX - oldest(handshakes));
        let (network, handshakes) = self
            .networks
            .iter()
            .max_by_key(|(_, handshakes)| rank(handshakes))?;
        let (network, number) = (*network, oldest(handshakes));
        self.remove(network, number)
    }
}

impl HandshakeSlot {
    /// Counts the handshake for the client that the proxy has named.
    ///
    /// # Errors
    /// If the client has taken its share.
    pub(crate) fn set_client(&mut self, client_prefix: ClientPrefix) -> Result<(), QuotaError> {
        self.permit = Some(self.slots.quota.try_acquire(client_prefix)?);
        let mut state = lock(&self.slots.state);
        // The result is `None` if a newer handshake has just taken the slot.
        if let Some(handshake) = state.remove(self.network, self.number) {
            self.network = client_prefix.customer_network();
            state.insert(self.network, handshake);
        }
        Ok(())
    }
}

impl Drop for HandshakeSlot {
    fn drop(&mut self) {
        // The result is `None` if a newer handshake has taken the slot.
        drop(lock(&self.slots.state).remove(self.network, self.number));
    }
}

/// The networks with waiters. A mutex is fair: the first waiter of a network holds it until its event is charged.
type Queues = HashMap<Network, Arc<tokio::sync::Mutex<()>>>;

/// A queue for each client, and for each larger network. The caller limits the number of waiters.
///
/// The first waiter of a network waits until the limit of that network allows its event, and then among the first
/// waiters of the next larger network. So at most one waiter watches each limit: if the first waiters of all clients of
/// a network watched its limit, they would all wake for each turn.
#[derive(Debug, Default)]
pub(crate) struct TurnQueues {
    queues: Mutex<Queues>,
}

impl TurnQueues {
    /// Calls `charge` for one event of a client, as soon as the earlier waiters have had their turn. `wait_ms` returns
    /// the time until the limit of a network allows the event, in milliseconds.
    ///
    /// # Errors
    /// If the turn of this event does not come before `deadline`.
    pub(crate) async fn take(
        &self,
        client: ClientPrefix,
        deadline: Instant,
        wait_ms: impl Fn(Network) -> u64,
        charge: impl FnOnce(),
    ) -> Result<(), QuotaError> {
        {
            // The queues stay locked until the event is charged.
            let queues = lock(&self.queues);
            let allows = |network: Network| !queues.contains_key(&network) && wait_ms(network) == 0;
            if client.networks().all(allows) {
                charge();
                return Ok(());
            }
        }
        let turn = async {
            let mut places = Vec::new();
            for network in client.networks() {
                places.push(self.wait_in_queue(network, &wait_ms).await);
            }
            charge();
        };
        timeout_at(deadline, turn)
            .await
            .map_err(|_| QuotaError::PerClient)
    }

    /// Waits until this waiter is the first in the queue of a network, and then until the limit of the network allows
    /// an event.
    async fn wait_in_queue(&self, network: Network, wait_ms: impl Fn(Network) -> u64) -> Place<'_> {
        let queue = Arc::clone(lock(&self.queues).entry(network).or_default());
        let mut place = Place {
            owner: self,
            network,
            turn: None,
        };
        place.turn = Some(queue.lock_owned().await);
        loop {
            match wait_ms(network) {
                0 => return place,
                wait_ms => sleep(Duration::from_millis(wait_ms)).await,
            }
        }
    }
}

/// A place in the queue of a network.
struct Place<'a> {
    owner: &'a TurnQueues,
    network: Network,
    /// Set while this waiter is the first in the queue.
    turn: Option<OwnedMutexGuard<()>>,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut queues = lock(&self.owner.queues);
        self.turn = None;
        if queues
            .get(&self.network)
            .is_some_and(|queue| Arc::strong_count(queue) == 1)
        {
            queues.remove(&self.network);
        }
    }
}
