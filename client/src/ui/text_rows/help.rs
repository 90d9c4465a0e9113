//! Rows of the help, generated from the keymap and the table of typed commands.

use crate::i18n::Texts;
use crate::input::text_command::COMMANDS;
use crate::input::{Key, KeyContext, Keymap};

/// Row of the help.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::ui) enum HelpRow {
    Heading(&'static str),
    /// Keys or a command, and the description.
    Entry(String, &'static str),
}

/// Returns all rows for a context.
pub(in crate::ui) fn help_rows(texts: Texts, keymap: &Keymap, context: KeyContext) -> Vec<HelpRow> {
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

pub(in crate::ui) fn command_rows(texts: Texts) -> Vec<HelpRow> {
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
