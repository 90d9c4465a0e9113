//! Grid of watched games: one tile for each, as many as fit with whole boards.

mod tile;

use ratatui::buffer::Buffer;
use ratatui::layout::Position;

use crate::model::layout::Areas;
use crate::model::layout::TileLayout;
use crate::model::layout::{board_rules, first_visible};
use crate::model::{Model, MultiWatch};
use crate::ui::drawing::put_text;
use crate::ui::widgets::header::draw_list_header;

pub(in crate::ui) fn draw(
    model: &Model,
    grid: &MultiWatch,
    areas: Areas,
    buf: &mut Buffer,
) -> Option<Position> {
    draw_list_header(
        model,
        areas.header,
        &model.lang().texts().watching_title(grid.games.len()),
        buf,
    );
    let layout = TileLayout::best(&board_rules(grid), areas.body);
    let page = grid
        .games
        .iter()
        .enumerate()
        .skip(first_visible(grid, layout))
        .take(layout.tiles());
    let hidden = grid.games.len() - page.len();
    for (slot, (index, game)) in page.enumerate() {
        tile::draw_tile(
            game,
            index,
            index == grid.focus,
            layout.area(areas.body, slot),
            buf,
        );
    }
    if hidden > 0 && model.notification.is_none() {
        let row = areas.notice;
        put_text(
            buf,
            row.x,
            row.y,
            row.width,
            &model.lang().texts().games_hidden(hidden),
            model.appearance.notice(),
        );
    }
    None
}
