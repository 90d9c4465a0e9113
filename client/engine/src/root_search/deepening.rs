//! Iterative deepening of the alpha-beta search at the root.

use super::aspiration_window::AspirationWindow;
use super::{RootSearch, SHORTEN_WIN_NODES, ScoredMove, ThreatProofs};
use crate::alpha_beta::search::{PROVEN, WIN};

/// Node limit for the evaluation when there is only one move to choose.
const SINGLE_MOVE_NODES: u64 = 5_000;
/// Denominator of the share of the budget that is reserved for proofs of the opponent's attacks.
const DEFENCE_SHARE: u32 = 4;

impl RootSearch<'_> {
    /// Iterative deepening, then a check of the best moves against attacks of the opponent. True when the value of the
    /// best move is proven.
    pub(super) fn deepen_with_defence(
        &mut self,
        max_depth: u32,
        is_proven_draw: bool,
        proofs: Option<&mut ThreatProofs>,
    ) -> bool {
        let Some(proofs) = proofs.filter(|_| !self.search.budget.halted) else {
            return self.iterative_deepening(max_depth, is_proven_draw);
        };
        // Reserve a share of the budget for the check.
        let saved_limits = self
            .search
            .budget
            .push_share(DEFENCE_SHARE - 1, DEFENCE_SHARE);
        let proven = self.iterative_deepening(max_depth, is_proven_draw);
        self.search.budget.pop(saved_limits);
        if !proven {
            self.refute_losing_moves(proofs);
        }
        proven
    }

    fn iterative_deepening(&mut self, max_depth: u32, is_proven_draw: bool) -> bool {
        let (started_at, limit) = (self.search.budget.elapsed(), self.search.budget.limits.time);
        let (free, exhaustive) = (
            self.search.board.free_cells as u32,
            self.search.is_exhaustive(),
        );
        let has_choice = self.moves.len() > 1 && !is_proven_draw;
        for depth in 1..=max_depth {
            if !self.search_iteration(depth as i32) {
                return is_proven_draw;
            }
            self.depth = depth;
            let result = self.result(is_proven_draw);
            (self.on_progress)(result);
            let (value, _) = self.best;
            let proven = value.abs() > PROVEN;
            if depth >= free && exhaustive {
                self.randomize_ties();
                return true;
            }
            // Late in the time limit another iteration would not get far. Earlier, even an incomplete one helps, because
            // it searches the best move first. The time of the solver does not count here. The clock may go back.
            let used = self.search.budget.elapsed().saturating_sub(started_at);
            let time = limit.map(|time| time.saturating_sub(started_at));
            let is_late = time.is_some_and(|time| used >= time / 10 * 9);
            let known = proven
                && (WIN - value.abs() <= depth as i32
                    || self.search.budget.nodes >= SHORTEN_WIN_NODES);
            if known || is_late || (!has_choice && self.search.budget.nodes >= SINGLE_MOVE_NODES) {
                return is_proven_draw;
            }
            self.search.age_history();
        }
        false
    }

    /// One iteration, with wider windows until one contains the value. False when the budget ran out.
    fn search_iteration(&mut self, depth: i32) -> bool {
        let mut window = match self.search.aspiration_margin() {
            Some(margin) => AspirationWindow::new(depth, self.best.0, margin),
            None => AspirationWindow::FULL,
        };
        while let Some(value) = self.search_root_moves(depth, window) {
            if window.contains(value) {
                return true;
            }
            window.widen(value);
        }
        false
    }

    /// Searches all root moves, the previous best first, until one fails high. Returns the value of the best, or a bound of it if it lies
    /// outside the window; `None` when the budget ran out.
    fn search_root_moves(&mut self, depth: i32, window: AspirationWindow) -> Option<i32> {
        let previous = self.best;
        let mut best: Option<ScoredMove> = None;
        for index in 0..self.moves.len() {
            let (_, cell) = self.moves[index];
            let alpha = best.map_or(window.alpha, |(value, _)| value.max(window.alpha));
            let reduced_depth = if self.search.is_selective() {
                depth - 1 - self.search.late_reduction(index + 1, cell, depth)
            } else {
                depth - 1
            };
            self.search.board.play(cell);
            let mut value = if best.is_none() {
                -self
                    .search
                    .alpha_beta(depth - 1, -window.beta, -window.alpha, 1)
            } else {
                -self.search.alpha_beta(reduced_depth, -alpha - 1, -alpha, 1)
            };
            if value > alpha && reduced_depth < depth - 1 && !self.search.budget.halted {
                value = -self.search.alpha_beta(depth - 1, -alpha - 1, -alpha, 1);
            }
            if best.is_some() && value > alpha && value < window.beta && !self.search.budget.halted
            {
                value = -self.search.alpha_beta(depth - 1, -window.beta, -alpha, 1);
            }
            self.search.board.undo();
            value = self.losing_line_value(cell).unwrap_or(value);
            if self.search.budget.halted {
                break;
            }
            self.moves[index].0 = value;
            // Below a narrow window, any move replaces a lost one.
            let is_better =
                best.is_none_or(|(best, _)| value > alpha || (best < -PROVEN && value > best));
            if is_better {
                best = Some((value, cell));
                self.moves[..=index].rotate_right(1);
            }
            if value >= window.beta {
                break;
            }
        }
        // A proven win stands until an exhaustive search finds a shorter one. Other searches only seem to find one.
        let is_exhaustive = self.search.is_exhaustive();
        let is_proven_win = previous.0 > PROVEN && (is_exhaustive || self.has_proven_win);
        match best {
            Some(best) if !is_proven_win || (is_exhaustive && best.0 > previous.0) => {
                self.best = best;
            }
            Some(_) | None => {}
        }
        if let Some(index) = self.moves.iter().position(|&(_, cell)| cell == self.best.1) {
            self.moves[..=index].rotate_right(1);
        }
        best.map(|(value, _)| value)
            .filter(|_| !self.search.budget.halted)
    }

    /// In misère, the value of a move that completes a line of the mover and so loses at once.
    pub(super) fn losing_line_value(&self, cell: u16) -> Option<i32> {
        let board = &self.search.board;
        (board.tables.rules.misere() && board.is_completing(board.turn(), cell))
            .then_some(-(WIN - 1))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;

    use rand::SeedableRng;

    use super::*;
    use crate::SearchLimits;
    use crate::alpha_beta::search::{AlphaBetaSearch, SearchOptions};
    use crate::board::SearchBoard;
    use crate::board::board_tables::BoardTables;
    use crate::budget::SearchBudget;
    use crate::level::move_style::MoveStyle;
    use crate::tests::position;

    #[test]
    fn a_lost_move_is_replaced_below_the_window() {
        // X has an open three; o1 does not prevent an open four.
        let (game, stop) = (
            position("15x15:5", "h8 a1 i8 a15 j8"),
            AtomicBool::new(false),
        );
        let tables = BoardTables::new(game.geometry());
        let options = SearchOptions {
            vcf_nodes: 60,
            noise: 0,
            seed: 0,
        };
        let budget = SearchBudget::new(SearchLimits::default(), &|| Duration::ZERO, &stop);
        let lost = 14;
        let mut root = RootSearch {
            position: &game,
            style: MoveStyle::ANALYSIS,
            search: AlphaBetaSearch::new(SearchBoard::new(&tables, &game), options, budget),
            moves: Vec::new(),
            rng: rand::rngs::Xoshiro256PlusPlus::seed_from_u64(0),
            best: (0, lost),
            has_proven_win: false,
            is_strategy_loss: false,
            depth: 0,
            on_progress: &mut |_| {},
        };
        root.generate_moves();
        root.moves.retain(|&(_, cell)| cell != lost);
        root.moves.insert(0, (0, lost));
        let window = AspirationWindow::new(5, 20_025, 25);
        let value = root
            .search_root_moves(4, window)
            .expect("a complete search");
        assert!(!window.contains(value) && value > -PROVEN, "{value}");
        assert_eq!(root.best.0, value);
        assert_ne!(root.best.1, lost);
    }
}
