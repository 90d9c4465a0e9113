//! The rules once more, as slowly and plainly as they can be said: a board of 1, 0 and -1, counted
//! along every direction from every cell. It shares no code with the crate but the accessors of
//! [`Rules`].

use noughts_protocol::{Rules, Seat, Status};

/// A board that is judged afresh each time.
#[derive(Clone, Debug)]
pub(crate) struct Naive {
    rules: Rules,
    /// 1 for X, -1 for O, 0 for free; x runs fastest.
    board: Vec<i8>,
    last: i8,
}

impl Naive {
    pub(crate) fn new(rules: Rules) -> Naive {
        let cells = rules.sides().iter().map(|&side| usize::from(side)).product();
        Naive { rules, board: vec![0; cells], last: -1 }
    }

    pub(crate) fn at(&self, cell: usize) -> Option<Seat> {
        match self.board.get(cell) {
            Some(1) => Some(Seat::X),
            Some(-1) => Some(Seat::O),
            _ => None,
        }
    }

    /// Where a stone played here comes to lie, if it may be played.
    pub(crate) fn landing(&self, cell: usize) -> Option<usize> {
        if self.status() == Status::Ongoing { self.fall(cell) } else { None }
    }

    pub(crate) fn legal_moves(&self) -> Vec<usize> {
        if self.status() != Status::Ongoing {
            return Vec::new();
        }
        (0..self.board.len()).filter(|&cell| self.fall(cell) == Some(cell)).collect()
    }

    /// Where a stone comes to lie, were the game not over.
    fn fall(&self, cell: usize) -> Option<usize> {
        if cell >= self.board.len() {
            return None;
        }
        if !self.rules.gravity() {
            return (self.board[cell] == 0).then_some(cell);
        }
        let mut at = self.coordinates(cell);
        (0..i32::from(self.rules.height())).rev().find_map(|row| {
            at[1] = row;
            self.index(&at).filter(|&cell| self.board[cell] == 0)
        })
    }

    /// Plays on a landing cell.
    pub(crate) fn play(&mut self, cell: usize) {
        self.last = -self.last;
        self.board[cell] = self.last;
    }

    pub(crate) fn status(&self) -> Status {
        let seat = |stone| if stone == 1 { Seat::X } else { Seat::O };
        for stone in [1, -1] {
            let complete = (0..self.board.len()).any(|cell| self.begins_line(cell, stone));
            if complete {
                return Status::Won(seat(if self.rules.misere() { -stone } else { stone }));
            }
        }
        if self.board.contains(&0) { Status::Ongoing } else { Status::Drawn }
    }

    /// Whether a run of `stone` that counts as a line begins here, in any of the 3^d - 1 directions.
    fn begins_line(&self, cell: usize, stone: i8) -> bool {
        let k = usize::from(self.rules.line());
        let dimensions = self.rules.dimensions() as u32;
        (1..3_i32.pow(dimensions)).any(|number| {
            let step: Vec<i32> =
                (0..dimensions).map(|axis| [0, 1, -1][number as usize / 3_usize.pow(axis) % 3]).collect();
            let back: Vec<i32> = step.iter().map(|along| -along).collect();
            let run = self.run(cell, &step, stone);
            if self.rules.exact() { run == k && self.run(cell, &back, stone) == 1 } else { run >= k }
        })
    }

    /// How many stones in a row lie from here in one direction, this one included.
    fn run(&self, cell: usize, step: &[i32], stone: i8) -> usize {
        let mut at = self.coordinates(cell);
        let mut run = 0;
        while let Some(cell) = self.index(&at) {
            if self.board[cell] != stone {
                break;
            }
            run += 1;
            for (along, step) in at.iter_mut().zip(step) {
                *along += step;
            }
        }
        run
    }

    fn coordinates(&self, cell: usize) -> Vec<i32> {
        let mut rest = cell;
        let mut at = Vec::new();
        for &side in self.rules.sides() {
            at.push((rest % usize::from(side)) as i32);
            rest /= usize::from(side);
        }
        at
    }

    fn index(&self, at: &[i32]) -> Option<usize> {
        let (mut index, mut stride) = (0, 1);
        for (&along, &side) in at.iter().zip(self.rules.sides()) {
            if along < 0 || along >= i32::from(side) {
                return None;
            }
            index += along as usize * stride;
            stride *= usize::from(side);
        }
        Some(index)
    }
}
