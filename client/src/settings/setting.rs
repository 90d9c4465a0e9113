//! The settings. Each has a key in the file, a flag and an environment variable.

use clap::ValueEnum;
use noughts_protocol::{Name, Rules, TimeControl};

use crate::cli::{DigitsChoice, Ui};
use crate::connection::server_url::ServerUrl;
use crate::facts::FormFieldError;
use crate::i18n::lang::{self, Lang};
use crate::model::{BellMode, BoardPrinting, GlyphSet, PhraseDisplay, Theme, settings};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    Lang,
    Ui,
    Theme,
    Glyphs,
    Digits,
    Board,
    Bell,
    Phrases,
    Name,
    Server,
    Rules,
    Clock,
}

/// Invalid value of a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettingValueError {
    NotString,
    /// Not one of these choices.
    Choice(Vec<String>),
    /// Not a valid server, name, game or clock.
    Field(FormFieldError),
}

impl Setting {
    /// All settings in display order.
    pub const ALL: [Setting; 12] = [
        Setting::Lang,
        Setting::Ui,
        Setting::Theme,
        Setting::Glyphs,
        Setting::Digits,
        Setting::Board,
        Setting::Bell,
        Setting::Phrases,
        Setting::Name,
        Setting::Server,
        Setting::Rules,
        Setting::Clock,
    ];

    /// Returns the key in the settings file, which is also the name of the flag and clap's argument id.
    pub fn key(self) -> &'static str {
        match self {
            Setting::Lang => "lang",
            Setting::Ui => "ui",
            Setting::Theme => "theme",
            Setting::Glyphs => "glyphs",
            Setting::Digits => "digits",
            Setting::Board => "board",
            Setting::Bell => "bell",
            Setting::Phrases => "phrases",
            Setting::Name => "name",
            Setting::Server => "server",
            Setting::Rules => "rules",
            Setting::Clock => "clock",
        }
    }

    /// Returns the environment variable.
    pub fn env_variable(self) -> &'static str {
        match self {
            Setting::Lang => lang::LANG_VARIABLE,
            Setting::Ui => "NOUGHTS_UI",
            Setting::Theme => "NOUGHTS_THEME",
            Setting::Glyphs => "NOUGHTS_GLYPHS",
            Setting::Digits => DigitsChoice::VARIABLE,
            Setting::Board => "NOUGHTS_BOARD",
            Setting::Bell => "NOUGHTS_BELL",
            Setting::Phrases => "NOUGHTS_PHRASES",
            Setting::Name => "NOUGHTS_NAME",
            Setting::Server => "NOUGHTS_SERVER",
            Setting::Rules => "NOUGHTS_RULES",
            Setting::Clock => "NOUGHTS_CLOCK",
        }
    }

    /// Checks a value.
    ///
    /// # Errors
    /// The reason why the value is invalid.
    pub fn check(self, value: &str) -> Result<(), SettingValueError> {
        match self {
            Setting::Lang => match value.parse::<Lang>() {
                Ok(_) => Ok(()),
                Err(lang::LangError) => Err(SettingValueError::Choice(
                    Lang::ALL.map(|lang| lang.to_string()).into(),
                )),
            },
            Setting::Ui => check_choice::<Ui>(value),
            Setting::Theme => check_choice::<Theme>(value),
            Setting::Glyphs => check_choice::<GlyphSet>(value),
            Setting::Digits => check_choice::<DigitsChoice>(value),
            Setting::Board => check_choice::<BoardPrinting>(value),
            Setting::Bell => check_choice::<BellMode>(value),
            Setting::Phrases => check_choice::<PhraseDisplay>(value),
            Setting::Name => value
                .parse::<Name>()
                .map(drop)
                .map_err(FormFieldError::BadName)
                .map_err(field_error),
            Setting::Server => value
                .parse::<ServerUrl>()
                .map(drop)
                .map_err(FormFieldError::BadServer)
                .map_err(field_error),
            Setting::Rules => value
                .parse::<Rules>()
                .map(drop)
                .map_err(FormFieldError::BadRules)
                .map_err(field_error),
            Setting::Clock => value
                .parse::<TimeControl>()
                .map(drop)
                .map_err(FormFieldError::BadClock)
                .map_err(field_error),
        }
    }
}

fn field_error(error: FormFieldError) -> SettingValueError {
    SettingValueError::Field(error)
}

/// Checks a value against the choices of an enum.
fn check_choice<T: ValueEnum>(value: &str) -> Result<(), SettingValueError> {
    match T::from_str(value, false) {
        Ok(_) => Ok(()),
        Err(_) => Err(SettingValueError::Choice(settings::value_names::<T>())),
    }
}
