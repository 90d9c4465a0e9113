//! Delay after a failed accept: exponential backoff from 50 ms to 1 s.

use std::io;
use std::time::Duration;

use tracing::{debug, info, warn};

/// Without file descriptors or memory the next accept fails as well, until a connection closes. Meanwhile new connections
/// wait in the backlog of the kernel.
const MIN_DELAY: Duration = Duration::from_millis(50);
const MAX_DELAY: Duration = Duration::from_secs(1);

/// The current delay; none after a successful accept. Logs the first failure and the recovery.
#[derive(Debug, Default)]
pub(super) struct AcceptBackoff(Option<Duration>);

impl AcceptBackoff {
    /// Returns the delay before the next accept; none for a failure of a single connection.
    pub(super) fn on_error(&mut self, error: &io::Error) -> Option<Duration> {
        if is_peer_error(error) {
            debug!(%error, "connection reset before accept");
            return None;
        }
        match &mut self.0 {
            None => {
                warn!(%error, retry_in = ?MIN_DELAY, "accept failed; retrying with backoff");
                Some(*self.0.insert(MIN_DELAY))
            }
            Some(delay) => {
                *delay = (*delay * 2).min(MAX_DELAY);
                Some(*delay)
            }
        }
    }

    /// Resets the delay.
    pub(super) fn on_success(&mut self) {
        if self.0.take().is_some() {
            info!("accept recovered");
        }
    }
}

fn is_peer_error(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted};
    [
        ConnectionAborted,
        ConnectionRefused,
        ConnectionReset,
        Interrupted,
    ]
    .contains(&error.kind())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backoff_grows_to_its_limit_and_resets() {
        let mut backoff = AcceptBackoff::default();
        let error = io::Error::other("too many open files");
        let delays: Vec<_> = (0..7)
            .map(|_| backoff.on_error(&error).unwrap().as_millis())
            .collect();
        assert_eq!(delays, [50, 100, 200, 400, 800, 1000, 1000]);
        assert_eq!(
            backoff.on_error(&io::ErrorKind::ConnectionAborted.into()),
            None
        );
        backoff.on_success();
        assert_eq!(backoff.on_error(&error), Some(MIN_DELAY));
    }
}
