//! The layout of a board: where its cells lie on the screen, and which cells are visible if not all fit.
//!
//! A board of two dimensions is one slice of cells. With three dimensions, the slices along z lie side by side and wrap;
//! with four, there is a row of slices for each w. A board that does not fit scrolls by half of the visible range before
//! the cursor reaches the edge; the rulers stay.

use noughts_protocol::{Cell, Rules};
use ratatui::layout::Rect;

/// Size of a cell on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CellSize {
    /// 4 columns and 2 rows, with grid lines between the cells.
    Grid,
    /// 3 columns and 1 row.
    Wide,
    /// 2 columns and 1 row; neighbours share the column between them.
    Tight,
}

impl CellSize {
    fn stride(self) -> (u16, u16) {
        match self {
            CellSize::Grid => (4, 2),
            CellSize::Wide => (3, 1),
            CellSize::Tight => (2, 1),
        }
    }

    /// The columns and rows of a slice of this many cells.
    fn size(self, nx: u16, ny: u16) -> (u16, u16) {
        match self {
            CellSize::Grid => (4 * nx - 1, 2 * ny - 1),
            CellSize::Wide => (3 * nx, ny),
            CellSize::Tight => (2 * nx + 1, ny),
        }
    }

    /// How many cells fit into these columns and rows.
    fn cells_in(self, columns: u16, rows: u16) -> (u16, u16) {
        match self {
            CellSize::Grid => ((columns + 1) / 4, rows.div_ceil(2)),
            CellSize::Wide => (columns / 3, rows),
            CellSize::Tight => (columns.saturating_sub(1) / 2, rows),
        }
    }
}

/// Columns between slices.
const SLICE_GAP: u16 = 2;
/// Longest side of a board with grid lines.
const MAX_GRID_SIDE: u8 = 9;

/// The visible part of a longer sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct VisibleRange {
    pub(crate) first: u16,
    pub(crate) count: u16,
}

impl VisibleRange {
    /// Returns a range of `count` out of `total` that keeps `at` away from its edges. It moves by half of its length, so
    /// that it stays put for most steps of the cursor.
    fn centered_on(at: u16, count: u16, total: u16) -> VisibleRange {
        if count >= total {
            return VisibleRange { first: 0, count: total };
        }
        let count = count.max(1);
        let step = (count / 2).max(1);
        let first = (at.saturating_sub(count / 4) / step * step).min(total - count);
        VisibleRange { first, count }
    }

    #[cfg(test)]
    fn contains(self, at: u16) -> bool {
        (self.first..self.first + self.count).contains(&at)
    }
}

/// Layout of a board in an area of the screen.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    rules: Rules,
    pub(crate) cell_size: CellSize,
    area: Rect,
    /// The visible columns and rows of each slice.
    pub(crate) columns: VisibleRange,
    pub(crate) rows: VisibleRange,
    /// Number of slices in a row of slices.
    slices_across: u16,
    /// The visible slices, as columns and rows of slices.
    slices_x: VisibleRange,
    slices_y: VisibleRange,
}

/// A slice of the board (all cells with the same z and w) on the screen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slice {
    /// Third and fourth coordinate of the cells.
    pub(crate) z: u8,
    pub(crate) w: u8,
    /// Position of the first cell.
    pub(crate) x: u16,
    pub(crate) y: u16,
}

/// The third and fourth side; 1 for a missing dimension.
fn layer_counts(rules: &Rules) -> (u16, u16) {
    let side = |axis: usize| rules.sides().get(axis).copied().map_or(1, u16::from);
    (side(2), side(3))
}

impl Layout {
    /// The cell sizes to try for a board, the largest first.
    pub(crate) fn cell_sizes(rules: &Rules) -> &'static [CellSize] {
        if rules.sides().iter().take(2).all(|&side| side <= MAX_GRID_SIDE) {
            &[CellSize::Grid, CellSize::Wide, CellSize::Tight]
        } else {
            &[CellSize::Wide, CellSize::Tight]
        }
    }

    /// Columns of the left ruler: the longest row number and a blank.
    pub(crate) fn ruler_columns(rules: &Rules) -> u16 {
        if rules.height() > 9 { 3 } else { 2 }
    }

    /// Rows above a slice: its name if there are several slices, and the column letters.
    fn header_rows(rules: &Rules) -> u16 {
        if rules.dimensions() > 2 { 2 } else { 1 }
    }

    /// The columns and rows of a whole board with `across` slices in a row.
    fn required_size(rules: &Rules, cell_size: CellSize, across: u16) -> (u16, u16) {
        let (nz, nw) = layer_counts(rules);
        let (width, height) = cell_size.size(u16::from(rules.width()), u16::from(rules.height()));
        let down = if nw > 1 { nw } else { nz.div_ceil(across) };
        let gaps = down.saturating_sub(1);
        let columns = Self::ruler_columns(rules) + across * width + (across - 1) * SLICE_GAP;
        (columns, down * (Self::header_rows(rules) + height) + gaps)
    }

    /// Returns the number of slices in a row that fits a width best, and the size of the board with it.
    pub(crate) fn best_fit(rules: &Rules, cell_size: CellSize, columns: u16) -> (u16, (u16, u16)) {
        let (nz, nw) = layer_counts(rules);
        if nw > 1 {
            return (nz, Self::required_size(rules, cell_size, nz));
        }
        let fits = |across: &u16| Self::required_size(rules, cell_size, *across).0 <= columns;
        let max_across = (1..=nz).rev().find(fits).unwrap_or(1);
        // The same number of rows, but evenly filled.
        let across = nz.div_ceil(nz.div_ceil(max_across));
        (across, Self::required_size(rules, cell_size, across))
    }

    /// Lays out a board in an area. If it does not fit, the part around `cursor` is visible.
    pub(crate) fn new(rules: Rules, cell_size: CellSize, area: Rect, cursor: Cell) -> Layout {
        let at = rules.coordinates(cursor).unwrap_or_default().map(u16::from);
        let (nz, nw) = layer_counts(&rules);
        let (across, _) = Self::best_fit(&rules, cell_size, area.width);
        let header_rows = Self::header_rows(&rules);
        let (fit_x, fit_y) = cell_size.cells_in(
            area.width.saturating_sub(Self::ruler_columns(&rules)),
            area.height.saturating_sub(header_rows),
        );
        let columns = VisibleRange::centered_on(at[0], fit_x, u16::from(rules.width()));
        let rows = VisibleRange::centered_on(at[1], fit_y, u16::from(rules.height()));
        let (width, height) = cell_size.size(columns.count, rows.count);
        let room_x =
            (area.width.saturating_sub(Self::ruler_columns(&rules)) + SLICE_GAP) / (width + SLICE_GAP);
        let room_y = (area.height + 1) / (header_rows + height + 1);
        let (slice, total) = if nw > 1 {
            ((at[2], at[3]), (nz, nw))
        } else {
            ((at[2] % across, at[2] / across), (across, nz.div_ceil(across)))
        };
        Layout {
            rules,
            cell_size,
            area,
            columns,
            rows,
            slices_across: total.0,
            slices_x: VisibleRange::centered_on(slice.0, room_x.max(1), total.0),
            slices_y: VisibleRange::centered_on(slice.1, room_y.max(1), total.1),
        }
    }

    /// The visible slices.
    pub(crate) fn slices(&self) -> impl Iterator<Item = Slice> + '_ {
        let (nz, nw) = layer_counts(&self.rules);
        let (width, height) = self.cell_size.size(self.columns.count, self.rows.count);
        let header_rows = Self::header_rows(&self.rules);
        (0..self.slices_y.count).flat_map(move |row| {
            (0..self.slices_x.count).filter_map(move |column| {
                let (bx, by) = (self.slices_x.first + column, self.slices_y.first + row);
                let (z, w) = if nw > 1 { (bx, by) } else { (bx + by * self.slices_across, 0) };
                (z < nz && w < nw).then(|| Slice {
                    z: z as u8,
                    w: w as u8,
                    x: self.area.x + Self::ruler_columns(&self.rules) + column * (width + SLICE_GAP),
                    y: self.area.y + row * (header_rows + height + 1) + header_rows,
                })
            })
        })
    }

    /// The column of the row numbers.
    pub(crate) fn left_edge(&self) -> u16 {
        self.area.x
    }

    /// The screen position of the stone of a cell, given by its visible column and row.
    pub(crate) fn mark_position(&self, slice: Slice, column: u16, row: u16) -> (u16, u16) {
        let (step_x, step_y) = self.cell_size.stride();
        (slice.x + 1 + column * step_x, slice.y + row * step_y)
    }

    /// The cell of a slice, given by its visible column and row.
    pub(crate) fn cell(&self, slice: Slice, column: u16, row: u16) -> Option<Cell> {
        let at = [(self.columns.first + column) as u8, (self.rows.first + row) as u8, slice.z, slice.w];
        self.rules.cell_at(&at[..self.rules.dimensions()])
    }

    /// Whether the whole board is visible.
    pub(crate) fn is_complete(&self) -> bool {
        self.columns.count == u16::from(self.rules.width())
            && self.rows.count == u16::from(self.rules.height())
            && !self.has_hidden_layers()
    }

    /// Whether some slices of the board are not visible.
    pub(crate) fn has_hidden_layers(&self) -> bool {
        let (nz, nw) = layer_counts(&self.rules);
        self.slices_x.count * self.slices_y.count < nz * nw
    }

    /// The cell at a position of the screen.
    pub(crate) fn cell_at(&self, x: u16, y: u16) -> Option<Cell> {
        let (step_x, step_y) = self.cell_size.stride();
        self.slices().find_map(|slice| {
            let (width, height) = self.cell_size.size(self.columns.count, self.rows.count);
            let (right, down) = (x.checked_sub(slice.x)?, y.checked_sub(slice.y)?);
            // A grid line belongs to no cell; a shared column belongs to the cell on its right.
            let is_separator = self.cell_size == CellSize::Grid && (right % 4 == 3 || down % 2 == 1);
            if right >= width || down >= height || is_separator {
                return None;
            }
            let column = (right / step_x).min(self.columns.count - 1);
            self.cell(slice, column, down / step_y)
        })
    }

    /// Whether a cell is visible.
    #[cfg(test)]
    pub(crate) fn is_visible(&self, cell: Cell) -> bool {
        let Some(at) = self.rules.coordinates(cell) else { return false };
        self.columns.contains(at[0].into())
            && self.rows.contains(at[1].into())
            && self.slices().any(|slice| (slice.z, slice.w) == (at[2], at[3]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_is_visible_and_clickable() {
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
            for cell_size in Layout::cell_sizes(&rules) {
                for cell in (0..rules.cells() as u16).map(Cell::new) {
                    let layout = Layout::new(rules, *cell_size, Rect::new(1, 2, columns, rows), cell);
                    assert!(layout.is_visible(cell), "{text} {cell_size:?} {}", rules.cell_text(cell));
                    let at = rules.coordinates(cell).unwrap();
                    let slice = layout.slices().find(|slice| (slice.z, slice.w) == (at[2], at[3])).unwrap();
                    let (x, y) = layout.mark_position(
                        slice,
                        u16::from(at[0]) - layout.columns.first,
                        u16::from(at[1]) - layout.rows.first,
                    );
                    assert_eq!(layout.cell_at(x, y), Some(cell), "{text} {cell_size:?}");
                    assert!(x < 1 + columns && y < 2 + rows, "{text} {cell_size:?} {x},{y}");
                }
            }
        }
    }

    #[test]
    fn visible_range_keeps_margin_and_rarely_moves() {
        let mut moves = 0;
        let mut last = VisibleRange::centered_on(0, 10, 25);
        for at in 0..25 {
            let range = VisibleRange::centered_on(at, 10, 25);
            assert!(range.contains(at));
            let margin = (at - range.first).min(range.first + 9 - at);
            assert!(margin >= 2 || range.first == 0 || range.first == 15, "{at} in {range:?}");
            moves += u32::from(range != last);
            last = range;
        }
        assert!(moves <= 4, "{moves}");
    }

    #[test]
    fn layers_are_distributed_evenly() {
        let rules: Rules = "6x6x6:4".parse().unwrap();
        assert_eq!(Layout::best_fit(&rules, CellSize::Wide, 70).0, 3);
        let rules: Rules = "4x4x4:4".parse().unwrap();
        assert_eq!(Layout::best_fit(&rules, CellSize::Grid, 70), (4, (68, 9)));
    }
}
