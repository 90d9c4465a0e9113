//! Lobby screen: public rooms and open seeks.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;

use crate::model::layout::areas::Areas;
use crate::model::{LobbyScreen, Model};
use crate::ui::drawing::put_text;
use crate::ui::text_rows::lobby::{LobbyColumns, room_row, seek_row};
use crate::ui::theme;
use crate::ui::widgets::header::draw_header;

/// Width from which all columns are shown.
const MIN_WIDE_COLUMNS: u16 = 60;

pub(in crate::ui) fn draw(
    model: &Model,
    lobby: &LobbyScreen,
    areas: Areas,
    buf: &mut Buffer,
) -> Option<Position> {
    let (body, texts) = (areas.body, model.lang().texts());
    let title = model.session.as_ref().map_or_else(String::new, |session| session.server.to_string());
    draw_header(model, areas.header, &[&title], buf);
    let rooms = lobby.rooms.as_deref().unwrap_or_default();
    let columns = LobbyColumns::measure(texts, rooms, &lobby.seeks, body.width < MIN_WIDE_COLUMNS);
    let mut lines: Vec<(String, Style)> = Vec::new();
    for (index, listing) in rooms.iter().enumerate() {
        let (sign, style) = if index == lobby.selected { (">", theme::bold()) } else { (" ", Style::new()) };
        lines.push((format!("{sign} {}", room_row(texts, listing, columns)), style));
    }
    if rooms.is_empty() {
        lines.push((texts.no_rooms().to_owned(), Style::new()));
    }
    if !lobby.seeks.is_empty() {
        lines.push((String::new(), Style::new()));
        lines.push((texts.seeks_heading().to_owned(), theme::bold()));
        lines.extend(
            lobby.seeks.iter().map(|open| (format!("  {}", seek_row(texts, open, columns)), Style::new())),
        );
    }
    // The selected room stays visible.
    let page_rows = usize::from(body.height);
    let top =
        lobby.selected.saturating_sub(page_rows.saturating_sub(2)).min(lines.len().saturating_sub(page_rows));
    for (y, (line, style)) in (body.y..body.y + body.height).zip(lines.iter().skip(top)) {
        put_text(buf, body.x, y, body.width, line, *style);
    }
    None
}
