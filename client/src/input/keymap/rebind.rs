//! Changing the keys of an action, by its name in the settings file.

use std::borrow::Cow;

use super::Keymap;
use super::binding::{Action, KeyBinding, KeyContext};
use super::default_bindings::MOVE_LIST_CONTEXTS;
use crate::input::Key;

/// Reason why keys cannot be assigned to an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeymapError {
    /// No action has this name.
    UnknownAction,
    /// The keys of this action are fixed, so that the player can always leave.
    Fixed,
    /// The text does not name a key.
    InvalidKey(String),
    /// The action of this key is fixed.
    Reserved(Key),
    /// The key has another action in a common context.
    Conflict { key: Key, other: &'static str },
}

impl Action {
    /// The name in the settings file.
    pub fn name(self) -> &'static str {
        match self {
            Action::MoveCursor(right, down) => match (right, down) {
                (..0, ..0) => "up-left",
                (..0, 0) => "left",
                (..0, _) => "down-left",
                (0, ..0) => "up",
                (0, _) => "down",
                (_, ..0) => "up-right",
                (_, 0) => "right",
                (_, _) => "down-right",
            },
            Action::MoveLayer(..0) => "previous-layer",
            Action::MoveLayer(_) => "next-layer",
            Action::MoveDepth(..0) => "previous-depth",
            Action::MoveDepth(_) => "next-depth",
            Action::PlayCursor => "place",
            Action::PlayDigit(digit) => {
                const DIGITS: [&str; 9] = [
                    "digit-1", "digit-2", "digit-3", "digit-4", "digit-5", "digit-6", "digit-7",
                    "digit-8", "digit-9",
                ];
                DIGITS[usize::from(digit.clamp(1, 9)) - 1]
            }
            Action::ChooseNumber(number) => {
                const NUMBERS: [&str; 10] = [
                    "entry-0", "entry-1", "entry-2", "entry-3", "entry-4", "entry-5", "entry-6",
                    "entry-7", "entry-8", "entry-9",
                ];
                NUMBERS[usize::from(number.min(9))]
            }
            Action::ToggleGuideLines => "guide",
            Action::OpenPrompt => "command",
            Action::Help => "help",
            Action::Leave => "leave",
            Action::Close => "close",
            Action::ShowValues => "values",
            Action::Review => "review",
            Action::OfferDraw => "draw",
            Action::Takeback => "takeback",
            Action::Resign => "resign",
            Action::Save => "save",
            Action::Zoom => "zoom",
            Action::TurnBoard => "turn-board",
            Action::Filter => "filter",
            Action::AllMoves => "all-moves",
            Action::Autoplay => "autoplay",
            Action::Accept => "accept",
            Action::Decline => "decline",
            Action::Rematch => "rematch",
            Action::NextOpponent => "next-opponent",
            Action::MeetOpponent => "meet-opponent",
            Action::ShowInvite => "invite",
            Action::NewRoom => "new-room",
            Action::InviteBot => "bot",
            Action::Claim => "claim",
            Action::Previous => "previous",
            Action::Next => "next",
            Action::PreviousOption => "previous-option",
            Action::NextOption => "next-option",
            Action::Choose => "choose",
            Action::Watch => "watch",
            Action::WatchAll => "watch-all",
            Action::Refresh => "refresh",
            Action::First => "first",
            Action::Last => "last",
            Action::Yes => "yes",
            Action::No => "no",
            Action::KeepSeat => "keep-seat",
            Action::CopyLink => "copy-link",
            Action::CopyCommand => "copy-command",
            Action::Say => "say",
            Action::SayPhrase(index) => {
                const PHRASES: [&str; 12] = [
                    "phrase-1",
                    "phrase-2",
                    "phrase-3",
                    "phrase-4",
                    "phrase-5",
                    "phrase-6",
                    "phrase-7",
                    "phrase-8",
                    "phrase-9",
                    "phrase-10",
                    "phrase-11",
                    "phrase-12",
                ];
                PHRASES[usize::from(index.min(11))]
            }
            Action::Mute => "mute",
            Action::Interrupt => "interrupt",
            Action::Suspend => "suspend",
            Action::Redraw => "redraw",
        }
    }
}

impl Keymap {
    /// Replaces the keys of an action in all its contexts except forms, where letters are text. Call [`Keymap::check`]
    /// after all changes to find conflicts.
    ///
    /// # Errors
    /// Returns an error if the action or a key cannot be changed.
    pub(crate) fn rebind(&mut self, action: &str, keys: &[Key]) -> Result<(), KeymapError> {
        let is_match = |binding: &KeyBinding| binding.action.name() == action;
        let known = self.bindings.iter().find(|binding| is_match(binding));
        let known = known.ok_or(KeymapError::UnknownAction)?.action;
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
            if !self.rebound_actions.contains(&binding.action.name()) && yields(binding) {
                let left = binding
                    .keys
                    .iter()
                    .filter(|key| !keys.contains(key))
                    .copied();
                binding.keys = Cow::Owned(left.collect());
            }
        }
        self.rebound_actions.push(known.name());
        Ok(())
    }

    /// The changed actions with their keys.
    pub(crate) fn rebound_keys(&self) -> impl Iterator<Item = (&'static str, Vec<String>)> {
        self.rebound_actions.iter().map(|name| {
            let binding = self
                .bindings
                .iter()
                .find(|binding| binding.action.name() == *name);
            let keys = binding.map(|binding| binding.keys.iter().map(Key::to_string).collect());
            (*name, keys.unwrap_or_default())
        })
    }

    /// Checks that each key has one action in each context.
    ///
    /// # Errors
    /// Returns the changed action, and its key that another action has as well.
    pub(crate) fn check(&self) -> Result<(), (&'static str, KeymapError)> {
        for context in KeyContext::ALL {
            let mut seen: Vec<(Key, Action)> = Vec::new();
            for binding in self.bindings(context) {
                for &key in binding.keys.iter() {
                    let conflict = seen
                        .iter()
                        .find(|(other, action)| *other == key && *action != binding.action);
                    if let Some((_, action)) = conflict {
                        let (first, second) = (action.name(), binding.action.name());
                        // Report the action that the player has changed.
                        let (rebound, other) = if self.rebound_actions.contains(&second) {
                            (second, first)
                        } else {
                            (first, second)
                        };
                        return Err((rebound, KeymapError::Conflict { key, other }));
                    }
                    seen.push((key, binding.action));
                }
            }
        }
        Ok(())
    }
}

/// Whether the keys of a binding are free for other actions: all that these actions do has other keys or a command.
fn yields(binding: &KeyBinding) -> bool {
    let is_menu = binding.action == Action::Choose && binding.contexts == [KeyContext::GameOver];
    let has_command = matches!(
        binding.action,
        Action::OfferDraw | Action::Takeback | Action::Resign | Action::Save | Action::Zoom
    );
    is_menu || has_command || binding.contexts == MOVE_LIST_CONTEXTS
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
        // The Latin key at the same place works too.
        assert_eq!(
            keymap.action(KeyContext::Playing, Key::Char('с')),
            Some(Action::Claim)
        );
    }

    #[test]
    fn actions_with_commands_yield_their_keys() {
        let keymap = rebound(&[("guide", &[Key::Char('z')]), ("rematch", &[Key::Enter])]).unwrap();
        assert_eq!(
            keymap.action(KeyContext::Playing, Key::Char('z')),
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
        // Two keys that the player chose for different actions are a mistake.
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
                &[("leave", &[Key::Char('v')][..])],
                (
                    "leave",
                    KeymapError::Conflict {
                        key: Key::Char('v'),
                        other: "values",
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
                assert_eq!(
                    one.action == other.action,
                    one.action.name() == other.action.name()
                );
            }
        }
    }
}
