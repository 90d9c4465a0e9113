//! How a level chooses one move: how far it looks, drawn by the seed from the chances of the level.
//!
//! Weak levels look as far as strong ones now and then, and strong ones sometimes look too short, as people do. The shorter
//! look overlooks a line, a fork or a longer sequence of threats. The chances are measured: the command `ladder` of
//! `tools/level_match` plays each level against the one below.

use noughts_protocol::rng::split_mix64;
use noughts_protocol::{Position, Rules};

use super::Level;

/// How far a player looks at one move, from the shortest look to the longest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Look {
    /// At nothing: any cell.
    Whim,
    /// At lines that the mover could complete; else any cell, near other stones on a large board.
    OwnLines,
    /// Also at lines that the opponent could complete next.
    Lines,
    /// So many plies ahead, with the evaluation behind them.
    Plies(u32),
    /// All stages of the search, without a depth limit.
    Full,
}

/// The looks, in the order of the chances of a level.
const LOOKS: [Look; 8] = [
    Look::Whim,
    Look::OwnLines,
    Look::Lines,
    Look::Plies(1),
    Look::Plies(2),
    Look::Plies(3),
    Look::Plies(4),
    Look::Full,
];

/// Chances in 1000 of each of [`LOOKS`], for each level below `perfect`.
type LookChances = [[u64; LOOKS.len()]; Level::ALL.len() - 1];

/// Boards of at most this number of cells are small.
const SMALL_BOARD_CELLS: usize = 16;
/// Boards of more than this number of cells are large.
const LARGE_BOARD_CELLS: usize = 64;

/// Measured on 3x3 misère.
const SMALL_BOARD: LookChances = [
    [400, 600, 0, 0, 0, 0, 0, 0],
    [147, 853, 0, 0, 0, 0, 0, 0],
    [0, 863, 0, 0, 0, 0, 0, 137],
    [0, 653, 0, 0, 0, 0, 0, 347],
    [0, 0, 460, 0, 0, 0, 0, 540],
    [0, 0, 301, 0, 0, 0, 0, 699],
    [0, 0, 125, 0, 0, 0, 0, 875],
];

/// With gravity or misère; measured on Connect Four.
const GRAVITY_OR_MISERE: LookChances = [
    [560, 440, 0, 0, 0, 0, 0, 0],
    [0, 750, 250, 0, 0, 0, 0, 0],
    [0, 209, 791, 0, 0, 0, 0, 0],
    [0, 0, 860, 140, 0, 0, 0, 0],
    [0, 0, 460, 540, 0, 0, 0, 0],
    [0, 0, 125, 875, 0, 0, 0, 0],
    [0, 0, 60, 115, 0, 475, 0, 350],
];

/// Other boards; measured on Qubic.
const MEDIUM_BOARD: LookChances = [
    [904, 96, 0, 0, 0, 0, 0, 0],
    [615, 16, 369, 0, 0, 0, 0, 0],
    [445, 0, 344, 211, 0, 0, 0, 0],
    [225, 25, 225, 525, 0, 0, 0, 0],
    [0, 0, 270, 545, 185, 0, 0, 0],
    [0, 0, 150, 44, 384, 0, 422, 0],
    [0, 0, 45, 0, 0, 38, 0, 917],
];

/// Measured on 15x15:5.
const LARGE_BOARD: LookChances = [
    [955, 45, 0, 0, 0, 0, 0, 0],
    [440, 0, 250, 310, 0, 0, 0, 0],
    [337, 0, 275, 388, 0, 0, 0, 0],
    [181, 0, 338, 481, 0, 0, 0, 0],
    [0, 0, 331, 203, 372, 0, 94, 0],
    [0, 0, 219, 0, 172, 31, 344, 234],
    [0, 0, 84, 0, 0, 56, 0, 860],
];

/// How one move is chosen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MoveStyle {
    pub(crate) look: Look,
    /// Maximum random offset of evaluations in a full search, for variety among equal moves.
    pub(crate) noise: u32,
    /// Whether to choose among equal moves by the errors that an opponent can make.
    pub(crate) sets_traps: bool,
}

impl MoveStyle {
    /// Full search without variety: the style of analyses.
    pub(crate) const ANALYSIS: MoveStyle = MoveStyle { look: Look::Full, noise: 0, sets_traps: false };
    /// Full search that chooses among equal moves by the seed.
    pub(crate) const VARIETY: MoveStyle = MoveStyle { look: Look::Full, noise: 2, sets_traps: false };

    /// Draws the style of a level at this position by the seed.
    pub(crate) fn draw(level: Level, position: &Position, seed: u64) -> MoveStyle {
        let Some(chances) = look_chances(position.rules()).get(level as usize) else {
            return MoveStyle { sets_traps: true, ..MoveStyle::ANALYSIS };
        };
        let mut left = split_mix64(seed ^ split_mix64(position.key())) % 1000;
        for (&chance, look) in chances.iter().zip(LOOKS) {
            if left < chance {
                return MoveStyle { look, ..MoveStyle::VARIETY };
            }
            left -= chance;
        }
        MoveStyle::VARIETY
    }
}

fn look_chances(rules: &Rules) -> &'static LookChances {
    let cells = rules.cells();
    if cells <= SMALL_BOARD_CELLS {
        &SMALL_BOARD
    } else if rules.gravity() || rules.misere() {
        &GRAVITY_OR_MISERE
    } else if cells <= LARGE_BOARD_CELLS {
        &MEDIUM_BOARD
    } else {
        &LARGE_BOARD
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From level 5 on a level sees every line, and only the last two search without a depth limit on boards with a book.
    #[test]
    fn chances_add_up_and_stronger_levels_see_lines() {
        for table in [SMALL_BOARD, GRAVITY_OR_MISERE, MEDIUM_BOARD, LARGE_BOARD] {
            for (index, chances) in table.iter().enumerate() {
                assert_eq!(chances.iter().sum::<u64>(), 1000, "{chances:?}");
                assert!(index < Level::Skilled as usize || chances[..2] == [0, 0], "{chances:?}");
            }
        }
        assert!(GRAVITY_OR_MISERE[..Level::Hard as usize].iter().all(|chances| chances[7] == 0));
    }

    #[test]
    fn looks_have_their_chances() {
        let empty = Position::new("7x6:4+gravity".parse().unwrap());
        let mut counts = [0_u64; LOOKS.len()];
        for seed in 0..10_000 {
            let drawn = MoveStyle::draw(Level::Medium, &empty, seed).look;
            counts[LOOKS.iter().position(|&look| look == drawn).unwrap()] += 1;
        }
        for (count, chance) in counts.into_iter().zip(GRAVITY_OR_MISERE[Level::Medium as usize]) {
            assert!(count.abs_diff(10 * chance) < 200, "{counts:?}");
        }
    }
}
