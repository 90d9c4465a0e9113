//! A game that this program was killed in: what it takes to have the seat again, as text for a file.
//!
//! Pure; `store` keeps the files. The last event is not in it: a new process has no board yet, and asks for
//! the whole view.

use std::fmt::Display;
use std::str::FromStr;

use noughts_protocol::{Name, ResumeToken, RoomId, Rules, Seat};
use serde_json::{Value, json};

use crate::server_url::ServerUrl;

/// The form of the text. A text of another version is a newer program's: not read, and left alone.
const FORMAT_VERSION: u64 = 1;

/// A seat in a game that is not over, and the right to it.
#[derive(Clone, Debug)]
pub struct SavedGame {
    /// The server.
    pub server: ServerUrl,
    /// The room there.
    pub room: RoomId,
    /// The right to the seat.
    pub token: ResumeToken,
    /// As whom one plays.
    pub name: Name,
    /// The seat, to tell the player. The server knows better.
    pub seat: Seat,
    /// What is played.
    pub rules: Rules,
    /// Who has the other seat, if anybody.
    pub opponent: Option<Name>,
}

/// The same seat and the same things to say of it. A seat has one token: tokens are never compared.
impl PartialEq for SavedGame {
    fn eq(&self, other: &SavedGame) -> bool {
        let SavedGame { server, room, token: _, name, seat, rules, opponent } = self;
        (server, room, name, seat, rules, opponent)
            == (&other.server, &other.room, &other.name, &other.seat, &other.rules, &other.opponent)
    }
}

impl Eq for SavedGame {}

/// Why a text is none of an unfinished game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseSavedGameError {
    /// A newer program has written it.
    #[error("of a version that this program does not know")]
    NewerVersion,
    /// Nobody has, as it stands.
    #[error("damaged")]
    Corrupt,
}

impl SavedGame {
    /// The text. It has the token in it: for nobody but its owner.
    pub fn to_text(&self) -> String {
        let SavedGame { server, room, token, name, seat, rules, opponent } = self;
        let text = |shown: &dyn Display| shown.to_string();
        let value = json!({
            "version": FORMAT_VERSION,
            "server": text(server),
            "room": text(room),
            "token": text(token),
            "name": text(name),
            "seat": text(seat),
            "rules": text(rules),
            "opponent": opponent.as_ref().map(|name| text(name)),
        });
        format!("{value}\n")
    }

    /// Reads a text.
    ///
    /// # Errors
    /// When it is not whole.
    pub fn from_text(text: &str) -> Result<SavedGame, ParseSavedGameError> {
        let value: Value = serde_json::from_str(text).map_err(|_| ParseSavedGameError::Corrupt)?;
        match value.get("version").and_then(Value::as_u64) {
            Some(FORMAT_VERSION) => {}
            Some(newer) if newer > FORMAT_VERSION => return Err(ParseSavedGameError::NewerVersion),
            Some(_) | None => return Err(ParseSavedGameError::Corrupt),
        }
        Ok(SavedGame {
            server: field(&value, "server")?,
            room: field(&value, "room")?,
            token: field(&value, "token")?,
            name: field(&value, "name")?,
            seat: field(&value, "seat")?,
            rules: field(&value, "rules")?,
            opponent: match value.get("opponent") {
                None | Some(Value::Null) => None,
                Some(_) => Some(field(&value, "opponent")?),
            },
        })
    }
}

fn field<T: FromStr>(value: &Value, name: &str) -> Result<T, ParseSavedGameError> {
    let text = value.get(name).and_then(Value::as_str).ok_or(ParseSavedGameError::Corrupt)?;
    text.parse().map_err(|_| ParseSavedGameError::Corrupt)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn saved_game(room: &str) -> SavedGame {
        SavedGame {
            server: ServerUrl::local(),
            room: room.parse().unwrap(),
            token: ResumeToken::from_bits(77),
            name: "Ann".parse().unwrap(),
            seat: Seat::X,
            rules: "3x3:3".parse().unwrap(),
            opponent: Some("Bob".parse().unwrap()),
        }
    }

    #[test]
    fn the_text_round_trips_with_its_token() {
        let alone = SavedGame { opponent: None, ..saved_game("k7qf3mzx") };
        for game in [saved_game("k7qf3mzx"), alone] {
            let again = SavedGame::from_text(&game.to_text()).unwrap();
            assert_eq!((&again, again.token.to_bytes()), (&game, game.token.to_bytes()));
        }
    }

    #[test]
    fn a_text_that_is_not_whole_is_refused() {
        let whole = saved_game("k7qf3mzx").to_text();
        for cut in 0..whole.trim_end().len() {
            assert_eq!(
                SavedGame::from_text(&whole[..cut]).err(),
                Some(ParseSavedGameError::Corrupt),
                "{cut}"
            );
        }
        for (good, bad) in [
            ("k7qf3mzx", "../../passwd"),
            ("ws://", "ftp://"),
            ("\"X\"", "\"Z\""),
            ("\"X\"", "7"),
            ("3x3:3", "3x3:99"),
            ("Ann", "\u{202e}nnA"),
            ("Bob", ""),
            ("\"version\":1", "\"version\":0"),
            ("\"version\":1", "\"version\":\"1\""),
        ] {
            assert!(whole.contains(good));
            let text = whole.replacen(good, bad, 1);
            assert_eq!(SavedGame::from_text(&text).err(), Some(ParseSavedGameError::Corrupt), "{text}");
        }
        let newer = whole.replace("\"version\":1", "\"version\":2");
        assert_eq!(SavedGame::from_text(&newer).err(), Some(ParseSavedGameError::NewerVersion));
    }

    #[test]
    fn the_token_does_not_show_in_debug() {
        let game = saved_game("k7qf3mzx");
        assert!(!format!("{game:?}").contains(&game.token.to_string()));
    }
}
