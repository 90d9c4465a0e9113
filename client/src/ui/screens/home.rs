//! Home screen.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;

use crate::model::layout::areas::Areas;
use crate::model::{HomeServer, Model};
use crate::ui::drawing::{columns, put_text};
use crate::ui::theme;
use crate::ui::widgets::header::draw_header;

/// Minimum width of a description in columns; narrower ones are hidden.
const MIN_DESCRIPTION_COLUMNS: u16 = 12;

pub(in crate::ui) fn draw(
    model: &Model,
    selected: usize,
    areas: Areas,
    buf: &mut Buffer,
) -> Option<Position> {
    let body = areas.body;
    draw_header(model, areas.header, &[model.lang().texts().tagline()], buf);
    // The selected entry stays visible.
    let rows = usize::from(body.height);
    let top = (selected + 1).saturating_sub(rows);
    let entries = model.menu_items();
    let name_columns = entries
        .iter()
        .map(|&entry| columns(model.lang().texts().menu_item(entry, &model.saved_games).0))
        .max();
    let description_x = name_columns.unwrap_or(0) + 4;
    for (index, entry) in entries.into_iter().enumerate().skip(top).take(rows) {
        let y = body.y + (index - top) as u16;
        let (name, what) = model.lang().texts().menu_item(entry, &model.saved_games);
        let (sign, style) = if index == selected { (">", theme::bold()) } else { (" ", Style::new()) };
        put_text(buf, body.x, y, body.width, &format!("{sign} {name}"), style);
        let available = body.width.saturating_sub(description_x);
        if available >= MIN_DESCRIPTION_COLUMNS {
            put_text(buf, body.x + description_x, y, available, &what, model.appearance.dim());
        }
    }
    let texts = model.lang().texts();
    let mut below = model.menu_items().len() + 1;
    if let Some((sign, state)) = server_state(model) {
        if below < rows {
            let line = format!("{sign} {}  {state}", model.settings.server.host());
            put_text(buf, body.x, body.y + below as u16, body.width, &line, Style::new());
        }
        below += 2;
    }
    // Instructions for a first game, if they fit.
    let hint = texts.host_hint();
    if below < rows && columns(hint) + 2 <= body.width {
        put_text(buf, body.x + 2, body.y + below as u16, body.width - 2, hint, model.appearance.dim());
    }
    None
}

/// Returns the state of the server with its sign, as soon as it is known.
fn server_state(model: &Model) -> Option<(&'static str, String)> {
    let texts = model.lang().texts();
    match model.home_server {
        HomeServer::Unknown => None,
        HomeServer::Online(counts) => {
            let counts = counts
                .map_or_else(String::new, |counts| format!("  {}", texts.lobby_counts_and_waiting(counts)));
            Some(("+", format!("{}{counts}", texts.server_online())))
        }
        HomeServer::Offline { .. } => Some(("!", texts.server_offline().to_owned())),
    }
}
