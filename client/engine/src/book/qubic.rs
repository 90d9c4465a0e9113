//! Qubic, which the first side wins (Patashnik, "Qubic: 4×4×4 tic-tac-toe", 1980): its quiet moves. Where one follows
//! the book, whatever the other side replies leads to a position of the book again, to a line that must be prevented, or
//! to a win by threats alone, which is found at once.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use noughts_protocol::{Cell, Geometry, Position, Rules, Seat};

use crate::meter::Meter;
use crate::proof::{Prover, Sequence, Stones, Threats, Windows, each};
use crate::{Limits, Score};

use super::BOOKED;

const RULES: &str = "4x4x4:4";
/// An entry a line: the cells that were played, in turns, then the one that wins. `-` stands for the empty board.
const LINES: &str = include_str!("qubic.txt");
/// A character for each cell, in the order of their numbers.
const NAMES: &[u8; 64] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz+/";
const OWN: usize = Seat::X.index();
/// Positions that a win by threats may take.
const BUDGET: u32 = 20_000;
/// The same where the book ends: what then follows of the win may take more by itself, but hardly ten times as many.
const BUDGET_AT_FIRST: u32 = BUDGET / 10;
/// Positions without such a win that are remembered while it is looked for, as a power of two.
const REMEMBERED_BITS: u32 = 12;
/// Positions that the search for the book may remember, as a power of two.
const NODE_BITS: u32 = 24;

/// What the first side plays, and what it is worth, where that is known.
pub(super) fn winning(position: &Position) -> Option<(Cell, Score)> {
    if position.rules() != &rules() || position.turn() != Seat::X {
        return None;
    }
    book().winning(position)
}

fn book() -> &'static Book {
    static BOOK: OnceLock<Book> = OnceLock::new();
    BOOK.get_or_init(Book::read)
}

fn rules() -> Rules {
    RULES.parse().expect("the rules of the book are rules")
}

struct Book {
    windows: Windows,
    /// By the stones of a position, as [`Windows::turned`] has it.
    best: HashMap<[u64; 2], u8>,
}

impl Book {
    fn read() -> Book {
        let windows = Windows::new(&Geometry::shared(rules())).expect("the board fits");
        let entry = |(position, best): (Position, Cell)| {
            let (turned, images) = windows.turned(&Stones::of(&windows, &position));
            (turned.of, images[best.index()])
        };
        Book { best: entries().into_iter().map(entry).collect(), windows }
    }

    fn winning(&self, position: &Position) -> Option<(Cell, Score)> {
        let stones = Stones::of(&self.windows, position);
        if stones.completing(&self.windows, OWN) != 0 {
            // A line that can be completed is completed without a book.
            return None;
        }
        let (turned, images) = self.windows.turned(&stones);
        if let Some(&best) = self.best.get(&turned.of) {
            let cell = images.iter().position(|&image| image == best)?;
            return Some((Cell::new(cell as u16), BOOKED));
        }
        let win = by_threats(&self.windows, &stones, BUDGET)?;
        Some((Cell::new(u16::from(win.first)), Score::Win(win.plies)))
    }
}

/// A win by threats that is found whatever was looked at before.
fn by_threats(windows: &Windows, stones: &Stones, budget: u32) -> Option<Sequence> {
    Threats::new(REMEMBERED_BITS).win(windows, stones, OWN, budget)
}

/// The book as it stands in its file.
fn entries() -> Vec<(Position, Cell)> {
    let cell = |name: u8| Some(Cell::new(NAMES.iter().position(|&other| other == name)? as u16));
    let entry = |line: &str| {
        let (moves, best) = line.split_once(' ')?;
        let mut position = Position::new(rules());
        for name in moves.bytes().filter(|&name| name != b'-') {
            position.play(cell(name)?).ok()?;
        }
        let &[best] = best.as_bytes() else { return None };
        Some((position, cell(best)?))
    };
    LINES
        .lines()
        .map(|line| entry(line).unwrap_or_else(|| panic!("not a line of the book: {line}")))
        .collect()
}

/// Makes the book, line by line as they are found: sixteen seconds of search. A quiet move for each position that can
/// come about, whatever the other side replies; positions that are the same but for the names of their cells once.
pub fn make(mut tell: impl FnMut(&str)) {
    let geometry = Geometry::shared(rules());
    let stop = AtomicBool::new(false);
    let mut meter = Meter::new(Limits::default(), &|| Duration::ZERO, &stop);
    let mut prover = Prover::new(&geometry, OWN, NODE_BITS).expect("the board fits");
    let (mut seen, mut open) = (HashSet::new(), vec![Stones::NONE]);
    while let Some(stones) = open.pop() {
        let (stones, _) = prover.windows.turned(&stones);
        if !seen.insert(stones.of)
            || stones.completing(&prover.windows, OWN) != 0
            || by_threats(&prover.windows, &stones, BUDGET_AT_FIRST).is_some()
        {
            continue;
        }
        let win =
            prover.win(&stones, &mut meter).unwrap_or_else(|| panic!("the first side wins: {stones:?}"));
        if stones.completing(&prover.windows, 1 - OWN) == 0 {
            tell(&line(&stones, win.first));
        }
        let next = stones.play(&prover.windows, OWN, win.first);
        let replies = each(next.free(&prover.windows));
        open.extend(replies.map(|reply| next.play(&prover.windows, 1 - OWN, reply)));
    }
}

fn line(stones: &Stones, best: u8) -> String {
    let name = |cell: u8| char::from(NAMES[usize::from(cell)]);
    let [first, second] = stones.of.map(each);
    let moves: String = first.zip(second).flat_map(|(first, second)| [name(first), name(second)]).collect();
    format!("{} {}", if moves.is_empty() { "-" } else { &moves }, name(best))
}

#[cfg(test)]
mod tests {
    use noughts_protocol::Status;

    use super::*;

    /// The cells where a seat completes a line with its next stone.
    fn completing(position: &Position, seat: Seat) -> Vec<Cell> {
        let free = |window: &[Cell]| {
            let mut free = window.iter().copied().filter(|&cell| position.at(cell).is_none());
            let own = window.iter().filter(|&&cell| position.at(cell) == Some(seat)).count();
            free.next().filter(|_| own + 1 == window.len())
        };
        let mut cells: Vec<Cell> = position.geometry().windows().filter_map(free).collect();
        cells.sort_unstable();
        cells.dedup();
        cells
    }

    /// Plays the first side's moves from a position where it is to move and the book leads on: that it wins, unless the
    /// book has the position, which is looked at on its own. Takes note of those that it came by.
    fn follow(position: &mut Position, begin: bool, seen: &mut HashSet<[u64; 2]>) {
        let windows = &book().windows;
        let is_new = seen.insert(windows.turned(&Stones::of(windows, position)).0.of);
        if !(is_new || begin) || !completing(position, Seat::X).is_empty() {
            return;
        }
        let must = completing(position, Seat::O);
        let best = match winning(position) {
            Some((best, BOOKED)) if begin => best,
            Some((_, BOOKED)) => return,
            Some((best, Score::Win(_))) => best,
            None if must.len() == 1 => must[0],
            found => panic!("{found:?} {must:?}: {position:?}"),
        };
        assert_eq!(position.play(best), Ok(Status::Ongoing));
        let threats = completing(position, Seat::X);
        assert_eq!(completing(position, Seat::O), [], "{position:?}");
        let replies = match threats.len() {
            0 => position.legal_moves().collect(),
            // Anything else loses at once.
            1 => threats,
            _ => Vec::new(),
        };
        for reply in replies {
            assert_eq!(position.play(reply), Ok(Status::Ongoing), "the other side completes no line");
            follow(position, false, seen);
            position.undo();
        }
        position.undo();
    }

    /// The whole proof: every entry, every reply to it, and every line of threats that follows, by the rules of the
    /// protocol. `NOUGHTS_SOLVE=deep` follows all entries, else some.
    #[test]
    fn whatever_the_other_side_replies_the_first_wins() {
        let deep = std::env::var("NOUGHTS_SOLVE").is_ok_and(|value| value == "deep");
        assert!(
            winning(&Position::new(rules())).is_some_and(|(_, score)| score == BOOKED),
            "it begins there"
        );
        let (windows, mut seen, mut followed) = (&book().windows, HashSet::new(), 0);
        for (mut position, best) in entries().into_iter().step_by(if deep { 1 } else { 61 }) {
            let found = winning(&position).expect("an entry");
            assert_eq!(found.1, BOOKED);
            // A position may be its own image: then so may the move.
            let [written, played] = [best, found.0].map(|cell| {
                let mut then = position.clone();
                then.play(cell).unwrap();
                windows.turned(&Stones::of(windows, &then)).0
            });
            assert_eq!(written, played, "{position:?}");
            follow(&mut position, true, &mut seen);
            followed += 1;
        }
        let positions = seen.len();
        if deep {
            println!("{followed} entries, {positions} positions");
        }
        assert!(followed > 50 && positions > 1_000, "{followed} entries, {positions} positions");
    }

    #[test]
    fn a_line_is_read_as_it_is_written() {
        let lines: Vec<&str> = LINES.lines().collect();
        let windows = &book().windows;
        for ((position, best), text) in entries().iter().zip(lines) {
            assert_eq!(line(&Stones::of(windows, position), best.index() as u8), text);
        }
    }

    #[test]
    fn other_games_are_not_in_it() {
        for rules in ["4x4x4:4+gravity", "4x4x4:4+misere", "4x4x4:3", "4x4:4"] {
            assert_eq!(winning(&Position::new(rules.parse().unwrap())), None, "{rules}");
        }
    }
}
