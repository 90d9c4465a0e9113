//! The player's input (keys, clicks and text), and the parsers that give it a meaning.
//!
//! `commands` is the table of commands, and `command_arguments` parses their arguments. `keymap` maps keys to actions,
//! `text_command` and `json_command` parse commands, and `keyboard_layout` maps letters of other layouts to Latin keys.
//! This module changes no state; `update` executes the results.

pub(crate) mod command_arguments;
pub(crate) mod commands;
pub(crate) mod json_command;
mod keyboard_layout;
pub(crate) mod keymap;
pub(crate) mod text_command;
pub(crate) mod text_input;

use std::fmt;

pub(crate) use commands::{Action, KeyContext, TextCommand};
pub(crate) use keymap::Keymap;
pub(crate) use text_command::{DigitOrder, TextCommandError};
pub(crate) use text_input::TextInput;

/// A key, independent of the terminal library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// A character, with Shift applied.
    Char(char),
    /// A lower-case letter with Ctrl.
    Ctrl(char),
    Up,
    Down,
    Left,
    Right,
    Enter,
    Esc,
    Tab,
    BackTab,
    Backspace,
    Delete,
    Home,
    End,
    PageUp,
    PageDown,
    F1,
}

/// Error for a text that does not name a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseKeyError;

const NAMED_KEYS: [Key; 16] = [
    Key::Char(' '),
    Key::Up,
    Key::Down,
    Key::Left,
    Key::Right,
    Key::Enter,
    Key::Esc,
    Key::Tab,
    Key::BackTab,
    Key::Backspace,
    Key::Delete,
    Key::Home,
    Key::End,
    Key::PageUp,
    Key::PageDown,
    Key::F1,
];

impl std::str::FromStr for Key {
    type Err = ParseKeyError;

    /// Parses a single character, a key name as in the help, or `Ctrl-X`.
    fn from_str(text: &str) -> Result<Key, ParseKeyError> {
        let single_char = |text: &str| {
            let mut letters = text.chars();
            letters
                .next()
                .filter(|letter| letters.next().is_none() && !letter.is_control())
        };
        if let Some(letter) = single_char(text) {
            return Ok(Key::Char(letter));
        }
        if let Some(key) = NAMED_KEYS
            .into_iter()
            .find(|key| key.to_string().eq_ignore_ascii_case(text))
        {
            return Ok(key);
        }
        let (ctrl, letter) = text.split_once('-').ok_or(ParseKeyError)?;
        let letter = single_char(letter)
            .filter(char::is_ascii_alphabetic)
            .ok_or(ParseKeyError)?;
        if ctrl.eq_ignore_ascii_case("ctrl") {
            Ok(Key::Ctrl(letter.to_ascii_lowercase()))
        } else {
            Err(ParseKeyError)
        }
    }
}

/// Input from the terminal or from stdin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    Key(Key),
    /// The left mouse button was pressed in this column and row.
    Click(u16, u16),
    /// The mouse wheel was turned.
    Wheel {
        down: bool,
    },
    /// Whether the background of the terminal is light.
    LightBackground(bool),
    Paste(String),
    /// The terminal has gained or lost the focus.
    Focus(bool),
    /// The new number of columns and rows.
    Resize(u16, u16),
    /// Whether the terminal draws box-drawing characters in one column.
    NarrowGlyphs(bool),
    /// A line of stdin, without its line end.
    Line(String),
    Eof,
    /// The terminal was closed.
    Hangup,
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Key::Char(' ') => f.write_str("Space"),
            Key::Char(letter) => write!(f, "{letter}"),
            Key::Ctrl(letter) => write!(f, "Ctrl-{}", letter.to_ascii_uppercase()),
            Key::Up => f.write_str("Up"),
            Key::Down => f.write_str("Down"),
            Key::Left => f.write_str("Left"),
            Key::Right => f.write_str("Right"),
            Key::Enter => f.write_str("Enter"),
            Key::Esc => f.write_str("Esc"),
            Key::Tab => f.write_str("Tab"),
            Key::BackTab => f.write_str("Shift-Tab"),
            Key::Backspace => f.write_str("Backspace"),
            Key::Delete => f.write_str("Delete"),
            Key::Home => f.write_str("Home"),
            Key::End => f.write_str("End"),
            Key::PageUp => f.write_str("PgUp"),
            Key::PageDown => f.write_str("PgDn"),
            Key::F1 => f.write_str("F1"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_round_trip_as_text() {
        let plain = [
            Key::Char('x'),
            Key::Char('й'),
            Key::Char('-'),
            Key::Ctrl('w'),
        ];
        for key in NAMED_KEYS.into_iter().chain(plain) {
            assert_eq!(key.to_string().parse(), Ok(key));
        }
        assert_eq!("ctrl-W".parse(), Ok(Key::Ctrl('w')));
        assert_eq!("pgup".parse(), Ok(Key::PageUp));
        for text in ["", "xy", "Ctrl-", "Ctrl-1", "F2", "\u{1b}"] {
            assert_eq!(text.parse::<Key>(), Err(ParseKeyError), "{text:?}");
        }
    }
}
