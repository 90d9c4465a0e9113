//! The operator's signals.

use std::future::pending;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tracing::warn;

/// SIGTERM and SIGINT, in the order in which they come.
#[derive(Debug)]
pub struct Signals {
    terminate: Option<Signal>,
    interrupt: Option<Signal>,
}

impl Signals {
    /// From here on the signals no longer end the process by themselves.
    pub fn listen() -> Signals {
        Signals { terminate: hear(SignalKind::terminate()), interrupt: hear(SignalKind::interrupt()) }
    }

    /// Waits for the next one.
    pub async fn next(&mut self) {
        let Signals { terminate, interrupt } = self;
        tokio::select! {
            () = next(terminate) => {}
            () = next(interrupt) => {}
        }
    }
}

fn hear(kind: SignalKind) -> Option<Signal> {
    signal(kind).inspect_err(|error| warn!(%error, "a signal will end the process at once")).ok()
}

async fn next(signal: &mut Option<Signal>) {
    let heard = match signal {
        Some(signal) => signal.recv().await,
        None => None,
    };
    if heard.is_none() {
        pending::<()>().await;
    }
}
