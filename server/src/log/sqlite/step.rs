//! One job inside the transaction of its group.

use std::collections::HashSet;

use noughts_protocol::wire::write_json;
use noughts_protocol::{RoomId, Seq, Stamped};
use rusqlite::{Connection, params};

use super::answer::{Answer, Asker};
use super::group::Group;
use super::ledger::{Ledger, Open};
use super::recover;
use super::row;
use super::work::Work;
use crate::log::{Finished, Founding, Image, LogError, Stored};

/// Gives an answer once it is known whether the group was committed, and says whether anybody is to be woken for it.
pub(super) type Reply = Box<dyn FnOnce(Option<LogError>) -> Asker>;

/// What is asked of a room's history: read for all of a group, when the group itself can be read.
pub(super) enum Read {
    Load(RoomId, Answer<Stored>),
    Since(RoomId, Seq, Answer<Vec<Stamped>>),
}

/// The file within a transaction, what the writer knows, and what comes of the group.
pub(super) struct Step<'a> {
    pub(super) connection: &'a Connection,
    pub(super) ledger: &'a mut Ledger,
    pub(super) recovered: &'a mut Vec<(Founding, Stored)>,
    pub(super) group: &'a mut Group,
    /// Rooms that have closed and have entries in this group.
    pub(super) gone: &'a mut Vec<RoomId>,
    pub(super) reads: &'a mut Vec<Read>,
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
            Work::Load(room, answer) if good => {
                self.reads.push(Read::Load(room, answer));
                (None, Ok(()))
            }
            Work::Load(_, answer) => refused(answer),
            Work::Since(room, after, answer) if good => {
                self.reads.push(Read::Since(room, after, answer));
                (None, Ok(()))
            }
            Work::Since(_, _, answer) => refused(answer),
            // No part of any transaction: the writer has taken it out before.
            Work::Beat(_) => (None, Ok(())),
            Work::Recover(answer) => reply(answer, good, || Ok(Ok(std::mem::take(self.recovered)))),
            #[cfg(test)]
            Work::LimitPages(pages, answer) => reply(answer, good, || {
                let pages = pages.unwrap_or(u32::MAX - 1);
                self.connection.pragma_update(None, "max_page_count", pages)?;
                Ok(Ok(()))
            }),
        }
    }

    fn create(&mut self, founding: &Founding, events: &[Stamped]) -> Done<()> {
        let room = founding.room;
        // In one row, the events of two rooms of one name could not be told from each other.
        if self.ledger.get(room).is_some() || self.gone.contains(&room) {
            return Ok(Err(LogError::Unavailable("a room of this name exists".into())));
        }
        let founded = self.group.number();
        let body = row::founding_body(founding);
        let (founding_sum, image_sum) = (row::founding_sum(room, founded, &body), row::image_sum(room, None));
        self.connection
            .prepare_cached(
                "INSERT INTO rooms (room, founded, founding, founding_crc, image_crc) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![row::key(room), founded, body, founding_sum, image_sum])?;
        let open = Open { last: Seq::ZERO, imaged: Seq::ZERO, founded, recent: founded, bytes: 0 };
        self.ledger.set(room, Some(open));
        self.append(room, events, None)
    }

    fn hold(&mut self, founding: &Founding) -> Done<()> {
        let Some(open) = self.ledger.get(founding.room) else { return Ok(Err(LogError::no_room())) };
        let body = row::founding_body(founding);
        let sum = row::founding_sum(founding.room, open.founded, &body);
        self.connection
            .prepare_cached("UPDATE rooms SET founding = ?2, founding_crc = ?3 WHERE room = ?1")?
            .execute(params![row::key(founding.room), body, sum])?;
        Ok(Ok(()))
    }

    fn append(&mut self, room: RoomId, events: &[Stamped], finished: Option<&Finished>) -> Done<()> {
        let Some(open) = self.ledger.get(room) else { return Ok(Err(LogError::no_room())) };
        let Some((first, last)) = events.first().zip(events.last()) else { return Ok(Ok(())) };
        if first.seq != open.last.next() {
            let expected = Seq::new(first.seq.get().saturating_sub(1));
            return Ok(Err(LogError::Conflict { expected, found: open.last }));
        }
        let bytes = self.group.push(room, first.seq, count(events), |body| write_json(events, body));
        self.ledger.stock.stored += bytes;
        if let Some(finished) = finished {
            row::write_game(self.connection, self.ledger.game, room, finished)?;
            self.ledger.game += 1;
        }
        let (recent, bytes) = (self.group.number(), open.bytes + bytes);
        self.ledger.set(room, Some(Open { last: last.seq, recent, bytes, ..open }));
        Ok(Ok(()))
    }

    /// Replaces the history up to the image by the image.
    fn keep(&mut self, room: RoomId, image: &Image) -> Done<()> {
        let Some(open) = self.ledger.get(room) else { return Ok(Err(LogError::no_room())) };
        if image.seq != open.last {
            return Ok(Err(LogError::Conflict { expected: image.seq, found: open.last }));
        }
        let sum = row::image_sum(room, Some(image));
        self.connection
            .prepare_cached("UPDATE rooms SET image_seq = ?2, image = ?3, image_crc = ?4 WHERE room = ?1")?
            .execute(params![row::key(room), image.seq.get() as i64, image.body, sum])?;
        self.ledger.set(room, Some(Open { imaged: image.seq, bytes: 0, ..open }));
        Ok(Ok(()))
    }

    fn retire(&mut self, room: RoomId) -> Done<()> {
        let Some(open) = self.ledger.get(room) else { return Ok(Ok(())) };
        self.connection
            .prepare_cached("DELETE FROM rooms WHERE room = ?1")?
            .execute(params![row::key(room)])?;
        self.ledger.set(room, None);
        if open.recent == self.group.number() {
            self.gone.push(room);
        }
        Ok(Ok(()))
    }
}

fn count(events: &[Stamped]) -> u32 {
    u32::try_from(events.len()).expect("what is decided at once are a few events")
}

/// Answers what a group asked of histories, as they are with the group: by one pass over the rows, however many
/// ask. Who has no answer after an error has that for an answer.
pub(super) fn read(
    connection: &Connection,
    ledger: &Ledger,
    reads: Vec<Read>,
) -> rusqlite::Result<Vec<Reply>> {
    let mut replies = Vec::with_capacity(reads.len());
    let mut whole = Vec::new();
    for read in reads {
        match read {
            Read::Since(room, after, answer) => match recent(connection, ledger, room, after)? {
                Some(events) => replies.push(answered(answer, Ok(events))),
                None => whole.push(Read::Since(room, after, answer)),
            },
            Read::Load(room, answer) => whole.push(Read::Load(room, answer)),
        }
    }
    let rooms = whole.iter().map(|(Read::Load(room, _) | Read::Since(room, _, _))| *room);
    let rooms: HashSet<RoomId> = rooms.filter(|room| ledger.get(*room).is_some()).collect();
    let histories = recover::histories(connection, rooms)?;
    let history = |room| match histories.get(&room) {
        Some(Ok(stored)) => Ok(stored),
        Some(Err(what)) => Err(LogError::Damaged(what.clone())),
        None => Err(LogError::no_room()),
    };
    replies.extend(whole.into_iter().map(|read| match read {
        Read::Load(room, answer) => answered(answer, history(room).cloned()),
        Read::Since(room, after, answer) => {
            answered(answer, history(room).and_then(|stored| stored.since(after)))
        }
    }));
    Ok(replies)
}

/// What a room missed is nothing or its last append, whose row is known.
fn recent(
    connection: &Connection,
    ledger: &Ledger,
    room: RoomId,
    after: Seq,
) -> rusqlite::Result<Option<Vec<Stamped>>> {
    match ledger.get(room) {
        Some(open) if after >= open.last => Ok(Some(Vec::new())),
        Some(open) => recover::row(connection, open.recent, room, after.next()..=open.last),
        None => Ok(None),
    }
}

fn reply<T: 'static>(answer: Answer<T>, good: bool, perform: impl FnOnce() -> Done<T>) -> Performed {
    let (result, done) = match good.then(perform) {
        Some(Ok(result)) => (result, Ok(())),
        Some(Err(error)) => (Err(LogError::Unknown), Err(error)),
        None => (Err(LogError::Unknown), Ok(())),
    };
    (Some(answered(answer, result)), done)
}

fn refused<T: 'static>(answer: Answer<T>) -> Performed {
    (Some(answered(answer, Err(LogError::Unknown))), Ok(()))
}

fn answered<T: 'static>(answer: Answer<T>, result: Result<T, LogError>) -> Reply {
    Box::new(move |failed| answer.give(failed.map_or(result, Err)))
}
