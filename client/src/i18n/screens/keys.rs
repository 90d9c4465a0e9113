//! Names of keys, and descriptions of actions for the help.

use std::borrow::Cow;

use crate::i18n::messages::{ACTION, Table};
use crate::i18n::{self, Texts};
use crate::input::{Action, Key, KeyContext};

impl Texts {
    /// Describes an action in the help. Actions with equal texts share a row.
    pub fn action(self, action: Action, context: KeyContext) -> &'static str {
        self.find_action(&ACTION, action, context)
            .unwrap_or_default()
    }

    /// Returns the text of an action in a context, or else its text for all contexts.
    pub(super) fn find_action(
        self,
        table: &Table,
        action: Action,
        context: KeyContext,
    ) -> Option<&'static str> {
        let word = if matches!(action, Action::MoveCursor(..)) {
            "cursor"
        } else {
            // The names of actions for digits, menu entries and phrases end with a number.
            let is_number = |letter: char| letter.is_ascii_digit() || letter == '-';
            action.name().trim_end_matches(is_number)
        };
        self.find(table, &format!("{word}_{}", i18n::word(&context)))
            .or_else(|| self.find(table, word))
    }

    /// Names a key: by its printed label, or by a word if the key has a symbol.
    pub fn key(self, key: Key) -> Cow<'static, str> {
        let name = match key {
            Key::Char(' ') => self.key_space(),
            Key::Up => self.key_up(),
            Key::Down => self.key_down(),
            Key::Left => self.key_left(),
            Key::Right => self.key_right(),
            Key::Char(_)
            | Key::Ctrl(_)
            | Key::Enter
            | Key::Esc
            | Key::Tab
            | Key::BackTab
            | Key::Backspace
            | Key::Delete
            | Key::Home
            | Key::End
            | Key::PageUp
            | Key::PageDown
            | Key::F1 => return key.to_string().into(),
        };
        name.into()
    }
}
