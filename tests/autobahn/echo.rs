//! A server with an echo behind its door, for the Autobahn suite: `tests/autobahn/run`. Prints its address, and
//! runs until it is ended.

use std::sync::Arc;
use std::time::Duration;

use noughts_server::config::Limits;
use noughts_server::dice::Dice;
use noughts_server::http::bind;
use noughts_server::log::MemoryLog;
use noughts_server::time::Time;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let listener = bind("127.0.0.1:0".parse()?)?;
    println!("ws://{}/echo", listener.local_addr()?);
    // Sixteen megabytes take their time on a busy machine; all other limits are the product's.
    let limits = Limits { write: Duration::from_secs(60), ..Limits::default() };
    let log = Arc::new(MemoryLog::default());
    let for_ever = std::future::pending();
    noughts_server::run(listener, None, limits, log, Dice::from_seed(1), Time::start(), for_ever).await?;
    Ok(())
}
