//! The areas of every screen.

use ratatui::layout::Rect;

/// Smallest screen, in columns and rows, that shows more than a hint to enlarge it.
pub(crate) const MIN_SIZE: (u16, u16) = (30, 10);
/// Width of a screen from which a column is left blank on both sides.
const MIN_MARGIN_COLUMNS: u16 = 60;

/// The areas of every screen, from top to bottom.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Areas {
    /// One row: the title, and the state of the connection.
    pub(crate) header: Rect,
    /// One row, on screens with a board: the turn or the result. It has the full width.
    pub(crate) status: Rect,
    pub(crate) body: Rect,
    /// One row: the status line, a question or the command line.
    pub(crate) notice: Rect,
    /// One row: the most important keys.
    pub(crate) hints: Rect,
}

impl Areas {
    /// Splits a screen that is not too small. A blank row separates the header on screens of 20 rows and more.
    pub(crate) fn split(area: Rect) -> Areas {
        Areas::with_header_rows(area, if area.height >= 20 { 2 } else { 1 })
    }

    /// Splits a screen with a board, which has a status row below the header.
    pub(crate) fn split_game(area: Rect) -> Areas {
        Areas::with_header_rows(area, 2)
    }

    fn with_header_rows(area: Rect, rows: u16) -> Areas {
        let margin = u16::from(area.width >= MIN_MARGIN_COLUMNS);
        let inner = Rect {
            x: area.x + margin,
            width: area.width - 2 * margin,
            ..area
        };
        let row = |y: u16| Rect {
            y: area.y + y,
            height: 1,
            ..inner
        };
        Areas {
            header: row(0),
            status: Rect {
                y: area.y + 1,
                height: 1,
                ..area
            },
            body: Rect {
                y: area.y + rows,
                height: area.height - rows - 2,
                ..inner
            },
            notice: row(area.height - 2),
            hints: row(area.height - 1),
        }
    }
}

/// Whether a screen is smaller than [`MIN_SIZE`].
pub(crate) fn is_too_small(area: Rect) -> bool {
    area.width < MIN_SIZE.0 || area.height < MIN_SIZE.1
}
