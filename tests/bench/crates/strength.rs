//! Gomoku matches against the crate `minimax`: plain alpha-beta of fixed depth with an evaluation that is
//! independent of ours.
//!
//! `cargo bench --bench strength -- 100 4 1000000 2`: games, depth of the crate, our positions per move, stones of the
//! opening. Each opening is played twice with sides swapped.

#[path = "other_crates/gomoku.rs"]
mod gomoku;

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use gomoku::{GomokuStones, WindowEvaluator};
use minimax::{Negamax, Strategy};
use noughts::engine::{Level, SearchLimits, best_move};
use noughts_protocol::{Cell, Position, Seat, Status};

const RULES: &str = "15x15:5";

/// Returns random stones on the middle 49 cells, equal for both games of a pair. With four or more stones, the side to
/// move usually has a forced win.
fn opening(pair: u64, stones: usize) -> Position {
    let mut position = Position::new(RULES.parse().unwrap());
    let mut rng_state = pair;
    while position.ply() < stones {
        rng_state = rng_state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let (column, row) = (4 + (rng_state >> 33) % 7, 4 + (rng_state >> 48) % 7);
        let cell = Cell::new((row * 15 + column) as u16);
        // If the cell is occupied, the loop draws another cell.
        if position.is_legal(cell) {
            position.play(cell).unwrap();
        }
    }
    position
}

fn choose_own_move(position: &Position, nodes: u64, seed: u64) -> Cell {
    let limits = SearchLimits {
        nodes: Some(nodes),
        ..SearchLimits::default()
    };
    best_move(
        position,
        Level::Perfect,
        limits,
        seed,
        &|| Duration::ZERO,
        &AtomicBool::new(false),
    )
    .unwrap()
    .best
}

fn choose_peer_move(position: &Position, search: &mut Negamax<WindowEvaluator>) -> Cell {
    let stones = position
        .moves()
        .iter()
        .fold(GomokuStones::default(), |stones, cell| {
            stones.with_stone(cell.index())
        });
    Cell::new(search.choose_move(&stones).unwrap())
}

fn main() {
    // Arguments of cargo start with a dash.
    let numbers: Vec<u64> = std::env::args()
        .skip(1)
        .filter_map(|argument| argument.parse().ok())
        .collect();
    let number = |index: usize, default: u64| numbers.get(index).copied().unwrap_or(default);
    let (games, depth, nodes) = (number(0, 20), number(1, 4), number(2, 20_000));
    let stones = number(3, 2) as usize;
    let mut search = Negamax::new(WindowEvaluator, depth as u8);
    let mut points = [0_u64; 3];
    for game in 0..games {
        let (mut position, own_seat) = (opening(game / 2, stones), Seat::ALL[(game % 2) as usize]);
        while position.status() == Status::Ongoing {
            let cell = if position.turn() == own_seat {
                choose_own_move(&position, nodes, game)
            } else {
                choose_peer_move(&position, &mut search)
            };
            position.play(cell).unwrap();
        }
        let (result_index, ended) = match position.status() {
            Status::Won(seat) if seat == own_seat => (0, "won"),
            Status::Won(_) => (2, "lost"),
            Status::Drawn | Status::Ongoing => (1, "drawn"),
        };
        points[result_index] += 1;
        let moves: Vec<String> = position
            .moves()
            .iter()
            .map(|&cell| position.rules().cell_text(cell))
            .collect();
        println!("{} {ended} as {own_seat}: {}", game + 1, moves.join(" "));
    }
    let [won, drawn, lost] = points;
    println!(
        "{RULES}: perfect with {nodes} positions a move against alpha-beta of {depth} plies (minimax):"
    );
    println!("{games} games: {won} won, {drawn} drawn, {lost} lost");
}
