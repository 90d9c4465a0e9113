//! Watched games in tiles: as many as fit with whole boards. A game that is watched alone has the screen of a game.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::game;
use crate::input::{Action, KeyContext};
use crate::model::layout::tiles::{TilePage, TilePages};
use crate::model::layout::{Areas, board_rules};
use crate::model::{Model, MultiWatch};
use crate::ui::drawing::put_text;
use crate::ui::widgets::header::draw_list_header;
use crate::ui::widgets::live_game::LiveGame;

pub(in crate::ui) fn draw(
    model: &Model,
    grid: &MultiWatch,
    screen: Rect,
    areas: Areas,
    buf: &mut Buffer,
) -> Option<Position> {
    let hidden = match grid.only_game() {
        Some(game_view) => {
            game::draw(&grid.focused().model, game_view, screen, buf);
            0
        }
        None => draw_tiles(model, grid, areas, buf),
    };
    let hidden = hidden + model.unwatched_games().count();
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

/// Draws the tiles that fit. Returns the number of other games.
fn draw_tiles(model: &Model, grid: &MultiWatch, areas: Areas, buf: &mut Buffer) -> usize {
    draw_list_header(
        model,
        areas.header,
        &model.lang().texts().watching_title(grid.games.len()),
        buf,
    );
    let pages = TilePages::new(&board_rules(grid), areas.body);
    let tiles = pages.page_of(grid.focus).map_or(&[][..], TilePage::tiles);
    for &(index, area) in tiles {
        let game = &grid.games[index];
        let live = LiveGame {
            label: &game.label(index),
            is_focused: index == grid.focus,
            is_at_top: false,
            alone_key: model
                .keymap
                .first_key(KeyContext::MultiWatch, Action::Choose),
        };
        live.draw(game, area, buf);
    }
    grid.games.len() - tiles.len()
}
