//! Book of Qubic, which the first player wins (Patashnik, "Qubic: 4×4×4 tic-tac-toe", 1980): the quiet moves of the
//! win.
//!
//! After a book move, every reply leads to another book position, to a line that the first player must block, or to a
//! VCF, which a search finds immediately.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use noughts_protocol::{Cell, Geometry, Position, Rules, Seat};

use crate::Evaluation;
use crate::search_types::{latest_loss, latest_win};
use crate::window_bitboard::{VcfLine, VcfSearch, WindowBitboard, WindowTables};

const RULES: &str = "4x4x4:4";
/// One entry per line of text: the cells played in turn, then the winning cell. `-` means the empty board.
const BOOK_TEXT: &str = include_str!("qubic.txt");
/// The character of each cell, in the order of the indices.
pub const CELL_CHARS: &[u8; 64] =
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz+/";
/// Index of the seat that wins by the book.
pub const ATTACKER: usize = Seat::X.index();
/// Maximum number of positions of a VCF search.
pub const VCF_NODES: u32 = 20_000;
/// Base-2 logarithm of the size of the cache of a VCF search.
const CACHE_BITS: u32 = 12;

/// Returns the first player's move and its evaluation, if the book or a VCF search finds one.
pub(super) fn probe(position: &Position) -> Option<(Cell, Evaluation)> {
    if position.rules() != &rules() || position.turn() != Seat::X {
        return None;
    }
    book().probe(position)
}

/// Returns the value for the second player after a book move, or after a symmetric image of a book move.
pub(super) fn evaluate(position: &Position) -> Option<Evaluation> {
    if position.rules() != &rules() || position.turn() == Seat::X {
        return None;
    }
    let book = book();
    let (canonical, _) =
        WindowBitboard::from_position(&book.tables, position).canonical(&book.tables);
    book.lost
        .contains(&canonical.by_seat)
        .then(|| latest_loss(position))
}

fn book() -> &'static QubicBook {
    static BOOK: OnceLock<QubicBook> = OnceLock::new();
    BOOK.get_or_init(QubicBook::load)
}

/// Returns the rules of the book.
pub fn rules() -> Rules {
    RULES.parse().expect("the rules of the book are valid")
}

struct QubicBook {
    tables: WindowTables,
    /// The winning cell, by the stones of the canonical position.
    best: HashMap<[u64; 2], u8>,
    /// The stones of the canonical positions after the winning cells. The second player is to move.
    lost: HashSet<[u64; 2]>,
}

impl QubicBook {
    fn load() -> QubicBook {
        let tables = WindowTables::new(&Geometry::cached(rules())).expect("the board fits");
        let canonical = |position: &Position| {
            WindowBitboard::from_position(&tables, position).canonical(&tables)
        };
        let (mut best, mut lost) = (HashMap::new(), HashSet::new());
        for (mut position, cell) in entries() {
            let (before, images) = canonical(&position);
            best.insert(before.by_seat, images[cell.index()]);
            position.play(cell).expect("a book move is legal");
            lost.insert(canonical(&position).0.by_seat);
        }
        QubicBook { best, lost, tables }
    }

    fn probe(&self, position: &Position) -> Option<(Cell, Evaluation)> {
        let stones = WindowBitboard::from_position(&self.tables, position);
        if stones.completing(&self.tables, ATTACKER) != 0 {
            // The search completes lines without a book.
            return None;
        }
        let (canonical, images) = stones.canonical(&self.tables);
        if let Some(&best) = self.best.get(&canonical.by_seat) {
            let cell = images.iter().position(|&image| image == best)?;
            return Some((Cell::new(cell as u16), latest_win(position)));
        }
        let win = find_vcf(&self.tables, &stones, VCF_NODES)?;
        Some((Cell::new(u16::from(win.first)), Evaluation::Win(win.plies)))
    }
}

/// Finds a VCF by a search with an empty cache, so that the result does not depend on earlier searches.
pub fn find_vcf(
    windows: &WindowTables,
    stones: &WindowBitboard,
    max_nodes: u32,
) -> Option<VcfLine> {
    VcfSearch::new(CACHE_BITS).find(windows, stones, ATTACKER, max_nodes)
}

/// Returns the entries of the book file.
fn entries() -> Vec<(Position, Cell)> {
    let cell = |name: u8| {
        Some(Cell::new(
            CELL_CHARS.iter().position(|&other| other == name)? as u16,
        ))
    };
    let parse_entry = |line: &str| {
        let (moves, best) = line.split_once(' ')?;
        let mut position = Position::new(rules());
        for name in moves.bytes().filter(|&name| name != b'-') {
            position.play(cell(name)?).ok()?;
        }
        let &[best] = best.as_bytes() else {
            return None;
        };
        Some((position, cell(best)?))
    };
    BOOK_TEXT
        .lines()
        .map(|line| parse_entry(line).unwrap_or_else(|| panic!("invalid book line: {line}")))
        .collect()
}

#[cfg(test)]
mod tests {
    use noughts_protocol::Status;

    use super::*;
    use crate::tests::is_deep;

    /// Returns the cells where a seat completes a line with its next stone.
    fn completing(position: &Position, seat: Seat) -> Vec<Cell> {
        let free = |window: &[Cell]| {
            let mut free = window
                .iter()
                .copied()
                .filter(|&cell| position.stone_at(cell).is_none());
            let own = window
                .iter()
                .filter(|&&cell| position.stone_at(cell) == Some(seat))
                .count();
            free.next().filter(|_| own + 1 == window.len())
        };
        let mut cells: Vec<Cell> = position.geometry().windows().filter_map(free).collect();
        cells.sort_unstable();
        cells.dedup();
        cells
    }

    /// Checks that the first player, who is to move, wins against every reply by the moves of [`probe`]. Stops at other
    /// book entries, which are checked separately, and at positions in `seen`. `is_entry` says whether the position is
    /// the book entry to check.
    fn check_subtree(position: &mut Position, is_entry: bool, seen: &mut HashSet<[u64; 2]>) {
        let tables = &book().tables;
        let is_new = seen.insert(
            WindowBitboard::from_position(tables, position)
                .canonical(tables)
                .0
                .by_seat,
        );
        if !(is_new || is_entry) || !completing(position, Seat::X).is_empty() {
            return;
        }
        let forced = completing(position, Seat::O);
        let best = match probe(position) {
            Some((best, score)) if is_entry && score == latest_win(position) => best,
            Some((_, score)) if score == latest_win(position) => return,
            Some((best, Evaluation::Win(_))) => best,
            None if forced.len() == 1 => forced[0],
            found => panic!("{found:?} {forced:?}: {position:?}"),
        };
        assert_eq!(position.play(best), Ok(Status::Ongoing));
        let threats = completing(position, Seat::X);
        assert_eq!(completing(position, Seat::O), [], "{position:?}");
        let replies = match threats.len() {
            0 => position.legal_moves().collect(),
            // Any other reply loses immediately.
            1 => threats,
            _ => Vec::new(),
        };
        for reply in replies {
            assert_eq!(
                position.play(reply),
                Ok(Status::Ongoing),
                "no reply completes a line"
            );
            check_subtree(position, false, seen);
            position.undo();
        }
        position.undo();
    }

    /// Checks the proof by the rules of the protocol: every reply to an entry, and every VCF that follows. Without
    /// `NOUGHTS_SOLVE=deep`, checks a sample of the entries.
    #[test]
    fn the_first_player_wins_against_every_reply() {
        let deep = is_deep();
        assert!(
            probe(&Position::new(rules())).is_some_and(|(_, score)| score == Evaluation::Win(63)),
            "the book has the empty board"
        );
        let (tables, mut seen, mut checked) = (&book().tables, HashSet::new(), 0);
        for (mut position, best) in entries().into_iter().step_by(if deep { 1 } else { 251 }) {
            let found = probe(&position).expect("an entry");
            assert_eq!(found.1, latest_win(&position));
            // In a symmetric position, the found move may be an image of the stored move.
            let [stored, played] = [best, found.0].map(|cell| {
                let mut after_move = position.clone();
                after_move.play(cell).unwrap();
                WindowBitboard::from_position(tables, &after_move)
                    .canonical(tables)
                    .0
            });
            assert_eq!(stored, played, "{position:?}");
            check_subtree(&mut position, true, &mut seen);
            checked += 1;
        }
        let positions = seen.len();
        if deep {
            println!("{checked} entries, {positions} positions");
        }
        assert!(
            checked > 12 && positions > 1_000,
            "{checked} entries, {positions} positions"
        );
    }

    #[test]
    fn the_images_of_a_book_move_win_too() {
        let after = |cell: usize| {
            let mut position = Position::new(rules());
            position.play(Cell::new(cell as u16)).unwrap();
            evaluate(&position)
        };
        // The eight corners of the cube.
        for corner in [0, 3, 12, 15, 48, 51, 60, 63] {
            assert_eq!(after(corner), Some(Evaluation::Loss(62)), "{corner}");
        }
        assert_eq!(after(1), None, "the book does not know the edge");
        assert_eq!(evaluate(&Position::new(rules())), None);
    }

    #[test]
    fn other_games_are_not_in_the_book() {
        for rules in ["4x4x4:4+gravity", "4x4x4:4+misere", "4x4x4:3", "4x4:4"] {
            assert_eq!(
                probe(&Position::new(rules.parse().unwrap())),
                None,
                "{rules}"
            );
        }
    }
}
