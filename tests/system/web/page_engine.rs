//! The engine of the browser page plays the recorded moves of the native engine.

use noughts_protocol::{Position, Rules};
use noughts_tests::program::TempDir;
use serde_json::json;

use super::run_node_tests;

/// The moves of the native engine. A test of the engine's crate compares them with the engine, and describes their
/// format.
const RECORDED_MOVES: &str = include_str!("../../../client/engine/src/tests/recorded_moves.txt");

#[tokio::test]
async fn the_engine_of_the_page_is_the_engine_of_the_terminal() {
    let mut lines = String::new();
    for recorded in RECORDED_MOVES.lines() {
        let (arguments, result) = recorded.split_once(" -> ").expect("a result");
        let [rules, level, nodes, seed, ref moves @ ..] =
            arguments.split(' ').collect::<Vec<_>>()[..]
        else {
            panic!("the line lacks an argument: {recorded}");
        };
        let rules: Rules = rules.parse().expect("valid rules");
        let mut position = Position::new(rules);
        for text in moves {
            let cell = rules.parse_cell(text).expect("a cell");
            position.play(cell).expect("a legal move");
        }
        let moves: Vec<usize> = position.moves().iter().map(|cell| cell.index()).collect();
        let best = result.split(' ').next().expect("a move");
        let best = rules.parse_cell(best).expect("a cell").index();
        let [nodes, seed]: [u32; 2] = [nodes, seed].map(|number| number.parse().expect("a number"));
        let line = json!({
            "rules": rules.to_string(), "moves": moves, "level": level, "nodes": nodes, "seed": seed, "best": best,
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
