//! How tiles share the screen.

use noughts_protocol::Rules;
use ratatui::layout::Rect;

use super::super::layout::{Layout, Pitch};
use super::tile;

/// Columns between tiles.
const GAP: u16 = 2;
/// The fewest columns in which players and clocks can be read.
const NARROWEST: u16 = 24;
/// The fewest rows in which a part of a board says anything: its letters and two rows of it.
const LEAST_BOARD: u16 = 3;

/// So many tiles side by side, and so many one over the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sharing {
    across: u16,
    down: u16,
}

impl Sharing {
    const ALONE: Sharing = Sharing { across: 1, down: 1 };

    /// The way to show as many games as possible with their whole boards. A board that is too large for the
    /// body is never seen whole, and gets what there is. None: a board that is not known yet.
    pub(super) fn of(boards: &[Option<Rules>], body: Rect) -> Sharing {
        let alone = Sharing::ALONE.tile(body);
        let whole: Vec<&Rules> = boards.iter().flatten().filter(|rules| fits(rules, alone)).collect();
        let count = u16::try_from(boards.len()).unwrap_or(u16::MAX);
        let ways = (1..=count).rev().flat_map(ways);
        let has_room = |sharing: &Sharing| {
            let tile = sharing.tile(body);
            tile.0 >= NARROWEST
                && tile.1 >= tile::HEAD + LEAST_BOARD
                && whole.iter().all(|rules| fits(rules, tile))
        };
        ways.into_iter().find(has_room).unwrap_or(Sharing::ALONE)
    }

    /// The columns and rows of a tile.
    fn tile(self, body: Rect) -> (u16, u16) {
        (((body.width + GAP) / self.across).saturating_sub(GAP), body.height / self.down)
    }

    /// How many tiles there are.
    pub(super) fn tiles(self) -> usize {
        usize::from(self.across) * usize::from(self.down)
    }

    /// How many are side by side.
    pub(super) fn across(self) -> usize {
        usize::from(self.across)
    }

    /// Where the tile with this number lies.
    pub(super) fn area(self, body: Rect, number: usize) -> Rect {
        let (width, height) = self.tile(body);
        let number = u16::try_from(number).unwrap_or(u16::MAX);
        let (column, row) = (number % self.across, number / self.across);
        Rect { x: body.x + column * (width + GAP), y: body.y + row * height, width, height }
    }
}

/// The ways to lay so many tiles out, the squarest first.
fn ways(count: u16) -> impl Iterator<Item = Sharing> {
    let square = (1..=count).find(|across| across * across >= count).unwrap_or(1);
    let others = (1..=count).filter(move |across| *across != square);
    std::iter::once(square).chain(others).map(move |across| Sharing { across, down: count.div_ceil(across) })
}

/// Whether a whole board has room in a tile.
fn fits(rules: &Rules, (columns, rows): (u16, u16)) -> bool {
    let (_, needs) = Layout::best(rules, Pitch::Tight, columns);
    needs.0 <= columns && needs.1 + tile::HEAD <= rows
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The one caller: boards on a screen of this size, without header, notice and hints.
    fn check(size: (u16, u16), boards: &[&str], expected: (u16, u16)) {
        let body = super::super::Parts::of(Rect::new(0, 0, size.0, size.1)).body;
        let rules: Vec<Option<Rules>> = boards.iter().map(|rules| rules.parse().ok()).collect();
        let sharing = Sharing::of(&rules, body);
        assert_eq!((sharing.across, sharing.down), expected, "{boards:?} on {size:?}");
        for number in 0..sharing.tiles() {
            assert_eq!(sharing.area(body, number).intersection(body), sharing.area(body, number));
        }
    }

    #[test]
    fn as_many_as_have_room_for_their_boards() {
        check((80, 24), &["3x3:3", "3x3:3"], (2, 1));
        check((80, 24), &["connect4", "3x3:3", "connect4"], (2, 2));
        check((80, 24), &["connect4"; 4], (2, 2));
        check((80, 24), &["connect4"; 6], (3, 2));
        check((80, 24), &["gomoku", "gomoku"], (2, 1));
        check((80, 24), &["gomoku"; 4], (2, 1));
        check((120, 40), &["gomoku"; 4], (3, 1));
        check((40, 24), &["3x3:3", "3x3:3"], (1, 2));
        check((30, 10), &["3x3:3"; 6], (1, 1));
        check((40, 12), &["connect4"; 2], (1, 1));
    }

    #[test]
    fn what_is_not_known_or_never_whole_takes_no_place_from_the_others() {
        check((80, 24), &["unknown"; 4], (2, 2));
        check((80, 24), &["3x3:3", "3x3:3", "3x3:3", "19x19:5"], (2, 2));
    }
}
