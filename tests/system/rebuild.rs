//! A room's task dies of a bug: the room is built again from what is stored, and nobody is left behind.

use noughts_protocol::wire::{Body, Command, Lobby, Message, RejectCode, Request};
use noughts_protocol::{Cell, RequestId, RoomRef, Seq};
use noughts_tests::faulty::{Fault, faulty, gated};
use noughts_tests::peer::{Peer, Place};
use noughts_tests::table::{pair, play, public};
use noughts_tests::wait::until;

fn id(number: u64) -> RequestId {
    RequestId::new(number).expect("small")
}

/// Everything that was sent to this peer so far has arrived.
async fn hears_all(peer: &mut Peer) {
    peer.ask(Body::Lobby(Lobby::List)).await.expect("a list");
}

/// Resumes as soon as the room is itself again.
async fn back(peer: &mut Peer, place: &Place, seq: Option<Seq>) -> Message {
    until("a rebuilt room", async || match peer.resume(place, seq).await {
        Ok(answer) => Some(answer),
        Err(reject) => {
            assert_eq!(reject.code, RejectCode::Unavailable);
            None
        }
    })
    .await
}

#[tokio::test]
async fn a_bug_costs_a_room_its_connections_and_nothing_else() {
    let (server, log) = faulty().await;
    let mut players = pair(&server, "3x3:3", None).await;
    play(&mut players, &[0, 1]).await;
    let [mut x, o] = players;
    let [mut elsewhere, mut other] = pair(&server, "3x3:3", None).await;
    let mut fan = server.peer("Fan").await;
    fan.watch(public(&x)).await.expect("public");
    let (room, places) = (public(&x), [x.place().clone(), o.place().clone()]);
    log.next(&[Fault::Panic]);
    let body = Body::Command(Command::Move { cell: Cell::new(4), seq: x.game().seq() });
    x.send(&Request { id: id(500), body: body.clone() }).await;
    for peer in [x, o, fan] {
        assert_eq!(peer.closed().await, Some(1011));
    }
    let [mut x, mut o] = [server.peer("Ann").await, server.peer("Bob").await];
    for (peer, place) in [(&mut x, &places[0]), (&mut o, &places[1])] {
        let answer = back(peer, place, Some(place.game.seq())).await;
        assert!(matches!(&answer, Message::Events { events, .. } if events.is_empty()), "{answer:?}");
    }
    let answer = x.ask_as(id(500), body).await.expect("it was not stored");
    assert!(matches!(answer, Message::Events { .. }), "{answer:?}");
    o.caught_up(x.game().seq()).await;
    let stored = log.events(x.place().id).await;
    assert_eq!(stored.last().map(|event| event.seq), Some(o.game().seq()));
    o.caught_up(x.game().seq()).await;
    let stored = log.events(x.place().id).await;
    assert_eq!(stored.last().map(|event| event.seq), Some(o.game().seq()));
    let mut fan = server.peer("Fan").await;
    fan.watch(room).await.expect("still there");
    elsewhere.play(0).await.expect("nothing has happened there");
    other.caught_up(elsewhere.game().seq()).await;
    assert_eq!(server.metric("noughts_room_panics_total").await, 1);
}

#[tokio::test]
async fn a_rebuilt_room_is_whole_with_and_without_an_image() {
    let (server, log) = faulty().await;
    let mut players = pair(&server, "20x20:20", None).await;
    let mut cells = 0..400;
    for moves in [40, 230] {
        let these: Vec<u16> = cells.by_ref().take(moves).collect();
        play(&mut players, &these).await;
        let [mut x, o] = players;
        let (before, places) = (x.game().position().moves().to_vec(), [x.place().clone(), o.place().clone()]);
        log.next(&[Fault::Panic]);
        x.send(&Request::command(id(999_999), Command::Resign)).await;
        assert_eq!((x.closed().await, o.closed().await), (Some(1011), Some(1011)));
        let [mut x, mut o] = [server.peer("Ann").await, server.peer("Bob").await];
        back(&mut x, &places[0], None).await;
        back(&mut o, &places[1], Some(places[1].game.seq())).await;
        assert_eq!(x.game().position().moves(), before);
        assert_eq!(o.game().position().moves(), before);
        players = [x, o];
    }
    play(&mut players, &[399]).await;
}

#[tokio::test]
async fn nobody_waits_for_a_room_that_is_lost() {
    let (server, log) = gated().await;
    let [mut x, _o] = pair(&server, "3x3:3", None).await;
    let room: RoomRef = public(&x);
    let before = log.appends();
    log.shut();
    log.next(&[Fault::Panic]);
    x.send(&Request::command(id(500), Command::Resign)).await;
    until("the append", async || (log.appends() > before).then_some(())).await;
    // Comes while the room is about to fail, and cannot be rebuilt.
    let mut late = server.peer("Late").await;
    late.send(&Request::lobby(id(1), Lobby::Watch { room, remarks: false })).await;
    hears_all(&mut late).await;
    log.fail_loads(true);
    log.open();
    assert_eq!(x.closed().await, Some(1011));
    let refused = late.answer(id(1), None).await;
    let code = refused.map_err(|reject| reject.code).expect_err("no room to watch");
    assert!(matches!(code, RejectCode::Unavailable | RejectCode::UnknownRoom), "{code}");
    log.fail_loads(false);
    late.create("3x3:3", None, None, false).await;
}

#[tokio::test]
async fn a_room_that_failed_while_the_log_was_away_is_there_again_after_it() {
    let (server, log) = faulty().await;
    let [mut x, o] = pair(&server, "3x3:3", None).await;
    let place = x.place().clone();
    log.fail_loads(true);
    log.next(&[Fault::Panic]);
    x.send(&Request::command(id(500), Command::Resign)).await;
    assert_eq!((x.closed().await, o.closed().await), (Some(1011), Some(1011)));
    let mut x = server.peer("Ann").await;
    // It is stored: to say that there is no such room would be a lie.
    let code = x.resume(&place, None).await.unwrap_err().code;
    log.fail_loads(false);
    assert_eq!(code, RejectCode::Unavailable);
    until("its seat", async || x.resume(&place, None).await.ok()).await;
    x.play(0).await.expect("X is to move");
}

#[tokio::test]
async fn a_room_whose_history_does_not_hold_is_given_up_and_named() {
    let (server, log) = faulty().await;
    let [mut x, o] = pair(&server, "3x3:3", None).await;
    let place = x.place().clone();
    log.damage(true);
    log.next(&[Fault::Panic]);
    x.send(&Request::command(id(500), Command::Resign)).await;
    assert_eq!((x.closed().await, o.closed().await), (Some(1011), Some(1011)));
    // It does not try for ever: nothing is left of it but what is stored.
    server.settled().await;
    assert_eq!(server.metric("noughts_rooms_lost_total").await, 1);
    let mut x = server.peer("Ann").await;
    assert_eq!(x.resume(&place, None).await.unwrap_err().code, RejectCode::UnknownRoom);
    log.damage(false);
    assert!(!log.events(place.id).await.is_empty(), "it is the operator's to look at");
}

#[tokio::test]
async fn a_newcomer_whose_request_meets_a_bug_is_not_left_waiting() {
    let (server, log) = faulty().await;
    let mut host = server.peer("Host").await;
    let code = host.create("3x3:3", None, None, false).await;
    log.next(&[Fault::Panic]);
    let mut guest = server.peer("Guest").await;
    guest.send(&Request::lobby(id(1), Lobby::Join { room: code })).await;
    assert_eq!((guest.closed().await, host.closed().await), (Some(1011), Some(1011)));
    let mut guest = server.peer("Guest").await;
    until("the free seat", async || guest.join(code).await.ok()).await;
    // The same when the room is only being founded.
    log.panic_creates(true);
    let mut host = server.peer("Host").await;
    let create = noughts_tests::table::create("3x3:3", None, None, true);
    assert_eq!(host.refused(create).await, RejectCode::Unavailable);
    log.panic_creates(false);
    host.create("3x3:3", None, None, false).await;
}
