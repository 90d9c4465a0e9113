//! From an older format to this one, checked on the way: damage is not given a fresh checksum.

mod second;
mod third;

use rusqlite::Connection;

use super::row::Failed;
use super::schema::{FORMAT, OpenError, format};

/// Brings the file to the format of this program, step by step, all or nothing.
pub(super) fn migrate(connection: &mut Connection) -> Result<(), OpenError> {
    let found = format(connection)?;
    if found > FORMAT {
        return Err(OpenError::Newer { found });
    }
    if found == FORMAT {
        return declared(connection);
    }
    let transaction = connection.transaction()?;
    match found {
        0 => transaction.execute_batch(&[OPEN, KEPT].concat())?,
        1 => {
            second::from_first(&transaction)?;
            third::from_second(&transaction)?;
        }
        2 => third::from_second(&transaction)?,
        other => return Err(OpenError::Damaged(format!("there is no format {other}"))),
    }
    transaction.pragma_update(None, "user_version", FORMAT)?;
    transaction.commit()?;
    Ok(())
}

/// Whether the tables are declared as this program declares them: one changed letter, and SQLite looks for
/// the rows of a table where they are not.
fn declared(connection: &Connection) -> Result<(), OpenError> {
    let declarations = |connection: &Connection| -> rusqlite::Result<Vec<(String, String)>> {
        let mut tables = connection.prepare(
            "SELECT name, sql FROM sqlite_schema WHERE name IN ('commits', 'rooms', 'games', 'witness')
                 ORDER BY name",
        )?;
        tables.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
    };
    let ours = Connection::open_in_memory()?;
    ours.execute_batch(&[OPEN, KEPT].concat())?;
    let (ours, theirs) = (declarations(&ours)?, declarations(connection)?);
    match ours.iter().find(|table| !theirs.contains(table)) {
        None => Ok(()),
        Some((name, _)) => Err(OpenError::Damaged(format!("the declaration of the table {name}"))),
    }
}

/// Format 3. Events lie in rows of a commit each (`group.rs`): a statement and a row for each of them was most of
/// what storing them cost. Rows are appended: with a key on (room, seq) every event would dirty a page of its own,
/// which was measured to cost five to ten times as much. Each checksum covers its whole row, or its whole entry.
const OPEN: &str = "
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
const KEPT: &str = "
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

fn same(sum: i64, stored: i64, what: impl Fn() -> String) -> Result<(), Failed> {
    if sum == stored { Ok(()) } else { Err(Failed::Damaged(format!("a wrong checksum in {}", what()))) }
}
