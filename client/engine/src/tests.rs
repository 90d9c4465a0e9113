//! The search against what is known of the games, and against slow and simple references.

mod attacks;
mod first;
mod laws;
mod quiet;
mod small;
mod solving;
mod tactics;

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use noughts_protocol::{Cell, Position, Rules};

use super::{Level, Limits, Report, choose};

/// The position after these moves, as players write them.
pub(super) fn position(rules: &str, moves: &str) -> Position {
    let rules: Rules = rules.parse().unwrap();
    let mut position = Position::new(rules);
    for text in moves.split_whitespace() {
        position.play(rules.parse_cell(text).unwrap()).unwrap();
    }
    position
}

fn cell(position: &Position, text: &str) -> Cell {
    position.rules().parse_cell(text).unwrap()
}

/// A choice by nodes alone: the same on every machine.
fn chosen(position: &Position, level: Level, nodes: u64, seed: u64) -> Report {
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    let report = choose(position, level, limits, seed, &|| Duration::ZERO, &AtomicBool::new(false));
    let report = report.expect("the game goes on");
    assert!(position.is_legal(report.best), "{position:?}: {report:?}");
    assert_eq!(report.line.first(), Some(&report.best), "{position:?}: {report:?}");
    report
}
