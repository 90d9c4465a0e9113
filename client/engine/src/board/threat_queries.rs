//! Completing cells and threats of a position.

use super::SearchBoard;
use super::board_tables::{NO_CELL, threat_change};
use super::cell_sets::CellSet;

/// The cells where a seat completes a line with one move: none, one or more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CompletingCells {
    None,
    One(u16),
    More(u16),
}

/// Kind of threat to complete a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ThreatKind {
    /// After the reply, no further threat can use the stone.
    Isolated,
    /// Another window that does not contain the reply lacks two stones. In exact mode, also a threat that may be a
    /// double threat.
    Continuing,
    /// At least two cells complete a line.
    Double,
}

impl SearchBoard<'_> {
    /// Returns whether a stone of `seat` on this free cell completes a line.
    pub(crate) fn is_completing(&self, seat: usize, cell: u16) -> bool {
        self.threat_sets.lacking_one.cells[seat].contains(cell)
            && (!self.tables.rules.exact() || self.is_completing_exactly(seat, cell))
    }

    /// Like [`Self::is_completing`], but in exact mode a window counts only if no own stone is adjacent to its ends.
    fn is_completing_exactly(&self, seat: usize, cell: u16) -> bool {
        self.tables
            .runs(cell)
            .iter()
            .flat_map(|run| run.windows())
            .any(|window| {
                let state = self.windows[window].state;
                let is_own =
                    |cell: u16| cell != NO_CELL && self.owners[usize::from(cell)] == seat as u8;
                self.eval.stones(state, seat) + 1 == self.tables.k
                    && self.eval.stones(state, 1 - seat) == 0
                    && !self.tables.flanks(window).into_iter().any(is_own)
            })
    }

    /// Returns the landing cells where `seat` completes a line with its next stone: none, one, or more.
    pub(crate) fn completing(&self, seat: usize) -> CompletingCells {
        let candidates =
            self.threat_sets.lacking_one.cells[seat].intersection(&self.open, self.tables.words);
        let mut cells = candidates
            .filter(|&cell| !self.tables.rules.exact() || self.is_completing_exactly(seat, cell));
        match (cells.next(), cells.next()) {
            (None, _) => CompletingCells::None,
            (Some(cell), None) => CompletingCells::One(cell),
            (Some(cell), Some(_)) => CompletingCells::More(cell),
        }
    }

    /// Returns all landing cells where `seat` completes a line with its next stone.
    pub(crate) fn completing_cells(&self, seat: usize) -> CellSet {
        let candidates =
            self.threat_sets.lacking_one.cells[seat].intersection(&self.open, self.tables.words);
        let mut cells = CellSet::default();
        candidates
            .filter(|&cell| !self.tables.rules.exact() || self.is_completing_exactly(seat, cell))
            .for_each(|cell| cells.insert(cell));
        cells
    }

    /// Returns whether a stone of `seat` on this free cell leaves a window that lacks one stone.
    pub(crate) fn is_threat(&self, seat: usize, cell: u16) -> bool {
        self.threat_sets.lacking_two.cells[seat].contains(cell)
    }

    /// Returns the kind of threat of `seat` on this free cell, if the opponent cannot complete a line with one move.
    /// Only for boards without gravity.
    pub(crate) fn threat_kind(&self, seat: usize, cell: u16) -> ThreatKind {
        let (tables, deltas) = (self.tables, self.eval.deltas(seat));
        let changes =
            |window: usize| deltas[usize::from(self.windows[window].state)].threat_changes;
        let (mut reply, mut reply_run) = (NO_CELL, 0);
        for (index, &run) in tables.runs(cell).iter().enumerate() {
            for window in run.windows() {
                if changes(window) & threat_change::OWN_TWO_LEAVES != 0 {
                    let other = self.windows[window].free_xor ^ cell;
                    if reply != NO_CELL && other != reply {
                        // In exact mode, one of the two cells may make a longer line, which does not count.
                        let is_exact = tables.rules.exact();
                        return if is_exact {
                            ThreatKind::Continuing
                        } else {
                            ThreatKind::Double
                        };
                    }
                    (reply, reply_run) = (other, index);
                }
            }
        }
        let continues = tables.runs(cell).iter().enumerate().any(|(index, &run)| {
            run.windows().any(|window| {
                changes(window) & threat_change::OWN_TWO_COMES != 0
                    && (index != reply_run || !tables.window(window).contains(&reply))
            })
        });
        if continues {
            ThreatKind::Continuing
        } else {
            ThreatKind::Isolated
        }
    }

    /// Adds the free cells where a stone of `seat` would turn its later stone on `cell` into a threat.
    pub(crate) fn add_preparing_cells(&self, seat: usize, cell: u16, cells: &mut CellSet) {
        let deltas = self.eval.deltas(seat);
        for window in self.tables.runs(cell).iter().flat_map(|run| run.windows()) {
            let changes = deltas[usize::from(self.windows[window].state)].threat_changes;
            if changes & threat_change::OWN_TWO_COMES != 0 {
                let free = self
                    .tables
                    .window(window)
                    .iter()
                    .copied()
                    .filter(|&free| self.open.contains(free));
                free.for_each(|free| cells.insert(free));
            }
        }
    }
}
