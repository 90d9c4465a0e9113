//! Alpha-beta over whole boards. A line completed by the n-th stone of the game is worth one more than the
//! stones that are then still to come, to the side that wins by it: the value of a position is the same
//! wherever a search began.

use super::bits::{Bits, Layout, each};
use super::grid::State;
use super::{Solver, is_free};
use crate::table::{Bound, Found};

/// What the stones alone say.
pub(super) enum Glance<W> {
    /// The value is this, or at least or at most this as far as the window asks.
    Value(i32),
    /// One of these has to be played.
    Moves(W),
}

impl<L: Layout> Solver<'_, '_, L> {
    /// The moves that may be worth playing; all when the game is lost.
    pub(super) fn root_moves(&self, state: &State<L::Word>) -> Vec<L::Word> {
        let moves = match self.glance(state) {
            Glance::Moves(moves) => moves,
            Glance::Value(_) if self.grid.rules.misere() => state.open,
            Glance::Value(_) => {
                let must = self.grid.completing(state.other) & state.open;
                if must.any() { must } else { state.open }
            }
        };
        let mut moves: Vec<_> = each(moves).map(L::Word::one).collect();
        moves.sort_by_key(|stone| std::cmp::Reverse(self.grid.weight[stone.first() as usize]));
        moves
    }

    /// Whether the value is more than this: a bound above or below it. The move that says so comes first.
    pub(super) fn look(&mut self, state: &State<L::Word>, root: &mut [L::Word], alpha: i32) -> i32 {
        if let Glance::Value(value) = self.glance(state) {
            return value;
        }
        let mut best = -self.total - 1;
        for place in 0..root.len() {
            let value = -self.value(self.grid.play(*state, root[place]), -alpha - 1, -alpha);
            if self.meter.halted {
                return 0;
            }
            if value > best {
                best = value;
                if value > alpha {
                    root[..=place].rotate_right(1);
                    break;
                }
            }
        }
        best
    }

    /// Whether a move is worth so much at least; not when the meter halted.
    pub(super) fn keeps(&mut self, state: &State<L::Word>, stone: L::Word, value: i32) -> bool {
        match self.glance(state) {
            // All of them are worth the same.
            Glance::Value(_) => true,
            Glance::Moves(_) => {
                let found = -self.value(self.grid.play(*state, stone), -value, 1 - value);
                !self.meter.halted && found >= value
            }
        }
    }

    /// What needs no search: threats to complete a line next, and the end of the board.
    #[inline(always)]
    pub(super) fn glance(&self, state: &State<L::Word>) -> Glance<L::Word> {
        let left = self.total - state.ply as i32;
        if left == 0 {
            return Glance::Value(0);
        }
        if self.grid.rules.misere() {
            let moves = state.open & !self.grid.completing(state.mover);
            return if moves.any() { Glance::Moves(moves) } else { Glance::Value(-left) };
        }
        let free = self.grid.cells & !(state.mover | state.other);
        let threats = self.grid.completing(state.other) & free;
        let must = threats & state.open;
        let mut moves = if must.any() { must } else { state.open };
        if self.grid.rules.gravity() {
            // A stone below a threat is the step to it.
            moves &= !(threats << self.grid.layout.row());
        }
        if must.rest().any() || moves.is_none() {
            return Glance::Value(1 - left);
        }
        if left <= 2 { Glance::Value(0) } else { Glance::Moves(moves) }
    }

    /// The value of a position whose mover can complete no line at once, as far as the window asks.
    pub(super) fn value(&mut self, state: State<L::Word>, mut alpha: i32, mut beta: i32) -> i32 {
        self.meter.count();
        if self.meter.halted {
            return 0;
        }
        let moves = match self.glance(&state) {
            Glance::Value(value) => return value,
            Glance::Moves(moves) => moves,
        };
        let left = self.total - state.ply as i32;
        let (mover, other) = (self.grid.cells & !state.other, self.grid.cells & !state.mover);
        let (most, least) = if self.grid.rules.misere() {
            (
                if self.grid.has_room(other) { left - 1 } else { 0 },
                if self.grid.has_room(mover) { 2 - left } else { 0 },
            )
        } else {
            (
                if self.grid.has_room(mover) { left - 2 } else { 0 },
                if self.grid.has_room(other) { 3 - left } else { 0 },
            )
        };
        if most <= alpha {
            return most;
        }
        if least >= beta {
            return least;
        }
        (alpha, beta) = (alpha.max(least), beta.min(most));
        if moves.rest().is_none() {
            return -self.value(self.grid.play(state, moves), -beta, -alpha);
        }
        let key = self.grid.key(&state);
        let mut known = None;
        if let Some(found) = self.table.get(key) {
            match found.bound {
                Bound::Least if found.value >= beta => return found.value,
                Bound::Most if found.value <= alpha => return found.value,
                Bound::Exact => return found.value,
                Bound::Least => alpha = alpha.max(found.value),
                Bound::Most => beta = beta.min(found.value),
            }
            known = Some(found.best);
        }
        if is_free(&self.grid.rules)
            && let Some(bound) = self.held(&state, alpha, beta)
        {
            self.remember(key, left, Found { value: 0, depth: 0, bound, best: known.unwrap_or(0) });
            return 0;
        }
        let first = self.moves.len();
        self.list(&state, moves, known);
        let (start, mut best) = (alpha, -self.total - 1);
        let mut best_move = 0;
        for at in (first..self.moves.len()).rev() {
            let (_, stone) = self.moves[at];
            let value = -self.value(self.grid.play(state, stone), -beta, -alpha);
            if self.meter.halted {
                self.moves.truncate(first);
                return 0;
            }
            if value > best {
                (best, best_move) = (value, stone.first() as u16);
                alpha = alpha.max(value);
                if alpha >= beta {
                    break;
                }
            }
        }
        self.moves.truncate(first);
        let bound = if best >= beta {
            Bound::Least
        } else if best <= start {
            Bound::Most
        } else {
            Bound::Exact
        };
        self.remember(key, left, Found { value: best, depth: 0, bound, best: best_move });
        best
    }

    /// Where the window asks for no more: a draw at most, or at least, because a side can be held.
    #[inline(always)]
    fn held(&mut self, state: &State<L::Word>, alpha: i32, beta: i32) -> Option<Bound> {
        let windows = &self.grid.windows;
        if alpha >= 0 && self.hold.holds(windows, state.mover, state.other, true) {
            Some(Bound::Most)
        } else if beta <= 0 && self.hold.holds(windows, state.other, state.mover, false) {
            Some(Bound::Least)
        } else {
            None
        }
    }

    /// What was searched longest is kept longest: the positions with the most cells left.
    fn remember(&mut self, key: u64, left: i32, found: Found) {
        self.table.put(key, Found { depth: left.min(255) as u8, ..found });
        self.table.grow(self.most_bits);
    }

    /// Lists the moves in the order of how likely they are to be good, the best last.
    #[inline(always)]
    fn list(&mut self, state: &State<L::Word>, moves: L::Word, known: Option<u16>) {
        let first = self.moves.len();
        let free = self.grid.cells & !(state.mover | state.other);
        let potential = is_free(&self.grid.rules).then(|| self.potential(state));
        for place in each(moves) {
            let stone = L::Word::one(place);
            let mut score = i32::from(self.grid.weight[place as usize]);
            match &potential {
                Some(potential) => score += potential[place as usize],
                None if self.grid.rules.misere() => score = -score,
                None => score += 64 * (self.grid.completing(state.mover | stone) & free).count() as i32,
            }
            if known == Some(place as u16) {
                score = i32::MAX;
            }
            // Few moves: put each where it belongs.
            let mut at = self.moves.len();
            self.moves.push((score, stone));
            while at > first && self.moves[at - 1].0 > score {
                self.moves[at] = self.moves[at - 1];
                at -= 1;
            }
            self.moves[at] = (score, stone);
        }
    }

    /// By place, what a stone of either side is worth there: the more of a window is filled, the more.
    fn potential(&self, state: &State<L::Word>) -> [i32; 128] {
        let mut potential = [0; 128];
        for &window in &self.grid.windows {
            let (mover, other) = ((window & state.mover).count(), (window & state.other).count());
            let worth = match (mover, other) {
                (0, stones) | (stones, 0) => 1 << (2 * stones.min(10)),
                _ => continue,
            };
            each(window & !(state.mover | state.other)).for_each(|place| potential[place as usize] += worth);
        }
        potential
    }
}
