//! The archive of finished games.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use noughts_tests::client::game_setup::{play_moves, seat_players};
use noughts_tests::client::test_client::TestClient;
use noughts_tests::program::{TempDir, output_within};
use noughts_tests::server::{NatsServers, ServerProcess, skips_nats};
use noughts_tests::wait::wait_until;
use serde_json::Value;

use crate::node::{NODE, RECOVERY_TIMEOUT, start_node};

/// Returns a subcommand of `cluster` on a data directory.
pub(super) fn cluster_command(
    nats: &NatsServers,
    name: &str,
    data: &Path,
    flags: &[&str],
) -> Command {
    let mut command = Command::new(NODE);
    command
        .args(["cluster", name, "--cluster", &nats.urls()])
        .args(flags)
        .arg("--data")
        .arg(data);
    command.env_remove("NOUGHTS_DATA");
    command
}

pub(super) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs a command of a single server on a data directory.
pub(super) async fn run_on(data: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(NODE);
    command
        .args(arguments)
        .arg("--data")
        .arg(data)
        .env_remove("NOUGHTS_DATA");
    output_within(RECOVERY_TIMEOUT, command).await
}

/// Returns the first players of the archived games, in the order of the archive.
pub(super) async fn archived_players(data: &Path) -> Vec<String> {
    let exported = run_on(data, &["games", "export"]).await;
    assert!(exported.status.success(), "{}", text(&exported.stderr));
    let lines = text(&exported.stdout);
    let name = |line: &str| {
        let game: Value = serde_json::from_str(line).expect("a line of JSON");
        game["players"][0].as_str().expect("a name").to_owned()
    };
    lines.lines().map(name).collect()
}

/// Plays a game to its end.
pub(super) async fn play_game(node: &ServerProcess, name: &str) -> [TestClient; 2] {
    let mut players = seat_players(&node.url, [name, "Bob"], "3x3:3", None).await;
    play_moves(&mut players, &[0, 3, 1, 4, 2]).await;
    players
}

/// Copies the existing games until the archive has each game of these players once.
async fn archive_until(nats: &NatsServers, data: &Path, expected: &BTreeSet<String>) {
    wait_until(("archived games", expected), async || {
        let copied = output_within(
            RECOVERY_TIMEOUT,
            cluster_command(nats, "archive", data, &["--once"]),
        )
        .await;
        assert!(copied.status.success(), "{}", text(&copied.stderr));
        let archived = archived_players(data).await;
        assert!(archived.len() <= expected.len(), "{archived:?}");
        (archived.iter().cloned().collect::<BTreeSet<_>>() == *expected).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn finished_games_are_archived_although_nodes_are_killed() {
    if skips_nats() {
        return;
    }
    let nats = NatsServers::start(1).await;
    let data = TempDir::default();
    let mut expected = BTreeSet::new();
    let mut node = start_node(&nats, &[]);
    for game in 0..3 {
        let name = format!("Ann {game}");
        play_game(&node, &name).await;
        expected.insert(name);
    }
    // The node is killed directly after the end of a game, which may be published or not.
    node.kill();
    node = start_node(&nats, &[]);
    archive_until(&nats, data.path(), &expected).await;
    play_game(&node, "Ann followed").await;
    expected.insert("Ann followed".into());
    // The command follows the games of the running nodes until it is killed.
    let mut follower = cluster_command(&nats, "archive", data.path(), &[]);
    let mut follower = follower
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("a program");
    wait_until("the archive follows", async || {
        let archived: BTreeSet<String> = archived_players(data.path()).await.into_iter().collect();
        (archived == expected).then_some(())
    })
    .await;
    follower.kill().expect("a child of this process");
    follower.wait().expect("a child of this process");
    play_game(&node, "Ann last").await;
    expected.insert("Ann last".into());
    archive_until(&nats, data.path(), &expected).await;
    assert_eq!(
        archived_players(data.path()).await.len(),
        expected.len(),
        "each game once"
    );
    let checked = run_on(data.path(), &["check"]).await;
    assert!(checked.status.success(), "{}", text(&checked.stdout));
    let other = TempDir::default();
    archive_until(&nats, other.path(), &expected).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_archive_needs_the_stream_of_games() {
    if skips_nats() {
        return;
    }
    let nats = NatsServers::start(1).await;
    let data = TempDir::default();
    let refused = output_within(
        RECOVERY_TIMEOUT,
        cluster_command(&nats, "archive", data.path(), &["--once"]),
    )
    .await;
    assert_eq!(refused.status.code(), Some(1));
    assert!(
        text(&refused.stderr).contains("NOUGHTS_GAMES"),
        "{}",
        text(&refused.stderr)
    );
}
