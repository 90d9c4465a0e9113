//! Compares engines through their pipes.
//!
//! `cargo run --release --bin engine_match -- sets ENGINE REFERENCE ROUNDS FILE...`: processor time for sets of Connect
//! Four positions. `ENGINE` is a UGI engine, `REFERENCE` a program that reads columns (`4455`) and prints them with
//! their score, as the solver of P. Pons does (<https://github.com/PascalPons/connect4>); both are commands of the
//! shell. A line of a `FILE` holds columns and score. Each round solves a file with both programs, a new process each.
//! Prints the median processor time per position and the median ratio of a round, with its range. Exit code 1 if a
//! score differs.
//!
//! `... -- make-sets REFERENCE FOLDER COUNT SEED`: writes sets of P. Pons's classes from `COUNT` random positions of
//! each phase of the game, with the scores of the reference.
//!
//! `... -- sprt NEW OLD RULES LIMIT ELO0 ELO1 PAIRS SEED`: a sequential probability ratio test of two engines. Each
//! pair of games starts from a random balanced opening, with sides swapped. Exit code 0 if the test accepts `ELO1`, 1
//! if it accepts `ELO0` or has no result after so many pairs; with equal hypotheses it plays all pairs, like a match.
//! An engine is a command of the shell that speaks UGI, or `gomocup:COMMAND`. `LIMIT` is `nodes 20000`, `movetime 50`
//! or, for `serve`, `cputime 50`, which counts processor time, so that the load of the machine does not matter. Two
//! limits, as in `cputime 50/nodes 18000`, are for one engine each. The output has the processor time of both. A limit
//! by nodes is sent to Gomocup engines as `INFO max_node`, which not all of them know.
//!
//! `... -- serve`: this build as such an engine. Two builds of this program can play each other without the client.

mod connect4_sets;
mod engine_process;
mod match_player;
mod serve;
mod sprt;

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

type AnyResult<T> = Result<T, Box<dyn Error>>;

const USAGE: &str =
    "usage: engine_match sets ENGINE REFERENCE ROUNDS FILE... | make-sets REFERENCE FOLDER COUNT SEED
     | sprt NEW OLD RULES LIMIT ELO0 ELO1 PAIRS SEED | serve";

fn main() -> AnyResult<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let texts: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let is_good = match texts[..] {
        ["sets", engine, reference, rounds, ref files @ ..] => {
            let rounds = rounds.parse()?;
            let mut is_right = true;
            for file in files {
                is_right &= connect4_sets::compare(file, engine, reference, rounds)?;
            }
            is_right
        }
        ["make-sets", reference, folder, count, seed] => {
            connect4_sets::make_sets(reference, Path::new(folder), count.parse()?, seed.parse()?)?;
            true
        }
        ["sprt", new, old, rules, limit, elo0, elo1, pairs, seed] => {
            let test = sprt::SprtTest {
                rules: rules.parse()?,
                limits: match limit.split_once('/') {
                    Some((new, old)) => [new.to_owned(), old.to_owned()],
                    None => [limit.to_owned(), limit.to_owned()],
                },
                elo: [elo0.parse()?, elo1.parse()?],
                max_pairs: pairs.parse()?,
                seed: seed.parse()?,
            };
            test.run(new, old)?
        }
        ["serve"] => {
            serve::serve()?;
            true
        }
        _ => return Err(USAGE.into()),
    };
    Ok(if is_good {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
