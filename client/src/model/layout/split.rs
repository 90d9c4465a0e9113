//! The split of the body between a board and its panel.

use noughts_protocol::{Cell, Rules};
use ratatui::layout::Rect;

use super::board_layout::Layout;
use super::cell_size::CellSize;

/// Smallest and largest width of a panel beside a board.
const PANEL_COLUMNS: (u16, u16) = (22, 46);
/// Smallest width of a list of moves beside a board.
const MIN_MOVES_COLUMNS: u16 = 14;
/// Smallest height of a panel below a board.
const MIN_PANEL_ROWS: u16 = 6;
/// Columns between a board and its panel.
const PANEL_GAP: u16 = 2;
/// Width of a body from which a panel stands beside the board rather than the players in the header.
const MIN_PANEL_BODY_COLUMNS: u16 = 50;

/// The place beside or below a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PanelArea {
    /// Players, score, moves and notes.
    Full(Rect),
    /// The moves; the players are in the header.
    Moves(Rect),
    /// The board takes everything; the players are in the header.
    None,
}

/// How a board and its panel share the body of the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Split {
    pub(crate) board: Rect,
    pub(crate) panel: PanelArea,
    pub(crate) cell_size: CellSize,
}

/// Returns the splits that show the whole board, those with the largest cells first; or, if there is none, the one that
/// shows most of it.
pub(crate) fn splits(rules: &Rules, body: Rect) -> Vec<Split> {
    let mut whole: Vec<Split> = Vec::new();
    for cell_size in CellSize::choices(rules) {
        whole.extend(beside(rules, cell_size, body).or_else(|| below(rules, cell_size, body)));
    }
    if whole.is_empty() {
        // The narrow panel has the moves only.
        for cell_size in CellSize::choices(rules) {
            whole.extend(
                beside_moves(rules, cell_size, body)
                    .or_else(|| without_panel(rules, cell_size, body)),
            );
        }
    }
    if whole.is_empty() {
        whole.push(partial(rules, body));
    }
    whole
}

/// Returns the split with the largest cells, or after `zoom` steps one with smaller cells.
pub(crate) fn choose_split(rules: &Rules, body: Rect, zoom: usize) -> Split {
    let splits = splits(rules, body);
    splits[zoom % splits.len()]
}

/// A panel beside the board.
fn beside(rules: &Rules, cell_size: CellSize, body: Rect) -> Option<Split> {
    if body.width < MIN_PANEL_BODY_COLUMNS {
        return None;
    }
    let available = body.width - PANEL_GAP - PANEL_COLUMNS.0;
    let (_, (columns, rows)) = Layout::best_fit(rules, cell_size, available);
    (columns <= available && rows <= body.height).then(|| {
        let preferred = (body.width * 38 / 100).clamp(PANEL_COLUMNS.0, PANEL_COLUMNS.1);
        let width = preferred.min(body.width - PANEL_GAP - columns);
        let board = Rect {
            width: body.width - PANEL_GAP - width,
            ..body
        };
        // The panel begins beside the frame of the board.
        let top = (body.height - rows) / 2 + 1;
        let top = if top + MIN_PANEL_ROWS * 2 > body.height {
            0
        } else {
            top
        };
        let panel = Rect {
            x: board.right() + PANEL_GAP,
            y: body.y + top,
            width,
            height: body.height - top,
        };
        Split {
            board,
            panel: PanelArea::Full(panel),
            cell_size,
        }
    })
}

/// A panel below the board.
fn below(rules: &Rules, cell_size: CellSize, body: Rect) -> Option<Split> {
    let (_, (columns, rows)) = Layout::best_fit(rules, cell_size, body.width);
    (columns <= body.width && rows + 1 + MIN_PANEL_ROWS <= body.height).then(|| {
        let panel = Rect {
            y: body.y + rows + 1,
            height: body.height - rows - 1,
            ..body
        };
        Split {
            board: Rect {
                height: rows,
                ..body
            },
            panel: PanelArea::Full(panel),
            cell_size,
        }
    })
}

/// The moves beside the board.
fn beside_moves(rules: &Rules, cell_size: CellSize, body: Rect) -> Option<Split> {
    let available = body.width.saturating_sub(PANEL_GAP + MIN_MOVES_COLUMNS);
    let (_, (columns, rows)) = Layout::best_fit(rules, cell_size, available);
    (columns <= available && rows <= body.height).then(|| {
        let x = body.x + columns + PANEL_GAP;
        let panel = Rect {
            x,
            y: body.y + 1,
            width: body.right() - x,
            height: body.height.saturating_sub(1),
        };
        Split {
            board: Rect {
                width: columns,
                ..body
            },
            panel: PanelArea::Moves(panel),
            cell_size,
        }
    })
}

fn without_panel(rules: &Rules, cell_size: CellSize, body: Rect) -> Option<Split> {
    Layout::fits(rules, cell_size, (body.width, body.height)).then_some(Split {
        board: body,
        panel: PanelArea::None,
        cell_size,
    })
}

/// A part of the board. One that scrolls only vertically keeps its panel; the layers of three dimensions would hide
/// each other.
fn partial(rules: &Rules, body: Rect) -> Split {
    let cell_size = CellSize::TIGHT;
    let available = body.width.saturating_sub(PANEL_GAP + PANEL_COLUMNS.0);
    let (_, (columns, _)) = Layout::best_fit(rules, cell_size, available);
    if columns <= available && rules.dimensions() != 3 && body.width >= MIN_PANEL_BODY_COLUMNS {
        let x = body.x + columns + PANEL_GAP;
        let width = (body.right() - x).min(PANEL_COLUMNS.1);
        return Split {
            board: Rect {
                width: columns,
                ..body
            },
            panel: PanelArea::Full(Rect { x, width, ..body }),
            cell_size,
        };
    }
    Split {
        board: body,
        panel: PanelArea::None,
        cell_size,
    }
}

impl Split {
    /// Lays the board out in its area. `is_turned`: the last row is at the top.
    pub(crate) fn layout(self, rules: Rules, cursor: Cell, is_turned: bool) -> Layout {
        Layout::oriented(rules, self.cell_size, self.board, cursor, is_turned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::layout::areas::Areas;

    /// Checks the cells of a board on a screen of this size.
    fn check(text: &str, (width, height): (u16, u16), expected: (u16, u16)) {
        let body = Areas::split_game(Rect::new(0, 0, width, height)).body;
        let split = choose_split(&text.parse().unwrap(), body, 0);
        assert_eq!(
            (split.cell_size.columns, split.cell_size.rows),
            expected,
            "{text} on {width}x{height}: {split:?}"
        );
    }

    #[test]
    fn a_board_has_the_largest_cells_that_leave_room_for_the_panel() {
        for (text, expected) in [
            (
                "3x3:3",
                [(11, 5), (7, 3), (5, 1), (15, 7), (19, 9), (31, 15)],
            ),
            (
                "7x6:4+gravity",
                [(5, 3), (3, 1), (3, 1), (7, 3), (11, 5), (19, 9)],
            ),
            ("15x15:5", [(3, 1), (2, 1), (2, 1), (3, 1), (5, 2), (7, 3)]),
            ("19x19:5", [(2, 1), (2, 1), (2, 1), (3, 1), (3, 1), (5, 2)]),
            ("4x4x4:4", [(3, 1), (3, 1), (2, 1), (5, 1), (7, 3), (11, 5)]),
        ] {
            let sizes = [
                (80, 24),
                (60, 20),
                (40, 12),
                (100, 30),
                (120, 40),
                (200, 60),
            ];
            for (size, cell) in sizes.into_iter().zip(expected) {
                check(text, size, cell);
            }
        }
    }

    #[test]
    fn zooming_goes_through_all_sizes_and_comes_round() {
        let body = Areas::split_game(Rect::new(0, 0, 120, 40)).body;
        let rules: Rules = "3x3:3".parse().unwrap();
        let sizes = splits(&rules, body).len();
        assert!(sizes > 4, "{sizes}");
        let columns = |zoom| choose_split(&rules, body, zoom).cell_size.columns;
        assert_eq!([columns(0), columns(1), columns(2)], [19, 15, 11]);
        assert_eq!(columns(sizes), 19);
    }
}
