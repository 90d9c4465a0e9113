//! The engine of the browser page plays the moves of the native engine.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use noughts::engine::{Level, SearchLimits, best_move, book};
use noughts_protocol::{Position, Rules};
use noughts_tests::program::TempDir;
use noughts_tests::rng::SeededRng;
use serde_json::json;

use super::run_node_tests;

const POSITIONS: usize = 60;
const NODES: u32 = 5_000;
const RULES: [&str; 12] = [
    "3x3:3",
    "3x3:3+misere",
    "7x6:4+gravity",
    "15x15:5",
    "15x15:5+exact",
    "3x3x3:3",
    "4x4x4:4",
    "4x4x4:4+gravity",
    "3x3x3x3:3",
    "9:3",
    "5x5:4+misere",
    "8x8:5",
];

/// Plays random moves on an empty board, and returns the position; the game is not over.
fn random_position(rules: Rules, plies: u64, rng: &mut SeededRng) -> Position {
    let mut position = Position::new(rules);
    for _ in 0..plies {
        let moves: Vec<_> = position.legal_moves().collect();
        let mut next = position.clone();
        next.play(moves[rng.random_below(moves.len() as u64) as usize])
            .expect("a legal move");
        if next.legal_moves().next().is_none() {
            break;
        }
        position = next;
    }
    position
}

#[tokio::test]
async fn the_engine_of_the_page_is_the_engine_of_the_terminal() {
    let mut rng = SeededRng::new(16);
    let mut lines = String::new();
    for index in 0..POSITIONS {
        let rules: Rules = RULES[index % RULES.len()].parse().expect("valid rules");
        let plies = rng.random_below(10);
        let position = random_position(rules, plies, &mut rng);
        // The module does not contain the book of Connect Four; the weak levels use no book.
        let is_in_book = rules.to_string() == "7x6:4+gravity" && book::probe(&position).is_some();
        let levels = if is_in_book {
            6
        } else {
            Level::ALL.len() as u64
        };
        let level = Level::ALL[rng.random_below(levels) as usize];
        let seed = u32::try_from(index).expect("few positions");
        let limits = SearchLimits {
            nodes: Some(u64::from(NODES)),
            ..SearchLimits::default()
        };
        let stop = AtomicBool::new(false);
        let result = best_move(
            &position,
            level,
            limits,
            u64::from(seed),
            &|| Duration::ZERO,
            &stop,
        )
        .expect("the game is not over");
        let moves: Vec<usize> = position.moves().iter().map(|cell| cell.index()).collect();
        let line = json!({
            "rules": rules.to_string(), "moves": moves, "level": level.as_str(), "nodes": NODES, "seed": seed,
            "best": result.best.index(),
        });
        lines.push_str(&format!("{line}\n"));
    }
    let folder = TempDir::default();
    let path = folder.path().join("positions.jsonl");
    std::fs::write(&path, lines).expect("the temporary folder is writable");
    run_node_tests(
        "engine.test.mjs",
        &[("NOUGHTS_POSITIONS", path.as_os_str())],
    )
    .await;
}
