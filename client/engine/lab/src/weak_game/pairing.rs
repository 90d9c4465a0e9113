//! The lines that a pairing blocks without regard to the others (Hales and Jewett, "Regularity and positional games",
//! 1963).
//!
//! A maximum matching gives each group of edges up to two cells of its own, among the cells that all its edges share. A
//! group has both its cells if no alternating path leads to it from a group that lacks a cell. The cells of all such
//! groups lie in no edge of the rest (Dulmage and Mendelsohn, "Coverings of bipartite graphs", 1958). The breaker
//! answers a stone in such a pair with the other cell of the pair, whatever happens elsewhere, so that the edges of
//! these groups do not matter.
//!
//! Edges that share two cells or more, which are runs along one line of the board, form a group: one pair blocks them
//! all, where pairs of their own would need more cells. Where such pairs do not suffice, each edge is a group.

use noughts_engine::internals::{BitWord, iter_bits};

/// Mark of a cell without a group.
const UNMATCHED: u8 = u8::MAX;
/// Minimum number of cells that the edges of a group share.
const MIN_SHARED_CELLS: u32 = 2;

/// Finder of the edges that no pairing blocks. Keeps its buffers between calls.
#[derive(Debug)]
pub(super) struct PairingCore<B> {
    /// The group of each cell.
    owner: Vec<u8>,
    groups: Vec<EdgeGroup<B>>,
    /// The group of each edge.
    group_of: Vec<u8>,
    /// The cells that belong to a group.
    taken: B,
    /// The pairs of the edges that the last call of [`PairingCore::keep_core`] removed.
    removed: Vec<B>,
    /// The matching of the core, during trials.
    saved_owner: Vec<u8>,
    saved_groups: Vec<EdgeGroup<B>>,
    saved_group_of: Vec<u8>,
    saved_taken: B,
}

/// Edges that one pair blocks.
#[derive(Clone, Copy, Debug)]
struct EdgeGroup<B> {
    /// The cells that all its edges share; empty without edges.
    shared: B,
    /// The cells of all its edges.
    cells: B,
    /// The shared cells that belong to it, at most two.
    own: B,
}

/// Result of [`PairingCore::find_blocking_reply`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BlockingReply<B> {
    pub(super) cell: B,
    /// The cells of the pairs after the reply.
    pub(super) pairs: B,
}

/// Result of [`PairingCore::keep_core`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RemovedPairs<B> {
    /// The cells of the pairs of the removed edges.
    pub(super) cells: B,
    /// Number of cells that the groups of the core lack for pairs of their own.
    pub(super) missing: u32,
}

impl<B: BitWord> PairingCore<B> {
    pub(super) fn new() -> PairingCore<B> {
        PairingCore {
            owner: vec![UNMATCHED; B::SIZE as usize],
            groups: Vec::new(),
            group_of: Vec::new(),
            taken: B::EMPTY,
            removed: Vec::new(),
            saved_owner: Vec::new(),
            saved_groups: Vec::new(),
            saved_group_of: Vec::new(),
            saved_taken: B::EMPTY,
        }
    }

    /// Removes all edges but the core. The pairs of the removed edges contain no cell of the core.
    pub(super) fn keep_core(&mut self, edges: &mut Vec<B>) -> RemovedPairs<B> {
        self.removed.clear();
        self.divide(edges, MIN_SHARED_CELLS);
        let mut removed = self.remove_paired(edges);
        if edges.len() > self.groups.iter().filter(|group| group.cells.any()).count() {
            self.save_matching();
            let count = edges.len();
            self.divide(edges, B::SIZE + 1);
            let single = self.remove_paired(edges);
            if edges.len() == count {
                self.restore_matching();
            } else {
                self.divide(edges, MIN_SHARED_CELLS);
                let rest = self.remove_paired(edges);
                let cells = removed.cells | single.cells | rest.cells;
                removed = RemovedPairs {
                    cells,
                    missing: rest.missing,
                };
            }
        }
        removed
    }

    /// Divides the edges into groups of edges that share at least `min_shared` cells.
    fn divide(&mut self, edges: &[B], min_shared: u32) {
        self.groups.clear();
        self.group_of.clear();
        for &edge in edges {
            let fits = |group: &EdgeGroup<B>| (group.shared & edge).count() >= min_shared;
            let at = self
                .groups
                .iter()
                .position(fits)
                .unwrap_or(self.groups.len());
            match self.groups.get_mut(at) {
                Some(group) => {
                    (group.shared, group.cells) = (group.shared & edge, group.cells | edge)
                }
                None => self.groups.push(EdgeGroup {
                    shared: edge,
                    cells: edge,
                    own: B::EMPTY,
                }),
            }
            self.group_of.push(at as u8);
        }
    }

    /// Gives the groups cells of their own. Returns the cells that alternating paths reach from groups that lack a
    /// cell, and the number of cells that these groups lack.
    fn match_groups(&mut self) -> (B, u32) {
        self.owner.fill(UNMATCHED);
        self.taken = B::EMPTY;
        for index in 0..self.groups.len() {
            for _ in 0..2 {
                let free = self.groups[index].shared & !self.taken;
                if free.any() {
                    self.take_free(free, index);
                }
            }
        }
        // No later path leads out of the reached cells.
        let (mut reached, mut missing) = (B::EMPTY, 0);
        for index in 0..self.groups.len() {
            while self.groups[index].own.count() < 2 {
                let mut visited = reached;
                if !self.augment(index, &mut visited) {
                    reached |= visited | self.groups[index].shared;
                    missing += 2 - self.groups[index].own.count();
                    break;
                }
            }
        }
        (reached, missing)
    }

    /// Removes the edges of the groups with pairs that no edge of another group contains in part.
    fn remove_paired(&mut self, edges: &mut Vec<B>) -> RemovedPairs<B> {
        let (mut reached, missing) = self.match_groups();
        let mut kept = [false; u8::MAX as usize];
        let mut is_changed = true;
        while is_changed {
            is_changed = false;
            for (group, is_kept) in self
                .groups
                .iter()
                .zip(&mut kept)
                .filter(|(_, is_kept)| !**is_kept)
            {
                if group.own.count() < 2 || (group.own & reached).any() {
                    (*is_kept, is_changed) = (true, true);
                    reached |= group.cells;
                }
            }
        }
        let mut cells = B::EMPTY;
        for (group, _) in self
            .groups
            .iter_mut()
            .zip(&kept)
            .filter(|(_, is_kept)| !**is_kept)
        {
            cells |= group.own;
            self.removed.push(group.own);
            *group = EdgeGroup {
                shared: B::EMPTY,
                cells: B::EMPTY,
                own: B::EMPTY,
            };
        }
        let mut count = 0;
        for index in 0..edges.len() {
            if kept[usize::from(self.group_of[index])] {
                (edges[count], self.group_of[count]) = (edges[index], self.group_of[index]);
                count += 1;
            }
        }
        edges.truncate(count);
        self.group_of.truncate(count);
        self.taken &= !cells;
        RemovedPairs { cells, missing }
    }

    /// Returns a cell that blocks so many edges of the core for the breaker that a pairing blocks the others, and the
    /// cells of the pairs. `edges` must be the result of the last call of [`PairingCore::keep_core`].
    pub(super) fn find_blocking_reply(
        &mut self,
        edges: &[B],
        missing: u32,
    ) -> Option<BlockingReply<B>> {
        let cells = edges.iter().fold(B::EMPTY, |cells, &edge| cells | edge);
        self.save_matching();
        for bit in iter_bits(cells) {
            let cell = B::from_bit(bit);
            let blocked = edges.iter().filter(|&&edge| (edge & cell).any()).count() as u32;
            // A group lacks at most two cells.
            if 2 * blocked < missing {
                continue;
            }
            if self.pairs_without(edges, cell) {
                let pairs = self
                    .groups
                    .iter()
                    .fold(B::EMPTY, |pairs, group| pairs | group.own);
                return Some(BlockingReply { cell, pairs });
            }
            self.restore_matching();
        }
        None
    }

    fn save_matching(&mut self) {
        self.saved_owner.clone_from(&self.owner);
        self.saved_groups.clone_from(&self.groups);
        self.saved_group_of.clone_from(&self.group_of);
        self.saved_taken = self.taken;
    }

    fn restore_matching(&mut self) {
        self.owner.clone_from(&self.saved_owner);
        self.groups.clone_from(&self.saved_groups);
        self.group_of.clone_from(&self.saved_group_of);
        self.taken = self.saved_taken;
    }

    /// Returns the pairs of the edges that the last call of [`PairingCore::keep_core`] removed.
    pub(super) fn removed_pairs(&self) -> &[B] {
        &self.removed
    }

    /// Returns whether all groups get two cells of their own once the edges with this cell are blocked.
    fn pairs_without(&mut self, edges: &[B], cell: B) -> bool {
        self.groups
            .iter_mut()
            .for_each(|group| group.shared = B::EMPTY);
        for (&edge, &at) in edges
            .iter()
            .zip(&self.group_of)
            .filter(|&(&edge, _)| (edge & cell).is_empty())
        {
            let shared = &mut self.groups[usize::from(at)].shared;
            *shared = if shared.is_empty() {
                edge
            } else {
                *shared & edge
            };
        }
        // A group with other edges keeps its own cells: they lie in all its edges, and `cell` is not one of them.
        for group in self
            .groups
            .iter_mut()
            .filter(|group| group.shared.is_empty())
        {
            self.taken &= !group.own;
            group.own = B::EMPTY;
        }
        for index in 0..self.groups.len() {
            while self.groups[index].shared.any() && self.groups[index].own.count() < 2 {
                let mut visited = B::EMPTY;
                if !self.augment(index, &mut visited) {
                    return false;
                }
            }
        }
        true
    }

    fn take_free(&mut self, free: B, index: usize) {
        let bit = free.first_bit();
        let cell = B::from_bit(bit);
        self.taken |= cell;
        self.groups[index].own |= cell;
        self.owner[bit as usize] = index as u8;
    }

    /// Finds one more cell for a group, reassigning cells of other groups if necessary (Kuhn, 1955).
    fn augment(&mut self, index: usize, visited: &mut B) -> bool {
        let EdgeGroup { shared, own, .. } = self.groups[index];
        let free = shared & !self.taken & !*visited;
        if free.any() {
            self.take_free(free, index);
            return true;
        }
        loop {
            let untried = shared & !*visited & !own;
            if untried.is_empty() {
                return false;
            }
            let bit = untried.first_bit();
            let cell = B::from_bit(bit);
            *visited |= cell;
            let previous = usize::from(self.owner[bit as usize]);
            if self.augment(previous, visited) {
                self.groups[previous].own &= !cell;
                self.groups[index].own |= cell;
                self.owner[bit as usize] = index as u8;
                return true;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn core(edges: &[u64]) -> (Vec<u64>, RemovedPairs<u64>) {
        let mut edges = edges.to_vec();
        let pairs = PairingCore::new().keep_core(&mut edges);
        (edges, pairs)
    }

    #[test]
    fn edges_with_cells_of_their_own_are_removed() {
        assert_eq!(
            core(&[0b0011, 0b1100]),
            (
                vec![],
                RemovedPairs {
                    cells: 0b1111,
                    missing: 0
                }
            )
        );
        // Three edges on four cells lack two cells; the fourth edge has two cells that the others do not need.
        let (kept, pairs) = core(&[0b0011, 0b0110, 0b1100, 0b11_1000]);
        assert_eq!(
            (kept, pairs),
            (
                vec![0b0011, 0b0110, 0b1100],
                RemovedPairs {
                    cells: 0b11_0000,
                    missing: 2
                }
            )
        );
    }

    #[test]
    fn one_pair_blocks_edges_along_a_line() {
        let runs = [0b001_1111, 0b011_1110, 0b111_1100];
        assert_eq!(
            core(&runs),
            (
                vec![],
                RemovedPairs {
                    cells: 0b000_1100,
                    missing: 0
                }
            )
        );
    }

    #[test]
    fn edges_along_a_line_have_pairs_of_their_own_where_another_edge_needs_a_shared_cell() {
        let (kept, pairs) = core(&[0b00_1111, 0b11_1100, 0b1000_0100]);
        assert_eq!(
            (kept, pairs),
            (
                vec![],
                RemovedPairs {
                    cells: 0b1001_1111,
                    missing: 0
                }
            )
        );
    }

    #[test]
    fn a_pair_on_cells_of_the_core_does_not_remove_its_edge() {
        // The last edge needs a cell of the other edges.
        let (kept, pairs) = core(&[0b0011, 0b0101, 0b0110, 0b1_0100]);
        assert_eq!(
            (kept.len(), pairs),
            (
                4,
                RemovedPairs {
                    cells: 0,
                    missing: 4
                }
            )
        );
    }
}
