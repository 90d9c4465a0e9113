//! A line of text that the player edits.

use noughts_protocol::Name;
use serde::Serialize;

/// Text with a cursor and a maximum length.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TextInput {
    text: String,
    /// Position of the cursor in bytes, always on a character boundary.
    #[serde(skip)]
    cursor: usize,
    /// Whether the text was set and has not been edited. Typing then replaces it.
    #[serde(skip)]
    is_preset: bool,
}

/// Returns whether a character is visible and takes columns of its own on every screen. These are the characters that
/// names allow, and the blank.
pub(crate) fn is_printable(letter: char) -> bool {
    letter == ' ' || format!("a{letter}").parse::<Name>().is_ok()
}

impl TextInput {
    /// Maximum length in characters.
    pub const MAX_CHARS: usize = 120;

    /// Creates an input with the cursor at the end of the text. The first inserted text replaces it, unless an edit or
    /// a cursor movement comes first.
    pub fn new(text: impl Into<String>) -> TextInput {
        let text = text.into();
        TextInput {
            cursor: text.len(),
            is_preset: !text.is_empty(),
            text,
        }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns whether the text was set and has not been edited.
    pub fn is_preset(&self) -> bool {
        self.is_preset
    }

    pub fn text_before_cursor(&self) -> &str {
        &self.text[..self.cursor]
    }

    /// Replaces the text and moves the cursor to its end.
    pub fn set(&mut self, text: impl Into<String>) {
        *self = TextInput::new(text);
    }

    /// Inserts the printable characters of `text` at the cursor, up to the limit.
    pub fn insert(&mut self, text: &str) {
        if std::mem::take(&mut self.is_preset) && text.chars().any(is_printable) {
            self.text.clear();
            self.cursor = 0;
        }
        let remaining = Self::MAX_CHARS.saturating_sub(self.text.chars().count());
        let printable: String = text
            .chars()
            .filter(|&letter| is_printable(letter))
            .take(remaining)
            .collect();
        self.text.insert_str(self.cursor, &printable);
        self.cursor += printable.len();
    }

    /// Deletes the character before the cursor.
    pub fn backspace(&mut self) {
        self.is_preset = false;
        if self.cursor > 0 {
            self.move_left();
            self.delete();
        }
    }

    /// Deletes the character after the cursor.
    pub fn delete(&mut self) {
        self.is_preset = false;
        if self.cursor < self.text.len() {
            self.text.remove(self.cursor);
        }
    }

    pub fn move_left(&mut self) {
        self.is_preset = false;
        self.cursor = self.text[..self.cursor]
            .char_indices()
            .next_back()
            .map_or(0, |(start, _)| start);
    }

    pub fn move_right(&mut self) {
        self.is_preset = false;
        self.cursor += self.text[self.cursor..]
            .chars()
            .next()
            .map_or(0, char::len_utf8);
    }

    pub fn move_to_start(&mut self) {
        self.is_preset = false;
        self.cursor = 0;
    }

    pub fn move_to_end(&mut self) {
        self.is_preset = false;
        self.cursor = self.text.len();
    }

    /// Deletes everything before the cursor.
    pub fn delete_to_start(&mut self) {
        self.is_preset = false;
        self.text.drain(..self.cursor);
        self.cursor = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn editing_keeps_multibyte_characters_intact() {
        let mut input = TextInput::new("aя明");
        input.move_left();
        input.insert("\u{1b}é\n\u{202e}");
        assert_eq!((input.text(), input.text_before_cursor()), ("aяé明", "aяé"));
        input.backspace();
        input.move_to_start();
        input.backspace();
        input.delete();
        assert_eq!(input.text(), "я明");
        input.move_to_end();
        input.move_right();
        input.delete_to_start();
        assert_eq!(input.text(), "");
    }

    #[test]
    fn typing_replaces_a_preset_text_unless_it_was_edited() {
        let mut input = TextInput::new("tictactoe");
        input.insert("\u{7}");
        assert_eq!(input.text(), "tictactoe");
        input.set("tictactoe");
        input.insert("g");
        input.insert("o");
        assert_eq!(input.text(), "go");
        input.set("tictactoe");
        input.move_to_end();
        input.insert("3d");
        assert_eq!(input.text(), "tictactoe3d");
        input.set("Ann");
        input.backspace();
        input.insert("a");
        assert_eq!(input.text(), "Ana");
    }

    #[test]
    fn insert_stops_at_the_length_limit() {
        let mut input = TextInput::default();
        input.insert(&"x".repeat(10_000));
        assert_eq!(input.text().len(), TextInput::MAX_CHARS);
    }
}
