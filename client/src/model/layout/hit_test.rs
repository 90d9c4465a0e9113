//! Cells and watched games at positions of the screen, and the number of watched games that fit on it.

use noughts_protocol::{Cell, Phase, Rules};
use ratatui::layout::{Position, Rect};

use super::areas::{Areas, is_too_small};
use super::board_layout::Layout;
use super::split::choose_split;
use super::tile_layout::TileLayout;
use crate::model::{GameSlot, Model, MultiWatch};

/// Columns from which a cell is large enough to be hit at the first click.
const MIN_LARGE_CELL_COLUMNS: u16 = 5;

/// Returns the cell at a position of the screen.
pub(crate) fn cell_at(model: &Model, column: u16, row: u16) -> Option<Cell> {
    board_layout(model)?.cell_at(column, row)
}

/// Whether the cells of the board on the screen are large enough to be hit at the first click.
pub(crate) fn has_large_cells(model: &Model) -> bool {
    board_layout(model).is_some_and(|layout| layout.cell_size.columns >= MIN_LARGE_CELL_COLUMNS)
}

fn board_layout(model: &Model) -> Option<Layout> {
    let area = screen_area(model)?;
    let (rules, cursor) = match (model.screen.as_replay(), model.game_view()) {
        (Some(replay), _) => (replay.record.rules, replay.cursor),
        (None, view) => {
            let view = view.filter(|view| view.game.phase() != Phase::Waiting)?;
            (*view.game.rules(), view.effective_cursor())
        }
    };
    let split = choose_split(&rules, Areas::split_game(area).body, model.zoom);
    Some(split.layout(rules, cursor, model.is_board_turned))
}

/// Returns the index of the watched game at a position of the screen.
pub(crate) fn game_at(model: &Model, column: u16, row: u16) -> Option<usize> {
    let (body, multi_watch) = (body_area(model)?, model.screen.as_multi_watch()?);
    let layout = TileLayout::best(&board_rules(multi_watch), body);
    let at = Position::new(column, row);
    let tile = (0..layout.tiles()).find(|&tile| layout.area(body, tile).contains(at))?;
    Some(first_visible(multi_watch, layout) + tile).filter(|&index| index < multi_watch.games.len())
}

/// Returns the number of watched games side by side.
pub(crate) fn games_per_row(model: &Model) -> usize {
    match (model.screen.as_multi_watch(), body_area(model)) {
        (Some(multi_watch), Some(body)) => {
            TileLayout::best(&board_rules(multi_watch), body).across()
        }
        (None, _) | (_, None) => 1,
    }
}

/// Returns how many games with these rules fit on the screen, counted from the first; at least 1.
pub(crate) fn max_visible_games(model: &Model, rules: &[Rules]) -> usize {
    let Some(body) = body_area(model) else {
        return 1;
    };
    let boards: Vec<Option<Rules>> = rules.iter().copied().map(Some).collect();
    let fits = |count: &usize| TileLayout::best(&boards[..*count], body).tiles() >= *count;
    (1..=boards.len()).rev().find(fits).unwrap_or(1)
}

/// Returns the index of the first visible game: the page of tiles that contains the focused game.
pub(crate) fn first_visible(multi_watch: &MultiWatch, layout: TileLayout) -> usize {
    multi_watch.focus / layout.tiles() * layout.tiles()
}

/// Returns the rules of the watched games; `None` for a game whose board has not arrived.
pub(crate) fn board_rules(multi_watch: &MultiWatch) -> Vec<Option<Rules>> {
    multi_watch.games.iter().map(GameSlot::rules).collect()
}

fn screen_area(model: &Model) -> Option<Rect> {
    let area = Rect::new(0, 0, model.size.0, model.size.1);
    (!is_too_small(area)).then_some(area)
}

fn body_area(model: &Model) -> Option<Rect> {
    screen_area(model).map(|area| Areas::split(area).body)
}
