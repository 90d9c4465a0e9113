//! Many concurrent handshakes: addresses do not affect each other, one timeout covers a whole handshake, and unfinished
//! handshakes leave nothing behind.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::time::Duration;

use noughts_tests::client::http::HttpResponse;
use noughts_tests::client::raw_websocket::{RawWebSocket, handshake_request};
use noughts_tests::rng::env_number;
use noughts_tests::server::{ServerProcess, TestServer, TestServerOptions};
use noughts_tests::wait::wait_until;

const MILLISECOND: Duration = Duration::from_millis(1);

/// Sends a handshake from a loopback address; returns the connection and the response.
async fn try_handshake(server: &TestServer, from: [u8; 4]) -> (RawWebSocket, u16) {
    let mut client = RawWebSocket::connect_from(Ipv4Addr::from(from), server.address()).await;
    client.try_write(handshake_request("").as_bytes()).await;
    let status = HttpResponse::parse(&client.read_head().await).status;
    (client, status)
}

/// Waits until the server has this many sockets, not counting the metrics request.
async fn wait_for_sockets(server: &TestServer, wanted: i64) {
    wait_until(("sockets", wanted), async || {
        (server.metric("noughts_sockets").await == wanted + 1).then_some(())
    })
    .await;
}

#[tokio::test]
async fn silent_connections_of_one_address_do_not_block_others() {
    let server = TestServer::start_with_limits(|limits| {
        (limits.max_handshakes, limits.max_per_address) = (16, 8);
        limits.max_handshakes_per_address = Some(8);
    })
    .await;
    let mut silent = vec![];
    for _ in 0..40 {
        silent
            .push(RawWebSocket::connect_from(Ipv4Addr::new(127, 0, 0, 9), server.address()).await);
    }
    wait_for_sockets(&server, 8).await;
    // The server rejects connections over the quota without reading from them.
    for client in silent.drain(8..) {
        let mut client = client;
        let response = HttpResponse::parse(&client.read_head().await);
        assert_eq!(
            (response.status, response.header("retry-after")),
            (429, Some("5")),
            "{response:?}"
        );
    }
    assert_eq!(try_handshake(&server, [127, 0, 0, 9]).await.1, 429);
    for last in 10..14 {
        assert_eq!(
            try_handshake(&server, [127, 0, 0, last]).await.1,
            101,
            "from another address"
        );
    }
    assert_eq!(server.metric("noughts_refused_total").await, 33);
    // A released permit is available again.
    silent.pop().expect("eight").reset();
    wait_for_sockets(&server, 7).await;
    assert_eq!(try_handshake(&server, [127, 0, 0, 9]).await.1, 101);
}

/// Connections from 32 addresses never complete their request. Each address stays below its limits.
#[tokio::test]
async fn unfinished_handshakes_give_way_to_new_clients() {
    let server = ServerProcess::start(&["--set", "max-handshakes=64"]);
    let mut unfinished = vec![];
    for round in 0..8 {
        for last in 1..=32 {
            let from = Ipv4Addr::new(127, 0, 1, last);
            let mut client = RawWebSocket::connect_from(from, server.address()).await;
            client.try_write(b"G").await;
            unfinished.push(client);
        }
        // Every new client is served, even at an address of the unfinished handshakes.
        for from in [Ipv4Addr::new(127, 0, 2, 1), Ipv4Addr::new(127, 0, 1, 1)] {
            let mut client = RawWebSocket::connect_from(from, server.address()).await;
            client.try_write(handshake_request("").as_bytes()).await;
            let response = HttpResponse::parse(&client.read_head().await);
            assert_eq!(
                response.status, 101,
                "round {round}, from {from}: {response:?}"
            );
        }
    }
    // The oldest handshake was closed to make room for new clients. The newest is still open.
    assert_eq!(unfinished[0].read_close_code().await, None);
    let newest = unfinished.last_mut().expect("256 connections");
    assert!(
        newest
            .try_write(&handshake_request("").as_bytes()[1..])
            .await
    );
    assert_eq!(HttpResponse::parse(&newest.read_head().await).status, 101);
}

#[tokio::test]
async fn a_first_line_has_a_timeout_of_its_own() {
    let server = ServerProcess::start(&["--set", "first-line-timeout=300ms"]);
    let request = handshake_request("");
    let (first_line, rest) = request.split_at(request.find("\r\n").expect("lines") + 2);
    let mut complete = RawWebSocket::connect(server.address()).await;
    complete.write(first_line.as_bytes()).await;
    let began = tokio::time::Instant::now();
    for sent in ["", "G", &first_line[..first_line.len() - 2]] {
        let mut incomplete = RawWebSocket::connect(server.address()).await;
        incomplete.write(sent.as_bytes()).await;
        assert_eq!(incomplete.read_head().await, "", "{sent:?}");
    }
    assert!(began.elapsed() >= 900 * MILLISECOND, "three timeouts");
    complete.write(rest.as_bytes()).await;
    assert_eq!(HttpResponse::parse(&complete.read_head().await).status, 101);
}

/// Every connection begins with a full message budget, and costs the server a handshake.
#[tokio::test]
async fn new_connections_over_the_rate_wait_for_their_turn() {
    let server = ServerProcess::start(&[
        "--set",
        "max-new-per-second=1",
        "--set",
        "handshake-timeout=2500ms",
    ]);
    let request = async |from: [u8; 4]| {
        let mut client = RawWebSocket::connect_from(Ipv4Addr::from(from), server.address()).await;
        client.try_write(handshake_request("").as_bytes()).await;
        client
    };
    let response = async |mut client: RawWebSocket| {
        let response = HttpResponse::parse(&client.read_head().await);
        client.reset();
        response
    };
    let began = tokio::time::Instant::now();
    for _ in 0..128 {
        assert_eq!(response(request([127, 0, 3, 1]).await).await.status, 101);
    }
    for _ in 0..200 {
        request([127, 0, 3, 1]).await.reset();
    }
    let (mut waiting, mut statuses) = (vec![], vec![]);
    for _ in 0..8 {
        waiting.push(response(request([127, 0, 3, 1]).await));
    }
    assert_eq!(
        response(request([127, 0, 3, 2]).await).await.status,
        101,
        "another address"
    );
    for response in futures::future::join_all(waiting).await {
        let retry_after = (response.status == 429).then_some("5");
        assert_eq!(response.header("retry-after"), retry_after, "{response:?}");
        statuses.push(response.status);
    }
    let turns = statuses.iter().filter(|status| **status == 101).count();
    let most = usize::try_from(began.elapsed().as_secs()).expect("seconds") + 1;
    assert!(
        (2..=most).contains(&turns),
        "{statuses:?} in {:?}",
        began.elapsed()
    );
}

/// Each refused client gets its response, although the server has not read the bytes that the client sent.
#[tokio::test]
async fn every_refused_connection_gets_its_response() {
    let server = TestServer::start_with_limits(|limits| {
        (limits.max_handshakes, limits.max_per_address) = (16, 8);
        limits.max_handshakes_per_address = Some(8);
    })
    .await;
    let mut silent = vec![];
    for _ in 0..8 {
        silent
            .push(RawWebSocket::connect_from(Ipv4Addr::new(127, 0, 0, 9), server.address()).await);
    }
    wait_for_sockets(&server, 8).await;
    let attempts = (0..200).map(|_| async {
        let mut client =
            RawWebSocket::connect_from(Ipv4Addr::new(127, 0, 0, 9), server.address()).await;
        // The client sends two parts. The second part arrives after the server has sent the response.
        client.try_write(handshake_request("").as_bytes()).await;
        tokio::time::sleep(20 * MILLISECOND).await;
        client.try_write(&[b'x'; 1000]).await;
        tokio::time::sleep(20 * MILLISECOND).await;
        HttpResponse::parse(&client.read_head().await).status
    });
    let statuses = futures::future::join_all(attempts).await;
    let lost = statuses.iter().filter(|status| **status != 429).count();
    assert_eq!(lost, 0, "of {} responses", statuses.len());
}

#[tokio::test]
async fn ipv6_clients_are_limited_per_64_and_mapped_addresses_are_ipv4() {
    // 127.6.net.host stands for an IPv6 address, 127.4.x.host for an IPv4-mapped address.
    let spoof_address = |test_client: IpAddr| match test_client {
        IpAddr::V4(address) => match address.octets() {
            [127, 6, net, host] => {
                Ipv6Addr::new(0x2001, 0xdb8, 0, net.into(), host.into(), 0, 0, host.into()).into()
            }
            [127, 4, _, host] => Ipv4Addr::new(10, 0, 0, host).to_ipv6_mapped().into(),
            [127, 5, _, host] => Ipv4Addr::new(10, 0, 0, host).into(),
            _ => test_client,
        },
        IpAddr::V6(_) => test_client,
    };
    let mut setup = TestServerOptions {
        spoof_address,
        ..TestServerOptions::default()
    };
    setup.limits.max_per_address = 2;
    setup.limits.max_new_per_second = Some(10_000);
    let server = TestServer::start_with(setup).await;
    let mut clients = vec![];
    for (from, status) in [
        ([127, 6, 0, 1], 101),
        ([127, 6, 0, 2], 101),
        ([127, 6, 0, 3], 429),
        ([127, 6, 0, 1], 429),
        ([127, 6, 1, 1], 101),
        ([127, 4, 0, 1], 101),
        ([127, 5, 0, 1], 101),
        ([127, 4, 0, 1], 429),
        ([127, 5, 0, 1], 429),
        ([127, 4, 0, 2], 101),
    ] {
        let (client, actual_status) = try_handshake(&server, from).await;
        assert_eq!(actual_status, status, "{from:?}");
        clients.push(client);
    }
}

/// `NOUGHTS_TEST_HANDSHAKE_SECONDS=4` uses the server's default timeout and prints the times.
#[tokio::test]
async fn five_hundred_slow_handshakes_share_one_timeout() {
    let limit = env_number("NOUGHTS_TEST_HANDSHAKE_SECONDS", 1) as u32 * 1_000 * MILLISECOND;
    let server = TestServer::start_with_limits(|limits| {
        (limits.handshake_timeout, limits.first_line_timeout) = (limit, limit);
    })
    .await;
    let began = tokio::time::Instant::now();
    let attempts = (0..500).map(|index| {
        let server = &server;
        async move {
            // The server starts the timeout later, when it has accepted the connection.
            let began = tokio::time::Instant::now();
            let mut client = RawWebSocket::connect(server.address()).await;
            // One third of the clients sends nothing, one third a byte at a time, one third all but the last byte.
            let head = handshake_request("");
            match index % 3 {
                0 => {}
                1 => {
                    for byte in head.bytes() {
                        // At this rate the head would take ten times as long.
                        if !client.try_write(&[byte]).await {
                            break;
                        }
                        tokio::time::sleep(limit / 20).await;
                    }
                }
                _ => client.write(&head.as_bytes()[..head.len() - 1]).await,
            }
            let response = HttpResponse::parse(&client.read_head().await);
            assert_eq!(response.status, 0, "{response:?}");
            began.elapsed()
        }
    });
    let durations = futures::future::join_all(attempts).await;
    let (first, last) = (
        durations.iter().min().expect("500"),
        durations.iter().max().expect("500"),
    );
    eprintln!(
        "500 slow handshakes: closed after {first:.2?} to {last:.2?}, all in {:.2?}",
        began.elapsed()
    );
    assert!(*first >= limit, "closed too early: {first:?}");
    // A timeout per byte or per part would take many times as long.
    assert!(*last < 4 * limit, "closed too late: {last:?}");
    wait_for_sockets(&server, 0).await;
    server.wait_until_idle().await;
}
