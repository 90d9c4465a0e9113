//! Programs that think for others and for whom others think, as processes: our engine under strange
//! managers, strange engines under our bot, both against each other, and an arena of them.

use noughts_protocol::wire::{Body, Command, Lobby, Notice};
use noughts_protocol::{Event, Kind, Outcome, Phase, Seat};
use noughts_tests::peer::Peer;
use noughts_tests::pipe::Pipe;
use noughts_tests::program;
use noughts_tests::server::Server;
use noughts_tests::wait::until;

/// Our own engine, as the command line of an engine.
fn our_engine(level: &str) -> String {
    format!("{} engine --level {level}", program::path("noughts").display())
}

fn bot(server: &Server, flags: &[&str]) -> Pipe {
    Pipe::noughts(&[&["bot", &server.url(), "--pause", "0", "--budget", "300"], flags].concat())
}

/// Sits down to a game with the bot, as X.
async fn paired(server: &Server, rules: &str) -> Peer {
    let mut peer = server.peer("Ann").await;
    peer.seek(rules, None, Some(Seat::X)).await;
    peer.snapshot().await;
    peer
}

#[tokio::test]
async fn our_bot_plays_whole_games_with_our_engine_as_a_child() {
    let server = Server::start().await;
    let engine = our_engine("easy");
    let flags = ["--rules", "7x7:5", "--engine", &engine, "--games", "2"];
    let mut child = bot(&server, &flags);
    let mut own = bot(&server, &["--rules", "7x7:5", "--level", "easy", "--games", "2"]);
    for bot in [&mut child, &mut own] {
        assert_eq!(bot.ended().await, Some(0), "{}", bot.err());
    }
    assert!(child.err().contains("Bot noughts"), "{}", child.err());
    assert!(!child.err().contains("failed"), "{}", child.err());
    assert_eq!(server.metric("noughts_games_total").await, 2);
    server.settled().await;
}

#[tokio::test]
async fn an_engine_that_fails_is_reported_and_its_game_given_up() {
    let server = Server::start().await;
    // Takes the board, and ends at the first question.
    let engine =
        "while read -r line; do case $line in START*) echo OK;; TURN*|DONE|BEGIN) exit 9;; esac; done";
    let mut bot = bot(&server, &["--rules", "15x15:5", "--engine", engine, "--games", "1"]);
    let mut peer = paired(&server, "15x15:5").await;
    let player = peer.game().player(Seat::O).expect("seated").clone();
    assert_eq!((player.kind, player.name.as_str()), (Kind::Bot, "Bot engine"));
    peer.play(112).await.expect("X begins");
    let ended =
        |event: &Event| matches!(event, Event::Ended { outcome: Outcome::Resigned { winner: Seat::X }, .. });
    peer.event("resignation", ended).await;
    bot.heard("ended by itself (exit status: 9)").await;
    assert_eq!(bot.ended().await, Some(0), "{}", bot.err());
}

#[tokio::test]
async fn an_engine_that_fails_is_stood_in_for_if_its_owner_wants_that() {
    let server = Server::start().await;
    let engine =
        "while read -r line; do case $line in START*) echo OK;; TURN*|DONE|BEGIN) echo 99,99;; esac; done";
    let flags = ["--rules", "15x15:5", "--engine", engine, "--instead", "easy", "--games", "1"];
    let mut bot = bot(&server, &flags);
    let mut peer = paired(&server, "15x15:5").await;
    for cell in [112, 0] {
        peer.play(cell).await.expect("free");
        peer.event("answer", |event| matches!(event, Event::Moved { seat: Seat::O, .. })).await;
    }
    peer.command(Command::Resign).await.expect("a game is on");
    assert_eq!(bot.ended().await, Some(0), "{}", bot.err());
    assert_eq!(bot.err().matches("\"99,99\"").count(), 1, "asked once a game: {}", bot.err());
}

#[tokio::test]
async fn an_engine_that_does_not_start_takes_no_seat() {
    let server = Server::start().await;
    for (engine, said) in [
        ("no-such-engine-anywhere", "exit status: 127"),
        ("while read -r line; do echo ERROR only tic-tac-toe; done", "only tic-tac-toe"),
    ] {
        let mut bot = bot(&server, &["--rules", "15x15:5", "--engine", engine]);
        assert_eq!(bot.ended().await, Some(2), "{}", bot.err());
        assert!(bot.err().contains(said), "{}", bot.err());
    }
    let mut strange = bot(&server, &["--rules", "3x3:3", "--engine", &our_engine("easy")]);
    assert_eq!(strange.ended().await, Some(2), "{}", strange.err());
    assert_eq!(server.metric("noughts_games_total").await, 0);
}

#[tokio::test]
async fn an_engine_that_always_fails_is_given_up() {
    let server = Server::start().await;
    let engine = "while read -r line; do case $line in START*) echo OK;; TURN*|DONE|BEGIN) exit;; esac; done";
    let mut bot = bot(&server, &["--rules", "15x15:5", "--engine", engine]);
    for _ in 0..3 {
        let mut peer = paired(&server, "15x15:5").await;
        peer.play(112).await.expect("X begins");
        peer.event("end", |event| matches!(event, Event::Ended { .. })).await;
        peer.ask(Body::Lobby(Lobby::Leave)).await.expect("in a room");
    }
    assert_eq!(bot.ended().await, Some(1), "{}", bot.err());
    assert!(bot.err().contains("too many games in a row"), "{}", bot.err());
}

#[tokio::test]
async fn our_engine_answers_both_protocols() {
    let mut gomocup = Pipe::noughts(&["engine", "--level", "easy"]);
    gomocup.line("ABOUT");
    gomocup.says("name=\"noughts\"").await;
    gomocup.line("START 15");
    gomocup.says("OK").await;
    gomocup.line("INFO timeout_turn 200");
    gomocup.line("TURN 7,7");
    until("a move", async || {
        gomocup.out().lines().last().filter(|line| line.split(',').count() == 2).map(drop)
    })
    .await;
    gomocup.line("END");
    assert_eq!(gomocup.ended().await, Some(0), "{}", gomocup.err());

    let mut ugi = Pipe::noughts(&["engine"]);
    ugi.line("ugi");
    ugi.says("ugiok").await;
    ugi.line("position fen 4x4x4:4+gravity moves 1,4,1 2,4,1");
    ugi.line("go nodes 1000");
    ugi.says("bestmove ").await;
    ugi.finish();
    assert_eq!(ugi.ended().await, Some(0), "{}", ugi.err());
}

#[tokio::test]
async fn an_arena_sets_any_against_any() {
    let engine = format!("engine:{}", our_engine("easy"));
    let mut arena = Pipe::noughts(&[
        "arena",
        "level:perfect",
        &engine,
        "--rules",
        "6x6:5",
        "--games",
        "2",
        "--budget",
        "100",
        "--opening",
        "2",
    ]);
    assert_eq!(arena.ended().await, Some(0), "{}", arena.err());
    let out = arena.out();
    assert_eq!(out.lines().count(), 2, "a heading and a line: {out}");
    assert!(out.contains("level:perfect") && !out.contains("failed"), "{out}");
}

#[tokio::test]
async fn a_bot_in_python_plays_whole_games_from_the_page_alone() {
    let server = Server::start().await;
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/bot.py");
    for rules in ["3x3:3", "7x6:4+gravity", "3x3x3:3"] {
        let address = server.address().to_string();
        let python =
            program::of_the_system("python3", "python3").args([script, &address, rules, "2"]).spawn();
        let mut python = python.expect("python3 starts");
        let mut peer = paired(&server, rules).await;
        for game in 1..=2 {
            let player = peer.game().player(peer.seat().other()).expect("seated").clone();
            assert_eq!((player.kind, player.name.as_str()), (Kind::Bot, "Bot Py"));
            while peer.game().phase() == Phase::Playing {
                if peer.game().position().turn() == peer.seat() {
                    let cell = peer.game().position().legal_from(0).expect("the game goes on");
                    peer.play(cell.index() as u16).await.expect("legal");
                } else {
                    let seq = peer.game().seq();
                    peer.caught_up(seq.next()).await;
                }
            }
            if game == 1 {
                peer.event("offer", |event| matches!(event, Event::Offered { .. })).await;
                peer.offer(noughts_protocol::Offer::Rematch).await.expect("the game is over");
            }
        }
        let own = peer.seat();
        let gone = |notice: &Notice| matches!(notice, Notice::Presence { seat, .. } if *seat != own);
        peer.notice("goodbye", gone).await;
        let status = until("its end", async || python.try_wait().expect("our own child")).await;
        assert!(status.success(), "{status}");
        peer.ask(Body::Lobby(Lobby::Leave)).await.expect("in a room");
    }
}

#[tokio::test]
async fn an_engine_has_a_side_on_this_terminal() {
    let engine = format!("engine:{}", our_engine("easy"));
    let local = ["local", "--ui", "line", "--rules", "5x5:5", "--o", "bot:easy"];
    let mut game = Pipe::noughts(&[&local[..], &["--x", &engine]].concat());
    game.says("Bot noughts (X) plays ").await;
    game.says("Score: ").await;
    game.line("n");
    assert_eq!(game.ended().await, Some(0), "{}", game.err());
    assert!(!game.err().contains("failed"), "{}", game.err());
    let mut fails = Pipe::noughts(&[&local[..], &["--x", "engine:exit 3"]].concat());
    fails.says("the other resigned").await;
    fails.says("The engine failed: it ended by itself (exit status: 3).").await;
    fails.line("n");
    assert_eq!(fails.ended().await, Some(0), "{}", fails.err());
    let mut strange =
        Pipe::noughts(&["local", "--ui", "line", "--x", &engine, "--o", "Ann", "--rules", "3x3:3"]);
    assert_eq!(strange.ended().await, Some(2), "{}", strange.err());
}
