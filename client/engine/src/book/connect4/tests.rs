//! Tests of the book: it has every position that its own moves lead to, and its moves win.

use noughts_protocol::rng::split_mix64;
use noughts_protocol::{Cell, Position};

use super::*;

#[path = "../../../tools/connect4_check/reference_solver.rs"]
mod reference_solver;
use reference_solver::{ReferenceBoard, ReferenceSolver};

fn column(cell: Cell) -> u32 {
    (cell.index() % WIDTH) as u32
}

/// Follows the book against random replies. A solver of its own proves the position behind the last move, and so all moves
/// before it. `tools/connect4_check` proves every position.
#[test]
fn the_book_wins_against_random_replies() {
    let mut solver = ReferenceSolver::new(20);
    let mut proven = 0;
    for seed in 0..60 {
        let mut random = seed;
        let mut position = Position::new(rules());
        let mut board = ReferenceBoard::default();
        while let Some(best) = probe(&position) {
            position.play(best).unwrap();
            board = board.play(column(best)).unwrap();
            // The first player completes a line without the book.
            let replies: Vec<_> = (0..WIDTH as u32)
                .filter_map(|column| board.play(column).map(|after| (column, after)))
                .filter(|(_, after)| !after.can_complete_line())
                .collect();
            let Some(&(reply, after)) = replies.get(random as usize % replies.len().max(1)) else {
                break;
            };
            random = split_mix64(random);
            position.play(Cell::new(reply as u16)).unwrap();
            board = after;
        }
        if position.ply().is_multiple_of(2) {
            assert_eq!(
                position.ply(),
                2 * Book::get().lines.len(),
                "the book ends early: {position:?}"
            );
            assert!(solver.prove_first_wins(board), "{position:?}");
            proven += 1;
        }
    }
    assert!(proven > 30, "{proven} games left the book");
}

#[test]
fn every_line_has_a_move_for_each_position() {
    let book = Book::get();
    for index in 0..book.lines.len() {
        let level = book.level(index);
        assert_eq!(level.keys.len(), level.columns.len());
        for (&key, digit) in level.keys.iter().zip(level.columns) {
            let board = ColumnBoard::from_key(key);
            assert_eq!(board.key(), (key, false));
            assert!(
                board
                    .open_columns()
                    .any(|column| column == usize::from(digit - b'1')),
                "{key:#x}"
            );
        }
    }
}

#[test]
fn other_rules_and_later_positions_have_no_book() {
    assert_eq!(probe(&Position::new("7x6:4".parse().unwrap())), None);
    assert_eq!(
        probe(&crate::tests::position(RULES, "d1")),
        None,
        "the second player"
    );
    assert_eq!(
        probe(&crate::tests::position(RULES, "a1 b1")),
        None,
        "not after a move of the book"
    );
    assert_eq!(
        probe(&crate::tests::position(RULES, "")),
        Some(Cell::new(38))
    );
}

/// A position and its mirror image have mirrored moves.
#[test]
fn mirror_images_have_mirrored_moves() {
    for moves in generator::units(8) {
        let columns = || moves.bytes().map(|digit| usize::from(digit - b'1'));
        let board = columns().fold(ColumnBoard::default(), |board, column| board.play(column));
        let image = columns().fold(ColumnBoard::default(), |board, column| {
            board.play(WIDTH - 1 - column)
        });
        assert_eq!(board.key().0, image.key().0);
        let best = Book::get().column_at(moves.len(), &board);
        let mirrored = Book::get()
            .column_at(moves.len(), &image)
            .map(|column| WIDTH - 1 - column);
        assert!(
            best.is_some() && (board == image || best == mirrored),
            "{moves}"
        );
    }
}
