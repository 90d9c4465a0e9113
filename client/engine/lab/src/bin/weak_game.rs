//! Solves the weak game of a position: whether a seat can complete a line if the other seat only blocks. Writes and
//! checks certificates that it cannot.
//!
//! ```text
//! cargo run --release --bin weak_game -- solve RULES SEAT TABLE_BITS MAX_NODES [MOVE...]
//! cargo run --release --bin weak_game -- certify FILE RULES SEAT TABLE_BITS MAX_NODES [MOVE...]
//! cargo run --release --bin weak_game -- check FILE...
//! ```
//!
//! `SEAT` (`x` or `o`) tries to complete a line. The table has 2^`TABLE_BITS` entries of at most 64 bytes; `TABLE_BITS`
//! is limited to 1 to 26. `solve` prints the result, the number of visited positions and the time; if each seat holds
//! the weak game of the other seat, the position is a draw. `certify` writes a certificate to `FILE`, `check` checks
//! it; the README has its format.

use std::error::Error;
use std::process::ExitCode;

use noughts_engine_lab::proof_task::{ProofCommands, ProofTask, position_text};
use noughts_engine_lab::{
    WeakGameRole, check_weak_game_certificate, solve_weak_game, write_weak_game_certificate,
};

const COMMANDS: ProofCommands = ProofCommands {
    name: "weak_game",
    solve,
    certify,
    check,
};

fn main() -> ExitCode {
    COMMANDS.run()
}

fn solve(task: &ProofTask) -> Result<String, Box<dyn Error>> {
    let (position, seat, max_nodes) = (&task.position, task.seat, Some(task.max_nodes));
    let result = solve_weak_game(position, seat, task.table_bits, max_nodes);
    let result = result.ok_or("the board has no weak game, or is too large")?;
    let winner = match result.winner {
        Some(WeakGameRole::Maker) => {
            format!("{seat} completes a line if {} only blocks", seat.other())
        }
        Some(WeakGameRole::Breaker) => format!("{seat} cannot win"),
        None => "not solved".to_owned(),
    };
    Ok(format!(
        "{}: {winner}, {} positions",
        position_text(position),
        result.nodes
    ))
}

fn certify(task: &ProofTask) -> Result<String, Box<dyn Error>> {
    let (position, seat, max_nodes) = (&task.position, task.seat, Some(task.max_nodes));
    let certificate = write_weak_game_certificate(position, seat, task.table_bits, max_nodes);
    Ok(certificate.ok_or("no certificate within the limits that the seat cannot win")?)
}

fn check(path: &str) -> Result<String, Box<dyn Error>> {
    let certified = check_weak_game_certificate(&std::fs::read_to_string(path)?)?;
    let (position, maker) = (position_text(&certified.position), certified.maker);
    Ok(format!(
        "{position}: {maker} cannot win, {path} holds, {} nodes",
        certified.nodes
    ))
}
