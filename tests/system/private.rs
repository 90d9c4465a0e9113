//! Rooms of one's own: who finds them, by what, and what a stranger can tell of them.

use noughts_protocol::wire::{Body, Lobby, Message, RejectCode};
use noughts_protocol::{Event, Phase, ResumeToken, RoomRef, Seat};
use noughts_server::log::EventLog;
use noughts_tests::faulty::FaultyLog;
use noughts_tests::peer::Peer;
use noughts_tests::server::{Server, Setup};
use noughts_tests::table::{create, pair, public};

#[tokio::test]
async fn a_private_room_is_entered_by_its_code() {
    let server = Server::start().await;
    let mut host = server.peer("Host").await;
    let code = host.create("3x3:3", None, Some(Seat::O), false).await;
    assert!(matches!(code, RoomRef::Code(_)), "{code}");
    assert_eq!((host.seat(), host.game().phase()), (Seat::O, Phase::Waiting));
    let mut guest = server.peer("Guest").await;
    guest.join(code).await.expect("the code opens");
    assert_eq!((guest.seat(), guest.game().phase()), (Seat::X, Phase::Playing));
    assert_eq!(guest.place().you.code, host.place().you.code, "a player may pass the code on");
    host.event("start", |event| matches!(event, Event::Started { game: 1 })).await;
    assert_eq!(host.game().player(Seat::X).expect("seated").name.as_str(), "Guest");
    guest.play(4).await.expect("X begins");
}

#[tokio::test]
async fn a_code_may_be_typed_as_it_was_heard() {
    let server = Server::start().await;
    let mut host = server.peer("Host").await;
    let code = host.create("3x3:3", None, None, false).await.to_string();
    let plain = code.replace('-', "");
    let lookalikes = plain.replace('0', "o").replace('1', "L");
    for (typed, join) in [
        (plain.clone(), false),
        (code.to_uppercase(), false),
        (format!("-{plain}-"), false),
        (lookalikes, true),
    ] {
        let mut guest = server.peer("Guest").await;
        let kind = if join { "join" } else { "watch" };
        guest.text(&format!(r#"{{"type":"{kind}","id":900,"room":"{typed}"}}"#)).await;
        guest.snapshot().await;
        assert_eq!(guest.place().id, host.place().id, "{typed}");
    }
}

/// What a stranger is told, to the letter, when it asks for something that it should not have.
async fn told(peer: &mut Peer, request: &str) -> String {
    peer.text(&request.replace("ID", "77")).await;
    let told = peer.wait_for("refusal", |message| matches!(message, Message::Reject { .. })).await;
    told.to_json()
}

#[tokio::test]
async fn wrong_ids_codes_and_tokens_are_not_told_apart() {
    let server = Server::start().await;
    let mut host = server.peer("Host").await;
    host.create("3x3:3", None, Some(Seat::X), false).await;
    let [stranger, _o] = pair(&server, "3x3:3", None).await;
    let (private, open) = (host.place().id, stranger.place().id);
    let token = stranger.place().you.token.expect("a player");
    let free = host.place().you.token.map(ResumeToken::to_bytes).expect("a player");
    let almost = ResumeToken::from_bits(u128::from_be_bytes(free) ^ 1);
    let mut peer = server.peer("Eve").await;
    let mut answers = Vec::new();
    for request in [
        format!(r#"{{"type":"join","id":ID,"room":"{private}"}}"#),
        format!(r#"{{"type":"watch","id":ID,"room":"{private}"}}"#),
        r#"{"type":"join","id":ID,"room":"00000000"}"#.into(),
        r#"{"type":"watch","id":ID,"room":"0000-0000-0000"}"#.into(),
        r#"{"type":"join","id":ID,"room":"0000-0000-0000"}"#.into(),
        format!(r#"{{"type":"resume","id":ID,"room":"{private}","token":"{token}"}}"#),
        format!(r#"{{"type":"resume","id":ID,"room":"{private}","token":"{token}","seq":1}}"#),
        format!(r#"{{"type":"resume","id":ID,"room":"{private}","token":"{almost}"}}"#),
        format!(r#"{{"type":"resume","id":ID,"room":"{open}","token":"{almost}"}}"#),
        format!(r#"{{"type":"resume","id":ID,"room":"00000000","token":"{token}"}}"#),
    ] {
        answers.push(told(&mut peer, &request).await);
    }
    answers.dedup();
    assert_eq!(answers, [r#"{"type":"reject","re":77,"code":"unknown_room"}"#]);
}

#[tokio::test]
async fn the_token_of_a_seat_that_nobody_has_is_worth_nothing() {
    let log = FaultyLog::new();
    let server = Server::with(Setup { log: log.clone(), ..Setup::default() }).await;
    let mut host = server.peer("Host").await;
    host.create("3x3:3", None, Some(Seat::X), false).await;
    let founded = log.recover().await.expect("a log in order");
    let mut place = host.place().clone();
    place.you.token = Some(founded[0].0.token(Seat::O, 1));
    let mut eve = server.peer("Eve").await;
    assert_eq!(eve.resume(&place, None).await.unwrap_err().code, RejectCode::UnknownRoom);
}

#[tokio::test]
async fn only_public_rooms_are_listed() {
    let server = Server::start().await;
    let [mut open, mut closed] = [server.peer("Open").await, server.peer("Closed").await];
    open.create("7x6:4+gravity", Some("5+3"), Some(Seat::O), true).await;
    assert!(open.place().you.code.is_none(), "a public room needs no code");
    closed.create("3x3:3", None, None, false).await;
    let mut peer = server.peer("Eve").await;
    let listed = peer.ask(Body::Lobby(Lobby::List)).await;
    let Ok(Message::Rooms { rooms, .. }) = &listed else { panic!("{listed:?}") };
    let [room] = rooms.as_slice() else { panic!("{rooms:?}") };
    assert_eq!((room.room, room.phase, room.moves, room.watching), (open.place().id, Phase::Waiting, 0, 0));
    assert_eq!(room.rules.to_string(), "7x6:4+gravity");
    assert_eq!(room.clock.map(|clock| clock.to_string()).as_deref(), Some("5+3"));
    assert!(room.players[0].is_none() && room.players[1].is_some());
    peer.join(RoomRef::Id(room.room)).await.expect("listed, public and free");
    assert_eq!(peer.seat(), Seat::X);
    peer.play(3).await.expect("X begins");
    let listed = closed.ask(Body::Lobby(Lobby::List)).await;
    let Ok(Message::Rooms { rooms, .. }) = &listed else { panic!("{listed:?}") };
    assert_eq!((rooms[0].phase, rooms[0].moves), (Phase::Playing, 1));
}

#[tokio::test]
async fn a_full_room_takes_no_third_player_but_an_audience() {
    let server = Server::start().await;
    let [x, _o] = pair(&server, "3x3:3", None).await;
    let mut third = server.peer("Third").await;
    assert_eq!(third.join(public(&x)).await.unwrap_err().code, RejectCode::RoomFull);
    third.watch(public(&x)).await.expect("public");
    assert!(third.place().you.seat.is_none() && third.place().you.token.is_none());
}

#[tokio::test]
async fn a_private_room_is_watched_by_its_code_and_tells_no_secret() {
    let server = Server::start().await;
    let mut host = server.peer("Host").await;
    let code = host.create("3x3:3", None, Some(Seat::X), false).await;
    let mut fan = server.peer("Fan").await;
    let snapshot = fan.watch(code).await.expect("the code opens").to_json();
    for secret in ["token", "code"] {
        assert!(!snapshot.contains(secret), "{snapshot}");
    }
    let mut guest = server.peer("Guest").await;
    guest.join(code).await.expect("free");
    fan.event("start", |event| matches!(event, Event::Started { .. })).await;
    assert_eq!(fan.game().phase(), Phase::Playing);
}

#[tokio::test]
async fn two_who_join_at_once_do_not_share_a_seat() {
    let server = Server::start().await;
    for _ in 0..20 {
        let mut host = server.peer("Host").await;
        let code = host.create("3x3:3", None, None, false).await;
        let mut guests = [server.peer("a").await, server.peer("b").await];
        let [a, b] = &mut guests;
        let joined = futures::join!(a.join(code), b.join(code));
        let codes = [joined.0, joined.1].map(|joined| joined.err().map(|reject| reject.code));
        assert!(codes.contains(&None) && codes.contains(&Some(RejectCode::RoomFull)), "{codes:?}");
    }
}

#[tokio::test]
async fn a_connection_is_in_one_room_at_a_time() {
    let server = Server::start().await;
    let mut host = server.peer("Host").await;
    let code = host.create("3x3:3", None, None, false).await;
    let mut other = server.peer("Other").await;
    let elsewhere = other.create("3x3:3", None, None, true).await;
    for body in [
        create("3x3:3", None, None, true),
        Body::Lobby(Lobby::Seek { rules: "3x3:3".parse().unwrap(), clock: None, seat: None }),
        Body::Lobby(Lobby::Join { room: code }),
        Body::Lobby(Lobby::Join { room: elsewhere }),
        Body::Lobby(Lobby::Watch { room: elsewhere, remarks: false }),
    ] {
        assert_eq!(host.refused(body).await, RejectCode::AlreadyInRoom);
    }
    assert!(matches!(host.ask(Body::Lobby(Lobby::Leave)).await, Ok(Message::Done { .. })));
    assert_eq!(host.refused(Body::Lobby(Lobby::Leave)).await, RejectCode::NotInRoom);
    host.join(elsewhere).await.expect("free again");
}

#[tokio::test]
async fn a_room_that_its_only_player_leaves_is_gone_at_once() {
    let server = Server::start().await;
    let mut host = server.peer("Host").await;
    let code = host.create("3x3:3", None, None, false).await;
    let mut fan = server.peer("Fan").await;
    fan.watch(code).await.expect("open");
    host.ask(Body::Lobby(Lobby::Leave)).await.expect("in a room");
    fan.event("end", |event| matches!(event, Event::Closed { .. })).await;
    let mut late = server.peer("Late").await;
    assert_eq!(late.join(code).await.unwrap_err().code, RejectCode::UnknownRoom);
    // Whoever was in it is free.
    fan.seek("3x3:3", None, None).await;
    late.seek("3x3:3", None, None).await;
    fan.snapshot().await;
    drop((host, fan, late));
}
