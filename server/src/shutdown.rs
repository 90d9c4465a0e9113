//! The operator's signals.

use std::future::pending;
use std::sync::Arc;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::oneshot;
use tracing::warn;

use crate::tls::Tls;

/// What the operator wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wish {
    /// SIGTERM, SIGINT: to end.
    Stop,
    /// SIGHUP: to read files again; where there are none, the terminal has gone.
    Reload,
}

/// The signals that the process hears from here on, in the order in which they come.
#[derive(Debug)]
struct Signals([Option<Signal>; 3]);

impl Signals {
    /// From here on these signals no longer end the process by themselves.
    fn listen() -> Signals {
        Signals([SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup()].map(hear))
    }

    /// Waits for the next one.
    async fn next(&mut self) -> Wish {
        let [terminate, interrupt, hangup] = &mut self.0;
        tokio::select! {
            () = next(terminate) => Wish::Stop,
            () = next(interrupt) => Wish::Stop,
            () = next(hangup) => Wish::Reload,
        }
    }
}

/// Two moments: when to begin to drain, and when to end at once. Until then a wish to reload reads
/// the certificate again; with none, a hangup is a wish to stop.
pub fn watch(tls: Option<Arc<Tls>>) -> (impl Future<Output = ()>, impl Future<Output = ()>) {
    let mut signals = Signals::listen();
    let (first, drain) = oneshot::channel::<()>();
    let drain = async {
        // An error means that the sender below has gone, which is a reason to stop as well.
        let (Ok(()) | Err(_)) = drain.await;
    };
    let end = async move {
        let mut first = Some(first);
        loop {
            match (signals.next().await, &tls) {
                (Wish::Reload, Some(tls)) => tls.reload(),
                (Wish::Reload, None) | (Wish::Stop, _) => {
                    if first.take().is_none() {
                        return;
                    }
                }
            }
        }
    };
    (drain, end)
}

fn hear(kind: SignalKind) -> Option<Signal> {
    signal(kind).inspect_err(|error| warn!(%error, "a signal will do what the system does with it")).ok()
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
