//! Levels of play: how far the search looks.
//!
//! A level looks farther at some moves than at others: `MoveStyle` has the chances of each look, by the kind of the
//! board, and the seed and the position decide which look applies.
//!
//! | look | stages | choice of the move |
//! |---|---|---|
//! | whim | none | any cell |
//! | own lines | immediate move | any cell near other stones |
//! | lines | immediate move; blocks a line of the opponent, and with gravity does not enable one | the same |
//! | 1 to 4 plies | the same; alpha-beta to this depth with an exact value for each root move (multi-PV) | random among the best moves within a margin; never in place of a win |
//! | full | all | the best move; evaluations carry noise of ±2 points, and moves that are proven equal are drawn by the seed |
//!
//! `perfect` always looks fully and without noise. On a board with at most nine free cells it chooses, among equal
//! moves of a drawn or lost position, the move that makes a random opponent lose most (`strategy_proofs/traps.rs`).
//! Analyses do not set traps. A depth limit disables book, solver and mirror strategy.

use std::fmt;
use std::str::FromStr;

use Look::{Full, Lines, OwnLines, Plies, Whim};
use noughts_protocol::rng::split_mix64;
use noughts_protocol::{Position, Rules};

/// A level of play, from the weakest to the strongest. The number of a level, 1 to 8, is another name for the level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Level {
    /// Plays most moves anywhere.
    Novice,
    /// Completes more of its lines.
    Easy,
    /// Completes all of its lines, blocks some, and looks at the position after its move now and then.
    Casual,
    /// Looks at the position after most of its moves, and overlooks some lines of the opponent.
    Medium,
    /// Sees all lines, and overlooks forks.
    Skilled,
    /// Looks several plies ahead at most moves.
    Strong,
    /// Searches without a depth limit at most moves.
    #[default]
    Hard,
    /// Plays the best move that it finds, and among equal moves the move with most traps.
    Perfect,
}

/// Error for a text that is not a [`Level`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown_level")]
pub struct LevelError;

impl Level {
    /// All levels, the weakest first.
    pub const ALL: [Level; 8] = [
        Level::Novice,
        Level::Easy,
        Level::Casual,
        Level::Medium,
        Level::Skilled,
        Level::Strong,
        Level::Hard,
        Level::Perfect,
    ];

    /// Returns the name, as on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Level::Novice => "novice",
            Level::Easy => "easy",
            Level::Casual => "casual",
            Level::Medium => "medium",
            Level::Skilled => "skilled",
            Level::Strong => "strong",
            Level::Hard => "hard",
            Level::Perfect => "perfect",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Level {
    type Err = LevelError;

    fn from_str(text: &str) -> Result<Level, LevelError> {
        let numbered = (1..)
            .zip(Level::ALL)
            .map(|(number, level): (u32, Level)| (number.to_string(), level));
        let mut named = numbered.map(|(number, level)| {
            (number == text || level.as_str().eq_ignore_ascii_case(text)).then_some(level)
        });
        named.find_map(|level| level).ok_or(LevelError)
    }
}

/// How far a player looks at a move, from the shortest look to the longest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Look {
    /// Looks at nothing, and plays any cell.
    Whim,
    /// Completes a line of the mover; otherwise plays any cell near other stones.
    OwnLines,
    /// Also blocks a line that the opponent could complete next.
    Lines,
    /// Searches this number of plies, with an evaluation at the end.
    Plies(u32),
    /// Runs all stages of the search, without a depth limit.
    Full,
}

/// Chances in 1000 of each look, the shortest first, for each level below `perfect`.
type LookChances = [&'static [(Look, u64)]; Level::ALL.len() - 1];

/// Maximum number of cells of a small board.
const SMALL_BOARD_CELLS: usize = 16;
/// Maximum number of cells of a board that is not large.
const LARGE_BOARD_CELLS: usize = 64;

/// Measured on 3x3 misère.
const SMALL_BOARD: LookChances = [
    &[(Whim, 400), (OwnLines, 600)],
    &[(Whim, 147), (OwnLines, 853)],
    &[(OwnLines, 863), (Full, 137)],
    &[(OwnLines, 653), (Full, 347)],
    &[(Lines, 460), (Full, 540)],
    &[(Lines, 301), (Full, 699)],
    &[(Lines, 125), (Full, 875)],
];

/// For gravity or misère. Measured on Connect Four.
const GRAVITY_OR_MISERE: LookChances = [
    &[(Whim, 560), (OwnLines, 440)],
    &[(OwnLines, 750), (Lines, 250)],
    &[(OwnLines, 209), (Lines, 791)],
    &[(Lines, 860), (Plies(1), 140)],
    &[(Lines, 460), (Plies(1), 540)],
    &[(Lines, 125), (Plies(1), 875)],
    &[(Lines, 60), (Plies(1), 115), (Plies(3), 475), (Full, 350)],
];

/// For other boards. Measured on Qubic.
const MEDIUM_BOARD: LookChances = [
    &[(Whim, 904), (OwnLines, 96)],
    &[(Whim, 615), (OwnLines, 16), (Lines, 369)],
    &[(OwnLines, 550), (Lines, 280), (Plies(1), 170)],
    &[(OwnLines, 290), (Lines, 205), (Plies(1), 505)],
    &[(Lines, 270), (Plies(1), 545), (Plies(2), 185)],
    &[
        (Lines, 150),
        (Plies(1), 44),
        (Plies(2), 384),
        (Plies(4), 422),
    ],
    &[(Lines, 45), (Plies(3), 38), (Full, 917)],
];

/// Measured on 15x15:5.
const LARGE_BOARD: LookChances = [
    &[(Whim, 955), (OwnLines, 45)],
    &[(Whim, 440), (Lines, 250), (Plies(1), 310)],
    &[(OwnLines, 410), (Lines, 250), (Plies(1), 340)],
    &[(OwnLines, 180), (Lines, 310), (Plies(1), 510)],
    &[
        (Lines, 331),
        (Plies(1), 203),
        (Plies(2), 372),
        (Plies(4), 94),
    ],
    &[
        (Lines, 194),
        (Plies(2), 172),
        (Plies(3), 31),
        (Plies(4), 344),
        (Full, 259),
    ],
    &[(Lines, 84), (Plies(3), 56), (Full, 860)],
];

/// How a level chooses a move, in particular how far it looks. The seed draws the style from the level's chances.
///
/// Weak levels sometimes look as far as strong levels, and strong levels sometimes look less far than they could, as
/// people do. A shorter look overlooks a line, a fork or a longer sequence of threats. The chances are measured with
/// the command `ladder` of `level_match` in `lab/`, which plays each level against the level below.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MoveStyle {
    pub(crate) look: Look,
    /// Maximum random offset of evaluations in a full search, for variety among equal moves.
    pub(crate) noise: u32,
    /// Whether to prefer, among equal moves, the move that lets an opponent make most errors.
    pub(crate) sets_traps: bool,
}

impl MoveStyle {
    /// Full search without variety, as analyses use it.
    pub(crate) const ANALYSIS: MoveStyle = MoveStyle {
        look: Look::Full,
        noise: 0,
        sets_traps: false,
    };
    /// Full search, with the seed choosing among equal moves.
    pub(crate) const VARIETY: MoveStyle = MoveStyle {
        look: Look::Full,
        noise: 2,
        sets_traps: false,
    };

    /// Draws the style of a level in this position from the seed.
    pub(crate) fn draw(level: Level, position: &Position, seed: u64) -> MoveStyle {
        let Some(chances) = look_chances(position.rules()).get(level as usize) else {
            return MoveStyle {
                sets_traps: true,
                ..MoveStyle::ANALYSIS
            };
        };
        let mut left = split_mix64(seed ^ split_mix64(position.key())) % 1000;
        for &(look, chance) in *chances {
            if left < chance {
                return MoveStyle {
                    look,
                    ..MoveStyle::VARIETY
                };
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

    #[test]
    fn names_round_trip() {
        for level in Level::ALL {
            assert_eq!(level.to_string().parse(), Ok(level));
            assert_eq!(level.to_string().to_uppercase().parse(), Ok(level));
        }
        assert_eq!(
            ["1", "2", "7", "8"].map(str::parse),
            [Level::Novice, Level::Easy, Level::Hard, Level::Perfect].map(Ok)
        );
        assert_eq!(
            ["brutal", "0", "9", "01", ""].map(str::parse::<Level>),
            [Err(LevelError); 5]
        );
    }

    /// Level 3 and higher levels see their own lines, and level 5 and higher levels every line. On boards with a book,
    /// only the last two levels search without a depth limit.
    #[test]
    fn chances_add_up_and_stronger_levels_see_lines() {
        for table in [SMALL_BOARD, GRAVITY_OR_MISERE, MEDIUM_BOARD, LARGE_BOARD] {
            for (index, chances) in table.into_iter().enumerate() {
                assert_eq!(
                    chances.iter().map(|(_, chance)| chance).sum::<u64>(),
                    1000,
                    "{chances:?}"
                );
                assert!(
                    chances.is_sorted_by(|(short, _), (long, _)| short < long),
                    "{chances:?}"
                );
                let shortest = match index {
                    0..=1 => Whim,
                    2..=3 => OwnLines,
                    _ => Lines,
                };
                assert!(chances[0].0 >= shortest, "{chances:?}");
            }
        }
        let below_hard = &GRAVITY_OR_MISERE[..Level::Hard as usize];
        assert!(
            below_hard
                .iter()
                .all(|chances| chances.iter().all(|&(look, _)| look != Full))
        );
    }

    #[test]
    fn looks_have_their_chances() {
        let empty = Position::new("7x6:4+gravity".parse().unwrap());
        let drawn = |seed| MoveStyle::draw(Level::Medium, &empty, seed).look;
        for &(look, chance) in GRAVITY_OR_MISERE[Level::Medium as usize] {
            let count = (0..10_000).filter(|&seed| drawn(seed) == look).count() as u64;
            assert!(count.abs_diff(10 * chance) < 200, "{look:?} {count}");
        }
    }
}
