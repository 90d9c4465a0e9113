//! JSON mode: programs play, watch, list and replay with objects on pipes.

use noughts_protocol::wire::{Presence, RequestBody, RoomCommand, SessionRequest};
use noughts_protocol::{Event, Offer, Seat};
use noughts_tests::client::game_setup::{pair_players, play_moves, room_ref};
use noughts_tests::server::TestServer;
use noughts_tests::terminal::piped_process::PipedProcess;
use serde_json::Value;

const EXAMPLE_SCRIPT: &str = include_str!("../../../client/examples/first_free.sh");

/// Returns the output so far; each line must be an object in the announced format.
fn output_objects(pipe: &PipedProcess) -> Vec<Value> {
    let out = pipe.stdout();
    // The last line may be incomplete.
    let complete_lines = out.rfind('\n').map_or("", |end| &out[..end]);
    let parse =
        |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    complete_lines.lines().map(parse).collect()
}

/// Returns all events with a name.
fn events_named(pipe: &PipedProcess, name: &str) -> Vec<Value> {
    output_objects(pipe)
        .into_iter()
        .filter(|object| object["event"] == name)
        .collect()
}

/// Checks that the program has ended cleanly, with its first and last event and nothing on stderr.
async fn check_end(pipe: &mut PipedProcess, code: i32) {
    assert_eq!(
        pipe.wait_for_exit().await,
        Some(code),
        "{}{}",
        pipe.stdout(),
        pipe.stderr()
    );
    pipe.wait_for_stdout(&format!(r#"{{"event":"end","exit":{code}}}"#))
        .await;
    let objects = output_objects(pipe);
    assert_eq!(objects[0]["noughts"], 1, "{}", objects[0]);
    assert_eq!(pipe.stderr(), "");
}

#[tokio::test]
async fn json_mode_plays_a_game_and_a_rematch() {
    let server = TestServer::start().await;
    let mut bob = server.connect_client("Bob").await;
    bob.seek("3x3:3", Some("5+3"), Some(Seat::O)).await;
    let mut pipe = PipedProcess::spawn_noughts(&[
        "play",
        &server.url(),
        "--ui",
        "json",
        "--name",
        "Ann",
        "--clock",
        "5+3",
    ]);
    bob.next_snapshot().await;
    for (own, other) in [("b2", 0), ("c1", 1)] {
        pipe.wait_for_stdout_times(r#""your_move":true"#, if own == "b2" { 1 } else { 2 })
            .await;
        pipe.write_line(&format!(r#"{{"do":"move","cell":"{own}"}}"#));
        bob.wait_for_event("the move", |event| {
            matches!(event, Event::Moved { seat: Seat::X, .. })
        })
        .await;
        bob.play(other).await.expect("the cell is free");
    }
    pipe.wait_for_stdout_times(r#""your_move":true"#, 3).await;
    pipe.write_line(r#"{"do":"move","cell":"c1"}"#);
    pipe.wait_for_stdout(r#""code":"cell_taken""#).await;
    pipe.write_line(r#"{"do":"move","cell":"a3"}"#);
    pipe.wait_for_stdout(r#""event":"over""#).await;
    pipe.wait_for_stdout(r#""phase":"over""#).await;
    let state = events_named(&pipe, "state")
        .pop()
        .expect("a game is running");
    let game = &state["game"];
    assert_eq!(game["board"], serde_json::json!(["OOX", ".X.", "X.."]));
    assert_eq!(
        game["result"]["line"]["cells"],
        serde_json::json!(["c1", "b2", "a3"])
    );
    assert_eq!(game["score"]["wins"], serde_json::json!([1, 0]));
    assert!(
        game["left_ms"][0].as_u64().is_some_and(|left| left > 0),
        "{game}"
    );
    pipe.write_line(r#"{"do":"offer","offer":"rematch"}"#);
    bob.wait_for_event("the seek", |event| {
        matches!(
            event,
            Event::Offered {
                offer: Offer::Rematch,
                ..
            }
        )
    })
    .await;
    bob.request(RequestBody::Command(RoomCommand::Accept {
        offer: Offer::Rematch,
    }))
    .await
    .expect("it is offered");
    pipe.wait_for_stdout(r#""event":"started","game":2"#).await;
    pipe.write_line(r#"{"do":"resign"}"#);
    pipe.wait_for_stdout_times(r#""event":"over""#, 2).await;
    pipe.write_line(r#"{"do":"quit"}"#);
    check_end(&mut pipe, 0).await;
}

#[tokio::test]
async fn the_example_script_plays_to_the_end() {
    let server = TestServer::start().await;
    let mut players: Vec<PipedProcess> = ["x", "o"]
        .into_iter()
        .map(|seat| {
            PipedProcess::spawn_script(
                EXAMPLE_SCRIPT,
                &[&server.url(), "--rules", "4x4:4", "--seat", seat],
            )
        })
        .collect();
    for player in &mut players {
        assert_eq!(
            player.wait_for_exit().await,
            Some(0),
            "{}{}",
            player.stdout(),
            player.stderr()
        );
        assert_eq!(player.stderr(), "");
    }
    server.wait_until_idle().await;
}

#[tokio::test]
async fn json_mode_watches_until_the_room_closes() {
    let server = TestServer::start().await;
    let mut players = pair_players(&server, "3x3:3", None).await;
    play_moves(&mut players, &[4]).await;
    let room = room_ref(&players[0]).to_string();
    let mut pipe =
        PipedProcess::spawn_noughts(&["watch", &room, "--server", &server.url(), "--ui", "json"]);
    pipe.close_stdin();
    pipe.wait_for_stdout(r#""event":"joined""#).await;
    play_moves(&mut players, &[0, 2, 1, 6]).await;
    pipe.wait_for_stdout(r#""event":"over","reason":"line","winner":"X""#)
        .await;
    for player in &mut players {
        player
            .request(RequestBody::Session(SessionRequest::Leave))
            .await
            .expect("in a room");
    }
    pipe.wait_for_stdout(r#""event":"closed","reason":"deserted""#)
        .await;
    check_end(&mut pipe, 0).await;
    let cells: Vec<Value> = events_named(&pipe, "moved")
        .into_iter()
        .map(|moved| moved["cell"].clone())
        .collect();
    assert_eq!(cells, ["a1", "c1", "b1", "a3"]);
    assert!(
        events_named(&pipe, "state")
            .iter()
            .all(|state| state["game"]["your_move"] != true)
    );
}

#[tokio::test]
async fn absence_is_reported_and_claimable() {
    let server = TestServer::start_with_limits(|limits| {
        limits.reconnect_grace = std::time::Duration::from_millis(300);
    })
    .await;
    let mut bob = server.connect_client("Bob").await;
    bob.seek("3x3:3", None, Some(Seat::X)).await;
    let mut pipe = PipedProcess::spawn_noughts(&["play", &server.url(), "--ui", "json"]);
    bob.next_snapshot().await;
    pipe.wait_for_stdout(r#""turn":"X""#).await;
    pipe.write_line(r#"{"do":"claim","result":"win"}"#);
    pipe.wait_for_stdout(r#""by":"server","asked":"claim","code":"not_claimable""#)
        .await;
    bob.disconnect();
    pipe.wait_for_stdout(
        r#""event":"presence","seat":"X","name":"Bob","you":false,"presence":"disconnected""#,
    )
    .await;
    pipe.wait_for_stdout(r#""can_claim":true"#).await;
    pipe.write_line(r#"{"do":"claim","result":"win"}"#);
    pipe.wait_for_stdout(r#""event":"over","reason":"abandoned","winner":"O""#)
        .await;
    pipe.close_stdin();
    check_end(&mut pipe, 0).await;
}

#[tokio::test]
async fn local_games_are_saved_replayed_and_reviewed() {
    let mut pipe =
        PipedProcess::spawn_noughts(&["local", "--ui", "json", "--x", "Ann", "--o", "bot:perfect"]);
    // Text commands wait for their turn; an illegal move is rejected and the game continues.
    for line in ["b2", "b2", r#"{"do":"save","path":"game.txt"}"#] {
        pipe.write_line(line);
    }
    pipe.wait_for_stdout(r#""event":"saved","path":"game.txt""#)
        .await;
    pipe.wait_for_stdout(r#""code":"cell_taken""#).await;
    pipe.write_line(r#"{"do":"resign"}"#);
    pipe.wait_for_stdout(r#""reason":"resigned","winner":"O""#)
        .await;
    pipe.close_stdin();
    check_end(&mut pipe, 0).await;
    let path = pipe.home.path().join("game.txt");
    let path = path.to_str().expect("a path in UTF-8");
    let mut replay = PipedProcess::spawn_noughts(&["analyse", path, "--ui", "json"]);
    check_end(&mut replay, 0).await;
    let record = events_named(&replay, "record").pop().expect("a record");
    assert_eq!(record["moves"][0], "b2");
    assert_eq!(record["board"][1].as_str().map(str::len), Some(3));
    let mut review = PipedProcess::spawn_noughts(&["analyse", path, "--review", "--ui", "json"]);
    check_end(&mut review, 0).await;
    assert_eq!(events_named(&review, "review")[0]["moves"][0]["cell"], "b2");
    let mut missing = PipedProcess::spawn_noughts(&["analyse", "nothing-here.txt", "--ui", "json"]);
    check_end(&mut missing, 2).await;
    assert_eq!(events_named(&missing, "failed")[0]["code"], "not_read");
}

#[tokio::test]
async fn lists_and_rejects_are_objects() {
    let server = TestServer::start().await;
    let mut host = server.connect_client("Host").await;
    host.create("connect4", Some("5+3"), None, true).await;
    let mut list = PipedProcess::spawn_noughts(&["list", &server.url(), "--ui", "json"]);
    check_end(&mut list, 0).await;
    let rooms = &events_named(&list, "rooms")[0]["rooms"];
    assert_eq!(rooms[0]["room"], host.seat_info().id.to_string());
    assert_eq!(rooms[0]["clock"], "5+3");
    let mut join = PipedProcess::spawn_noughts(&[
        "join",
        "00000000",
        "--server",
        &server.url(),
        "--ui",
        "json",
    ]);
    check_end(&mut join, 4).await;
    assert_eq!(events_named(&join, "rejected")[0]["code"], "unknown_room");
    let unused_address = {
        // The port was free before, so no server listens on it.
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        listener.local_addr().expect("bound").to_string()
    };
    let mut disconnected = PipedProcess::spawn_noughts(&["play", &unused_address, "--ui", "json"]);
    check_end(&mut disconnected, 3).await;
    assert_eq!(
        events_named(&disconnected, "ended")[0]["code"],
        "cannot_connect"
    );
}

#[tokio::test]
async fn end_of_input_leaves_the_game_at_the_next_turn() {
    let server = TestServer::start().await;
    let mut bob = server.connect_client("Bob").await;
    bob.seek("3x3:3", None, Some(Seat::X)).await;
    let mut pipe = PipedProcess::spawn_noughts(&["play", &server.url(), "--ui", "json"]);
    bob.next_snapshot().await;
    pipe.write_line("a1");
    pipe.close_stdin();
    bob.play(4).await.expect("X moves first");
    // A move entered early is played in its turn.
    bob.wait_for_event("the opponent's move", |event| {
        matches!(event, Event::Moved { seat: Seat::O, .. })
    })
    .await;
    bob.play(1).await.expect("the cell is free");
    bob.wait_for_presence(Seat::O, Presence::Left).await;
    pipe.wait_for_stdout(r#""event":"input_ended""#).await;
    check_end(&mut pipe, 0).await;
}

#[tokio::test]
async fn malformed_input_is_rejected_without_control_output() {
    let mut pipe =
        PipedProcess::spawn_noughts(&["local", "--ui", "json", "--x", "Ann", "--o", "Bob"]);
    pipe.write_bytes(b"\x00\xff\xfe\x1b[2J\x07\xc2\x9b2J\n{\"do\":\"\x1b[2J\xc2\x9b\"}\n[1]\n");
    pipe.write_bytes(&[b'{'; 100_000]);
    pipe.write_bytes(b"\n\r\n\n   \n{\"do\":\"move\",\"cell\":\"b2\"}\n");
    pipe.wait_for_stdout(r#""event":"moved","seat":"X","name":"Ann","you":false,"cell":"b2""#)
        .await;
    pipe.close_stdin();
    check_end(&mut pipe, 0).await;
    let control = pipe.stdout().chars().find(|c| c.is_control() && *c != '\n');
    assert_eq!(control, None, "{}", pipe.stdout());
    for reject in events_named(&pipe, "rejected") {
        assert!(reject["code"].is_string(), "{reject}");
    }
}
