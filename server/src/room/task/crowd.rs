//! News of how many watch: told in time, but hundreds who come in one moment are told of once.

use std::time::Duration;

use tokio::time::Instant;

use super::RoomTask;

/// How often everyone may be told.
const EVERY: Duration = Duration::from_millis(500);

/// Whether everyone knows how many watch.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum Crowd {
    /// They do: nobody has come to watch yet.
    #[default]
    Quiet,
    /// They were told at this time, and are not told again for [`EVERY`].
    Told(Instant),
    /// They are to be told at this time.
    Due(Instant),
}

impl Crowd {
    /// When there is something to tell.
    pub(super) fn due(self) -> Option<Instant> {
        match self {
            Crowd::Due(at) => Some(at),
            Crowd::Quiet | Crowd::Told(_) => None,
        }
    }
}

impl RoomTask {
    /// Somebody has come to watch or has gone.
    pub(super) fn crowd_changed(&mut self) {
        let now = Instant::now();
        let due = match self.crowd {
            Crowd::Quiet => now,
            Crowd::Told(at) => now.max(at + EVERY),
            Crowd::Due(at) => at,
        };
        self.crowd = Crowd::Due(due);
    }

    /// Tells everyone how many watch, if that has changed and it is time.
    pub(super) fn tell_crowd(&mut self) {
        let Some(due) = self.crowd.due() else { return };
        let now = Instant::now();
        if due <= now {
            self.crowd = Crowd::Told(now);
            self.mention(self.crowd());
        }
    }
}
