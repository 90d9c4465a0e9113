//! The player's own games: the finished games, one record per file. [Resumable games](super::saved_games) are
//! unfinished.
//!
//! A file is a record that `noughts analyse` can open. It has three more tags: `Ended` (UTC), `Server` (absent for a
//! game on this computer) and `You`, the player's seat (absent unless exactly one person played at this terminal). The
//! file name begins with the time, so that the names sort in the order of the games.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use clap::{Args, ValueEnum};
use noughts_protocol::{Name, Outcome, Record, RoomId, Rules, Seat};
use serde::Serialize;

use crate::connection::server_url::ServerUrl;
use crate::io::state_folder::{StateFolder, ignore_not_found};

/// Maximum number of own games. When there are more, the oldest games are deleted.
const MAX_GAMES: usize = 1000;
/// Maximum number of folder entries that are read.
const MAX_FOLDER_ENTRIES: usize = 4 * MAX_GAMES;
/// Maximum size of a file: a record and the tags of this module.
const MAX_FILE_BYTES: u64 = Record::MAX_TEXT as u64;
const EXTENSION: &str = "txt";
/// The last time of the year 9999, in milliseconds since 1970-01-01 UTC.
const MAX_DATE_MS: u64 = 253_402_300_799_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FinishedOwnGame {
    pub record: Record,
    /// The seat of the only person at this terminal.
    pub seat: Option<Seat>,
    /// Server where the game was played, as links name it; `None` for a game on this computer.
    pub server: Option<ServerUrl>,
    /// The room, and the number of the game in the room.
    pub room: Option<(RoomId, u32)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnGame {
    pub record: Record,
    pub outcome: Outcome,
    /// The seat of the only person at the terminal.
    pub seat: Option<Seat>,
    pub server: Option<ServerUrl>,
    /// Time when the game ended, in whole seconds.
    pub ended_at: SystemTime,
    pub path: PathBuf,
}

/// Result of one of the player's own games, from the player's point of view. A game between two people at one terminal
/// names the side that won.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
pub enum OwnGameResult {
    Won,
    Lost,
    Draw,
    XWon,
    OWon,
}

/// The player's own games, newest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct OwnGameList {
    pub games: Vec<OwnGame>,
    /// Files that are not own games. They are not deleted.
    pub damaged: Vec<PathBuf>,
}

/// The flags of `noughts games` select which own games are listed. An absent field matches all games.
#[derive(Clone, Debug, Default, Args)]
pub struct OwnGameFilter {
    // Part of the other player's name, in upper or lower case.
    #[arg(long, value_name = "NAME")]
    pub opponent: Option<String>,
    #[arg(long, value_name = "RULES")]
    pub rules: Option<Rules>,
    #[arg(long, value_enum, ignore_case = true)]
    pub result: Option<OwnGameResult>,
}

/// Store of the player's own games in a folder.
#[derive(Clone, Debug)]
pub(crate) struct OwnGameStore {
    folder: StateFolder,
}

impl OwnGame {
    pub fn result(&self) -> OwnGameResult {
        match (self.outcome.winner(), self.seat) {
            (None, _) => OwnGameResult::Draw,
            (Some(winner), Some(seat)) if winner == seat => OwnGameResult::Won,
            (Some(_), Some(_)) => OwnGameResult::Lost,
            (Some(Seat::X), None) => OwnGameResult::XWon,
            (Some(Seat::O), None) => OwnGameResult::OWon,
        }
    }

    /// Returns the names of X and O. An invalid name in the file is hidden.
    pub(crate) fn names(&self) -> [Name; 2] {
        self.record.players.each_ref().map(|text| name(text))
    }

    /// Returns the names of the other players: the opponent, or both players if the player has no seat.
    pub(crate) fn other_names(&self) -> Vec<Name> {
        let others = Seat::ALL
            .into_iter()
            .filter(|&seat| self.seat != Some(seat));
        let names = self.names();
        others.map(|seat| names[seat.index()].clone()).collect()
    }

    /// Returns the time when the game ended, in UTC.
    pub(crate) fn time(&self) -> String {
        humantime::format_rfc3339_seconds(self.ended_at).to_string()
    }

    /// Returns the date when the game ended, in UTC.
    pub(crate) fn date(&self) -> String {
        date_in(&self.time())
    }

    /// Returns the room of the game and its number there, which are part of the name of the file. `None` for a game on
    /// this computer.
    pub(crate) fn room(&self) -> Option<(RoomId, u32)> {
        let mut parts = self.path.file_stem()?.to_str()?.split('-').skip(1);
        Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
    }

    fn to_text(&self) -> String {
        let mut text = format!("[Ended \"{}\"]\n", self.time());
        if let Some(server) = &self.server {
            text.push_str(&format!("[Server \"{server}\"]\n"));
        }
        if let Some(seat) = self.seat {
            text.push_str(&format!("[You \"{seat}\"]\n"));
        }
        text.push_str(&self.record.to_string());
        text
    }

    /// Parses the text of a file; `None` if it is not an own game.
    fn from_text(text: &str, path: PathBuf) -> Option<OwnGame> {
        let record: Record = text.parse().ok()?;
        let tag = |name: &str| {
            let start = format!("[{name} \"");
            let mut tags = text.lines().take_while(|line| line.starts_with('['));
            tags.find_map(|line| line.strip_prefix(&start)?.strip_suffix("\"]"))
        };
        let ended_at = humantime::parse_rfc3339(tag("Ended")?).ok()?;
        Some(OwnGame {
            outcome: record.outcome.clone()?,
            record,
            seat: tag("You").map(str::parse).transpose().ok()?,
            server: tag("Server").map(str::parse).transpose().ok()?,
            ended_at,
            path,
        })
    }
}

/// Formats a time in milliseconds since 1970-01-01, in UTC.
pub(crate) fn time_of(ms: u64) -> String {
    let time = SystemTime::UNIX_EPOCH + Duration::from_millis(ms.min(MAX_DATE_MS));
    humantime::format_rfc3339_seconds(time).to_string()
}

/// Returns the date of a time in milliseconds since 1970-01-01, in UTC.
pub(crate) fn date_of(ms: u64) -> String {
    date_in(&time_of(ms))
}

/// Returns the part of a time before its hours.
fn date_in(time: &str) -> String {
    time.chars().take_while(|&letter| letter != 'T').collect()
}

/// Parses a player's name in a record. An invalid name becomes `?`.
fn name(text: &str) -> Name {
    text.parse()
        .or_else(|_| "?".parse())
        .expect("a question mark is a name")
}

impl OwnGameFilter {
    pub(crate) fn matches(&self, game: &OwnGame) -> bool {
        let has_opponent = |part: &String| {
            let part = part.to_lowercase();
            let others = game.other_names().into_iter();
            others
                .map(|name| name.to_string().to_lowercase())
                .any(|name| name.contains(&part))
        };
        self.opponent.as_ref().is_none_or(has_opponent)
            && self.rules.is_none_or(|rules| rules == game.record.rules)
            && self.result.is_none_or(|result| result == game.result())
    }
}

impl OwnGameStore {
    /// Creates a store in this state folder.
    pub(crate) fn new(state: &Path) -> OwnGameStore {
        OwnGameStore {
            folder: StateFolder::new(state.join("finished")),
        }
    }

    /// Stores a finished game, and deletes the oldest games above the limit. If the game of a room is already stored,
    /// because it was seen again after a reconnect, its file is replaced.
    ///
    /// # Errors
    /// Returns an error if a file operation fails. Stored games stay.
    pub(crate) fn keep(&self, game: FinishedOwnGame, now: SystemTime) -> io::Result<OwnGame> {
        let outcome = game.record.outcome.clone();
        let outcome = outcome.ok_or_else(|| io::Error::other("game is not over"))?;
        let folder = self.folder.create_and_lock()?;
        let names = self.names_oldest_first()?;
        let known_as = game.room.map(|(room, number)| {
            let seat = game.seat.map_or_else(String::new, |seat| seat.to_string());
            format!("-{room}-{number}-{seat}.{EXTENSION}")
        });
        let known = known_as
            .as_ref()
            .and_then(|end| names.iter().find(|name| name.ends_with(end)));
        let name = known.cloned().unwrap_or_else(|| {
            let time = humantime::format_rfc3339_millis(now).to_string();
            let time = time.replace([':', '-'], "");
            let local = || format!("-local-{}.{EXTENSION}", std::process::id());
            format!("{time}{}", known_as.unwrap_or_else(local))
        });
        let seconds = now
            .duration_since(SystemTime::UNIX_EPOCH)
            .unwrap_or_default()
            .as_secs();
        let kept = OwnGame {
            record: game.record,
            outcome,
            seat: game.seat,
            server: game.server,
            ended_at: SystemTime::UNIX_EPOCH + Duration::from_secs(seconds),
            path: self.folder.path().join(&name),
        };
        self.folder.write(&folder, &kept.path, &kept.to_text())?;
        let count = names.len() + usize::from(!names.contains(&name));
        for oldest in names.iter().take(count.saturating_sub(MAX_GAMES)) {
            let path = self.folder.path().join(oldest);
            // A damaged file is not deleted, because only its owner can know its contents.
            if read_text(&path).is_ok_and(|text| OwnGame::from_text(&text, path.clone()).is_some())
            {
                ignore_not_found(std::fs::remove_file(path))?;
            }
        }
        Ok(kept)
    }

    /// Reads all own games. The lock is not needed, because a file appears and disappears as a whole. A missing folder
    /// yields an empty list.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be read. A file that cannot be read is listed as damaged.
    pub(crate) fn list(&self) -> io::Result<OwnGameList> {
        let mut list = OwnGameList::default();
        let names = match self.names_oldest_first() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(list),
            names => names?,
        };
        for name in names.into_iter().rev() {
            let path = self.folder.path().join(name);
            match read_text(&path) {
                Ok(text) => match OwnGame::from_text(&text, path.clone()) {
                    Some(game) => list.games.push(game),
                    None => list.damaged.push(path),
                },
                // Another process has deleted it.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => {
                    tracing::warn!(path = %path.display(), %error, "cannot read own game");
                    list.damaged.push(path);
                }
            }
        }
        Ok(list)
    }

    /// Deletes a game.
    ///
    /// # Errors
    /// Returns an error if a file operation fails.
    pub(crate) fn delete(&self, path: &Path) -> io::Result<()> {
        let _folder = self.folder.lock()?;
        ignore_not_found(std::fs::remove_file(path))
    }

    fn names_oldest_first(&self) -> io::Result<Vec<String>> {
        let files = self.folder.files(EXTENSION, MAX_FOLDER_ENTRIES)?;
        let names = files
            .iter()
            .map(|entry| entry.file_name().to_string_lossy().into_owned());
        let mut names: Vec<String> = names.filter(|name| is_name_of_game(name)).collect();
        names.sort();
        Ok(names)
    }
}

/// Returns whether a name begins with a time, as the names of stored games do. The program does not touch other files
/// in the folder.
fn is_name_of_game(name: &str) -> bool {
    let date = name.split_once('T').map(|(date, _)| date);
    date.is_some_and(|date| date.len() == 8 && date.bytes().all(|byte| byte.is_ascii_digit()))
}

fn read_text(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    // One byte beyond the limit lets the parser report a record that is too long.
    File::open(path)?
        .take(MAX_FILE_BYTES + 1)
        .read_to_string(&mut text)?;
    Ok(text)
}

#[cfg(test)]
mod tests;
