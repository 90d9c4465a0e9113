//! Random openings, so that two deterministic engines do not always repeat the same game.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use noughts_protocol::{Cell, Position, Rules, Status};
use rand::Rng;
use rand::seq::IndexedRandom;

use crate::engine::{Evaluation, SearchLimits, evaluate};

/// Maximum of [`default_plies`].
const MAX_DEFAULT_PLIES: u32 = 4;
/// Maximum side of a board where openings use all cells. On longer sides, an opening stays near the centre.
const MAX_UNRESTRICTED_SIDE: u8 = 10;
/// Maximum distance from the centre on longer sides.
const MAX_CENTER_DISTANCE: u8 = 3;
/// Number of attempts before a shorter opening is tried.
const MAX_ATTEMPTS: usize = 50;

/// Search nodes of the balance check. A limit on nodes gives the same result on every machine.
const BALANCE_CHECK_NODES: u64 = 150_000;
/// Maximum absolute estimate of a balanced opening: about the value of one open line.
const MAX_BALANCED_SCORE: i32 = 40;

/// Returns the number of opening plies that suits a board.
pub(crate) fn default_plies(rules: &Rules) -> u32 {
    u32::try_from(rules.cells() / 4)
        .unwrap_or(MAX_DEFAULT_PLIES)
        .min(MAX_DEFAULT_PLIES)
}

/// Draws an opening that does not end the game and gives the side to move no immediate win. Returns a shorter opening
/// if no such opening of `plies` plies is found.
pub(crate) fn random_opening<C: Rng>(rules: Rules, plies: u32, rng: &mut C) -> Position {
    let empty = Position::new(rules);
    for plies in (1..=plies).rev() {
        for _ in 0..MAX_ATTEMPTS {
            let mut position = empty.clone();
            if (0..plies).all(|_| play_random_move(&mut position, rng)) && is_open(&position) {
                return position;
            }
        }
    }
    empty
}

/// Draws a random opening that the built-in search evaluates as balanced. If none is found, returns the most balanced
/// opening that was tried.
pub(crate) fn random_balanced_opening<C: Rng>(rules: Rules, plies: u32, rng: &mut C) -> Position {
    let drawn = std::iter::repeat_with(|| random_opening(rules, plies, rng));
    most_balanced(drawn, imbalance).unwrap_or_else(|| Position::new(rules))
}

/// Returns the first balanced position, or else the most balanced position of all attempts.
fn most_balanced(
    drawn: impl Iterator<Item = Position>,
    imbalance_of: impl Fn(&Position) -> i32,
) -> Option<Position> {
    let mut best = None;
    for position in drawn.take(MAX_ATTEMPTS) {
        let distance = imbalance_of(&position);
        if best.as_ref().is_none_or(|&(least, _)| distance < least) {
            best = Some((distance, position));
        }
        if distance <= MAX_BALANCED_SCORE {
            break;
        }
    }
    best.map(|(_, position)| position)
}

/// Returns how far a position is from balance, according to a short search.
fn imbalance(position: &Position) -> i32 {
    let limits = SearchLimits {
        nodes: Some(BALANCE_CHECK_NODES),
        ..SearchLimits::default()
    };
    match evaluate(
        position,
        limits,
        &|| Duration::ZERO,
        &AtomicBool::new(false),
    )
    .map(|report| report.score)
    {
        Some(Evaluation::Draw) => 0,
        Some(Evaluation::Estimate(value)) => value.abs().min(i32::MAX - 2),
        Some(Evaluation::Win(_) | Evaluation::Loss(_)) => i32::MAX - 1,
        None => i32::MAX,
    }
}

/// Plays a random move. Returns `false` if the move ended the game or no move is legal.
fn play_random_move(position: &mut Position, rng: &mut impl Rng) -> bool {
    let rules = *position.rules();
    let cells: Vec<Cell> = position
        .legal_moves()
        .filter(|&cell| is_central(&rules, cell))
        .collect();
    let cells = if cells.is_empty() {
        position.legal_moves().collect()
    } else {
        cells
    };
    cells
        .choose(rng)
        .is_some_and(|&cell| position.play(cell) == Ok(Status::Ongoing))
}

fn is_central(rules: &Rules, cell: Cell) -> bool {
    let Some(at) = rules.coordinates(cell) else {
        return false;
    };
    let sides = rules.sides().iter().enumerate();
    // With gravity, the second coordinate results from the fall of the stone and is not chosen.
    sides
        .filter(|&(axis, &side)| side > MAX_UNRESTRICTED_SIDE && !(rules.gravity() && axis == 1))
        .all(|(axis, &side)| at[axis].abs_diff(side / 2) <= MAX_CENTER_DISTANCE)
}

fn is_open(position: &Position) -> bool {
    let turn = position.turn();
    position.legal_count() > 0
        && position
            .legal_moves()
            .all(|cell| position.status_after(cell) != Ok(Status::Won(turn)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand::rngs::Xoshiro256PlusPlus;

    #[test]
    fn openings_leave_the_game_undecided() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        for text in [
            "3x3:3",
            "3x3:3+misere",
            "7x6:4+gravity",
            "4x4x4:4",
            "15x15:5",
            "25x25:5+exact",
            "4x3:3",
        ] {
            let rules: Rules = text.parse().unwrap();
            let mut seen = Vec::new();
            for _ in 0..50 {
                let position = random_opening(rules, default_plies(&rules), &mut rng);
                assert!(is_open(&position), "{position:?}");
                assert_eq!(
                    position.ply(),
                    default_plies(&rules) as usize,
                    "{position:?}"
                );
                assert!(
                    position
                        .moves()
                        .iter()
                        .all(|&cell| is_central(&rules, cell)),
                    "{position:?}"
                );
                seen.push(position.moves().to_vec());
            }
            seen.sort();
            seen.dedup();
            assert!(seen.len() > 20, "{text}: {} of 50 differ", seen.len());
        }
    }

    #[test]
    fn balanced_openings_are_balanced() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
        let position = random_balanced_opening("15x15:5".parse().unwrap(), 6, &mut rng);
        assert_eq!(position.ply(), 6, "{position:?}");
        assert!(imbalance(&position) <= MAX_BALANCED_SCORE, "{position:?}");
    }

    #[test]
    fn without_a_balanced_opening_the_most_balanced_one_is_used() {
        // The openings have one move. The cell identifies the opening, and the test gives its imbalance.
        let chosen = |imbalances: &[i32]| {
            let opening = |cell: usize| {
                let mut position = Position::new("3x3:3".parse().unwrap());
                position.play(Cell::new(cell as u16)).unwrap();
                position
            };
            let cell = |position: &Position| position.moves()[0].index();
            most_balanced((0..imbalances.len()).map(opening), |position| {
                imbalances[cell(position)]
            })
            .map(|position| cell(&position))
        };
        assert_eq!(
            chosen(&[
                i32::MAX - 1,
                900,
                MAX_BALANCED_SCORE + 1,
                300,
                MAX_BALANCED_SCORE + 1
            ]),
            Some(2)
        );
        assert_eq!(chosen(&[i32::MAX - 1, i32::MAX - 1]), Some(0));
        assert_eq!(
            chosen(&[900, MAX_BALANCED_SCORE, 0]),
            Some(1),
            "the first balanced opening"
        );
        assert_eq!(chosen(&[]), None);
    }

    #[test]
    fn a_shorter_opening_is_used_if_a_long_one_does_not_exist() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        // X completes a line with any second move.
        let position = random_opening("2x2:2".parse().unwrap(), 2, &mut rng);
        assert_eq!(position.ply(), 1, "{position:?}");
        assert_eq!(
            random_opening("3x3:3".parse().unwrap(), 0, &mut rng).ply(),
            0
        );
    }
}
