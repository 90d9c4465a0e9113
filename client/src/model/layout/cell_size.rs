//! Sizes of the cells of a board on the screen, and the sizes that suit a board.

use noughts_protocol::Rules;

/// Lines between the cells of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GridStyle {
    /// No lines.
    Plain,
    /// A frame, and lines between all cells.
    Boxes,
    /// Vertical lines and a floor, for marks that fall.
    Columns,
    /// Marks stand on the crossings of the lines, as on a board for Gomoku.
    Crossings,
}

/// Size of a cell on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CellSize {
    /// Columns and rows of a cell without its lines. With [`GridStyle::Crossings`], the distance of the crossings.
    pub(crate) columns: u16,
    pub(crate) rows: u16,
    pub(crate) grid: GridStyle,
}

/// Longest side of a board whose cells are boxes.
const MAX_BOXED_SIDE: u8 = 9;
/// Rows of the largest cells.
const MAX_CELL_ROWS: u16 = 15;

impl CellSize {
    /// Three columns, one row.
    pub(crate) const WIDE: CellSize = CellSize {
        columns: 3,
        rows: 1,
        grid: GridStyle::Plain,
    };
    /// Two columns, one row; neighbours share the column between them.
    pub(crate) const TIGHT: CellSize = CellSize {
        columns: 2,
        rows: 1,
        grid: GridStyle::Plain,
    };

    /// The sizes to try for a board, the largest first.
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
        // Twice as wide as high, so that a cell is nearly square.
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

    /// Distance of neighbouring cells.
    pub(crate) fn stride(self) -> (u16, u16) {
        match self.grid {
            GridStyle::Plain | GridStyle::Crossings => (self.columns, self.rows),
            GridStyle::Boxes => (self.columns + 1, self.rows + 1),
            GridStyle::Columns => (self.columns + 1, self.rows),
        }
    }

    /// Position of the mark of the first cell from the corner of a slice.
    pub(crate) fn first_mark(self) -> (u16, u16) {
        match self.grid {
            GridStyle::Plain => (1, 0),
            GridStyle::Boxes => (1 + self.columns / 2, 1 + self.rows / 2),
            GridStyle::Columns => (1 + self.columns / 2, self.rows / 2),
            GridStyle::Crossings => (self.sign_distance(), self.rows / 3),
        }
    }

    /// The columns and rows of a slice of this many cells.
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

    /// How many cells fit into these columns and rows.
    pub(crate) fn cells_in(self, columns: u16, rows: u16) -> (u16, u16) {
        let count =
            |room: u16, size: &dyn Fn(u16) -> u16| (1..=room).rev().find(|&n| size(n) <= room);
        let across = count(columns, &|n| self.size(n, 1).0);
        let down = count(rows, &|n| self.size(1, n).1);
        (across.unwrap_or(0), down.unwrap_or(0))
    }

    /// Distance of the signs from a mark, in columns.
    pub(crate) fn sign_distance(self) -> u16 {
        match self.grid {
            GridStyle::Plain => 1,
            GridStyle::Boxes | GridStyle::Columns => self.columns / 2,
            GridStyle::Crossings if self.is_drawn() => 2,
            GridStyle::Crossings => 1,
        }
    }

    /// Whether marks are drawn with strokes around their letter.
    pub(crate) fn is_drawn(self) -> bool {
        self.rows >= 3
    }

    /// The columns and rows that a mark and its signs may fill, around the position of the mark.
    pub(crate) fn mark_size(self) -> (u16, u16) {
        let rows = if self.is_drawn() { self.rows } else { 1 };
        (2 * self.sign_distance() + 1, rows)
    }

    /// Whether a second ruler may stand below the board: below a large board, or below columns, which have numbers above.
    pub(crate) fn has_second_ruler(self, rules: &Rules) -> bool {
        rules.dimensions() == 2
            && match self.grid {
                GridStyle::Plain | GridStyle::Crossings => rules.height() > MAX_BOXED_SIDE,
                GridStyle::Columns => true,
                GridStyle::Boxes => false,
            }
    }
}
