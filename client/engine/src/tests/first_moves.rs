//! Games with a known value, played from the empty board by `perfect` against a full search with variety, with a small
//! node limit.

use noughts_protocol::{Position, Seat, Status};

use super::{best_by_nodes, best_with_variety, is_deep, position};
use crate::{Evaluation, Level, SearchLimits, best_move};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Plays a game from the empty board. `own` is the seat of `perfect`.
fn play_game(rules: &str, own: Seat, nodes: u64, seed: u64) -> Position {
    let mut position = Position::new(rules.parse().unwrap());
    while position.status() == Status::Ongoing {
        let seed = seed + position.ply() as u64;
        let result = if position.turn() == own {
            best_by_nodes(&position, Level::Perfect, nodes, seed)
        } else {
            best_with_variety(&position, nodes, seed)
        };
        position.play(result.best).unwrap();
    }
    position
}

#[test]
fn perfect_wins_won_games() {
    for rules in [
        "4x3:3",
        "4x4:3",
        "3x3x3:3",
        "6x5:4",
        "6x6:4",
        "7x6:4",
        "3x3x3:3+misere",
    ] {
        let seeds: &[u64] = if is_deep() { &[0, 100, 200] } else { &[0] };
        for &seed in seeds {
            let game = play_game(rules, Seat::X, 50_000, seed);
            assert_eq!(game.status(), Status::Won(Seat::X), "{game:?}");
        }
    }
}

#[test]
fn perfect_does_not_lose_drawn_games() {
    for rules in [
        "4x4:4",
        "5x5:4",
        "6x6:5",
        "5x5:5",
        "3x3:3+misere",
        "4x4:4+misere",
    ] {
        for own in Seat::ALL {
            let game = play_game(rules, own, 30_000, 1);
            assert_ne!(game.status(), Status::Won(own.other()), "{game:?}");
        }
    }
}

/// The book plays the quiet moves. A VCF search without its own node limit finds the threats.
#[test]
fn qubic_is_won_within_a_limit_of_one_node() {
    for seed in 0..if is_deep() { 20 } else { 4 } {
        let mut position = Position::new("4x4x4:4".parse().unwrap());
        while position.status() == Status::Ongoing {
            let result = if position.turn() == Seat::X {
                best_by_nodes(&position, Level::Perfect, 1, seed)
            } else {
                best_with_variety(&position, 2_000, seed)
            };
            position.play(result.best).unwrap();
        }
        assert_eq!(position.status(), Status::Won(Seat::X), "{position:?}");
    }
}

/// Only the book finds the winning column within one node.
#[test]
fn the_book_plays_the_first_moves_of_connect_four() {
    for (moves, wins) in [("", "d1"), ("d1 d2", "d3"), ("d1 d2 d3 d4", "d5")] {
        let position = super::position("7x6:4+gravity", moves);
        for report in [
            best_by_nodes(&position, Level::Perfect, 1, 7),
            best_with_variety(&position, 1, 7),
        ] {
            assert_eq!(position.rules().cell_text(report.best), wins, "{moves}");
        }
    }
    // A depth limit disables the book.
    let limits = SearchLimits {
        depth: Some(2),
        ..SearchLimits::default()
    };
    let empty = super::position("7x6:4+gravity", "");
    let report = best_move(
        &empty,
        Level::Perfect,
        limits,
        7,
        &|| Duration::ZERO,
        &AtomicBool::new(false),
    );
    assert!(report.is_some_and(|report| report.depth == 2 && report.nodes > 7));
}

/// On a busy machine, the clock may run out before the search has begun. The solver still finds wins that take little
/// processor time.
#[test]
fn wins_of_connect_four_are_found_without_time() {
    let limits = SearchLimits {
        time: Some(Duration::from_millis(50)),
        ..SearchLimits::default()
    };
    let late = || Duration::from_secs(1);
    let mut found = 0;
    for moves in [
        "d1 d1 d1 f1 d1 f1 d1 d1 f1 b1 b1 b1 a1 b1 f1 f1 b1 a1 c1 a1",
        "d1 d1 d1 f1 d1 f1 d1 d1 f1 b1 b1 b1 a1 b1 f1 f1 b1 a1 c1 a1 c1 c1",
    ] {
        let game = position("7x6:4+gravity", moves);
        let result = best_move(
            &game,
            Level::Perfect,
            limits,
            1,
            &late,
            &AtomicBool::new(false),
        )
        .unwrap();
        // The second position is lost because of a mistake by X.
        found += u32::from(matches!(result.score, Evaluation::Win(_)));
        assert!(
            !matches!(result.score, Evaluation::Estimate(_)),
            "{game:?} {result:?}"
        );
    }
    assert_eq!(found, 1);
    let stopped = best_move(
        &position("7x6:4+gravity", "a1"),
        Level::Perfect,
        limits,
        1,
        &late,
        &AtomicBool::new(true),
    );
    assert!(
        stopped.is_some_and(|result| result.nodes < 2_000),
        "the stop flag ends the search"
    );
}

/// Positions after moves that the book does not play. Only some moves keep the win.
#[test]
fn the_solver_wins_connect_four_without_the_book() {
    let game = position("7x6:4+gravity", "d1 c1 f1 b1 d1 d1 d1 c1 c1 f1");
    let result = best_by_nodes(&game, Level::Perfect, 3_000_000, 1);
    let best = game.rules().cell_text(result.best);
    assert!(["d5", "e1"].contains(&best.as_str()), "{best} {result:?}");
    assert!(matches!(result.score, Evaluation::Win(_)), "{result:?}");
}

/// A search for the distance of the win would take the whole time for a move.
#[test]
fn the_mirror_strategy_of_a_cube_takes_no_time() {
    for (moves, best) in [
        ("", "b2-2"),
        ("b2-2 a1-1", "c3-3"),
        ("b2-2 a1-1 c3-3 a2-1", "c2-3"),
    ] {
        let game = position("3x3x3:3+misere", moves);
        let found = best_by_nodes(&game, Level::Perfect, 1_000_000, 0);
        assert_eq!(game.rules().cell_text(found.best).to_string(), best);
        assert!(
            matches!(found.score, Evaluation::Win(_)) && found.nodes < 1_000,
            "{moves}: {found:?}"
        );
    }
}
