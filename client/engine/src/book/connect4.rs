//! Book of Connect Four: the winning moves of the first player, up to its fifth stone.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use noughts_protocol::{Cell, Position, Rules, Seat, Status};

use crate::SearchLimits;
use crate::budget::SearchBudget;
use crate::solver::WinSearch;

const RULES: &str = "7x6:4+gravity";
/// One entry per text line: the columns played, counted from 1, and the winning column. `-` stands for the empty board.
const BOOK_TEXT: &str = include_str!("connect4.txt");
/// Maximum number of moves before a book position.
const MAX_PLY: usize = 8;

/// The winning move, if the book has the position or its mirror image.
pub(super) fn probe(position: &Position) -> Option<Cell> {
    if position.ply() > MAX_PLY || position.rules() != &rules() {
        return None;
    }
    static BOOK: OnceLock<HashMap<u64, Cell>> = OnceLock::new();
    BOOK.get_or_init(|| entries().into_iter().flat_map(with_mirror_image).collect())
        .get(&position.key())
        .copied()
}

fn rules() -> Rules {
    RULES.parse().expect("the rules of the book are valid")
}

/// The entries of the book file.
fn entries() -> Vec<(Position, Cell)> {
    let column = |digit: u8| Some(Cell::new(u16::from(digit.checked_sub(b'1')?)));
    let parse_entry = |line: &str| {
        let (moves, best) = line.split_once(' ')?;
        let mut position = Position::new(rules());
        for digit in moves.bytes().filter(|&digit| digit != b'-') {
            position.play(column(digit)?).ok()?;
        }
        let &[best] = best.as_bytes() else { return None };
        let best = position.landing_cell(column(best)?).ok()?;
        Some((position, best))
    };
    BOOK_TEXT
        .lines()
        .map(|line| parse_entry(line).unwrap_or_else(|| panic!("invalid book line: {line}")))
        .collect()
}

fn with_mirror_image((position, best): (Position, Cell)) -> [(u64, Cell); 2] {
    [(position.key(), best), (mirror_image(&position).key(), mirrored(position.rules(), best))]
}

fn mirrored(rules: &Rules, cell: Cell) -> Cell {
    let (width, index) = (usize::from(rules.width()), cell.index());
    Cell::new((index - index % width + (width - 1 - index % width)) as u16)
}

fn mirror_image(position: &Position) -> Position {
    let mut image = Position::with_geometry(position.shared_geometry());
    for &cell in position.moves() {
        image.play(mirrored(position.rules(), cell)).expect("the mirror image of a legal move is legal");
    }
    image
}

/// Generates the book, and emits each line when it is found: some minutes of search with a table of 256 MB.
///
/// The book contains one winning move of the first player for every reply of the second.
pub fn generate(mut emit: impl FnMut(&str)) {
    let stop = AtomicBool::new(false);
    let mut budget = SearchBudget::new(SearchLimits::default(), &|| Duration::ZERO, &stop);
    let mut position = Position::new(rules());
    let geometry = position.shared_geometry();
    let win_search = WinSearch::new(&geometry, &mut budget);
    BookBuilder { win_search, seen: HashSet::new(), emit: &mut emit }.visit(&mut position);
}

struct BookBuilder<'t, 'm, 'a> {
    win_search: WinSearch<'m, 'a>,
    seen: HashSet<u64>,
    emit: &'t mut dyn FnMut(&str),
}

impl BookBuilder<'_, '_, '_> {
    fn visit(&mut self, position: &mut Position) {
        if position.status() != Status::Ongoing || position.ply() > MAX_PLY {
            return;
        }
        if position.turn() == Seat::O {
            for cell in position.legal_moves().collect::<Vec<_>>() {
                self.play(position, cell);
            }
            return;
        }
        // The search completes lines without a book.
        if !is_quiet(position) || !self.seen.insert(position.key()) {
            return;
        }
        self.seen.insert(mirror_image(position).key());
        if let Some(best) = self.win_search.winning_move(position) {
            (self.emit)(&format_entry(position, best));
            self.play(position, best);
        }
    }

    fn play(&mut self, position: &mut Position, cell: Cell) {
        position.play(cell).expect("a legal move");
        self.visit(position);
        position.undo();
    }
}

/// Whether the side to move cannot complete a line at once.
fn is_quiet(position: &Position) -> bool {
    let turn = position.turn();
    !position.legal_moves().any(|cell| position.status_after(cell) == Ok(Status::Won(turn)))
}

fn format_entry(position: &Position, best: Cell) -> String {
    let width = usize::from(position.rules().width());
    let column = |cell: &Cell| char::from(b'1' + (cell.index() % width) as u8);
    let moves: String = position.moves().iter().map(column).collect();
    format!("{} {}", if moves.is_empty() { "-" } else { &moves }, column(&best))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_book_covers_every_reply() {
        fn count_reachable(position: &mut Position) -> usize {
            if position.ply() > MAX_PLY || !is_quiet(position) {
                return 0;
            }
            let best = probe(position).unwrap_or_else(|| panic!("{position:?}"));
            assert_eq!(position.play(best), Ok(Status::Ongoing));
            let mut reachable = 1;
            for reply in position.legal_moves().collect::<Vec<_>>() {
                assert_eq!(position.play(reply), Ok(Status::Ongoing), "no reply ends the game");
                reachable += count_reachable(position);
                position.undo();
            }
            position.undo();
            reachable
        }
        assert_eq!(count_reachable(&mut Position::new(rules())), 1_382, "move sequences");
        assert_eq!(probe(&Position::new("7x6:4".parse().unwrap())), None);
    }

    /// The exact solver confirms a sample of the last book moves, where a small node limit suffices.
    #[test]
    fn book_moves_win() {
        let stop = AtomicBool::new(false);
        let (mut found, mut checked) = (0, 0);
        for (mut position, best) in
            entries().into_iter().filter(|(position, _)| position.ply() == MAX_PLY).step_by(40)
        {
            checked += 1;
            position.play(best).unwrap();
            let limits = SearchLimits { nodes: Some(600_000), ..SearchLimits::default() };
            let mut budget = SearchBudget::new(limits, &|| Duration::ZERO, &stop);
            if let Some(game_value) =
                crate::solver::solve(&position, crate::solver::SolveQuery::default(), &mut budget)
            {
                assert!(game_value.plies < 0, "{position:?} {game_value:?}");
                found += 1;
            }
        }
        assert!(found >= 5, "{found} of {checked}");
    }

    #[test]
    fn book_lines_round_trip() {
        let lines: Vec<&str> = BOOK_TEXT.lines().collect();
        for ((position, best), text) in entries().iter().zip(lines) {
            assert_eq!(format_entry(position, *best), text);
        }
    }
}
