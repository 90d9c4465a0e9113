//! What the port answers besides the game: pages, refusals with their exact status, and numbers that
//! say what is there.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use noughts_protocol::wire::SUBPROTOCOL;
use noughts_server::config::Limits;
use noughts_tests::frame::{CLOSE, Frame};
use noughts_tests::http::{Response, get_with, head_of, request};
use noughts_tests::peer::Peer;
use noughts_tests::program::ServerProcess;
use noughts_tests::raw::{Raw, handshake};
use noughts_tests::server::{Server, get};
use noughts_tests::table::{pair, play, public};
use noughts_tests::wait::until;

const HOST: &str = "Host: localhost\r\n";

/// The answer to a handshake without some of its lines and with others instead.
async fn shake(server: &Server, without: &str, more: &str) -> Response {
    let lines: Vec<&str> = handshake("").leak().lines().filter(|line| !line.is_empty()).collect();
    let kept: Vec<&str> = lines
        .into_iter()
        .filter(|line| without.is_empty() || !line.to_ascii_lowercase().starts_with(without))
        .collect();
    head_of(server.address(), &format!("{}\r\n{more}\r\n", kept.join("\r\n"))).await.1
}

#[tokio::test]
async fn each_page_has_its_status() {
    let server = Server::start().await;
    for (path, status) in [
        ("/", 200),
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
        let answer = get_with(server.address(), path, HOST).await;
        assert_eq!(answer.status, status, "{path}: {answer:?}");
        assert_eq!(answer.header("connection"), Some("close"), "{path}");
        assert_eq!(answer.header("content-type"), Some("text/plain; charset=utf-8"), "{path}");
        assert_eq!(answer.header("content-length"), Some(answer.body.len().to_string().as_str()), "{path}");
    }
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE", "BREW"] {
        let text = format!("{method} /ws HTTP/1.1\r\n{HOST}Content-Length: 0\r\n\r\n");
        let answer = request(server.address(), &text).await;
        assert_eq!((answer.status, answer.header("allow")), (405, Some("GET")), "{method}: {answer:?}");
    }
}

#[tokio::test]
async fn a_handshake_that_is_none_is_told_why() {
    let server = Server::start().await;
    let key = "Sec-WebSocket-Key:";
    for (without, more, status) in [
        ("upgrade", "", 426),
        ("upgrade", "Upgrade: h2c\r\n", 426),
        ("connection", "", 426),
        ("connection", "Connection: keep-alive\r\n", 426),
        ("sec-websocket-version", "", 426),
        ("sec-websocket-version", "Sec-WebSocket-Version: 8\r\n", 426),
        ("sec-websocket-version", "Sec-WebSocket-Version: 14\r\n", 426),
        ("sec-websocket-key", "", 400),
        ("sec-websocket-key", &format!("{key} \r\n"), 400),
        ("sec-websocket-key", &format!("{key} short\r\n"), 400),
        ("sec-websocket-key", &format!("{key} dGhlIHNhbXBsZSBub25jZSBidXQgbG9uZ2Vy\r\n"), 400),
        ("sec-websocket-key", &format!("{key} ****************======\r\n"), 400),
    ] {
        let answer = shake(&server, without, more).await;
        assert_eq!(answer.status, status, "without {without:?}, with {more:?}: {answer:?}");
        if status == 426 && without == "sec-websocket-version" {
            assert_eq!(answer.header("sec-websocket-version"), Some("13"), "{more:?}");
        } else if status == 426 {
            assert_eq!(answer.header("upgrade"), Some("websocket"), "{more:?}");
        }
    }
    let old = handshake("").replace("HTTP/1.1", "HTTP/1.0");
    let (_, answer) = head_of(server.address(), &old).await;
    assert!(matches!(answer.status, 400 | 426), "HTTP/1.0: {answer:?}");
    // Headers may be written in any case, in lists, and with a query behind the path.
    let odd = handshake("")
        .replace("Connection: Upgrade", "cONNECTION: keep-alive, uPGRADE")
        .replace("websocket", "WebSocket")
        .replace("/ws", "/ws?from=here");
    assert_eq!(head_of(server.address(), &odd).await.1.status, 101);
}

#[tokio::test]
async fn one_subprotocol_is_spoken() {
    let server = Server::start().await;
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
        let answer = shake(&server, "", &more).await;
        assert_eq!((answer.status, answer.header("sec-websocket-protocol")), (status, chosen), "{more:?}");
    }
    // No extension is spoken, whatever is offered.
    let answer = shake(&server, "", "Sec-WebSocket-Extensions: permessage-deflate\r\n").await;
    assert_eq!((answer.status, answer.header("sec-websocket-extensions")), (101, None));
}

#[tokio::test]
async fn a_page_from_elsewhere_does_not_get_in() {
    let server = Server::start().await;
    let port = server.address().port();
    for (origins, status) in [
        (vec![format!("http://localhost:{port}")], 101),
        (vec![format!("http://127.0.0.1:{port}")], 101),
        (vec!["http://localhost:5173".into()], 101),
        (vec!["null".into()], 403),
        (vec![String::new()], 403),
        (vec!["https://evil.example".into()], 403),
        (vec!["http://localhost.evil.example".into()], 403),
        (vec!["http://localhost@evil.example".into()], 403),
        (vec!["http://evil.example/localhost".into()], 403),
        (vec!["file://".into()], 403),
        (vec!["http://localhost".into(), "https://evil.example".into()], 403),
    ] {
        let more: String = origins.iter().map(|origin| format!("Origin: {origin}\r\n")).collect();
        let answer = shake(&server, "", &more).await;
        assert_eq!(answer.status, status, "{origins:?}: {answer:?}");
    }
    // Nor may it read the pages.
    for path in ["/", "/metrics", "/health", "/ready", "/nothing"] {
        let answer =
            get_with(server.address(), path, &format!("{HOST}Origin: https://evil.example\r\n")).await;
        assert_eq!(answer.status, 403, "{path}");
    }
}

#[tokio::test]
async fn a_name_led_here_by_somebody_else_is_not_ours() {
    let server = Server::start().await;
    let port = server.address().port();
    for (host, status) in [
        (format!("Host: 127.0.0.1:{port}\r\n"), 101),
        (format!("Host: LocalHost:{port}\r\n"), 101),
        ("Host: [::1]\r\n".into(), 101),
        ("Host: rebound.example\r\n".into(), 403),
        ("Host: localhost.rebound.example\r\n".into(), 403),
        ("Host: 127.0.0.1.rebound.example\r\n".into(), 403),
    ] {
        let answer = shake(&server, "host", &host).await;
        assert_eq!(answer.status, status, "{host:?}: {answer:?}");
    }
    let named = Server::limited(|limits: &mut Limits| {
        limits.allow_host = vec!["play.example".into()];
        limits.allow_origin = vec!["https://games.example".into()];
    })
    .await;
    for (host, origin, status) in [
        ("play.example", "https://games.example", 101),
        ("play.example", "https://play.example", 101),
        ("play.example", "https://evil.example", 403),
        ("evil.example", "https://games.example", 403),
    ] {
        let answer = shake(&named, "host", &format!("Host: {host}\r\nOrigin: {origin}\r\n")).await;
        assert_eq!(answer.status, status, "{host} for {origin}");
    }
}

#[tokio::test]
async fn a_request_names_one_host() {
    let server = Server::start().await;
    let port = server.address().port();
    for (target, headers, status) in [
        ("/health", String::new(), 400),
        ("/health", "Host: localhost\r\nHost: localhost\r\n".into(), 400),
        ("/health", "Host: localhost\r\nHost: rebound.example\r\n".into(), 400),
        ("/health", "Host: \r\n".into(), 400),
        ("/health", "Host: a b\r\n".into(), 400),
        ("/health", "Host: me@localhost\r\n".into(), 400),
        ("/health", "Host: localhost\r\n".into(), 200),
        // In its absolute form the target names the host, and the header does not count.
        ("http://localhost/health", "Host: localhost\r\n".into(), 200),
        ("http://localhost/health", "Host: rebound.example\r\n".into(), 200),
        (&format!("http://127.0.0.1:{port}/health"), "Host: localhost\r\n".into(), 200),
        ("http://localhost/nothing", "Host: localhost\r\n".into(), 404),
        ("http://localhost", "Host: localhost\r\n".into(), 200),
        ("http://rebound.example/health", "Host: localhost\r\n".into(), 403),
        ("http://me@localhost/health", "Host: localhost\r\n".into(), 400),
        ("http://localhost/health", String::new(), 400),
        ("http://localhost/health", "Host: localhost\r\nHost: localhost\r\n".into(), 400),
        ("*", "Host: localhost\r\n".into(), 404),
        ("localhost:80", "Host: localhost\r\n".into(), 400),
    ] {
        let answer = get_with(server.address(), target, &headers).await;
        assert_eq!(answer.status, status, "{target} with {headers:?}: {answer:?}");
        let shaken = shake_at(&server, target, &headers).await;
        let expected = if target.ends_with("/health") && status == 200 { 101 } else { status };
        assert_eq!(shaken.status, expected, "a handshake at {target} with {headers:?}: {shaken:?}");
    }
    // HTTP/1.0 knows no hosts.
    let old = request(server.address(), "GET /health HTTP/1.0\r\n\r\n").await;
    assert_eq!(old.status, 200, "{old:?}");
    let old = request(server.address(), "GET /health HTTP/1.0\r\nHost: rebound.example\r\n\r\n").await;
    assert_eq!(old.status, 403, "{old:?}");
}

/// The answer to a handshake with this target, but for `/ws` in place of `/health`, and these lines
/// for its host.
async fn shake_at(server: &Server, target: &str, hosts: &str) -> Response {
    let target = target.replace("/health", "/ws");
    let text = handshake("").replace("Host: localhost\r\n", hosts).replace("/ws", &target);
    head_of(server.address(), &text).await.1
}

/// Prometheus's text, checked line by line: every sample has its help and its kind before it.
fn samples(text: &str) -> HashMap<String, f64> {
    let (mut described, mut kinds) = (HashSet::new(), HashMap::new());
    let mut samples = HashMap::new();
    assert!(text.ends_with('\n'), "the last line ends");
    for line in text.lines() {
        if let Some(help) = line.strip_prefix("# HELP ") {
            let (name, help) = help.split_once(' ').expect(line);
            assert!(!help.is_empty() && described.insert(name), "{line}");
        } else if let Some(kind) = line.strip_prefix("# TYPE ") {
            let (name, kind) = kind.split_once(' ').expect(line);
            assert!(described.contains(name) && kinds.insert(name, kind).is_none(), "{line}");
        } else {
            let (key, value) = line.rsplit_once(' ').expect(line);
            let name = key.split('{').next().expect(line);
            let kind = kinds.get(name).unwrap_or_else(|| panic!("no kind for {line}"));
            assert_eq!(*kind, if name.ends_with("_total") { "counter" } else { "gauge" }, "{line}");
            let legal = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
            assert!(name.starts_with("noughts_") && name.bytes().all(legal), "{line}");
            assert!(samples.insert(key.to_owned(), value.parse().expect(line)).is_none(), "{line} twice");
        }
    }
    samples
}

#[tokio::test]
async fn the_numbers_count_what_is_there_and_what_has_been() {
    let server = Server::start().await;
    let metrics = async || samples(&server.get("/metrics").await.1);
    let before = metrics().await;
    for (name, value) in &before {
        match name.as_str() {
            "noughts_sockets" => assert_eq!(*value, 1.0, "the one that asks"),
            // Those of this test among them.
            "noughts_tasks" => assert!(*value > 0.0),
            _ => assert_eq!(*value, 0.0, "{name}"),
        }
    }

    let mut players = pair(&server, "3x3:3", None).await;
    play(&mut players, &[4, 0, 2, 1]).await;
    let mut watcher = server.peer("Eve").await;
    watcher.watch(public(&players[0])).await.expect("a public room");
    let mut waits = server.peer("Dan").await;
    waits.seek("7x6:4+gravity", None, None).await;
    let lost = Raw::websocket(server.address()).await;
    let there = [("sockets", 6.0), ("connections", 5.0), ("rooms", 1.0), ("room_tasks", 1.0), ("seeks", 1.0)];
    for (name, value) in there {
        until(("a gauge", name, value), async || {
            (metrics().await[&format!("noughts_{name}")] == value).then_some(())
        })
        .await;
    }
    play(&mut players, &[6]).await;
    assert!(players[1].play(8).await.is_err());
    drop(lost);
    let now = metrics().await;
    for (name, value) in [
        ("accepted_total", 5.0),
        ("refused_total", 0.0),
        ("moves_total", 5.0),
        ("games_total", 1.0),
        ("events_total", 10.0),
        ("rejects_total{code=\"game_over\"}", 1.0),
        ("append_failures_total", 0.0),
        ("room_panics_total", 0.0),
    ] {
        assert_eq!(now[&format!("noughts_{name}")], value, "{name}");
    }
    let [mut x, mut o] = players;
    for peer in [&mut x, &mut o] {
        peer.ask(noughts_protocol::wire::Body::Lobby(noughts_protocol::wire::Lobby::Leave)).await.unwrap();
    }
    drop((x, o, watcher, waits));
    server.settled().await;
    until("the sockets have gone", async || (metrics().await["noughts_sockets"] == 1.0).then_some(())).await;
}

#[tokio::test]
async fn what_is_no_request_ends_in_the_time_of_a_handshake() {
    let server = Server::limited(|limits| limits.handshake = Duration::from_millis(300)).await;
    let client_hello = b"\x16\x03\x01\x00\xf1\x01\x00\x00\xed\x03\x03";
    for (what, bytes) in [
        ("nothing", &b""[..]),
        ("a TLS hello", client_hello),
        ("HTTP/2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0"),
        ("noise", &[0xff; 64]),
        ("a line without an end", &[b'G'; 4000]),
        ("half a head", b"GET /ws HTTP/1.1\r\nHost: localhost\r\n"),
        ("a head without a method", b"\r\n\r\n\r\n"),
    ] {
        let mut line = Raw::connect(server.address()).await;
        line.write(bytes).await;
        let answer = Response::parse(&line.head().await);
        assert!(matches!(answer.status, 0 | 400 | 408), "{what}: {answer:?}");
    }
    // One that says a byte now and then has no longer.
    let mut slow = Raw::connect(server.address()).await;
    let mut said = 0;
    for byte in handshake("").bytes().cycle() {
        if !slow.try_write(&[byte]).await {
            break;
        }
        said += 1;
        assert!(said < 100, "a head of {said} bytes took seconds");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    until("no sockets but the one that asks", async || {
        (server.metric("noughts_sockets").await == 1).then_some(())
    })
    .await;
    server.settled().await;
}

#[tokio::test]
async fn a_large_head_is_refused() {
    let server = Server::start().await;
    let line = |at: usize| format!("X-{at}: y\r\n");
    let many = |count| (0..count).map(line).collect::<String>();
    // Five are the handshake's own.
    assert_eq!(shake(&server, "", &many(59)).await.status, 101);
    assert_eq!(shake(&server, "", &many(60)).await.status, 431);
    let long = |length| format!("X-Long: {}\r\n", "y".repeat(length));
    assert_eq!(shake(&server, "", &long(7 * 1024)).await.status, 101);
    assert_eq!(shake(&server, "", &long(9 * 1024)).await.status, 431);
    let mut line = Raw::connect(server.address()).await;
    line.try_write(handshake(&long(1 << 20)).as_bytes()).await;
    assert_eq!(Response::parse(&line.head().await).status, 431, "the refusal arrives");
    let path = format!("/{}", "x".repeat(9 * 1024));
    assert!(matches!(get_with(server.address(), &path, HOST).await.status, 414 | 431));
}

#[tokio::test]
async fn one_request_a_line_and_no_more() {
    let server = Server::start().await;
    let one = format!("GET /health HTTP/1.1\r\n{HOST}\r\n");
    let answer = request(server.address(), &one.repeat(3)).await;
    assert_eq!((answer.status, answer.body.as_str()), (200, "ok\n"));
    // A body is not read as another request.
    let smuggled = format!("GET /health HTTP/1.1\r\n{HOST}Content-Length: {}\r\n\r\n{one}", one.len());
    assert_eq!(request(server.address(), &smuggled).await.body, "ok\n");
    let both = "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n";
    let answer = get_with(server.address(), "/health", &format!("{HOST}{both}")).await;
    assert!(answer.body == "ok\n" || answer.status == 400, "{answer:?}");
    // Upgraded once, it stays a WebSocket.
    let mut line = Raw::websocket(server.address()).await;
    line.write(one.as_bytes()).await;
    assert_eq!(line.close_code().await, Some(1002));
    let mut line = Raw::greeted(server.address()).await;
    line.frames(&[Frame::new(CLOSE, "")]).await;
    assert_eq!(line.close_code().await, None);
    Peer::connect(&server.url()).await;
}

/// The echo of the conformance suite is in what the tests build, and in no program.
#[tokio::test]
async fn no_program_has_an_echo() {
    let server = Server::start().await;
    assert_eq!(server.get("/echo").await.0, 426, "this is no way to look");
    let program = ServerProcess::start(&[]);
    let address =
        program.url.trim_start_matches("ws://").trim_end_matches("/ws").parse().expect("an address");
    assert_eq!(get(address, "/echo").await.0, 404);
}
