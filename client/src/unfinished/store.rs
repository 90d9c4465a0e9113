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

use crate::system::SystemError;

use super::{ReadError, Unfinished};

/// Games that are kept at most: beyond these the oldest that nobody plays is forgotten.
const MOST: usize = 8;
/// Entries of the folder that are looked at: more are not ours.
const MOST_ENTRIES: usize = 1024;
/// No text of a game is longer.
const MAX_BYTES: u64 = 4096;
/// How often the folder's lock is tried for, and how long between: a second in all.
const LOCK_TRIES: u32 = 50;
const LOCK_PAUSE: Duration = Duration::from_millis(20);
/// The end of a game's file name, and of its lock's.
const GAME: &str = "game";
const LOCK: &str = "lock";

/// Where unfinished games are kept.
#[derive(Clone, Debug)]
pub struct Store {
    folder: PathBuf,
}

/// What there is to continue.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The games that nobody plays just now, the newest first.
    pub games: Vec<Unfinished>,
    /// How many files were no games, and are gone.
    pub damaged: usize,
}

/// A game that this program plays: no other takes it. Let go when dropped, or by the system.
#[derive(Debug)]
pub struct Held {
    _lock: File,
    game: PathBuf,
}

/// Why a game cannot be continued.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TakeError {
    /// Another program plays it.
    #[error("another program plays it")]
    Held,
    /// It is not there any more, or was never whole.
    #[error("it is gone")]
    Gone,
    /// The system said no.
    #[error("{0}")]
    Io(SystemError),
}

impl From<io::Error> for TakeError {
    fn from(error: io::Error) -> TakeError {
        TakeError::Io(error.into())
    }
}

impl Store {
    /// In this folder, which need not exist yet.
    pub fn at(folder: PathBuf) -> Store {
        Store { folder }
    }

    /// Where the platform has the state of programs; none where it has no such place.
    pub fn of_platform() -> Option<Store> {
        let directories = directories::ProjectDirs::from("", "", "noughts")?;
        let state = directories.state_dir().unwrap_or_else(|| directories.data_local_dir());
        Some(Store::at(state.join("games")))
    }

    /// The games that may be continued. What is no game, or but half of one, is removed.
    ///
    /// # Errors
    /// What the system said. That there is no folder yet is none.
    pub fn find(&self) -> io::Result<Found> {
        let Some(_folder) = self.lock_if_there()? else { return Ok(Found::default()) };
        let mut found = Found::default();
        for path in self.newest_first()? {
            let Some(_lock) = try_lock(&path)? else { continue };
            match read(&path) {
                Ok(game) if self.path(&game) == path => found.games.push(game),
                // It would not be found again by what is in it.
                Ok(_) => tracing::warn!(path = %path.display(), "not under its own name"),
                Err(NotRead::Newer) => {}
                Err(NotRead::Damaged) => {
                    tracing::warn!(path = %path.display(), "no game: removed");
                    remove(&path)?;
                    found.damaged += 1;
                }
                Err(NotRead::Io(error)) => tracing::warn!(path = %path.display(), %error, "not read"),
            }
        }
        Ok(found)
    }

    /// Takes a game to be continued: as it is now, and no other program's until it is let go.
    ///
    /// # Errors
    /// When it is not to be had.
    pub fn take(&self, game: &Unfinished) -> Result<(Held, Unfinished), TakeError> {
        let _folder = self.lock_if_there()?.ok_or(TakeError::Gone)?;
        let path = self.path(game);
        let lock = try_lock(&path)?.ok_or(TakeError::Held)?;
        match read(&path) {
            Ok(game) => Ok((Held { _lock: lock, game: path }, game)),
            Err(NotRead::Io(error)) if error.kind() != io::ErrorKind::NotFound => Err(error.into()),
            Err(NotRead::Io(_) | NotRead::Newer | NotRead::Damaged) => {
                remove_lock(&path)?;
                Err(TakeError::Gone)
            }
        }
    }

    /// Keeps a game, whole or not at all, and holds it. `held` is what this program has held so far: let go
    /// unless it is the same game.
    ///
    /// # Errors
    /// When it cannot be written, or another program holds it.
    pub fn keep(&self, held: Option<Held>, game: &Unfinished) -> Result<Held, TakeError> {
        let path = self.path(game);
        self.make()?;
        let _folder = self.lock()?;
        let held = match held.filter(|held| held.game == path) {
            Some(held) => held,
            None => Held { _lock: try_lock(&path)?.ok_or(TakeError::Held)?, game: path.clone() },
        };
        let new = path.with_extension("new");
        // What a killed program has left half-written.
        absent_is_fine(std::fs::remove_file(&new))?;
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new)?;
        file.write_all(game.to_text().as_bytes())?;
        file.sync_all()?;
        std::fs::rename(&new, &path)?;
        self.forget_oldest()?;
        Ok(held)
    }

    /// Forgets a game that is held: it is over, or was left on purpose.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub fn forget(&self, held: Held) -> io::Result<()> {
        let _folder = self.lock()?;
        remove(&held.game)
    }

    /// The file of a game: named by its room, and by its server too, since rooms of two servers may be
    /// called the same. The name is for people and to be found again; what is read is the text.
    fn path(&self, game: &Unfinished) -> PathBuf {
        let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
        let server: String = game.server.to_string().chars().map(plain).take(120).collect();
        self.folder.join(format!("{}-{server}.{GAME}", game.room))
    }

    fn make(&self) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
        // It may be older than this program, or made by hand.
        std::fs::set_permissions(&self.folder, Permissions::from_mode(0o700))
    }

    /// Others hold it for the moment of a file or two. One that was stopped in that moment is not waited for:
    /// somebody sits before this program.
    fn lock(&self) -> io::Result<File> {
        let lock = lock_file(&self.folder.join(LOCK))?;
        for _ in 0..LOCK_TRIES {
            match lock.try_lock() {
                Ok(()) => return Ok(lock),
                Err(TryLockError::WouldBlock) => pause(),
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
        Err(io::Error::new(io::ErrorKind::TimedOut, "another program holds the folder"))
    }

    fn lock_if_there(&self) -> io::Result<Option<File>> {
        match self.lock() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            lock => lock.map(Some),
        }
    }

    /// The files that may be games.
    fn newest_first(&self) -> io::Result<Vec<PathBuf>> {
        let mut files: Vec<(SystemTime, PathBuf)> = Vec::new();
        for entry in std::fs::read_dir(&self.folder)?.take(MOST_ENTRIES) {
            let entry = entry?;
            let path = entry.path();
            // Not through a link, and nothing that would wait for somebody to write into it.
            if entry.file_type()?.is_file() && path.extension().is_some_and(|extension| extension == GAME) {
                files.push((entry.metadata()?.modified()?, path));
            }
        }
        files.sort();
        Ok(files.into_iter().rev().map(|(_, path)| path).collect())
    }

    fn forget_oldest(&self) -> io::Result<()> {
        for path in self.newest_first()?.iter().skip(MOST) {
            if let Some(_lock) = try_lock(path)? {
                remove(path)?;
            }
        }
        Ok(())
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "files are dealt with on threads of their own, and there is no runtime"
)]
fn pause() {
    std::thread::sleep(LOCK_PAUSE);
}

/// Why a file gave no game.
enum NotRead {
    Newer,
    Damaged,
    Io(io::Error),
}

fn read(path: &Path) -> Result<Unfinished, NotRead> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes));
    read.map_err(NotRead::Io)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(NotRead::Damaged);
    }
    let text = std::str::from_utf8(&bytes).map_err(|_| NotRead::Damaged)?;
    Unfinished::from_text(text).map_err(|error| match error {
        ReadError::Newer => NotRead::Newer,
        ReadError::Damaged => NotRead::Damaged,
    })
}

/// The lock of a game; none when another program has it.
fn try_lock(game: &Path) -> io::Result<Option<File>> {
    let lock = lock_file(&game.with_extension(LOCK))?;
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
fn remove(game: &Path) -> io::Result<()> {
    absent_is_fine(std::fs::remove_file(game))?;
    remove_lock(game)
}

fn remove_lock(game: &Path) -> io::Result<()> {
    absent_is_fine(std::fs::remove_file(game.with_extension(LOCK)))
}

fn absent_is_fine(done: io::Result<()>) -> io::Result<()> {
    match done {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done,
    }
}

#[cfg(test)]
mod tests;
