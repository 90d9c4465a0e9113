//! Group commit with delay: after a commit, the writer may wait so that the next commit covers more requests.
//!
//! A commit of many requests costs little more than a commit of a single request, because most of the cost is in system
//! calls and syncs. Group commit is due to DeWitt et al., "Implementation Techniques for Main Memory Database Systems"
//! (1984); PostgreSQL has the delay as `commit_delay`, which it applies if at least `commit_siblings` transactions are
//! active. Here the delay follows from the last two commits:
//!
//! - Low load, fewer than one request per [`LOW_LOAD_INTERVAL`]: no delay.
//! - Mostly the same rooms as in the last commits: [`RETURN_TIME`] for each of them, at most [`MAX_RETURN_TIME`], so
//!   that they stay in one group. The commit of these rooms then waits for no other requests.
//! - Other rooms: until about [`FULL_BATCH`] requests are expected, at most [`MAX_DELAY`] after the start of the
//!   commit.
//!
//! - Replaces: committing as soon as a request is queued.
//! - Gain: 22 % of the processor time per move with 500 pairs (2026-11-22; commands in `tests/results/server.md`,
//!   Hand-written mechanisms).
//! - Invariant: no delay exceeds [`MAX_DELAY`], and a single client is never delayed.
//! - Guarded by: the tests of this module.

#[cfg(test)]
mod tests;

use std::time::Duration;

use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use tokio::time::Instant;

use crate::store::sqlite::room_index::RoomIndex;
use crate::store::writer::WriterJob;

/// Maximum time between the starts of two commits that the delay enforces. The time is too short for a person to
/// notice.
const MAX_DELAY: Duration = Duration::from_millis(2);

/// If the mean time between requests, without the time of the commits, exceeds this value, commits are not delayed.
const LOW_LOAD_INTERVAL: Duration = Duration::from_millis(1);

/// Time from a reply to the next request of the same client, while few clients wait.
const RETURN_TIME: Duration = Duration::from_micros(20);

/// Maximum time that all answered clients take to send their next requests.
const MAX_RETURN_TIME: Duration = Duration::from_micros(500);

/// A commit with this number of requests starts without delay.
pub(crate) const FULL_BATCH: u32 = 128;

/// Measurements of one commit.
#[derive(Clone, Copy, Debug)]
struct CommitStats {
    began: Instant,
    elapsed: Duration,
    batch_len: u32,
    /// Number of the row, if the commit inserted a row.
    row: i64,
}

/// Purpose of the delay after a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WaitFor {
    Nothing,
    /// The clients that this commit answers: for this time after its end.
    AnsweredClients(Duration),
    /// Other requests, until this time after the start of the commit. Requests also arrive during the commit.
    MoreRequests(Duration),
}

/// Decides on the delay after each commit.
#[derive(Debug)]
pub(crate) struct GroupCommitDelay {
    /// The last two commits.
    last: [CommitStats; 2],
    /// Rows of two commits that started at least [`MAX_DELAY`] apart, the later commit at `rows_since`. A room that was
    /// written since the earlier commit counts as returning.
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

    /// Records the start of a commit of `batch`. The index does not contain its changes yet.
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
            job.op
                .room()
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

    /// Records the end of the commit. Returns the delay before the next commit.
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

/// Chooses the delay. `time` covers the last two commits, and `commits` is their share of it. `batch_lens` are their
/// numbers of requests. `mostly_returning`: most rooms of the last commit were written recently.
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

/// Upper bounds of the buckets for durations, in seconds.
const DURATION_BOUNDS: [f64; 15] = [
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0,
];

/// Upper bounds of the buckets for the number of jobs of a commit.
const JOB_COUNT_BOUNDS: [f64; 11] = [
    1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 1024.0, 4096.0,
];

/// Measurements of one commit.
#[derive(Clone, Copy, Debug)]
pub(super) struct CommitSample {
    pub job_count: usize,
    /// Maximum time that a job may have waited for the writer.
    pub queue_wait: Duration,
    /// Time from the first job to the replies.
    pub elapsed: Duration,
}

/// Histograms of the commits of a log. Clones share their values.
#[derive(Clone, Debug)]
pub(crate) struct CommitHistograms {
    commit: Histogram,
    sqlite_commit: Histogram,
    queue_wait: Histogram,
    job_count: Histogram,
}

impl Default for CommitHistograms {
    fn default() -> CommitHistograms {
        let duration = || Histogram::new(DURATION_BOUNDS);
        CommitHistograms {
            commit: duration(),
            sqlite_commit: duration(),
            queue_wait: duration(),
            job_count: Histogram::new(JOB_COUNT_BOUNDS),
        }
    }
}

impl CommitHistograms {
    /// Adds the histograms to a registry.
    pub(crate) fn register(&self, registry: &mut Registry) {
        for (name, help, histogram) in [
            (
                "commit_seconds",
                "Duration of a commit, with the work of its jobs",
                &self.commit,
            ),
            (
                "fsync_seconds",
                "Duration of COMMIT: write-ahead log and its fsync",
                &self.sqlite_commit,
            ),
            (
                "queue_wait_seconds",
                "Longest wait for the writer of a job of a commit",
                &self.queue_wait,
            ),
            ("commit_jobs", "Jobs of a commit", &self.job_count),
        ] {
            registry.register(name, help, histogram.clone());
        }
    }

    /// Records a commit and its jobs, even if the commit failed.
    pub(super) fn record_commit(&self, sample: CommitSample) {
        self.commit.observe(sample.elapsed.as_secs_f64());
        self.queue_wait.observe(sample.queue_wait.as_secs_f64());
        self.job_count.observe(sample.job_count as f64);
    }

    /// Records the duration of SQLite's `COMMIT`, which writes the write-ahead log and syncs it.
    pub(super) fn record_sqlite_commit(&self, duration: Duration) {
        self.sqlite_commit.observe(duration.as_secs_f64());
    }
}
