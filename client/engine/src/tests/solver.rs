//! Tests of the exact solver against known game values, exhaustive minimax and published sets of positions.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use noughts_protocol::{Cell, Position, Status};

use super::small_boards::minimax;
use super::{is_deep, position};
use crate::budget::SearchBudget;
use crate::solver::{GameValue, SolveQuery, solve};
use crate::{Evaluation, SearchLimits};

/// Solves without limits. Returns the value and the number of visited positions. The side to move must not be able to
/// complete a line with one move.
fn solve_unlimited(position: &Position) -> (GameValue, u64) {
    let stop = AtomicBool::new(false);
    let mut budget = SearchBudget::new(SearchLimits::default(), &|| Duration::ZERO, &stop);
    let game_value = solve(position, SolveQuery::default(), &mut budget).expect("no limit was set");
    (game_value, budget.nodes)
}

/// Returns the plies until the win, the negative plies until the loss, or 0 for a draw, by exhaustive minimax.
fn minimax_plies(position: &mut Position) -> i32 {
    match minimax(position, &mut HashMap::new()) {
        Evaluation::Win(plies) => plies as i32,
        Evaluation::Loss(plies) => -(plies as i32),
        Evaluation::Draw | Evaluation::Estimate(_) => 0,
    }
}

/// Checks values and distances: the shortest win and the longest resistance.
#[test]
fn late_positions_have_their_minimax_value() {
    let mut compared = 0;
    for (number, (rules, left)) in [
        ("4x4:3", 9),
        ("5x4:4", 10),
        ("5x5:4+exact", 10),
        ("4x4:3+misere", 9),
        ("5x4:3+gravity", 11),
        ("7x6:4+gravity", 12),
        ("7x6:4+gravity+exact", 12),
        ("6x5:4+gravity+misere", 12),
        ("3x3x3:3", 9),
        ("3x3x3:3+misere", 9),
        ("4x3x3:3+gravity", 12),
        ("9x4:4", 9),
        ("8x8:5", 8),
        ("9x3x2:5", 9),
        ("12:3", 9),
        ("5x1:3", 5),
        ("2x2x2x2:2+misere", 9),
    ]
    .into_iter()
    .enumerate()
    {
        let mut random = number as u64 + 1;
        for _ in 0..if is_deep() { 60 } else { 20 } {
            let mut game = position(rules, "");
            while game.status() == Status::Ongoing && game.rules().cells() - game.ply() > left {
                random = noughts_protocol::rng::split_mix64(random);
                let cell = game
                    .legal_nth((random % game.legal_count() as u64) as usize)
                    .unwrap();
                game.play(cell).unwrap();
            }
            let turn = game.turn();
            let wins =
                |cell| !game.rules().misere() && game.status_after(cell) == Ok(Status::Won(turn));
            if game.status() != Status::Ongoing || game.legal_moves().any(wins) {
                continue;
            }
            let expected = minimax_plies(&mut game);
            let (game_value, _) = solve_unlimited(&game);
            assert_eq!(
                (game_value.plies, game_value.exact),
                (expected, true),
                "{game:?}"
            );
            compared += 1;
        }
    }
    assert!(compared > 70, "{compared}");
}

/// Game values for the first player: win `+`, loss `-`, draw `=` (Allis, Uiterwijk, Tromp, and two independent
/// programs).
const KNOWN: &[(&str, char)] = &[
    ("4x3:3", '+'),
    ("6x3:3", '+'),
    ("6x5:4", '+'),
    ("6x6:4", '+'),
    ("3x3x3:3", '+'),
    ("3x3:3", '='),
    ("4x4:4", '='),
    ("5x4:4", '='),
    ("5x5:4", '='),
    ("5x5:5", '='),
    ("6x6:5", '='),
    ("6x6:6", '='),
    ("7x7:7", '='),
    ("3x3x2:3", '='),
    ("4x4:3+misere", '-'),
    ("5x3:3+misere", '-'),
    ("6x3:3+misere", '-'),
    ("4x4:4+misere", '='),
    ("4x4:4+gravity", '='),
    ("5x4:4+gravity", '='),
    ("4x5:4+gravity", '='),
    ("5x5:4+gravity", '='),
];

/// Games that take more than a second each. They are only tested with `NOUGHTS_SOLVE=deep`.
const KNOWN_DEEP: &[(&str, char)] = &[
    ("7x4:4", '='),
    ("6x4:4", '='),
    ("8x4:4", '='),
    ("7x5:4", '+'),
    ("7x6:4", '+'),
    ("5x4:3+misere", '-'),
    ("6x4:4+gravity", '-'),
    ("6x5:4+gravity", '='),
    ("7x4:4+gravity", '='),
    ("5x6:4+gravity", '='),
];

#[test]
fn games_have_their_known_values() {
    let deep = is_deep();
    for &(rules, expected) in KNOWN.iter().chain(KNOWN_DEEP.iter().filter(|_| deep)) {
        let (game_value, nodes) = solve_unlimited(&position(rules, ""));
        let value = match game_value.plies {
            0 => '=',
            1.. => '+',
            _ => '-',
        };
        if deep {
            println!("{rules}: {game_value:?}, {nodes} nodes");
        }
        assert_eq!(value, expected, "{rules}: {game_value:?}");
    }
}

/// Late positions of Connect Four: the value after the best move is the value of the position before it.
#[test]
fn the_best_move_keeps_the_value() {
    let mut game = position("7x6:4+gravity", "");
    for column in "4444426222253335".bytes() {
        game.play(Cell::new(u16::from(column - b'1'))).unwrap();
    }
    while game.status() == Status::Ongoing {
        let turn = game.turn();
        if game
            .legal_moves()
            .any(|cell| game.status_after(cell) == Ok(Status::Won(turn)))
        {
            break;
        }
        let (game_value, _) = solve_unlimited(&game);
        assert!(
            game_value.exact && game_value.pv.first() == game_value.moves.first(),
            "{game:?} {game_value:?}"
        );
        game.play(Cell::new(game_value.moves[0])).unwrap();
        let turn = game.turn();
        if game.status() != Status::Ongoing
            || game
                .legal_moves()
                .any(|cell| game.status_after(cell) == Ok(Status::Won(turn)))
        {
            break;
        }
        let (after, _) = solve_unlimited(&game);
        let expected = if game_value.plies == 0 {
            0
        } else {
            game_value.plies.signum() - game_value.plies
        };
        assert_eq!(after.plies, expected, "{game:?}");
    }
}

/// Sets of Connect Four positions with their scores, as published by P. Pons. A line contains the columns played and
/// the score. `NOUGHTS_CONNECT4=FILE:FILE… cargo test --release … connect_four_sets -- --nocapture`
#[test]
fn connect_four_sets() {
    let Ok(files) = std::env::var("NOUGHTS_CONNECT4") else {
        return;
    };
    for file in files.split(':') {
        let (mut count, mut nodes) = (0, 0);
        for line in std::fs::read_to_string(file).unwrap().lines() {
            let (columns, score) = line.split_once(' ').unwrap();
            let mut game = position("7x6:4+gravity", "");
            for column in columns.bytes() {
                game.play(Cell::new(u16::from(column - b'1'))).unwrap();
            }
            let (turn, left) = (game.turn(), 42 - game.ply() as i32);
            let wins = game
                .legal_moves()
                .any(|cell| game.status_after(cell) == Ok(Status::Won(turn)));
            let (plies, visited) = if wins {
                (1, 1)
            } else {
                let (game_value, visited) = solve_unlimited(&game);
                (game_value.plies, visited)
            };
            // A score is the number of stones that the winner has left before its winning move.
            let found = if plies == 0 {
                0
            } else {
                (left + 2 - plies.abs()) / 2 * plies.signum()
            };
            assert_eq!(found, score.trim().parse::<i32>().unwrap(), "{line}");
            (count, nodes) = (count + 1, nodes + visited);
        }
        println!(
            "{file}: {count} positions, {} nodes per position",
            nodes / count
        );
    }
}
