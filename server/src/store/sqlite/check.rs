//! Verification of stored data, and backups.
//!
//! A check reads every row, checksum and number, every open room and every finished game. It is read-only, and may run
//! beside a server: it reads rooms and commits in one snapshot, and finished games page by page. Damage does not end a
//! check, so that all damage is reported.
//!
//! A backup is a consistent copy of the data in one file. It is written under the name of the backup with the suffix
//! `.partial`, synced, verified by the caller, and renamed. A file with the name of a backup is therefore complete,
//! even after a kill or a power failure.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use noughts_protocol::RoomId;
use rusqlite::{Connection, OpenFlags};

use crate::store::StoredRoom;
use crate::store::sqlite::archive::{GameArchive, is_damage};
use crate::store::sqlite::data_dir;
use crate::store::sqlite::data_files::{self, DataDirError, RowError};
use crate::store::sqlite::game_index;
use crate::store::sqlite::room_index::RecoveredRoom;
use crate::store::sqlite::rows::{
    self, CommitEntries, CommitEntry, SELECT_ROOM, check_declarations, require_current_format,
};

/// Maximum number of errors that SQLite's own check reports.
const INTEGRITY_ERRORS_MAX: u32 = 100;

/// Contents of checked data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DataSummary {
    /// The database file.
    pub file: PathBuf,
    /// Size of the database file in bytes.
    pub database_bytes: u64,
    /// Size of the write-ahead log in bytes.
    pub wal_bytes: u64,
    /// Number of open rooms without damage.
    pub open_rooms: usize,
    /// Number of events of these open rooms.
    pub events: usize,
    /// Number of finished games without damage.
    pub games: u64,
    /// Number of damaged places.
    pub damage: u64,
}

/// Receivers of a check.
pub(crate) struct CheckHooks<'a> {
    /// Replays the history of a room, or describes why that is impossible.
    pub replay: &'a dyn Fn(&StoredRoom) -> Result<(), String>,
    /// Receives a description of each damaged place.
    pub on_damage: &'a mut dyn FnMut(&str),
}

/// Checks a data directory, or the file of a backup.
///
/// # Errors
/// If the data cannot be read for a reason other than damage, or has another format.
pub(crate) fn check_data(path: &Path, hooks: CheckHooks<'_>) -> Result<DataSummary, DataDirError> {
    let io_error = |error| DataDirError::Directory {
        path: path.to_owned(),
        error,
    };
    let is_directory = fs::metadata(path).map_err(io_error)?.is_dir();
    let file = if is_directory {
        let require_complete = || {
            let in_use = data_dir::read_in_use(path).map_err(io_error)?;
            data_dir::require_complete_files(path, in_use)
        };
        // The check is made twice, because a server may close the data between its reads.
        require_complete().or_else(|_| require_complete())?;
        data_files::database_in(path)
    } else {
        path.to_owned()
    };
    let wal = data_files::wal_of(&file);
    let bytes = |file: &Path| fs::metadata(file).map_or(0, |file| file.len());
    let summary = DataSummary {
        database_bytes: bytes(&file),
        wal_bytes: bytes(&wal),
        file,
        open_rooms: 0,
        events: 0,
        games: 0,
        damage: 0,
    };
    let mut check = DataCheck { hooks, summary };
    // The log is checked before SQLite opens the file, because closing a descriptor of a file releases all locks that
    // the process has on the file.
    check.check_wal(&wal).map_err(io_error)?;
    // A backup has no further files, and SQLite does not create any for an immutable file.
    let (file, is_alone) = (
        &check.summary.file,
        !is_directory && check.summary.wal_bytes == 0,
    );
    let connection = if is_alone {
        open_immutable(file)?
    } else {
        data_dir::open_file_read_only(file)?
    };
    check.check_integrity(&connection)?;
    check.check_schema(&connection)?;
    check.check_rooms(&connection)?;
    check.check_game_index(&connection)?;
    check.check_games(&GameArchive::new(connection))?;
    Ok(check.summary)
}

/// Opens a file that no other process writes, without creating the files of a write-ahead log beside it.
fn open_immutable(file: &Path) -> Result<Connection, DataDirError> {
    use std::fmt::Write;
    use std::os::unix::ffi::OsStrExt;

    let mut uri = String::from("file:");
    for byte in file.as_os_str().as_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => {
                uri.push(char::from(*byte));
            }
            _ => write!(uri, "%{byte:02x}").expect("writing to a string cannot fail"),
        }
    }
    uri.push_str("?immutable=1");
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_URI
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(uri, flags)?;
    require_current_format(&connection)?;
    Ok(connection)
}

struct DataCheck<'a> {
    hooks: CheckHooks<'a>,
    summary: DataSummary,
}

impl DataCheck<'_> {
    fn report(&mut self, damage: &str) {
        self.summary.damage += 1;
        (self.hooks.on_damage)(damage);
    }

    /// Returns the result of a read, and reports damage that prevented it.
    fn value_or_report<T>(
        &mut self,
        subject: &str,
        read: Result<T, RowError>,
    ) -> Result<Option<T>, rusqlite::Error> {
        match read {
            Ok(value) => return Ok(Some(value)),
            Err(RowError::Corrupt(what)) => self.report(&what),
            Err(RowError::Sqlite(error)) if is_damage(&error) => {
                self.report(&format!("{subject}: {error}"));
            }
            Err(RowError::Sqlite(error)) => return Err(error),
        }
        Ok(None)
    }

    /// Checks the checksums of the frames of the write-ahead log. A server may write the log meanwhile, so damage
    /// counts only if a second pass finds the same damage.
    fn check_wal(&mut self, wal: &Path) -> std::io::Result<()> {
        let find = || data_dir::find_wal_corruption(&self.summary.file, wal);
        let first = find()?;
        if let Some(damage) = first.filter(|damage| !damage.is_torn_tail())
            && find()? == first
        {
            self.report(&damage.to_string());
        }
        Ok(())
    }

    fn check_integrity(&mut self, connection: &Connection) -> Result<(), DataDirError> {
        let sql = format!("PRAGMA integrity_check({INTEGRITY_ERRORS_MAX})");
        let read = || -> rusqlite::Result<Vec<String>> {
            connection
                .prepare(&sql)?
                .query_map([], |row| row.get(0))?
                .collect()
        };
        let errors =
            self.value_or_report("structure of the file", read().map_err(RowError::Sqlite))?;
        for error in errors.into_iter().flatten().filter(|error| error != "ok") {
            self.report(&format!("structure of the file: {error}"));
        }
        Ok(())
    }

    fn check_schema(&mut self, connection: &Connection) -> Result<(), DataDirError> {
        match check_declarations(connection) {
            Ok(()) => Ok(()),
            Err(DataDirError::Corrupt(what)) => {
                self.report(&what);
                Ok(())
            }
            Err(DataDirError::Sqlite(error)) => {
                self.value_or_report(
                    "declarations of tables",
                    Err::<(), _>(RowError::Sqlite(error)),
                )?;
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// Checks the tables of open rooms, and that every open room has a complete history that can be replayed.
    fn check_rooms(&mut self, connection: &Connection) -> Result<(), DataDirError> {
        // All rows are read in one snapshot, because a server may move entries from row to row meanwhile.
        let snapshot = connection.unchecked_transaction()?;
        let mut rooms = BTreeMap::new();
        let scanned = self.scan_rooms(&snapshot, &mut rooms);
        self.value_or_report("open rooms", scanned)?;
        let scanned = self.scan_commits(&snapshot, &mut rooms);
        if let Some(next_row) = self.value_or_report("events of open rooms", scanned)? {
            for room in rooms
                .values()
                .filter(|room| next_row.is_some_and(|next| room.created_row > next))
            {
                self.report(&format!(
                    "rows of commits are missing, room {}",
                    room.secrets.room
                ));
            }
        }
        drop(snapshot);
        for (room, recovered) in rooms {
            let complete = recovered.into_complete();
            match complete
                .and_then(|found| (self.hooks.replay)(&found.stored).map(|()| found.stored))
            {
                Ok(stored) => {
                    self.summary.open_rooms += 1;
                    self.summary.events += stored.events.len();
                }
                Err(what) => self.report(&format!("history of room {room}: {what}")),
            }
        }
        Ok(())
    }

    fn scan_rooms(
        &mut self,
        connection: &Connection,
        rooms: &mut BTreeMap<RoomId, RecoveredRoom>,
    ) -> Result<(), RowError> {
        let mut statement = connection.prepare(&format!("{SELECT_ROOM} ORDER BY room"))?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            if let Some(found) = self.value_or_report("open rooms", rows::read_room(row))? {
                rooms.insert(found.0.room, RecoveredRoom::new(found));
            }
        }
        Ok(())
    }

    /// Checks every entry, and adds the live entries to their rooms. Returns the number of the next row.
    fn scan_commits(
        &mut self,
        connection: &Connection,
        rooms: &mut BTreeMap<RoomId, RecoveredRoom>,
    ) -> Result<Option<i64>, RowError> {
        let mut statement = connection.prepare("SELECT id, body FROM commits ORDER BY id")?;
        let mut rows = statement.query([])?;
        let mut next_row = None;
        while let Some(row) = rows.next()? {
            let number: i64 = row.get(0)?;
            if next_row.is_some_and(|next| next != number) {
                self.report(&format!("gap before row {number} of commits"));
            }
            next_row = Some(number.saturating_add(1));
            let Ok(body) = row.get_ref(1)?.as_blob() else {
                self.report(&format!("row {number} of commits, any room"));
                continue;
            };
            for entry in CommitEntries::parse(number, body) {
                let read = entry.and_then(|entry| add_entry(rooms, number, &entry));
                self.value_or_report("events of open rooms", read)?;
            }
        }
        Ok(next_row)
    }

    /// Compares the index of games with the games, and reports each difference.
    fn check_game_index(&mut self, connection: &Connection) -> Result<(), DataDirError> {
        let found = game_index::find_damage(connection, |damage| self.report(&damage.to_string()));
        self.value_or_report("index of games", found)?;
        Ok(())
    }

    fn check_games(&mut self, archive: &GameArchive) -> Result<(), DataDirError> {
        archive.for_each(|entry| {
            match entry {
                Ok(_) => self.summary.games += 1,
                Err(damaged) => self.report(&damaged.to_string()),
            }
            Ok(())
        })
    }
}

fn add_entry(
    rooms: &mut BTreeMap<RoomId, RecoveredRoom>,
    number: i64,
    entry: &CommitEntry<'_>,
) -> Result<(), RowError> {
    entry.verify()?;
    rooms
        .get_mut(&entry.room)
        .map_or(Ok(()), |room| room.add_entry(number, entry))
}

/// Suffix of a backup that is not complete.
const PARTIAL_SUFFIX: &str = ".partial";

/// A copy that was written and synced, but does not have its final name yet. If it is dropped without
/// [`BackupFile::publish`], the copy is deleted.
#[derive(Debug)]
pub(crate) struct BackupFile {
    /// The file is locked, so that two backups to the same name do not write it together.
    file: File,
    partial_path: PathBuf,
    path: PathBuf,
    published: bool,
}

impl BackupFile {
    /// Copies the current data of a directory, without stopping its server.
    ///
    /// # Errors
    /// If the file exists or cannot be written, if another backup writes it, or if the server blocks the copy at this
    /// moment.
    pub(crate) fn create(directory: &Path, path: &Path) -> Result<BackupFile, DataDirError> {
        let from = data_dir::open_read_only(directory)?;
        let partial_path = data_files::with_suffix(path, PARTIAL_SUFFIX);
        let io_error = |error| DataDirError::Directory {
            path: partial_path.clone(),
            error,
        };
        require_absent(path)?;
        let file = open_locked(&partial_path).map_err(io_error)?;
        let (partial_path, path) = (partial_path.clone(), path.to_owned());
        let backup = BackupFile {
            file,
            partial_path,
            path,
            published: false,
        };
        data_files::write_copy(&from, &backup.file, &backup.partial_path)?;
        Ok(backup)
    }

    /// Returns the path of the file with the copy.
    pub(crate) fn partial_path(&self) -> &Path {
        &self.partial_path
    }

    /// Gives the copy its name.
    ///
    /// # Errors
    /// If a file with this name has appeared, or the directory cannot be written.
    pub(crate) fn publish(mut self) -> Result<(), DataDirError> {
        require_absent(&self.path)?;
        let io_error = |error| DataDirError::Directory {
            path: self.path.clone(),
            error,
        };
        fs::rename(&self.partial_path, &self.path).map_err(io_error)?;
        self.published = true;
        data_files::sync_parent(&self.path).map_err(io_error)
    }
}

impl Drop for BackupFile {
    fn drop(&mut self) {
        if !self.published
            && let Err(error) = fs::remove_file(&self.partial_path)
        {
            tracing::warn!(path = %self.partial_path.display(), %error, "cannot delete incomplete backup");
        }
    }
}

fn require_absent(path: &Path) -> Result<(), DataDirError> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Ok(_) => Err(DataDirError::Directory {
            path: path.to_owned(),
            error: io::ErrorKind::AlreadyExists.into(),
        }),
        Err(error) => Err(DataDirError::Directory {
            path: path.to_owned(),
            error,
        }),
    }
}

/// Opens or creates a file that only its owner may read, because it will contain tokens, and locks it.
fn open_locked(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
    let in_use = || {
        io::Error::new(
            io::ErrorKind::ResourceBusy,
            "another backup writes this file",
        )
    };
    let mut options = OpenOptions::new();
    let file = options
        .create(true)
        .truncate(false)
        .read(true)
        .write(true)
        .mode(0o600)
        .open(path)?;
    file.try_lock().map_err(|error| match error {
        TryLockError::WouldBlock => in_use(),
        TryLockError::Error(error) => error,
    })?;
    // Another backup may have renamed the file between opening and locking it.
    let [opened, named] = [file.metadata()?, fs::metadata(path)?];
    if (opened.dev(), opened.ino()) != (named.dev(), named.ino()) {
        return Err(in_use());
    }
    Ok(file)
}
