//! What is counted, and its text for Prometheus.

use std::fmt::{self, Write};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use noughts_protocol::wire::{CloseCode, RejectCode};

/// Something that only grows.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
    /// Counts `n` more.
    pub fn add(&self, n: u64) {
        self.0.fetch_add(n, Ordering::Relaxed);
    }

    /// The count.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Something that is there for a time: count it by holding a [`GaugeGuard`].
#[derive(Debug, Default)]
pub struct Gauge(AtomicI64);

impl Gauge {
    /// One more, until what comes back is dropped.
    pub fn enter(&self) -> GaugeGuard<'_> {
        self.0.fetch_add(1, Ordering::Relaxed);
        GaugeGuard(self)
    }

    /// How many are there.
    pub fn get(&self) -> i64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// One of what a [`Gauge`] counts.
#[derive(Debug)]
#[must_use = "it counts only while it is held"]
pub struct GaugeGuard<'a>(&'a Gauge);

impl Drop for GaugeGuard<'_> {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// What is counted elsewhere.
#[derive(Clone, Copy, Debug, Default)]
pub struct ExternalGauges {
    /// Open rooms.
    pub rooms: usize,
    /// Those who wait in the lobby.
    pub seeks: usize,
    /// Tasks of the runtime.
    pub tasks: usize,
}

/// The counters of a server.
#[derive(Debug)]
pub struct Metrics {
    /// Connections being served, whatever they ask for.
    pub sockets: Gauge,
    /// WebSocket connections.
    pub connections: Gauge,
    /// Tasks of rooms.
    pub room_tasks: Gauge,
    /// WebSocket connections accepted.
    pub accepted: Counter,
    /// Connections refused for want of a place.
    pub refused: Counter,
    /// Messages received.
    pub messages: Counter,
    /// Moves made.
    pub moves: Counter,
    /// Games ended.
    pub games: Counter,
    /// Events made durable.
    pub events: Counter,
    /// Appends that failed.
    pub append_failures: Counter,
    /// Rooms rebuilt after a bug.
    pub room_panics: Counter,
    /// Rooms given up, since their history does not hold.
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
            messages: Counter::default(),
            moves: Counter::default(),
            games: Counter::default(),
            events: Counter::default(),
            append_failures: Counter::default(),
            room_panics: Counter::default(),
            rooms_lost: Counter::default(),
            rejects: counters(RejectCode::ALL.len()),
            closes: counters(CloseCode::ALL.len()),
        }
    }
}

impl Metrics {
    /// Counts a refusal.
    pub fn count_reject(&self, code: RejectCode) {
        self.rejects[code as usize].add(1);
    }

    /// Counts a connection that the server closed.
    pub fn count_close(&self, code: CloseCode) {
        if let Some(at) = CloseCode::ALL.iter().position(|known| *known == code) {
            self.closes[at].add(1);
        }
    }

    /// The text that Prometheus scrapes (exposition format 0.0.4), with what others count as told.
    pub fn render(&self, gauges: ExternalGauges) -> String {
        let mut text = String::with_capacity(4096);
        self.write(&mut text, gauges).expect("a string takes all that is written to it");
        text
    }

    fn write(&self, out: &mut String, ExternalGauges { rooms, seeks, tasks }: ExternalGauges) -> fmt::Result {
        gauge(out, "sockets", "Connections being served, whatever they ask for.", self.sockets.get())?;
        gauge(out, "connections", "WebSocket connections.", self.connections.get())?;
        gauge(out, "rooms", "Open rooms.", rooms)?;
        gauge(out, "room_tasks", "Tasks of rooms.", self.room_tasks.get())?;
        gauge(out, "seeks", "Parties that wait for an opponent.", seeks)?;
        gauge(out, "tasks", "Tasks of the process.", tasks)?;
        for (name, help, counter) in [
            ("accepted", "WebSocket connections accepted.", &self.accepted),
            ("refused", "Connections refused for want of a place.", &self.refused),
            ("messages", "Messages received.", &self.messages),
            ("moves", "Moves made.", &self.moves),
            ("games", "Games ended.", &self.games),
            ("events", "Events made durable.", &self.events),
            ("append_failures", "Appends that failed.", &self.append_failures),
            ("room_panics", "Rooms rebuilt after a bug.", &self.room_panics),
            ("rooms_lost", "Rooms given up, since their history does not hold.", &self.rooms_lost),
        ] {
            header(out, &format!("{name}_total"), help, "counter")?;
            writeln!(out, "noughts_{name}_total {}", counter.get())?;
        }
        header(out, "rejects_total", "Requests refused, by code.", "counter")?;
        for (code, counter) in RejectCode::ALL.iter().zip(&self.rejects) {
            writeln!(out, "noughts_rejects_total{{code=\"{code}\"}} {}", counter.get())?;
        }
        header(out, "closes_total", "Connections that the server closed, by code.", "counter")?;
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
    fn the_text_names_and_counts() {
        let metrics = Metrics::default();
        let guard = metrics.connections.enter();
        metrics.moves.add(3);
        metrics.count_reject(RejectCode::CellTaken);
        metrics.count_close(CloseCode::TooBig);
        let text = metrics.render(ExternalGauges { rooms: 5, seeks: 2, tasks: 7 });
        for line in [
            "noughts_connections 1",
            "noughts_rooms 5",
            "noughts_seeks 2",
            "noughts_tasks 7",
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
    fn every_reject_code_counts_for_itself() {
        for (at, code) in RejectCode::ALL.iter().enumerate() {
            assert_eq!(*code as usize, at);
        }
    }
}
