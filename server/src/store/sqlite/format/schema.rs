//! Schema of the database file in the current format.

use rusqlite::Connection;

/// Format that this program writes. A newer file is rejected, an older one is migrated.
pub(crate) const FORMAT: i64 = 3;

/// Tables of open rooms. A row of `commits` contains the events of one commit ([`super::commit_row`]), because a
/// statement and a row for each event took most of the time of a commit. Rows are only appended: with a key on
/// (room, seq) each event would change a page of its own, which is five to ten times as expensive. Every checksum
/// covers its whole row or entry. SQLite stores this text: a change of a single character is a new format.
///
/// In `rooms`, `founded` is the row of `commits` in which the room was created, `founding` are the secrets of the room, and
/// `image` is its checkpoint.
pub(crate) const ROOM_TABLES_SQL: &str = "
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

/// Tables of finished games, the same as in format 2. `witness` holds the time that servers have observed, by which games
/// expire.
pub(crate) const GAME_TABLES_SQL: &str = "
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

pub(crate) fn format_version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0))
}
