//! Checks the server's gauges at the end of a run.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::sleep;
use turmoil::net::TcpStream;

use crate::network::PORT;
use crate::sim_state::SimState;

const GAUGES: [&str; 4] = ["noughts_connections", "noughts_rooms", "noughts_room_tasks", "noughts_seeks"];

/// Waits until all gauges are at zero.
pub(crate) async fn wait_until_idle(sim_state: &SimState) {
    loop {
        let left = match metrics(sim_state).await {
            Ok(text) => GAUGES.into_iter().find(|gauge| !is_zero(&text, gauge)),
            // Between the end of a node and the start of the next one.
            Err(_) if sim_state.cluster.is_some() => Some("no node serves"),
            Err(error) => {
                sim_state.record_violation("probe", format_args!("no metrics: {error}"));
                return;
            }
        };
        match left {
            None => return,
            Some(left) => sim_state.record("metrics", format_args!("not idle: {left}")),
        }
        sleep(Duration::from_millis(500)).await;
    }
}

/// The metrics of the host that serves.
async fn metrics(sim_state: &SimState) -> std::io::Result<String> {
    let mut connected = Err(std::io::ErrorKind::NotFound.into());
    for host in sim_state.hosts() {
        connected = TcpStream::connect((*host, PORT)).await;
        if connected.is_ok() {
            break;
        }
    }
    let mut stream = connected?;
    stream.write_all(b"GET /metrics HTTP/1.1\r\nHost: server\r\nConnection: close\r\n\r\n").await?;
    let mut text = String::new();
    stream.read_to_string(&mut text).await?;
    Ok(text)
}

fn is_zero(text: &str, gauge: &str) -> bool {
    text.lines().any(|line| line.strip_prefix(gauge) == Some(" 0"))
}
