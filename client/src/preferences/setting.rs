//! The settings that the file knows: each has a name there and a variable of the environment.

use clap::ValueEnum;
use noughts_protocol::{Name, Rules, TimeControl};

use crate::cli::{ColorChoice, Keys, Ui};
use crate::lang::{self, Lang};
use crate::model::{Bell, FieldError, Glyphs, Theme, look};
use crate::server_url::ServerUrl;

/// A setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    Lang,
    Ui,
    Color,
    Theme,
    Glyphs,
    Digits,
    Bell,
    Name,
    Server,
    Rules,
    Clock,
}

/// Why a value will not do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueError {
    /// It is no text.
    NotText,
    /// It is none of these.
    Choice(Vec<String>),
    /// It is no server, name, game or clock.
    Field(FieldError),
}

impl Setting {
    /// All, in the order in which they are shown.
    pub const ALL: [Setting; 11] = [
        Setting::Lang,
        Setting::Ui,
        Setting::Color,
        Setting::Theme,
        Setting::Glyphs,
        Setting::Digits,
        Setting::Bell,
        Setting::Name,
        Setting::Server,
        Setting::Rules,
        Setting::Clock,
    ];

    /// Its name in the file.
    pub fn key(self) -> &'static str {
        match self {
            Setting::Lang => "lang",
            Setting::Ui => "ui",
            Setting::Color => "color",
            Setting::Theme => "theme",
            Setting::Glyphs => "glyphs",
            Setting::Digits => "digits",
            Setting::Bell => "bell",
            Setting::Name => "name",
            Setting::Server => "server",
            Setting::Rules => "rules",
            Setting::Clock => "clock",
        }
    }

    /// Its variable of the environment.
    pub fn variable(self) -> &'static str {
        match self {
            Setting::Lang => lang::VARIABLE,
            Setting::Ui => "NOUGHTS_UI",
            Setting::Color => "NOUGHTS_COLOR",
            Setting::Theme => "NOUGHTS_THEME",
            Setting::Glyphs => "NOUGHTS_GLYPHS",
            Setting::Digits => "NOUGHTS_KEYS",
            Setting::Bell => "NOUGHTS_BELL",
            Setting::Name => "NOUGHTS_NAME",
            Setting::Server => "NOUGHTS_SERVER",
            Setting::Rules => "NOUGHTS_RULES",
            Setting::Clock => "NOUGHTS_CLOCK",
        }
    }

    /// Its flag, without the dashes.
    pub fn argument(self) -> &'static str {
        match self {
            Setting::Digits => "keys",
            Setting::Lang
            | Setting::Ui
            | Setting::Color
            | Setting::Theme
            | Setting::Glyphs
            | Setting::Bell
            | Setting::Name
            | Setting::Server
            | Setting::Rules
            | Setting::Clock => self.key(),
        }
    }

    /// Whether a value will do.
    ///
    /// # Errors
    /// Why not.
    pub fn check(self, value: &str) -> Result<(), ValueError> {
        match self {
            Setting::Lang => match value.parse::<Lang>() {
                Ok(_) => Ok(()),
                Err(lang::LangError) => {
                    Err(ValueError::Choice(Lang::ALL.map(|lang| lang.to_string()).into()))
                }
            },
            Setting::Ui => choice::<Ui>(value),
            Setting::Color => choice::<ColorChoice>(value),
            Setting::Theme => choice::<Theme>(value),
            Setting::Glyphs => choice::<Glyphs>(value),
            Setting::Digits => choice::<Keys>(value),
            Setting::Bell => choice::<Bell>(value),
            Setting::Name => value.parse::<Name>().map(drop).map_err(FieldError::Name).map_err(field),
            Setting::Server => {
                value.parse::<ServerUrl>().map(drop).map_err(FieldError::Server).map_err(field)
            }
            Setting::Rules => value.parse::<Rules>().map(drop).map_err(FieldError::Rules).map_err(field),
            Setting::Clock => {
                value.parse::<TimeControl>().map(drop).map_err(FieldError::Clock).map_err(field)
            }
        }
    }
}

fn field(error: FieldError) -> ValueError {
    ValueError::Field(error)
}

/// Whether a value is one of the choices, as the command line spells them.
fn choice<T: ValueEnum>(value: &str) -> Result<(), ValueError> {
    match T::from_str(value, false) {
        Ok(_) => Ok(()),
        Err(_) => Err(ValueError::Choice(look::names::<T>())),
    }
}
