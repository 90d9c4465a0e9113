//! Several games at once: a tile each, as many as have room for their whole boards.

mod sharing;
mod tile;

use noughts_protocol::Rules;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::{Parts, header, put};
use crate::model::{Grid, Model, Watched};
use sharing::Sharing;

pub(super) fn draw(model: &Model, grid: &Grid, parts: Parts, buf: &mut Buffer) -> Option<Position> {
    header(model, parts.header, &[&model.words.games(grid.games.len())], buf);
    let sharing = Sharing::of(&boards(grid), parts.body);
    let page = grid.games.iter().enumerate().skip(first(grid, sharing)).take(sharing.tiles());
    let unfit = grid.games.len() - page.len();
    for (number, (place, game)) in page.enumerate() {
        tile::draw(game, place, place == grid.at, sharing.area(parts.body, number), buf);
    }
    if unfit > 0 && model.notice.is_none() {
        let row = parts.notice;
        put(buf, row.x, row.y, row.width, &model.words.games_unfit(unfit), model.look.notice());
    }
    None
}

/// The first game that is shown: those around the focus are.
fn first(grid: &Grid, sharing: Sharing) -> usize {
    grid.at / sharing.tiles() * sharing.tiles()
}

/// The place of the game whose tile is there.
pub(super) fn game_at(grid: &Grid, body: Rect, at: Position) -> Option<usize> {
    let sharing = Sharing::of(&boards(grid), body);
    let tile = (0..sharing.tiles()).find(|&tile| sharing.area(body, tile).contains(at))?;
    Some(first(grid, sharing) + tile).filter(|&place| place < grid.games.len())
}

/// The tiles side by side.
pub(super) fn across(grid: &Grid, body: Rect) -> usize {
    Sharing::of(&boards(grid), body).across()
}

/// How many of these games have room, from the first.
pub(super) fn fitting(rules: &[Rules], body: Rect) -> usize {
    let boards: Vec<Option<Rules>> = rules.iter().copied().map(Some).collect();
    let fits = |count: &usize| Sharing::of(&boards[..*count], body).tiles() >= *count;
    (1..=boards.len()).rev().find(fits).unwrap_or(1)
}

fn boards(grid: &Grid) -> Vec<Option<Rules>> {
    grid.games.iter().map(Watched::rules).collect()
}
