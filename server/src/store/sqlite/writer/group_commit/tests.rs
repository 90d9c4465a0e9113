use std::collections::HashMap;

use noughts_protocol::RoomId;
use tokio::sync::oneshot;

use super::*;
use crate::store::LogOp;
use crate::store::sqlite::room_index::{LogExtent, OpenRoom};
use crate::store::writer::JobReply;

const MILLI: Duration = Duration::from_millis(1);

#[test]
fn low_load_has_no_delay() {
    for (time, many) in [
        (3 * MILLI, [1, 1]),
        (9 * MILLI, [4, 4]),
        (Duration::MAX, [1, 0]),
    ] {
        for back in [false, true] {
            assert_eq!(
                choose_wait(time, Duration::ZERO, many, back),
                WaitFor::Nothing,
                "{many:?} in {time:?}"
            );
        }
    }
    // A single client that sends its next request as soon as it is answered.
    assert_eq!(
        choose_wait(MILLI / 10, Duration::ZERO, [1, 1], true),
        WaitFor::Nothing
    );
}

#[test]
fn answered_clients_are_awaited() {
    // The delay is the same if one of the clients was faster than the others.
    for many in [[10, 10], [10, 1], [1, 10]] {
        assert_eq!(
            choose_wait(MILLI, Duration::ZERO, many, true),
            WaitFor::AnsweredClients(9 * RETURN_TIME)
        );
    }
    assert_eq!(
        choose_wait(MILLI, Duration::ZERO, [500, 1], true),
        WaitFor::AnsweredClients(MAX_RETURN_TIME)
    );
    assert_eq!(
        choose_wait(Duration::ZERO, Duration::ZERO, [u32::MAX; 2], true),
        WaitFor::AnsweredClients(MAX_RETURN_TIME)
    );
}

#[test]
fn many_requests_are_batched() {
    assert_eq!(
        choose_wait(4 * MILLI, Duration::ZERO, [4, 4], false),
        WaitFor::MoreRequests(MAX_DELAY)
    );
    assert_eq!(
        choose_wait(2 * MILLI, MILLI, [FULL_BATCH, FULL_BATCH], false),
        WaitFor::MoreRequests(MILLI)
    );
    assert_eq!(
        choose_wait(Duration::ZERO, Duration::ZERO, [u32::MAX; 2], false),
        WaitFor::MoreRequests(Duration::ZERO)
    );
}

/// A log in virtual time.
struct SimulatedLog {
    index: RoomIndex,
    commit_delay: GroupCommitDelay,
    now: Instant,
}

impl SimulatedLog {
    fn new() -> SimulatedLog {
        let stock = LogExtent {
            first_row: 1,
            next_row: 1,
            stored_bytes: 0,
            live_bytes: 0,
        };
        let now = Instant::now();
        SimulatedLog {
            index: RoomIndex::new(HashMap::new(), stock, 1),
            commit_delay: GroupCommitDelay::new(now),
            now,
        }
    }

    /// Commits appends of these rooms in the time `takes`, and returns the delay.
    fn commit(&mut self, rooms: impl IntoIterator<Item = u64>, takes: Duration) -> Duration {
        let rooms: Vec<RoomId> = rooms.into_iter().map(RoomId::from_bits).collect();
        let append = |room: &RoomId| WriterJob {
            op: LogOp::Append {
                room: *room,
                events: vec![],
                finished: None,
            },
            reply: JobReply(oneshot::channel().0),
        };
        let group: Vec<WriterJob> = rooms.iter().map(append).collect();
        self.commit_delay.on_begin(self.now, &group, &self.index);
        let row = self.index.extent.next_row;
        for room in rooms {
            let (last, checkpointed) = (Default::default(), Default::default());
            self.index.set(
                room,
                Some(OpenRoom {
                    last_seq: last,
                    checkpoint_seq: checkpointed,
                    created_row: 1,
                    last_row: row,
                    bytes: 0,
                }),
            );
        }
        self.index.extent.next_row += 1;
        self.now += takes;
        let delay = self.commit_delay.on_end(self.now);
        self.now += delay;
        delay
    }
}

#[test]
fn returning_clients_stay_in_one_batch_at_any_commit_time() {
    for takes in [MILLI / 10, 8 * MILLI] {
        let mut log = SimulatedLog::new();
        for round in 0..5 {
            let delay = log.commit(0..10, takes);
            assert!(round < 2 || delay == 9 * RETURN_TIME, "{delay:?}");
        }
        // If one client was faster, the delay still covers the others.
        assert_eq!(log.commit([3], takes), 9 * RETURN_TIME);
    }
}

#[test]
fn slow_returning_clients_are_barely_delayed() {
    for many in [1, 2, 8] {
        let (mut log, think) = (SimulatedLog::new(), MILLI);
        let mut asks: Vec<_> = (0..many as u32)
            .map(|at| log.now + at * think / 7)
            .collect();
        let (began, mut answers) = (log.now, 0);
        while answers < 400 {
            log.now = log.now.max(*asks.iter().min().unwrap());
            let here: Vec<u64> = (0..many as u64)
                .filter(|room| asks[*room as usize] <= log.now)
                .collect();
            let delay = log.commit(here.iter().copied(), MILLI / 10);
            for room in &here {
                asks[*room as usize] = log.now - delay + think;
            }
            answers += here.len() as u32;
        }
        let round = (log.now - began) * many as u32 / answers;
        assert!(round < think * 5 / 4, "{many}: {round:?}");
    }
}

#[test]
fn the_batching_delay_starts_with_the_commit() {
    let mut log = SimulatedLog::new();
    let mut delays = (0..10)
        .map(|at| log.commit(4 * at..4 * at + 4, MILLI / 2))
        .skip(1);
    assert!(delays.all(|delay| delay == MAX_DELAY - MILLI / 2));
    let mut slow = SimulatedLog::new();
    let mut delays = (0..10).map(|at| slow.commit(20 * at..20 * at + 20, 8 * MILLI));
    assert!(
        delays.all(|delay| delay.is_zero()),
        "requests arrived during the commit"
    );
}
