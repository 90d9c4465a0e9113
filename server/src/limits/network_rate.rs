//! Limits how often something happens per client and network. Pure: the time is an argument.
//!
//! Memory is bounded: a network that a [`GenerationMap`] discards starts with a full burst. An event beyond the limit is
//! not recorded, so that the addresses of one network displace only as many others as the limit of that network allows.

use noughts_protocol::rate_limit::Gcra;

use crate::limits::client_prefix::{ClientPrefix, Network, SHARE_MAX};
use crate::limits::generation_map::GenerationMap;

/// Number of networks per generation.
const GENERATION_CAPACITY: usize = 8192;

/// Ticks per millisecond: microseconds, times the greatest share of a network, so that every share is exact.
const TICKS_PER_MS: u64 = 1000 * SHARE_MAX as u64;

/// One rate for each client, and a multiple of it for each larger network; see [`Network::share`].
#[derive(Debug)]
pub(crate) struct NetworkRate {
    /// By network, the time at which its whole burst is available again, in ticks; see [`Gcra`].
    full_at: GenerationMap<Network, u64, GENERATION_CAPACITY>,
    /// Ticks per event of one client.
    interval: u64,
    /// Ticks of a whole burst.
    capacity: u64,
}

impl NetworkRate {
    /// Allows each client `burst` events at once, and `per_minute` in the long run.
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
        let now = now.saturating_mul(TICKS_PER_MS);
        let wait = client_prefix
            .networks()
            .map(|network| self.wait(network, now))
            .max()
            .unwrap_or(0);
        if wait > 0 {
            return Err(wait.div_ceil(TICKS_PER_MS));
        }
        for network in client_prefix.networks() {
            let full_at = self.limit(network).charge(self.full_at(network), 1, now);
            self.full_at.insert(network, full_at);
        }
        Ok(())
    }

    fn wait(&self, network: Network, now: u64) -> u64 {
        self.limit(network).wait(self.full_at(network), 1, now)
    }

    fn limit(&self, network: Network) -> Gcra {
        Gcra::new(self.interval / u64::from(network.share()), self.capacity)
    }

    fn full_at(&self, network: Network) -> u64 {
        self.full_at.get(&network).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use super::*;

    fn client_prefix(number: u32) -> ClientPrefix {
        ClientPrefix::from_ip(Ipv4Addr::from_bits(number).into())
    }

    #[test]
    fn events_of_a_client_are_limited_and_recover() {
        let mut rate = NetworkRate::new(60, 60);
        let [eve, ann] = [1, 2].map(client_prefix);
        for _ in 0..60 {
            assert_eq!(rate.try_take(eve, 5), Ok(()));
        }
        assert_eq!(rate.try_take(eve, 5), Err(1000));
        assert_eq!(rate.try_take(ann, 5), Ok(()), "another client");
        assert_eq!(rate.try_take(eve, 1004), Err(1));
        assert_eq!(rate.try_take(eve, 1005), Ok(()));
        assert_eq!(
            rate.try_take(eve, 1005),
            Err(1000),
            "a refused event costs nothing"
        );
    }

    #[test]
    fn the_clients_of_a_network_share_its_limit() {
        for (one_network, others, share) in [
            ("192.0.2.", "192.0.3.1", 16),
            ("2001:db8:1:20::", "2001:db8:1:100::1", 1),
            ("2001:db8:1:", "2001:db8:2::1", 16),
        ] {
            let mut rate = NetworkRate::new(3, 1);
            let address = |host: u32| -> IpAddr {
                let text = match one_network {
                    "2001:db8:1:" => format!("{one_network}{host:x}00::1"),
                    _ => format!("{one_network}{host}"),
                };
                text.parse().unwrap()
            };
            let clients = (0..200).map(|host| ClientPrefix::from_ip(address(host)));
            let allowed = clients
                .filter(|client| rate.try_take(*client, 0).is_ok())
                .count();
            assert_eq!(allowed, 3 * share, "{one_network}");
            assert_eq!(
                rate.try_take(ClientPrefix::from_ip(others.parse().unwrap()), 0),
                Ok(())
            );
        }
    }

    #[test]
    fn a_discarded_client_starts_with_a_full_burst() {
        let mut rate = NetworkRate::new(1, 1);
        // Each client in a /24 of its own: two networks.
        for number in 0..5 * GENERATION_CAPACITY as u32 {
            assert_eq!(rate.try_take(client_prefix(number << 8), 0), Ok(()));
            let earlier = number.saturating_sub(GENERATION_CAPACITY as u32 / 2 - 1);
            assert!(
                rate.try_take(client_prefix(earlier << 8), 0).is_err(),
                "{earlier} after {number}"
            );
        }
        assert_eq!(
            rate.try_take(client_prefix(0), 0),
            Ok(()),
            "discarded with its generation"
        );
    }

    #[test]
    fn one_network_displaces_few_others() {
        let mut rate = NetworkRate::new(2, 1);
        let ann = client_prefix(7);
        rate.try_take(ann, 0).unwrap();
        rate.try_take(ann, 0).unwrap();
        for number in 0..10 * GENERATION_CAPACITY as u128 {
            let address = (0x2001_0db8_u128 << 96) | (number << 64);
            let (Ok(()) | Err(_)) =
                rate.try_take(ClientPrefix::from_ip(IpAddr::V6(address.into())), 0);
        }
        assert!(rate.try_take(ann, 0).is_err());
    }
}
