//! Checks the server's gauges at the end of a run.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::sleep;
use turmoil::net::TcpStream;

use crate::network::{PORT, SERVER};
use crate::sim_state::SimState;

const GAUGES: [&str; 4] = ["noughts_connections", "noughts_rooms", "noughts_room_tasks", "noughts_seeks"];

/// Waits until all gauges are at zero.
pub(crate) async fn wait_until_idle(sim_state: &SimState) {
    loop {
        let left = match metrics().await {
            Ok(text) => GAUGES.into_iter().find(|gauge| !is_zero(&text, gauge)),
            Err(error) => {
                sim_state.record_violation("probe", format_args!("no metrics: {error}"));
                return;
            }
        };
        match left {
            None => return,
            Some(gauge) => sim_state.record("metrics", format_args!("{gauge} is not zero")),
        }
        sleep(Duration::from_millis(500)).await;
    }
}

async fn metrics() -> std::io::Result<String> {
    let mut stream = TcpStream::connect((SERVER, PORT)).await?;
    stream.write_all(b"GET /metrics HTTP/1.1\r\nHost: server\r\nConnection: close\r\n\r\n").await?;
    let mut text = String::new();
    stream.read_to_string(&mut text).await?;
    Ok(text)
}

fn is_zero(text: &str, gauge: &str) -> bool {
    text.lines().any(|line| line.strip_prefix(gauge) == Some(" 0"))
}
