//! Generates the opening book of Qubic. The book has one quiet move for each position that a reply can lead to, and
//! lists symmetric positions once. It goes to the standard output.

use std::collections::HashSet;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use noughts_engine::SearchLimits;
use noughts_engine::internals::qubic::{ATTACKER, CELL_CHARS, VCF_NODES, find_vcf, rules};
use noughts_engine::internals::{DfPn, SearchBudget, WindowBitboard, iter_bits};
use noughts_protocol::Geometry;

/// Maximum number of positions of a VCF after the last book moves. It leaves a margin: later positions of a VCF may
/// need more, but rarely ten times as many.
const LEAF_VCF_NODES: u32 = VCF_NODES / 10;
/// Base-2 logarithm of the size of the table of the search.
const NODE_BITS: u32 = 24;

fn main() {
    generate(|line| println!("{line}"));
}

/// Generates the book, and emits each line as soon as it is found. The search takes sixteen seconds. The book has one
/// quiet move for each position that a reply can lead to, and lists symmetric positions once.
fn generate(mut emit: impl FnMut(&str)) {
    let geometry = Geometry::cached(rules());
    let stop = AtomicBool::new(false);
    let mut budget = SearchBudget::new(SearchLimits::default(), &|| Duration::ZERO, &stop);
    let mut dfpn = DfPn::new(&geometry, ATTACKER, NODE_BITS).expect("the board fits");
    let (mut seen, mut open) = (HashSet::new(), vec![WindowBitboard::EMPTY]);
    while let Some(stones) = open.pop() {
        let (stones, _) = stones.canonical(&dfpn.tables);
        if !seen.insert(stones.by_seat)
            || stones.completing(&dfpn.tables, ATTACKER) != 0
            || find_vcf(&dfpn.tables, &stones, LEAF_VCF_NODES).is_some()
        {
            continue;
        }
        let win = dfpn
            .find_win(&stones, &mut budget)
            .unwrap_or_else(|| panic!("no win found: {stones:?}"));
        if stones.completing(&dfpn.tables, 1 - ATTACKER) == 0 {
            emit(&format_entry(&stones, win.first));
        }
        let next = stones.play(&dfpn.tables, ATTACKER, win.first);
        let replies = iter_bits(next.free(&dfpn.tables)).map(|cell| cell as u8);
        open.extend(replies.map(|reply| next.play(&dfpn.tables, 1 - ATTACKER, reply)));
    }
}

fn format_entry(stones: &WindowBitboard, best: u8) -> String {
    let name = |cell: u8| char::from(CELL_CHARS[usize::from(cell)]);
    let [first, second] = stones
        .by_seat
        .map(|stones| iter_bits(stones).map(|cell| cell as u8));
    let moves: String = first
        .zip(second)
        .flat_map(|(first, second)| [name(first), name(second)])
        .collect();
    format!(
        "{} {}",
        if moves.is_empty() { "-" } else { &moves },
        name(best)
    )
}
