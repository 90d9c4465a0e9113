//! A saved game: the data that resumes a seat in an unfinished game, as text for a file. Pure.
//!
//! The text contains no board and no event number, because a resuming process requests a snapshot.

use std::fmt::Display;
use std::str::FromStr;

use noughts_protocol::{Name, ResumeToken, RoomId, Rules, Seat};
use serde::Serialize;
use serde_json::{Value, json};

use crate::connection::server_url::ServerUrl;

/// Version of the text format. A text of a newer version belongs to a newer program and is not changed.
const FORMAT_VERSION: u64 = 1;

/// A seat in an unfinished game, with the token that grants it.
#[derive(Clone, Debug, Serialize)]
pub struct SavedGame {
    pub server: ServerUrl,
    pub room: RoomId,
    /// Secret that grants the seat.
    #[serde(skip)]
    pub token: ResumeToken,
    pub name: Name,
    /// Seat, for display only. The server assigns the seat when the game is resumed.
    pub seat: Seat,
    pub rules: Rules,
    /// One-based number of the game in the room's series. The seats swap with each game.
    pub number: u32,
    /// Name of the opponent, if the other seat is taken.
    pub opponent: Option<Name>,
}

/// Compares all fields except the token, because a seat has one token and secrets are not compared.
impl PartialEq for SavedGame {
    fn eq(&self, other: &SavedGame) -> bool {
        let SavedGame {
            server,
            room,
            token: _,
            name,
            seat,
            rules,
            number,
            opponent,
        } = self;
        (server, room, name, seat, rules, number, opponent)
            == (
                &other.server,
                &other.room,
                &other.name,
                &other.seat,
                &other.rules,
                &other.number,
                &other.opponent,
            )
    }
}

impl Eq for SavedGame {}

/// Error for a text that is not a saved game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseSavedGameError {
    /// A newer program wrote the text.
    #[error("unsupported version")]
    NewerVersion,
    /// The text is incomplete or invalid.
    #[error("corrupt")]
    Corrupt,
}

impl SavedGame {
    /// Formats the game as text. Only the owner may read the text, because it contains the token.
    pub fn to_text(&self) -> String {
        let SavedGame {
            server,
            room,
            token,
            name,
            seat,
            rules,
            number,
            opponent,
        } = self;
        let text = |shown: &dyn Display| shown.to_string();
        let value = json!({
            "version": FORMAT_VERSION,
            "server": text(server),
            "room": text(room),
            "token": text(token),
            "name": text(name),
            "seat": text(seat),
            "rules": text(rules),
            "number": number,
            "opponent": opponent.as_ref().map(|name| text(name)),
        });
        format!("{value}\n")
    }

    /// Returns the seat that the player had in the first game of the room. It tells two players in the same room apart,
    /// and does not change with a rematch.
    pub fn first_seat(&self) -> Seat {
        if self.number.is_multiple_of(2) {
            self.seat.other()
        } else {
            self.seat
        }
    }

    /// Parses the text of a game.
    ///
    /// # Errors
    /// Returns an error if the text is incomplete or invalid, or has a newer version.
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
            number: value
                .get("number")
                .and_then(Value::as_u64)
                .and_then(|number| u32::try_from(number).ok())
                .ok_or(ParseSavedGameError::Corrupt)?,
            opponent: match value.get("opponent") {
                None | Some(Value::Null) => None,
                Some(_) => Some(field(&value, "opponent")?),
            },
        })
    }
}

fn field<T: FromStr>(value: &Value, name: &str) -> Result<T, ParseSavedGameError> {
    let text = value
        .get(name)
        .and_then(Value::as_str)
        .ok_or(ParseSavedGameError::Corrupt)?;
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
            number: 1,
            opponent: Some("Bob".parse().unwrap()),
        }
    }

    #[test]
    fn the_text_round_trips_with_its_token() {
        let alone = SavedGame {
            opponent: None,
            ..saved_game("k7qf3mzx")
        };
        for game in [saved_game("k7qf3mzx"), alone] {
            let again = SavedGame::from_text(&game.to_text()).unwrap();
            assert_eq!(
                (&again, again.token.to_bytes()),
                (&game, game.token.to_bytes())
            );
        }
    }

    #[test]
    fn an_incomplete_or_invalid_text_is_rejected() {
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
            ("\"number\":1", "\"number\":-1"),
            ("\"number\":1,", ""),
            ("\"version\":1", "\"version\":0"),
            ("\"version\":1", "\"version\":\"1\""),
        ] {
            assert!(whole.contains(good));
            let text = whole.replacen(good, bad, 1);
            assert_eq!(
                SavedGame::from_text(&text).err(),
                Some(ParseSavedGameError::Corrupt),
                "{text}"
            );
        }
        let newer = whole.replace("\"version\":1", "\"version\":2");
        assert_eq!(
            SavedGame::from_text(&newer).err(),
            Some(ParseSavedGameError::NewerVersion)
        );
    }

    #[test]
    fn the_token_does_not_show_in_debug() {
        let game = saved_game("k7qf3mzx");
        assert!(!format!("{game:?}").contains(&game.token.to_string()));
    }
}
