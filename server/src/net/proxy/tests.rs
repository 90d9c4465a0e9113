use hyper::header::HeaderValue;
use proptest::prelude::*;
use tokio::io::duplex;

use super::*;

/// Reads the opening of these bytes, followed by the end of the stream, in pieces of `chunk` bytes.
async fn read(
    bytes: &[u8],
    chunk: usize,
    is_proxy: bool,
    expected: Expected,
) -> Result<Opening, OpeningError> {
    use tokio::io::AsyncWriteExt;
    let (mut client, mut server) = duplex(chunk);
    let write = async move {
        for piece in bytes.chunks(chunk) {
            // The reader stops at the end of the first line.
            let (Ok(()) | Err(_)) = client.write_all(piece).await;
        }
    };
    let read = async {
        let opening = Opening::read(&mut server, is_proxy, expected).await;
        drop(server);
        opening
    };
    tokio::join!(write, read).1
}

#[tokio::test]
async fn a_header_is_taken_off_for_a_proxy_only() {
    let request = b"PROXY TCP4 192.0.2.1 198.51.100.1 1 2\r\nGET / HTTP/1.1\r\n";
    for chunk in [1, 7, 1000] {
        let opening = read(request, chunk, true, Expected::Http).await.unwrap();
        assert_eq!(opening.client, Some("192.0.2.1".parse().unwrap()));
        assert!(
            opening.bytes.ends_with(b"GET / HTTP/1.1\r\n"),
            "{}",
            opening.bytes.escape_ascii()
        );
        let opening = read(request, chunk, false, Expected::Http).await.unwrap();
        assert_eq!((opening.client, opening.bytes[0]), (None, b'P'));
    }
    assert!(matches!(
        read(b"PROXY x\r\n", 3, true, Expected::Http).await,
        Err(OpeningError::Proxy(_))
    ));
}

#[tokio::test]
async fn wrong_protocols_are_recognized() {
    let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    assert!(matches!(
        read(preface, 5, false, Expected::Http).await,
        Err(OpeningError::Http2)
    ));
    let request = b"GET / HTTP/1.1\r\n\r\n";
    assert!(matches!(
        read(request, 5, false, Expected::Tls).await,
        Err(OpeningError::TlsRequired)
    ));
    let record = [&[TLS_HANDSHAKE, 3, 1, 0, 10][..], &[7; 30]].concat();
    assert!(
        read(&record, 4, false, Expected::Tls)
            .await
            .unwrap()
            .bytes
            .len()
            >= 15
    );
    assert_eq!(
        read(b"", 5, false, Expected::Http).await.unwrap().bytes,
        b""
    );
}

#[tokio::test]
async fn a_prefix_is_read_before_the_stream() {
    let mut stream = PrefixedStream::new(b"abc".to_vec(), &b"def"[..]);
    let mut two = [0; 2];
    stream.read_exact(&mut two).await.unwrap();
    assert_eq!((&two, stream.prefix.len()), (b"ab", 3));
    let (rest, unread) = PrefixedStream {
        prefix: stream.prefix.clone(),
        ..stream
    }
    .into_parts();
    assert_eq!((rest, unread), (&b"def"[..], b"c".to_vec()));
    let mut all = Vec::new();
    PrefixedStream::new(b"abc".to_vec(), &b"def"[..])
        .read_to_end(&mut all)
        .await
        .unwrap();
    assert_eq!(all, b"abcdef");
}

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

/// Returns a header of version 2 with these bytes 13 and 14, and this payload.
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

/// Returns the client of a request with these headers, from `peer`. Trusted: 10.0.0.0/8, 2001:db8:f::/48.
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
        // The client has written the addresses before the last.
        (&["203.0.113.9, 192.0.2.1"], "192.0.2.1"),
        (&["203.0.113.9", "192.0.2.1"], "192.0.2.1"),
        (&["192.0.2.1", "203.0.113.9"], "203.0.113.9"),
        // The request has passed several proxies.
        (
            &["203.0.113.9, 192.0.2.1 ,10.1.1.1,, 2001:db8:f::7"],
            "192.0.2.1",
        ),
        (&["10.1.1.1, 10.2.2.2"], "10.1.1.1"),
        // A hop without an address ends the search at the proxy before it.
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
