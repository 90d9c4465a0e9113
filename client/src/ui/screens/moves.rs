//! All moves of the game or the record on the screen, over the board.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use crate::model::layout::Areas;
use crate::model::{GameView, Model};
use crate::ui::drawing::{columns, put_text};
use crate::ui::screens::replay;
use crate::ui::theme;
use crate::ui::widgets::move_list::MoveList;

/// Width that two moves with their number need; wider screens have more columns.
const COLUMN_WIDTH: u16 = 26;

pub(in crate::ui) fn draw_moves(model: &Model, areas: Areas, buf: &mut Buffer) {
    match (model.screen.as_replay(), model.game_view()) {
        (Some(record), _) => draw_list(model, &replay::move_list(record), areas, buf),
        (None, Some(view)) => draw_list(model, &live_moves(view), areas, buf),
        (None, None) => {}
    }
}

fn live_moves(view: &GameView) -> MoveList<'_> {
    let position = view.game.position();
    MoveList {
        rules: view.game.rules(),
        moves: position.moves(),
        shown_ply: view.shown_position().ply(),
        pending: None,
        is_running: false,
        marks_last: true,
        mistakes: Vec::new(),
    }
}

fn draw_list(model: &Model, list: &MoveList<'_>, areas: Areas, buf: &mut Buffer) {
    let (texts, header, body) = (model.lang().texts(), areas.header, areas.body);
    put_text(
        buf,
        header.x,
        header.y,
        header.width,
        texts.all_moves_heading(),
        theme::bold(),
    );
    let behind = list.moves.len() - list.shown_ply.min(list.moves.len());
    if behind > 0 {
        let label = texts.moves_behind(behind);
        let width = columns(&label).min(header.width);
        put_text(
            buf,
            header.right() - width,
            header.y,
            width,
            &label,
            Style::new(),
        );
    }
    for (top, area) in list_columns(list, body) {
        list.draw_rows_from(top, model.appearance, area, buf);
    }
}

/// Returns the columns of the list, each with its first row.
fn list_columns(list: &MoveList<'_>, body: Rect) -> impl Iterator<Item = (usize, Rect)> + use<> {
    let across = (body.width / COLUMN_WIDTH).max(1);
    let top = list.first_row(usize::from(body.height) * usize::from(across));
    (0..across).map(move |column| {
        let x = body.x + column * COLUMN_WIDTH;
        let area = Rect {
            x,
            width: (body.right() - x).min(COLUMN_WIDTH),
            ..body
        };
        (top + usize::from(column) * usize::from(body.height), area)
    })
}

/// Returns the number of moves up to the move at a position of the screen.
pub(in crate::ui) fn ply_at(model: &Model, areas: Areas, at: Position) -> Option<usize> {
    let find = |list: &MoveList<'_>| {
        list_columns(list, areas.body).find_map(|(top, area)| list.ply_at_from(top, area, at))
    };
    match (model.screen.as_replay(), model.game_view()) {
        (Some(record), _) => find(&replay::move_list(record)),
        (None, Some(view)) => find(&live_moves(view)),
        (None, None) => None,
    }
}
