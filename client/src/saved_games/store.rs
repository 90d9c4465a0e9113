//! Unfinished games as files: one a game, in a folder that only its owner may enter.
//!
//! A game is held by a lock while it is played, so that a second program neither offers nor takes it; the
//! system lets go of the lock however the first one ends. All that is done here is short and happens under
//! one more lock, that of the folder.

use std::fs::{DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::io_error::LocalizableIoError;

use super::{ParseSavedGameError, SavedGame};

/// Games that are kept at most: beyond these the oldest that nobody plays is forgotten.
const MAX_FILES: usize = 8;
/// Entries of the folder that are looked at: more are not ours.
const MAX_FOLDER_ENTRIES: usize = 1024;
/// No text of a game is longer.
const MAX_FILE_BYTES: u64 = 4096;
/// How often the folder's lock is tried for, and how long between: a second in all.
const MAX_LOCK_ATTEMPTS: u32 = 50;
const LOCK_RETRY_DELAY: Duration = Duration::from_millis(20);
/// The end of a game's file name, and of its lock's.
const GAME_EXTENSION: &str = "game";
const LOCK_EXTENSION: &str = "lock";

/// Where unfinished games are kept.
#[derive(Clone, Debug)]
pub struct SavedGameStore {
    folder: PathBuf,
}

/// What there is to continue.
#[derive(Clone, Debug, Default)]
pub struct SavedGameList {
    /// The games that nobody plays just now, the newest first.
    pub games: Vec<SavedGame>,
    /// How many files were no games, and are gone.
    pub corrupt: usize,
}

/// A game that this program plays: no other takes it. Let go when dropped, or by the system.
#[derive(Debug)]
pub struct SavedGameLock {
    _file: File,
    path: PathBuf,
}

/// Why a game cannot be continued.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SavedGameError {
    /// Another program plays it.
    #[error("another program plays it")]
    Locked,
    /// It is not there any more, or was never whole.
    #[error("it is gone")]
    NotFound,
    /// The system said no.
    #[error("{0}")]
    Io(LocalizableIoError),
}

impl From<io::Error> for SavedGameError {
    fn from(error: io::Error) -> SavedGameError {
        SavedGameError::Io(error.into())
    }
}

impl SavedGameStore {
    /// In this folder, which need not exist yet.
    pub fn new(folder: PathBuf) -> SavedGameStore {
        SavedGameStore { folder }
    }

    /// Where the games lie.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where the platform has the state of programs; none where it has no such place.
    pub fn platform_default() -> Option<SavedGameStore> {
        let directories = directories::ProjectDirs::from("", "", "noughts")?;
        let state = directories.state_dir().unwrap_or_else(|| directories.data_local_dir());
        Some(SavedGameStore::new(state.join("games")))
    }

    /// The games that may be continued. What is no game, or but half of one, is removed.
    ///
    /// # Errors
    /// What the system said. That there is no folder yet is none.
    pub fn list(&self) -> io::Result<SavedGameList> {
        let Some(_folder) = self.lock_folder_if_exists()? else { return Ok(SavedGameList::default()) };
        let mut list = SavedGameList::default();
        for path in self.list_newest_first()? {
            let Some(_lock) = try_lock_game(&path)? else { continue };
            match read_game(&path) {
                Ok(game) if self.file_path(&game) == path => list.games.push(game),
                // It would not be found again by what is in it.
                Ok(_) => tracing::warn!(path = %path.display(), "not under its own name"),
                Err(LoadGameError::NewerVersion) => {}
                Err(LoadGameError::Corrupt) => {
                    tracing::warn!(path = %path.display(), "no game: removed");
                    remove_game(&path)?;
                    list.corrupt += 1;
                }
                Err(LoadGameError::Io(error)) => tracing::warn!(path = %path.display(), %error, "not read"),
            }
        }
        Ok(list)
    }

    /// Takes a game to be continued: as it is now, and no other program's until it is let go.
    ///
    /// # Errors
    /// When it is not to be had.
    pub fn lock(&self, game: &SavedGame) -> Result<(SavedGameLock, SavedGame), SavedGameError> {
        let _folder = self.lock_folder_if_exists()?.ok_or(SavedGameError::NotFound)?;
        let path = self.file_path(game);
        let lock = try_lock_game(&path)?.ok_or(SavedGameError::Locked)?;
        match read_game(&path) {
            Ok(game) => Ok((SavedGameLock { _file: lock, path }, game)),
            Err(LoadGameError::Io(error)) if error.kind() != io::ErrorKind::NotFound => Err(error.into()),
            Err(LoadGameError::Io(_) | LoadGameError::NewerVersion | LoadGameError::Corrupt) => {
                remove_lock(&path)?;
                Err(SavedGameError::NotFound)
            }
        }
    }

    /// Keeps a game, whole or not at all, and holds it. `held` is what this program has held so far: let go
    /// unless it is the same game.
    ///
    /// # Errors
    /// When it cannot be written, or another program holds it.
    pub fn save(
        &self,
        lock: Option<SavedGameLock>,
        game: &SavedGame,
    ) -> Result<SavedGameLock, SavedGameError> {
        let path = self.file_path(game);
        self.create_folder()?;
        let _folder = self.lock_folder()?;
        let lock = match lock.filter(|lock| lock.path == path) {
            Some(lock) => lock,
            None => SavedGameLock {
                _file: try_lock_game(&path)?.ok_or(SavedGameError::Locked)?,
                path: path.clone(),
            },
        };
        let new = path.with_extension("new");
        // What a killed program has left half-written.
        ignore_not_found(std::fs::remove_file(&new))?;
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new)?;
        file.write_all(game.to_text().as_bytes())?;
        file.sync_all()?;
        std::fs::rename(&new, &path)?;
        self.delete_oldest()?;
        Ok(lock)
    }

    /// Forgets a game that is held: it is over, or was left on purpose.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub fn delete(&self, lock: SavedGameLock) -> io::Result<()> {
        let _folder = self.lock_folder()?;
        remove_game(&lock.path)
    }

    /// The file of a game: named by its room, and by its server too, since rooms of two servers may be
    /// called the same. The name is for people and to be found again; what is read is the text.
    fn file_path(&self, game: &SavedGame) -> PathBuf {
        let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
        let server: String = game.server.to_string().chars().map(plain).take(120).collect();
        self.folder.join(format!("{}-{server}.{GAME_EXTENSION}", game.room))
    }

    fn create_folder(&self) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
        // It may be older than this program, or made by hand.
        std::fs::set_permissions(&self.folder, Permissions::from_mode(0o700))
    }

    /// Others hold it for the moment of a file or two. One that was stopped in that moment is not waited for:
    /// somebody sits before this program.
    fn lock_folder(&self) -> io::Result<File> {
        let lock = lock_file(&self.folder.join(LOCK_EXTENSION))?;
        for _ in 0..MAX_LOCK_ATTEMPTS {
            match lock.try_lock() {
                Ok(()) => return Ok(lock),
                Err(TryLockError::WouldBlock) => wait_for_lock(),
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
        Err(io::Error::new(io::ErrorKind::TimedOut, "another program holds the folder"))
    }

    fn lock_folder_if_exists(&self) -> io::Result<Option<File>> {
        match self.lock_folder() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            lock => lock.map(Some),
        }
    }

    /// The files that may be games.
    fn list_newest_first(&self) -> io::Result<Vec<PathBuf>> {
        let mut files: Vec<(SystemTime, PathBuf)> = Vec::new();
        for entry in std::fs::read_dir(&self.folder)?.take(MAX_FOLDER_ENTRIES) {
            let entry = entry?;
            let path = entry.path();
            // Not through a link, and nothing that would wait for somebody to write into it.
            if entry.file_type()?.is_file()
                && path.extension().is_some_and(|extension| extension == GAME_EXTENSION)
            {
                files.push((entry.metadata()?.modified()?, path));
            }
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

#[expect(
    clippy::disallowed_methods,
    reason = "files are dealt with on threads of their own, and there is no runtime"
)]
fn wait_for_lock() {
    std::thread::sleep(LOCK_RETRY_DELAY);
}

/// Why a file gave no game.
enum LoadGameError {
    NewerVersion,
    Corrupt,
    Io(io::Error),
}

fn read_game(path: &Path) -> Result<SavedGame, LoadGameError> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes));
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

/// The lock of a game; none when another program has it.
fn try_lock_game(game: &Path) -> io::Result<Option<File>> {
    let lock = lock_file(&game.with_extension(LOCK_EXTENSION))?;
    match lock.try_lock() {
        Ok(()) => Ok(Some(lock)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

fn lock_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path)
}

/// Removes a game whose lock is ours, and the lock. Nobody waits for it: that is done under the folder's.
fn remove_game(game: &Path) -> io::Result<()> {
    ignore_not_found(std::fs::remove_file(game))?;
    remove_lock(game)
}

fn remove_lock(game: &Path) -> io::Result<()> {
    ignore_not_found(std::fs::remove_file(game.with_extension(LOCK_EXTENSION)))
}

fn ignore_not_found(done: io::Result<()>) -> io::Result<()> {
    match done {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done,
    }
}

#[cfg(test)]
mod tests;
