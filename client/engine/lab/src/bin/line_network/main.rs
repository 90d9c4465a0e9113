//! Makes the weights of the evaluation network of gomoku.
//!
//! `cargo run --release --bin line_network -- self-play FILE RULES GAMES NODES SEED THREADS`: plays games of this
//! build against itself with `NODES` positions a move, and appends them to `FILE`.
//!
//! `... -- train WEIGHTS EPOCHS SEED THREADS FILE...`: trains the evaluation on the games of all files, and writes its
//! weights. The seed determines the weights at the start; the number of threads changes only the rounding of sums.
//!
//! `... -- train-moves WEIGHTS EPOCHS THREADS FILE...`: trains the move ordering on top of such weights, and adds it to
//! their file.
//!
//! Build the engine with the weights in `src/line_network/weights.bin`, and accept them by `engine_match sprt`.

mod game_record;
mod move_trainer;
mod self_play;
#[cfg(test)]
mod tests;
mod trainer;
mod training_data;
mod training_weights;
mod weights_file;

use std::error::Error;

type AnyResult<T> = Result<T, Box<dyn Error + Send + Sync>>;

const USAGE: &str = "usage: line_network self-play FILE RULES GAMES NODES SEED THREADS | train WEIGHTS EPOCHS SEED THREADS FILE...
     | train-moves WEIGHTS EPOCHS THREADS FILE...";

fn main() -> AnyResult<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let texts: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match texts[..] {
        ["self-play", file, rules, games, nodes, seed, threads] => {
            let options = self_play::SelfPlayOptions {
                rules: rules.parse()?,
                games: games.parse()?,
                nodes: nodes.parse()?,
                seed: seed.parse()?,
            };
            self_play::run(file.as_ref(), &options, threads.parse()?)
        }
        ["train", weights, epochs, seed, threads, ref files @ ..] => trainer::run(
            weights.as_ref(),
            epochs.parse()?,
            seed.parse()?,
            threads.parse()?,
            files,
        ),
        ["train-moves", weights, epochs, threads, ref files @ ..] => {
            move_trainer::run(weights.as_ref(), epochs.parse()?, threads.parse()?, files)
        }
        _ => Err(USAGE.into()),
    }
}
