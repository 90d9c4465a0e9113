//! The link to a finished game: `https://host/#r/PAYLOAD`. The payload is the whole record, deflated and encoded as
//! base64url without padding. It is in the URL's fragment, which no browser sends to a server. The page writes and
//! reads the same links.

use data_encoding::BASE64URL_NOPAD;
use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::{DecompressError, TINFLStatus, decompress_to_vec_with_limit};
use noughts_protocol::{Record, RecordError};

use crate::connection::server_url::ServerUrl;

/// Prefix of the payload.
const MARK: &str = "#r/";
/// Maximum length of a payload in characters.
const MAX_PAYLOAD_CHARS: usize = 4096;
/// Maximum size of an inflated payload.
const MAX_INFLATED_BYTES: usize = 64 * 1024;
/// The best compression, because a record is small.
const LEVEL: u8 = 10;

/// Reason why a text is not a link to a game, or why a game has no link. Its word is the key of its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GameLinkError {
    #[error("link_too_long")]
    TooLong,
    #[error("link_encoding")]
    Encoding,
    #[error("link_deflate")]
    Deflate,
    #[error("link_too_large")]
    TooLarge,
    #[error("link_not_text")]
    NotText,
    #[error("{word}", word = .0.code())]
    Record(RecordError),
}

/// Returns whether a text that names no file looks like a link to a game.
pub(crate) fn is_game_link(text: &str) -> bool {
    text.contains(MARK)
}

/// Returns the link to a game on a server's page. Without a server, returns only the fragment.
///
/// # Errors
/// Returns an error if the game is too long for a link.
pub(crate) fn game_link(
    server: Option<&ServerUrl>,
    record: &Record,
) -> Result<String, GameLinkError> {
    let payload = payload(record)?;
    let page = server.map(ServerUrl::page).unwrap_or_default();
    Ok(format!("{page}{MARK}{payload}"))
}

fn payload(record: &Record) -> Result<String, GameLinkError> {
    // A link is for anyone: it names the players without their ids.
    let record = Record {
        identities: [None; 2],
        ..record.clone()
    };
    let deflated = compress_to_vec(record.to_string().as_bytes(), LEVEL);
    let payload = BASE64URL_NOPAD.encode(&deflated);
    match payload.len() {
        0..=MAX_PAYLOAD_CHARS => Ok(payload),
        _ => Err(GameLinkError::TooLong),
    }
}

/// Reads the game from a link.
///
/// # Errors
/// Returns why the text is not a link to a game.
pub(crate) fn parse_game_link(link: &str) -> Result<Record, GameLinkError> {
    let (_, payload) = link.split_once(MARK).ok_or(GameLinkError::Encoding)?;
    let payload = payload.trim_end();
    if payload.len() > MAX_PAYLOAD_CHARS {
        return Err(GameLinkError::TooLong);
    }
    let deflated = BASE64URL_NOPAD
        .decode(payload.as_bytes())
        .map_err(|_| GameLinkError::Encoding)?;
    let inflated = decompress_to_vec_with_limit(&deflated, MAX_INFLATED_BYTES);
    let text = inflated.map_err(|DecompressError { status, .. }| {
        if status == TINFLStatus::HasMoreOutput {
            GameLinkError::TooLarge
        } else {
            GameLinkError::Deflate
        }
    })?;
    let text = String::from_utf8(text).map_err(|_| GameLinkError::NotText)?;
    text.parse().map_err(GameLinkError::Record)
}

#[cfg(test)]
mod tests {
    use noughts_protocol::Identity;

    use super::*;

    const RECORD: &str = "[Rules \"3x3:3\"]\n[X \"Ann\"]\n[O \"Bob\"]\n[Result \"X line\"]\n\n1. b2 a1 2. c1 b1 3. a3\n";

    fn link_of(bytes: &[u8]) -> String {
        format!(
            "#r/{}",
            BASE64URL_NOPAD.encode(&compress_to_vec(bytes, LEVEL))
        )
    }

    #[test]
    fn a_link_has_the_whole_game() {
        let record: Record = RECORD.parse().unwrap();
        let server: ServerUrl = "wss://play.example.org/ws".parse().unwrap();
        let link = game_link(Some(&server), &record).unwrap();
        assert!(
            link.starts_with("https://play.example.org:443/#r/"),
            "{link}"
        );
        assert_eq!(parse_game_link(&link), Ok(record.clone()));
        let recognised = Record {
            identities: [Some(Identity::from_bytes([7; 16])); 2],
            ..record.clone()
        };
        let alone = game_link(None, &recognised).unwrap();
        assert_eq!(parse_game_link(&alone), Ok(record));
    }

    /// The page reads the same links.
    #[test]
    fn the_links_of_both_clients_are_read_alike() {
        let lines = include_str!("../../tests/golden/record-link.jsonl").lines();
        for line in lines {
            let example: serde_json::Value = serde_json::from_str(line).unwrap();
            let text = |name: &str| example[name].as_str();
            let game = parse_game_link(&format!("#r/{}", text("payload").unwrap()));
            let record = game.ok().map(|game| game.to_string());
            assert_eq!(record.as_deref(), text("record"), "{:?}", text("problem"));
        }
    }

    #[test]
    fn the_link_of_a_long_game_is_short() {
        let rules: noughts_protocol::Rules = "15x15:5".parse().unwrap();
        let mut position = noughts_protocol::Position::new(rules);
        let mut rng = noughts_protocol::rng::SeededRng::new(7);
        while position.ply() < 60 && position.status() == noughts_protocol::Status::Ongoing {
            let moves: Vec<_> = position.legal_moves().collect();
            let index = rng.next_u64() as usize % moves.len();
            position.play(moves[index]).unwrap();
        }
        let record = Record {
            rules,
            control: None,
            players: ["Ann".to_owned(), "Bob".to_owned()],
            identities: [None; 2],
            moves: position.moves().to_vec(),
            outcome: position.outcome(),
        };
        let payload = payload(&record).unwrap();
        assert!(payload.len() < 400, "{}", payload.len());
    }

    #[test]
    fn a_bad_link_is_rejected_with_its_reason() {
        let good = link_of(RECORD.as_bytes());
        let cut = &good[..good.len() - 8];
        for (link, expected) in [
            (format!("#r/{}", "A".repeat(4097)), GameLinkError::TooLong),
            ("#r/not a payload!".to_owned(), GameLinkError::Encoding),
            (format!("{good}="), GameLinkError::Encoding),
            (cut.to_owned(), GameLinkError::Deflate),
            ("#r/____".to_owned(), GameLinkError::Deflate),
            ("#r/".to_owned(), GameLinkError::Deflate),
            // A payload could inflate to about 3 MB at most. The reader stops at 64 KiB.
            (link_of(&vec![b' '; 2 << 20]), GameLinkError::TooLarge),
            (link_of(&[0xff, 0xfe]), GameLinkError::NotText),
        ] {
            assert_eq!(parse_game_link(&link), Err(expected));
        }
        for text in ["", "[Rules \"3x3:3\"]\n\n1. b2 b2\n"] {
            let error = parse_game_link(&link_of(text.as_bytes())).unwrap_err();
            assert!(matches!(error, GameLinkError::Record(_)), "{text}: {error}");
        }
        let long_tag = format!("[Rules \"3x3:3\"]\n[Event \"{}\"]\n", "x".repeat(10_240));
        assert!(parse_game_link(&link_of(long_tag.as_bytes())).is_ok());
    }
}
