//! Finds out whether a seat wins a position, by proof-number search, also with gravity. Writes and checks certificates of wins.
//!
//! ```text
//! cargo run --release -p noughts-engine --example forced_win -- solve RULES SEAT TABLE_BITS MAX_NODES [MOVE...]
//! cargo run --release -p noughts-engine --example forced_win -- certify FILE RULES SEAT TABLE_BITS MAX_NODES [MOVE...]
//! cargo run --release -p noughts-engine --example forced_win -- check FILE...
//! ```
//!
//! `SEAT` (`x` or `o`) tries to win. The table has 2^`TABLE_BITS` entries of 24 bytes. `solve` prints the result, the number of
//! visited positions and the time. `certify` writes the strategy of the seat to `FILE`, `check` checks it; `proofs/README.md` has its
//! format.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use noughts_engine::{SearchLimits, check_win_certificate, prove_forced_win, write_win_certificate};
use noughts_protocol::{Position, Seat};

/// A position, the seat that tries to win, and the means for the search.
struct ForcedWinTask {
    position: Position,
    winner: Seat,
    table_bits: u32,
    limits: SearchLimits,
}

impl ForcedWinTask {
    fn parse(arguments: &[String]) -> Result<ForcedWinTask, Box<dyn std::error::Error>> {
        let [rules, seat, table_bits, nodes, moves @ ..] = arguments else { return Err(USAGE.into()) };
        let mut position = Position::new(rules.parse()?);
        for text in moves {
            position.play(position.rules().parse_cell(text)?)?;
        }
        let winner = seat.to_uppercase().parse()?;
        let limits = SearchLimits { nodes: Some(nodes.parse()?), ..SearchLimits::default() };
        Ok(ForcedWinTask { position, winner, table_bits: table_bits.parse()?, limits })
    }

    fn solve(&self) -> Result<String, Box<dyn std::error::Error>> {
        let ForcedWinTask { position, winner, table_bits, limits } = self;
        let stop = AtomicBool::new(false);
        let result = prove_forced_win(position, *winner, *table_bits, *limits, &|| Duration::ZERO, &stop);
        let result = result.ok_or("the board is too large or misère, or the game is over")?;
        let text = match result.is_won {
            Some(true) => "wins",
            Some(false) => "cannot win",
            None => "not solved",
        };
        Ok(format!("{}: {winner} {text}, {} positions", position_text(position), result.nodes))
    }

    fn certify(&self, path: &str) -> Result<String, Box<dyn std::error::Error>> {
        let ForcedWinTask { position, winner, table_bits, limits } = self;
        let stop = AtomicBool::new(false);
        let certificate =
            write_win_certificate(position, *winner, *table_bits, *limits, &|| Duration::ZERO, &stop);
        let certificate = certificate.ok_or("no proof within the limit that the seat wins")?;
        std::fs::write(path, &certificate)?;
        Ok(format!("{}: {path} written, {} bytes", position_text(position), certificate.len()))
    }
}

const USAGE: &str = "usage: forced_win solve RULES SEAT TABLE_BITS MAX_NODES [MOVE...]
       forced_win certify FILE RULES SEAT TABLE_BITS MAX_NODES [MOVE...]
       forced_win check FILE...";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [command, arguments @ ..] = &arguments[..] else { return Err(USAGE.into()) };
    #[expect(clippy::disallowed_methods, reason = "the clock of this program")]
    let started_at = Instant::now();
    match (command.as_str(), arguments) {
        ("solve", task) => println!("{}, {:.1?}", ForcedWinTask::parse(task)?.solve()?, started_at.elapsed()),
        ("certify", [path, task @ ..]) => {
            println!("{}, {:.1?}", ForcedWinTask::parse(task)?.certify(path)?, started_at.elapsed());
        }
        ("check", paths @ [_, ..]) => {
            for path in paths {
                println!("{}, {:.1?}", check(path)?, started_at.elapsed());
            }
        }
        _ => return Err(USAGE.into()),
    }
    Ok(())
}

fn check(path: &str) -> Result<String, Box<dyn std::error::Error>> {
    let certified =
        check_win_certificate(&std::fs::read_to_string(path)?).map_err(|error| format!("{path}: {error}"))?;
    let (position, winner) = (position_text(&certified.position), certified.winner);
    Ok(format!("{position}: {winner} wins, {path} holds, {} nodes", certified.nodes))
}

fn position_text(position: &Position) -> String {
    let rules = position.rules();
    let moves = position.moves().iter().map(|&cell| format!(" {}", rules.cell_text(cell)));
    moves.fold(rules.to_string(), |text, cell| text + &cell)
}
