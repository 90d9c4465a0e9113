//! Draws text into a buffer. This module does not depend on the model.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use super::theme;
use crate::i18n::wrap_text;
use crate::input::TextInput;

#[cfg(test)]
thread_local! {
    /// The texts that did not fit. Tests read them.
    pub(super) static CUT_TEXTS: std::cell::RefCell<Vec<String>> = const { std::cell::RefCell::new(Vec::new()) };
}

/// Sign on a ruler for an edge that meets the opposite edge.
pub(super) const WRAPPING_EDGE: &str = "~";

/// Writes text into a row, cut at a width. Returns the column after it.
pub(super) fn put_text(
    buf: &mut Buffer,
    x: u16,
    y: u16,
    columns: u16,
    text: &str,
    style: Style,
) -> u16 {
    #[cfg(test)]
    if self::columns(text.trim_end()) > columns {
        CUT_TEXTS.with_borrow_mut(|texts| texts.push(text.to_owned()));
    }
    buf.set_stringn(x, y, text, usize::from(columns), style).0
}

/// Returns the width of a text in columns.
pub(super) fn columns(text: &str) -> u16 {
    u16::try_from(unicode_width::UnicodeWidthStr::width(text)).unwrap_or(u16::MAX)
}

/// Shortens a text to a width. A shortened text ends with `~`.
pub(super) fn shorten(text: &str, max_columns: u16) -> String {
    if columns(text) <= max_columns {
        return text.to_owned();
    }
    let mut short = String::new();
    for letter in text.chars() {
        short.push(letter);
        if columns(&short) >= max_columns {
            short.pop();
            break;
        }
    }
    if max_columns > 0 {
        short.push('~');
    }
    short
}

/// Returns the end of a text that fits into a width.
pub(super) fn last_columns(text: &str, max_columns: u16) -> &str {
    let mut start = 0;
    for (index, letter) in text.char_indices() {
        if columns(&text[start..]) <= max_columns {
            break;
        }
        start = index + letter.len_utf8();
    }
    &text[start..]
}

/// Draws wrapped texts one below another. An empty text is a blank row.
pub(super) fn draw_lines(body: Rect, text: &[(String, Style)], buf: &mut Buffer) {
    let rows = text.iter().flat_map(|(text, style)| {
        let lines = if text.is_empty() {
            vec![String::new()]
        } else {
            wrap_text(text, body.width)
        };
        lines.into_iter().map(move |line| (line, *style))
    });
    for (y, (line, style)) in (body.y..body.y + body.height).zip(rows) {
        put_text(buf, body.x, y, body.width, &line, style);
    }
}

/// Draws a text field in one row. Shows the end of a text that is too long. Returns the position of the cursor.
pub(super) fn draw_text_input(input: &TextInput, row: Rect, buf: &mut Buffer) -> Position {
    let before = last_columns(input.text_before_cursor(), row.width.saturating_sub(1));
    let x = put_text(buf, row.x, row.y, row.width, before, theme::bold());
    let after = &input.text()[input.text_before_cursor().len()..];
    put_text(
        buf,
        x,
        row.y,
        row.right().saturating_sub(x),
        after,
        theme::bold(),
    );
    Position::new(x.min(row.right().saturating_sub(1)), row.y)
}
