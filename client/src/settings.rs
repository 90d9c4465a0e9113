//! What the player has chosen for good: a TOML file, below the environment and the flags.
//!
//! Pure: a text comes in, the settings in it come out, or its first mistake with its line. `file` reads and
//! writes. A setting counts wherever its variable of the environment does.

pub(crate) mod effective;
mod environment;
pub(crate) mod file;
mod merge;
mod setting;
#[cfg(test)]
mod tests;

use std::ops::Range;

use toml_edit::{Document, DocumentMut, Item, TableLike};

use crate::i18n::lang::Lang;
use crate::input::Key;
use crate::input::keymap::{Keymap, KeymapError};

pub(crate) use environment::load_settings;
pub(crate) use merge::{MergedCli, merge_settings};
pub(crate) use setting::{Setting, SettingValueError};

/// The table of the file with the keys.
const KEYS: &str = "keys";

/// The settings of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SettingsFile {
    values: Vec<(Setting, String)>,
    /// What each key does.
    pub keymap: Keymap,
}

/// The first mistake of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingsError {
    /// Its line, from 1.
    pub line: usize,
    /// What it is.
    pub kind: SettingsErrorKind,
}

/// What may be wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettingsErrorKind {
    /// It is no TOML; what the parser says.
    Syntax(String),
    /// There is no such setting.
    UnknownKey(String),
    /// A setting's value will not do.
    Value(Setting, SettingValueError),
    /// The keys of an action will not do.
    Keys(String, KeymapError),
}

impl SettingsFile {
    /// Reads a text.
    ///
    /// # Errors
    /// The first mistake.
    pub(crate) fn parse(text: &str) -> Result<SettingsFile, SettingsError> {
        let error_at = |span: Option<Range<usize>>, kind| {
            let preceding = span.map_or("", |span| text.get(..span.start).unwrap_or(text));
            SettingsError { line: 1 + preceding.matches('\n').count(), kind }
        };
        let document = Document::parse(text)
            .map_err(|error| error_at(error.span(), SettingsErrorKind::Syntax(error.message().to_owned())))?;
        let mut settings = SettingsFile::default();
        for (name, item) in document.iter() {
            let span = document.key(name).and_then(toml_edit::Key::span).or_else(|| item.span());
            if name == KEYS {
                let table = item.as_table_like();
                let table =
                    table.ok_or_else(|| error_at(span, SettingsErrorKind::Syntax(format!("[{KEYS}]"))))?;
                settings.keymap = parse_keymap(table).map_err(|(span, kind)| error_at(span, kind))?;
                continue;
            }
            let setting = Setting::ALL.into_iter().find(|setting| setting.key() == name);
            let setting = setting
                .ok_or_else(|| error_at(span.clone(), SettingsErrorKind::UnknownKey(name.to_owned())))?;
            let value_error = |error| error_at(span.clone(), SettingsErrorKind::Value(setting, error));
            let value = item.as_str().ok_or_else(|| value_error(SettingValueError::NotString))?;
            setting.check(value).map_err(value_error)?;
            settings.values.push((setting, value.to_owned()));
        }
        Ok(settings)
    }

    /// The language that a text chooses, whatever else may be wrong with it: what is wrong is told in it.
    pub(crate) fn language(text: &str) -> Option<Lang> {
        Document::parse(text).ok()?.get(Setting::Lang.key())?.as_str()?.parse().ok()
    }

    /// What is set, in the order of the file.
    pub(crate) fn values(&self) -> impl Iterator<Item = (Setting, &str)> {
        self.values.iter().map(|(setting, value)| (*setting, value.as_str()))
    }

    /// The value of a setting, if the file has one.
    pub(crate) fn value(&self, setting: Setting) -> Option<&str> {
        self.values().find(|(known, _)| *known == setting).map(|(_, value)| value)
    }
}

/// Reads the table of keys: the name of an action, and a key or a list of keys.
fn parse_keymap(table: &dyn TableLike) -> Result<Keymap, (Option<Range<usize>>, SettingsErrorKind)> {
    let mut keymap = Keymap::default();
    for (action, item) in table.iter() {
        let span = table.key(action).and_then(toml_edit::Key::span).or_else(|| item.span());
        let keys_error = |error| (span.clone(), SettingsErrorKind::Keys(action.to_owned(), error));
        let keys = parse_keys(item).map_err(keys_error)?;
        keymap.rebind(action, &keys).map_err(keys_error)?;
    }
    // Together at the end: two actions may exchange their keys.
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
    texts.into_iter().map(|text| text.parse().map_err(|_| KeymapError::InvalidKey(text.to_owned()))).collect()
}

/// The text with other values for some settings; comments and all else stay as they are. No value takes
/// the setting out.
///
/// # Errors
/// When it is no text to be changed; what the parser says.
pub(crate) fn apply_changes(
    text: &str,
    changes: &[(Setting, Option<String>)],
) -> Result<String, SettingsError> {
    // What has a mistake is not touched: the player is to see it first.
    SettingsFile::parse(text)?;
    let syntax_error = |error: toml_edit::TomlError| SettingsError {
        line: 1,
        kind: SettingsErrorKind::Syntax(error.to_string()),
    };
    let mut document: DocumentMut = text.parse().map_err(syntax_error)?;
    for (setting, value) in changes {
        match value {
            Some(value) => match document.get_mut(setting.key()).and_then(Item::as_value_mut) {
                Some(old) => {
                    // The blanks and the comment beside a value belong to it.
                    let decor = old.decor().clone();
                    *old = toml_edit::Value::from(value.as_str());
                    *old.decor_mut() = decor;
                }
                None => {
                    document.insert(setting.key(), toml_edit::value(value.as_str()));
                }
            },
            None => {
                document.remove(setting.key());
            }
        }
    }
    Ok(document.to_string())
}
