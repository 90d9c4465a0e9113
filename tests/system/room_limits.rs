//! The limits of what goes on in rooms, and of what a request may say: what happens beyond each.

use std::time::Duration;

use noughts_protocol::wire::{Body, Command, Lobby, Message, Notice, Presence, RejectCode};
use noughts_protocol::{Cell, Closing, Event, Outcome, RequestId, RoomRef, Seat, Seq};
use noughts_tests::faulty::{Fault, FaultyLog};
use noughts_tests::server::{Server, Setup};
use noughts_tests::table::{create, pair, play, public, seek};
use noughts_tests::wait::until;

const MS: Duration = Duration::from_millis(1);

#[tokio::test]
async fn a_server_holds_so_many_rooms() {
    let server = Server::limited(|limits| limits.max_rooms = 1).await;
    let [mut a, mut b, mut c] = [server.peer("A").await, server.peer("B").await, server.peer("C").await];
    a.create("3x3:3", None, None, false).await;
    assert_eq!(b.refused(create("3x3:3", None, None, true)).await, RejectCode::ServerFull);
    // Those who are paired learn it too, each for its own request, and wait no longer.
    let ids = [RequestId::new(50).unwrap(), RequestId::new(60).unwrap()];
    for (peer, id) in [&mut b, &mut c].into_iter().zip(ids) {
        let answer = peer.ask_as(id, seek("3x3:3", None, None)).await;
        assert!(matches!(answer, Ok(Message::Done { .. })), "{answer:?}");
    }
    for (peer, id) in [&mut b, &mut c].into_iter().zip(ids) {
        let full = peer.answer(id, None).await.expect_err("no room is free");
        assert_eq!(full.code, RejectCode::ServerFull);
        assert_eq!(peer.refused(Body::Lobby(Lobby::Cancel)).await, RejectCode::NotSeeking);
    }
    a.ask(Body::Lobby(Lobby::Leave)).await.expect("out of its room");
    until("the room is no more", async || (server.metric("noughts_rooms").await == 0).then_some(())).await;
    b.create("3x3:3", None, None, true).await;
}

#[tokio::test]
async fn a_room_has_so_many_spectators() {
    let server = Server::limited(|limits| limits.max_watching = 1).await;
    let mut players = pair(&server, "3x3:3", None).await;
    let room = public(&players[0]);
    let [mut one, mut two] = [server.peer("One").await, server.peer("Two").await];
    assert!(one.watch(room).await.is_ok());
    assert_eq!(two.watch(room).await.expect_err("full").code, RejectCode::RoomFull);
    one.ask(Body::Lobby(Lobby::Leave)).await.expect("out of the room");
    assert!(two.watch(room).await.is_ok());
    play(&mut players, &[4]).await;
    two.event("the move", |event| matches!(event, Event::Moved { .. })).await;
}

#[tokio::test]
async fn a_room_that_has_more_to_do_than_it_may_queue_says_busy() {
    let log = FaultyLog::new();
    let mut setup = Setup { log: log.clone(), ..Setup::default() };
    (setup.limits.room_inbox, setup.limits.append) = (4, Duration::from_secs(60));
    let server = Server::with(setup).await;
    let [mut x, mut o] = pair(&server, "3x3:3", None).await;
    let seq = x.game().seq();
    log.shut();
    let before = log.appends();
    // Whatever of its beginning the room still has to do is done once the append is asked for.
    x.text(&format!(r#"{{"type":"move","id":100,"cell":4,"seq":{seq}}}"#)).await;
    until("the append", async || (log.appends() > before).then_some(())).await;
    for id in 101..110 {
        x.text(&format!(r#"{{"type":"move","id":{id},"cell":{},"seq":{seq}}}"#, id - 101)).await;
    }
    let mut busy = vec![];
    for id in 105..110 {
        let id = RequestId::new(id).unwrap();
        busy.push(x.answer(id, Some(Seat::X)).await.expect_err("busy").code);
    }
    assert_eq!(busy, [RejectCode::Busy; 5]);
    log.open();
    o.event("the move", |event| matches!(event, Event::Moved { .. })).await;
    for id in 101..105 {
        let answer = x.answer(RequestId::new(id).unwrap(), Some(Seat::X)).await;
        assert!(answer.is_err_and(|reject| reject.code == RejectCode::Stale), "{id} was made too early");
    }
    assert_eq!(x.game().seq().get(), seq.get() + 1);
}

/// A room that waits for its log, with an inbox of four, two players and a fan.
async fn stuck() -> (Server, std::sync::Arc<FaultyLog>, [noughts_tests::peer::Peer; 3]) {
    let log = FaultyLog::new();
    let mut setup = Setup { log: log.clone(), ..Setup::default() };
    (setup.limits.room_inbox, setup.limits.append) = (4, Duration::from_secs(60));
    let server = Server::with(setup).await;
    let [mut x, o] = pair(&server, "3x3:3", None).await;
    let mut fan = server.peer("Fan").await;
    fan.watch(public(&x)).await.expect("public");
    log.shut();
    let before = log.appends();
    x.text(&format!(r#"{{"type":"move","id":100,"cell":4,"seq":{}}}"#, x.game().seq())).await;
    until("the append", async || (log.appends() > before).then_some(())).await;
    (server, log, [x, o, fan])
}

#[tokio::test]
async fn who_watches_does_not_fill_the_inbox_against_those_who_play() {
    let (_server, log, [_x, mut o, mut fan]) = stuck().await;
    let seq = RequestId::MAX;
    for id in 200..206 {
        fan.text(&format!(r#"{{"type":"sync","id":{id},"seq":{seq}}}"#)).await;
    }
    for id in 202..206 {
        let busy = fan.answer(RequestId::new(id).unwrap(), None).await.expect_err("its share is full");
        assert_eq!(busy.code, RejectCode::Busy, "{id}");
    }
    // Half is left to the players, whose request is not refused but waits.
    o.text(r#"{"type":"offer","id":300,"offer":"draw"}"#).await;
    o.text(r#"{"type":"list","id":301}"#).await;
    o.answer(RequestId::new(301).unwrap(), None).await.expect("the lobby is another matter");
    log.open();
    let answer = o.answer(RequestId::new(300).unwrap(), Some(Seat::O)).await;
    assert!(matches!(answer, Ok(Message::Events { .. })), "{answer:?}");
    fan.answer(RequestId::new(200).unwrap(), None).await.expect("asked in time");
}

#[tokio::test]
async fn a_connection_ends_however_busy_its_room_is() {
    let (server, log, [mut x, o, fan]) = stuck().await;
    for id in 101..110 {
        x.text(&format!(r#"{{"type":"resign","id":{id}}}"#)).await;
    }
    // The inbox is full, and the room does not look.
    let busy = x.answer(RequestId::new(109).unwrap(), Some(Seat::X)).await.expect_err("full");
    assert_eq!(busy.code, RejectCode::Busy);
    drop((o, fan));
    until("the others to be gone", async || (server.metric("noughts_connections").await == 1).then_some(()))
        .await;
    log.open();
    // It is told of that all the same.
    x.notice("absence", |notice| {
        matches!(notice, Notice::Presence { seat: Seat::O, presence: Presence::Away, .. })
    })
    .await;
}

#[tokio::test]
async fn an_append_has_its_time() {
    let log = FaultyLog::new();
    let mut setup = Setup { log: log.clone(), ..Setup::default() };
    setup.limits.append = 200 * MS;
    let server = Server::with(setup).await;
    let [mut x, _o] = pair(&server, "3x3:3", None).await;
    log.next(&[Fault::Lose]);
    assert_eq!(x.play(4).await.expect_err("no answer").code, RejectCode::Unavailable);
    assert_eq!(server.metric("noughts_append_failures_total").await, 1);
    until("the log is asked again", async || x.play(4).await.ok()).await;
}

#[tokio::test]
async fn a_room_that_waits_for_long_closes() {
    let server = Server::limited(|limits| limits.idle_room = 300 * MS).await;
    let mut alone = server.peer("Ann").await;
    alone.create("3x3:3", None, None, true).await;
    let closed = alone.event("the end", |event| matches!(event, Event::Closed { .. })).await;
    assert_eq!(closed, Event::Closed { closing: Closing::Idle });
    // After a game as well; and whoever was there is free.
    let mut players = pair(&server, "3x3:3", None).await;
    play(&mut players, &[4, 0, 2, 1, 6]).await;
    for peer in &mut players {
        let closed = peer.event("the end", |event| matches!(event, Event::Closed { .. })).await;
        assert_eq!(closed, Event::Closed { closing: Closing::Idle });
        assert_eq!(peer.refused(Body::Command(Command::Resign)).await, RejectCode::NotInRoom);
    }
    alone.create("3x3:3", None, None, true).await;
    drop((alone, players));
    server.settled().await;
}

#[tokio::test]
async fn a_game_without_a_move_for_long_ends_drawn() {
    let server = Server::limited(|limits| limits.idle_game = 300 * MS).await;
    let mut players = pair(&server, "3x3:3", None).await;
    play(&mut players, &[4]).await;
    for peer in &mut players {
        let ended = peer.event("the end", |event| matches!(event, Event::Ended { .. })).await;
        let Event::Ended { outcome, .. } = ended else { unreachable!() };
        assert_eq!(outcome, Outcome::Abandoned { winner: None });
        assert_eq!(peer.game().closing(), Some(Closing::Idle));
    }
}

#[tokio::test]
async fn values_have_limits_and_the_field_is_named() {
    let server = Server::start().await;
    let mut peer = server.peer("Ann").await;
    let create = |rules: &str| format!(r#""type":"create","rules":"{rules}""#);
    let name = |name: &str| format!(r#""type":"hello","versions":[1,1],"kind":"bot","name":"{name}""#);
    let cases = [
        (name(&"x".repeat(25)), "name"),
        (name(&"界".repeat(13)), "name"),
        (name(""), "name"),
        (name("   "), "name"),
        (name("a\\u001bb"), "name"),
        (name("a\\u0000b"), "name"),
        (name("a\\u202eb"), "name"),
        (name("a\\u2066b"), "name"),
        (name("a\\nb"), "name"),
        (format!(r#"{},"client":"{}""#, name("Ann"), "x".repeat(65)), "client"),
        (create("26x5:5"), "rules"),
        (create("25x25x2:5"), "rules"),
        (create("3x3:4"), "rules"),
        (create("0x3:3"), "rules"),
        (create("2x2x2x2x2:2"), "rules"),
        (create("99999999999x3:3"), "rules"),
        (format!(r#"{},"clock":"forever""#, create("3x3:3")), "clock"),
        (format!(r#"{},"seat":"z""#, create("3x3:3")), "seat"),
        (r#""type":"move","cell":65536,"seq":1"#.into(), "cell"),
        (r#""type":"move","cell":1.0,"seq":1"#.into(), "cell"),
        (r#""type":"move","cell":-1,"seq":1"#.into(), "cell"),
        (r#""type":"move","cell":1,"seq":9007199254740992"#.into(), "seq"),
        (r#""type":"join","room":"../../../x""#.into(), "room"),
        (r#""type":"watch","room":"*""#.into(), "room"),
        (r#""type":"resume","room":"k7qf3mzx","token":"short""#.into(), "token"),
    ];
    for (at, (fields, field)) in cases.into_iter().enumerate() {
        let id = RequestId::new(1000 + at as u64).unwrap();
        peer.text(&format!(r#"{{"id":{id},{fields}}}"#)).await;
        let reject = peer.answer(id, None).await.expect_err(&fields);
        assert_eq!((reject.code, reject.field.as_deref()), (RejectCode::BadField, Some(field)), "{fields}");
    }
    let seq = Seq::new(1);
    let answer = peer.command(Command::Move { cell: Cell::new(4), seq }).await;
    assert_eq!(answer.expect_err("in no room").code, RejectCode::NotInRoom);
    let nowhere: RoomRef = "k7qf3mzx".parse().unwrap();
    assert_eq!(peer.join(nowhere).await.expect_err("no room").code, RejectCode::UnknownRoom);
}
