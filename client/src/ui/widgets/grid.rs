//! Several games at once: a tile each, as many as have room for their whole boards.

mod tile;

use noughts_protocol::Rules;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::layout::tile_layout::TileLayout;
use crate::model::{GameSlot, Model, MultiWatch};
use crate::ui::{Areas, draw_header, put_text};

pub(in crate::ui) fn draw(
    model: &Model,
    grid: &MultiWatch,
    areas: Areas,
    buf: &mut Buffer,
) -> Option<Position> {
    draw_header(model, areas.header, &[&model.texts.games_watched(grid.games.len())], buf);
    let layout = TileLayout::best(&board_rules(grid), areas.body);
    let page = grid.games.iter().enumerate().skip(first_shown(grid, layout)).take(layout.tiles());
    let hidden = grid.games.len() - page.len();
    for (slot, (index, game)) in page.enumerate() {
        tile::draw(game, index, index == grid.focus, layout.area(areas.body, slot), buf);
    }
    if hidden > 0 && model.notification.is_none() {
        let row = areas.notice;
        put_text(buf, row.x, row.y, row.width, &model.texts.games_hidden(hidden), model.appearance.notice());
    }
    None
}

/// The first game that is shown: those around the focus are.
fn first_shown(grid: &MultiWatch, layout: TileLayout) -> usize {
    grid.focus / layout.tiles() * layout.tiles()
}

/// The place of the game whose tile is there.
pub(in crate::ui) fn game_at(grid: &MultiWatch, body: Rect, at: Position) -> Option<usize> {
    let layout = TileLayout::best(&board_rules(grid), body);
    let tile = (0..layout.tiles()).find(|&tile| layout.area(body, tile).contains(at))?;
    Some(first_shown(grid, layout) + tile).filter(|&place| place < grid.games.len())
}

/// The tiles side by side.
pub(in crate::ui) fn tiles_across(grid: &MultiWatch, body: Rect) -> usize {
    TileLayout::best(&board_rules(grid), body).across()
}

/// How many of these games have room, from the first.
pub(in crate::ui) fn max_fitting(rules: &[Rules], body: Rect) -> usize {
    let boards: Vec<Option<Rules>> = rules.iter().copied().map(Some).collect();
    let fits = |count: &usize| TileLayout::best(&boards[..*count], body).tiles() >= *count;
    (1..=boards.len()).rev().find(fits).unwrap_or(1)
}

fn board_rules(grid: &MultiWatch) -> Vec<Option<Rules>> {
    grid.games.iter().map(GameSlot::rules).collect()
}
