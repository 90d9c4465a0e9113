//! Tests of the certificates, and what they share with the tests of the searches.

mod weak_game_certificates;
mod win_certificates;

use noughts_protocol::{Position, Rules};
use proptest::prelude::*;

/// Returns the position after these moves, written as names of cells.
pub(crate) fn position(rules: &str, moves: &str) -> Position {
    let rules: Rules = rules.parse().unwrap();
    let mut position = Position::new(rules);
    for text in moves.split_whitespace() {
        position.play(rules.parse_cell(text).unwrap()).unwrap();
    }
    position
}

/// A change of one byte of a text: its place and the new byte, or `None` to remove it.
type ByteChange = (usize, Option<u8>);

/// Generates changes of bytes, most of them to characters of certificates.
fn byte_changes() -> impl Strategy<Value = Vec<ByteChange>> {
    let known = proptest::sample::select(b"ABCDEFGHIXO0123456789: -+\nabcx".to_vec());
    let byte = prop_oneof![4 => known, 1 => any::<u8>()];
    proptest::collection::vec(
        (any::<usize>(), proptest::option::weighted(0.8, byte)),
        1..5,
    )
}

fn with_changes(text: &str, changes: &[ByteChange]) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for &(place, byte) in changes {
        let at = place % bytes.len();
        match byte {
            Some(byte) => bytes[at] = byte,
            None => {
                bytes.remove(at);
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
