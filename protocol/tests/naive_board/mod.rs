//! Reference implementation of the rules, as simple as possible: a board of 1, 0 and -1, searched along every
//! direction from every cell. It shares no code with the crate except accessors of [`Rules`].

use noughts_protocol::{Rules, Seat, Status};

/// Board without incremental state.
#[derive(Clone, Debug)]
pub(crate) struct NaiveBoard {
    rules: Rules,
    /// 1 for X, -1 for O, 0 for empty; the first coordinate varies fastest.
    board: Vec<i8>,
    last_stone: i8,
}

impl NaiveBoard {
    pub(crate) fn new(rules: Rules) -> NaiveBoard {
        let cells = rules
            .sides()
            .iter()
            .map(|&side| usize::from(side))
            .product();
        NaiveBoard {
            rules,
            board: vec![0; cells],
            last_stone: -1,
        }
    }

    pub(crate) fn stone_at(&self, cell: usize) -> Option<Seat> {
        match self.board.get(cell) {
            Some(1) => Some(Seat::X),
            Some(-1) => Some(Seat::O),
            _ => None,
        }
    }

    /// Returns the cell where a stone played here lands, if the move is legal.
    pub(crate) fn landing_cell(&self, cell: usize) -> Option<usize> {
        if self.status() == Status::Ongoing {
            self.lowest_free_cell(cell)
        } else {
            None
        }
    }

    pub(crate) fn legal_moves(&self) -> Vec<usize> {
        if self.status() != Status::Ongoing {
            return Vec::new();
        }
        (0..self.board.len())
            .filter(|&cell| self.lowest_free_cell(cell) == Some(cell))
            .collect()
    }

    /// Returns the landing cell, regardless of the end of the game.
    fn lowest_free_cell(&self, cell: usize) -> Option<usize> {
        if cell >= self.board.len() {
            return None;
        }
        if !self.rules.gravity() {
            return (self.board[cell] == 0).then_some(cell);
        }
        let mut coordinates = self.coordinates(cell);
        (0..i32::from(self.rules.height())).rev().find_map(|row| {
            coordinates[1] = row;
            self.index(&coordinates)
                .filter(|&cell| self.board[cell] == 0)
        })
    }

    /// Places a stone on a landing cell.
    pub(crate) fn play(&mut self, cell: usize) {
        self.last_stone = -self.last_stone;
        self.board[cell] = self.last_stone;
    }

    pub(crate) fn status(&self) -> Status {
        let seat = |stone| if stone == 1 { Seat::X } else { Seat::O };
        for stone in [1, -1] {
            let complete = (0..self.board.len()).any(|cell| self.starts_line(cell, stone));
            if complete {
                return Status::Won(seat(if self.rules.misere() { -stone } else { stone }));
            }
        }
        if self.board.contains(&0) {
            Status::Ongoing
        } else {
            Status::Drawn
        }
    }

    /// Returns whether a line of `stone` starts here, in any of the 3^d - 1 directions.
    fn starts_line(&self, cell: usize, stone: i8) -> bool {
        let k = usize::from(self.rules.line());
        let dimensions = self.rules.dimensions() as u32;
        (1..3_i32.pow(dimensions)).any(|number| {
            let step: Vec<i32> = (0..dimensions)
                .map(|axis| [0, 1, -1][number as usize / 3_usize.pow(axis) % 3])
                .collect();
            let mut axes = step.iter().zip(self.rules.sides());
            if !axes.all(|(step, side)| *step == 0 || usize::from(*side) >= k) {
                return false;
            }
            let opposite_step: Vec<i32> = step.iter().map(|coordinate| -coordinate).collect();
            let run = self.run_length(cell, &step, stone);
            if self.rules.exact() {
                run == k && self.run_length(cell, &opposite_step, stone) == 1
            } else {
                run >= k
            }
        })
    }

    /// Returns the number of stones in a row from here in one direction, including this cell, once around a torus.
    fn run_length(&self, start: usize, step: &[i32], stone: i8) -> usize {
        let mut coordinates = self.coordinates(start);
        let mut run = 0;
        while let Some(cell) = self.index(&coordinates) {
            if self.board[cell] != stone || (cell == start && run > 0) {
                break;
            }
            run += 1;
            for (coordinate, step) in coordinates.iter_mut().zip(step) {
                *coordinate += step;
            }
        }
        run
    }

    fn coordinates(&self, cell: usize) -> Vec<i32> {
        let mut remaining = cell;
        let mut coordinates = Vec::new();
        for &side in self.rules.sides() {
            coordinates.push((remaining % usize::from(side)) as i32);
            remaining /= usize::from(side);
        }
        coordinates
    }

    fn index(&self, coordinates: &[i32]) -> Option<usize> {
        let (mut index, mut stride) = (0, 1);
        let axes = coordinates.iter().zip(self.rules.sides());
        for (axis, (&coordinate, &side)) in axes.enumerate() {
            let falls = axis == 1 && self.rules.gravity();
            let coordinate = if self.rules.torus() && !falls {
                coordinate.rem_euclid(i32::from(side))
            } else {
                coordinate
            };
            if coordinate < 0 || coordinate >= i32::from(side) {
                return None;
            }
            index += coordinate as usize * stride;
            stride *= usize::from(side);
        }
        Some(index)
    }
}
