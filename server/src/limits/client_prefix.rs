//! The unit of all limits per client: an IPv4 address or an IPv6 /64.

use std::net::{IpAddr, Ipv6Addr};

/// An IPv4 address, or the /64 prefix of an IPv6 address.
///
/// A /64 is the smallest network that providers assign, so that one client could use a new address for each connection.
/// The rest of an IPv6 address is not stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ClientPrefix(IpAddr);

impl ClientPrefix {
    /// Returns the prefix of an address. IPv4-mapped IPv6 addresses count as IPv4.
    pub(crate) fn from_ip(address: IpAddr) -> ClientPrefix {
        ClientPrefix(match address.to_canonical() {
            IpAddr::V4(address) => IpAddr::V4(address),
            IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 64))),
        })
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
}
