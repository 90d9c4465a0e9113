//! The areas of every screen.

use ratatui::layout::Rect;

/// Smallest screen, in columns and rows, that shows more than a hint to enlarge it.
pub(crate) const MIN_SIZE: (u16, u16) = (30, 10);

/// The areas of every screen, from top to bottom.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Areas {
    /// One row: the title, and the state of the connection.
    pub(crate) header: Rect,
    pub(crate) body: Rect,
    /// One row: the status line, a question or the command line.
    pub(crate) notice: Rect,
    /// One row: the most important keys.
    pub(crate) hints: Rect,
}

impl Areas {
    /// Splits a screen that is not too small.
    pub(crate) fn split(area: Rect) -> Areas {
        let row = |y: u16| Rect { y: area.y + y, height: 1, ..area };
        // A blank row separates the header on screens of 20 rows and more.
        let top = if area.height >= 20 { 2 } else { 1 };
        let body = Rect { y: area.y + top, height: area.height - top - 2, ..area };
        Areas { header: row(0), body, notice: row(area.height - 2), hints: row(area.height - 1) }
    }
}

/// Whether a screen is smaller than [`MIN_SIZE`].
pub(crate) fn is_too_small(area: Rect) -> bool {
    area.width < MIN_SIZE.0 || area.height < MIN_SIZE.1
}
