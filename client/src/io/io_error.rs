//! I/O errors in a form that can be compared and translated.

use std::fmt;
use std::io;

use serde::Serialize;

/// An I/O error. Its kind selects the translated text; `detail` is the system's text, for the log and for JSON mode.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LocalizableIoError {
    #[serde(skip)]
    kind: io::ErrorKind,
    detail: String,
}

impl LocalizableIoError {
    /// Creates an error with the kind [`io::ErrorKind::Other`].
    pub fn other(text: impl Into<String>) -> LocalizableIoError {
        LocalizableIoError {
            kind: io::ErrorKind::Other,
            detail: text.into(),
        }
    }

    pub fn kind(&self) -> io::ErrorKind {
        self.kind
    }
}

impl From<&io::Error> for LocalizableIoError {
    fn from(error: &io::Error) -> LocalizableIoError {
        LocalizableIoError {
            kind: error.kind(),
            detail: error.to_string(),
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
        f.write_str(&self.detail)
    }
}

impl std::error::Error for LocalizableIoError {}
