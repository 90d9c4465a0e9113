//! Proofs that a seat can complete no line: if its windows can be given two free cells each, none shared,
//! the other seat answers every stone in such a pair with the other cell of the pair, and no window is
//! ever filled. (Hales and Jewett, "Regularity and positional games", 1963.) Holds in normal free placement
//! only: with gravity the answer may not be playable, and in misère nobody wants to fill windows.

use crate::board::SearchBoard;
use crate::board::board_tables::NO_CELL;

/// Room for the matching, kept between calls.
#[derive(Debug, Default)]
pub(crate) struct PairingStrategy {
    /// The windows to be blocked.
    windows: Vec<u16>,
    /// By cell: the place in `windows` of the one that has it.
    matched_to: Vec<u16>,
    /// By cell: the last attempt that looked at it.
    last_attempt: Vec<u32>,
    attempt: u32,
}

impl PairingStrategy {
    /// Whether `seat` can be kept from every line, whoever is to move. False may mean that no such pairs exist.
    pub(crate) fn prove_no_line(&mut self, board: &SearchBoard<'_>, seat: usize) -> bool {
        let rules = &board.tables.rules;
        if rules.gravity() || rules.misere() {
            return false;
        }
        let alive = board.live_window_count(seat);
        if alive == 0 || 2 * alive > board.free_cells {
            return alive == 0;
        }
        self.windows.clear();
        self.windows.extend(board.live_windows(seat));
        self.matched_to.clear();
        self.matched_to.resize(board.tables.cells, NO_CELL);
        self.last_attempt.resize(board.tables.cells, 0);
        // Matching by augmenting paths, each window twice (Kuhn 1955).
        (0..self.windows.len())
            .all(|window| self.match_window(board, window) && self.match_window(board, window))
    }

    /// Finds one more cell for a window, moving others to other cells if need be.
    fn match_window(&mut self, board: &SearchBoard<'_>, window: usize) -> bool {
        // After four thousand million attempts an old mark could be taken for a new one: start over.
        if self.attempt == u32::MAX {
            self.last_attempt.fill(0);
            self.attempt = 0;
        }
        self.attempt += 1;
        self.augment(board, window)
    }

    fn augment(&mut self, board: &SearchBoard<'_>, window: usize) -> bool {
        for &cell in board.tables.window(usize::from(self.windows[window])) {
            let cell_index = usize::from(cell);
            if !board.open.contains(cell)
                || self.last_attempt[cell_index] == self.attempt
                || self.matched_to[cell_index] == window as u16
            {
                continue;
            }
            self.last_attempt[cell_index] = self.attempt;
            let taken_by = self.matched_to[cell_index];
            if taken_by == NO_CELL || self.augment(board, usize::from(taken_by)) {
                self.matched_to[cell_index] = window as u16;
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

    fn holds(rules: &str, moves: &str) -> [bool; 2] {
        let position = position(rules, moves);
        let tables = BoardTables::new(position.geometry());
        let board = SearchBoard::new(&tables, &position);
        [0, 1].map(|seat| PairingStrategy::default().prove_no_line(&board, seat))
    }

    #[test]
    fn long_lines_on_small_boards_are_held() {
        assert_eq!(holds("5x5:5", ""), [true, true]);
        assert_eq!(holds("6x6:6", ""), [true, true]);
        assert_eq!(holds("3x3:3", ""), [false, false]);
        assert_eq!(holds("4x4:4", ""), [false, false], "10 windows need 20 cells");
    }

    #[test]
    fn stones_break_pairs_and_windows() {
        // A window with one free cell left has no pair.
        assert_eq!(holds("4:3", "a1 d1 b1"), [false, true]);
        assert_eq!(holds("6x6:6", "a1 b1 a2 b2 a3 b3 a4 b4 a5 c1"), [false, true]);
        for rules in ["5x5:5+gravity", "5x5:5+misere"] {
            assert_eq!(holds(rules, ""), [false, false]);
        }
    }
}
