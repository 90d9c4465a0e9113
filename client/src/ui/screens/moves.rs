//! All moves of the game or the record on the screen, over the board.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::model::layout::areas::Areas;
use crate::model::{GameView, Model};
use crate::ui::drawing::{columns, put_text};
use crate::ui::screens::replay;
use crate::ui::theme;
use crate::ui::widgets::move_list::MoveList;

/// Width that two moves with their number need; wider screens have more columns.
const COLUMN_WIDTH: u16 = 26;

pub(in crate::ui) fn draw(model: &Model, areas: Areas, buf: &mut Buffer) {
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
    put_text(buf, header.x, header.y, header.width, texts.all_moves_heading(), theme::bold());
    let behind = list.moves.len() - list.shown_ply.min(list.moves.len());
    if behind > 0 {
        let label = texts.moves_behind(behind);
        let width = columns(&label).min(header.width);
        put_text(buf, header.right() - width, header.y, width, &label, Style::new());
    }
    let across = (body.width / COLUMN_WIDTH).max(1);
    let visible = usize::from(body.height) * usize::from(across);
    let top = list.first_row(visible);
    for column in 0..across {
        let area = Rect {
            x: body.x + column * COLUMN_WIDTH,
            width: (body.right() - body.x - column * COLUMN_WIDTH).min(COLUMN_WIDTH),
            ..body
        };
        list.draw_rows_from(
            top + usize::from(column) * usize::from(body.height),
            model.appearance,
            area,
            buf,
        );
    }
}
