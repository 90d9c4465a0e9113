//! Small boards, exhaustively: every position, every sequence of opponent moves, and the known game values.

use std::collections::{HashMap, HashSet};

use noughts_protocol::{Position, Seat, Status};

use super::{best_by_nodes, best_with_variety, position};
use crate::{Evaluation, Level};

const UNLIMITED: u64 = u64::MAX;

/// Returns the value for the side to move, by exhaustive minimax.
pub(super) fn minimax(position: &mut Position, known: &mut HashMap<u64, Evaluation>) -> Evaluation {
    match position.status() {
        Status::Drawn => return Evaluation::Draw,
        Status::Won(winner) if winner == position.turn() => return Evaluation::Win(0),
        Status::Won(_) => return Evaluation::Loss(0),
        Status::Ongoing => {}
    }
    if let Some(&score) = known.get(&position.key()) {
        return score;
    }
    let moves: Vec<_> = position.legal_moves().collect();
    let mut best = Evaluation::Loss(0);
    for cell in moves {
        position.play(cell).unwrap();
        let score = match minimax(position, known) {
            Evaluation::Win(plies) => Evaluation::Loss(plies + 1),
            Evaluation::Loss(plies) => Evaluation::Win(plies + 1),
            other @ (Evaluation::Draw | Evaluation::Estimate(_)) => other,
        };
        position.undo();
        if rank(score) > rank(best) {
            best = score;
        }
    }
    known.insert(position.key(), best);
    best
}

/// Orders values. A short win is better than a long win, and a late loss better than an early loss.
fn rank(score: Evaluation) -> i64 {
    match score {
        Evaluation::Win(plies) => 1_000 - i64::from(plies),
        Evaluation::Loss(plies) => i64::from(plies) - 1_000,
        Evaluation::Draw => 0,
        Evaluation::Estimate(_) => panic!("a small board is solved"),
    }
}

/// Visits every reachable unfinished position once.
fn visit_positions(
    position: &mut Position,
    seen: &mut HashSet<u64>,
    visit: &mut impl FnMut(&mut Position),
) {
    if position.status() != Status::Ongoing || !seen.insert(position.key()) {
        return;
    }
    visit(position);
    let moves: Vec<_> = position.legal_moves().collect();
    for cell in moves {
        position.play(cell).unwrap();
        visit_positions(position, seen, visit);
        position.undo();
    }
}

#[test]
fn every_position_of_a_small_board_has_its_minimax_value() {
    for (rules, count) in [
        ("3x3:3", 4520),
        ("3x3:3+misere", 4520),
        ("3x3:3+gravity", 0),
        ("6:3", 0),
        ("3x3:2+misere", 0),
        ("3x3:3+torus", 0),
        ("3x3:3+misere+torus", 0),
        ("3x3:3+gravity+torus", 0),
    ] {
        let mut known = HashMap::new();
        let mut visited = 0;
        visit_positions(
            &mut position(rules, ""),
            &mut HashSet::new(),
            &mut |position| {
                let expected = minimax(position, &mut known);
                let perfect = best_by_nodes(position, Level::Perfect, UNLIMITED, 7);
                for report in [perfect, best_with_variety(position, UNLIMITED, 7)] {
                    assert_eq!(report.score, expected, "{position:?}: {report:?}");
                    position.play(report.best).unwrap();
                    let after = minimax(position, &mut known);
                    position.undo();
                    let move_value = match after {
                        Evaluation::Win(plies) => Evaluation::Loss(plies + 1),
                        Evaluation::Loss(plies) => Evaluation::Win(plies + 1),
                        other @ (Evaluation::Draw | Evaluation::Estimate(_)) => other,
                    };
                    assert_eq!(move_value, expected, "{position:?}: {report:?}");
                }
                visited += 1;
            },
        );
        assert!(count == 0 || visited == count, "{rules}: {visited}");
    }
}

/// Plays every sequence of opponent moves against `perfect`, or against a full search with this seed for its variety.
/// Returns the number of games.
fn play_every_sequence(position: &mut Position, engine_seat: Seat, seed: Option<u64>) -> u32 {
    match position.status() {
        Status::Won(winner) => {
            assert_eq!(winner, engine_seat, "the engine lost: {position:?}");
            return 1;
        }
        Status::Drawn => return 1,
        Status::Ongoing => {}
    }
    let moves: Vec<_> = if position.turn() == engine_seat {
        let result = match seed {
            None => best_by_nodes(position, Level::Perfect, UNLIMITED, 0),
            Some(seed) => best_with_variety(position, UNLIMITED, seed),
        };
        vec![result.best]
    } else {
        position.legal_moves().collect()
    };
    let mut games = 0;
    for cell in moves {
        position.play(cell).unwrap();
        games += play_every_sequence(position, engine_seat, seed);
        position.undo();
    }
    games
}

#[test]
fn the_engine_never_loses_on_3x3() {
    for rules in ["3x3:3", "3x3:3+misere"] {
        for engine_seat in Seat::ALL {
            for seed in [None, Some(1), Some(2), Some(3)] {
                let games = play_every_sequence(&mut position(rules, ""), engine_seat, seed);
                assert!(games > 20, "{rules} as {engine_seat}: {games} games");
            }
        }
    }
}

/// Known values, each verified by two independent programs or by J. Tromp's tables.
#[test]
fn small_games_have_their_known_values() {
    #[derive(Debug, PartialEq)]
    enum Value {
        Wins,
        Draws,
        Loses,
    }
    use Value::{Draws, Loses, Wins};
    for (game, expected) in [
        ("3x3:3", Draws),
        ("4x3:3", Wins),
        ("4x4:3", Wins),
        ("5x3:3", Wins),
        ("5x4:3", Wins),
        ("6x3:3", Wins),
        ("4x3:4", Draws),
        ("4x4:4", Draws),
        ("5x4:4", Draws),
        ("5x5:5", Draws),
        ("6x6:6", Draws),
        ("3x3x2:3", Draws),
        ("3x3x3:3", Wins),
        ("3x3x3x3:3 b2-2.2 a1-1.1", Wins),
        ("6x5:4", Wins),
        ("6x6:4", Wins),
        ("3x3:3+misere", Draws),
        ("4x3:3+misere", Loses),
        ("5x3:3+misere", Loses),
        ("4x4:3+misere", Loses),
        ("4x4:4+gravity", Draws),
        ("5x4:4+gravity", Draws),
        ("4x5:4+gravity", Draws),
        ("3x3:3+torus", Wins),
        ("3x3:3+misere+torus", Wins),
        ("4x4:4+torus", Draws),
        ("3x3:1", Wins),
        ("3x3:1+misere", Loses),
        ("1:1", Wins),
        ("2x2:2", Wins),
    ] {
        let (rules, moves) = game.split_once(' ').unwrap_or((game, ""));
        let report = best_by_nodes(&position(rules, moves), Level::Perfect, UNLIMITED, 1);
        let value = match report.score {
            Evaluation::Win(_) => Wins,
            Evaluation::Loss(_) => Loses,
            Evaluation::Draw | Evaluation::Estimate(_) => Draws,
        };
        assert_eq!(value, expected, "{game}: {report:?}");
        assert!(
            !matches!(report.score, Evaluation::Estimate(_)),
            "{game}: {report:?}"
        );
    }
}
