//! Migration of older formats to the current one. Verifies every checksum before it computes a new one, so that
//! corruption stays detectable.

mod v1_to_v2;
mod v2_to_v3;

use rusqlite::Connection;

use crate::store::sqlite::error::DataDirError;
use crate::store::sqlite::format::schema::{
    FORMAT, GAME_TABLES_SQL, ROOM_TABLES_SQL, format_version,
};

/// Migrates the file to the current format in one transaction, or checks the schema of a current file.
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
        other => return Err(DataDirError::Corrupt(format!("unknown format {other}"))),
    }
    transaction.pragma_update(None, "user_version", FORMAT)?;
    transaction.commit()?;
    Ok(())
}

/// Accepts data of the current format.
///
/// # Errors
/// [`DataDirError::Newer`] or [`DataDirError::Outdated`].
pub(crate) fn require_current_format(connection: &Connection) -> Result<(), DataDirError> {
    match format_version(connection)? {
        FORMAT => Ok(()),
        found if found > FORMAT => Err(DataDirError::Newer { found }),
        found => Err(DataDirError::Outdated { found }),
    }
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
