//! The browser page: its files, its headers, and a school class that opens it in all browsers at the same time.

use std::time::Duration;

use futures::future::join_all;
use noughts_protocol::wire::{Message, RequestBody, SessionRequest};
use noughts_server::ServerLimits;
use noughts_tests::client::http::{HttpResponse, get_with_headers, send_request};
use noughts_tests::client::raw_websocket::RawWebSocket;
use noughts_tests::server::TestServer;
use noughts_tests::wait::wait_until;
use tokio::time::Instant;

const CLOSE: &str = "Host: localhost\r\nConnection: close\r\n";

/// Returns the paths that the document links to.
async fn linked_paths(server: &TestServer) -> Vec<String> {
    let document = get_with_headers(server.address(), "/", CLOSE).await;
    assert_eq!(
        (document.status, document.header("content-type")),
        (200, Some("text/html; charset=utf-8"))
    );
    let links = document
        .body
        .split('"')
        .filter(|text| text.starts_with('/') && text.len() > 1);
    links.map(str::to_owned).collect()
}

#[tokio::test]
async fn the_document_and_everything_that_it_links_to_is_sent() {
    let server = TestServer::start().await;
    let links = linked_paths(&server).await;
    assert!(links.len() > 4, "{links:?}");
    for path in links {
        let response = send_request(
            server.address(),
            &format!("HEAD {path} HTTP/1.1\r\n{CLOSE}\r\n"),
        )
        .await;
        assert_eq!(response.status, 200, "{path}");
        assert_eq!(
            response.header("x-content-type-options"),
            Some("nosniff"),
            "{path}"
        );
        assert_eq!(response.body, "", "{path}");
        let is_immutable = response
            .header("cache-control")
            .is_some_and(|value| value.contains("immutable"));
        assert_eq!(is_immutable, path.starts_with("/a/"), "{path}");
    }
    assert_eq!(
        get_with_headers(server.address(), "/favicon.ico", CLOSE)
            .await
            .status,
        204
    );
    assert_eq!(
        get_with_headers(server.address(), "/a/0/app.js", CLOSE)
            .await
            .status,
        404
    );
    let post = send_request(
        server.address(),
        &format!("POST / HTTP/1.1\r\n{CLOSE}Content-Length: 0\r\n\r\n"),
    )
    .await;
    assert_eq!(post.status, 405);
    assert!(server.metric("noughts_pages_total").await > 4);
}

#[tokio::test]
async fn the_document_is_protected_and_revalidated() {
    let server = TestServer::start().await;
    let document = get_with_headers(server.address(), "/", CLOSE).await;
    let policy = document
        .header("content-security-policy")
        .expect("a policy");
    for part in [
        "default-src 'none'",
        "script-src 'self'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
    ] {
        assert!(policy.contains(part), "{policy}");
    }
    assert!(!policy.contains("unsafe"), "{policy}");
    assert_eq!(document.header("referrer-policy"), Some("no-referrer"));
    let tag = document.header("etag").expect("a tag").to_owned();
    let known = get_with_headers(
        server.address(),
        "/",
        &format!("{CLOSE}If-None-Match: {tag}\r\n"),
    )
    .await;
    assert_eq!((known.status, known.body.as_str()), (304, ""));
    let foreign = get_with_headers(
        server.address(),
        "/",
        "Host: rebound.example\r\nConnection: close\r\n",
    )
    .await;
    assert_eq!(foreign.status, 403);
}

/// Forty browsers behind one address open the page together, each with six connections, and find each other in the
/// lobby.
#[tokio::test]
async fn a_class_behind_one_address_opens_the_page_at_once() {
    let defaults = ServerLimits::default();
    let server = TestServer::start_with_limits(|limits| {
        limits.max_per_address = defaults.max_per_address;
    })
    .await;
    let paths = linked_paths(&server).await;
    let mut connections = vec![];
    for _ in 0..240 {
        connections.push(RawWebSocket::connect(server.address()).await);
    }
    let loads = connections
        .into_iter()
        .enumerate()
        .map(async |(number, mut connection)| {
            let path = &paths[number % paths.len()];
            connection
                .write(format!("HEAD {path} HTTP/1.1\r\nHost: localhost\r\n\r\n").as_bytes())
                .await;
            let status = HttpResponse::parse(&connection.read_head().await).status;
            // The connection stays open for the next file.
            connection
                .write(b"HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n")
                .await;
            let second = HttpResponse::parse(&connection.read_head().await).status;
            (connection, status, second)
        });
    let loaded = join_all(loads).await;
    for (_, status, second) in &loaded {
        assert_eq!((*status, *second), (200, 200));
    }
    // Open connections of pages do not count against the limits of handshakes and WebSockets.
    let mut players = join_all((0..40).map(|_| server.connect_client("Ann"))).await;
    let subscribe = RequestBody::Session(SessionRequest::Lobby { end: false });
    let lobby = players[0].request(subscribe).await;
    let Ok(Message::Lobby { view, .. }) = lobby else {
        panic!("{lobby:?}")
    };
    assert_eq!(view.counts.persons, 40);
    drop((loaded, players));
    server.wait_until_idle().await;
}

#[tokio::test]
async fn one_address_loads_the_page_at_a_limited_rate() {
    let server = TestServer::start_with_limits(|limits| limits.max_per_address = 1).await;
    let request = format!("GET / HTTP/1.1\r\n{CLOSE}\r\n");
    let files = noughts_web::page_files().iter();
    let page_bytes: usize = files.map(|file| file.gzip.len()).sum();
    let (began, mut sent_bytes) = (Instant::now(), 0);
    while sent_bytes < page_bytes * 3 / 2 {
        let response = send_request(server.address(), &request).await;
        assert_eq!(response.status, 200, "{response:?}");
        sent_bytes += response.body.len();
    }
    // The bytes of a whole page are sent in a burst. The next half follows at the rate of a whole page in four seconds.
    let duration = began.elapsed();
    assert!(duration > Duration::from_millis(1900), "{duration:?}");
    // Visitors who leave while they wait cost no budget: the next visitor waits only for the responses before them.
    let engine = noughts_web::page_files()
        .iter()
        .max_by_key(|file| file.gzip.len())
        .expect("files");
    let served = async || server.metric("noughts_pages_total").await;
    for _ in 0..12 {
        let before = served().await;
        let mut visitor = RawWebSocket::connect(server.address()).await;
        let request = format!("GET {} HTTP/1.1\r\n{CLOSE}\r\n", engine.path);
        visitor.write(request.as_bytes()).await;
        wait_until("a request that waits", async || {
            (served().await > before).then_some(())
        })
        .await;
        visitor.reset();
    }
    let left = Instant::now();
    let response = send_request(server.address(), &request).await;
    assert_eq!(response.status, 200, "{response:?}");
    assert!(
        left.elapsed() < Duration::from_secs(10),
        "{:?}",
        left.elapsed()
    );
    // A visitor from another address does not wait.
    let mut other = RawWebSocket::connect_from([127, 0, 0, 9].into(), server.address()).await;
    other
        .write(format!("GET / HTTP/1.1\r\n{CLOSE}\r\n").as_bytes())
        .await;
    assert!(other.read_head().await.starts_with("HTTP/1.1 200"));
}

#[tokio::test]
async fn an_idle_page_connection_is_closed() {
    let server = TestServer::start_with_limits(|limits| {
        limits.handshake_timeout = Duration::from_millis(500);
    })
    .await;
    let mut connection = RawWebSocket::connect(server.address()).await;
    connection
        .write(b"HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        .await;
    assert_eq!(
        HttpResponse::parse(&connection.read_head().await).status,
        200
    );
    // The server closes it long before the time limit of a response.
    connection.read_rest().await;
    wait_until("no sockets but that of the metrics", async || {
        (server.metric("noughts_sockets").await == 1).then_some(())
    })
    .await;
}
