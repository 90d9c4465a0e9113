//! Errors of parsers: names, games, clocks, cells, addresses, values of flags, and record files.
//!
//! The `Display` of an error is a word that logs and JSON mode also use. The word is the key of the text.

use std::fmt::Display;

use noughts_protocol::record::{RecordError, RecordErrorKind};
use noughts_protocol::{RuleFlag, RulesError};

use crate::cli::NumberError;
use crate::i18n::Texts;
use crate::i18n::messages::ERROR;

impl Texts {
    /// Returns the text of an error. For an error without a text, returns its word.
    pub(crate) fn error(self, error: &impl Display) -> String {
        self.known_error(error).unwrap_or_else(|| error.to_string())
    }

    /// Returns the text of an error; `None` if it has none.
    pub(crate) fn known_error(self, error: &(impl Display + ?Sized)) -> Option<String> {
        let word = error.to_string();
        if word == RulesError::UnknownFlag.code() {
            let flags: Vec<&str> = RuleFlag::ALL.iter().map(|flag| flag.word()).collect();
            return Some(self.rules_unknown_flag(flags.join(", ")));
        }
        self.find(&ERROR, &word).map(str::to_owned)
    }

    /// Says what is wrong with a record, with the line number.
    pub(crate) fn record_error(self, error: &RecordError) -> String {
        let reason = if let RecordErrorKind::Clock(clock) = error.kind {
            self.error(&clock)
        } else {
            self.error(&error.code())
        };
        self.error_in_line(error.line, reason)
    }

    pub(crate) fn number_error(self, error: NumberError) -> String {
        self.not_a_number_between(error.max, error.min)
    }
}
