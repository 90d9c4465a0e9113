//! Operator commands under load: list, show and export games, and a backup that a second server continues
//! from.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use noughts_protocol::{Event, EventRecord, Game, Offer, Record, RoomId};
use noughts_tests::client::game_setup::seat_players;
use noughts_tests::client::test_client::TestClient;
use noughts_tests::oracle::observations::Observations;
use noughts_tests::program::{TempDir, binary_path, output};
use noughts_tests::rng::env_number;
use noughts_tests::server::ServerProcess;
use noughts_tests::wait::{wait_until, with_timeout};
use serde_json::Value;
use tokio::sync::watch;

use noughts_tests::client::crash_player::{CrashPlayer, LONG_TIMEOUT_FLAGS};

/// Runs a server command on a data directory; returns its output.
async fn run_server_command(data: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new(binary_path("noughts-server"));
    command.args(arguments).arg("--data").arg(data);
    let output = output(command).await;
    assert!(
        output.status.success(),
        "{arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).expect("text")
}

async fn export_games(data: &Path) -> Vec<Value> {
    let lines = run_server_command(data, &["games", "export"]).await;
    lines
        .lines()
        .map(|line| serde_json::from_str(line).expect("a line with JSON"))
        .collect()
}

/// Creates a data directory from a backup of this one.
async fn create_backup(data: &Path) -> TempDir {
    let copy = TempDir::default();
    let file = copy.path().join("noughts.db");
    run_server_command(data, &["backup", file.to_str().expect("a path in UTF-8")]).await;
    copy
}

/// Derives the games of a room from its events: number, length and outcome.
fn games_from_events(room: RoomId, events: &[EventRecord]) -> Vec<Value> {
    let mut game = Game::open(&events[0]).expect("an opening");
    let mut ended = Vec::new();
    for event in &events[1..] {
        game.apply(event).expect("a history");
        // A game is archived if both players have moved.
        if let Event::Ended { outcome, .. } = &event.event
            && game.position().ply() > 1
        {
            ended.push(serde_json::json!({
                "room": room, "number": game.number(), "ended": event.at, "outcome": outcome,
                "moves": game.position().moves(),
            }));
        }
    }
    ended
}

/// Lists games into a pipe with a closed read end, as in `games list | head`.
async fn assert_closed_pipe_is_silent(data: &Path) {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let mut command = Command::new(binary_path("noughts-server"));
    command
        .args(["games", "list", "--data"])
        .arg(data)
        .stdout(writer);
    let listed = tokio::task::spawn_blocking(move || command.output())
        .await
        .expect("no panic");
    let listed = listed.expect("the program runs");
    let errors = String::from_utf8_lossy(&listed.stderr);
    assert_eq!((listed.status.code(), errors.as_ref()), (Some(141), ""));
}

/// Returns the comparable fields of an exported game.
fn comparable_fields(game: &Value) -> Value {
    let field = |name: &str| (name.to_owned(), game[name].clone());
    ["room", "number", "ended", "outcome", "moves"]
        .map(field)
        .into_iter()
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_under_load_is_consistent_and_restorable() {
    let data = TempDir::default();
    let observations = Arc::new(Observations::default());
    let mut server = ServerProcess::start_durable(data.path(), "process", &LONG_TIMEOUT_FLAGS);
    let [mut x, mut o] = seat_players(&server.url, ["Ann", "Bob"], "5x5:5", None).await;
    let url = watch::Sender::new(Some(server.url.clone()));
    let players =
        CrashPlayer::start_pairs(4, env_number("NOUGHTS_TEST_SEED", 5), &observations, &url).await;
    // No client has received the rooms' first events yet.
    let copy = create_backup(data.path()).await;
    observations
        .check_backup(copy.path(), &observations.last_sent_seqs())
        .await;
    let tasks: Vec<_> = players
        .into_iter()
        .map(|player| tokio::spawn(player.run(url.subscribe())))
        .collect();

    let before = wait_until("games", async || {
        Some(export_games(data.path()).await).filter(|games| games.len() > 3)
    })
    .await;
    x.play(7).await.expect("X moves first");
    let observed_seqs = observations.last_sent_seqs();
    let copy = create_backup(data.path()).await;
    o.wait_until_seq(x.game().seq()).await;
    let (x_seat_info, seen) = (x.seat_info().clone(), x.game().position().moves().to_vec());
    // Only X sends requests, because the oracle identifies a request by its id.
    x.offer(Offer::Draw).await.expect("no offer is pending");
    let backup_games = export_games(copy.path()).await;
    let after = export_games(data.path()).await;
    assert!(
        backup_games.starts_with(&before) && after.starts_with(&backup_games),
        "the archived games changed"
    );
    let listing = run_server_command(data.path(), &["games", "list", "--limit", "3"]).await;
    assert_eq!(listing.lines().count(), 3, "{listing}");
    assert_closed_pipe_is_silent(data.path()).await;
    for game in &after[..3] {
        let record_text =
            run_server_command(data.path(), &["games", "show", &game["game"].to_string()]).await;
        let record: Record = record_text.parse().expect("a record");
        assert_eq!(
            serde_json::to_value(record.moves).expect("cells"),
            game["moves"]
        );
    }

    // The backup contains every event received before it, and a past state of each room.
    let stored = observations.check_backup(copy.path(), &observed_seqs).await;
    let to_text_set =
        |games: Vec<Value>| games.iter().map(Value::to_string).collect::<BTreeSet<_>>();
    let as_events = stored.into_iter().flat_map(|(room, last)| {
        let events = observations.events(room);
        games_from_events(room, &events[..last.get() as usize])
    });
    assert_eq!(
        to_text_set(backup_games.iter().map(comparable_fields).collect()),
        to_text_set(as_events.collect())
    );

    // Both servers continue independently.
    let second = ServerProcess::start_durable(copy.path(), "process", &LONG_TIMEOUT_FLAGS);
    let mut reconnected = TestClient::connect_as(&second.url, "Ann").await;
    reconnected
        .resume(&x_seat_info, None)
        .await
        .expect("its seat");
    assert_eq!(reconnected.game().position().moves(), seen);
    let events_before = observations.event_count();
    wait_until("the load to continue", async || {
        (observations.event_count() > events_before + 40).then_some(())
    })
    .await;
    assert!(
        !tasks.iter().any(|task| task.is_finished()),
        "a player failed"
    );
    observations.finish();
    for task in tasks {
        with_timeout("a player's end", task)
            .await
            .expect("no player reported a violation");
    }
    server.send_signal("TERM");
    assert_eq!(server.wait_for_exit().await.code(), Some(0));
    observations.check_files(data.path()).await;
}
