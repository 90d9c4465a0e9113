//! Changes the keys of an action by its name in the settings file.

use std::borrow::Cow;

use super::Keymap;
use crate::input::Key;
use crate::input::commands::{Action, KeyBinding, KeyContext, MOVE_LIST_CONTEXTS, STEP_CONTEXTS};

/// Reason why keys cannot be assigned to an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeymapError {
    /// No action has this name.
    UnknownAction,
    /// The keys of this action are fixed, so that the player can always leave.
    Fixed,
    /// The text does not name a key.
    InvalidKey(String),
    /// This key belongs to an action with fixed keys.
    Reserved(Key),
    /// The key has another action in a context that both actions share.
    Conflict { key: Key, other: &'static str },
}

impl Keymap {
    /// Replaces the keys of an action in all its contexts except forms, where letters are text. [`Keymap::check`] finds
    /// conflicts after all changes.
    ///
    /// # Errors
    /// Returns an error if the action or a key cannot be changed.
    pub(crate) fn rebind(&mut self, action: &str, keys: &[Key]) -> Result<(), KeymapError> {
        let is_match = |binding: &KeyBinding| binding.name == action;
        let known = self.bindings.iter().find(|binding| is_match(binding));
        let known = known.ok_or(KeymapError::UnknownAction)?;
        let (name, known) = (known.name, known.action);
        if known == Action::Interrupt {
            return Err(KeymapError::Fixed);
        }
        if let Some(&key) = keys.iter().find(|key| **key == Key::Ctrl('c')) {
            return Err(KeymapError::Reserved(key));
        }
        for binding in self.bindings.iter_mut().filter(|binding| is_match(binding)) {
            if !binding
                .contexts
                .iter()
                .any(|context| context.has_text_input())
            {
                binding.keys = Cow::Owned(keys.to_vec());
            }
        }
        for binding in self
            .bindings
            .iter_mut()
            .filter(|binding| !is_match(binding))
        {
            if !self.rebound_actions.contains(&binding.name) && yields(binding) {
                let left = binding
                    .keys
                    .iter()
                    .filter(|key| !keys.contains(key))
                    .copied();
                binding.keys = Cow::Owned(left.collect());
            }
        }
        self.rebound_actions.push(name);
        Ok(())
    }

    /// Returns the changed actions with their keys.
    pub(crate) fn rebound_keys(&self) -> impl Iterator<Item = (&'static str, Vec<String>)> {
        self.rebound_actions.iter().map(|name| {
            let binding = self.bindings.iter().find(|binding| binding.name == *name);
            let keys = binding.map(|binding| binding.keys.iter().map(Key::to_string).collect());
            (*name, keys.unwrap_or_default())
        })
    }

    /// Checks that each key has one action in each context.
    ///
    /// # Errors
    /// Returns the changed action and the key that it shares with another action.
    pub(crate) fn check(&self) -> Result<(), (&'static str, KeymapError)> {
        for context in KeyContext::ALL {
            let mut seen: Vec<(Key, &KeyBinding)> = Vec::new();
            for binding in self.bindings(context) {
                for &key in binding.keys.iter() {
                    let conflict = seen
                        .iter()
                        .find(|(other, known)| *other == key && known.action != binding.action);
                    if let Some((_, known)) = conflict {
                        let (first, second) = (known.name, binding.name);
                        // The error names the action that the player has changed.
                        let (rebound, other) = if self.rebound_actions.contains(&second) {
                            (second, first)
                        } else {
                            (first, second)
                        };
                        return Err((rebound, KeymapError::Conflict { key, other }));
                    }
                    seen.push((key, binding));
                }
            }
        }
        Ok(())
    }
}

/// Returns whether other actions may take the keys of a binding, because its effects are also available with other
/// keys.
fn yields(binding: &KeyBinding) -> bool {
    let is_menu = binding.action == Action::Choose && binding.contexts == [KeyContext::GameOver];
    is_menu || [MOVE_LIST_CONTEXTS, STEP_CONTEXTS].contains(&binding.contexts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rebound(changes: &[(&str, &[Key])]) -> Result<Keymap, (String, KeymapError)> {
        let mut keymap = Keymap::default();
        for (action, keys) in changes {
            keymap
                .rebind(action, keys)
                .map_err(|error| ((*action).to_owned(), error))?;
        }
        keymap
            .check()
            .map_err(|(action, error)| (action.to_owned(), error))?;
        Ok(keymap)
    }

    #[test]
    fn a_rebound_action_has_only_its_new_keys() {
        let keymap = rebound(&[("claim", &[Key::Char('c'), Key::Ctrl('w')])]).unwrap();
        for (key, expected) in [
            (Key::Char('c'), Some(Action::Claim)),
            (Key::Ctrl('w'), Some(Action::Claim)),
            (Key::Char('w'), None),
            (Key::Char('g'), Some(Action::ToggleGuideLines)),
        ] {
            assert_eq!(keymap.action(KeyContext::Playing, key), expected, "{key}");
        }
        // The Latin key in the same place works too.
        assert_eq!(
            keymap.action(KeyContext::Playing, Key::Char('с')),
            Some(Action::Claim)
        );
    }

    #[test]
    fn actions_with_other_keys_yield_theirs() {
        let keymap = rebound(&[("guide", &[Key::Char(',')]), ("rematch", &[Key::Enter])]).unwrap();
        assert_eq!(
            keymap.action(KeyContext::Playing, Key::Char(',')),
            Some(Action::ToggleGuideLines)
        );
        assert_eq!(
            keymap.action(KeyContext::GameOver, Key::Enter),
            Some(Action::Rematch)
        );
        assert_eq!(
            keymap.action(KeyContext::GameOver, Key::Char(' ')),
            Some(Action::Choose)
        );
        // In contexts where an arrow key steps through the moves, it may also move the cursor or scroll.
        assert!(rebound(&[("left", &[Key::Left, Key::Char('H')])]).is_ok());
        // A key that the player chose for two actions is a mistake.
        assert!(rebound(&[("resign", &[Key::Char('T')]), ("guide", &[Key::Char('T')])]).is_err());
    }

    #[test]
    fn two_actions_can_exchange_their_keys() {
        let keymap = rebound(&[
            ("accept", &[Key::Char('x')]),
            ("decline", &[Key::Char('a')]),
        ])
        .unwrap();
        assert_eq!(
            keymap.action(KeyContext::Playing, Key::Char('a')),
            Some(Action::Decline)
        );
    }

    #[test]
    fn letters_are_text_in_forms() {
        let keymap = rebound(&[("close", &[Key::Char('Z')]), ("next", &[Key::Char('T')])]).unwrap();
        assert_eq!(keymap.action(KeyContext::Form, Key::Char('Z')), None);
        assert_eq!(
            keymap.action(KeyContext::Form, Key::Down),
            Some(Action::Next)
        );
        assert_eq!(
            keymap.action(KeyContext::Help, Key::Char('T')),
            Some(Action::Next)
        );
    }

    #[test]
    fn invalid_bindings_have_reasons() {
        for (changes, expected) in [
            (
                &[("dance", &[Key::Char('d')][..])][..],
                ("dance", KeymapError::UnknownAction),
            ),
            (
                &[("interrupt", &[Key::Char('d')][..])],
                ("interrupt", KeymapError::Fixed),
            ),
            (
                &[("leave", &[Key::Ctrl('c')][..])],
                ("leave", KeymapError::Reserved(Key::Ctrl('c'))),
            ),
            (
                &[("guide", &[Key::Char('q')][..])],
                (
                    "guide",
                    KeymapError::Conflict {
                        key: Key::Char('q'),
                        other: "leave",
                    },
                ),
            ),
            (
                &[("leave", &[Key::Char('w')][..])],
                (
                    "leave",
                    KeymapError::Conflict {
                        key: Key::Char('w'),
                        other: "watch",
                    },
                ),
            ),
        ] {
            let refused = rebound(changes).unwrap_err();
            assert_eq!(refused, (expected.0.to_owned(), expected.1));
        }
    }

    #[test]
    fn action_names_are_unique() {
        let keymap = Keymap::default();
        for one in &keymap.bindings {
            for other in &keymap.bindings {
                assert_eq!(one.action == other.action, one.name == other.name);
            }
        }
    }
}
