//! The two sides of a game. A seat is a side, not a person: players swap seats between games.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A side of the game. X always moves first.
///
/// The text form, also on the wire, is `X` or `O`. Parsing accepts either case.
///
/// ```
/// use noughts_protocol::Seat;
/// assert_eq!("x".parse(), Ok(Seat::X));
/// assert_eq!(Seat::X.other().to_string(), "O");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Seat {
    /// The side that moves first.
    X,
    /// The side that moves second.
    O,
}

impl Seat {
    /// Both seats, in the order of moves.
    pub const ALL: [Seat; 2] = [Seat::X, Seat::O];

    /// Returns the other seat.
    #[must_use]
    pub const fn other(self) -> Seat {
        match self {
            Seat::X => Seat::O,
            Seat::O => Seat::X,
        }
    }

    /// Returns the index of the seat in an array of two: 0 for X, 1 for O.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the seat to move after `ply` moves; seats alternate, and X begins.
    pub(crate) const fn to_move(ply: usize) -> Seat {
        if ply.is_multiple_of(2) {
            Seat::X
        } else {
            Seat::O
        }
    }
}

/// Error of reading a [`Seat`]: the text is neither `X` nor `O`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeatError;

impl fmt::Display for SeatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a seat must be X or O")
    }
}

impl std::error::Error for SeatError {}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Seat::X => "X",
            Seat::O => "O",
        })
    }
}

impl FromStr for Seat {
    type Err = SeatError;

    fn from_str(text: &str) -> Result<Seat, SeatError> {
        match text {
            "X" | "x" => Ok(Seat::X),
            "O" | "o" => Ok(Seat::O),
            _ => Err(SeatError),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_json_round_trip() {
        for seat in Seat::ALL {
            assert_eq!(seat.to_string().parse(), Ok(seat));
            assert_eq!(serde_json::to_string(&seat).unwrap(), format!("\"{seat}\""));
            assert_eq!(
                serde_json::from_str::<Seat>(&format!("\"{seat}\"")).unwrap(),
                seat
            );
        }
        for text in ["", "0", "XO", " X", "×"] {
            assert_eq!(text.parse::<Seat>(), Err(SeatError), "{text}");
        }
    }

    #[test]
    fn seats_alternate_from_x() {
        for (ply, seat) in [Seat::X, Seat::O, Seat::X, Seat::O].into_iter().enumerate() {
            assert_eq!(Seat::to_move(ply), seat);
            assert_eq!(Seat::ALL[seat.index()], seat);
            assert_eq!(seat.other().other(), seat);
        }
    }
}
