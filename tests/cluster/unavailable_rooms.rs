//! A room that cannot be restored, beside rooms that can.

use std::fs::File;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;

use noughts_protocol::wire::RejectCode;
use noughts_protocol::{Event, EventRecord, ResumeToken, RoomId, RoomRef, Seat, Seq};
use noughts_server::testing::{
    Durability, EventLog, RoomSecrets, ServerClock, SqliteLog, SqliteOptions,
};
use noughts_tests::client::test_client::TestClient;
use noughts_tests::program::{TempDir, output_within};
use noughts_tests::server::{NatsServers, ServerProcess, get, skips_nats};
use noughts_tests::wait::wait_until;

use crate::archive::{cluster_command, text};
use crate::node::{RECOVERY_TIMEOUT, node_command};

/// Enough shards for a second node to get some.
const FLAGS: [&str; 4] = ["--cluster-replicas", "1", "--cluster-shards", "16"];

/// Rooms with even ids cannot be restored.
const ROOMS: u64 = 16;

fn secrets(room: u64) -> RoomSecrets {
    let tokens = [1, 2].map(|seat| ResumeToken::from_bits(u128::from(room) << 64 | seat));
    RoomSecrets {
        room: RoomId::from_bits(room),
        code: None,
        tokens,
        parties: [None; 2],
    }
}

/// Writes public rooms. Event 2 of some is impossible in the history of a room.
async fn write_rooms(data: &Path) {
    let clock = ServerClock::start();
    let log = SqliteLog::open(data, SqliteOptions::new(Durability::Process, clock.clone()));
    let log: Arc<dyn EventLog> = Arc::new(log.expect("a new directory"));
    let record = |seq, event| EventRecord {
        seq: Seq::new(seq),
        at: clock.now(),
        request: None,
        event,
    };
    let rules = "3x3:3".parse().expect("rules");
    let opened = record(
        1,
        Event::Opened {
            rules,
            clock: None,
            public: true,
            free_first_moves: false,
        },
    );
    let impossible = record(2, Event::Started { game: 7 });
    for room in 1..=ROOMS {
        let is_damaged = room % 2 == 0;
        let events = [&opened, &impossible]
            .into_iter()
            .take(if is_damaged { 2 } else { 1 });
        log.create(secrets(room), events.cloned().collect())
            .await
            .expect("stored");
    }
}

/// The sum of a metric over all nodes.
async fn metric_sum(nodes: &[ServerProcess], name: &str) -> i64 {
    let mut sum = 0;
    for node in nodes {
        sum += node.metric(name).await;
    }
    sum
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_room_that_cannot_be_restored_does_not_affect_its_shard() {
    if skips_nats() {
        return;
    }
    let (nats, data) = (NatsServers::start(1).await, TempDir::default());
    write_rooms(data.path()).await;
    let imported = output_within(
        RECOVERY_TIMEOUT,
        cluster_command(&nats, "import", data.path(), &FLAGS),
    )
    .await;
    assert!(imported.status.success(), "{}", text(&imported.stderr));

    let log_file = data.path().join("node.log");
    let start = |log: Stdio| {
        let mut command = node_command(&nats.urls(), &FLAGS);
        command.stderr(log);
        ServerProcess::start_command(command)
    };
    let first = start(File::create(&log_file).expect("a temporary folder").into());
    let damaged: Vec<RoomId> = (1..=ROOMS)
        .filter(|room| room % 2 == 0)
        .map(RoomId::from_bits)
        .collect();
    wait_until("the node owns all shards", async || {
        (first.metric("noughts_shards_owned").await == 16).then_some(())
    })
    .await;
    assert_eq!(
        first.metric("noughts_rooms_unavailable").await,
        damaged.len() as i64
    );
    wait_until("the node is ready", async || {
        (get(first.address(), "/ready").await.0 == 200).then_some(())
    })
    .await;
    for room in &damaged {
        let is_named =
            |line: &str| line.contains("ERROR") && line.contains(&format!("room={room}"));
        wait_until(("an error names the room", room), async || {
            let lines = std::fs::read_to_string(&log_file).expect("the log of the node");
            lines.lines().any(is_named).then_some(())
        })
        .await;
    }

    // A part of the shards moves to a second node, with their rooms.
    let nodes = [first, start(Stdio::null())];
    wait_until("both nodes have shards", async || {
        (nodes[1].metric("noughts_shards_owned").await > 0
            && metric_sum(&nodes, "noughts_shards_owned").await == 16)
            .then_some(())
    })
    .await;
    let expected = damaged.len() as i64;
    wait_until("the new owner has read its rooms", async || {
        (metric_sum(&nodes, "noughts_rooms_unavailable").await == expected).then_some(())
    })
    .await;
    for node in &nodes {
        for room in 1..=ROOMS {
            let room_ref = RoomRef::Id(RoomId::from_bits(room));
            let mut client = TestClient::connect_as(&node.url, "Ann").await;
            if room % 2 == 0 {
                let code = client
                    .watch(room_ref)
                    .await
                    .expect_err("no room to watch")
                    .code;
                assert_eq!(code, RejectCode::Unavailable, "{room}");
                continue;
            }
            wait_until(("room", room), async || {
                match client.watch(room_ref).await {
                    Ok(watched) => Some(watched),
                    Err(reject) => {
                        // The shard may be moving.
                        assert_eq!(reject.code, RejectCode::Unavailable, "{room}");
                        None
                    }
                }
            })
            .await;
        }
    }
    let mut client = TestClient::connect_as(&nodes[0].url, "Bob").await;
    client.create("3x3:3", None, Some(Seat::X), false).await;
}
