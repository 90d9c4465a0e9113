//! Generates the opening book of Qubic (about 16 s of processor time).
//!
//! `cargo run --release -p noughts-engine --example qubic_book > qubic.txt`, then
//! replace `client/engine/src/book/qubic.txt` with it.

fn main() {
    noughts_engine::book::qubic::generate(|line| println!("{line}"));
}
