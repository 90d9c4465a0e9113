//! Tests of the book: it has every position that its own moves lead to, and its moves win.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use noughts_protocol::rng::split_mix64;
use noughts_protocol::{Cell, Position, Seat, Status};

use super::*;
use crate::SearchLimits;
use crate::budget::SearchBudget;
use crate::solver::{SolveQuery, solve};

/// Follows the book against random replies. The solver proves the position behind the last move, and so all moves before it.
/// `connect4_check` in `lab/` proves every position by a solver of its own.
#[test]
fn the_book_wins_against_random_replies() {
    let stop = AtomicBool::new(false);
    let mut proven = 0;
    for seed in 0..60 {
        let mut random = seed;
        let mut game = Position::new(rules());
        let can_win = |game: &Position| {
            let wins = |cell| game.status_after(cell) == Ok(Status::Won(Seat::X));
            game.legal_moves().any(wins)
        };
        while let Some(best) = probe(&game) {
            game.play(best).unwrap();
            // The first player completes a line without the book.
            let replies: Vec<Cell> = game
                .legal_moves()
                .filter(|&reply| {
                    let mut next = game.clone();
                    next.play(reply).unwrap();
                    !can_win(&next)
                })
                .collect();
            let Some(&reply) = replies.get(random as usize % replies.len().max(1)) else {
                break;
            };
            random = split_mix64(random);
            game.play(reply).unwrap();
        }
        if game.turn() == Seat::X {
            let plies = 2 * Book::get().lines.len();
            assert_eq!(game.ply(), plies, "the book ends early: {game:?}");
            let mut budget = SearchBudget::new(SearchLimits::default(), &|| Duration::ZERO, &stop);
            let found = solve(&game, SolveQuery::default(), &mut budget).unwrap();
            assert!(found.plies > 0, "{game:?}");
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
    let (book, ply) = (Book::get(), 8);
    for &key in &book.level(ply / 2).keys {
        let board = ColumnBoard::from_key(key);
        let image = board.mirrored();
        let best = book.column_at(ply, &board);
        let of_image = book.column_at(ply, &image).map(|column| WIDTH - 1 - column);
        assert!(
            best.is_some() && (board == image || best == of_image),
            "{key:#x}"
        );
    }
}

fn board(columns: &[usize]) -> ColumnBoard {
    columns
        .iter()
        .fold(ColumnBoard::default(), |board, &column| board.play(column))
}

#[test]
fn keys_restore_boards_up_to_mirror() {
    let moves = [3, 3, 2, 4, 4, 4, 0, 6, 6];
    let image = moves.map(|column| WIDTH - 1 - column);
    assert_eq!(board(&moves).key().0, board(&image).key().0);
    assert_ne!(board(&moves).key().1, board(&image).key().1);
    let restored = ColumnBoard::from_key(board(&moves).key().0);
    assert!([board(&moves), board(&image)].contains(&restored));
    assert_eq!(ColumnBoard::from_key(board(&[]).key().0), board(&[]));
}

#[test]
fn lines_and_full_columns_are_seen() {
    for moves in [[0, 6, 1, 6, 2, 5], [4, 3, 4, 2, 4, 2]] {
        assert!(board(&moves).can_complete_line(), "{moves:?}");
    }
    let diagonal = [0, 1, 1, 2, 2, 3, 2, 3, 3, 6];
    assert!(board(&diagonal).can_complete_line());
    assert!(!board(&diagonal[..8]).can_complete_line());
    // A line does not continue from the top of a column at the bottom of the next.
    assert!(has_line(0b11_1100) && !has_line(0b1_0011_1000));
    assert!(board(&[5; 6]).open_columns().eq([0, 1, 2, 3, 4, 6]));
}
