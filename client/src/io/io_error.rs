//! I/O errors in a form that can be compared and translated.

use std::fmt;
use std::io;

/// An I/O error: its kind, which texts are selected by, and the text of the system for the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalizableIoError {
    kind: io::ErrorKind,
    text: String,
}

impl LocalizableIoError {
    /// Creates an error of the kind [`io::ErrorKind::Other`].
    pub fn other(text: impl Into<String>) -> LocalizableIoError {
        LocalizableIoError {
            kind: io::ErrorKind::Other,
            text: text.into(),
        }
    }

    /// The text of the system, in English.
    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn kind(&self) -> io::ErrorKind {
        self.kind
    }
}

impl From<&io::Error> for LocalizableIoError {
    fn from(error: &io::Error) -> LocalizableIoError {
        LocalizableIoError {
            kind: error.kind(),
            text: error.to_string(),
        }
    }
}

impl From<io::Error> for LocalizableIoError {
    fn from(error: io::Error) -> LocalizableIoError {
        LocalizableIoError::from(&error)
    }
}

impl fmt::Display for LocalizableIoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for LocalizableIoError {}
