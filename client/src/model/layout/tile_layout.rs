//! The layout of the tiles of several watched games.

use noughts_protocol::Rules;
use ratatui::layout::Rect;

use super::board_layout::Layout;
use super::cell_size::CellSize;

/// Smallest header of a tile: the name, the players in one row, and the status.
pub(crate) const MIN_HEADER_ROWS: u16 = 3;
/// Columns between tiles.
const TILE_GAP: u16 = 2;
/// Smallest width in which players and clocks are readable.
const MIN_TILE_COLUMNS: u16 = 24;
/// Smallest height of a visible part of a board: the column letters and two rows.
const MIN_BOARD_ROWS: u16 = 3;

/// Number of tiles across and down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TileLayout {
    across: u16,
    down: u16,
}

impl TileLayout {
    const SINGLE: TileLayout = TileLayout { across: 1, down: 1 };

    /// Returns the layout that shows most games with their whole boards. A board that is larger than the body is ignored,
    /// because no layout shows it whole; `None` stands for a board that has not arrived.
    pub(crate) fn best(boards: &[Option<Rules>], body: Rect) -> TileLayout {
        let single = TileLayout::SINGLE.tile_size(body);
        let fitting: Vec<&Rules> = boards
            .iter()
            .flatten()
            .filter(|rules| board_fits(rules, single))
            .collect();
        let count = u16::try_from(boards.len()).unwrap_or(u16::MAX);
        let candidates = (1..=count).rev().flat_map(layouts);
        let fits_all = |layout: &TileLayout| {
            let tile = layout.tile_size(body);
            tile.0 >= MIN_TILE_COLUMNS
                && tile.1 >= MIN_HEADER_ROWS + MIN_BOARD_ROWS
                && fitting.iter().all(|rules| board_fits(rules, tile))
        };
        candidates
            .into_iter()
            .find(fits_all)
            .unwrap_or(TileLayout::SINGLE)
    }

    /// The columns and rows of a tile.
    fn tile_size(self, body: Rect) -> (u16, u16) {
        (
            ((body.width + TILE_GAP) / self.across).saturating_sub(TILE_GAP),
            body.height / self.down,
        )
    }

    /// Number of tiles.
    pub(crate) fn tiles(self) -> usize {
        usize::from(self.across) * usize::from(self.down)
    }

    /// Number of tiles side by side.
    pub(crate) fn across(self) -> usize {
        usize::from(self.across)
    }

    /// The area of the tile with this index.
    pub(crate) fn area(self, body: Rect, index: usize) -> Rect {
        let (width, height) = self.tile_size(body);
        let number = u16::try_from(index).unwrap_or(u16::MAX);
        let (column, row) = (number % self.across, number / self.across);
        Rect {
            x: body.x + column * (width + TILE_GAP),
            y: body.y + row * height,
            width,
            height,
        }
    }
}

/// The layouts of this many tiles, the squarest first.
fn layouts(count: u16) -> impl Iterator<Item = TileLayout> {
    let square = (1..=count)
        .find(|across| across * across >= count)
        .unwrap_or(1);
    let others = (1..=count).filter(move |across| *across != square);
    std::iter::once(square)
        .chain(others)
        .map(move |across| TileLayout {
            across,
            down: count.div_ceil(across),
        })
}

/// Whether a whole board fits into a tile.
fn board_fits(rules: &Rules, (columns, rows): (u16, u16)) -> bool {
    Layout::fits(
        rules,
        CellSize::TIGHT,
        (columns, rows.saturating_sub(MIN_HEADER_ROWS)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the layout of these boards on a screen of this size.
    fn check(size: (u16, u16), boards: &[&str], expected: (u16, u16)) {
        let body = crate::model::layout::areas::Areas::split(Rect::new(0, 0, size.0, size.1)).body;
        let rules: Vec<Option<Rules>> = boards.iter().map(|rules| rules.parse().ok()).collect();
        let layout = TileLayout::best(&rules, body);
        assert_eq!(
            (layout.across, layout.down),
            expected,
            "{boards:?} on {size:?}"
        );
        for number in 0..layout.tiles() {
            assert_eq!(
                layout.area(body, number).intersection(body),
                layout.area(body, number)
            );
        }
    }

    #[test]
    fn as_many_tiles_as_fit() {
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
    fn unknown_or_oversized_boards_do_not_shrink_others() {
        check((80, 24), &["unknown"; 4], (2, 2));
        check((80, 24), &["3x3:3", "3x3:3", "3x3:3", "19x19:5"], (2, 2));
    }
}
