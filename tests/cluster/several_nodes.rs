//! Several nodes that serve one cluster at the same time.

use std::process::Stdio;
use std::time::Duration;

use noughts_protocol::wire::{Message, RejectCode, RequestBody, SessionRequest};
use noughts_protocol::{Phase, RoomCode, RoomId, RoomRef};
use noughts_tests::client::test_client::{SeatInfo, TestClient};
use noughts_tests::server::{NatsServers, ServerProcess, skips_nats};
use noughts_tests::wait::wait_until;
use tokio::time::{Instant, sleep};

use crate::cluster_games::ClusterGames;
use crate::node::{node_command, wait_until_settled};

/// Enough for three nodes to have some each.
pub(super) const SHARD_FLAGS: [&str; 2] = ["--cluster-shards", "32"];

/// Longer than the silence after which a node is replaced.
const STOP_TIME: Duration = Duration::from_secs(6);

/// Starts a node; returns when it owns a shard.
fn start_node(nats: &NatsServers, flags: &[&str]) -> ServerProcess {
    let mut command = node_command(&nats.urls(), &SHARD_FLAGS);
    command.args(flags).stderr(Stdio::null());
    ServerProcess::start_command(command)
}

/// Resumes a seat on a node, which may be moving.
async fn resume(node: &ServerProcess, name: &str, seat: &SeatInfo) -> TestClient {
    wait_until(("the seat of", name), async || {
        let mut client = TestClient::connect_as(&node.url, name).await;
        match client.resume(seat, None).await {
            Ok(_) => Some(client),
            Err(reject) => {
                assert_eq!(reject.code, RejectCode::Unavailable, "{name}");
                sleep(Duration::from_millis(50)).await;
                None
            }
        }
    })
    .await
}

/// Plays one move of each player, starting with the one whose turn it is.
pub(super) async fn play_round(players: &mut [TestClient; 2]) {
    for _ in 0..2 {
        let turn = players[0].game().position().turn();
        let at = players
            .iter()
            .position(|player| player.seat() == turn)
            .expect("two players");
        let cell = players[at]
            .game()
            .position()
            .legal_nth(0)
            .expect("a legal move");
        players[at]
            .play(cell.index() as u16)
            .await
            .expect("the move is legal");
        let seq = players[at].game().seq();
        players[1 - at].wait_until_seq(seq).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn any_node_serves_any_client() {
    if skips_nats() {
        return;
    }
    let nats = NatsServers::start(1).await;
    let flags = ["--cluster-replicas", "1"];
    let nodes = [start_node(&nats, &flags), start_node(&nats, &flags)];
    wait_until_settled(&nats, 2).await;
    for (home, public) in [(0, true), (1, false)] {
        let away = 1 - home;
        let ann = TestClient::connect_as(&nodes[home].url, "Ann").await;
        let bob = TestClient::connect_as(&nodes[away].url, "Bob").await;
        let mut players = [ann, bob];
        let room = players[0]
            .create("15x15:5", Some("5+3"), None, public)
            .await;
        players[1].join(room).await.expect("the free seat");
        players[0]
            .wait_for_event("start", |event| {
                matches!(event, noughts_protocol::Event::Started { .. })
            })
            .await;
        play_round(&mut players).await;

        // Spectators on both nodes see the same game.
        let mut spectators = Vec::new();
        for node in &nodes {
            let mut spectator = TestClient::connect_as(&node.url, "Carl").await;
            spectator.watch(room).await.expect("the room is open");
            spectators.push(spectator);
        }
        play_round(&mut players).await;
        let seq = players[0].game().seq();
        for spectator in &mut spectators {
            spectator.wait_until_seq(seq).await;
            assert_eq!(spectator.game().position(), players[0].game().position());
        }
        let mut late = TestClient::connect_as(&nodes[away].url, "Dora").await;
        assert_eq!(
            late.join(room).await.unwrap_err().code,
            RejectCode::RoomFull
        );
        // A rejected client can go on.
        late.watch(room).await.expect("the room is open");
        let turn = players[0].game().position().turn();
        let waiting = players
            .iter_mut()
            .find(|player| player.seat() != turn)
            .expect("two players");
        let early = waiting.play(100).await;
        assert_eq!(early.unwrap_err().code, RejectCode::NotYourTurn);

        // Both players change the node.
        let [ann, bob] = players;
        let ann = resume(&nodes[away], "Ann", &ann.disconnect()).await;
        let bob = resume(&nodes[home], "Bob", &bob.disconnect()).await;
        let mut players = [ann, bob];
        play_round(&mut players).await;

        // The remote one leaves, and opens a room on its own node.
        let left = players[0]
            .request(RequestBody::Session(SessionRequest::Leave))
            .await;
        assert!(matches!(left, Ok(Message::Done { .. })), "{left:?}");
        let [mut ann, bob] = players;
        assert_eq!(bob.game().phase(), Phase::Playing);
        ann.create("3x3:3", None, None, true).await;
    }
    let mut eve = TestClient::connect_as(&nodes[0].url, "Eve").await;
    for bits in 1..20 {
        for room in [
            RoomRef::Id(RoomId::from_bits(bits)),
            RoomRef::Code(RoomCode::from_bits(bits << 20)),
        ] {
            let reject = eve.join(room).await.unwrap_err();
            assert!(
                [RejectCode::UnknownRoom, RejectCode::RateLimited].contains(&reject.code),
                "{room}: {reject:?}"
            );
            if bits == 1 {
                assert_eq!(reject.code, RejectCode::UnknownRoom);
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn games_survive_failures_of_three_nodes() {
    if skips_nats() {
        return;
    }
    let mut nats = NatsServers::start(3).await;
    let mut nodes = vec![
        start_node(&nats, &[]),
        start_node(&nats, &[]),
        start_node(&nats, &[]),
    ];
    let urls = |nodes: &[ServerProcess]| {
        nodes
            .iter()
            .map(|node| node.url.clone())
            .collect::<Vec<_>>()
            .join(",")
    };
    let mut games = ClusterGames::start(&urls(&nodes)).await;
    games.wait_for_play(0, "on three nodes").await;

    let killed = nodes.remove(0);
    killed.kill();
    games.url.send_replace(Some(urls(&nodes)));
    let after_kill = games.wait_for_play(0, "after a node was killed").await;
    nodes.push(start_node(&nats, &[]));
    games.url.send_replace(Some(urls(&nodes)));
    games.wait_for_play(0, "beside a new node").await;

    nodes[0].send_signal("STOP");
    games.url.send_replace(Some(urls(&nodes[1..])));
    sleep(STOP_TIME).await;
    nodes[0].send_signal("CONT");
    let after_stop = games
        .wait_for_play(0, "after a node was stopped for seconds")
        .await;
    games.url.send_replace(Some(urls(&nodes)));
    games
        .wait_for_play(0, "beside the node that continues")
        .await;

    let leader = nats.leader("NOUGHTS_LOG_0").await;
    nats.kill(leader);
    let without_server = games
        .wait_for_play(0, "with two of three NATS servers")
        .await;
    nats.restart(leader).await;

    // A rolling restart.
    let mut rolling = Vec::new();
    for _ in 0..nodes.len() {
        let mut node = nodes.remove(0);
        games.url.send_replace(Some(urls(&nodes)));
        let began = Instant::now();
        node.send_signal("TERM");
        assert_eq!(node.wait_for_exit().await.code(), Some(0));
        rolling.push((
            began.elapsed(),
            games.wait_for_play(0, "after SIGTERM of a node").await,
        ));
        nodes.push(start_node(&nats, &[]));
        games.url.send_replace(Some(urls(&nodes)));
    }
    games.wait_for_play(0, "after a rolling restart").await;

    games.observations.finish();
    games.wait_for_end().await;
    for node in &mut nodes {
        node.send_signal("TERM");
        assert_eq!(node.wait_for_exit().await.code(), Some(0));
    }
    // A killed and a stopped node, a killed NATS server, and three nodes after SIGTERM.
    games.check_log_with(&nats, SHARD_FLAGS, 6).await;
    eprintln!(
        "all rooms play after a kill: {after_kill:?}; after a stop of {STOP_TIME:?}: {after_stop:?}; NATS server killed: \
         {without_server:?}; rolling restart (exit, play): {rolling:?}"
    );
}
