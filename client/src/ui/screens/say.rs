//! Menu of phrases, over the right side of the screen.

use noughts_protocol::wire::Phrase;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::input::{Action, KeyContext};
use crate::model::Model;
use crate::ui::drawing::{columns, put_text};
use crate::ui::theme;

/// Height from which the phrases stand in one column.
const MIN_SINGLE_COLUMN_ROWS: u16 = 16;

pub(in crate::ui) fn draw(model: &Model, selected: usize, body: Rect, buf: &mut Buffer) {
    let texts = model.lang().texts();
    let entries: Vec<String> = (0_u8..)
        .zip(Phrase::ALL)
        .map(|(index, phrase)| {
            let key = model.keymap.first_key(KeyContext::Say, Action::SayPhrase(index));
            let key = key.map_or_else(String::new, |key| texts.key(key).into_owned());
            let sign = if usize::from(index) == selected { ">" } else { " " };
            format!("{sign} {key}  {}", texts.phrase(phrase))
        })
        .collect();
    let widest = entries.iter().map(|entry| columns(entry)).max().unwrap_or(0) + 1;
    let column_count: u16 = if body.height >= MIN_SINGLE_COLUMN_ROWS { 1 } else { 2 };
    let rows = (Phrase::ALL.len() as u16).div_ceil(column_count);
    let width = (widest * column_count + 2).min(body.width);
    let height = (rows + 3).min(body.height);
    let area = Rect::new(body.right() - width, body.y, width, height);
    for y in area.top()..area.bottom() {
        put_text(buf, area.x, y, area.width, &" ".repeat(usize::from(area.width)), Style::reset());
        let edge = if model.appearance.unicode { "\u{2502}" } else { "|" };
        put_text(buf, area.x, y, 1, edge, model.appearance.dim());
    }
    put_text(buf, area.x + 2, area.y, area.width.saturating_sub(2), texts.say_heading(), theme::bold());
    for (index, entry) in (0_u16..).zip(&entries) {
        let (column, row) = (index / rows, index % rows);
        let (x, y) = (area.x + 2 + column * widest, area.y + 1 + row);
        if y < area.bottom() && x < area.right() {
            let style = if usize::from(index) == selected { theme::bold() } else { Style::new() };
            put_text(buf, x, y, area.right() - x, entry, style);
        }
    }
}
