//! Resuming after a lost connection.

use std::time::Duration;

use noughts_protocol::wire::{
    Message, OwnRole, RejectCode, RequestBody, RoomCommand, SeatGrant, SessionRequest,
};
use noughts_protocol::{Cell, Event, EventRecord, Offer, RequestId, RoomRef, Seat, Seq};
use tokio::time::Instant;

use super::super::{ConnectionEvent, ConnectionHandle, MAX_QUEUED_REQUESTS, SendError};
use super::fake_server::{
    FakeConnection, connect_welcomed, event_message, resume_token, room_id, seated_snapshot,
    snapshot,
};
use super::{
    RETRY_ONE_MINUTE, connect_seated, list_request, move_request, moved_event, next_event,
    next_message, open_connection, resign_request, wait_for_disconnect,
};

#[tokio::test(start_paused = true)]
async fn a_disconnect_is_resumed_and_the_pending_move_retransmitted_under_its_id() {
    let (mut link, mut calls, mut peer) = connect_seated(RETRY_ONE_MINUTE).await;
    let moved_as = link.send(move_request(4)).unwrap();
    let listed_as = link.send(list_request()).unwrap();
    peer.next_request().await;
    peer.next_request().await;
    drop(peer);

    assert!(
        matches!(next_event(&mut link).await, ConnectionEvent::RequestLost(id) if id == listed_as)
    );
    let ConnectionEvent::Disconnected {
        attempt: 1,
        retry_in,
        ..
    } = next_event(&mut link).await
    else {
        panic!("the connection is not lost")
    };
    assert!(retry_in <= Duration::from_millis(250), "{retry_in:?}");
    let mut peer = calls.accept_and_welcome().await;
    let (resume, lobby) = peer.next_session_request().await;
    let SessionRequest::Resume {
        room: of,
        token: with,
        seq,
    } = lobby
    else {
        panic!("{lobby:?}")
    };
    assert_eq!(
        (of, with.unwrap().to_bytes(), seq),
        (room_id(), resume_token().to_bytes(), Some(Seq::new(4)))
    );
    peer.send_events(Some(resume), vec![]).await;
    let again = peer.next_request().await;
    assert_eq!(again.id, moved_as);
    assert!(
        matches!(again.body, RequestBody::Command(RoomCommand::Move { cell, .. }) if cell == Cell::new(4))
    );
    peer.send(event_message(
        5,
        Some((Seat::X, moved_as)),
        moved_event(Seat::X, 4),
    ))
    .await;
    assert!(matches!(
        next_message(&mut link).await,
        Message::Events { re: Some(_), .. }
    ));
    assert!(matches!(
        next_message(&mut link).await,
        Message::Events { re: None, .. }
    ));

    // After the response, a second loss retransmits nothing, and the client resumes from the last event.
    drop(peer);
    let mut peer = calls.accept_and_welcome().await;
    let (resume, lobby) = peer.next_session_request().await;
    assert!(
        matches!(lobby, SessionRequest::Resume { seq: Some(seq), .. } if seq == Seq::new(5)),
        "{lobby:?}"
    );
    peer.send_events(Some(resume), vec![]).await;
    let next = link.send(resign_request()).unwrap();
    assert_eq!(peer.next_request().await.id, next);
}

#[tokio::test(start_paused = true)]
async fn a_move_applied_before_the_disconnect_is_not_retransmitted() {
    let (mut link, mut calls, mut peer) = connect_seated(RETRY_ONE_MINUTE).await;
    let id = link.send(move_request(4)).unwrap();
    peer.next_request().await;
    drop(peer);
    let mut peer = calls.accept_and_welcome().await;
    let (resume, _) = peer.next_session_request().await;
    let Message::Events { events, .. } =
        event_message(5, Some((Seat::X, id)), moved_event(Seat::X, 4))
    else {
        unreachable!()
    };
    peer.send_events(Some(resume), events).await;
    let next = link.send(resign_request()).unwrap();
    assert_eq!(peer.next_request().await.id, next);
}

#[tokio::test(start_paused = true)]
async fn requests_made_while_disconnected_follow_the_resume() {
    let (mut link, mut calls, peer) = connect_seated(RETRY_ONE_MINUTE).await;
    drop(peer);
    wait_for_disconnect(&mut link).await;
    let ids: Vec<RequestId> = (0..MAX_QUEUED_REQUESTS)
        .map(|_| link.send(move_request(1)).unwrap())
        .collect();
    assert_eq!(link.send(move_request(1)), Err(SendError::Busy));
    let mut peer = calls.accept_and_welcome().await;
    peer.accept_resume(vec![]).await;
    let began = Instant::now();
    for id in ids {
        assert_eq!(peer.next_request().await.id, id);
        peer.send(Message::Done { re: id, seq: None }).await;
    }
    // The requests keep within the announced limits: a burst of 20, then 10 per second.
    assert!(
        began.elapsed() >= Duration::from_millis(1200),
        "{:?}",
        began.elapsed()
    );
}

#[tokio::test(start_paused = true)]
async fn an_expired_seat_leaves_the_client_in_the_lobby() {
    let (mut link, mut calls, mut peer) = connect_seated(RETRY_ONE_MINUTE).await;
    let id = link.send(move_request(4)).unwrap();
    peer.next_request().await;
    drop(peer);
    let mut peer = calls.accept_and_welcome().await;
    let (resume, _) = peer.next_session_request().await;
    peer.reject(resume, RejectCode::UnknownRoom).await;
    assert!(
        matches!(next_message(&mut link).await, Message::Reject { re, .. } if re == Some(resume))
    );
    assert!(
        matches!(next_event(&mut link).await, ConnectionEvent::RequestLost(lost) if lost == id)
    );
    drop(peer);
    let mut peer = calls.accept_and_welcome().await;
    link.send(list_request()).unwrap();
    assert!(
        matches!(peer.next_session_request().await, (_, SessionRequest::List)),
        "an expired seat is resumed"
    );
}

#[tokio::test(start_paused = true)]
async fn resume_is_retried_while_the_server_is_not_ready() {
    let (mut link, mut calls, peer) = connect_seated(RETRY_ONE_MINUTE).await;
    drop(peer);
    for _ in 0..3 {
        let mut peer = calls.accept_and_welcome().await;
        let (resume, lobby) = peer.next_session_request().await;
        assert!(matches!(lobby, SessionRequest::Resume { .. }));
        peer.reject(resume, RejectCode::Unavailable).await;
    }
    let mut peer = calls.accept_and_welcome().await;
    let (resume, _) = peer.next_session_request().await;
    peer.send(seated_snapshot(Some(resume), Seat::X)).await;
    assert!(
        matches!(next_message(&mut link).await, Message::Snapshot { re, .. } if re == Some(resume))
    );
}

#[tokio::test(start_paused = true)]
async fn a_spectator_resumes_by_the_same_room_reference() {
    let (mut link, mut calls, mut peer) = connect_welcomed(RETRY_ONE_MINUTE).await;
    let by = RoomRef::Code("abcd-efgh-jkmn".parse().unwrap());
    link.send(RequestBody::Session(SessionRequest::Watch {
        room: by,
        remarks: true,
    }))
    .unwrap();
    let (id, _) = peer.next_session_request().await;
    let view = |re| Message::Snapshot {
        re: Some(re),
        room: room_id(),
        role: OwnRole::default(),
        state: snapshot("3x3:3"),
    };
    peer.send(view(id)).await;
    next_message(&mut link).await;
    drop(peer);
    let mut peer = calls.accept_and_welcome().await;
    let (id, lobby) = peer.next_session_request().await;
    assert!(
        matches!(lobby, SessionRequest::Watch { room, remarks: true } if room == by),
        "{lobby:?}"
    );
    peer.send(view(id)).await;
    assert!(matches!(
        next_message(&mut link).await,
        Message::Snapshot { .. }
    ));
}

#[tokio::test(start_paused = true)]
async fn a_player_who_left_is_not_resumed() {
    let (mut link, mut calls, mut peer) = connect_seated(RETRY_ONE_MINUTE).await;
    let id = link
        .send(RequestBody::Session(SessionRequest::Leave))
        .unwrap();
    peer.next_request().await;
    peer.send(Message::Done { re: id, seq: None }).await;
    next_message(&mut link).await;
    drop(peer);
    let mut peer = calls.accept_and_welcome().await;
    link.send(list_request()).unwrap();
    assert!(matches!(
        peer.next_session_request().await,
        (_, SessionRequest::List)
    ));
}

#[tokio::test(start_paused = true)]
async fn an_unanswered_leave_is_retransmitted() {
    let (mut link, mut calls, mut peer) = connect_seated(RETRY_ONE_MINUTE).await;
    let id = link
        .send(RequestBody::Session(SessionRequest::Leave))
        .unwrap();
    peer.next_request().await;
    drop(peer);
    let mut peer = calls.accept_and_welcome().await;
    peer.accept_resume(vec![]).await;
    let (again, lobby) = peer.next_session_request().await;
    assert!(again == id && matches!(lobby, SessionRequest::Leave));
}

#[tokio::test(start_paused = true)]
async fn the_seat_swaps_with_a_rematch() {
    let (mut link, mut calls, mut peer) = connect_seated(RETRY_ONE_MINUTE).await;
    let outcome = noughts_protocol::Outcome::Resigned { winner: Seat::X };
    for message in [
        event_message(
            5,
            None,
            Event::Ended {
                outcome,
                left: None,
            },
        ),
        event_message(
            6,
            None,
            Event::Offered {
                seat: Seat::O,
                offer: Offer::Rematch,
            },
        ),
        event_message(7, None, Event::Started { game: 2 }),
    ] {
        peer.send(message).await;
    }
    for _ in 0..3 {
        next_message(&mut link).await;
    }
    let id = link.send(move_request(0)).unwrap();
    assert_eq!(peer.next_request().await.id, id);
    // The opponent's request with the same id is not a response. The client now plays O.
    let moved = |seq, seat| EventRecord {
        seq: Seq::new(seq),
        at: 1,
        by: Some(noughts_protocol::RequestRef { seat, id }),
        event: moved_event(seat, 0),
    };
    peer.send_events(None, vec![moved(8, Seat::X)]).await;
    next_message(&mut link).await;
    drop(peer);
    let mut peer = calls.accept_and_welcome().await;
    peer.accept_resume(vec![moved(9, Seat::O)]).await;
    let next = link.send(resign_request()).unwrap();
    assert_eq!(
        peer.next_request().await.id,
        next,
        "the move was sent again although an event confirmed it"
    );
}

/// Loses the response to a join request, then repeats the request on a connection with a welcome that names the
/// existing seat.
async fn rejoin_after_disconnect() -> (ConnectionHandle, FakeConnection, RequestId) {
    let (mut link, mut calls, mut peer) = connect_welcomed(RETRY_ONE_MINUTE).await;
    let join = || {
        RequestBody::Session(SessionRequest::Join {
            room: RoomRef::Id(room_id()),
        })
    };
    let lost = link.send(join()).unwrap();
    assert!(
        matches!(peer.next_session_request().await, (id, SessionRequest::Join { .. }) if id == lost)
    );
    drop(peer);
    let mut peer = calls
        .accept_with_seat(Some(SeatGrant {
            room: room_id(),
            token: resume_token(),
        }))
        .await;
    while !matches!(next_event(&mut link).await, ConnectionEvent::RequestLost(id) if id == lost) {}
    let again = link.send(join()).unwrap();
    let (id, request) = peer.next_session_request().await;
    assert!(
        matches!(request, SessionRequest::Resume { seq: None, .. }),
        "the existing seat is not resumed: {request:?}"
    );
    assert_eq!(id, again, "the resume has another id than the join");
    (link, peer, again)
}

#[tokio::test(start_paused = true)]
async fn a_repeated_join_resumes_the_existing_seat() {
    let (mut link, mut peer, join) = rejoin_after_disconnect().await;
    peer.send(seated_snapshot(Some(join), Seat::O)).await;
    assert!(
        matches!(next_message(&mut link).await, Message::Snapshot { re, .. } if re == Some(join))
    );
    link.send(move_request(4)).unwrap();
    assert!(
        matches!(peer.next_request().await.body, RequestBody::Command(_)),
        "a request precedes the move"
    );
}

#[tokio::test(start_paused = true)]
async fn a_repeated_join_falls_back_when_the_seat_has_expired() {
    let (mut link, mut peer, join) = rejoin_after_disconnect().await;
    peer.reject(join, RejectCode::UnknownRoom).await;
    let (id, again) = peer.next_session_request().await;
    assert!(
        id == join && matches!(again, SessionRequest::Join { .. }),
        "{again:?}"
    );
    peer.reject(join, RejectCode::RoomFull).await;
    let Message::Reject { reject, .. } = next_message(&mut link).await else {
        panic!("the join has no response")
    };
    assert_eq!(
        reject.code,
        RejectCode::RoomFull,
        "the rejection of the resume was delivered"
    );
}

#[tokio::test(start_paused = true)]
async fn a_handle_keeps_one_party_key_on_all_its_connections() {
    let mut keys = Vec::new();
    for _ in 0..2 {
        let (pipe, mut calls) = super::pipe_server();
        let _link = open_connection(pipe);
        for _ in 0..2 {
            let (_peer, hello) = calls.accept_hello(None).await;
            keys.push(hello.party.expect("hello has a party key"));
        }
    }
    assert!(
        keys[0] == keys[1] && keys[2] == keys[3] && keys[0] != keys[2],
        "{keys:?}"
    );
}
