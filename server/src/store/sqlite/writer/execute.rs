//! Execution of jobs inside the transaction of their group. Replies are deferred until the group is committed.

use std::collections::HashSet;

use noughts_protocol::wire::write_json;
use noughts_protocol::{EventRecord, RoomId, Seq};
use rusqlite::{Connection, params};

use crate::store::sqlite::maintenance::Retention;
use crate::store::sqlite::room_index::{OpenRoom, RoomIndex};
use crate::store::sqlite::rows::CommitRowBuilder;
use crate::store::sqlite::{game_index, room_index, rows};
use crate::store::writer::{DeferredReply, JobReply, WriterJob};
use crate::store::{
    Checkpoint, FinishedGame, LogError, LogOp, LogReply, RoomSecrets, StoredRoom, encode_secrets,
};

/// A request for the history of a room. All requests of a group are served together, after its other jobs.
pub(crate) struct HistoryRead {
    room: RoomId,
    /// The request is for the events after this event; `None` for the whole history.
    after: Option<Seq>,
    reply: JobReply,
}

/// State of the transaction of a group.
pub(crate) struct GroupTransaction<'a> {
    pub(crate) connection: &'a Connection,
    pub(crate) index: &'a mut RoomIndex,
    pub(crate) recovered: &'a mut Vec<(RoomSecrets, StoredRoom)>,
    pub(crate) commit_row: &'a mut CommitRowBuilder,
    pub(crate) retention: &'a mut Retention,
    /// Deleted rooms with entries in this group.
    pub(crate) deleted: &'a mut Vec<RoomId>,
    pub(crate) reads: &'a mut Vec<HistoryRead>,
}

/// Result of a job if the group is committed. An SQL error fails the whole group.
type JobResult = rusqlite::Result<Result<(), LogError>>;

/// The reply, unless it is deferred to [`read_histories`], and whether the group can continue.
type Executed = (Option<DeferredReply>, rusqlite::Result<()>);

impl GroupTransaction<'_> {
    /// Executes a job, unless an earlier job has failed the group.
    pub(crate) fn execute(&mut self, job: WriterJob, group_ok: bool) -> Executed {
        let WriterJob { op, reply } = job;
        if !group_ok {
            let result = Err(LogError::Unknown);
            return (Some(DeferredReply { reply, result }), Ok(()));
        }
        let done = match op {
            LogOp::Create { secrets, events } => self.create(&secrets, &events),
            LogOp::UpdateSecrets(secrets) => self.update_secrets(&secrets),
            LogOp::Append {
                room,
                events,
                finished,
            } => self.append(room, &events, finished.as_ref()),
            LogOp::Checkpoint { room, checkpoint } => self.checkpoint(room, &checkpoint),
            LogOp::Delete(room) => self.delete(room),
            LogOp::Load(room) => return self.defer_read(room, None, reply),
            LogOp::EventsSince { room, after } => {
                return self.defer_read(room, Some(after), reply);
            }
            LogOp::Recover => {
                let result = Ok(LogReply::Rooms(std::mem::take(self.recovered)));
                return (Some(DeferredReply { reply, result }), Ok(()));
            }
            LogOp::Confirm => Ok(Ok(())),
            #[cfg(test)]
            LogOp::LimitPages(pages) => {
                let pages = pages.unwrap_or(u32::MAX - 1);
                self.connection
                    .pragma_update(None, "max_page_count", pages)
                    .map(Ok)
            }
        };
        let (result, outcome) = match done {
            Ok(result) => (result.map(|()| LogReply::Done), Ok(())),
            Err(error) => (Err(LogError::Unknown), Err(error)),
        };
        (Some(DeferredReply { reply, result }), outcome)
    }

    fn defer_read(&mut self, room: RoomId, after: Option<Seq>, reply: JobReply) -> Executed {
        self.reads.push(HistoryRead { room, after, reply });
        (None, Ok(()))
    }

    fn create(&mut self, secrets: &RoomSecrets, events: &[EventRecord]) -> JobResult {
        let room = secrets.room;
        // One row must not contain events of two rooms with the same id.
        if self.index.get(room).is_some() || self.deleted.contains(&room) {
            return Ok(Err(LogError::Unavailable(
                "a room with this id exists".into(),
            )));
        }
        let created_row = self.commit_row.number();
        let body = encode_secrets(secrets);
        let (secrets_checksum, checkpoint_checksum) = (
            rows::secrets_checksum(room, created_row, &body),
            rows::checkpoint_checksum(room, None),
        );
        self.connection
            .prepare_cached(
                "INSERT INTO rooms (room, founded, founding, founding_crc, image_crc) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![rows::room_key(room), created_row, body, secrets_checksum, checkpoint_checksum])?;
        let open = OpenRoom {
            last_seq: Seq::ZERO,
            checkpoint_seq: Seq::ZERO,
            created_row,
            last_row: created_row,
            bytes: 0,
        };
        self.index.set(room, Some(open));
        self.append(room, events, None)
    }

    fn update_secrets(&mut self, secrets: &RoomSecrets) -> JobResult {
        let Some(open) = self.index.get(secrets.room) else {
            return Ok(Err(LogError::unknown_room()));
        };
        let body = encode_secrets(secrets);
        let checksum = rows::secrets_checksum(secrets.room, open.created_row, &body);
        self.connection
            .prepare_cached("UPDATE rooms SET founding = ?2, founding_crc = ?3 WHERE room = ?1")?
            .execute(params![rows::room_key(secrets.room), body, checksum])?;
        Ok(Ok(()))
    }

    fn append(
        &mut self,
        room: RoomId,
        events: &[EventRecord],
        finished: Option<&FinishedGame>,
    ) -> JobResult {
        let Some(open) = self.index.get(room) else {
            return Ok(Err(LogError::unknown_room()));
        };
        let Some((first, last)) = events.first().zip(events.last()) else {
            return Ok(Ok(()));
        };
        if first.seq != open.last_seq.next() {
            let expected = Seq::new(first.seq.get().saturating_sub(1));
            return Ok(Err(LogError::Conflict {
                expected,
                found: open.last_seq,
            }));
        }
        let bytes = self
            .commit_row
            .push(room, first.seq, event_count(events), |body| {
                write_json(events, body);
            });
        self.index.extent.stored_bytes += bytes;
        if let Some(finished) = finished
            && self
                .retention
                .accept_game(self.connection, self.index.next_game_id)?
        {
            game_index::write_game(self.connection, self.index.next_game_id, room, finished)?;
            self.index.next_game_id += 1;
        }
        let (recent, bytes) = (self.commit_row.number(), open.bytes + bytes);
        self.index.set(
            room,
            Some(OpenRoom {
                last_seq: last.seq,
                last_row: recent,
                bytes,
                ..open
            }),
        );
        Ok(Ok(()))
    }

    /// Replaces the history of a room with a checkpoint.
    fn checkpoint(&mut self, room: RoomId, checkpoint: &Checkpoint) -> JobResult {
        let Some(open) = self.index.get(room) else {
            return Ok(Err(LogError::unknown_room()));
        };
        if checkpoint.seq != open.last_seq {
            return Ok(Err(LogError::Conflict {
                expected: checkpoint.seq,
                found: open.last_seq,
            }));
        }
        let checksum = rows::checkpoint_checksum(room, Some(checkpoint));
        self.connection
            .prepare_cached(
                "UPDATE rooms SET image_seq = ?2, image = ?3, image_crc = ?4 WHERE room = ?1",
            )?
            .execute(params![
                rows::room_key(room),
                checkpoint.seq.get() as i64,
                checkpoint.body,
                checksum
            ])?;
        self.index.set(
            room,
            Some(OpenRoom {
                checkpoint_seq: checkpoint.seq,
                bytes: 0,
                ..open
            }),
        );
        Ok(Ok(()))
    }

    fn delete(&mut self, room: RoomId) -> JobResult {
        let Some(open) = self.index.get(room) else {
            return Ok(Ok(()));
        };
        self.connection
            .prepare_cached("DELETE FROM rooms WHERE room = ?1")?
            .execute(params![rows::room_key(room)])?;
        self.index.set(room, None);
        if open.last_row == self.commit_row.number() {
            self.deleted.push(room);
        }
        Ok(Ok(()))
    }
}

fn event_count(events: &[EventRecord]) -> u32 {
    u32::try_from(events.len()).expect("a decision has a few events")
}

/// Reads the requested histories, including the events of the current group, in one scan of the rows.
pub(crate) fn read_histories(
    connection: &Connection,
    index: &RoomIndex,
    reads: Vec<HistoryRead>,
) -> rusqlite::Result<Vec<DeferredReply>> {
    let mut replies = Vec::with_capacity(reads.len());
    let mut full_reads = Vec::new();
    for read in reads {
        let recent = match read.after {
            Some(after) => recent_events(connection, index, read.room, after)?,
            None => None,
        };
        match recent {
            Some(events) => replies.push(DeferredReply {
                reply: read.reply,
                result: Ok(LogReply::Events(events)),
            }),
            None => full_reads.push(read),
        }
    }
    let rooms = full_reads.iter().map(|read| read.room);
    let rooms: HashSet<RoomId> = rooms.filter(|room| index.get(*room).is_some()).collect();
    let histories = room_index::load_histories(connection, rooms)?;
    replies.extend(full_reads.into_iter().map(|read| {
        let stored = match histories.get(&read.room) {
            Some(Ok(stored)) => Ok(stored),
            Some(Err(what)) => Err(LogError::Corrupt(what.clone())),
            None => Err(LogError::unknown_room()),
        };
        let result = stored.and_then(|stored| match read.after {
            Some(after) => stored.events_since(after).map(LogReply::Events),
            None => Ok(LogReply::Room(stored.clone())),
        });
        DeferredReply {
            reply: read.reply,
            result,
        }
    }));
    Ok(replies)
}

/// Reads the events after `after` from the row of the last append. Returns `None` if that row lacks some of them, so
/// that the whole history must be read.
fn recent_events(
    connection: &Connection,
    index: &RoomIndex,
    room: RoomId,
    after: Seq,
) -> rusqlite::Result<Option<Vec<EventRecord>>> {
    match index.get(room) {
        Some(open) if after >= open.last_seq => Ok(Some(Vec::new())),
        Some(open) => room_index::load_events_from_row(
            connection,
            open.last_row,
            room,
            after.next()..=open.last_seq,
        ),
        None => Ok(None),
    }
}
