//! Makes the opening book of Connect Four; some minutes and 256 MB.
//!
//! `cargo run --release -p noughts-engine --example connect4_book > client/engine/src/book/connect4.txt`

fn main() {
    noughts_engine::book::connect4::generate(|line| println!("{line}"));
}
