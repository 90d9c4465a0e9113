//! Sets of Connect Four positions, solved by an engine and by a reference solver, each through its pipe.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use noughts_protocol::rng::split_mix64;
use noughts_protocol::{Cell, Position, Status};

use crate::AnyResult;
use crate::engine_process::EngineProcess;

const CELLS: i32 = 42;

/// Solves all positions of a file with both programs, and prints a row of the table. Returns `false` if a score
/// differs.
pub(crate) fn compare(file: &str, engine: &str, reference: &str, rounds: usize) -> AnyResult<bool> {
    let text = fs::read_to_string(file)?;
    let positions: Vec<(&str, i32)> = text
        .lines()
        .filter_map(|line| line.split_once(' '))
        .map(|(columns, score)| Ok((columns, score.trim().parse()?)))
        .collect::<AnyResult<_>>()?;
    let (mut ours, mut theirs, mut differences) = (Vec::new(), Vec::new(), 0);
    for _ in 0..rounds.max(1) {
        let mut process = EngineProcess::start(reference)?;
        for (columns, score) in &positions {
            differences += u32::from(ask_reference(&mut process, columns)? != *score);
        }
        theirs.push(process.processor_time()?);
        process.end()?;
        let mut process = EngineProcess::start(engine)?;
        process.send("ugi\nsetoption name OwnBook value false")?;
        for (columns, score) in &positions {
            let found = ask_engine(&mut process, columns)?;
            if found != Some(*score) {
                println!("{columns}: {found:?} instead of {score}");
                differences += 1;
            }
        }
        ours.push(process.processor_time()?);
        process.end()?;
    }
    let mut ratios: Vec<f64> = ours
        .iter()
        .zip(&theirs)
        .map(|(ours, theirs)| ours.as_secs_f64() / theirs.as_secs_f64())
        .collect();
    ratios.sort_by(f64::total_cmp);
    ours.sort();
    theirs.sort();
    let micros =
        |times: &[Duration]| times[times.len() / 2].as_secs_f64() * 1e6 / positions.len() as f64;
    println!(
        "{file}: {} positions, {rounds} rounds, {:.1} µs and {:.1} µs per position, ratio {:.2} ({:.2} to {:.2}), {differences} wrong",
        positions.len(),
        micros(&ours),
        micros(&theirs),
        ratios[ratios.len() / 2],
        ratios[0],
        ratios[ratios.len() - 1],
    );
    Ok(differences == 0)
}

fn ask_reference(process: &mut EngineProcess, columns: &str) -> AnyResult<i32> {
    process.send(columns)?;
    let line = process.read_line()?;
    Ok(line.split_whitespace().nth(1).ok_or("no score")?.parse()?)
}

/// Returns the score that the last line before the move implies; `None` if it is not exact.
fn ask_engine(process: &mut EngineProcess, columns: &str) -> AnyResult<Option<i32>> {
    let moves: String = columns
        .bytes()
        .map(|digit| format!(" {}1", char::from(b'a' + digit - b'1')))
        .collect();
    process.send(&format!("position fen 7x6:4+gravity moves{moves}\ngo"))?;
    let left = CELLS - columns.len() as i32;
    let mut score = None;
    loop {
        let line = process.read_line()?;
        let words: Vec<&str> = line.split_whitespace().collect();
        if words.first() == Some(&"bestmove") {
            return Ok(score);
        }
        let Some(at) = words.iter().position(|&word| word == "score") else {
            continue;
        };
        score = match words[at..] {
            [_, "mate", _, "lowerbound" | "upperbound", ..] => None,
            [_, "mate", moves, ..] => {
                let moves: i32 = moves.parse()?;
                let plies = if moves > 0 { 2 * moves - 1 } else { -2 * moves };
                Some((left + 2 - plies) / 2 * moves.signum())
            }
            [_, "cp", "0", "wdl", "0", "1000", "0", ..] => Some(0),
            _ => None,
        };
    }
}

/// The phases of the game, by the number of stones. The reference needs minutes for positions with fewer stones.
const PHASES: [(&str, std::ops::Range<usize>); 3] =
    [("begin", 9..14), ("middle", 14..28), ("end", 29..41)];

/// Writes a file for each phase and class of random positions, with the scores of the reference.
pub(crate) fn make_sets(reference: &str, folder: &Path, count: usize, seed: u64) -> AnyResult<()> {
    fs::create_dir_all(folder)?;
    let mut solver = EngineProcess::start(reference)?;
    let mut random = seed;
    let mut below = |limit: usize| {
        random = split_mix64(random);
        (random % limit as u64) as usize
    };
    for (phase, stones) in PHASES {
        let mut sets = BTreeMap::<&str, String>::new();
        let mut made = 0;
        while made < count {
            let (length, mut game) = (
                stones.start + below(stones.len()),
                Position::new("7x6:4+gravity".parse()?),
            );
            while game.ply() < length && game.status() == Status::Ongoing {
                let any: Cell = game
                    .legal_nth(below(game.legal_count()))
                    .ok_or("no legal move")?;
                game.play(any)?;
            }
            if game.status() != Status::Ongoing {
                continue;
            }
            made += 1;
            let columns: String = game
                .moves()
                .iter()
                .map(|cell| char::from(b'1' + (cell.index() % 7) as u8))
                .collect();
            let score = ask_reference(&mut solver, &columns)?;
            // Plies until the end of the game.
            let left = CELLS - game.ply() as i32;
            let plies = if score == 0 {
                left
            } else {
                left + 1 - 2 * (score.abs() - 1)
            };
            let class = match plies {
                ..14 => "easy",
                14..28 => "medium",
                28.. => "hard",
            };
            *sets.entry(class).or_default() += &format!("{columns} {score}\n");
        }
        for (class, lines) in sets {
            println!("{phase}-{class}: {} positions", lines.lines().count());
            fs::write(folder.join(format!("{phase}-{class}")), lines)?;
        }
    }
    solver.end()
}
