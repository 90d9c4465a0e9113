//! Help screen.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::i18n::wrap_text;
use crate::model::Model;
use crate::model::layout::Areas;
use crate::ui::drawing::put_text;
use crate::ui::text_rows::help::{HelpRow, help_rows};
use crate::ui::theme;
use crate::ui::widgets::header::draw_header;

/// Returns the lines of the help at a width.
fn wrap_rows(rows: &[HelpRow], width: u16) -> Vec<(String, String, Style)> {
    let left = (width / 3).clamp(12, 28);
    let mut lines = Vec::new();
    for row in rows {
        match row {
            HelpRow::Heading(text) => {
                if !lines.is_empty() {
                    lines.push((String::new(), String::new(), Style::new()));
                }
                lines.push(((*text).to_owned(), String::new(), theme::bold()));
            }
            HelpRow::Entry(keys, what) => {
                let mut keys = wrap_text(keys, left - 2).into_iter();
                let mut what = wrap_text(what, width - left).into_iter();
                loop {
                    let (key, text) = (keys.next(), what.next());
                    if key.is_none() && text.is_none() {
                        break;
                    }
                    lines.push((
                        key.unwrap_or_default(),
                        text.unwrap_or_default(),
                        Style::new(),
                    ));
                }
            }
        }
    }
    lines
}

/// Returns the visible number of lines and the maximum scroll position.
pub(crate) fn help_scroll_extent(model: &Model) -> (usize, usize) {
    let area = Rect::new(0, 0, model.size.0, model.size.1);
    if crate::model::layout::is_too_small(area) {
        return (1, 0);
    }
    let body = Areas::split(area).body;
    let (all, page_rows) = (
        wrap_rows(&help_rows(model), body.width).len(),
        usize::from(body.height),
    );
    (page_rows, all.saturating_sub(page_rows))
}

pub(in crate::ui) fn draw_help(model: &Model, top: usize, areas: Areas, buf: &mut Buffer) {
    draw_header(model, areas.header, &[], buf);
    let area = areas.body;
    let left = (area.width / 3).clamp(12, 28);
    let lines = wrap_rows(&help_rows(model), area.width);
    let page_rows = usize::from(area.height);
    let top = top.min(lines.len().saturating_sub(page_rows));
    for (y, (keys, what, style)) in (area.y..).zip(lines.iter().skip(top).take(page_rows)) {
        put_text(buf, area.x, y, area.width, keys, *style);
        put_text(buf, area.x + left, y, area.width - left, what, *style);
    }
    if top + page_rows < lines.len() {
        put_text(
            buf,
            areas.notice.x,
            areas.notice.y,
            areas.notice.width,
            model.lang().texts().more_below(),
            model.appearance.dim(),
        );
    }
}
