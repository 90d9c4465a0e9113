//! Exact solver for boards that fit into one word: the game value, and the distance to the end.
//!
//! Null-window searches find first the winner, then the distance: they bisect the range of possible distances. Bounds
//! narrow the range before and during the search: a seat without room for a line cannot win, a pairing strategy
//! (`strategy_proofs`) proves that a seat cannot complete a line, df-pn may have disproven a win, and in normal free
//! placement the first player does not lose the empty board.
//!
//! The search works on whole boards by shifts, at about a tenth of a microsecond per position; see `bitboard`.

mod bitboard;
mod negamax;

use noughts_protocol::{Geometry, Position, RuleFlag, Rules};

use crate::SearchLimits;
use crate::board::board_tables::is_free_placement;
use crate::board::cell_sets::BitWord;
use crate::budget::SearchBudget;
use crate::solver::bitboard::PaddedLayout;
pub use crate::solver::bitboard::{BitLayout, SolverPosition, SolverTables, SquareLayout};
use crate::strategy_proofs::NoLineProver;
use crate::transposition::TranspositionTable;

/// The game value of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameValue {
    /// Plies until the win, negative plies until the loss, or 0 for a draw. Without `exact`, it is an upper bound for a
    /// win and a lower bound for a loss.
    pub plies: i32,
    /// Whether the distance is exact.
    pub exact: bool,
    /// Moves that are known to keep the value; at least one.
    pub moves: Vec<u16>,
    /// The principal variation, beginning with the first move of `moves`.
    pub pv: Vec<u16>,
}

/// Options of a query.
#[derive(Clone, Copy, Debug, Default)]
pub struct SolveQuery {
    /// Whether to find all moves that keep the value, if that takes few positions.
    pub all_moves: bool,
    /// Whether the side to move is proven not to win, so that the solver skips wins.
    pub cannot_win: bool,
}

/// Failure of [`solve`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unsolved {
    /// Moves that are proven to lose while other moves are not.
    pub losing_moves: Vec<u16>,
}

/// Maximum number of visited positions before the search for all moves that keep the value.
const MAX_ALL_MOVES_NODES: u64 = 50_000;
/// Base-2 logarithm of the size of a new table, in slots of 16 bytes.
const MIN_TABLE_BITS: u32 = 8;
/// Base-2 logarithm of the maximum size of the table.
const MAX_TABLE_BITS: u32 = 22;
const MAX_PV_LEN: usize = 16;

/// Solves a position within the budget: first the winner, then the distance. Fails if the budget does not suffice to
/// find the winner, or if the board does not fit into a word. The side to move must not be able to complete a line with
/// one move.
pub fn solve(
    position: &Position,
    query: SolveQuery,
    budget: &mut SearchBudget<'_>,
) -> Result<GameValue, Unsolved> {
    let geometry = position.geometry();
    match layout(geometry) {
        BoardKind::Square(square) => {
            Solver::new(square, geometry, MAX_TABLE_BITS, budget).solve(position, query)
        }
        BoardKind::Padded(padded) => {
            Solver::new(padded, geometry, MAX_TABLE_BITS, budget).solve(position, query)
        }
        BoardKind::None => Err(Unsolved::default()),
    }
}

/// Layout of a board.
pub enum BoardKind {
    /// Two dimensions in 64 bits.
    Square(SquareLayout),
    /// Any other board that fits into 128 bits.
    Padded(PaddedLayout),
    /// The board is too large.
    None,
}

/// Returns whether the solver knows these rules. The board may still be too large.
pub fn supports(rules: &Rules) -> bool {
    rules.has_only(&[
        RuleFlag::Gravity,
        RuleFlag::Misere,
        RuleFlag::Exact,
        RuleFlag::Torus,
    ])
}

/// Returns the layout of the board in a word.
pub fn layout(geometry: &Geometry) -> BoardKind {
    let rules = geometry.rules();
    let (width, height) = (rules.width(), rules.height());
    if !supports(rules) {
        return BoardKind::None;
    }
    let has_edges = rules.has_edges();
    if has_edges && rules.dimensions() == 2 && width.min(height) < 8 && width.max(height) <= 8 {
        return BoardKind::Square(SquareLayout {
            is_transposed: width == 8,
        });
    }
    let mut axes = [1, 0, 0, 0];
    let mut size = 1;
    for (axis, &side) in rules.sides().iter().enumerate() {
        axes[axis] = size;
        size *= u32::from(side) + 1;
    }
    // No cells follow the last cell, so the free bits behind it may be missing.
    if size > u128::SIZE + axes[rules.dimensions() - 1] {
        return BoardKind::None;
    }
    let step = |steps: &[i8]| {
        steps
            .iter()
            .zip(axes)
            .map(|(&step, axis)| i32::from(step) * axis as i32)
            .sum::<i32>()
    };
    // Directions without room for a line are left out, because their shifts might exceed the word. Where edges meet, no
    // shift is a step.
    let steps = geometry
        .line_directions()
        .filter(|_| has_edges)
        .map(|direction| step(direction.steps()).unsigned_abs());
    BoardKind::Padded(PaddedLayout {
        shifts: steps.collect(),
        axis_shifts: axes,
    })
}

/// Result of the static check of a position.
pub enum StaticResult<W> {
    /// The value, or a bound that suffices for the window.
    Value(i32),
    /// The moves to search.
    Moves(W),
}

/// A move at the root.
#[derive(Clone, Copy, Debug)]
pub struct RootMove<W> {
    pub stone: W,
    /// Upper bound of its value.
    upper: i32,
}

/// State of a solution in progress.
pub struct Solver<'m, 'a, L: BitLayout> {
    pub tables: SolverTables<L>,
    pub tt: TranspositionTable,
    /// Base-2 logarithm of the maximum number of slots in the table.
    max_table_bits: u32,
    no_line_prover: NoLineProver,
    /// The moves of all plies of the current line with ordering scores, one ply after another.
    moves: Vec<(i32, L::Word)>,
    pub budget: &'m mut SearchBudget<'a>,
    /// Number of cells on the board.
    cell_count: i32,
}

impl<'m, 'a, L: BitLayout> Solver<'m, 'a, L> {
    /// Creates a solver with a table that grows up to 2^`max_table_bits` slots of 16 bytes.
    pub fn new(
        layout: L,
        geometry: &Geometry,
        max_table_bits: u32,
        budget: &'m mut SearchBudget<'a>,
    ) -> Self {
        let cell_count = geometry.rules().cells() as i32;
        Solver {
            tables: SolverTables::new(layout, geometry),
            tt: TranspositionTable::new(MIN_TABLE_BITS.min(max_table_bits)),
            max_table_bits,
            no_line_prover: NoLineProver::default(),
            moves: Vec::with_capacity(512),
            budget,
            cell_count,
        }
    }

    fn solve(&mut self, position: &Position, query: SolveQuery) -> Result<GameValue, Unsolved> {
        let state = self.tables.position(position);
        let mut root = self.root_moves(&state);
        let left = self.cell_count - state.ply as i32;
        let (mut lower, mut upper) = (1 - left, if query.cannot_win { 0 } else { left });
        let is_free = is_free_placement(&self.tables.rules);
        if is_free && state.ply == 0 && !self.tables.rules.exact() {
            // Strategy stealing: an extra stone never harms, so the first player does not lose.
            lower = 0;
        }
        if let StaticResult::Value(value) = self.check_static(&state) {
            (lower, upper) = (value, value);
        }
        while lower < upper {
            // Finds the winner first, then the distance.
            let mut middle = lower + (upper - lower) / 2;
            if is_free && lower <= 0 && upper > 0 {
                // Tries quick wins before slow wins.
                middle = if upper == left { upper / 2 } else { 0 };
            } else if upper > 0 && lower <= 0 {
                middle = 0;
            } else if lower < 0 && upper >= 0 {
                middle = -1;
            } else if middle <= 0 && lower / 2 < middle {
                middle = lower / 2;
            } else if middle >= 0 && upper / 2 > middle {
                middle = upper / 2;
            }
            let value = self.search_root(&state, &mut root, middle);
            if self.budget.halted {
                break;
            }
            if value <= middle {
                upper = value;
            } else {
                lower = value;
            }
        }
        let value = if lower > 0 || lower == upper {
            lower
        } else if upper < 0 {
            upper
        } else {
            return Err(self.unsolved(&root));
        };
        let plies = if value == 0 {
            0
        } else {
            (left + 1 - value.abs()) * value.signum()
        };
        let exact = lower == upper;
        let pv = self.principal_variation(state, root[0].stone);
        let mut kept = 1;
        if query.all_moves && exact && self.budget.nodes <= MAX_ALL_MOVES_NODES {
            for index in 1..root.len() {
                if self.proves_at_least(&state, &root[index], value) {
                    root.swap(kept, index);
                    kept += 1;
                }
            }
        }
        let moves = root[..kept]
            .iter()
            .map(|root| self.tables.cell(root.stone.first_bit()))
            .collect();
        Ok(GameValue {
            plies,
            exact,
            moves,
            pv,
        })
    }

    fn unsolved(&self, root: &[RootMove<L::Word>]) -> Unsolved {
        let losing = root.iter().filter(|root| root.upper < 0);
        let losing_moves: Vec<u16> = losing
            .map(|root| self.tables.cell(root.stone.first_bit()))
            .collect();
        Unsolved {
            losing_moves: if losing_moves.len() < root.len() {
                losing_moves
            } else {
                Vec::new()
            },
        }
    }

    /// Returns the principal variation from the table, beginning with this move.
    fn principal_variation(
        &self,
        mut state: SolverPosition<L::Word>,
        mut stone: L::Word,
    ) -> Vec<u16> {
        let mut pv = Vec::new();
        loop {
            pv.push(self.tables.cell(stone.first_bit()));
            let is_over = (self.tables.completing(state.mover) & stone).any();
            state = self.tables.play(state, stone);
            if is_over || state.open.is_empty() || pv.len() == MAX_PV_LEN {
                return pv;
            }
            let wins = self.tables.completing(state.mover) & state.open;
            let next = match self.check_static(&state) {
                _ if wins.any() && !self.tables.rules.misere() => wins,
                StaticResult::Moves(moves) if moves.without_first().is_empty() => moves,
                StaticResult::Moves(_) => match self.tt.get(self.tables.key(&state)) {
                    Some(found) => L::Word::from_bit(u32::from(found.best)) & state.open,
                    None => L::Word::EMPTY,
                },
                StaticResult::Value(_) if self.tables.rules.misere() => state.open,
                StaticResult::Value(_) => self.tables.completing(state.other) & state.open,
            };
            if next.is_empty() {
                return pv;
            }
            stone = L::Word::from_bit(next.first_bit());
        }
    }
}

/// Approximate speed of the solver in positions per second.
const NODES_PER_SECOND: f64 = 4e6;
/// Assumed error of the estimate, as a base-2 logarithm. Within this error, an attempt gets half of the budget.
const SLACK_BITS: f64 = 3.0;
/// Denominator of the share of the budget for an unlikely attempt. The attempt may still find quick wins and pairing
/// proofs.
const UNLIKELY_SHARE: u32 = 20;

/// Base-2 logarithm of the maximum cost of a small position. Such a position takes far less than a second.
const MAX_SMALL_BITS: f64 = 20.0;

/// Returns whether the solver precedes the threat proofs, because it is expected to need far less than a second, or to
/// succeed when no proof search follows.
pub fn is_solver_first(position: &Position, limits: SearchLimits) -> bool {
    log2_nodes(position) <= MAX_SMALL_BITS
        || (!is_free_placement(position.rules()) && time_share(position, limits) != UNLIKELY_SHARE)
}

/// Returns the number of positions that the solver may visit whatever the clock says, because they take less processor
/// time than the limit allows. It is a quarter of the positions that fit into the limit.
pub fn guaranteed_nodes(limits: SearchLimits) -> u64 {
    limits.time.map_or(0, |time| {
        (time.as_secs_f64() * NODES_PER_SECOND / 4.0) as u64
    })
}

/// Returns the share of the limits for an attempt to solve the position, as parts and their number. If no proof search
/// follows and the solver is likely to succeed, the solver gets most of the limits.
pub(crate) fn solver_share(position: &Position, limits: SearchLimits) -> (u32, u32) {
    match time_share(position, limits) {
        UNLIKELY_SHARE => (1, UNLIKELY_SHARE),
        _ if is_free_placement(position.rules()) => (1, 2),
        _ => (9, 10),
    }
}

/// Returns the denominator of the share of the limits for a proof search that may take as long as the solver would.
pub(crate) fn time_share(position: &Position, limits: SearchLimits) -> u32 {
    let by_time = limits
        .time
        .map(|time| time.as_secs_f64() * NODES_PER_SECOND);
    let nodes = [limits.nodes.map(|nodes| nodes as f64), by_time]
        .into_iter()
        .flatten();
    let nodes = nodes.fold(f64::INFINITY, f64::min);
    if is_solver_likely(position, nodes) {
        2
    } else {
        UNLIKELY_SHARE
    }
}

/// Returns whether the solver may succeed within this number of positions.
pub(crate) fn is_solver_likely(position: &Position, nodes: f64) -> bool {
    log2_nodes(position) <= nodes.log2() + SLACK_BITS
}

/// Returns the base-2 logarithm of the estimated number of positions that the solver visits. The number grows so fast
/// with the free cells that a rough estimate separates solvable positions from others.
///
/// The estimate is a fraction of the logarithm of the number of move sequences: one quarter with gravity (measured for
/// the winner of Connect Four after at least seven stones), one fifth otherwise (measured on 4×4:4 to 8×4:4).
fn log2_nodes(position: &Position) -> f64 {
    let rules = position.rules();
    let free = rules.cells() - position.ply();
    let columns = rules.cells() / usize::from(rules.height());
    let (max_choices, divisor) = if rules.gravity() {
        (columns, 4.0)
    } else {
        (free, 5.0)
    };
    let choices = |free: usize| free.min(max_choices) as f64;
    (1..=free).map(|free| choices(free).log2()).sum::<f64>() / divisor
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::tests::position;

    #[test]
    fn unlikely_attempts_get_a_small_share() {
        let second = SearchLimits {
            time: Some(Duration::from_secs(1)),
            ..SearchLimits::default()
        };
        for (rules, moves, part) in [
            ("5x5:4", "", 2),
            ("7x4:4", "", 2),
            (
                "7x6:4+gravity",
                "d6 d5 d4 d3 d2 b6 b5 b4 b3 f6 f5 b2 c6 e6 a6",
                2,
            ),
            ("7x6:4+gravity", "", UNLIKELY_SHARE),
            ("4x4x4:4", "", UNLIKELY_SHARE),
            ("9x9:5", "e5", UNLIKELY_SHARE),
        ] {
            assert_eq!(
                time_share(&position(rules, moves), second),
                part,
                "{rules} {moves}"
            );
        }
        assert_eq!(
            time_share(&position("9x9:5", ""), SearchLimits::default()),
            2,
            "without a limit it is solved"
        );
    }
}
