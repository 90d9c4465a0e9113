//! Finds the winner of a position by search, without books and without a limit.
//!
//! In free placement, it first tries to prove a draw by weak games, within a limit of their own (see `weak_game`).
//!
//! `cargo run --release --bin solve -- RULES TABLE_BITS [MOVE...]`: the table has up to 2^`TABLE_BITS` slots of 16
//! bytes. Prints the winner with perfect play, the number of visited positions and the time. With
//! `GLIBC_TUNABLES=glibc.malloc.hugetlb=1` in its environment the system provides a large table in huge pages.

use std::time::Instant;

use noughts_engine_lab::{ProvenWinner, prove_winner};
use noughts_protocol::Position;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [rules, table_bits, moves @ ..] = &arguments[..] else {
        return Err("usage: solve RULES TABLE_BITS [MOVE...]".into());
    };
    let mut position = Position::new(rules.parse()?);
    for text in moves {
        position.play(position.rules().parse_cell(text)?)?;
    }
    #[expect(clippy::disallowed_methods, reason = "the clock of this program")]
    let started_at = Instant::now();
    let proven = prove_winner(&position, table_bits.parse()?);
    let ProvenWinner { winner, nodes } = proven.ok_or("the board does not fit into 128 bits")?;
    let winner = winner.map_or_else(|| "draw".to_owned(), |seat| format!("{seat} wins"));
    println!(
        "{rules} {}: {winner}, {nodes} positions, {:.1?}",
        moves.join(" "),
        started_at.elapsed()
    );
    Ok(())
}
