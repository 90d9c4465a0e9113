//! Finds out whether a seat wins a position, by proof-number search, also with gravity. Writes and checks certificates
//! of wins.
//!
//! ```text
//! cargo run --release --bin forced_win -- solve RULES SEAT TABLE_BITS MAX_NODES [MOVE...]
//! cargo run --release --bin forced_win -- certify FILE RULES SEAT TABLE_BITS MAX_NODES [MOVE...]
//! cargo run --release --bin forced_win -- check FILE...
//! ```
//!
//! `SEAT` (`x` or `o`) tries to win. The table has 2^`TABLE_BITS` entries of 24 bytes; `TABLE_BITS` is limited to 1 to
//! 26. `solve` prints the result, the number of visited positions and the time. `certify` writes the strategy of the
//! seat to `FILE`, `check` checks it; the README has its format.

use std::error::Error;
use std::process::ExitCode;

use noughts_engine_lab::proof_task::{ProofCommands, ProofTask, position_text};
use noughts_engine_lab::{check_win_certificate, prove_forced_win, write_win_certificate};

const COMMANDS: ProofCommands = ProofCommands {
    name: "forced_win",
    solve,
    certify,
    check,
};

fn main() -> ExitCode {
    COMMANDS.run()
}

fn solve(task: &ProofTask) -> Result<String, Box<dyn Error>> {
    let (position, seat, max_nodes) = (&task.position, task.seat, Some(task.max_nodes));
    let result = prove_forced_win(position, seat, task.table_bits, max_nodes);
    let result = result.ok_or("the board is too large or misère, or the game is over")?;
    let text = match result.is_won {
        Some(true) => "wins",
        Some(false) => "cannot win",
        None => "not solved",
    };
    Ok(format!(
        "{}: {seat} {text}, {} positions",
        position_text(position),
        result.nodes
    ))
}

fn certify(task: &ProofTask) -> Result<String, Box<dyn Error>> {
    let (position, seat, max_nodes) = (&task.position, task.seat, Some(task.max_nodes));
    let certificate = write_win_certificate(position, seat, task.table_bits, max_nodes);
    Ok(certificate.ok_or("no certificate within the limits that the seat wins")?)
}

fn check(path: &str) -> Result<String, Box<dyn Error>> {
    let certified = check_win_certificate(&std::fs::read_to_string(path)?)?;
    let (position, winner) = (position_text(&certified.position), certified.winner);
    Ok(format!(
        "{position}: {winner} wins, {path} holds, {} nodes",
        certified.nodes
    ))
}
