//! The key bindings with the player's changes. The help screens are generated from them.

mod rebind;
#[cfg(test)]
mod tests;

use super::commands::{Action, DEFAULT_BINDINGS, KeyBinding, KeyContext};
use super::{Key, keyboard_layout};

pub(crate) use rebind::KeymapError;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Keymap {
    bindings: Vec<KeyBinding>,
    /// The actions with keys that the player has changed.
    rebound_actions: Vec<&'static str>,
}

impl Default for Keymap {
    fn default() -> Keymap {
        Keymap {
            bindings: DEFAULT_BINDINGS.to_vec(),
            rebound_actions: Vec::new(),
        }
    }
}

impl Keymap {
    /// Returns the bindings in a context, in the order of the help.
    pub(crate) fn bindings(&self, context: KeyContext) -> impl Iterator<Item = &KeyBinding> {
        let is_active = move |binding: &&KeyBinding| {
            binding.contexts.is_empty() || binding.contexts.contains(&context)
        };
        self.bindings.iter().filter(is_active)
    }

    /// Returns the action of a key: by its character, or else by the Latin key in the same place on the keyboard. A
    /// question accepts only characters, because `н` ("нет", no) is on the `y` key. In contexts where characters are
    /// text, characters have no action.
    pub(crate) fn action(&self, context: KeyContext, key: Key) -> Option<Action> {
        if context.has_text_input() && matches!(key, Key::Char(_)) {
            return None;
        }
        let find = |key: Key| {
            self.bindings(context)
                .find(|binding| binding.keys.contains(&key))
                .map(|found| found.action)
        };
        find(key).or_else(|| {
            let Key::Char(letter) = key else { return None };
            if context == KeyContext::Confirmation {
                return None;
            }
            find(Key::Char(keyboard_layout::latin_key(letter)?))
        })
    }

    /// Returns the key to show for an action: a letter rather than a named key.
    pub(crate) fn letter_key(&self, context: KeyContext, action: Action) -> Option<Key> {
        let bindings = self
            .bindings(context)
            .filter(|binding| binding.action == action);
        let mut keys = bindings.flat_map(|binding| binding.keys.iter()).copied();
        keys.find(|key| matches!(key, Key::Char(letter) if *letter != ' '))
            .or_else(|| self.first_key(context, action))
    }

    /// Returns the first key of an action in a context, if any.
    pub(crate) fn first_key(&self, context: KeyContext, action: Action) -> Option<Key> {
        let mut bindings = self
            .bindings(context)
            .filter(|binding| binding.action == action);
        bindings.find_map(|binding| binding.keys.first().copied())
    }
}
