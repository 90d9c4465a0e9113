//! The finished games of a data directory, for readers that run beside the server.
//!
//! Damage affects only the damaged games: readers get an entry that describes the damage, and continue after it.

use std::collections::VecDeque;
use std::fmt;
use std::path::Path;

use noughts_protocol::{Record, RoomId};
use rusqlite::{Connection, Row, params};

use crate::store::FinishedGame;
use crate::store::game_tags::GameTags;
use crate::store::sqlite::data_dir;
use crate::store::sqlite::data_files::{DataDirError, RowError};
use crate::store::sqlite::rows::{self, SELECT_GAME};

/// Maximum number of ids that are looked up one by one after a page that SQLite cannot read. So many look-ups take
/// about a second.
const ID_LOOKUPS_MAX: i64 = 100_000;

/// Number of games per query of a pass over all games.
const PASS_PAGE_SIZE: usize = 500;

/// The finished games of a data directory. A server may run at the same time.
#[derive(Debug)]
pub(crate) struct GameArchive(Connection);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ArchivedGame {
    /// Id in this archive.
    pub id: i64,
    /// Room of the game.
    pub room: RoomId,
    /// Number of the game in its room.
    pub number: u32,
    /// End of the game, in milliseconds since 1970-01-01 UTC.
    pub ended_at: u64,
    pub tags: GameTags,
    /// Record of the game.
    pub record: Record,
}

impl ArchivedGame {
    /// Returns the text that the archive contains.
    pub(crate) fn text(&self) -> String {
        format!("{}{}", self.tags, self.record)
    }
}

/// Games that cannot be read, or are damaged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DamagedGames {
    pub first_id: i64,
    /// The last id, or [`i64::MAX`] if no later game can be read. The range may contain ids of games that do not exist.
    pub last_id: i64,
    /// Description of the damage.
    pub reason: String,
}

impl DamagedGames {
    fn one(id: i64, reason: String) -> DamagedGames {
        DamagedGames {
            first_id: id,
            last_id: id,
            reason,
        }
    }
}

/// Names the games and the damage.
impl fmt::Display for DamagedGames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DamagedGames {
            first_id,
            last_id,
            reason,
        } = self;
        if first_id == last_id {
            write!(f, "game {first_id}: {reason}")
        } else if *last_id == i64::MAX {
            write!(f, "game {first_id} and later ones: {reason}")
        } else {
            write!(f, "games {first_id} to {last_id}: {reason}")
        }
    }
}

/// A game, or the damage in its place.
pub(crate) type ArchiveEntry = Result<ArchivedGame, DamagedGames>;

/// Returns the id of the game, or the last id of the damaged range.
fn last_id(entry: &ArchiveEntry) -> i64 {
    match entry {
        Ok(game) => game.id,
        Err(damaged) => damaged.last_id,
    }
}

impl GameArchive {
    /// Opens the archive of a data directory.
    ///
    /// # Errors
    /// If the directory contains no data, or data of another format.
    pub(crate) fn open(directory: &Path) -> Result<GameArchive, DataDirError> {
        data_dir::open_read_only(directory).map(GameArchive)
    }

    /// Reads from an open connection.
    pub(crate) fn new(connection: Connection) -> GameArchive {
        GameArchive(connection)
    }

    /// Returns the newest entries, at most `limit`, newest first.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub(crate) fn newest_games(&self, limit: usize) -> Result<Vec<ArchiveEntry>, DataDirError> {
        let mut found = Vec::new();
        let sql = format!("{SELECT_GAME} ORDER BY id DESC LIMIT ?1");
        match self.select(
            &sql,
            params![i64::try_from(limit).unwrap_or(i64::MAX)],
            &mut found,
        ) {
            Ok(()) => Ok(found),
            // The search begins with the oldest game, because games after a damaged page are found by increasing ids.
            Err(error) if is_damage(&error) => {
                let mut newest = VecDeque::new();
                self.for_each(|entry| {
                    newest.push_front(entry);
                    newest.truncate(limit);
                    Ok::<_, DataDirError>(())
                })?;
                Ok(newest.into())
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Visits all entries, oldest first. Reads them page by page, so that no snapshot stays open and the server can
    /// empty its write-ahead log.
    ///
    /// # Errors
    /// If the file cannot be read, and errors of `visit`.
    pub(crate) fn for_each<E: From<DataDirError>>(
        &self,
        mut visit: impl FnMut(ArchiveEntry) -> Result<(), E>,
    ) -> Result<(), E> {
        // The pass begins with the lowest number, because a damaged id may be negative.
        let mut after = i64::MIN;
        loop {
            let page = self.games_after(after, PASS_PAGE_SIZE)?;
            let Some(last) = page.last() else {
                return Ok(());
            };
            after = last_id(last);
            page.into_iter().try_for_each(&mut visit)?;
        }
    }

    /// Returns the entries after the game with the id `after`, at most `limit`, oldest first. The result is empty only
    /// at the end of the archive.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub(crate) fn games_after(
        &self,
        after: i64,
        limit: usize,
    ) -> Result<Vec<ArchiveEntry>, DataDirError> {
        let mut found = Vec::new();
        if after == i64::MAX {
            return Ok(found);
        }
        let sql = format!("{SELECT_GAME} WHERE id > ?1 ORDER BY id LIMIT ?2");
        match self.select(
            &sql,
            params![after, i64::try_from(limit).unwrap_or(i64::MAX)],
            &mut found,
        ) {
            Ok(()) => {}
            Err(error) if is_damage(&error) => {
                let after = found.last().map_or(after, last_id);
                found.extend(self.find_next_readable(after, &error)?);
            }
            Err(error) => return Err(error.into()),
        }
        Ok(found)
    }

    /// Returns the entry with this id, if it exists.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub(crate) fn game(&self, id: i64) -> Result<Option<ArchiveEntry>, DataDirError> {
        let mut found = Vec::new();
        match self.select(
            &format!("{SELECT_GAME} WHERE id = ?1"),
            params![id],
            &mut found,
        ) {
            Ok(()) => Ok(found.pop()),
            Err(error) if is_damage(&error) => {
                Ok(Some(Err(DamagedGames::one(id, error.to_string()))))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the damaged games after `after`, and the next game after the damage. SQLite cannot continue a query
    /// after a damaged page, but it finds the games of other pages by their ids.
    fn find_next_readable(
        &self,
        after: i64,
        cause: &rusqlite::Error,
    ) -> Result<Vec<ArchiveEntry>, DataDirError> {
        let bound = |sql| match self
            .0
            .query_row(sql, [], |row| row.get::<_, Option<i64>>(0))
        {
            Err(error) if !is_damage(&error) => Err(error),
            id => Ok(id.ok().flatten()),
        };
        let first_id = after
            .saturating_add(1)
            .max(bound("SELECT min(id) FROM games")?.unwrap_or(1));
        let lookups_end = first_id.saturating_add(ID_LOOKUPS_MAX);
        let end = bound("SELECT max(id) FROM games")?.map_or(lookups_end, |id| id.min(lookups_end));
        let damaged = |last_id| {
            Err(DamagedGames {
                first_id,
                last_id,
                reason: cause.to_string(),
            })
        };
        let (by_id, mut found) = (format!("{SELECT_GAME} WHERE id = ?1"), Vec::new());
        for id in first_id..=end {
            match self.select(&by_id, params![id], &mut found) {
                Err(error) if !is_damage(&error) => return Err(error.into()),
                Ok(()) | Err(_) => {}
            }
            if !found.is_empty() {
                if id > first_id {
                    found.insert(0, damaged(id - 1));
                }
                return Ok(found);
            }
        }
        Ok(vec![damaged(i64::MAX)])
    }

    /// Adds the entries of a query to `found`, even if SQLite cannot read all of them.
    fn select(
        &self,
        sql: &str,
        parameters: impl rusqlite::Params,
        found: &mut Vec<ArchiveEntry>,
    ) -> rusqlite::Result<()> {
        let mut games = self.0.prepare_cached(sql)?;
        let mut rows = games.query(parameters)?;
        while let Some(row) = rows.next()? {
            found.push(read_entry(row)?);
        }
        Ok(())
    }
}

pub(crate) fn read_entry(row: &Row<'_>) -> rusqlite::Result<ArchiveEntry> {
    let id = row.get(0)?;
    let (
        room,
        FinishedGame {
            number,
            ended_at,
            record,
        },
    ) = match rows::read_game(row) {
        Ok((_, room, finished)) => (room, finished),
        Err(RowError::Corrupt(_)) => {
            return Ok(Err(DamagedGames::one(id, "wrong checksum".into())));
        }
        Err(RowError::Sqlite(error)) => return Err(error),
    };
    Ok(match record.parse() {
        Ok(parsed) => Ok(ArchivedGame {
            id,
            room,
            number,
            ended_at,
            tags: GameTags::read(&record),
            record: parsed,
        }),
        Err(error) => Err(DamagedGames::one(id, format!("invalid record: {error}"))),
    })
}

/// Returns whether SQLite reports damage of the file, and not a failure to access it.
pub(crate) fn is_damage(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
    matches!(
        error.sqlite_error_code(),
        Some(DatabaseCorrupt | NotADatabase)
    )
}
