//! Line mode: the same program for pipes, scripts and screen readers.

use std::time::Duration;

use noughts_protocol::wire::{Notice, Presence};
use noughts_protocol::{Event, Seat};
use noughts_tests::pipe::Pipe;
use noughts_tests::server::Server;

/// No escape sequence, no control character, no carriage return has come.
fn check_plain(pipe: &Pipe) {
    for text in [pipe.out(), pipe.err()] {
        let control = text.chars().find(|c| c.is_control() && *c != '\n');
        assert_eq!(control, None, "{text}");
    }
}

#[tokio::test]
async fn two_programs_play_a_game_to_its_line() {
    let server = Server::limited(|limits| limits.left_grace = Duration::from_millis(300)).await;
    let url = server.url();
    let sit = |name, seat| Pipe::noughts(&["play", &url, "--name", name, "--seat", seat]);
    let mut ann = sit("Ann", "x");
    ann.says("Waiting for an opponent").await;
    let mut bob = sit("Bob", "o");
    for (turn, cell) in ["b2", "a1", "c1", "b1", "a3"].into_iter().enumerate() {
        let player = if turn % 2 == 0 { &mut ann } else { &mut bob };
        player.says_often("Your move.", turn / 2 + 1).await;
        player.line(cell);
    }
    ann.says("You (X) win. Other diagonal: c1 b2 a3.").await;
    bob.says("Ann (X) wins. Other diagonal: c1 b2 a3.").await;
    ann.line("b");
    ann.says(" 3 [X]").await;
    ann.line("rematch");
    bob.says("Ann (X) proposes a rematch.").await;
    bob.line("accept");
    bob.says("Game 2 begins").await;
    ann.says("Game 2 begins").await;
    bob.says_often("Your move.", 3).await;
    ann.line("q");
    assert_eq!(ann.ended().await, Some(0), "{}", ann.err());
    bob.says("has left").await;
    bob.finish();
    assert_eq!(bob.ended().await, Some(0), "{}", bob.err());
    for pipe in [&ann, &bob] {
        check_plain(pipe);
    }
    server.settled().await;
}

#[tokio::test]
async fn two_bots_play_here_to_the_end() {
    for (rules, end) in [("tictactoe", "Drawn: the board is full."), ("4x4:3", "wins")] {
        let mut pipe =
            Pipe::noughts(&["local", "--x", "bot:perfect", "--o", "bot:perfect", "--rules", rules]);
        pipe.finish();
        assert_eq!(pipe.ended().await, Some(0), "{}", pipe.err());
        pipe.says(end).await;
        check_plain(&pipe);
        assert_eq!(pipe.err(), "");
    }
}

#[tokio::test]
async fn a_game_is_typed_answered_saved_and_replayed() {
    let mut pipe = Pipe::noughts(&["local", "--x", "Ann", "--o", "Bob", "--rules", "connect4"]);
    for (line, answer) in [
        ("d1", "Ann (X) plays d6."),
        ("what", "what"),
        ("d1", "Bob (O) plays d5."),
        ("l", "Last: Bob (O) at d5."),
        ("s d", "Column d: "),
        ("z9", "z9"),
        ("c", "This game has no clock."),
        ("p", "d6"),
        ("save game.txt", "The game is written to game.txt."),
    ] {
        pipe.line(line);
        pipe.says(answer).await;
    }
    pipe.finish();
    assert_eq!(pipe.ended().await, Some(0), "{}", pipe.err());
    check_plain(&pipe);
    let saved = std::fs::read_to_string(pipe.home.path().join("game.txt")).expect("it was written");
    let path = pipe.home.path().join("game.txt");
    let mut replay = Pipe::noughts(&["replay", path.to_str().expect("a plain path")]);
    replay.finish();
    assert_eq!(replay.ended().await, Some(0), "{} of\n{saved}", replay.err());
    for shown in ["Ann", "Bob", "1. d6 d5", "Not finished."] {
        replay.says(shown).await;
    }
}

#[tokio::test]
async fn garbage_is_answered_and_the_game_goes_on() {
    let mut pipe = Pipe::noughts(&["local", "--x", "Ann", "--o", "Bob"]);
    pipe.says("Ann (X) to move.").await;
    pipe.bytes(b"\x00\xff\xfe\x1b[2J\x07\n");
    pipe.bytes("x".repeat(100_000).as_bytes());
    pipe.bytes(b"\n\r\n\n   \nb2\n");
    pipe.says("Ann (X) plays b2.").await;
    pipe.finish();
    assert_eq!(pipe.ended().await, Some(0), "{}", pipe.err());
    check_plain(&pipe);
}

#[tokio::test]
async fn without_more_input_a_game_is_left_when_a_move_is_wanted() {
    let server = Server::start().await;
    let mut peer = server.peer("Bob").await;
    peer.seek("3x3:3", None, Some(Seat::X)).await;
    let mut pipe = Pipe::noughts(&["play", &server.url()]);
    peer.snapshot().await;
    pipe.says("Game 1 begins").await;
    pipe.line("a1");
    pipe.finish();
    peer.play(4).await.expect("X begins");
    // What was typed ahead is played, in its turn.
    peer.event("the answer", |event| matches!(event, Event::Moved { seat: Seat::O, .. })).await;
    peer.play(1).await.expect("free");
    let left = |notice: &Notice| matches!(notice, Notice::Presence { presence: Presence::Left, .. });
    peer.notice("goodbye", left).await;
    assert_eq!(pipe.ended().await, Some(0), "{}", pipe.err());
}

#[tokio::test]
async fn rooms_are_listed_for_scripts() {
    let server = Server::start().await;
    let mut host = server.peer("Host").await;
    host.create("connect4", Some("5+3"), None, true).await;
    let mut pipe = Pipe::noughts(&["list", &server.url()]);
    assert_eq!(pipe.ended().await, Some(0), "{}", pipe.err());
    let room = host.place().id.to_string();
    for shown in [room.as_str(), "Host", "5+3"] {
        pipe.says(shown).await;
    }
    check_plain(&pipe);
}

#[tokio::test]
async fn what_went_wrong_is_said_on_stderr_and_in_the_exit_code() {
    let server = Server::start().await;
    let nobody = {
        // A port that was free a moment ago.
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        listener.local_addr().expect("bound").to_string()
    };
    let url = server.url();
    for (arguments, code, said) in [
        (&["play", nobody.as_str()][..], 3, "connect"),
        (&["join", "0000-0000-0000", "--server", &url], 4, "room"),
        (&["watch", "00000000", "--server", &url], 4, "room"),
        (&["play", &url, "--rules", "3x3:9"], 2, "line"),
        (&["play", &url, "--clock", "soon"], 2, "clock"),
        (&["play", &url, "--name", "\u{202e}eve"], 2, "name"),
        (&["--ui", "full", "play", &url], 2, "terminal"),
        (&["replay", "nothing-here.txt"], 2, "nothing-here.txt"),
        (&["fly"], 2, "fly"),
        (&[], 2, "Usage"),
    ] {
        let mut pipe = Pipe::noughts(arguments);
        let ended = pipe.ended().await;
        let err = noughts_tests::wait::until((arguments, "stderr"), async || {
            let err = pipe.err();
            err.contains(said).then_some(err)
        })
        .await;
        assert_eq!(ended, Some(code), "{arguments:?}: {err}");
        assert_eq!(pipe.out(), "", "{arguments:?}");
    }
}

#[tokio::test]
async fn a_signal_ends_it_in_order() {
    let server = Server::start().await;
    for (name, code) in [("TERM", 143), ("INT", 130), ("HUP", 129)] {
        let mut pipe = Pipe::noughts(&["play", &server.url()]);
        pipe.says("Waiting for an opponent").await;
        pipe.signal(name);
        assert_eq!(pipe.ended().await, Some(code), "{name}: {}", pipe.err());
    }
    server.settled().await;
}
