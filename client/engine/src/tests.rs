//! Tests of the search against known game values and slow reference implementations.

mod first_moves;
mod levels;
mod properties;
mod recorded_moves;
mod small_boards;
mod solver;
pub(crate) mod tactics;
mod threat_proofs;

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use noughts_protocol::{Cell, Position, Rules};

use super::{Level, SearchLimits, SearchResult};
use crate::alpha_beta::{AlphaBetaSearch, SearchOptions};
use crate::board::SearchBoard;
use crate::board::board_tables::BoardTables;
use crate::budget::SearchBudget;
use crate::level::MoveStyle;
use crate::root_search::search_in_style;

/// Returns the position after these moves, written as names of cells.
pub(super) fn position(rules: &str, moves: &str) -> Position {
    let rules: Rules = rules.parse().unwrap();
    let mut position = Position::new(rules);
    for text in moves.split_whitespace() {
        position.play(rules.parse_cell(text).unwrap()).unwrap();
    }
    position
}

/// Runs `check` with a search of the position after these moves, without limits.
pub(super) fn with_search(rules: &str, moves: &str, check: impl Fn(&mut AlphaBetaSearch<'_>)) {
    let (game, stop) = (position(rules, moves), AtomicBool::new(false));
    let tables = BoardTables::new(game.geometry());
    let options = SearchOptions {
        vcf_nodes: 60,
        noise: 0,
        seed: 0,
    };
    let budget = SearchBudget::new(SearchLimits::default(), &|| Duration::ZERO, &stop);
    check(&mut AlphaBetaSearch::new(
        SearchBoard::new(&tables, &game),
        options,
        budget,
    ));
}

/// Returns whether the tests include the cases that take minutes.
pub(super) fn is_deep() -> bool {
    std::env::var("NOUGHTS_SOLVE").is_ok_and(|value| value == "deep")
}

fn cell(position: &Position, text: &str) -> Cell {
    position.rules().parse_cell(text).unwrap()
}

/// Searches with only a node limit, so that the result is the same on every machine.
pub(super) fn best_by_nodes(
    position: &Position,
    level: Level,
    nodes: u64,
    seed: u64,
) -> SearchResult {
    best_in_style(
        position,
        MoveStyle::draw(level, position, seed),
        nodes,
        seed,
    )
}

/// Runs a full search in order to choose among equal moves by the seed.
fn best_with_variety(position: &Position, nodes: u64, seed: u64) -> SearchResult {
    best_in_style(position, MoveStyle::VARIETY, nodes, seed)
}

fn best_in_style(position: &Position, style: MoveStyle, nodes: u64, seed: u64) -> SearchResult {
    let limits = SearchLimits {
        nodes: Some(nodes),
        ..SearchLimits::default()
    };
    let stop = AtomicBool::new(false);
    let budget = SearchBudget::new(limits, &|| Duration::ZERO, &stop);
    let result = search_in_style(position, style, seed, budget, &mut |_| {});
    let result = result.expect("the game is not over");
    assert!(position.is_legal(result.best), "{position:?}: {result:?}");
    assert_eq!(
        result.pv.first(),
        Some(&result.best),
        "{position:?}: {result:?}"
    );
    result
}
