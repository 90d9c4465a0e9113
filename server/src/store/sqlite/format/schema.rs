//! Format of the database file, and its tables.

use rusqlite::Connection;

use crate::store::sqlite::error::DataDirError;

/// The only format that this program reads and writes.
pub(crate) const FORMAT: i64 = 4;

/// Tables of open rooms. A row of `commits` contains the events of one commit ([`super::commit_row`]), because a
/// statement and a row for each event took most of the time of a commit. Rows are only appended: with a key on
/// (room, seq) each event would change a page of its own, which is five to ten times as expensive. Every checksum
/// covers its whole row or entry. SQLite stores this text: a change of a single character is a new format.
///
/// In `rooms`, `founded` is the row of `commits` in which the room was created, `founding` are the secrets of the room, and
/// `image` is its checkpoint.
const ROOM_TABLES_SQL: &str = "
    CREATE TABLE commits (id INTEGER PRIMARY KEY, body BLOB NOT NULL);
    CREATE TABLE rooms (
        room INTEGER PRIMARY KEY,
        founded INTEGER NOT NULL,
        founding BLOB NOT NULL,
        founding_crc INTEGER NOT NULL,
        image_seq INTEGER NOT NULL DEFAULT 0,
        image BLOB,
        image_crc INTEGER NOT NULL
    );
";

/// Tables of finished games. `witness` holds the time that servers have observed; it decides when games expire.
const GAME_TABLES_SQL: &str = "
    CREATE TABLE games (
        id INTEGER PRIMARY KEY,
        room INTEGER NOT NULL,
        number INTEGER NOT NULL,
        ended INTEGER NOT NULL,
        record TEXT NOT NULL,
        crc INTEGER NOT NULL
    );
    CREATE TABLE witness (at INTEGER NOT NULL);
";

/// Creates the tables of an empty file in one transaction, or checks those of existing data.
///
/// # Errors
/// [`DataDirError::OtherFormat`], or corrupt tables.
pub(crate) fn prepare_tables(connection: &mut Connection) -> Result<(), DataDirError> {
    if format_version(connection)? != 0 {
        require_current_format(connection)?;
        return check_declarations(connection);
    }
    let transaction = connection.transaction()?;
    transaction.execute_batch(&[ROOM_TABLES_SQL, GAME_TABLES_SQL].concat())?;
    transaction.pragma_update(None, "user_version", FORMAT)?;
    transaction.commit()?;
    Ok(())
}

/// Accepts data of the current format.
///
/// # Errors
/// [`DataDirError::OtherFormat`].
pub(crate) fn require_current_format(connection: &Connection) -> Result<(), DataDirError> {
    match format_version(connection)? {
        FORMAT => Ok(()),
        found => Err(DataDirError::OtherFormat {
            found,
            supported: FORMAT,
        }),
    }
}

fn format_version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0))
}

/// Checks that the stored declarations of the tables are those of this program. A corrupt declaration makes
/// SQLite look for rows in the wrong place.
pub(crate) fn check_declarations(connection: &Connection) -> Result<(), DataDirError> {
    let declarations = |connection: &Connection| -> rusqlite::Result<Vec<(String, String)>> {
        let mut tables = connection.prepare(
            "SELECT name, sql FROM sqlite_schema WHERE name IN ('commits', 'rooms', 'games', 'witness')
                 ORDER BY name",
        )?;
        tables
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect()
    };
    let ours = Connection::open_in_memory()?;
    ours.execute_batch(&[ROOM_TABLES_SQL, GAME_TABLES_SQL].concat())?;
    let (ours, theirs) = (declarations(&ours)?, declarations(connection)?);
    match ours.iter().find(|table| !theirs.contains(table)) {
        None => Ok(()),
        Some((name, _)) => Err(DataDirError::Corrupt(format!(
            "declaration of table {name}"
        ))),
    }
}
