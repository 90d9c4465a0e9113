//! How many connections there are, in all and from each address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The connections by address.
#[derive(Debug)]
pub(super) struct Addresses {
    counts: Mutex<Counts>,
    max: usize,
    max_per_address: usize,
}

#[derive(Debug, Default)]
struct Counts {
    all: usize,
    by_address: HashMap<IpAddr, usize>,
}

/// Why there is no place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// The server has as many as it may.
    Full,
    /// The address has as many as it may.
    Address,
}

/// A connection's place, given back when dropped.
#[derive(Debug)]
pub(super) struct Place {
    addresses: Arc<Addresses>,
    address: IpAddr,
}

impl Addresses {
    pub(super) fn new(max: usize, max_per_address: usize) -> Addresses {
        Addresses { counts: Mutex::default(), max, max_per_address }
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for a connection from `address`.
    pub(super) fn enter(self: &Arc<Self>, address: IpAddr) -> Result<Place, Refused> {
        let mut counts = self.counts();
        if counts.all >= self.max {
            return Err(Refused::Full);
        }
        let from_here = counts.by_address.get(&address).copied().unwrap_or(0);
        if from_here >= self.max_per_address {
            return Err(Refused::Address);
        }
        counts.all += 1;
        counts.by_address.insert(address, from_here + 1);
        Ok(Place { addresses: Arc::clone(self), address })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut counts = self.addresses.counts();
        counts.all -= 1;
        if let Some(count) = counts.by_address.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                counts.by_address.remove(&self.address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    #[test]
    fn places_are_limited_and_given_back() {
        let addresses = Arc::new(Addresses::new(3, 2));
        let [one, two] = [1, 2].map(|last| IpAddr::V4(Ipv4Addr::new(10, 0, 0, last)));
        let first = addresses.enter(one).unwrap();
        let second = addresses.enter(one).unwrap();
        assert_eq!(addresses.enter(one).unwrap_err(), Refused::Address);
        let third = addresses.enter(two).unwrap();
        assert_eq!(addresses.enter(two).unwrap_err(), Refused::Full);
        drop(first);
        drop(addresses.enter(one).unwrap());
        drop((second, third));
        let counts = addresses.counts();
        assert_eq!((counts.all, counts.by_address.len()), (0, 0));
    }
}
