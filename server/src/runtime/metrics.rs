//! Counters and gauges, and their Prometheus text.

use std::fmt::{self, Write};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use noughts_protocol::wire::{CloseCode, RejectCode};

use crate::store::StoreStats;

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

/// Gauges that other modules count.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ExternalGauges {
    /// Open rooms.
    pub rooms: usize,
    /// Open seeks.
    pub seeks: usize,
    /// Tasks of the runtime.
    pub tasks: usize,
    /// Log lines that were dropped.
    pub log_lines_dropped: u64,
    /// State of the store.
    pub store: StoreStats,
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
    /// Games ended.
    pub games: Counter,
    /// Finished games that were not kept because of the budgets of their clients.
    pub games_over_budget: Counter,
    /// Events stored.
    pub events: Counter,
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
            games: Counter::default(),
            games_over_budget: Counter::default(),
            events: Counter::default(),
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

    /// Returns the Prometheus exposition text (format 0.0.4).
    pub(crate) fn render(&self, gauges: ExternalGauges) -> String {
        let mut text = String::with_capacity(4096);
        self.write(&mut text, gauges).expect("writing to a string cannot fail");
        text
    }

    fn write(&self, out: &mut String, gauges: ExternalGauges) -> fmt::Result {
        let ExternalGauges { rooms, seeks, tasks, log_lines_dropped, store } = gauges;
        gauge(out, "sockets", "Open connections, including plain HTTP.", self.sockets.get())?;
        gauge(out, "connections", "WebSocket connections.", self.connections.get())?;
        gauge(out, "rooms", "Open rooms.", rooms)?;
        gauge(out, "room_tasks", "Tasks of rooms.", self.room_tasks.get())?;
        gauge(out, "seeks", "Open seeks.", seeks)?;
        gauge(out, "tasks", "Tasks of the process.", tasks)?;
        header(out, "log_lines_dropped_total", "Log lines dropped.", "counter")?;
        writeln!(out, "noughts_log_lines_dropped_total {log_lines_dropped}")?;
        for (name, help, value) in [
            ("database_bytes", "Size of the database file.", store.database_bytes),
            ("wal_bytes", "Size of the write-ahead log.", store.wal_bytes),
            (
                "oldest_reader_seconds",
                "Time for which a reader has kept the write-ahead log from being emptied.",
                store.oldest_reader_ms / 1000,
            ),
            ("damaged_games", "Damaged finished games.", store.damaged_games),
        ] {
            gauge(out, name, help, value)?;
        }
        header(out, "rejected_games_total", "Finished games that were not kept.", "counter")?;
        writeln!(out, "noughts_rejected_games_total {}", store.rejected_games)?;
        for (name, help, counter) in [
            ("accepted", "WebSocket connections accepted.", &self.accepted),
            ("refused", "Connections rejected by a quota.", &self.refused),
            ("pages", "Files of the page sent.", &self.pages),
            ("messages", "Messages received.", &self.messages),
            ("moves", "Moves made.", &self.moves),
            ("games", "Games ended.", &self.games),
            (
                "games_over_budget",
                "Finished games not kept: budget of their clients.",
                &self.games_over_budget,
            ),
            ("events", "Events stored.", &self.events),
            ("append_failures", "Appends that failed.", &self.append_failures),
            ("room_panics", "Rooms rebuilt after a panic.", &self.room_panics),
            ("room_task_panics", "Rooms ended by a panic.", &self.room_task_panics),
            ("rooms_lost", "Rooms closed because their log is corrupt.", &self.rooms_lost),
        ] {
            header(out, &format!("{name}_total"), help, "counter")?;
            writeln!(out, "noughts_{name}_total {}", counter.get())?;
        }
        header(out, "rejects_total", "Requests rejected, by code.", "counter")?;
        for (code, counter) in RejectCode::ALL.iter().zip(&self.rejects) {
            writeln!(out, "noughts_rejects_total{{code=\"{code}\"}} {}", counter.get())?;
        }
        header(out, "closes_total", "Connections closed by the server, by close code.", "counter")?;
        for (code, counter) in CloseCode::ALL.iter().zip(&self.closes) {
            writeln!(out, "noughts_closes_total{{code=\"{}\"}} {}", code.code(), counter.get())?;
        }
        Ok(())
    }
}

fn header(out: &mut String, name: &str, help: &str, kind: &str) -> fmt::Result {
    writeln!(out, "# HELP noughts_{name} {help}\n# TYPE noughts_{name} {kind}")
}

fn gauge(out: &mut String, name: &str, help: &str, value: impl fmt::Display) -> fmt::Result {
    header(out, name, help, "gauge")?;
    writeln!(out, "noughts_{name} {value}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_contains_every_metric_and_its_value() {
        let metrics = Metrics::default();
        let guard = metrics.connections.enter();
        metrics.moves.add(3);
        metrics.count_reject(RejectCode::CellTaken);
        metrics.count_close(CloseCode::TooBig);
        let store = StoreStats::default();
        let text =
            metrics.render(ExternalGauges { rooms: 5, seeks: 2, tasks: 7, log_lines_dropped: 4, store });
        for line in [
            "noughts_connections 1",
            "noughts_rooms 5",
            "noughts_seeks 2",
            "noughts_tasks 7",
            "noughts_log_lines_dropped_total 4",
            "noughts_moves_total 3",
            "noughts_rejects_total{code=\"cell_taken\"} 1",
            "noughts_rejects_total{code=\"stale\"} 0",
            "noughts_closes_total{code=\"1009\"} 1",
            "# TYPE noughts_moves_total counter",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} in\n{text}");
        }
        drop(guard);
        assert!(metrics.render(ExternalGauges::default()).contains("noughts_connections 0"));
    }

    #[test]
    fn each_metric_is_documented() {
        let readme = include_str!("../../README.md");
        let text = Metrics::default().render(ExternalGauges::default());
        let names = text.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next());
        let mut count = 0;
        for name in names {
            let is_documented =
                readme.contains(&format!("`{name}`")) || readme.contains(&format!("`{name}{{"));
            assert!(is_documented, "the page does not name {name}");
            count += 1;
        }
        assert!(count >= 15, "only {count} metrics found");
    }

    #[test]
    fn every_reject_code_has_its_own_counter() {
        for (at, code) in RejectCode::ALL.iter().enumerate() {
            assert_eq!(*code as usize, at);
        }
    }
}
