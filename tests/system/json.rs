//! JSON mode: programs play, watch, list and replay by objects on pipes.

use noughts_protocol::wire::{Body, Command, Lobby, Notice, Presence};
use noughts_protocol::{Event, Offer, Seat};
use noughts_tests::pipe::Pipe;
use noughts_tests::server::Server;
use noughts_tests::table::{pair, play, public};
use serde_json::Value;

const PAGE: &str = include_str!("../../client/README.md");

/// What was said so far: each line is an object of the form that the first one names.
fn said(pipe: &Pipe) -> Vec<Value> {
    let out = pipe.out();
    // The last line may not be whole yet.
    let whole = out.rfind('\n').map_or("", |end| &out[..end]);
    let parse = |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    whole.lines().map(parse).collect()
}

/// All events of a name.
fn events(pipe: &Pipe, name: &str) -> Vec<Value> {
    said(pipe).into_iter().filter(|object| object["event"] == name).collect()
}

/// The program has ended in order: first and last line say so, and nothing went elsewhere.
async fn check_end(pipe: &mut Pipe, code: i32) {
    assert_eq!(pipe.ended().await, Some(code), "{}{}", pipe.out(), pipe.err());
    pipe.says(&format!(r#"{{"event":"end","exit":{code}}}"#)).await;
    let said = said(pipe);
    assert_eq!(said[0]["noughts"], 1, "{}", said[0]);
    assert_eq!(pipe.err(), "");
}

#[tokio::test]
async fn a_program_plays_a_whole_game_and_another() {
    let server = Server::start().await;
    let mut bob = server.peer("Bob").await;
    bob.seek("3x3:3", Some("5+3"), Some(Seat::O)).await;
    let mut pipe = Pipe::noughts(&["play", &server.url(), "--ui", "json", "--name", "Ann", "--clock", "5+3"]);
    bob.snapshot().await;
    for (own, other) in [("b2", 0), ("c1", 1)] {
        pipe.says_often(r#""your_move":true"#, if own == "b2" { 1 } else { 2 }).await;
        pipe.line(&format!(r#"{{"do":"move","cell":"{own}"}}"#));
        bob.event("the move", |event| matches!(event, Event::Moved { seat: Seat::X, .. })).await;
        bob.play(other).await.expect("free");
    }
    pipe.says_often(r#""your_move":true"#, 3).await;
    pipe.line(r#"{"do":"move","cell":"c1"}"#);
    pipe.says(r#""code":"cell_taken""#).await;
    pipe.line(r#"{"do":"move","cell":"a3"}"#);
    pipe.says(r#""event":"over""#).await;
    pipe.says(r#""phase":"over""#).await;
    let state = events(&pipe, "state").pop().expect("there is a game");
    let game = &state["game"];
    assert_eq!(game["board"], serde_json::json!(["OOX", ".X.", "X.."]));
    assert_eq!(game["result"]["line"]["cells"], serde_json::json!(["c1", "b2", "a3"]));
    assert_eq!(game["score"]["wins"], serde_json::json!([1, 0]));
    assert!(game["left_ms"][0].as_u64().is_some_and(|left| left > 0), "{game}");
    pipe.line(r#"{"do":"offer","offer":"rematch"}"#);
    bob.event("the wish", |event| matches!(event, Event::Offered { offer: Offer::Rematch, .. })).await;
    bob.ask(Body::Command(Command::Accept { offer: Offer::Rematch })).await.expect("it is offered");
    pipe.says(r#""event":"started","game":2"#).await;
    pipe.line(r#"{"do":"resign"}"#);
    pipe.says_often(r#""event":"over""#, 2).await;
    pipe.line(r#"{"do":"quit"}"#);
    check_end(&mut pipe, 0).await;
}

#[tokio::test]
async fn the_script_of_the_page_plays_to_the_end() {
    let server = Server::start().await;
    let script = PAGE.split("```sh\n").nth(1).and_then(|rest| rest.split("```").next()).expect("it is there");
    assert!(script.starts_with("#!/bin/sh\n"), "{script}");
    let mut players: Vec<Pipe> = ["x", "o"]
        .into_iter()
        .map(|seat| Pipe::script(script, &[&server.url(), "--rules", "4x4:4", "--seat", seat]))
        .collect();
    for player in &mut players {
        assert_eq!(player.ended().await, Some(0), "{}{}", player.out(), player.err());
        assert_eq!(player.err(), "");
    }
    server.settled().await;
}

#[tokio::test]
async fn a_program_watches_to_the_end_of_the_room() {
    let server = Server::start().await;
    let mut players = pair(&server, "3x3:3", None).await;
    play(&mut players, &[4]).await;
    let room = public(&players[0]).to_string();
    let mut pipe = Pipe::noughts(&["watch", &room, "--server", &server.url(), "--ui", "json"]);
    pipe.finish();
    pipe.says(r#""event":"joined""#).await;
    play(&mut players, &[0, 2, 1, 6]).await;
    pipe.says(r#""event":"over","reason":"line","winner":"X""#).await;
    for player in &mut players {
        player.ask(Body::Lobby(Lobby::Leave)).await.expect("in a room");
    }
    pipe.says(r#""event":"closed","why":"deserted""#).await;
    check_end(&mut pipe, 0).await;
    let cells: Vec<Value> = events(&pipe, "moved").into_iter().map(|moved| moved["cell"].clone()).collect();
    assert_eq!(cells, ["a1", "c1", "b1", "a3"]);
    assert!(events(&pipe, "state").iter().all(|state| state["game"]["your_move"] != true));
}

#[tokio::test]
async fn an_absent_player_is_seen_and_claimed_from() {
    let server = Server::limited(|limits| limits.grace = std::time::Duration::from_millis(300)).await;
    let mut bob = server.peer("Bob").await;
    bob.seek("3x3:3", None, Some(Seat::X)).await;
    let mut pipe = Pipe::noughts(&["play", &server.url(), "--ui", "json"]);
    bob.snapshot().await;
    pipe.says(r#""turn":"X""#).await;
    pipe.line(r#"{"do":"claim","result":"win"}"#);
    pipe.says(r#""by":"server","asked":"claim","code":"not_claimable""#).await;
    bob.cut();
    pipe.says(r#""event":"presence","seat":"X","presence":"away""#).await;
    pipe.says(r#""may_claim":true"#).await;
    pipe.line(r#"{"do":"claim","result":"win"}"#);
    pipe.says(r#""event":"over","reason":"abandoned","winner":"O""#).await;
    pipe.finish();
    check_end(&mut pipe, 0).await;
}

#[tokio::test]
async fn games_here_are_saved_replayed_and_judged() {
    let mut pipe = Pipe::noughts(&["local", "--ui", "json", "--x", "Ann", "--o", "bot:perfect"]);
    // Typed words wait for their turn; a wrong one is refused and the game goes on.
    for line in ["b2", "b2", r#"{"do":"save","path":"game.txt"}"#] {
        pipe.line(line);
    }
    pipe.says(r#""event":"saved","path":"game.txt""#).await;
    pipe.says(r#""code":"cell_taken""#).await;
    pipe.line(r#"{"do":"resign"}"#);
    pipe.says(r#""reason":"resigned","winner":"O""#).await;
    pipe.finish();
    check_end(&mut pipe, 0).await;
    let path = pipe.home.path().join("game.txt");
    let path = path.to_str().expect("a plain path");
    let mut replay = Pipe::noughts(&["replay", path, "--ui", "json"]);
    check_end(&mut replay, 0).await;
    let record = events(&replay, "record").pop().expect("a record");
    assert_eq!(record["moves"][0], "b2");
    assert_eq!(record["board"][1].as_str().map(str::len), Some(3));
    let mut review = Pipe::noughts(&["replay", path, "--review", "--ui", "json"]);
    check_end(&mut review, 0).await;
    assert_eq!(events(&review, "review")[0]["moves"][0]["cell"], "b2");
    let mut missing = Pipe::noughts(&["replay", "nothing-here.txt", "--ui", "json"]);
    check_end(&mut missing, 2).await;
    assert_eq!(events(&missing, "failed")[0]["code"], "not_read");
}

#[tokio::test]
async fn lists_and_refusals_are_objects() {
    let server = Server::start().await;
    let mut host = server.peer("Host").await;
    host.create("connect4", Some("5+3"), None, true).await;
    let mut list = Pipe::noughts(&["list", &server.url(), "--ui", "json"]);
    check_end(&mut list, 0).await;
    let rooms = &events(&list, "rooms")[0]["rooms"];
    assert_eq!(rooms[0]["room"], host.place().id.to_string());
    assert_eq!(rooms[0]["clock"], "5+3");
    let mut join = Pipe::noughts(&["join", "00000000", "--server", &server.url(), "--ui", "json"]);
    check_end(&mut join, 4).await;
    assert_eq!(events(&join, "refused")[0]["code"], "unknown_room");
    let nobody = {
        // A port that was free a moment ago.
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        listener.local_addr().expect("bound").to_string()
    };
    let mut alone = Pipe::noughts(&["play", &nobody, "--ui", "json"]);
    check_end(&mut alone, 3).await;
    assert_eq!(events(&alone, "ended")[0]["code"], "cannot_connect");
}

#[tokio::test]
async fn without_more_input_a_game_is_left_when_a_move_is_wanted() {
    let server = Server::start().await;
    let mut bob = server.peer("Bob").await;
    bob.seek("3x3:3", None, Some(Seat::X)).await;
    let mut pipe = Pipe::noughts(&["play", &server.url(), "--ui", "json"]);
    bob.snapshot().await;
    pipe.line("a1");
    pipe.finish();
    bob.play(4).await.expect("X begins");
    // What was typed ahead is played, in its turn.
    bob.event("the answer", |event| matches!(event, Event::Moved { seat: Seat::O, .. })).await;
    bob.play(1).await.expect("free");
    let left = |notice: &Notice| matches!(notice, Notice::Presence { presence: Presence::Left, .. });
    bob.notice("goodbye", left).await;
    pipe.says(r#""event":"input_ended""#).await;
    check_end(&mut pipe, 0).await;
}

#[tokio::test]
async fn garbage_is_refused_and_moves_no_cursor() {
    let mut pipe = Pipe::noughts(&["local", "--ui", "json", "--x", "Ann", "--o", "Bob"]);
    pipe.bytes(b"\x00\xff\xfe\x1b[2J\x07\xc2\x9b2J\n{\"do\":\"\x1b[2J\xc2\x9b\"}\n[1]\n");
    pipe.bytes(&[b'{'; 100_000]);
    pipe.bytes(b"\n\r\n\n   \n{\"do\":\"move\",\"cell\":\"b2\"}\n");
    pipe.says(r#""event":"moved","seat":"X","cell":"b2""#).await;
    pipe.finish();
    check_end(&mut pipe, 0).await;
    let control = pipe.out().chars().find(|c| c.is_control() && *c != '\n');
    assert_eq!(control, None, "{}", pipe.out());
    for refused in events(&pipe, "refused") {
        assert!(refused["code"].is_string(), "{refused}");
    }
}
