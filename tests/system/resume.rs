//! A lost line costs nothing: the seat, the missing events, and the request whose answer was lost.

use std::time::Duration;

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use noughts_protocol::wire::{Body, Command, Lobby, Message, Notice, Presence, RejectCode, Request};
use noughts_protocol::{Cell, Event, Game, Offer, RequestId, Seat, Seq};
use noughts_tests::peer::{Peer, Place};
use noughts_tests::raw::Raw;
use noughts_tests::server::Server;
use noughts_tests::table::{pair, play, public};
use noughts_tests::wait::within;

fn id(number: u64) -> RequestId {
    RequestId::new(number).expect("small")
}

fn seqs(answer: &Message) -> Vec<u64> {
    let Message::Events { re: Some(_), events, .. } = answer else { panic!("{answer:?}") };
    events.iter().map(|event| event.seq.get()).collect()
}

/// What everyone must agree on.
fn state(game: &Game) -> String {
    let mut snapshot = game.snapshot(0);
    snapshot.left = None;
    serde_json::to_string(&snapshot).expect("a snapshot")
}

/// How a line may end.
#[derive(Clone, Copy, Debug)]
enum Loss {
    /// Its end is read.
    Fin,
    /// It is reset.
    Reset,
    /// It is there and nobody is behind it.
    HalfOpen,
    /// The client closes as it should.
    Close,
}

async fn lose(mut peer: Peer, how: Loss) -> (Place, Option<Peer>) {
    match how {
        Loss::Fin => (peer.cut(), None),
        Loss::Reset => (peer.reset(), None),
        Loss::HalfOpen => (peer.place().clone(), Some(peer)),
        Loss::Close => {
            peer.stream.close(None).await.expect("the line is open");
            (peer.cut(), None)
        }
    }
}

#[tokio::test]
async fn exactly_the_missing_events_come_after_any_loss() {
    let server = Server::start().await;
    for loss in [Loss::Fin, Loss::Reset, Loss::HalfOpen, Loss::Close] {
        let [mut x, o] = pair(&server, "5x5:5", None).await;
        x.play(0).await.expect("legal");
        let (place, held) = lose(o, loss).await;
        let seq = place.game.seq();
        x.offer(Offer::Draw).await.expect("a game is on");
        x.command(Command::Decline { offer: Offer::Draw }).await.expect("its own");
        let mut o = server.peer("Another name").await;
        let answer = o.resume(&place, Some(seq)).await.expect("its token");
        let wanted: Vec<u64> = (seq.get() + 1..=x.game().seq().get()).collect();
        assert_eq!(seqs(&answer), wanted, "{loss:?}");
        assert_eq!(state(o.game()), state(x.game()), "{loss:?}");
        o.play(1).await.expect("O is to move");
        x.caught_up(o.game().seq()).await;
        assert_eq!(x.game().player(Seat::O).expect("seated").name.as_str(), "Bob", "{loss:?}");
        if let Some(held) = held {
            assert_eq!(held.closed().await, Some(4002), "{loss:?}");
        }
    }
}

#[tokio::test]
async fn from_every_place_in_the_history_the_same_state_is_reached() {
    let server = Server::limited(|limits| limits.tail = 6).await;
    let mut players = pair(&server, "5x5:5", None).await;
    let mut places = vec![players[1].place().clone()];
    for cell in 0..9 {
        play(&mut players, &[cell]).await;
        places.push(players[1].place().clone());
    }
    let [x, o] = players;
    let (now, mut old) = (o.game().seq(), Some(o));
    for place in places {
        let seq = place.game.seq();
        let mut peer = server.peer("Bob").await;
        let answer = peer.resume(&place, Some(seq)).await.expect("its token");
        if now.get() - seq.get() <= 6 {
            assert_eq!(seqs(&answer), (seq.get() + 1..=now.get()).collect::<Vec<_>>());
        } else {
            assert!(matches!(answer, Message::Snapshot { re: Some(_), .. }), "{answer:?}");
        }
        assert_eq!(state(peer.game()), state(x.game()), "from {seq}");
        assert_eq!(old.replace(peer).expect("held").closed().await, Some(4002));
    }
    // Nothing known, or more than there is: the whole view.
    for seq in [None, Some(Seq::ZERO), Some(now.next()), Some(Seq::new(RequestId::MAX))] {
        let mut peer = server.peer("Bob").await;
        let place = old.as_ref().expect("held").place().clone();
        let answer = peer.resume(&place, seq).await.expect("its token");
        let Message::Snapshot { you, .. } = &answer else { panic!("{seq:?}: {answer:?}") };
        assert_eq!(you.seat, Some(Seat::O));
        assert!(you.token.is_some());
        old = Some(peer);
    }
}

#[tokio::test]
async fn a_move_whose_answer_was_lost_is_applied_once() {
    let server = Server::start().await;
    for applied in [true, false] {
        let [mut x, mut o] = pair(&server, "5x5:5", None).await;
        let seq = x.game().seq();
        let body = Body::Command(Command::Move { cell: Cell::new(7), seq });
        if applied {
            // The request is sent and its answer never read.
            x.send(&Request { id: id(50), body: body.clone() }).await;
            o.event("move", |event| matches!(event, Event::Moved { .. })).await;
        }
        let place = x.cut();
        let mut x = server.peer("Ann").await;
        x.resume(&place, Some(seq)).await.expect("its token");
        let answer = x.ask_as(id(50), body.clone()).await.expect("the same request");
        assert_eq!(matches!(answer, Message::Done { seq: Some(_), .. }), applied, "{answer:?}");
        // However often, and also when the game has gone on.
        o.caught_up(x.game().seq()).await;
        o.play(1).await.expect("legal");
        for _ in 0..3 {
            let Ok(Message::Done { seq: Some(done), .. }) = x.ask_as(id(50), body.clone()).await else {
                panic!("not done")
            };
            assert_eq!(done, seq.next());
        }
        let other = Body::Command(Command::Move { cell: Cell::new(8), seq });
        assert_eq!(x.ask_as(id(50), other).await.unwrap_err().code, RejectCode::IdReused);
        assert_eq!(o.game().position().moves(), [Cell::new(7), Cell::new(1)]);
    }
}

/// Who asks, and for what.
type Line = (Seat, fn(&Peer) -> Command);

#[tokio::test]
async fn every_command_is_applied_once_however_often_it_is_sent() {
    let server = Server::start().await;
    let [mut x, mut o] = pair(&server, "connect4", None).await;
    let move_at = |cell, seq| Command::Move { cell: Cell::new(cell), seq };
    let draw = Offer::Draw;
    let mut number = 100;
    // By X or by O, twice in one breath and once more after a new line.
    let script: &[Line] = &[
        (Seat::X, |x| Command::Move { cell: Cell::new(3), seq: x.game().seq() }),
        (Seat::O, |_| Command::Offer { offer: Offer::Draw }),
        (Seat::X, |_| Command::Decline { offer: Offer::Draw }),
        (Seat::X, |_| Command::Offer { offer: Offer::Takeback }),
        (Seat::O, |_| Command::Accept { offer: Offer::Takeback }),
        (Seat::X, |x| Command::Move { cell: Cell::new(3), seq: x.game().seq() }),
        (Seat::O, |_| Command::Resign),
        (Seat::X, |_| Command::Offer { offer: Offer::Rematch }),
        (Seat::O, |_| Command::Accept { offer: Offer::Rematch }),
    ];
    for (seat, command) in script {
        number += 1;
        let (asker, other) = if x.seat() == *seat { (&mut x, &mut o) } else { (&mut o, &mut x) };
        asker.caught_up(other.game().seq()).await;
        let command = command(asker);
        let before = asker.game().seq();
        let body = Body::Command(command);
        asker.send(&Request { id: id(number), body: body.clone() }).await;
        asker.send(&Request { id: id(number), body: body.clone() }).await;
        let done = |message: &Message| matches!(message, Message::Done { seq: Some(_), .. });
        let Message::Done { seq, .. } = asker.wait_for("done", done).await else { unreachable!() };
        assert_eq!(seq, Some(before.next()), "{command:?}");
        let place = asker.place().clone();
        let mut again = server.peer("Again").await;
        again.resume(&place, Some(asker.game().seq())).await.expect("its token");
        let answer = again.ask_as(id(number), body).await;
        let Ok(Message::Done { seq, .. }) = answer else { panic!("{command:?}: {answer:?}") };
        assert_eq!(seq, Some(before.next()), "{command:?}");
        assert_eq!(again.game().seq(), asker.game().seq(), "{command:?}");
        *asker = again;
    }
    let seq = x.game().seq().max(o.game().seq());
    x.caught_up(seq).await;
    o.caught_up(seq).await;
    assert_eq!(state(x.game()), state(o.game()));
    assert_eq!(x.game().number(), 2);
    let stale = x.refused(Body::Command(move_at(0, Seq::new(1)))).await;
    assert_eq!((stale, x.game().offered(draw)), (RejectCode::Stale, None));
}

#[tokio::test]
async fn a_refused_request_may_be_sent_again_under_its_number() {
    let server = Server::start().await;
    let [mut x, mut o] = pair(&server, "3x3:3", None).await;
    let body = |seq| Body::Command(Command::Move { cell: Cell::new(0), seq });
    let refused = o.ask_as(id(9), body(o.game().seq())).await.unwrap_err();
    assert_eq!(refused.code, RejectCode::NotYourTurn);
    x.play(4).await.expect("legal");
    o.caught_up(x.game().seq()).await;
    let answer = o.ask_as(id(9), body(o.game().seq())).await;
    assert!(matches!(answer, Ok(Message::Events { .. })), "{answer:?}");
}

#[tokio::test]
async fn the_newest_connection_has_the_seat() {
    let server = Server::start().await;
    let [x, mut o] = pair(&server, "3x3:3", None).await;
    let place = x.place().clone();
    let mut holders = vec![x];
    for _ in 0..100 {
        let mut newer = server.peer("Ann").await;
        newer.resume(&place, Some(place.game.seq())).await.expect("its token");
        let older = holders.pop().expect("one");
        assert_eq!(older.closed().await, Some(4002));
        holders.push(newer);
    }
    assert_eq!(server.metric("noughts_connections").await, 2);
    let mut x = holders.pop().expect("one");
    x.play(0).await.expect("still X");
    o.event("move", |event| matches!(event, Event::Moved { .. })).await;
    // To the other it was never gone.
    let told = o.ask(Body::Lobby(Lobby::List)).await;
    assert!(told.is_ok());
    while let Some(notice) = o.seen(|message| matches!(message, Message::Notice { .. })) {
        let text = notice.to_json();
        assert!(!text.contains("presence"), "{text}");
    }
}

#[tokio::test]
async fn of_many_who_resume_at_once_one_has_the_seat() {
    let server = Server::start().await;
    let [x, mut o] = pair(&server, "3x3:3", None).await;
    let place = x.cut();
    let newer = futures::future::join_all((0..20).map(|_| async {
        let mut peer = server.peer("Ann").await;
        // The answer may be overtaken by the next one's: nobody waits for it here.
        let token = place.you.token.expect("a player");
        peer.send(&Request::lobby(id(1), Lobby::Resume { room: place.id, token, seq: None })).await;
        peer
    }));
    let mut closes: FuturesUnordered<_> = newer.await.into_iter().map(Peer::closed).collect();
    for _ in 0..19 {
        assert_eq!(within("a close", closes.next()).await, Some(Some(4002)));
    }
    assert_eq!(server.metric("noughts_connections").await, 2);
    drop(closes);
    let mut x = server.peer("Ann").await;
    x.resume(&place, None).await.expect("its token");
    x.play(0).await.expect("X is to move");
    o.event("move", |event| matches!(event, Event::Moved { .. })).await;
}

#[tokio::test]
async fn a_seat_is_resumed_in_every_phase() {
    let server = Server::start().await;
    // Waiting: the friend's line broke before anybody came.
    let mut host = server.peer("Host").await;
    let code = host.create("3x3:3", None, Some(Seat::X), false).await;
    let place = host.cut();
    let mut host = server.peer("Host").await;
    host.resume(&place, None).await.expect("still waiting");
    assert_eq!(host.place().you.code, place.you.code);
    let mut guest = server.peer("Guest").await;
    guest.join(code).await.expect("free");
    host.caught_up(guest.game().seq()).await;
    // Over: and the rematch goes on with the same tokens.
    let mut players = [host, guest];
    play(&mut players, &[0, 3, 1, 4, 2]).await;
    let [host, mut guest] = players;
    let place = host.cut();
    let mut host = server.peer("Host").await;
    host.resume(&place, Some(place.game.seq())).await.expect("still there");
    host.offer(Offer::Rematch).await.expect("over");
    guest.caught_up(host.game().seq()).await;
    guest.command(Command::Accept { offer: Offer::Rematch }).await.expect("offered");
    // In the second game, known of only in the first: the seat has changed meanwhile.
    let old = host.cut();
    let mut host = server.peer("Host").await;
    host.resume(&old, Some(old.game.seq())).await.expect("the token goes with the player");
    host.caught_up(guest.game().seq()).await;
    assert_eq!((host.seat(), guest.seat()), (Seat::O, Seat::X));
    guest.play(0).await.expect("X begins");
    host.caught_up(guest.game().seq()).await;
    host.play(1).await.expect("O answers");
    // And after leaving on purpose.
    host.ask(Body::Lobby(Lobby::Leave)).await.expect("in a room");
    let place = host.place().clone();
    host.resume(&place, Some(place.game.seq())).await.expect("the seat is kept");
    guest.caught_up(host.game().seq()).await;
    guest.play(2).await.expect("X is to move");
}

#[tokio::test]
async fn what_is_missing_is_sent_again_on_the_same_line_too() {
    let server = Server::start().await;
    let mut players = pair(&server, "3x3:3", None).await;
    let early = players[0].game().seq();
    play(&mut players, &[0, 1, 2]).await;
    let [mut x, _o] = players;
    let mut fan = server.peer("Fan").await;
    fan.watch(public(&x)).await.expect("public");
    for peer in [&mut x, &mut fan] {
        let place = peer.room.clone().expect("in a room");
        let request = peer.id();
        peer.send(&Request::lobby(request, Lobby::Sync { seq: early })).await;
        let mut earlier = place.clone();
        earlier.game = Game::from_snapshot(&early_view(&place.game, early)).expect("a view");
        peer.room = Some(earlier);
        let answer = peer.answer(request, None).await.expect("at hand");
        assert_eq!(seqs(&answer), [5, 6, 7]);
        assert_eq!(state(peer.game()), state(&place.game));
    }
}

/// The view at the start of the first game.
fn early_view(game: &Game, seq: Seq) -> noughts_protocol::Snapshot {
    let mut snapshot = game.snapshot(0);
    (snapshot.seq, snapshot.turn) = (seq, Some(Seat::X));
    snapshot.moves.clear();
    snapshot
}

#[tokio::test]
async fn a_dead_line_gives_the_seat_up_and_leaves_it_to_resume() {
    let server = Server::limited(|limits| limits.ping = Duration::from_millis(400)).await;
    let mut host = server.peer("Host").await;
    let room = host.create("3x3:3", None, Some(Seat::X), true).await;
    // Reads nothing and answers no ping, but the line stands.
    let mut dead = Raw::greeted(server.address()).await;
    dead.request(&Request::lobby(id(1), Lobby::Join { room })).await;
    let told = dead.message().await;
    let Message::Snapshot { you, room, .. } = told else { panic!("{told:?}") };
    host.notice("absence", |notice| notice_is_away(notice, Seat::O)).await;
    let mut place = host.place().clone();
    (place.you, place.id) = (you, room);
    let mut again = server.peer("Raw").await;
    again.resume(&place, None).await.expect("the seat is kept");
    assert_eq!(dead.close_code().await, Some(4201));
    host.play(0).await.expect("X begins");
    again.caught_up(host.game().seq()).await;
    again.play(1).await.expect("O answers");
}

fn notice_is_away(notice: &Notice, who: Seat) -> bool {
    matches!(notice, Notice::Presence { seat, presence: Presence::Away, .. } if *seat == who)
}
