//! Makes the opening book of Connect Four; some minutes and 256 MB.
//!
//! `cargo run --release -p noughts --example connect4_book > client/src/engine/book/connect4.txt`

fn main() {
    noughts::engine::book::make(|line| println!("{line}"));
}
