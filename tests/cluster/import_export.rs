//! Import of the data of a single server, and export to one.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use noughts_protocol::wire::RejectCode;
use noughts_protocol::{RoomCode, RoomRef, Seat};
use noughts_tests::client::crash_player::LONG_TIMEOUT_FLAGS;
use noughts_tests::client::game_setup::play_moves;
use noughts_tests::client::test_client::{SeatInfo, TestClient};
use noughts_tests::program::{TempDir, output_within};
use noughts_tests::server::{LOAD_FLAGS, NatsServers, ServerProcess, skips_nats};

use crate::archive::{archived_players, cluster_command, play_game, text};
use crate::node::{
    NODE, RECOVERY_TIMEOUT, SHARDS, enter, resume, start_node, start_nodes, wait_until_settled,
};

/// Number of private rooms that wait for a second player. With this number, it is unlikely that every code happens to
/// lead to the shard of its room.
const WAITING_ROOMS: usize = 8;

fn single_command(data: &Path) -> Command {
    let mut command = Command::new(NODE);
    command
        .args([
            "--listen",
            "127.0.0.1:0",
            "--durability",
            "process",
            "--data",
        ])
        .arg(data);
    command
        .args(LOAD_FLAGS)
        .args(LONG_TIMEOUT_FLAGS)
        .env_remove("NOUGHTS_CLUSTER");
    command
}

fn start_single(data: &Path) -> ServerProcess {
    let mut command = single_command(data);
    command.stderr(Stdio::null());
    ServerProcess::start_command(command)
}

async fn stop(mut server: ServerProcess) {
    server.send_signal("TERM");
    assert_eq!(server.wait_for_exit().await.code(), Some(0));
}

async fn transfer(nats: &NatsServers, name: &str, data: &Path) -> Output {
    let shards = SHARDS.to_string();
    let shape = ["--cluster-replicas", "1", "--cluster-shards", &shards];
    output_within(RECOVERY_TIMEOUT, cluster_command(nats, name, data, &shape)).await
}

/// Checks that a transfer is refused for this reason.
async fn assert_refused(nats: &NatsServers, name: &str, data: &Path, reason: &str) {
    let refused = transfer(nats, name, data).await;
    assert_eq!(
        refused.status.code(),
        Some(1),
        "{name}: {}",
        text(&refused.stdout)
    );
    assert!(
        text(&refused.stderr).contains(reason),
        "{name}: {}",
        text(&refused.stderr)
    );
}

/// Starts a game between two players in a private room, and plays its first moves.
async fn start_game(
    server: &ServerProcess,
    names: [&str; 2],
    rules: &str,
    cells: &[u16],
) -> [TestClient; 2] {
    let mut x = TestClient::connect_as(&server.url, names[0]).await;
    let code = x.create(rules, Some("5+3"), Some(Seat::X), false).await;
    let mut o = TestClient::connect_as(&server.url, names[1]).await;
    o.join(code).await.expect("the free seat");
    x.wait_until_seq(o.game().seq()).await;
    let mut players = [x, o];
    play_moves(&mut players, cells).await;
    players
}

/// Lets both players of a game return, to different servers.
async fn resume_game(
    servers: [&ServerProcess; 2],
    seats: &[SeatInfo; 2],
    moves: usize,
) -> [TestClient; 2] {
    let players = [
        resume(servers[0], "X", &seats[0]).await,
        resume(servers[1], "O", &seats[1]).await,
    ];
    for player in &players {
        assert_eq!(player.game().position().moves().len(), moves);
    }
    players
}

/// Opens private rooms, each of a client that waits for another player.
async fn open_rooms(server: &ServerProcess) -> Vec<(TestClient, RoomRef)> {
    let mut waiting = Vec::new();
    for number in 0..WAITING_ROOMS {
        let mut client = TestClient::connect_as(&server.url, &format!("Carl {number}")).await;
        let code = client.create("3x3:3", None, Some(Seat::X), false).await;
        assert!(matches!(code, RoomRef::Code(_)), "a private room");
        waiting.push((client, code));
    }
    waiting
}

/// Lets a guest enter each of these rooms, on one of the servers in turn, by its code.
async fn enter_rooms(servers: &[ServerProcess], waiting: Vec<(SeatInfo, RoomRef)>) {
    for (number, (creator, code)) in waiting.into_iter().enumerate() {
        let join = async |client: &mut TestClient| {
            let joined = client.join(code).await;
            joined.map(|_| ()).map_err(|reject| reject.code)
        };
        let server = &servers[number % servers.len()];
        let guest = enter(server, &format!("Dora {number}"), join).await;
        assert_eq!(guest.seat_info().id, creator.id);
    }
}

fn leave(waiting: Vec<(TestClient, RoomRef)>) -> Vec<(SeatInfo, RoomRef)> {
    let leave = |(client, code): (TestClient, RoomRef)| (client.disconnect(), code);
    waiting.into_iter().map(leave).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn games_move_from_one_machine_to_a_cluster() {
    if skips_nats() {
        return;
    }
    let nats = NatsServers::start(1).await;
    let [source, empty] = [TempDir::default(), TempDir::default()];
    let single = start_single(source.path());
    drop(play_game(&single, "Ann finished").await);
    let game = start_game(&single, ["Ann", "Bob"], "3x3:3", &[0, 3]).await;
    let waiting = open_rooms(&single).await;
    assert_refused(&nats, "import", source.path(), "in use by another server").await;
    let (game, waiting) = (game.map(TestClient::disconnect), leave(waiting));
    stop(single).await;

    assert_refused(&nats, "import", empty.path(), "cannot read data").await;
    let imported = transfer(&nats, "import", source.path()).await;
    assert!(imported.status.success(), "{}", text(&imported.stderr));
    let report = text(&imported.stdout);
    for expected in [
        format!("rooms: {} written, 0 present", 2 + WAITING_ROOMS),
        "finished games: 1 written, 0 present".into(),
    ] {
        assert!(report.contains(&expected), "{report}");
    }
    let refused = output_within(RECOVERY_TIMEOUT, single_command(source.path())).await;
    assert_eq!(refused.status.code(), Some(1));
    assert!(
        text(&refused.stderr).contains("imported into a cluster"),
        "{}",
        text(&refused.stderr)
    );

    let nodes: [ServerProcess; 2] = start_nodes(&nats, &[]);
    wait_until_settled(nodes.iter().map(ServerProcess::address)).await;
    let mut game = resume_game([&nodes[0], &nodes[1]], &game, 2).await;
    play_moves(&mut game, &[1, 4, 2]).await;
    // The single server drew the codes of these rooms. Each node must find the rooms by their codes.
    enter_rooms(&nodes, waiting).await;
    let mut eve = TestClient::connect_as(&nodes[0].url, "Eve").await;
    let unknown = eve
        .join(RoomRef::Code(RoomCode::from_bits(12_345 << 20)))
        .await;
    assert_eq!(
        unknown.expect_err("no room has the code").code,
        RejectCode::UnknownRoom
    );
    for (command, data) in [("import", &source), ("export", &empty)] {
        assert_refused(
            &nats,
            command,
            data.path(),
            "nodes of the cluster are running",
        )
        .await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn games_move_from_a_cluster_to_one_machine() {
    if skips_nats() {
        return;
    }
    let (nats, target) = (NatsServers::start(1).await, TempDir::default());
    let node = start_node(&nats, &[]);
    drop(play_game(&node, "Ann finished").await);
    let game = start_game(&node, ["Ann", "Bob"], "3x3:3", &[0, 3]).await;
    let waiting = open_rooms(&node).await;
    let (game, waiting) = (game.map(TestClient::disconnect), leave(waiting));
    stop(node).await;

    let exported = transfer(&nats, "export", target.path()).await;
    assert!(exported.status.success(), "{}", text(&exported.stderr));
    let report = text(&exported.stdout);
    assert!(report.contains("1 finished games"), "{report}");
    assert_refused(&nats, "export", target.path(), "is not empty").await;

    let single = [start_single(target.path())];
    let mut game = resume_game([&single[0], &single[0]], &game, 2).await;
    play_moves(&mut game, &[1, 4, 2]).await;
    enter_rooms(&single, waiting).await;
    drop(game);
    let [single] = single;
    stop(single).await;
    assert_eq!(
        archived_players(target.path()).await,
        ["Ann finished", "Ann"]
    );

    // The cluster keeps its rooms, which the single server has changed.
    let imported = transfer(&nats, "import", target.path()).await;
    assert_eq!(imported.status.code(), Some(1), "the games went on");
    let report = text(&imported.stdout);
    for expected in ["rooms: 0 written", "finished games: 1 written, 1 present"] {
        assert!(report.contains(expected), "{report}");
    }
}
