//! The solver alone: against what is known, against a slow and simple reference, and against sets of positions
//! that others solved.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use noughts_protocol::{Cell, Position, Status};

use super::position;
use crate::SearchLimits;
use crate::alpha_beta::budget::SearchBudget;
use crate::solver::{GameValue, SolveQuery, solve};

/// Solves without limits, and says how many positions that took. The side to move can complete no line.
fn solved(position: &Position) -> (GameValue, u64) {
    let stop = AtomicBool::new(false);
    let mut budget = SearchBudget::new(SearchLimits::default(), &|| Duration::ZERO, &stop);
    let game_value = solve(position, SolveQuery::default(), &mut budget).expect("no limit was set");
    (game_value, budget.nodes)
}

/// Plies until the win, below zero until the loss, or 0 for a draw, by looking at everything.
fn plies(position: &mut Position, known: &mut HashMap<u64, i32>) -> i32 {
    if let Some(&plies) = known.get(&position.key()) {
        return plies;
    }
    let turn = position.turn();
    let moves: Vec<Cell> = position.legal_moves().collect();
    let mut best = i32::MIN;
    for cell in moves {
        let after = match position.play(cell).unwrap() {
            Status::Won(winner) => {
                if winner == turn {
                    1
                } else {
                    -1
                }
            }
            Status::Drawn => 0,
            Status::Ongoing => match plies(position, known) {
                0 => 0,
                plies => -plies - plies.signum(),
            },
        };
        position.undo();
        best = if rank(after) > best { rank(after) } else { best };
    }
    let plies = if best == 0 { 0 } else { best.signum() * (1_000 - best.abs()) };
    known.insert(position.key(), plies);
    plies
}

/// More is better: a shorter win, a longer resistance.
fn rank(plies: i32) -> i32 {
    if plies == 0 { 0 } else { plies.signum() * (1_000 - plies.abs()) }
}

/// What solving must keep to: the value, and that it is of the shortest win and the longest resistance.
#[test]
fn late_positions_of_every_kind_are_valued_as_by_looking_at_everything() {
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
        let mut chance = number as u64 + 1;
        for _ in 0..60 {
            let mut game = position(rules, "");
            while game.status() == Status::Ongoing && game.rules().cells() - game.ply() > left {
                chance = noughts_protocol::rng::split_mix64(chance);
                let cell = game.legal_nth((chance % game.legal_count() as u64) as usize).unwrap();
                game.play(cell).unwrap();
            }
            let turn = game.turn();
            let wins = |cell| !game.rules().misere() && game.status_after(cell) == Ok(Status::Won(turn));
            if game.status() != Status::Ongoing || game.legal_moves().any(wins) {
                continue;
            }
            let expected = plies(&mut game, &mut HashMap::new());
            let (truth, _) = solved(&game);
            assert_eq!((truth.plies, truth.exact), (expected, true), "{game:?}");
            compared += 1;
        }
    }
    assert!(compared > 200, "{compared}");
}

/// Wins `+`, losses `-` and draws `=` of whole games: Allis, Uiterwijk and Tromp, and two independent programs.
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

/// The same, with more than a second each. `NOUGHTS_SOLVE=deep` solves them as well.
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
fn whole_games_have_their_known_values() {
    let deep = std::env::var("NOUGHTS_SOLVE").is_ok_and(|value| value == "deep");
    for &(rules, expected) in KNOWN.iter().chain(KNOWN_DEEP.iter().filter(|_| deep)) {
        let (truth, nodes) = solved(&position(rules, ""));
        let value = match truth.plies {
            0 => '=',
            1.. => '+',
            _ => '-',
        };
        if deep {
            println!("{rules}: {truth:?}, {nodes} positions");
        }
        assert_eq!(value, expected, "{rules}: {truth:?}");
    }
}

/// The first moves of Connect Four late enough to be solved at once: each is worth what the solver says of the
/// position before, and no more.
#[test]
fn the_move_that_is_named_keeps_the_value() {
    let mut game = position("7x6:4+gravity", "");
    for column in "4444426222253335".bytes() {
        game.play(Cell::new(u16::from(column - b'1'))).unwrap();
    }
    while game.status() == Status::Ongoing {
        let turn = game.turn();
        if game.legal_moves().any(|cell| game.status_after(cell) == Ok(Status::Won(turn))) {
            break;
        }
        let (truth, _) = solved(&game);
        assert!(truth.exact && truth.pv.first() == truth.moves.first(), "{game:?} {truth:?}");
        game.play(Cell::new(truth.moves[0])).unwrap();
        let turn = game.turn();
        if game.status() != Status::Ongoing
            || game.legal_moves().any(|cell| game.status_after(cell) == Ok(Status::Won(turn)))
        {
            break;
        }
        let (after, _) = solved(&game);
        let expected = if truth.plies == 0 { 0 } else { truth.plies.signum() - truth.plies };
        assert_eq!(after.plies, expected, "{game:?}");
    }
}

/// Sets of positions of Connect Four with their scores, as P. Pons publishes them: a line each, the columns that
/// were played and the score. `NOUGHTS_CONNECT4=FILE:FILE… cargo test --release … connect_four_sets -- --nocapture`
#[test]
fn connect_four_sets() {
    let Ok(files) = std::env::var("NOUGHTS_CONNECT4") else { return };
    for file in files.split(':') {
        let (mut count, mut nodes) = (0, 0);
        for line in std::fs::read_to_string(file).unwrap().lines() {
            let (columns, score) = line.split_once(' ').unwrap();
            let mut game = position("7x6:4+gravity", "");
            for column in columns.bytes() {
                game.play(Cell::new(u16::from(column - b'1'))).unwrap();
            }
            let (turn, left) = (game.turn(), 42 - game.ply() as i32);
            let wins = game.legal_moves().any(|cell| game.status_after(cell) == Ok(Status::Won(turn)));
            let (plies, looked) = if wins {
                (1, 1)
            } else {
                let (truth, looked) = solved(&game);
                (truth.plies, looked)
            };
            // A score is the number of stones that the winner has left, and the one that won.
            let found = if plies == 0 { 0 } else { (left + 2 - plies.abs()) / 2 * plies.signum() };
            assert_eq!(found, score.trim().parse::<i32>().unwrap(), "{line}");
            (count, nodes) = (count + 1, nodes + looked);
        }
        println!("{file}: {count} positions, {} looked at for each", nodes / count);
    }
}
