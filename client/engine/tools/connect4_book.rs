//! Generates the opening book of Connect Four (some minutes, 256 MB of memory).
//!
//! `cargo run --release -p noughts-engine --example connect4_book > connect4.txt`, then
//! replace `client/engine/src/book/connect4.txt` with it.

fn main() {
    noughts_engine::book::connect4::generate(|line| println!("{line}"));
}
