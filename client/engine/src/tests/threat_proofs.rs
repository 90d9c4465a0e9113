//! Tests of df-pn: proofs and disproofs agree with the exact solver, and large boards are proven to be won.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use noughts_protocol::{Cell, Position, Status};

use crate::board::board_tables::BoardTables;
use crate::board::{CompletingCells, SearchBoard};
use crate::budget::SearchBudget;
use crate::dfpn::{DfPn, ProofResult, WinningMove};
use crate::solver::{SolveQuery, solve};
use crate::tests::{is_deep, position};
use crate::window_bitboard::WindowBitboard;
use crate::{Level, SearchLimits, best_move};
use noughts_protocol::rng::split_mix64;

/// Searches for a proof for the side to move within `nodes` positions. Also returns the number of visited positions.
fn prove(position: &Position, nodes: u64) -> (ProofResult, u64) {
    let stop = AtomicBool::new(false);
    let limits = SearchLimits {
        nodes: Some(nodes),
        ..SearchLimits::default()
    };
    let mut budget = SearchBudget::new(limits, &|| Duration::ZERO, &stop);
    let mut dfpn = DfPn::new(position.geometry(), position.turn().index(), 24).unwrap();
    (
        dfpn.prove(
            &WindowBitboard::from_position(&dfpn.tables, position),
            &mut budget,
        ),
        budget.nodes,
    )
}

fn find_win(position: &Position, nodes: u64) -> Option<WinningMove> {
    match prove(position, nodes).0 {
        ProofResult::Proven(win) => Some(win),
        ProofResult::Disproven | ProofResult::Unknown => None,
    }
}

/// Returns a position after `plies` random moves; `None` if the game ended earlier or the side to move can complete a
/// line.
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
fn proofs_and_disproofs_agree_with_the_solver() {
    let stop = AtomicBool::new(false);
    let seeds = if is_deep() { 60 } else { 16 };
    let (mut proven, mut with_quiet_moves, mut disproven, mut unknown, mut compared) =
        (0, 0, 0, 0, 0);
    for (rules, plies) in [
        ("5x5:4", 6),
        ("6x5:4", 4),
        ("6x6:4", 6),
        ("4x4x2:3", 3),
        ("7x5:4", 5),
        ("4x3x3:3", 2),
    ] {
        for seed in 0..seeds {
            let Some(position) = random_position(rules, plies, seed) else {
                continue;
            };
            let limits = SearchLimits {
                nodes: Some(100_000),
                ..SearchLimits::default()
            };
            let mut budget = SearchBudget::new(limits, &|| Duration::ZERO, &stop);
            let Ok(game_value) = solve(&position, SolveQuery::default(), &mut budget) else {
                continue;
            };
            match prove(&position, 20_000).0 {
                ProofResult::Proven(win) => {
                    let plies = win.plies as i32;
                    assert!(game_value.plies > 0, "{position:?} {game_value:?}");
                    assert!(
                        !game_value.exact || game_value.plies <= plies,
                        "{plies}: {position:?} {game_value:?}"
                    );
                    let mut after = position.clone();
                    after.play(Cell::new(u16::from(win.first))).unwrap();
                    let mut budget = SearchBudget::new(limits, &|| Duration::ZERO, &stop);
                    let reply_value = solve(&after, SolveQuery::default(), &mut budget);
                    assert!(
                        reply_value.ok().is_none_or(|value| value.plies < 0),
                        "{win:?} {position:?}"
                    );
                    proven += 1;
                    with_quiet_moves += u32::from(find_win(&position, 2).is_none());
                }
                ProofResult::Disproven => {
                    assert!(game_value.plies <= 0, "{position:?} {game_value:?}");
                    // With the disproof, the solver skips wins and finds the same value.
                    let mut budget = SearchBudget::new(limits, &|| Duration::ZERO, &stop);
                    let query = SolveQuery {
                        cannot_win: true,
                        ..SolveQuery::default()
                    };
                    let without_wins =
                        solve(&position, query, &mut budget).expect("the query takes fewer nodes");
                    assert_eq!(
                        without_wins.plies.signum(),
                        game_value.plies.signum(),
                        "{position:?} {without_wins:?} {game_value:?}"
                    );
                    if game_value.exact && without_wins.exact {
                        assert_eq!(without_wins.plies, game_value.plies, "{position:?}");
                    }
                    compared += u32::from(game_value.exact && without_wins.exact);
                    disproven += 1;
                }
                ProofResult::Unknown => unknown += 1,
            }
        }
    }
    assert!(
        proven > 40 && with_quiet_moves > 15 && disproven > 10 && compared > 8,
        "{proven} proven, {with_quiet_moves} of them with quiet moves; {disproven} disproven, {compared} compared; \
         {unknown} unknown"
    );
}

/// Alpha-beta would need far more than a second for each board.
#[test]
fn large_boards_are_proven_from_the_empty_board() {
    for rules in ["7x6:4", "8x5:4", "7x7:4", "12x5:4"] {
        let win = find_win(&Position::new(rules.parse().unwrap()), 100_000);
        assert!(
            win.is_some_and(|win| win.plies % 2 == 1),
            "{rules}: {win:?}"
        );
    }
    for rules in ["4x4:4", "5x5:4", "6x6:5"] {
        assert_eq!(
            find_win(&Position::new(rules.parse().unwrap()), 100_000),
            None,
            "{rules}"
        );
    }
}

/// Known values of empty boards; `NOUGHTS_SOLVE=deep` includes the slow positions.
#[test]
fn empty_boards_are_proven_or_disproven() {
    let deep = is_deep();
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
            println!("{rules}: {found:?}, {nodes} nodes");
        }
        let expected = match found {
            ProofResult::Proven(win) => wins && win.plies % 2 == 1,
            ProofResult::Disproven => !wins,
            ProofResult::Unknown => false,
        };
        assert!(expected, "{rules}: {found:?}");
    }
}

#[test]
fn a_search_of_limited_depth_and_nodes_ends_with_moves_against_attacks() {
    let stop = AtomicBool::new(false);
    let limits = SearchLimits {
        depth: Some(30),
        nodes: Some(20_000),
        ..SearchLimits::default()
    };
    for moves in [
        "b4-4 b1-2 a3-4 d4-4 c2-3 b3-1 d4-2 c4-3 c3-4 d3-3",
        "c2-4 a3-2 c4-2 a4-1 b3-1 c4-1 b4-4 a4-3 d1-1 d1-2",
        "c2-1 b1-1 d3-1 c3-4 c3-1 a2-4 d4-2 d4-4 d1-3 c4-3",
    ] {
        let mut position = position("4x4x4:4", moves);
        let elapsed = || Duration::ZERO;
        let result = best_move(&position, Level::Perfect, limits, 0, &elapsed, &stop).unwrap();
        position.play(result.best).unwrap();
        assert_eq!(find_win(&position, 1_000), None, "{moves}: {result:?}");
    }
}
