//! Root search: runs the stages of the pipeline, deepens iteratively and chooses the move, within the budget.

mod deepening;
mod slices;
mod stages;
mod threat_proofs;

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use noughts_protocol::{Cell, Position};
use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{RngExt, SeedableRng};

use crate::alpha_beta::{AlphaBetaSearch, PROVEN, SearchOptions, WIN};
use crate::board::board_tables::BoardTables;
use crate::board::{CompletingCells, SearchBoard};
use crate::budget::SearchBudget;
use crate::dfpn::DfPn;
use crate::level::{Look, MoveStyle};
use crate::search_types::CLAIMED_WIN;
use crate::solver::{SolveQuery, guaranteed_nodes, is_solver_first, solve, solver_share};
use crate::strategy_proofs::{StrategyResult, misere_mirror, take_even, traps};
use crate::window_bitboard::WindowBitboard;
use crate::{Evaluation, Level, SearchLimits, SearchResult, book};
use stages::Stages;

/// Node limit for shortening a proven win or prolonging a proven loss.
const SHORTEN_WIN_NODES: u64 = 50_000;
/// Maximum number of positions of the VCF search at one leaf.
const LEAF_VCF_NODES: u32 = 60;
/// Maximum number of root moves on very large boards.
const MAX_ROOT_MOVES: usize = 60;
const MAX_PV_LEN: usize = 16;

/// Chooses a move. Returns `None` if the game is over.
///
/// Pure: the same position, level, seed and limits of depth and nodes give the same result. The seed decides between
/// equal moves. `elapsed` returns the time since the start of the search. The search calls it at least every few
/// hundred positions, except for positions that it visits without a time limit. Setting `stop` ends the search
/// immediately, with the best move so far.
///
/// The seed also decides how far a level below [`Level::Perfect`] looks in this position. [`Level::Casual`] and higher
/// levels complete a line if they can, even when stopped immediately. [`Level::Skilled`] and higher levels otherwise
/// prevent a line that the opponent could complete next.
pub fn best_move(
    position: &Position,
    level: Level,
    limits: SearchLimits,
    seed: u64,
    elapsed: &dyn Fn() -> Duration,
    stop: &AtomicBool,
) -> Option<SearchResult> {
    best_move_with_progress(position, level, limits, seed, elapsed, stop, &mut |_| {})
}

/// Like [`best_move`], but passes the result so far to `on_progress` after each iteration.
pub fn best_move_with_progress(
    position: &Position,
    level: Level,
    limits: SearchLimits,
    seed: u64,
    elapsed: &dyn Fn() -> Duration,
    stop: &AtomicBool,
    on_progress: &mut dyn FnMut(SearchResult),
) -> Option<SearchResult> {
    let style = MoveStyle::draw(level, position, seed);
    search_in_style(
        position,
        style,
        seed,
        SearchBudget::new(limits, elapsed, stop),
        on_progress,
    )
}

pub(crate) fn search_in_style(
    position: &Position,
    style: MoveStyle,
    seed: u64,
    budget: SearchBudget<'_>,
    on_progress: &mut dyn FnMut(SearchResult),
) -> Option<SearchResult> {
    if style.look == Look::Full
        && budget.limits.depth.is_none()
        && !budget.limits.without_book
        && let Some((best, score)) = book::probe(position)
    {
        return Some(book_result(best, score));
    }
    search(position, style, seed, budget, on_progress)
}

fn book_result(best: Cell, score: Evaluation) -> SearchResult {
    SearchResult {
        best,
        score,
        exact: false,
        depth: 0,
        nodes: 1,
        pv: vec![best],
    }
}

/// Evaluates a position: like [`best_move`] at [`Level::Perfect`], but also uses values that the books imply without a
/// move. Returns `None` if the game is over.
pub fn evaluate(
    position: &Position,
    limits: SearchLimits,
    elapsed: &dyn Fn() -> Duration,
    stop: &AtomicBool,
) -> Option<SearchResult> {
    if !limits.without_book
        && let Some((best, score)) = book::probe(position)
    {
        return Some(book_result(best, score));
    }
    // The seed is fixed, so that repeated evaluations name the same move.
    let budget = SearchBudget::new(limits, elapsed, stop);
    let found = search(position, MoveStyle::ANALYSIS, 0, budget, &mut |_| {})?;
    let is_known = found.search_score().is_final();
    Some(match book::evaluate(position) {
        Some(score) if !is_known && !limits.without_book => SearchResult {
            score,
            exact: false,
            ..found
        },
        Some(_) | None => found,
    })
}

fn search(
    position: &Position,
    style: MoveStyle,
    seed: u64,
    budget: SearchBudget<'_>,
    on_progress: &mut dyn FnMut(SearchResult),
) -> Option<SearchResult> {
    position.legal_moves().next()?;
    let tables = BoardTables::new(position.geometry());
    let board = SearchBoard::new(&tables, position);
    let stages = Stages::new(position.rules());
    let vcf_nodes = if style.look == Look::Full && stages.vcf {
        LEAF_VCF_NODES
    } else {
        0
    };
    let options = SearchOptions {
        vcf_nodes,
        noise: style.noise,
        seed,
    };
    let mut root = RootSearch {
        position,
        style,
        stages,
        search: AlphaBetaSearch::new(board, options, budget),
        moves: Vec::new(),
        rng: Xoshiro256PlusPlus::seed_from_u64(seed),
        best: (0, 0),
        has_proven_win: false,
        is_strategy_loss: false,
        depth: 0,
        on_progress,
    };
    Some(root.run())
}

/// Proof-number searches for attacks by both seats.
struct ThreatProofs {
    stones: WindowBitboard,
    /// The searches by attacking seat.
    provers: [DfPn; 2],
    /// Whether a proof exists that the side to move cannot win.
    cannot_win: bool,
}

/// A root move with its value.
type ScoredMove = (i32, u16);

struct RootSearch<'a> {
    position: &'a Position,
    style: MoveStyle,
    stages: Stages,
    search: AlphaBetaSearch<'a>,
    moves: Vec<ScoredMove>,
    rng: Xoshiro256PlusPlus,
    best: ScoredMove,
    /// Whether a threat search has proven that `best` wins.
    has_proven_win: bool,
    /// Whether the opponent wins by a strategy.
    is_strategy_loss: bool,
    /// Depth of the last complete iteration.
    depth: u32,
    on_progress: &'a mut dyn FnMut(SearchResult),
}

impl RootSearch<'_> {
    fn run(&mut self) -> SearchResult {
        if let Some((cell, score)) = self.immediate_move() {
            let pv = vec![to_cell(cell)];
            return SearchResult {
                best: pv[0],
                score,
                exact: true,
                depth: 0,
                nodes: 1,
                pv,
            };
        }
        self.generate_moves();
        self.best = self.moves[0];
        match self.style.look {
            Look::Whim | Look::OwnLines | Look::Lines => {
                self.pick_by_whim();
                self.result(false)
            }
            Look::Plies(plies) => {
                let depth = plies
                    .min(self.search.budget.limits.depth.unwrap_or(plies))
                    .max(1);
                self.multi_pv(depth.min(self.search.board.free_cells as u32));
                self.pick_randomized();
                self.result(false)
            }
            Look::Full => self.run_stages(),
        }
    }

    /// Runs the stages, beginning with the strategies.
    fn run_stages(&mut self) -> SearchResult {
        let limits = self.search.budget.limits;
        let (free_cells, depth) = (self.search.board.free_cells as u32, limits.depth);
        let max_depth = depth.unwrap_or(free_cells).clamp(1, free_cells);
        let is_proven_draw = self.search.prove_draw_by_pairing();
        let is_solver_first = self.stages.solver && is_solver_first(self.position, limits);
        // No rules have both strategies. On larger boards, the mirror strategy is found sooner than the solver finds
        // the distance of its win.
        let (strategy, precedes_solver) = if depth.is_some() {
            (None, false)
        } else if self.stages.take_even {
            (take_even::find(self.position), !is_solver_first)
        } else if self.stages.misere_mirror {
            let is_large = free_cells > MAX_SOLVED_MISERE_CELLS;
            (misere_mirror::find(self.position), is_large)
        } else {
            (None, false)
        };
        self.is_strategy_loss = strategy == Some(StrategyResult::Loses);
        if let (Some(StrategyResult::Wins(best)), true) = (strategy, precedes_solver) {
            return self.strategy_win(best);
        }
        if limits.is_sliced() {
            return self.run_in_slices(max_depth, is_proven_draw, strategy);
        }
        let mut proofs = if is_solver_first {
            None
        } else {
            self.prove_win(is_proven_draw)
        };
        if is_solver_first {
            self.search.budget.guarantee_nodes(guaranteed_nodes(limits));
        }
        let cannot_win = proofs.as_ref().is_some_and(|proofs| proofs.cannot_win);
        let (parts, count) = solver_share(self.position, limits);
        if let Some(result) =
            self.solve_exactly(cannot_win, |budget| budget.push_share(parts, count))
        {
            return result;
        }
        if let Some(StrategyResult::Wins(best)) = strategy {
            return self.strategy_win(best);
        }
        if let Some(StrategyResult::Holds(best)) = strategy {
            let (nodes, score) = (self.search.budget.nodes, Evaluation::Estimate(0));
            return SearchResult {
                best,
                score,
                exact: false,
                depth: 0,
                nodes,
                pv: vec![best],
            };
        }
        if is_solver_first {
            // Contrary to the estimate, the solver failed.
            proofs = self.prove_win(is_proven_draw);
        }
        let proven = self.deepen_with_defence(max_depth, is_proven_draw, proofs.as_mut());
        self.result(proven)
    }

    /// Returns the result of the last complete iteration. `proven` says that a value of 0 is a draw.
    fn result(&mut self, proven: bool) -> SearchResult {
        let (value, best) = self.best;
        let pv = self.search.principal_variation(best, MAX_PV_LEN);
        let found = to_evaluation(
            value,
            proven,
            self.has_proven_win || self.search.is_exhaustive(),
        );
        let score = match found {
            Evaluation::Draw | Evaluation::Estimate(_) if self.is_strategy_loss => {
                Evaluation::Loss(self.search.board.free_cells as u32)
            }
            Evaluation::Draw
            | Evaluation::Estimate(_)
            | Evaluation::Win(_)
            | Evaluation::Loss(_) => found,
        };
        SearchResult {
            best: to_cell(best),
            score,
            // No win or loss is shorter, because the side to move cannot complete a line with one move.
            exact: matches!(score, Evaluation::Win(..=3) | Evaluation::Loss(..=2)),
            depth: self.depth,
            nodes: self.search.budget.nodes,
            pv: pv.into_iter().map(to_cell).collect(),
        }
    }

    /// Returns the result of a strategy that wins, at the latest when the board is full.
    fn strategy_win(&self, best: Cell) -> SearchResult {
        let score = Evaluation::Win(self.search.board.free_cells as u32);
        let nodes = self.search.budget.nodes.max(1);
        SearchResult {
            best,
            score,
            exact: false,
            depth: 0,
            nodes,
            pv: vec![best],
        }
    }

    /// Removes moves that are proven to lose, unless no other moves are left.
    fn remove_moves(&mut self, losing_moves: &[u16]) {
        if self
            .moves
            .iter()
            .all(|(_, cell)| losing_moves.contains(cell))
        {
            return;
        }
        self.moves.retain(|(_, cell)| !losing_moves.contains(cell));
        if losing_moves.contains(&self.best.1) {
            self.best = best_remaining(&self.moves);
        }
    }

    /// Returns a move that needs no search, if there is such a move.
    fn immediate_move(&mut self) -> Option<(u16, Evaluation)> {
        let board = &self.search.board;
        let tables = board.tables;
        if board.is_empty() && tables.is_large() && !self.search.budget.limits.is_sliced() {
            // The move is the centre or a cell next to it.
            return tables
                .cells_from_center
                .first()
                .map(|&cell| (cell, Evaluation::Estimate(0)));
        }
        if tables.rules.misere() || self.style.look < Look::OwnLines {
            return None;
        }
        match board.completing(board.turn()) {
            CompletingCells::None => None,
            CompletingCells::One(cell) | CompletingCells::More(cell) => {
                Some((cell, Evaluation::Win(1)))
            }
        }
    }

    /// Lists the root moves. Leaves out moves that lose immediately if there are others, unless the look is too short
    /// to see lines.
    fn generate_moves(&mut self) {
        self.search.board.update_move_ordering();
        let board = &self.search.board;
        let (tables, seat) = (board.tables, board.turn());
        let open = || board.open.intersection(&board.open, tables.words);
        let sees_threats = self.style.look >= Look::Lines && !tables.rules.misere();
        // On other boards, nearly all cells are near.
        let is_flat = tables.rules.dimensions() <= 2 && !tables.rules.gravity();
        let mut cells: Vec<u16> = if tables.rules.misere() && self.style.look >= Look::OwnLines {
            open()
                .filter(|&cell| !board.is_completing(seat, cell))
                .collect()
        } else if sees_threats && board.completing(1 - seat) != CompletingCells::None {
            open()
                .filter(|&cell| board.is_completing(1 - seat, cell))
                .collect()
        } else if tables.is_large() && self.style.look > Look::Whim {
            board.candidates().collect()
        } else if is_flat && matches!(self.style.look, Look::OwnLines | Look::Lines) {
            open().filter(|&cell| self.is_near_a_stone(cell)).collect()
        } else {
            open().collect()
        };
        if cells.is_empty() {
            cells = open().collect();
        }
        // With gravity, a stone may enable the cell above it, so that the opponent completes a line there.
        let enables_line = |cell: u16| {
            tables
                .above(cell)
                .is_some_and(|above| board.is_completing(1 - seat, above))
        };
        if sees_threats && !cells.iter().all(|&cell| enables_line(cell)) {
            cells.retain(|&cell| !enables_line(cell));
        }
        // The seed decides between equal moves.
        cells.shuffle(&mut self.rng);
        self.moves = cells
            .into_iter()
            .map(|cell| (board.move_score(cell), cell))
            .collect();
        self.moves
            .sort_by_key(|&(order, _)| std::cmp::Reverse(order));
        if self.style.look > Look::Lines && !self.search.is_exhaustive() {
            self.moves.truncate(MAX_ROOT_MOVES);
        }
    }
}

/// Maximum number of free cells for the solver to find the distance of a win in misère within a fraction of a second:
/// 440 000 positions with 21 free cells of 3×3×3:3, but more than 1.7 million with 23.
const MAX_SOLVED_MISERE_CELLS: u32 = 21;

/// Returns the first move that no search has proven to lose. Its value becomes an estimate, because the value of the
/// position is not known. If all moves lose, returns the first move.
fn best_remaining(moves: &[ScoredMove]) -> ScoredMove {
    let open = moves.iter().find(|(value, _)| *value >= -PROVEN);
    open.map_or(moves[0], |&(value, cell)| (value.min(PROVEN), cell))
}

/// Maximum distance of a cell near a stone along each axis.
const MAX_NEAR_DISTANCE: u8 = 2;

impl RootSearch<'_> {
    fn is_near_a_stone(&self, cell: u16) -> bool {
        let geometry = self.position.geometry();
        let is_near = |stone| geometry.distance(to_cell(cell), stone) <= MAX_NEAR_DISTANCE;
        self.position.moves().iter().copied().any(is_near)
    }
}

fn to_cell(index: u16) -> Cell {
    Cell::new(index)
}

/// Converts a value. `is_sound` says that the value of a win or loss is a proof.
fn to_evaluation(value: i32, proven: bool, is_sound: bool) -> Evaluation {
    let plies = (WIN - value.abs()).unsigned_abs();
    if value.abs() > PROVEN && !is_sound {
        Evaluation::Estimate((CLAIMED_WIN - plies as i32) * value.signum())
    } else if value > PROVEN {
        Evaluation::Win(plies)
    } else if value < -PROVEN {
        Evaluation::Loss(plies)
    } else if proven && value == 0 {
        Evaluation::Draw
    } else {
        Evaluation::Estimate(value)
    }
}

impl RootSearch<'_> {
    /// Solves the position exactly, if the rules are supported and the limits that `push` sets allow it. `cannot_win`
    /// says that the side to move is proven not to win.
    fn solve_exactly(
        &mut self,
        cannot_win: bool,
        push: impl FnOnce(&mut SearchBudget<'_>) -> SearchLimits,
    ) -> Option<SearchResult> {
        if self.search.budget.halted || !self.stages.solver {
            return None;
        }
        let sets_traps =
            self.style.sets_traps && self.search.board.free_cells <= traps::MAX_FREE_CELLS;
        let all_moves = self.search.options.noise > 0 || sets_traps;
        let known = self.best.0 > PROVEN;
        let budget = &mut self.search.budget;
        let saved_limits = if known {
            budget.push_nodes(SHORTEN_WIN_NODES)
        } else {
            push(budget)
        };
        let solution = solve(
            self.position,
            SolveQuery {
                all_moves,
                cannot_win,
            },
            budget,
        );
        budget.end_guarantee();
        budget.pop(saved_limits);
        let game_value = match solution {
            // If neither win is proven to be the shortest, the known win is kept.
            Ok(game_value) if known && !game_value.exact => return None,
            Ok(game_value) => game_value,
            Err(unsolved) => {
                self.remove_moves(&unsolved.losing_moves);
                return None;
            }
        };
        let trap = if sets_traps && game_value.plies <= 0 {
            traps::find(self.position, &game_value.moves, &mut self.search.budget)
        } else {
            None
        };
        let best = match trap {
            Some(best) => best,
            None => *game_value.moves.choose(&mut self.rng)?,
        };
        let score = match game_value.plies {
            0 => Evaluation::Draw,
            plies @ 1.. => Evaluation::Win(plies.unsigned_abs()),
            plies => Evaluation::Loss(plies.unsigned_abs()),
        };
        // The principal variation belongs to the first of the moves.
        let pv = if game_value.pv.first() == Some(&best) {
            game_value.pv
        } else {
            vec![best]
        };
        Some(SearchResult {
            best: to_cell(best),
            score,
            exact: game_value.exact,
            depth: self.search.board.free_cells as u32,
            nodes: self.search.budget.nodes,
            pv: pv.into_iter().map(to_cell).collect(),
        })
    }
}

/// Number of best moves that a look of some plies chooses from, and their maximum distance from the best value.
const CANDIDATE_MOVES: usize = 4;
const MARGIN: i32 = 15;

impl RootSearch<'_> {
    fn pick_by_whim(&mut self) {
        let (_, cell) = self.moves[self.rng.random_range(0..self.moves.len())];
        self.best = (0, cell);
    }

    /// Multi-PV search for the weaker levels: iterative deepening with an exact value for every root move within the
    /// margin of the best move.
    fn multi_pv(&mut self, max_depth: u32) {
        for depth in 1..=max_depth {
            let mut scored: Vec<ScoredMove> = Vec::with_capacity(self.moves.len());
            let mut alpha = -WIN;
            for &(_, cell) in &self.moves {
                self.search.board.play(cell);
                let value = -self.search.alpha_beta(depth as i32 - 1, -WIN, -alpha, 1);
                self.search.board.undo();
                if self.search.budget.halted {
                    return;
                }
                let value = self.losing_line_value(cell).unwrap_or(value);
                alpha = alpha.max(value - MARGIN - 1).max(-WIN);
                scored.push((value, cell));
            }
            scored.sort_by_key(|&(value, _)| std::cmp::Reverse(value));
            self.moves = scored;
            self.best = self.moves[0];
            self.depth = depth;
        }
    }

    /// Picks a random move from the best moves. Never replaces a win or a loss.
    fn pick_randomized(&mut self) {
        let (best, _) = self.best;
        if self.depth == 0 || best.abs() > PROVEN {
            return;
        }
        let candidates: Vec<ScoredMove> = self
            .moves
            .iter()
            .take(CANDIDATE_MOVES)
            .filter(|&&(value, _)| value >= best - MARGIN && value > -PROVEN)
            .copied()
            .collect();
        if let Some(&chosen) = candidates.choose(&mut self.rng) {
            self.best = chosen;
        }
    }

    /// For variety, picks a random move from the moves that are proven to be as good as the best move, but only if few
    /// positions need to be visited.
    fn randomize_ties(&mut self) {
        if self.search.options.noise == 0 || self.search.budget.nodes > SHORTEN_WIN_NODES {
            return;
        }
        let (value, _) = self.best;
        let depth = self.search.board.free_cells as i32;
        let mut ties = Vec::new();
        for &(_, cell) in &self.moves.clone() {
            self.search.board.play(cell);
            let found = -self.search.alpha_beta(depth - 1, -value, -value + 1, 1);
            self.search.board.undo();
            if self.search.budget.halted {
                return;
            }
            if self.losing_line_value(cell).unwrap_or(found) >= value {
                ties.push(cell);
            }
        }
        if !ties.is_empty() {
            self.best.1 = ties[self.rng.random_range(0..ties.len())];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loss_is_not_claimed_while_a_move_may_hold() {
        let (lost, longer_loss) = ((-WIN + 4, 1), (-WIN + 8, 2));
        assert_eq!(best_remaining(&[lost, longer_loss, (-50, 3)]), (-50, 3));
        assert_eq!(best_remaining(&[longer_loss, lost]), longer_loss);
    }
}
