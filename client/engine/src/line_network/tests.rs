//! Tests of the patterns, and of the evaluation by the network.

use std::sync::LazyLock;

use noughts_protocol::{Cell, Geometry, Position, Rules, Status};
use proptest::prelude::*;

use super::patterns::{
    BoardPatterns, DIRECTIONS, PATTERNS, REACH, SIDES, exchange_seats, pattern_classes,
};
use super::{CHANNEL_MAX, CHANNELS, Channels, LineNetwork};
use crate::board::SearchBoard;
use crate::board::board_tables::BoardTables;
use crate::tests::position;

const BOARDS: [&str; 5] = ["15x15:5", "9x9:5", "19x19:5", "20x11:5", "25x25:5"];

/// Returns the cells of a pattern on each side, the nearest first: 0 is free, 1 is X, 2 is O.
fn pattern_cells(pattern: usize) -> [Vec<usize>; 2] {
    [pattern / SIDES, pattern % SIDES].map(|side| {
        let (mut first, mut cells) = (0, 0);
        while first + 3_usize.pow(cells) <= side {
            first += 3_usize.pow(cells);
            cells += 1;
        }
        (0..cells)
            .map(|place| (side - first) / 3_usize.pow(place) % 3)
            .collect()
    })
}

fn random_position(rules: &str, choices: &[u16]) -> Position {
    let mut position = Position::new(rules.parse().unwrap());
    for &choice in choices {
        let cells: Vec<Cell> = position.legal_moves().collect();
        // Most stones are near the middle, so that lines form.
        let near = cells.len() / 2 + usize::from(choice) % 40;
        if position.play(cells[near.min(cells.len() - 1)]).unwrap() != Status::Ongoing {
            position.undo();
            break;
        }
    }
    position
}

/// Returns the patterns of a position, by cell.
fn patterns_of(position: &Position) -> Vec<[u16; DIRECTIONS]> {
    let board = BoardPatterns::new(position.geometry()).unwrap();
    let mut patterns = board.empty().to_vec();
    for (ply, cell) in position.moves().iter().enumerate() {
        for part in board.parts(cell.index() as u16) {
            patterns[usize::from(part.cell)][usize::from(part.direction)] +=
                part.weight * (ply as u16 % 2 + 1);
        }
    }
    patterns
}

/// Returns the tables of one of the [`BOARDS`].
fn tables_of(rules: &Rules) -> &'static BoardTables {
    static TABLES: LazyLock<Vec<(Rules, BoardTables)>> = LazyLock::new(|| {
        let boards = BOARDS.iter().map(|text| text.parse().unwrap());
        boards
            .map(|rules| (rules, BoardTables::new(&Geometry::new(rules))))
            .collect()
    });
    let mut known = TABLES.iter();
    let found = known.find(|(known, _)| known == rules);
    &found.expect("a board of the list").1
}

fn evaluate(position: &Position) -> i32 {
    SearchBoard::new(tables_of(position.rules()), position).evaluate()
}

fn move_score(position: &Position, cell: Cell) -> i32 {
    let mut board = SearchBoard::new(tables_of(position.rules()), position);
    board.update_move_ordering();
    board.move_score(cell.index() as u16)
}

fn replay(rules: Rules, moves: impl IntoIterator<Item = Cell>) -> Position {
    let mut position = Position::new(rules);
    moves
        .into_iter()
        .for_each(|cell| assert!(position.play(cell).is_ok()));
    position
}

#[test]
fn patterns_show_the_cells_around_a_cell() {
    for rules in BOARDS {
        let choices: Vec<u16> = (0..60)
            .map(|number: u16| number.wrapping_mul(7_919))
            .collect();
        let position = random_position(rules, &choices);
        let geometry = position.geometry();
        let patterns = patterns_of(&position);
        let owner = |at: [i16; 2]| {
            let at = at.map(|at| u8::try_from(at).ok());
            let cell = geometry.cell_at(&[at[0]?, at[1]?])?;
            let ply = position.moves().iter().position(|&played| played == cell);
            Some(ply.map_or(0, |ply| ply % 2 + 1))
        };
        for (index, patterns) in patterns.iter().enumerate() {
            let at = geometry.coordinates(Cell::new(index as u16));
            for (direction, &pattern) in geometry.directions().iter().zip(patterns) {
                let side = |sign: i16| {
                    let cells = (1..=REACH as i16).map_while(|distance| {
                        let axis = |axis: usize| {
                            i16::from(at[axis])
                                + sign * distance * i16::from(direction.steps()[axis])
                        };
                        owner([axis(0), axis(1)])
                    });
                    cells.collect::<Vec<usize>>()
                };
                assert_eq!(
                    pattern_cells(usize::from(pattern)),
                    [side(-1), side(1)],
                    "{rules} {index}"
                );
            }
        }
    }
}

#[test]
fn a_board_without_two_dimensions_has_no_patterns() {
    for rules in ["9:3", "5x5x5:5", "3x3x3x3:3"] {
        assert!(
            BoardPatterns::new(&Geometry::new(rules.parse().unwrap())).is_none(),
            "{rules}"
        );
    }
}

/// A class contains the cells of both seats up to the stones of the other seat, in either order of the sides.
#[test]
fn classes_separate_patterns_that_differ_for_lines() {
    let (count, classes) = pattern_classes(REACH);
    assert_eq!(classes.iter().max(), Some(&(count as u16 - 1)));
    // The view of a seat, or nothing if no line of five fits.
    let view = |pattern: usize, seat: usize| {
        let sides = pattern_cells(pattern).map(|side| {
            side.into_iter()
                .take_while(|&cell| cell == 0 || cell == seat)
                .collect::<Vec<usize>>()
        });
        (sides[0].len() + sides[1].len() >= 4).then_some(sides)
    };
    let mut seen = std::collections::HashMap::new();
    for pattern in 0..PATTERNS {
        let class = classes[pattern];
        let views = [view(pattern, 1), view(pattern, 2)];
        let is_empty = views
            .iter()
            .flatten()
            .flatten()
            .flatten()
            .all(|&cell| cell == 0);
        assert_eq!(class == 0, is_empty, "{views:?}");
        let mirror = (pattern % SIDES) * SIDES + pattern / SIDES;
        assert_eq!(classes[mirror], class);
        assert_eq!(exchange_seats(exchange_seats(pattern)), pattern);
        let exchanged: [Vec<usize>; 2] =
            pattern_cells(pattern).map(|side| side.iter().map(|cell| (3 - cell) % 3).collect());
        assert_eq!(pattern_cells(exchange_seats(pattern)), exchanged);
        if !is_empty {
            let mirrored = views
                .clone()
                .map(|view| view.map(|[low, high]| [high, low]));
            let known = seen.entry(views.clone().min(mirrored)).or_insert(class);
            assert_eq!(*known, class, "{views:?}");
        }
    }
    assert_eq!(seen.len() + 1, count, "two classes with the same views");
    // A shorter reach only joins classes.
    for reach in 1..REACH {
        let (_, coarse) = pattern_classes(reach);
        let mut joined = vec![None; count];
        for pattern in 0..PATTERNS {
            let known = joined[usize::from(classes[pattern])].get_or_insert(coarse[pattern]);
            assert_eq!(*known, coarse[pattern]);
        }
    }
}

/// Sums over all free cells, computed from scratch, give the evaluation and the move scores.
#[test]
fn the_state_of_a_search_matches_the_definition() {
    let network = LineNetwork::get();
    for rules in BOARDS {
        let choices: Vec<u16> = (0..45)
            .map(|number: u16| number.wrapping_mul(40_503))
            .collect();
        let position = random_position(rules, &choices);
        let patterns = patterns_of(&position);
        let turn = position.ply() % 2;
        let mut sums = [0_u16; 2 * CHANNELS];
        for cell in position.legal_moves() {
            let mut channels = Channels::default();
            for pattern in patterns[cell.index()] {
                let row = network.row(network.class(pattern));
                channels
                    .iter_mut()
                    .zip(row)
                    .for_each(|(sum, weight)| *sum += weight);
            }
            let score = network.score_move(patterns[cell.index()], &channels, turn);
            assert_eq!(move_score(&position, cell), score, "{rules} {cell:?}");
            for (sum, channel) in sums.iter_mut().zip(channels) {
                *sum += channel.clamp(0, CHANNEL_MAX).cast_unsigned();
            }
        }
        let value = network.evaluate(&sums.map(u16::cast_signed), turn);
        assert_eq!(evaluate(&position), value, "{rules}");
        assert_eq!(
            evaluate(&Position::new(*position.rules())),
            network.evaluate(&Channels::default(), 0)
        );
    }
}

#[test]
fn the_network_evaluates_large_boards_of_gomoku() {
    let has_network = |rules: &str| {
        let position = Position::new(rules.parse().unwrap());
        let tables = BoardTables::new(position.geometry());
        SearchBoard::new(&tables, &position).has_network()
    };
    assert!(BOARDS.into_iter().chain(["15x15:5+exact"]).all(has_network));
    let others = [
        "8x8:5",
        "15x15:6",
        "15x15:5+misere",
        "15x15:5+gravity",
        "5x5x5:5",
        "3x3:3",
    ];
    assert!(!others.into_iter().any(has_network));
}

#[test]
fn ends_of_an_open_three_come_first() {
    let game = position("15x15:5", "h8 d4 i8 d12 j8");
    let mut cells: Vec<Cell> = game.legal_moves().collect();
    cells.sort_by_key(|&cell| -move_score(&game, cell));
    let first = cells[..2].iter().map(|&cell| game.rules().cell_text(cell));
    assert!(
        first
            .clone()
            .all(|text| ["g8", "k8"].contains(&text.as_str())),
        "{:?}",
        first.collect::<Vec<_>>()
    );
}

/// The side with the better threats is ahead, whichever side is to move.
#[test]
fn evaluations_have_the_right_sign() {
    assert!(
        evaluate(&position("15x15:5", "h8 a1 i8 a15 j8 o1")) > 200,
        "an open three and the move"
    );
    assert!(
        evaluate(&position("15x15:5", "a1 h8 a15 i8 o1 h10 o15 j11 c3")) > 50,
        "the better stones and the move"
    );
    assert!(
        evaluate(&position("15x15:5", "h8 a1 i8 a15 h9 o1 j10 o15 i9 c3 d13")) < -100,
        "the opponent's threats"
    );
}

proptest! {
    /// Symmetric positions have the same evaluation, and symmetric moves the same score.
    #[test]
    fn symmetric_positions_have_equal_evaluations(
        board in 0..BOARDS.len(),
        choices in proptest::collection::vec(any::<u16>(), 0..50),
        choice in any::<usize>(),
    ) {
        let position = random_position(BOARDS[board], &choices);
        let value = evaluate(&position);
        let symmetries = position.geometry().symmetries();
        let symmetry = &symmetries[choice % symmetries.len()];
        let image = replay(*position.rules(), position.moves().iter().map(|cell| symmetry[cell.index()]));
        prop_assert_eq!(evaluate(&image), value);
        let cell = position.legal_nth(choice % position.legal_count()).unwrap();
        prop_assert_eq!(move_score(&image, symmetry[cell.index()]), move_score(&position, cell));
    }

    /// The sums follow moves in both directions, whenever they are evaluated.
    #[test]
    fn evaluations_follow_the_moves(
        board in 0..BOARDS.len(),
        choices in proptest::collection::vec(any::<u16>(), 20..60),
        steps in proptest::collection::vec(any::<u8>(), 1..100),
    ) {
        let game = random_position(BOARDS[board], &choices);
        let empty = Position::new(*game.rules());
        let mut search_board = SearchBoard::new(tables_of(game.rules()), &empty);
        let mut moves: Vec<Cell> = Vec::new();
        for step in steps {
            let replayed = replay(*game.rules(), moves.iter().copied());
            match step % 5 {
                0 if !moves.is_empty() => {
                    moves.pop();
                    search_board.undo();
                }
                3 => prop_assert_eq!(search_board.evaluate(), evaluate(&replayed)),
                4 if replayed.status() == Status::Ongoing => {
                    search_board.update_move_ordering();
                    let cell = replayed.legal_nth(usize::from(step) % replayed.legal_count()).unwrap();
                    let score = search_board.move_score(cell.index() as u16);
                    prop_assert_eq!(score, move_score(&replayed, cell));
                }
                _ => {
                    let free: Vec<Cell> = game.moves().iter().copied().filter(|cell| !moves.contains(cell)).collect();
                    if let Some(&cell) = free.get(usize::from(step) % free.len().max(1))
                        && replayed.is_legal(cell)
                    {
                        moves.push(cell);
                        search_board.play(cell.index() as u16);
                    }
                }
            }
        }
        prop_assert_eq!(search_board.evaluate(), evaluate(&replay(*game.rules(), moves)));
    }
}
