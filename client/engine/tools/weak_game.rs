//! Solves the weak game of a position: whether a seat can complete a line if the other seat only blocks. Writes and checks
//! certificates that it cannot.
//!
//! ```text
//! cargo run --release -p noughts-engine --example weak_game -- solve RULES SEAT TABLE_BITS MAX_NODES [MOVE...]
//! cargo run --release -p noughts-engine --example weak_game -- certify FILE RULES SEAT TABLE_BITS MAX_NODES [MOVE...]
//! cargo run --release -p noughts-engine --example weak_game -- check FILE...
//! ```
//!
//! `SEAT` (`x` or `o`) tries to complete a line. The table has 2^`TABLE_BITS` entries. `solve` prints the result, the number
//! of visited positions and the time; if each seat holds the weak game of the other one, the position is a draw. `certify`
//! writes a certificate to `FILE`, `check` checks it; `proofs/README.md` has its format.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use noughts_engine::{
    SearchLimits, WeakGameRole, check_weak_game_certificate, solve_weak_game, write_weak_game_certificate,
};
use noughts_protocol::{Position, Seat};

/// A weak game and the means for its search.
struct WeakGameTask {
    position: Position,
    maker: Seat,
    table_bits: u32,
    limits: SearchLimits,
}

impl WeakGameTask {
    fn parse(arguments: &[String]) -> Result<WeakGameTask, Box<dyn std::error::Error>> {
        let [rules, seat, table_bits, nodes, moves @ ..] = arguments else { return Err(USAGE.into()) };
        let mut position = Position::new(rules.parse()?);
        for text in moves {
            position.play(position.rules().parse_cell(text)?)?;
        }
        let maker = seat.to_uppercase().parse()?;
        let limits = SearchLimits { nodes: Some(nodes.parse()?), ..SearchLimits::default() };
        Ok(WeakGameTask { position, maker, table_bits: table_bits.parse()?, limits })
    }

    fn solve(&self) -> Result<String, Box<dyn std::error::Error>> {
        let WeakGameTask { position, maker, table_bits, limits } = self;
        let stop = AtomicBool::new(false);
        let result = solve_weak_game(position, *maker, *table_bits, *limits, &|| Duration::ZERO, &stop);
        let result = result.ok_or("the board has no weak game, or is too large")?;
        let winner = match result.winner {
            Some(WeakGameRole::Maker) => format!("{maker} completes a line if {} only blocks", maker.other()),
            Some(WeakGameRole::Breaker) => format!("{maker} cannot win"),
            None => "not solved".to_owned(),
        };
        Ok(format!("{}: {winner}, {} positions", position_text(position), result.nodes))
    }

    fn certify(&self, path: &str) -> Result<String, Box<dyn std::error::Error>> {
        let WeakGameTask { position, maker, table_bits, limits } = self;
        let stop = AtomicBool::new(false);
        let certificate =
            write_weak_game_certificate(position, *maker, *table_bits, *limits, &|| Duration::ZERO, &stop);
        let certificate = certificate.ok_or("no proof within the limit that the seat cannot win")?;
        std::fs::write(path, &certificate)?;
        Ok(format!("{}: {path} written, {} bytes", position_text(position), certificate.len()))
    }
}

const USAGE: &str = "usage: weak_game solve RULES SEAT TABLE_BITS MAX_NODES [MOVE...]
       weak_game certify FILE RULES SEAT TABLE_BITS MAX_NODES [MOVE...]
       weak_game check FILE...";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [command, arguments @ ..] = &arguments[..] else { return Err(USAGE.into()) };
    #[expect(clippy::disallowed_methods, reason = "the clock of this program")]
    let started_at = Instant::now();
    match (command.as_str(), arguments) {
        ("solve", task) => println!("{}, {:.1?}", WeakGameTask::parse(task)?.solve()?, started_at.elapsed()),
        ("certify", [path, task @ ..]) => {
            println!("{}, {:.1?}", WeakGameTask::parse(task)?.certify(path)?, started_at.elapsed());
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
    let certified = check_weak_game_certificate(&std::fs::read_to_string(path)?)
        .map_err(|error| format!("{path}: {error}"))?;
    let (position, maker) = (position_text(&certified.position), certified.maker);
    Ok(format!("{position}: {maker} cannot win, {path} holds, {} nodes", certified.nodes))
}

fn position_text(position: &Position) -> String {
    let rules = position.rules();
    let moves = position.moves().iter().map(|&cell| format!(" {}", rules.cell_text(cell)));
    moves.fold(rules.to_string(), |text, cell| text + &cell)
}
