//! Form fields, and the reasons why the text of a field is invalid.

use noughts_protocol::RulesError;
use noughts_protocol::clock::TimeControlError;
use noughts_protocol::player::NameError;

use crate::connection::server_url::{InviteError, ServerUrlError};
use crate::input::TextInput;

/// Purpose of a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormKind {
    /// Find any opponent.
    Quick,
    /// Open a private room for a friend.
    Private,
    /// Start a server on this computer, and open a private room on it.
    Host,
    /// Join a room by its code.
    Join,
    /// Play on this terminal.
    Local,
    /// Play against a bot on this terminal.
    Bot,
    /// Change the saved settings.
    Settings,
}

/// Identity of a form field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldId {
    Server,
    /// Port of a server that the player starts.
    Port,
    Name,
    Rules,
    Clock,
    Seat,
    Invite,
    /// First player of a local game.
    FirstPlayer,
    /// Second player of a local game.
    SecondPlayer,
    /// Which of the two local players receives X.
    SeatAssignment,
    DigitOrder,
    Lang,
    Theme,
    Glyphs,
    Bell,
    Phrases,
}

/// A form field with its text and its options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormField {
    pub id: FieldId,
    pub input: TextInput,
    /// Values that the arrow keys cycle through.
    pub options: Vec<String>,
    /// Whether texts other than the options are allowed.
    pub is_free_text: bool,
}

/// Reason why the text of a field is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormFieldError {
    Server(ServerUrlError),
    Name(NameError),
    Rules(RulesError),
    Clock(TimeControlError),
    Invite(InviteError),
    Port,
    Level,
    Engine,
    /// The engine does not support these rules.
    UnsupportedRules,
    UnknownOption,
}

impl FormField {
    /// Replaces the text by the next or the previous option. A text that is not an option becomes the first one.
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
