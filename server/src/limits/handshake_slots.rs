//! A limit on unfinished handshakes under which new ones are always admitted: when all slots are taken, the oldest
//! handshake of the network with the most gives way.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};

use futures::future::AbortHandle;

use crate::limits::client_prefix::{ClientPrefix, Network};
use crate::limits::quota::{Quota, QuotaError, QuotaPermit};
use crate::runtime::sync::lock::lock;

/// The slots of unfinished handshakes.
#[derive(Debug)]
pub(crate) struct HandshakeSlots {
    state: Mutex<State>,
    /// Unfinished handshakes per client. Without a limit in total.
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
    /// None while only the address of a proxy is known.
    permit: Option<QuotaPermit>,
}

/// A slot, and whether another handshake gave way for it.
#[derive(Debug)]
pub(crate) struct AcquiredSlot {
    pub(crate) slot: HandshakeSlot,
    pub(crate) evicted: bool,
}

impl HandshakeSlots {
    /// Creates `max` slots, of which a client takes at most `max_per_client`.
    pub(crate) fn new(max: usize, max_per_client: usize) -> Arc<HandshakeSlots> {
        let quota = Quota::new(usize::MAX, max_per_client);
        Arc::new(HandshakeSlots {
            state: Mutex::default(),
            quota,
            max: max.max(1),
        })
    }

    /// Acquires a slot for a client, or for a client of the proxy with this address. `abort` ends the handshake if it has
    /// to give way.
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
        // Nearly always at the end: only the clients of a proxy are inserted later than they began.
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

    /// Removes the oldest handshake of the network with the most; of several such networks, the oldest of all.
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
        // None if the handshake has just given way.
        if let Some(handshake) = state.remove(self.network, self.number) {
            self.network = client_prefix.customer_network();
            state.insert(self.network, handshake);
        }
        Ok(())
    }
}

impl Drop for HandshakeSlot {
    fn drop(&mut self) {
        // None if the handshake gave way.
        drop(lock(&self.slots.state).remove(self.network, self.number));
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;

    fn client_prefix(address: &str) -> ClientPrefix {
        ClientPrefix::from_ip(address.parse::<IpAddr>().unwrap())
    }

    /// Acquires a slot; returns it with the handle that ends the handshake.
    fn acquire(slots: &Arc<HandshakeSlots>, address: &str) -> (HandshakeSlot, AbortHandle) {
        let (abort, _) = AbortHandle::new_pair();
        let acquired = slots
            .acquire(client_prefix(address), false, abort.clone())
            .unwrap();
        (acquired.slot, abort)
    }

    fn is_empty(slots: &HandshakeSlots) -> bool {
        let state = lock(&slots.state);
        state.count == 0 && state.networks.is_empty()
    }

    #[test]
    fn the_oldest_of_the_largest_network_gives_way() {
        let slots = HandshakeSlots::new(5, 10);
        let ann = acquire(&slots, "192.0.2.1");
        // Two addresses of one /48.
        let eve: Vec<_> = ["2001:db8::1", "2001:db8:0:1::1", "2001:db8:0:ffff::1"]
            .map(|address| acquire(&slots, address))
            .into();
        let bob = acquire(&slots, "192.0.2.2");
        let given_way =
            || -> Vec<bool> { eve.iter().map(|(_, abort)| abort.is_aborted()).collect() };
        let carl = acquire(&slots, "192.0.2.3");
        assert_eq!(given_way(), [true, false, false]);
        let dan = acquire(&slots, "192.0.2.4");
        assert_eq!(given_way(), [true, true, false]);
        // All networks have one: the oldest gives way.
        let fay = acquire(&slots, "192.0.2.5");
        assert!(ann.1.is_aborted());
        assert_eq!(given_way(), [true, true, false]);
        assert_eq!(lock(&slots.state).count, 5);
        drop((ann, eve, bob, carl, dan, fay));
        assert!(is_empty(&slots));
    }

    #[test]
    fn clients_of_a_proxy_are_limited_once_they_are_known() {
        let slots = HandshakeSlots::new(3, 1);
        let proxy = client_prefix("10.0.0.1");
        let mut acquired: Vec<_> = (0..3)
            .map(|_| {
                slots
                    .acquire(proxy, true, AbortHandle::new_pair().0)
                    .unwrap()
                    .slot
            })
            .collect();
        assert_eq!(acquired[0].set_client(client_prefix("192.0.2.1")), Ok(()));
        assert_eq!(
            acquired[1].set_client(client_prefix("192.0.2.1")),
            Err(QuotaError::PerClient)
        );
        assert_eq!(acquired[1].set_client(client_prefix("192.0.2.2")), Ok(()));
        let more = slots
            .acquire(proxy, true, AbortHandle::new_pair().0)
            .unwrap();
        assert!(more.evicted);
        assert_eq!(
            acquired[0].set_client(client_prefix("192.0.2.3")),
            Ok(()),
            "it has given way"
        );
        assert_eq!(lock(&slots.state).count, 3);
        drop((acquired, more));
        assert!(is_empty(&slots));
    }
}
