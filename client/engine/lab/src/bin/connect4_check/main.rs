//! Proves the opening book of Connect Four: walks through every reply to its moves, and proves with a solver of its own
//! that the first player wins behind the last ones. The proof of the last positions proves all moves before them.
//!
//! `cargo run --release --bin connect4_check [SAMPLE]`: about SAMPLE of the last positions, chosen by
//! their keys, or without it all of them. Exit code 1 if the book loses a win.

mod reference_solver;

use std::collections::BTreeMap;
use std::process::ExitCode;

use noughts_engine::internals::probe;
use noughts_protocol::{Cell, Position};
use reference_solver::{ReferenceBoard, ReferenceSolver};

fn main() -> ExitCode {
    let sample = std::env::args()
        .nth(1)
        .map(|text| text.parse::<usize>().expect("SAMPLE is a number"));
    let rules = "7x6:4+gravity".parse().expect("the rules are valid");
    let mut level = BTreeMap::from([(0, (Position::new(rules), [ReferenceBoard::default(); 2]))]);
    let mut behind_book = Vec::new();
    while !level.is_empty() {
        let mut next = BTreeMap::new();
        // Positions with the board and its mirror image, of which one key stands for both.
        for (position, boards) in level.into_values() {
            let Some((best, _)) = probe(&position) else {
                behind_book.push((position, boards[0]));
                continue;
            };
            let mut after = position;
            after.play(best).expect("the book has legal moves");
            let play = |[board, image]: [ReferenceBoard; 2], column: u32| {
                Some([board.play(column)?, image.play(6 - column)?])
            };
            let after_boards =
                play(boards, best.index() as u32 % 7).expect("the book has legal moves");
            for column in 0..7 {
                let Some(boards) = play(after_boards, column) else {
                    continue;
                };
                // The first player completes a line without the book.
                if !boards[0].can_complete_line() {
                    let mut position = after.clone();
                    position
                        .play(Cell::new(column as u16))
                        .expect("the column is not full");
                    let key = boards[0].key().min(boards[1].key());
                    next.entry(key).or_insert((position, boards));
                }
            }
        }
        eprintln!("{} positions", next.len());
        level = next;
    }
    let step = sample.map_or(1, |sample| (behind_book.len() / sample.max(1)).max(1));
    let mut solver = ReferenceSolver::new(24);
    let (mut checked, mut lost) = (0, 0);
    for (position, board) in behind_book.iter().step_by(step) {
        checked += 1;
        if !solver.prove_first_wins(*board) {
            lost += 1;
            println!("not won: {position:?}");
        }
    }
    println!(
        "{checked} of {} positions behind the book, {lost} not won",
        behind_book.len()
    );
    if lost == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
