//! Proofs and moves that need no search: proofs that a seat completes no line, and the strategies of misère.

pub(crate) mod misere_mirror;
pub(crate) mod take_even;
pub(crate) mod traps;

use noughts_protocol::Cell;

use crate::board::SearchBoard;
use crate::board::board_tables::is_free_placement;
use crate::board::cell_sets::{BitWord, iter_bits};

/// What a strategy offers the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StrategyResult {
    /// The move wins, at the latest when the board is full.
    Wins(Cell),
    /// The move never loses.
    Holds(Cell),
    /// The opponent wins.
    Loses,
}

/// Maximum number of windows that can have two cells each in one word.
const MAX_WORD_WINDOWS: usize = 64;
/// Marks a cell that belongs to no window.
const UNMATCHED: u16 = u16::MAX;

/// Proves that a seat completes no line, in normal free placement. Keeps its buffers between calls.
///
/// *Pairing strategy*: if every window that the attacker can still fill gets two free cells of its own, the defender
/// answers each stone in such a pair with the other cell of the pair, and no window is ever filled (Hales and Jewett,
/// "Regularity and positional games", 1963). Bipartite matching finds the pairs. The proof does not hold with gravity,
/// because the answer may not be playable, nor in misère, because the players avoid lines.
///
/// *Potential*: each window weighs 2 to the power of minus the number of its free cells. If the weights sum to less
/// than 1/2 with the attacker to move, or less than 1 otherwise, the defender always takes the heaviest cell and the
/// sum never reaches 1 (Erdős and Selfridge, "On a combinatorial game", 1973).
#[derive(Debug, Default)]
pub(crate) struct NoLineProver {
    /// The windows in the current proof on a board.
    windows: Vec<u16>,
    /// For each cell, its matched window.
    matched_to: Vec<u16>,
    /// For each cell, the last attempt that tried the cell.
    last_attempt: Vec<u32>,
    attempt: u32,
}

impl NoLineProver {
    /// Returns whether a pairing keeps `seat` from every line, whichever seat is to move. `false` proves nothing.
    pub(crate) fn prove_no_line(&mut self, board: &SearchBoard<'_>, seat: usize) -> bool {
        if !is_free_placement(&board.tables.rules) {
            return false;
        }
        let alive = board.live_window_count(seat);
        if alive == 0 || 2 * alive > board.free_cells {
            return alive == 0;
        }
        let mut windows = std::mem::take(&mut self.windows);
        windows.clear();
        windows.extend(board.live_windows(seat));
        let free_cells = |window: usize| {
            let cells = board
                .tables
                .window(usize::from(windows[window]))
                .iter()
                .copied();
            cells.filter(|&cell| board.open.contains(cell))
        };
        let is_matched = self.match_all(board.tables.cells, windows.len(), &free_cells);
        self.windows = windows;
        is_matched
    }

    /// Returns whether a pairing or the potential keeps the attacker from every line on a board in one word. `false`
    /// proves nothing. The caller ensures normal free placement.
    pub(crate) fn prove_no_line_in_word<B: BitWord>(
        &mut self,
        windows: &[B],
        attacker: B,
        defender: B,
        attacker_moves: bool,
    ) -> bool {
        let mut alive = [B::EMPTY; MAX_WORD_WINDOWS];
        let (mut count, mut weight, mut free, mut pairs) = (0, 0_u64, B::EMPTY, true);
        for &window in windows {
            if (window & defender).any() {
                continue;
            }
            let cells = window & !attacker;
            weight += (1 << 40) >> cells.count().min(40);
            free |= cells;
            // A window with one free cell has no pair, so the defender must take the cell immediately.
            pairs &= cells.without_first().any() && count < MAX_WORD_WINDOWS;
            if pairs {
                alive[count] = cells;
            }
            count += 1;
        }
        let threshold = if attacker_moves { 1 << 39 } else { 1 << 40 };
        if weight < threshold {
            return true;
        }
        if !pairs || 2 * count > free.count() as usize {
            return false;
        }
        let alive = &mut alive[..count];
        // The windows with the fewest cells come first, because they fail early.
        alive.sort_unstable_by_key(|cells| cells.count());
        self.match_all(B::SIZE as usize, count, &|window| {
            iter_bits(alive[window]).map(|bit| bit as u16)
        })
    }

    /// Returns whether every window can have two free cells of its own. Finds out by matching with augmenting paths,
    /// each window twice (Kuhn, "The Hungarian method for the assignment problem", 1955).
    fn match_all<I: Iterator<Item = u16>>(
        &mut self,
        cells: usize,
        windows: usize,
        free_cells: &impl Fn(usize) -> I,
    ) -> bool {
        self.matched_to.clear();
        self.matched_to.resize(cells, UNMATCHED);
        self.last_attempt.resize(cells, 0);
        (0..windows).all(|window| {
            self.match_window(free_cells, window) && self.match_window(free_cells, window)
        })
    }

    /// Finds one more cell for a window, reassigning cells of other windows if necessary.
    fn match_window<I: Iterator<Item = u16>>(
        &mut self,
        free_cells: &impl Fn(usize) -> I,
        window: usize,
    ) -> bool {
        // When the counter wraps around, marks of old attempts would look new, so they are cleared.
        if self.attempt == u32::MAX {
            self.last_attempt.fill(0);
            self.attempt = 0;
        }
        self.attempt += 1;
        self.augment(free_cells, window)
    }

    fn augment<I: Iterator<Item = u16>>(
        &mut self,
        free_cells: &impl Fn(usize) -> I,
        window: usize,
    ) -> bool {
        for cell in free_cells(window) {
            let cell = usize::from(cell);
            if self.last_attempt[cell] == self.attempt || self.matched_to[cell] == window as u16 {
                continue;
            }
            self.last_attempt[cell] = self.attempt;
            let taken_by = self.matched_to[cell];
            if taken_by == UNMATCHED || self.augment(free_cells, usize::from(taken_by)) {
                self.matched_to[cell] = window as u16;
                return true;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::board_tables::BoardTables;
    use crate::tests::position;

    fn proves_no_line(rules: &str, moves: &str) -> [bool; 2] {
        let position = position(rules, moves);
        let tables = BoardTables::new(position.geometry());
        let board = SearchBoard::new(&tables, &position);
        [0, 1].map(|seat| NoLineProver::default().prove_no_line(&board, seat))
    }

    #[test]
    fn pairs_block_long_lines_on_small_boards() {
        assert_eq!(proves_no_line("5x5:5", ""), [true, true]);
        assert_eq!(proves_no_line("6x6:6", ""), [true, true]);
        assert_eq!(proves_no_line("3x3:3", ""), [false, false]);
        assert_eq!(
            proves_no_line("4x4:4", ""),
            [false, false],
            "10 windows need 20 cells"
        );
    }

    #[test]
    fn stones_break_pairs_and_windows() {
        // A window with one free cell left has no pair.
        assert_eq!(proves_no_line("4:3", "a1 d1 b1"), [false, true]);
        assert_eq!(
            proves_no_line("6x6:6", "a1 b1 a2 b2 a3 b3 a4 b4 a5 c1"),
            [false, true]
        );
        for rules in ["5x5:5+gravity", "5x5:5+misere"] {
            assert_eq!(proves_no_line(rules, ""), [false, false]);
        }
    }
}
