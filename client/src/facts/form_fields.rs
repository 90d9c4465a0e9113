//! Kinds of forms, and their fields.

use serde::Serialize;

use crate::input::TextInput;
use crate::settings::Setting;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FormKind {
    /// Find any opponent.
    Quick,
    /// Open a private room for a friend.
    Private,
    /// Start a server on this computer, and open a private room on it.
    Host,
    /// Join a room by its code.
    Join,
    /// A game at this terminal.
    Local,
    /// A game against a bot at this terminal.
    Bot,
    /// Change the saved settings.
    Settings,
}

/// Identity of a form field. Its word in JSON mode is the key of its texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FieldId {
    /// Port of a server that the player starts.
    Port,
    Seat,
    Invite,
    /// First player of a local game.
    FirstPlayer,
    /// Second player of a local game.
    SecondPlayer,
    /// The level of the bot in a local game.
    Opponent,
    /// Which of the two local players plays X.
    SeatAssignment,
    #[serde(untagged)]
    Setting(Setting),
}

/// A form field with its text and its options.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FormField {
    #[serde(rename = "field")]
    pub id: FieldId,
    #[serde(flatten)]
    pub input: TextInput,
    /// Values that the arrow keys cycle through.
    pub options: Vec<String>,
    /// Whether texts other than the options are allowed.
    pub is_free_text: bool,
}

impl FormField {
    /// Replaces the text with the next or the previous option. A text that is not an option becomes the first option.
    pub fn cycle_option(&mut self, forward: bool) {
        if self.options.is_empty() {
            return;
        }
        let count = self.options.len();
        let current = self
            .options
            .iter()
            .position(|option| option == self.input.text());
        let next = current.map_or(0, |index| {
            (index + if forward { 1 } else { count - 1 }) % count
        });
        self.input.set(self.options[next].clone());
    }
}
