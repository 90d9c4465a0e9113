//! Traps: among moves of equal value, the move that makes a randomly moving opponent lose most often.

use std::collections::HashMap;

use noughts_protocol::{Cell, Position, Seat, Status};

use crate::budget::SearchBudget;

/// Maximum number of free cells. The search visits at most 3^`MAX_FREE_CELLS` positions.
pub(crate) const MAX_FREE_CELLS: usize = 9;

/// Game value for one seat (1 win, 0 draw, -1 loss), and the seat's expected result on the same scale against a random
/// opponent, if the seat never gives up game value.
#[derive(Clone, Copy, Debug, PartialEq)]
struct TrapValue {
    value: i32,
    expected: f64,
}

struct TrapSearch<'m, 'a> {
    position: Position,
    own: Seat,
    known: HashMap<u64, TrapValue>,
    budget: &'m mut SearchBudget<'a>,
}

/// Returns the move among `moves` with the best result against a random opponent, or the first of several. Returns
/// `None` if the budget has halted.
pub(crate) fn find(
    position: &Position,
    moves: &[u16],
    budget: &mut SearchBudget<'_>,
) -> Option<u16> {
    let own = position.turn();
    let mut search = TrapSearch {
        position: position.clone(),
        own,
        known: HashMap::new(),
        budget,
    };
    let mut best: Option<(f64, u16)> = None;
    for &cell in moves {
        let expected = search.after(Cell::new(cell))?.expected;
        if best.is_none_or(|(known, _)| expected > known) {
            best = Some((expected, cell));
        }
    }
    best.map(|(_, cell)| cell)
}

impl TrapSearch<'_, '_> {
    /// Returns the value after a legal move; `None` if the budget has halted.
    fn after(&mut self, cell: Cell) -> Option<TrapValue> {
        self.position.play(cell).ok()?;
        let value = self.value();
        self.position.undo();
        value
    }

    fn value(&mut self) -> Option<TrapValue> {
        let result = |value: i32| {
            Some(TrapValue {
                value,
                expected: f64::from(value),
            })
        };
        match self.position.status() {
            Status::Won(seat) => return result(if seat == self.own { 1 } else { -1 }),
            Status::Drawn => return result(0),
            Status::Ongoing => {}
        }
        if let Some(&known) = self.known.get(&self.position.key()) {
            return Some(known);
        }
        self.budget.count_node();
        if self.budget.halted {
            return None;
        }
        let cells: Vec<Cell> = self.position.legal_moves().collect();
        let mut found = Vec::with_capacity(cells.len());
        for cell in cells {
            found.push(self.after(cell)?);
        }
        let is_own = self.position.turn() == self.own;
        let values = found.iter().map(|found| found.value);
        let value = if is_own { values.max() } else { values.min() }?;
        let expected = found.iter().map(|found| found.expected);
        let expected = if is_own {
            let keeps_value = found.iter().filter(|found| found.value == value);
            keeps_value.map(|found| found.expected).fold(-1.0, f64::max)
        } else {
            expected.sum::<f64>() / found.len() as f64
        };
        let found = TrapValue { value, expected };
        self.known.insert(self.position.key(), found);
        Some(found)
    }
}
