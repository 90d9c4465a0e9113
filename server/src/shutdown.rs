//! The operator's signals.

use std::future::pending;
use std::sync::Arc;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::oneshot;
use tracing::warn;

use crate::net::tls::TlsCertificate;

/// What the operator wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OperatorSignal {
    /// SIGTERM, SIGINT: to end.
    Stop,
    /// SIGHUP: to read files again; where there are none, the terminal has gone.
    Reload,
}

/// The signals that the process hears from here on, in the order in which they come.
#[derive(Debug)]
struct OperatorSignals([Option<Signal>; 3]);

impl OperatorSignals {
    /// From here on these signals no longer end the process by themselves.
    fn listen() -> OperatorSignals {
        OperatorSignals([SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup()].map(install))
    }

    /// Waits for the next one.
    async fn next(&mut self) -> OperatorSignal {
        let [terminate, interrupt, hangup] = &mut self.0;
        tokio::select! {
            () = recv_or_pending(terminate) => OperatorSignal::Stop,
            () = recv_or_pending(interrupt) => OperatorSignal::Stop,
            () = recv_or_pending(hangup) => OperatorSignal::Reload,
        }
    }
}

/// Two moments: when to begin to drain, and when to end at once. Until then a wish to reload reads
/// the certificate again; with none, a hangup is a wish to stop.
pub fn shutdown_futures(
    tls: Option<Arc<TlsCertificate>>,
) -> (impl Future<Output = ()>, impl Future<Output = ()>) {
    let mut signals = OperatorSignals::listen();
    let (first_stop, drain) = oneshot::channel::<()>();
    let drain = async {
        // An error means that the sender below has gone, which is a reason to stop as well.
        let (Ok(()) | Err(_)) = drain.await;
    };
    let abort = async move {
        let mut first = Some(first_stop);
        loop {
            match (signals.next().await, &tls) {
                (OperatorSignal::Reload, Some(tls)) => tls.reload(),
                (OperatorSignal::Reload, None) | (OperatorSignal::Stop, _) => {
                    if first.take().is_none() {
                        return;
                    }
                }
            }
        }
    };
    (drain, abort)
}

fn install(kind: SignalKind) -> Option<Signal> {
    signal(kind).inspect_err(|error| warn!(%error, "a signal will do what the system does with it")).ok()
}

async fn recv_or_pending(signal: &mut Option<Signal>) {
    let received = match signal {
        Some(signal) => signal.recv().await,
        None => None,
    };
    if received.is_none() {
        pending::<()>().await;
    }
}
