//! Signals of the operator: SIGTERM, SIGINT, SIGHUP.

use std::future::pending;
use std::sync::Arc;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::oneshot;
use tracing::{info, warn};

use super::service_manager::ServiceNotifier;
use crate::net::tls::TlsCertificate;
use crate::runtime::ignore::ignore;

/// Meaning of a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OperatorSignal {
    /// SIGTERM, SIGINT.
    Stop,
    /// SIGHUP: reload the certificate. Without one, the terminal was closed.
    Reload,
}

/// Installed signal handlers.
#[derive(Debug)]
struct OperatorSignals([Option<Signal>; 3]);

impl OperatorSignals {
    /// Installs the handlers, which replace the default action. `reloads`: SIGHUP has a meaning in addition to the end
    /// of the terminal, which a program under nohup survives.
    fn listen(reloads: bool) -> OperatorSignals {
        let hangup = (reloads || !ignores_hangup()).then(|| install(SignalKind::hangup()));
        OperatorSignals([
            install(SignalKind::terminate()),
            install(SignalKind::interrupt()),
            hangup.flatten(),
        ])
    }

    /// Waits for the next signal.
    async fn next(&mut self) -> OperatorSignal {
        let [terminate, interrupt, hangup] = &mut self.0;
        tokio::select! {
            () = recv_or_pending(terminate) => OperatorSignal::Stop,
            () = recv_or_pending(interrupt) => OperatorSignal::Stop,
            () = recv_or_pending(hangup) => OperatorSignal::Reload,
        }
    }
}

/// Returns two futures: the first completes at the first stop signal, to begin draining; the second at the second stop
/// signal, to abort.
///
/// The second future must be polled: it handles all signals. SIGHUP reloads the certificate. Without one, it does nothing
/// under a service manager, which sends it to reload, and otherwise stops the server, unless it was ignored at the start.
pub(crate) fn shutdown_futures(
    tls: Option<Arc<TlsCertificate>>,
    notifier: ServiceNotifier,
) -> (impl Future<Output = ()>, impl Future<Output = ()>) {
    let mut signals = OperatorSignals::listen(tls.is_some() || notifier.is_present());
    let (first_stop, drain) = oneshot::channel::<()>();
    let drain = async {
        ignore(drain.await, "a dropped sender is a reason to stop as well");
    };
    let abort = async move {
        let mut first = Some(first_stop);
        loop {
            match (signals.next().await, &tls) {
                (OperatorSignal::Reload, Some(tls)) => notifier.wrap_reload(|| tls.reload()),
                (OperatorSignal::Reload, None) if notifier.is_present() => {
                    notifier.wrap_reload(|| info!("nothing to reload: no certificate"));
                }
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

/// Returns whether the process ignores SIGHUP, as under nohup (Linux). Other systems do not show it: false.
fn ignores_hangup() -> bool {
    let ignored = std::fs::read_to_string("/proc/self/status").ok().and_then(|status| {
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
        u64::from_str_radix(mask.trim(), 16).ok()
    });
    // Signal n is bit n - 1.
    ignored.is_some_and(|mask| mask >> (SignalKind::hangup().as_raw_value() - 1) & 1 == 1)
}

fn install(kind: SignalKind) -> Option<Signal> {
    signal(kind)
        .inspect_err(|error| warn!(%error, "cannot install signal handler; default action applies"))
        .ok()
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
