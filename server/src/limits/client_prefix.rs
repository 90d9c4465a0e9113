//! Who counts as one party where a limit is for each: an address, or as many as one party is given.

use std::net::{IpAddr, Ipv6Addr};

/// An IPv4 address, or the /64 of an IPv6 one: the least that a household or a rented machine is given,
/// which could otherwise come from another address each time. No single address of it is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClientPrefix(IpAddr);

impl ClientPrefix {
    /// The network that an address belongs to. An IPv4 peer of a socket for both is an IPv4 peer.
    pub fn from_ip(address: IpAddr) -> ClientPrefix {
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
