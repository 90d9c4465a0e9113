//! Errors on the command line, in the settings file, in typed commands and form fields, and of the player's own server.

pub(crate) mod connection;
mod parse;
mod reject;

use noughts_protocol::CellError;

use crate::facts::{FormFieldError, HostError, Unavailable};
use crate::i18n::{Texts, is_printable};
use crate::identity::IdentityCommandError;
use crate::input::TextCommandError;
use crate::input::keymap::KeymapError;
use crate::settings::file::SettingsFileError;
use crate::settings::{SettingsError, SettingsErrorKind};

/// Removes control and bidirectional characters from a typed or external text, and shortens it to 80 characters.
pub(crate) fn sanitize(text: &str) -> String {
    text.chars()
        .filter(|&letter| is_printable(letter))
        .take(80)
        .collect()
}

/// Returns the text with an upper-case first letter.
pub(crate) fn capitalize(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters
        .next()
        .map(|first| first.to_uppercase().to_string())
        .unwrap_or_default();
    format!("{first}{}", letters.as_str())
}

impl Texts {
    pub fn invalid_value(self, argument: &str, value: &str, why: Option<&str>) -> String {
        let message = self.invalid_value_of(argument, value);
        match why {
            Some(why) => self.with_reason(&message, why),
            None => message,
        }
    }

    /// Says that arguments exclude each other, or that an argument was given twice.
    pub fn conflicting_arguments(self, argument: &str, others: &str) -> String {
        if argument == others {
            return self.repeated_argument(argument);
        }
        self.conflicting_argument(argument, others)
    }
}

impl Texts {
    /// Says why the settings file cannot be used.
    pub fn settings_file_error(self, error: &SettingsFileError) -> String {
        match error {
            SettingsFileError::NoConfigDir => self.no_config_dir().to_owned(),
            SettingsFileError::Read(path, error) => {
                self.cannot_read_file(self.io_error(error), path.display())
            }
            SettingsFileError::Write(path, error) => {
                self.cannot_write_file(self.io_error(error), path.display())
            }
            SettingsFileError::Invalid(path, error) => {
                self.settings_file_line(error.line, path.display(), self.settings_error(error))
            }
        }
    }

    fn settings_error(self, error: &SettingsError) -> String {
        match &error.kind {
            SettingsErrorKind::Syntax(why) => self.invalid_toml(sanitize(why)),
            SettingsErrorKind::UnknownKey(key) => self.unknown_setting(sanitize(key)),
            SettingsErrorKind::NotString(setting) => {
                format!("{}: {}", setting.entry().key, self.setting_not_a_string())
            }
            SettingsErrorKind::Value(setting, why) => {
                let reason = if *why == FormFieldError::BadOption {
                    self.setting_not_a_choice((setting.entry().options)().join(", "))
                } else {
                    self.error(why)
                };
                format!("{}: {reason}", setting.entry().key)
            }
            SettingsErrorKind::Keys(action, why) => {
                format!("{}: {}", sanitize(action), self.keymap_error(why))
            }
        }
    }

    fn keymap_error(self, error: &KeymapError) -> String {
        match error {
            KeymapError::UnknownAction => self.keys_unknown_action().to_owned(),
            KeymapError::Fixed => self.keys_fixed().to_owned(),
            KeymapError::InvalidKey(key) => self.keys_unknown_key(sanitize(key)),
            KeymapError::Reserved(key) => self.keys_reserved(key),
            KeymapError::Conflict { key, other } => self.keys_conflict(key, other),
        }
    }
}

impl Texts {
    /// Says why a typed command is invalid.
    pub fn command_error(self, text: &str, error: &TextCommandError) -> String {
        let typed = sanitize(text);
        match error {
            TextCommandError::Empty => self.command_empty().to_owned(),
            TextCommandError::UnknownCommand => self.command_unknown(typed),
            TextCommandError::BadCell(CellError::OffBoard) => self.no_such_cell(&typed),
            TextCommandError::BadCell(error @ (CellError::Syntax | CellError::Dimensions)) => {
                self.with_period(self.with_reason(&typed, self.error(error)))
            }
            TextCommandError::NoBoard => self.unavailable(Unavailable::NoBoard).to_owned(),
            // Only programs send JSON. They get the parser's message.
            TextCommandError::BadObject(error) => sanitize(error),
            TextCommandError::BadArgument(entry) => {
                let (name, argument) = (entry.name(), entry.argument);
                if argument.is_empty() {
                    self.command_without_argument(name)
                } else {
                    self.command_usage(argument, name)
                }
            }
        }
    }

    /// Says in a sentence why a text is not the secret of an identity, or not the address of a server.
    pub(crate) fn identity_error(self, error: IdentityCommandError) -> String {
        self.to_sentence(&self.error(&error))
    }

    /// Says in a sentence why the value of a field is invalid.
    pub fn field_error(self, error: FormFieldError) -> String {
        self.to_sentence(&self.error(&error))
    }
}

impl Texts {
    pub fn host_error(self, error: &HostError) -> String {
        match error {
            HostError::NotInstalled => self.host_not_installed().to_owned(),
            HostError::PortTaken(port) => self.host_port_taken(port),
            HostError::TimedOut => self.host_timed_out().to_owned(),
            HostError::Failed(reason) => self.host_failed(sanitize(reason)),
        }
    }
}
