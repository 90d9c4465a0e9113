//! The lobby: who is paired with whom, and who is not.

use noughts_protocol::wire::{Body, Lobby, Message, OpenSeek, RejectCode};
use noughts_protocol::{Phase, Seat};
use noughts_tests::peer::Peer;
use noughts_tests::server::{Server, Setup};
use noughts_tests::table::seek;
use noughts_tests::wait::until;

async fn seeks(peer: &mut Peer) -> Vec<OpenSeek> {
    match peer.ask(Body::Lobby(Lobby::List)).await {
        Ok(Message::Rooms { seeks, .. }) => seeks,
        other => panic!("no list, but {other:?}"),
    }
}

fn opponent(peer: &Peer) -> String {
    peer.game().player(peer.seat().other()).expect("two play").name.to_string()
}

/// A game, a clock and a seat.
type Wish<'a> = (&'a str, Option<&'a str>, Option<Seat>);

/// Asks one after the other, and says who plays whom, by the order in which they came. Those who wait
/// go on to wait.
async fn paired(server: &Server, wishes: &[Wish<'_>]) -> (Vec<Option<usize>>, Vec<Peer>) {
    let mut peers = Vec::new();
    for (number, (rules, clock, seat)) in wishes.iter().enumerate() {
        let mut peer = server.peer(&number.to_string()).await;
        peer.seek(rules, *clock, *seat).await;
        peers.push(peer);
    }
    let mut found = Vec::new();
    for peer in &mut peers {
        // The answer to this comes after whatever the pairing brought.
        let waiting = seeks(peer).await.into_iter().map(|seek| seek.player.name.to_string());
        let own = found.len().to_string();
        if waiting.into_iter().any(|name| name == own) {
            assert!(peer.room.is_none(), "{own} waits and plays");
            found.push(None);
        } else {
            peer.snapshot().await;
            assert_eq!(peer.game().phase(), Phase::Playing);
            found.push(opponent(peer).parse().ok());
        }
    }
    (found, peers)
}

#[tokio::test]
async fn who_came_first_is_served_first() {
    let server = Server::start().await;
    let x = Some(Seat::X);
    let wishes = [("3x3:3", None, x), ("3x3:3", None, x), ("3x3:3", None, None), ("3x3:3", None, None)];
    assert_eq!(paired(&server, &wishes).await.0, [Some(2), Some(3), Some(0), Some(1)]);
}

#[tokio::test]
async fn rules_clocks_and_seats_must_suit() {
    let server = Server::start().await;
    let x = Some(Seat::X);
    let wishes = [
        ("3x3:3", None, None),
        ("3x3:3+misere", None, None),
        ("3x3:3", Some("5+0"), None),
        ("3x3:3", Some("5+1"), None),
        ("4x4:3", None, x),
        ("4x4:3", None, x),
    ];
    let (alone, _waiting) = paired(&server, &wishes).await;
    assert_eq!(alone, [None; 6]);
    let wishes = [("3x3:3", Some("300s+0"), None), ("4X4:3", None, Some(Seat::O))];
    let mut late = [server.peer("a").await, server.peer("b").await];
    for (peer, (rules, clock, seat)) in late.iter_mut().zip(wishes) {
        peer.seek(rules, clock, seat).await;
        peer.snapshot().await;
    }
    assert_eq!(opponent(&late[0]), "2");
    assert_eq!(opponent(&late[1]), "4");
}

#[tokio::test]
async fn a_well_known_name_is_its_rules() {
    let server = Server::start().await;
    let wishes = [("connect4", None, None), ("7x6:4+gravity", None, None)];
    assert_eq!(paired(&server, &wishes).await.0, [Some(1), Some(0)]);
}

#[tokio::test]
async fn wishes_for_a_seat_are_kept() {
    let server = Server::start().await;
    for (first, second, seats) in [
        (Some(Seat::O), None, [Seat::O, Seat::X]),
        (None, Some(Seat::X), [Seat::O, Seat::X]),
        (None, Some(Seat::O), [Seat::X, Seat::O]),
        (Some(Seat::X), Some(Seat::O), [Seat::X, Seat::O]),
    ] {
        let mut both = [server.peer("a").await, server.peer("b").await];
        both[0].seek("3x3:3", None, first).await;
        both[1].seek("3x3:3", None, second).await;
        for (peer, seat) in both.iter_mut().zip(seats) {
            peer.snapshot().await;
            assert_eq!(peer.seat(), seat, "{first:?} and {second:?}");
        }
    }
}

#[tokio::test]
async fn seats_that_nobody_wants_are_drawn_by_lot() {
    let mut first_was = [0, 0];
    for seed in 0..12 {
        let server = Server::with(Setup { seed, ..Setup::default() }).await;
        let mut both = [server.peer("a").await, server.peer("b").await];
        for peer in &mut both {
            peer.seek("3x3:3", None, None).await;
        }
        for peer in &mut both {
            peer.snapshot().await;
        }
        assert_eq!(both[0].seat(), both[1].seat().other());
        first_was[both[0].seat().index()] += 1;
    }
    assert!(first_was.iter().all(|count| *count > 0), "X and O were drawn {first_was:?} times");
}

#[tokio::test]
async fn nobody_plays_with_oneself() {
    let server = Server::start().await;
    let mut peer = server.peer("a").await;
    peer.seek("3x3:3", None, None).await;
    assert_eq!(peer.refused(seek("3x3:3", None, None)).await, RejectCode::AlreadySeeking);
    assert_eq!(peer.refused(seek("4x4:4", None, None)).await, RejectCode::AlreadySeeking);
    assert_eq!(seeks(&mut peer).await.len(), 1);
    assert!(peer.room.is_none());
}

#[tokio::test]
async fn who_does_not_wait_any_more_is_not_paired() {
    let server = Server::start().await;
    let [mut a, mut b] = [server.peer("a").await, server.peer("b").await];
    assert_eq!(a.refused(Body::Lobby(Lobby::Cancel)).await, RejectCode::NotSeeking);
    a.seek("3x3:3", None, None).await;
    assert!(matches!(a.ask(Body::Lobby(Lobby::Cancel)).await, Ok(Message::Done { .. })));
    assert_eq!(a.refused(Body::Lobby(Lobby::Cancel)).await, RejectCode::NotSeeking);
    b.seek("3x3:3", None, None).await;
    assert_eq!(seeks(&mut a).await.len(), 1, "b waits alone");
    // And may wait again, for something else too.
    a.seek("4x4:4", None, None).await;
    assert!(a.room.is_none() && b.room.is_none());
    assert_eq!(seeks(&mut a).await.len(), 2);
}

#[tokio::test]
async fn a_wish_ends_with_its_connection() {
    let server = Server::start().await;
    let [mut gone, mut reset, mut here] =
        [server.peer("gone").await, server.peer("reset").await, server.peer("here").await];
    gone.seek("3x3:3", None, None).await;
    reset.seek("3x3:3", None, Some(Seat::X)).await;
    gone.snapshot().await;
    reset.snapshot().await;
    let mut third = server.peer("third").await;
    third.seek("4x4:3", None, None).await;
    drop(third);
    until("the wish to end", async || seeks(&mut here).await.is_empty().then_some(())).await;
    here.seek("4x4:3", None, None).await;
    assert!(here.room.is_none(), "paired with nobody");
    drop((gone, reset, here));
}

#[tokio::test]
async fn a_crowd_is_paired_two_by_two() {
    let server = Server::start().await;
    let crowd = (0..60).map(|number| {
        let server = &server;
        async move {
            let mut peer = server.peer(&number.to_string()).await;
            peer.seek("3x3:3", None, None).await;
            peer.snapshot().await;
            peer
        }
    });
    let crowd: Vec<Peer> = futures::future::join_all(crowd).await;
    for peer in &crowd {
        let other = &crowd[opponent(peer).parse::<usize>().expect("a number")];
        assert_eq!(peer.place().id, other.place().id);
        assert_eq!(peer.seat(), other.seat().other());
    }
    assert_eq!(server.metric("noughts_rooms").await, 30);
}
