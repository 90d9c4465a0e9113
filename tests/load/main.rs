//! The load generator: plays whole games through real servers over real sockets, and says what each
//! move costs, beside references that are measured in the same run.
//!
//! `cargo bench -p noughts-tests --bench load` measures; without `--bench` (as `cargo test` runs it) every
//! scenario is played once, small and short, to see that the generator works.

mod figure;
mod line;
mod metronome;
mod pair;
mod player;
mod relay;
mod scenario;
mod script;
mod subject;
mod tally;
mod usage;

use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use anyhow::{Context, ensure};
use clap::{Parser, Subcommand};
use figure::{Figure, Figures};
use line::Framing;
use noughts_tests::program;
use scenario::{Scenario, Window};
use script::Scripts;
use subject::Subject;

#[derive(Debug, Parser)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    /// Measure. Without it, everything is played once, small and short.
    #[arg(long)]
    bench: bool,
    /// Rounds; each plays every scenario with every server, and medians are over the rounds.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Only scenarios whose name contains this.
    #[arg(long)]
    only: Option<String>,
    /// What one machine holds, instead of how fast it is: many connections, many rooms, many games.
    #[arg(long)]
    scale: bool,
    /// Only these servers.
    #[arg(long, value_delimiter = ',')]
    servers: Vec<Subject>,
    /// Seconds before the window of a run.
    #[arg(long, default_value_t = 1.0)]
    warm: f64,
    /// Seconds that a window lasts.
    #[arg(long, default_value_t = 3.0)]
    window: f64,
    /// Which games are drawn.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Measure servers of Node, too: they and their packages are in this folder (`peers/run` makes it).
    #[arg(long, value_name = "FOLDER")]
    peers: Option<PathBuf>,
    /// Write all figures, run by run, to this file.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, Subcommand)]
enum Command {
    /// Be a reference server (the generator starts these by itself).
    #[command(hide = true)]
    Relay { framing: Framing },
}

fn main() -> anyhow::Result<()> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let measures = arguments.iter().any(|argument| argument == "--bench");
    let cli = match arguments.first().map(String::as_str) {
        Some("relay" | "--help") => Cli::parse(),
        _ if measures => Cli::parse(),
        // As `cargo test` runs it, with the words that are meant for its own tests: which to run, and how.
        _ if wanted_by_name(&arguments) => Cli::parse_from(["load"]),
        _ => return Ok(()),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    match cli.command {
        Some(Command::Relay { framing }) => runtime.block_on(relay::serve(framing)),
        None => tokio::task::LocalSet::new().block_on(&runtime, generate(cli)),
    }
}

/// Whether `cargo test` asks for this target: by no name, or by its own.
fn wanted_by_name(arguments: &[String]) -> bool {
    let mut names = arguments.iter().filter(|argument| !argument.starts_with('-')).peekable();
    let lists = arguments.iter().any(|argument| argument == "--list");
    !lists && (names.peek().is_none() || names.any(|name| "load".contains(name.as_str())))
}

/// What is measured.
const FULL: [Scenario; 9] = [
    Scenario::Saturated { pairs: 10 },
    Scenario::Saturated { pairs: 50 },
    Scenario::Saturated { pairs: 500 },
    Scenario::Saturated { pairs: 2_000 },
    Scenario::Paced { pairs: 500, rate: 2_000.0 },
    Scenario::Churn { lanes: 8 },
    Scenario::Matched { times: 300 },
    Scenario::Idle { connections: 2_000 },
    Scenario::Rooms { rooms: 1_000 },
];

/// What one machine holds.
const SCALE: [Scenario; 6] = [
    Scenario::Idle { connections: 9_000 },
    Scenario::Saturated { pairs: 10 },
    Scenario::Saturated { pairs: 2_000 },
    Scenario::Paced { pairs: 10, rate: 8_000.0 },
    Scenario::Paced { pairs: 2_000, rate: 8_000.0 },
    Scenario::Soak { games: 100_000 },
];

/// What is played to see that the generator works.
const SMALL: [Scenario; 7] = [
    Scenario::Saturated { pairs: 3 },
    Scenario::Paced { pairs: 3, rate: 200.0 },
    Scenario::Churn { lanes: 2 },
    Scenario::Matched { times: 3 },
    Scenario::Idle { connections: 5 },
    Scenario::Rooms { rooms: 3 },
    Scenario::Soak { games: 20 },
];

async fn generate(cli: Cli) -> anyhow::Result<()> {
    let scripts = Rc::new(Scripts::new("3x3:3".parse()?, cli.seed));
    let second = Duration::from_secs_f64;
    // What has to be built is built with all cores.
    program::path("noughts-server");
    if !subject::keep_apart()? {
        eprintln!("there is one core: the server shares it with the generator");
    }
    let (scenarios, rounds, window) = if cli.bench {
        let scenarios = if cli.scale { &SCALE[..] } else { &FULL[..] };
        (scenarios, cli.rounds, Window { warm: second(cli.warm), measured: second(cli.window), games: 0 })
    } else {
        (&SMALL[..], 1, Window { warm: second(0.05), measured: second(0.1), games: 3 })
    };
    let wanted =
        |scenario: &&Scenario| cli.only.as_ref().is_none_or(|only| scenario.to_string().contains(only));
    let peers = cli.peers.as_deref();
    let others = if peers.is_some() { &Subject::PEERS[..] } else { &[] };
    let mut subjects = [&Subject::OWN[..], others].concat();
    subjects.retain(|subject| cli.servers.is_empty() || cli.servers.contains(subject));
    let mut figures = Figures::default();
    for round in 1..=rounds {
        for scenario in scenarios.iter().filter(wanted) {
            for &subject in &subjects {
                if cli.bench {
                    eprintln!("round {round}: {scenario}, {}", subject.name());
                }
                let measure = scenario.run(subject, peers, &scripts, window).await?;
                figures.add(*scenario, subject, measure);
            }
        }
    }
    println!("{}", figures.table());
    if let Some(path) = cli.json {
        let text = serde_json::to_string_pretty(&figures.rows())?;
        std::fs::write(&path, text).with_context(|| path.display().to_string())?;
    }
    if !cli.bench {
        check(&figures)?;
        figure::check_growth()?;
    }
    Ok(())
}

/// That games were played and counted, whoever was asked; how fast is no matter here.
fn check(figures: &Figures) -> anyhow::Result<()> {
    let rows = figures.rows();
    ensure!(!rows.is_empty(), "nothing was played");
    for row in &rows {
        let counted = matches!(
            row.figure,
            Figure::MovesPerSecond | Figure::GamesPerSecond | Figure::P50 | Figure::SoakedGames
        );
        ensure!(
            !counted || row.median > 0.0,
            "{}, {}: {:?} is {}",
            row.scenario,
            row.subject,
            row.figure,
            row.median
        );
    }
    Ok(())
}
