//! Tests of the book: it contains every position that its own moves lead to, and its moves keep the value.

use noughts_protocol::rng::split_mix64;
use noughts_protocol::{Cell, Position, Seat, Status};

use super::*;
use crate::Level;
use crate::tests::{best_by_nodes, is_deep};

/// Follows the book in both seats against random replies, and the solver where the book ends. `connect4_check` in
/// `lab/` proves every entry with its own solver.
#[test]
fn the_value_is_kept_against_random_replies() {
    let (mut kept, mut improved) = (0, 0);
    for seed in 0..if is_deep() { 2_000 } else { 60 } {
        let own = Seat::ALL[seed as usize % 2];
        let (mut game, mut random) = (Position::new(rules()), seed);
        let mut known = None;
        while game.status() == Status::Ongoing {
            random = split_mix64(random);
            let cell = if game.turn() == own {
                let (best, value) = kept_value(&game);
                assert!(
                    known.is_none_or(|known| known <= value),
                    "{known:?} {value:?} {game:?}"
                );
                kept += 1;
                improved += u32::from(known.is_some_and(|known| known < value));
                known = Some(value);
                best
            } else {
                game.legal_nth(random as usize % game.legal_count())
                    .unwrap()
            };
            game.play(cell).unwrap();
        }
        let result = match game.status() {
            Status::Won(seat) if seat == own => 1,
            Status::Won(_) => -1,
            Status::Drawn | Status::Ongoing => 0,
        };
        assert!(
            known.is_none_or(|known| known <= result),
            "{known:?} {result} {game:?}"
        );
    }
    assert!(kept > 300 && improved > 5, "{kept} {improved}");
}

/// Returns the engine's move when it visits as many positions as in 50 ms, and the move's proven value.
fn kept_value(game: &Position) -> (Cell, i32) {
    let found = best_by_nodes(game, Level::Perfect, 200_000, 1);
    let value = match found.score {
        Evaluation::Win(_) => 1,
        Evaluation::Draw => 0,
        Evaluation::Loss(_) => -1,
        Evaluation::Estimate(_) => panic!("{game:?} {found:?}"),
    };
    (found.best, value)
}

/// When a ply is read, the number of its positions is compared with the number of its entries.
#[test]
fn every_entry_names_a_column_that_is_not_full() {
    let (book, mut count) = (Book::get(), 0);
    for ply in 0..book.lines.len() {
        let level = book.level(ply);
        for (&key, &byte) in level.keys.iter().zip(level.entries) {
            let board = ColumnBoard::from_key(key);
            assert_eq!(board.key(), (key, false));
            let Some(entry) = BookEntry::from_byte(byte) else {
                assert_eq!(byte, b'.');
                continue;
            };
            assert_eq!(entry.to_char(), char::from(byte));
            assert!(
                board.open_columns().any(|column| column == entry.column),
                "{key:#x}"
            );
            assert!(
                entry.value == BookValue::Win || !ply.is_multiple_of(2),
                "the first player wins"
            );
            count += 1;
        }
    }
    assert!(count > 1_000, "{count}");
}

/// The first moves have the values that J. D. Allen and V. Allis found in 1988.
#[test]
fn the_first_moves_have_their_values() {
    use BookValue::{Draw, Loss, Win};
    let value = |column| Book::get().entry_at(1, &board(&[column])).unwrap().value;
    assert_eq!(
        [0, 1, 2, 3, 4, 5, 6].map(value),
        [Win, Win, Draw, Loss, Draw, Win, Win]
    );
    assert_eq!(
        Book::get().entry_at(0, &board(&[])).unwrap(),
        BookEntry {
            column: 3,
            value: Win
        }
    );
}

#[test]
fn other_rules_and_other_positions_have_no_book() {
    assert_eq!(probe(&Position::new("7x6:4".parse().unwrap())), None);
    let beyond_the_openings = crate::tests::position(RULES, "a1 b1 a2 b2 a3 a4");
    assert_eq!(
        (probe(&beyond_the_openings), evaluate(&beyond_the_openings)),
        (None, None)
    );
    let score = |moves| evaluate(&crate::tests::position(RULES, moves));
    assert_eq!(score(""), Some(Evaluation::Win(41)));
    assert_eq!(score("d1"), Some(Evaluation::Loss(40)));
    assert_eq!(score("c1"), Some(Evaluation::Draw));
    assert_eq!(score("a1"), Some(Evaluation::Win(41)));
}

/// A position of few stones without an entry is lost, and the values of neighbouring plies agree.
#[test]
fn a_position_of_few_stones_has_an_entry_unless_it_is_lost() {
    let (book, mut counts) = (Book::get(), [0; 2]);
    let value = |ply: usize, board: &ColumnBoard| {
        let entry = book.entry_at(ply, board);
        entry.map_or(BookValue::Loss, |entry| entry.value)
    };
    for ply in 0..=MAX_OPENING_PLY {
        for board in opening_keys(ply).into_iter().map(ColumnBoard::from_key) {
            let own = value(ply, &board);
            let entry = book.entry_at(ply, &board);
            counts[usize::from(entry.is_some())] += 1;
            if ply == MAX_OPENING_PLY {
                continue;
            }
            let after = |column| match value(ply + 1, &board.play(column)) {
                BookValue::Win => BookValue::Loss,
                BookValue::Draw => BookValue::Draw,
                BookValue::Loss => BookValue::Win,
            };
            // The values of two plies agree: the entry keeps the value, and no column has a better value.
            let columns: Vec<BookValue> = board.open_columns().map(after).collect();
            for wanted in [BookValue::Win, BookValue::Draw] {
                let is_better = own != BookValue::Win && (own, wanted) != (BookValue::Draw, wanted);
                assert!(!(is_better && columns.contains(&wanted)), "{board:?}");
            }
            if let Some(entry) = entry {
                assert_eq!(after(entry.column), own, "{board:?} {entry:?}");
            }
        }
    }
    assert!(counts[1] > 2_000 && counts[0] > 500, "{counts:?}");
}

/// `perfect` has the only winning column where both seats erred earlier, see `connect4_check` for the proofs.
#[test]
fn a_win_is_kept_after_mistakes() {
    for (moves, best) in [
        ("a1 e1 c1", "b1"),
        ("a1 e1", "d1"),
        ("b1 e1 c1", "b2"),
        ("c1 b1", "f1"),
    ] {
        let position = crate::tests::position(RULES, moves);
        let found = best_by_nodes(&position, Level::Perfect, 1, 1);
        assert!(
            matches!(found.score, Evaluation::Win(_)),
            "{moves} {found:?}"
        );
        assert_eq!(position.rules().cell_text(found.best), best, "{moves}");
    }
}

/// A position and its mirror image have mirrored moves.
#[test]
fn mirror_images_have_mirrored_moves() {
    let book = Book::get();
    for ply in [8, 9] {
        for &key in &book.level(ply).keys {
            let board = ColumnBoard::from_key(key);
            let image = board.mirrored();
            let best = book.entry_at(ply, &board);
            let of_image = book
                .entry_at(ply, &image)
                .map(|entry| entry.mirrored_if(true));
            assert!(board == image || best == of_image, "{key:#x}");
        }
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
