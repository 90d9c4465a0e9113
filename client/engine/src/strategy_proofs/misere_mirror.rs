//! Mirror strategy for misère: a player who answers every stone on the opposite cell, mirrored at the centre of the
//! board, never loses.
//!
//! A line of the mirroring player is the mirror image of a line that the opponent completed one move earlier, or it
//! contains two opposite cells, and the opponent owns one of them. On a board with a central cell the first player
//! takes the centre and mirrors; then every window through the centre must contain such a pair. The strategy does not
//! work with gravity, because the opposite cell may be unreachable.
//!
//! The mirroring player even wins if every full board of the strategy has a line, such as on 3x3x3:3.

use noughts_protocol::{Cell, Position, RuleFlag, Rules, Seat};

use crate::strategy_proofs::StrategyResult;

/// Maximum number of pairs of stones that [`is_never_drawn`] places.
const MAX_PLACED_STONES: u32 = 1 << 15;

/// Returns whether the strategy applies to these rules.
pub(crate) fn supports(rules: &Rules) -> bool {
    rules.misere() && rules.has_only(&[RuleFlag::Misere, RuleFlag::Exact, RuleFlag::Torus])
}

/// Returns the result of the position, if one side can play the strategy. The rules must support it.
pub(crate) fn find(position: &Position) -> Option<StrategyResult> {
    let rules = position.rules();
    let mut stones: Vec<_> = (0..rules.cells())
        .map(|cell| position.stone_at(Cell::new(cell as u16)))
        .collect();
    if let Some(best) = reply(position) {
        stones[best.index()] = Some(position.turn());
        let wins = is_never_drawn(position, &mut stones);
        return Some(if wins {
            StrategyResult::Wins(best)
        } else {
            StrategyResult::Holds(best)
        });
    }
    // The opponent follows the strategy if its last stone made the board symmetric.
    let mut before = position.clone();
    let last = before.undo()?;
    let is_mirrored = reply(&before) == Some(last);
    (is_mirrored && is_never_drawn(position, &mut stones)).then_some(StrategyResult::Loses)
}

/// Returns whether every way to fill the free pairs of opposite cells with one stone of each seat completes a line.
/// Returns `false` if it takes too many stones to find out, and with `exact`, because a full window may belong to a
/// longer run.
fn is_never_drawn(position: &Position, stones: &mut [Option<Seat>]) -> bool {
    let geometry = position.geometry();
    if position.rules().exact() {
        return false;
    }
    let mut windows_at = vec![Vec::new(); stones.len()];
    for window in geometry.windows() {
        for cell in window {
            windows_at[cell.index()].push(window);
        }
    }
    let opposite = stones.len() - 1;
    let pairs: Vec<usize> = (0..stones.len() / 2)
        .filter(|&cell| stones[cell].is_none())
        .collect();
    let mut placed = 0;
    has_line_in_all(&pairs, &mut placed, stones, &|stones, cell| {
        [cell, opposite - cell].into_iter().any(|cell| {
            windows_at[cell].iter().any(|window| {
                window
                    .iter()
                    .all(|other| stones[other.index()] == stones[cell])
            })
        })
    })
}

/// Fills the pairs in all ways, until `completes_line` finds a line through a pair.
fn has_line_in_all(
    pairs: &[usize],
    placed: &mut u32,
    stones: &mut [Option<Seat>],
    completes_line: &impl Fn(&[Option<Seat>], usize) -> bool,
) -> bool {
    let Some((&cell, rest)) = pairs.split_first() else {
        return false;
    };
    let opposite = stones.len() - 1 - cell;
    let has_line = Seat::ALL.into_iter().all(|seat| {
        *placed += 1;
        (stones[cell], stones[opposite]) = (Some(seat), Some(seat.other()));
        *placed <= MAX_PLACED_STONES
            && (completes_line(stones, cell)
                || has_line_in_all(rest, placed, stones, completes_line))
    });
    (stones[cell], stones[opposite]) = (None, None);
    has_line
}

/// Returns the reply that makes the board its own mirror image, if the side to move can play the strategy.
fn reply(position: &Position) -> Option<Cell> {
    let rules = position.rules();
    let opposite = |cell: Cell| Cell::new((rules.cells() - 1 - cell.index()) as u16);
    let all = || (0..rules.cells() as u16).map(Cell::new);
    let middle = all().find(|&cell| opposite(cell) == cell);
    let Some(&last) = position.moves().last() else {
        return middle.filter(|&middle| is_safe(position, middle, opposite));
    };
    // The mirroring seat is the first on a board with a centre, otherwise the second.
    if position.ply().is_multiple_of(2) != middle.is_some() || opposite(last) == last {
        return None;
    }
    let is_mirrored = |cell: Cell| match position.stone_at(cell) {
        None => position.stone_at(opposite(cell)).is_none() || opposite(cell) == last,
        Some(_) if cell == last => position.stone_at(opposite(cell)).is_none(),
        Some(seat) => position.stone_at(opposite(cell)) == Some(seat.other()),
    };
    let is_symmetric = match middle {
        Some(middle) => {
            position.stone_at(middle) == Some(position.turn())
                && is_safe(position, middle, opposite)
                && all().filter(|&cell| cell != middle).all(is_mirrored)
        }
        None => all().all(is_mirrored),
    };
    is_symmetric.then(|| opposite(last))
}

/// Returns whether every window through the centre contains two opposite cells.
fn is_safe(position: &Position, middle: Cell, opposite: impl Fn(Cell) -> Cell) -> bool {
    let has_pair = |window: &[Cell]| {
        window
            .iter()
            .any(|&cell| cell != middle && window.contains(&opposite(cell)))
    };
    position
        .geometry()
        .windows()
        .filter(|window| window.contains(&middle))
        .all(has_pair)
}

#[cfg(test)]
mod tests {
    use super::*;
    use noughts_protocol::rng::split_mix64;
    use noughts_protocol::{Seat, Status};

    fn check(rules: &str, own: Seat) {
        for seed in 0..200_u64 {
            let mut game = Position::new(rules.parse().unwrap());
            let mut random = seed;
            while game.status() == Status::Ongoing {
                let cell = if game.turn() == own {
                    reply(&game).unwrap_or_else(|| panic!("{game:?}"))
                } else {
                    random = split_mix64(random);
                    game.legal_nth((random % game.legal_count() as u64) as usize)
                        .unwrap()
                };
                game.play(cell).unwrap();
            }
            assert_ne!(game.status(), Status::Won(own.other()), "{game:?}");
        }
    }

    #[test]
    fn the_mirror_strategy_never_loses() {
        for rules in [
            "3x3:3+misere",
            "3x3x3:3+misere",
            "5x5:5+misere",
            "5x3:4+misere+exact",
            "3x3:3+misere+torus",
            "5x5:5+misere+torus",
        ] {
            check(rules, Seat::X);
        }
        for rules in [
            "4x4:3+misere",
            "4x3:3+misere",
            "6x3:3+misere",
            "4x4x4:4+misere",
            "10x9:4+misere",
            "4x3:3+misere+torus",
            "6x6:4+misere+exact+torus",
        ] {
            check(rules, Seat::O);
        }
    }

    #[test]
    fn the_mirror_wins_where_every_full_board_has_a_line() {
        let found = |rules: &str, moves: &str| find(&crate::tests::position(rules, moves));
        let cube = "3x3x3:3+misere";
        assert_eq!(found(cube, ""), Some(StrategyResult::Wins(Cell::new(13))));
        assert_eq!(found(cube, "b2-2"), Some(StrategyResult::Loses));
        assert!(matches!(
            found(cube, "b2-2 a1-1"),
            Some(StrategyResult::Wins(_))
        ));
        assert_eq!(found(cube, "b2-2 a1-1 c3-3"), Some(StrategyResult::Loses));
        assert_eq!(
            found(cube, "a1-1"),
            None,
            "O cannot mirror on a board with a center"
        );
        // These boards have a draw, or are too large.
        for rules in ["3x3:3+misere", "5x5:5+misere"] {
            assert!(
                matches!(found(rules, ""), Some(StrategyResult::Holds(_))),
                "{rules}"
            );
        }
        assert!(matches!(
            found("3x3:3+misere+torus", ""),
            Some(StrategyResult::Wins(_))
        ));
        assert_eq!(found("4x4x4:4+misere", "a1-1 d4-4"), None, "a draw exists");
        let found = found("6x4:2+misere+exact", "a1");
        assert!(
            matches!(found, Some(StrategyResult::Holds(_))),
            "rows may be full of one mark: {found:?}"
        );
    }

    #[test]
    fn unsafe_boards_have_no_mirror_reply() {
        let reply_to = |rules: &str, moves: &str| {
            let position = crate::tests::position(rules, moves);
            supports(position.rules())
                .then(|| reply(&position))
                .flatten()
        };
        assert_eq!(
            reply_to("5x5:3+misere", ""),
            None,
            "a window from the center to the edge has no pair"
        );
        assert_eq!(reply_to("3x3:3", ""), None);
        assert_eq!(reply_to("4x4:4+misere+gravity", "a4"), None);
        assert_eq!(
            reply_to("3x3:3+misere", "a1 c3 b2"),
            None,
            "the seat that does not mirror"
        );
        assert_eq!(
            reply_to("4x4:4+misere", "a1 b1 c1"),
            None,
            "the board is not symmetric"
        );
        assert_eq!(reply_to("4x4:4+misere", ""), None);
        assert_eq!(reply_to("1:1+misere", ""), None, "the center is a line");
    }
}
