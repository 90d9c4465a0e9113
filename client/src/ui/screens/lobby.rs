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
    let counts = lobby.counts.map_or_else(String::new, |counts| texts.lobby_counts(counts));
    draw_header(model, areas.header, &[&title, &counts], buf);
    let rooms = lobby.rooms.as_deref().unwrap_or_default();
    let open: Vec<_> = lobby.seeks.iter().map(|seek| &seek.open).collect();
    let columns = LobbyColumns::measure(texts, rooms, &open, body.width < MIN_WIDE_COLUMNS);
    let mut lines: Vec<(String, Style)> = Vec::new();
    let mut selected_line = 0;
    let mut push_row = |lines: &mut Vec<(String, Style)>, index: usize, text: String| {
        let (sign, style) = if index == lobby.selected { (">", theme::bold()) } else { (" ", Style::new()) };
        if index == lobby.selected {
            selected_line = lines.len();
        }
        lines.push((format!("{sign} {text}"), style));
    };
    if !lobby.seeks.is_empty() {
        lines.push((texts.seeks_heading().to_owned(), theme::bold()));
        for (index, seek) in lobby.seeks.iter().enumerate() {
            let age_ms = seek.since.map(|since| model.now.saturating_sub(since));
            push_row(&mut lines, index, seek_row(texts, &seek.open, age_ms, columns));
        }
        lines.push((String::new(), Style::new()));
        if !rooms.is_empty() {
            lines.push((texts.rooms_heading().to_owned(), theme::bold()));
        }
    }
    for (index, listing) in rooms.iter().enumerate() {
        push_row(&mut lines, lobby.seeks.len() + index, room_row(texts, listing, columns));
    }
    if rooms.is_empty() {
        lines.push((texts.no_rooms().to_owned(), Style::new()));
    }
    // The selected row stays visible.
    let page_rows = usize::from(body.height);
    let top =
        selected_line.saturating_sub(page_rows.saturating_sub(2)).min(lines.len().saturating_sub(page_rows));
    for (y, (line, style)) in (body.y..body.y + body.height).zip(lines.iter().skip(top)) {
        put_text(buf, body.x, y, body.width, line, *style);
    }
    None
}
