//! Mirror strategy for misère: a player who answers every stone at the opposite cell, mirrored at the center of the board,
//! never loses.
//!
//! A line of the mirroring player is the mirror image of a line that the opponent completed one move earlier, or it
//! contains two opposite cells, of which the opponent owns one. On a board with a central cell the first player takes the
//! center and mirrors; then every window through the center must contain such a pair. The strategy does not work with
//! gravity, where the opposite cell may be unreachable.

use noughts_protocol::{Cell, Position};

/// The reply that makes the board its own mirror image, if the side to move can play the strategy.
pub(crate) fn reply(position: &Position) -> Option<Cell> {
    let rules = position.rules();
    if !rules.misere() || rules.gravity() {
        return None;
    }
    let opposite = |cell: Cell| Cell::new((rules.cells() - 1 - cell.index()) as u16);
    let all = || (0..rules.cells() as u16).map(Cell::new);
    let middle = all().find(|&cell| opposite(cell) == cell);
    let Some(&last) = position.moves().last() else {
        return middle.filter(|&middle| is_safe(position, middle, opposite));
    };
    // The mirroring seat: the first on a board with a center, else the second.
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

/// Whether every window through the center contains two opposite cells.
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
        ] {
            check(rules, Seat::X);
        }
        for rules in [
            "4x4:3+misere",
            "4x3:3+misere",
            "6x3:3+misere",
            "4x4x4:4+misere",
            "10x9:4+misere",
        ] {
            check(rules, Seat::O);
        }
    }

    #[test]
    fn unsafe_boards_have_no_mirror_reply() {
        let reply_to = |rules: &str, moves: &str| reply(&crate::tests::position(rules, moves));
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
