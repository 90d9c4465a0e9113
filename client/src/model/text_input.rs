//! A line of text that is being typed.

use crate::i18n::is_printable;

/// Text with a place in it, and a limit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextInput {
    text: String,
    /// In bytes, always between characters.
    cursor: usize,
}

impl TextInput {
    /// More characters than this are not taken.
    pub const MAX_CHARS: usize = 120;

    /// The text given, with the place behind it.
    pub fn new(text: impl Into<String>) -> TextInput {
        let text = text.into();
        TextInput { cursor: text.len(), text }
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What stands before the place.
    pub fn text_before_cursor(&self) -> &str {
        &self.text[..self.cursor]
    }

    /// Puts a text in its stead.
    pub fn set(&mut self, text: impl Into<String>) {
        *self = TextInput::new(text);
    }

    /// Inserts what can be shown of a text.
    pub fn insert(&mut self, text: &str) {
        let remaining = Self::MAX_CHARS.saturating_sub(self.text.chars().count());
        let printable: String = text.chars().filter(|&letter| is_printable(letter)).take(remaining).collect();
        self.text.insert_str(self.cursor, &printable);
        self.cursor += printable.len();
    }

    /// Takes the character before the place away.
    pub fn backspace(&mut self) {
        if self.cursor > 0 {
            self.move_left();
            self.delete();
        }
    }

    /// Takes the character behind the place away.
    pub fn delete(&mut self) {
        if self.cursor < self.text.len() {
            self.text.remove(self.cursor);
        }
    }

    /// Goes one character back.
    pub fn move_left(&mut self) {
        self.cursor = self.text[..self.cursor].char_indices().next_back().map_or(0, |(start, _)| start);
    }

    /// Goes one character on.
    pub fn move_right(&mut self) {
        self.cursor += self.text[self.cursor..].chars().next().map_or(0, char::len_utf8);
    }

    /// Goes to the beginning.
    pub fn move_to_start(&mut self) {
        self.cursor = 0;
    }

    /// Goes behind the end.
    pub fn move_to_end(&mut self) {
        self.cursor = self.text.len();
    }

    /// Takes everything before the place away.
    pub fn delete_to_start(&mut self) {
        self.text.drain(..self.cursor);
        self.cursor = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_of_all_widths_are_edited_whole() {
        let mut edit = TextInput::new("aя明");
        edit.move_left();
        edit.insert("\u{1b}é\n\u{202e}");
        assert_eq!((edit.text(), edit.text_before_cursor()), ("aяé明", "aяé"));
        edit.backspace();
        edit.move_to_start();
        edit.backspace();
        edit.delete();
        assert_eq!(edit.text(), "я明");
        edit.move_to_end();
        edit.move_right();
        edit.delete_to_start();
        assert_eq!(edit.text(), "");
    }

    #[test]
    fn a_long_paste_is_cut() {
        let mut edit = TextInput::default();
        edit.insert(&"x".repeat(10_000));
        assert_eq!(edit.text().len(), TextInput::MAX_CHARS);
    }
}
