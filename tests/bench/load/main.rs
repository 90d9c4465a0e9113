//! Load generator: plays whole games through server processes over real sockets, and measures the cost of
//! each move alongside baseline servers in the same run.
//!
//! `cargo bench --bench load` measures. Without `--bench`, as `cargo test` runs it, each scenario is played once at a
//! small scale as a smoke test.

mod baseline;
mod cluster;
mod counters;
mod pacer;
mod pair;
mod player;
mod proc_stats;
mod recorded_games;
mod report;
mod scenario;
mod target;
mod websocket;

use std::path::PathBuf;
use std::process::ExitCode;
use std::rc::Rc;
use std::time::Duration;

use anyhow::{Context, ensure};
use clap::{Parser, Subcommand};
use cluster::{ClusterLoad, NODE_ARGUMENT};
use noughts_server::{ServerConfig, run_program};
use noughts_tests::program;
use recorded_games::RecordedGames;
use report::{LoadReport, Metric};
use scenario::{MeasureWindow, Scenario};
use target::{LoadTarget, ServerPrograms};
use websocket::Framing;

#[derive(Debug, Parser)]
struct LoadCli {
    #[command(subcommand)]
    command: Option<LoadCommand>,
    /// Measure. Without it, each scenario is played once at a small scale.
    #[arg(long, global = true)]
    bench: bool,
    /// Number of rounds. Each runs every scenario on every server; medians are over the rounds.
    #[arg(long, global = true, default_value_t = 5)]
    rounds: usize,
    /// Only scenarios with this text in their names.
    #[arg(long)]
    only: Option<String>,
    /// Measure capacity instead of speed: many connections, rooms and games.
    #[arg(long)]
    scale: bool,
    /// Only these servers.
    #[arg(long, value_delimiter = ',')]
    servers: Vec<LoadTarget>,
    /// Seconds before the measurement window of a run.
    #[arg(long = "warm-up", global = true, default_value_t = 1.0)]
    warm_up: f64,
    /// Length of the measurement window in seconds.
    #[arg(long, global = true, default_value_t = 3.0)]
    window: f64,
    /// Seed of the recorded games.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Also measure the Node servers in this folder, which `node/run` sets up.
    #[arg(long = "node", value_name = "FOLDER")]
    node_folder: Option<PathBuf>,
    /// Measure this build of `noughts-server`, too, to compare two versions in one run.
    #[arg(long, value_name = "PROGRAM")]
    other_build: Option<PathBuf>,
    /// Write all values of all runs to this file.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

#[derive(Clone, Debug, Subcommand)]
enum LoadCommand {
    /// Run a baseline server (used by the generator itself).
    #[command(hide = true, name = "relay")]
    Baseline { framing: Framing },
    /// Measure three nodes of a cluster on three NATS servers, all on one core.
    Cluster(ClusterLoad),
}

impl LoadCli {
    fn measure_window(&self) -> MeasureWindow {
        let seconds = Duration::from_secs_f64;
        MeasureWindow {
            warm_up: seconds(self.warm_up),
            measured_time: seconds(self.window),
            min_games: 0,
        }
    }
}

fn main() -> anyhow::Result<ExitCode> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    if arguments
        .first()
        .is_some_and(|first| first == NODE_ARGUMENT)
    {
        return run_program(ServerConfig::parse_from(arguments));
    }
    measure(&arguments)?;
    Ok(ExitCode::SUCCESS)
}

fn measure(arguments: &[String]) -> anyhow::Result<()> {
    let is_bench = arguments.iter().any(|argument| argument == "--bench");
    let cli = match arguments.first().map(String::as_str) {
        Some("relay" | "--help") => LoadCli::parse(),
        _ if is_bench => LoadCli::parse(),
        // Run by `cargo test`, with arguments for the standard test harness.
        _ if is_selected_by(arguments) => LoadCli::parse_from(["load"]),
        _ => return Ok(()),
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    match cli.command {
        Some(LoadCommand::Baseline { framing }) => runtime.block_on(baseline::serve(framing)),
        Some(LoadCommand::Cluster(ref load)) => {
            let games = Rc::new(RecordedGames::new("3x3:3".parse()?, cli.seed));
            let measured = load.measure(&games, cli.rounds, cli.measure_window());
            tokio::task::LocalSet::new().block_on(&runtime, measured)
        }
        None => tokio::task::LocalSet::new().block_on(&runtime, run_scenarios(cli)),
    }
}

/// Returns whether the arguments of `cargo test` select this target.
fn is_selected_by(arguments: &[String]) -> bool {
    let mut names = arguments
        .iter()
        .filter(|argument| !argument.starts_with('-'))
        .peekable();
    let is_list = arguments.iter().any(|argument| argument == "--list");
    !is_list && (names.peek().is_none() || names.any(|name| "load".contains(name.as_str())))
}

/// Scenarios of a measurement.
const FULL_SCENARIOS: [Scenario; 9] = [
    Scenario::Saturated { pairs: 10 },
    Scenario::Saturated { pairs: 50 },
    Scenario::Saturated { pairs: 500 },
    Scenario::Saturated { pairs: 2_000 },
    Scenario::Paced {
        pairs: 500,
        rate: 2_000.0,
    },
    Scenario::Churn { lanes: 8 },
    Scenario::Matchmaking { repetitions: 300 },
    Scenario::Idle { connections: 2_000 },
    Scenario::Rooms { rooms: 1_000 },
];

/// Scenarios of a capacity measurement.
const SCALE_SCENARIOS: [Scenario; 6] = [
    Scenario::Idle { connections: 9_000 },
    Scenario::Saturated { pairs: 10 },
    Scenario::Saturated { pairs: 2_000 },
    Scenario::Paced {
        pairs: 10,
        rate: 8_000.0,
    },
    Scenario::Paced {
        pairs: 2_000,
        rate: 8_000.0,
    },
    Scenario::Soak { games: 100_000 },
];

/// Scenarios of the smoke test.
const SMOKE_SCENARIOS: [Scenario; 7] = [
    Scenario::Saturated { pairs: 3 },
    Scenario::Paced {
        pairs: 3,
        rate: 200.0,
    },
    Scenario::Churn { lanes: 2 },
    Scenario::Matchmaking { repetitions: 3 },
    Scenario::Idle { connections: 5 },
    Scenario::Rooms { rooms: 3 },
    Scenario::Soak { games: 20 },
];

async fn run_scenarios(cli: LoadCli) -> anyhow::Result<()> {
    let recorded_games = Rc::new(RecordedGames::new("3x3:3".parse()?, cli.seed));
    // The server is built before the process is pinned to one core.
    program::binary_path("noughts-server");
    if !target::pin_generator()? {
        eprintln!("only one core: the server shares it with the generator");
    }
    let (scenarios, rounds, window) = if cli.bench {
        let scenarios = if cli.scale {
            &SCALE_SCENARIOS[..]
        } else {
            &FULL_SCENARIOS[..]
        };
        (scenarios, cli.rounds, cli.measure_window())
    } else {
        (
            &SMOKE_SCENARIOS[..],
            1,
            MeasureWindow {
                warm_up: Duration::from_millis(50),
                measured_time: Duration::from_millis(100),
                min_games: 3,
            },
        )
    };
    let is_selected = |scenario: &&Scenario| {
        cli.only
            .as_ref()
            .is_none_or(|only| scenario.to_string().contains(only))
    };
    let programs = ServerPrograms {
        node_folder: cli.node_folder,
        other_build: cli.other_build,
    };
    let mut targets = LoadTarget::BUILT_IN.to_vec();
    if programs.other_build.is_some() {
        targets.extend(LoadTarget::OTHER_BUILD);
    }
    if programs.node_folder.is_some() {
        targets.extend(LoadTarget::NODE_SERVERS);
    }
    targets.retain(|target| cli.servers.is_empty() || cli.servers.contains(target));
    let mut report = LoadReport::default();
    for round in 1..=rounds {
        for scenario in scenarios.iter().filter(is_selected) {
            for &target in &targets {
                if cli.bench {
                    eprintln!("round {round}: {scenario}, {}", target.name());
                }
                let measurements = scenario
                    .run(target, &programs, &recorded_games, window)
                    .await?;
                report.add(*scenario, target, measurements);
            }
        }
    }
    println!("{}", report.to_table());
    if let Some(path) = cli.json {
        let text = serde_json::to_string_pretty(&report.rows())?;
        std::fs::write(&path, text).with_context(|| path.display().to_string())?;
    }
    if !cli.bench {
        check_counts(&report)?;
        report::check_growth()?;
        ClusterLoad::small()
            .measure(&recorded_games, 1, window)
            .await?;
    }
    Ok(())
}

/// Checks that games were played and counted with every server.
fn check_counts(report: &LoadReport) -> anyhow::Result<()> {
    let rows = report.rows();
    ensure!(!rows.is_empty(), "no scenario was run");
    for row in &rows {
        let must_be_positive = matches!(
            row.metric,
            Metric::MovesPerSecond | Metric::GamesPerSecond | Metric::P50 | Metric::SoakGames
        );
        ensure!(
            !must_be_positive || row.median > 0.0,
            "{}, {}: {:?} is {}",
            row.scenario,
            row.target,
            row.metric,
            row.median
        );
    }
    Ok(())
}
