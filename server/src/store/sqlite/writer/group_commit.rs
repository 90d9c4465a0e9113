//! Group commit with delay: after a commit, the writer may wait so that the next one covers more requests.
//!
//! A commit of many requests costs little more than one of a single request, above all in system calls and syncs.
//! Group commit is due to DeWitt et al., "Implementation Techniques for Main Memory Database Systems" (1984);
//! PostgreSQL has the delay as `commit_delay`, which it applies if at least `commit_siblings` transactions are active.
//! Here the delay follows from the last two commits:
//!
//! - Low load, fewer than one request per [`LOW_LOAD_INTERVAL`]: no delay.
//! - Mostly the same rooms as in the last commits, which wait for nothing else: [`RETURN_TIME`] for each of them, at most
//!   [`MAX_RETURN_TIME`], so that they stay in one group.
//! - Other rooms: until about [`FULL_BATCH`] requests are expected, at most [`MAX_DELAY`] after the start of the commit.
//!
//! - Replaces: committing as soon as a request is queued.
//! - Gain: 22 % of the processor time per move with 500 pairs (2026-11-22; commands in `tests/RESULTS.md`, Hand-written
//!   mechanisms).
//! - Invariant: no delay exceeds [`MAX_DELAY`], and a single client is never delayed.
//! - Guarded by: the tests of this module.

use std::time::Duration;

use tokio::time::Instant;

use crate::store::sqlite::format::room_index::RoomIndex;
use crate::store::writer::job::WriterJob;

/// Maximum time between the starts of two commits that the delay enforces. Too short for a person to notice.
const MAX_DELAY: Duration = Duration::from_millis(2);

/// Mean time between requests, without the time of the commits, above which no delay is used.
const LOW_LOAD_INTERVAL: Duration = Duration::from_millis(1);

/// Time in which one of a few answered clients sends its next request.
const RETURN_TIME: Duration = Duration::from_micros(20);

/// Maximum time in which all answered clients send their next request.
const MAX_RETURN_TIME: Duration = Duration::from_micros(500);

/// Number of requests for which a commit starts without delay.
pub(crate) const FULL_BATCH: u32 = 128;

/// Measurements of one commit.
#[derive(Clone, Copy, Debug)]
struct CommitStats {
    began: Instant,
    elapsed: Duration,
    batch_len: u32,
    /// Number of its row, if it inserted one.
    row: i64,
}

/// Purpose of the delay after a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WaitFor {
    Nothing,
    /// The clients that this commit answers: for this time after its end.
    AnsweredClients(Duration),
    /// Other requests: until this time after the start of the commit, during which they arrive, too.
    MoreRequests(Duration),
}

/// Decides on the delay after each commit.
#[derive(Debug)]
pub(crate) struct GroupCommitDelay {
    /// The last two commits.
    last: [CommitStats; 2],
    /// Rows of two commits that started at least [`MAX_DELAY`] apart, the later one at `rows_since`. A room that was
    /// written since the earlier one counts as returning.
    rows: [i64; 2],
    rows_since: Instant,
    wait_for: WaitFor,
}

impl GroupCommitDelay {
    pub(crate) fn new(now: Instant) -> GroupCommitDelay {
        let none = CommitStats {
            began: now,
            elapsed: Duration::ZERO,
            batch_len: 0,
            row: i64::MAX,
        };
        GroupCommitDelay {
            last: [none; 2],
            rows: [none.row; 2],
            rows_since: now,
            wait_for: WaitFor::Nothing,
        }
    }

    /// A commit of `batch` starts. The index does not contain its changes yet.
    pub(crate) fn on_begin(&mut self, now: Instant, batch: &[WriterJob], index: &RoomIndex) {
        let batch_len = u32::try_from(batch.len()).unwrap_or(u32::MAX);
        let commit = CommitStats {
            began: now,
            elapsed: Duration::ZERO,
            batch_len,
            row: index.extent.next_row,
        };
        if now - self.rows_since >= MAX_DELAY {
            (self.rows, self.rows_since) = ([self.rows[1], commit.row], now);
        }
        let [before, last] = self.last;
        let since = self.rows[0].min(before.row);
        let is_returning = |job: &&WriterJob| {
            job.room()
                .is_some_and(|room| index.was_written_since(room, since))
        };
        let mostly_returning = 2 * batch.iter().filter(is_returning).count() >= batch.len();
        self.wait_for = choose_wait(
            now - before.began,
            before.elapsed + last.elapsed,
            [last.batch_len, batch_len],
            mostly_returning,
        );
        self.last = [last, commit];
    }

    /// The commit has ended. Returns the delay before the next one.
    pub(crate) fn on_end(&mut self, now: Instant) -> Duration {
        let commit = &mut self.last[1];
        commit.elapsed = now - commit.began;
        match self.wait_for {
            WaitFor::Nothing => Duration::ZERO,
            WaitFor::AnsweredClients(time) => time,
            WaitFor::MoreRequests(time) => time.saturating_sub(commit.elapsed),
        }
    }
}

/// Chooses the delay. `time` covers the last two commits and `commits` is their share of it; `batch_lens` are their
/// numbers of requests; `mostly_returning`: most rooms of the last one were written recently.
fn choose_wait(
    time: Duration,
    commits: Duration,
    batch_lens: [u32; 2],
    mostly_returning: bool,
) -> WaitFor {
    let total = batch_lens[0].saturating_add(batch_lens[1]).max(1);
    let others = batch_lens[0].max(batch_lens[1]).saturating_sub(1);
    if time.saturating_sub(commits) > LOW_LOAD_INTERVAL.saturating_mul(total)
        || (mostly_returning && others == 0)
    {
        WaitFor::Nothing
    } else if mostly_returning {
        WaitFor::AnsweredClients(RETURN_TIME.saturating_mul(others).min(MAX_RETURN_TIME))
    } else {
        WaitFor::MoreRequests(MAX_DELAY.min(time * FULL_BATCH / total))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use noughts_protocol::RoomId;
    use tokio::sync::oneshot;

    use super::*;
    use crate::store::sqlite::format::room_index::{LogExtent, OpenRoom};

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
        // Also if one of them was faster than the others.
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
            let append =
                |room: &RoomId| WriterJob::Append(*room, vec![], None, oneshot::channel().0);
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
}
