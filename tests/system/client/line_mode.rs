//! Line mode: the client on pipes, for scripts and screen readers.

use std::time::Duration;

use noughts_protocol::wire::Presence;
use noughts_protocol::{Event, Seat};
use noughts_tests::server::TestServer;
use noughts_tests::terminal::piped_process::PipedProcess;

/// Checks that the output contains no control character except line feeds.
fn check_no_control_characters(pipe: &PipedProcess) {
    for text in [pipe.stdout(), pipe.stderr()] {
        let control = text.chars().find(|c| c.is_control() && *c != '\n');
        assert_eq!(control, None, "{text}");
    }
}

#[tokio::test]
async fn two_clients_play_a_game_to_the_end() {
    let server =
        TestServer::start_with_limits(|limits| limits.leave_grace = Duration::from_millis(300))
            .await;
    let url = server.url();
    let start_player =
        |name, seat| PipedProcess::spawn_noughts(&["play", &url, "--name", name, "--seat", seat]);
    let mut ann = start_player("Ann", "x");
    ann.wait_for_stdout("Waiting for an opponent").await;
    let mut bob = start_player("Bob", "o");
    for (turn, cell) in ["b2", "a1", "c1", "b1", "a3"].into_iter().enumerate() {
        let player = if turn % 2 == 0 { &mut ann } else { &mut bob };
        player
            .wait_for_stdout_times("Your move.", turn / 2 + 1)
            .await;
        player.write_line(cell);
    }
    ann.wait_for_stdout("You win! Anti-diagonal c1-b2-a3.")
        .await;
    bob.wait_for_stdout("You lost: Ann wins. Anti-diagonal c1-b2-a3.")
        .await;
    ann.write_line("b");
    ann.wait_for_stdout(" 3 *X*").await;
    ann.write_line("rematch");
    bob.wait_for_stdout("Ann offers a rematch.").await;
    bob.write_line("accept");
    bob.wait_for_stdout("Game 2, ").await;
    ann.wait_for_stdout("Game 2, ").await;
    bob.wait_for_stdout_times("Your move.", 3).await;
    ann.write_line("q");
    assert_eq!(ann.wait_for_exit().await, Some(0), "{}", ann.stderr());
    bob.wait_for_stdout(") left").await;
    bob.close_stdin();
    assert_eq!(bob.wait_for_exit().await, Some(0), "{}", bob.stderr());
    for pipe in [&ann, &bob] {
        check_no_control_characters(pipe);
    }
    server.wait_until_idle().await;
}

#[tokio::test]
async fn two_bots_play_locally_to_the_end() {
    for (rules, end) in [("tictactoe", "Draw: the board is full."), ("4x4:3", "wins")] {
        let mut pipe = PipedProcess::spawn_noughts(&[
            "local",
            "--x",
            "bot:perfect",
            "--o",
            "bot:perfect",
            "--rules",
            rules,
        ]);
        pipe.close_stdin();
        assert_eq!(pipe.wait_for_exit().await, Some(0), "{}", pipe.stderr());
        pipe.wait_for_stdout(end).await;
        check_no_control_characters(&pipe);
        assert_eq!(pipe.stderr(), "");
    }
}

#[tokio::test]
async fn a_game_is_typed_answered_saved_and_replayed() {
    let mut pipe =
        PipedProcess::spawn_noughts(&["local", "--x", "Ann", "--o", "Bob", "--rules", "connect4"]);
    for (line, response) in [
        ("d1", "Ann (X) plays d1."),
        ("what", "what"),
        ("d1", "Bob (O) plays d2."),
        ("l", "Last: Bob (O) at d2."),
        ("s d", "Column d: "),
        ("z9", "z9"),
        ("c", "No clock in this game."),
        ("p", "d1"),
        ("save game.txt", "Game saved to game.txt."),
    ] {
        pipe.write_line(line);
        pipe.wait_for_stdout(response).await;
    }
    pipe.close_stdin();
    assert_eq!(pipe.wait_for_exit().await, Some(0), "{}", pipe.stderr());
    check_no_control_characters(&pipe);
    let saved = std::fs::read_to_string(pipe.home.path().join("game.txt")).expect("it was written");
    let path = pipe.home.path().join("game.txt");
    let mut replay =
        PipedProcess::spawn_noughts(&["analyse", path.to_str().expect("a path in UTF-8")]);
    replay.close_stdin();
    assert_eq!(
        replay.wait_for_exit().await,
        Some(0),
        "{} of\n{saved}",
        replay.stderr()
    );
    for expected in ["Ann", "Bob", "1. d1 d2", "Not finished."] {
        replay.wait_for_stdout(expected).await;
    }
}

#[tokio::test]
async fn malformed_input_is_answered_and_the_game_continues() {
    let mut pipe = PipedProcess::spawn_noughts(&["local", "--x", "Ann", "--o", "Bob"]);
    pipe.wait_for_stdout("Ann (X) to move.").await;
    pipe.write_bytes(b"\x00\xff\xfe\x1b[2J\x07\n");
    pipe.write_bytes("x".repeat(100_000).as_bytes());
    pipe.write_bytes(b"\n\r\n\n   \nb2\n");
    pipe.wait_for_stdout("Ann (X) plays b2.").await;
    pipe.close_stdin();
    assert_eq!(pipe.wait_for_exit().await, Some(0), "{}", pipe.stderr());
    check_no_control_characters(&pipe);
}

#[tokio::test]
async fn end_of_input_leaves_the_game_at_the_next_turn() {
    let server = TestServer::start().await;
    let mut client = server.connect_client("Bob").await;
    client.seek("3x3:3", None, Some(Seat::X)).await;
    let mut pipe = PipedProcess::spawn_noughts(&["play", &server.url()]);
    client.next_snapshot().await;
    pipe.wait_for_stdout("Game 1, ").await;
    pipe.write_line("a1");
    pipe.close_stdin();
    client.play(4).await.expect("X moves first");
    // A move entered early is played in its turn.
    client
        .wait_for_event("the opponent's move", |event| {
            matches!(event, Event::Moved { seat: Seat::O, .. })
        })
        .await;
    client.play(1).await.expect("the cell is free");
    client.wait_for_presence(Seat::O, Presence::Left).await;
    assert_eq!(pipe.wait_for_exit().await, Some(0), "{}", pipe.stderr());
}

#[tokio::test]
async fn rooms_are_listed_for_scripts() {
    let server = TestServer::start().await;
    let mut host = server.connect_client("Host").await;
    host.create("connect4", Some("5+3"), None, true).await;
    let mut pipe = PipedProcess::spawn_noughts(&["list", &server.url()]);
    assert_eq!(pipe.wait_for_exit().await, Some(0), "{}", pipe.stderr());
    let room = host.seat_info().id.to_string();
    for expected in [room.as_str(), "Host", "5+3"] {
        pipe.wait_for_stdout(expected).await;
    }
    check_no_control_characters(&pipe);
}

#[tokio::test]
async fn errors_go_to_stderr_and_the_exit_code() {
    let server = TestServer::start().await;
    let unused_server = {
        // The port was free before, so no server listens on it.
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        listener.local_addr().expect("bound").to_string()
    };
    let url = server.url();
    for (arguments, code, expected) in [
        (&["play", unused_server.as_str()][..], 3, "connect"),
        (&["join", "0000-0000-0000", "--server", &url], 4, "room"),
        (&["watch", "00000000", "--server", &url], 4, "room"),
        (&["play", &url, "--rules", "3x3:9"], 2, "line"),
        (&["play", &url, "--clock", "soon"], 2, "clock"),
        (&["play", &url, "--name", "\u{202e}eve"], 2, "name"),
        (&["--ui", "full", "play", &url], 2, "terminal"),
        (&["analyse", "nothing-here.txt"], 2, "nothing-here.txt"),
        (&["fly"], 2, "fly"),
        (&[], 2, "Usage"),
    ] {
        let mut pipe = PipedProcess::spawn_noughts(arguments);
        let ended = pipe.wait_for_exit().await;
        let err = noughts_tests::wait::wait_until((arguments, "stderr"), async || {
            let err = pipe.stderr();
            err.contains(expected).then_some(err)
        })
        .await;
        assert_eq!(ended, Some(code), "{arguments:?}: {err}");
        assert_eq!(pipe.stdout(), "", "{arguments:?}");
    }
}

#[tokio::test]
async fn a_signal_exits_cleanly() {
    let server = TestServer::start().await;
    for (name, code) in [("TERM", 143), ("INT", 130), ("HUP", 129)] {
        let mut pipe = PipedProcess::spawn_noughts(&["play", &server.url()]);
        pipe.wait_for_stdout("Waiting for an opponent").await;
        pipe.send_signal(name);
        assert_eq!(
            pipe.wait_for_exit().await,
            Some(code),
            "{name}: {}",
            pipe.stderr()
        );
    }
    server.wait_until_idle().await;
}
