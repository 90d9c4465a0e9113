//! The audience: sees what the players see, does nothing, learns no secret, and delays nobody.

use noughts_protocol::wire::{Body, Command, Lobby, Message, Notice, RejectCode, Remark, Request, Score};
use noughts_protocol::{Cell, Event, Game, Offer, RequestId, RoomRef, Seat};
use noughts_tests::peer::Peer;
use noughts_tests::raw::Raw;
use noughts_tests::server::Server;
use noughts_tests::table::{pair, play, public};

fn state(game: &Game) -> String {
    let mut snapshot = game.snapshot(0);
    snapshot.left = None;
    serde_json::to_string(&snapshot).expect("a snapshot")
}

async fn crowd(peer: &mut Peer, wanted: u32) {
    let is = |notice: &Notice| matches!(notice, Notice::Crowd { watching } if *watching == wanted);
    peer.notice(&format!("crowd of {wanted}"), is).await;
}

#[tokio::test]
async fn whenever_they_come_they_see_the_same() {
    let server = Server::start().await;
    let mut players = pair(&server, "connect4", Some("5+0")).await;
    let mut fans = Vec::new();
    for cell in [3, 3, 2, 4, 1, 5, 0] {
        let mut fan = server.peer("Fan").await;
        fan.watch(public(&players[0])).await.expect("public");
        fans.push(fan);
        play(&mut players, &[cell]).await;
    }
    let [mut x, o] = players;
    x.offer(Offer::Rematch).await.expect("X has four in a row");
    for fan in &mut fans {
        fan.caught_up(x.game().seq()).await;
        assert_eq!(state(fan.game()), state(x.game()));
        assert!(fan.place().you.seat.is_none());
    }
    drop(o);
}

#[tokio::test]
async fn everyone_in_the_room_knows_how_many_watch() {
    let server = Server::start().await;
    let [mut x, mut o] = pair(&server, "3x3:3", None).await;
    let mut fans = Vec::new();
    for count in 1..=3 {
        let mut fan = server.peer("Fan").await;
        fan.watch(public(&x)).await.expect("public");
        fans.push(fan);
        for peer in [&mut x, &mut o].into_iter().chain(&mut fans) {
            crowd(peer, count).await;
        }
    }
    let mut gone = fans.pop().expect("three");
    gone.ask(Body::Lobby(Lobby::Leave)).await.expect("in a room");
    crowd(&mut x, 2).await;
    fans.pop().expect("two").reset();
    crowd(&mut o, 1).await;
    let place = x.cut();
    let mut x = server.peer("Ann").await;
    x.resume(&place, None).await.expect("its token");
    crowd(&mut x, 1).await;
}

#[tokio::test]
async fn many_who_come_at_once_are_told_of_together() {
    let server = Server::limited(|limits| limits.room_inbox = 256).await;
    let [mut x, _o] = pair(&server, "3x3:3", None).await;
    let mut fans = Vec::new();
    for _ in 0..60 {
        fans.push(server.peer("Fan").await);
    }
    let began = tokio::time::Instant::now();
    let room = public(&x);
    for entered in futures::future::join_all(fans.iter_mut().map(|fan| fan.watch(room))).await {
        entered.expect("public");
    }
    crowd(&mut x, 60).await;
    let mut told = 1;
    while x.seen(|message| matches!(message, Message::Notice { notice: Notice::Crowd { .. }, .. })).is_some()
    {
        told += 1;
    }
    let most = 2 + began.elapsed().as_millis() / 500;
    assert!(told <= most, "told {told} times of 60 who came, not {most}");
    // Each of them knows it too, the last to come included.
    for fan in &mut fans {
        crowd(fan, 60).await;
    }
}

#[tokio::test]
async fn an_audience_has_its_limit() {
    let server = Server::limited(|limits| limits.max_watching = 2).await;
    let [x, _o] = pair(&server, "3x3:3", None).await;
    let mut fans = [server.peer("a").await, server.peer("b").await, server.peer("c").await];
    let [a, b, c] = &mut fans;
    a.watch(public(&x)).await.expect("a place");
    b.watch(public(&x)).await.expect("a place");
    assert_eq!(c.watch(public(&x)).await.unwrap_err().code, RejectCode::RoomFull);
    a.ask(Body::Lobby(Lobby::Leave)).await.expect("in a room");
    c.watch(public(&x)).await.expect("the place of another");
}

#[tokio::test]
async fn a_player_may_watch_oneself_from_elsewhere_and_a_spectator_play_elsewhere() {
    let server = Server::start().await;
    let [mut x, mut o] = pair(&server, "3x3:3", None).await;
    let mut same = server.peer("Ann").await;
    same.watch(public(&x)).await.expect("public");
    assert_eq!(same.refused(Body::Command(Command::Resign)).await, RejectCode::NotAPlayer);
    same.ask(Body::Lobby(Lobby::Leave)).await.expect("in a room");
    let code = same.create("3x3:3", None, Some(Seat::O), false).await;
    let mut other = server.peer("Other").await;
    other.join(code).await.expect("free");
    x.play(0).await.expect("legal");
    o.event("move", |event| matches!(event, Event::Moved { .. })).await;
}

/// What comes to a line until `last` has come, as it is on the wire.
async fn overheard(raw: &mut Raw, last: &str) -> String {
    let mut heard = String::new();
    while !heard.contains(last) {
        let (_, payload) = raw.next_frame().await.expect("the line is open");
        heard.push_str(&String::from_utf8_lossy(&payload));
        heard.push('\n');
    }
    heard
}

#[tokio::test]
async fn no_secret_of_others_is_ever_on_ones_line() {
    let server = Server::start().await;
    let mut host = server.peer("Host").await;
    let code = host.create("3x3:3", Some("5+0"), Some(Seat::X), false).await;
    let RoomRef::Code(code_text) = code else { panic!("{code}") };
    let (mut fan, mut guest) = (Raw::greeted(server.address()).await, Raw::greeted(server.address()).await);
    let id = |number| RequestId::new(number).expect("small");
    fan.request(&Request::lobby(id(1), Lobby::Watch { room: code, remarks: false })).await;
    let mut public_fan = server.peer("Lister").await;
    guest.request(&Request::lobby(id(1), Lobby::Join { room: code })).await;
    let mut seen_by_guest = overheard(&mut guest, "snapshot").await;
    host.event("start", |event| matches!(event, Event::Started { .. })).await;
    // A bit of everything, to the rematch and the end.
    host.play(0).await.expect("legal");
    host.offer(Offer::Takeback).await.expect("just moved");
    let host_token = host.place().you.token.expect("a player").to_string();
    let place = host.cut();
    let mut host = server.peer("Host").await;
    host.resume(&place, None).await.expect("its token");
    host.command(Command::Resign).await.expect("a game is on");
    host.offer(Offer::Rematch).await.expect("over");
    guest.text(r#"{"type":"accept","id":2,"offer":"rematch"}"#).await;
    guest.text(r#"{"type":"sync","id":3,"seq":999}"#).await;
    seen_by_guest += &overheard(&mut guest, r#""re":3"#).await;
    fan.text(r#"{"type":"sync","id":3,"seq":999}"#).await;
    let seen_by_fan = overheard(&mut fan, r#""re":3"#).await;
    let token = seen_by_guest.split(r#""token":""#).nth(1).expect("its own").split('"').next().expect("text");
    assert_eq!(token.len(), 26);
    let listed = public_fan.ask(Body::Lobby(Lobby::List)).await.expect("a list").to_json();
    for (secret, seen) in [
        (host_token.as_str(), &seen_by_guest),
        (host_token.as_str(), &seen_by_fan),
        (token, &seen_by_fan),
        (&code_text.to_string(), &seen_by_fan),
        (&code_text.to_string(), &listed),
        (&host.place().id.to_string(), &listed),
    ] {
        assert!(!seen.contains(secret), "{secret} in\n{seen}");
    }
    let own: Vec<_> = seen_by_guest.matches(token).collect();
    assert_eq!(own.len(), 2, "the same token in both games:\n{seen_by_guest}");
}

/// Its program's opinion of the board as it knows it.
fn remark(peer: &Peer, score: Score, line: &[u16]) -> Body {
    let line = line.iter().map(|&cell| Cell::new(cell)).collect();
    Body::Remark(Remark { seq: peer.game().seq(), score, line })
}

fn is_remark(message: &Message) -> bool {
    matches!(message, Message::Notice { notice: Notice::Remark { .. }, .. })
}

#[tokio::test]
async fn what_a_program_thinks_is_told_to_those_who_watch_and_asked_for_it() {
    let server = Server::start().await;
    let [mut x, mut o] = pair(&server, "3x3:3", None).await;
    let (mut curious, mut quiet) = (server.peer("Fan").await, server.peer("Fan").await);
    let watch = Body::Lobby(Lobby::Watch { room: public(&x), remarks: true });
    curious.ask(watch).await.expect("public");
    quiet.watch(public(&x)).await.expect("public");
    let answer = x.ask(remark(&x, Score::Win(5), &[4, 0, 2])).await;
    assert!(matches!(answer, Ok(Message::Done { seq: None, .. })), "{answer:?}");
    let heard = curious.notice("a remark", |notice| matches!(notice, Notice::Remark { .. })).await;
    let line = [4, 0, 2].map(Cell::new).to_vec();
    let seq = x.game().seq();
    assert_eq!(heard, Notice::Remark { seat: Seat::X, seq, score: Score::Win(5), line });
    // Whatever was on its way to the others has come with the next event.
    x.play(4).await.expect("X begins");
    for peer in [&mut o, &mut quiet, &mut x] {
        peer.caught_up(seq.next()).await;
        assert!(peer.seen(is_remark).is_none(), "not for players, nor for who has not asked");
    }
    // It is no part of the game.
    curious.caught_up(seq.next()).await;
    assert_eq!(state(curious.game()), state(x.game()));
}

#[tokio::test]
async fn what_is_no_remark_on_the_game_is_refused() {
    let server = Server::start().await;
    let [mut x, mut o] = pair(&server, "3x3:3", None).await;
    let mut fan = server.peer("Fan").await;
    let nowhere =
        fan.ask(Body::Remark(Remark { seq: x.game().seq(), score: Score::Draw, line: vec![] })).await;
    assert_eq!(nowhere.expect_err("in no room").code, RejectCode::NotInRoom);
    fan.watch(public(&x)).await.expect("public");
    let body = remark(&fan, Score::Draw, &[]);
    assert_eq!(fan.ask(body).await.expect_err("a spectator").code, RejectCode::NotAPlayer);
    let body = remark(&x, Score::Draw, &[9]);
    assert_eq!(x.ask(body).await.expect_err("nine cells").code, RejectCode::OffBoard);
    let before = remark(&x, Score::Draw, &[]);
    x.play(4).await.expect("X begins");
    assert_eq!(x.ask(before).await.expect_err("the board has changed").code, RejectCode::Stale);
    // Each seat has its own limit, below that of the connection.
    let mut refused = None;
    for _ in 0..15 {
        let body = remark(&x, Score::Estimate(-3), &[0]);
        refused = refused.or(x.ask(body).await.err());
    }
    let refused = refused.expect("too many");
    assert_eq!(refused.code, RejectCode::RateLimited);
    assert!(refused.wait_ms.is_some_and(|ms| (1..=500).contains(&ms)), "{refused:?}");
    o.caught_up(x.game().seq()).await;
    let body = remark(&o, Score::Loss(2), &[0]);
    o.ask(body).await.expect("its own limit");
    x.command(Command::Resign).await.expect("a game is on");
    let body = remark(&x, Score::Loss(1), &[]);
    assert_eq!(x.ask(body).await.expect_err("the game is over").code, RejectCode::GameOver);
}
