//! Geometry of the full screen: the places of areas, boards and tiles, and what a click hits.
//!
//! Drawing (`ui`) and input (`update`) use the same geometry, so that a click hits the cell that was drawn there. This
//! module reads the model and draws nothing.

pub(crate) mod board_layout;
pub(crate) mod tiles;

use noughts_protocol::{Cell, Phase, Rules};
use ratatui::layout::{Position, Rect};

use crate::model::{GameSlot, Model, MultiWatch};
use board_layout::{CellSize, Layout};
use tiles::TilePages;

/// Minimum size of a screen in columns and rows. A smaller screen only shows a hint to enlarge it.
pub(crate) const MIN_SIZE: (u16, u16) = (30, 10);
/// Maximum width of a screen with a list or a form. A wider screen shows it in the middle.
const MAX_LIST_SCREEN_COLUMNS: u16 = 160;
/// Minimum width of a screen that has a blank column on both sides.
const MIN_MARGIN_COLUMNS: u16 = 60;

/// The areas of every screen, from top to bottom.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Areas {
    /// One row with the title and the state of the connection.
    pub(crate) header: Rect,
    /// One row on screens with a board: the turn or the result.
    pub(crate) status: Rect,
    pub(crate) body: Rect,
    /// One row: the status line, a question or the command line.
    pub(crate) notice: Rect,
    /// One row with the most important keys.
    pub(crate) hints: Rect,
}

impl Areas {
    /// Splits a screen of at least the minimum size. With at least 20 rows, a blank row follows the header.
    pub(crate) fn split(area: Rect) -> Areas {
        Areas::with_header_rows(area, if area.height >= 20 { 2 } else { 1 })
    }

    /// Splits a screen with a list or a form. A wide screen does not make the list's lines longer.
    pub(crate) fn split_list(area: Rect) -> Areas {
        let width = area.width.min(MAX_LIST_SCREEN_COLUMNS);
        Areas::split(Rect {
            x: area.x + (area.width - width) / 2,
            width,
            ..area
        })
    }

    fn with_header_rows(area: Rect, rows: u16) -> Areas {
        let margin = u16::from(area.width >= MIN_MARGIN_COLUMNS);
        let inner = Rect {
            x: area.x + margin,
            width: area.width - 2 * margin,
            ..area
        };
        Areas::in_columns(area, inner, rows)
    }

    /// Splits the columns of `inner`.
    fn in_columns(area: Rect, inner: Rect, rows: u16) -> Areas {
        let row = |y: u16| Rect {
            y: area.y + y,
            height: 1,
            ..inner
        };
        Areas {
            header: row(0),
            status: row(1),
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

/// Minimum width of a body with a game beside a list.
const MIN_BESIDE_COLUMNS: u16 = 100;
/// Share of the body that a game beside a list takes, in percent. It takes less if the list needs more.
const BESIDE_PERCENT: u16 = 45;
/// Minimum width of a game beside a list.
const MIN_GAME_COLUMNS: u16 = 40;
/// Columns between a list and the game beside it.
const BESIDE_GAP: u16 = 2;
/// Width of a list with all its columns.
const LIST_COLUMNS: u16 = 76;
/// Minimum height of a body that has a game beside the menu of the home screen.
const MIN_BESIDE_MENU_ROWS: u16 = 18;

/// Splits a body into the area of a list and, on a wide screen, the area of a game on its right.
pub(crate) fn split_beside(body: Rect) -> (Rect, Option<Rect>) {
    if body.width < MIN_BESIDE_COLUMNS {
        return (body, None);
    }
    let columns = (body.width * BESIDE_PERCENT / 100)
        .min(body.width - LIST_COLUMNS - BESIDE_GAP)
        .max(MIN_GAME_COLUMNS);
    let list = Rect {
        width: body.width - columns - BESIDE_GAP,
        ..body
    };
    let beside = Rect {
        x: list.right() + BESIDE_GAP,
        width: columns,
        ..body
    };
    (list, Some(beside))
}

/// Splits the body of the home screen, which needs more rows for a game.
pub(crate) fn split_beside_menu(body: Rect) -> (Rect, Option<Rect>) {
    if body.height < MIN_BESIDE_MENU_ROWS {
        return (body, None);
    }
    split_beside(body)
}

/// Returns the area of the game beside the displayed list.
pub(crate) fn preview_area(model: &Model) -> Option<Rect> {
    let body = Areas::split_list(screen_area(model)?).body;
    let (_, beside) = match model.screen.is_home() {
        true => split_beside_menu(body),
        false => split_beside(body),
    };
    beside
}

/// Returns the height of the displayed list in rows.
pub(crate) fn list_height(model: &Model) -> u16 {
    screen_area(model).map_or(0, |area| Areas::split_list(area).body.height)
}

/// Returns whether a screen is smaller than [`MIN_SIZE`].
pub(crate) fn is_too_small(area: Rect) -> bool {
    area.width < MIN_SIZE.0 || area.height < MIN_SIZE.1
}

/// The areas of a screen with a board, and how the board and its panel share the body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GameAreas {
    pub(crate) areas: Areas,
    pub(crate) split: Split,
}

impl GameAreas {
    /// Splits a screen. On a wide screen, the board and its panel are in the middle, and the header and the footer have
    /// the same width. The status is above the board.
    pub(crate) fn new(rules: &Rules, screen: Rect) -> GameAreas {
        let mut areas = Areas::with_header_rows(screen, 2);
        let mut split = choose_split(rules, areas.body);
        if let PanelArea::Full(panel) = split.panel
            && panel.x > split.board.x
            && screen.width >= MIN_CENTERED_COLUMNS
        {
            let (_, (columns, _)) = Layout::best_fit(rules, split.cell_size, split.board.width);
            let width = (columns + panel_gap(areas.body) + PANEL_COLUMNS.1)
                .clamp(MIN_GROUP_COLUMNS, areas.body.width);
            let inner = Rect {
                x: screen.x + (screen.width - width) / 2,
                width,
                ..screen
            };
            areas = Areas::in_columns(screen, inner, 2);
            split = choose_split(rules, areas.body);
        }
        if let PanelArea::Full(panel) = split.panel
            && panel.x > split.board.x
        {
            let ground = split.layout(*rules, Cell::new(0)).ground();
            // On a tall screen, a blank row separates the status from the board.
            let distance = 1 + u16::from(screen.height >= MIN_SPACIOUS_ROWS);
            let above = ground.y.min(panel.y).saturating_sub(distance);
            areas.status.y = areas.status.y.max(above);
            if screen.width >= MIN_CENTERED_COLUMNS {
                areas.status.width = areas.status.right() - ground.x;
                areas.status.x = ground.x;
            }
        }
        GameAreas { areas, split }
    }
}

/// Minimum height of a screen that has blank rows.
const MIN_SPACIOUS_ROWS: u16 = 30;
/// Minimum and maximum width of a panel beside a board.
const PANEL_COLUMNS: (u16, u16) = (22, 46);
/// Height of a panel beside a board that has fewer rows.
const PANEL_ROWS: u16 = 20;
/// Minimum width of a list of moves beside a board.
const MIN_MOVES_COLUMNS: u16 = 14;
/// Minimum height of a panel below a board.
const MIN_PANEL_ROWS: u16 = 6;
/// Columns between a board and its panel.
const PANEL_GAP: u16 = 2;
/// Minimum width of a body with twice [`PANEL_GAP`].
const MIN_WIDE_GAP_COLUMNS: u16 = 90;
/// Minimum width of a body with a panel beside the board. On a narrower screen, the header shows the players.
const MIN_PANEL_BODY_COLUMNS: u16 = 50;
/// Minimum width of a screen that shows the board and its panel in the middle.
const MIN_CENTERED_COLUMNS: u16 = 120;
/// Minimum width of a centred board with its panel. The header and the footer take the same width, and need this much.
const MIN_GROUP_COLUMNS: u16 = 96;

fn panel_gap(body: Rect) -> u16 {
    if body.width < MIN_WIDE_GAP_COLUMNS {
        PANEL_GAP
    } else {
        2 * PANEL_GAP
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PanelArea {
    /// Players, score, moves and notes.
    Full(Rect),
    /// The moves without the players, which the header shows.
    Moves(Rect),
    /// The board takes the whole body. The header shows the players.
    None,
}

/// How a board and its panel share the body of the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Split {
    pub(crate) board: Rect,
    pub(crate) panel: PanelArea,
    pub(crate) cell_size: CellSize,
}

/// Returns the split that shows the whole board with the largest cells. If the board does not fit, returns the split
/// that shows the largest part of it.
fn choose_split(rules: &Rules, body: Rect) -> Split {
    let with_panel =
        |cell_size| beside(rules, cell_size, body).or_else(|| below(rules, cell_size, body));
    // The narrow panel contains only the moves.
    let without_panel = |cell_size| {
        beside_moves(rules, cell_size, body).or_else(|| without_panel(rules, cell_size, body))
    };
    let mut cell_sizes = CellSize::choices(rules).into_iter();
    cell_sizes
        .clone()
        .find_map(with_panel)
        .or_else(|| cell_sizes.find_map(without_panel))
        .unwrap_or_else(|| partial(rules, body))
}

/// Returns a split with a panel beside the board, at least as high as the board.
fn beside(rules: &Rules, cell_size: CellSize, body: Rect) -> Option<Split> {
    if body.width < MIN_PANEL_BODY_COLUMNS {
        return None;
    }
    let gap = panel_gap(body);
    let available = body.width - gap - PANEL_COLUMNS.0;
    let (_, (columns, rows)) = Layout::best_fit(rules, cell_size, available);
    (columns <= available && rows <= body.height).then(|| {
        let preferred = (body.width * 38 / 100).clamp(PANEL_COLUMNS.0, PANEL_COLUMNS.1);
        let width = preferred.min(body.width - gap - columns);
        let board = Rect {
            width: body.width - gap - width,
            ..body
        };
        let bounds = Layout::new(*rules, cell_size, board, Cell::new(0)).bounds();
        let height = bounds.height.max(PANEL_ROWS).min(body.height);
        let panel = Rect {
            x: board.right() + gap,
            y: bounds.y.min(body.bottom() - height),
            width,
            height,
        };
        Split {
            board,
            panel: PanelArea::Full(panel),
            cell_size,
        }
    })
}

/// Returns a split with a panel below the board.
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

/// Returns a split with the moves beside the board.
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

/// Returns a split that shows a part of the board. A board that scrolls only vertically keeps its panel. With three
/// dimensions, the panel is dropped, because the layers would hide each other.
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
    /// Arranges the board in its area.
    pub(crate) fn layout(self, rules: Rules, cursor: Cell) -> Layout {
        Layout::new(rules, self.cell_size, self.board, cursor)
    }
}

/// Minimum width in columns of a cell where the first click plays a move.
const MIN_LARGE_CELL_COLUMNS: u16 = 5;

/// Returns the cell at a position on the screen.
pub(crate) fn cell_at(model: &Model, column: u16, row: u16) -> Option<Cell> {
    board_layout(model)?.cell_at(column, row)
}

/// Returns whether the cells of the displayed board are so large that the first click plays a move.
pub(crate) fn has_large_cells(model: &Model) -> bool {
    board_layout(model).is_some_and(|layout| layout.cell_size.columns >= MIN_LARGE_CELL_COLUMNS)
}

/// Returns the areas of the screen that the model shows.
pub(crate) fn screen_areas(model: &Model, screen: Rect) -> Areas {
    match board_rules_and_cursor(model) {
        Some((rules, _)) => GameAreas::new(&rules, screen).areas,
        None if model.screen.as_multi_watch().is_some() || model.game_view().is_some() => {
            Areas::split(screen)
        }
        None => Areas::split_list(screen),
    }
}

/// Returns the columns beside the board, and the number of text rows that fit below the board; `None` if no panel is
/// there.
pub(crate) fn panel_beside_board(model: &Model, screen: Rect) -> Option<(Rect, u16)> {
    let (rules, _) = board_rules_and_cursor(model)?;
    let split = GameAreas::new(&rules, screen).split;
    let PanelArea::Full(panel) = split.panel else {
        return None;
    };
    let (_, (_, rows)) = Layout::best_fit(&rules, split.cell_size, split.board.width);
    let free_rows = split.board.height.saturating_sub(rows) / 2;
    (panel.x > split.board.x).then_some((panel, free_rows))
}

/// Returns whether the screen of a game has a panel with the menu after the game.
pub(crate) fn has_panel(model: &Model) -> bool {
    let rules = board_rules_and_cursor(model).map(|(rules, _)| rules);
    rules
        .zip(screen_area(model))
        .is_some_and(|(rules, screen)| {
            matches!(
                GameAreas::new(&rules, screen).split.panel,
                PanelArea::Full(_)
            )
        })
}

fn board_layout(model: &Model) -> Option<Layout> {
    let (rules, cursor) = board_rules_and_cursor(model)?;
    let split = GameAreas::new(&rules, screen_area(model)?).split;
    Some(split.layout(rules, cursor))
}

/// Returns the rules and the cursor of the displayed board.
fn board_rules_and_cursor(model: &Model) -> Option<(Rules, Cell)> {
    match (model.screen.as_analysis(), model.game_view()) {
        (Some(analysis), _) => Some((analysis.record.rules, analysis.cursor)),
        (None, view) => {
            let watched = model.screen.as_multi_watch();
            let view = view.or_else(|| watched.and_then(MultiWatch::only_game));
            let view = view.filter(|view| view.game.phase() != Phase::Waiting)?;
            Some((*view.game.rules(), view.effective_cursor()))
        }
    }
}

/// Returns the index of the watched game at a position on the screen.
pub(crate) fn game_at(model: &Model, column: u16, row: u16) -> Option<usize> {
    let multi_watch = model.screen.as_multi_watch()?;
    let pages = tile_pages(model, &board_rules(multi_watch));
    pages.game_at(multi_watch.focus, Position::new(column, row))
}

/// Arranges boards in tiles on the screen. `None` means that a board has not arrived.
pub(crate) fn tile_pages(model: &Model, boards: &[Option<Rules>]) -> TilePages {
    let body = screen_area(model).map(|area| Areas::split(area).body);
    TilePages::new(boards, body.unwrap_or_default())
}

/// Returns the rules of the watched games; `None` for a game before its board arrives.
pub(crate) fn board_rules(multi_watch: &MultiWatch) -> Vec<Option<Rules>> {
    multi_watch.games.iter().map(GameSlot::rules).collect()
}

fn screen_area(model: &Model) -> Option<Rect> {
    let area = Rect::new(0, 0, model.size.0, model.size.1);
    (!is_too_small(area)).then_some(area)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the cell size of a board on a screen of this size.
    fn check(text: &str, (width, height): (u16, u16), expected: (u16, u16)) {
        let rules = text.parse().unwrap();
        let split = GameAreas::new(&rules, Rect::new(0, 0, width, height)).split;
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
}
