//! Makes the opening book of Connect Four, with a search that has a table of 256 MB and no limit. The result is always
//! the same.
//!
//! `cargo run --release --bin connect4_book > connect4.txt`, then replace `client/engine/src/book/connect4.txt` with
//! it. `connect4_book openings > connect4_openings.txt` makes the second part of the book: for every other position of
//! few stones that is not lost, the first of [`OPENING_COLUMNS`] that keeps the value.
//!
//! A position needs no entry if the solver decides it within the positions that it visits in [`MOVE_TIME`] on a busy
//! machine. In a won position the entry is the move that is easiest to prove, because fewer of the positions after it
//! need an entry; in a lost position it is the move that leaves the fewest winning replies.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use noughts_engine::SearchLimits;
use noughts_engine::internals::connect4::{
    Book, BookEntry, BookValue, ColumnBoard, MAX_OPENING_PLY, WIDTH, mirrored_if, quiet_replies,
    rules,
};
use noughts_engine::internals::{
    BitWord, BoardKind, RootMove, SearchBudget, SolveQuery, Solver, SolverPosition, SquareLayout,
    guaranteed_nodes, is_solver_first, iter_bits, layout, solve,
};
use noughts_protocol::{Cell, Geometry, Position};

/// 2^24 slots of 16 bytes.
const TABLE_BITS: u32 = 24;
/// Time for a move that suffices for the engine to find a move that keeps the value.
const MOVE_TIME: Duration = Duration::from_millis(50);
/// Maximum number of positions of the search that finds out whether a reply to a lost position keeps the win.
const REPLY_NODES: u64 = 100_000;

/// Maximum number of positions of the search that proves that a move wins.
const PROOF_NODES: u64 = 150_000;
/// Before this ply no proof is short enough to compare moves.
const MIN_PROOF_PLY: usize = 7;

/// The columns, in the order of preference for an opening.
const OPENING_COLUMNS: [usize; WIDTH] = [3, 2, 4, 1, 5, 0, 6];

/// The positions of a ply by key, each with the columns of a game that leads to it.
type BookPositions = BTreeMap<u64, Vec<usize>>;

fn main() {
    let stop = AtomicBool::new(false);
    let mut budget = SearchBudget::new(SearchLimits::default(), &|| Duration::ZERO, &stop);
    let geometry = Geometry::cached(rules());
    let BoardKind::Square(square) = layout(&geometry) else {
        panic!("the board does not fit into 64 bits")
    };
    let mut search = BookSearch {
        solver: Solver::new(square, &geometry, TABLE_BITS, &mut budget),
    };
    let empty = ColumnBoard::default();
    let mut level = BTreeMap::from([(empty.key().0, Vec::new())]);
    if std::env::args().nth(1).as_deref() == Some("openings") {
        for ply in 0..=MAX_OPENING_PLY {
            let line: String = level
                .values()
                .map(|columns| {
                    let entry = search.opening(columns);
                    entry.map_or('.', BookEntry::to_char)
                })
                .collect();
            println!("{line}");
            eprintln!("ply {ply}: {} positions", line.len());
            let boards = level.values();
            level = boards
                .flat_map(|columns| positions_after(columns, play_all(columns)))
                .collect();
        }
        return;
    }
    let mut next_level: BookPositions = positions_after(&[], empty).collect();
    let mut lines: Vec<String> = Vec::new();
    while !(level.is_empty() && next_level.is_empty()) {
        let (mut line, mut after) = (String::new(), BookPositions::new());
        for (&key, columns) in &level {
            let Some(entry) = search.entry(columns) else {
                line.push('.');
                continue;
            };
            // The entry is for the board of the key, which may be the mirror image of the board of the game.
            line.push(
                entry
                    .mirrored_if(play_all(columns).key() == (key, true))
                    .to_char(),
            );
            let columns = [columns.as_slice(), &[entry.column]].concat();
            after.extend(positions_after(&columns, play_all(&columns)));
        }
        eprintln!(
            "ply {}: {} positions, {} entries",
            lines.len(),
            line.len(),
            line.len() - line.matches('.').count()
        );
        lines.push(line);
        (level, next_level) = (next_level, after);
    }
    println!("{}", lines.join("\n").trim_end());
}

fn play_all(columns: &[usize]) -> ColumnBoard {
    columns
        .iter()
        .fold(ColumnBoard::default(), |board, &column| board.play(column))
}

/// Returns the positions after each reply, without positions where the next stone can complete a line.
fn positions_after(
    columns: &[usize],
    board: ColumnBoard,
) -> impl Iterator<Item = (u64, Vec<usize>)> {
    quiet_replies(board).map(move |(next, reply)| (next.key().0, [columns, &[reply]].concat()))
}

/// Returns whether the engine decides a position in time without an entry.
fn is_easy(position: &Position) -> bool {
    let limits = SearchLimits {
        time: Some(MOVE_TIME),
        ..SearchLimits::default()
    };
    if !is_solver_first(position, limits) {
        return false;
    }
    let stop = AtomicBool::new(false);
    let limits = SearchLimits {
        nodes: Some(guaranteed_nodes(limits)),
        ..SearchLimits::default()
    };
    let mut budget = SearchBudget::new(limits, &|| Duration::ZERO, &stop);
    solve(position, SolveQuery::default(), &mut budget).is_ok()
}

/// Returns the winning move that takes the fewest positions to prove.
fn easiest_win(position: &Position) -> Option<RootMove<u64>> {
    let BoardKind::Square(square) = layout(position.geometry()) else {
        return None;
    };
    let stop = AtomicBool::new(false);
    let (mut easiest, mut most) = (None, PROOF_NODES);
    let mut count = usize::MAX;
    let mut index = 0;
    while index < count {
        let limits = SearchLimits {
            nodes: Some(most),
            ..SearchLimits::default()
        };
        let mut budget = SearchBudget::new(limits, &|| Duration::ZERO, &stop);
        let mut solver = Solver::new(square, position.geometry(), TABLE_BITS, &mut budget);
        let state = solver.tables.position(position);
        let mut root = solver.root_moves(&state);
        count = root.len();
        let is_win = solver.search_root(&state, &mut root[index..=index], 0) > 0;
        if is_win && !solver.budget.halted {
            (easiest, most) = (Some(root[index]), solver.budget.nodes);
        }
        index += 1;
    }
    easiest
}

/// A search for values without distances. All queries share one large table.
struct BookSearch<'m, 'a> {
    solver: Solver<'m, 'a, SquareLayout>,
}

impl BookSearch<'_, '_> {
    /// Returns the entry of the position after these columns; `None` if the position needs no entry. The side to move
    /// must not be able to complete a line immediately.
    fn entry(&mut self, columns: &[usize]) -> Option<BookEntry> {
        let mut position = Position::new(rules());
        for &column in columns {
            position
                .play(Cell::new(column as u16))
                .expect("a legal move");
        }
        if is_easy(&position) {
            return None;
        }
        let state = self.solver.tables.position(&position);
        let mut root = self.solver.root_moves(&state);
        if let Some(known) = self.solver.tt.get(self.solver.tables.key(&state)) {
            let known = root
                .iter()
                .position(|root| root.stone.first_bit() == u32::from(known.best));
            root[..=known.unwrap_or(0)].rotate_right(1);
        }
        let easiest = (columns.len() >= MIN_PROOF_PLY)
            .then(|| easiest_win(&position))
            .flatten();
        let value = if let Some(easiest) = easiest {
            root = vec![easiest];
            BookValue::Win
        } else if self.solver.search_root(&state, &mut root, 0) > 0 {
            BookValue::Win
        } else if self.solver.search_root(&state, &mut root, -1) > -1 {
            BookValue::Draw
        } else {
            // Takes the first of the best moves.
            let fewest = (0..root.len())
                .min_by_key(|&index| self.winning_replies(&state, root[index].stone));
            root.swap(0, fewest.expect("a legal move"));
            BookValue::Loss
        };
        let cell = self.solver.tables.cell(root[0].stone.first_bit());
        Some(BookEntry {
            column: usize::from(cell) % WIDTH,
            value,
        })
    }

    /// Returns the entry of an opening for the board of its key; `None` if the first part of the book has an entry, or if every
    /// move loses.
    fn opening(&mut self, columns: &[usize]) -> Option<BookEntry> {
        let board = play_all(columns);
        if Book::get().own_entry_at(columns.len(), &board).is_some() {
            return None;
        }
        let is_mirrored = board.key().1;
        let mut position = Position::new(rules());
        for &column in columns {
            position
                .play(Cell::new(column as u16))
                .expect("a legal move");
        }
        let state = self.solver.tables.position(&position);
        let mut root = self.solver.root_moves(&state);
        let (value, bound) = if self.solver.search_root(&state, &mut root, 0) > 0 {
            (BookValue::Win, 0)
        } else if self.solver.search_root(&state, &mut root, -1) > -1 {
            (BookValue::Draw, -1)
        } else {
            return None;
        };
        OPENING_COLUMNS
            .map(|column| mirrored_if(column, is_mirrored))
            .into_iter()
            .find(|&column| {
                let tables = &self.solver.tables;
                let index = root.iter().position(|root| {
                    usize::from(tables.cell(root.stone.first_bit())) % WIDTH == column
                });
                index.is_some_and(|index| {
                    let moves = &mut root[index..=index];
                    self.solver.search_root(&state, moves, bound) > bound
                })
            })
            .map(|column| BookEntry { column, value }.mirrored_if(is_mirrored))
    }

    /// Returns the number of replies to a move that win or that a short search cannot decide.
    fn winning_replies(&mut self, state: &SolverPosition<u64>, stone: u64) -> usize {
        let after = self.solver.tables.play(*state, stone);
        iter_bits(after.open)
            .filter(|&bit| {
                let next = self.solver.tables.play(after, u64::from_bit(bit));
                if (self.solver.tables.completing(next.mover) & next.open).any() {
                    return false;
                }
                let saved_limits = self.solver.budget.push_nodes(REPLY_NODES);
                let value = self.solver.negamax(next, -1, 0);
                let is_unknown = self.solver.budget.halted;
                self.solver.budget.pop(saved_limits);
                is_unknown || value < 0
            })
            .count()
    }
}
