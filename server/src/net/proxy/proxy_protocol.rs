//! The PROXY protocol, versions 1 and 2: the client address that a TCP proxy writes before the first byte of the client.
//! Pure.

use std::fmt::Display;
use std::net::IpAddr;

use ppp::{PartialResult, v1, v2};

/// Maximum length of a header of version 2 after its first 16 bytes: addresses, and vendor data that are ignored.
const V2_PAYLOAD_MAX_BYTES: usize = 2048;

/// Maximum length of a header of version 1.
const V1_MAX_BYTES: usize = 107;

const V1_PREFIX: &[u8] = b"PROXY ";

/// Result of looking for a header at the beginning of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::net) enum ProxyHeader {
    /// The connection does not begin with a header.
    Absent,
    /// More bytes are needed.
    Incomplete,
    /// A header of `len` bytes.
    Complete {
        /// Length of the header.
        len: usize,
        /// Address of the client; none if the proxy connects on its own behalf, or does not know the address.
        client: Option<IpAddr>,
    },
}

/// A header that violates the protocol, or an address family that no TCP client has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("malformed PROXY header: {0}")]
pub(in crate::net) struct ProxyHeaderError(String);

impl ProxyHeader {
    /// Parses the first bytes of a connection.
    pub(in crate::net) fn parse(bytes: &[u8]) -> Result<ProxyHeader, ProxyHeaderError> {
        if is_beginning_of(bytes, v2::PROTOCOL_PREFIX) {
            parse_v2(bytes)
        } else if is_beginning_of(bytes, V1_PREFIX) {
            parse_v1(bytes)
        } else {
            Ok(ProxyHeader::Absent)
        }
    }
}

impl ProxyHeaderError {
    /// Returns an error with the text of the library on one line: the text may contain line breaks.
    fn from_library(error: impl Display) -> ProxyHeaderError {
        ProxyHeaderError(error.to_string().escape_debug().to_string())
    }
}

/// Returns whether `bytes` begin with `prefix`, as far as they go.
fn is_beginning_of(bytes: &[u8], prefix: &[u8]) -> bool {
    let common = bytes.len().min(prefix.len());
    bytes[..common] == prefix[..common]
}

fn parse_v1(bytes: &[u8]) -> Result<ProxyHeader, ProxyHeaderError> {
    let Some(end) = bytes.windows(2).position(|pair| pair == b"\r\n") else {
        if bytes.len() < V1_MAX_BYTES {
            return Ok(ProxyHeader::Incomplete);
        }
        return Err(ProxyHeaderError(format!(
            "no line break in {V1_MAX_BYTES} bytes"
        )));
    };
    let line = &bytes[..end + 2];
    let parsed = v1::Header::try_from(line).map_err(ProxyHeaderError::from_library)?;
    let client = match parsed.addresses {
        v1::Addresses::Unknown => None,
        v1::Addresses::Tcp4(addresses) => Some(addresses.source_address.into()),
        v1::Addresses::Tcp6(addresses) => Some(addresses.source_address.into()),
    };
    Ok(ProxyHeader::Complete {
        len: line.len(),
        client,
    })
}

fn parse_v2(bytes: &[u8]) -> Result<ProxyHeader, ProxyHeaderError> {
    if let Some(length) = bytes.get(14..16) {
        let length = usize::from(u16::from_be_bytes([length[0], length[1]]));
        if length > V2_PAYLOAD_MAX_BYTES {
            return Err(ProxyHeaderError(format!(
                "{length} bytes, at most {V2_PAYLOAD_MAX_BYTES} allowed"
            )));
        }
    }
    let result = v2::Header::try_from(bytes);
    if result.is_incomplete() {
        return Ok(ProxyHeader::Incomplete);
    }
    let parsed = result.map_err(ProxyHeaderError::from_library)?;
    let client = match (parsed.command, parsed.protocol, parsed.addresses) {
        (v2::Command::Local, _, _)
        | (_, _, v2::Addresses::Unspecified | v2::Addresses::Unix(_)) => None,
        (v2::Command::Proxy, v2::Protocol::Datagram, _) => {
            return Err(ProxyHeaderError("datagrams instead of a stream".into()));
        }
        (v2::Command::Proxy, _, v2::Addresses::IPv4(addresses)) => {
            Some(addresses.source_address.into())
        }
        (v2::Command::Proxy, _, v2::Addresses::IPv6(addresses)) => {
            Some(addresses.source_address.into())
        }
    };
    Ok(ProxyHeader::Complete {
        len: parsed.len(),
        client,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const V1: &[u8] = b"PROXY TCP4 192.0.2.1 198.51.100.1 51234 443\r\n";

    #[test]
    fn the_error_of_a_header_is_one_line() {
        let error = ProxyHeader::parse(b"PROXY TCP4 192.0.2.1 198.51.100.1 51234 443 0\r\n");
        let text = error.expect_err("six fields").to_string();
        assert!(
            text.contains(r"\r\n") && !text.contains(char::is_control),
            "{text:?}"
        );
    }

    /// A header of version 2 with these bytes 13 and 14, and this payload.
    fn v2_header(command: u8, family: u8, payload: &[u8]) -> Vec<u8> {
        let length = u16::try_from(payload.len()).unwrap().to_be_bytes();
        [v2::PROTOCOL_PREFIX, &[command, family], &length, payload].concat()
    }

    fn ipv4_payload() -> Vec<u8> {
        [
            &[192, 0, 2, 1],
            &[198, 51, 100, 1],
            &51234_u16.to_be_bytes()[..],
            &443_u16.to_be_bytes(),
        ]
        .concat()
    }

    fn complete(bytes: &[u8], client: Option<&str>) {
        let client = client.map(|address| address.parse().unwrap());
        let expected = Ok(ProxyHeader::Complete {
            len: bytes.len(),
            client,
        });
        assert_eq!(
            ProxyHeader::parse(bytes),
            expected,
            "{}",
            bytes.escape_ascii()
        );
        let followed = [bytes, b"GET / HTTP/1.1\r\n\r\n"].concat();
        assert_eq!(
            ProxyHeader::parse(&followed),
            expected,
            "{}",
            followed.escape_ascii()
        );
        for length in 0..bytes.len() {
            let parsed = ProxyHeader::parse(&bytes[..length]);
            assert_eq!(
                parsed,
                Ok(ProxyHeader::Incomplete),
                "{}",
                bytes[..length].escape_ascii()
            );
        }
    }

    #[test]
    fn headers_of_both_versions_name_the_client() {
        complete(V1, Some("192.0.2.1"));
        complete(
            b"PROXY TCP6 2001:db8::1 2001:db8::2 51234 443\r\n",
            Some("2001:db8::1"),
        );
        complete(b"PROXY UNKNOWN\r\n", None);
        complete(&v2_header(0x21, 0x11, &ipv4_payload()), Some("192.0.2.1"));
        let with_vendor_data = [&ipv4_payload()[..], &[4, 0, 2, 7, 7]].concat();
        complete(&v2_header(0x21, 0x11, &with_vendor_data), Some("192.0.2.1"));
        let ipv6_payload = [[0x20; 32], [0; 32]].concat();
        complete(
            &v2_header(0x21, 0x21, &ipv6_payload[..36]),
            Some("2020:2020:2020:2020:2020:2020:2020:2020"),
        );
        complete(&v2_header(0x20, 0x00, &[]), None);
        complete(&v2_header(0x20, 0x11, &ipv4_payload()), None);
        complete(&v2_header(0x21, 0x00, &[]), None);
    }

    #[test]
    fn malformed_headers_are_errors() {
        let v2 = |command, family, payload: &[u8]| v2_header(command, family, payload);
        for bytes in [
            b"PROXY \r\n".to_vec(),
            b"PROXY TCP4 192.0.2.256 198.51.100.1 1 2\r\n".to_vec(),
            b"PROXY TCP4 192.0.2.1 198.51.100.1 1\r\n".to_vec(),
            b"PROXY TCP4 2001:db8::1 2001:db8::2 1 2\r\n".to_vec(),
            b"PROXY SCTP 192.0.2.1 198.51.100.1 1 2\r\n".to_vec(),
            [&b"PROXY "[..], &[b'x'; 200]].concat(),
            v2(0x11, 0x11, &ipv4_payload()),
            v2(0x2f, 0x11, &ipv4_payload()),
            v2(0x21, 0x41, &ipv4_payload()),
            v2(0x21, 0x12, &ipv4_payload()),
            v2(0x21, 0x11, &[1, 2, 3]),
            v2(0x21, 0x11, &[0; 4000]),
        ] {
            let parsed = ProxyHeader::parse(&bytes);
            let error = parsed.expect_err(&bytes.escape_ascii().to_string());
            assert!(
                error.to_string().starts_with("malformed PROXY header: "),
                "{error}"
            );
        }
        for request in [
            &b"GET / HTTP/1.1\r\n"[..],
            b"PROXIES\r\n",
            b"\r\nGET /",
            b"\x16\x03\x01\x00",
        ] {
            assert_eq!(ProxyHeader::parse(request), Ok(ProxyHeader::Absent));
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_handled(version in 0..3_usize, bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
            let prefix = [&b""[..], V1_PREFIX, v2::PROTOCOL_PREFIX][version];
            let all = [prefix, &bytes].concat();
            if let Ok(ProxyHeader::Complete { len, .. }) = ProxyHeader::parse(&all) {
                prop_assert!(len <= all.len());
            }
        }
    }
}
