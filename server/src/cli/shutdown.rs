//! Signals of the operator: SIGTERM, SIGINT, SIGHUP, and the end of standard input.

use std::future::pending;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Builder;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::oneshot;
use tokio::time::timeout;
use tracing::{info, warn};

use super::service_manager::ServiceNotifier;
use crate::net::accept::TlsCertificate;
use crate::runtime::ignore;

/// Meaning of a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OperatorSignal {
    /// SIGTERM, SIGINT; the end of standard input, if the server stops with it.
    Stop,
    /// SIGHUP. Reloads the certificate; without a certificate, it means that the terminal was closed.
    Reload,
}

/// Makes a write that exceeds RLIMIT_FSIZE fail, as on a full disk, instead of ending the program.
///
/// # Errors
/// If the signal handler cannot be installed.
pub(crate) fn survive_file_size_limit() -> io::Result<()> {
    // tokio installs the handler within a runtime. The handler remains when the runtime and the receiver are dropped.
    let runtime = Builder::new_current_thread().enable_io().build()?;
    let _context = runtime.enter();
    let kind = SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw());
    signal(kind).map(drop)
}

/// Installed signal handlers.
#[derive(Debug)]
struct OperatorSignals {
    signals: [Option<Signal>; 3],
    /// Completes at the end of standard input.
    end_of_stdin: Option<oneshot::Receiver<()>>,
}

impl OperatorSignals {
    /// Installs the handlers, which replace the default action. With `reloads`, SIGHUP is handled even under nohup,
    /// because it then requests a reload and need not mean that the terminal was closed.
    fn listen(reloads: bool, stops_with_stdin: bool) -> OperatorSignals {
        let hangup = (reloads || !ignores_hangup()).then(|| install(SignalKind::hangup()));
        let signals = [
            install(SignalKind::terminate()),
            install(SignalKind::interrupt()),
            hangup.flatten(),
        ];
        OperatorSignals {
            signals,
            end_of_stdin: stops_with_stdin.then(watch_stdin),
        }
    }

    /// Waits for the next signal.
    async fn next(&mut self) -> OperatorSignal {
        let [terminate, interrupt, hangup] = &mut self.signals;
        tokio::select! {
            () = recv_or_pending(terminate) => OperatorSignal::Stop,
            () = recv_or_pending(interrupt) => OperatorSignal::Stop,
            () = recv_or_pending(hangup) => OperatorSignal::Reload,
            () = end_or_pending(&mut self.end_of_stdin) => OperatorSignal::Stop,
        }
    }
}

/// Returns two futures: the first completes to begin draining, the second to abort.
///
/// The first stop signal calls `on_first`. Draining begins after `drain_wait`, or at a second signal during that time.
/// The next signal aborts. If `drain_wait` is zero, the second signal aborts.
///
/// The caller must poll the second future, because this future handles all signals. SIGHUP reloads the certificate.
/// Without a certificate, SIGHUP does nothing under a service manager, which sends it to reload. Otherwise it stops the
/// server, unless the process ignored SIGHUP at the start.
pub(crate) fn shutdown_futures(
    tls: Option<Arc<TlsCertificate>>,
    notifier: ServiceNotifier,
    stops_with_stdin: bool,
    drain_wait: Duration,
    on_first: impl FnOnce(),
) -> (impl Future<Output = ()>, impl Future<Output = ()>) {
    let mut signals =
        OperatorSignals::listen(tls.is_some() || notifier.is_present(), stops_with_stdin);
    let (first_stop, stopped) = oneshot::channel::<()>();
    let (second_stop, hurried) = oneshot::channel::<()>();
    let drain = async move {
        ignore(
            stopped.await,
            "a dropped sender is a reason to stop as well",
        );
        on_first();
        if drain_wait > Duration::ZERO {
            info!(wait = ?drain_wait, "stop requested; serving for a while longer, so that the load balancer can notice");
            // The end of the wait and a second signal have the same effect.
            let (Ok(_) | Err(_)) = timeout(drain_wait, hurried).await;
        }
    };
    let abort = async move {
        // Without a wait, each stop signal after the first signal aborts.
        let mut stops = if drain_wait.is_zero() {
            vec![first_stop]
        } else {
            vec![second_stop, first_stop]
        };
        loop {
            match (signals.next().await, &tls) {
                (OperatorSignal::Reload, Some(tls)) => notifier.wrap_reload(|| tls.reload()),
                (OperatorSignal::Reload, None) if notifier.is_present() => {
                    notifier.wrap_reload(|| info!("nothing to reload: no certificate"));
                }
                (OperatorSignal::Reload, None) | (OperatorSignal::Stop, _) => {
                    // The receiver of `second_stop` is dropped when draining begins.
                    let is_taken = |stop: oneshot::Sender<()>| stop.send(()).is_ok();
                    if !stops.pop().is_some_and(is_taken) {
                        return;
                    }
                }
            }
        }
    };
    (drain, abort)
}

/// Returns whether the process ignores SIGHUP, as under nohup. Returns `false` on systems other than Linux, where this
/// cannot be read.
fn ignores_hangup() -> bool {
    let ignored = std::fs::read_to_string("/proc/self/status")
        .ok()
        .and_then(|status| {
            let mask = status
                .lines()
                .find_map(|line| line.strip_prefix("SigIgn:"))?;
            u64::from_str_radix(mask.trim(), 16).ok()
        });
    // Signal n is bit n - 1.
    ignored.is_some_and(|mask| mask >> (SignalKind::hangup().as_raw_value() - 1) & 1 == 1)
}

/// Reads standard input to its end, in a thread of its own that ends with the process. A task that reads standard input
/// would block the shutdown of the runtime.
fn watch_stdin() -> oneshot::Receiver<()> {
    let (end, ended) = oneshot::channel();
    std::thread::spawn(move || {
        if let Err(error) = std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink()) {
            warn!(%error, "standard input not readable; stopping");
        }
        ignore(end.send(()), "the server has stopped already");
    });
    ended
}

/// Waits for the end of standard input. Waits forever if the end was reported before, or if standard input is not
/// watched.
async fn end_or_pending(end: &mut Option<oneshot::Receiver<()>>) {
    match end {
        Some(ended) => {
            ignore(ended.await, "a dropped sender means the end as well");
            *end = None;
        }
        None => pending().await,
    }
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
