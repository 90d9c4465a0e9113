//! Taking the old place again after the line was cut.

use std::time::Duration;

use noughts_protocol::wire::{Body, Command, Held, Lobby, Message, RejectCode, You};
use noughts_protocol::{Cell, Event, Offer, RequestId, RoomRef, Seat, Seq, Stamped};
use tokio::time::Instant;

use super::super::scripted::{LIMITS, Peer, event, room, seated, snapshot, token, welcomed};
use super::super::{Chance, Link, News, REQUESTS, SendError};
use super::{PATIENT, a_move, message, moved, news, playing};

#[tokio::test(start_paused = true)]
async fn a_cut_line_is_resumed_and_the_pending_move_sent_again_under_its_id() {
    let (mut link, mut calls, mut peer) = playing(PATIENT).await;
    let moved_as = link.send(a_move(4)).unwrap();
    let listed_as = link.send(Body::Lobby(Lobby::List)).unwrap();
    peer.request().await;
    peer.request().await;
    drop(peer);

    assert!(matches!(news(&mut link).await, News::Lost(id) if id == listed_as));
    let News::Offline { attempt: 1, retry_in, .. } = news(&mut link).await else { panic!("not offline") };
    assert!(retry_in <= Duration::from_millis(250), "{retry_in:?}");
    let mut peer = calls.welcome().await;
    let (resume, lobby) = peer.lobby().await;
    let Lobby::Resume { room: of, token: with, seq } = lobby else { panic!("{lobby:?}") };
    assert_eq!((of, with.to_bytes(), seq), (room(), token().to_bytes(), Some(Seq::new(4))));
    peer.say(Message::Events { re: Some(resume), room: room(), events: vec![] }).await;
    let again = peer.request().await;
    assert_eq!(again.id, moved_as);
    assert!(matches!(again.body, Body::Command(Command::Move { cell, .. }) if cell == Cell::new(4)));
    peer.say(event(5, Some((Seat::X, moved_as)), moved(Seat::X, 4))).await;
    assert!(matches!(message(&mut link).await, Message::Events { re: Some(_), .. }));
    assert!(matches!(message(&mut link).await, Message::Events { re: None, .. }));

    // Answered now: the next cut sends nothing again, and the resume asks from the event just seen.
    drop(peer);
    let mut peer = calls.welcome().await;
    let (resume, lobby) = peer.lobby().await;
    assert!(matches!(lobby, Lobby::Resume { seq: Some(seq), .. } if seq == Seq::new(5)), "{lobby:?}");
    peer.say(Message::Events { re: Some(resume), room: room(), events: vec![] }).await;
    let next = link.send(Body::Command(Command::Resign)).unwrap();
    assert_eq!(peer.request().await.id, next);
}

#[tokio::test(start_paused = true)]
async fn a_move_that_was_applied_before_the_cut_is_not_sent_again() {
    let (mut link, mut calls, mut peer) = playing(PATIENT).await;
    let id = link.send(a_move(4)).unwrap();
    peer.request().await;
    drop(peer);
    let mut peer = calls.welcome().await;
    let (resume, _) = peer.lobby().await;
    let Message::Events { events, .. } = event(5, Some((Seat::X, id)), moved(Seat::X, 4)) else {
        unreachable!()
    };
    peer.say(Message::Events { re: Some(resume), room: room(), events }).await;
    let next = link.send(Body::Command(Command::Resign)).unwrap();
    assert_eq!(peer.request().await.id, next);
}

#[tokio::test(start_paused = true)]
async fn requests_made_while_the_line_is_down_follow_the_resume() {
    let (mut link, mut calls, peer) = playing(PATIENT).await;
    drop(peer);
    while !matches!(news(&mut link).await, News::Offline { .. }) {}
    let ids: Vec<RequestId> = (0..REQUESTS).map(|_| link.send(a_move(1)).unwrap()).collect();
    assert_eq!(link.send(a_move(1)), Err(SendError::Full));
    let mut peer = calls.welcome().await;
    let (resume, _) = peer.lobby().await;
    peer.say(Message::Events { re: Some(resume), room: room(), events: vec![] }).await;
    let began = Instant::now();
    for id in ids {
        assert_eq!(peer.request().await.id, id);
        peer.say(Message::Done { re: id, seq: None }).await;
    }
    // Within the limits that the welcome stated: 20 at once, then 10 a second.
    assert!(began.elapsed() >= Duration::from_millis(1200), "{:?}", began.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_seat_that_is_gone_leaves_the_client_in_the_lobby() {
    let (mut link, mut calls, mut peer) = playing(PATIENT).await;
    let id = link.send(a_move(4)).unwrap();
    peer.request().await;
    drop(peer);
    let mut peer = calls.welcome().await;
    let (resume, _) = peer.lobby().await;
    peer.say(Message::Reject { re: Some(resume), reject: RejectCode::UnknownRoom.into() }).await;
    assert!(matches!(message(&mut link).await, Message::Reject { re, .. } if re == Some(resume)));
    assert!(matches!(news(&mut link).await, News::Lost(lost) if lost == id));
    drop(peer);
    let mut peer = calls.welcome().await;
    link.send(Body::Lobby(Lobby::List)).unwrap();
    assert!(matches!(peer.lobby().await, (_, Lobby::List)), "nothing is resumed any more");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_is_not_ready_to_resume_is_asked_again() {
    let (mut link, mut calls, peer) = playing(PATIENT).await;
    drop(peer);
    for _ in 0..3 {
        let mut peer = calls.welcome().await;
        let (resume, lobby) = peer.lobby().await;
        assert!(matches!(lobby, Lobby::Resume { .. }));
        peer.say(Message::Reject { re: Some(resume), reject: RejectCode::Unavailable.into() }).await;
    }
    let mut peer = calls.welcome().await;
    let (resume, _) = peer.lobby().await;
    peer.say(seated(Some(resume), Seat::X)).await;
    assert!(matches!(message(&mut link).await, Message::Snapshot { re, .. } if re == Some(resume)));
}

#[tokio::test(start_paused = true)]
async fn a_spectator_comes_back_to_what_it_watched_by_the_same_name() {
    let (mut link, mut calls, mut peer) = welcomed(PATIENT).await;
    let by = RoomRef::Code("abcd-efgh-jkmn".parse().unwrap());
    link.send(Body::Lobby(Lobby::Watch { room: by, remarks: true })).unwrap();
    let (id, _) = peer.lobby().await;
    let view =
        |re| Message::Snapshot { re: Some(re), room: room(), you: You::default(), state: snapshot("3x3:3") };
    peer.say(view(id)).await;
    message(&mut link).await;
    drop(peer);
    let mut peer = calls.welcome().await;
    let (id, lobby) = peer.lobby().await;
    assert!(matches!(lobby, Lobby::Watch { room, remarks: true } if room == by), "{lobby:?}");
    peer.say(view(id)).await;
    assert!(matches!(message(&mut link).await, Message::Snapshot { .. }));
}

#[tokio::test(start_paused = true)]
async fn who_left_is_not_led_back() {
    let (mut link, mut calls, mut peer) = playing(PATIENT).await;
    let id = link.send(Body::Lobby(Lobby::Leave)).unwrap();
    peer.request().await;
    peer.say(Message::Done { re: id, seq: None }).await;
    message(&mut link).await;
    drop(peer);
    let mut peer = calls.welcome().await;
    link.send(Body::Lobby(Lobby::List)).unwrap();
    assert!(matches!(peer.lobby().await, (_, Lobby::List)));
}

#[tokio::test(start_paused = true)]
async fn a_leave_that_was_cut_off_is_asked_again() {
    let (mut link, mut calls, mut peer) = playing(PATIENT).await;
    let id = link.send(Body::Lobby(Lobby::Leave)).unwrap();
    peer.request().await;
    drop(peer);
    let mut peer = calls.welcome().await;
    let (resume, _) = peer.lobby().await;
    peer.say(Message::Events { re: Some(resume), room: room(), events: vec![] }).await;
    let (again, lobby) = peer.lobby().await;
    assert!(again == id && matches!(lobby, Lobby::Leave));
}

#[tokio::test(start_paused = true)]
async fn the_seat_swaps_with_a_rematch() {
    let (mut link, mut calls, mut peer) = playing(PATIENT).await;
    let outcome = noughts_protocol::Outcome::Resigned { winner: Seat::X };
    for message in [
        event(5, None, Event::Ended { outcome, left: None }),
        event(6, None, Event::Offered { seat: Seat::O, offer: Offer::Rematch }),
        event(7, None, Event::Started { game: 2 }),
    ] {
        peer.say(message).await;
    }
    for _ in 0..3 {
        message(&mut link).await;
    }
    let id = link.send(a_move(0)).unwrap();
    assert_eq!(peer.request().await.id, id);
    // Somebody else's request with the same number is no answer; ours is made from the seat of O now.
    let stamped = |seq, seat| Stamped {
        seq: Seq::new(seq),
        at: 1,
        by: Some(noughts_protocol::By { seat, id }),
        event: moved(seat, 0),
    };
    peer.say(Message::Events { re: None, room: room(), events: vec![stamped(8, Seat::X)] }).await;
    message(&mut link).await;
    drop(peer);
    let mut peer = calls.welcome().await;
    let (resume, _) = peer.lobby().await;
    peer.say(Message::Events { re: Some(resume), room: room(), events: vec![stamped(9, Seat::O)] }).await;
    let next = link.send(Body::Command(Command::Resign)).unwrap();
    assert_eq!(peer.request().await.id, next, "answered by the event from the seat it was asked from");
}

/// A join whose answer is lost with the line, asked again on a line whose server tells of a seat.
async fn joins_again() -> (Link, Peer, RequestId) {
    let (mut link, mut calls, mut peer) = welcomed(PATIENT).await;
    let join = || Body::Lobby(Lobby::Join { room: RoomRef::Id(room()) });
    let lost = link.send(join()).unwrap();
    assert!(matches!(peer.lobby().await, (id, Lobby::Join { .. }) if id == lost));
    drop(peer);
    let mut peer = calls.welcome_to(Some(Held { room: room(), token: token() })).await;
    while !matches!(news(&mut link).await, News::Lost(id) if id == lost) {}
    let again = link.send(join()).unwrap();
    let (id, asked) = peer.lobby().await;
    assert!(matches!(asked, Lobby::Resume { seq: None, .. }), "the seat that it has: {asked:?}");
    assert_eq!(id, again, "under the number that its answer is waited for by");
    (link, peer, again)
}

#[tokio::test(start_paused = true)]
async fn who_asks_again_for_a_game_that_it_has_is_led_to_it() {
    let (mut link, mut peer, asked) = joins_again().await;
    peer.say(seated(Some(asked), Seat::O)).await;
    assert!(matches!(message(&mut link).await, Message::Snapshot { re, .. } if re == Some(asked)));
    link.send(a_move(4)).unwrap();
    assert!(matches!(peer.request().await.body, Body::Command(_)), "nothing else is asked");
}

#[tokio::test(start_paused = true)]
async fn who_asks_again_for_a_game_that_is_no_more_asks_for_a_new_one() {
    let (mut link, mut peer, asked) = joins_again().await;
    peer.say(Message::Reject { re: Some(asked), reject: RejectCode::UnknownRoom.into() }).await;
    let (id, again) = peer.lobby().await;
    assert!(id == asked && matches!(again, Lobby::Join { .. }), "{again:?}");
    peer.say(Message::Reject { re: Some(asked), reject: RejectCode::RoomFull.into() }).await;
    let Message::Reject { reject, .. } = message(&mut link).await else { panic!("no answer") };
    assert_eq!(reject.code, RejectCode::RoomFull, "it hears of its own request only");
}

#[tokio::test(start_paused = true)]
async fn a_link_is_one_party_on_all_its_lines_and_no_two_are_the_same() {
    let mut seen = Vec::new();
    for _ in 0..2 {
        let (pipe, mut calls) = super::server();
        let _link = Link::over(super::options(PATIENT), pipe, Chance::default());
        for _ in 0..2 {
            let mut peer = calls.accept().await;
            let hello = peer.request().await;
            let Body::Hello(said) = hello.body else { panic!("no hello") };
            seen.push(said.party.expect("a party"));
            peer.say(Message::Welcome {
                re: hello.id,
                version: 1,
                server: "script".to_owned(),
                name: said.name,
                limits: LIMITS,
                held: None,
            })
            .await;
        }
    }
    assert!(seen[0] == seen[1] && seen[2] == seen[3] && seen[0] != seen[2], "{seen:?}");
}
