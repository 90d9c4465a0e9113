//! The moves of a position in the order of the search: by the network, or by the windows through them, history and killer
//! moves.

use super::{AlphaBetaSearch, MAX_FULL_WIDTH_MOVES, MoveLoop, OrderedMove};
use crate::board::board_tables::NO_CELL;
use crate::board::cell_set::CellSet;

/// Maximum history score: less than the ordering score of a threat, so that threats come first.
const MAX_HISTORY: i32 = 1 << 10;

impl AlphaBetaSearch<'_> {
    /// Generates the moves to search, with ordering scores. With a threat of the opponent only those in its cells, and threats.
    pub(super) fn generate_moves(
        &mut self,
        threat_cells: Option<&CellSet>,
        tt_move: u16,
        state: &MoveLoop,
    ) {
        self.board.update_move_ordering();
        let (board, seat) = (&self.board, self.board.turn());
        let (tables, first) = (board.tables, self.moves.len());
        let [killer, older_killer] = self.killers[state.ply as usize % self.killers.len()];
        for cell in board.candidates() {
            if cell == tt_move
                || threat_cells
                    .is_some_and(|cells| !cells.contains(cell) && !board.is_threat(seat, cell))
                || (tables.rules.misere() && board.is_completing(seat, cell))
            {
                continue;
            }
            let mut score = board.move_score(cell);
            // History and killer moves make the order of the network worse.
            if !board.has_network() {
                score += self.history[usize::from(cell)][seat];
                if cell == killer || cell == older_killer {
                    score += MAX_HISTORY;
                }
            }
            self.moves.push(OrderedMove::new(score, cell));
        }
        if self.moves.len() == first && tables.is_large() && tt_move == NO_CELL {
            // No free cell near the stones: take any.
            let open = board.open.intersection(&board.open, tables.words);
            self.moves.extend(
                open.take(MAX_FULL_WIDTH_MOVES)
                    .map(|cell| OrderedMove::new(0, cell)),
            );
        }
        if self.moves.len() - first > MAX_FULL_WIDTH_MOVES {
            let listed = &mut self.moves[first..];
            listed.select_nth_unstable_by(MAX_FULL_WIDTH_MOVES, |a, b| b.cmp(a));
            self.moves.truncate(first + MAX_FULL_WIDTH_MOVES);
        }
    }

    /// Returns the number of moves after which a search of a large board omits the others.
    pub(super) fn max_moves(&self, state: &MoveLoop) -> usize {
        if self.board.tables.is_large() {
            self.pruning.max_moves(state.depth, state.is_improving)
        } else {
            MAX_FULL_WIDTH_MOVES
        }
    }

    /// Swaps the best of the moves from index `from` on to `from`, and returns it.
    pub(super) fn select_next(&mut self, from: usize) -> u16 {
        let rest = &mut self.moves[from..];
        let likeliest = (0..rest.len()).max_by_key(|&place| rest[place]);
        rest.swap(0, likeliest.unwrap_or(0));
        rest[0].cell()
    }

    /// Records a cutoff in the history and killer tables, which the moves of a network do not need.
    pub(super) fn record_cutoff(&mut self, cell: u16, seat: usize, depth: i32, ply: i32) {
        if self.board.has_network() {
            return;
        }
        let history = &mut self.history[usize::from(cell)][seat];
        *history = (*history + depth * depth).min(MAX_HISTORY);
        let slot = ply as usize % self.killers.len();
        let killers = &mut self.killers[slot];
        if killers[0] != cell {
            *killers = [cell, killers[0]];
        }
    }
}
