//! Players: a name that is safe on every terminal, and whether the player is a person or a program.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};
use unicode_width::UnicodeWidthChar;

use crate::Identity;

/// The name of a client: 1 to 24 terminal columns of text that cannot move a cursor.
///
/// A name has no control characters, bidirectional overrides or invisible characters. The plain space is
/// allowed, but not at an end and not twice in a row. Combining marks count towards [`Name::MAX_CHARS`].
/// Names are not unique. A clone shares the text.
///
/// `FromStr` accepts the characters that every program of this version may show. Deserialization accepts more, because
/// the Unicode tables of the program that accepted a name may differ.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Name(Arc<str>);

/// Error of reading a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameError {
    /// The text is empty or consists of spaces.
    Empty,
    /// The text has more than [`Name::MAX_COLUMNS`] columns or [`Name::MAX_CHARS`] characters.
    TooLong,
    /// The text has a control, bidirectional or invisible character.
    Character,
}

impl Name {
    /// Maximum width in terminal columns; wide characters count as two.
    pub const MAX_COLUMNS: usize = 24;
    /// Maximum length in Unicode characters.
    pub const MAX_CHARS: usize = 48;

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Returns whether a character is safe to show: it moves no cursor and does not change the order of its neighbours.
///
/// All format characters (bidirectional controls, joiners, tags) are excluded, because each of them can make one
/// name look like another.
pub(crate) fn is_safe(c: char) -> bool {
    let format = matches!(c,
        '\u{00AD}' | '\u{034F}' | '\u{0600}'..='\u{0605}' | '\u{061C}' | '\u{06DD}' | '\u{070F}'
        | '\u{115F}'..='\u{1160}' | '\u{17B4}'..='\u{17B5}' | '\u{180B}'..='\u{180F}'
        | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{3164}'
        | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}'
        | '\u{E000}'..='\u{F8FF}' | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}'
        | '\u{E0000}'..='\u{10FFFF}');
    !c.is_control() && !format && (c == ' ' || !c.is_whitespace())
}

/// Returns whether a character of a new name is visible, in one or two columns or combined with the previous character.
///
/// Excludes the general categories of control, format, unassigned, private and separator characters; [`is_safe`]
/// excludes only some of them. Also excludes characters of other categories that have a blank glyph or a placeholder.
fn is_visible(c: char) -> bool {
    let blank = matches!(c, '\u{2800}' | '\u{FFFC}' | '\u{FFFD}' | '\u{1D159}');
    let shown = match c.general_category_group() {
        GeneralCategoryGroup::Letter
        | GeneralCategoryGroup::Mark
        | GeneralCategoryGroup::Number
        | GeneralCategoryGroup::Punctuation
        | GeneralCategoryGroup::Symbol => true,
        GeneralCategoryGroup::Separator | GeneralCategoryGroup::Other => c == ' ',
    };
    is_safe(c) && shown && !blank
}

impl Name {
    /// Reads a name. All its characters must satisfy `is_allowed`.
    fn read(text: &str, is_allowed: fn(char) -> bool) -> Result<Name, NameError> {
        if text.chars().take(4 * Self::MAX_CHARS + 1).count() > 4 * Self::MAX_CHARS {
            return Err(NameError::TooLong);
        }
        let words: Vec<&str> = text.split(' ').filter(|word| !word.is_empty()).collect();
        let name = words.join(" ");
        if name.is_empty() {
            return Err(NameError::Empty);
        }
        if !name.chars().all(is_allowed) {
            return Err(NameError::Character);
        }
        let widths = name.chars().map(|c| c.width().unwrap_or(0));
        let columns: usize = widths.sum();
        if columns == 0 {
            return Err(NameError::Character);
        }
        if columns > Self::MAX_COLUMNS || name.chars().count() > Self::MAX_CHARS {
            return Err(NameError::TooLong);
        }
        Ok(Name(name.into()))
    }
}

impl FromStr for Name {
    type Err = NameError;

    /// Reads a name. Trims spaces at both ends and collapses runs of spaces; any other deviation is an error.
    fn from_str(text: &str) -> Result<Name, NameError> {
        Name::read(text, is_visible)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl NameError {
    /// Returns a stable name for programs, in snake case.
    pub fn code(self) -> &'static str {
        match self {
            NameError::Empty => "name_empty",
            NameError::TooLong => "name_too_long",
            NameError::Character => "name_character",
        }
    }
}

impl fmt::Display for NameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl std::error::Error for NameError {}

impl Serialize for Name {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Name, D::Error> {
        let text = String::deserialize(deserializer)?;
        Name::read(&text, is_safe).map_err(D::Error::custom)
    }
}

/// Whether a person or a program plays. Clients declare it in their hello.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlayerKind {
    /// A person.
    Person,
    /// A program.
    Bot,
}

/// The holder of a seat, as all members of the room see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Player {
    /// The name that the client chose.
    pub name: Name,
    /// Person or program.
    pub kind: PlayerKind,
    /// The id of a player with a secret; absent for a guest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<Identity>,
}

impl Player {
    /// Returns a player without an identity.
    pub fn guest(name: Name, kind: PlayerKind) -> Player {
        Player {
            name,
            kind,
            identity: None,
        }
    }

    /// Returns whether both players have the same identity, so that they are one player.
    pub fn has_same_identity(&self, other: &Player) -> bool {
        self.identity.is_some() && self.identity == other.identity
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> Result<String, NameError> {
        text.parse::<Name>().map(|name| name.to_string())
    }

    #[test]
    fn names_in_every_script_are_accepted() {
        for name in [
            "Ann",
            "Анна",
            "小明",
            "Zoë",
            "a b",
            "x".repeat(24).as_str(),
            "O'Neill-2",
        ] {
            assert_eq!(check(name).as_deref(), Ok(name));
        }
        assert_eq!(check("  two   words ").as_deref(), Ok("two words"));
    }

    #[test]
    fn unsafe_names_are_rejected() {
        use NameError::{Character, Empty, TooLong};
        let zalgo = format!("a{}", "\u{0301}".repeat(60));
        let long = "x".repeat(5000);
        for (text, error) in [
            ("", Empty),
            ("   ", Empty),
            ("\u{1b}[2J", Character),
            ("a\nb", Character),
            ("a\0b", Character),
            ("abc\u{202e}def", Character),
            ("a\u{200b}b", Character),
            ("a\u{2066}b", Character),
            ("\u{0301}", Character),
            ("\u{00a0}", Character),
            ("\u{e0041}x", Character),
            ("\u{2800}", Character),
            ("a\u{1d159}", Character),
            ("a\u{13430}", Character),
            ("a\u{110bd}", Character),
            ("a\u{fffe}", Character),
            ("a\u{fdd0}", Character),
            ("a\u{378}", Character),
            ("a\u{fffc}", Character),
            ("a\u{fffd}", Character),
            ("a\u{200c}b", Character),
            ("a\u{3000}b", Character),
            (&"x".repeat(25), TooLong),
            (&"明".repeat(13), TooLong),
            (&zalgo, TooLong),
            (&long, TooLong),
        ] {
            assert_eq!(check(text), Err(error), "{text:?}");
        }
    }

    /// The program that accepted a name may have other Unicode tables.
    #[test]
    fn names_with_characters_of_other_tables_are_readable() {
        let read = |text: &str| serde_json::from_value::<Name>(text.into());
        for text in ["a\u{2800}", "a\u{378}", "a\u{fffd}"] {
            assert_eq!(read(text).unwrap().as_str(), text);
        }
        for text in ["a\u{202e}b", "a\nb", "", "a\u{200d}b"] {
            assert!(read(text).is_err(), "{text:?}");
        }
    }
}
