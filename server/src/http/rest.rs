//! What a failed accept is followed by: nothing, or a rest that grows as long as they fail.

use std::io;
use std::time::Duration;

use tracing::{debug, info, warn};

/// Out of descriptors or of memory, the next accept fails as well: until somebody goes, whoever knocks
/// waits in the kernel.
const SHORTEST: Duration = Duration::from_millis(50);
const LONGEST: Duration = Duration::from_secs(1);

/// The rest that is being taken, if one is. An operator hears of it when it begins and when it is over.
#[derive(Debug, Default)]
pub(super) struct Rest(Option<Duration>);

impl Rest {
    /// How long to rest now; none for a peer that was gone before it was let in.
    pub(super) fn after(&mut self, error: &io::Error) -> Option<Duration> {
        if is_the_peers(error) {
            debug!(%error, "the peer was gone before it was let in");
            return None;
        }
        match &mut self.0 {
            None => {
                warn!(%error, "nobody can be let in; trying again until it works");
                Some(*self.0.insert(SHORTEST))
            }
            Some(rest) => {
                *rest = (*rest * 2).min(LONGEST);
                Some(*rest)
            }
        }
    }

    /// Somebody was let in.
    pub(super) fn over(&mut self) {
        if self.0.take().is_some() {
            info!("people are let in again");
        }
    }
}

fn is_the_peers(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted};
    [ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted].contains(&error.kind())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rest_grows_to_its_limit_and_begins_anew() {
        let mut rest = Rest::default();
        let out = io::Error::other("too many open files");
        let taken: Vec<_> = (0..7).map(|_| rest.after(&out).unwrap().as_millis()).collect();
        assert_eq!(taken, [50, 100, 200, 400, 800, 1000, 1000]);
        assert_eq!(rest.after(&io::ErrorKind::ConnectionAborted.into()), None);
        rest.over();
        assert_eq!(rest.after(&out), Some(SHORTEST));
    }
}
