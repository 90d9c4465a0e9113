//! News of how many watch: told in time, but hundreds who come in one moment are told of once.

use std::time::Duration;

use tokio::time::Instant;

use super::RoomTask;

/// How often everyone may be told.
const EVERY: Duration = Duration::from_millis(500);

/// What has been told and what is to be.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Crowd {
    told_at: Option<Instant>,
    due: Option<Instant>,
}

impl Crowd {
    /// When there is something to tell.
    pub(super) fn due(self) -> Option<Instant> {
        self.due
    }
}

impl RoomTask {
    /// Somebody has come to watch or has gone.
    pub(super) fn crowd_changed(&mut self) {
        let now = Instant::now();
        let free_at = self.crowd.told_at.map_or(now, |told_at| told_at + EVERY);
        self.crowd.due.get_or_insert(free_at.max(now));
    }

    /// Tells everyone how many watch, if that has changed and it is time.
    pub(super) fn tell_crowd(&mut self) {
        let Some(due) = self.crowd.due else { return };
        let now = Instant::now();
        if due <= now {
            self.crowd = Crowd { told_at: Some(now), due: None };
            self.mention(self.crowd());
        }
    }
}
