//! Rejects of rooms, the lobby and the connection: code, field, and unchanged state.

use std::time::Duration;

use noughts_protocol::wire::{
    Claim, Message, Reject, RejectCode, RequestBody, RoomCommand, SessionRequest,
};
use noughts_protocol::{Cell, Offer, RequestId, Seat, Seq};
use noughts_tests::client::game_setup::{pair_players, play_moves, room_ref};
use noughts_tests::client::test_client::TestClient;
use noughts_tests::server::TestServer;

/// Sends a text with id 900; returns the reject.
async fn send_rejected(client: &mut TestClient, text: &str) -> Reject {
    client.send_text(text).await;
    let message = client
        .wait_for("refusal", |message| {
            matches!(message, Message::Reject { .. })
        })
        .await;
    let Message::Reject { re, reject } = message else {
        unreachable!()
    };
    let has_request_id = text.contains(r#""id":900,"#) || text.contains(r#""id":900}"#);
    let has_request_id = has_request_id && reject.code != RejectCode::BadMessage;
    assert_eq!(
        re,
        has_request_id.then(|| RequestId::new(900).expect("fits the type")),
        "{text}: {reject:?}"
    );
    reject
}

/// Clients in each of the states that the rejects depend on.
struct Fixtures {
    /// Has not sent hello.
    stranger: TestClient,
    /// Is not in a room.
    idle: TestClient,
    /// Waits in the lobby.
    seeking: TestClient,
    /// Waits in a private room.
    host: TestClient,
    /// Watches the game of `x`.
    spectator: TestClient,
    /// To move on an empty board.
    x: TestClient,
    /// Opponent of `x`.
    o: TestClient,
    /// Has lost a game.
    loser: TestClient,
    /// To move, with column 0 full.
    full_column: TestClient,
    /// Its opponent left during the game.
    deserted: TestClient,
    /// Its opponent left after the game.
    deserted_after_game: TestClient,
    /// Other clients, which stay connected.
    _others: Vec<TestClient>,
}

impl Fixtures {
    async fn create(server: &TestServer) -> Fixtures {
        let stranger = TestClient::connect(&server.url()).await;
        let idle = server.connect_client("Idle").await;
        let [x, o] = pair_players(server, "3x3:3", None).await;
        let mut spectator = server.connect_client("Fan").await;
        spectator.watch(room_ref(&x)).await.expect("public");
        let mut over = pair_players(server, "3x3:3", None).await;
        play_moves(&mut over, &[0, 3, 1, 4, 2]).await;
        let [winner, loser] = over;
        let mut full = pair_players(server, "3x3:3+gravity", None).await;
        play_moves(&mut full, &[0, 0, 0, 1]).await;
        let [full_column, full_o] = full;
        let [mut left_player, deserted] = pair_players(server, "3x3:3", None).await;
        left_player
            .send_command(RoomCommand::Offer { offer: Offer::Draw })
            .await
            .expect("a game is running");
        left_player
            .request(RequestBody::Session(SessionRequest::Leave))
            .await
            .expect("in a room");
        let mut after = pair_players(server, "3x3:3", None).await;
        play_moves(&mut after, &[0, 3, 1, 4, 2]).await;
        let [mut left_after_game, deserted_after_game] = after;
        left_after_game.offer(Offer::Rematch).await.expect("over");
        left_after_game
            .request(RequestBody::Session(SessionRequest::Leave))
            .await
            .expect("in a room");
        // Only seeks are paired, so the host stays alone in its private room.
        let mut host = server.connect_client("Host").await;
        host.create("3x3:3", None, Some(Seat::X), false).await;
        let mut seeking = server.connect_client("Seeking").await;
        seeking.seek("5x5:5", None, None).await;
        let others = vec![winner, full_o, left_player, left_after_game];
        Fixtures {
            stranger,
            idle,
            seeking,
            host,
            spectator,
            x,
            o,
            loser,
            full_column,
            deserted,
            deserted_after_game,
            _others: others,
        }
    }
}

/// Client, request, and the expected code and field.
type RejectCase = (
    fn(&mut Fixtures) -> &mut TestClient,
    &'static str,
    RejectCode,
    Option<&'static str>,
);

#[rustfmt::skip]
fn reject_cases() -> Vec<RejectCase> {
    use RejectCode::*;
    let seq = r#"{"type":"move","id":900,"cell":0,"seq":4}"#;
    vec![
        // Malformed requests.
        (|c| &mut c.idle, "", BadMessage, None),
        (|c| &mut c.idle, r#"{"type":"dance","id":900}"#, UnknownType, Some("type")),
        (|c| &mut c.idle, r#"{"type":"list"}"#, BadField, Some("id")),
        (|c| &mut c.idle, r#"{"type":"seek","id":900}"#, BadField, Some("rules")),
        (|c| &mut c.idle, r#"{"type":"join","id":900,"room":"../etc"}"#, BadField, Some("room")),
        (|c| &mut c.idle, r#"{"type":"resume","id":900,"room":"k7qf3mzx","token":"x"}"#, BadField, Some("token")),
        (|c| &mut c.x, r#"{"type":"move","id":900,"cell":65536,"seq":4}"#, BadField, Some("cell")),
        (|c| &mut c.x, r#"{"type":"claim","id":900,"result":"loss"}"#, BadField, Some("result")),
        // Requests before the hello.
        (|c| &mut c.stranger, r#"{"type":"list","id":900}"#, HelloFirst, None),
        (|c| &mut c.stranger, r#"{"type":"resign","id":900}"#, HelloFirst, None),
        (|c| &mut c.stranger, r#"{"type":"seek","id":900,"rules":"3x3:3"}"#, HelloFirst, None),
        (|c| &mut c.idle, r#"{"type":"hello","id":900,"versions":[1,1],"name":"Two","kind":"bot"}"#, HelloTwice, None),
        // Requests in the lobby.
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
        (|c| &mut c.host, r#"{"type":"create","id":900,"rules":"3x3:3"}"#, AlreadyInRoom, None),
        (|c| &mut c.host, r#"{"type":"watch","id":900,"room":"k7qf3mzx"}"#, AlreadyInRoom, None),
        (|c| &mut c.host, r#"{"type":"cancel","id":900}"#, NotSeeking, None),
        // Requests of a player alone in a room.
        (|c| &mut c.host, r#"{"type":"move","id":900,"cell":0,"seq":2}"#, NotStarted, None),
        (|c| &mut c.host, r#"{"type":"resign","id":900}"#, NotStarted, None),
        (|c| &mut c.host, r#"{"type":"offer","id":900,"offer":"draw"}"#, NotStarted, None),
        (|c| &mut c.host, r#"{"type":"offer","id":900,"offer":"rematch"}"#, NotStarted, None),
        (|c| &mut c.host, r#"{"type":"accept","id":900,"offer":"takeback"}"#, NotStarted, None),
        (|c| &mut c.host, r#"{"type":"decline","id":900,"offer":"draw"}"#, NoOffer, None),
        (|c| &mut c.host, r#"{"type":"claim","id":900,"result":"win"}"#, NotStarted, None),
        (|c| &mut c.host, r#"{"type":"flag","id":900}"#, NotStarted, None),
        // Requests of a spectator.
        (|c| &mut c.spectator, seq, NotAPlayer, None),
        (|c| &mut c.spectator, r#"{"type":"resign","id":900}"#, NotAPlayer, None),
        (|c| &mut c.spectator, r#"{"type":"offer","id":900,"offer":"draw"}"#, NotAPlayer, None),
        (|c| &mut c.spectator, r#"{"type":"accept","id":900,"offer":"draw"}"#, NotAPlayer, None),
        (|c| &mut c.spectator, r#"{"type":"decline","id":900,"offer":"draw"}"#, NotAPlayer, None),
        (|c| &mut c.spectator, r#"{"type":"claim","id":900,"result":"win"}"#, NotAPlayer, None),
        (|c| &mut c.spectator, r#"{"type":"flag","id":900}"#, NotAPlayer, None),
        (|c| &mut c.spectator, r#"{"type":"join","id":900,"room":"k7qf3mzx"}"#, AlreadyInRoom, None),
        // Requests in a game with an empty board.
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
        // A request for a full column.
        (|c| &mut c.full_column, r#"{"type":"move","id":900,"cell":0,"seq":8}"#, ColumnFull, Some("cell")),
        (|c| &mut c.full_column, r#"{"type":"move","id":900,"cell":6,"seq":8}"#, ColumnFull, Some("cell")),
        // Requests after the game.
        (|c| &mut c.loser, r#"{"type":"move","id":900,"cell":8,"seq":10}"#, GameOver, None),
        (|c| &mut c.loser, r#"{"type":"resign","id":900}"#, GameOver, None),
        (|c| &mut c.loser, r#"{"type":"offer","id":900,"offer":"draw"}"#, GameOver, None),
        (|c| &mut c.loser, r#"{"type":"accept","id":900,"offer":"takeback"}"#, GameOver, None),
        (|c| &mut c.loser, r#"{"type":"accept","id":900,"offer":"rematch"}"#, NoOffer, None),
        (|c| &mut c.loser, r#"{"type":"claim","id":900,"result":"win"}"#, GameOver, None),
        (|c| &mut c.loser, r#"{"type":"flag","id":900}"#, GameOver, None),
        // Requests after the opponent has left.
        (|c| &mut c.deserted, r#"{"type":"offer","id":900,"offer":"draw"}"#, OpponentLeft, None),
        (|c| &mut c.deserted, r#"{"type":"offer","id":900,"offer":"takeback"}"#, OpponentLeft, None),
        (|c| &mut c.deserted_after_game, r#"{"type":"offer","id":900,"offer":"rematch"}"#, OpponentLeft, None),
        (|c| &mut c.deserted_after_game, r#"{"type":"accept","id":900,"offer":"rematch"}"#, OpponentLeft, None),
    ]
}

/// Returns the snapshot of the room.
async fn room_snapshot(client: &mut TestClient) -> String {
    let response = client.request(RequestBody::Session(SessionRequest::Sync {
        seq: Seq::new(RequestId::MAX),
    }));
    let Ok(Message::Snapshot { mut state, .. }) = response.await else {
        panic!("no snapshot")
    };
    state.at = 0;
    serde_json::to_string(&state).expect("a snapshot")
}

#[tokio::test]
async fn each_reject_has_its_code_and_changes_nothing() {
    let server = TestServer::start().await;
    let mut fixtures = Box::pin(Fixtures::create(&server)).await;
    let before = [
        room_snapshot(&mut fixtures.x).await,
        room_snapshot(&mut fixtures.loser).await,
        room_snapshot(&mut fixtures.full_column).await,
    ];
    let mut failed = Vec::new();
    for (select_peer, text, code, field) in reject_cases() {
        let reject = send_rejected(select_peer(&mut fixtures), text).await;
        if (reject.code, reject.field.as_deref()) != (code, field) {
            failed.push(format!("{text}: {reject:?}, not {code}"));
        }
        let from_a_room = select_peer(&mut fixtures).room.is_some() && reject.seq.is_some();
        if from_a_room && reject.seq != Some(select_peer(&mut fixtures).game().seq()) {
            failed.push(format!("{text}: {reject:?}"));
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
    let after = [
        room_snapshot(&mut fixtures.x).await,
        room_snapshot(&mut fixtures.loser).await,
        room_snapshot(&mut fixtures.full_column).await,
    ];
    assert_eq!(before, after);
    // The same clients can still send valid requests.
    fixtures.x.play(0).await.expect("X is to move");
}

#[tokio::test]
async fn requests_against_earlier_moves_are_rejected() {
    for (text, code) in CASES_AFTER_MOVES {
        let server = TestServer::start().await;
        let (mut client, _o, reject) = send_after_moves(&server, text).await;
        assert_eq!(reject.code, *code, "{text}");
        assert_eq!(reject.seq, Some(client.game().seq()), "{text}");
        client
            .offer(Offer::Takeback)
            .await
            .expect("the game continues");
    }
}

/// State: `X a1, O b1`; X's move and draw offer have the ids 1000 and 1001.
const CASES_AFTER_MOVES: &[(&str, RejectCode)] = &[
    (
        r#"{"type":"move","id":900,"cell":0,"seq":6}"#,
        RejectCode::CellTaken,
    ),
    (
        r#"{"type":"move","id":900,"cell":1,"seq":6}"#,
        RejectCode::CellTaken,
    ),
    (
        r#"{"type":"move","id":900,"cell":2,"seq":5}"#,
        RejectCode::Stale,
    ),
    (
        r#"{"type":"move","id":900,"cell":2,"seq":4}"#,
        RejectCode::Stale,
    ),
    (
        r#"{"type":"offer","id":900,"offer":"draw"}"#,
        RejectCode::AlreadyOffered,
    ),
    (
        r#"{"type":"accept","id":900,"offer":"draw"}"#,
        RejectCode::NoOffer,
    ),
    (
        r#"{"type":"move","id":1000,"cell":2,"seq":7}"#,
        RejectCode::IdReused,
    ),
    (r#"{"type":"resign","id":1000}"#, RejectCode::IdReused),
    (
        r#"{"type":"move","id":1001,"cell":2,"seq":7}"#,
        RejectCode::IdReused,
    ),
    (
        r#"{"type":"offer","id":1001,"offer":"takeback"}"#,
        RejectCode::IdReused,
    ),
    (
        r#"{"type":"decline","id":1001,"offer":"draw"}"#,
        RejectCode::IdReused,
    ),
];

async fn send_after_moves(server: &TestServer, text: &str) -> (TestClient, TestClient, Reject) {
    let [mut x, mut o] = pair_players(server, "3x3:3", None).await;
    let id = |id| RequestId::new(id).expect("fits the type");
    let first = RoomCommand::Move {
        cell: Cell::new(0),
        seq: x.game().seq(),
    };
    x.request_with_id(id(1000), RequestBody::Command(first))
        .await
        .expect("legal");
    o.wait_until_seq(x.game().seq()).await;
    o.play(1).await.expect("legal");
    x.wait_until_seq(o.game().seq()).await;
    x.request_with_id(
        id(1001),
        RequestBody::Command(RoomCommand::Offer { offer: Offer::Draw }),
    )
    .await
    .expect("in a game");
    x.send_text(text).await;
    let message = x
        .wait_for("refusal", |message| {
            matches!(message, Message::Reject { .. })
        })
        .await;
    let Message::Reject { reject, .. } = message else {
        unreachable!()
    };
    (x, o, reject)
}

#[tokio::test]
async fn claims_with_different_results_are_different_requests() {
    let server = TestServer::start_with_limits(|limits| limits.leave_grace = Duration::ZERO).await;
    let [mut x, mut o] = pair_players(&server, "3x3:3", None).await;
    x.request(RequestBody::Session(SessionRequest::Leave))
        .await
        .expect("in a room");
    let id = RequestId::new(77).expect("fits the type");
    let claim = |result| RequestBody::Command(RoomCommand::Claim { result });
    o.request_with_id(id, claim(Claim::Draw))
        .await
        .expect("absent and to move");
    let repeated = o.request_with_id(id, claim(Claim::Draw)).await;
    assert!(
        matches!(repeated, Ok(Message::Done { seq: Some(_), .. })),
        "{repeated:?}"
    );
    let other = o.request_with_id(id, claim(Claim::Win)).await;
    assert_eq!(
        other.map_err(|reject| reject.code).err(),
        Some(RejectCode::IdReused),
        "a claim of a draw is not a win"
    );
}
