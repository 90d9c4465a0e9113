//! Checks the server's gauges at the end of a run.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::sleep;
use turmoil::net::TcpStream;

use crate::network::PORT;
use crate::sim_state::SimState;

const GAUGES: [&str; 4] = [
    "noughts_connections",
    "noughts_rooms",
    "noughts_room_tasks",
    "noughts_seeks",
];

/// Number of checks in a row, every half a second, that must find all nodes idle. A shard that moves leaves
/// its rooms without a node for a shorter time.
const IDLE_CHECKS: u32 = 20;

/// Waits until all gauges of the server, or of all nodes, are at zero.
pub(crate) async fn wait_until_idle(sim_state: &SimState) {
    let required = if sim_state.cluster.is_some() {
        IDLE_CHECKS
    } else {
        1
    };
    let mut idle_checks = 0;
    while idle_checks < required {
        idle_checks += 1;
        for host in sim_state.hosts() {
            let left = match metrics(host).await {
                Ok(text) => GAUGES.into_iter().find(|gauge| !is_zero(&text, gauge)),
                // The node has ended and has not started again yet.
                Err(_) if sim_state.cluster.is_some() => Some("the node does not serve"),
                Err(error) => {
                    sim_state.record_violation("probe", format_args!("no metrics: {error}"));
                    return;
                }
            };
            if let Some(left) = left {
                sim_state.record("metrics", format_args!("{host} is not idle: {left}"));
                idle_checks = 0;
            }
        }
        sleep(Duration::from_millis(500)).await;
    }
}

async fn metrics(host: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect((host, PORT)).await?;
    stream
        .write_all(b"GET /metrics HTTP/1.1\r\nHost: server\r\nConnection: close\r\n\r\n")
        .await?;
    let mut text = String::new();
    stream.read_to_string(&mut text).await?;
    Ok(text)
}

fn is_zero(text: &str, gauge: &str) -> bool {
    text.lines()
        .any(|line| line.strip_prefix(gauge) == Some(" 0"))
}
