//! The home screen.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;

use super::{Parts, columns, header, put, theme};
use crate::model::Model;

pub(super) fn draw(model: &Model, at: usize, parts: Parts, buf: &mut Buffer) -> Option<Position> {
    let body = parts.body;
    header(model, parts.header, &[model.words.tagline()], buf);
    // Where there is not room for all, the selected entry is to be seen.
    let rows = usize::from(body.height);
    let top = (at + 1).saturating_sub(rows);
    for (place, entry) in model.entries().into_iter().enumerate().skip(top).take(rows) {
        let y = body.y + (place - top) as u16;
        let (name, what) = model.words.entry(entry, &model.unfinished);
        let (sign, style) = if place == at { (">", theme::strong()) } else { (" ", Style::new()) };
        put(buf, body.x, y, body.width, &format!("{sign} {name}"), style);
        put(buf, body.x + 16, y, body.width.saturating_sub(16), &what, model.look.dim());
    }
    // How a first game comes about, where there is room for it.
    let hint = model.words.how_to_host();
    let below = model.entries().len() + 1;
    if below < rows && columns(hint) + 2 <= body.width {
        put(buf, body.x + 2, body.y + below as u16, body.width - 2, hint, model.look.dim());
    }
    None
}
