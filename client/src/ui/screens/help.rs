//! Help screen, generated from the keymap and the table of typed commands.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::i18n::{Texts, wrap_text};
use crate::input::text_command::COMMANDS;
use crate::input::{Key, KeyContext, Keymap};
use crate::layout::areas::Areas;
use crate::model::Model;
use crate::ui::{draw_header, put_text, theme};

/// Row of the help.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HelpRow {
    Heading(&'static str),
    /// Keys or a command, and the description.
    Entry(String, &'static str),
}

/// Returns all rows for a context. Line mode prints the same rows.
pub(crate) fn help_rows(texts: Texts, keymap: &Keymap, context: KeyContext) -> Vec<HelpRow> {
    let [keys, typed] = texts.help_headings();
    let mut rows = vec![HelpRow::Heading(keys)];
    rows.extend(key_rows(texts, keymap, context));
    let in_game = match context {
        KeyContext::OwnRoom | KeyContext::Playing | KeyContext::GameOver | KeyContext::Watching => true,
        KeyContext::Home
        | KeyContext::Form
        | KeyContext::Lobby
        | KeyContext::Waiting
        | KeyContext::Replay
        | KeyContext::MultiWatch
        | KeyContext::Confirmation
        | KeyContext::Help => false,
    };
    if in_game {
        rows.push(HelpRow::Heading(typed));
        rows.extend(command_rows(texts));
    }
    rows
}

pub(crate) fn command_rows(texts: Texts) -> Vec<HelpRow> {
    let moves = texts.moves_help().map(|(typed, what)| HelpRow::Entry(typed.to_owned(), what));
    let commands = COMMANDS.iter().map(|entry| {
        // The English names and the first localized name.
        let own = entry.localized_names(texts.lang()).first();
        let names: Vec<&str> = entry.names.iter().take(2).chain(own).copied().collect();
        let names = names.join(", ");
        let label = if entry.argument.is_empty() { names } else { format!("{names} {}", entry.argument) };
        HelpRow::Entry(label, texts.command_description(entry.word))
    });
    moves.into_iter().chain(commands).collect()
}

/// Returns the rows of keys. Actions with equal texts share a row.
fn key_rows(texts: Texts, keymap: &Keymap, context: KeyContext) -> Vec<HelpRow> {
    let mut rows: Vec<(Vec<Key>, &'static str)> = Vec::new();
    for binding in keymap.bindings(context) {
        let what = texts.action(binding.action, context);
        match rows.iter_mut().find(|(_, other)| *other == what) {
            // A rebound action may occur several times.
            Some((row, _)) => {
                let more: Vec<Key> = binding.keys.iter().filter(|key| !row.contains(key)).copied().collect();
                row.extend(more);
            }
            None => rows.push((binding.keys.to_vec(), what)),
        }
    }
    // Named keys come before letters.
    let joined = |mut keys: Vec<Key>| {
        keys.sort_by_key(|key| matches!(key, Key::Char(_)));
        keys.iter().map(|&key| texts.key(key)).collect::<Vec<_>>().join(" ")
    };
    rows.into_iter().map(|(keys, what)| HelpRow::Entry(joined(keys), what)).collect()
}

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
                    lines.push((key.unwrap_or_default(), text.unwrap_or_default(), Style::new()));
                }
            }
        }
    }
    lines
}

/// Returns the visible number of lines and the maximum scroll position.
pub(crate) fn scroll_extent(model: &Model) -> (usize, usize) {
    let area = Rect::new(0, 0, model.size.0, model.size.1);
    if crate::layout::areas::is_too_small(area) {
        return (1, 0);
    }
    let body = Areas::split(area).body;
    let (all, page_rows) = (
        wrap_rows(&help_rows(model.texts, &model.keymap, model.screen_key_context()), body.width).len(),
        usize::from(body.height),
    );
    (page_rows, all.saturating_sub(page_rows))
}

pub(in crate::ui) fn draw(model: &Model, top: usize, areas: Areas, buf: &mut Buffer) {
    draw_header(model, areas.header, &[], buf);
    let area = areas.body;
    let left = (area.width / 3).clamp(12, 28);
    let lines = wrap_rows(&help_rows(model.texts, &model.keymap, model.screen_key_context()), area.width);
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
            model.texts.more_below(),
            model.appearance.dim(),
        );
    }
}
