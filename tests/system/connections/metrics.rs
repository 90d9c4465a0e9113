//! The metrics endpoint.

use std::collections::{HashMap, HashSet};

use noughts_protocol::wire::{RequestBody, SessionRequest};
use noughts_tests::client::game_setup::{pair_players, play_moves, room_ref};
use noughts_tests::client::raw_websocket::RawWebSocket;
use noughts_tests::server::TestServer;
use noughts_tests::wait::wait_until;

/// Parses OpenMetrics text; each sample must follow its HELP and TYPE lines.
fn parse_metrics(text: &str) -> HashMap<String, f64> {
    let (mut described, mut kinds) = (HashSet::new(), HashMap::new());
    let mut samples = HashMap::new();
    let text = text.strip_suffix("# EOF\n").expect("the text is complete");
    for line in text.lines() {
        if let Some(help) = line.strip_prefix("# HELP ") {
            let (name, help) = help.split_once(' ').expect(line);
            assert!(!help.is_empty() && described.insert(name), "{line}");
        } else if let Some(kind) = line.strip_prefix("# TYPE ") {
            let (name, kind) = kind.split_once(' ').expect(line);
            assert!(
                described.contains(name) && kinds.insert(name, kind).is_none(),
                "{line}"
            );
        } else {
            let (key, value) = line.rsplit_once(' ').expect(line);
            let name = key.split('{').next().expect(line);
            let suffixes = [
                ("_total", "counter"),
                ("_info", "info"),
                ("_bucket", "histogram"),
                ("_sum", "histogram"),
                ("_count", "histogram"),
            ];
            let (described_name, expected_kind) = suffixes
                .iter()
                .find_map(|(suffix, kind)| Some((name.strip_suffix(suffix)?, *kind)))
                .unwrap_or((name, "gauge"));
            assert_eq!(kinds.get(described_name), Some(&expected_kind), "{line}");
            let legal =
                |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
            assert!(
                name.starts_with("noughts_") && name.bytes().all(legal),
                "{line}"
            );
            assert!(
                samples
                    .insert(key.to_owned(), value.parse().expect(line))
                    .is_none(),
                "{line} twice"
            );
        }
    }
    samples
}

#[tokio::test]
async fn metrics_count_current_and_past_state() {
    let server = TestServer::start().await;
    let metrics = async || parse_metrics(&server.get("/metrics").await.1);
    let before = metrics().await;
    for (name, value) in &before {
        match name.as_str() {
            "noughts_sockets" => assert_eq!(*value, 1.0, "the connection of this request"),
            // The number includes the tasks of this test.
            "noughts_tasks" | "noughts_start_time_seconds" => assert!(*value > 0.0),
            "noughts_ready" => assert_eq!(*value, 1.0),
            name if name.starts_with("noughts_build_info{version=") => assert_eq!(*value, 1.0),
            _ => assert_eq!(*value, 0.0, "{name}"),
        }
    }

    let mut players = pair_players(&server, "3x3:3", None).await;
    play_moves(&mut players, &[4, 0, 2, 1]).await;
    let mut spectator = server.connect_client("Eve").await;
    spectator
        .watch(room_ref(&players[0]))
        .await
        .expect("a public room");
    let mut seeking = server.connect_client("Dan").await;
    seeking.seek("7x6:4+gravity", None, None).await;
    let unfinished_handshake = RawWebSocket::connect_websocket(server.address()).await;
    let expected_gauges = [
        ("sockets", 6.0),
        ("connections", 5.0),
        ("rooms", 1.0),
        ("room_tasks", 1.0),
        ("seeks", 1.0),
    ];
    for (name, value) in expected_gauges {
        wait_until(("a gauge", name, value), async || {
            (metrics().await[&format!("noughts_{name}")] == value).then_some(())
        })
        .await;
    }
    play_moves(&mut players, &[6]).await;
    assert!(players[1].play(8).await.is_err());
    drop(unfinished_handshake);
    let now = metrics().await;
    for (name, value) in [
        ("accepted_total", 5.0),
        ("refused_total", 0.0),
        ("moves_total", 5.0),
        ("games_total", 1.0),
        ("events_total", 10.0),
        ("rejects_total{code=\"game_over\"}", 1.0),
        ("move_seconds_count", 5.0),
        ("move_seconds_bucket{le=\"+Inf\"}", 5.0),
        ("append_failures_total", 0.0),
        ("room_panics_total", 0.0),
    ] {
        assert_eq!(now[&format!("noughts_{name}")], value, "{name}");
    }
    let [mut x, mut o] = players;
    for client in [&mut x, &mut o] {
        client
            .request(RequestBody::Session(SessionRequest::Leave))
            .await
            .unwrap();
    }
    drop((x, o, spectator, seeking));
    server.wait_until_idle().await;
    wait_until("no sockets", async || {
        (metrics().await["noughts_sockets"] == 1.0).then_some(())
    })
    .await;
}
