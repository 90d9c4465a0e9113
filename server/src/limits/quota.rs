//! A limit on the number of concurrent uses of a resource, in total and per client.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use crate::limits::client_prefix::ClientPrefix;
use crate::runtime::sync::lock::lock;

/// Counts permits in total and per client. Its memory is proportional to the permits in use.
#[derive(Debug)]
pub(crate) struct Quota {
    counts: Mutex<QuotaCounts>,
    max: usize,
    max_per_client: usize,
}

#[derive(Debug, Default)]
struct QuotaCounts {
    total: usize,
    by_client: HashMap<ClientPrefix, usize>,
}

/// The limit that a request for a permit exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QuotaError {
    /// The total limit.
    Total,
    /// The limit per client.
    PerClient,
}

/// A permit, released on drop.
#[derive(Debug)]
pub(crate) struct QuotaPermit {
    quota: Arc<Quota>,
    client_prefix: ClientPrefix,
}

impl Quota {
    /// Allows `max` permits in total and `max_per_client` for each client.
    pub(crate) fn new(max: usize, max_per_client: usize) -> Arc<Quota> {
        Arc::new(Quota { counts: Mutex::default(), max, max_per_client })
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
        let client_count = counts.by_client.get(&client_prefix).copied().unwrap_or(0);
        if client_count >= self.max_per_client {
            return Err(QuotaError::PerClient);
        }
        counts.total += 1;
        counts.by_client.insert(client_prefix, client_count + 1);
        Ok(QuotaPermit { quota: Arc::clone(self), client_prefix })
    }
}

impl Drop for QuotaPermit {
    fn drop(&mut self) {
        let mut counts = self.quota.counts();
        counts.total -= 1;
        if let Some(count) = counts.by_client.get_mut(&self.client_prefix) {
            *count -= 1;
            if *count == 0 {
                counts.by_client.remove(&self.client_prefix);
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
        let [one, two] = [1, 2].map(|last| ClientPrefix::from_ip(IpAddr::V4(Ipv4Addr::new(10, 0, 0, last))));
        let first = quota.try_acquire(one).unwrap();
        let second = quota.try_acquire(one).unwrap();
        assert_eq!(quota.try_acquire(one).unwrap_err(), QuotaError::PerClient);
        let third = quota.try_acquire(two).unwrap();
        assert_eq!(quota.try_acquire(two).unwrap_err(), QuotaError::Total);
        drop(first);
        drop(quota.try_acquire(one).unwrap());
        drop((second, third));
        let counts = quota.counts();
        assert_eq!((counts.total, counts.by_client.len()), (0, 0));
    }
}
