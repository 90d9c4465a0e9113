//! Recorded moves. A change of structure or speed must keep every move, score and number of nodes.
//!
//! A line of `recorded_moves.txt` is `RULES LEVEL NODES SEED MOVES... -> BEST SCORE VISITED`. After an intended change
//! of the moves, `NOUGHTS_TEST_GOLDEN=write cargo test -p noughts-engine recorded_moves` writes the results again.
//! `tests/system/web` compares the engine of the page with the same file.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::position;
use crate::{SearchLimits, best_move};

const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/tests/recorded_moves.txt");

/// Returns the line of a search: its arguments, an arrow, and its result.
fn search_line(arguments: &str) -> String {
    let mut words = arguments.splitn(5, ' ');
    let mut word = || words.next().unwrap_or_default();
    let (rules, level, nodes, seed) = (word(), word(), word(), word());
    let game = position(rules, word());
    let limits = SearchLimits {
        nodes: Some(nodes.parse().unwrap()),
        ..SearchLimits::default()
    };
    let (level, seed) = (level.parse().unwrap(), seed.parse().unwrap());
    let stop = AtomicBool::new(false);
    let result = best_move(&game, level, limits, seed, &|| Duration::ZERO, &stop).unwrap();
    let best = game.rules().cell_text(result.best);
    format!("{arguments} -> {best} {:?} {}", result.score, result.nodes)
}

#[test]
fn recorded_moves_are_played_again() {
    let recorded = std::fs::read_to_string(PATH).unwrap();
    let arguments = recorded
        .lines()
        .map(|line| line.split(" -> ").next().unwrap());
    let played: Vec<String> = arguments.map(search_line).collect();
    assert!(played.len() > 60, "{}", played.len());
    noughts_golden::check_file(PATH, &(played.join("\n") + "\n"));
}
