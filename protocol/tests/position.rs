//! Examples of single rules. Properties and exhaustive counts cover the rest.

use LineName::{Column, MainDiagonal, OtherDiagonal, Pillar, Row, SpaceDiagonal};
use noughts_protocol::{Cell, LineName, MoveError, Outcome, Position, Seat, Status, WinningLine};

/// Plays moves separated by spaces; every move but the last must leave the game ongoing.
fn play_moves(rules: &str, moves: &str) -> Position {
    let mut position = Position::new(rules.parse().unwrap());
    for text in moves.split(' ') {
        assert_eq!(position.status(), Status::Ongoing, "before {text}");
        let cell = position.rules().parse_cell(text).unwrap();
        position.play(cell).unwrap();
    }
    position
}

/// Checks the winner, the cells and the name of the completed line.
fn check_line(rules: &str, moves: &str, winner: Seat, cells: &str, name: LineName) {
    let position = play_moves(rules, moves);
    let cells: Vec<Cell> = cells
        .split(' ')
        .map(|text| position.rules().parse_cell(text).unwrap())
        .collect();
    let Some(Outcome::Line {
        winner: winner_found,
        line,
    }) = position.outcome()
    else {
        panic!("no line in {position:?}");
    };
    let WinningLine {
        first,
        cells: run_cells,
        name: name_found,
        ..
    } = *line;
    assert_eq!(
        (winner_found, first, run_cells, name_found),
        (winner, cells[0], cells, name),
        "{position:?}"
    );
    assert_eq!(position.status(), Status::Won(winner));
}

fn check_move_error(position: &Position, cell: u16, error: MoveError) {
    let mut attempt = position.clone();
    assert_eq!(attempt.landing_cell(Cell::new(cell)), Err(error));
    assert_eq!(attempt.play(Cell::new(cell)), Err(error));
    assert_eq!(
        (&attempt, attempt.moves(), attempt.key()),
        (position, position.moves(), position.key())
    );
}

const X: Seat = Seat::X;
const O: Seat = Seat::O;

#[test]
fn line_wins_in_each_direction() {
    check_line("3x3:3", "a1 a2 b1 b2 c1", X, "a1 b1 c1", Row);
    check_line("3x3:3", "a1 b1 a2 b2 c3 b3", O, "b1 b2 b3", Column);
    check_line("3x3:3", "a1 b1 b2 c1 c3", X, "a1 b2 c3", MainDiagonal);
    check_line("3x3:3", "c1 b1 b2 a1 a3", X, "c1 b2 a3", OtherDiagonal);
    check_line("5:3", "c1 a1 b1 e1 d1", X, "b1 c1 d1", Row);
    check_line(
        "3x3x3:3",
        "a1-1 a2-1 a1-2 a2-2 a1-3",
        X,
        "a1-1 a1-2 a1-3",
        Pillar,
    );
    check_line(
        "3x3x3:3",
        "c1-1 a2-1 b2-2 a2-2 a3-3",
        X,
        "c1-1 b2-2 a3-3",
        SpaceDiagonal,
    );
}

#[test]
fn first_direction_is_reported_of_two_lines() {
    // One move on the middle cell completes a row, a column and a diagonal at once.
    check_line(
        "5x5:3",
        "a3 e1 b3 e2 c4 e4 c5 e5 a1 d1 b2 d5 c3",
        X,
        "a3 b3 c3",
        Row,
    );
}

#[test]
fn long_runs_are_reported_whole() {
    check_line(
        "7x7:3",
        "a7 a1 b7 b1 d7 d1 e7 g3 c7",
        X,
        "a7 b7 c7 d7 e7",
        Row,
    );
}

#[test]
fn exact_ignores_overlines() {
    let overline = "a7 a1 b7 b1 d7 d1 e7 g3 c7";
    assert_eq!(
        play_moves("7x7:3+exact", overline).status(),
        Status::Ongoing
    );
    // One move may complete both an overlong run and an exact line.
    check_line(
        "7x7:3+exact",
        "a7 a1 b7 b1 d7 d1 e7 g3 c6 g6 c5 g5 c7",
        X,
        "c7 c6 c5",
        Column,
    );
    check_line("7x7:3+exact", "a7 a1 b7 b1 c7", X, "a7 b7 c7", Row);
}

#[test]
fn misere_line_loses() {
    check_line("3x3:3+misere", "a1 a2 b1 b2 c1", O, "a1 b1 c1", Row);
    check_line("3x3:3+misere", "a1 b1 a2 b2 c3 b3", X, "b1 b2 b3", Column);
}

#[test]
fn full_board_is_drawn_unless_last_stone_wins() {
    let drawn = play_moves("3x3:3", "b2 a1 a2 c2 b1 b3 a3 c1 c3");
    assert_eq!(
        (drawn.status(), drawn.outcome()),
        (Status::Drawn, Some(Outcome::Full))
    );
    let won = play_moves("3x3:3", "a1 a2 b1 b2 a3 b3 c2 c3 c1");
    assert_eq!((won.ply(), won.status()), (9, Status::Won(X)));
}

#[test]
fn gravity_drops_stones_until_column_is_full() {
    let mut position = Position::new("2x3:3+gravity".parse().unwrap());
    for (requested, landing) in [(0, 4), (4, 2), (4, 0), (1, 5)] {
        assert_eq!(
            position.landing_cell(Cell::new(requested)),
            Ok(Cell::new(landing))
        );
        position.play(Cell::new(requested)).unwrap();
        assert_eq!(position.moves().last(), Some(&Cell::new(landing)));
    }
    for cell in [0, 2, 4] {
        check_move_error(&position, cell, MoveError::ColumnFull);
    }
    check_move_error(&position, 6, MoveError::OffBoard);
}

#[test]
fn gravity_columns_are_independent_in_three_dimensions() {
    let mut position = Position::new("score4".parse().unwrap());
    let cell = |text| position.rules().parse_cell(text).unwrap();
    let (requested, bottom, neighbour) = (cell("b1-3"), cell("b4-3"), cell("b4-2"));
    position.play(requested).unwrap();
    assert_eq!(
        (position.stone_at(bottom), position.stone_at(neighbour)),
        (Some(X), None)
    );
    assert_eq!(position.legal_count(), 16);
}

#[test]
fn illegal_moves_return_errors_and_change_nothing() {
    let position = play_moves("3x3:3", "b2");
    check_move_error(&position, 4, MoveError::Taken);
    check_move_error(&position, 9, MoveError::OffBoard);
    check_move_error(&position, u16::MAX, MoveError::OffBoard);
    let finished = play_moves("3x3:3", "a1 a2 b1 b2 c1");
    for cell in [0, 8, 9, 1023] {
        check_move_error(&finished, cell, MoveError::GameOver);
    }
    assert_eq!(
        (
            finished.legal_moves().count(),
            finished.legal_count(),
            finished.legal_from(0)
        ),
        (0, 0, None)
    );
}

#[test]
fn largest_boards_are_playable() {
    for rules in [
        "25x25:25",
        "16x16x4:16",
        "4x4x8x8:8",
        "1x1x25x25:25",
        "25x25:1",
        "25:25",
        "25x25:25+gravity",
    ] {
        let mut position = Position::new(rules.parse().unwrap());
        while let Some(cell) = position.legal_from(0) {
            position.play(cell).unwrap();
        }
        assert_ne!(position.status(), Status::Ongoing);
        while position.undo().is_some() {}
        assert_eq!(
            (&position, position.key()),
            (&Position::new(rules.parse().unwrap()), 0)
        );
    }
}
