//! Forced wins: sequences of threats to complete a line, each with one reply only, that end in two
//! threats at once. (Victory by continuous fours: Allis, van den Herik and Huntjens, "Go-Moku and
//! threat-space search", 1993; here for any board.)

use super::board::{Board, Completing};
use super::search::Search;
use super::table::{Bound, Found};

/// Sequences of no more threats are not worth an entry in the table.
const SHALLOW: u32 = 12;
/// Told apart from all other entries of the table.
const FORCE_KEY: [u64; 2] = [0x3c6e_f372_fe94_f82b, 0xa54f_f53a_5f1d_36f1];

/// A win that cannot be averted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Forced {
    /// The move to begin with.
    pub(super) first: u16,
    /// Stones until the line is complete, that one included.
    pub(super) plies: i32,
}

/// Positions in which no sequence of so many threats wins: the same threats in another order lead to the same ones
/// again and again.
pub(super) struct Without {
    /// The key of a position, with the number of threats in its last bits, at the place that its first 16 bits say.
    entries: Box<[u64]>,
}

impl Without {
    /// The most bits: a small table is near at hand, and what is asked for again is asked for soon.
    pub(super) const BITS: u32 = 16;
    /// What the bits for the number of threats can hold.
    const MOST: u64 = 31;

    /// 2^`bits` places, at most 2^[`Without::BITS`].
    pub(super) fn new(bits: u32) -> Without {
        Without { entries: vec![0; 1 << bits.min(Without::BITS)].into() }
    }

    fn knows(&self, key: u64, threats: u32) -> bool {
        let entry = self.entries[self.place(key)];
        (entry ^ key) & !Without::MOST == 0 && entry & Without::MOST >= u64::from(threats)
    }

    fn learn(&mut self, key: u64, threats: u32) {
        let threats = u64::from(threats).min(Without::MOST);
        let place = self.place(key);
        self.entries[place] = key & !Without::MOST | threats;
    }

    fn place(&self, key: u64) -> usize {
        (key >> (64 - Without::BITS)) as usize & (self.entries.len() - 1)
    }
}

impl Search<'_> {
    /// Looks for a win by threats alone, with at most so many of them, while `force_left` lasts.
    ///
    /// The side to move must have no line to complete at once; not for misère.
    pub(super) fn force(&mut self, threats: u32) -> Option<Forced> {
        let seat = self.board.turn();
        let key = self.board.key() ^ FORCE_KEY[seat];
        let deep = threats > SHALLOW;
        if deep && self.table.get(key).is_some_and(|known| u32::from(known.depth) >= threats) {
            return None;
        }
        // A threat of the other side must be met, by a threat if this is to go on.
        let must = match self.board.completing(1 - seat) {
            Completing::None => None,
            Completing::One(cell) => Some(cell),
            Completing::More(_) => return None,
        };
        if self.without.knows(key, threats) {
            return None;
        }
        let first = self.forcing.len();
        let board = &self.board;
        match must {
            Some(cell) => self.forcing.extend(Some(cell).filter(|&cell| makes_threat(board, seat, cell))),
            None if board.shape.rules.gravity() => {
                let open = board.open.both(&board.open, board.shape.words);
                self.forcing.extend(open.filter(|&cell| makes_threat(board, seat, cell)));
            }
            None => self.forcing.extend(board.tiers.two.cells[seat].both(&board.open, board.shape.words)),
        }
        let last = self.forcing.len();
        let mut found = None;
        for place in first..last {
            let cell = self.forcing[place];
            if let Some(plies) = self.force_with(cell, seat, threats)
                && found.is_none_or(|found: Forced| plies < found.plies)
            {
                found = Some(Forced { first: cell, plies });
                // Nothing is shorter than two threats at once; and where much is looked at, any will do.
                if plies == 3 || deep {
                    break;
                }
            }
            if self.meter.halted || self.force_left == 0 {
                break;
            }
        }
        self.forcing.truncate(first);
        let none = found.is_none() && !self.meter.halted && self.force_left > 0;
        // Where there is nothing to try it is seen as fast again.
        if none && first < last {
            self.without.learn(key, threats);
        }
        if none && deep {
            self.table.put(key, Found { value: 0, depth: threats as u8, bound: Bound::Most, best: 0 });
        }
        found
    }

    /// Plies until the win if this threat forces it.
    fn force_with(&mut self, cell: u16, seat: usize, threats: u32) -> Option<i32> {
        self.force_left = self.force_left.saturating_sub(1);
        self.meter.count();
        self.board.play(cell);
        let plies = match (self.board.completing(seat), self.board.completing(1 - seat)) {
            // The other side completes its own line first.
            (_, Completing::One(_) | Completing::More(_)) | (Completing::None, _) => None,
            (Completing::More(_), Completing::None) => Some(3),
            (Completing::One(_), Completing::None) if self.meter.halted => None,
            (Completing::One(reply), Completing::None) => {
                self.meter.count();
                self.board.play(reply);
                let plies = if self.board.completing(seat) != Completing::None {
                    Some(3)
                } else if threats > 1 && self.force_left > 0 && !self.meter.halted && self.board.free > 0 {
                    self.force(threats - 1).map(|forced| forced.plies + 2)
                } else {
                    None
                };
                self.board.undo();
                plies
            }
        };
        self.board.undo();
        plies
    }
}

/// Whether a stone there leaves a window that lacks one stone, or under gravity makes one reachable.
fn makes_threat(board: &Board<'_>, seat: usize, cell: u16) -> bool {
    board.threatens(seat, cell)
        || board.shape.above(cell).is_some_and(|above| board.tiers.one.cells[seat].contains(above))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_many_threats_win_nothing_fewer_do_not_either() {
        for bits in [0, 4, Without::BITS] {
            let mut without = Without::new(bits);
            let key = 0xffff_0000_1234_5678;
            assert!(!without.knows(key, 1) && !without.knows(0, 1));
            without.learn(key, 6);
            assert!(without.knows(key, 6) && without.knows(key, 1) && !without.knows(key, 7));
            assert!(!without.knows(key ^ 1 << 40, 1), "another position at the same place");
            without.learn(key ^ 1 << 40, 2);
            assert!(!without.knows(key, 1), "the latest is kept");
        }
    }
}
