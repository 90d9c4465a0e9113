//! Layers above a game: the help and the menu of phrases.

use noughts_protocol::wire::Phrase;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use crate::i18n::wrap_text;
use crate::input::{Action, KeyContext};
use crate::model::Model;
use crate::model::layout::{Areas, PanelArea, choose_split};
use crate::ui::drawing::{columns, put_text};
use crate::ui::text_rows::{HelpRow, help_rows};
use crate::ui::theme;
use crate::ui::widgets::draw_frame;
use crate::ui::widgets::header::draw_header;

/// Returns the columns of the keys and the blanks after them. From 80 columns on, all keys of a cursor fit in a row.
fn keys_columns(width: u16) -> u16 {
    (width * 3 / 8).clamp(12, 30)
}

/// Returns the lines of the help at a width.
fn wrap_rows(rows: &[HelpRow], width: u16) -> Vec<(String, String, Style)> {
    let left = keys_columns(width);
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
    let left = keys_columns(area.width);
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

/// Height from which the phrases stand in one column.
const MIN_SINGLE_COLUMN_ROWS: u16 = 16;

/// The entries of the menu and their places.
struct SayLayout {
    area: Rect,
    entries: Vec<(Rect, String)>,
}

/// The area that the menu may cover: the panel, so that the board stays in sight, or the body.
fn available_area(model: &Model, screen: Rect) -> Rect {
    let body = Areas::split_game(screen).body;
    let split = model
        .game_view()
        .map(|view| choose_split(view.game.rules(), body));
    match split.map(|split| split.panel) {
        Some(PanelArea::Full(panel)) if panel.x > body.x => Rect {
            y: body.y,
            height: body.height,
            ..panel
        },
        Some(_) | None => body,
    }
}

fn layout(model: &Model, selected: usize, screen: Rect) -> SayLayout {
    let texts = model.lang().texts();
    let body = available_area(model, screen);
    let entries: Vec<String> = (0_u8..)
        .zip(Phrase::ALL)
        .map(|(index, phrase)| {
            let key = model
                .keymap
                .first_key(KeyContext::Say, Action::SayPhrase(index));
            let key = key.map_or_else(String::new, |key| texts.key(key).into_owned());
            let sign = if usize::from(index) == selected {
                ">"
            } else {
                " "
            };
            format!("{sign} {key}  {}", texts.phrase(phrase))
        })
        .collect();
    let widest = entries
        .iter()
        .map(|entry| columns(entry))
        .max()
        .unwrap_or(0)
        + 1;
    let column_count: u16 = if body.height >= MIN_SINGLE_COLUMN_ROWS {
        1
    } else {
        2
    };
    let rows = (Phrase::ALL.len() as u16).div_ceil(column_count);
    let needed = widest * column_count + 3;
    // The box hides the panel below it from end to end, or leaves it alone.
    let width = if needed <= body.width {
        body.width
    } else {
        needed.min(screen.width)
    };
    let height = (rows + 2).min(body.height);
    let area = Rect::new(body.right() - width, body.bottom() - height, width, height);
    let place = |(index, entry): (u16, String)| {
        let (column, row) = (index / rows, index % rows);
        let place = Rect::new(area.x + 2 + column * widest, area.y + 1 + row, widest, 1);
        (place.intersection(area), entry)
    };
    SayLayout {
        area,
        entries: (0_u16..).zip(entries).map(place).collect(),
    }
}

/// Returns the phrase at a position of the screen.
pub(in crate::ui) fn phrase_at(
    model: &Model,
    selected: usize,
    screen: Rect,
    at: Position,
) -> Option<usize> {
    layout(model, selected, screen)
        .entries
        .iter()
        .position(|(place, _)| place.contains(at))
}

pub(in crate::ui) fn draw_phrases(model: &Model, selected: usize, screen: Rect, buf: &mut Buffer) {
    let SayLayout { area, entries } = layout(model, selected, screen);
    let styles = [Style::new(), theme::bold()];
    draw_frame(
        model.appearance,
        area,
        model.lang().texts().say_heading(),
        styles,
        buf,
    );
    for (index, (place, entry)) in entries.iter().enumerate() {
        if place.bottom() < area.bottom() {
            let style = if index == selected {
                theme::bold()
            } else {
                Style::new()
            };
            let width = place.width.min((area.right() - 1).saturating_sub(place.x));
            put_text(buf, place.x, place.y, width, entry, style);
        }
    }
}
