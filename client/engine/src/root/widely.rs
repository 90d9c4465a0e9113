//! A choice among several moves of the root, for the levels that do not play the best one only, and for variety.

use rand::RngExt;
use rand::seq::IndexedRandom;

use super::{POLISH, Root, Valued};
use crate::level::Style;
use crate::search::{PROVEN, WIN};

impl Root<'_> {
    /// The value of every move on its own, a ply deeper each time: what a choice among the best needs.
    pub(super) fn look_widely(&mut self, deepest: u32) {
        for depth in 1..=deepest {
            let mut valued = Vec::with_capacity(self.moves.len());
            for &(_, cell) in &self.moves {
                self.search.board.play(cell);
                let value = -self.search.value(depth as i32 - 1, -WIN, WIN, 1);
                self.search.board.undo();
                if self.search.meter.halted {
                    return;
                }
                valued.push((self.own_line(cell).unwrap_or(value), cell));
            }
            valued.sort_by_key(|&(value, _)| std::cmp::Reverse(value));
            self.moves = valued;
            self.best = self.moves[0];
            self.depth = depth;
        }
    }

    /// Chooses among the few best moves that are about as good as the best.
    pub(super) fn choose_among(&mut self) {
        let Style { among, margin, .. } = self.style;
        let (best, _) = self.best;
        if self.depth == 0 || best.abs() > PROVEN {
            return;
        }
        let good: Vec<Valued> = self
            .moves
            .iter()
            .take(among)
            .filter(|&&(value, _)| value >= best - margin && value > -PROVEN)
            .copied()
            .collect();
        if let Some(&chosen) = good.choose(&mut self.rng) {
            self.best = chosen;
        }
    }

    /// Of all moves that are proven to be as good as the best one, takes any: the same game again and again
    /// would be dull. Only where that costs next to nothing.
    pub(super) fn vary(&mut self) {
        if self.search.handicap.noise == 0 || self.search.meter.nodes > POLISH {
            return;
        }
        let (value, _) = self.best;
        let depth = self.search.board.free as i32;
        let mut good = Vec::new();
        for &(_, cell) in &self.moves.clone() {
            self.search.board.play(cell);
            let found = -self.search.value(depth - 1, -value, -value + 1, 1);
            self.search.board.undo();
            if self.search.meter.halted {
                return;
            }
            if self.own_line(cell).unwrap_or(found) >= value {
                good.push(cell);
            }
        }
        if !good.is_empty() {
            self.best.1 = good[self.rng.random_range(0..good.len())];
        }
    }
}
