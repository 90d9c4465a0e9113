//! The address that a connection counts for: that of its peer, or the one that a trusted proxy forwards. Pure.

use std::net::{IpAddr, SocketAddr};

use hyper::HeaderMap;
use hyper::header::{FORWARDED, HeaderName};
use ipnet::IpNet;

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The networks of the proxies that an operator trusts to name their clients.
#[derive(Clone, Debug)]
pub(in crate::net) struct TrustedProxies(Vec<IpNet>);

/// `Forwarded` and `X-Forwarded-For` name different clients. A proxy sets one of them and passes the other on, so that
/// its client has written one of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::net) struct ContradictoryHeaders;

impl TrustedProxies {
    pub(in crate::net) fn new(networks: Vec<IpNet>) -> TrustedProxies {
        TrustedProxies(networks)
    }

    /// Returns whether an address is that of a trusted proxy.
    pub(in crate::net) fn contains(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.iter().any(|network| network.contains(&address))
    }

    /// Returns the client of a request: the nearest hop that is no trusted proxy, starting at the `peer`. The headers of a
    /// peer that is not trusted count for nothing. Where a trusted proxy names no address, the request is its own.
    ///
    /// # Errors
    /// If the two headers contradict each other.
    pub(in crate::net) fn client_of(
        &self,
        peer: IpAddr,
        headers: &HeaderMap,
    ) -> Result<IpAddr, ContradictoryHeaders> {
        if !self.contains(peer) {
            return Ok(peer);
        }
        let by_header = |name: HeaderName, parse: fn(&str) -> Option<IpAddr>| {
            headers
                .contains_key(&name)
                .then(|| self.nearest_untrusted(peer, headers, &name, parse))
        };
        match (
            by_header(FORWARDED, parse_forwarded_element),
            by_header(X_FORWARDED_FOR, parse_node),
        ) {
            (None, None) => Ok(peer),
            (Some(client), None) | (None, Some(client)) => Ok(client),
            (Some(one), Some(other)) if one == other => Ok(one),
            (Some(_), Some(_)) => Err(ContradictoryHeaders),
        }
    }

    /// Follows the hops of a header from the last to the first while they are trusted.
    fn nearest_untrusted(
        &self,
        peer: IpAddr,
        headers: &HeaderMap,
        name: &HeaderName,
        parse: fn(&str) -> Option<IpAddr>,
    ) -> IpAddr {
        let mut client = peer;
        for value in headers.get_all(name).iter().rev() {
            // A value that is not text hides its hops.
            let Ok(text) = value.to_str() else {
                return client;
            };
            for element in split_list(text).into_iter().rev() {
                let Some(hop) = parse(element) else {
                    return client;
                };
                client = hop.to_canonical();
                if !self.contains(client) {
                    return client;
                }
            }
        }
        client
    }
}

/// Splits a list (RFC 9110, section 5.6.1) at the commas outside of quoted strings. Empty elements are ignored.
fn split_list(text: &str) -> Vec<&str> {
    split_unquoted(text, ',')
}

fn split_unquoted(text: &str, separator: char) -> Vec<&str> {
    let (mut is_quoted, mut is_escaped) = (false, false);
    let parts = text.split(|character| {
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' if is_quoted => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            _ if character == separator => return !is_quoted,
            _ => {}
        }
        false
    });
    parts
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect()
}

/// Returns the address of `for=` in an element of `Forwarded` (RFC 7239, section 4); none for `unknown` and names that
/// hide an address.
fn parse_forwarded_element(element: &str) -> Option<IpAddr> {
    let pair = split_unquoted(element, ';').into_iter().find_map(|pair| {
        let (name, value) = pair.split_once('=')?;
        name.trim()
            .eq_ignore_ascii_case("for")
            .then_some(value.trim())
    })?;
    let unquoted = pair
        .strip_prefix('"')
        .and_then(|text| text.strip_suffix('"'));
    parse_node(unquoted.unwrap_or(pair))
}

/// Parses an address, with a port or without: `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1`, `[2001:db8::1]:4711`.
fn parse_node(text: &str) -> Option<IpAddr> {
    let bracketed = text
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'));
    match bracketed {
        Some(address) => address.parse().ok().map(IpAddr::V6),
        None => text
            .parse()
            .ok()
            .or_else(|| text.parse().ok().map(|node: SocketAddr| node.ip())),
    }
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;

    /// The client of a request with these headers, from `peer`. Trusted: 10.0.0.0/8, 2001:db8:f::/48.
    fn client(peer: &str, headers: &[(HeaderName, &str)]) -> Result<String, ContradictoryHeaders> {
        let networks = ["10.0.0.0/8", "2001:db8:f::/48"].map(|network| network.parse().unwrap());
        let proxies = TrustedProxies::new(networks.to_vec());
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(name, HeaderValue::from_str(value).unwrap());
        }
        proxies
            .client_of(peer.parse().unwrap(), &map)
            .map(|address| address.to_string())
    }

    #[test]
    fn the_nearest_untrusted_hop_is_the_client() {
        for (values, expected) in [
            (&["192.0.2.1"][..], "192.0.2.1"),
            (&["192.0.2.1:4711"], "192.0.2.1"),
            (&["2001:db8::1"], "2001:db8::1"),
            (&["[2001:db8::1]:4711"], "2001:db8::1"),
            (&["[2001:db8::1]"], "2001:db8::1"),
            (&["::ffff:192.0.2.1"], "192.0.2.1"),
            // The client wrote the first addresses.
            (&["203.0.113.9, 192.0.2.1"], "192.0.2.1"),
            (&["203.0.113.9", "192.0.2.1"], "192.0.2.1"),
            (&["192.0.2.1", "203.0.113.9"], "203.0.113.9"),
            // Several proxies.
            (
                &["203.0.113.9, 192.0.2.1 ,10.1.1.1,, 2001:db8:f::7"],
                "192.0.2.1",
            ),
            (&["10.1.1.1, 10.2.2.2"], "10.1.1.1"),
            // A hop without an address: the proxy before it is as far as it goes.
            (&["192.0.2.1, unknown"], "10.0.0.1"),
            (&["192.0.2.1, unknown, 10.3.3.3"], "10.3.3.3"),
            (&["999.0.2.1"], "10.0.0.1"),
            (&[""], "10.0.0.1"),
        ] {
            let headers: Vec<_> = values
                .iter()
                .map(|value| (X_FORWARDED_FOR, *value))
                .collect();
            assert_eq!(
                client("10.0.0.1", &headers).as_deref(),
                Ok(expected),
                "{values:?}"
            );
            assert_eq!(
                client("192.0.2.77", &headers).as_deref(),
                Ok("192.0.2.77"),
                "an untrusted peer"
            );
        }
        assert_eq!(client("10.0.0.1", &[]).as_deref(), Ok("10.0.0.1"));
        assert_eq!(
            client("::ffff:10.0.0.1", &[(X_FORWARDED_FOR, "192.0.2.1")]).as_deref(),
            Ok("192.0.2.1")
        );
    }

    #[test]
    fn forwarded_names_the_client_as_rfc_7239_says() {
        for (value, expected) in [
            ("for=192.0.2.1", "192.0.2.1"),
            (
                "For=\"192.0.2.1:4711\";proto=https;by=203.0.113.43",
                "192.0.2.1",
            ),
            ("proto=https; for=\"[2001:db8::1]:4711\"", "2001:db8::1"),
            ("for=\"[2001:db8::1]\"", "2001:db8::1"),
            (
                "for=203.0.113.9, for=192.0.2.1;host=\"a,b;for=1.1.1.1\\\",\"",
                "192.0.2.1",
            ),
            ("for=192.0.2.1, for=10.9.9.9", "192.0.2.1"),
            ("for=192.0.2.1, for=unknown", "10.0.0.1"),
            ("for=_hidden", "10.0.0.1"),
            ("proto=https", "10.0.0.1"),
        ] {
            assert_eq!(
                client("10.0.0.1", &[(FORWARDED, value)]).as_deref(),
                Ok(expected),
                "{value}"
            );
        }
    }

    #[test]
    fn contradictory_headers_are_an_error() {
        for (peer, address, expected) in [
            ("10.0.0.1", "192.0.2.1", Err(ContradictoryHeaders)),
            ("10.0.0.1", "203.0.113.9", Ok("203.0.113.9".to_owned())),
            ("192.0.2.77", "192.0.2.1", Ok("192.0.2.77".to_owned())),
        ] {
            let headers = [(FORWARDED, "for=203.0.113.9"), (X_FORWARDED_FOR, address)];
            assert_eq!(client(peer, &headers), expected, "{peer} {address}");
        }
    }
}
