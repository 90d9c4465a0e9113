//! Alpha-beta: how good a position is for the side to move, so many plies ahead.
//!
//! Values count from the root: a line completed by the n-th stone from there is worth `WIN - n`, so that
//! the shorter win and the longer resistance are the better ones.

use super::board::{Board, Completing};
use super::force::Without;
use super::meter::Meter;
use super::pairing::Pairing;
use super::shape::{NOWHERE, mix};
use super::table::{Bound, Found, Table};

/// More than any estimate; see the top of this file.
pub(super) const WIN: i32 = 1_000_000;
/// Values beyond this are wins, and below its negative losses: no game has 2 000 plies.
pub(super) const PROVEN: i32 = WIN - 2_000;
const ESTIMATE_AT_MOST: i32 = 500_000;
/// With more moves than this to choose from, only the likeliest are looked at.
const WIDE: usize = 64;
/// How much what refuted other moves counts: less than a threat, or the threats would come late.
const HISTORY_AT_MOST: i32 = 1 << 10;
/// By how much a quiet move may better the estimate, for each ply that is still looked ahead.
const QUIET_GAIN: i32 = 70;

/// Everything that one search has at hand.
pub(super) struct Search<'a> {
    pub(super) board: Board<'a>,
    pub(super) table: Table,
    /// By cell and seat: how often a move there refuted the other's.
    history: Vec<[i32; 2]>,
    /// By ply: the last two moves that did.
    killers: Vec<[u16; 2]>,
    /// The moves of all plies under way, one after the other.
    moves: Vec<Ranked>,
    /// The same for forced sequences.
    pub(super) forcing: Vec<u16>,
    /// Where no forced sequence wins.
    pub(super) without: Without,
    pairing: Pairing,
    pub(super) handicap: Handicap,
    pub(super) meter: Meter<'a>,
    pub(super) force_left: u32,
}

/// A move with how likely it is to be good, in one word: the greater is the likelier, and of equals the cell
/// that comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Ranked(i64);

impl Ranked {
    fn new(likely: i32, cell: u16) -> Ranked {
        Ranked(i64::from(likely) << 16 | i64::from(!cell))
    }

    fn cell(self) -> u16 {
        !(self.0 as u16)
    }
}

/// What a level does without, or in addition.
#[derive(Clone, Copy, Debug)]
pub(super) struct Handicap {
    /// Positions that may be spent on forced sequences at one leaf; 0: none.
    pub(super) force: u32,
    /// Estimates are off by up to so much, by this seed: variety among moves of about the same worth.
    pub(super) noise: u32,
    pub(super) seed: u64,
}

impl<'a> Search<'a> {
    pub(super) fn new(board: Board<'a>, handicap: Handicap, meter: Meter<'a>) -> Search<'a> {
        // Few empty cells, few positions.
        let few = board.free <= 9;
        let bits = if few { 12 } else { 20 };
        let forces = handicap.force > 0 && !board.shape.rules.misere();
        let without_bits = if few || !forces { 4 } else { Without::BITS };
        Search {
            table: Table::new(bits),
            history: vec![[0; 2]; board.shape.cells],
            killers: vec![[NOWHERE; 2]; board.shape.cells + 2],
            moves: Vec::with_capacity(1024),
            forcing: Vec::new(),
            without: Without::new(without_bits),
            pairing: Pairing::default(),
            handicap,
            meter,
            force_left: 0,
            board,
        }
    }

    /// Whether neither side can force anything: both can be held by pairs.
    pub(super) fn is_settled(&mut self) -> bool {
        (0..2).all(|seat| self.pairing.holds(&self.board, seat))
    }

    /// Whether every move is looked at, so that a full depth is the truth.
    pub(super) fn is_exhaustive(&self) -> bool {
        let open = &self.board.open;
        !self.board.shape.is_roomy() && open.both(open, self.board.shape.words).count() <= WIDE
    }

    /// Forgets half of what refuted what, before the next iteration.
    pub(super) fn fade(&mut self) {
        for history in self.history.as_flattened_mut() {
            *history /= 2;
        }
    }

    /// The value of the position within the window, so many plies ahead; `ply` from the root.
    pub(super) fn value(&mut self, depth: i32, mut alpha: i32, mut beta: i32, ply: i32) -> i32 {
        self.meter.count();
        if self.meter.halted || self.board.free == 0 || (0..2).all(|seat| self.board.alive(seat) == 0) {
            return 0;
        }
        let (seat, misere) = (self.board.turn(), self.board.shape.rules.misere());
        let mut only = None;
        if !misere {
            if self.board.completing(seat) != Completing::None {
                return WIN - (ply + 1);
            }
            match self.board.completing(1 - seat) {
                Completing::More(_) => return -(WIN - (ply + 2)),
                Completing::One(cell) => only = Some(cell),
                Completing::None => {}
            }
        }
        // Who has no window left cannot complete a line; and no line is completed sooner than this.
        let can = |seat: usize| self.board.alive(if misere { 1 - seat } else { seat }) > 0;
        // The proof by pairs is for where it saves much: not beside the leaves.
        let pairs = depth >= 2 && only.is_none();
        let held = |pairing: &mut Pairing, seat| pairs && pairing.holds(&self.board, seat);
        let can_not = |pairing: &mut Pairing, seat| !can(seat) || held(pairing, seat);
        let most = if can_not(&mut self.pairing, seat) { 0 } else { WIN - (ply + 2) };
        let least = if can_not(&mut self.pairing, 1 - seat) { 0 } else { -(WIN - (ply + 1)) };
        if most <= alpha {
            return most;
        }
        if least >= beta {
            return least;
        }
        (alpha, beta) = (alpha.max(least), beta.min(most));
        if depth <= 0 && only.is_none() {
            return self.leaf(ply);
        }

        let depth = depth.max(0);
        let key = self.board.key();
        let known = self.table.get(key);
        if let Some(value) = known.and_then(|found| cutoff(found, depth, alpha, beta)) {
            return value;
        }
        let first = self.moves.len();
        self.list_moves(only, known.map_or(NOWHERE, |found| found.best), depth, ply);
        if self.moves.len() == first {
            // Misère: whatever is played completes a line.
            return -(WIN - (ply + 1));
        }
        let (value, best) = self.best_move(first, only.is_some(), depth, alpha, beta, ply);
        self.moves.truncate(first);
        if !self.meter.halted {
            let bound = if value >= beta {
                Bound::Least
            } else if value <= alpha {
                Bound::Most
            } else {
                Bound::Exact
            };
            let depth = depth.min(i32::from(u8::MAX)) as u8;
            self.table.put(key, Found { value, depth, bound, best });
        }
        value
    }

    /// Plays the listed moves, the likeliest first, until one is too good to be allowed.
    fn best_move(
        &mut self,
        first: usize,
        forced: bool,
        depth: i32,
        mut alpha: i32,
        beta: i32,
        ply: i32,
    ) -> (i32, u16) {
        let (seat, count) = (self.board.turn(), self.moves.len() - first);
        let full = depth >= self.board.free as i32;
        let hopeless = if forced { None } else { self.hopeless(depth, alpha) };
        let mut best = (-WIN, self.moves[first].cell());
        for number in 0..count {
            let cell = self.pick(first + number);
            // A forced reply is no choice, and costs no depth.
            let next = if forced { depth } else { depth - 1 };
            let quiet = !self.board.threatens(seat, cell) && !self.board.threatens(1 - seat, cell);
            if number > 0
                && quiet
                && let Some(bound) = hopeless
            {
                // What was not looked at may be as good as that: a loss by all other moves is no proof.
                best.0 = best.0.max(bound);
                continue;
            }
            let late = number >= 4 && depth >= 3 && quiet && !full;
            let reduced = if late { next - 1 - i32::from(number >= 16) } else { next };
            self.board.play(cell);
            let mut value = if number == 0 {
                -self.value(next, -beta, -alpha, ply + 1)
            } else {
                -self.value(reduced, -alpha - 1, -alpha, ply + 1)
            };
            if value > alpha && reduced < next {
                value = -self.value(next, -alpha - 1, -alpha, ply + 1);
            }
            if number > 0 && value > alpha && value < beta {
                value = -self.value(next, -beta, -alpha, ply + 1);
            }
            self.board.undo();
            if self.meter.halted {
                return best;
            }
            if value > best.0 {
                best = (value, cell);
            }
            alpha = alpha.max(value);
            if alpha >= beta {
                self.remember(cell, seat, depth, ply);
                break;
            }
        }
        best
    }

    /// What a quiet move comes to at most, if so close to the end of the looking ahead none can make up for the
    /// estimate. Only where not every move is looked at anyway, and not for levels that look no further than that.
    fn hopeless(&self, depth: i32, alpha: i32) -> Option<i32> {
        let cuts = self.handicap.force > 0
            && self.board.shape.is_roomy()
            && (1..=2).contains(&depth)
            && alpha.abs() < PROVEN;
        let bound = || (self.board.estimate() + QUIET_GAIN * depth).max(-ESTIMATE_AT_MOST);
        cuts.then(bound).filter(|&bound| bound <= alpha)
    }

    /// Lists the moves to look at, each with how likely it seems.
    fn list_moves(&mut self, only: Option<u16>, known: u16, depth: i32, ply: i32) {
        if let Some(cell) = only {
            self.moves.push(Ranked::new(0, cell));
            return;
        }
        self.board.settle();
        let (board, seat) = (&self.board, self.board.turn());
        let (shape, first) = (board.shape, self.moves.len());
        let killers = self.killers[ply as usize % self.killers.len()];
        for cell in board.likely() {
            if shape.rules.misere() && board.completes(seat, cell) {
                continue;
            }
            let mut likely = board.order(cell) + self.history[usize::from(cell)][seat];
            if cell == known {
                likely = i32::MAX;
            } else if killers.contains(&cell) {
                likely += HISTORY_AT_MOST;
            }
            self.moves.push(Ranked::new(likely, cell));
        }
        if self.moves.len() == first && shape.is_roomy() {
            // Nothing is free near the stones: anything will do.
            let open = board.open.both(&board.open, shape.words);
            self.moves.extend(open.take(WIDE).map(|cell| Ranked::new(0, cell)));
        }
        let most = match depth {
            ..=2 => 12,
            3..=5 => 20,
            _ => 28,
        };
        if (shape.is_roomy() && self.moves.len() - first > most) || self.moves.len() - first > WIDE {
            let listed = &mut self.moves[first..];
            listed.select_nth_unstable_by(most, |a, b| b.cmp(a));
            self.moves.truncate(first + most);
        }
    }

    /// Takes the likeliest of the moves from `at` on to `at`.
    fn pick(&mut self, at: usize) -> u16 {
        let rest = &mut self.moves[at..];
        let likeliest = (0..rest.len()).max_by_key(|&place| rest[place]);
        rest.swap(0, likeliest.unwrap_or(0));
        rest[0].cell()
    }

    /// A move was too good to be allowed: it is worth trying early elsewhere too.
    fn remember(&mut self, cell: u16, seat: usize, depth: i32, ply: i32) {
        let history = &mut self.history[usize::from(cell)][seat];
        *history = (*history + depth * depth).min(HISTORY_AT_MOST);
        let at = ply as usize % self.killers.len();
        let killers = &mut self.killers[at];
        if killers[0] != cell {
            *killers = [cell, killers[0]];
        }
    }

    /// The value where the looking ahead ends: a forced win if there is one, else an estimate.
    fn leaf(&mut self, ply: i32) -> i32 {
        if self.handicap.force > 0 && !self.board.shape.rules.misere() {
            self.force_left = self.handicap.force;
            if let Some(win) = self.force(6) {
                return WIN - (ply + win.plies);
            }
        }
        let mut estimate = self.board.estimate();
        if self.handicap.noise > 0 {
            let chance = mix(self.board.key() ^ self.handicap.seed) % u64::from(2 * self.handicap.noise + 1);
            estimate += chance as i32 - self.handicap.noise as i32;
        }
        // Without windows of one's own there is nothing to hope for, whatever the estimate.
        estimate.clamp(-ESTIMATE_AT_MOST, ESTIMATE_AT_MOST)
    }

    /// What is expected from here: the best moves as far as they are remembered.
    pub(super) fn expected_line(&mut self, first: u16, at_most: usize) -> Vec<u16> {
        let mut line = vec![first];
        let misere = self.board.shape.rules.misere();
        let over = |board: &Board<'_>, cell| board.completes(board.turn(), cell);
        let mut ended = over(&self.board, first);
        self.board.play(first);
        while !ended && self.board.free > 0 && line.len() < at_most {
            let seat = self.board.turn();
            let known = self.table.get(self.board.key()).map(|found| found.best);
            let next = match (self.board.completing(seat), self.board.completing(1 - seat)) {
                (Completing::One(cell) | Completing::More(cell), _) if !misere => Some(cell),
                (_, Completing::One(cell) | Completing::More(cell)) if !misere => Some(cell),
                _ => known,
            };
            let Some(cell) = next.filter(|&cell| cell != NOWHERE && self.board.open.contains(cell)) else {
                break;
            };
            ended = over(&self.board, cell);
            self.board.play(cell);
            line.push(cell);
        }
        for _ in &line {
            self.board.undo();
        }
        line
    }
}

/// A value that needs no search: what is known is deep enough, or proves a win or a loss.
///
/// A position has as many stones whichever way it came about: its distance from the root is always the same,
/// and so is the value of a win there.
fn cutoff(found: Found, depth: i32, alpha: i32, beta: i32) -> Option<i32> {
    let value = found.value;
    let deep = i32::from(found.depth) >= depth;
    let at_least = found.bound != Bound::Most && (deep || value > PROVEN);
    let at_most = found.bound != Bound::Least && (deep || value < -PROVEN);
    let exact = found.bound == Bound::Exact && deep;
    (exact || (at_least && value >= beta) || (at_most && value <= alpha)).then_some(value)
}
