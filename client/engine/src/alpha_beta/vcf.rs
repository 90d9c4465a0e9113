//! Victory by continuous fours (VCF) on a [`SearchBoard`]: sequences of threats to complete a line, each with a single
//! reply, that end in a double threat (Allis, van den Herik and Huntjens, "Go-Moku and threat-space search", 1993).
//!
//! `window_bitboard.rs` has a second version for a `WindowBitboard`. This version supports every board and rule, and
//! shares the incremental state of the alpha-beta search. The second version also returns the cells of the winning
//! sequence, and is several times faster on boards that fit into one word.

use std::cmp::Reverse;

use noughts_protocol::{RuleFlag, Rules};

use crate::board::cell_sets::CellSet;
use crate::board::{CompletingCells, SearchBoard, ThreatKind};
use crate::budget::SearchBudget;
use crate::transposition::{Bound, TranspositionTable, TtEntry};

/// Searches with at most this many threats are not stored in the transposition table.
const MAX_SHALLOW_THREATS: u32 = 12;
/// Plies of a win by a double threat: the threat, a reply and the line.
const DOUBLE_THREAT_PLIES: i32 = 3;
/// For each seat, a number that makes keys of VCF entries differ from other keys in the transposition table.
const VCF_KEY: [u64; 2] = [0x3c6e_f372_fe94_f82b, 0xa54f_f53a_5f1d_36f1];

/// A forced win.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct VcfWin {
    /// The first move.
    pub(crate) first: u16,
    /// Plies until the line is complete, including the first move.
    pub(crate) plies: i32,
}

/// Cache of positions without a VCF of a given number of threats. Threats in different orders lead to the same
/// positions.
pub(crate) struct NoVcfCache {
    /// The key of a position in the slot of its first 16 bits. The number of threats replaces its lowest bits.
    entries: Box<[u64]>,
}

impl NoVcfCache {
    /// Base-2 logarithm of the maximum size. Repeated queries follow soon, so a small table in the processor cache
    /// suffices.
    pub(crate) const MAX_BITS: u32 = 16;
    /// Maximum number of threats that an entry can hold.
    const MAX_THREATS: u64 = 31;

    /// Creates a cache of 2^`bits` slots, at most 2^[`NoVcfCache::MAX_BITS`].
    pub(crate) fn new(bits: u32) -> NoVcfCache {
        NoVcfCache {
            entries: vec![0; 1 << bits.min(NoVcfCache::MAX_BITS)].into(),
        }
    }

    fn contains(&self, key: u64, threats: u32) -> bool {
        let entry = self.entries[self.slot(key)];
        (entry ^ key) & !NoVcfCache::MAX_THREATS == 0
            && entry & NoVcfCache::MAX_THREATS >= u64::from(threats)
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

/// Victory by continuous fours on a [`SearchBoard`].
pub(crate) struct SearchBoardVcf {
    /// The threats of all plies of the current sequence, one ply after another.
    moves: Vec<u16>,
    no_vcf: NoVcfCache,
    /// Whether a search collects the cells of its win in `winning_cells`.
    collects_cells: bool,
    winning_cells: CellSet,
    /// The forced replies among `winning_cells`.
    reply_cells: CellSet,
    /// Positions that the search may still visit. The caller sets it before [`SearchBoardVcf::find`].
    pub(crate) nodes_left: u32,
}

impl SearchBoardVcf {
    /// Returns whether the search finds wins under these rules.
    pub(crate) fn supports(rules: &Rules) -> bool {
        rules.has_only(&[RuleFlag::Gravity, RuleFlag::Exact, RuleFlag::Torus])
    }

    /// Creates a search with a cache of 2^`cache_bits` entries, at most 2^[`NoVcfCache::MAX_BITS`].
    pub(crate) fn new(cache_bits: u32) -> SearchBoardVcf {
        SearchBoardVcf {
            moves: Vec::new(),
            no_vcf: NoVcfCache::new(cache_bits),
            collects_cells: false,
            winning_cells: CellSet::default(),
            reply_cells: CellSet::default(),
            nodes_left: 0,
        }
    }

    /// Finds a win of the seat that is not to move, as if it were to move. Returns the win and the cells that may
    /// prevent it: the cells of all its stones and forced replies, and the cells that make a reply a threat. Another
    /// move prevents the win only if it is a threat itself.
    ///
    /// Neither seat may be able to complete a line with one move.
    pub(crate) fn find_threat(
        &mut self,
        board: &mut SearchBoard<'_>,
        tt: &mut TranspositionTable,
        budget: &mut SearchBudget<'_>,
        threats: u32,
    ) -> Option<(VcfWin, CellSet)> {
        board.pass();
        self.collects_cells = true;
        let win = self.find(board, tt, budget, threats);
        self.collects_cells = false;
        board.pass();
        let win = win?;
        let mut cells = self.winning_cells;
        for reply in self
            .reply_cells
            .intersection(&self.reply_cells, board.tables.words)
        {
            cells.insert(reply);
            board.add_preparing_cells(board.turn(), reply, &mut cells);
        }
        Some((win, cells))
    }

    /// Finds a win of the side to move by at most `threats` threats, while `nodes_left` lasts. A shorter win may exist.
    ///
    /// The side to move must not be able to complete a line with one move, and the rules must not be misère.
    pub(crate) fn find(
        &mut self,
        board: &mut SearchBoard<'_>,
        tt: &mut TranspositionTable,
        budget: &mut SearchBudget<'_>,
        threats: u32,
    ) -> Option<VcfWin> {
        let seat = board.turn();
        let key = board.key() ^ VCF_KEY[seat];
        let is_deep = threats > MAX_SHALLOW_THREATS;
        if is_deep
            && tt
                .get(key)
                .is_some_and(|known| u32::from(known.depth) >= threats)
        {
            return None;
        }
        // A threat of the opponent must be met by a threat.
        let forced_move = match board.completing(1 - seat) {
            CompletingCells::None => None,
            CompletingCells::One(cell) => Some(cell),
            CompletingCells::More(_) => return None,
        };
        if self.no_vcf.contains(key, threats) {
            return None;
        }
        let first = self.moves.len();
        let double_threat = self.generate_threats(board, forced_move);
        if let Some(cell) = double_threat.filter(|_| !self.collects_cells) {
            self.moves.truncate(first);
            return Some(VcfWin {
                first: cell,
                plies: DOUBLE_THREAT_PLIES,
            });
        }
        let last = self.moves.len();
        let mut win = None;
        for index in first..last {
            let cell = self.moves[index];
            win = self
                .try_threat(board, tt, budget, (cell, seat), threats)
                .map(|plies| VcfWin { first: cell, plies });
            if win.is_some() || budget.halted || self.nodes_left == 0 {
                break;
            }
        }
        self.moves.truncate(first);
        let is_refuted = win.is_none() && !budget.halted && self.nodes_left > 0;
        // A position without threats needs no entry.
        if is_refuted && first < last {
            self.no_vcf.insert(key, threats);
        }
        if is_refuted && is_deep {
            tt.put(
                key,
                TtEntry {
                    value: 0,
                    depth: threats as u8,
                    bound: Bound::Upper,
                    best: 0,
                },
            );
        }
        win
    }

    /// Appends the threats of the side to move. Threats in most windows come first, because they are the most likely to
    /// lead to a double threat. If a test of the windows finds a double threat, returns its move. Then the list
    /// contains only that move.
    fn generate_threats(
        &mut self,
        board: &SearchBoard<'_>,
        forced_move: Option<u16>,
    ) -> Option<u16> {
        let (seat, first) = (board.turn(), self.moves.len());
        match forced_move {
            Some(cell) => self
                .moves
                .extend(Some(cell).filter(|&cell| makes_threat(board, seat, cell))),
            None if board.tables.rules.gravity() => {
                let open = board.open.intersection(&board.open, board.tables.words);
                self.moves
                    .extend(open.filter(|&cell| makes_threat(board, seat, cell)));
            }
            None => {
                let lacking_two = &board.threat_sets.lacking_two;
                for cell in lacking_two.cells[seat].intersection(&board.open, board.tables.words) {
                    match board.threat_kind(seat, cell) {
                        ThreatKind::Isolated => {}
                        ThreatKind::Continuing => self.moves.push(cell),
                        ThreatKind::Double => {
                            self.moves.truncate(first);
                            self.moves.push(cell);
                            return Some(cell);
                        }
                    }
                }
                self.moves[first..]
                    .sort_by_key(|&cell| Reverse(lacking_two.window_count(cell, seat)));
            }
        }
        None
    }

    /// Returns the plies until the win if this threat forces it.
    fn try_threat(
        &mut self,
        board: &mut SearchBoard<'_>,
        tt: &mut TranspositionTable,
        budget: &mut SearchBudget<'_>,
        (cell, seat): (u16, usize),
        threats: u32,
    ) -> Option<i32> {
        self.nodes_left = self.nodes_left.saturating_sub(1);
        budget.count_node();
        board.play(cell);
        let plies = match (board.completing(seat), board.completing(1 - seat)) {
            // The opponent completes a line first.
            (_, CompletingCells::One(_) | CompletingCells::More(_))
            | (CompletingCells::None, _) => None,
            (CompletingCells::More(_), CompletingCells::None) => {
                self.collect_ending(board, seat);
                Some(DOUBLE_THREAT_PLIES)
            }
            (CompletingCells::One(_), CompletingCells::None) if budget.halted => None,
            (CompletingCells::One(reply), CompletingCells::None) => {
                budget.count_node();
                board.play(reply);
                let plies = if board.completing(seat) != CompletingCells::None {
                    self.collect_ending(board, seat);
                    Some(DOUBLE_THREAT_PLIES)
                } else if threats > 1
                    && self.nodes_left > 0
                    && !budget.halted
                    && board.free_cells > 0
                {
                    self.find(board, tt, budget, threats - 1)
                        .map(|forced| forced.plies + 2)
                } else {
                    None
                };
                board.undo();
                if self.collects_cells && plies.is_some() {
                    self.reply_cells.insert(reply);
                }
                plies
            }
        };
        board.undo();
        if self.collects_cells && plies.is_some() {
            self.winning_cells.insert(cell);
        }
        plies
    }

    /// Starts collecting the cells of a win with the cells that complete a line at its end.
    fn collect_ending(&mut self, board: &SearchBoard<'_>, seat: usize) {
        if self.collects_cells {
            (self.winning_cells, self.reply_cells) =
                (board.completing_cells(seat), CellSet::default());
        }
    }
}

/// Returns whether a stone there leaves a window that lacks one stone, or with gravity makes the missing cell
/// reachable.
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
    fn a_cached_refutation_covers_fewer_threats() {
        for bits in [0, 4, NoVcfCache::MAX_BITS] {
            let mut cache = NoVcfCache::new(bits);
            let key = 0xffff_0000_1234_5678;
            assert!(!cache.contains(key, 1) && !cache.contains(0, 1));
            cache.insert(key, 6);
            assert!(cache.contains(key, 6) && cache.contains(key, 1) && !cache.contains(key, 7));
            assert!(
                !cache.contains(key ^ 1 << 40, 1),
                "another position in the same slot"
            );
            cache.insert(key ^ 1 << 40, 2);
            assert!(
                !cache.contains(key, 1),
                "the latest entry replaces the older one"
            );
        }
    }
}
