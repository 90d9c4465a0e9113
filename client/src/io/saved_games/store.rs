//! Storage of saved games: one file per game.
//!
//! A process locks a game while the game is in progress, so that no other process lists or opens the game. The system
//! releases the lock when the process ends. All operations also hold the lock of the folder.

use std::fs::{File, TryLockError};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use noughts_protocol::RoomId;
use serde::Serialize;

use crate::io::io_error::LocalizableIoError;
use crate::io::state_folder::{LOCK_EXTENSION, StateFolder, ignore_not_found, lock_file};

use super::{ParseSavedGameError, SavedGame};

/// Maximum number of saved games. When there are more, the oldest unlocked games are deleted.
const MAX_FILES: usize = 8;
/// Maximum number of folder entries that are read.
const MAX_FOLDER_ENTRIES: usize = 1024;
/// Maximum size of a file. A larger file counts as corrupt.
const MAX_FILE_BYTES: u64 = 4096;
const GAME_EXTENSION: &str = "game";

/// Store of saved games in a folder.
#[derive(Clone, Debug)]
pub(crate) struct SavedGameStore {
    folder: StateFolder,
}

/// Result of [`SavedGameStore::list`].
#[derive(Clone, Debug, Default)]
pub(crate) struct SavedGameList {
    /// Games that no process has locked, newest first.
    pub games: Vec<SavedGame>,
    /// Rooms of the games that another process has locked.
    pub held: Vec<RoomId>,
    /// Number of corrupt files, which have been deleted.
    pub corrupt: usize,
}

/// Exclusive lock on a saved game. Released when dropped or when the process ends.
#[derive(Debug)]
pub(crate) struct SavedGameLock {
    _file: File,
    path: PathBuf,
}

/// Error when a game is locked or saved.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SavedGameError {
    /// Another process has locked the game.
    #[error("resumable game is in use by another program")]
    Held,
    /// The game does not exist, is corrupt or has an unsupported version.
    #[error("resumable game not found")]
    Gone,
    /// A file operation failed.
    #[error("{0}")]
    Io(#[serde(skip)] LocalizableIoError),
}

impl From<io::Error> for SavedGameError {
    fn from(error: io::Error) -> SavedGameError {
        SavedGameError::Io(error.into())
    }
}

impl SavedGameStore {
    /// Creates a store in this state folder.
    pub(crate) fn new(state: &Path) -> SavedGameStore {
        SavedGameStore {
            folder: StateFolder::new(state.join("games")),
        }
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Lists the games that can be resumed. Deletes corrupt files. A missing folder yields an empty list.
    ///
    /// # Errors
    /// Returns an error if a file operation fails.
    pub(crate) fn list(&self) -> io::Result<SavedGameList> {
        let Some(_folder) = self.folder.lock_if_exists()? else {
            return Ok(SavedGameList::default());
        };
        let mut list = SavedGameList::default();
        for path in self.list_newest_first()? {
            let Some(_lock) = try_lock_game(&path)? else {
                list.held
                    .extend(read_game(&path).ok().map(|game| game.room));
                continue;
            };
            match read_game(&path) {
                Ok(game) if self.file_path(&game) == path => list.games.push(game),
                // A lookup by the game's contents would not find this file, because its name belongs to other contents.
                Ok(_) => {
                    tracing::warn!(path = %path.display(), "resumable game file name does not match its contents");
                }
                Err(LoadGameError::NewerVersion) => {}
                Err(LoadGameError::Corrupt) => {
                    tracing::warn!(path = %path.display(), "deleting corrupt resumable game");
                    remove_game(&path)?;
                    list.corrupt += 1;
                }
                Err(LoadGameError::Io(error)) => {
                    tracing::warn!(path = %path.display(), %error, "cannot read resumable game");
                }
            }
        }
        Ok(list)
    }

    /// Locks a game and returns its current contents.
    ///
    /// # Errors
    /// Returns an error if another process has locked the game, or if the game does not exist or cannot be read.
    pub(crate) fn lock(
        &self,
        game: &SavedGame,
    ) -> Result<(SavedGameLock, SavedGame), SavedGameError> {
        let _folder = self.folder.lock_if_exists()?.ok_or(SavedGameError::Gone)?;
        let path = self.file_path(game);
        let lock = try_lock_game(&path)?.ok_or(SavedGameError::Held)?;
        match read_game(&path) {
            Ok(game) => Ok((SavedGameLock { _file: lock, path }, game)),
            Err(LoadGameError::Io(error)) if error.kind() != io::ErrorKind::NotFound => {
                Err(error.into())
            }
            Err(LoadGameError::Io(_) | LoadGameError::NewerVersion | LoadGameError::Corrupt) => {
                remove_lock(&path)?;
                Err(SavedGameError::Gone)
            }
        }
    }

    /// Writes a game atomically and locks it. `lock` is the lock that this process already holds. It is released unless
    /// it belongs to the same game.
    ///
    /// # Errors
    /// Returns an error if the game cannot be written or another process has locked it.
    pub(crate) fn save(
        &self,
        lock: Option<SavedGameLock>,
        game: &SavedGame,
    ) -> Result<SavedGameLock, SavedGameError> {
        let path = self.file_path(game);
        let folder = self.folder.create_and_lock()?;
        let lock = match lock.filter(|lock| lock.path == path) {
            Some(lock) => lock,
            None => SavedGameLock {
                _file: try_lock_game(&path)?.ok_or(SavedGameError::Held)?,
                path: path.clone(),
            },
        };
        self.folder.write(&folder, &path, &game.to_text())?;
        self.delete_oldest()?;
        Ok(lock)
    }

    /// Deletes a locked game.
    ///
    /// # Errors
    /// Returns an error if a file operation fails.
    pub(crate) fn delete(&self, lock: SavedGameLock) -> io::Result<()> {
        let _folder = self.folder.lock()?;
        remove_game(&lock.path)
    }

    /// Returns the path of a game. The file name contains the room, the server (rooms on two servers may have the same
    /// id), and the first seat (both players in a room may use the same account). Only the contents of the file are
    /// authoritative.
    fn file_path(&self, game: &SavedGame) -> PathBuf {
        let name = format!(
            "{}-{}-{}.{GAME_EXTENSION}",
            game.room,
            game.first_seat(),
            plain_server(game)
        );
        self.folder.path().join(name)
    }

    /// Returns the paths of all game files, newest first.
    fn list_newest_first(&self) -> io::Result<Vec<PathBuf>> {
        let mut files: Vec<(SystemTime, PathBuf)> = Vec::new();
        for entry in self.folder.files(GAME_EXTENSION, MAX_FOLDER_ENTRIES)? {
            files.push((entry.metadata()?.modified()?, entry.path()));
        }
        files.sort();
        Ok(files.into_iter().rev().map(|(_, path)| path).collect())
    }

    fn delete_oldest(&self) -> io::Result<()> {
        for path in self.list_newest_first()?.iter().skip(MAX_FILES) {
            if let Some(_lock) = try_lock_game(path)? {
                remove_game(path)?;
            }
        }
        Ok(())
    }
}

/// Returns the server's address in letters that every file system accepts.
fn plain_server(game: &SavedGame) -> String {
    let plain = |letter: char| {
        if letter.is_ascii_alphanumeric() {
            letter
        } else {
            '-'
        }
    };
    game.server
        .to_string()
        .chars()
        .map(plain)
        .take(120)
        .collect()
}

/// Error when a game file is read.
enum LoadGameError {
    NewerVersion,
    Corrupt,
    Io(io::Error),
}

fn read_game(path: &Path) -> Result<SavedGame, LoadGameError> {
    let mut bytes = Vec::new();
    let read =
        File::open(path).and_then(|file| file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes));
    read.map_err(LoadGameError::Io)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(LoadGameError::Corrupt);
    }
    let text = std::str::from_utf8(&bytes).map_err(|_| LoadGameError::Corrupt)?;
    SavedGame::from_text(text).map_err(|error| match error {
        ParseSavedGameError::NewerVersion => LoadGameError::NewerVersion,
        ParseSavedGameError::Corrupt => LoadGameError::Corrupt,
    })
}

/// Locks a game; returns `None` if another process has locked it.
fn try_lock_game(game: &Path) -> io::Result<Option<File>> {
    let lock = lock_file(&game.with_extension(LOCK_EXTENSION))?;
    match lock.try_lock() {
        Ok(()) => Ok(Some(lock)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Deletes a game that this process has locked, and its lock file. The caller holds the lock of the folder, so that no
/// other process waits for the deleted lock file.
fn remove_game(game: &Path) -> io::Result<()> {
    ignore_not_found(std::fs::remove_file(game))?;
    remove_lock(game)
}

fn remove_lock(game: &Path) -> io::Result<()> {
    ignore_not_found(std::fs::remove_file(game.with_extension(LOCK_EXTENSION)))
}

#[cfg(test)]
mod tests;
