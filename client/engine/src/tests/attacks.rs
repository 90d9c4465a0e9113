//! Attacks with quiet moves among the threats: what they claim is the truth, and large boards are won by them.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use noughts_protocol::{Position, Seat, Status};

use super::super::Limits;
use super::super::board::{Board, Completing};
use super::super::level::Level;
use super::super::meter::Meter;
use super::super::search::{Handicap, Search};
use super::super::shape::{Shape, mix};
use super::super::solve::solve;
use super::chosen;

/// The most plies of a win by so many quiet moves of the side to move, which can complete no line at once.
fn attack(position: &Position, quiet: u32) -> Option<i32> {
    let (shape, stop) = (Shape::new(position.geometry()), AtomicBool::new(false));
    let limits = Limits { nodes: Some(20_000), ..Limits::default() };
    let handicap = Handicap { force: 60, noise: 0, seed: 0 };
    let meter = Meter::new(limits, &|| Duration::ZERO, &stop);
    let mut search = Search::new(Board::new(&shape, position), handicap, meter);
    let before = search.board.key();
    let found = search.attack(quiet).map(|found| found.plies);
    assert_eq!(
        (search.board.key(), search.board.turn()),
        (before, position.turn().index()),
        "all is taken back"
    );
    found
}

/// A game by chance up to a ply; none when it is over before, or the side to move can complete a line.
fn by_chance(rules: &str, plies: u64, seed: u64) -> Option<Position> {
    let mut position = Position::new(rules.parse().unwrap());
    for ply in 0..plies {
        let count = position.legal_count();
        let cell = position.legal_nth((mix(seed * 97 + ply) % count as u64) as usize)?;
        if position.play(cell) != Ok(Status::Ongoing) {
            return None;
        }
    }
    let shape = Shape::new(position.geometry());
    let board = Board::new(&shape, &position);
    (board.completing(board.turn()) == Completing::None).then_some(position)
}

#[test]
fn what_an_attack_wins_is_won_in_truth_and_no_later() {
    let stop = AtomicBool::new(false);
    let (mut won, mut quietly, mut missed) = (0, 0, 0);
    for (rules, plies) in [("5x5:4", 6), ("6x5:4", 4), ("6x6:4+exact", 6), ("4x4x2:3", 3), ("7x5:4", 5)] {
        for seed in 0..60 {
            let Some(position) = by_chance(rules, plies, seed) else { continue };
            let limits = Limits { nodes: Some(100_000), ..Limits::default() };
            let mut meter = Meter::new(limits, &|| Duration::ZERO, &stop);
            let Some(truth) = solve(&position, false, &mut meter) else { continue };
            match attack(&position, 4) {
                Some(plies) => {
                    assert!(truth.plies > 0, "{position:?} {truth:?}");
                    assert!(!truth.exact || truth.plies <= plies, "{plies}: {position:?} {truth:?}");
                    won += 1;
                    quietly += u32::from(attack(&position, 0).is_none());
                }
                None => missed += u32::from(truth.plies > 0),
            }
        }
    }
    assert!(won > 50 && quietly > 20, "{won} won, {quietly} of them not by threats alone; {missed} not seen");
}

#[test]
fn qubic_is_won_by_the_first_side() {
    let mut position = Position::new("4x4x4:4".parse().unwrap());
    while position.status() == Status::Ongoing {
        let (level, nodes) =
            if position.turn() == Seat::X { (Level::Perfect, 600_000) } else { (Level::Hard, 10_000) };
        position.play(chosen(&position, level, nodes, 1).best).unwrap();
    }
    assert_eq!(position.status(), Status::Won(Seat::X), "{position:?}");
}
