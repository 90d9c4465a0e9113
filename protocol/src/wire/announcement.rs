//! Announcements of the operator: free text that reaches all clients.

use std::fmt;
use std::str::FromStr;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

use crate::player::is_safe;

/// A text of the operator for all clients: one line, without control and format characters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Announcement(String);

/// Reason why a text is not an announcement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnnouncementError {
    /// The text is blank.
    Empty,
    /// The text has more than [`Announcement::MAX_CHARS`] characters.
    TooLong,
    /// The text has a control or format character.
    Character,
}

impl Announcement {
    /// Maximum length in Unicode characters.
    pub const MAX_CHARS: usize = 200;

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Announcement {
    type Err = AnnouncementError;

    /// Reads an announcement. Trims blanks at both ends.
    fn from_str(text: &str) -> Result<Announcement, AnnouncementError> {
        let text = text.trim_matches(' ');
        if text.is_empty() {
            Err(AnnouncementError::Empty)
        } else if text.chars().nth(Announcement::MAX_CHARS).is_some() {
            Err(AnnouncementError::TooLong)
        } else if !text.chars().all(is_safe) {
            Err(AnnouncementError::Character)
        } else {
            Ok(Announcement(text.to_owned()))
        }
    }
}

impl fmt::Display for AnnouncementError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AnnouncementError::Empty => f.write_str("the announcement is empty"),
            AnnouncementError::TooLong => write!(
                f,
                "the announcement has more than {} characters",
                Announcement::MAX_CHARS
            ),
            AnnouncementError::Character => {
                f.write_str("the announcement has a control or format character")
            }
        }
    }
}

impl std::error::Error for AnnouncementError {}

impl<'de> Deserialize<'de> for Announcement {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Announcement, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_announcement_is_one_safe_line() {
        let read = |text: &str| text.parse::<Announcement>().map(|read| read.0);
        assert_eq!(
            read("  Backup at 22:00 — 服务器重启 ").unwrap(),
            "Backup at 22:00 — 服务器重启"
        );
        assert_eq!(read("   "), Err(AnnouncementError::Empty));
        assert_eq!(read(&"x".repeat(200)).map(|text| text.len()), Ok(200));
        assert_eq!(read(&"x".repeat(201)), Err(AnnouncementError::TooLong));
        for text in [
            "two\nlines",
            "red\u{1b}[31m",
            "tab\there",
            "a\u{202e}b",
            "\u{7}",
        ] {
            assert_eq!(read(text), Err(AnnouncementError::Character), "{text:?}");
        }
        let json = r#"{"type":"announcement","text":"a\u0000b"}"#;
        assert!(crate::wire::Message::parse(json).is_err());
    }
}
