//! How many wrong keys (room ids, codes, tokens) each network may show. Pure: the time is an argument.
//!
//! Its memory is bounded whoever comes: beyond so many networks the ones that have been wrong least lately are
//! forgotten, and begin anew. To be forgotten by that, as many others have to be wrong first.

use std::collections::HashMap;

use crate::network::Network;

/// The networks of a generation; two are remembered.
const GENERATION: usize = 4096;

const MINUTE: u64 = 60_000;

/// Who has been wrong of late. For each, by the generic cell rate algorithm (ITU-T I.371), one instant says it
/// all: when everything will be forgiven.
#[derive(Debug)]
pub struct Guesses {
    young: HashMap<Network, u64>,
    old: HashMap<Network, u64>,
    /// What one wrong key costs, in milliseconds.
    price: u64,
}

impl Guesses {
    /// So many wrong keys a minute for each network, all at once if need be.
    pub fn new(a_minute: u32) -> Guesses {
        let price = (MINUTE / u64::from(a_minute.max(1))).max(1);
        Guesses { young: HashMap::new(), old: HashMap::new(), price }
    }

    fn forgiven_at(&self, network: Network) -> u64 {
        self.young.get(&network).or_else(|| self.old.get(&network)).copied().unwrap_or(0)
    }

    /// How long a network has to wait before a key of its is looked at, right or wrong, in milliseconds.
    pub fn wait_ms(&self, network: Network, now: u64) -> Option<u64> {
        let affordable_at = (self.forgiven_at(network) + self.price).saturating_sub(MINUTE);
        affordable_at.checked_sub(now).filter(|wait| *wait > 0)
    }

    /// Notes a wrong key.
    pub fn wrong(&mut self, network: Network, now: u64) {
        let forgiven_at = self.forgiven_at(network).max(now) + self.price;
        if self.young.len() >= GENERATION && !self.young.contains_key(&network) {
            self.old = std::mem::take(&mut self.young);
        }
        self.old.remove(&network);
        self.young.insert(network, forgiven_at);
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    fn network(number: u32) -> Network {
        Network::of(Ipv4Addr::from_bits(number).into())
    }

    #[test]
    fn so_many_in_a_minute_and_each_is_forgiven_in_time() {
        let mut guesses = Guesses::new(60);
        let [eve, ann] = [1, 2].map(network);
        for _ in 0..60 {
            assert_eq!(guesses.wait_ms(eve, 5), None);
            guesses.wrong(eve, 5);
        }
        assert_eq!(guesses.wait_ms(eve, 5), Some(1000));
        assert_eq!(guesses.wait_ms(ann, 5), None, "another address");
        assert_eq!(guesses.wait_ms(eve, 1004), Some(1));
        assert_eq!(guesses.wait_ms(eve, 1005), None);
        guesses.wrong(eve, 1005);
        assert_eq!(guesses.wait_ms(eve, 1005), Some(1000));
        // Many at once that all passed before any was known to be wrong are all paid for.
        for _ in 0..60 {
            guesses.wrong(eve, 1005);
        }
        assert_eq!(guesses.wait_ms(eve, 1005), Some(61_000));
        assert_eq!(guesses.wait_ms(eve, 62_005), None);
    }

    #[test]
    fn memory_is_bounded_and_the_latest_are_remembered() {
        let mut guesses = Guesses::new(1);
        for number in 0..10 * GENERATION as u32 {
            guesses.wrong(network(number), 0);
            assert!(guesses.young.len() + guesses.old.len() <= 2 * GENERATION);
            assert!(guesses.wait_ms(network(number), 0).is_some());
            let earlier = number.saturating_sub(GENERATION as u32 - 1);
            assert!(guesses.wait_ms(network(earlier), 0).is_some(), "{earlier} after {number}");
        }
        assert_eq!(guesses.wait_ms(network(0), 0), None, "forgotten long ago");
    }

    #[test]
    fn who_goes_on_being_wrong_is_not_forgotten() {
        let mut guesses = Guesses::new(1);
        for number in 0..4 * GENERATION as u32 {
            guesses.wrong(network(number), 0);
            if number % 1000 == 0 {
                guesses.wrong(network(7), 0);
            }
        }
        assert!(guesses.wait_ms(network(7), 0).is_some());
    }
}
