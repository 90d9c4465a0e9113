//! What opens a seat or a private room, and those who try what does not: guesses are limited for each
//! address, takeovers for each seat, and a player who does neither notices nothing.

use std::net::Ipv4Addr;
use std::time::Duration;

use noughts_protocol::wire::{Body, Lobby, Message, Reject, RejectCode};
use noughts_protocol::{Code, Event, ResumeToken, RoomId, RoomRef, Seat};
use noughts_tests::peer::Peer;
use noughts_tests::server::Server;
use noughts_tests::table::{pair, public};
use tokio::net::TcpSocket;

const MS: Duration = Duration::from_millis(1);

/// A welcomed peer from another address of this machine.
async fn peer_from(server: &Server, from: [u8; 4]) -> Peer {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.bind((Ipv4Addr::from(from), 0).into()).expect("an address of loopback");
    let line = socket.connect(server.address()).await.expect("the server listens");
    let mut peer = Peer::over(line, &server.url()).await;
    peer.greet("Eve").await;
    peer
}

/// The wrong keys that there are, one after the other.
fn wrong(number: u64, known: RoomId) -> Body {
    let token = ResumeToken::from_bits(number.into());
    let (room, code) = (RoomRef::Id(RoomId::from_bits(number)), RoomRef::Code(Code::from_bits(number)));
    Body::Lobby(match number % 5 {
        0 => Lobby::Join { room: code },
        1 => Lobby::Watch { room: code, remarks: false },
        2 => Lobby::Join { room },
        3 => Lobby::Resume { room: known, token, seq: None },
        _ => Lobby::Resume { room: RoomId::from_bits(number), token, seq: None },
    })
}

/// A refusal that may be asked again: after how long.
fn wait(reject: &Reject) -> Option<Duration> {
    (reject.code == RejectCode::RateLimited).then(|| reject.wait_ms.expect("when to come back") as u32 * MS)
}

#[tokio::test]
async fn guesses_are_limited_for_each_address() {
    let server = Server::limited(|limits| limits.guesses = 30).await;
    let [x, mut o] = pair(&server, "3x3:3", None).await;
    let mut host = server.peer("Host").await;
    let code = host.create("3x3:3", None, None, false).await;
    // Thirty, shared by all the lines of an address.
    let mut lines = vec![];
    for _ in 0..3 {
        lines.push(peer_from(&server, [127, 7, 7, 7]).await);
    }
    for number in 0..30 {
        let answer = lines[number as usize % 3].ask(wrong(number, x.place().id)).await;
        assert_eq!(answer.expect_err("a wrong key"), Reject::new(RejectCode::UnknownRoom), "{number}");
    }
    // Then none is looked at, also not the right one: that would tell it from the wrong ones.
    for (number, line) in (30..).zip(&mut lines) {
        let waits = line.ask(wrong(number, x.place().id)).await.expect_err("too many");
        assert!(wait(&waits).is_some_and(|wait| wait <= 2_000 * MS), "{waits:?}");
    }
    let waits = lines[0].join(code).await.expect_err("not looked at");
    assert!(wait(&waits).is_some(), "{waits:?}");
    // What needs no key goes on, as does everybody from elsewhere, and who has a token from here too: no
    // number of guesses leads to one.
    lines[1].ask(Body::Lobby(Lobby::List)).await.expect("no key");
    lines[2].create("3x3:3", None, None, false).await;
    let place = x.cut();
    let mut x = peer_from(&server, [127, 7, 7, 7]).await;
    x.resume(&place, None).await.expect("its token");
    x.play(4).await.expect("X begins");
    o.event("the move", |event| matches!(event, Event::Moved { .. })).await;
    // After waiting as told the right key is right.
    let mut told = waits;
    let joined = loop {
        tokio::time::sleep(wait(&told).expect("not looked at")).await;
        match lines[0].join(code).await {
            Ok(joined) => break joined,
            Err(reject) => told = reject,
        }
    };
    assert!(matches!(joined, Message::Snapshot { .. }));
}

#[tokio::test]
async fn a_whole_class_behind_one_address_is_not_locked_out() {
    // The defaults of the product: a server that has forgotten its rooms, and everybody comes back at once.
    let server = Server::limited(|limits| limits.guesses = 240).await;
    let known = RoomId::from_bits(1);
    for number in 0..64 {
        let mut peer = peer_from(&server, [127, 7, 7, 8]).await;
        for again in 0..3 {
            let answer = peer.ask(wrong(number * 3 + again, known)).await.expect_err("nothing is there");
            assert_eq!(answer.code, RejectCode::UnknownRoom, "{number}");
        }
    }
    let mut host = server.peer("Host").await;
    let code = host.create("3x3:3", None, None, false).await;
    peer_from(&server, [127, 7, 7, 8]).await.join(code).await.expect("the right code");
}

#[tokio::test]
async fn two_who_fight_over_a_seat_are_slowed_down() {
    let server = Server::limited(|limits| limits.takeovers = 5).await;
    let [x, mut o] = pair(&server, "3x3:3", None).await;
    let place = x.place().clone();
    let mut holder = x;
    for _ in 0..5 {
        let mut newer = server.peer("Ann").await;
        newer.resume(&place, None).await.expect("its token");
        assert_eq!(std::mem::replace(&mut holder, newer).closed().await, Some(4002));
    }
    let mut newer = server.peer("Ann").await;
    let refused = newer.resume(&place, None).await.expect_err("too often");
    let wait = wait(&refused).expect("rate_limited");
    assert!((MS..=1_000 * MS).contains(&wait), "{refused:?}");
    // Whoever has the seat keeps it, and the other player is not concerned.
    holder.play(4).await.expect("still X");
    o.event("the move", |event| matches!(event, Event::Moved { .. })).await;
    let o_place = o.cut();
    let mut o = server.peer("Bob").await;
    o.resume(&o_place, None).await.expect("the other seat");
    // A seat that nobody is in is free at any time, and so is the other after waiting as told.
    tokio::time::sleep(wait).await;
    newer.resume(&place, None).await.expect("after waiting as told");
    assert_eq!(holder.closed().await, Some(4002));
    newer.ask(Body::Lobby(Lobby::Leave)).await.expect("in the room");
    newer.resume(&place, None).await.expect("nobody is in it");
    o.play(0).await.expect("O is to move");
}

#[tokio::test]
async fn one_address_cannot_fill_the_server_with_rooms() {
    let server = Server::limited(|limits| limits.max_rooms_per_address = Some(4)).await;
    let mut eve = vec![];
    for _ in 0..6 {
        eve.push(peer_from(&server, [127, 7, 7, 9]).await);
    }
    let refused = |answer: Result<Message, Reject>| {
        let reject = answer.expect_err("too many rooms");
        assert_eq!((reject.code, reject.detail.is_some()), (RejectCode::ServerFull, true), "{reject:?}");
    };
    // One of a room each, whether opened or waited for.
    eve[0].create("3x3:3", None, None, true).await;
    eve[1].create("3x3:3", None, None, false).await;
    eve[2].seek("5x5:5", None, Some(Seat::X)).await;
    eve[3].seek("5x5:5", None, Some(Seat::X)).await;
    for wish in [
        noughts_tests::table::create("3x3:3", None, None, true),
        noughts_tests::table::seek("5x5:5", None, Some(Seat::O)),
    ] {
        let answer = eve[4].ask(wish).await;
        refused(answer);
    }
    // Others open theirs; she may join and watch.
    let [x, o] = pair(&server, "3x3:3", None).await;
    eve[4].watch(public(&x)).await.expect("public");
    let room = public(&eve[0]);
    eve[5].join(room).await.expect("a free seat");
    // A place comes back when its seek or its room ends, not when its founder goes.
    eve[2].ask(Body::Lobby(Lobby::Cancel)).await.expect("waiting");
    eve[2].create("3x3:3", None, None, true).await;
    let place = eve.remove(0).cut();
    let mut again = peer_from(&server, [127, 7, 7, 9]).await;
    let answer = again.ask(noughts_tests::table::create("3x3:3", None, None, true)).await;
    refused(answer);
    again.resume(&place, None).await.expect("its own room");
    drop((eve, again, x, o));
}
