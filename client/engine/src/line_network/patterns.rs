//! Line patterns: the stones around a cell along each direction of a two-dimensional board, as numbers.
//!
//! A pattern describes up to [`REACH`] cells on either side of a cell, up to the edge of the board. Each of these cells
//! is empty, or has a stone of X or O. A side is a number below [`SIDES`]. Sides of fewer cells come first; sides with
//! the same number of cells are numbers to the base 3, with the nearest cell as the lowest digit. So a stone adds a
//! constant to each pattern that it is part of.

use std::collections::BTreeMap;

use noughts_protocol::{Cell, Geometry};

use crate::board::cell_sets::ListOfLists;

/// Number of cells in a pattern on either side.
pub const REACH: usize = 4;
/// Number of possible sides: 1 + 3 + 9 + 27 + 81.
pub const SIDES: usize = 121;
const _: () = assert!(2 * SIDES + 1 == 3_usize.pow(REACH as u32 + 1));
/// Number of patterns: ordered pairs of sides.
pub const PATTERNS: usize = SIDES * SIDES;
/// Number of directions on a two-dimensional board.
pub const DIRECTIONS: usize = 4;

/// A pattern that contains a stone on some cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PatternPart {
    /// The cell in the middle of the pattern.
    pub cell: u16,
    /// Index of the pattern's direction, below [`DIRECTIONS`].
    pub direction: u16,
    /// A stone of X adds this number to the pattern. A stone of O adds twice as much.
    pub weight: u16,
}

/// The patterns of a board.
#[derive(Clone, Debug)]
pub struct BoardPatterns {
    empty: Box<[[u16; DIRECTIONS]]>,
    parts: ListOfLists<PatternPart>,
}

impl BoardPatterns {
    /// Returns the patterns of a board; `None` unless the board has two dimensions.
    pub fn new(geometry: &Geometry) -> Option<BoardPatterns> {
        let rules = geometry.rules();
        if rules.dimensions() != 2 || geometry.directions().len() != DIRECTIONS {
            return None;
        }
        let mut empty = vec![[0; DIRECTIONS]; rules.cells()];
        let mut parts = vec![Vec::new(); rules.cells()];
        for (index, patterns) in empty.iter_mut().enumerate() {
            let at = geometry.coordinates(Cell::new(index as u16));
            for (direction, pattern) in patterns.iter_mut().enumerate() {
                let step = geometry.directions()[direction].steps();
                for (side, factor) in [(-1, SIDES as u16), (1, 1)] {
                    let mut cells = 0;
                    for distance in 1..=REACH as i8 {
                        let moved = [0, 1]
                            .map(|axis| at[axis].checked_add_signed(side * distance * step[axis]));
                        let [Some(x), Some(y)] = moved else { break };
                        let Some(near) = geometry.cell_at(&[x, y]) else {
                            break;
                        };
                        cells += 1;
                        parts[near.index()].push(PatternPart {
                            cell: index as u16,
                            direction: direction as u16,
                            weight: factor * 3_u16.pow(distance as u32 - 1),
                        });
                    }
                    *pattern += factor * FIRST_SIDES[cells];
                }
            }
        }
        Some(BoardPatterns {
            empty: empty.into(),
            parts: ListOfLists::new(&parts),
        })
    }

    /// Returns, for each cell, the patterns on the empty board.
    pub fn empty(&self) -> &[[u16; DIRECTIONS]] {
        &self.empty
    }

    /// Returns the patterns that contain a stone on this cell.
    pub fn parts(&self, cell: u16) -> &[PatternPart] {
        self.parts.get(cell)
    }
}

/// For each number of cells on a side, the number of the side without stones.
const FIRST_SIDES: [u16; REACH + 1] = [0, 1, 4, 13, 40];

/// Returns the cells of a side, the nearest first: 0 is empty, 1 is X, 2 is O.
pub fn side_cells(side: usize) -> impl Iterator<Item = usize> + Clone {
    let cells = FIRST_SIDES
        .iter()
        .filter(|&&first| usize::from(first) <= side)
        .count()
        - 1;
    let digits = side - usize::from(FIRST_SIDES[cells]);
    (0..cells).map(move |place| digits / 3_usize.pow(place as u32) % 3)
}

/// Returns the pattern with the stones of X and O exchanged.
pub fn exchange_seats(pattern: usize) -> usize {
    let exchange = |side| {
        let digits = side_cells(side)
            .enumerate()
            .map(|(place, cell)| (3 - cell) % 3 * 3_usize.pow(place as u32));
        usize::from(FIRST_SIDES[side_cells(side).count()]) + digits.sum::<usize>()
    };
    exchange(pattern / SIDES) * SIDES + exchange(pattern % SIDES)
}

/// Returns the number of classes of patterns that differ within `reach` cells, and the class of each pattern.
///
/// Patterns of a class are mirror images, or differ, for both seats, only beyond stones of the opponent. For a seat
/// without room for a line of five, all patterns are equal. Patterns without stones are class 0.
pub fn pattern_classes(reach: usize) -> (usize, Vec<u16>) {
    let mut classes = BTreeMap::new();
    let classes_of = (0..PATTERNS).map(|pattern| {
        let views = [1, 2].map(|seat| seat_view(pattern, seat, reach));
        let has_stones = views
            .iter()
            .flatten()
            .flatten()
            .any(|&(_, stones)| stones != 0);
        if !has_stones {
            return 0;
        }
        let mirrored = views.map(|view| view.map(|[low, high]| [high, low]));
        let next = classes.len() as u16 + 1;
        *classes.entry(views.min(mirrored)).or_insert(next)
    });
    let classes_of = classes_of.collect();
    (classes.len() + 1, classes_of)
}

/// Returns for each side the number of cells up to the opponent's first stone or the edge, and the seat's own stones
/// among them, limited to `reach` cells. Returns `None` if there is not enough room for a line of five.
fn seat_view(pattern: usize, seat: usize, reach: usize) -> Option<[(u8, u8); 2]> {
    let sides = [pattern / SIDES, pattern % SIDES];
    let free = sides.map(|side| side_cells(side).take_while(|&cell| cell == 0 || cell == seat));
    if free.iter().map(|free| free.clone().count()).sum::<usize>() < REACH {
        return None;
    }
    Some(free.map(|free| {
        let near = free.take(reach);
        let stones = near
            .clone()
            .enumerate()
            .map(|(place, cell)| u8::from(cell == seat) << place)
            .sum();
        (near.count() as u8, stones)
    }))
}
