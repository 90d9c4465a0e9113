//! Growth of the write-ahead log. A reader that stays, for example a backup to a slow disk or a forgotten `sqlite3`, keeps
//! the log from being emptied: it grows with every move until the reader ends.
//!
//! Pure: times and sizes are arguments.

/// Result of a checkpoint, in frames of the write-ahead log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WalCheckpoint {
    /// Frames in the log.
    pub log_frames: i64,
    /// Frames of the log that are in the database file.
    pub moved_frames: i64,
}

impl WalCheckpoint {
    /// Whether the whole log is in the database file.
    pub(crate) fn is_complete(self) -> bool {
        self.log_frames == self.moved_frames
    }
}

/// Observes the checkpoints of the writer.
#[derive(Debug)]
pub(crate) struct WalMonitor {
    /// Frame before which the last checkpoints ended, and the time of the first one that did.
    blocked: Option<(i64, u64)>,
    warning_bytes: u64,
    /// Size at which the next warning is due.
    next_warning_bytes: u64,
}

impl WalMonitor {
    /// `warning_bytes`: size from which the log counts as large.
    pub(crate) fn new(warning_bytes: u64) -> WalMonitor {
        let warning_bytes = warning_bytes.max(1);
        WalMonitor {
            blocked: None,
            warning_bytes,
            next_warning_bytes: warning_bytes,
        }
    }

    /// A checkpoint has ended. One that stops at the same frame as the last one is blocked by the same reader.
    pub(crate) fn on_checkpoint(&mut self, checkpoint: WalCheckpoint, now: u64) {
        self.blocked = if checkpoint.is_complete() {
            None
        } else {
            let same = self
                .blocked
                .filter(|(frame, _)| *frame == checkpoint.moved_frames);
            same.or(Some((checkpoint.moved_frames, now)))
        };
    }

    /// Time for which the oldest reader has blocked the checkpoints, in milliseconds; 0 without such a reader.
    pub(crate) fn oldest_reader_ms(&self, now: u64) -> u64 {
        self.blocked
            .map_or(0, |(_, since)| now.saturating_sub(since))
    }

    /// Returns whether a warning about this size is due: at the limit, and whenever the size has doubled since the last
    /// warning.
    pub(crate) fn should_warn(&mut self, wal_bytes: u64) -> bool {
        if wal_bytes < self.warning_bytes {
            self.next_warning_bytes = self.warning_bytes;
            return false;
        }
        let is_due = wal_bytes >= self.next_warning_bytes;
        if is_due {
            self.next_warning_bytes = wal_bytes.saturating_mul(2);
        }
        is_due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_reader_is_as_old_as_the_first_checkpoint_it_blocked() {
        let mut monitor = WalMonitor::new(100);
        let mut checkpoint = |log_frames, moved_frames, now| {
            monitor.on_checkpoint(
                WalCheckpoint {
                    log_frames,
                    moved_frames,
                },
                now,
            );
            monitor.oldest_reader_ms(now + 5)
        };
        assert_eq!(checkpoint(7, 7, 1_000), 0);
        assert_eq!(checkpoint(9, 7, 2_000), 5);
        assert_eq!(checkpoint(12, 7, 3_000), 1_005);
        assert_eq!(checkpoint(15, 12, 4_000), 5, "another reader");
        assert_eq!(checkpoint(15, 15, 5_000), 0);
        assert_eq!(checkpoint(3, 0, 6_000), 5, "an emptied log begins again");
    }

    #[test]
    fn warnings_are_due_at_the_limit_and_at_every_doubling() {
        let mut monitor = WalMonitor::new(100);
        let due: Vec<bool> = [99, 100, 101, 199, 200, 300, 400, 50, 99, 120]
            .map(|bytes| monitor.should_warn(bytes))
            .into();
        assert_eq!(
            due,
            [
                false, true, false, false, true, false, true, false, false, true
            ]
        );
    }
}
