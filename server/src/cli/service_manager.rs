//! The service manager that started the process: systemd, or another one that speaks its protocol. It may pass listeners,
//! and receives notifications of the state. Without a service manager, everything here does nothing.

use std::fmt;
use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use listenfd::ListenFd;
use sd_notify::NotifyState;
use tracing::warn;

/// Name of the descriptor of the admin listener, as `FileDescriptorName=` sets it.
const ADMIN_NAME: &str = "admin";

/// Listeners that the service manager has opened. It keeps them open while the server restarts, so that clients wait in
/// the queue of the kernel instead of being refused.
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
    /// If a descriptor is no TCP listener, or two of them have one purpose.
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

/// Purpose of a listener.
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
    /// The descriptor is no TCP listener.
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

    /// Whether a service manager receives the notifications.
    pub(super) fn is_present(&self) -> bool {
        self.is_present
    }

    /// Reports that the server accepts connections.
    pub(super) fn on_ready(&self) {
        self.is_ready.store(true, Ordering::Relaxed);
        notify(&[NotifyState::Ready]);
    }

    /// Runs a reload between the notifications of its begin and its end. A reload before the server is ready is a part of
    /// the start.
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
    pub(super) fn on_progress(&self) {
        notify(&[NotifyState::Watchdog]);
    }
}

fn notify(states: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(states) {
        warn!(%error, "service manager not notified");
    }
}

#[cfg(test)]
mod tests {
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
}
