//! Deepens the opening book of Connect Four. The work can be interrupted: it continues with the units that the progress
//! file lacks. The same book and depth always give the same result.
//!
//! `cargo run --release --bin connect4_book -- PROGRESS UNIT_PLY MAX_PLY [THREADS] > connect4.txt`,
//! then replace `client/engine/src/book/connect4.txt` with it. Each position of the book at `UNIT_PLY` is a unit: 0 makes
//! the whole book in one, a value behind the last ply of the book deepens it by `THREADS` searches of 256 MB at a time.

mod generator;

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Error, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use generator::{BookPart, assemble, generate, units};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, unit_ply, max_ply, rest @ ..] = &arguments[..] else {
        return Err("usage: connect4_book PROGRESS UNIT_PLY MAX_PLY [THREADS]".into());
    };
    let (unit_ply, max_ply) = (unit_ply.parse()?, max_ply.parse()?);
    let threads = rest.first().map_or(Ok(1), |threads| threads.parse())?;
    let units = units(unit_ply);
    let file = OpenOptions::new().create(true).append(true).open(path)?;
    let parts = Mutex::new((read_progress(path)?, file));
    let next = AtomicUsize::new(0);
    let work = || -> Result<(), Error> {
        while let Some(moves) = units.get(next.fetch_add(1, Ordering::Relaxed)) {
            if parts
                .lock()
                .expect("no thread has panicked")
                .0
                .contains_key(moves)
            {
                continue;
            }
            let part = generate(moves, max_ply);
            let (parts, file) = &mut *parts.lock().expect("no thread has panicked");
            file.write_all(format_unit(moves, &part).as_bytes())?;
            parts.insert(moves.clone(), part);
            eprintln!("{} of {} units", parts.len(), units.len());
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers
            .into_iter()
            .try_for_each(|worker| worker.join().expect("no thread has panicked"))
    })?;
    let (mut parts, _) = parts.into_inner()?;
    let parts: Vec<BookPart> = units
        .iter()
        .filter_map(|moves| parts.remove(moves))
        .collect();
    print!("{}", assemble(&parts, unit_ply, max_ply));
    Ok(())
}

/// A line of the progress file: the moves of a unit, then key and column of each position, then a full stop.
fn format_unit(moves: &str, part: &BookPart) -> String {
    let entries: String = part
        .iter()
        .map(|(key, column)| format!(" {key:x}:{column}"))
        .collect();
    format!("-{moves}{entries} .\n")
}

/// The complete units of the progress file.
fn read_progress(path: &str) -> Result<HashMap<String, BookPart>, Error> {
    let parse_unit = |line: &str| {
        let (moves, entries) = line
            .strip_prefix('-')?
            .strip_suffix(" .")?
            .split_once(' ')?;
        let parse_entry = |entry: &str| {
            let (key, column) = entry.split_once(':')?;
            Some((u64::from_str_radix(key, 16).ok()?, column.parse().ok()?))
        };
        Some((
            moves.to_owned(),
            entries
                .split(' ')
                .map(parse_entry)
                .collect::<Option<BookPart>>()?,
        ))
    };
    let lines = BufReader::new(File::open(path)?).lines();
    lines
        .filter_map(|line| line.map(|line| parse_unit(&line)).transpose())
        .collect()
}
