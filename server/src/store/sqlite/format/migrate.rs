//! From an older format to this one, checked on the way: damage is not given a fresh checksum.

mod v1_to_v2;
mod v2_to_v3;

use rusqlite::Connection;

use crate::store::sqlite::format::row::RowError;
use crate::store::sqlite::startup::data_dir::{DataDirError, FORMAT, format_version};

/// Brings the file to the format of this program, step by step, all or nothing.
pub(crate) fn migrate(connection: &mut Connection) -> Result<(), DataDirError> {
    let found = format_version(connection)?;
    if found > FORMAT {
        return Err(DataDirError::Newer { found });
    }
    if found == FORMAT {
        return check_declarations(connection);
    }
    let transaction = connection.transaction()?;
    match found {
        0 => transaction.execute_batch(&[ROOM_TABLES_SQL, GAME_TABLES_SQL].concat())?,
        1 => {
            v1_to_v2::migrate(&transaction)?;
            v2_to_v3::migrate(&transaction)?;
        }
        2 => v2_to_v3::migrate(&transaction)?,
        other => return Err(DataDirError::Corrupt(format!("there is no format {other}"))),
    }
    transaction.pragma_update(None, "user_version", FORMAT)?;
    transaction.commit()?;
    Ok(())
}

/// Whether the tables are declared as this program declares them: one changed letter, and SQLite looks for
/// the rows of a table where they are not.
fn check_declarations(connection: &Connection) -> Result<(), DataDirError> {
    let declarations = |connection: &Connection| -> rusqlite::Result<Vec<(String, String)>> {
        let mut tables = connection.prepare(
            "SELECT name, sql FROM sqlite_schema WHERE name IN ('commits', 'rooms', 'games', 'witness')
                 ORDER BY name",
        )?;
        tables.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
    };
    let ours = Connection::open_in_memory()?;
    ours.execute_batch(&[ROOM_TABLES_SQL, GAME_TABLES_SQL].concat())?;
    let (ours, theirs) = (declarations(&ours)?, declarations(connection)?);
    match ours.iter().find(|table| !theirs.contains(table)) {
        None => Ok(()),
        Some((name, _)) => Err(DataDirError::Corrupt(format!("the declaration of the table {name}"))),
    }
}

/// Format 3. Events lie in rows of a commit each (`group.rs`): a statement and a row for each of them was most of
/// what storing them cost. Rows are appended: with a key on (room, seq) every event would dirty a page of its own,
/// which was measured to cost five to ten times as much. Each checksum covers its whole row, or its whole entry.
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

/// As in format 2.
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

fn verify_checksum(computed: i64, stored: i64, describe: impl Fn() -> String) -> Result<(), RowError> {
    if computed == stored {
        Ok(())
    } else {
        Err(RowError::Corrupt(format!("a wrong checksum in {}", describe())))
    }
}
