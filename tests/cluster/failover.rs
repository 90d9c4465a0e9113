//! Games survive the failure of a node and of a NATS server, and unsafe clusters are refused.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::process::Stdio;
use std::time::Duration;

use noughts_protocol::wire::{Message, RejectCode, Request, RequestBody, SessionRequest};
use noughts_tests::client::test_client::TestClient;
use noughts_tests::program::output_within;
use noughts_tests::server::{NatsServers, ServerProcess, skips_nats};
use noughts_tests::wait::wait_until;

use crate::cluster_games::ClusterGames;
use crate::node::{REFUSAL_TIMEOUT, node_command, start_node};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn games_survive_failures_of_a_node_and_of_a_nats_server() {
    if skips_nats() {
        return;
    }
    let mut nats = NatsServers::start(3).await;
    let node = start_node(&nats);
    let mut games = ClusterGames::start(&node.url).await;
    games.wait_for_play(0, "at first").await;

    games.url.send_replace(None);
    node.kill();
    games.check_log(&nats).await;
    let mut node = start_node(&nats);
    games.url.send_replace(Some(node.url.clone()));
    let restarted = games.wait_for_play(1, "on the restarted node").await;

    // The rooms of this stream wait for an election.
    let leader = nats.leader("NOUGHTS_LOG_0").await;
    nats.kill(leader);
    let without_server = games
        .wait_for_play(1, "with two of three NATS servers")
        .await;
    nats.restart(leader).await;

    games.observations.finish();
    games.wait_for_end().await;
    node.send_signal("TERM");
    assert_eq!(node.wait_for_exit().await.code(), Some(0));
    games.check_log(&nats).await;
    eprintln!("restarted node: play after {restarted:?}; NATS server killed: {without_server:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replaced_node_shows_no_old_board() {
    if skips_nats() {
        return;
    }
    let nats = NatsServers::start(1).await;
    let start = || {
        let flags = ["--cluster-replicas", "1", "--cluster-shards", "2"];
        let mut command = node_command(&nats.urls(), &flags);
        command.stderr(Stdio::null());
        ServerProcess::start_command(command)
    };
    let former = start();
    let mut ann = TestClient::connect_as(&former.url, "Ann").await;
    let room = ann.create("3x3:3", None, None, true).await;
    let mut spectator = TestClient::connect_as(&former.url, "Carl").await;
    // It does not run for longer than a live node is silent.
    former.send_signal("STOP");
    let owner = start();
    let mut bob = TestClient::connect_as(&owner.url, "Bob").await;
    bob.join(room).await.expect("the free seat");
    // The former owner finds this request and the heartbeat of the new one together.
    let id = spectator.next_request_id();
    let body = RequestBody::Session(SessionRequest::Watch {
        room,
        remarks: false,
    });
    spectator.send(&Request { id, body }).await;
    former.send_signal("CONT");
    let is_reply =
        |message: &Message| matches!(message, Message::Snapshot { .. } | Message::Reject { .. });
    match spectator.try_wait_for(is_reply).await {
        Some(Message::Snapshot { state, .. }) => {
            assert_eq!(state.seq, bob.game().seq(), "an old board");
        }
        Some(Message::Reject { reject, .. }) => assert_eq!(reject.code, RejectCode::Unavailable),
        Some(_) | None => {}
    }
    let seat = ann.room.clone().expect("in a room");
    assert_eq!(ann.wait_for_close().await, Some(1012), "the shard is lost");
    // The replaced node hands the player over to the new owner.
    let mut ann = TestClient::connect_as(&former.url, "Ann").await;
    let resumed = wait_until("the former owner knows the new one", async || {
        match ann.resume(&seat, None).await {
            Ok(resumed) => Some(resumed),
            Err(reject) => {
                assert_eq!(reject.code, RejectCode::Unavailable);
                tokio::time::sleep(Duration::from_millis(100)).await;
                None
            }
        }
    })
    .await;
    assert!(matches!(resumed, Message::Snapshot { .. }), "{resumed:?}");
    assert_eq!(ann.game().seq(), bob.game().seq());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cluster_of_another_shape_is_refused() {
    if skips_nats() {
        return;
    }
    let nats = NatsServers::start(1).await;
    let mut command = node_command(
        &nats.urls(),
        &["--cluster-replicas", "1", "--cluster-shards", "2"],
    );
    command.stderr(Stdio::null());
    drop(ServerProcess::start_command(command));
    for (flags, reason) in [
        (
            ["--cluster-replicas", "1", "--cluster-shards", "4"],
            "the cluster has 2 shards",
        ),
        (
            ["--cluster-replicas", "3", "--cluster-shards", "2"],
            "1 replicas instead of 3",
        ),
    ] {
        let refused = output_within(REFUSAL_TIMEOUT, node_command(&nats.urls(), &flags)).await;
        let stderr = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(1), "{stderr}");
        assert!(stderr.contains(reason), "{stderr}");
    }
}

/// A server that introduces itself as NATS 2.9.10 and accepts every client.
fn start_old_nats() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = listener.local_addr().expect("bound").port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            std::thread::spawn(move || {
                let info = r#"{"server_id":"old","version":"2.9.10","proto":1,"headers":true,"max_payload":1048576}"#;
                stream.write_all(format!("INFO {info}\r\n").as_bytes())?;
                for line in BufReader::new(stream.try_clone()?).lines() {
                    if line?.starts_with("PING") {
                        stream.write_all(b"PONG\r\n")?;
                    }
                }
                std::io::Result::Ok(())
            });
        }
    });
    port
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unsafe_version_of_nats_is_refused() {
    let servers = format!("nats://127.0.0.1:{}", start_old_nats());
    let refused = output_within(REFUSAL_TIMEOUT, node_command(&servers, &[])).await;
    let stderr = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(1), "{stderr}");
    assert!(
        stderr.contains("NATS 2.9.10") && stderr.contains("2.10.27 or later"),
        "{stderr}"
    );
    let unreachable = output_within(REFUSAL_TIMEOUT, node_command("nats://127.0.0.1:1", &[])).await;
    let stderr = String::from_utf8_lossy(&unreachable.stderr).into_owned();
    assert!(stderr.contains("cannot connect to 127.0.0.1:1"), "{stderr}");
}
