//! Counters and gauges of a server, and their text for Prometheus.
//!
//! The counters lie side by side in one structure, so that a move touches few cache lines; those of the crate
//! `prometheus-client` are an allocation each. The crate provides the histograms and encodes the text.

pub(crate) mod exposition;

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use noughts_protocol::wire::{CloseCode, RejectCode};
use prometheus_client::metrics::histogram::Histogram;

/// Upper bounds of the buckets for the time of a move, in seconds.
const MOVE_TIME_BOUNDS: [f64; 12] = [
    0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0,
];

/// Monotonic counter.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    /// Adds `n`.
    pub(crate) fn add(&self, n: u64) {
        self.0.fetch_add(n, Ordering::Relaxed);
    }

    /// Returns the count.
    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Number of live [`GaugeGuard`]s.
#[derive(Debug, Default)]
pub(crate) struct Gauge(AtomicI64);

impl Gauge {
    /// Increments the gauge until the guard is dropped.
    pub(crate) fn enter(&self) -> GaugeGuard<'_> {
        self.0.fetch_add(1, Ordering::Relaxed);
        GaugeGuard(self)
    }

    /// Returns the current value.
    pub(crate) fn get(&self) -> i64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Decrements its [`Gauge`] on drop.
#[derive(Debug)]
#[must_use = "it counts only while it is held"]
pub(crate) struct GaugeGuard<'a>(&'a Gauge);

impl Drop for GaugeGuard<'_> {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Counters and gauges of a server.
#[derive(Debug)]
pub(crate) struct Metrics {
    /// Open connections, including plain HTTP.
    pub sockets: Gauge,
    /// WebSocket connections.
    pub connections: Gauge,
    /// Tasks of rooms.
    pub room_tasks: Gauge,
    /// WebSocket connections accepted.
    pub accepted: Counter,
    /// Connections rejected by a quota.
    pub refused: Counter,
    /// Files of the page sent.
    pub pages: Counter,
    /// Messages received.
    pub messages: Counter,
    /// Moves made.
    pub moves: Counter,
    /// Time from the arrival of a move to the end of its broadcast, in seconds. The clock has a resolution of 1 ms.
    pub move_time: Histogram,
    /// Games ended.
    pub games: Counter,
    /// Finished games that were not kept because of the budgets of their clients.
    pub games_over_budget: Counter,
    /// Events stored.
    pub events: Counter,
    /// Snapshots sent instead of events to spectators whose budget was exhausted.
    pub thinned_snapshots: Counter,
    /// Appends that failed.
    pub append_failures: Counter,
    /// Rooms rebuilt after a panic.
    pub room_panics: Counter,
    /// Rooms ended by a panic that no rebuild follows.
    pub room_task_panics: Counter,
    /// Rooms closed because their log is corrupt.
    pub rooms_lost: Counter,
    rejects: Vec<Counter>,
    closes: Vec<Counter>,
}

impl Default for Metrics {
    fn default() -> Metrics {
        let counters = |n: usize| std::iter::repeat_with(Counter::default).take(n).collect();
        Metrics {
            sockets: Gauge::default(),
            connections: Gauge::default(),
            room_tasks: Gauge::default(),
            accepted: Counter::default(),
            refused: Counter::default(),
            pages: Counter::default(),
            messages: Counter::default(),
            moves: Counter::default(),
            move_time: Histogram::new(MOVE_TIME_BOUNDS),
            games: Counter::default(),
            games_over_budget: Counter::default(),
            events: Counter::default(),
            thinned_snapshots: Counter::default(),
            append_failures: Counter::default(),
            room_panics: Counter::default(),
            room_task_panics: Counter::default(),
            rooms_lost: Counter::default(),
            rejects: counters(RejectCode::ALL.len()),
            closes: counters(CloseCode::ALL.len()),
        }
    }
}

impl Metrics {
    /// Counts a rejected request.
    pub(crate) fn count_reject(&self, code: RejectCode) {
        self.rejects[code as usize].add(1);
    }

    /// Counts a connection closed by the server.
    pub(crate) fn count_close(&self, code: CloseCode) {
        if let Some(at) = CloseCode::ALL.iter().position(|known| *known == code) {
            self.closes[at].add(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reject_code_has_its_own_counter() {
        for (at, code) in RejectCode::ALL.iter().enumerate() {
            assert_eq!(*code as usize, at);
        }
    }
}
