//! Cells on the lines through the cursor.

use noughts_protocol::{Cell, Rules};

/// Returns whether a line of the winning length on the board contains both cells.
pub(super) fn share_line(rules: &Rules, one: Cell, other: Cell) -> bool {
    let (Some(one), Some(other)) = (rules.coordinates(one), rules.coordinates(other)) else {
        return false;
    };
    let mut distance = 0;
    // The number of steps from the first cell to the edge of the board, away from the other cell and towards it.
    let (mut before, mut after) = (u8::MAX, u8::MAX);
    for ((a, b), side) in one.into_iter().zip(other).zip(rules.sides()) {
        let delta = a.abs_diff(b);
        if delta == 0 {
            continue;
        }
        if distance != 0 && delta != distance {
            return false;
        }
        distance = delta;
        let (low, high) = (a, side - 1 - a);
        let (back, forward) = if b > a { (low, high) } else { (high, low) };
        (before, after) = (before.min(back), after.min(forward));
    }
    distance > 0 && distance < rules.line() && before.saturating_add(after) >= rules.line() - 1
}
