//! Gomoku for the crate `minimax`, as simple as it can be and still be quick: an estimate by windows that each
//! stone brings up to date, and the cells beside stones as moves.

use minimax::{Evaluation, Evaluator, Game, Winner};

const SIDE: usize = 15;
/// What a window is worth by the stones in it, all of one side.
const WORTH: [i32; 6] = [0, 1, 8, 60, 500, 0];

/// The stones of both sides; the side to move follows from their number.
#[derive(Clone, Debug)]
pub(crate) struct Stones {
    /// 0 free, 1 and 2 the sides.
    cells: [u8; SIDE * SIDE],
    plies: usize,
    /// The windows of the first side less those of the second.
    worth: i32,
    /// The last stone completed a line.
    won: bool,
}

impl Default for Stones {
    fn default() -> Stones {
        Stones { cells: [0; SIDE * SIDE], plies: 0, worth: 0, won: false }
    }
}

impl Stones {
    pub(crate) fn with(&self, cell: usize) -> Stones {
        let mut next = self.clone();
        let before = windows_through(&self.cells, cell).0;
        next.cells[cell] = 1 + (self.plies % 2) as u8;
        let (after, won) = windows_through(&next.cells, cell);
        next.worth += after - before;
        next.won = won;
        next.plies += 1;
        next
    }

    fn is_beside(&self, cell: usize) -> bool {
        let (row, column) = (cell / SIDE, cell % SIDE);
        (row.saturating_sub(1)..=(row + 1).min(SIDE - 1)).any(|row| {
            (column.saturating_sub(1)..=(column + 1).min(SIDE - 1))
                .any(|column| self.cells[row * SIDE + column] > 0)
        })
    }
}

/// What the windows through a cell are worth together, and whether one is full.
fn windows_through(cells: &[u8; SIDE * SIDE], cell: usize) -> (i32, bool) {
    let (row, column) = ((cell / SIDE) as i32, (cell % SIDE) as i32);
    let (mut worth, mut full) = (0, false);
    for (down, right) in [(0, 1), (1, 0), (1, 1), (1, -1)] {
        for start in -4..=0 {
            let mut counts = [0_usize; 3];
            let inside = (start..start + 5).all(|step| {
                let (row, column) = (row + down * step, column + right * step);
                let inside = (0..SIDE as i32).contains(&row) && (0..SIDE as i32).contains(&column);
                if inside {
                    counts[usize::from(cells[row as usize * SIDE + column as usize])] += 1;
                }
                inside
            });
            if inside {
                match counts {
                    [_, own, 0] => worth += WORTH[own],
                    [_, 0, others] => worth -= WORTH[others],
                    [_, _, _] => {}
                }
                full |= counts.contains(&5) && counts[0] == 0;
            }
        }
    }
    (worth, full)
}

#[derive(Debug)]
pub(crate) struct Gomoku;

impl Game for Gomoku {
    type S = Stones;
    type M = u16;

    fn generate_moves(stones: &Stones, moves: &mut Vec<u16>) -> Option<Winner> {
        if let Some(winner) = Self::get_winner(stones) {
            return Some(winner);
        }
        let free = (0..SIDE * SIDE).filter(|&cell| stones.cells[cell] == 0 && stones.is_beside(cell));
        moves.extend(free.map(|cell| cell as u16));
        None
    }

    fn get_winner(stones: &Stones) -> Option<Winner> {
        if stones.won {
            return Some(Winner::PlayerJustMoved);
        }
        (stones.plies == SIDE * SIDE).then_some(Winner::Draw)
    }

    fn apply(stones: &mut Stones, cell: u16) -> Option<Stones> {
        Some(stones.with(usize::from(cell)))
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Windows;

impl Evaluator for Windows {
    type G = Gomoku;

    fn evaluate(&self, stones: &Stones) -> Evaluation {
        let worth = if stones.plies.is_multiple_of(2) { stones.worth } else { -stones.worth };
        worth.clamp(-30_000, 30_000) as Evaluation
    }
}
