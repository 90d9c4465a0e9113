//! Forced wins with quiet moves among the threats: each move of the attack threatens to win by threats alone (see
//! [`force`](super::force)), so that the other side has few replies. In gomoku these are the threes, in Qubic the
//! long sequences of which its solution consists. (The orders of threats: Thomsen, "Lambda-search in game trees",
//! 2000; what has to be answered: Allis, van den Herik and Huntjens, "Go-Moku and threat-space search", 1993.)
//! In normal free placement only.

use super::board::Completing;
use super::cells::Cells;
use super::force::Forced;
use super::search::Search;
use super::table::{Bound, Found};

/// Threats in a row that are looked for.
const THREATS: u32 = 40;
/// Positions that one look for threats alone may take.
const FORCE: u32 = 2_000;
/// Attacks that are tried at one move: those that seem best.
const ATTACKS: usize = 16;
/// Told apart from all other entries of the table.
const ATTACK_KEY: [u64; 2] = [0x6a09_e667_f3bc_c908, 0xbb67_ae85_84ca_a73b];

impl Search<'_> {
    /// Looks for a win by at most so many quiet moves of the side to move, which can complete no line at once; until
    /// the meter halts.
    pub(super) fn attack(&mut self, quiet: u32) -> Option<Forced> {
        self.force_left = FORCE;
        if let Some(forced) = self.force(THREATS) {
            return Some(forced);
        }
        if quiet == 0 || self.meter.halted {
            return None;
        }
        let seat = self.board.turn();
        let key = self.board.key() ^ ATTACK_KEY[seat];
        let known = self.table.get(key);
        if known.is_some_and(|known| u32::from(known.depth) >= quiet) {
            return None;
        }
        let mut found = None;
        for cell in self.attacks() {
            found = self.attack_with(cell, quiet);
            if found.is_some() || self.meter.halted {
                break;
            }
        }
        if found.is_none() && !self.meter.halted {
            // A failure is remembered, and not a win: what wins is found again faster than it is told here.
            let depth = quiet.min(u32::from(u8::MAX)) as u8;
            self.table.put(key, Found { value: 0, depth, bound: Bound::Most, best: 0 });
        }
        found
    }

    /// The moves that may threaten something, the likeliest first.
    fn attacks(&mut self) -> Vec<u16> {
        self.board.settle();
        let (board, seat) = (&self.board, self.board.turn());
        if let Completing::One(cell) | Completing::More(cell) = board.completing(1 - seat) {
            return vec![cell];
        }
        let mut cells: Vec<u16> = board.likely().filter(|&cell| board.builds(seat, cell)).collect();
        cells.sort_by_key(|&cell| std::cmp::Reverse(board.order(cell)));
        cells.truncate(ATTACKS);
        cells
    }

    /// The win that this move forces, if it does.
    fn attack_with(&mut self, cell: u16, quiet: u32) -> Option<Forced> {
        let seat = self.board.turn();
        self.meter.count();
        self.board.play(cell);
        let plies = self.refute(seat, quiet).map(|plies| plies + 1);
        self.board.undo();
        plies.map(|plies| Forced { first: cell, plies })
    }

    /// Whether every reply to an attack loses all the same: in how many plies at most.
    fn refute(&mut self, attacker: usize, quiet: u32) -> Option<i32> {
        // What the other side can complete itself comes first.
        if self.board.completing(1 - attacker) != Completing::None {
            return None;
        }
        let replies = match self.board.completing(attacker) {
            Completing::None => {
                let line = self.threatened()?;
                self.force_left = FORCE;
                if self.force(THREATS).is_some() || self.meter.halted {
                    return None;
                }
                self.replies(attacker, &line)
            }
            // A threat to complete a line has one reply, and is no quiet move.
            Completing::One(cell) => vec![cell],
            Completing::More(_) => return Some(2),
        };
        let mut longest = 0;
        for reply in replies {
            self.meter.count();
            self.board.play(reply);
            let wins = if self.board.completing(attacker) != Completing::None {
                Some(1)
            } else {
                self.attack(quiet - 1).map(|forced| forced.plies)
            };
            self.board.undo();
            longest = longest.max(wins? + 1);
            if self.meter.halted {
                return None;
            }
        }
        Some(longest)
    }

    /// The threats by which the attacker would win if the other side did nothing: its stones and the replies, in
    /// turns.
    fn threatened(&mut self) -> Option<Vec<u16>> {
        self.board.pass();
        self.force_left = FORCE;
        let line = self.force(THREATS).map(|forced| self.force_line(forced));
        self.board.pass();
        line
    }

    /// What the other side may do about a line of threats: take a cell of it, put a stone that makes a threat of one
    /// of its own replies, or threaten at once.
    fn replies(&self, attacker: usize, line: &[u16]) -> Vec<u16> {
        let (board, words) = (&self.board, self.board.shape.words);
        let mut known = Cells::default();
        let mut replies = Vec::new();
        let mut add = |cell: u16| {
            if board.open.contains(cell) && !known.contains(cell) {
                known.insert(cell);
                replies.push(cell);
            }
        };
        line.iter().copied().for_each(&mut add);
        board.tiers.two.cells[1 - attacker].both(&board.open, words).for_each(&mut add);
        for &reply in line.iter().skip(1).step_by(2) {
            board.windows_through(reply, 1 - attacker).flatten().copied().for_each(&mut add);
        }
        replies
    }

    /// All cells of a win by threats: the stones that threaten and the replies in turns, and where it ends.
    fn force_line(&mut self, forced: Forced) -> Vec<u16> {
        let seat = self.board.turn();
        let (mut line, mut next, mut played) = (Vec::new(), Some(forced.first), 0);
        while let Some(cell) = next.take() {
            self.board.play(cell);
            line.push(cell);
            played += 1;
            match self.board.completing(seat) {
                Completing::One(reply) => {
                    self.board.play(reply);
                    line.push(reply);
                    played += 1;
                    match self.board.completing(seat) {
                        Completing::None => {
                            self.force_left = FORCE;
                            next = self.force(THREATS).map(|forced| forced.first);
                        }
                        Completing::One(last) | Completing::More(last) => line.push(last),
                    }
                }
                Completing::More(_) => line.extend(self.board.all_completing(seat)),
                Completing::None => {}
            }
        }
        (0..played).for_each(|_| self.board.undo());
        line
    }
}
