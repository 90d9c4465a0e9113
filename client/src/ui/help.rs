//! Help, made from the keymap and the table of typed commands.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::{Parts, header, put, theme};
use crate::input::typed::ENTRIES;
use crate::input::{Context, Key, Keymap};
use crate::model::Model;
use crate::words::{Words, wrapped};

/// A row of the help: keys or a command on the left, what it does on the right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Row {
    /// A heading.
    Heading(&'static str),
    /// An entry.
    Entry(String, &'static str),
}

/// All rows for a context. Line mode prints the same.
pub fn rows(words: Words, keymap: &Keymap, context: Context) -> Vec<Row> {
    let [keys, typed] = words.help_headings();
    let mut rows = vec![Row::Heading(keys)];
    rows.extend(key_rows(words, keymap, context));
    let at_table = match context {
        Context::OwnRoom | Context::Playing | Context::Over | Context::Watching => true,
        Context::Home
        | Context::Form
        | Context::Lobby
        | Context::Waiting
        | Context::Replay
        | Context::Grid
        | Context::Question
        | Context::Help => false,
    };
    if at_table {
        rows.push(Row::Heading(typed));
        rows.extend(typed_rows(words));
    }
    rows
}

/// The typed commands.
pub fn typed_rows(words: Words) -> Vec<Row> {
    let moves = words.moves_help().map(|(typed, what)| Row::Entry(typed.to_owned(), what));
    let commands = ENTRIES.iter().map(|entry| {
        // The usual names, and the first in the player's own language.
        let own = entry.own(words.lang()).first();
        let names: Vec<&str> = entry.names.iter().take(2).chain(own).copied().collect();
        let names = names.join(", ");
        let written = if entry.argument.is_empty() { names } else { format!("{names} {}", entry.argument) };
        Row::Entry(written, words.word(entry.word))
    });
    moves.into_iter().chain(commands).collect()
}

/// The keys; those with the same text in one row.
fn key_rows(words: Words, keymap: &Keymap, context: Context) -> Vec<Row> {
    let mut rows: Vec<(Vec<Key>, &'static str)> = Vec::new();
    for binding in keymap.bindings(context) {
        let what = words.action(binding.action, context);
        match rows.iter_mut().find(|(_, other)| *other == what) {
            // An action that was given other keys may have them in several places.
            Some((row, _)) => {
                let more: Vec<Key> = binding.keys.iter().filter(|key| !row.contains(key)).copied().collect();
                row.extend(more);
            }
            None => rows.push((binding.keys.to_vec(), what)),
        }
    }
    // Keys with names before letters.
    let joined = |mut keys: Vec<Key>| {
        keys.sort_by_key(|key| matches!(key, Key::Char(_)));
        keys.iter().map(|&key| words.key(key)).collect::<Vec<_>>().join(" ")
    };
    rows.into_iter().map(|(keys, what)| Row::Entry(joined(keys), what)).collect()
}

/// The lines of the help at a width: long lists of keys go over several.
fn lines(rows: &[Row], width: u16) -> Vec<(String, String, Style)> {
    let left = (width / 3).clamp(12, 28);
    let mut lines = Vec::new();
    for row in rows {
        match row {
            Row::Heading(text) => {
                if !lines.is_empty() {
                    lines.push((String::new(), String::new(), Style::new()));
                }
                lines.push(((*text).to_owned(), String::new(), theme::strong()));
            }
            Row::Entry(keys, what) => {
                let mut keys = wrapped(keys, left - 2).into_iter();
                let mut what = wrapped(what, width - left).into_iter();
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

/// The lines of a screenful, and how far down the help can be scrolled.
pub fn scrolling(model: &Model) -> (usize, usize) {
    let area = Rect::new(0, 0, model.size.0, model.size.1);
    if super::is_too_small(area) {
        return (1, 0);
    }
    let body = Parts::of(area).body;
    let (all, shown) = (
        lines(&rows(model.words, &model.keymap, model.screen_context()), body.width).len(),
        usize::from(body.height),
    );
    (shown, all.saturating_sub(shown))
}

pub(super) fn draw(model: &Model, top: usize, parts: Parts, buf: &mut Buffer) {
    header(model, parts.header, &[], buf);
    let area = parts.body;
    let left = (area.width / 3).clamp(12, 28);
    let lines = lines(&rows(model.words, &model.keymap, model.screen_context()), area.width);
    let shown = usize::from(area.height);
    let top = top.min(lines.len().saturating_sub(shown));
    for (y, (keys, what, style)) in (area.y..).zip(lines.iter().skip(top).take(shown)) {
        put(buf, area.x, y, area.width, keys, *style);
        put(buf, area.x + left, y, area.width - left, what, *style);
    }
    if top + shown < lines.len() {
        put(
            buf,
            parts.notice.x,
            parts.notice.y,
            parts.notice.width,
            model.words.more_below(),
            model.look.dim(),
        );
    }
}
