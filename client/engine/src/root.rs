//! The choice of a move: deeper and deeper looks at every move of the root, within the limits.

mod attacks;
mod widely;

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use noughts_protocol::{Cell, Position};
use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::{IndexedRandom, SliceRandom};

use super::board::{Board, Completing};
use super::book;
use super::level::Style;
use super::meter::Meter;
use super::mirror;
use super::search::{Handicap, PROVEN, Search, WIN};
use super::shape::Shape;
use super::solve::{Asked, is_small, part_for, solve};
use super::{Level, Limits, Report, Score};
use attacks::Attacks;

/// Positions that are spent on a shorter win, or a longer resistance, once one is found.
const POLISH: u64 = 50_000;
/// Positions that are spent where there is no choice, for the score alone.
const NO_CHOICE: u64 = 5_000;
/// Moves of the root that are looked at where there are very many.
const ROOT_MOVES: usize = 60;
/// What is left of the limits after looking ahead, for the other side's attacks, as a denominator.
const AHEAD: u32 = 4;
const EXPECTED_LINE: usize = 16;

/// Chooses a move. Pure: the same position, level, limits of depth and nodes, and seed give the same
/// report. `elapsed` is the time since the search was asked for; `stop` ends it at once, with the best move
/// so far. `None` when the game is over: there is no move.
///
/// At every level, and even when stopped at once, a line that can be completed is completed, and one that
/// the other side could complete next is prevented.
pub fn choose(
    position: &Position,
    level: Level,
    limits: Limits,
    seed: u64,
    elapsed: &dyn Fn() -> Duration,
    stop: &AtomicBool,
) -> Option<Report> {
    if level.style().depth.is_none()
        && limits.depth.is_none()
        && let Some((best, score)) = book::winning(position)
    {
        return Some(Report { best, score, depth: 0, nodes: 1, line: vec![best] });
    }
    search(position, level.style(), seed, Meter::new(limits, elapsed, stop))
}

/// What a position is worth and the move that shows it, as [`choose`] has it for [`Level::Perfect`], but without
/// the book of openings: that knows what wins, and not how fast.
pub fn judge(
    position: &Position,
    limits: Limits,
    elapsed: &dyn Fn() -> Duration,
    stop: &AtomicBool,
) -> Option<Report> {
    // Always the same choice between equal moves: what is told twice is told alike.
    search(position, Level::Perfect.style(), 0, Meter::new(limits, elapsed, stop))
}

fn search(position: &Position, style: Style, seed: u64, meter: Meter<'_>) -> Option<Report> {
    position.legal_moves().next()?;
    let shape = Shape::new(position.geometry());
    let board = Board::new(&shape, position);
    let handicap = Handicap { force: style.force, noise: style.noise, seed };
    let mut root = Root {
        position,
        style,
        search: Search::new(board, handicap, meter),
        moves: Vec::new(),
        rng: Xoshiro256PlusPlus::seed_from_u64(seed),
        best: (0, 0),
        depth: 0,
    };
    Some(root.choose())
}

/// A move of the root with its value.
type Valued = (i32, u16);

struct Root<'a> {
    position: &'a Position,
    style: Style,
    search: Search<'a>,
    moves: Vec<Valued>,
    rng: Xoshiro256PlusPlus,
    best: Valued,
    /// Plies that were looked ahead in full.
    depth: u32,
}

impl Root<'_> {
    fn choose(&mut self) -> Report {
        if let Some((cell, score)) = self.at_once() {
            return Report { best: cell_of(cell), score, depth: 0, nodes: 1, line: vec![cell_of(cell)] };
        }
        self.list_moves();
        self.best = self.moves[0];
        let limits = self.search.meter.limits;
        let (free, depth) =
            (self.search.board.free as u32, self.style.depth.into_iter().chain(limits.depth).min());
        let deepest = depth.unwrap_or(free).clamp(1, free);
        let settled = self.search.is_settled();
        let small = depth.is_none() && is_small(self.position);
        let mut attacks = if small { None } else { self.look_for_wins(settled) };
        if depth.is_none()
            && let Some(report) = self.solved(limits, attacks.as_ref().is_some_and(|attacks| attacks.held))
        {
            return report;
        }
        if depth.is_none()
            && let Some(best) = mirror::answer(self.position)
        {
            let nodes = self.search.meter.nodes;
            return Report { best, score: Score::Estimate(0), depth: 0, nodes, line: vec![best] };
        }
        if small {
            // It was not solved all the same.
            attacks = self.look_for_wins(settled);
        }
        let proven = if self.style.among > 1 {
            self.look_widely(deepest);
            self.choose_among();
            false
        } else {
            self.look_deeper(deepest, settled, attacks.as_mut())
        };
        let (value, best) = self.best;
        let line = self.search.expected_line(best, EXPECTED_LINE);
        Report {
            best: cell_of(best),
            score: score(value, proven),
            depth: self.depth,
            nodes: self.search.meter.nodes,
            line: line.into_iter().map(cell_of).collect(),
        }
    }

    /// The truth, where the board is small enough for it; it may be known already that the side to move does not win.
    fn solved(&mut self, limits: Limits, held: bool) -> Option<Report> {
        if self.search.meter.halted {
            return None;
        }
        let widely = self.search.handicap.noise > 0;
        let known = self.best.0 > PROVEN;
        let meter = &mut self.search.meter;
        let before = if known {
            meter.begin_nodes(POLISH)
        } else {
            meter.begin_part(1, part_for(self.position, limits))
        };
        let truth = solve(self.position, Asked { widely, held }, meter);
        meter.end_part(before);
        // Of two wins that may not be the shortest the one that is known stands.
        let truth = truth.filter(|truth| truth.exact || !known)?;
        let best = *truth.moves.choose(&mut self.rng)?;
        let score = match truth.plies {
            0 => Score::Draw,
            plies @ 1.. => Score::Win(plies.unsigned_abs()),
            plies => Score::Loss(plies.unsigned_abs()),
        };
        // The line was found for the first of the moves.
        let line = if truth.line.first() == Some(&best) { truth.line } else { vec![best] };
        Some(Report {
            best: cell_of(best),
            score,
            depth: self.search.board.free as u32,
            nodes: self.search.meter.nodes,
            line: line.into_iter().map(cell_of).collect(),
        })
    }

    /// A move that needs no thought.
    fn at_once(&mut self) -> Option<(u16, Score)> {
        let board = &self.search.board;
        let shape = board.shape;
        if board.is_empty() && shape.is_roomy() {
            // The middle, or beside it: nothing is to be seen yet.
            return shape.middle.first().map(|&cell| (cell, Score::Estimate(0)));
        }
        if shape.rules.misere() {
            return None;
        }
        match board.completing(board.turn()) {
            Completing::None => None,
            Completing::One(cell) | Completing::More(cell) => Some((cell, Score::Win(1))),
        }
    }

    /// Lists what may be played: not what loses at once, if anything else is there.
    fn list_moves(&mut self) {
        self.search.board.settle();
        let board = &self.search.board;
        let (shape, seat) = (board.shape, board.turn());
        let open = || board.open.both(&board.open, shape.words);
        let mut cells: Vec<u16> = if shape.rules.misere() {
            open().filter(|&cell| !board.completes(seat, cell)).collect()
        } else if board.completing(1 - seat) != Completing::None {
            open().filter(|&cell| board.completes(1 - seat, cell)).collect()
        } else if shape.is_roomy() {
            board.likely().collect()
        } else {
            open().collect()
        };
        if cells.is_empty() {
            cells = open().collect();
        }
        // Under gravity a stone may be the step to a cell where the other side completes its line.
        let opens_a_line =
            |cell: u16| shape.above(cell).is_some_and(|above| board.completes(1 - seat, above));
        if !shape.rules.misere() && !cells.iter().all(|&cell| opens_a_line(cell)) {
            cells.retain(|&cell| !opens_a_line(cell));
        }
        // Chance decides between moves that look the same.
        cells.shuffle(&mut self.rng);
        self.moves = cells.into_iter().map(|cell| (board.order(cell), cell)).collect();
        self.moves.sort_by_key(|&(order, _)| std::cmp::Reverse(order));
        self.moves.truncate(ROOT_MOVES.max(if self.search.is_exhaustive() { self.moves.len() } else { 0 }));
    }

    /// Looks one ply deeper each time. True when the value of the best move is the truth.
    fn look_deeper(&mut self, deepest: u32, settled: bool, attacks: Option<&mut Attacks>) -> bool {
        let Some(attacks) = attacks.filter(|_| !self.search.meter.halted) else {
            return self.iterate_deeper(deepest, settled);
        };
        // Some of it is kept for what the other side may do then.
        let limits = self.search.meter.begin_part(AHEAD - 1, AHEAD);
        let proven = self.iterate_deeper(deepest, settled);
        self.search.meter.end_part(limits);
        if !proven {
            self.avoid_attacks(attacks);
        }
        proven
    }

    fn iterate_deeper(&mut self, deepest: u32, settled: bool) -> bool {
        let (began, limit) = (self.search.meter.elapsed(), self.search.meter.limits.time);
        let (free, exhaustive) = (self.search.board.free as u32, self.search.is_exhaustive());
        let choice = self.moves.len() > 1 && !settled;
        for depth in 1..=deepest {
            if !self.iterate(depth as i32) {
                return settled;
            }
            self.depth = depth;
            let (value, _) = self.best;
            let proven = value.abs() > PROVEN;
            if depth >= free && exhaustive {
                self.vary();
                return true;
            }
            // Another ply would not get far. Before that, as much of it as is finished counts: the best move is looked
            // at first. What the solver used says nothing about it. The caller's clock may go back.
            let used = self.search.meter.elapsed().saturating_sub(began);
            let time = limit.map(|time| time.saturating_sub(began));
            let late = time.is_some_and(|time| used >= time / 10 * 9);
            let known = proven && (WIN - value.abs() <= depth as i32 || self.search.meter.nodes >= POLISH);
            if known || late || (!choice && self.search.meter.nodes >= NO_CHOICE) {
                return settled;
            }
            self.search.fade();
        }
        false
    }

    /// One look at every move, the best of before first. False when it was cut short.
    fn iterate(&mut self, depth: i32) -> bool {
        let before = self.best;
        let mut best: Option<Valued> = None;
        for place in 0..self.moves.len() {
            let (_, cell) = self.moves[place];
            let alpha = best.map_or(-WIN, |(value, _)| value);
            self.search.board.play(cell);
            let mut value = if best.is_none() {
                -self.search.value(depth - 1, -WIN, WIN, 1)
            } else {
                -self.search.value(depth - 1, -alpha - 1, -alpha, 1)
            };
            if best.is_some() && value > alpha && !self.search.meter.halted {
                value = -self.search.value(depth - 1, -WIN, -alpha, 1);
            }
            self.search.board.undo();
            value = self.own_line(cell).unwrap_or(value);
            if self.search.meter.halted {
                break;
            }
            self.moves[place].0 = value;
            if best.is_none() || value > alpha {
                best = Some((value, cell));
                self.moves[..=place].rotate_right(1);
            }
        }
        // A win that is known already stands until a shorter one is found.
        match best {
            Some(best) if before.0 <= PROVEN || best.0 > before.0 => self.best = best,
            Some(_) | None => {}
        }
        if let Some(place) = self.moves.iter().position(|&(_, cell)| cell == self.best.1) {
            self.moves[..=place].rotate_right(1);
        }
        !self.search.meter.halted
    }

    /// What is left to play in misère may be a line of one's own: that loses at once.
    fn own_line(&self, cell: u16) -> Option<i32> {
        let board = &self.search.board;
        (board.shape.rules.misere() && board.completes(board.turn(), cell)).then_some(-(WIN - 1))
    }
}

fn cell_of(index: u16) -> Cell {
    Cell::new(index)
}

fn score(value: i32, proven: bool) -> Score {
    if value > PROVEN {
        Score::Win((WIN - value).unsigned_abs())
    } else if value < -PROVEN {
        Score::Loss((WIN + value).unsigned_abs())
    } else if proven && value == 0 {
        Score::Draw
    } else {
        Score::Estimate(value)
    }
}
