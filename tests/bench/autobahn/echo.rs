//! Server with an echo endpoint for the Autobahn suite, started by `autobahn/run`. Prints
//! its address and runs until it is killed.

use std::sync::Arc;
use std::time::Duration;

use noughts_server::ServerLimits;
use noughts_server::testing::MemoryLog;
use noughts_server::testing::ServerClock;
use noughts_server::testing::ServerRng;
use noughts_server::testing::bind;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let listener = bind("127.0.0.1:0".parse()?)?;
    println!("ws://{}/echo", listener.local_addr()?);
    // Writing 16 MiB takes a long time on a busy machine, and each case opens a connection. All other limits are the
    // defaults.
    let limits = ServerLimits {
        write_timeout: Duration::from_secs(60),
        max_new_per_second: Some(1000),
        ..ServerLimits::default()
    };
    let log = Arc::new(MemoryLog::default());
    let never = std::future::pending();
    noughts_server::run(
        listener,
        None,
        limits,
        log,
        ServerRng::from_seed(1),
        ServerClock::start(),
        never,
    )
    .await?;
    Ok(())
}
