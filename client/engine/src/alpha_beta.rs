//! Alpha-beta search: principal variation search with a transposition table, late move reductions, fail-high reduction
//! and futility pruning. If no network orders the moves, killer moves and history order them
//! (<https://www.chessprogramming.org>).
//!
//! Values count from the root: a line completed by the n-th stone from there is worth `WIN - n`, so shorter wins and
//! longer resistance have better values.

mod pruning;
mod pruning_limits;
pub(crate) mod vcf;

use noughts_protocol::rng::split_mix64;

use crate::alpha_beta::pruning_limits::PruningLimits;
use crate::alpha_beta::vcf::{NoVcfCache, SearchBoardVcf, VcfWin};
use crate::board::board_tables::NO_CELL;
use crate::board::{CompletingCells, SearchBoard};
use crate::budget::SearchBudget;
use crate::strategy_proofs::NoLineProver;
use crate::transposition::{Bound, TranspositionTable, TtEntry};

/// Value of a win at the root; see the module documentation.
pub(crate) const WIN: i32 = 1_000_000;
/// Values above this are wins, and values below its negative are losses, because no game has 2 000 plies.
pub(crate) const PROVEN: i32 = WIN - 2_000;
/// Base-2 logarithms of the initial and of the maximum size of the transposition table, in slots.
const MIN_TABLE_BITS: u32 = 12;
const MAX_TABLE_BITS: u32 = 20;
const MAX_EVAL: i32 = 500_000;
/// Positions with more moves than this are searched selectively.
const MAX_FULL_WIDTH_MOVES: usize = 64;
/// Maximum number of threats of a VCF near the leaves.
const LEAF_VCF_THREATS: u32 = 6;

/// State of one search.
pub(crate) struct AlphaBetaSearch<'a> {
    pub(crate) board: SearchBoard<'a>,
    pub(crate) tt: TranspositionTable,
    /// Base-2 logarithm of the maximum size of the table, in slots.
    max_table_bits: u32,
    /// For each cell and seat, the history score: how often a move there caused a cutoff.
    history: Vec<[i32; 2]>,
    /// For each ply, the last two moves that caused a cutoff.
    killers: Vec<[u16; 2]>,
    /// The moves of all plies of the current line, one ply after another.
    moves: Vec<OrderedMove>,
    vcf: SearchBoardVcf,
    no_line_prover: NoLineProver,
    pruning: PruningLimits,
    pub(crate) options: SearchOptions,
    pub(crate) budget: SearchBudget<'a>,
}

/// What the parent knows about a position.
#[derive(Clone, Copy, Debug)]
struct NodeHints {
    /// Whether the side to move is known to have no VCF.
    lacks_vcf: bool,
    /// Whether a move is expected to cause a cutoff.
    is_cut_node: bool,
    /// The static evaluations one and two plies earlier, each for its side to move, if the search has made them.
    evaluations: [Option<i32>; 2],
}

/// The loop over the moves of a position.
#[derive(Clone, Copy, Debug)]
struct MoveLoop {
    /// Whether the only move prevents a line of the opponent.
    is_forced: bool,
    /// Whether no move gives the opponent a VCF, because even a pass would not.
    is_safe: bool,
    depth: i32,
    alpha: i32,
    beta: i32,
    ply: i32,
    /// Whether a move is expected to cause a cutoff.
    is_cut_node: bool,
    /// Whether a cutoff is so likely that moves are searched one ply less deep.
    is_likely_cutoff: bool,
    /// The static evaluations of the position and one ply earlier, if the search has made them.
    evaluations: [Option<i32>; 2],
    /// Whether the evaluation is better than two plies earlier, or one of the two evaluations is unknown.
    is_improving: bool,
    /// Upper bound of the moves that futility pruning omits, see [`AlphaBetaSearch::futility_bound`].
    futility_bound: Option<i32>,
    /// The ordering score of the best move minus the score of the current move; 0 if no network orders the moves.
    score_gap: i32,
    /// Number of moves searched so far.
    number: usize,
    best: (i32, u16),
}

impl MoveLoop {
    fn new(depth: i32, alpha: i32, beta: i32, ply: i32) -> MoveLoop {
        MoveLoop {
            is_forced: false,
            is_safe: false,
            depth,
            alpha,
            beta,
            ply,
            is_cut_node: false,
            is_likely_cutoff: false,
            evaluations: [None; 2],
            is_improving: true,
            futility_bound: None,
            score_gap: 0,
            number: 0,
            best: (-WIN, NO_CELL),
        }
    }

    /// Returns whether no value lies between alpha and beta, so that the search only decides whether the value exceeds
    /// alpha.
    fn has_null_window(&self) -> bool {
        self.beta - self.alpha == 1
    }

    fn is_cutoff(&self) -> bool {
        self.alpha >= self.beta
    }
}

/// A move and its ordering score in one word. Greater is better, and ties go to the lower cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct OrderedMove(i64);

impl OrderedMove {
    fn new(score: i32, cell: u16) -> OrderedMove {
        OrderedMove(i64::from(score) << 16 | i64::from(!cell))
    }

    fn cell(self) -> u16 {
        !(self.0 as u16)
    }

    fn score(self) -> i32 {
        (self.0 >> 16) as i32
    }
}

/// Options of a search, which depend on the level.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SearchOptions {
    /// Maximum number of positions of the VCF search at one leaf. 0 disables the search, for rules that it does not
    /// support.
    pub(crate) vcf_nodes: u32,
    /// Maximum random offset of evaluations, derived from `seed`, for variety among moves of similar value.
    pub(crate) noise: u32,
    pub(crate) seed: u64,
}

impl<'a> AlphaBetaSearch<'a> {
    pub(crate) fn new(
        board: SearchBoard<'a>,
        options: SearchOptions,
        budget: SearchBudget<'a>,
    ) -> AlphaBetaSearch<'a> {
        // Few free cells need only a small table.
        let few = board.free_cells <= 9;
        let max_table_bits = if few { MIN_TABLE_BITS } else { MAX_TABLE_BITS };
        let no_vcf_bits = if few || options.vcf_nodes == 0 {
            4
        } else {
            NoVcfCache::MAX_BITS
        };
        AlphaBetaSearch {
            // A table of the full size would take most of the time of a short search.
            tt: TranspositionTable::new(MIN_TABLE_BITS),
            max_table_bits,
            history: vec![[0; 2]; board.tables.cells],
            killers: vec![[NO_CELL; 2]; board.tables.cells + 2],
            moves: Vec::with_capacity(1024),
            vcf: SearchBoardVcf::new(no_vcf_bits),
            no_line_prover: NoLineProver::default(),
            pruning: PruningLimits::new(board.has_network()),
            options,
            budget,
            board,
        }
    }

    /// Returns whether pairing strategies prove that neither side can force a line.
    pub(crate) fn prove_draw_by_pairing(&mut self) -> bool {
        (0..2).all(|seat| self.no_line_prover.prove_no_line(&self.board, seat))
    }

    /// Returns whether the search visits every move, so that a search to full depth is a proof.
    pub(crate) fn is_exhaustive(&self) -> bool {
        let open = &self.board.open;
        !self.board.tables.is_large()
            && open.intersection(open, self.board.tables.words).count() <= MAX_FULL_WIDTH_MOVES
    }

    /// Halves the history scores before the next iteration.
    pub(crate) fn age_history(&mut self) {
        for history in self.history.as_flattened_mut() {
            *history /= 2;
        }
    }

    /// Returns the value of the position within the window at this depth. `ply` counts from the root. The value is
    /// meaningless once the budget has halted.
    pub(crate) fn alpha_beta(&mut self, depth: i32, alpha: i32, beta: i32, ply: i32) -> i32 {
        let hints = NodeHints {
            lacks_vcf: false,
            is_cut_node: beta - alpha == 1,
            evaluations: [None; 2],
        };
        self.search_position(depth, alpha, beta, ply, hints)
    }

    /// Searches a position as [`AlphaBetaSearch::alpha_beta`] does, with hints from its parent.
    fn search_position(
        &mut self,
        depth: i32,
        mut alpha: i32,
        mut beta: i32,
        ply: i32,
        hints: NodeHints,
    ) -> i32 {
        let NodeHints {
            lacks_vcf,
            is_cut_node,
            evaluations,
        } = hints;
        self.budget.count_node();
        if self.budget.halted
            || self.board.free_cells == 0
            || (0..2).all(|seat| self.board.live_window_count(seat) == 0)
        {
            return 0;
        }
        let (seat, misere) = (self.board.turn(), self.board.tables.rules.misere());
        let mut forced_move = None;
        if !misere {
            if self.board.completing(seat) != CompletingCells::None {
                return WIN - (ply + 1);
            }
            match self.board.completing(1 - seat) {
                CompletingCells::More(_) => return -(WIN - (ply + 2)),
                CompletingCells::One(cell) => forced_move = Some(cell),
                CompletingCells::None => {}
            }
        }
        // A seat without a live window cannot complete a line, and no line can be completed sooner than these bounds.
        let can_win = |seat: usize| {
            self.board
                .live_window_count(if misere { 1 - seat } else { seat })
                > 0
        };
        // The pairing proof pays off only away from the leaves.
        let try_pairing = depth >= 2 && forced_move.is_none();
        let held = |pairing: &mut NoLineProver, seat| {
            try_pairing && pairing.prove_no_line(&self.board, seat)
        };
        let cannot_win = |pairing: &mut NoLineProver, seat| !can_win(seat) || held(pairing, seat);
        let upper = if cannot_win(&mut self.no_line_prover, seat) {
            0
        } else {
            WIN - (ply + 2)
        };
        let lower = if cannot_win(&mut self.no_line_prover, 1 - seat) {
            0
        } else {
            -(WIN - (ply + 1))
        };
        if upper <= alpha {
            return upper;
        }
        if lower >= beta {
            return lower;
        }
        (alpha, beta) = (alpha.max(lower), beta.min(upper));
        if depth <= 0 && forced_move.is_none() {
            return self.evaluate(ply, lacks_vcf);
        }

        let depth = depth.max(0);
        let key = self.board.key();
        let tt_entry = self.tt.get(key);
        if let Some(value) = tt_entry.and_then(|found| tt_cutoff(found, depth, alpha, beta)) {
            return value;
        }
        // This precedes the moves, because a VCF refutes a defence that fails.
        let vcf_win = if forced_move.is_none() && !lacks_vcf && self.is_selective() {
            self.find_vcf(LEAF_VCF_THREATS, self.options.vcf_nodes)
        } else {
            None
        };
        let (value, best) = match (forced_move, vcf_win) {
            (Some(cell), _) => {
                let mut state = MoveLoop {
                    is_forced: true,
                    is_cut_node,
                    evaluations: [None, evaluations[0]],
                    ..MoveLoop::new(depth, alpha, beta, ply)
                };
                self.search_move(&mut state, cell);
                state.best
            }
            (None, Some(win)) => (WIN - (ply + win.plies), win.first),
            (None, None) => {
                let tt_move = tt_entry.map_or(NO_CELL, |found| found.best);
                let mut state = MoveLoop {
                    is_cut_node,
                    ..MoveLoop::new(depth, alpha, beta, ply)
                };
                self.set_evaluations(&mut state, evaluations);
                self.search_moves(tt_move, state)
            }
        };
        if !self.budget.halted && best != NO_CELL {
            let bound = if value >= beta {
                Bound::Lower
            } else if value <= alpha {
                Bound::Upper
            } else {
                Bound::Exact
            };
            let depth = depth.min(i32::from(u8::MAX)) as u8;
            self.tt.put(
                key,
                TtEntry {
                    value,
                    depth,
                    bound,
                    best,
                },
            );
            self.tt.grow(self.max_table_bits);
        }
        value
    }

    /// Searches the moves in order until a cutoff. Searches the transposition table's move before generating the
    /// others. Returns [`NO_CELL`] as the move if the value does not come from a move.
    fn search_moves(&mut self, tt_move: u16, mut state: MoveLoop) -> (i32, u16) {
        let MoveLoop { depth, ply, .. } = state;
        state.is_likely_cutoff = self.predict_cutoff(&state);
        if tt_move != NO_CELL && self.board.open.contains(tt_move) {
            self.search_move(&mut state, tt_move);
            if state.is_cutoff() || self.budget.halted {
                return state.best;
            }
        }
        let threat = self.find_threat();
        state.is_safe = threat.is_none() && self.is_selective();
        if let Some(value) = self.static_cutoff(&state) {
            return (value, NO_CELL);
        }
        let futility_bound = self.futility_bound(depth, state.alpha);
        if threat.is_some()
            && state.has_null_window()
            && let Some(bound) = futility_bound
        {
            // The evaluation does not include the threat, so the position is worse.
            return (bound.max(state.best.0), NO_CELL);
        }
        let first = self.moves.len();
        let searched = if state.number > 0 { tt_move } else { NO_CELL };
        self.generate_moves(threat.as_ref().map(|(_, cells)| cells), searched, &state);
        if let Some((win, _)) = threat {
            // Every other move loses.
            state.best.0 = state.best.0.max(-(WIN - (ply + 1 + win.plies)));
        } else {
            state.futility_bound = futility_bound;
        }
        if self.moves.len() == first && state.number == 0 {
            // In misère, every move completes a line.
            return (-(WIN - (ply + 1)), NO_CELL);
        }
        let best_score = self.best_move_score(first, searched);
        let max_moves = self.max_moves(&state);
        for number in first..self.moves.len() {
            // The position is lost only if every move loses, so late moves are omitted only after a move that does not
            // lose.
            if state.number >= max_moves && state.best.0 > -PROVEN {
                break;
            }
            let cell = self.select_next(number);
            state.score_gap = best_score.map_or(0, |best| best - self.moves[number].score());
            self.search_move(&mut state, cell);
            if state.is_cutoff() || self.budget.halted {
                break;
            }
        }
        self.moves.truncate(first);
        state.best
    }

    /// Searches the next move of a position, and updates the values of the loop.
    fn search_move(&mut self, state: &mut MoveLoop, cell: u16) {
        let &mut MoveLoop {
            is_forced,
            is_safe,
            is_cut_node,
            depth,
            alpha,
            beta,
            ply,
            number,
            ..
        } = state;
        state.number += 1;
        let seat = self.board.turn();
        if (number > 0 || state.has_null_window())
            && let Some(bound) = state.futility_bound
            && self.is_prunable(state, cell)
        {
            // A pruned move may be worth up to the bound, so losses by all other moves prove nothing.
            state.best.0 = state.best.0.max(bound);
            return;
        }
        // A forced reply costs no depth.
        let mut next_depth = if is_forced { depth } else { depth - 1 };
        if state.is_likely_cutoff {
            next_depth = (next_depth - 1).max(0);
        }
        let reduced_depth = (next_depth - self.move_reduction(state, cell)).max(next_depth.min(0));
        let is_reduced = reduced_depth < next_depth;
        let evaluations = state.evaluations;
        let hints_for = |is_cut_node| NodeHints {
            lacks_vcf: is_safe,
            is_cut_node,
            evaluations,
        };
        self.board.play(cell);
        let mut value = if number == 0 {
            let hints = hints_for(state.has_null_window() && !is_cut_node);
            -self.search_position(next_depth, -beta, -alpha, ply + 1, hints)
        } else {
            let hints = hints_for(is_reduced || !is_cut_node);
            -self.search_position(reduced_depth, -alpha - 1, -alpha, ply + 1, hints)
        };
        if value > alpha && is_reduced {
            next_depth =
                self.depth_after_reduction(state, next_depth, next_depth - reduced_depth, value);
        }
        if value > alpha && reduced_depth < next_depth {
            value = -self.search_position(
                next_depth,
                -alpha - 1,
                -alpha,
                ply + 1,
                hints_for(!is_cut_node),
            );
        }
        if number > 0 && value > alpha && value < beta {
            value = -self.search_position(next_depth, -beta, -alpha, ply + 1, hints_for(false));
        }
        self.board.undo();
        if self.budget.halted {
            return;
        }
        if value > state.best.0 || state.best.1 == NO_CELL {
            state.best = (value.max(state.best.0), cell);
        }
        state.alpha = alpha.max(value);
        if state.is_cutoff() {
            self.record_cutoff(cell, seat, depth, ply);
        }
    }

    /// Returns the value at the horizon: a VCF win if the search finds one, or else the evaluation.
    fn evaluate(&mut self, ply: i32, lacks_vcf: bool) -> i32 {
        if !lacks_vcf
            && self.options.vcf_nodes > 0
            && let Some(win) = self.find_vcf(LEAF_VCF_THREATS, self.options.vcf_nodes)
        {
            return WIN - (ply + win.plies);
        }
        let mut estimate = self.board.evaluate();
        if self.options.noise > 0 {
            let noise = split_mix64(self.board.key() ^ self.options.seed)
                % u64::from(2 * self.options.noise + 1);
            estimate += noise as i32 - self.options.noise as i32;
        }
        estimate.clamp(-MAX_EVAL, MAX_EVAL)
    }

    /// Finds a win by at most `threats` threats within `nodes` positions. The conditions of [`SearchBoardVcf::find`]
    /// apply.
    pub(crate) fn find_vcf(&mut self, threats: u32, nodes: u32) -> Option<VcfWin> {
        self.vcf.nodes_left = nodes;
        self.vcf
            .find(&mut self.board, &mut self.tt, &mut self.budget, threats)
    }

    /// Returns whether the last [`AlphaBetaSearch::find_vcf`] used all its positions.
    pub(crate) fn is_vcf_exhausted(&self) -> bool {
        self.vcf.nodes_left == 0
    }

    /// Returns the principal variation from the transposition table, beginning with `first`.
    pub(crate) fn principal_variation(&mut self, first: u16, max_len: usize) -> Vec<u16> {
        let mut pv = vec![first];
        let misere = self.board.tables.rules.misere();
        let ends_game = |board: &SearchBoard<'_>, cell| board.is_completing(board.turn(), cell);
        let mut ended = ends_game(&self.board, first);
        self.board.play(first);
        while !ended && self.board.free_cells > 0 && pv.len() < max_len {
            let seat = self.board.turn();
            let tt_move = self.tt.get(self.board.key()).map(|found| found.best);
            let next = match (self.board.completing(seat), self.board.completing(1 - seat)) {
                (CompletingCells::One(cell) | CompletingCells::More(cell), _) if !misere => {
                    Some(cell)
                }
                (_, CompletingCells::One(cell) | CompletingCells::More(cell)) if !misere => {
                    Some(cell)
                }
                _ => tt_move,
            };
            let Some(cell) = next.filter(|&cell| cell != NO_CELL && self.board.open.contains(cell))
            else {
                break;
            };
            ended = ends_game(&self.board, cell);
            self.board.play(cell);
            pv.push(cell);
        }
        for _ in &pv {
            self.board.undo();
        }
        pv
    }
}

/// Returns the value of a table entry if the entry is deep enough, or proves a win or a loss.
///
/// All move orders to a position have the same length, so its distance from the root is fixed, and stored values of
/// wins need no adjustment.
fn tt_cutoff(entry: TtEntry, depth: i32, alpha: i32, beta: i32) -> Option<i32> {
    let value = entry.value;
    let is_deep_enough = i32::from(entry.depth) >= depth;
    let at_least = entry.bound != Bound::Upper && (is_deep_enough || value > PROVEN);
    let at_most = entry.bound != Bound::Lower && (is_deep_enough || value < -PROVEN);
    let exact = entry.bound == Bound::Exact && is_deep_enough;
    (exact || (at_least && value >= beta) || (at_most && value <= alpha)).then_some(value)
}
