//! In misère the mirror never loses: who answers every stone by the cell opposite it, through the middle of the
//! board, completes no line before the other has completed its mirror image.
//!
//! A line of one's own is either the image of the other's, which was there a move earlier, or it lies across
//! the middle with two cells opposite each other, of which the other has one. Boards with a cell in the middle
//! are for the first side, which takes it; then every window through it must have such a pair. Not under
//! gravity, where the opposite cell cannot be reached.

use noughts_protocol::{Cell, Position};

/// The answer that keeps the board its own mirror image, for the side that can have it so.
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
    // The side that answers: the first where there is a middle, else the second.
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

/// Whether no window through the middle can be filled by one side alone.
fn is_safe(position: &Position, middle: Cell, opposite: impl Fn(Cell) -> Cell) -> bool {
    let has_pair =
        |window: &[Cell]| window.iter().any(|&cell| cell != middle && window.contains(&opposite(cell)));
    position.geometry().windows().filter(|window| window.contains(&middle)).all(has_pair)
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
                    game.legal_nth((random % game.legal_count() as u64) as usize).unwrap()
                };
                game.play(cell).unwrap();
            }
            assert_ne!(game.status(), Status::Won(own.other()), "{game:?}");
        }
    }

    #[test]
    fn whatever_the_other_plays_it_never_loses() {
        for rules in ["3x3:3+misere", "3x3x3:3+misere", "5x5:5+misere", "5x3:4+misere+exact"] {
            check(rules, Seat::X);
        }
        for rules in ["4x4:3+misere", "4x3:3+misere", "6x3:3+misere", "4x4x4:4+misere", "10x9:4+misere"] {
            check(rules, Seat::O);
        }
    }

    #[test]
    fn where_it_may_lose_it_is_not_played() {
        let reply_to = |rules: &str, moves: &str| reply(&crate::tests::position(rules, moves));
        assert_eq!(reply_to("5x5:3+misere", ""), None, "a line from the middle to the edge has no pair");
        assert_eq!(reply_to("3x3:3", ""), None);
        assert_eq!(reply_to("4x4:4+misere+gravity", "a4"), None);
        assert_eq!(reply_to("3x3:3+misere", "a1 c3 b2"), None, "the other side");
        assert_eq!(reply_to("4x4:4+misere", "a1 b1 c1"), None, "no image any more");
        assert_eq!(reply_to("4x4:4+misere", ""), None);
        assert_eq!(reply_to("1:1+misere", ""), None, "the middle is a line");
    }
}
