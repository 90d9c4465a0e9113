//! Iterative deepening of the alpha-beta search at the root.

use crate::alpha_beta::{PROVEN, WIN};
use crate::root_search::{RootSearch, SHORTEN_WIN_NODES, ScoredMove, ThreatProofs};

/// Node limit for the evaluation when there is only one move to choose.
const SINGLE_MOVE_NODES: u64 = 5_000;
/// Denominator of the share of the budget that is reserved for proofs of the opponent's attacks.
pub(super) const DEFENCE_SHARE: u32 = 4;

impl RootSearch<'_> {
    /// Runs iterative deepening, then checks the best moves against attacks of the opponent. Returns whether the value
    /// of the best move is proven.
    pub(super) fn deepen_with_defence(
        &mut self,
        max_depth: u32,
        is_proven_draw: bool,
        proofs: Option<&mut ThreatProofs>,
    ) -> bool {
        let Some(proofs) = proofs.filter(|_| !self.search.budget.halted) else {
            let proven = self.iterative_deepening(max_depth, is_proven_draw);
            return proven.unwrap_or(is_proven_draw);
        };
        // Reserves a share of the budget for the check.
        let saved_limits = self
            .search
            .budget
            .push_share(DEFENCE_SHARE - 1, DEFENCE_SHARE);
        let proven = self.iterative_deepening(max_depth, is_proven_draw);
        let proven = proven.unwrap_or(is_proven_draw);
        self.search.budget.pop(saved_limits);
        if !proven {
            self.refute_losing_moves(proofs);
        }
        proven
    }

    /// Continues after the last complete iteration. Returns whether the value is proven; `None` if the budget ran out.
    pub(super) fn iterative_deepening(
        &mut self,
        max_depth: u32,
        is_proven_draw: bool,
    ) -> Option<bool> {
        let (started_at, limit) = (self.search.budget.elapsed(), self.search.budget.limits.time);
        let (free, exhaustive) = (
            self.search.board.free_cells as u32,
            self.search.is_exhaustive(),
        );
        let has_choice = self.moves.len() > 1 && !is_proven_draw;
        for depth in self.depth + 1..=max_depth {
            if !self.search_iteration(depth as i32) {
                return None;
            }
            self.depth = depth;
            let result = self.result(is_proven_draw);
            (self.on_progress)(result);
            let (value, _) = self.best;
            let proven = value.abs() > PROVEN;
            if depth >= free && exhaustive {
                self.randomize_ties();
                return Some(true);
            }
            // Late in the time limit, another iteration would not get far. Earlier, even an incomplete iteration helps,
            // because it searches the best move first. The solver's time does not count here. The clock may go back.
            let used = self.search.budget.elapsed().saturating_sub(started_at);
            let time = limit.map(|time| time.saturating_sub(started_at));
            let is_late = time.is_some_and(|time| used >= time / 10 * 9);
            let known = proven
                && (WIN - value.abs() <= depth as i32
                    || self.search.budget.nodes >= SHORTEN_WIN_NODES);
            if known || is_late || (!has_choice && self.search.budget.nodes >= SINGLE_MOVE_NODES) {
                return Some(is_proven_draw);
            }
            self.search.age_history();
        }
        Some(false)
    }

    /// Runs an iteration, with wider windows until one contains the value. Returns `false` if the budget ran out.
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

    /// Searches all root moves, the previous best move first, until a move fails high. Returns the value of the best
    /// move, or a bound of the value if it is outside the window; `None` if the budget ran out.
    fn search_root_moves(&mut self, depth: i32, window: AspirationWindow) -> Option<i32> {
        let previous = self.best;
        let mut best: Option<ScoredMove> = None;
        let mut next = None;
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
                next = Some(cell);
                break;
            }
            self.moves[index].0 = value;
            // Below a narrow window, any move replaces a losing move.
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
        // A proven win stands until an exhaustive search finds a shorter win. Other searches only seem to find shorter
        // wins.
        let is_exhaustive = self.search.is_exhaustive();
        let is_proven_win = previous.0 > PROVEN && (is_exhaustive || self.has_proven_win);
        match (best, next) {
            // The moves so far lose, which says nothing about the next move.
            (Some((value, _)), Some(next)) if value < -PROVEN => {
                if previous.0 >= -PROVEN && !is_proven_win {
                    self.best.1 = next;
                }
            }
            (Some(best), _) if !is_proven_win || (is_exhaustive && best.0 > previous.0) => {
                self.best = best;
            }
            (Some(_) | None, _) => {}
        }
        if let Some(index) = self.moves.iter().position(|&(_, cell)| cell == self.best.1) {
            self.moves[..=index].rotate_right(1);
        }
        best.map(|(value, _)| value)
            .filter(|_| !self.search.budget.halted)
    }

    /// Returns the value in misère of a move that completes a line of the mover and therefore loses immediately.
    pub(super) fn losing_line_value(&self, cell: u16) -> Option<i32> {
        let board = &self.search.board;
        (board.tables.rules.misere() && board.is_completing(board.turn(), cell))
            .then_some(-(WIN - 1))
    }
}

/// Minimum depth of an iteration with a narrow window.
const MIN_DEPTH: i32 = 5;
/// Growth factor of the margin when the value lies outside the window.
const GROWTH: i32 = 3;
/// Number of narrow windows before a side of the window becomes unlimited.
const MAX_NARROW_WINDOWS: u32 = 3;

/// The aspiration window of an iteration. At first it only distinguishes values near the previous iteration's value
/// (<https://www.chessprogramming.org/Aspiration_Windows>).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AspirationWindow {
    pub(super) alpha: i32,
    pub(super) beta: i32,
    /// The value of the previous iteration.
    expected: i32,
    margin: i32,
    /// Number of windows so far, including this window.
    windows: u32,
}

impl AspirationWindow {
    /// The window with all values.
    pub(super) const FULL: AspirationWindow = AspirationWindow {
        alpha: -WIN,
        beta: WIN,
        expected: 0,
        margin: WIN,
        windows: MAX_NARROW_WINDOWS,
    };

    /// Returns the values within `margin` of the previous iteration's value, or all values if the depth is low or the
    /// previous value is proven.
    pub(super) fn new(depth: i32, expected: i32, margin: i32) -> AspirationWindow {
        if depth < MIN_DEPTH || expected.abs() >= PROVEN {
            return AspirationWindow::FULL;
        }
        AspirationWindow {
            alpha: expected - margin,
            beta: expected + margin,
            expected,
            margin,
            windows: 1,
        }
    }

    /// Returns whether a search with this window found the value itself rather than only a bound of it.
    pub(super) fn contains(&self, value: i32) -> bool {
        (self.alpha == -WIN || value > self.alpha) && (self.beta == WIN || value < self.beta)
    }

    /// Widens the window on the side of `value`, which must lie outside it.
    pub(super) fn widen(&mut self, value: i32) {
        self.windows += 1;
        let is_full = self.windows > MAX_NARROW_WINDOWS;
        self.margin *= GROWTH;
        if value <= self.alpha {
            self.alpha = if is_full {
                -WIN
            } else {
                self.expected - self.margin
            };
        } else {
            self.beta = if is_full {
                WIN
            } else {
                self.expected + self.margin
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;

    use rand::SeedableRng;

    use super::*;
    use crate::SearchLimits;
    use crate::alpha_beta::{AlphaBetaSearch, SearchOptions};
    use crate::board::SearchBoard;
    use crate::board::board_tables::BoardTables;
    use crate::budget::SearchBudget;
    use crate::level::MoveStyle;
    use crate::root_search::stages::Stages;
    use crate::tests::position;

    #[test]
    fn a_lost_move_is_replaced_below_the_window() {
        // X has an open three. o1 does not prevent an open four.
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
            stages: Stages::new(game.rules()),
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

    #[test]
    fn a_window_grows_on_the_side_of_the_value() {
        let mut window = AspirationWindow::new(MIN_DEPTH, 10, 25);
        assert_eq!((window.alpha, window.beta), (-15, 35));
        assert!(
            window.contains(-14)
                && window.contains(34)
                && !window.contains(-15)
                && !window.contains(35)
        );
        window.widen(35);
        assert_eq!((window.alpha, window.beta), (-15, 85));
        window.widen(-20);
        assert_eq!((window.alpha, window.beta), (-215, 85));
        window.widen(WIN - 3);
        assert_eq!((window.alpha, window.beta), (-215, WIN));
        window.widen(-WIN);
        assert_eq!((window.alpha, window.beta), (-WIN, WIN));
        assert!(window.contains(-WIN) && window.contains(WIN));
    }

    #[test]
    fn low_depths_and_proven_values_have_the_full_window() {
        assert_eq!(
            AspirationWindow::new(MIN_DEPTH - 1, 10, 25),
            AspirationWindow::FULL
        );
        assert_eq!(
            AspirationWindow::new(MIN_DEPTH, WIN - 9, 25),
            AspirationWindow::FULL
        );
        assert_eq!(
            AspirationWindow::new(MIN_DEPTH, 9 - WIN, 25),
            AspirationWindow::FULL
        );
    }
}
