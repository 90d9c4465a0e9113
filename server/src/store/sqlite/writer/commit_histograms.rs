//! Histograms of the commits. The writer thread observes them once per commit, so that they cost a move little.

use std::time::Duration;

use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

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
    /// Number of jobs.
    pub job_count: usize,
    /// Longest time for which a job may have waited for the writer.
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

    /// Records a commit and its jobs, also a failed one.
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
