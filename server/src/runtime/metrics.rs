//! Counters and gauges of a server, their OpenMetrics text for Prometheus, and the numbers of connections and running
//! games for subscribers to the lobby.
//!
//! The counters lie side by side in one structure, so that a move touches few cache lines. The crate
//! `prometheus-client` would allocate each counter separately, so only its histograms and its text encoding are used.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU32, AtomicU64, Ordering};

use noughts_protocol::PlayerKind;
use noughts_protocol::wire::{CloseCode, RejectCode};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric, text};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;

use crate::store::{EventLog, StoreStats};

/// Upper bounds of the buckets for the time of a move, in seconds.
const MOVE_TIME_BOUNDS: [f64; 12] = [
    0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0,
];

/// Monotonic counter.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    pub(crate) fn add(&self, n: u64) {
        self.0.fetch_add(n, Ordering::Relaxed);
    }

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
    pub room_tasks: Gauge,
    /// WebSocket connections accepted.
    pub accepted: Counter,
    /// Connections rejected by a quota.
    pub refused: Counter,
    /// Files of the page sent.
    pub pages: Counter,
    pub messages: Counter,
    pub moves: Counter,
    /// Time from the arrival of a move to the end of its broadcast, in seconds. The clock has a resolution of 1 ms.
    pub move_time: Histogram,
    pub games: Counter,
    /// Finished games that were not kept because of the budgets of their clients.
    pub games_over_budget: Counter,
    pub events: Counter,
    /// Snapshots sent instead of events to spectators with an exhausted budget.
    pub thinned_snapshots: Counter,
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

/// Content type of the text.
pub(crate) const EXPOSITION_TYPE: &str =
    "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Values that other modules provide for a scrape.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ExternalValues {
    pub rooms: usize,
    /// Number of open rooms of the log that do not run. `None` on a single server, because it does not start unless all
    /// rooms run.
    pub rooms_unavailable: Option<usize>,
    pub seeks: usize,
    /// Tasks of the runtime.
    pub tasks: usize,
    pub log_lines_dropped: u64,
    /// Start of the server, in seconds since 1970.
    pub start_time: u64,
    /// Whether new games can begin.
    pub ready: bool,
    /// State of the store.
    pub store: StoreStats,
    /// End of the validity of the TLS certificate, in seconds since 1970.
    pub certificate_not_after: Option<i64>,
}

/// Encodes the metrics of a server and of its event log.
pub(crate) fn encode(
    metrics: &Arc<Metrics>,
    values: ExternalValues,
    event_log: &dyn EventLog,
) -> String {
    let mut registry = Registry::with_prefix("noughts");
    let build = [
        ("version", env!("CARGO_PKG_VERSION")),
        ("os", std::env::consts::OS),
        ("arch", std::env::consts::ARCH),
    ];
    registry.register("build", "Version of the server", Info::new(build));
    registry.register_collector(Box::new(ServerCollector {
        metrics: Arc::clone(metrics),
        values,
    }));
    event_log.register_histograms(&mut registry);
    let mut text = String::with_capacity(16 * 1024);
    text::encode(&mut text, &registry).expect("writing to a string cannot fail");
    text
}

/// The metrics at the time of one scrape.
#[derive(Debug)]
struct ServerCollector {
    metrics: Arc<Metrics>,
    values: ExternalValues,
}

impl Collector for ServerCollector {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let (metrics, values) = (&*self.metrics, &self.values);
        let store = &values.store;
        for (name, help, value) in [
            (
                "sockets",
                "Open connections, including plain HTTP.",
                metrics.sockets.get(),
            ),
            (
                "connections",
                "WebSocket connections.",
                metrics.connections.get(),
            ),
            ("rooms", "Open rooms.", saturate(values.rooms)),
            ("room_tasks", "Tasks of rooms.", metrics.room_tasks.get()),
            ("seeks", "Open seeks.", saturate(values.seeks)),
            ("tasks", "Tasks of the process.", saturate(values.tasks)),
            (
                "ready",
                "Whether new games can begin.",
                i64::from(values.ready),
            ),
            (
                "start_time_seconds",
                "Start of the server, in Unix time.",
                saturate(values.start_time),
            ),
            (
                "database_bytes",
                "Size of the database file.",
                saturate(store.database_bytes),
            ),
            (
                "wal_bytes",
                "Size of the write-ahead log.",
                saturate(store.wal_bytes),
            ),
            (
                "oldest_reader_seconds",
                "Time for which a reader has kept the write-ahead log from being emptied.",
                saturate(store.oldest_reader_ms / 1000),
            ),
            (
                "damaged_games",
                "Damaged finished games.",
                saturate(store.damaged_games),
            ),
        ] {
            encode_gauge(&mut encoder, name, help, value)?;
        }
        if let Some(rooms) = values.rooms_unavailable {
            let help = "Open rooms of the shards of this node that it cannot serve.";
            encode_gauge(&mut encoder, "rooms_unavailable", help, saturate(rooms))?;
        }
        if let Some(not_after) = values.certificate_not_after {
            let name = "certificate_not_after_seconds";
            encode_gauge(
                &mut encoder,
                name,
                "End of the TLS certificate, in Unix time.",
                not_after,
            )?;
        }
        if let Some(free) = store.disk_free_bytes {
            let help = "Free space of the disk that holds the data.";
            encode_gauge(&mut encoder, "disk_free_bytes", help, saturate(free))?;
        }
        let help = "Time from the arrival of a move to the end of its broadcast.";
        let move_time =
            encoder.encode_descriptor("move_seconds", help, None, MetricType::Histogram)?;
        metrics.move_time.encode(move_time)?;
        for (name, help, value) in [
            (
                "accepted",
                "WebSocket connections accepted.",
                metrics.accepted.get(),
            ),
            (
                "refused",
                "Connections rejected by a quota.",
                metrics.refused.get(),
            ),
            ("pages", "Files of the page sent.", metrics.pages.get()),
            ("messages", "Messages received.", metrics.messages.get()),
            ("moves", "Moves made.", metrics.moves.get()),
            ("games", "Games ended.", metrics.games.get()),
            (
                "games_over_budget",
                "Finished games not kept: budget of their clients.",
                metrics.games_over_budget.get(),
            ),
            (
                "rejected_games",
                "Finished games that were not kept.",
                store.rejected_games,
            ),
            ("events", "Events stored.", metrics.events.get()),
            (
                "thinned_snapshots",
                "Snapshots sent instead of events to spectators of a busy address.",
                metrics.thinned_snapshots.get(),
            ),
            (
                "append_failures",
                "Appends that failed.",
                metrics.append_failures.get(),
            ),
            (
                "room_panics",
                "Rooms rebuilt after a panic.",
                metrics.room_panics.get(),
            ),
            (
                "room_task_panics",
                "Rooms ended by a panic.",
                metrics.room_task_panics.get(),
            ),
            (
                "rooms_lost",
                "Rooms closed because their log is corrupt.",
                metrics.rooms_lost.get(),
            ),
            (
                "log_lines_dropped",
                "Log lines dropped.",
                values.log_lines_dropped,
            ),
        ] {
            let metric = encoder.encode_descriptor(name, help, None, MetricType::Counter)?;
            ConstCounter::new(value).encode(metric)?;
        }
        let rejects = RejectCode::ALL
            .iter()
            .map(ToString::to_string)
            .zip(&metrics.rejects);
        encode_by_code(
            &mut encoder,
            "rejects",
            "Requests rejected, by code.",
            rejects,
        )?;
        let closes = CloseCode::ALL
            .iter()
            .map(|code| code.code().to_string())
            .zip(&metrics.closes);
        encode_by_code(
            &mut encoder,
            "closes",
            "Connections closed by the server, by close code.",
            closes,
        )
    }
}

/// Converts a count to the type of a gauge. A count that does not fit becomes the maximum.
fn saturate(count: impl TryInto<i64>) -> i64 {
    count.try_into().unwrap_or(i64::MAX)
}

fn encode_gauge(
    encoder: &mut DescriptorEncoder<'_>,
    name: &str,
    help: &str,
    value: i64,
) -> fmt::Result {
    ConstGauge::new(value).encode(encoder.encode_descriptor(name, help, None, MetricType::Gauge)?)
}

fn encode_by_code<'a>(
    encoder: &mut DescriptorEncoder<'_>,
    name: &str,
    help: &str,
    counters: impl Iterator<Item = (String, &'a Counter)>,
) -> fmt::Result {
    let mut family = encoder.encode_descriptor(name, help, None, MetricType::Counter)?;
    for (code, counter) in counters {
        ConstCounter::new(counter.get()).encode(family.encode_family(&[("code", code)])?)?;
    }
    Ok(())
}

/// A count of existing things.
#[derive(Debug, Default)]
pub(crate) struct LiveCount(AtomicU32);

impl LiveCount {
    /// Adds one to the count.
    pub(crate) fn increment(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// Subtracts one from the count. Called once for each call of [`LiveCount::increment`].
    pub(crate) fn decrement(&self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Connections after their hello, and running games.
#[derive(Debug, Default)]
pub(crate) struct Population {
    persons: LiveCount,
    bots: LiveCount,
    /// Running games, including private games.
    pub games: LiveCount,
}

impl Population {
    /// Returns the live count of the connections of this kind.
    pub(crate) fn connections(&self, kind: PlayerKind) -> &LiveCount {
        match kind {
            PlayerKind::Person => &self.persons,
            PlayerKind::Bot => &self.bots,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::MemoryLog;

    #[test]
    fn every_reject_code_has_its_own_counter() {
        for (at, code) in RejectCode::ALL.iter().enumerate() {
            assert_eq!(*code as usize, at);
        }
    }

    #[test]
    fn text_contains_every_metric_and_its_value() {
        let metrics = Arc::new(Metrics::default());
        let guard = metrics.connections.enter();
        metrics.moves.add(3);
        metrics.count_reject(RejectCode::CellTaken);
        metrics.count_close(CloseCode::TooBig);
        let values = ExternalValues {
            rooms: 5,
            seeks: 2,
            tasks: 7,
            log_lines_dropped: 4,
            certificate_not_after: Some(1_800_000_000),
            ..ExternalValues::default()
        };
        let text = encode(&metrics, values, &MemoryLog::default());
        for line in [
            "noughts_connections 1",
            "noughts_rooms 5",
            "noughts_seeks 2",
            "noughts_tasks 7",
            "noughts_ready 0",
            "noughts_certificate_not_after_seconds 1800000000",
            "noughts_log_lines_dropped_total 4",
            "noughts_moves_total 3",
            "noughts_rejects_total{code=\"cell_taken\"} 1",
            "noughts_rejects_total{code=\"stale\"} 0",
            "noughts_closes_total{code=\"1009\"} 1",
            "# TYPE noughts_moves counter",
            "# EOF",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} in\n{text}");
        }
        drop(guard);
        let text = encode(&metrics, ExternalValues::default(), &MemoryLog::default());
        assert!(text.contains("noughts_connections 0") && !text.contains("certificate"));
    }
}
