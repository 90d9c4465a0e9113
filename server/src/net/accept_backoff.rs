//! What a failed accept is followed by: nothing, or a rest that grows as long as they fail.

use std::io;
use std::time::Duration;

use tracing::{debug, info, warn};

/// Out of descriptors or of memory, the next accept fails as well: until somebody goes, whoever knocks
/// waits in the kernel.
const MIN_DELAY: Duration = Duration::from_millis(50);
const MAX_DELAY: Duration = Duration::from_secs(1);

/// The rest that is being taken, if one is. An operator hears of it when it begins and when it is over.
#[derive(Debug, Default)]
pub(super) struct AcceptBackoff(Option<Duration>);

impl AcceptBackoff {
    /// How long to rest now; none for a peer that was gone before it was let in.
    pub(super) fn on_error(&mut self, error: &io::Error) -> Option<Duration> {
        if is_peer_error(error) {
            debug!(%error, "the peer was gone before it was let in");
            return None;
        }
        match &mut self.0 {
            None => {
                warn!(%error, "nobody can be let in; trying again until it works");
                Some(*self.0.insert(MIN_DELAY))
            }
            Some(delay) => {
                *delay = (*delay * 2).min(MAX_DELAY);
                Some(*delay)
            }
        }
    }

    /// Somebody was let in.
    pub(super) fn on_success(&mut self) {
        if self.0.take().is_some() {
            info!("people are let in again");
        }
    }
}

fn is_peer_error(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted};
    [ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted].contains(&error.kind())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backoff_grows_to_its_limit_and_resets() {
        let mut backoff = AcceptBackoff::default();
        let error = io::Error::other("too many open files");
        let delays: Vec<_> = (0..7).map(|_| backoff.on_error(&error).unwrap().as_millis()).collect();
        assert_eq!(delays, [50, 100, 200, 400, 800, 1000, 1000]);
        assert_eq!(backoff.on_error(&io::ErrorKind::ConnectionAborted.into()), None);
        backoff.on_success();
        assert_eq!(backoff.on_error(&error), Some(MIN_DELAY));
    }
}
