//! What there is to choose from.

use clap::ValueEnum;
use noughts_protocol::Seat;

use crate::engine::{Level, LevelError};
use crate::input::DigitOrder;
use crate::local::SideSpec;
use crate::model::FieldError;
use crate::thinker::Spec;
use crate::words::Words;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Ui {
    #[default]
    Auto,
    Full,
    Line,
    Json,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    #[default]
    Auto,
    Always,
    Never,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Keys {
    #[default]
    Reading,
    Numpad,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ConfigQuestion {
    Path,
    Show,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum SeatChoice {
    X,
    O,
    #[default]
    Random,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum First {
    X,
    Random,
}

/// A bot to play against: `bot` or `bot:hard`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Versus(pub Level);

impl std::str::FromStr for Versus {
    type Err = LevelError;

    fn from_str(text: &str) -> Result<Versus, LevelError> {
        match text.parse::<SideSpec>() {
            Ok(SideSpec::Bot(Spec::Level(level))) => Ok(Versus(level)),
            Ok(SideSpec::Bot(Spec::Engine(_)) | SideSpec::Person(_)) | Err(_) => Err(LevelError),
        }
    }
}

impl SeatChoice {
    /// The seat; none: drawn by lot.
    pub fn seat(self) -> Option<Seat> {
        match self {
            SeatChoice::X => Some(Seat::X),
            SeatChoice::O => Some(Seat::O),
            SeatChoice::Random => None,
        }
    }
}

impl From<Keys> for DigitOrder {
    fn from(keys: Keys) -> DigitOrder {
        match keys {
            Keys::Reading => DigitOrder::Reading,
            Keys::Numpad => DigitOrder::Numpad,
        }
    }
}

impl std::fmt::Display for FieldError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(Words::default().field_fault(*self))
    }
}

impl std::error::Error for FieldError {}
