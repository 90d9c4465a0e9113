//! The layout of a board: the size of its cells, their places on the screen, and which cells are visible if not all
//! fit.
//!
//! A board of two dimensions is one slice of cells. With three dimensions, the slices along z are side by side and
//! wrap. With four dimensions, there is a row of slices for each w. A board that fits is centred in its area. A board
//! that does not fit scrolls by half of the visible range before the cursor reaches the edge. The rulers stay, and the
//! last row of the area is free for the counts of hidden parts.

#[cfg(test)]
mod tests;

use noughts_protocol::{Cell, Rules};
use ratatui::layout::Rect;

use crate::input::text_command::is_named_by_digits;

const SLICE_GAP: u16 = 1;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct VisibleRange {
    pub(crate) first: u16,
    pub(crate) count: u16,
}

impl VisibleRange {
    /// Returns a range of `count` out of `total` that keeps `at` away from its edges. The range moves by half of its
    /// length, so that most steps of the cursor do not move it.
    fn centered_on(at: u16, count: u16, total: u16) -> VisibleRange {
        if count >= total {
            return VisibleRange {
                first: 0,
                count: total,
            };
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

#[derive(Clone, Debug)]
pub(crate) struct Layout {
    rules: Rules,
    pub(crate) cell_size: CellSize,
    area: Rect,
    /// Position of the corner of the first ruler.
    origin: (u16, u16),
    /// The visible columns and rows of each slice.
    pub(crate) columns: VisibleRange,
    pub(crate) rows: VisibleRange,
    /// Number of slices side by side.
    slices_across: u16,
    /// The visible slices, as columns and rows of slices.
    slices_x: VisibleRange,
    slices_y: VisibleRange,
    has_second_ruler: bool,
}

/// A slice of the board on the screen: all cells with the same z and w.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slice {
    /// Third and fourth coordinate of the cells.
    pub(crate) z: u8,
    pub(crate) w: u8,
    /// Position of its top left corner, to the right of the rulers and below them.
    pub(crate) x: u16,
    pub(crate) y: u16,
}

/// Numbers of cells and layers that are not visible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HiddenParts {
    pub(crate) above: u16,
    pub(crate) below: u16,
    pub(crate) left: u16,
    pub(crate) right: u16,
    /// The first and the last visible layer in both directions, if some layers are hidden.
    pub(crate) layers: Option<[(u8, u8); 2]>,
}

/// Returns the third and fourth side; 1 for a missing dimension.
fn layer_counts(rules: &Rules) -> (u16, u16) {
    let side = |axis: usize| rules.sides().get(axis).copied().map_or(1, u16::from);
    (side(2), side(3))
}

fn digits(number: u16) -> u16 {
    if number > 9 { 2 } else { 1 }
}

impl Layout {
    /// Returns the width of the left ruler: of the longest row number and a blank, or of a layer number between its
    /// signs. Without rulers, a blank column remains for the signs.
    pub(crate) fn ruler_columns(rules: &Rules) -> u16 {
        if is_named_by_digits(rules) {
            return 0;
        }
        let rows = digits(rules.height().into()) + 1;
        let (nz, nw) = layer_counts(rules);
        match rules.dimensions() {
            0..=2 => rows,
            3 => rows.max(digits(nz) + 2),
            _ => rows.max(digits(nz) + digits(nw) + 3),
        }
    }

    /// Returns the number of rows of the ruler above each slice. The ruler has the column names. A board with digits in
    /// its cells has no ruler.
    fn ruler_rows(rules: &Rules) -> u16 {
        u16::from(!is_named_by_digits(rules) || rules.gravity())
    }

    /// Returns the number of blank rows between rows of slices. With a frame, no blank row is needed.
    fn slice_row_gap(cell_size: CellSize) -> u16 {
        u16::from(cell_size.grid != GridStyle::Boxes)
    }

    /// Returns the columns and rows of a whole board with `across` slices side by side. A ruler is above each slice.
    fn required_size(rules: &Rules, cell_size: CellSize, across: u16) -> (u16, u16) {
        let (nz, nw) = layer_counts(rules);
        let (width, height) = cell_size.size(u16::from(rules.width()), u16::from(rules.height()));
        let down = if nw > 1 { nw } else { nz.div_ceil(across) };
        let gaps = down.saturating_sub(1) * Self::slice_row_gap(cell_size);
        let columns = across * (Self::ruler_columns(rules) + width) + (across - 1) * SLICE_GAP;
        (columns, down * (Self::ruler_rows(rules) + height) + gaps)
    }

    /// Returns the number of slices side by side that suits a width best, and the resulting size of the board.
    pub(crate) fn best_fit(rules: &Rules, cell_size: CellSize, columns: u16) -> (u16, (u16, u16)) {
        let (nz, nw) = layer_counts(rules);
        if nw > 1 {
            return (nz, Self::required_size(rules, cell_size, nz));
        }
        let fits = |across: &u16| Self::required_size(rules, cell_size, *across).0 <= columns;
        let max_across = (1..=nz).rev().find(fits).unwrap_or(1);
        // Fills the rows of slices evenly, without adding a row.
        let across = nz.div_ceil(nz.div_ceil(max_across));
        (across, Self::required_size(rules, cell_size, across))
    }

    /// Returns whether a whole board fits into an area.
    pub(crate) fn fits(rules: &Rules, cell_size: CellSize, (columns, rows): (u16, u16)) -> bool {
        let (_, needs) = Self::best_fit(rules, cell_size, columns);
        needs.0 <= columns && needs.1 <= rows
    }

    /// Arranges a board in an area. If the board does not fit, the part around `cursor` is visible.
    pub(crate) fn new(rules: Rules, cell_size: CellSize, area: Rect, cursor: Cell) -> Layout {
        let (nz, nw) = layer_counts(&rules);
        let (across, (width, height)) = Self::best_fit(&rules, cell_size, area.width);
        let total = if nw > 1 {
            (nz, nw)
        } else {
            (across, nz.div_ceil(across))
        };
        if width > area.width || height > area.height {
            return Self::new_partial(rules, cell_size, area, cursor, total);
        }
        let has_second_ruler = cell_size.has_second_ruler(&rules) && height < area.height;
        let height = height + u16::from(has_second_ruler);
        let all = |count: u16| VisibleRange { first: 0, count };
        Layout {
            rules,
            cell_size,
            area,
            origin: (
                area.x + (area.width - width) / 2,
                area.y + (area.height - height) / 2,
            ),
            columns: all(rules.width().into()),
            rows: all(rules.height().into()),
            slices_across: total.0,
            slices_x: all(total.0),
            slices_y: all(total.1),
            has_second_ruler,
        }
    }

    /// Arranges the part of a board around `cursor`, and leaves a free row below it.
    fn new_partial(
        rules: Rules,
        cell_size: CellSize,
        area: Rect,
        cursor: Cell,
        total: (u16, u16),
    ) -> Layout {
        let at = rules.coordinates(cursor).unwrap_or_default().map(u16::from);
        let ruler = Self::ruler_columns(&rules);
        let available = (
            area.width.saturating_sub(ruler),
            area.height.saturating_sub(1 + Self::ruler_rows(&rules)),
        );
        let (fit_x, fit_y) = cell_size.cells_in(available.0, available.1);
        let columns = VisibleRange::centered_on(at[0], fit_x, u16::from(rules.width()));
        let rows = VisibleRange::centered_on(at[1], fit_y, u16::from(rules.height()));
        let (width, height) = cell_size.size(columns.count, rows.count);
        let gap = Self::slice_row_gap(cell_size);
        let room_x = (area.width + SLICE_GAP) / (ruler + width + SLICE_GAP);
        let above = Self::ruler_rows(&rules);
        let room_y = (area.height.saturating_sub(1) + gap) / (above + height + gap);
        let slice = if total.1 > 1 && rules.dimensions() == 4 {
            (at[2], at[3])
        } else {
            (at[2] % total.0, at[2] / total.0)
        };
        Layout {
            rules,
            cell_size,
            area,
            origin: (area.x, area.y),
            columns,
            rows,
            slices_across: total.0,
            slices_x: VisibleRange::centered_on(slice.0, room_x.max(1), total.0),
            slices_y: VisibleRange::centered_on(slice.1, room_y.max(1), total.1),
            has_second_ruler: false,
        }
    }

    /// Returns the third and fourth coordinate of the slice in this column and row of slices.
    fn slice_coordinates(&self, column: u16, row: u16) -> Option<(u8, u8)> {
        let (nz, nw) = layer_counts(&self.rules);
        let (z, w) = if nw > 1 {
            (column, row)
        } else {
            (column + row * self.slices_across, 0)
        };
        (z < nz && w < nw).then_some((z as u8, w as u8))
    }

    pub(crate) fn slices(&self) -> impl Iterator<Item = Slice> + '_ {
        let (width, height) = self.slice_size();
        let ruler = Self::ruler_columns(&self.rules);
        let gap = Self::slice_row_gap(self.cell_size);
        let above = Self::ruler_rows(&self.rules);
        (0..self.slices_y.count).flat_map(move |row| {
            (0..self.slices_x.count).filter_map(move |column| {
                let (z, w) = self
                    .slice_coordinates(self.slices_x.first + column, self.slices_y.first + row)?;
                let x = self.origin.0 + column * (ruler + width + SLICE_GAP) + ruler;
                Some(Slice {
                    z,
                    w,
                    x,
                    y: self.origin.1 + row * (above + height + gap) + above,
                })
            })
        })
    }

    /// Returns the columns and rows of the visible part of a slice, including its lines.
    pub(crate) fn slice_size(&self) -> (u16, u16) {
        self.cell_size.size(self.columns.count, self.rows.count)
    }

    /// Returns the area of the board and its rulers, with a margin if there is room.
    pub(crate) fn ground(&self) -> Rect {
        const MARGIN: (u16, u16) = (2, 1);
        let (width, height) = self.slice_size();
        let second_ruler = u16::from(self.has_second_ruler);
        let (left, top) = self.origin;
        let (right, bottom) = self.slices().fold((left, top), |(right, bottom), slice| {
            (
                right.max(slice.x + width),
                bottom.max(slice.y + height + second_ruler),
            )
        });
        let (left, top) = (left.saturating_sub(MARGIN.0), top.saturating_sub(MARGIN.1));
        let ground = Rect::new(left, top, right + MARGIN.0 - left, bottom + MARGIN.1 - top);
        ground.intersection(self.area)
    }

    pub(crate) fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Returns whether there is a second ruler below the board.
    pub(crate) fn has_second_ruler(&self) -> bool {
        self.has_second_ruler
    }

    /// Returns the screen position of a cell's mark. The cell is given by its visible column and row.
    pub(crate) fn mark_position(&self, slice: Slice, column: u16, row: u16) -> (u16, u16) {
        let ((left, top), (step_x, step_y)) =
            (self.cell_size.first_mark(), self.cell_size.stride());
        (
            slice.x + left + column * step_x,
            slice.y + top + row * step_y,
        )
    }

    /// Returns the zero-based row of the board that a visible row shows.
    pub(crate) fn board_row(&self, row: u16) -> u8 {
        (self.rows.first + row) as u8
    }

    /// Returns the cell of a slice at this visible column and row.
    pub(crate) fn cell(&self, slice: Slice, column: u16, row: u16) -> Option<Cell> {
        let at = [
            (self.columns.first + column) as u8,
            self.board_row(row),
            slice.z,
            slice.w,
        ];
        self.rules.cell_at(&at[..self.rules.dimensions()])
    }

    /// Returns the numbers of hidden rows, columns and layers; `None` if the whole board is visible.
    pub(crate) fn hidden_parts(&self) -> Option<HiddenParts> {
        if self.is_complete() {
            return None;
        }
        let layers = self.has_hidden_layers().then(|| {
            let last = self
                .slices()
                .last()
                .map_or((0, 0), |slice| (slice.z, slice.w));
            let first = self
                .slices()
                .next()
                .map_or((0, 0), |slice| (slice.z, slice.w));
            [first, last]
        });
        Some(HiddenParts {
            above: self.rows.first,
            below: u16::from(self.rules.height()) - self.rows.first - self.rows.count,
            left: self.columns.first,
            right: u16::from(self.rules.width()) - self.columns.first - self.columns.count,
            layers,
        })
    }

    /// Returns the free row below a board that is not completely visible.
    pub(crate) fn counts_row(&self) -> Rect {
        Rect {
            y: self.area.bottom().saturating_sub(1),
            height: 1,
            ..self.area
        }
    }

    /// Returns whether the whole board is visible.
    pub(crate) fn is_complete(&self) -> bool {
        self.columns.count == u16::from(self.rules.width())
            && self.rows.count == u16::from(self.rules.height())
            && !self.has_hidden_layers()
    }

    /// Returns whether some slices of the board are not visible.
    pub(crate) fn has_hidden_layers(&self) -> bool {
        let (nz, nw) = layer_counts(&self.rules);
        self.slices_x.count * self.slices_y.count < nz * nw
    }

    /// Returns the area of the board with its rulers.
    pub(crate) fn bounds(&self) -> Rect {
        let (columns, rows) =
            Self::required_size(&self.rules, self.cell_size, self.slices_across.max(1));
        let rows = rows + u16::from(self.has_second_ruler);
        let (x, y) = self.origin;
        Rect::new(x, y, columns, rows).intersection(self.area)
    }

    /// Returns the cell at a position on the screen.
    pub(crate) fn cell_at(&self, x: u16, y: u16) -> Option<Cell> {
        let (width, height) = self.slice_size();
        let ((left, top), (step_x, step_y)) =
            (self.cell_size.first_mark(), self.cell_size.stride());
        self.slices().find_map(|slice| {
            let (right, down) = (x.checked_sub(slice.x)?, y.checked_sub(slice.y)?);
            if right >= width || down >= height {
                return None;
            }
            // Finds the nearest mark. A shared column belongs to the cell on its right.
            let column = (right + step_x / 2).saturating_sub(left) / step_x;
            let row = (down + step_y / 2).saturating_sub(top) / step_y;
            let (column, row) = (
                column.min(self.columns.count - 1),
                row.min(self.rows.count - 1),
            );
            let (mark_x, mark_y) = self.mark_position(slice, column, row);
            let (cell_width, cell_height) = self.click_size();
            let is_inside =
                x.abs_diff(mark_x) <= cell_width / 2 && y.abs_diff(mark_y) <= cell_height / 2;
            is_inside.then(|| self.cell(slice, column, row)).flatten()
        })
    }

    /// Returns the columns and rows of a cell that a click hits. A line of the grid belongs to no cell.
    fn click_size(&self) -> (u16, u16) {
        match self.cell_size.grid {
            GridStyle::Boxes | GridStyle::Columns => (self.cell_size.columns, self.cell_size.rows),
            GridStyle::Plain | GridStyle::Crossings => {
                (self.cell_size.columns | 1, self.cell_size.rows | 1)
            }
        }
    }

    /// Returns whether a cell is visible.
    #[cfg(test)]
    pub(crate) fn is_visible(&self, cell: Cell) -> bool {
        let Some(at) = self.rules.coordinates(cell) else {
            return false;
        };
        self.columns.contains(at[0].into())
            && self.rows.contains(at[1].into())
            && self
                .slices()
                .any(|slice| (slice.z, slice.w) == (at[2], at[3]))
    }
}

/// Lines between the cells of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GridStyle {
    Plain,
    /// A frame, and lines between all cells.
    Boxes,
    /// Vertical lines and a floor, for marks that fall.
    Columns,
    /// Marks are on the crossings of the lines, as on a Gomoku board.
    Crossings,
}

/// Size of a cell on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CellSize {
    /// Columns and rows of a cell without its lines. With [`GridStyle::Crossings`], the distance between crossings.
    pub(crate) columns: u16,
    pub(crate) rows: u16,
    pub(crate) grid: GridStyle,
}

/// Maximum side of a board with boxes as cells.
const MAX_BOXED_SIDE: u8 = 9;
/// Maximum height of a cell, in rows.
const MAX_CELL_ROWS: u16 = 15;

impl CellSize {
    /// Three columns and one row.
    pub(crate) const WIDE: CellSize = CellSize {
        columns: 3,
        rows: 1,
        grid: GridStyle::Plain,
    };
    /// Two columns and one row. Neighbours share the column between them.
    pub(crate) const TIGHT: CellSize = CellSize {
        columns: 2,
        rows: 1,
        grid: GridStyle::Plain,
    };

    /// Returns the largest cell size that lets the whole board fit into an area.
    pub(crate) fn largest(rules: &Rules, area: Rect) -> Option<CellSize> {
        CellSize::choices(rules)
            .into_iter()
            .find(|&size| Layout::fits(rules, size, (area.width, area.height)))
    }

    /// Returns the cell sizes to try for a board, the largest first.
    pub(crate) fn choices(rules: &Rules) -> Vec<CellSize> {
        let grid = if rules
            .sides()
            .iter()
            .take(2)
            .any(|&side| side > MAX_BOXED_SIDE)
        {
            GridStyle::Crossings
        } else if rules.gravity() && rules.dimensions() == 2 {
            GridStyle::Columns
        } else {
            GridStyle::Boxes
        };
        let sizes = |sizes: &[(u16, u16)]| -> Vec<CellSize> {
            sizes
                .iter()
                .map(|&(columns, rows)| CellSize {
                    columns,
                    rows,
                    grid,
                })
                .collect()
        };
        // The cell is twice as wide as high, so that it looks nearly square.
        let large = (1..MAX_CELL_ROWS / 2 + 1)
            .rev()
            .map(|half| (4 * half + 3, 2 * half + 1));
        let mut choices = match grid {
            GridStyle::Crossings if rules.dimensions() == 2 => sizes(&[(7, 3), (5, 2)]),
            GridStyle::Crossings | GridStyle::Plain => Vec::new(),
            GridStyle::Columns => {
                let mut all: Vec<_> = large.collect();
                all.extend([(5, 3), (3, 1)]);
                sizes(&all)
            }
            GridStyle::Boxes => {
                let mut all: Vec<_> = large.collect();
                all.extend([(5, 1), (3, 1)]);
                sizes(&all)
            }
        };
        choices.extend([CellSize::WIDE, CellSize::TIGHT]);
        choices
    }

    /// Returns the distance between neighbouring cells.
    pub(crate) fn stride(self) -> (u16, u16) {
        match self.grid {
            GridStyle::Plain | GridStyle::Crossings => (self.columns, self.rows),
            GridStyle::Boxes => (self.columns + 1, self.rows + 1),
            GridStyle::Columns => (self.columns + 1, self.rows),
        }
    }

    /// Returns the position of the first cell's mark, relative to the corner of the slice.
    pub(crate) fn first_mark(self) -> (u16, u16) {
        match self.grid {
            GridStyle::Plain => (1, 0),
            GridStyle::Boxes => (1 + self.columns / 2, 1 + self.rows / 2),
            GridStyle::Columns => (1 + self.columns / 2, self.rows / 2),
            GridStyle::Crossings => (self.sign_distance(), self.rows / 3),
        }
    }

    /// Returns the columns and rows of a slice with this number of cells.
    pub(crate) fn size(self, nx: u16, ny: u16) -> (u16, u16) {
        let (x, y) = self.stride();
        match self.grid {
            GridStyle::Plain if self.columns == 2 => (2 * nx + 1, ny),
            GridStyle::Plain => (x * nx, ny),
            GridStyle::Boxes => (x * nx + 1, y * ny + 1),
            GridStyle::Columns => (x * nx + 1, y * ny + 1),
            GridStyle::Crossings => {
                let (left, top) = self.first_mark();
                (x * (nx - 1) + 1 + 2 * left, y * (ny - 1) + 1 + 2 * top)
            }
        }
    }

    /// Returns how many cells fit into these columns and rows.
    pub(crate) fn cells_in(self, columns: u16, rows: u16) -> (u16, u16) {
        let count =
            |room: u16, size: &dyn Fn(u16) -> u16| (1..=room).rev().find(|&n| size(n) <= room);
        let across = count(columns, &|n| self.size(n, 1).0);
        let down = count(rows, &|n| self.size(1, n).1);
        (across.unwrap_or(0), down.unwrap_or(0))
    }

    /// Returns the distance between a mark and its signs, in columns.
    pub(crate) fn sign_distance(self) -> u16 {
        match self.grid {
            GridStyle::Plain => 1,
            GridStyle::Boxes | GridStyle::Columns => self.columns / 2,
            GridStyle::Crossings if self.is_drawn() => 2,
            GridStyle::Crossings => 1,
        }
    }

    /// Returns whether a mark is drawn with strokes around its letter.
    pub(crate) fn is_drawn(self) -> bool {
        self.rows >= 3
    }

    /// Returns the columns and rows that a mark and its signs may fill, around the position of the mark.
    pub(crate) fn mark_size(self) -> (u16, u16) {
        let rows = if self.is_drawn() { self.rows } else { 1 };
        (2 * self.sign_distance() + 1, rows)
    }

    /// Returns whether a second ruler may be below the board. Only a large board has one.
    pub(crate) fn has_second_ruler(self, rules: &Rules) -> bool {
        rules.dimensions() == 2
            && match self.grid {
                GridStyle::Plain | GridStyle::Crossings => rules.height() > MAX_BOXED_SIDE,
                GridStyle::Columns | GridStyle::Boxes => false,
            }
    }
}
