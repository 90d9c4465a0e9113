//! Rooms that append to a log like room tasks, and the events that they know to be stored.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use noughts_protocol::{EventRecord, RoomId, Seq};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use tokio::time::{sleep, timeout};

use super::{event, room_secrets};
use crate::cluster::cluster_log::ClusterLog;
use crate::runtime::sync::lock;
use crate::store::{Checkpoint, EventLog, LogError, RoomSecrets, StoredRoom};

/// Maximum time that a room waits for an append.
const APPEND_TIMEOUT: Duration = Duration::from_secs(5);

const EVENTS: u64 = 30;

/// A room as its clients have seen it.
#[derive(Clone, Debug, Default)]
struct SeenRoom {
    /// The number and the content of the last event that was acknowledged.
    acknowledged: (Seq, u64),
    /// The number and the content of the event that may or may not be stored, if there is one.
    unknown: Option<(Seq, u64)>,
}

/// The acknowledged events.
#[derive(Clone, Debug, Default)]
pub(super) struct Journal(Arc<Mutex<BTreeMap<RoomId, SeenRoom>>>);

impl Journal {
    fn update(&self, room: RoomId, change: impl FnOnce(&mut SeenRoom)) {
        change(lock(&self.0).entry(room).or_default());
    }

    /// Compares the journal with the stored rooms, and returns the differences.
    pub(super) fn compare(&mut self, rooms: &[(RoomSecrets, StoredRoom)]) -> Vec<String> {
        let found: BTreeMap<RoomId, &StoredRoom> = rooms
            .iter()
            .map(|(secrets, room)| (secrets.room, room))
            .collect();
        let mut violations = Vec::new();
        for (id, seen) in lock(&self.0).iter() {
            let Some(room) = found.get(id) else {
                if seen.acknowledged.0 > Seq::ZERO {
                    violations.push(format!("room {id} is missing, {seen:?}"));
                }
                continue;
            };
            let last = room.last_seq();
            let is_ahead = seen.unknown.is_some_and(|(seq, _)| seq == last);
            if last != seen.acknowledged.0 && !is_ahead {
                violations.push(format!("room {id} ends at {last}, {seen:?}"));
            }
            for (seq, content) in [Some(seen.acknowledged), seen.unknown]
                .into_iter()
                .flatten()
            {
                let stored = room.events.iter().find(|event| event.seq == seq);
                if stored.is_some_and(|event| event.at != content) {
                    violations.push(format!("room {id} has another event {seq}, {seen:?}"));
                }
            }
        }
        violations
    }
}

/// Plays one room to its end, or until its log is lost.
pub(super) async fn play_room(log: Arc<ClusterLog>, number: u64, seed: u64, journal: Journal) {
    let mut rng = StdRng::seed_from_u64(seed ^ (number << 32));
    let room = RoomId::from_bits(number);
    let mut last = Seq::ZERO;
    while last.get() < EVENTS {
        sleep(Duration::from_millis(rng.random_range(0..400))).await;
        let (next, content) = (last.next(), rng.random());
        journal.update(room, |seen| seen.unknown = Some((next, content)));
        let events = vec![event(next.get(), content)];
        let append = match last {
            Seq::ZERO => log.create(room_secrets(number), events),
            _ => log.append(room, events, None),
        };
        match timeout(APPEND_TIMEOUT, append)
            .await
            .unwrap_or(Err(LogError::Unknown))
        {
            Ok(()) => last = next,
            Err(LogError::Unavailable(_)) => {
                journal.update(room, |seen| seen.unknown = None);
                if log.is_replaced() {
                    return;
                }
                continue;
            }
            Err(LogError::Unknown) => match reconcile(&log, room, last).await {
                Some(stored) => last = stored,
                None => return,
            },
            Err(error @ (LogError::Conflict { .. } | LogError::Corrupt(_))) => {
                panic!("room {room}: {error}")
            }
        }
        journal.update(room, |seen| {
            if last == next {
                seen.acknowledged = (next, content);
            }
            seen.unknown = None;
        });
        if last == next && rng.random_range(0..10) == 0 {
            let checkpoint = Checkpoint {
                seq: last,
                body: b"state".to_vec(),
            };
            // A failed checkpoint is harmless.
            let (Ok(Ok(()) | Err(_)) | Err(_)) =
                timeout(APPEND_TIMEOUT, log.checkpoint(room, checkpoint)).await;
        }
    }
}

/// Reads the events that an append with an unknown result has stored. `None` if the log is lost, or the room may not
/// exist.
async fn reconcile(log: &ClusterLog, room: RoomId, last: Seq) -> Option<Seq> {
    while last > Seq::ZERO && !log.is_replaced() {
        let read = timeout(APPEND_TIMEOUT, log.events_since(room, last)).await;
        if let Ok(Ok(events)) = read {
            return Some(events.last().map_or(last, |event: &EventRecord| event.seq));
        }
        sleep(Duration::from_secs(1)).await;
    }
    None
}
