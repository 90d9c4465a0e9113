//! Compares random games with OpenSpiel, which runs its rollouts in C++. Both are measured by processor time,
//! alternately in each round. `openspiel/run` installs OpenSpiel and starts this program.

use std::fs;
use std::hint::black_box;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, ensure};
use noughts_protocol::Position;
use noughts_protocol::playout;

/// Our rules, OpenSpiel's name of the game, and the number of its games that take about 0.1 s.
const GAMES: &[(&str, &str, u32)] = &[
    ("3x3:3", "tic_tac_toe", 100_000),
    ("7x6:4+gravity", "connect_four", 15_000),
    ("15x15:5", "gomoku", 1_500),
    ("3x3x3:3", "gomoku(size=3,dims=3,connect=3)", 7_000),
    ("4x4x4:4", "gomoku(size=4,dims=3,connect=4)", 2_500),
];
/// Number of our games for each game of OpenSpiel.
const OWN_GAMES_PER_PEER_GAME: u32 = 20;

/// The Python process, which answers each line with a line.
struct OpenSpielProcess {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl OpenSpielProcess {
    fn start(python: &str) -> anyhow::Result<OpenSpielProcess> {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/openspiel/games.py");
        let mut program = Command::new(python)
            .arg(script)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {python}"))?;
        let (stdin, stdout) = (program.stdin.take(), program.stdout.take());
        let (stdin, stdout) = (
            stdin.context("no input pipe")?,
            BufReader::new(stdout.context("no output pipe")?),
        );
        Ok(OpenSpielProcess {
            child: program,
            stdin,
            stdout,
        })
    }

    /// Measures the games per second of OpenSpiel.
    fn rate(&mut self, game: &str, games: u32) -> anyhow::Result<f64> {
        writeln!(self.stdin, "{games} {game}")?;
        let mut response = String::new();
        self.stdout.read_line(&mut response)?;
        let seconds: f64 = response
            .trim()
            .parse()
            .with_context(|| format!("OpenSpiel: {response}"))?;
        Ok(f64::from(games) / seconds)
    }

    fn finish(mut self) -> anyhow::Result<()> {
        drop(self.stdin);
        ensure!(self.child.wait()?.success(), "OpenSpiel failed");
        Ok(())
    }
}

/// Returns the processor time of this thread in seconds.
fn thread_cpu_time() -> anyhow::Result<f64> {
    let schedstat =
        fs::read_to_string("/proc/thread-self/schedstat").context("no processor time")?;
    let nanoseconds: f64 = schedstat.split(' ').next().context("no samples")?.parse()?;
    Ok(nanoseconds / 1e9)
}

/// Measures the games per second of this project.
fn own_rate(rules: &str, games: u32) -> anyhow::Result<f64> {
    let position = Position::new(rules.parse()?);
    let mut rng_state = 0x9e37_79b9_7f4a_7c15_u64;
    let cpu_start = thread_cpu_time()?;
    for _ in 0..games {
        let end = playout(&position, |count| {
            rng_state ^= rng_state << 13;
            rng_state ^= rng_state >> 7;
            rng_state ^= rng_state << 17;
            (((rng_state >> 32) * count as u64) >> 32) as usize
        });
        black_box(end);
    }
    Ok(f64::from(games) / (thread_cpu_time()? - cpu_start))
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|text| !text.starts_with("--"))
        .collect();
    let Some(python) = arguments.first() else {
        println!("No Python with OpenSpiel given: run openspiel/run");
        return Ok(());
    };
    let rounds: usize = arguments.get(1).map_or(Ok(3), |text| text.parse())?;
    ensure!(rounds > 0, "no rounds");
    let mut peer = OpenSpielProcess::start(python)?;
    println!("random games per second, medians of {rounds} rounds");
    println!(
        "{:<16}{:>14}{:>14}{:>8}",
        "", "noughts", "OpenSpiel", "ratio"
    );
    for &(rules, game, games) in GAMES {
        let (mut ours, mut theirs, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..rounds {
            let (own, other) = (
                own_rate(rules, games * OWN_GAMES_PER_PEER_GAME)?,
                peer.rate(game, games)?,
            );
            ours.push(own);
            theirs.push(other);
            ratios.push(own / other);
        }
        println!(
            "{rules:<16}{:>14.0}{:>14.0}{:>8.1}",
            median(ours),
            median(theirs),
            median(ratios)
        );
    }
    peer.finish()
}
