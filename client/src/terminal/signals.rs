//! Signals as inputs of the loop: nothing happens in a handler.

use std::io;
use std::time::Duration;

use tokio::signal::unix::{self, SignalKind};

/// What the system wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// The program is to end, by the signal of this number.
    End(u8),
    /// The program goes on after a stop: whoever was in front meanwhile has drawn over everything.
    Continued,
}

/// The signals that the loop listens to.
#[derive(Debug)]
pub struct Signals {
    term: unix::Signal,
    hup: unix::Signal,
    int: unix::Signal,
    cont: unix::Signal,
}

const SIGHUP: u8 = 1;
const SIGINT: u8 = 2;
const SIGTERM: u8 = 15;
/// How long to wait for the word to go on, if the stop itself was not carried out.
const STOP_TIMEOUT: Duration = Duration::from_millis(300);

impl Signals {
    /// Listens from now on.
    ///
    /// # Errors
    /// What the system says.
    pub fn listen() -> io::Result<Signals> {
        Ok(Signals {
            term: unix::signal(SignalKind::terminate())?,
            hup: unix::signal(SignalKind::hangup())?,
            int: unix::signal(SignalKind::interrupt())?,
            cont: unix::signal(SignalKind::from_raw(rustix::process::Signal::CONT.as_raw()))?,
        })
    }

    /// The next signal. May be dropped and called again.
    pub async fn next(&mut self) -> Signal {
        tokio::select! {
            _ = self.term.recv() => Signal::End(SIGTERM),
            _ = self.hup.recv() => Signal::End(SIGHUP),
            _ = self.int.recv() => Signal::End(SIGINT),
            _ = self.cont.recv() => Signal::Continued,
        }
    }
}

/// Stops the program and all in its process group, as Ctrl-Z does, until the shell lets them go on. Where
/// no shell could, the system does not stop it at all.
pub async fn suspend_process(signals: &mut Signals) {
    if let Err(error) = rustix::process::kill_current_process_group(rustix::process::Signal::TSTP) {
        tracing::warn!(%error, "cannot stop");
        return;
    }
    // The stop may take effect a moment after the call: not to draw before it, wait for the word to go on.
    let continued = tokio::time::timeout(STOP_TIMEOUT, signals.cont.recv()).await;
    tracing::debug!(stopped = continued.is_ok(), "going on");
}
