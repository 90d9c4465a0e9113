//! Forced wins: sequences of threats to complete a line, each with one reply only, that end in two
//! threats at once. (Victory by continuous fours: Allis, van den Herik and Huntjens, "Go-Moku and
//! threat-space search", 1993; here for any board.)

use crate::alpha_beta::search::AlphaBetaSearch;
use crate::alpha_beta::transposition::{Bound, TtEntry};
use crate::board::{CompletingCells, SearchBoard};

/// Sequences of no more threats are not worth an entry in the table.
const MAX_SHALLOW_THREATS: u32 = 12;
/// Told apart from all other entries of the table.
const VCF_KEY: [u64; 2] = [0x3c6e_f372_fe94_f82b, 0xa54f_f53a_5f1d_36f1];

/// A win that cannot be averted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct VcfWin {
    /// The move to begin with.
    pub(super) first: u16,
    /// Stones until the line is complete, that one included.
    pub(super) plies: i32,
}

/// Positions in which no sequence of so many threats wins: the same threats in another order lead to the same ones
/// again and again.
pub(super) struct NoVcfCache {
    /// The key of a position, with the number of threats in its last bits, at the place that its first 16 bits say.
    entries: Box<[u64]>,
}

impl NoVcfCache {
    /// The most bits: a small table is near at hand, and what is asked for again is asked for soon.
    pub(super) const MAX_BITS: u32 = 16;
    /// What the bits for the number of threats can hold.
    const MAX_THREATS: u64 = 31;

    /// 2^`bits` places, at most 2^[`NoVcfCache::MAX_BITS`].
    pub(super) fn new(bits: u32) -> NoVcfCache {
        NoVcfCache { entries: vec![0; 1 << bits.min(NoVcfCache::MAX_BITS)].into() }
    }

    fn contains(&self, key: u64, threats: u32) -> bool {
        let entry = self.entries[self.slot(key)];
        (entry ^ key) & !NoVcfCache::MAX_THREATS == 0 && entry & NoVcfCache::MAX_THREATS >= u64::from(threats)
    }

    fn insert(&mut self, key: u64, threats: u32) {
        let threats = u64::from(threats).min(NoVcfCache::MAX_THREATS);
        let slot = self.slot(key);
        self.entries[slot] = key & !NoVcfCache::MAX_THREATS | threats;
    }

    fn slot(&self, key: u64) -> usize {
        (key >> (64 - NoVcfCache::MAX_BITS)) as usize & (self.entries.len() - 1)
    }
}

impl AlphaBetaSearch<'_> {
    /// Looks for a win by threats alone, with at most so many of them, while `force_left` lasts.
    ///
    /// The side to move must have no line to complete at once; not for misère.
    pub(super) fn find_vcf(&mut self, threats: u32) -> Option<VcfWin> {
        let seat = self.board.turn();
        let key = self.board.key() ^ VCF_KEY[seat];
        let is_deep = threats > MAX_SHALLOW_THREATS;
        if is_deep && self.tt.get(key).is_some_and(|known| u32::from(known.depth) >= threats) {
            return None;
        }
        // A threat of the other side must be met, by a threat if this is to go on.
        let forced_move = match self.board.completing(1 - seat) {
            CompletingCells::None => None,
            CompletingCells::One(cell) => Some(cell),
            CompletingCells::More(_) => return None,
        };
        if self.no_vcf.contains(key, threats) {
            return None;
        }
        let first = self.vcf_moves.len();
        let board = &self.board;
        match forced_move {
            Some(cell) => self.vcf_moves.extend(Some(cell).filter(|&cell| makes_threat(board, seat, cell))),
            None if board.tables.rules.gravity() => {
                let open = board.open.intersection(&board.open, board.tables.words);
                self.vcf_moves.extend(open.filter(|&cell| makes_threat(board, seat, cell)));
            }
            None => self.vcf_moves.extend(
                board.threat_sets.lacking_two.cells[seat].intersection(&board.open, board.tables.words),
            ),
        }
        let last = self.vcf_moves.len();
        let mut best = None;
        for index in first..last {
            let cell = self.vcf_moves[index];
            if let Some(plies) = self.try_threat(cell, seat, threats)
                && best.is_none_or(|found: VcfWin| plies < found.plies)
            {
                best = Some(VcfWin { first: cell, plies });
                // Nothing is shorter than two threats at once; and where much is looked at, any will do.
                if plies == 3 || is_deep {
                    break;
                }
            }
            if self.budget.halted || self.vcf_nodes_left == 0 {
                break;
            }
        }
        self.vcf_moves.truncate(first);
        let is_refuted = best.is_none() && !self.budget.halted && self.vcf_nodes_left > 0;
        // Where there is nothing to try it is seen as fast again.
        if is_refuted && first < last {
            self.no_vcf.insert(key, threats);
        }
        if is_refuted && is_deep {
            self.tt.put(key, TtEntry { value: 0, depth: threats as u8, bound: Bound::Upper, best: 0 });
        }
        best
    }

    /// Plies until the win if this threat forces it.
    fn try_threat(&mut self, cell: u16, seat: usize, threats: u32) -> Option<i32> {
        self.vcf_nodes_left = self.vcf_nodes_left.saturating_sub(1);
        self.budget.count_node();
        self.board.play(cell);
        let plies = match (self.board.completing(seat), self.board.completing(1 - seat)) {
            // The other side completes its own line first.
            (_, CompletingCells::One(_) | CompletingCells::More(_)) | (CompletingCells::None, _) => None,
            (CompletingCells::More(_), CompletingCells::None) => Some(3),
            (CompletingCells::One(_), CompletingCells::None) if self.budget.halted => None,
            (CompletingCells::One(reply), CompletingCells::None) => {
                self.budget.count_node();
                self.board.play(reply);
                let plies = if self.board.completing(seat) != CompletingCells::None {
                    Some(3)
                } else if threats > 1
                    && self.vcf_nodes_left > 0
                    && !self.budget.halted
                    && self.board.free_cells > 0
                {
                    self.find_vcf(threats - 1).map(|forced| forced.plies + 2)
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
fn makes_threat(board: &SearchBoard<'_>, seat: usize, cell: u16) -> bool {
    board.is_threat(seat, cell)
        || board
            .tables
            .above(cell)
            .is_some_and(|above| board.threat_sets.lacking_one.cells[seat].contains(above))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_many_threats_win_nothing_fewer_do_not_either() {
        for bits in [0, 4, NoVcfCache::MAX_BITS] {
            let mut cache = NoVcfCache::new(bits);
            let key = 0xffff_0000_1234_5678;
            assert!(!cache.contains(key, 1) && !cache.contains(0, 1));
            cache.insert(key, 6);
            assert!(cache.contains(key, 6) && cache.contains(key, 1) && !cache.contains(key, 7));
            assert!(!cache.contains(key ^ 1 << 40, 1), "another position at the same place");
            cache.insert(key ^ 1 << 40, 2);
            assert!(!cache.contains(key, 1), "the latest is kept");
        }
    }
}
