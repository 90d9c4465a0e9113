//! The split of the body between a board and its panel.

use noughts_protocol::{Cell, Rules};
use ratatui::layout::Rect;

use super::board_layout::{CellSize, Layout};

/// Smallest and largest width of a panel beside a board.
const PANEL_COLUMNS: (u16, u16) = (22, 40);
/// Smallest height of a panel below a board.
const MIN_PANEL_ROWS: u16 = 6;
/// Columns between a board and its panel.
const PANEL_GAP: u16 = 3;

/// How a board and its panel share the body of the screen.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Split {
    /// The panel beside or below the board.
    Panel { board: Rect, panel: Rect, cell_size: CellSize },
    /// Two lines of text above the visible part of the board.
    Lines { lines: Rect, board: Rect, cell_size: CellSize },
}

/// Chooses the largest cells with which the whole board and a panel fit. If none fit, shows part of the board below two
/// lines of text.
pub(crate) fn choose_split(rules: &Rules, body: Rect) -> Split {
    for &cell_size in Layout::cell_sizes(rules) {
        let board_columns = body.width.saturating_sub(PANEL_GAP + PANEL_COLUMNS.0);
        let (_, (columns, rows)) = Layout::best_fit(rules, cell_size, board_columns);
        if columns <= board_columns && rows <= body.height {
            let width = (body.width - columns - PANEL_GAP).min(PANEL_COLUMNS.1);
            let panel = Rect { x: body.x + columns + PANEL_GAP, width, ..body };
            return Split::Panel { board: Rect { width: columns, ..body }, panel, cell_size };
        }
        let (_, (columns, rows)) = Layout::best_fit(rules, cell_size, body.width);
        if columns <= body.width && rows + 1 + MIN_PANEL_ROWS <= body.height {
            let panel = Rect { y: body.y + rows + 1, height: body.height - rows - 1, ..body };
            return Split::Panel { board: Rect { height: rows, ..body }, panel, cell_size };
        }
    }
    // A board that scrolls only vertically keeps its panel. The layers of three dimensions would hide each other.
    let board_columns = body.width.saturating_sub(PANEL_GAP + PANEL_COLUMNS.0);
    let (_, (columns, _)) = Layout::best_fit(rules, CellSize::Tight, board_columns);
    if columns <= board_columns && rules.dimensions() != 3 {
        let panel = Rect {
            x: body.x + columns + PANEL_GAP,
            width: (body.width - columns - PANEL_GAP).min(PANEL_COLUMNS.1),
            ..body
        };
        return Split::Panel { board: Rect { width: columns, ..body }, panel, cell_size: CellSize::Tight };
    }
    let lines = Rect { height: 2, ..body };
    let board = Rect { y: body.y + 2, height: body.height - 2, ..body };
    // Cells of three columns are easier to read, but are used only if the whole board fits.
    let (_, (columns, rows)) = Layout::best_fit(rules, CellSize::Wide, board.width);
    let cell_size =
        if columns <= board.width && rows <= board.height { CellSize::Wide } else { CellSize::Tight };
    Split::Lines { lines, board, cell_size }
}

impl Split {
    /// Lays the board out in its area.
    pub(crate) fn layout(self, rules: Rules, cursor: Cell) -> Layout {
        match self {
            Split::Panel { board, cell_size, .. } | Split::Lines { board, cell_size, .. } => {
                Layout::new(rules, cell_size, board, cursor)
            }
        }
    }
}
