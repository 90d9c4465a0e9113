//! Metrics of all runs, and their comparison.

use std::collections::BTreeMap;
use std::fmt::{self, Write};

use anyhow::ensure;
use serde::Serialize;

use crate::scenario::{Measurements, Scenario};
use crate::target::LoadTarget;

/// Measured quantity, in the order of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Metric {
    CpuPerMove,
    UserPerMove,
    SystemPerMove,
    #[serde(rename = "cpu_per_visit")]
    CpuPerShortGame,
    MovesPerSecond,
    GamesPerSecond,
    P50,
    P99,
    P999,
    BytesPerConnection,
    #[serde(rename = "bytes_per_room_and_two")]
    BytesPerRoom,
    #[serde(rename = "matched_us")]
    MatchmakingUs,
    #[serde(rename = "soaked_games")]
    SoakGames,
    #[serde(rename = "bytes_before")]
    WarmBytes,
    #[serde(rename = "bytes_left")]
    RetainedBytes,
    #[serde(rename = "listening_ms")]
    StartupMs,
    #[serde(rename = "server_busy")]
    ServerUtilization,
    #[serde(rename = "generator_busy")]
    GeneratorUtilization,
}

impl Metric {
    fn name(self) -> &'static str {
        match self {
            Metric::CpuPerMove => "server cpu, µs a move",
            Metric::UserPerMove => "  user",
            Metric::SystemPerMove => "  system",
            Metric::CpuPerShortGame => "server cpu, µs a game from connect to leave",
            Metric::MovesPerSecond => "moves a second",
            Metric::GamesPerSecond => "games a second",
            Metric::P50 => "move to opponent, µs, p50",
            Metric::P99 => "  p99",
            Metric::P999 => "  p99.9",
            Metric::BytesPerConnection => "bytes a connection",
            Metric::BytesPerRoom => "bytes a room with two connections",
            Metric::MatchmakingUs => "two connect until matched, µs",
            Metric::SoakGames => "games from connect to leave",
            Metric::WarmBytes => "bytes of the server after a tenth more",
            Metric::RetainedBytes => "bytes more after all of them",
            Metric::StartupMs => "start until listening, ms",
            Metric::ServerUtilization => "server's share of its core",
            Metric::GeneratorUtilization => "generator's share of its core",
        }
    }

    /// Returns whether a ratio to the baseline is meaningful.
    fn is_comparable(self) -> bool {
        let without_ratio = [
            Metric::ServerUtilization,
            Metric::GeneratorUtilization,
            Metric::SoakGames,
            Metric::WarmBytes,
            Metric::RetainedBytes,
        ];
        !without_ratio.contains(&self)
    }
}

/// Values of one scenario, server and metric over all rounds.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ReportRow {
    pub(crate) scenario: String,
    #[serde(rename = "subject")]
    pub(crate) target: &'static str,
    #[serde(rename = "figure")]
    pub(crate) metric: Metric,
    /// One value for each round.
    pub(crate) runs: Vec<f64>,
    pub(crate) median: f64,
    /// Median of the ratios to the baseline's value in the same round.
    #[serde(rename = "to_relay")]
    pub(crate) ratio_to_baseline: Option<f64>,
}

#[derive(Debug, Default)]
pub(crate) struct LoadReport {
    /// The samples of each scenario, in the order of the runs.
    samples_by_scenario: Vec<(Scenario, Samples)>,
}

/// Values by round.
type Samples = BTreeMap<(Metric, LoadTarget), Vec<f64>>;

impl LoadReport {
    /// Adds the measurements of one run.
    pub(crate) fn add(&mut self, scenario: Scenario, target: LoadTarget, measure: Measurements) {
        let at = self
            .samples_by_scenario
            .iter()
            .position(|(known, _)| *known == scenario)
            .unwrap_or_else(|| {
                self.samples_by_scenario.push((scenario, Samples::new()));
                self.samples_by_scenario.len() - 1
            });
        for (metric, value) in measure {
            self.samples_by_scenario[at]
                .1
                .entry((metric, target))
                .or_default()
                .push(value);
        }
    }

    /// Returns the rows for programs.
    pub(crate) fn rows(&self) -> Vec<ReportRow> {
        let rows = self
            .samples_by_scenario
            .iter()
            .flat_map(|(scenario, samples)| {
                samples
                    .iter()
                    .map(move |((metric, target), runs)| ReportRow {
                        scenario: scenario.to_string(),
                        target: target.name(),
                        metric: *metric,
                        runs: runs.clone(),
                        median: median(runs.clone()),
                        ratio_to_baseline: samples
                            .get(&(*metric, LoadTarget::Baseline))
                            .and_then(|baseline| ratio(*metric, runs, baseline)),
                    })
            });
        rows.collect()
    }

    /// Returns the table for people.
    pub(crate) fn to_table(&self) -> String {
        let mut text = String::new();
        for (scenario, samples) in &self.samples_by_scenario {
            let mut targets: Vec<_> = samples.keys().map(|(_, target)| *target).collect();
            targets.sort_unstable();
            targets.dedup();
            push_row(
                &mut text,
                &scenario.to_string(),
                targets.iter().map(|target| target.name().to_owned()),
            );
            let mut metrics: Vec<_> = samples.keys().map(|(metric, _)| *metric).collect();
            metrics.dedup();
            for metric in metrics {
                let cell = |target: &LoadTarget| {
                    let Some(runs) = samples.get(&(metric, *target)) else {
                        return String::new();
                    };
                    let baseline = samples.get(&(metric, LoadTarget::Baseline));
                    let ratio = baseline.and_then(|baseline| ratio(metric, runs, baseline));
                    let ratio = ratio.map_or(String::new(), |ratio| format!(" {ratio:.2}x"));
                    format!("{}{ratio:>8}", format_value(median(runs.clone())))
                };
                push_row(&mut text, metric.name(), targets.iter().map(cell));
            }
            if let Some(caveat) = caveat(*scenario, samples) {
                text += &format!("{caveat}\n");
            }
            text.push('\n');
        }
        text + &self.growth()
    }

    /// Compares the cost of a move at the largest number of pairs with its cost at the smallest number, in the same
    /// rounds, separately for each rate.
    fn growth(&self) -> String {
        let mut by_rate: Vec<(PlayRate, BTreeMap<usize, &Samples>)> = Vec::new();
        for (scenario, samples) in &self.samples_by_scenario {
            let (play_rate, pairs) = match *scenario {
                Scenario::Saturated { pairs } => (PlayRate::Unthrottled, pairs),
                Scenario::Paced { pairs, rate } => (PlayRate::Fixed(rate), pairs),
                Scenario::Churn { .. }
                | Scenario::Idle { .. }
                | Scenario::Rooms { .. }
                | Scenario::Matchmaking { .. }
                | Scenario::Soak { .. } => continue,
            };
            match by_rate.iter_mut().find(|(known, _)| *known == play_rate) {
                Some((_, by_pairs)) => _ = by_pairs.insert(pairs, samples),
                None => by_rate.push((play_rate, BTreeMap::from([(pairs, samples)]))),
            }
        }
        by_rate
            .iter()
            .filter_map(|(play_rate, by_pairs)| play_rate.growth(by_pairs))
            .collect()
    }
}

/// Rate of moves.
#[derive(Clone, Copy, Debug, PartialEq)]
enum PlayRate {
    /// No fixed rate: as fast as the server responds.
    Unthrottled,
    /// Total moves per second.
    Fixed(f64),
}

impl fmt::Display for PlayRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlayRate::Unthrottled => f.write_str("as fast as answered"),
            PlayRate::Fixed(rate) => write!(f, "at {rate} moves a second"),
        }
    }
}

impl PlayRate {
    /// Returns whether a server kept the rate.
    fn is_sustained(self, samples: &Samples, target: LoadTarget) -> bool {
        let PlayRate::Fixed(rate) = self else {
            return true;
        };
        let moves = samples.get(&(Metric::MovesPerSecond, target));
        moves.is_some_and(|moves| median(moves.clone()) >= 0.95 * rate)
    }

    /// Returns the growth from the fewest pairs to the most pairs, if there are different numbers of pairs.
    fn growth(self, by_pairs: &BTreeMap<usize, &Samples>) -> Option<String> {
        let ((fewest, fewest_samples), (most, most_samples)) =
            (by_pairs.first_key_value()?, by_pairs.last_key_value()?);
        if fewest == most {
            return None;
        }
        let cost = Metric::CpuPerMove;
        // Each round gives one ratio.
        let growth_ratios = |target: LoadTarget| -> Option<Vec<f64>> {
            let (few_cost, many_cost) = (
                fewest_samples.get(&(cost, target))?,
                most_samples.get(&(cost, target))?,
            );
            let sustained = self.is_sustained(fewest_samples, target)
                && self.is_sustained(most_samples, target);
            let measured = few_cost.iter().all(|cost| *cost > 0.0);
            (sustained && measured).then(|| {
                many_cost
                    .iter()
                    .zip(few_cost)
                    .map(|(many, few)| many / few)
                    .collect()
            })
        };
        let baseline = growth_ratios(LoadTarget::Baseline);
        let targets = fewest_samples
            .keys()
            .filter(|(metric, _)| *metric == cost)
            .map(|(_, target)| *target);
        let parts = targets.map(|target| {
            let Some(growth_ratios) = growth_ratios(target) else {
                return format!("{} ?", target.name());
            };
            let relative = baseline.as_ref().filter(|_| target != LoadTarget::Baseline);
            let relative = relative.and_then(|baseline| ratio(cost, &growth_ratios, baseline));
            let relative = relative.map_or(String::new(), |relative| {
                format!(", {relative:.2} of the relay's")
            });
            format!("{} {:.2}x{relative}", target.name(), median(growth_ratios))
        });
        let parts: Vec<_> = parts.collect();
        Some(format!(
            "Server cpu a move with {most} pairs, against {fewest}, {self}: {}.\n",
            parts.join("; ")
        ))
    }
}

/// Returns a note on a scenario if its values do not measure the server alone.
fn caveat(scenario: Scenario, samples: &Samples) -> Option<String> {
    // At a fixed rate the generator always spins, so its processor time says nothing.
    let Scenario::Paced { rate, .. } = scenario else {
        return generator_bottleneck(samples);
    };
    let targets = samples
        .keys()
        .filter(|(metric, _)| *metric == Metric::MovesPerSecond)
        .map(|(_, target)| *target);
    let late = targets
        .filter(|target| !PlayRate::Fixed(rate).is_sustained(samples, *target))
        .map(LoadTarget::name);
    let names: Vec<_> = late.collect();
    (!names.is_empty()).then(|| format!("The rate was not kept by: {}.", names.join(", ")))
}

/// Names the servers that were not busy while the generator was.
fn generator_bottleneck(samples: &Samples) -> Option<String> {
    let limited_by_generator = |((metric, target), runs): (&(Metric, LoadTarget), &Vec<f64>)| {
        let busy = *metric == Metric::GeneratorUtilization && median(runs.clone()) > 0.95;
        let server = samples.get(&(Metric::ServerUtilization, *target))?;
        (busy && median(server.clone()) < 0.9).then(|| target.name())
    };
    let names: Vec<_> = samples.iter().filter_map(limited_by_generator).collect();
    (!names.is_empty()).then(|| {
        format!(
            "The generator is the bottleneck for: {}. Its rates are the generator's.",
            names.join(", ")
        )
    })
}

pub(crate) fn push_row(text: &mut String, label: &str, cells: impl Iterator<Item = String>) {
    write!(text, "{label:<46}").expect("writing to a string cannot fail");
    for cell in cells {
        write!(text, "{cell:>20}").expect("writing to a string cannot fail");
    }
    let trimmed_len = text.trim_end().len();
    text.truncate(trimmed_len);
    text.push('\n');
}

pub(crate) fn format_value(value: f64) -> String {
    match value {
        value if value >= 1000.0 => format!("{value:.0}"),
        value if value >= 10.0 => format!("{value:.1}"),
        value => format!("{value:.2}"),
    }
}

/// Returns the median of the ratios of runs in the same round.
fn ratio(metric: Metric, runs: &[f64], baseline: &[f64]) -> Option<f64> {
    let ratios: Vec<_> = runs
        .iter()
        .zip(baseline)
        .filter(|(_, baseline)| **baseline > 0.0)
        .map(|(run, baseline)| run / baseline)
        .collect();
    (metric.is_comparable() && !ratios.is_empty()).then(|| median(ratios))
}

pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => f64::NAN,
        odd if odd % 2 == 1 => values[middle],
        _ => (values[middle - 1] + values[middle]) / 2.0,
    }
}

/// Checks that growth is reported separately for each rate, and only for rates that were kept. This program
/// has no test harness, so `#[test]` functions would not run.
pub(crate) fn check_growth() -> anyhow::Result<()> {
    let mut report = LoadReport::default();
    let run = |cost, moves| vec![(Metric::CpuPerMove, cost), (Metric::MovesPerSecond, moves)];
    for (scenario, baseline, memory, moves) in [
        (
            Scenario::Saturated { pairs: 10 },
            [2.0, 4.0, 8.0],
            [4.0; 3],
            1.0,
        ),
        (Scenario::Saturated { pairs: 50 }, [9.0; 3], [1.0; 3], 1.0),
        (
            Scenario::Saturated { pairs: 200 },
            [4.0, 8.0, 8.0],
            [6.0, 12.0, 4.0],
            1.0,
        ),
        (
            Scenario::Paced {
                pairs: 10,
                rate: 100.0,
            },
            [5.0; 3],
            [8.0; 3],
            100.0,
        ),
        (
            Scenario::Paced {
                pairs: 200,
                rate: 100.0,
            },
            [5.0; 3],
            [10.0; 3],
            99.0,
        ),
    ] {
        for (baseline, memory) in baseline.into_iter().zip(memory) {
            report.add(scenario, LoadTarget::Baseline, run(baseline, 0.9 * moves));
            report.add(scenario, LoadTarget::Memory, run(memory, moves));
            report.add(scenario, LoadTarget::Process, run(2.0, 0.9 * moves));
        }
    }
    let table = report.to_table();
    let growth = "200 pairs, against 10, as fast as answered: relay 2.00x; memory 1.50x, 1.00 of the relay's; \
                  process 1.00x, 0.50 of the relay's.\n\
                  Server cpu a move with 200 pairs, against 10, at 100 moves a second: relay ?; memory 1.25x; process ?.\n";
    ensure!(table.ends_with(growth), "unexpected growth in\n{table}");
    ensure!(
        table
            .matches("The rate was not kept by: relay, process.")
            .count()
            == 2,
        "unexpected late servers in\n{table}"
    );
    Ok(())
}
