//! Every refusal that a room, the lobby or the door can give, provoked from outside: the code, the
//! field that it blames, and that nothing has changed.

use std::collections::BTreeSet;
use std::time::Duration;

use noughts_protocol::wire::{Body, Claim, Command, Lobby, Message, Reject, RejectCode};
use noughts_protocol::{Cell, Offer, RequestId, Seat, Seq};
use noughts_tests::peer::Peer;
use noughts_tests::server::Server;
use noughts_tests::table::{pair, play, public};

/// Codes that other suites provoke: they need a server short of something.
const ELSEWHERE: &[RejectCode] = &[
    RejectCode::Busy,
    RejectCode::Draining,
    RejectCode::RateLimited,
    RejectCode::ServerFull,
    RejectCode::Unavailable,
    RejectCode::Version,
];

/// Sends a text with the id 900, and gives the refusal that comes.
async fn told(peer: &mut Peer, text: &str) -> Reject {
    peer.text(text).await;
    let told = peer.wait_for("refusal", |message| matches!(message, Message::Reject { .. })).await;
    let Message::Reject { re, reject } = told else { unreachable!() };
    let named = text.contains(r#""id":900,"#) || text.contains(r#""id":900}"#);
    let named = named && reject.code != RejectCode::BadMessage;
    assert_eq!(re, named.then(|| RequestId::new(900).expect("small")), "{text}: {reject:?}");
    reject
}

/// Parties of every kind, each in the place that its refusals come from.
struct Cast {
    /// Has not said hello.
    stranger: Peer,
    /// Is in no room.
    idle: Peer,
    /// Waits in the lobby.
    seeking: Peer,
    /// Waits in a private room.
    host: Peer,
    /// Watches `x` play.
    fan: Peer,
    /// To move, on an empty board.
    x: Peer,
    /// Its opponent.
    o: Peer,
    /// Has lost.
    loser: Peer,
    /// To move, with a full column 0.
    column: Peer,
    /// Whose opponent has left on purpose in the middle of a game.
    lonely: Peer,
    /// Whose game is over, and whose opponent left.
    lonely_after: Peer,
    /// Kept connected.
    _others: Vec<Peer>,
}

impl Cast {
    async fn of(server: &Server) -> Cast {
        let stranger = Peer::connect(&server.url()).await;
        let idle = server.peer("Idle").await;
        let [x, o] = pair(server, "3x3:3", None).await;
        let mut fan = server.peer("Fan").await;
        fan.watch(public(&x)).await.expect("public");
        let mut over = pair(server, "3x3:3", None).await;
        play(&mut over, &[0, 3, 1, 4, 2]).await;
        let [winner, loser] = over;
        let mut full = pair(server, "3x3:3+gravity", None).await;
        play(&mut full, &[0, 0, 0, 1]).await;
        let [column, full_o] = full;
        let [mut gone, lonely] = pair(server, "3x3:3", None).await;
        gone.command(Command::Offer { offer: Offer::Draw }).await.expect("a game is on");
        gone.ask(Body::Lobby(Lobby::Leave)).await.expect("in a room");
        let mut after = pair(server, "3x3:3", None).await;
        play(&mut after, &[0, 3, 1, 4, 2]).await;
        let [mut gone_after, lonely_after] = after;
        gone_after.offer(Offer::Rematch).await.expect("over");
        gone_after.ask(Body::Lobby(Lobby::Leave)).await.expect("in a room");
        // The last to come, so that nobody is paired with it.
        let mut host = server.peer("Host").await;
        host.create("3x3:3", None, Some(Seat::X), false).await;
        let mut seeking = server.peer("Seeking").await;
        seeking.seek("5x5:5", None, None).await;
        let others = vec![winner, full_o, gone, gone_after];
        Cast {
            stranger,
            idle,
            seeking,
            host,
            fan,
            x,
            o,
            loser,
            column,
            lonely,
            lonely_after,
            _others: others,
        }
    }
}

/// A request, by whom, and what it is refused with.
type Case = (fn(&mut Cast) -> &mut Peer, &'static str, RejectCode, Option<&'static str>);

#[rustfmt::skip]
fn cases() -> Vec<Case> {
    use RejectCode::*;
    let seq = r#"{"type":"move","id":900,"cell":0,"seq":4}"#;
    vec![
        // What is no request.
        (|c| &mut c.idle, "", BadMessage, None),
        (|c| &mut c.idle, "[]", BadMessage, None),
        (|c| &mut c.idle, "17", BadMessage, None),
        (|c| &mut c.idle, r#"{"type":"list","id":900,"id":900}"#, BadMessage, None),
        (|c| &mut c.idle, r#"{"type":"list","id":900} x"#, BadMessage, None),
        (|c| &mut c.idle, r#"{"type":"dance","id":900}"#, UnknownType, Some("type")),
        (|c| &mut c.idle, r#"{"type":"List","id":900}"#, UnknownType, Some("type")),
        (|c| &mut c.idle, r#"{"id":900}"#, BadField, Some("type")),
        (|c| &mut c.idle, r#"{"type":"list"}"#, BadField, Some("id")),
        (|c| &mut c.idle, r#"{"type":"list","id":-1}"#, BadField, Some("id")),
        (|c| &mut c.idle, r#"{"type":"list","id":9007199254740992}"#, BadField, Some("id")),
        (|c| &mut c.idle, r#"{"type":"seek","id":900}"#, BadField, Some("rules")),
        (|c| &mut c.idle, r#"{"type":"seek","id":900,"rules":"99x99:5"}"#, BadField, Some("rules")),
        (|c| &mut c.idle, r#"{"type":"seek","id":900,"rules":"3x3:4"}"#, BadField, Some("rules")),
        (|c| &mut c.idle, r#"{"type":"seek","id":900,"rules":"3x3:3","clock":"0+1"}"#, BadField, Some("clock")),
        (|c| &mut c.idle, r#"{"type":"seek","id":900,"rules":"3x3:3","seat":"Z"}"#, BadField, Some("seat")),
        (|c| &mut c.idle, r#"{"type":"create","id":900,"rules":"3x3:3","public":1}"#, BadField, Some("public")),
        (|c| &mut c.idle, r#"{"type":"join","id":900,"room":"../etc"}"#, BadField, Some("room")),
        (|c| &mut c.idle, r#"{"type":"join","id":900,"room":"k7qf*"}"#, BadField, Some("room")),
        (|c| &mut c.idle, r#"{"type":"resume","id":900,"room":"k7qf3mzx","token":"x"}"#, BadField, Some("token")),
        (|c| &mut c.x, r#"{"type":"move","id":900,"seq":4}"#, BadField, Some("cell")),
        (|c| &mut c.x, r#"{"type":"move","id":900,"cell":1.5,"seq":4}"#, BadField, Some("cell")),
        (|c| &mut c.x, r#"{"type":"move","id":900,"cell":65536,"seq":4}"#, BadField, Some("cell")),
        (|c| &mut c.x, r#"{"type":"move","id":900,"cell":-1,"seq":4}"#, BadField, Some("cell")),
        (|c| &mut c.x, r#"{"type":"offer","id":900,"offer":"peace"}"#, BadField, Some("offer")),
        (|c| &mut c.x, r#"{"type":"claim","id":900,"result":"loss"}"#, BadField, Some("result")),
        // At the door.
        (|c| &mut c.stranger, r#"{"type":"list","id":900}"#, HelloFirst, None),
        (|c| &mut c.stranger, r#"{"type":"resign","id":900}"#, HelloFirst, None),
        (|c| &mut c.stranger, r#"{"type":"seek","id":900,"rules":"3x3:3"}"#, HelloFirst, None),
        (|c| &mut c.idle, r#"{"type":"hello","id":900,"versions":[1,1],"name":"Two","kind":"bot"}"#, HelloTwice, None),
        // In the hall.
        (|c| &mut c.idle, seq, NotInRoom, None),
        (|c| &mut c.idle, r#"{"type":"leave","id":900}"#, NotInRoom, None),
        (|c| &mut c.idle, r#"{"type":"sync","id":900,"seq":0}"#, NotInRoom, None),
        (|c| &mut c.idle, r#"{"type":"cancel","id":900}"#, NotSeeking, None),
        (|c| &mut c.idle, r#"{"type":"join","id":900,"room":"k7qf3mzx"}"#, UnknownRoom, None),
        (|c| &mut c.idle, r#"{"type":"watch","id":900,"room":"k7qf-3mzx-k7qf"}"#, UnknownRoom, None),
        (|c| &mut c.seeking, r#"{"type":"seek","id":900,"rules":"5x5:5"}"#, AlreadySeeking, None),
        (|c| &mut c.seeking, r#"{"type":"create","id":900,"rules":"5x5:5"}"#, AlreadySeeking, None),
        (|c| &mut c.seeking, seq, NotInRoom, None),
        (|c| &mut c.host, r#"{"type":"seek","id":900,"rules":"3x3:3"}"#, AlreadyInRoom, None),
        (|c| &mut c.host, r#"{"type":"cancel","id":900}"#, NotSeeking, None),
        // Alone in a room.
        (|c| &mut c.host, r#"{"type":"move","id":900,"cell":0,"seq":2}"#, NotStarted, None),
        (|c| &mut c.host, r#"{"type":"resign","id":900}"#, NotStarted, None),
        (|c| &mut c.host, r#"{"type":"offer","id":900,"offer":"draw"}"#, NotStarted, None),
        (|c| &mut c.host, r#"{"type":"offer","id":900,"offer":"rematch"}"#, NotStarted, None),
        (|c| &mut c.host, r#"{"type":"accept","id":900,"offer":"takeback"}"#, NotStarted, None),
        (|c| &mut c.host, r#"{"type":"decline","id":900,"offer":"draw"}"#, NoOffer, None),
        (|c| &mut c.host, r#"{"type":"claim","id":900,"result":"win"}"#, NotStarted, None),
        (|c| &mut c.host, r#"{"type":"flag","id":900}"#, NotStarted, None),
        // In the audience.
        (|c| &mut c.fan, seq, NotAPlayer, None),
        (|c| &mut c.fan, r#"{"type":"resign","id":900}"#, NotAPlayer, None),
        (|c| &mut c.fan, r#"{"type":"offer","id":900,"offer":"draw"}"#, NotAPlayer, None),
        (|c| &mut c.fan, r#"{"type":"accept","id":900,"offer":"draw"}"#, NotAPlayer, None),
        (|c| &mut c.fan, r#"{"type":"decline","id":900,"offer":"draw"}"#, NotAPlayer, None),
        (|c| &mut c.fan, r#"{"type":"claim","id":900,"result":"win"}"#, NotAPlayer, None),
        (|c| &mut c.fan, r#"{"type":"flag","id":900}"#, NotAPlayer, None),
        (|c| &mut c.fan, r#"{"type":"join","id":900,"room":"k7qf3mzx"}"#, AlreadyInRoom, None),
        // On the move, with nothing on the board.
        (|c| &mut c.o, seq, NotYourTurn, None),
        (|c| &mut c.x, r#"{"type":"move","id":900,"cell":9,"seq":4}"#, OffBoard, Some("cell")),
        (|c| &mut c.x, r#"{"type":"move","id":900,"cell":65535,"seq":4}"#, OffBoard, Some("cell")),
        (|c| &mut c.x, r#"{"type":"move","id":900,"cell":0,"seq":3}"#, Stale, Some("seq")),
        (|c| &mut c.x, r#"{"type":"move","id":900,"cell":0,"seq":5}"#, Stale, Some("seq")),
        (|c| &mut c.x, r#"{"type":"move","id":900,"cell":0,"seq":9007199254740991}"#, Stale, Some("seq")),
        (|c| &mut c.x, r#"{"type":"offer","id":900,"offer":"takeback"}"#, NothingToTakeBack, None),
        (|c| &mut c.x, r#"{"type":"offer","id":900,"offer":"rematch"}"#, GameOn, None),
        (|c| &mut c.o, r#"{"type":"accept","id":900,"offer":"rematch"}"#, GameOn, None),
        (|c| &mut c.o, r#"{"type":"accept","id":900,"offer":"draw"}"#, NoOffer, None),
        (|c| &mut c.o, r#"{"type":"decline","id":900,"offer":"rematch"}"#, NoOffer, None),
        (|c| &mut c.o, r#"{"type":"claim","id":900,"result":"win"}"#, NotClaimable, None),
        (|c| &mut c.x, r#"{"type":"claim","id":900,"result":"draw"}"#, NotClaimable, None),
        (|c| &mut c.x, r#"{"type":"flag","id":900}"#, FlagNotFallen, None),
        // The column is full.
        (|c| &mut c.column, r#"{"type":"move","id":900,"cell":0,"seq":8}"#, ColumnFull, Some("cell")),
        (|c| &mut c.column, r#"{"type":"move","id":900,"cell":6,"seq":8}"#, ColumnFull, Some("cell")),
        // After the game.
        (|c| &mut c.loser, r#"{"type":"move","id":900,"cell":8,"seq":10}"#, GameOver, None),
        (|c| &mut c.loser, r#"{"type":"resign","id":900}"#, GameOver, None),
        (|c| &mut c.loser, r#"{"type":"offer","id":900,"offer":"draw"}"#, GameOver, None),
        (|c| &mut c.loser, r#"{"type":"accept","id":900,"offer":"takeback"}"#, GameOver, None),
        (|c| &mut c.loser, r#"{"type":"accept","id":900,"offer":"rematch"}"#, NoOffer, None),
        (|c| &mut c.loser, r#"{"type":"claim","id":900,"result":"win"}"#, GameOver, None),
        (|c| &mut c.loser, r#"{"type":"flag","id":900}"#, GameOver, None),
        // Beside one who has left.
        (|c| &mut c.lonely, r#"{"type":"offer","id":900,"offer":"draw"}"#, OpponentLeft, None),
        (|c| &mut c.lonely, r#"{"type":"offer","id":900,"offer":"takeback"}"#, OpponentLeft, None),
        (|c| &mut c.lonely_after, r#"{"type":"offer","id":900,"offer":"rematch"}"#, OpponentLeft, None),
        (|c| &mut c.lonely_after, r#"{"type":"accept","id":900,"offer":"rematch"}"#, OpponentLeft, None),
    ]
}

/// The whole view, as the room has it for anyone.
async fn view(peer: &mut Peer) -> String {
    let answer = peer.ask(Body::Lobby(Lobby::Sync { seq: Seq::new(RequestId::MAX) }));
    let Ok(Message::Snapshot { mut state, .. }) = answer.await else { panic!("no view") };
    state.at = 0;
    serde_json::to_string(&state).expect("a snapshot")
}

#[tokio::test]
async fn each_refusal_has_its_code_and_changes_nothing() {
    let server = Server::start().await;
    let mut cast = Box::pin(Cast::of(&server)).await;
    let before = [view(&mut cast.x).await, view(&mut cast.loser).await, view(&mut cast.column).await];
    let mut failed = Vec::new();
    for (who, text, code, field) in cases() {
        let reject = told(who(&mut cast), text).await;
        if (reject.code, reject.field.as_deref()) != (code, field) {
            failed.push(format!("{text}: {reject:?}, not {code}"));
        }
        let from_a_room = who(&mut cast).room.is_some() && reject.seq.is_some();
        if from_a_room && reject.seq != Some(who(&mut cast).game().seq()) {
            failed.push(format!("{text}: {reject:?}"));
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
    let after = [view(&mut cast.x).await, view(&mut cast.loser).await, view(&mut cast.column).await];
    assert_eq!(before, after);
    // The same connections can still do what is right.
    cast.x.play(0).await.expect("X is to move");
}

#[tokio::test]
async fn what_depends_on_earlier_moves_is_refused_too() {
    for (text, code) in CHANGED {
        let server = Server::start().await;
        let (mut peer, _o, reject) = changed(&server, text).await;
        assert_eq!(reject.code, *code, "{text}");
        assert_eq!(reject.seq, Some(peer.game().seq()), "{text}");
        peer.offer(Offer::Takeback).await.expect("it goes on");
    }
}

/// After `X a1, O b1`, with the ids 1000 and 1001 for X's move and its draw offer.
const CHANGED: &[(&str, RejectCode)] = &[
    (r#"{"type":"move","id":900,"cell":0,"seq":6}"#, RejectCode::CellTaken),
    (r#"{"type":"move","id":900,"cell":1,"seq":6}"#, RejectCode::CellTaken),
    (r#"{"type":"move","id":900,"cell":2,"seq":5}"#, RejectCode::Stale),
    (r#"{"type":"move","id":900,"cell":2,"seq":4}"#, RejectCode::Stale),
    (r#"{"type":"offer","id":900,"offer":"draw"}"#, RejectCode::AlreadyOffered),
    (r#"{"type":"accept","id":900,"offer":"draw"}"#, RejectCode::NoOffer),
    (r#"{"type":"move","id":1000,"cell":2,"seq":7}"#, RejectCode::IdReused),
    (r#"{"type":"resign","id":1000}"#, RejectCode::IdReused),
    (r#"{"type":"move","id":1001,"cell":2,"seq":7}"#, RejectCode::IdReused),
    (r#"{"type":"offer","id":1001,"offer":"takeback"}"#, RejectCode::IdReused),
    (r#"{"type":"decline","id":1001,"offer":"draw"}"#, RejectCode::IdReused),
];

async fn changed(server: &Server, text: &str) -> (Peer, Peer, Reject) {
    let [mut x, mut o] = pair(server, "3x3:3", None).await;
    let id = |id| RequestId::new(id).expect("small");
    let first = Command::Move { cell: Cell::new(0), seq: x.game().seq() };
    x.ask_as(id(1000), Body::Command(first)).await.expect("legal");
    o.caught_up(x.game().seq()).await;
    o.play(1).await.expect("legal");
    x.caught_up(o.game().seq()).await;
    x.ask_as(id(1001), Body::Command(Command::Offer { offer: Offer::Draw })).await.expect("in a game");
    x.text(text).await;
    let told = x.wait_for("refusal", |message| matches!(message, Message::Reject { .. })).await;
    let Message::Reject { reject, .. } = told else { unreachable!() };
    (x, o, reject)
}

#[tokio::test]
async fn a_third_player_is_told_that_both_seats_are_taken() {
    let server = Server::start().await;
    let [x, _o] = pair(&server, "3x3:3", None).await;
    let mut third = server.peer("Third").await;
    assert_eq!(third.join(public(&x)).await.unwrap_err().code, RejectCode::RoomFull);
}

#[tokio::test]
async fn a_claim_is_another_request_than_the_other_claim() {
    let server = Server::limited(|limits| limits.left_grace = Duration::ZERO).await;
    let [mut x, mut o] = pair(&server, "3x3:3", None).await;
    x.ask(Body::Lobby(Lobby::Leave)).await.expect("in a room");
    let id = RequestId::new(77).expect("small");
    let claim = |result| Body::Command(Command::Claim { result });
    o.ask_as(id, claim(Claim::Draw)).await.expect("absent and to move");
    let again = o.ask_as(id, claim(Claim::Draw)).await;
    assert!(matches!(again, Ok(Message::Done { seq: Some(_), .. })), "{again:?}");
    let other = o.ask_as(id, claim(Claim::Win)).await;
    assert_eq!(other.map_err(|reject| reject.code).err(), Some(RejectCode::IdReused), "a draw is no win");
}

#[test]
fn no_code_is_without_its_case() {
    let mut provoked: BTreeSet<&str> = cases().iter().map(|(_, _, code, _)| code.as_str()).collect();
    provoked.extend(CHANGED.iter().map(|(_, code)| code.as_str()));
    provoked.insert(RejectCode::RoomFull.as_str());
    let elsewhere: BTreeSet<&str> = ELSEWHERE.iter().map(|code| code.as_str()).collect();
    let both: Vec<_> = provoked.intersection(&elsewhere).collect();
    assert!(both.is_empty(), "here and elsewhere: {both:?}");
    let all: BTreeSet<&str> = RejectCode::ALL.iter().map(|code| code.as_str()).collect();
    let missing: Vec<_> =
        all.iter().filter(|code| !provoked.contains(*code) && !elsewhere.contains(*code)).collect();
    assert!(missing.is_empty(), "nobody provokes {missing:?}");
}
