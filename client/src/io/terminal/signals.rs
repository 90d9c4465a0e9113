//! Signals as a stream for the loop. Handlers do nothing else.

use std::io;
use std::time::Duration;

use tokio::signal::unix::{self, SignalKind};

/// A signal for the loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signal {
    /// The program has to end because of this signal.
    End(u8),
    /// `SIGCONT`: the process continues after a stop, and the terminal may have changed.
    Continued,
}

/// Stream of the signals that the loop handles.
#[derive(Debug)]
pub(crate) struct Signals {
    term: unix::Signal,
    hup: unix::Signal,
    int: unix::Signal,
    cont: unix::Signal,
}

const SIGHUP: u8 = 1;
const SIGINT: u8 = 2;
const SIGTERM: u8 = 15;
/// Timeout for `SIGCONT`, in case the process was not stopped.
const STOP_TIMEOUT: Duration = Duration::from_millis(300);

impl Signals {
    /// Installs the signal handlers.
    ///
    /// # Errors
    /// Returns an error of the system.
    pub(crate) fn listen() -> io::Result<Signals> {
        Ok(Signals {
            term: unix::signal(SignalKind::terminate())?,
            hup: unix::signal(SignalKind::hangup())?,
            int: unix::signal(SignalKind::interrupt())?,
            cont: unix::signal(SignalKind::from_raw(rustix::process::Signal::CONT.as_raw()))?,
        })
    }

    /// Waits for the next signal. Cancel safe.
    pub(crate) async fn next(&mut self) -> Signal {
        tokio::select! {
            _ = self.term.recv() => Signal::End(SIGTERM),
            _ = self.hup.recv() => Signal::End(SIGHUP),
            _ = self.int.recv() => Signal::End(SIGINT),
            _ = self.cont.recv() => Signal::Continued,
        }
    }
}

/// Stops the process group, as Ctrl-Z does, until the shell continues it. Without a shell that could continue it, the
/// system does not stop an orphaned process group.
pub(crate) async fn suspend_process(signals: &mut Signals) {
    if let Err(error) = rustix::process::kill_current_process_group(rustix::process::Signal::TSTP) {
        tracing::warn!(%error, "process stop failed");
        return;
    }
    // The stop may take effect after the call returns, so wait for `SIGCONT` before drawing.
    let continued = tokio::time::timeout(STOP_TIMEOUT, signals.cont.recv()).await;
    tracing::debug!(stopped = continued.is_ok(), "process continued");
}
