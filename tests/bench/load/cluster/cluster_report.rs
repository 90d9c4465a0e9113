//! The figures of a cluster under load.

use std::collections::BTreeMap;
use std::fmt;

use super::PlayerLocations;
use crate::report::{format_value, median, push_row};

/// Measured quantity, in the order of the table. Sums are over the three nodes or NATS servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ClusterMetric {
    MovesPerSecond,
    P50,
    P99,
    NodeCpuPerMove,
    NodeUserPerMove,
    NatsCpuPerMove,
    IdleNodesMs,
    IdleNatsMs,
    CpuShare,
    AppendsPerSecond,
    MovesPerAppend,
    BytesPerAppend,
    LogBytesPerMove,
    AppendMs,
    DiskBytesPerMove,
    BytesPerConnection,
    BytesPerPair,
    RemoteMembers,
}

impl ClusterMetric {
    fn name(self) -> &'static str {
        match self {
            ClusterMetric::MovesPerSecond => "moves a second",
            ClusterMetric::P50 => "move to opponent, µs, p50",
            ClusterMetric::P99 => "  p99",
            ClusterMetric::NodeCpuPerMove => "cpu of nodes above idle, µs a move",
            ClusterMetric::NodeUserPerMove => "  user",
            ClusterMetric::NatsCpuPerMove => "cpu of NATS above idle, µs a move",
            ClusterMetric::IdleNodesMs => "cpu of three idle nodes, ms a second",
            ClusterMetric::IdleNatsMs => "cpu of their NATS servers, ms a second",
            ClusterMetric::CpuShare => "share of their core under load",
            ClusterMetric::AppendsPerSecond => "messages to the log, a second",
            ClusterMetric::MovesPerAppend => "moves a message",
            ClusterMetric::BytesPerAppend => "bytes a message",
            ClusterMetric::LogBytesPerMove => "bytes on the log, a move",
            ClusterMetric::AppendMs => "mean duration of an append, ms",
            ClusterMetric::DiskBytesPerMove => "bytes on the disk of each server, a move",
            ClusterMetric::BytesPerConnection => "bytes a connection",
            ClusterMetric::BytesPerPair => "bytes a room with two connections",
            ClusterMetric::RemoteMembers => "remote members",
        }
    }
}

pub(super) type ClusterMeasurements = Vec<(ClusterMetric, f64)>;

#[derive(Debug, Default)]
pub(super) struct ClusterReport(BTreeMap<(ClusterMetric, PlayerLocations), Vec<f64>>);

impl ClusterReport {
    pub(super) fn add(&mut self, locations: PlayerLocations, measurements: ClusterMeasurements) {
        for (metric, value) in measurements {
            self.0.entry((metric, locations)).or_default().push(value);
        }
    }

    /// Returns the median of all runs; NaN without a run.
    pub(super) fn median(&self, metric: ClusterMetric, locations: PlayerLocations) -> f64 {
        median(
            self.0
                .get(&(metric, locations))
                .cloned()
                .unwrap_or_default(),
        )
    }
}

impl fmt::Display for ClusterReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut locations: Vec<_> = self.0.keys().map(|(_, locations)| *locations).collect();
        locations.sort_unstable();
        locations.dedup();
        let mut metrics: Vec<_> = self.0.keys().map(|(metric, _)| *metric).collect();
        metrics.dedup();
        let mut text = String::new();
        push_row(
            &mut text,
            "players",
            locations
                .iter()
                .map(|locations| locations.name().to_owned()),
        );
        for metric in metrics {
            let cells = locations
                .iter()
                .map(|locations| format_value(self.median(metric, *locations)));
            push_row(&mut text, metric.name(), cells);
        }
        f.write_str(&text)
    }
}
