//! Proofs that a side wins, or that it does not: what they claim is the truth, and large boards are won by them.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use noughts_protocol::{Cell, Position, Status};

use crate::SearchLimits;
use crate::alpha_beta::budget::SearchBudget;
use crate::board::board_tables::BoardTables;
use crate::board::{CompletingCells, SearchBoard};
use crate::dfpn::{DfPn, ProofResult, WindowBitboard, WinningMove};
use crate::solver::{SolveQuery, solve};
use noughts_protocol::rng::split_mix64;

/// What is found out for the side to move, looking at no more than so many positions; and how many it were.
fn prove(position: &Position, nodes: u64) -> (ProofResult, u64) {
    let stop = AtomicBool::new(false);
    let limits = SearchLimits { nodes: Some(nodes), ..SearchLimits::default() };
    let mut budget = SearchBudget::new(limits, &|| Duration::ZERO, &stop);
    let mut dfpn = DfPn::new(position.geometry(), position.turn().index(), 24).unwrap();
    (dfpn.prove(&WindowBitboard::from_position(&dfpn.tables, position), &mut budget), budget.nodes)
}

fn find_win(position: &Position, nodes: u64) -> Option<WinningMove> {
    match prove(position, nodes).0 {
        ProofResult::Proven(win) => Some(win),
        ProofResult::Disproven | ProofResult::Unknown => None,
    }
}

/// A game by chance up to a ply; none when it is over before, or the side to move can complete a line.
fn random_position(rules: &str, plies: u64, seed: u64) -> Option<Position> {
    let mut position = Position::new(rules.parse().unwrap());
    for ply in 0..plies {
        let count = position.legal_count();
        let cell = position.legal_nth((split_mix64(seed * 97 + ply) % count as u64) as usize)?;
        if position.play(cell) != Ok(Status::Ongoing) {
            return None;
        }
    }
    let tables = BoardTables::new(position.geometry());
    let board = SearchBoard::new(&tables, &position);
    (board.completing(board.turn()) == CompletingCells::None).then_some(position)
}

#[test]
fn what_is_proven_is_the_truth_and_no_later() {
    let stop = AtomicBool::new(false);
    let (mut won, mut quietly, mut held, mut open, mut compared) = (0, 0, 0, 0, 0);
    for (rules, plies) in
        [("5x5:4", 6), ("6x5:4", 4), ("6x6:4", 6), ("4x4x2:3", 3), ("7x5:4", 5), ("4x3x3:3", 2)]
    {
        for seed in 0..60 {
            let Some(position) = random_position(rules, plies, seed) else { continue };
            let limits = SearchLimits { nodes: Some(100_000), ..SearchLimits::default() };
            let mut budget = SearchBudget::new(limits, &|| Duration::ZERO, &stop);
            let Some(truth) = solve(&position, SolveQuery::default(), &mut budget) else { continue };
            match prove(&position, 20_000).0 {
                ProofResult::Proven(win) => {
                    let plies = win.plies as i32;
                    assert!(truth.plies > 0, "{position:?} {truth:?}");
                    assert!(!truth.exact || truth.plies <= plies, "{plies}: {position:?} {truth:?}");
                    let mut after = position.clone();
                    after.play(Cell::new(u16::from(win.first))).unwrap();
                    let mut budget = SearchBudget::new(limits, &|| Duration::ZERO, &stop);
                    let then = solve(&after, SolveQuery::default(), &mut budget);
                    assert!(then.is_none_or(|then| then.plies < 0), "{win:?} {position:?}");
                    won += 1;
                    quietly += u32::from(find_win(&position, 2).is_none());
                }
                ProofResult::Disproven => {
                    assert!(truth.plies <= 0, "{position:?} {truth:?}");
                    // Who knows that may leave out the question of a win, and finds the same.
                    let mut budget = SearchBudget::new(limits, &|| Duration::ZERO, &stop);
                    let asked = SolveQuery { cannot_win: true, ..SolveQuery::default() };
                    let told = solve(&position, asked, &mut budget).expect("it takes no longer");
                    assert_eq!(told.plies.signum(), truth.plies.signum(), "{position:?} {told:?} {truth:?}");
                    if truth.exact && told.exact {
                        assert_eq!(told.plies, truth.plies, "{position:?}");
                    }
                    compared += u32::from(truth.exact && told.exact);
                    held += 1;
                }
                ProofResult::Unknown => open += 1,
            }
        }
    }
    assert!(
        won > 50 && quietly > 20 && held > 50 && compared > 40,
        "{won} won, {quietly} not by threats alone; {held} held, {compared} compared; {open}"
    );
}

/// Each takes far more than a second by looking at everything.
#[test]
fn large_boards_are_won_from_the_beginning() {
    for rules in ["7x6:4", "8x5:4", "7x7:4", "12x5:4"] {
        let win = find_win(&Position::new(rules.parse().unwrap()), 100_000);
        assert!(win.is_some_and(|win| win.plies % 2 == 1), "{rules}: {win:?}");
    }
    for rules in ["4x4:4", "5x5:4", "6x6:5"] {
        assert_eq!(find_win(&Position::new(rules.parse().unwrap()), 100_000), None, "{rules}");
    }
}

/// Boards whose value is known, from the beginning; `NOUGHTS_SOLVE=deep` looks at all of them.
#[test]
fn whole_boards_are_won_or_held_as_is_known() {
    let deep = std::env::var("NOUGHTS_SOLVE").is_ok_and(|value| value == "deep");
    for (rules, wins, quick) in [
        ("4x4:4", false, true),
        ("5x4:4", false, true),
        ("5x5:4", false, true),
        ("6x4:4", false, false),
        ("7x4:4", false, false),
        ("8x4:4", false, false),
        ("9x4:4", true, false),
        ("5x5:5", false, true),
        ("6x6:5", false, true),
        ("6x5:4", true, true),
        ("6x6:4", true, true),
        ("7x5:4", true, true),
        ("7x6:4", true, true),
        ("3x3x3:3", true, true),
        ("4x4x4:4", true, false),
    ] {
        if !quick && !deep {
            continue;
        }
        let (found, nodes) = prove(&Position::new(rules.parse().unwrap()), u64::MAX);
        if deep {
            println!("{rules}: {found:?}, {nodes} positions");
        }
        let expected = match found {
            ProofResult::Proven(win) => wins && win.plies % 2 == 1,
            ProofResult::Disproven => !wins,
            ProofResult::Unknown => false,
        };
        assert!(expected, "{rules}: {found:?}");
    }
}
