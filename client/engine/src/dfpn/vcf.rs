//! Victory by continuous fours (VCF) on a [`WindowBitboard`]: each stone threatens to complete a line and has one reply,
//! until one makes a double threat (Allis, van den Herik and Huntjens, "Go-Moku and threat-space search", 1993).
//!
//! `alpha_beta/vcf.rs` explains why a second version for the `SearchBoard` exists.

use super::bitboard::WindowBitboard;
use super::window_tables::{WindowTables, iter_bits};

/// A VCF search with a cache of positions without one.
#[derive(Debug)]
pub struct VcfSearch {
    /// Keys of positions without a VCF, in the slot of their lowest bits.
    no_vcf: Box<[u64]>,
    /// Maximum number of positions of the current search, and the remaining number.
    max_nodes: u32,
    nodes_left: u32,
}

/// A winning sequence of threats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VcfLine {
    /// The cell of the first stone.
    pub first: u8,
    /// Plies until the line is complete.
    pub plies: u32,
    /// The cells of the threatening stones.
    pub(super) stones: u64,
    /// The cells where they threaten to complete a line: the replies and the end.
    pub(super) replies: u64,
}

impl VcfSearch {
    /// A search with a cache of 2^`bits` positions.
    pub fn new(bits: u32) -> VcfSearch {
        VcfSearch {
            no_vcf: vec![0; 1 << bits].into(),
            max_nodes: 0,
            nodes_left: 0,
        }
    }

    /// Finds a VCF of this seat within `max_nodes` positions. The seat must be to move and unable to complete a line at
    /// once.
    pub fn find(
        &mut self,
        tables: &WindowTables,
        stones: &WindowBitboard,
        seat: usize,
        max_nodes: u32,
    ) -> Option<VcfLine> {
        (self.max_nodes, self.nodes_left) = (max_nodes, max_nodes);
        self.search(tables, stones, seat)
    }

    /// Number of positions that the last search visited.
    pub(super) fn nodes_used(&self) -> u32 {
        self.max_nodes - self.nodes_left + 1
    }

    fn search(
        &mut self,
        tables: &WindowTables,
        stones: &WindowBitboard,
        seat: usize,
    ) -> Option<VcfLine> {
        // A threat of the opponent must be met by a threat.
        let forced = stones.completing(tables, 1 - seat);
        if forced & forced.wrapping_sub(1) != 0 {
            return None;
        }
        let free = if forced == 0 {
            stones.free(tables)
        } else {
            forced
        };
        let (mut single_threats, mut double_threats) = (0, 0);
        let mut twos = stones.windows_lacking(tables, seat, 2);
        while twos != 0 {
            let cells = tables.window_cells[twos.trailing_zeros() as usize] & free;
            (single_threats, double_threats) = (
                single_threats | cells,
                double_threats | single_threats & cells,
            );
            twos &= twos - 1;
        }
        // A double threat needs two windows that cross.
        for first in iter_bits(double_threats) {
            let replies = stones.play(tables, seat, first).completing(tables, seat);
            if replies & (replies - 1) != 0 {
                return Some(VcfLine {
                    first,
                    plies: 3,
                    stones: 1 << first,
                    replies,
                });
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
        // An incomplete search proves nothing.
        if self.nodes_left > 0 {
            self.no_vcf[slot] = key;
        }
        None
    }
}
