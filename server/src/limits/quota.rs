//! So many of something in all, and so many for each network.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::limits::client_prefix::ClientPrefix;

/// The places, and who has how many of them. No larger than their number, whoever asks.
#[derive(Debug)]
pub struct Quota {
    counts: Mutex<QuotaCounts>,
    max: usize,
    max_per_client: usize,
}

#[derive(Debug, Default)]
struct QuotaCounts {
    total: usize,
    by_client: HashMap<ClientPrefix, usize>,
}

/// Why there is no place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuotaError {
    /// All are taken.
    Total,
    /// The network has as many as it may.
    PerClient,
}

/// A place, given back when dropped.
#[derive(Debug)]
pub struct QuotaPermit {
    quota: Arc<Quota>,
    client_prefix: ClientPrefix,
}

impl Quota {
    /// `max` places, of which a network may have `max_each`.
    pub fn new(max: usize, max_per_client: usize) -> Arc<Quota> {
        Arc::new(Quota { counts: Mutex::default(), max, max_per_client })
    }

    /// Nothing panics while the lock is held.
    fn counts(&self) -> MutexGuard<'_, QuotaCounts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a place.
    ///
    /// # Errors
    /// When there is none; nothing has changed.
    pub fn try_acquire(self: &Arc<Self>, client_prefix: ClientPrefix) -> Result<QuotaPermit, QuotaError> {
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
