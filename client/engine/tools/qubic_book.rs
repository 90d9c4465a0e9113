//! Generates the opening book of Qubic in sixteen seconds of processor time.
//!
//! `cargo run --release -p noughts-engine --example qubic_book > qubic.txt`, then move the file to
//! `client/engine/src/book/`.

fn main() {
    noughts_engine::book::qubic::generate(|line| println!("{line}"));
}
