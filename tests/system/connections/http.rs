//! HTTP endpoints: pages, and errors with their exact status.

use std::net::SocketAddr;
use std::time::Duration;

use noughts_protocol::wire::SUBPROTOCOL;
use noughts_server::ServerLimits;
use noughts_tests::client::frame::{CLOSE, ClientFrame};
use noughts_tests::client::http::{HttpResponse, get_with_headers, request_head, send_request};
use noughts_tests::client::raw_websocket::{RawWebSocket, handshake_request};
use noughts_tests::client::test_client::TestClient;
use noughts_tests::server::ServerProcess;
use noughts_tests::server::TestServer;
use noughts_tests::wait::wait_until;

const HOST: &str = "Host: localhost\r\n";

/// Sends a handshake without some header lines and with others.
async fn handshake_without(server: &TestServer, without: &str, more: &str) -> HttpResponse {
    let lines: Vec<&str> = handshake_request("")
        .leak()
        .lines()
        .filter(|line| !line.is_empty())
        .collect();
    let remaining_lines: Vec<&str> = lines
        .into_iter()
        .filter(|line| without.is_empty() || !line.to_ascii_lowercase().starts_with(without))
        .collect();
    request_head(
        server.address(),
        &format!("{}\r\n{more}\r\n", remaining_lines.join("\r\n")),
    )
    .await
    .1
}

#[tokio::test]
async fn each_path_has_its_status() {
    let server = TestServer::start().await;
    for (path, status) in [
        ("/about.txt", 200),
        ("/health", 200),
        ("/ready", 200),
        ("/metrics", 200),
        ("/metrics?name=x", 200),
        ("/ws", 426),
        ("/nothing", 404),
        ("/ws/", 404),
        ("/WS", 404),
        ("//ws", 404),
        ("/%77s", 404),
        ("/health/../ws", 404),
        ("/metrics%00", 404),
        ("/../../etc/passwd", 404),
    ] {
        let response = get_with_headers(server.address(), path, HOST).await;
        assert_eq!(response.status, status, "{path}: {response:?}");
        assert_eq!(response.header("connection"), Some("close"), "{path}");
        let is_metrics = status == 200 && path.starts_with("/metrics");
        let kind = if is_metrics {
            "application/openmetrics-text; version=1.0.0"
        } else {
            "text/plain"
        };
        let content_type = format!("{kind}; charset=utf-8");
        assert_eq!(
            response.header("content-type"),
            Some(content_type.as_str()),
            "{path}"
        );
        assert_eq!(
            response.header("content-length"),
            Some(response.body.len().to_string().as_str()),
            "{path}"
        );
    }
    for method in [
        "POST", "PUT", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE", "BREW",
    ] {
        let text = format!("{method} /ws HTTP/1.1\r\n{HOST}Content-Length: 0\r\n\r\n");
        let response = send_request(server.address(), &text).await;
        assert_eq!(
            (response.status, response.header("allow")),
            (405, Some("GET")),
            "{method}: {response:?}"
        );
    }
}

#[tokio::test]
async fn invalid_handshakes_are_rejected_with_a_reason() {
    let server = TestServer::start().await;
    let key = "Sec-WebSocket-Key:";
    for (without, more, status) in [
        ("upgrade", "", 426),
        ("upgrade", "Upgrade: h2c\r\n", 426),
        ("connection", "", 426),
        ("connection", "Connection: keep-alive\r\n", 426),
        ("sec-websocket-version", "", 426),
        ("sec-websocket-version", "Sec-WebSocket-Version: 8\r\n", 426),
        (
            "sec-websocket-version",
            "Sec-WebSocket-Version: 14\r\n",
            426,
        ),
        ("sec-websocket-key", "", 400),
        ("sec-websocket-key", &format!("{key} \r\n"), 400),
        ("sec-websocket-key", &format!("{key} short\r\n"), 400),
        (
            "sec-websocket-key",
            &format!("{key} dGhlIHNhbXBsZSBub25jZSBidXQgbG9uZ2Vy\r\n"),
            400,
        ),
        (
            "sec-websocket-key",
            &format!("{key} ****************======\r\n"),
            400,
        ),
        // The key and the version may occur only once.
        ("", &format!("{key} dGhlIHNhbXBsZSBub25jZQ==\r\n"), 400),
        ("", "Sec-WebSocket-Version: 13\r\n", 400),
        ("", "Sec-WebSocket-Version: 8\r\n", 400),
        // A handshake has no body.
        ("", "Content-Length: 5\r\n", 400),
        ("", "Transfer-Encoding: chunked\r\n", 400),
        ("", "Expect: 100-continue\r\n", 400),
        ("", "Content-Length: 0\r\n", 101),
        // Several lines with the same name form a list in any order.
        (
            "connection",
            "Connection: keep-alive\r\nConnection: Upgrade\r\n",
            101,
        ),
        (
            "connection",
            "Connection: Upgrade\r\nConnection: keep-alive\r\n",
            101,
        ),
        ("connection", "Connection: keep-alive ,upgrade\r\n", 101),
        ("upgrade", "Upgrade: h2c\r\nUpgrade: websocket\r\n", 101),
        ("upgrade", "Upgrade: websocket, h2c\r\n", 101),
        ("upgrade", "Upgrade: h2c websocket\r\n", 426),
    ] {
        let response = handshake_without(&server, without, more).await;
        assert_eq!(
            response.status, status,
            "without {without:?}, with {more:?}: {response:?}"
        );
        if status == 426 && without == "sec-websocket-version" {
            assert_eq!(
                response.header("sec-websocket-version"),
                Some("13"),
                "{more:?}"
            );
        } else if status == 426 {
            assert_eq!(response.header("upgrade"), Some("websocket"), "{more:?}");
        }
    }
    let old = handshake_request("").replace("HTTP/1.1", "HTTP/1.0");
    let (_, response) = request_head(server.address(), &old).await;
    assert!(
        matches!(response.status, 400 | 426),
        "HTTP/1.0: {response:?}"
    );
    // Header names are case-insensitive, values may be lists, and the path may have a query.
    let mixed_case_request = handshake_request("")
        .replace("Connection: Upgrade", "cONNECTION: keep-alive, uPGRADE")
        .replace("websocket", "WebSocket")
        .replace("/ws", "/ws?from=here");
    assert_eq!(
        request_head(server.address(), &mixed_case_request)
            .await
            .1
            .status,
        101
    );
}

#[tokio::test]
async fn one_subprotocol_is_supported() {
    let server = TestServer::start().await;
    let named = |offers: &str| format!("Sec-WebSocket-Protocol: {offers}\r\n");
    for (more, status, chosen) in [
        (String::new(), 101, None),
        (named("noughts"), 101, Some(SUBPROTOCOL)),
        (named("chess, noughts , draughts"), 101, Some(SUBPROTOCOL)),
        (named("chess") + &named("noughts"), 101, Some(SUBPROTOCOL)),
        (named("chess"), 400, None),
        (named("noughtsx, xnoughts"), 400, None),
        (named("NOUGHTS"), 400, None),
        (named(""), 400, None),
    ] {
        let response = handshake_without(&server, "", &more).await;
        assert_eq!(
            (response.status, response.header("sec-websocket-protocol")),
            (status, chosen),
            "{more:?}"
        );
    }
    // The server negotiates no extension.
    let response = handshake_without(
        &server,
        "",
        "Sec-WebSocket-Extensions: permessage-deflate\r\n",
    )
    .await;
    assert_eq!(
        (response.status, response.header("sec-websocket-extensions")),
        (101, None)
    );
}

#[tokio::test]
async fn foreign_origins_are_rejected() {
    let server = TestServer::start().await;
    let port = server.address().port();
    for (origins, status) in [
        (vec![format!("http://localhost:{port}")], 200),
        (vec![format!("http://127.0.0.1:{port}")], 200),
        (vec!["http://localhost:5173".into()], 200),
        (vec!["null".into()], 403),
        (vec![String::new()], 403),
        (vec!["https://evil.example".into()], 403),
        (vec!["http://localhost.evil.example".into()], 403),
        (vec!["http://localhost@evil.example".into()], 403),
        (vec!["http://evil.example/localhost".into()], 403),
        (vec!["file://".into()], 403),
        (vec!["file://localhost".into()], 403),
        (vec!["http://evil.example@localhost".into()], 403),
        (vec!["http://localhost:-1".into()], 403),
        (
            vec!["http://localhost".into(), "https://evil.example".into()],
            403,
        ),
    ] {
        let more: String = origins
            .iter()
            .map(|origin| format!("Origin: {origin}\r\n"))
            .collect();
        let response =
            get_with_headers(server.address(), "/health", &format!("{HOST}{more}")).await;
        assert_eq!(response.status, status, "{origins:?}: {response:?}");
    }
    // A foreign origin may not read the pages either.
    for path in ["/", "/metrics", "/health", "/ready", "/nothing"] {
        let response = get_with_headers(
            server.address(),
            path,
            &format!("{HOST}Origin: https://evil.example\r\n"),
        )
        .await;
        assert_eq!(response.status, 403, "{path}");
    }
}

#[tokio::test]
async fn foreign_host_names_are_rejected() {
    let server = TestServer::start().await;
    let port = server.address().port();
    for (host, status) in [
        (format!("Host: 127.0.0.1:{port}\r\n"), 101),
        (format!("Host: LocalHost:{port}\r\n"), 101),
        ("Host: [::1]\r\n".into(), 101),
        ("Host: rebound.example\r\n".into(), 403),
        ("Host: localhost.rebound.example\r\n".into(), 403),
        ("Host: 127.0.0.1.rebound.example\r\n".into(), 403),
    ] {
        let response = handshake_without(&server, "host", &host).await;
        assert_eq!(response.status, status, "{host:?}: {response:?}");
    }
    let named_server = TestServer::start_with_limits(|limits: &mut ServerLimits| {
        limits.network.allow_host = vec!["play.example".into()];
        limits.network.allow_origin = vec!["https://games.example".into()];
    })
    .await;
    for (host, origin, status) in [
        ("play.example", "https://games.example", 200),
        ("play.example", "https://play.example", 200),
        ("play.example", "https://evil.example", 403),
        ("evil.example", "https://games.example", 403),
    ] {
        let headers = format!("Host: {host}\r\nOrigin: {origin}\r\n");
        let response = get_with_headers(named_server.address(), "/health", &headers).await;
        assert_eq!(response.status, status, "{host} for {origin}");
    }
}

/// A page from the internet can reach a server in the network of its reader if the host name of the page resolves to
/// the server. Its requests then name the host of the page. Other clients name the address of the server, `localhost`,
/// its name in the network, or a name that the operator has allowed.
#[tokio::test]
async fn a_server_beyond_loopback_accepts_local_names_and_addresses_only() {
    let flags = ["--listen", "0.0.0.0:0", "--data", "memory"];
    let open_server = ServerProcess::start_with(&flags);
    let named_server =
        ServerProcess::start_with(&[&flags[..], &["--allow-host", "play.example.org"]].concat());
    let own_name =
        std::fs::read_to_string("/proc/sys/kernel/hostname").expect("a system with a name");
    // The printed address belongs to the interface of outgoing traffic, but the server answers on every interface.
    let printed = open_server.address().to_string();
    for (host, open, named) in [
        (printed.as_str(), 101, 101),
        ("192.168.1.5:7878", 101, 101),
        ("[2001:db8::1]:7878", 101, 101),
        ("localhost:7878", 101, 101),
        (own_name.trim(), 101, 101),
        ("nas", 101, 101),
        ("nas.local:7878", 101, 101),
        ("play.example.org", 403, 101),
        ("rebound.example.org", 403, 403),
    ] {
        for (server, expected) in [(&open_server, open), (&named_server, named)] {
            let address = SocketAddr::from(([127, 0, 0, 1], server.address().port()));
            let request =
                handshake_request("").replace("Host: localhost", &format!("Host: {host}"));
            let response = request_head(address, &request).await.1;
            assert_eq!(response.status, expected, "{host}: {response:?}");
        }
    }
}

#[tokio::test]
async fn a_request_needs_one_host() {
    // The connection of a page stays open for this time.
    let limit = Duration::from_secs(4);
    let server = TestServer::start_with_limits(|limits| limits.handshake_timeout = limit).await;
    let port = server.address().port();
    for (target, headers, status) in [
        ("/health", String::new(), 400),
        (
            "/health",
            "Host: localhost\r\nHost: localhost\r\n".into(),
            400,
        ),
        (
            "/health",
            "Host: localhost\r\nHost: rebound.example\r\n".into(),
            400,
        ),
        ("/health", "Host: \r\n".into(), 400),
        ("/health", "Host: a b\r\n".into(), 400),
        ("/health", "Host: me@localhost\r\n".into(), 400),
        ("/health", "Host: localhost:-1\r\n".into(), 400),
        ("/health", "Host: localhost:65536\r\n".into(), 400),
        ("/health", "Host: localhost\r\n".into(), 200),
        // In absolute form the target names the host, and the `Host` header is ignored.
        ("http://localhost/health", "Host: localhost\r\n".into(), 200),
        (
            "http://localhost/health",
            "Host: rebound.example\r\n".into(),
            200,
        ),
        (
            &format!("http://127.0.0.1:{port}/health"),
            "Host: localhost\r\n".into(),
            200,
        ),
        (
            "http://localhost/nothing",
            "Host: localhost\r\n".into(),
            404,
        ),
        ("http://localhost", "Host: localhost\r\n".into(), 200),
        (
            "http://rebound.example/health",
            "Host: localhost\r\n".into(),
            403,
        ),
        (
            "http://me@localhost/health",
            "Host: localhost\r\n".into(),
            400,
        ),
        ("http://localhost/health", String::new(), 400),
        (
            "http://localhost/health",
            "Host: localhost\r\nHost: localhost\r\n".into(),
            400,
        ),
        ("*", "Host: localhost\r\n".into(), 404),
        ("localhost:80", "Host: localhost\r\n".into(), 400),
    ] {
        let response = get_with_headers(server.address(), target, &headers).await;
        assert_eq!(
            response.status, status,
            "{target} with {headers:?}: {response:?}"
        );
        let handshake_response = handshake_at(&server, target, &headers).await;
        let expected = if target.ends_with("/health") && status == 200 {
            101
        } else {
            status
        };
        assert_eq!(
            handshake_response.status, expected,
            "a handshake at {target} with {headers:?}: {handshake_response:?}"
        );
    }
    // HTTP/1.0 does not require a host.
    let http_1_0_response = send_request(server.address(), "GET /health HTTP/1.0\r\n\r\n").await;
    assert_eq!(http_1_0_response.status, 200, "{http_1_0_response:?}");
    let http_1_0_response = send_request(
        server.address(),
        "GET /health HTTP/1.0\r\nHost: rebound.example\r\n\r\n",
    )
    .await;
    assert_eq!(http_1_0_response.status, 403, "{http_1_0_response:?}");
}

/// Sends a handshake, or a GET of `/health` if the target names it, with these host headers.
async fn handshake_at(server: &TestServer, target: &str, host_headers: &str) -> HttpResponse {
    let target = target.replace("/health", "/ws");
    let text = handshake_request("")
        .replace("Host: localhost\r\n", host_headers)
        .replace("/ws", &target);
    request_head(server.address(), &text).await.1
}

#[tokio::test]
async fn non_requests_end_within_the_handshake_timeout() {
    let server = TestServer::start_with_limits(|limits| {
        limits.handshake_timeout = Duration::from_millis(300);
    })
    .await;
    let client_hello = b"\x16\x03\x01\x00\xf1\x01\x00\x00\xed\x03\x03";
    for (description, bytes) in [
        ("nothing", &b""[..]),
        ("a TLS hello", client_hello),
        (
            "HTTP/2",
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0",
        ),
        ("noise", &[0xff; 64]),
        ("a line without an end", &[b'G'; 4000]),
        ("half a head", b"GET /ws HTTP/1.1\r\nHost: localhost\r\n"),
        ("a head without a method", b"\r\n\r\n\r\n"),
    ] {
        let mut socket = RawWebSocket::connect(server.address()).await;
        socket.write(bytes).await;
        let response = HttpResponse::parse(&socket.read_head().await);
        assert!(
            matches!(response.status, 0 | 400 | 408),
            "{description}: {response:?}"
        );
    }
    // The response names the protocol, for a client that meant another protocol.
    let mut socket = RawWebSocket::connect(server.address()).await;
    socket
        .write(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0")
        .await;
    let response = HttpResponse::parse(&socket.read_rest().await);
    assert_eq!(response.status, 400, "{response:?}");
    assert!(response.body.contains("HTTP/1.1"), "{response:?}");
    // Single bytes do not extend the timeout.
    let mut slow_socket = RawWebSocket::connect(server.address()).await;
    let mut bytes_sent = 0;
    for byte in handshake_request("").bytes().cycle() {
        if !slow_socket.try_write(&[byte]).await {
            break;
        }
        bytes_sent += 1;
        assert!(
            bytes_sent < 100,
            "an incomplete head of {bytes_sent} bytes took too long"
        );
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    wait_until("no other sockets", async || {
        (server.metric("noughts_sockets").await == 1).then_some(())
    })
    .await;
    server.wait_until_idle().await;
}

#[tokio::test]
async fn a_large_head_is_rejected() {
    let server = TestServer::start().await;
    let line = |at: usize| format!("X-{at}: y\r\n");
    let many = |count| (0..count).map(line).collect::<String>();
    // The handshake itself has five headers.
    assert_eq!(handshake_without(&server, "", &many(59)).await.status, 101);
    assert_eq!(handshake_without(&server, "", &many(60)).await.status, 431);
    let long = |length| format!("X-Long: {}\r\n", "y".repeat(length));
    assert_eq!(
        handshake_without(&server, "", &long(7 * 1024)).await.status,
        101
    );
    assert_eq!(
        handshake_without(&server, "", &long(9 * 1024)).await.status,
        431
    );
    let mut line = RawWebSocket::connect(server.address()).await;
    line.try_write(handshake_request(&long(1 << 20)).as_bytes())
        .await;
    assert_eq!(
        HttpResponse::parse(&line.read_head().await).status,
        431,
        "the response arrives"
    );
    let path = format!("/{}", "x".repeat(9 * 1024));
    assert!(matches!(
        get_with_headers(server.address(), &path, HOST).await.status,
        414 | 431
    ));
}

#[tokio::test]
async fn one_request_per_connection_is_served() {
    let server = TestServer::start().await;
    let one = format!("GET /health HTTP/1.1\r\n{HOST}\r\n");
    let response = send_request(server.address(), &one.repeat(3)).await;
    assert_eq!((response.status, response.body.as_str()), (200, "ok\n"));
    // A body is not parsed as another request.
    let smuggled = format!(
        "GET /health HTTP/1.1\r\n{HOST}Content-Length: {}\r\n\r\n{one}",
        one.len()
    );
    assert_eq!(send_request(server.address(), &smuggled).await.body, "ok\n");
    let both = "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n";
    let response = get_with_headers(server.address(), "/health", &format!("{HOST}{both}")).await;
    assert!(
        response.body == "ok\n" || response.status == 400,
        "{response:?}"
    );
    // An upgraded connection stays a WebSocket.
    let mut line = RawWebSocket::connect_websocket(server.address()).await;
    line.write(one.as_bytes()).await;
    assert_eq!(line.read_close_code().await, Some(1002));
    let mut line = RawWebSocket::connect_and_greet(server.address()).await;
    line.write_frames(&[ClientFrame::new(CLOSE, "")]).await;
    assert_eq!(line.read_close_code().await, None);
    TestClient::connect(&server.url()).await;
}
