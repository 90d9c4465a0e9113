//! The home screen.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;

use super::{Parts, header, put, theme};
use crate::model::{Entry, Model};

pub(super) fn draw(model: &Model, at: usize, parts: Parts, buf: &mut Buffer) -> Option<Position> {
    let body = parts.body;
    header(model, parts.header, &[model.words.tagline()], buf);
    for (place, entry) in Entry::ALL.into_iter().enumerate() {
        let y = body.y + place as u16;
        if y >= body.y + body.height {
            break;
        }
        let (name, what) = model.words.entry(entry);
        let (sign, style) = if place == at { (">", theme::strong()) } else { (" ", Style::new()) };
        put(buf, body.x, y, body.width, &format!("{sign} {name}"), style);
        put(buf, body.x + 16, y, body.width.saturating_sub(16), what, theme::dim());
    }
    None
}
