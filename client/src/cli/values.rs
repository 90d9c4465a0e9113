//! What there is to choose from.

use clap::ValueEnum;
use noughts_protocol::Seat;

use crate::engine::{Level, LevelError};
use crate::engines::player_engine::EngineSpec;
use crate::i18n::Texts;
use crate::input::DigitOrder;
use crate::local::LocalPlayerSpec;
use crate::model::FormFieldError;

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
pub enum DigitsChoice {
    #[default]
    Reading,
    Numpad,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ConfigQuery {
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
pub enum FirstMoveChoice {
    X,
    Random,
}

/// A bot to play against: `bot` or `bot:hard`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BotOpponent(pub Level);

impl std::str::FromStr for BotOpponent {
    type Err = LevelError;

    fn from_str(text: &str) -> Result<BotOpponent, LevelError> {
        match text.parse::<LocalPlayerSpec>() {
            Ok(LocalPlayerSpec::Bot(EngineSpec::Level(level))) => Ok(BotOpponent(level)),
            Ok(LocalPlayerSpec::Bot(EngineSpec::Engine(_)) | LocalPlayerSpec::Person(_)) | Err(_) => {
                Err(LevelError)
            }
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

impl From<DigitsChoice> for DigitOrder {
    fn from(keys: DigitsChoice) -> DigitOrder {
        match keys {
            DigitsChoice::Reading => DigitOrder::Reading,
            DigitsChoice::Numpad => DigitOrder::Numpad,
        }
    }
}

impl std::fmt::Display for FormFieldError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(Texts::default().field_error_reason(*self))
    }
}

impl std::error::Error for FormFieldError {}
