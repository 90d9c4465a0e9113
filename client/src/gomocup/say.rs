//! What a brain says, as text.

use std::fmt;
use std::str::FromStr;

use super::{LineError, MAX_LINE, Point};

/// One line of a brain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Say {
    /// Its move.
    Move(Point),
    /// It did what it was told.
    Ok,
    /// It cannot, and why.
    Error(String),
    /// It does not know the command, and what it was.
    Unknown(String),
    /// For the people who look on.
    Message(String),
    /// For the author of the brain.
    Debug(String),
    /// Who it is: `name="..."` and more.
    About(String),
}

impl Say {
    /// The name in the answer to `ABOUT`, if there is one.
    pub fn name(&self) -> Option<&str> {
        let Say::About(text) = self else { return None };
        let (_, rest) = text.split_once("name=\"")?;
        rest.split_once('"').map(|(name, _)| name).filter(|name| !name.is_empty())
    }
}

impl fmt::Display for Say {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Say::Move(point) => point.fmt(f),
            Say::Ok => f.write_str("OK"),
            Say::Error(text) => write!(f, "ERROR {text}"),
            Say::Unknown(text) => write!(f, "UNKNOWN {text}"),
            Say::Message(text) => write!(f, "MESSAGE {text}"),
            Say::Debug(text) => write!(f, "DEBUG {text}"),
            Say::About(text) => f.write_str(text),
        }
    }
}

impl FromStr for Say {
    type Err = LineError;

    fn from_str(line: &str) -> Result<Say, LineError> {
        if line.len() > MAX_LINE {
            return Err(LineError::TooLong);
        }
        let line = line.trim();
        if line.starts_with(|first: char| first.is_ascii_digit()) {
            return line.parse().map(Say::Move);
        }
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = || rest.trim().to_owned();
        match word.to_ascii_uppercase().as_str() {
            // Some say more after it, such as their version.
            "OK" => Ok(Say::Ok),
            "ERROR" => Ok(Say::Error(rest())),
            "UNKNOWN" => Ok(Say::Unknown(rest())),
            "MESSAGE" => Ok(Say::Message(rest())),
            "DEBUG" => Ok(Say::Debug(rest())),
            _ if line.contains("=\"") => Ok(Say::About(line.to_owned())),
            _ => Err(LineError::Unknown),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sayings_round_trip() {
        for (text, say) in [
            ("7,8", Say::Move(Point { x: 7, y: 8 })),
            ("OK", Say::Ok),
            ("ERROR board too large", Say::Error("board too large".to_owned())),
            ("UNKNOWN SWAP2BOARD", Say::Unknown("SWAP2BOARD".to_owned())),
            ("MESSAGE depth 9", Say::Message("depth 9".to_owned())),
            ("DEBUG hash full", Say::Debug("hash full".to_owned())),
            ("name=\"Rapfi\", version=\"1\"", Say::About("name=\"Rapfi\", version=\"1\"".to_owned())),
        ] {
            assert_eq!((text.parse(), say.to_string().as_str()), (Ok(say.clone()), text));
        }
        for wrong in ["", "hello", "7;8", "-1,3", "BEGIN"] {
            assert!(wrong.parse::<Say>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_brain_tells_its_name() {
        let about = "name=\"Yixin\", version=\"2018\", author=\"Sun Kai\"".parse::<Say>().unwrap();
        assert_eq!(about.name(), Some("Yixin"));
        assert_eq!(Say::About("version=\"2\"".to_owned()).name(), None);
        assert_eq!(Say::Ok.name(), None);
    }
}
