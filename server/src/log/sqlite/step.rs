//! One job inside the transaction of its group.

use std::collections::HashMap;

use noughts_protocol::{RoomId, Seq, Stamped};
use rusqlite::{Transaction, params};
use tokio::sync::oneshot;

use super::recover::{self, Found};
use super::row::{self, Failed};
use super::sweep::Sweep;
use super::work::Work;
use crate::log::{Finished, Founding, Image, LogError, Stored};

/// An open room as the writer knows it without looking.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    /// Where its history ends.
    pub(super) last: Seq,
    /// The row of its first event that is still needed.
    pub(super) first_event: i64,
    /// The first event of the last append since the start, and its row: the others follow it.
    pub(super) recent: Option<(Seq, i64)>,
}

/// What rooms were before a group, in order: a group that is not committed has changed nothing.
pub(super) type Undo = Vec<(RoomId, Option<Open>)>;

/// Sends an answer once it is known whether the group was committed.
pub(super) type Reply = Box<dyn FnOnce(Option<LogError>)>;

/// The rows that come next.
#[derive(Clone, Copy, Debug)]
pub(super) struct Next {
    pub(super) event: i64,
    pub(super) game: i64,
}

/// Histories that are asked for: read for all of a group at once.
pub(super) type Loads = Vec<(RoomId, oneshot::Sender<Result<Stored, LogError>>)>;

/// The transaction, and what the writer knows.
pub(super) struct Step<'a> {
    pub(super) transaction: &'a Transaction<'a>,
    pub(super) rooms: &'a mut HashMap<RoomId, Open>,
    pub(super) recovered: &'a mut Vec<(Founding, Stored)>,
    pub(super) next: &'a mut Next,
    pub(super) sweep: &'a mut Sweep,
    pub(super) undo: &'a mut Undo,
    pub(super) loads: &'a mut Loads,
}

/// What a job comes to if the group is committed; an SQL error takes the whole group down.
type Done<T> = rusqlite::Result<Result<T, LogError>>;

/// How to answer, if that is known yet, and whether the group is still good.
type Performed = (Option<Reply>, rusqlite::Result<()>);

impl Step<'_> {
    /// Does a job, if the group is still good, and says how to answer it.
    pub(super) fn perform(&mut self, work: Work, good: bool) -> Performed {
        match work {
            Work::Create(founding, events, answer) => reply(answer, good, || self.create(&founding, &events)),
            Work::Hold(founding, answer) => reply(answer, good, || self.hold(&founding)),
            Work::Append(room, events, finished, answer) => {
                reply(answer, good, || self.append(room, &events, finished.as_ref()))
            }
            Work::Keep(room, image, answer) => reply(answer, good, || self.keep(room, &image)),
            Work::Retire(room, answer) => reply(answer, good, || self.retire(room)),
            Work::Load(room, answer) if good && self.rooms.contains_key(&room) => {
                self.loads.push((room, answer));
                (None, Ok(()))
            }
            Work::Load(_, answer) => reply(answer, good, || Ok(Err(LogError::no_room()))),
            Work::Since(room, after, answer) => reply(answer, good, || self.since(room, after)),
            // No part of any transaction: the writer has taken it out before.
            Work::Beat(_) => (None, Ok(())),
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
        let open = Open { last: Seq::ZERO, first_event: self.next.event, recent: None };
        let body = row::founding_body(founding);
        let (founding_sum, image_sum) =
            (row::founding_sum(room, &body), row::image_sum(room, open.first_event, None));
        self.transaction
            .prepare_cached(
                "INSERT INTO rooms (room, founding, founding_crc, first_event, image_crc)
                     VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![row::key(room), body, founding_sum, open.first_event, image_sum])?;
        self.set(room, Some(open));
        self.append(room, events, None)
    }

    fn hold(&mut self, founding: &Founding) -> Done<()> {
        if !self.rooms.contains_key(&founding.room) {
            return Ok(Err(LogError::no_room()));
        }
        let body = row::founding_body(founding);
        let sum = row::founding_sum(founding.room, &body);
        self.transaction
            .prepare_cached("UPDATE rooms SET founding = ?2, founding_crc = ?3 WHERE room = ?1")?
            .execute(params![row::key(founding.room), body, sum])?;
        Ok(Ok(()))
    }

    fn append(&mut self, room: RoomId, events: &[Stamped], finished: Option<&Finished>) -> Done<()> {
        let Some(open) = self.rooms.get(&room).copied() else { return Ok(Err(LogError::no_room())) };
        let Some((first, last)) = events.first().zip(events.last()) else { return Ok(Ok(())) };
        if first.seq != open.last.next() {
            let expected = Seq::new(first.seq.get().saturating_sub(1));
            return Ok(Err(LogError::Conflict { expected, found: open.last }));
        }
        let recent = Some((first.seq, self.next.event));
        let mut insert = self
            .transaction
            .prepare_cached("INSERT INTO events (id, room, body, crc) VALUES (?1, ?2, ?3, ?4)")?;
        for event in events {
            let (id, body) = (self.next.event, row::event_body(event));
            insert.execute(params![id, row::key(room), body, row::event_sum(id, room, &body)])?;
            self.next.event += 1;
        }
        if let Some(finished) = finished {
            row::write_game(self.transaction, self.next.game, room, finished)?;
            self.next.game += 1;
        }
        self.set(room, Some(Open { last: last.seq, recent, ..open }));
        Ok(Ok(()))
    }

    /// Replaces the history up to the image by the image.
    fn keep(&mut self, room: RoomId, image: &Image) -> Done<()> {
        let Some(open) = self.rooms.get(&room).copied() else { return Ok(Err(LogError::no_room())) };
        if image.seq != open.last {
            return Ok(Err(LogError::Conflict { expected: image.seq, found: open.last }));
        }
        let (seq, first_event) = (image.seq.get() as i64, self.next.event);
        let sum = row::image_sum(room, first_event, Some(image));
        self.transaction
            .prepare_cached(
                "UPDATE rooms SET first_event = ?2, image_seq = ?3, image = ?4, image_crc = ?5 WHERE room = ?1",
            )?
            .execute(params![row::key(room), first_event, seq, image.body, sum])?;
        self.set(room, Some(Open { first_event, recent: None, ..open }));
        self.sweep.freed(open.first_event);
        Ok(Ok(()))
    }

    fn retire(&mut self, room: RoomId) -> Done<()> {
        self.transaction
            .prepare_cached("DELETE FROM rooms WHERE room = ?1")?
            .execute(params![row::key(room)])?;
        if let Some(open) = self.rooms.get(&room).copied() {
            self.set(room, None);
            self.sweep.freed(open.first_event);
        }
        Ok(Ok(()))
    }

    /// What a room missed is nothing or its last append, whose rows are known.
    fn since(&mut self, room: RoomId, after: Seq) -> Done<Vec<Stamped>> {
        let Some(open) = self.rooms.get(&room).copied() else { return Ok(Err(LogError::no_room())) };
        if after >= open.last {
            return Ok(Ok(Vec::new()));
        }
        let found = match open.recent {
            Some((first, id)) if first <= after.next() => {
                let row = |seq: Seq| id + (seq.get() - first.get()) as i64;
                recover::rows(self.transaction, room, row(after.next())..=row(open.last)).map(Ok)
            }
            Some(_) | None => recover::some_rooms(self.transaction, [room])
                .map(|found| {
                    found.iter().map(|found| found.stored.since(after)).collect::<Result<Vec<_>, _>>()
                })
                .map(|found| found.map(|found| found.concat())),
        };
        match found {
            Ok(events) => Ok(events),
            Err(Failed::Sqlite(error)) => Err(error),
            Err(Failed::Damaged(what)) => Ok(Err(LogError::Damaged(what))),
        }
    }
}

/// Reads the histories that a group asked for, by one pass over the events however many they are.
pub(super) fn load(transaction: &Transaction<'_>, loads: Loads) -> (Vec<Reply>, rusqlite::Result<()>) {
    let mut histories: HashMap<RoomId, Result<Stored, LogError>> = HashMap::new();
    let mut failed = None;
    match recover::some_rooms(transaction, loads.iter().map(|(room, _)| *room)) {
        Ok(found) => histories
            .extend(found.into_iter().map(|Found { founding, stored, .. }| (founding.room, Ok(stored)))),
        // Whose history it is that is damaged, each finds out alone.
        Err(Failed::Damaged(_)) => {
            for (room, _) in &loads {
                match recover::some_rooms(transaction, [*room]) {
                    Ok(found) => histories.extend(found.into_iter().map(|found| (*room, Ok(found.stored)))),
                    Err(Failed::Damaged(what)) => {
                        histories.insert(*room, Err(LogError::Damaged(what)));
                    }
                    Err(Failed::Sqlite(error)) => failed = Some(error),
                }
            }
        }
        Err(Failed::Sqlite(error)) => failed = Some(error),
    }
    let replies = loads.into_iter().map(|(room, answer)| {
        let result = histories.get(&room).cloned().unwrap_or(Err(LogError::Unknown));
        answered(answer, result)
    });
    (replies.collect(), failed.map_or(Ok(()), Err))
}

fn reply<T: 'static>(
    answer: oneshot::Sender<Result<T, LogError>>,
    good: bool,
    perform: impl FnOnce() -> Done<T>,
) -> Performed {
    let (result, done) = match good.then(perform) {
        Some(Ok(result)) => (result, Ok(())),
        Some(Err(error)) => (Err(LogError::Unknown), Err(error)),
        None => (Err(LogError::Unknown), Ok(())),
    };
    (Some(answered(answer, result)), done)
}

fn answered<T: 'static>(answer: oneshot::Sender<Result<T, LogError>>, result: Result<T, LogError>) -> Reply {
    Box::new(move |failed| {
        // Who asked may have given up waiting; it will look before it goes on.
        let (Ok(()) | Err(_)) = answer.send(failed.map_or(result, Err));
    })
}
