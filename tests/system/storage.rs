//! The log is not in order: whoever asks is refused, nobody is shown what is not stored, and
//! everything goes on once it is in order again.

use noughts_protocol::wire::{Body, Command, Lobby, Message, RejectCode, Request};
use noughts_protocol::{
    Cell, Closing, Event, Offer, Phase, RequestId, ResumeToken, RoomId, Seat, Seq, Stamped,
};
use noughts_server::log::{EventLog, Founding};
use noughts_tests::faulty::{Fault, FaultyLog, faulty, gated};
use noughts_tests::peer::Peer;
use noughts_tests::server::{Server, Setup};
use noughts_tests::table::{create, pair, public, seek};
use noughts_tests::wait::until;

fn id(number: u64) -> RequestId {
    RequestId::new(number).expect("small")
}

/// What happened in the room, as this peer was told from now on.
fn told(peer: &mut Peer) -> Vec<Event> {
    let mut events = Vec::new();
    while let Some(message) = peer.seen(|message| matches!(message, Message::Events { .. })) {
        let Message::Events { events: these, .. } = message else { unreachable!() };
        events.extend(these.into_iter().map(|stamped| stamped.event));
    }
    events
}

/// Everything that was sent to this peer so far has arrived.
async fn hears_all(peer: &mut Peer) {
    peer.ask(Body::Lobby(Lobby::List)).await.expect("a list");
}

async fn agree_with_the_log(log: &FaultyLog, peers: &mut [&mut Peer]) {
    let room = peers[0].place().id;
    let events = log.events(room).await;
    let last = events.last().expect("a room has events").seq;
    for peer in peers {
        peer.caught_up(last).await;
        assert_eq!(peer.game().seq(), last, "more was told than is stored");
        let mut game = noughts_protocol::Game::open(&events[0]).expect("a history");
        events[1..].iter().for_each(|event| game.apply(event).expect("a history"));
        let (mut stored, mut seen) = (game.snapshot(0), peer.game().snapshot(0));
        (stored.left, seen.left) = (None, None);
        assert_eq!(stored, seen);
    }
}

#[tokio::test]
async fn what_was_done_is_said_to_be_done_also_while_the_log_is_in_doubt() {
    let (server, log) = faulty().await;
    let [mut x, mut o] = pair(&server, "3x3:3", None).await;
    let seq = x.game().seq();
    let done = Body::Command(Command::Move { cell: Cell::new(0), seq });
    x.ask_as(id(500), done.clone()).await.expect("legal");
    o.caught_up(seq.next()).await;
    log.next(&[Fault::Lose]);
    log.fail_loads(true);
    let command = Command::Move { cell: Cell::new(1), seq: seq.next() };
    o.send(&Request::command(id(501), command)).await;
    until("an append without an answer", async || {
        (server.metric("noughts_append_failures_total").await > 0).then_some(())
    })
    .await;
    let again = x.ask_as(id(500), done).await.expect("the same request");
    assert!(matches!(again, Message::Done { seq: Some(by), .. } if by == seq.next()), "{again:?}");
    // What is in doubt, and asked for once more, is answered when that is known, and not before.
    o.send(&Request::command(id(501), command)).await;
    log.fail_loads(false);
    assert_eq!(o.answer(id(501), None).await.unwrap_err().code, RejectCode::Unavailable);
    o.ask_as(id(501), Body::Command(command)).await.expect("nothing had changed");
    agree_with_the_log(&log, &mut [&mut x, &mut o]).await;
}

#[tokio::test]
async fn what_is_not_stored_is_refused_and_shown_to_nobody() {
    let (server, log) = faulty().await;
    for fault in [Fault::Fail, Fault::Lose] {
        let [mut x, mut o] = pair(&server, "3x3:3", None).await;
        let mut fan = server.peer("Fan").await;
        fan.watch(public(&x)).await.expect("public");
        for peer in [&mut x, &mut o, &mut fan] {
            hears_all(peer).await;
            told(peer);
        }
        let seq = x.game().seq();
        log.next(&[fault]);
        let body = Body::Command(Command::Move { cell: Cell::new(4), seq });
        let refused = x.ask_as(id(500), body.clone()).await.unwrap_err();
        assert_eq!((refused.code, refused.seq), (RejectCode::Unavailable, Some(seq)), "{fault:?}");
        for peer in [&mut x, &mut o, &mut fan] {
            hears_all(peer).await;
            assert_eq!(told(peer), [], "{fault:?}");
        }
        // The same request again, until the log is in order.
        let again = until("the move", async || x.ask_as(id(500), body.clone()).await.ok()).await;
        assert!(matches!(again, Message::Events { .. }), "{fault:?}: {again:?}");
        agree_with_the_log(&log, &mut [&mut x, &mut o, &mut fan]).await;
        assert_eq!(x.game().position().moves(), [Cell::new(4)]);
        o.play(0).await.expect("it goes on");
    }
    assert_eq!(server.metric("noughts_append_failures_total").await, 2);
}

#[tokio::test]
async fn what_is_stored_without_an_answer_is_applied_once() {
    let (server, log) = faulty().await;
    for fault in [Fault::Hush, Fault::Doubt] {
        let [mut x, mut o] = pair(&server, "3x3:3", None).await;
        let seq = x.game().seq();
        log.next(&[fault]);
        let body = Body::Command(Command::Move { cell: Cell::new(4), seq });
        // Not refused, since it may have been done: the one answer is its event.
        let answer = x.ask_as(id(500), body.clone()).await;
        assert!(matches!(answer, Ok(Message::Events { .. })), "{fault:?}: {answer:?}");
        o.caught_up(seq.next()).await;
        let again = until("the move", async || x.ask_as(id(500), body.clone()).await.ok()).await;
        assert!(matches!(again, Message::Done { seq: Some(done), .. } if done == seq.next()), "{again:?}");
        agree_with_the_log(&log, &mut [&mut x, &mut o]).await;
        assert_eq!(x.game().position().moves(), [Cell::new(4)], "{fault:?}");
        o.play(0).await.expect("it goes on");
    }
}

#[tokio::test]
async fn nobody_sees_a_move_before_it_is_stored() {
    let (server, log) = gated().await;
    let [mut x, mut o] = pair(&server, "3x3:3", None).await;
    let mut fan = server.peer("Fan").await;
    fan.watch(public(&x)).await.expect("public");
    let before = log.appends();
    log.shut();
    let seq = x.game().seq();
    x.send(&Request::command(id(500), Command::Move { cell: Cell::new(4), seq })).await;
    until("the append", async || (log.appends() > before).then_some(())).await;
    for peer in [&mut x, &mut o, &mut fan] {
        hears_all(peer).await;
        assert_eq!(peer.game().seq(), seq, "shown and not stored");
    }
    // Not in the list either.
    let listed = o.ask(Body::Lobby(Lobby::List)).await.expect("a list");
    let Message::Rooms { rooms, .. } = &listed else { panic!("{listed:?}") };
    assert_eq!(rooms[0].moves, 0);
    assert_eq!(server.metric("noughts_moves_total").await, 0);
    log.open();
    for peer in [&mut x, &mut o, &mut fan] {
        peer.caught_up(seq.next()).await;
    }
}

#[tokio::test]
async fn a_log_that_waits_in_one_room_leaves_the_rest_alone() {
    let (server, log) = gated().await;
    let [mut x, o] = pair(&server, "3x3:3", None).await;
    let before = log.appends();
    log.shut();
    let seq = x.game().seq();
    x.send(&Request::command(id(1), Command::Resign)).await;
    until("the append", async || (log.appends() > before).then_some(())).await;
    // Lobby and door answer; a pair waits for its room.
    let mut others = [server.peer("a").await, server.peer("b").await];
    for peer in &mut others {
        peer.seek("4x4:4", None, None).await;
    }
    assert_eq!(server.get("/health").await.0, 200);
    log.open();
    for peer in &mut others {
        peer.snapshot().await;
    }
    x.caught_up(seq.next()).await;
    drop(o);
}

#[tokio::test]
async fn a_room_with_too_much_to_do_says_busy_and_answers_the_rest() {
    let (server, log) = gated().await;
    let [mut x, mut o] = pair(&server, "3x3:3", None).await;
    let before = log.appends();
    log.shut();
    x.send(&Request::command(id(499), Command::Offer { offer: Offer::Draw })).await;
    until("the append", async || (log.appends() > before).then_some(())).await;
    for number in 0..60 {
        o.send(&Request::command(id(500 + number), Command::Decline { offer: Offer::Draw })).await;
    }
    let busy = |message: &Message| matches!(message, Message::Reject { reject, .. } if reject.code == RejectCode::Busy);
    for _ in 0..60 - 32 {
        o.wait_for("busy", busy).await;
    }
    // A connection whose room is busy is still heard.
    hears_all(&mut o).await;
    log.open();
    // One request withdrew the offer, and 31 came too late for it.
    o.event("answer", |event| matches!(event, Event::Declined { .. })).await;
    for _ in 0..31 {
        let none = |message: &Message| matches!(message, Message::Reject { reject, .. } if reject.code == RejectCode::NoOffer);
        o.wait_for("answer", none).await;
    }
    assert!(o.seen(|message| matches!(message, Message::Reject { .. })).is_none());
}

#[tokio::test]
async fn a_room_that_cannot_be_founded_is_refused() {
    let (server, log) = faulty().await;
    log.fail_creates(true);
    let mut host = server.peer("Host").await;
    for public in [true, false] {
        assert_eq!(host.refused(create("3x3:3", None, None, public)).await, RejectCode::Unavailable);
    }
    // Two who were paired are told by the number of their wish.
    let [mut a, mut b] = [server.peer("a").await, server.peer("b").await];
    for (peer, number) in [(&mut a, 70), (&mut b, 80)] {
        peer.ask_as(id(number), seek("3x3:3", None, None)).await.expect("waits");
    }
    for (peer, number) in [(&mut a, 70), (&mut b, 80)] {
        let refused = peer.answer(id(number), None).await.unwrap_err();
        assert_eq!(refused.code, RejectCode::Unavailable);
    }
    server_is_empty(&server).await;
    log.fail_creates(false);
    // All of them are free for something else.
    host.create("3x3:3", None, None, false).await;
    a.seek("3x3:3", None, None).await;
    b.seek("3x3:3", None, None).await;
    a.snapshot().await;
    b.snapshot().await;
}

async fn server_is_empty(server: &Server) {
    until("no room", async || (server.metric("noughts_rooms").await == 0).then_some(())).await;
    assert_eq!(server.metric("noughts_room_tasks").await, 0);
}

#[tokio::test]
async fn a_guest_whose_seat_is_not_stored_may_try_again() {
    let (server, log) = faulty().await;
    for fault in [Fault::Fail, Fault::Lose, Fault::Hush, Fault::Doubt] {
        let mut host = server.peer("Host").await;
        let code = host.create("3x3:3", None, Some(Seat::O), false).await;
        log.next(&[fault]);
        let mut guest = server.peer("Guest").await;
        // It is told that it has the seat, or that nothing has changed; then it asks again.
        until(("a seat after", fault), async || match guest.join(code).await {
            Ok(_) => Some(()),
            Err(reject) => {
                assert_eq!(reject.code, RejectCode::Unavailable, "after {fault:?} in its join");
                None
            }
        })
        .await;
        assert_eq!(guest.seat(), Seat::X, "{fault:?}");
        guest.play(4).await.expect("X begins");
        host.caught_up(guest.game().seq()).await;
        assert_eq!(host.game().phase(), Phase::Playing, "{fault:?}");
    }
}

#[tokio::test]
async fn a_flag_that_cannot_be_stored_falls_later() {
    let (server, log) = faulty().await;
    let [mut x, mut o] = pair(&server, "3x3:3", Some("1s+0")).await;
    log.next(&[Fault::Fail]);
    until("the flag to be tried", async || {
        (server.metric("noughts_append_failures_total").await == 1).then_some(())
    })
    .await;
    // Too late all the same.
    assert_eq!(x.play(0).await.unwrap_err().code, RejectCode::Unavailable);
    for peer in [&mut x, &mut o] {
        let ended = peer.event("end", |event| matches!(event, Event::Ended { .. })).await;
        assert!(matches!(ended, Event::Ended { left: Some([0, 1000]), .. }), "{ended:?}");
    }
    assert_eq!(x.play(0).await.unwrap_err().code, RejectCode::GameOver);
}

#[tokio::test]
async fn who_goes_while_the_log_is_away_is_gone() {
    let (server, log) = faulty().await;
    let [mut x, mut o] = pair(&server, "3x3:3", None).await;
    log.fail_loads(true);
    log.next(&[Fault::Doubt]);
    let seq = x.game().seq();
    let moved = Body::Command(Command::Move { cell: Cell::new(0), seq });
    x.send(&Request { id: id(500), body: moved }).await;
    until("the append", async || (log.appends() > 0).then_some(())).await;
    // The room does not know its own state: no view, no move, but a way out.
    let mut late = server.peer("Late").await;
    assert_eq!(late.watch(public(&x)).await.unwrap_err().code, RejectCode::Unavailable);
    let sync = Body::Lobby(Lobby::Sync { seq: o.game().seq() });
    assert_eq!(o.refused(sync).await, RejectCode::Unavailable);
    assert_eq!(o.refused(Body::Command(Command::Resign)).await, RejectCode::Unavailable);
    let left = x.ask(Body::Lobby(Lobby::Leave)).await;
    assert!(matches!(left, Ok(Message::Done { .. })), "{left:?}");
    let moved = x.answer(id(500), Some(Seat::X)).await;
    assert_eq!(moved.unwrap_err().code, RejectCode::Unavailable, "who goes is not left without an answer");
    x.create("3x3:3", None, None, false).await;
    log.fail_loads(false);
    until("the room", async || late.watch(public(&o)).await.ok()).await;
    assert_eq!(late.game().position().moves(), [Cell::new(0)], "it was stored");
    o.caught_up(late.game().seq()).await;
    o.play(1).await.expect("it goes on");
}

#[tokio::test]
async fn a_log_that_hangs_at_the_end_of_a_room_keeps_nobody_in_it() {
    let (server, log) = faulty().await;
    log.hang_retires(true);
    let mut host = server.peer("Host").await;
    let code = host.create("3x3:3", None, None, false).await;
    let mut fan = server.peer("Fan").await;
    fan.watch(code).await.expect("its code");
    host.ask(Body::Lobby(Lobby::Leave)).await.expect("in a room");
    fan.event("end", |event| matches!(event, Event::Closed { .. })).await;
    until("a way out", async || fan.ask(create("3x3:3", None, None, false)).await.ok()).await;
    until("the old room to be gone", async || (server.metric("noughts_rooms").await == 1).then_some(()))
        .await;
}

#[tokio::test]
async fn what_is_asked_of_a_closing_room_is_refused_as_of_none() {
    let (server, log) = gated().await;
    let mut host = server.peer("Host").await;
    let code = host.create("3x3:3", None, None, false).await;
    let mut fan = server.peer("Fan").await;
    fan.watch(code).await.expect("its code");
    let before = log.appends();
    log.shut();
    host.ask(Body::Lobby(Lobby::Leave)).await.expect("in a room");
    until("the end of the room", async || (log.appends() > before).then_some(())).await;
    fan.send(&Request::lobby(id(500), Lobby::Sync { seq: fan.game().seq() })).await;
    fan.send(&Request::command(id(501), Command::Resign)).await;
    let mut late = server.peer("Late").await;
    late.send(&Request::lobby(id(1), Lobby::Join { room: code })).await;
    hears_all(&mut fan).await;
    hears_all(&mut late).await;
    log.open();
    assert_eq!(late.answer(id(1), None).await.unwrap_err().code, RejectCode::UnknownRoom);
    // Nothing of the room is left to a member of it.
    for number in [500, 501] {
        assert_eq!(fan.answer(id(number), None).await.unwrap_err().code, RejectCode::NotInRoom);
    }
}

#[tokio::test]
async fn readiness_follows_the_log() {
    let (server, log) = faulty().await;
    assert_eq!(server.get("/ready").await.0, 200);
    log.set_healthy(false);
    assert_eq!((server.get("/ready").await.0, server.get("/health").await.0), (503, 200));
    log.set_healthy(true);
    assert_eq!(server.get("/ready").await.0, 200);
}

#[tokio::test]
async fn a_log_that_hangs_over_a_closed_room_keeps_no_server_from_its_start() {
    let log = FaultyLog::new();
    let room = RoomId::from_bits(1);
    let opened = Event::Opened { rules: "3x3:3".parse().expect("rules"), clock: None, public: true };
    let closed = Event::Closed { closing: Closing::Idle };
    let events = [opened, closed].into_iter().zip(1..);
    let events = events.map(|(event, seq)| Stamped { seq: Seq::new(seq), at: 1, by: None, event }).collect();
    let founding = Founding { room, code: None, tokens: [ResumeToken::from_bits(1); 2], parties: [None; 2] };
    log.create(founding, events).await.expect("a log in order");
    log.hang_retires(true);
    let server = Server::with(Setup { log, ..Setup::default() }).await;
    assert_eq!(server.get("/ready").await.0, 200);
}
