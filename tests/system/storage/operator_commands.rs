//! Commands for stored data: games beside a damaged game, the check, killed backups, and a restore.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use noughts_protocol::{
    Event, EventRecord, PlayerKind, ResumeToken, RoomCloseReason, RoomId, Seat, Seq,
};
use noughts_server::testing::{
    Durability, EventLog, FinishedGame, RoomSecrets, ServerClock, SqliteLog, SqliteOptions,
};
use noughts_tests::client::game_setup::play_moves;
use noughts_tests::client::test_client::TestClient;
use noughts_tests::program::{TempDir, binary_path, output, system_command};
use noughts_tests::rng::SeededRng;
use noughts_tests::server::{ServerProcess, get};
use noughts_tests::wait::wait_until;
use tokio::time::Instant;

/// Runs a command of the server on a data directory.
async fn run(data: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(binary_path("noughts-server"));
    command.args(arguments).arg("--data").arg(data);
    output(command).await
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("text")
}

fn as_argument(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

fn start(data: &Path) -> ServerProcess {
    ServerProcess::start_durable(data, "process", &[])
}

async fn stop(mut server: ServerProcess) {
    server.send_signal("TERM");
    assert_eq!(server.wait_for_exit().await.code(), Some(0));
}

/// Seats two players in a private room and plays the cells in turn.
async fn play_game(
    server: &ServerProcess,
    names: [&str; 2],
    rules: &str,
    cells: &[u16],
) -> [TestClient; 2] {
    let [x_name, o_name] = names;
    let mut x = TestClient::connect_as(&server.url, x_name).await;
    let code = x.create(rules, None, Some(Seat::X), false).await;
    let mut o = TestClient::connect_as(&server.url, o_name).await;
    o.join(code).await.expect("a free seat");
    x.wait_until_seq(o.game().seq()).await;
    let mut players = [x, o];
    play_moves(&mut players, cells).await;
    players
}

/// Replaces the first occurrence of a text in a file with a text of the same length.
fn replace_in_file(file: &Path, old: &str, new: &str) {
    let mut bytes = std::fs::read(file).expect("a file of this test");
    let at = bytes
        .windows(old.len())
        .position(|bytes| bytes == old.as_bytes());
    let at = at.unwrap_or_else(|| panic!("{old} is not in the file"));
    bytes[at..at + new.len()].copy_from_slice(new.as_bytes());
    std::fs::write(file, bytes).expect("a file of this test");
}

#[tokio::test]
async fn a_damaged_game_is_named_and_the_others_are_printed() {
    let data = TempDir::default();
    let server = start(data.path());
    for name in ["Ann 1", "Ann 2", "Ann 3"] {
        play_game(&server, [name, "Bob"], "3x3:3", &[0, 3, 1, 4, 2]).await;
    }
    stop(server).await;
    let file = data.path().join("noughts.db");
    replace_in_file(&file, "[X \"Ann 2\"]", "[X \"Eve 2\"]");
    let intact = run(data.path(), &["games", "show", "3"]).await;
    assert!(
        intact.status.success() && text(&intact.stdout).contains("Ann 3"),
        "{intact:?}"
    );
    // The result is the same without a server and beside a running server.
    for server in [None, Some(start(data.path()))] {
        for arguments in [
            &["games", "list"][..],
            &["games", "export"],
            &["games", "show", "2"],
            &["check"],
        ] {
            let result = run(data.path(), arguments).await;
            let (out, messages) = (text(&result.stdout), text(&result.stderr));
            assert_eq!(
                result.status.code(),
                Some(1),
                "{arguments:?}: {out}{messages}"
            );
            assert!(
                [out, messages].concat().contains("game 2"),
                "{arguments:?}: {out}{messages}"
            );
            assert!(
                !out.contains("Eve"),
                "{arguments:?} prints changed data: {out}"
            );
            if !["show", "check"]
                .iter()
                .any(|word| arguments.contains(word))
            {
                assert!(
                    out.contains("Ann 1") && out.contains("Ann 3"),
                    "{arguments:?}: {out}"
                );
                assert_eq!(out.lines().count(), 2, "{arguments:?}: {out}");
            }
        }
        if let Some(server) = server {
            assert_eq!(get(server.address(), "/ready").await.0, 200);
            play_game(&server, ["Ann 4", "Bob"], "3x3:3", &[0, 3, 1, 4, 2]).await;
            let export = run(data.path(), &["games", "export"]).await;
            assert!(text(&export.stdout).contains("Ann 4"), "{export:?}");
        }
    }
}

#[tokio::test]
async fn a_check_verifies_a_running_server_a_stopped_one_and_a_backup() {
    let data = TempDir::default();
    let server = start(data.path());
    play_game(&server, ["Ann", "Bob"], "3x3:3", &[0, 3, 1, 4, 2]).await;
    let _players = play_game(&server, ["Cid", "Dan"], "5x5:5", &[0, 24]).await;
    let copy = data.path().join("copy.db");
    let running = run(data.path(), &["check"]).await;
    let backup = run(data.path(), &["backup", as_argument(&copy)]).await;
    assert!(
        backup.status.success() && backup.stdout.is_empty() && backup.stderr.is_empty(),
        "{backup:?}"
    );
    server.kill();
    let killed = run(data.path(), &["check"]).await;
    stop(start(data.path())).await;
    let stopped = run(data.path(), &["check"]).await;
    let copied = run(data.path(), &["check", as_argument(&copy)]).await;
    for result in [running, killed, stopped, copied] {
        let out = text(&result.stdout);
        assert!(result.status.success(), "{result:?}");
        assert!(
            out.contains("2 open rooms") && out.contains("1 finished games"),
            "{out}"
        );
        assert!(out.contains("no damage found"), "{out}");
    }
    // Damages a move of the open room.
    for file in [data.path().join("noughts.db"), copy.clone()] {
        replace_in_file(&file, "\"cell\":24", "\"cell\":23");
    }
    for arguments in [&["check"][..], &["check", as_argument(&copy)]] {
        let result = run(data.path(), arguments).await;
        assert_eq!(result.status.code(), Some(1), "{result:?}");
        assert!(
            text(&result.stdout).contains("damaged: wrong checksum in row"),
            "{result:?}"
        );
    }
    // A backup of damaged data is kept, and reported.
    let second = data.path().join("second.db");
    let backup = run(data.path(), &["backup", as_argument(&second)]).await;
    assert_eq!(backup.status.code(), Some(1), "{backup:?}");
    assert!(
        text(&backup.stderr).contains("wrong checksum") && second.exists(),
        "{backup:?}"
    );
    let missing = run(
        data.path(),
        &["check", as_argument(&data.path().join("none"))],
    )
    .await;
    assert_eq!(missing.status.code(), Some(1));
    assert!(
        missing.stdout.is_empty() && text(&missing.stderr).contains("none"),
        "{missing:?}"
    );
}

/// Writes a data directory with a few megabytes of events.
async fn write_large_log(data: &Path) {
    let options = SqliteOptions::new(Durability::Process, ServerClock::start());
    let log = SqliteLog::open(data, options).expect("a directory of this test");
    let player =
        noughts_protocol::Player::guest("Ann".parse().expect("a name"), PlayerKind::Person);
    for room in 1..=200 {
        let opened = Event::Opened {
            rules: "3x3:3".parse().expect("rules"),
            clock: None,
            public: true,
            free_first_moves: false,
        };
        let seated = |_| Event::Seated {
            seat: Seat::X,
            player: player.clone(),
        };
        let events = std::iter::once(opened).chain((0..100).map(seated)).zip(1..);
        let record = |(event, seq)| EventRecord {
            seq: Seq::new(seq),
            at: 1,
            by: None,
            event,
        };
        let tokens = [ResumeToken::from_bits(1); 2];
        let secrets = RoomSecrets {
            room: RoomId::from_bits(room),
            code: None,
            tokens,
            parties: [None; 2],
            left: [false; 2],
        };
        log.create(secrets, events.map(record).collect())
            .await
            .expect("stored");
    }
    tokio::task::spawn_blocking(|| drop(log))
        .await
        .expect("the log can be closed");
}

#[tokio::test]
async fn a_killed_backup_leaves_no_file_with_its_name() {
    let data = TempDir::default();
    write_large_log(data.path()).await;
    let mut rng = SeededRng::new(1);
    let copy = data.path().join("copy.db");
    let began = Instant::now();
    run(data.path(), &["backup", as_argument(&copy)]).await;
    let mut max_delay_us = began.elapsed().as_micros() as u64;
    std::fs::remove_file(&copy).expect("a complete copy");
    let (mut killed, mut completed) = (0, 0);
    while killed < 8 || completed < 1 {
        let mut command = Command::new(binary_path("noughts-server"));
        command
            .args(["backup", as_argument(&copy), "--data"])
            .arg(data.path());
        let mut child = command
            .stderr(Stdio::null())
            .spawn()
            .expect("the server starts");
        tokio::time::sleep(Duration::from_micros(rng.random_below(max_delay_us))).await;
        child.kill().expect("a child of this test");
        child.wait().expect("a child of this test");
        if copy.exists() {
            completed += 1;
            let [copied, source] = [copy.clone(), data.path().join("noughts.db")]
                .map(|file| std::fs::metadata(file).expect("a file of this test").len());
            assert_eq!(
                copied, source,
                "an incomplete copy has the name of a backup"
            );
            std::fs::remove_file(&copy).expect("a copy");
        } else {
            killed += 1;
            // The maximum delay grows, because some backups must become complete even on a machine that has slowed
            // down.
            max_delay_us += max_delay_us / 20;
        }
    }
    let backup = run(data.path(), &["backup", as_argument(&copy)]).await;
    // The rooms of this test have no playable histories, and the rest of a killed backup does not prevent another
    // backup.
    assert!(copy.exists(), "{backup:?}");
    assert!(!data.path().join("copy.db.partial").exists());
}

#[tokio::test]
async fn a_game_goes_on_after_its_restore_from_a_backup() {
    let data = TempDir::default();
    let server = start(data.path());
    play_game(&server, ["Cid", "Dan"], "3x3:3", &[0, 3, 1, 4, 2]).await;
    let [x, o] = play_game(&server, ["Ann", "Bob"], "3x3:3", &[0, 3]).await;
    let backups = TempDir::default();
    let copy = backups.path().join("copy.db");
    assert!(
        run(data.path(), &["backup", as_argument(&copy)])
            .await
            .status
            .success()
    );
    server.kill();
    drop(data);

    // The operator's page says: check the backup, copy it into an empty directory, start.
    assert!(
        run(backups.path(), &["check", as_argument(&copy)])
            .await
            .status
            .success()
    );
    let restored = TempDir::default();
    std::fs::copy(&copy, restored.path().join("noughts.db")).expect("a copy");
    let server = start(restored.path());
    let mut players = Vec::new();
    for lost in [x, o] {
        let mut client = TestClient::connect_as(&server.url, "Back").await;
        client
            .resume(lost.seat_info(), Some(lost.game().seq()))
            .await
            .expect("its seat");
        players.push(client);
    }
    let mut players: [TestClient; 2] = players.try_into().expect("two players");
    play_moves(&mut players, &[1, 4, 2]).await;
    let export = run(restored.path(), &["games", "export"]).await;
    let games = text(&export.stdout);
    assert!(
        games.contains("Cid") && games.contains("Ann") && games.lines().count() == 2,
        "{games}"
    );
    for client in &players {
        let role = &client.seat_info().role;
        let (token, code) = (role.token.expect("a player"), role.code.expect("private"));
        let secrets = [token.to_string(), code.to_string()];
        assert!(secrets.iter().all(|secret| !games.contains(secret)));
    }
    stop(server).await;
    assert!(run(restored.path(), &["check"]).await.status.success());
}

/// Writes a data directory with finished games that ended a year ago.
async fn write_finished_games(data: &Path, count: u64) {
    let clock = ServerClock::start();
    let ended_at = clock.now() - 365 * 24 * 3600 * 1000;
    let log = SqliteLog::open(data, SqliteOptions::new(Durability::Process, clock))
        .expect("a new directory");
    // The reader skips unknown tags.
    let tags = "[Rules \"3x3:3\"]\n[X \"Ann\"]\n[O \"Bob\"]\n[Result \"X line\"]\n";
    let text = format!(
        "{tags}[Event \"{}\"]\n\n1. b2 a1 2. c1 b1 3. a3\n",
        "x".repeat(1500)
    );
    let write_game = async |number| {
        let opened = Event::Opened {
            rules: "3x3:3".parse().expect("rules"),
            clock: None,
            public: true,
            free_first_moves: false,
        };
        let record = |seq, event| EventRecord {
            seq: Seq::new(seq),
            at: ended_at,
            by: None,
            event,
        };
        let (room, tokens) = (RoomId::from_bits(number), [ResumeToken::from_bits(1); 2]);
        let secrets = RoomSecrets {
            room,
            code: None,
            tokens,
            parties: [None; 2],
            left: [false; 2],
        };
        log.create(secrets, vec![record(1, opened)])
            .await
            .expect("stored");
        let finished = FinishedGame {
            number: 1,
            ended_at,
            record: text.clone(),
        };
        let closed = Event::Closed {
            reason: RoomCloseReason::Idle,
        };
        log.append(room, vec![record(2, closed)], Some(finished))
            .await
            .expect("stored");
        log.delete(room).await.expect("stored");
    };
    futures::future::join_all((1..=count).map(write_game)).await;
    tokio::task::spawn_blocking(|| drop(log))
        .await
        .expect("the log can be closed");
}

#[tokio::test]
async fn vacuum_shrinks_the_file_after_games_were_deleted() {
    const KEPT: usize = 10;
    let data = TempDir::default();
    write_finished_games(data.path(), 600).await;
    let server =
        ServerProcess::start_durable(data.path(), "process", &["--max-games", &KEPT.to_string()]);
    let ids = async || {
        let list = run(data.path(), &["games", "list", "--limit", "5000"]).await;
        text(&list.stdout)
            .lines()
            .map(|line| line.split_whitespace().next().map(str::to_owned))
            .collect::<Vec<_>>()
    };
    wait_until("deletion of the oldest games", async || {
        (ids().await.len() == KEPT).then_some(())
    })
    .await;
    let kept = ids().await;
    stop(server).await;
    let file = data.path().join("noughts.db");
    let size = || std::fs::metadata(&file).expect("the database").len();
    let before = size();

    // Compacts the file as the operator's page says.
    let mut vacuum = system_command("sqlite3", "sqlite3");
    vacuum.arg(&file).arg("VACUUM");
    let vacuumed = output(vacuum).await;
    assert!(vacuumed.status.success(), "{vacuumed:?}");
    assert!(size() < before / 5, "{before} to {}", size());
    assert!(run(data.path(), &["check"]).await.status.success());
    let server = start(data.path());
    assert_eq!(ids().await, kept);
    play_game(&server, ["Cid", "Dan"], "3x3:3", &[0, 3, 1, 4, 2]).await;
    stop(server).await;
    assert!(run(data.path(), &["check"]).await.status.success());
}

#[tokio::test]
async fn many_short_games_of_one_client_replace_no_archived_game() {
    let data = TempDir::default();
    let server = ServerProcess::start_durable(data.path(), "process", &["--max-games", "3"]);
    play_game(&server, ["Ann", "Bob"], "3x3:3", &[0, 3, 1, 4, 2]).await;
    for _ in 0..10 {
        play_game(&server, ["Eve", "Eve"], "1x1:1", &[0]).await;
        play_game(&server, ["Eve", "Eve"], "2x2:2", &[0, 1, 2]).await;
    }
    let export = run(data.path(), &["games", "export"]).await;
    let games = text(&export.stdout);
    assert!(
        games.contains("Ann") && games.lines().count() == 3 && !games.contains("1x1:1"),
        "{games}"
    );
    wait_until("the metric", async || {
        (server.metric("noughts_rejected_games_total").await == 8).then_some(())
    })
    .await;
    assert_eq!(get(server.address(), "/ready").await.0, 200);
}

#[tokio::test]
async fn games_beyond_the_budget_of_an_address_are_not_kept() {
    let data = TempDir::default();
    let mut command = Command::new(binary_path("noughts-server"));
    command
        .args([
            "--listen",
            "127.0.0.1:0",
            "--set",
            "max-kept-games-per-hour=2",
            "--data",
        ])
        .arg(data.path());
    command.stderr(Stdio::null());
    let server = ServerProcess::start_command(command);
    for name in ["Ann", "Bob", "Cid", "Dan"] {
        play_game(&server, [name, "Eve"], "3x3:3", &[0, 3, 1, 4, 2]).await;
    }
    let export = run(data.path(), &["games", "export"]).await;
    let games = text(&export.stdout);
    assert!(
        games.contains("Ann") && games.contains("Bob") && games.lines().count() == 2,
        "{games}"
    );
    assert_eq!(server.metric("noughts_games_over_budget_total").await, 2);
    assert_eq!(server.metric("noughts_games_total").await, 4);
}
