//! The numbers that come out, and how they are put side by side.

use std::collections::BTreeMap;
use std::fmt::{self, Write};

use anyhow::ensure;
use serde::Serialize;

use crate::scenario::{Measure, Scenario};
use crate::subject::Subject;

/// What a number says. In the order of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Figure {
    CpuPerMove,
    UserPerMove,
    SystemPerMove,
    CpuPerVisit,
    MovesPerSecond,
    GamesPerSecond,
    P50,
    P99,
    P999,
    BytesPerConnection,
    BytesPerRoomAndTwo,
    MatchedUs,
    SoakedGames,
    BytesBefore,
    BytesLeft,
    ListeningMs,
    ServerBusy,
    GeneratorBusy,
}

impl Figure {
    fn name(self) -> &'static str {
        match self {
            Figure::CpuPerMove => "server cpu, µs a move",
            Figure::UserPerMove => "  user",
            Figure::SystemPerMove => "  system",
            Figure::CpuPerVisit => "server cpu, µs a game from connect to leave",
            Figure::MovesPerSecond => "moves a second",
            Figure::GamesPerSecond => "games a second",
            Figure::P50 => "move to opponent, µs, p50",
            Figure::P99 => "  p99",
            Figure::P999 => "  p99.9",
            Figure::BytesPerConnection => "bytes a connection",
            Figure::BytesPerRoomAndTwo => "bytes a room with two connections",
            Figure::MatchedUs => "two connect until matched, µs",
            Figure::SoakedGames => "games from connect to leave",
            Figure::BytesBefore => "bytes of the server after a tenth more",
            Figure::BytesLeft => "bytes more after all of them",
            Figure::ListeningMs => "start until listening, ms",
            Figure::ServerBusy => "server's share of its core",
            Figure::GeneratorBusy => "generator's share of its core",
        }
    }

    /// Whether a ratio to the reference says anything.
    fn compares(self) -> bool {
        let told_alone = [
            Figure::ServerBusy,
            Figure::GeneratorBusy,
            Figure::SoakedGames,
            Figure::BytesBefore,
            Figure::BytesLeft,
        ];
        !told_alone.contains(&self)
    }
}

/// One scenario, one server, one figure, over all rounds.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Row {
    pub(crate) scenario: String,
    pub(crate) subject: &'static str,
    pub(crate) figure: Figure,
    /// One a round.
    pub(crate) runs: Vec<f64>,
    pub(crate) median: f64,
    /// The median of the ratios to the relay's figure in the same round.
    pub(crate) to_relay: Option<f64>,
}

/// What all rounds came to.
#[derive(Debug, Default)]
pub(crate) struct Figures {
    /// By scenario, in the order in which they ran.
    scenarios: Vec<(Scenario, Found)>,
}

/// What each round came to.
type Found = BTreeMap<(Figure, Subject), Vec<f64>>;

impl Figures {
    /// Takes in one run.
    pub(crate) fn add(&mut self, scenario: Scenario, subject: Subject, measure: Measure) {
        let at = self.scenarios.iter().position(|(known, _)| *known == scenario).unwrap_or_else(|| {
            self.scenarios.push((scenario, Found::new()));
            self.scenarios.len() - 1
        });
        for (figure, value) in measure {
            self.scenarios[at].1.entry((figure, subject)).or_default().push(value);
        }
    }

    /// All of it, for programs.
    pub(crate) fn rows(&self) -> Vec<Row> {
        let rows = self.scenarios.iter().flat_map(|(scenario, found)| {
            found.iter().map(move |((figure, subject), runs)| Row {
                scenario: scenario.to_string(),
                subject: subject.name(),
                figure: *figure,
                runs: runs.clone(),
                median: median(runs.clone()),
                to_relay: found.get(&(*figure, Subject::Relay)).and_then(|relay| ratio(*figure, runs, relay)),
            })
        });
        rows.collect()
    }

    /// All of it, for people.
    pub(crate) fn table(&self) -> String {
        let mut text = String::new();
        for (scenario, found) in &self.scenarios {
            let mut subjects: Vec<_> = found.keys().map(|(_, subject)| *subject).collect();
            subjects.sort_unstable();
            subjects.dedup();
            line(&mut text, &scenario.to_string(), subjects.iter().map(|subject| subject.name().to_owned()));
            let mut figures: Vec<_> = found.keys().map(|(figure, _)| *figure).collect();
            figures.dedup();
            for figure in figures {
                let cell = |subject: &Subject| {
                    let Some(runs) = found.get(&(figure, *subject)) else { return String::new() };
                    let relay = found.get(&(figure, Subject::Relay));
                    let ratio = relay.and_then(|relay| ratio(figure, runs, relay));
                    let ratio = ratio.map_or(String::new(), |ratio| format!(" {ratio:.2}x"));
                    format!("{}{ratio:>8}", short(median(runs.clone())))
                };
                line(&mut text, figure.name(), subjects.iter().map(cell));
            }
            if let Some(caveat) = caveat(*scenario, found) {
                text += &format!("{caveat}\n");
            }
            text.push('\n');
        }
        text + &self.growth()
    }

    /// What a move costs with the most pairs, against what it costs with the fewest, in the same rounds: each as
    /// fast as it is answered, and all together at one rate.
    fn growth(&self) -> String {
        let mut played: Vec<(Pace, BTreeMap<usize, &Found>)> = Vec::new();
        for (scenario, found) in &self.scenarios {
            let (pace, pairs) = match *scenario {
                Scenario::Saturated { pairs } => (Pace::AsAnswered, pairs),
                Scenario::Paced { pairs, rate } => (Pace::At(rate), pairs),
                Scenario::Churn { .. }
                | Scenario::Idle { .. }
                | Scenario::Rooms { .. }
                | Scenario::Matched { .. }
                | Scenario::Soak { .. } => continue,
            };
            match played.iter_mut().find(|(known, _)| *known == pace) {
                Some((_, by_pairs)) => _ = by_pairs.insert(pairs, found),
                None => played.push((pace, BTreeMap::from([(pairs, found)]))),
            }
        }
        played.iter().filter_map(|(pace, by_pairs)| pace.growth(by_pairs)).collect()
    }
}

/// How fast pairs play.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Pace {
    /// As fast as each is answered.
    AsAnswered,
    /// So many moves a second, all together.
    At(f64),
}

impl fmt::Display for Pace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Pace::AsAnswered => f.write_str("as fast as answered"),
            Pace::At(rate) => write!(f, "at {rate} moves a second"),
        }
    }
}

impl Pace {
    /// Whether the moves of this server came as fast as they were to.
    fn kept(self, found: &Found, subject: Subject) -> bool {
        let Pace::At(rate) = self else { return true };
        let moves = found.get(&(Figure::MovesPerSecond, subject));
        moves.is_some_and(|moves| median(moves.clone()) >= 0.95 * rate)
    }

    /// The growth from the fewest pairs to the most, if there is any.
    fn growth(self, by_pairs: &BTreeMap<usize, &Found>) -> Option<String> {
        let ((fewest, few), (most, many)) = (by_pairs.first_key_value()?, by_pairs.last_key_value()?);
        if fewest == most {
            return None;
        }
        let cost = Figure::CpuPerMove;
        // In each round.
        let grown = |subject: Subject| -> Option<Vec<f64>> {
            let (few_cost, many_cost) = (few.get(&(cost, subject))?, many.get(&(cost, subject))?);
            let kept = self.kept(few, subject) && self.kept(many, subject);
            let measured = few_cost.iter().all(|cost| *cost > 0.0);
            (kept && measured).then(|| many_cost.iter().zip(few_cost).map(|(many, few)| many / few).collect())
        };
        let relay = grown(Subject::Relay);
        let subjects = few.keys().filter(|(figure, _)| *figure == cost).map(|(_, subject)| *subject);
        let told = subjects.map(|subject| {
            let Some(grown) = grown(subject) else { return format!("{} ?", subject.name()) };
            let beside = relay.as_ref().filter(|_| subject != Subject::Relay);
            let beside = beside.and_then(|relay| ratio(cost, &grown, relay));
            let beside = beside.map_or(String::new(), |beside| format!(", {beside:.2} of the relay's"));
            format!("{} {:.2}x{beside}", subject.name(), median(grown))
        });
        let told: Vec<_> = told.collect();
        Some(format!("Server cpu a move with {most} pairs, against {fewest}, {self}: {}.\n", told.join("; ")))
    }
}

/// What makes the figures of a scenario other than they seem.
fn caveat(scenario: Scenario, found: &Found) -> Option<String> {
    // Who keeps time is always busy.
    let Scenario::Paced { rate, .. } = scenario else { return bound(found) };
    let subjects =
        found.keys().filter(|(figure, _)| *figure == Figure::MovesPerSecond).map(|(_, subject)| *subject);
    let late = subjects.filter(|subject| !Pace::At(rate).kept(found, *subject)).map(Subject::name);
    let names: Vec<_> = late.collect();
    (!names.is_empty()).then(|| format!("The rate was not kept by: {}.", names.join(", ")))
}

/// Whom the generator held up: a server that was not busy while its clients were.
fn bound(found: &Found) -> Option<String> {
    let held = |((figure, subject), runs): (&(Figure, Subject), &Vec<f64>)| {
        let busy = *figure == Figure::GeneratorBusy && median(runs.clone()) > 0.95;
        let server = found.get(&(Figure::ServerBusy, *subject))?;
        (busy && median(server.clone()) < 0.9).then(|| subject.name())
    };
    let names: Vec<_> = found.iter().filter_map(held).collect();
    (!names.is_empty()).then(|| {
        format!("The generator is the bottleneck for: {}. Its rates are the generator's.", names.join(", "))
    })
}

fn line(text: &mut String, first: &str, cells: impl Iterator<Item = String>) {
    write!(text, "{first:<46}").expect("a string takes all");
    for cell in cells {
        write!(text, "{cell:>20}").expect("a string takes all");
    }
    let end = text.trim_end().len();
    text.truncate(end);
    text.push('\n');
}

fn short(value: f64) -> String {
    match value {
        value if value >= 1000.0 => format!("{value:.0}"),
        value if value >= 10.0 => format!("{value:.1}"),
        value => format!("{value:.2}"),
    }
}

/// The median of the ratios of runs that stood side by side.
fn ratio(figure: Figure, runs: &[f64], relay: &[f64]) -> Option<f64> {
    let ratios: Vec<_> =
        runs.iter().zip(relay).filter(|(_, relay)| **relay > 0.0).map(|(run, relay)| run / relay).collect();
    (figure.compares() && !ratios.is_empty()).then(|| median(ratios))
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => f64::NAN,
        odd if odd % 2 == 1 => values[middle],
        _ => (values[middle - 1] + values[middle]) / 2.0,
    }
}

/// That growth is told by pace, and only of a pace that was kept. This program is its own test: nothing runs what
/// is marked as one here.
pub(crate) fn check_growth() -> anyhow::Result<()> {
    let mut figures = Figures::default();
    let run = |cost, moves| vec![(Figure::CpuPerMove, cost), (Figure::MovesPerSecond, moves)];
    for (scenario, relay, memory, moves) in [
        (Scenario::Saturated { pairs: 10 }, [2.0, 4.0, 8.0], [4.0; 3], 1.0),
        (Scenario::Saturated { pairs: 50 }, [9.0; 3], [1.0; 3], 1.0),
        (Scenario::Saturated { pairs: 200 }, [4.0, 8.0, 8.0], [6.0, 12.0, 4.0], 1.0),
        (Scenario::Paced { pairs: 10, rate: 100.0 }, [5.0; 3], [8.0; 3], 100.0),
        (Scenario::Paced { pairs: 200, rate: 100.0 }, [5.0; 3], [10.0; 3], 99.0),
    ] {
        for (relay, memory) in relay.into_iter().zip(memory) {
            figures.add(scenario, Subject::Relay, run(relay, 0.9 * moves));
            figures.add(scenario, Subject::Memory, run(memory, moves));
            figures.add(scenario, Subject::Process, run(2.0, 0.9 * moves));
        }
    }
    let table = figures.table();
    let growth = "200 pairs, against 10, as fast as answered: relay 2.00x; memory 1.50x, 1.00 of the relay's; \
                  process 1.00x, 0.50 of the relay's.\n\
                  Server cpu a move with 200 pairs, against 10, at 100 moves a second: relay ?; memory 1.25x; process ?.\n";
    ensure!(table.ends_with(growth), "growth is told as\n{table}");
    ensure!(
        table.matches("The rate was not kept by: relay, process.").count() == 2,
        "who is late is told as\n{table}"
    );
    Ok(())
}
