//! Where the cells of a board lie on the screen, and which of them do when not all fit.
//!
//! A board of two dimensions is one block of cells; of three or four it is a block a layer, side by
//! side, a row of them for each place along the fourth dimension. What does not fit scrolls by half a
//! window, before the cursor reaches the edge; rulers stay.

use noughts_protocol::{Cell, Rules};
use ratatui::layout::Rect;

/// How much room a cell gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pitch {
    /// Three columns and a line between cells, four columns in all, two rows.
    Grid,
    /// Three columns.
    Wide,
    /// Two columns: neighbours share the place between them.
    Tight,
}

impl Pitch {
    fn step(self) -> (u16, u16) {
        match self {
            Pitch::Grid => (4, 2),
            Pitch::Wide => (3, 1),
            Pitch::Tight => (2, 1),
        }
    }

    /// The columns and rows of so many cells.
    fn size(self, nx: u16, ny: u16) -> (u16, u16) {
        match self {
            Pitch::Grid => (4 * nx - 1, 2 * ny - 1),
            Pitch::Wide => (3 * nx, ny),
            Pitch::Tight => (2 * nx + 1, ny),
        }
    }

    /// How many cells fit into so many columns and rows.
    fn fit(self, columns: u16, rows: u16) -> (u16, u16) {
        match self {
            Pitch::Grid => ((columns + 1) / 4, rows.div_ceil(2)),
            Pitch::Wide => (columns / 3, rows),
            Pitch::Tight => (columns.saturating_sub(1) / 2, rows),
        }
    }
}

/// Columns between blocks.
const GAP: u16 = 2;
/// The longest side of a board that is drawn with lines between its cells.
const GRID_SIDE: u8 = 9;

/// Part of something longer: the first that is shown, and how many are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Window {
    pub(super) first: u16,
    pub(super) count: u16,
}

impl Window {
    /// The window of `count` out of `total` in which `at` is not near an edge. It jumps by half its
    /// length, so that it stands still for most steps.
    fn around(at: u16, count: u16, total: u16) -> Window {
        if count >= total {
            return Window { first: 0, count: total };
        }
        let count = count.max(1);
        let step = (count / 2).max(1);
        let first = (at.saturating_sub(count / 4) / step * step).min(total - count);
        Window { first, count }
    }

    #[cfg(test)]
    fn contains(self, at: u16) -> bool {
        (self.first..self.first + self.count).contains(&at)
    }
}

/// Where the cells lie.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    rules: Rules,
    pub(super) pitch: Pitch,
    area: Rect,
    /// The cells of each block that are shown: along x, and along y.
    pub(super) columns: Window,
    pub(super) rows: Window,
    /// Blocks side by side before the next row of blocks begins.
    across: u16,
    /// The blocks that are shown, as columns and rows of blocks.
    blocks_x: Window,
    blocks_y: Window,
}

/// A block of cells on the screen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    /// Third and fourth coordinate of its cells.
    pub(super) z: u8,
    pub(super) w: u8,
    /// Where its cells begin.
    pub(super) x: u16,
    pub(super) y: u16,
}

/// Third and fourth side, one beyond the dimensions.
fn layers(rules: &Rules) -> (u16, u16) {
    let side = |axis: usize| rules.sides().get(axis).copied().map_or(1, u16::from);
    (side(2), side(3))
}

impl Layout {
    /// The pitches to try for a board, the roomiest first.
    pub(super) fn pitches(rules: &Rules) -> &'static [Pitch] {
        if rules.sides().iter().take(2).all(|&side| side <= GRID_SIDE) {
            &[Pitch::Grid, Pitch::Wide, Pitch::Tight]
        } else {
            &[Pitch::Wide, Pitch::Tight]
        }
    }

    /// The columns of the left ruler: the longest row number and a blank.
    pub(super) fn ruler(rules: &Rules) -> u16 {
        if rules.height() > 9 { 3 } else { 2 }
    }

    /// The rows above the cells of a block: its name if there are several, and the letters.
    fn head(rules: &Rules) -> u16 {
        if rules.dimensions() > 2 { 2 } else { 1 }
    }

    /// The columns and rows that a whole board takes with so many blocks side by side.
    fn needs(rules: &Rules, pitch: Pitch, across: u16) -> (u16, u16) {
        let (nz, nw) = layers(rules);
        let (width, height) = pitch.size(u16::from(rules.width()), u16::from(rules.height()));
        let down = if nw > 1 { nw } else { nz.div_ceil(across) };
        let gaps = down.saturating_sub(1);
        let columns = Self::ruler(rules) + across * width + (across - 1) * GAP;
        (columns, down * (Self::head(rules) + height) + gaps)
    }

    /// The blocks side by side with which a board fits into a width best, and the size that it then has.
    pub(super) fn best(rules: &Rules, pitch: Pitch, columns: u16) -> (u16, (u16, u16)) {
        let (nz, nw) = layers(rules);
        if nw > 1 {
            return (nz, Self::needs(rules, pitch, nz));
        }
        let fits = |across: &u16| Self::needs(rules, pitch, *across).0 <= columns;
        let most = (1..=nz).rev().find(fits).unwrap_or(1);
        // As few rows as that, but evenly filled.
        let across = nz.div_ceil(nz.div_ceil(most));
        (across, Self::needs(rules, pitch, across))
    }

    /// Lays a board out in an area, showing the part around `cursor` if not all fits.
    pub(super) fn new(rules: Rules, pitch: Pitch, area: Rect, cursor: Cell) -> Layout {
        let at = rules.coordinates(cursor).unwrap_or_default().map(u16::from);
        let (nz, nw) = layers(&rules);
        let (across, _) = Self::best(&rules, pitch, area.width);
        let head = Self::head(&rules);
        let (fit_x, fit_y) =
            pitch.fit(area.width.saturating_sub(Self::ruler(&rules)), area.height.saturating_sub(head));
        let columns = Window::around(at[0], fit_x, u16::from(rules.width()));
        let rows = Window::around(at[1], fit_y, u16::from(rules.height()));
        let (width, height) = pitch.size(columns.count, rows.count);
        let room_x = (area.width.saturating_sub(Self::ruler(&rules)) + GAP) / (width + GAP);
        let room_y = (area.height + 1) / (head + height + 1);
        let (block, total) = if nw > 1 {
            ((at[2], at[3]), (nz, nw))
        } else {
            ((at[2] % across, at[2] / across), (across, nz.div_ceil(across)))
        };
        Layout {
            rules,
            pitch,
            area,
            columns,
            rows,
            across: total.0,
            blocks_x: Window::around(block.0, room_x.max(1), total.0),
            blocks_y: Window::around(block.1, room_y.max(1), total.1),
        }
    }

    /// The blocks on the screen.
    pub(super) fn blocks(&self) -> impl Iterator<Item = Block> + '_ {
        let (nz, nw) = layers(&self.rules);
        let (width, height) = self.pitch.size(self.columns.count, self.rows.count);
        let head = Self::head(&self.rules);
        (0..self.blocks_y.count).flat_map(move |row| {
            (0..self.blocks_x.count).filter_map(move |column| {
                let (bx, by) = (self.blocks_x.first + column, self.blocks_y.first + row);
                let (z, w) = if nw > 1 { (bx, by) } else { (bx + by * self.across, 0) };
                (z < nz && w < nw).then(|| Block {
                    z: z as u8,
                    w: w as u8,
                    x: self.area.x + Self::ruler(&self.rules) + column * (width + GAP),
                    y: self.area.y + row * (head + height + 1) + head,
                })
            })
        })
    }

    /// The left edge, where the row numbers stand.
    pub(super) fn left(&self) -> u16 {
        self.area.x
    }

    /// The column and row of the mark of the cell at these places of the window.
    pub(super) fn mark(&self, block: Block, column: u16, row: u16) -> (u16, u16) {
        let (step_x, step_y) = self.pitch.step();
        (block.x + 1 + column * step_x, block.y + row * step_y)
    }

    /// The cell of a block at these places of the window.
    pub(super) fn cell(&self, block: Block, column: u16, row: u16) -> Option<Cell> {
        let at = [(self.columns.first + column) as u8, (self.rows.first + row) as u8, block.z, block.w];
        self.rules.cell_at(&at[..self.rules.dimensions()])
    }

    /// Whether everything of the board is on the screen.
    pub(super) fn is_whole(&self) -> bool {
        let (nz, nw) = layers(&self.rules);
        self.columns.count == u16::from(self.rules.width())
            && self.rows.count == u16::from(self.rules.height())
            && self.blocks_x.count * self.blocks_y.count >= nz * nw
    }

    /// The cell at a place of the screen.
    pub(super) fn cell_at(&self, x: u16, y: u16) -> Option<Cell> {
        let (step_x, step_y) = self.pitch.step();
        self.blocks().find_map(|block| {
            let (width, height) = self.pitch.size(self.columns.count, self.rows.count);
            let (right, down) = (x.checked_sub(block.x)?, y.checked_sub(block.y)?);
            // The line between two cells belongs to neither; the shared place goes to the cell on its right.
            let between = self.pitch == Pitch::Grid && (right % 4 == 3 || down % 2 == 1);
            if right >= width || down >= height || between {
                return None;
            }
            let column = (right / step_x).min(self.columns.count - 1);
            self.cell(block, column, down / step_y)
        })
    }

    /// Whether a cell is on the screen.
    #[cfg(test)]
    pub(super) fn shows(&self, cell: Cell) -> bool {
        let Some(at) = self.rules.coordinates(cell) else { return false };
        self.columns.contains(at[0].into())
            && self.rows.contains(at[1].into())
            && self.blocks().any(|block| (block.z, block.w) == (at[2], at[3]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_can_be_seen_and_clicked_in_every_size() {
        for (text, columns, rows) in [
            ("3x3:3", 20, 8),
            ("15x15:5", 30, 7),
            ("25x25:5", 28, 6),
            ("19x19:5", 60, 20),
            ("4x4x4:4", 30, 8),
            ("4x4x4:4", 70, 12),
            ("10x10x10:5", 30, 8),
            ("3x3x3x3:3", 28, 9),
            ("4x4x4x16:4", 40, 12),
            ("25:5", 28, 3),
        ] {
            let rules: Rules = text.parse().unwrap();
            for pitch in Layout::pitches(&rules) {
                for cell in (0..rules.cells() as u16).map(Cell::new) {
                    let layout = Layout::new(rules, *pitch, Rect::new(1, 2, columns, rows), cell);
                    assert!(layout.shows(cell), "{text} {pitch:?} {}", rules.cell_text(cell));
                    let at = rules.coordinates(cell).unwrap();
                    let block = layout.blocks().find(|block| (block.z, block.w) == (at[2], at[3])).unwrap();
                    let (x, y) = layout.mark(
                        block,
                        u16::from(at[0]) - layout.columns.first,
                        u16::from(at[1]) - layout.rows.first,
                    );
                    assert_eq!(layout.cell_at(x, y), Some(cell), "{text} {pitch:?}");
                    assert!(x < 1 + columns && y < 2 + rows, "{text} {pitch:?} {x},{y}");
                }
            }
        }
    }

    #[test]
    fn a_window_keeps_its_distance_and_mostly_stands_still() {
        let mut moves = 0;
        let mut last = Window::around(0, 10, 25);
        for at in 0..25 {
            let window = Window::around(at, 10, 25);
            assert!(window.contains(at));
            let margin = (at - window.first).min(window.first + 9 - at);
            assert!(margin >= 2 || window.first == 0 || window.first == 15, "{at} in {window:?}");
            moves += u32::from(window != last);
            last = window;
        }
        assert!(moves <= 4, "{moves}");
    }

    #[test]
    fn layers_are_spread_evenly() {
        let rules: Rules = "6x6x6:4".parse().unwrap();
        assert_eq!(Layout::best(&rules, Pitch::Wide, 70).0, 3);
        let rules: Rules = "4x4x4:4".parse().unwrap();
        assert_eq!(Layout::best(&rules, Pitch::Grid, 70), (4, (68, 9)));
    }
}
