//! Import of the data of a single server, and export to one.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use noughts_protocol::wire::{Message, RejectCode};
use noughts_protocol::{RoomCode, RoomRef, Seat};
use noughts_tests::client::crash_player::LONG_TIMEOUT_FLAGS;
use noughts_tests::client::game_setup::play_moves;
use noughts_tests::client::test_client::{SeatInfo, TestClient};
use noughts_tests::program::{TempDir, output_within};
use noughts_tests::server::{LOAD_FLAGS, NatsServers, ServerProcess, skips_nats};
use noughts_tests::wait::wait_until;
use tokio::time::sleep;

use crate::archive::{archived_players, cluster_command, play_game, text};
use crate::node::{NODE, RECOVERY_TIMEOUT, SHARDS, start_nodes, wait_until_settled};

/// Private rooms that wait for a second player. Hardly all of their codes lead to their shards.
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

/// Repeats a request of a new client until the room is available.
async fn enter(
    server: &ServerProcess,
    name: &str,
    request: impl AsyncFn(&mut TestClient) -> Result<(), RejectCode>,
) -> TestClient {
    wait_until(("the room of", name), async || {
        let mut client = TestClient::connect_as(&server.url, name).await;
        match request(&mut client).await {
            Ok(()) => Some(client),
            Err(code) => {
                assert_eq!(code, RejectCode::Unavailable, "{name}");
                sleep(Duration::from_millis(50)).await;
                None
            }
        }
    })
    .await
}

async fn resume(server: &ServerProcess, name: &str, seat: &SeatInfo) -> TestClient {
    enter(server, name, async |client| {
        match client.resume(seat, None).await {
            Ok(resumed) => {
                assert!(matches!(resumed, Message::Snapshot { .. }), "{resumed:?}");
                Ok(())
            }
            Err(reject) => Err(reject.code),
        }
    })
    .await
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn games_move_from_one_machine_to_a_cluster_and_back() {
    if skips_nats() {
        return;
    }
    let nats = NatsServers::start(1).await;
    let [source, target] = [TempDir::default(), TempDir::default()];
    let single = start_single(source.path());
    let finished = play_game(&single, "Ann finished").await;
    let short = start_game(&single, ["Ann short", "Bob"], "3x3:3", &[0, 3]).await;
    let long = start_game(&single, ["Ann long", "Bob"], "5x5:5", &[0, 24]).await;
    let mut waiting = Vec::new();
    for number in 0..WAITING_ROOMS {
        let mut client = TestClient::connect_as(&single.url, &format!("Carl {number}")).await;
        let code = client.create("3x3:3", None, Some(Seat::X), false).await;
        assert!(matches!(code, RoomRef::Code(_)), "a private room");
        waiting.push((client, code));
    }
    assert_refused(&nats, "import", source.path(), "in use by another server").await;
    let [short, long] = [short, long].map(|players| players.map(TestClient::disconnect));
    drop(finished);
    stop(single).await;

    assert_refused(&nats, "import", target.path(), "cannot read data").await;
    let rooms = 3 + WAITING_ROOMS;
    let imported = transfer(&nats, "import", source.path()).await;
    assert!(imported.status.success(), "{}", text(&imported.stderr));
    let report = text(&imported.stdout);
    for expected in [
        format!("rooms: {rooms} written, 0 present"),
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
    let mut short = resume_game([&nodes[0], &nodes[1]], &short, 2).await;
    play_moves(&mut short, &[1, 4, 2]).await;
    let mut long = resume_game([&nodes[1], &nodes[0]], &long, 2).await;
    play_moves(&mut long, &[1, 23]).await;
    // The codes are those of the single server: each node finds the rooms by them.
    let mut seats = Vec::new();
    for (number, (client, code)) in waiting.into_iter().enumerate() {
        let creator = client.disconnect();
        let node = &nodes[number % 2];
        let join = async |client: &mut TestClient| {
            client
                .join(code)
                .await
                .map(|_| ())
                .map_err(|reject| reject.code)
        };
        let guest = enter(node, &format!("Dora {number}"), join).await;
        assert_eq!(guest.seat_info().id, creator.id);
        seats.push([creator, guest.disconnect()]);
    }
    let mut eve = TestClient::connect_as(&nodes[0].url, "Eve").await;
    let unknown = eve
        .join(RoomRef::Code(RoomCode::from_bits(12_345 << 20)))
        .await;
    assert_eq!(
        unknown.expect_err("no room has the code").code,
        RejectCode::UnknownRoom
    );
    for command in ["import", "export"] {
        let data = if command == "import" {
            source.path()
        } else {
            target.path()
        };
        assert_refused(&nats, command, data, "nodes of the cluster are running").await;
    }
    let long = long.map(TestClient::disconnect);
    for node in nodes {
        stop(node).await;
    }

    let again = transfer(&nats, "import", source.path()).await;
    assert_eq!(
        again.status.code(),
        Some(1),
        "the games went on: {}",
        text(&again.stdout)
    );
    assert!(
        text(&again.stdout).contains("rooms: 0 written"),
        "{}",
        text(&again.stdout)
    );
    assert!(
        text(&again.stdout).contains("finished games: 0 written, 1 present"),
        "{}",
        text(&again.stdout)
    );
    let exported = transfer(&nats, "export", target.path()).await;
    assert!(exported.status.success(), "{}", text(&exported.stderr));
    assert!(
        text(&exported.stdout).contains("2 finished games"),
        "{}",
        text(&exported.stdout)
    );
    assert_refused(&nats, "export", target.path(), "is not empty").await;

    let single = start_single(target.path());
    let mut long = resume_game([&single, &single], &long, 4).await;
    play_moves(&mut long, &[2, 22, 3, 21, 4]).await;
    for [creator, guest] in &seats {
        let players = resume_game([&single, &single], &[creator.clone(), guest.clone()], 0).await;
        drop(players);
    }
    stop(single).await;
    assert_eq!(
        archived_players(target.path()).await,
        ["Ann finished", "Ann short", "Ann long"]
    );
}
