//! Generates the opening book of Connect Four in some minutes, with 256 MB of memory.
//!
//! `cargo run --release -p noughts-engine --example connect4_book > connect4.txt`, then move the file to
//! `client/engine/src/book/`.

fn main() {
    noughts_engine::book::connect4::generate(|line| println!("{line}"));
}
