//! Responses of an engine to its manager.

use std::fmt;
use std::str::FromStr;

use super::{MAX_LINE_BYTES, ParseGomocupError, Point};

/// One response line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum GomocupResponse {
    /// A move.
    Move(Point),
    /// The three stones of a swap2 opening.
    Opening([Point; 3]),
    /// `SWAP`: the engine takes the side of the opponent in a swap2 opening.
    Swap,
    /// `OK`: the command succeeded.
    Ok,
    /// `ERROR` with a reason.
    Error(String),
    /// `UNKNOWN` with the command.
    Unknown(String),
    /// `MESSAGE`: text for the user.
    Message(String),
    /// `DEBUG`: text for the author of the engine.
    Debug(String),
    /// Response to `ABOUT`: `name="..."` and other fields.
    About(String),
}

impl GomocupResponse {
    /// Returns the name in a response to `ABOUT`.
    pub(crate) fn name(&self) -> Option<&str> {
        let GomocupResponse::About(text) = self else {
            return None;
        };
        let (_, rest) = text.split_once("name=\"")?;
        rest.split_once('"')
            .map(|(name, _)| name)
            .filter(|name| !name.is_empty())
    }
}

impl fmt::Display for GomocupResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GomocupResponse::Move(point) => point.fmt(f),
            GomocupResponse::Opening([first, second, third]) => {
                write!(f, "{first} {second} {third}")
            }
            GomocupResponse::Swap => f.write_str("SWAP"),
            GomocupResponse::Ok => f.write_str("OK"),
            GomocupResponse::Error(text) => write!(f, "ERROR {text}"),
            GomocupResponse::Unknown(text) => write!(f, "UNKNOWN {text}"),
            GomocupResponse::Message(text) => write!(f, "MESSAGE {text}"),
            GomocupResponse::Debug(text) => write!(f, "DEBUG {text}"),
            GomocupResponse::About(text) => f.write_str(text),
        }
    }
}

impl FromStr for GomocupResponse {
    type Err = ParseGomocupError;

    fn from_str(line: &str) -> Result<GomocupResponse, ParseGomocupError> {
        if line.len() > MAX_LINE_BYTES {
            return Err(ParseGomocupError::TooLong);
        }
        let line = line.trim();
        if line.starts_with(|first: char| first.is_ascii_digit()) {
            if let [first, second, third] = line.split_whitespace().collect::<Vec<_>>()[..] {
                let opening = [first.parse()?, second.parse()?, third.parse()?];
                return Ok(GomocupResponse::Opening(opening));
            }
            return line.parse().map(GomocupResponse::Move);
        }
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = || rest.trim().to_owned();
        match word.to_ascii_uppercase().as_str() {
            // Some engines append text, such as a version.
            "OK" => Ok(GomocupResponse::Ok),
            "SWAP" => Ok(GomocupResponse::Swap),
            "ERROR" => Ok(GomocupResponse::Error(rest())),
            "UNKNOWN" => Ok(GomocupResponse::Unknown(rest())),
            "MESSAGE" => Ok(GomocupResponse::Message(rest())),
            "DEBUG" => Ok(GomocupResponse::Debug(rest())),
            _ if line.contains("=\"") => Ok(GomocupResponse::About(line.to_owned())),
            _ => Err(ParseGomocupError::Unknown),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn responses_round_trip() {
        for (text, response) in [
            ("7,8", GomocupResponse::Move(Point { x: 7, y: 8 })),
            (
                "7,8 6,6 9,9",
                GomocupResponse::Opening([
                    Point { x: 7, y: 8 },
                    Point { x: 6, y: 6 },
                    Point { x: 9, y: 9 },
                ]),
            ),
            ("SWAP", GomocupResponse::Swap),
            ("OK", GomocupResponse::Ok),
            (
                "ERROR board too large",
                GomocupResponse::Error("board too large".to_owned()),
            ),
            (
                "UNKNOWN SWAP2BOARD",
                GomocupResponse::Unknown("SWAP2BOARD".to_owned()),
            ),
            (
                "MESSAGE depth 9",
                GomocupResponse::Message("depth 9".to_owned()),
            ),
            (
                "DEBUG hash full",
                GomocupResponse::Debug("hash full".to_owned()),
            ),
            (
                "name=\"Rapfi\", version=\"1\"",
                GomocupResponse::About("name=\"Rapfi\", version=\"1\"".to_owned()),
            ),
        ] {
            assert_eq!(
                (text.parse(), response.to_string().as_str()),
                (Ok(response.clone()), text)
            );
        }
        for wrong in ["", "hello", "7;8", "7,8 9,9", "-1,3", "BEGIN"] {
            assert!(wrong.parse::<GomocupResponse>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_name_is_read_from_about() {
        let about = "name=\"Yixin\", version=\"2018\", author=\"Sun Kai\""
            .parse::<GomocupResponse>()
            .unwrap();
        assert_eq!(about.name(), Some("Yixin"));
        assert_eq!(
            GomocupResponse::About("version=\"2\"".to_owned()).name(),
            None
        );
        assert_eq!(GomocupResponse::Ok.name(), None);
    }
}
