//! Alpha-beta over whole boards in negamax form.
//!
//! A win is worth one more than the number of cells left after its last stone, so the value of a position does not
//! depend on the root of the search.

use crate::board::board_tables::is_free_placement;
use crate::board::cell_sets::{BitWord, iter_bits};
use crate::solver::bitboard::{BitLayout, SolverPosition};
use crate::solver::{RootMove, Solver, StaticResult};
use crate::transposition::{Bound, TtEntry};

/// Minimum number of free cells for checking the bounds after each move.
const MIN_REPLY_CELLS: i32 = 10;
/// Minimum number of free cells for checking the table entries after each move.
const MIN_PROBE_CELLS: i32 = 18;

impl<L: BitLayout> Solver<'_, '_, L> {
    /// Returns the root moves worth searching. If the result is known statically, these are the cells that stop a line
    /// of the opponent, or all free cells if there are none or the rules are misère.
    pub fn root_moves(&self, state: &SolverPosition<L::Word>) -> Vec<RootMove<L::Word>> {
        let moves = match self.check_static(state) {
            StaticResult::Moves(moves) => moves,
            StaticResult::Value(_) if self.tables.rules.misere() => state.open,
            StaticResult::Value(_) => {
                let forced = self.tables.completing(state.other) & state.open;
                if forced.any() { forced } else { state.open }
            }
        };
        let mut moves: Vec<u32> = iter_bits(moves).collect();
        moves.sort_by_key(|&bit| std::cmp::Reverse(self.tables.window_counts[bit as usize]));
        let root = |bit| RootMove {
            stone: L::Word::from_bit(bit),
            upper: self.cell_count + 1,
        };
        moves.into_iter().map(root).collect()
    }

    /// Tests whether the value is greater than `alpha`, and returns a bound above or below it. Moves a refuting move to
    /// the front.
    pub fn search_root(
        &mut self,
        state: &SolverPosition<L::Word>,
        root: &mut [RootMove<L::Word>],
        alpha: i32,
    ) -> i32 {
        if let StaticResult::Value(value) = self.check_static(state) {
            return value;
        }
        let mut best = -self.cell_count - 1;
        for index in 0..root.len() {
            let RootMove { stone, upper } = root[index];
            let value = if upper <= alpha {
                upper
            } else {
                -self.negamax(self.tables.play(*state, stone), -alpha - 1, -alpha)
            };
            if self.budget.halted {
                return 0;
            }
            best = best.max(value);
            if value > alpha {
                root[..=index].rotate_right(1);
                break;
            }
            root[index].upper = value.min(upper);
        }
        best
    }

    /// Returns whether a move is worth at least `value`; `false` if the budget has halted.
    pub(super) fn proves_at_least(
        &mut self,
        state: &SolverPosition<L::Word>,
        root: &RootMove<L::Word>,
        value: i32,
    ) -> bool {
        match self.check_static(state) {
            // All moves have the same value.
            StaticResult::Value(_) => true,
            StaticResult::Moves(_) if root.upper < value => false,
            StaticResult::Moves(_) => {
                let found = -self.negamax(self.tables.play(*state, root.stone), -value, 1 - value);
                !self.budget.halted && found >= value
            }
        }
    }

    /// Checks threats to complete a line with the next stone, and the end of the board.
    #[inline(always)]
    pub fn check_static(&self, state: &SolverPosition<L::Word>) -> StaticResult<L::Word> {
        let left = self.cell_count - state.ply as i32;
        if left == 0 {
            return StaticResult::Value(0);
        }
        if self.tables.rules.misere() {
            let moves = state.open & !self.tables.completing(state.mover);
            return if moves.any() {
                StaticResult::Moves(moves)
            } else {
                StaticResult::Value(-left)
            };
        }
        let moves = self.tables.safe_moves(state);
        if moves.is_empty() {
            return StaticResult::Value(1 - left);
        }
        if left <= 2 {
            StaticResult::Value(0)
        } else {
            StaticResult::Moves(moves)
        }
    }

    /// Returns the value, or a bound outside the window. The mover must not be able to complete a line with one move.
    pub fn negamax(
        &mut self,
        state: SolverPosition<L::Word>,
        mut alpha: i32,
        mut beta: i32,
    ) -> i32 {
        self.budget.count_node();
        if self.budget.halted {
            return 0;
        }
        let moves = match self.check_static(&state) {
            StaticResult::Value(value) => return value,
            StaticResult::Moves(moves) => moves,
        };
        let left = self.cell_count - state.ply as i32;
        let (mover, other) = (
            self.tables.cells & !state.other,
            self.tables.cells & !state.mover,
        );
        let (upper, lower) = if self.tables.rules.misere() {
            (
                if self.tables.has_room(other) {
                    left - 1
                } else {
                    0
                },
                // With `exact`, a run that is too long leaves no room for a line, so that a last move would seem to
                // lose.
                if self.tables.has_room(mover) {
                    (2 - left).min(0)
                } else {
                    0
                },
            )
        } else {
            (
                if self.tables.has_room(mover) {
                    left - 2
                } else {
                    0
                },
                if self.tables.has_room(other) {
                    3 - left
                } else {
                    0
                },
            )
        };
        if upper <= alpha {
            return upper;
        }
        if lower >= beta {
            return lower;
        }
        (alpha, beta) = (alpha.max(lower), beta.min(upper));
        if let Some(bound) = self.zugzwang_bound(&state, alpha) {
            return bound;
        }
        if moves.without_first().is_empty() {
            return -self.negamax(self.tables.play(state, moves), -beta, -alpha);
        }
        let key = self.tables.key(&state);
        let mut tt_move = None;
        if let Some(entry) = self.tt.get(key) {
            match entry.bound {
                Bound::Lower if entry.value >= beta => return entry.value,
                Bound::Upper if entry.value <= alpha => return entry.value,
                Bound::Exact => return entry.value,
                Bound::Lower => alpha = alpha.max(entry.value),
                Bound::Upper => beta = beta.min(entry.value),
            }
            tt_move = Some(entry.best);
        }
        if is_free_placement(&self.tables.rules)
            && let Some(bound) = self.pairing_bound(&state, alpha, beta)
        {
            self.store(
                key,
                left,
                TtEntry {
                    value: 0,
                    depth: 0,
                    bound,
                    best: tt_move.unwrap_or(0),
                },
            );
            return 0;
        }
        if let Some(bound) = self.zugzwang_reply_bound(&state, moves, beta, left) {
            self.store(
                key,
                left,
                TtEntry {
                    value: bound,
                    depth: 0,
                    bound: Bound::Lower,
                    best: tt_move.unwrap_or(0),
                },
            );
            return bound;
        }
        let first = self.moves.len();
        self.generate_moves(&state, moves, tt_move);
        if left >= MIN_PROBE_CELLS
            && let Some((value, best)) = self.probe_replies(&state, first, beta)
        {
            self.moves.truncate(first);
            self.store(
                key,
                left,
                TtEntry {
                    value,
                    depth: 0,
                    bound: Bound::Lower,
                    best,
                },
            );
            return value;
        }
        let (original_alpha, mut best) = (alpha, -self.cell_count - 1);
        let mut best_move = 0;
        // The best moves are at the end.
        for index in (first..self.moves.len()).rev() {
            let (_, stone) = self.moves[index];
            let value = -self.negamax(self.tables.play(state, stone), -beta, -alpha);
            if self.budget.halted {
                self.moves.truncate(first);
                return 0;
            }
            if value > best {
                (best, best_move) = (value, stone.first_bit() as u16);
                alpha = alpha.max(value);
                if alpha >= beta {
                    break;
                }
            }
        }
        self.moves.truncate(first);
        let bound = if best >= beta {
            Bound::Lower
        } else if best <= original_alpha {
            Bound::Upper
        } else {
            Bound::Exact
        };
        self.store(
            key,
            left,
            TtEntry {
                value: best,
                depth: 0,
                bound,
                best: best_move,
            },
        );
        best
    }

    /// Returns a move to a position with a stored entry that proves at least `beta`, and that value (enhanced
    /// transposition cutoff).
    #[inline(always)]
    fn probe_replies(
        &self,
        state: &SolverPosition<L::Word>,
        first: usize,
        beta: i32,
    ) -> Option<(i32, u16)> {
        self.moves[first..].iter().rev().find_map(|&(_, stone)| {
            let entry = self
                .tt
                .get(self.tables.key(&self.tables.play(*state, stone)))?;
            (entry.bound != Bound::Lower && -entry.value >= beta)
                .then(|| (-entry.value, stone.first_bit() as u16))
        })
    }

    /// Returns an upper bound by zugzwang, if it is not above `alpha`.
    #[inline(always)]
    fn zugzwang_bound(&self, state: &SolverPosition<L::Word>, alpha: i32) -> Option<i32> {
        if !self.tables.has_zugzwang {
            None
        } else if state.ply.is_multiple_of(2) {
            (alpha >= 0 && self.tables.is_held_by_second(state)).then_some(0)
        } else {
            (alpha >= -1 && self.tables.is_won_by_first(state)).then_some(-1)
        }
    }

    /// Returns a lower bound by zugzwang after one of the moves, if it is not below `beta`.
    #[inline(always)]
    fn zugzwang_reply_bound(
        &self,
        state: &SolverPosition<L::Word>,
        moves: L::Word,
        beta: i32,
        left: i32,
    ) -> Option<i32> {
        let is_first = state.ply.is_multiple_of(2);
        let bound = i32::from(is_first);
        if !self.tables.has_zugzwang || beta > bound || left < MIN_REPLY_CELLS {
            return None;
        }
        let mut replies =
            iter_bits(moves).map(|bit| self.tables.play(*state, L::Word::from_bit(bit)));
        let is_found = if is_first {
            replies.any(|next| self.tables.is_won_by_first(&next))
        } else {
            replies.any(|next| self.tables.is_held_by_second(&next))
        };
        is_found.then_some(bound)
    }

    /// Returns a bound of 0 by a pairing proof against one seat, if the bound decides the window.
    #[inline(always)]
    fn pairing_bound(
        &mut self,
        state: &SolverPosition<L::Word>,
        alpha: i32,
        beta: i32,
    ) -> Option<Bound> {
        let windows = &self.tables.windows;
        if alpha >= 0
            && self
                .no_line_prover
                .prove_no_line_in_word(windows, state.mover, state.other, true)
        {
            Some(Bound::Upper)
        } else if beta <= 0
            && self
                .no_line_prover
                .prove_no_line_in_word(windows, state.other, state.mover, false)
        {
            Some(Bound::Lower)
        } else {
            None
        }
    }

    /// Stores an entry, and enlarges a full table. The depth is the number of free cells, so the most expensive
    /// positions stay longest.
    fn store(&mut self, key: u64, left: i32, entry: TtEntry) {
        self.tt.put(
            key,
            TtEntry {
                depth: left.min(255) as u8,
                ..entry
            },
        );
        self.tt.grow(self.max_table_bits);
    }

    /// Generates the moves in increasing order of their scores, so that the best move is last.
    #[inline(always)]
    fn generate_moves(
        &mut self,
        state: &SolverPosition<L::Word>,
        moves: L::Word,
        tt_move: Option<u16>,
    ) {
        let first = self.moves.len();
        let free = self.tables.cells & !(state.mover | state.other);
        let scores = is_free_placement(&self.tables.rules).then(|| self.move_scores(state));
        for bit in iter_bits(moves) {
            let stone = L::Word::from_bit(bit);
            let mut score = i32::from(self.tables.window_counts[bit as usize]);
            match &scores {
                Some(potential) => score += potential[bit as usize],
                None if self.tables.rules.misere() => score = -score,
                None => {
                    score +=
                        64 * (self.tables.completing(state.mover | stone) & free).count() as i32;
                }
            }
            if tt_move == Some(bit as u16) {
                score = i32::MAX;
            }
            // Insertion sort, because there are few moves.
            let mut at = self.moves.len();
            self.moves.push((score, stone));
            while at > first && self.moves[at - 1].0 > score {
                self.moves[at] = self.moves[at - 1];
                at -= 1;
            }
            self.moves[at] = (score, stone);
        }
    }

    /// Returns an ordering score for each bit. Cells in windows with more stones of one seat score more.
    fn move_scores(&self, state: &SolverPosition<L::Word>) -> [i32; 128] {
        let mut scores = [0; 128];
        for &window in &self.tables.windows {
            let (mover, other) = (
                (window & state.mover).count(),
                (window & state.other).count(),
            );
            let score = match (mover, other) {
                (0, stones) | (stones, 0) => 1 << (2 * stones.min(10)),
                _ => continue,
            };
            iter_bits(window & !(state.mover | state.other))
                .for_each(|place| scores[place as usize] += score);
        }
        scores
    }
}
