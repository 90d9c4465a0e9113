//! Games of the engine against itself.

use std::fs::OpenOptions;
use std::io::Write;
use std::ops::Range;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use noughts_engine::internals::line_network::supports;
use noughts_engine::{Evaluation, SearchLimits, evaluate};
use noughts_protocol::rng::{SeededRng, split_mix64};
use noughts_protocol::{Cell, Position, Rules, Seat, Status};

use crate::AnyResult;
use crate::game_record::{GameRecord, RecordedMove};

/// Number of random stones of an opening.
const OPENING_STONES: Range<u64> = 1..10;
/// An opening with a score beyond this number is unbalanced. One in `UNBALANCED_SHARE` of the unbalanced openings is
/// played.
const MAX_OPENING_SCORE: i32 = 150;
const UNBALANCED_SHARE: u64 = 2;
/// After the opening, one in this many moves is random.
const RANDOM_MOVE_SHARE: u64 = 14;
/// The score of a win or a loss, proven or claimed.
const DECIDED_SCORE: i32 = 30_000;
/// A game of this many plies counts as a draw.
const MAX_PLIES: usize = 140;

pub(crate) struct SelfPlayOptions {
    pub(crate) rules: Rules,
    pub(crate) games: u64,
    /// Positions of each search.
    pub(crate) nodes: u64,
    pub(crate) seed: u64,
}

/// Plays the games and appends them to a file.
pub(crate) fn run(path: &Path, options: &SelfPlayOptions, threads: u64) -> AnyResult<()> {
    if !supports(&options.rules) {
        return Err(format!("the network evaluates no {}", options.rules).into());
    }
    let file = Mutex::new(OpenOptions::new().create(true).append(true).open(path)?);
    let next_game = AtomicU64::new(0);
    let (file, next_game) = (&file, &next_game);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.max(1))
            .map(|_| {
                scope.spawn(move || -> AnyResult<()> {
                    loop {
                        let number = next_game.fetch_add(1, Ordering::Relaxed);
                        if number >= options.games {
                            return Ok(());
                        }
                        let mut rng = SeededRng::new(split_mix64(options.seed << 32 ^ number));
                        if let Some(game) = play_game(options, &mut rng)? {
                            let mut file = file.lock().map_err(|_| "a thread has panicked")?;
                            writeln!(file, "{game}")?;
                        }
                    }
                })
            })
            .collect();
        workers
            .into_iter()
            .try_for_each(|worker| worker.join().map_err(|_| "a thread has panicked")?)
    })
}

/// Plays a game and returns it; `None` if its opening is decided or too unbalanced.
pub(crate) fn play_game(
    options: &SelfPlayOptions,
    rng: &mut SeededRng,
) -> AnyResult<Option<GameRecord>> {
    let mut position = Position::new(options.rules);
    let stones = rng.random_range(OPENING_STONES.start, OPENING_STONES.end);
    let mut moves = Vec::new();
    while (position.ply() as u64) < stones {
        let cell = random_cell(&position, rng);
        position.play(cell)?;
        moves.push(RecordedMove { cell, score: None });
    }
    if position.status() != Status::Ongoing {
        return Ok(None);
    }
    let mut is_first = true;
    let winner = loop {
        match position.status() {
            Status::Won(seat) => break Some(seat),
            Status::Drawn => break None,
            Status::Ongoing => {}
        }
        if position.ply() >= MAX_PLIES {
            break None;
        }
        let limits = SearchLimits {
            nodes: Some(options.nodes),
            ..SearchLimits::default()
        };
        let found = evaluate(
            &position,
            limits,
            &|| Duration::ZERO,
            &AtomicBool::new(false),
        );
        let found = found.ok_or("the game is over")?;
        let score = match found.score {
            Evaluation::Win(_) => DECIDED_SCORE,
            Evaluation::Loss(_) => -DECIDED_SCORE,
            Evaluation::Draw => 0,
            Evaluation::Estimate(score) => score.clamp(-DECIDED_SCORE, DECIDED_SCORE),
        };
        if is_first && score.abs() > MAX_OPENING_SCORE && !rng.random_one_in(UNBALANCED_SHARE) {
            return Ok(None);
        }
        is_first = false;
        let turn = position.turn();
        let is_random = score.abs() < DECIDED_SCORE && rng.random_one_in(RANDOM_MOVE_SHARE);
        let cell = if is_random {
            random_cell(&position, rng)
        } else {
            found.best
        };
        moves.push(RecordedMove {
            cell,
            score: Some(score),
        });
        if score.abs() == DECIDED_SCORE {
            break Some(if score > 0 { turn } else { turn.other() });
        }
        position.play(cell)?;
    };
    let result = match winner {
        Some(Seat::X) => 2,
        None => 1,
        Some(Seat::O) => 0,
    };
    Ok(Some(GameRecord {
        rules: options.rules,
        result,
        moves,
    }))
}

/// Returns a free cell near a random stone, or on an empty board in its middle half.
fn random_cell(position: &Position, rng: &mut SeededRng) -> Cell {
    let rules = position.rules();
    let (width, height) = (i64::from(rules.width()), i64::from(rules.height()));
    for _ in 0..64 {
        let (x, y) = if position.ply() == 0 {
            (
                width / 4 + rng.random_below(width as u64 / 2 + 1) as i64,
                height / 4 + rng.random_below(height as u64 / 2 + 1) as i64,
            )
        } else {
            let near =
                position.moves()[rng.random_below(position.ply() as u64) as usize].index() as i64;
            let mut step = || rng.random_below(5) as i64 - 2;
            (near % width + step(), near / width + step())
        };
        if (0..width).contains(&x) && (0..height).contains(&y) {
            let cell = Cell::new((y * width + x) as u16);
            if position.is_legal(cell) {
                return cell;
            }
        }
    }
    let any = rng.random_below(position.legal_count() as u64) as usize;
    position.legal_nth(any).unwrap_or(Cell::new(0))
}
