//! Generator of the Connect Four book: winning moves of the first player, found by the solver.
//!
//! The work is split into units that do not depend on each other, so that they can run on several threads and in any
//! order: the same units always give the same book.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use noughts_engine::SearchLimits;
use noughts_engine::internals::connect4::{
    Book, ColumnBoard, WIDTH, mirrored_if, quiet_replies, rules,
};
use noughts_engine::internals::{BitWord, BoardKind, SearchBudget, Solver, SquareLayout, layout};
use noughts_protocol::{Cell, Geometry, Position};

/// 2^24 slots of 16 bytes.
const TABLE_BITS: u32 = 24;

/// A part of the book: the winning column of each position, by key.
pub(crate) type BookPart = BTreeMap<u64, u8>;

/// Move sequences, as digits, to the positions of the book in the tree at this ply: one sequence for each position. The
/// units of [`generate`]. For a ply behind the book, the positions that its last moves lead to.
pub(crate) fn units(ply: usize) -> Vec<String> {
    let mut level = vec![String::new()];
    for _ in 0..ply / 2 {
        let mut next = BTreeMap::new();
        for moves in level {
            let board = play_all(&moves);
            let column = Book::get()
                .column_at(moves.len(), &board)
                .expect("the book has every position of its plies");
            for (board, reply) in quiet_replies(board.play(column)) {
                next.entry(board.key().0)
                    .or_insert_with(|| format!("{moves}{}{}", column + 1, reply + 1));
            }
        }
        level = next.into_values().collect();
    }
    level
}

fn columns(moves: &str) -> impl Iterator<Item = usize> {
    moves.bytes().map(|digit| usize::from(digit - b'1'))
}

fn play_all(moves: &str) -> ColumnBoard {
    columns(moves).fold(ColumnBoard::default(), |board, column| board.play(column))
}

/// Finds a winning move for the position after `moves` and, after each winning move, for every reply, up to `max_ply`.
/// The search has no limits and uses a table of 256 MB.
///
/// Panics if the first player does not win.
pub(crate) fn generate(moves: &str, max_ply: usize) -> BookPart {
    let stop = AtomicBool::new(false);
    let mut budget = SearchBudget::new(SearchLimits::default(), &|| Duration::ZERO, &stop);
    let mut position = Position::new(rules());
    for column in columns(moves) {
        position
            .play(Cell::new(column as u16))
            .expect("the moves are legal");
    }
    let geometry = position.shared_geometry();
    let mut builder = BookBuilder {
        win_search: WinSearch::new(&geometry, &mut budget),
        part: BookPart::new(),
        max_ply,
    };
    builder.visit(&mut position, play_all(moves));
    builder.part
}

struct BookBuilder<'m, 'a> {
    win_search: WinSearch<'m, 'a>,
    part: BookPart,
    max_ply: usize,
}

impl BookBuilder<'_, '_> {
    /// Visits a position with the first player to move.
    fn visit(&mut self, position: &mut Position, board: ColumnBoard) {
        let (key, is_mirrored) = board.key();
        if position.ply() > self.max_ply || self.part.contains_key(&key) {
            return;
        }
        let best = self
            .win_search
            .winning_move(position)
            .expect("the first player wins");
        let column = best.index() % WIDTH;
        self.part
            .insert(key, mirrored_if(column, is_mirrored) as u8);
        position.play(best).expect("a legal move");
        for (board, reply) in quiet_replies(board.play(column)) {
            position
                .play(Cell::new(reply as u16))
                .expect("a legal move");
            self.visit(position, board);
            position.undo();
        }
        position.undo();
    }
}

/// The text of the book: a line for each ply. The moves before `unit_ply` are those of the current book, the others those
/// of the parts, of which an earlier one precedes a later one.
///
/// Panics if a position lacks a move.
pub(crate) fn assemble(parts: &[BookPart], unit_ply: usize, max_ply: usize) -> String {
    let mut text = String::new();
    let mut level = vec![ColumnBoard::default().key().0];
    for ply in (0..=max_ply).step_by(2) {
        let mut next = Vec::new();
        for &key in &level {
            let board = ColumnBoard::from_key(key);
            let column = if ply < unit_ply {
                Book::get().column_at(ply, &board)
            } else {
                parts
                    .iter()
                    .find_map(|part| part.get(&key))
                    .map(|&column| usize::from(column))
            };
            let column = column.unwrap_or_else(|| panic!("no move for the position {key:#x}"));
            text.push(char::from(b'1' + column as u8));
            next.extend(quiet_replies(board.play(column)).map(|(board, _)| board.key().0));
        }
        text.push('\n');
        next.sort_unstable();
        next.dedup();
        level = next;
    }
    text
}

/// A search that finds whether the side to move wins, not how fast, for boards that fit into 64 bits. Many queries share one large
/// table.
struct WinSearch<'m, 'a> {
    solver: Solver<'m, 'a, SquareLayout>,
}

impl<'m, 'a> WinSearch<'m, 'a> {
    /// Panics if the board does not fit.
    fn new(geometry: &Geometry, budget: &'m mut SearchBudget<'a>) -> WinSearch<'m, 'a> {
        let BoardKind::Square(square) = layout(geometry) else {
            panic!("the board does not fit into 64 bits")
        };
        WinSearch {
            solver: Solver::new(square, geometry, TABLE_BITS, budget),
        }
    }

    /// A winning move; `None` without one, and when the budget has halted. The side to move must not be able to complete a
    /// line at once.
    fn winning_move(&mut self, position: &Position) -> Option<Cell> {
        let state = self.solver.tables.position(position);
        let mut root = self.solver.root_moves(&state);
        if let Some(known) = self.solver.tt.get(self.solver.tables.key(&state)) {
            let known = root
                .iter()
                .position(|root| root.stone.first_bit() == u32::from(known.best));
            root[..=known.unwrap_or(0)].rotate_right(1);
        }
        let is_win =
            self.solver.search_root(&state, &mut root, 0) > 0 && !self.solver.budget.halted;
        is_win.then(|| Cell::new(self.solver.tables.cell(root[0].stone.first_bit())))
    }
}
