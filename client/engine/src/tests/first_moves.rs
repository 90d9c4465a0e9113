//! Games with a known value, played from the empty board by `perfect` against `hard` with a small node limit.

use noughts_protocol::{Position, Seat, Status};

use super::best_by_nodes;
use crate::{Level, SearchLimits, best_move};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Plays a game from the empty board. `own` is the seat of `perfect`.
fn play_game(rules: &str, own: Seat, nodes: u64, seed: u64) -> Position {
    let mut position = Position::new(rules.parse().unwrap());
    while position.status() == Status::Ongoing {
        let level = if position.turn() == own { Level::Perfect } else { Level::Hard };
        let best = best_by_nodes(&position, level, nodes, seed + position.ply() as u64).best;
        position.play(best).unwrap();
    }
    position
}

#[test]
fn perfect_wins_won_games() {
    for rules in ["4x3:3", "4x4:3", "3x3x3:3", "6x5:4", "6x6:4", "7x6:4", "3x3x3:3+misere"] {
        for seed in [0, 100, 200] {
            let game = play_game(rules, Seat::X, 100_000, seed);
            assert_eq!(game.status(), Status::Won(Seat::X), "{game:?}");
        }
    }
}

#[test]
fn perfect_does_not_lose_drawn_games() {
    for rules in ["4x4:4", "5x5:4", "6x6:5", "5x5:5", "3x3:3+misere", "4x4:4+misere"] {
        for own in Seat::ALL {
            let game = play_game(rules, own, 100_000, 1);
            assert_ne!(game.status(), Status::Won(own.other()), "{game:?}");
        }
    }
}

/// The book plays the quiet moves, and a VCF search without a node limit of its own finds the threats.
#[test]
fn qubic_is_won_within_a_limit_of_one_node() {
    for seed in 0..20 {
        let mut position = Position::new("4x4x4:4".parse().unwrap());
        while position.status() == Status::Ongoing {
            let (level, nodes) =
                if position.turn() == Seat::X { (Level::Perfect, 1) } else { (Level::Hard, 2_000) };
            position.play(best_by_nodes(&position, level, nodes, seed).best).unwrap();
        }
        assert_eq!(position.status(), Status::Won(Seat::X), "{position:?}");
    }
}

/// Only the book finds the winning column within one node.
#[test]
fn the_book_plays_the_first_moves_of_connect_four() {
    for (moves, wins) in [("", "d6"), ("d6 d5", "d4"), ("d6 d5 d4 d3", "d2")] {
        let position = super::position("7x6:4+gravity", moves);
        for level in [Level::Hard, Level::Perfect] {
            let report = best_by_nodes(&position, level, 1, 7);
            assert_eq!(position.rules().cell_text(report.best), wins, "{moves}");
        }
    }
    // A depth limit disables the book.
    let limits = SearchLimits { depth: Some(2), ..SearchLimits::default() };
    let empty = super::position("7x6:4+gravity", "");
    let report = best_move(&empty, Level::Perfect, limits, 7, &|| Duration::ZERO, &AtomicBool::new(false));
    assert!(report.is_some_and(|report| report.depth == 2 && report.nodes > 7));
}
