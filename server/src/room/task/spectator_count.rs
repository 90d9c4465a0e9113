//! News of how many watch: told in time, but hundreds who come in one moment are told of once.

use std::time::Duration;

use tokio::time::Instant;

use super::RoomTask;

/// How often everyone may be told.
const MIN_COUNT_INTERVAL: Duration = Duration::from_millis(500);

/// Whether everyone knows how many watch.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum SpectatorCountThrottle {
    /// They do: nobody has come to watch yet.
    #[default]
    Idle,
    /// They were told at this time, and are not told again for [`MIN_COUNT_INTERVAL`].
    SentRecently(Instant),
    /// They are to be told at this time.
    Pending(Instant),
}

impl SpectatorCountThrottle {
    /// When there is something to tell.
    pub(super) fn send_at(self) -> Option<Instant> {
        match self {
            SpectatorCountThrottle::Pending(at) => Some(at),
            SpectatorCountThrottle::Idle | SpectatorCountThrottle::SentRecently(_) => None,
        }
    }
}

impl RoomTask {
    /// Somebody has come to watch or has gone.
    pub(super) fn on_spectator_count_changed(&mut self) {
        let now = Instant::now();
        let due = match self.spectator_count {
            SpectatorCountThrottle::Idle => now,
            SpectatorCountThrottle::SentRecently(at) => now.max(at + MIN_COUNT_INTERVAL),
            SpectatorCountThrottle::Pending(at) => at,
        };
        self.spectator_count = SpectatorCountThrottle::Pending(due);
    }

    /// Tells everyone how many watch, if that has changed and it is time.
    pub(super) fn broadcast_spectator_count(&mut self) {
        let Some(due) = self.spectator_count.send_at() else { return };
        let now = Instant::now();
        if due <= now {
            self.spectator_count = SpectatorCountThrottle::SentRecently(now);
            self.broadcast_lossy(self.spectator_count_notice());
        }
    }
}
