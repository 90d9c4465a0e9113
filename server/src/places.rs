//! So many of something in all, and so many for each network.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::network::Network;

/// The places, and who has how many of them. No larger than their number, whoever asks.
#[derive(Debug)]
pub struct Places {
    counts: Mutex<Counts>,
    max: usize,
    max_each: usize,
}

#[derive(Debug, Default)]
struct Counts {
    all: usize,
    by_network: HashMap<Network, usize>,
}

/// Why there is no place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// All are taken.
    Full,
    /// The network has as many as it may.
    Network,
}

/// A place, given back when dropped.
#[derive(Debug)]
pub struct Place {
    places: Arc<Places>,
    network: Network,
}

impl Places {
    /// `max` places, of which a network may have `max_each`.
    pub fn new(max: usize, max_each: usize) -> Arc<Places> {
        Arc::new(Places { counts: Mutex::default(), max, max_each })
    }

    /// Nothing panics while the lock is held.
    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a place.
    ///
    /// # Errors
    /// When there is none; nothing has changed.
    pub fn enter(self: &Arc<Self>, network: Network) -> Result<Place, Refused> {
        let mut counts = self.counts();
        if counts.all >= self.max {
            return Err(Refused::Full);
        }
        let from_here = counts.by_network.get(&network).copied().unwrap_or(0);
        if from_here >= self.max_each {
            return Err(Refused::Network);
        }
        counts.all += 1;
        counts.by_network.insert(network, from_here + 1);
        Ok(Place { places: Arc::clone(self), network })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut counts = self.places.counts();
        counts.all -= 1;
        if let Some(count) = counts.by_network.get_mut(&self.network) {
            *count -= 1;
            if *count == 0 {
                counts.by_network.remove(&self.network);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use super::*;

    #[test]
    fn places_are_limited_and_given_back() {
        let places = Places::new(3, 2);
        let [one, two] = [1, 2].map(|last| Network::of(IpAddr::V4(Ipv4Addr::new(10, 0, 0, last))));
        let first = places.enter(one).unwrap();
        let second = places.enter(one).unwrap();
        assert_eq!(places.enter(one).unwrap_err(), Refused::Network);
        let third = places.enter(two).unwrap();
        assert_eq!(places.enter(two).unwrap_err(), Refused::Full);
        drop(first);
        drop(places.enter(one).unwrap());
        drop((second, third));
        let counts = places.counts();
        assert_eq!((counts.all, counts.by_network.len()), (0, 0));
    }
}
