//! Engine protocols as processes: our engine under scripted managers, scripted engines under our bot, both
//! against each other, and an arena.

use noughts_protocol::wire::{RequestBody, SessionRequest};
use noughts_protocol::{Event, Outcome, PlayerKind, Seat};
use noughts_tests::program;
use noughts_tests::server::TestServer;
use noughts_tests::terminal::piped_process::PipedProcess;
use noughts_tests::wait::wait_until;

use super::{play_two_games, start_game};

/// Returns the command that runs our engine with this protocol.
fn own_engine(protocol: &str, level: &str) -> String {
    format!(
        "{protocol}:{} engine --level {level}",
        program::binary_path("noughts").display()
    )
}

fn start_bot(server: &TestServer, flags: &[&str]) -> PipedProcess {
    PipedProcess::spawn_noughts(
        &[
            &[
                "bot",
                &server.url(),
                "--min-movetime",
                "0",
                "--movetime",
                "300",
            ],
            flags,
        ]
        .concat(),
    )
}

#[tokio::test]
async fn a_bot_plays_with_an_engine_child_process() {
    let server = TestServer::start().await;
    let engine = own_engine("gomocup", "easy");
    let flags = ["--rules", "7x7:5", "--games", "2", "--", &engine];
    let mut child = start_bot(&server, &flags);
    let mut own = start_bot(
        &server,
        &[
            "--rules", "7x7:5", "--level", "easy", "--games", "2", "--ui", "json",
        ],
    );
    for bot in [&mut child, &mut own] {
        assert_eq!(bot.wait_for_exit().await, Some(0), "{}", bot.stderr());
    }
    assert!(child.stderr().contains("Bot noughts"), "{}", child.stderr());
    assert!(!child.stderr().contains("failed"), "{}", child.stderr());
    // Both outputs, for people and for programs, have one line per game and a summary.
    let lines: Vec<String> = child.stdout().lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert!(lines[1].starts_with("2. 7x7:5: "), "{lines:?}");
    assert!(lines[2].starts_with("2 games: "), "{lines:?}");
    let events: Vec<serde_json::Value> = own
        .stdout()
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let names: Vec<&str> = events
        .iter()
        .filter_map(|event| event["event"].as_str())
        .collect();
    assert_eq!(names, ["hello", "game", "game", "summary", "end"]);
    let game = &events[1];
    let seat = usize::from(game["seat"] == "O");
    assert_eq!(game["players"][1 - seat]["name"], "Bot noughts", "{game}");
    // Two easy bots may fill the board.
    let reason = game["result"]["reason"].as_str();
    assert!(matches!(reason, Some("line" | "full")), "{game}");
    let summary = &events[3];
    let games = ["won", "drawn", "lost"].map(|key| summary[key].as_u64().expect("a number"));
    assert_eq!(games.iter().sum::<u64>(), 2, "{summary}");
    assert_eq!(server.metric("noughts_games_total").await, 2);
    server.wait_until_idle().await;
}

#[tokio::test]
async fn an_engine_failure_is_reported_and_resigns() {
    let server = TestServer::start().await;
    // This engine accepts the board and exits at the first search.
    let engine = "gomocup:while read -r line; do case $line in START*) echo OK;; TURN*|DONE|BEGIN) exit 9;; esac; done";
    let mut bot = start_bot(
        &server,
        &["--rules", "15x15:5", "--games", "1", "--", engine],
    );
    let mut client = start_game(&server, "15x15:5").await;
    let player = client.game().player(Seat::O).expect("seated").clone();
    assert_eq!(
        (player.kind, player.name.as_str()),
        (PlayerKind::Bot, "Bot while")
    );
    client.play(112).await.expect("X moves first");
    let ended = |event: &Event| {
        matches!(
            event,
            Event::Ended {
                outcome: Outcome::Resigned { winner: Seat::X },
                ..
            }
        )
    };
    client.wait_for_event("resignation", ended).await;
    bot.wait_for_stderr(
        "failed: ended (exit status: 9).\n  position: 15x15:5, O to move, moves: h8\n",
    )
    .await;
    assert_eq!(bot.wait_for_exit().await, Some(0), "{}", bot.stderr());
}

#[tokio::test]
async fn an_engine_that_fails_to_start_takes_no_seat() {
    let server = TestServer::start().await;
    for (engine, expected) in [
        ("gomocup:no-such-engine-anywhere", "exit status: 127"),
        (
            "gomocup:while read -r line; do echo ERROR only tic-tac-toe; done",
            "only tic-tac-toe",
        ),
    ] {
        let mut bot = start_bot(&server, &["--rules", "15x15:5", "--", engine]);
        assert_eq!(bot.wait_for_exit().await, Some(2), "{}", bot.stderr());
        assert!(bot.stderr().contains(expected), "{}", bot.stderr());
    }
    let mut unsupported_rules = start_bot(
        &server,
        &["--rules", "3x3:3", "--", &own_engine("gomocup", "easy")],
    );
    assert_eq!(
        unsupported_rules.wait_for_exit().await,
        Some(2),
        "{}",
        unsupported_rules.stderr()
    );
    assert_eq!(server.metric("noughts_games_total").await, 0);
}

#[tokio::test]
async fn a_repeatedly_failing_engine_ends_the_bot() {
    let server = TestServer::start().await;
    let engine = "gomocup:while read -r line; do case $line in START*) echo OK;; TURN*|DONE|BEGIN) exit;; esac; done";
    let mut bot = start_bot(&server, &["--rules", "15x15:5", "--", engine]);
    for _ in 0..3 {
        let mut client = start_game(&server, "15x15:5").await;
        client.play(112).await.expect("X moves first");
        client
            .wait_for_event("end", |event| matches!(event, Event::Ended { .. }))
            .await;
        client
            .request(RequestBody::Session(SessionRequest::Leave))
            .await
            .expect("in a room");
    }
    assert_eq!(bot.wait_for_exit().await, Some(1), "{}", bot.stderr());
    assert!(
        bot.stderr().contains("too many games in a row"),
        "{}",
        bot.stderr()
    );
}

#[tokio::test]
async fn the_engine_speaks_gomocup_and_ugi() {
    let mut gomocup = PipedProcess::spawn_noughts(&["engine", "--level", "easy"]);
    gomocup.write_line("ABOUT");
    gomocup.wait_for_stdout("name=\"noughts\"").await;
    gomocup.write_line("START 15");
    gomocup.wait_for_stdout("OK").await;
    gomocup.write_line("INFO timeout_turn 200");
    gomocup.write_line("TURN 7,7");
    wait_until("a move", async || {
        gomocup
            .stdout()
            .lines()
            .last()
            .filter(|line| line.split(',').count() == 2)
            .map(drop)
    })
    .await;
    gomocup.write_line("END");
    assert_eq!(
        gomocup.wait_for_exit().await,
        Some(0),
        "{}",
        gomocup.stderr()
    );

    let mut ugi = PipedProcess::spawn_noughts(&["engine"]);
    ugi.write_line("ugi");
    ugi.wait_for_stdout("ugiok").await;
    ugi.write_line("position fen 4x4x4:4+gravity moves a4-1 b4-1");
    ugi.write_line("go nodes 1000");
    ugi.wait_for_stdout("bestmove ").await;
    ugi.close_stdin();
    assert_eq!(ugi.wait_for_exit().await, Some(0), "{}", ugi.stderr());
}

#[tokio::test]
async fn the_arena_plays_all_engine_kinds() {
    let [gomocup, ugi] = ["gomocup", "ugi"].map(|protocol| own_engine(protocol, "easy"));
    let mut arena = PipedProcess::spawn_noughts(&[
        "arena",
        "perfect",
        "--rules",
        "6x6:5",
        "--games",
        "2",
        "--movetime",
        "100",
        "--opening-plies",
        "2",
        "--",
        &gomocup,
        "--",
        &ugi,
    ]);
    assert_eq!(arena.wait_for_exit().await, Some(0), "{}", arena.stderr());
    let out = arena.stdout();
    let lines: Vec<&str> = out.lines().collect();
    let (games, table) = lines.split_at(lines.len().min(6));
    assert_eq!(
        table.len(),
        5,
        "a blank line, a heading, three pairs: {out}"
    );
    assert!(
        games.iter().all(|line| line.contains(". 6x6:5: ")) && out.contains("perfect"),
        "{out}"
    );
    assert_eq!(
        (out.contains("failed"), arena.stderr()),
        (false, String::new()),
        "{out}"
    );
}

#[tokio::test]
async fn a_python_bot_plays_whole_games() {
    let server = TestServer::start().await;
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/system/engines/bot.py");
    for rules in ["3x3:3", "7x6:4+gravity", "3x3x3:3"] {
        let address = server.address().to_string();
        let python = program::system_command("python3", "python3")
            .args([script, &address, rules, "2"])
            .spawn();
        let mut python = python.expect("python3 starts");
        let mut client = start_game(&server, rules).await;
        play_two_games(&mut client, "Bot Py").await;
        let status = wait_until("the end of the process", async || {
            python.try_wait().expect("a child of this process")
        })
        .await;
        assert!(status.success(), "{status}");
        client
            .request(RequestBody::Session(SessionRequest::Leave))
            .await
            .expect("in a room");
    }
}

#[tokio::test]
async fn an_engine_plays_a_local_game() {
    let engine = own_engine("gomocup", "easy");
    let local = [
        "local", "--ui", "line", "--rules", "5x5:5", "--o", "bot:easy",
    ];
    let mut game = PipedProcess::spawn_noughts(&[&local[..], &["--x", &engine]].concat());
    game.wait_for_stdout("Bot noughts (X) plays ").await;
    game.wait_for_stdout("Score: ").await;
    game.write_line("n");
    assert_eq!(game.wait_for_exit().await, Some(0), "{}", game.stderr());
    assert!(!game.stderr().contains("failed"), "{}", game.stderr());
    let mut fails = PipedProcess::spawn_noughts(&[&local[..], &["--x", "plain:exit 3"]].concat());
    fails.wait_for_stdout(" resigned").await;
    fails
        .wait_for_stdout("The program failed: ended (exit status: 3).")
        .await;
    fails.write_line("n");
    assert_eq!(fails.wait_for_exit().await, Some(0), "{}", fails.stderr());
    let mut unsupported_rules = PipedProcess::spawn_noughts(&[
        "local", "--ui", "line", "--x", &engine, "--o", "Ann", "--rules", "3x3:3",
    ]);
    assert_eq!(
        unsupported_rules.wait_for_exit().await,
        Some(2),
        "{}",
        unsupported_rules.stderr()
    );
}
