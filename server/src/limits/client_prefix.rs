//! The unit of all limits per client, and the larger networks that contain it.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};

/// An IPv4 address, or the /64 prefix of an IPv6 address.
///
/// A /64 is the smallest network that providers assign, so one client could use a new address for each connection.
/// The rest of an IPv6 address is not stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ClientPrefix(IpAddr);

/// A network that contains a client. The limit of the network is the limit of one client times [`Network::share`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Network {
    address: IpAddr,
    prefix_len: u8,
}

/// Prefix length and share of each limited IPv4 network. A /24 is the smallest network that is routed on its own.
const IPV4_NETWORKS: &[(u8, u32)] = &[(32, 1), (24, 16)];

/// Prefix length and share of each limited IPv6 network. Providers assign a /64, a /56 or a /48 to one customer.
const IPV6_NETWORKS: &[(u8, u32)] = &[(64, 1), (56, 4), (48, 16)];

/// Maximum share of a network.
pub(crate) const SHARE_MAX: u32 = 16;

impl ClientPrefix {
    /// Returns the prefix of an address. IPv4-mapped IPv6 addresses count as IPv4.
    pub(crate) fn from_ip(address: IpAddr) -> ClientPrefix {
        ClientPrefix(match address.to_canonical() {
            IpAddr::V4(address) => IpAddr::V4(address),
            IpAddr::V6(address) => {
                IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 64)))
            }
        })
    }

    /// Returns the address that stands for the prefix.
    pub(crate) fn address(self) -> IpAddr {
        self.0
    }

    /// Returns the limited networks that contain the client, smallest first.
    pub(crate) fn networks(self) -> impl Iterator<Item = Network> {
        let sizes = if self.0.is_ipv4() {
            IPV4_NETWORKS
        } else {
            IPV6_NETWORKS
        };
        sizes
            .iter()
            .map(move |(prefix_len, _)| Network::of(self.0, *prefix_len))
    }

    /// Returns the network that one customer of a provider may own as a whole: the IPv4 address or the IPv6 /48.
    pub(crate) fn customer_network(self) -> Network {
        Network::of(self.0, if self.0.is_ipv4() { 32 } else { 48 })
    }
}

impl Network {
    fn of(address: IpAddr, prefix_len: u8) -> Network {
        let address = match address {
            IpAddr::V4(address) => {
                let mask = u32::MAX
                    .checked_shl(32 - u32::from(prefix_len))
                    .unwrap_or(0);
                IpAddr::V4((address.to_bits() & mask).into())
            }
            IpAddr::V6(address) => {
                let mask = u128::MAX
                    .checked_shl(128 - u32::from(prefix_len))
                    .unwrap_or(0);
                IpAddr::V6((address.to_bits() & mask).into())
            }
        };
        Network {
            address,
            prefix_len,
        }
    }

    /// Returns how many times the limit of one client applies to the network.
    pub(crate) fn share(self) -> u32 {
        let sizes = if self.address.is_ipv4() {
            IPV4_NETWORKS
        } else {
            IPV6_NETWORKS
        };
        sizes
            .iter()
            .find(|(prefix_len, _)| *prefix_len == self.prefix_len)
            .map_or(1, |(_, share)| *share)
    }
}

impl fmt::Display for ClientPrefix {
    /// Writes `192.0.2.1` or `2001:db8::/64`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            IpAddr::V4(address) => address.fmt(f),
            IpAddr::V6(prefix) => write!(f, "{prefix}/64"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefix_is_an_ipv4_address_or_an_ipv6_64() {
        let prefix = |address: &str| ClientPrefix::from_ip(address.parse().unwrap());
        for (one, other, same) in [
            ("10.0.0.1", "10.0.0.1", true),
            ("10.0.0.1", "10.0.0.2", false),
            ("::ffff:10.0.0.1", "10.0.0.1", true),
            ("::ffff:10.0.0.1", "::ffff:10.0.0.2", false),
            ("2001:db8::1", "2001:db8::ffff:0:0:2", true),
            ("2001:db8:0:0:ffff::", "2001:db8::", true),
            ("2001:db8:0:1::1", "2001:db8::1", false),
            ("::1", "127.0.0.1", false),
        ] {
            assert_eq!(prefix(one) == prefix(other), same, "{one} and {other}");
        }
    }

    #[test]
    fn larger_networks_contain_a_client_and_have_greater_shares() {
        let networks = |address: &str| -> Vec<_> {
            let client_prefix = ClientPrefix::from_ip(address.parse().unwrap());
            client_prefix
                .networks()
                .map(|network| {
                    (
                        format!("{}/{}", network.address, network.prefix_len),
                        network.share(),
                    )
                })
                .collect()
        };
        let written = |networks: &[(&str, u32)]| -> Vec<_> {
            networks
                .iter()
                .map(|(text, share)| ((*text).to_owned(), *share))
                .collect()
        };
        assert_eq!(
            networks("192.0.2.77"),
            written(&[("192.0.2.77/32", 1), ("192.0.2.0/24", 16)])
        );
        assert_eq!(
            networks("2001:db8:aaaa:bbcc:1::1"),
            written(&[
                ("2001:db8:aaaa:bbcc::/64", 1),
                ("2001:db8:aaaa:bb00::/56", 4),
                ("2001:db8:aaaa::/48", 16)
            ])
        );
        for sizes in [IPV4_NETWORKS, IPV6_NETWORKS] {
            assert!(
                sizes
                    .iter()
                    .all(|(_, share)| SHARE_MAX.is_multiple_of(*share))
            );
        }
    }

    #[test]
    fn a_prefix_is_written_as_a_firewall_takes_it() {
        for (address, text) in [
            ("::ffff:192.0.2.1", "192.0.2.1"),
            ("2001:db8::ffff:0:0:2", "2001:db8::/64"),
        ] {
            assert_eq!(
                ClientPrefix::from_ip(address.parse().unwrap()).to_string(),
                text
            );
        }
    }
}
