//! Client addresses behind proxies. The server believes the PROXY protocol and the headers of a trusted proxy, and no
//! other headers. The proxies of these tests have loopback addresses. The network 127.0.9.0/24 is trusted.

use std::net::Ipv4Addr;

use noughts_tests::client::http::HttpResponse;
use noughts_tests::client::raw_websocket::{RawWebSocket, handshake_request};
use noughts_tests::server::ServerProcess;

const PROXY: Ipv4Addr = Ipv4Addr::new(127, 0, 9, 1);
const STRANGER: Ipv4Addr = Ipv4Addr::new(127, 0, 8, 1);

/// Starts a server that allows two connections per client.
fn start_server(more_flags: &[&str]) -> ServerProcess {
    let flags = [
        "--trusted-proxy",
        "127.0.9.0/24",
        "--trusted-proxy",
        "2001:db8:f::/48",
        "--max-per-address",
        "2",
    ];
    ServerProcess::start(&[&flags[..], more_flags].concat())
}

/// Returns a PROXY header of version 2 for a connection of an IPv4 or IPv6 client.
fn header_v2(client: &str) -> Vec<u8> {
    let (family, addresses) = match client.parse().expect("an address") {
        std::net::IpAddr::V4(address) => {
            (0x11, [&address.octets()[..], &[198, 51, 100, 1]].concat())
        }
        std::net::IpAddr::V6(address) => (0x21, [&address.octets()[..], &[0; 16]].concat()),
    };
    let payload = [&addresses[..], &[1, 2, 3, 4]].concat();
    let length = u16::try_from(payload.len()).expect("short").to_be_bytes();
    [
        b"\r\n\r\n\0\r\nQUIT\n\x21",
        &[family][..],
        &length,
        &payload,
    ]
    .concat()
}

/// Sends a preamble and a handshake with extra headers from an address; returns the connection and the response.
async fn connect(
    server: &ServerProcess,
    from: Ipv4Addr,
    preamble: &[u8],
    headers: &str,
) -> (RawWebSocket, HttpResponse) {
    let mut socket = RawWebSocket::connect_from(from, server.address()).await;
    socket
        .try_write(&[preamble, handshake_request(headers).as_bytes()].concat())
        .await;
    let head = socket.read_head().await;
    (socket, HttpResponse::parse(&head))
}

#[tokio::test]
async fn limits_count_the_client_that_a_proxy_header_names() {
    let server = start_server(&[]);
    let mut open = vec![];
    for (preamble, status) in [
        (b"PROXY TCP4 192.0.2.1 198.51.100.1 1 2\r\n".to_vec(), 101),
        (header_v2("192.0.2.1"), 101),
        (header_v2("192.0.2.1"), 429),
        (b"PROXY TCP4 192.0.2.1 198.51.100.1 1 2\r\n".to_vec(), 429),
        (header_v2("::ffff:192.0.2.1"), 429),
        // Other clients of the same proxy.
        (header_v2("192.0.2.2"), 101),
        (header_v2("2001:db8::1"), 101),
        (b"PROXY TCP6 2001:db8::2 ::1 1 2\r\n".to_vec(), 101),
        (header_v2("2001:db8::3"), 429),
        // Connections of the proxy itself.
        (b"PROXY UNKNOWN\r\n".to_vec(), 101),
        (b"\r\n\r\n\0\r\nQUIT\n\x20\0\0\0".to_vec(), 101),
        (Vec::new(), 429),
    ] {
        let (socket, response) = connect(&server, PROXY, &preamble, "").await;
        assert_eq!(
            response.status,
            status,
            "{}: {response:?}",
            preamble.escape_ascii()
        );
        open.push(socket);
    }
}

#[tokio::test]
async fn limits_count_the_client_that_the_headers_of_a_proxy_name() {
    let server = start_server(&[]);
    let mut open = vec![];
    for (headers, status) in [
        ("X-Forwarded-For: 192.0.2.1\r\n", 101),
        // The addresses that a client has written precede the address that the proxy has added.
        ("X-Forwarded-For: 203.0.113.1, 192.0.2.1\r\n", 101),
        (
            "X-Forwarded-For: 203.0.113.2\r\nX-Forwarded-For: 192.0.2.1\r\n",
            429,
        ),
        (
            "Forwarded: for=203.0.113.3, for=192.0.2.1;proto=https\r\n",
            429,
        ),
        // Two proxies.
        (
            "X-Forwarded-For: 192.0.2.1, 127.0.9.7, 2001:db8:f::1\r\n",
            429,
        ),
        ("X-Forwarded-For: 192.0.2.2\r\n", 101),
        ("Forwarded: for=\"[2001:db8::1]:4711\"\r\n", 101),
        (
            "Forwarded: for=192.0.2.7\r\nX-Forwarded-For: 192.0.2.8\r\n",
            400,
        ),
        // If no header names the client, the limits count the proxy as the client.
        ("", 101),
        ("Forwarded: for=_hidden\r\n", 101),
        ("X-Forwarded-For: unknown\r\n", 429),
    ] {
        let (socket, response) = connect(&server, PROXY, b"", headers).await;
        assert_eq!(response.status, status, "{headers:?}: {response:?}");
        open.push(socket);
    }
    // A TCP proxy in front of an HTTP proxy; the server trusts both.
    let (_, response) = connect(
        &server,
        PROXY,
        &header_v2("127.0.9.2"),
        "X-Forwarded-For: 192.0.2.1\r\n",
    )
    .await;
    assert_eq!(response.status, 429, "{response:?}");
    let (_, response) = connect(
        &server,
        PROXY,
        &header_v2("192.0.2.9"),
        "X-Forwarded-For: 192.0.2.1\r\n",
    )
    .await;
    assert_eq!(
        response.status, 101,
        "the client's own header: {response:?}"
    );
}

#[tokio::test]
async fn headers_of_others_count_for_nothing() {
    let server = start_server(&[]);
    let mut open = vec![];
    for (headers, status) in [
        ("X-Forwarded-For: 192.0.2.1\r\n", 101),
        ("Forwarded: for=192.0.2.2\r\n", 101),
        ("X-Forwarded-For: 192.0.2.3\r\n", 429),
        (
            "Forwarded: for=192.0.2.4\r\nX-Forwarded-For: 192.0.2.5\r\n",
            429,
        ),
    ] {
        let (socket, response) = connect(&server, STRANGER, b"", headers).await;
        assert_eq!(response.status, status, "{headers:?}: {response:?}");
        open.push(socket);
    }
    let other = Ipv4Addr::new(127, 0, 8, 2);
    for preamble in [
        b"PROXY TCP4 192.0.2.1 198.51.100.1 1 2\r\n".to_vec(),
        header_v2("192.0.2.1"),
    ] {
        let (_, response) = connect(&server, other, &preamble, "").await;
        assert_ne!(response.status, 101, "{}", preamble.escape_ascii());
    }
}

#[tokio::test]
async fn malformed_proxy_headers_are_rejected_with_a_reason() {
    let server = start_server(&[]);
    for preamble in [
        b"PROXY TCP4 nobody 198.51.100.1 1 2\r\n".to_vec(),
        b"PROXY QUIC 192.0.2.1 198.51.100.1 1 2\r\n".to_vec(),
        [b"PROXY ", &[b'x'; 300][..]].concat(),
        b"\r\n\r\n\0\r\nQUIT\n\x51\x11\0\x0c0123456789ab".to_vec(),
        b"\r\n\r\n\0\r\nQUIT\n\x21\x12\0\x0c0123456789ab".to_vec(),
        b"\r\n\r\n\0\r\nQUIT\n\x21\x11\xff\xff".to_vec(),
    ] {
        let mut socket = RawWebSocket::connect_from(PROXY, server.address()).await;
        socket
            .try_write(&[&preamble[..], handshake_request("").as_bytes()].concat())
            .await;
        let mut text = socket.read_head().await;
        text.push_str(&socket.read_rest().await);
        let response = HttpResponse::parse(&text);
        assert_eq!(
            response.status,
            400,
            "{}: {response:?}",
            preamble.escape_ascii()
        );
        assert!(
            response.body.starts_with("malformed PROXY header: "),
            "{response:?}"
        );
    }
}
