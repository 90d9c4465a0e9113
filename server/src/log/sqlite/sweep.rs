//! Events that nobody needs any more: of closed rooms, and behind images. They are dropped a slice at
//! a time, going round, so that no move waits long for it and the file has an end to its growth.

use rusqlite::{Connection, OptionalExtension, params};

/// Rows looked at for each row written. With L live rows and D dead ones a round is over when (L + D) / 3
/// more have been written, and what was dead at its start is gone: in the long run there are never more
/// dead rows than live ones.
pub(super) const PER_WRITTEN: i64 = 4;

/// Where the sweep stands. Rows are numbered as they are written.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sweep {
    /// Where it goes on; none when there is nothing to find.
    at: Option<i64>,
    /// Where the next round begins: something was freed behind this one.
    again: Option<i64>,
}

impl Sweep {
    /// A round from here on.
    pub(super) fn from(event: Option<i64>) -> Sweep {
        Sweep { at: event, again: None }
    }

    /// Events from this one on may not be needed any more.
    pub(super) fn freed(&mut self, event: i64) {
        match self.at {
            None => self.at = Some(event),
            // This round will come by. To begin it anew each time would be never to end it.
            Some(at) if event >= at => {}
            Some(_) => self.again = Some(self.again.map_or(event, |again| again.min(event))),
        }
    }

    /// Looks at so many rows, and drops what nobody needs. Returns how many were.
    pub(super) fn slice(&mut self, connection: &Connection, rows: i64) -> rusqlite::Result<usize> {
        let Some(from) = self.at.filter(|_| rows > 0) else { return Ok(0) };
        let to: Option<i64> = connection
            .prepare_cached("SELECT id FROM events WHERE id >= ?1 ORDER BY id LIMIT 1 OFFSET ?2")?
            .query_row(params![from, rows], |row| row.get(0))
            .optional()?;
        let dropped = connection
            .prepare_cached(
                "DELETE FROM events WHERE id >= ?1 AND id < ?2 AND NOT EXISTS
                     (SELECT 1 FROM rooms WHERE rooms.room = events.room AND events.id >= rooms.first_event)",
            )?
            .execute(params![from, to.unwrap_or(i64::MAX)])?;
        self.at = to.or_else(|| self.again.take());
        Ok(dropped)
    }
}
