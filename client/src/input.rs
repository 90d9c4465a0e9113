//! What a player does, before anybody knows what it means: keys, clicks and typed words.
//!
//! `keymap` says which key does what in which context, `typed` reads typed commands, `layout` finds
//! the key behind a letter of another keyboard layout. Nothing here changes anything.

pub mod keymap;
mod layout;
pub mod object;
pub mod typed;

use std::fmt;

pub use keymap::{Action, Context};
pub use layout::positional;
pub use typed::{DigitOrder, Typed, TypedError};

/// A key as the program sees it: what it produced, without the terminal library's types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// A character, shift already in it.
    Char(char),
    /// A letter with Ctrl held, lower case.
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
}

/// Anything that comes from the player's side of the terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A key went down.
    Key(Key),
    /// The left button went down at this column and row of the screen.
    Click(u16, u16),
    /// Text was pasted.
    Paste(String),
    /// The screen has this many columns and rows now.
    Resize(u16, u16),
    /// A line was read, without its end.
    Line(String),
    /// Nothing more will be read.
    End,
    /// The terminal is gone.
    Gone,
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
        }
    }
}
