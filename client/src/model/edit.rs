//! A line of text that is being typed.

use crate::words::is_plain;

/// Text with a place in it, and a limit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edit {
    text: String,
    /// In bytes, always between characters.
    at: usize,
}

impl Edit {
    /// More characters than this are not taken.
    pub const MAX_CHARS: usize = 120;

    /// The text given, with the place behind it.
    pub fn new(text: impl Into<String>) -> Edit {
        let text = text.into();
        Edit { at: text.len(), text }
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What stands before the place.
    pub fn before(&self) -> &str {
        &self.text[..self.at]
    }

    /// Puts a text in its stead.
    pub fn set(&mut self, text: impl Into<String>) {
        *self = Edit::new(text);
    }

    /// Inserts what can be shown of a text.
    pub fn insert(&mut self, text: &str) {
        let room = Self::MAX_CHARS.saturating_sub(self.text.chars().count());
        let shown: String = text.chars().filter(|&letter| is_plain(letter)).take(room).collect();
        self.text.insert_str(self.at, &shown);
        self.at += shown.len();
    }

    /// Takes the character before the place away.
    pub fn backspace(&mut self) {
        if self.at > 0 {
            self.left();
            self.delete();
        }
    }

    /// Takes the character behind the place away.
    pub fn delete(&mut self) {
        if self.at < self.text.len() {
            self.text.remove(self.at);
        }
    }

    /// Goes one character back.
    pub fn left(&mut self) {
        self.at = self.text[..self.at].char_indices().next_back().map_or(0, |(start, _)| start);
    }

    /// Goes one character on.
    pub fn right(&mut self) {
        self.at += self.text[self.at..].chars().next().map_or(0, char::len_utf8);
    }

    /// Goes to the beginning.
    pub fn home(&mut self) {
        self.at = 0;
    }

    /// Goes behind the end.
    pub fn end(&mut self) {
        self.at = self.text.len();
    }

    /// Takes everything before the place away.
    pub fn cut(&mut self) {
        self.text.drain(..self.at);
        self.at = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_of_all_widths_are_edited_whole() {
        let mut edit = Edit::new("aя明");
        edit.left();
        edit.insert("\u{1b}é\n\u{202e}");
        assert_eq!((edit.text(), edit.before()), ("aяé明", "aяé"));
        edit.backspace();
        edit.home();
        edit.backspace();
        edit.delete();
        assert_eq!(edit.text(), "я明");
        edit.end();
        edit.right();
        edit.cut();
        assert_eq!(edit.text(), "");
    }

    #[test]
    fn a_long_paste_is_cut() {
        let mut edit = Edit::default();
        edit.insert(&"x".repeat(10_000));
        assert_eq!(edit.text().len(), Edit::MAX_CHARS);
    }
}
