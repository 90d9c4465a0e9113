//! The home screen.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;

use crate::layout::areas::Areas;
use crate::model::Model;
use crate::ui::{columns, draw_header, put_text, theme};

pub(in crate::ui) fn draw(
    model: &Model,
    selected: usize,
    areas: Areas,
    buf: &mut Buffer,
) -> Option<Position> {
    let body = areas.body;
    draw_header(model, areas.header, &[model.texts.tagline()], buf);
    // Where there is not room for all, the selected entry is to be seen.
    let rows = usize::from(body.height);
    let top = (selected + 1).saturating_sub(rows);
    for (index, entry) in model.menu_items().into_iter().enumerate().skip(top).take(rows) {
        let y = body.y + (index - top) as u16;
        let (name, what) = model.texts.menu_item(entry, &model.saved_games);
        let (sign, style) = if index == selected { (">", theme::bold()) } else { (" ", Style::new()) };
        put_text(buf, body.x, y, body.width, &format!("{sign} {name}"), style);
        put_text(buf, body.x + 16, y, body.width.saturating_sub(16), &what, model.appearance.dim());
    }
    // How a first game comes about, where there is room for it.
    let hint = model.texts.host_hint();
    let below = model.menu_items().len() + 1;
    if below < rows && columns(hint) + 2 <= body.width {
        put_text(buf, body.x + 2, body.y + below as u16, body.width - 2, hint, model.appearance.dim());
    }
    None
}
