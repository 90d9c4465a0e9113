//! The way in, for many at once: one address holds nobody else up, a handshake has one time limit for
//! all of it, and nothing is left of those who never finish one.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::time::Duration;

use noughts_tests::chance::number;
use noughts_tests::http::Response;
use noughts_tests::raw::{Raw, handshake};
use noughts_tests::server::{Server, Setup};
use noughts_tests::wait::until;

const MS: Duration = Duration::from_millis(1);

/// The status of a handshake from an address of loopback, and the line.
async fn knock(server: &Server, from: [u8; 4]) -> (Raw, u16) {
    let mut line = Raw::connect_from(Ipv4Addr::from(from), server.address()).await;
    line.try_write(handshake("").as_bytes()).await;
    let status = Response::parse(&line.head().await).status;
    (line, status)
}

/// Waits until so many sockets are served, beside the one that asks.
async fn sockets(server: &Server, wanted: i64) {
    until(("sockets", wanted), async || (server.metric("noughts_sockets").await == wanted + 1).then_some(()))
        .await;
}

#[tokio::test]
async fn silent_lines_of_one_address_hold_nobody_else_up() {
    let server = Server::limited(|limits| {
        (limits.max_handshakes, limits.max_per_address) = (16, 8);
        limits.handshake = Duration::from_secs(60);
    })
    .await;
    let mut silent = vec![];
    for _ in 0..40 {
        silent.push(Raw::connect_from(Ipv4Addr::new(127, 0, 0, 9), server.address()).await);
    }
    sockets(&server, 8).await;
    // Those beyond its share are told so and closed, without a word of theirs.
    for line in silent.drain(8..) {
        let mut line = line;
        let answer = Response::parse(&line.head().await);
        assert_eq!((answer.status, answer.header("retry-after")), (429, Some("5")), "{answer:?}");
    }
    assert_eq!(knock(&server, [127, 0, 0, 9]).await.1, 429);
    for last in 10..14 {
        assert_eq!(knock(&server, [127, 0, 0, last]).await.1, 101, "from another address");
    }
    assert_eq!(server.metric("noughts_refused_total").await, 33);
    // A place that is given back is there for the next.
    silent.pop().expect("eight").reset();
    sockets(&server, 7).await;
    assert_eq!(knock(&server, [127, 0, 0, 9]).await.1, 101);
}

#[tokio::test]
async fn when_all_places_are_taken_whoever_comes_is_told_so_at_once() {
    let server = Server::limited(|limits| {
        limits.max_handshakes = 4;
        limits.handshake = 2_000 * MS;
    })
    .await;
    let mut silent = vec![];
    for last in 1..=4 {
        silent.push(Raw::connect_from(Ipv4Addr::new(127, 0, 1, last), server.address()).await);
    }
    let mut turned_away = Raw::connect(server.address()).await;
    let answer = Response::parse(&turned_away.head().await);
    assert_eq!((answer.status, answer.header("retry-after")), (503, Some("5")), "{answer:?}");
    // Each has its time and no more.
    for line in &mut silent {
        assert_eq!(line.close_code().await, None);
    }
    until("a place", async || (knock(&server, [127, 0, 0, 1]).await.1 == 101).then_some(())).await;
}

#[tokio::test]
async fn an_ipv6_party_is_its_64_and_an_ipv4_mapped_address_is_ipv4() {
    // 127.6.net.host stands for an IPv6 address, 127.4.x.host for an IPv4 one that came mapped.
    let disguise = |peer: IpAddr| match peer {
        IpAddr::V4(address) => match address.octets() {
            [127, 6, net, host] => {
                Ipv6Addr::new(0x2001, 0xdb8, 0, net.into(), host.into(), 0, 0, host.into()).into()
            }
            [127, 4, _, host] => Ipv4Addr::new(10, 0, 0, host).to_ipv6_mapped().into(),
            [127, 5, _, host] => Ipv4Addr::new(10, 0, 0, host).into(),
            _ => peer,
        },
        IpAddr::V6(_) => peer,
    };
    let mut setup = Setup { disguise, ..Setup::default() };
    setup.limits.max_per_address = 2;
    let server = Server::with(setup).await;
    let mut lines = vec![];
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
        let (line, got) = knock(&server, from).await;
        assert_eq!(got, status, "{from:?}");
        lines.push(line);
    }
}

/// With `NOUGHTS_HANDSHAKE=4`, which is the server's default, it says how long they take in earnest.
#[tokio::test]
async fn five_hundred_slow_handshakes_all_end_in_the_time_of_one() {
    let limit = number("NOUGHTS_HANDSHAKE", 1) as u32 * 1_000 * MS;
    let server = Server::limited(|limits| limits.handshake = limit).await;
    let began = tokio::time::Instant::now();
    let slow = (0..500).map(|at| {
        let server = &server;
        async move {
            // The server counts from when it has taken the line, which is later.
            let began = tokio::time::Instant::now();
            let mut line = Raw::connect(server.address()).await;
            // A third says nothing, a third a byte now and then, a third all but the last byte.
            let head = handshake("");
            match at % 3 {
                0 => {}
                1 => {
                    for byte in head.bytes() {
                        // At this pace the head would take ten times as long.
                        if !line.try_write(&[byte]).await {
                            break;
                        }
                        tokio::time::sleep(limit / 20).await;
                    }
                }
                _ => line.write(&head.as_bytes()[..head.len() - 1]).await,
            }
            let answer = Response::parse(&line.head().await);
            assert_eq!(answer.status, 0, "{answer:?}");
            began.elapsed()
        }
    });
    let took = futures::future::join_all(slow).await;
    let (first, last) = (took.iter().min().expect("500"), took.iter().max().expect("500"));
    eprintln!("500 slow handshakes: closed after {first:.2?} to {last:.2?}, all in {:.2?}", began.elapsed());
    assert!(*first >= limit, "each has its time: {first:?}");
    // A limit for each byte, or for each part, would be many times as long.
    assert!(*last < 4 * limit, "and no more: {last:?}");
    sockets(&server, 0).await;
    server.settled().await;
}
