//! A limit on the number of concurrent uses of a resource: in total, per client, and per larger network.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use crate::limits::client_prefix::{ClientPrefix, Network};
use crate::runtime::sync::lock::lock;

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
    /// Allows `max` permits in total, `max_per_client` for each client, and for each larger network that times
    /// [`Network::share`].
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
    /// The client that holds the permit.
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

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use super::*;

    #[test]
    fn permits_are_limited_and_released() {
        let quota = Quota::new(3, 2);
        let [one, two] =
            [1, 2].map(|last| ClientPrefix::from_ip(IpAddr::V4(Ipv4Addr::new(10, 0, 0, last))));
        let first = quota.try_acquire(one).unwrap();
        let second = quota.try_acquire(one).unwrap();
        assert_eq!(quota.try_acquire(one).unwrap_err(), QuotaError::PerClient);
        let third = quota.try_acquire(two).unwrap();
        assert_eq!(quota.try_acquire(two).unwrap_err(), QuotaError::Total);
        drop(first);
        drop(quota.try_acquire(one).unwrap());
        drop((second, third));
        let counts = quota.counts();
        assert_eq!((counts.total, counts.by_network.len()), (0, 0));
    }
    #[test]
    fn a_larger_network_has_a_greater_limit() {
        for (first, share) in [
            ("2001:db8::", 16),
            ("2001:db8:0:aa00::", 4),
            ("2001:db8:0:aa01::", 1),
        ] {
            let quota = Quota::new(usize::MAX, 2);
            let IpAddr::V6(first) = first.parse().unwrap() else {
                panic!("IPv6")
            };
            // Every /64 of the network, as often as it is permitted.
            let step = 1_u128 << 64;
            let count = match share {
                16 => 1 << 16,
                4 => 1 << 8,
                _ => 1,
            };
            let clients = (0..count).flat_map(|number| {
                [ClientPrefix::from_ip(IpAddr::V6((first.to_bits() + number * step).into())); 3]
            });
            let permits: Vec<_> = clients
                .filter_map(|client| quota.try_acquire(client).ok())
                .collect();
            assert_eq!(permits.len(), 2 * share, "{first}");
            drop(permits);
            assert!(quota.counts().by_network.is_empty());
        }
    }
}
