//! The service manager that started the process: systemd, or another program that speaks its protocol. It may pass
//! listeners, and receives notifications of the state. Without a service manager, nothing here has an effect.
//!
//! The watchdog of a service manager ends a server that reports no progress. Progress is reported while the scheduler
//! of the runtime, each of its workers and the writer of the store make progress. A task that blocks a worker, and a
//! writer that no longer answers, therefore end the server.

use std::convert::Infallible;
use std::future::pending;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use std::{fmt, io};

use listenfd::ListenFd;
use sd_notify::NotifyState;
use tokio::runtime::{Handle, RuntimeMetrics};
use tokio::time::{Instant, sleep};
use tracing::{error, info, warn};

use crate::runtime::ignore;
use crate::store::EventLog;

/// Name of the descriptor of the admin listener, as `FileDescriptorName=` sets it.
const ADMIN_NAME: &str = "admin";

/// Listeners that the service manager has opened. The service manager keeps them open while the server restarts, so
/// that new connections wait in the queue of the kernel and are not refused.
#[derive(Debug, Default)]
pub(super) struct InheritedListeners {
    /// Listener of the players.
    pub players: Option<TcpListener>,
    /// Admin listener: the descriptor with the name `admin`.
    pub admin: Option<TcpListener>,
}

impl InheritedListeners {
    /// Takes the listeners of the process, and removes them from the environment. The caller must not have started a
    /// thread.
    ///
    /// # Errors
    /// If a descriptor is not a TCP listener, or two descriptors have the same purpose.
    pub(super) fn take() -> Result<InheritedListeners, InheritedListenerError> {
        let names = std::env::var("LISTEN_FDNAMES").unwrap_or_default();
        let names = names.split(':').chain(std::iter::repeat(""));
        let mut inherited = InheritedListeners::default();
        let mut descriptors = ListenFd::from_env();
        for (index, name) in (0..descriptors.len()).zip(names) {
            if let Some(listener) = descriptors.take_tcp_listener(index)? {
                inherited.add(name, listener)?;
            }
        }
        Ok(inherited)
    }

    fn add(&mut self, name: &str, listener: TcpListener) -> Result<(), InheritedListenerError> {
        let (place, purpose) = if name == ADMIN_NAME {
            (&mut self.admin, ListenerPurpose::Admin)
        } else {
            (&mut self.players, ListenerPurpose::Players)
        };
        match place.replace(listener) {
            None => Ok(()),
            Some(_) => Err(InheritedListenerError::Duplicate(purpose)),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ListenerPurpose {
    Players,
    Admin,
}

impl fmt::Display for ListenerPurpose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ListenerPurpose::Players => "players",
            ListenerPurpose::Admin => "admin",
        })
    }
}

/// A listener of the service manager that the server cannot use.
#[derive(Debug, thiserror::Error)]
pub(super) enum InheritedListenerError {
    /// The descriptor is not a TCP listener.
    #[error("cannot use a descriptor of the service manager: {0}")]
    Descriptor(#[from] io::Error),
    /// Only one listener of each purpose is possible.
    #[error(
        "the service manager passes two listeners for {0}; name the descriptor of the admin listener `admin`"
    )]
    Duplicate(ListenerPurpose),
}

/// Sends notifications to the service manager.
#[derive(Clone, Debug)]
pub(super) struct ServiceNotifier {
    is_present: bool,
    is_ready: Arc<AtomicBool>,
}

impl ServiceNotifier {
    /// Finds the service manager in the environment.
    pub(super) fn from_env() -> ServiceNotifier {
        ServiceNotifier {
            is_present: std::env::var_os("NOTIFY_SOCKET").is_some(),
            is_ready: Arc::default(),
        }
    }

    /// Returns whether a service manager receives the notifications.
    pub(super) fn is_present(&self) -> bool {
        self.is_present
    }

    /// Reports that the server accepts connections.
    pub(super) fn on_ready(&self) {
        self.is_ready.store(true, Ordering::Relaxed);
        notify(&[NotifyState::Ready]);
    }

    /// Runs a reload, and notifies the service manager of its beginning and end. A reload before the server is ready is
    /// part of the start and sends no notification.
    pub(super) fn wrap_reload(&self, reload: impl FnOnce()) {
        let is_ready = self.is_ready.load(Ordering::Relaxed);
        if is_ready {
            match NotifyState::monotonic_usec_now() {
                Ok(now) => notify(&[NotifyState::Reloading, now]),
                Err(error) => warn!(%error, "cannot read monotonic clock"),
            }
        }
        reload();
        if is_ready {
            notify(&[NotifyState::Ready]);
        }
    }

    /// Reports that the server stops.
    pub(super) fn on_stopping(&self) {
        notify(&[NotifyState::Stopping]);
    }

    /// Reports progress to the watchdog.
    fn on_progress(&self) {
        notify(&[NotifyState::Watchdog]);
    }
}

fn notify(states: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(states) {
        warn!(%error, "cannot notify service manager");
    }
}

/// Minimum time without progress that counts as a stall. An idle writer takes a step every half second.
const MIN_STALL: Duration = Duration::from_secs(2);

/// Reports progress four times per timeout of the watchdog, if there is one. Never completes.
pub(super) async fn feed_watchdog(
    notifier: &ServiceNotifier,
    log: Arc<dyn EventLog>,
) -> Infallible {
    let Some(timeout) = sd_notify::watchdog_enabled() else {
        return pending().await;
    };
    let mut monitor = ProgressMonitor::new(Handle::current().metrics().num_workers(), timeout / 2);
    let mut last_stalled = None;
    loop {
        let stalled = monitor.find_stalled(
            Instant::now(),
            &Handle::current().metrics(),
            log.writer_steps(),
        );
        match stalled {
            None => notifier.on_progress(),
            Some(part) if last_stalled != stalled => {
                error!(
                    ?part,
                    "no progress; the watchdog of the service manager is not fed"
                );
            }
            Some(_) => {}
        }
        if stalled.is_none() && last_stalled.is_some() {
            info!("progress resumed; the watchdog of the service manager is fed");
        }
        last_stalled = stalled;
        sleep(timeout / 4).await;
        // Spawns a task to prove that the scheduler runs tasks, because this future is not a task.
        ignore(tokio::spawn(async {}).await, "the task cannot panic");
    }
}

/// A part of the server that makes no progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StalledPart {
    /// A task occupies a worker of the runtime.
    RuntimeWorker(usize),
    StoreWriter,
}

/// Finds parts of the server that have made no progress since earlier checks.
#[derive(Debug)]
struct ProgressMonitor {
    workers: Vec<LastChange<WorkerState>>,
    store: LastChange<Option<u64>>,
    /// A part that has made no progress for this time counts as stalled.
    limit: Duration,
}

/// Number of parks and wake-ups of a worker, and its busy time. Neither value changes while one task occupies the
/// worker.
type WorkerState = (u64, Duration);

/// A value, and the time of its last change.
#[derive(Clone, Debug)]
struct LastChange<T> {
    value: Option<T>,
    changed_at: Instant,
}

impl<T: PartialEq> LastChange<T> {
    fn new(now: Instant) -> LastChange<T> {
        LastChange {
            value: None,
            changed_at: now,
        }
    }

    /// Records the current value, and returns the time since the value last changed.
    fn observe(&mut self, value: T, now: Instant) -> Duration {
        if self.value.as_ref() != Some(&value) {
            *self = LastChange {
                value: Some(value),
                changed_at: now,
            };
        }
        now - self.changed_at
    }
}

impl ProgressMonitor {
    fn new(worker_count: usize, limit: Duration) -> ProgressMonitor {
        let now = Instant::now();
        let workers = (0..worker_count).map(|_| LastChange::new(now)).collect();
        ProgressMonitor {
            workers,
            store: LastChange::new(now),
            limit: limit.max(MIN_STALL),
        }
    }

    /// Returns a stalled part, if there is one. `writer_steps` is the value of [`EventLog::writer_steps`].
    fn find_stalled(
        &mut self,
        now: Instant,
        runtime: &RuntimeMetrics,
        writer_steps: Option<u64>,
    ) -> Option<StalledPart> {
        let limit = self.limit;
        let is_store_stalled =
            self.store.observe(writer_steps, now) >= limit && writer_steps.is_some();
        let stalled_worker = self
            .workers
            .iter_mut()
            .enumerate()
            .find_map(|(worker, last)| {
                let parks = runtime.worker_park_unpark_count(worker);
                let idle_for =
                    last.observe((parks, runtime.worker_total_busy_duration(worker)), now);
                // An odd number means that the worker is parked, because it has nothing to do.
                let is_parked = parks % 2 == 1;
                (idle_for >= limit && !is_parked).then_some(StalledPart::RuntimeWorker(worker))
            });
        stalled_worker.or(is_store_stalled.then_some(StalledPart::StoreWriter))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::sync_channel;

    use super::*;

    fn listener() -> TcpListener {
        TcpListener::bind("127.0.0.1:0").unwrap()
    }

    #[test]
    fn the_name_decides_on_the_purpose_of_a_listener() {
        let mut inherited = InheritedListeners::default();
        inherited.add("noughts-server.socket", listener()).unwrap();
        assert!(inherited.players.is_some() && inherited.admin.is_none());
        inherited.add("admin", listener()).unwrap();
        assert!(inherited.admin.is_some());
        for (name, expected) in [("", "players"), ("admin", "admin")] {
            let error = inherited.add(name, listener()).unwrap_err();
            assert!(
                error
                    .to_string()
                    .contains(&format!("two listeners for {expected}")),
                "{error}"
            );
        }
    }

    const LIMIT: Duration = Duration::from_secs(10);

    #[tokio::test(start_paused = true)]
    async fn a_writer_without_steps_is_stalled_until_its_next_step() {
        let runtime = Handle::current().metrics();
        let mut monitor = ProgressMonitor::new(0, LIMIT);
        let start = Instant::now();
        for (seconds, steps, stalled) in [
            (0, 1, false),
            (9, 1, false),
            (10, 1, true),
            (60, 1, true),
            (61, 2, false),
            (70, 2, false),
            (71, 2, true),
        ] {
            let found =
                monitor.find_stalled(start + Duration::from_secs(seconds), &runtime, Some(steps));
            assert_eq!(
                found,
                stalled.then_some(StalledPart::StoreWriter),
                "after {seconds} s"
            );
        }
        let found = monitor.find_stalled(start + 100 * LIMIT, &runtime, None);
        assert_eq!(found, None, "a store without a writer");
        let found = monitor.find_stalled(start + 200 * LIMIT, &runtime, None);
        assert_eq!(found, None, "a store without a writer");
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_worker_is_stalled_while_a_task_occupies_it() {
        let runtime = Handle::current().metrics();
        let mut monitor = ProgressMonitor::new(runtime.num_workers(), LIMIT);
        let (release, blocked) = sync_channel::<()>(0);
        let (started, has_started) = tokio::sync::oneshot::channel();
        let task = tokio::spawn(async move {
            started.send(()).unwrap();
            blocked.recv().unwrap_err();
        });
        has_started.await.unwrap();
        let start = Instant::now();
        assert_eq!(monitor.find_stalled(start, &runtime, None), None);
        let found = monitor.find_stalled(start + LIMIT, &runtime, None);
        assert!(
            matches!(found, Some(StalledPart::RuntimeWorker(_))),
            "{found:?}"
        );
        drop(release);
        task.await.unwrap();
        crate::tests::wait_until(|| {
            // Both workers have parked or worked since.
            monitor
                .find_stalled(start + 3 * LIMIT, &runtime, None)
                .is_none()
        })
        .await;
    }
}
