//! Errors of parsers: names, games, clocks, cells, addresses, values of flags, and record files.
//!
//! The English text of an error is its `Display`, which logs and the server use, too. It is the key of the translations.

use std::fmt::Display;

use noughts_protocol::record::RecordError;

use crate::cli::NumberError;
use crate::i18n::Texts;
use crate::i18n::messages::ERROR;

impl Texts {
    /// Returns the translation of an error. An error without a translation keeps its English text.
    pub(crate) fn error(self, error: &impl Display) -> String {
        self.translated_error(error)
            .unwrap_or_else(|| error.to_string())
    }

    /// Returns the translation of an error; `None` if it has none.
    pub(crate) fn translated_error(self, error: &(impl Display + ?Sized)) -> Option<String> {
        self.translate(&ERROR, &error.to_string())
            .map(str::to_owned)
    }

    /// States what is wrong with a record, with the line number, which precedes the reason in the English text.
    pub(crate) fn record_error(self, error: &RecordError) -> String {
        let text = error.to_string();
        let reason = text
            .split_once(": ")
            .map_or(text.as_str(), |(_, reason)| reason);
        self.error_in_line(error.line, self.error(&reason))
    }

    pub(crate) fn number_error(self, error: NumberError) -> String {
        self.not_a_number_between(error.max, error.min)
    }
}

#[cfg(test)]
mod tests;
