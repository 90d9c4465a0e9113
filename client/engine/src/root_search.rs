//! Root search: runs the stages of the pipeline, deepens iteratively and chooses the move, within the budget.

mod move_choice;
mod threat_proofs;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use noughts_protocol::{Cell, Position};
use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::{IndexedRandom, SliceRandom};

use crate::alpha_beta::search::{AlphaBetaSearch, PROVEN, SearchOptions, WIN};
use crate::board::board_tables::BoardTables;
use crate::board::{CompletingCells, SearchBoard};
use crate::book;
use crate::budget::SearchBudget;
use crate::dfpn::{DfPn, WindowBitboard};
use crate::level::LevelParams;
use crate::solver::{SolveQuery, is_solver_first, solve, solver_share};
use crate::strategies::misere_mirror;
use crate::{Evaluation, Level, SearchLimits, SearchResult};

/// Node limit for shortening a proven win or prolonging a loss.
const SHORTEN_WIN_NODES: u64 = 50_000;
/// Node limit for the evaluation when there is only one move to choose.
const SINGLE_MOVE_NODES: u64 = 5_000;
/// Maximum number of root moves on boards with very many.
const MAX_ROOT_MOVES: usize = 60;
/// Denominator of the share of the budget that is reserved for proofs of the opponent's attacks.
const DEFENCE_SHARE: u32 = 4;
const MAX_PV_LEN: usize = 16;

/// Chooses a move. `None` when the game is over.
///
/// Pure: the same position, level, seed and limits of depth and nodes give the same result. The seed decides between
/// equal moves. `elapsed` returns the time since the start of the search. Setting `stop` ends the search at once, with
/// the best move so far.
///
/// At every level, and even when stopped at once, the search completes a line if it can, and else prevents one that the
/// opponent could complete next.
pub fn best_move(
    position: &Position,
    level: Level,
    limits: SearchLimits,
    seed: u64,
    elapsed: &dyn Fn() -> Duration,
    stop: &AtomicBool,
) -> Option<SearchResult> {
    if level.params().depth.is_none()
        && limits.depth.is_none()
        && let Some((best, score)) = book::probe(position)
    {
        return Some(SearchResult { best, score, depth: 0, nodes: 1, pv: vec![best] });
    }
    search(position, level.params(), seed, SearchBudget::new(limits, elapsed, stop))
}

/// Chooses a move within `budget` of wall-clock time, or until `stop` is set. `None` when the game is over.
///
/// Blocks the calling thread. The seed decides between equal moves.
pub fn best_move_timed(
    position: Position,
    level: Level,
    budget: Duration,
    seed: u64,
    stop: Arc<AtomicBool>,
) -> Option<SearchResult> {
    #[expect(clippy::disallowed_methods, reason = "the only clock of the engine")]
    let started_at = Instant::now();
    let limits = SearchLimits { time: Some(budget), ..SearchLimits::default() };
    best_move(&position, level, limits, seed, &|| started_at.elapsed(), &stop)
}

/// Evaluates a position: [`best_move`] at [`Level::Perfect`], but without the opening books, which do not store the
/// distance to a win. `None` when the game is over.
pub fn evaluate(
    position: &Position,
    limits: SearchLimits,
    elapsed: &dyn Fn() -> Duration,
    stop: &AtomicBool,
) -> Option<SearchResult> {
    // A fixed seed, so that repeated evaluations name the same move.
    search(position, Level::Perfect.params(), 0, SearchBudget::new(limits, elapsed, stop))
}

fn search(
    position: &Position,
    params: LevelParams,
    seed: u64,
    budget: SearchBudget<'_>,
) -> Option<SearchResult> {
    position.legal_moves().next()?;
    let tables = BoardTables::new(position.geometry());
    let board = SearchBoard::new(&tables, position);
    let options = SearchOptions { vcf_nodes: params.vcf_nodes, noise: params.noise, seed };
    let mut root = RootSearch {
        position,
        params,
        search: AlphaBetaSearch::new(board, options, budget),
        moves: Vec::new(),
        rng: Xoshiro256PlusPlus::seed_from_u64(seed),
        best: (0, 0),
        depth: 0,
    };
    Some(root.run())
}

/// Proof-number searches for the attacks of both seats.
struct ThreatProofs {
    stones: WindowBitboard,
    /// By attacking seat.
    provers: [DfPn; 2],
    /// Whether a proof exists that the side to move cannot win.
    cannot_win: bool,
}

/// A root move with its value.
type ScoredMove = (i32, u16);

struct RootSearch<'a> {
    position: &'a Position,
    params: LevelParams,
    search: AlphaBetaSearch<'a>,
    moves: Vec<ScoredMove>,
    rng: Xoshiro256PlusPlus,
    best: ScoredMove,
    /// Depth of the last complete iteration.
    depth: u32,
}

impl RootSearch<'_> {
    fn run(&mut self) -> SearchResult {
        if let Some((cell, score)) = self.immediate_move() {
            return SearchResult { best: to_cell(cell), score, depth: 0, nodes: 1, pv: vec![to_cell(cell)] };
        }
        self.generate_moves();
        self.best = self.moves[0];
        let limits = self.search.budget.limits;
        let (free_cells, depth) =
            (self.search.board.free_cells as u32, self.params.depth.into_iter().chain(limits.depth).min());
        let max_depth = depth.unwrap_or(free_cells).clamp(1, free_cells);
        let is_proven_draw = self.search.prove_draw_by_pairing();
        let is_solver_first = depth.is_none() && is_solver_first(self.position, limits);
        let mut proofs = if is_solver_first { None } else { self.prove_win(is_proven_draw) };
        if depth.is_none()
            && let Some(result) =
                self.solve_exactly(limits, proofs.as_ref().is_some_and(|proofs| proofs.cannot_win))
        {
            return result;
        }
        if depth.is_none()
            && let Some(best) = misere_mirror::reply(self.position)
        {
            let nodes = self.search.budget.nodes;
            return SearchResult { best, score: Evaluation::Estimate(0), depth: 0, nodes, pv: vec![best] };
        }
        if is_solver_first {
            // The solver failed against expectation.
            proofs = self.prove_win(is_proven_draw);
        }
        let proven = if self.params.candidate_moves > 1 {
            self.multi_pv(max_depth);
            self.pick_randomized();
            false
        } else {
            self.deepen_with_defence(max_depth, is_proven_draw, proofs.as_mut())
        };
        let (value, best) = self.best;
        let pv = self.search.principal_variation(best, MAX_PV_LEN);
        SearchResult {
            best: to_cell(best),
            score: to_evaluation(value, proven),
            depth: self.depth,
            nodes: self.search.budget.nodes,
            pv: pv.into_iter().map(to_cell).collect(),
        }
    }

    /// Solves the position exactly, if the budget allows. `cannot_win`: a proof exists that the side to move does not win.
    fn solve_exactly(&mut self, limits: SearchLimits, cannot_win: bool) -> Option<SearchResult> {
        if self.search.budget.halted {
            return None;
        }
        let all_moves = self.search.options.noise > 0;
        let known = self.best.0 > PROVEN;
        let budget = &mut self.search.budget;
        let saved_limits = if known {
            budget.push_nodes(SHORTEN_WIN_NODES)
        } else {
            let (parts, count) = solver_share(self.position, limits);
            budget.push_share(parts, count)
        };
        let solution = solve(self.position, SolveQuery { all_moves, cannot_win }, budget);
        budget.pop(saved_limits);
        let game_value = match solution {
            // If neither win is proven to be the shortest, keep the known one.
            Ok(game_value) if known && !game_value.exact => return None,
            Ok(game_value) => game_value,
            Err(unsolved) => {
                self.remove_moves(&unsolved.losing_moves);
                return None;
            }
        };
        let best = *game_value.moves.choose(&mut self.rng)?;
        let score = match game_value.plies {
            0 => Evaluation::Draw,
            plies @ 1.. => Evaluation::Win(plies.unsigned_abs()),
            plies => Evaluation::Loss(plies.unsigned_abs()),
        };
        // The principal variation belongs to the first of the moves.
        let pv = if game_value.pv.first() == Some(&best) { game_value.pv } else { vec![best] };
        Some(SearchResult {
            best: to_cell(best),
            score,
            depth: self.search.board.free_cells as u32,
            nodes: self.search.budget.nodes,
            pv: pv.into_iter().map(to_cell).collect(),
        })
    }

    /// Removes moves that are proven to lose, unless no other moves are left.
    fn remove_moves(&mut self, losing_moves: &[u16]) {
        if self.moves.iter().all(|(_, cell)| losing_moves.contains(cell)) {
            return;
        }
        self.moves.retain(|(_, cell)| !losing_moves.contains(cell));
        if losing_moves.contains(&self.best.1) {
            self.best = self.moves[0];
        }
    }

    /// A move that needs no search.
    fn immediate_move(&mut self) -> Option<(u16, Evaluation)> {
        let board = &self.search.board;
        let tables = board.tables;
        if board.is_empty() && tables.is_large() {
            // The center, or a cell next to it.
            return tables.cells_from_center.first().map(|&cell| (cell, Evaluation::Estimate(0)));
        }
        if tables.rules.misere() {
            return None;
        }
        match board.completing(board.turn()) {
            CompletingCells::None => None,
            CompletingCells::One(cell) | CompletingCells::More(cell) => Some((cell, Evaluation::Win(1))),
        }
    }

    /// Lists the root moves, without those that lose at once if others exist.
    fn generate_moves(&mut self) {
        self.search.board.update_move_ordering();
        let board = &self.search.board;
        let (tables, seat) = (board.tables, board.turn());
        let open = || board.open.intersection(&board.open, tables.words);
        let mut cells: Vec<u16> = if tables.rules.misere() {
            open().filter(|&cell| !board.is_completing(seat, cell)).collect()
        } else if board.completing(1 - seat) != CompletingCells::None {
            open().filter(|&cell| board.is_completing(1 - seat, cell)).collect()
        } else if tables.is_large() {
            board.candidates().collect()
        } else {
            open().collect()
        };
        if cells.is_empty() {
            cells = open().collect();
        }
        // Under gravity a stone may enable the cell above it, where the opponent completes a line.
        let enables_line =
            |cell: u16| tables.above(cell).is_some_and(|above| board.is_completing(1 - seat, above));
        if !tables.rules.misere() && !cells.iter().all(|&cell| enables_line(cell)) {
            cells.retain(|&cell| !enables_line(cell));
        }
        // The seed decides between equal moves.
        cells.shuffle(&mut self.rng);
        self.moves = cells.into_iter().map(|cell| (board.move_score(cell), cell)).collect();
        self.moves.sort_by_key(|&(order, _)| std::cmp::Reverse(order));
        self.moves.truncate(MAX_ROOT_MOVES.max(if self.search.is_exhaustive() {
            self.moves.len()
        } else {
            0
        }));
    }

    /// Iterative deepening, then a check of the best moves against attacks of the opponent. True when the value of the
    /// best move is proven.
    fn deepen_with_defence(
        &mut self,
        max_depth: u32,
        is_proven_draw: bool,
        proofs: Option<&mut ThreatProofs>,
    ) -> bool {
        let Some(proofs) = proofs.filter(|_| !self.search.budget.halted) else {
            return self.iterative_deepening(max_depth, is_proven_draw);
        };
        // Reserve a share of the budget for the check.
        let saved_limits = self.search.budget.push_share(DEFENCE_SHARE - 1, DEFENCE_SHARE);
        let proven = self.iterative_deepening(max_depth, is_proven_draw);
        self.search.budget.pop(saved_limits);
        if !proven {
            self.refute_losing_moves(proofs);
        }
        proven
    }

    fn iterative_deepening(&mut self, max_depth: u32, is_proven_draw: bool) -> bool {
        let (started_at, limit) = (self.search.budget.elapsed(), self.search.budget.limits.time);
        let (free, exhaustive) = (self.search.board.free_cells as u32, self.search.is_exhaustive());
        let has_choice = self.moves.len() > 1 && !is_proven_draw;
        for depth in 1..=max_depth {
            if !self.search_depth(depth as i32) {
                return is_proven_draw;
            }
            self.depth = depth;
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
                && (WIN - value.abs() <= depth as i32 || self.search.budget.nodes >= SHORTEN_WIN_NODES);
            if known || is_late || (!has_choice && self.search.budget.nodes >= SINGLE_MOVE_NODES) {
                return is_proven_draw;
            }
            self.search.age_history();
        }
        false
    }

    /// One iteration over all root moves, the previous best first. False when the budget ran out.
    fn search_depth(&mut self, depth: i32) -> bool {
        let previous = self.best;
        let mut best: Option<ScoredMove> = None;
        for index in 0..self.moves.len() {
            let (_, cell) = self.moves[index];
            let alpha = best.map_or(-WIN, |(value, _)| value);
            self.search.board.play(cell);
            let mut value = if best.is_none() {
                -self.search.alpha_beta(depth - 1, -WIN, WIN, 1)
            } else {
                -self.search.alpha_beta(depth - 1, -alpha - 1, -alpha, 1)
            };
            if best.is_some() && value > alpha && !self.search.budget.halted {
                value = -self.search.alpha_beta(depth - 1, -WIN, -alpha, 1);
            }
            self.search.board.undo();
            value = self.losing_line_value(cell).unwrap_or(value);
            if self.search.budget.halted {
                break;
            }
            self.moves[index].0 = value;
            if best.is_none() || value > alpha {
                best = Some((value, cell));
                self.moves[..=index].rotate_right(1);
            }
        }
        // A known win stands until the search finds a shorter one.
        match best {
            Some(best) if previous.0 <= PROVEN || best.0 > previous.0 => self.best = best,
            Some(_) | None => {}
        }
        if let Some(index) = self.moves.iter().position(|&(_, cell)| cell == self.best.1) {
            self.moves[..=index].rotate_right(1);
        }
        !self.search.budget.halted
    }

    /// In misère, the value of a move that completes a line of the mover and so loses at once.
    fn losing_line_value(&self, cell: u16) -> Option<i32> {
        let board = &self.search.board;
        (board.tables.rules.misere() && board.is_completing(board.turn(), cell)).then_some(-(WIN - 1))
    }
}

fn to_cell(index: u16) -> Cell {
    Cell::new(index)
}

fn to_evaluation(value: i32, proven: bool) -> Evaluation {
    if value > PROVEN {
        Evaluation::Win((WIN - value).unsigned_abs())
    } else if value < -PROVEN {
        Evaluation::Loss((WIN + value).unsigned_abs())
    } else if proven && value == 0 {
        Evaluation::Draw
    } else {
        Evaluation::Estimate(value)
    }
}
