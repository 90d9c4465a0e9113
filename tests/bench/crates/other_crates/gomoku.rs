//! Simple and fast Gomoku for the crate `minimax`: an incremental evaluation by windows, and moves next to
//! existing stones.

use minimax::{Evaluation, Evaluator, Game, Winner};

const BOARD_SIDE: usize = 15;
/// Score of a window by the number of its stones, if they are of one side.
const WINDOW_SCORES: [i32; 6] = [0, 1, 8, 60, 500, 0];

/// Stones of both sides; the side to move follows from their number.
#[derive(Clone, Debug)]
pub(crate) struct GomokuStones {
    /// 0 for empty, 1 and 2 for the sides.
    cells: [u8; BOARD_SIDE * BOARD_SIDE],
    plies: usize,
    /// Score of the windows of the first side minus the score of the windows of the second side.
    score: i32,
    /// Whether the last stone completed a line.
    won: bool,
}

impl Default for GomokuStones {
    fn default() -> GomokuStones {
        GomokuStones {
            cells: [0; BOARD_SIDE * BOARD_SIDE],
            plies: 0,
            score: 0,
            won: false,
        }
    }
}

impl GomokuStones {
    pub(crate) fn with_stone(&self, cell: usize) -> GomokuStones {
        let mut next = self.clone();
        let before = evaluate_windows(&self.cells, cell).0;
        next.cells[cell] = 1 + (self.plies % 2) as u8;
        let (after, won) = evaluate_windows(&next.cells, cell);
        next.score += after - before;
        next.won = won;
        next.plies += 1;
        next
    }

    fn is_adjacent_to_stone(&self, cell: usize) -> bool {
        let (row, column) = (cell / BOARD_SIDE, cell % BOARD_SIDE);
        (row.saturating_sub(1)..=(row + 1).min(BOARD_SIDE - 1)).any(|row| {
            (column.saturating_sub(1)..=(column + 1).min(BOARD_SIDE - 1))
                .any(|column| self.cells[row * BOARD_SIDE + column] > 0)
        })
    }
}

/// Returns the total score of the windows through a cell, and whether one of them is complete.
fn evaluate_windows(cells: &[u8; BOARD_SIDE * BOARD_SIDE], cell: usize) -> (i32, bool) {
    let (row, column) = ((cell / BOARD_SIDE) as i32, (cell % BOARD_SIDE) as i32);
    let (mut score, mut full) = (0, false);
    for (row_step, column_step) in [(0, 1), (1, 0), (1, 1), (1, -1)] {
        for start in -4..=0 {
            let mut counts = [0_usize; 3];
            let inside = (start..start + 5).all(|step| {
                let (row, column) = (row + row_step * step, column + column_step * step);
                let inside = (0..BOARD_SIDE as i32).contains(&row)
                    && (0..BOARD_SIDE as i32).contains(&column);
                if inside {
                    counts[usize::from(cells[row as usize * BOARD_SIDE + column as usize])] += 1;
                }
                inside
            });
            if inside {
                match counts {
                    [_, own, 0] => score += WINDOW_SCORES[own],
                    [_, 0, others] => score -= WINDOW_SCORES[others],
                    [_, _, _] => {}
                }
                full |= counts.contains(&5) && counts[0] == 0;
            }
        }
    }
    (score, full)
}

#[derive(Debug)]
pub(crate) struct Gomoku;

impl Game for Gomoku {
    type S = GomokuStones;
    type M = u16;

    fn generate_moves(stones: &GomokuStones, moves: &mut Vec<u16>) -> Option<Winner> {
        if let Some(winner) = Self::get_winner(stones) {
            return Some(winner);
        }
        let free = (0..BOARD_SIDE * BOARD_SIDE)
            .filter(|&cell| stones.cells[cell] == 0 && stones.is_adjacent_to_stone(cell));
        moves.extend(free.map(|cell| cell as u16));
        None
    }

    fn get_winner(stones: &GomokuStones) -> Option<Winner> {
        if stones.won {
            return Some(Winner::PlayerJustMoved);
        }
        (stones.plies == BOARD_SIDE * BOARD_SIDE).then_some(Winner::Draw)
    }

    fn apply(stones: &mut GomokuStones, cell: u16) -> Option<GomokuStones> {
        Some(stones.with_stone(usize::from(cell)))
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct WindowEvaluator;

impl Evaluator for WindowEvaluator {
    type G = Gomoku;

    fn evaluate(&self, stones: &GomokuStones) -> Evaluation {
        let score = if stones.plies.is_multiple_of(2) {
            stones.score
        } else {
            -stones.score
        };
        score.clamp(-30_000, 30_000) as Evaluation
    }
}
