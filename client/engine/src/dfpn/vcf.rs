//! Wins by threats alone: each stone threatens to complete a line, and has one reply, until one threatens twice.
//! (Victory by continuous fours: Allis, van den Herik and Huntjens, "Go-Moku and threat-space search", 1993.)

use super::bitboard::WindowBitboard;
use super::tables::{WindowTables, iter_bits};

/// Looks for such wins, and remembers where there is none.
#[derive(Debug)]
pub(crate) struct VcfSearch {
    /// Keys of positions that have none, each at the place that its last bits say.
    no_vcf: Box<[u64]>,
    /// Positions that the present look may take, and those that it may still take.
    max_nodes: u32,
    nodes_left: u32,
}

/// A win by threats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct VcfLine {
    /// The stone to begin with.
    pub(crate) first: u8,
    /// Plies until the line is complete.
    pub(crate) plies: u32,
    /// The stones that threaten.
    pub(super) stones: u64,
    /// The cells where they threaten to complete a line: the replies, and where it ends.
    pub(super) replies: u64,
}

impl VcfSearch {
    /// Remembers up to 2^`bits` positions.
    pub(crate) fn new(bits: u32) -> VcfSearch {
        VcfSearch { no_vcf: vec![0; 1 << bits].into(), max_nodes: 0, nodes_left: 0 }
    }

    /// A win of this seat, which is to move and can complete no line at once, found among at most so many positions.
    pub(crate) fn find(
        &mut self,
        tables: &WindowTables,
        stones: &WindowBitboard,
        seat: usize,
        max_nodes: u32,
    ) -> Option<VcfLine> {
        (self.max_nodes, self.nodes_left) = (max_nodes, max_nodes);
        self.search(tables, stones, seat)
    }

    /// How many positions the last look took.
    pub(super) fn nodes_used(&self) -> u32 {
        self.max_nodes - self.nodes_left + 1
    }

    fn search(&mut self, tables: &WindowTables, stones: &WindowBitboard, seat: usize) -> Option<VcfLine> {
        // A threat of the other side has to be met by a threat.
        let forced = stones.completing(tables, 1 - seat);
        if forced & forced.wrapping_sub(1) != 0 {
            return None;
        }
        let free = if forced == 0 { stones.free(tables) } else { forced };
        let (mut single_threats, mut double_threats) = (0, 0);
        let mut twos = stones.windows_lacking(tables, seat, 2);
        while twos != 0 {
            let cells = tables.window_cells[twos.trailing_zeros() as usize] & free;
            (single_threats, double_threats) =
                (single_threats | cells, double_threats | single_threats & cells);
            twos &= twos - 1;
        }
        // Only where windows cross can a stone threaten twice.
        for first in iter_bits(double_threats) {
            let replies = stones.play(tables, seat, first).completing(tables, seat);
            if replies & (replies - 1) != 0 {
                return Some(VcfLine { first, plies: 3, stones: 1 << first, replies });
            }
        }
        if single_threats == 0 || self.nodes_left == 0 {
            return None;
        }
        let key = stones.key(seat);
        let slot = key as usize & (self.no_vcf.len() - 1);
        if self.no_vcf[slot] == key {
            return None;
        }
        self.nodes_left -= 1;
        for first in iter_bits(single_threats) {
            let threat = stones.play(tables, seat, first);
            let reply = threat.completing(tables, seat);
            let next = threat.play(tables, 1 - seat, reply.trailing_zeros() as u8);
            if let Some(rest) = self.search(tables, &next, seat) {
                return Some(VcfLine {
                    first,
                    plies: rest.plies + 2,
                    stones: rest.stones | 1 << first,
                    replies: rest.replies | reply,
                });
            }
        }
        // What was cut short may have one all the same.
        if self.nodes_left > 0 {
            self.no_vcf[slot] = key;
        }
        None
    }
}
