//! Makes the opening book of Qubic; sixteen seconds of processor time.
//!
//! `cargo run --release -p noughts-engine --example qubic_book > qubic.txt`, and that over `client/engine/src/book/qubic.txt`

fn main() {
    noughts_engine::book::qubic::generate(|line| println!("{line}"));
}
