//! What the operating system says when something fails, kept so that it can be worded.

use std::fmt;
use std::io;

/// A failure of the system: its kind, and its own text for the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalizableIoError {
    kind: io::ErrorKind,
    text: String,
}

impl LocalizableIoError {
    /// One of a kind that has no name.
    pub fn other(text: impl Into<String>) -> LocalizableIoError {
        LocalizableIoError { kind: io::ErrorKind::Other, text: text.into() }
    }

    /// What the system says, in its own words.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The kind.
    pub fn kind(&self) -> io::ErrorKind {
        self.kind
    }
}

impl From<&io::Error> for LocalizableIoError {
    fn from(error: &io::Error) -> LocalizableIoError {
        LocalizableIoError { kind: error.kind(), text: error.to_string() }
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
