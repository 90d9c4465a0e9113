//! One job inside the transaction of its group.

use std::collections::HashMap;

use noughts_protocol::{RoomId, Seq, Stamped};
use rusqlite::{Transaction, params};
use tokio::sync::oneshot;

use super::writer::Work;
use super::{recover, row};
use crate::log::{Finished, Founding, Image, LogError, Stored};

/// An open room as the writer knows it without looking.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    /// Where its history ends.
    pub(super) last: Seq,
    /// The row of its first event that is still needed.
    pub(super) first_event: i64,
}

/// What rooms were before a group, in order: a group that is not committed has changed nothing.
pub(super) type Undo = Vec<(RoomId, Option<Open>)>;

/// Sends an answer once it is known whether the group was committed.
pub(super) type Reply = Box<dyn FnOnce(Option<LogError>)>;

/// The transaction, and what the writer knows.
pub(super) struct Step<'a> {
    pub(super) transaction: &'a Transaction<'a>,
    pub(super) rooms: &'a mut HashMap<RoomId, Open>,
    pub(super) recovered: &'a mut Vec<(Founding, Stored)>,
    pub(super) next_event: &'a mut i64,
    pub(super) swept: &'a mut Option<i64>,
    pub(super) undo: &'a mut Undo,
}

/// What a job comes to if the group is committed; an SQL error takes the whole group down.
type Done<T> = rusqlite::Result<Result<T, LogError>>;

impl Step<'_> {
    /// Does a job, if the group is still good, and says how to answer it.
    pub(super) fn perform(&mut self, work: Work, good: bool) -> (Reply, rusqlite::Result<()>) {
        match work {
            Work::Create(founding, events, answer) => reply(answer, good, || self.create(&founding, &events)),
            Work::Append(room, events, answer) => reply(answer, good, || self.append(room, &events)),
            Work::Keep(room, image, answer) => reply(answer, good, || self.keep(room, &image)),
            Work::Archive(room, finished, answer) => reply(answer, good, || self.archive(room, &finished)),
            Work::Retire(room, answer) => reply(answer, good, || self.retire(room)),
            Work::Load(room, answer) => reply(answer, good, || self.load(room)),
            Work::Recover(answer) => reply(answer, good, || Ok(Ok(std::mem::take(self.recovered)))),
            #[cfg(test)]
            Work::LimitPages(pages, answer) => reply(answer, good, || {
                let pages = pages.unwrap_or(u32::MAX - 1);
                self.transaction.pragma_update(None, "max_page_count", pages)?;
                Ok(Ok(()))
            }),
        }
    }

    fn set(&mut self, room: RoomId, open: Option<Open>) {
        let before = match open {
            Some(open) => self.rooms.insert(room, open),
            None => self.rooms.remove(&room),
        };
        self.undo.push((room, before));
    }

    fn create(&mut self, founding: &Founding, events: &[Stamped]) -> Done<()> {
        let room = founding.room;
        if self.rooms.contains_key(&room) {
            return Ok(Err(LogError::Unavailable("a room of this name exists".into())));
        }
        let open = Open { last: Seq::ZERO, first_event: *self.next_event };
        let body = row::founding_body(founding);
        self.transaction
            .prepare_cached("INSERT INTO rooms (room, founding, crc, first_event) VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![row::key(room), body, row::checksum(room, &body), open.first_event])?;
        self.set(room, Some(open));
        self.append(room, events)
    }

    fn append(&mut self, room: RoomId, events: &[Stamped]) -> Done<()> {
        let Some(open) = self.rooms.get(&room).copied() else { return Ok(Err(LogError::no_room())) };
        let Some((first, last)) = events.first().zip(events.last()) else { return Ok(Ok(())) };
        if first.seq != open.last.next() {
            let expected = Seq::new(first.seq.get().saturating_sub(1));
            return Ok(Err(LogError::Conflict { expected, found: open.last }));
        }
        let mut insert = self
            .transaction
            .prepare_cached("INSERT INTO events (id, room, body, crc) VALUES (?1, ?2, ?3, ?4)")?;
        for event in events {
            let body = row::event_body(event);
            insert.execute(params![*self.next_event, row::key(room), body, row::checksum(room, &body)])?;
            *self.next_event += 1;
        }
        self.set(room, Some(Open { last: last.seq, ..open }));
        Ok(Ok(()))
    }

    /// Replaces the history up to the image by the image.
    fn keep(&mut self, room: RoomId, image: &Image) -> Done<()> {
        let Some(open) = self.rooms.get(&room).copied() else { return Ok(Err(LogError::no_room())) };
        if image.seq != open.last {
            return Ok(Err(LogError::Conflict { expected: image.seq, found: open.last }));
        }
        let (seq, crc) = (image.seq.get() as i64, row::checksum(room, &image.body));
        self.transaction
            .prepare_cached(
                "UPDATE rooms SET first_event = ?2, image_seq = ?3, image = ?4, image_crc = ?5 WHERE room = ?1",
            )?
            .execute(params![row::key(room), *self.next_event, seq, image.body, crc])?;
        self.set(room, Some(Open { first_event: *self.next_event, ..open }));
        self.sweep_from(open.first_event);
        Ok(Ok(()))
    }

    fn archive(&mut self, room: RoomId, finished: &Finished) -> Done<()> {
        self.transaction
            .prepare_cached(
                "INSERT OR IGNORE INTO games (room, number, ended, record) VALUES (?1, ?2, ?3, ?4)",
            )?
            .execute(params![row::key(room), finished.number, finished.ended as i64, finished.record])?;
        Ok(Ok(()))
    }

    fn retire(&mut self, room: RoomId) -> Done<()> {
        self.transaction
            .prepare_cached("DELETE FROM rooms WHERE room = ?1")?
            .execute(params![row::key(room)])?;
        if let Some(open) = self.rooms.get(&room).copied() {
            self.set(room, None);
            self.sweep_from(open.first_event);
        }
        Ok(Ok(()))
    }

    /// The sweep is done again from here: it looks at what is stored, so that too often is no harm.
    fn sweep_from(&mut self, event: i64) {
        *self.swept = Some(self.swept.map_or(event, |swept| swept.min(event)));
    }

    fn load(&mut self, room: RoomId) -> Done<Stored> {
        let Some(open) = self.rooms.get(&room).copied() else { return Ok(Err(LogError::no_room())) };
        match recover::one_room(self.transaction, room, open.first_event) {
            Ok(stored) => Ok(Ok(stored)),
            Err(recover::Failed::Sqlite(error)) => Err(error),
            Err(recover::Failed::Damaged(what)) => Ok(Err(LogError::Unavailable(what))),
        }
    }
}

fn reply<T: 'static>(
    answer: oneshot::Sender<Result<T, LogError>>,
    good: bool,
    perform: impl FnOnce() -> Done<T>,
) -> (Reply, rusqlite::Result<()>) {
    let (result, done) = match good.then(perform) {
        Some(Ok(result)) => (result, Ok(())),
        Some(Err(error)) => (Err(LogError::Unknown), Err(error)),
        None => (Err(LogError::Unknown), Ok(())),
    };
    let reply: Reply = Box::new(move |failed| {
        // Who asked may have given up waiting; it will load before it goes on.
        let (Ok(()) | Err(_)) = answer.send(failed.map_or(result, Err));
    });
    (reply, done)
}
