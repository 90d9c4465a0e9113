//! Games by chance beside OpenSpiel, whose own rollouts run in C++: both by processor time, one after the other in
//! each round. `tests/openspiel/run` installs it and starts this.

use std::fs;
use std::hint::black_box;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, ensure};
use noughts_protocol::Position;
use noughts_protocol::playout::playout;

/// Our rules, the name of the game there, and how many games it plays in about a tenth of a second.
const GAMES: &[(&str, &str, u32)] = &[
    ("3x3:3", "tic_tac_toe", 100_000),
    ("7x6:4+gravity", "connect_four", 15_000),
    ("15x15:5", "gomoku", 1_500),
    ("3x3x3:3", "gomoku(size=3,dims=3,connect=3)", 7_000),
    ("4x4x4:4", "gomoku(size=4,dims=3,connect=4)", 2_500),
];
/// So many games of ours for one of theirs.
const OURS: u32 = 20;

/// The Python program, which answers line by line.
struct OpenSpiel {
    program: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl OpenSpiel {
    fn start(python: &str) -> anyhow::Result<OpenSpiel> {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/openspiel/games.py");
        let mut program = Command::new(python)
            .arg(script)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {python}"))?;
        let (to, from) = (program.stdin.take(), program.stdout.take());
        let (to, from) = (to.context("its input")?, BufReader::new(from.context("its output")?));
        Ok(OpenSpiel { program, to, from })
    }

    /// Games a second.
    fn rate(&mut self, game: &str, games: u32) -> anyhow::Result<f64> {
        writeln!(self.to, "{games} {game}")?;
        let mut answer = String::new();
        self.from.read_line(&mut answer)?;
        let seconds: f64 = answer.trim().parse().with_context(|| format!("it says «{answer}»"))?;
        Ok(f64::from(games) / seconds)
    }

    fn end(mut self) -> anyhow::Result<()> {
        drop(self.to);
        ensure!(self.program.wait()?.success(), "it failed");
        Ok(())
    }
}

/// The processor time of this thread in seconds, by the system's account.
fn processor() -> anyhow::Result<f64> {
    let account =
        fs::read_to_string("/proc/thread-self/schedstat").context("no account of processor time")?;
    let nanoseconds: f64 = account.split(' ').next().context("an empty account")?.parse()?;
    Ok(nanoseconds / 1e9)
}

/// Games a second.
fn our_rate(rules: &str, games: u32) -> anyhow::Result<f64> {
    let position = Position::new(rules.parse()?);
    let mut chance = 0x9e37_79b9_7f4a_7c15_u64;
    let began = processor()?;
    for _ in 0..games {
        let end = playout(&position, |count| {
            chance ^= chance << 13;
            chance ^= chance >> 7;
            chance ^= chance << 17;
            (((chance >> 32) * count as u64) >> 32) as usize
        });
        black_box(end);
    }
    Ok(f64::from(games) / (processor()? - began))
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|text| !text.starts_with("--")).collect();
    let Some(python) = arguments.first() else {
        println!("No Python with OpenSpiel was named: start tests/openspiel/run");
        return Ok(());
    };
    let rounds: usize = arguments.get(1).map_or(Ok(3), |text| text.parse())?;
    ensure!(rounds > 0, "no rounds");
    let mut peer = OpenSpiel::start(python)?;
    println!("games a second by chance, medians of {rounds} rounds");
    println!("{:<16}{:>14}{:>14}{:>8}", "", "noughts", "OpenSpiel", "ratio");
    for &(rules, game, games) in GAMES {
        let (mut ours, mut theirs, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..rounds {
            let (own, other) = (our_rate(rules, games * OURS)?, peer.rate(game, games)?);
            ours.push(own);
            theirs.push(other);
            ratios.push(own / other);
        }
        println!("{rules:<16}{:>14.0}{:>14.0}{:>8.1}", median(ours), median(theirs), median(ratios));
    }
    peer.end()
}
