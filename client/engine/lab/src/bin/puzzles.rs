//! Makes the puzzles of the day: positions with exactly one move that begins a forced win.
//!
//! `puzzles make COUNT SEED [GAME...]` writes at most COUNT puzzles for each named game, or only for the given games,
//! to the standard output; `puzzles check FILE` proves each puzzle of a file again. A file has the rules of each game
//! on a line of their own, and below them a line for each puzzle: the moves until its position, a blank, and the main
//! line. A cell is its number in two digits of base 36.
//!
//! A puzzle has a number N. The player to move wins with at most N moves of its own against every defence, and no other
//! first move does. The same holds after each reply of the main line, so that each move but the last has one solution.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::process::ExitCode;
use std::{env, fs, iter};

use noughts_protocol::{Cell, Geometry, Rules};

/// Maximum number of moves of the player in a puzzle. The proof tries all moves and all replies; gravity leaves few of
/// them.
fn max_moves(rules: &Rules) -> usize {
    match rules.cells() {
        _ if rules.gravity() => 4,
        ..=256 => 3,
        _ => 2,
    }
}

/// Maximum number of stones: a puzzle is read at a glance, and its line of the file is short.
const MAX_STONES: usize = 26;
/// One in this many wins in two moves becomes a puzzle: they are the most frequent and the easiest wins.
const SHORT_SHARE: usize = 3;
/// Maximum number of random games for each game of the picker. A small board has fewer puzzles than requested.
const MAX_GAMES: u32 = 6000;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["make", count, seed, games @ ..] => {
            let (Ok(count), Ok(seed)) = (count.parse(), seed.parse()) else {
                eprintln!("COUNT and SEED are numbers");
                return ExitCode::FAILURE;
            };
            make(count, seed, games);
            ExitCode::SUCCESS
        }
        ["check", file] => match fs::read_to_string(file) {
            Ok(text) => check(&text),
            Err(error) => {
                eprintln!("cannot read {file}: {error}");
                ExitCode::FAILURE
            }
        },
        _ => {
            eprintln!("usage: puzzles make COUNT SEED [GAME...] | puzzles check FILE");
            ExitCode::FAILURE
        }
    }
}

/// Writes puzzles of all named games.
fn make(count: usize, seed: u64, games: &[&str]) {
    let is_wanted = |name: &str| games.is_empty() || games.contains(&name);
    for (name, text) in Rules::NAMED.iter().filter(|(name, _)| is_wanted(name)) {
        let rules: Rules = text.parse().expect("a named game has valid rules");
        let mut random = Random(seed);
        let mut seen = HashSet::new();
        let mut puzzles = Vec::new();
        let mut played = 0;
        while puzzles.len() < count && played < MAX_GAMES {
            played += 1;
            if let Some((moves, solution)) = random_puzzle(rules, &mut random)
                && seen.insert(canonical(rules, &moves))
            {
                puzzles.push(format!("{} {}", cells_text(&moves), cells_text(&solution)));
            }
        }
        eprintln!("{name}: {} puzzles in {played} games", puzzles.len());
        println!("{text}");
        for puzzle in puzzles {
            println!("{puzzle}");
        }
    }
}

/// Plays a random game until a position is a puzzle. Returns the moves until then and the main line.
fn random_puzzle(rules: Rules, random: &mut Random) -> Option<(Vec<u16>, Vec<u16>)> {
    let mut board = Board::new(rules);
    let mut moves = Vec::new();
    let mut seat = 0;
    while moves.len() < MAX_STONES {
        let own = board.winning_cells(seat);
        if !own.is_empty() && !rules.misere() {
            return None;
        }
        if moves.len() >= 2
            && let Some(solution) = board.puzzle(seat, max_moves(&rules))
            && (solution.len() > 3 || random.below(SHORT_SHARE) == 0)
        {
            return Some((moves, solution));
        }
        let threats = board.winning_cells(1 - seat);
        let cell = match threats.first() {
            Some(&threat) if !rules.misere() => threat,
            _ => board.natural_move(random)?,
        };
        board.play(cell, seat);
        if board.completes(cell, seat) {
            return None;
        }
        moves.push(cell);
        seat = 1 - seat;
    }
    None
}

/// Proves each puzzle of a file.
fn check(text: &str) -> ExitCode {
    let (mut rules, mut proven, mut failed) = (None, 0, 0);
    for (number, line) in (1..).zip(text.lines()) {
        let Some((moves, solution)) = line.split_once(' ') else {
            rules = line.parse::<Rules>().ok();
            continue;
        };
        let is_proven = rules.is_some_and(|rules| {
            let mut board = Board::new(rules);
            let moves = cells_of(moves);
            for (cell, seat) in moves.iter().zip([0, 1].into_iter().cycle()) {
                board.play(*cell, seat);
            }
            let solution = cells_of(solution);
            board.puzzle(moves.len() % 2, solution.len() / 2 + 1) == Some(solution)
        });
        if is_proven {
            proven += 1;
        } else {
            failed += 1;
            eprintln!("line {number} is not a puzzle");
        }
    }
    println!("{proven} puzzles proven, {failed} failed");
    match failed {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

/// Writes each cell as two digits of base 36.
fn cells_text(cells: &[u16]) -> String {
    let digit = |value: u16| char::from_digit(u32::from(value), 36).expect("a digit");
    cells
        .iter()
        .flat_map(|cell| [digit(cell / 36), digit(cell % 36)])
        .collect()
}

fn cells_of(text: &str) -> Vec<u16> {
    (0..text.len() / 2)
        .map(|index| u16::from_str_radix(&text[2 * index..2 * index + 2], 36).unwrap_or(u16::MAX))
        .collect()
}

/// Returns the same stones for all symmetric positions: the least of the images.
fn canonical(rules: Rules, moves: &[u16]) -> Vec<u16> {
    let geometry = Geometry::cached(rules);
    let images = geometry.symmetries();
    let identity = iter::once(
        (0..rules.cells())
            .map(|cell| Cell::new(cell as u16))
            .collect(),
    );
    identity
        .chain(images)
        .map(|image: Vec<Cell>| {
            let mut sides = [Vec::new(), Vec::new()];
            for (index, cell) in moves.iter().enumerate() {
                sides[index % 2].push(image[usize::from(*cell)].index() as u16);
            }
            for side in &mut sides {
                side.sort_unstable();
            }
            sides.concat()
        })
        .min()
        .expect("a position is its own image")
}

/// Random numbers by the generator SplitMix64: a seed makes the same puzzles on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut value = self.0;
        value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((value ^ (value >> 31)) % limit as u64) as usize
    }
}

/// A window, and the cells before and after it: with `exact` they must not have the same stone.
struct Window {
    cells: Vec<u16>,
    ends: [Option<u16>; 2],
}

/// A position with the number of stones of both seats in each window.
struct Board {
    rules: Rules,
    windows: Vec<Window>,
    through: Vec<Vec<u32>>,
    counts: [Vec<u8>; 2],
    stones: Vec<Option<usize>>,
    below: Vec<Option<u16>>,
    /// The reply that refuted the last attack with this number of moves left: it often refutes the next attack.
    refutations: Vec<u16>,
    moves: Vec<u16>,
}

impl Board {
    fn new(rules: Rules) -> Board {
        let geometry = Geometry::cached(rules);
        let index = |cell: Cell| cell.index() as u16;
        let windows: Vec<Window> = geometry
            .windows()
            .map(|cells| Window {
                cells: cells.iter().map(|cell| index(*cell)).collect(),
                ends: ends(&geometry, cells).map(|end| end.map(index)),
            })
            .collect();
        let mut through = vec![Vec::new(); rules.cells()];
        for (number, window) in (0..).zip(&windows) {
            for cell in &window.cells {
                through[usize::from(*cell)].push(number);
            }
        }
        let mut below = vec![None; rules.cells()];
        if rules.gravity() {
            for cell in (0..rules.cells()).map(|cell| Cell::new(cell as u16)) {
                let column: Vec<Cell> = geometry.column(cell).collect();
                for pair in column.windows(2) {
                    below[pair[1].index()] = Some(index(pair[0]));
                }
            }
        }
        Board {
            counts: [vec![0; windows.len()], vec![0; windows.len()]],
            stones: vec![None; rules.cells()],
            refutations: vec![0; 8],
            moves: Vec::new(),
            rules,
            windows,
            through,
            below,
        }
    }

    fn play(&mut self, cell: u16, seat: usize) {
        self.stones[usize::from(cell)] = Some(seat);
        for window in &self.through[usize::from(cell)] {
            self.counts[seat][*window as usize] += 1;
        }
        self.moves.push(cell);
    }

    fn undo(&mut self) {
        let cell = usize::from(self.moves.pop().expect("a move was played"));
        let seat = self.stones[cell].take().expect("the cell is taken");
        for window in &self.through[cell] {
            self.counts[seat][*window as usize] -= 1;
        }
    }

    fn is_playable(&self, cell: u16) -> bool {
        self.stones[usize::from(cell)].is_none()
            && self.below[usize::from(cell)]
                .is_none_or(|below| self.stones[usize::from(below)].is_some())
    }

    fn playable(&self) -> Vec<u16> {
        (0..self.stones.len() as u16)
            .filter(|cell| self.is_playable(*cell))
            .collect()
    }

    /// Returns whether a full window of this seat is a line.
    fn is_line(&self, window: &Window, seat: usize) -> bool {
        !self.rules.exact()
            || window
                .ends
                .iter()
                .flatten()
                .all(|end| self.stones[usize::from(*end)] != Some(seat))
    }

    /// Returns whether the last stone at a cell completes a line.
    fn completes(&self, cell: u16, seat: usize) -> bool {
        self.through[usize::from(cell)].iter().any(|window| {
            self.counts[seat][*window as usize] == self.rules.line()
                && self.is_line(&self.windows[*window as usize], seat)
        })
    }

    /// Returns the cells that complete a line of a seat now: none, one, or the first two.
    fn winning_cells(&self, seat: usize) -> Vec<u16> {
        let mut found = Vec::new();
        let wanted = self.rules.line() - 1;
        for (number, count) in self.counts[seat].iter().enumerate() {
            if *count != wanted || self.counts[1 - seat][number] != 0 {
                continue;
            }
            let window = &self.windows[number];
            let free = window
                .cells
                .iter()
                .find(|cell| self.stones[usize::from(**cell)].is_none());
            if let Some(&cell) = free
                && !found.contains(&cell)
                && self.is_playable(cell)
                && self.is_line(window, seat)
            {
                found.push(cell);
                if found.len() == 2 {
                    break;
                }
            }
        }
        found
    }

    /// Returns the main line of a puzzle with at most `max` moves of the seat; `None` if the position is not a puzzle.
    fn puzzle(&mut self, seat: usize, max: usize) -> Option<Vec<u16>> {
        let moves = (2..=max).find(|moves| self.wins_in(seat, *moves))?;
        if self.wins_in(seat, moves - 1) {
            return None;
        }
        self.main_line(seat, moves)
    }

    /// Returns the only first move that wins with this number of moves of the seat, then the longest reply, and so on.
    fn main_line(&mut self, seat: usize, moves: usize) -> Option<Vec<u16>> {
        if moves == 1 {
            return self.last_move(seat).map(|cell| vec![cell]);
        }
        let mut first = None;
        for cell in self.playable() {
            if self.move_wins(cell, seat, moves) && first.replace(cell).is_some() {
                return None;
            }
        }
        let first = first?;
        self.play(first, seat);
        let mut line = None;
        // A reply answers a threat. Without a threat, the reply is where a player would look first.
        let mut replies = self.playable();
        let threats = self.winning_cells(seat);
        replies.sort_by_key(|reply| (!threats.contains(reply), Reverse(self.value(*reply))));
        for reply in replies {
            self.play(reply, 1 - seat);
            let is_longest = !self.has_ended(reply, 1 - seat) && !self.wins_in(seat, moves - 2);
            if is_longest && line.is_none() {
                line = self.main_line(seat, moves - 1).map(|rest| (reply, rest));
            }
            self.undo();
        }
        self.undo();
        let (reply, rest) = line?;
        Some([vec![first, reply], rest].concat())
    }

    /// Returns a move that ends the game with a win. In misère the opponent has to complete a line.
    fn last_move(&mut self, seat: usize) -> Option<u16> {
        self.playable()
            .into_iter()
            .find(|cell| self.move_wins(*cell, seat, 1))
    }

    /// Returns whether the game is over after this move.
    fn has_ended(&self, cell: u16, seat: usize) -> bool {
        self.completes(cell, seat) || self.moves.len() == self.stones.len()
    }

    /// Returns whether a seat that is to move wins with at most this number of its own moves.
    fn wins_in(&mut self, seat: usize, moves: usize) -> bool {
        if moves == 0 {
            return false;
        }
        if self.rules.misere() {
            return self
                .playable()
                .into_iter()
                .any(|cell| self.move_wins(cell, seat, moves));
        }
        if !self.winning_cells(seat).is_empty() {
            return true;
        }
        if moves == 1 {
            return false;
        }
        match self.winning_cells(1 - seat).as_slice() {
            [] => self
                .playable()
                .into_iter()
                .any(|cell| self.move_wins(cell, seat, moves)),
            [cell] => self.move_wins(*cell, seat, moves),
            _ => false,
        }
    }

    /// Returns whether a move wins with at most this number of the seat's own moves, itself included.
    fn move_wins(&mut self, cell: u16, seat: usize, moves: usize) -> bool {
        self.play(cell, seat);
        let wins = match self.completes(cell, seat) {
            true => !self.rules.misere(),
            false => self.defence_fails(seat, moves - 1),
        };
        self.undo();
        wins
    }

    /// Returns whether every reply of the opponent loses to an attack of this number of moves. The opponent is to move.
    fn defence_fails(&mut self, seat: usize, moves: usize) -> bool {
        let opponent = 1 - seat;
        if self.rules.misere() {
            let replies = self.playable();
            return !replies.is_empty()
                && replies
                    .into_iter()
                    .all(|reply| self.reply_fails(reply, seat, moves));
        }
        if moves == 0 || !self.winning_cells(opponent).is_empty() {
            return false;
        }
        match self.winning_cells(seat).as_slice() {
            [_, _, ..] => return true,
            [block] => return self.reply_fails(*block, seat, moves),
            [] => {}
        }
        // A pass is the weakest defence where no move is forced by gravity.
        if !self.rules.gravity() && (moves == 1 || !self.wins_in(seat, moves)) {
            return false;
        }
        let replies = self.playable();
        let last = self.refutations[moves];
        if replies.contains(&last) && !self.reply_fails(last, seat, moves) {
            return false;
        }
        for reply in replies.iter().filter(|reply| **reply != last) {
            if !self.reply_fails(*reply, seat, moves) {
                self.refutations[moves] = *reply;
                return false;
            }
        }
        !replies.is_empty()
    }

    /// Returns whether a move of the opponent loses to an attack of this number of moves.
    fn reply_fails(&mut self, reply: u16, seat: usize, moves: usize) -> bool {
        let opponent = 1 - seat;
        self.play(reply, opponent);
        let fails = match self.completes(reply, opponent) {
            true => self.rules.misere(),
            false => self.wins_in(seat, moves),
        };
        self.undo();
        fails
    }

    /// Chooses the best of a few random cells by the windows that they help to fill, as a casual player would.
    fn natural_move(&self, random: &mut Random) -> Option<u16> {
        const TRIES: usize = 4;
        let cells = self.playable();
        (0..TRIES)
            .map(|_| (!cells.is_empty()).then(|| cells[random.below(cells.len())]))
            .collect::<Option<Vec<_>>>()?
            .into_iter()
            .max_by_key(|cell| self.value(*cell))
    }

    /// Returns the value of a cell, which grows with the stones of one seat in the windows through the cell.
    fn value(&self, cell: u16) -> u32 {
        let windows = self.through[usize::from(cell)]
            .iter()
            .map(|window| *window as usize);
        windows
            .map(
                |window| match [0, 1].map(|seat| self.counts[seat][window]) {
                    [0, 0] => 1,
                    [count, 0] | [0, count] => 4_u32.pow(u32::from(count)),
                    _ => 0,
                },
            )
            .sum()
    }
}

/// Returns the cells before and after a window.
fn ends(geometry: &Geometry, cells: &[Cell]) -> [Option<Cell>; 2] {
    let [first, second, ..] = cells else {
        return [None; 2];
    };
    let direction = geometry
        .line_directions()
        .find(|direction| geometry.neighbour(*first, *direction, 1) == Some(*second));
    let Some(direction) = direction else {
        return [None; 2];
    };
    let last = cells[cells.len() - 1];
    [
        geometry.neighbour(*first, direction, -1),
        geometry.neighbour(last, direction, 1),
    ]
}
