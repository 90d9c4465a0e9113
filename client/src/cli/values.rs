//! Values of flags and arguments, and their parsers.

use std::str::FromStr;

use clap::ValueEnum;
use noughts_protocol::Seat;

use crate::engine::{Level, LevelError};
use crate::engines::player_engine::EngineSpec;
use crate::model::local_game::LocalPlayerSpec;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ConfigQuery {
    Path,
    Show,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum IdentityAction {
    Show,
    Import,
    Forget,
    Alias,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum SeatChoice {
    X,
    O,
    #[default]
    Random,
}

/// Choice of opponents other than people alone: `any`, `bot` or `bot:hard`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Versus {
    /// People and bots that wait on the server.
    Anyone,
    /// A bot of this program.
    Bot(Level),
}

impl FromStr for Versus {
    type Err = LevelError;

    fn from_str(text: &str) -> Result<Versus, LevelError> {
        if text == "any" {
            return Ok(Versus::Anyone);
        }
        match text.parse::<LocalPlayerSpec>() {
            Ok(LocalPlayerSpec::Bot(EngineSpec::Level(level))) => Ok(Versus::Bot(level)),
            Ok(LocalPlayerSpec::Bot(EngineSpec::Program(_)) | LocalPlayerSpec::Person(_))
            | Err(_) => Err(LevelError),
        }
    }
}

impl SeatChoice {
    /// Returns the seat, or `None` for a random seat.
    pub fn seat(self) -> Option<Seat> {
        match self {
            SeatChoice::X => Some(Seat::X),
            SeatChoice::O => Some(Seat::O),
            SeatChoice::Random => None,
        }
    }
}

/// Error for a text that is not a whole number within the bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not_a_number_between_{min}_and_{max}")]
pub(crate) struct NumberError {
    pub min: u64,
    pub max: u64,
}

/// Returns a clap value parser for whole numbers from `min` to `max`.
pub(super) fn number_parser<T: FromStr + Copy + Into<u64>>(
    min: u64,
    max: u64,
) -> impl Fn(&str) -> Result<T, NumberError> + Clone + Send + Sync {
    move |text| {
        let parsed = text
            .parse::<T>()
            .ok()
            .filter(|&number| (min..=max).contains(&number.into()));
        parsed.ok_or(NumberError { min, max })
    }
}

pub(super) fn count_parser() -> impl Fn(&str) -> Result<u32, NumberError> + Clone + Send + Sync {
    number_parser(0, u64::from(u32::MAX))
}

pub(super) fn u64_parser() -> impl Fn(&str) -> Result<u64, NumberError> + Clone + Send + Sync {
    number_parser(0, u64::MAX)
}
