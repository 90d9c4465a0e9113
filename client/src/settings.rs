//! Settings, and their TOML file. Environment variables and flags take precedence over the file.
//!
//! Parsing is pure; `file` does the I/O.

pub(crate) mod effective;
pub(crate) mod file;
mod table;
#[cfg(test)]
mod tests;

use std::ops::Range;

use toml_edit::{Document, DocumentMut, Item, TableLike};

use crate::facts::FormFieldError;
use crate::i18n::lang::Lang;
use crate::input::Key;
use crate::input::keymap::{Keymap, KeymapError};

pub(crate) use table::{
    BellMode, BoardPrinting, GlyphSet, MotionMode, PhraseDisplay, Setting, SettingEntry, Settings,
    Theme, Ui,
};

/// Name of the table of key bindings.
const KEYS_TABLE: &str = "keys";

/// Contents of a settings file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SettingsFile {
    values: Vec<(Setting, String)>,
    pub keymap: Keymap,
}

/// First error in a settings file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingsError {
    /// One-based line number.
    pub line: usize,
    pub kind: SettingsErrorKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettingsErrorKind {
    /// Invalid TOML. Contains the parser's message.
    Syntax(String),
    UnknownKey(String),
    NotString(Setting),
    Value(Setting, FormFieldError),
    Keys(String, KeymapError),
}

impl SettingsFile {
    /// Parses the text of a settings file.
    ///
    /// # Errors
    /// Returns the first error in the text.
    pub(crate) fn parse(text: &str) -> Result<SettingsFile, SettingsError> {
        let error_at = |span: Option<Range<usize>>, kind| {
            let preceding = span.map_or("", |span| text.get(..span.start).unwrap_or(text));
            SettingsError {
                line: 1 + preceding.matches('\n').count(),
                kind,
            }
        };
        let document = Document::parse(text).map_err(|error| {
            error_at(
                error.span(),
                SettingsErrorKind::Syntax(error.message().to_owned()),
            )
        })?;
        let mut settings = SettingsFile::default();
        for (name, item) in document.iter() {
            let span = document
                .key(name)
                .and_then(toml_edit::Key::span)
                .or_else(|| item.span());
            if name == KEYS_TABLE {
                let table = item.as_table_like();
                let table = table.ok_or_else(|| {
                    error_at(span, SettingsErrorKind::Syntax(format!("[{KEYS_TABLE}]")))
                })?;
                settings.keymap =
                    parse_keymap(table).map_err(|(span, kind)| error_at(span, kind))?;
                continue;
            }
            let setting = Setting::ALL
                .iter()
                .copied()
                .find(|setting| setting.entry().key == name);
            let setting = setting.ok_or_else(|| {
                error_at(span.clone(), SettingsErrorKind::UnknownKey(name.to_owned()))
            })?;
            let value = item
                .as_str()
                .ok_or_else(|| error_at(span.clone(), SettingsErrorKind::NotString(setting)))?;
            (setting.entry().set)(&mut Settings::default(), value)
                .map_err(|error| error_at(span, SettingsErrorKind::Value(setting, error)))?;
            settings.values.push((setting, value.to_owned()));
        }
        Ok(settings)
    }

    /// Returns the language in the text of a settings file. The text may have other errors, which are then reported in
    /// that language.
    pub(crate) fn language(text: &str) -> Option<Lang> {
        Document::parse(text)
            .ok()?
            .get(Setting::Lang.entry().key)?
            .as_str()?
            .parse()
            .ok()
    }

    pub(crate) fn value(&self, setting: Setting) -> Option<&str> {
        let found = self.values.iter().find(|(known, _)| *known == setting);
        found.map(|(_, value)| value.as_str())
    }
}

/// Parses key bindings. Each has the name of an action, and a key or a list of keys.
fn parse_keymap(
    table: &dyn TableLike,
) -> Result<Keymap, (Option<Range<usize>>, SettingsErrorKind)> {
    let mut keymap = Keymap::default();
    for (action, item) in table.iter() {
        let span = table
            .key(action)
            .and_then(toml_edit::Key::span)
            .or_else(|| item.span());
        let keys_error = |error| {
            (
                span.clone(),
                SettingsErrorKind::Keys(action.to_owned(), error),
            )
        };
        let keys = parse_keys(item).map_err(keys_error)?;
        keymap.rebind(action, &keys).map_err(keys_error)?;
    }
    // Conflicts are checked at the end, because two actions may swap their keys.
    keymap.check().map_err(|(action, error)| {
        let span = table.key(action).and_then(toml_edit::Key::span);
        (span, SettingsErrorKind::Keys(action.to_owned(), error))
    })?;
    Ok(keymap)
}

fn parse_keys(item: &Item) -> Result<Vec<Key>, KeymapError> {
    let texts: Option<Vec<&str>> = match item.as_array() {
        Some(array) => array.iter().map(toml_edit::Value::as_str).collect(),
        None => item.as_str().map(|text| vec![text]),
    };
    let texts = texts.ok_or_else(|| KeymapError::InvalidKey(item.to_string().trim().to_owned()))?;
    texts
        .into_iter()
        .map(|text| {
            text.parse()
                .map_err(|_| KeymapError::InvalidKey(text.to_owned()))
        })
        .collect()
}

/// Returns the text with changed settings. Keeps its comments and layout.
///
/// # Errors
/// Returns the first error in the original text.
pub(crate) fn apply_changes(
    text: &str,
    changes: &[(Setting, String)],
) -> Result<String, SettingsError> {
    // A file with errors is not changed, so that the player can correct it first.
    SettingsFile::parse(text)?;
    let syntax_error = |error: toml_edit::TomlError| SettingsError {
        line: 1,
        kind: SettingsErrorKind::Syntax(error.to_string()),
    };
    let mut document: DocumentMut = text.parse().map_err(syntax_error)?;
    for (setting, value) in changes {
        let key = setting.entry().key;
        match document.get_mut(key).and_then(Item::as_value_mut) {
            Some(old) => {
                // Keeps the blanks and the comment beside the value.
                let decor = old.decor().clone();
                *old = toml_edit::Value::from(value.as_str());
                *old.decor_mut() = decor;
            }
            None => {
                document.insert(key, toml_edit::value(value.as_str()));
            }
        }
    }
    Ok(document.to_string())
}
