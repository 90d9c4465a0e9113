//! The index of finished games by player: one entry for each identity of a game.
//!
//! The entries are derived from the record of the game. They are written in the transaction that stores the game, and
//! deleted in the transaction that deletes the game, so that the index and the games never differ.

use std::fmt;

use noughts_protocol::{Identity, Record, RoomId, Seat};
use rusqlite::{Connection, Row, params};

use crate::store::FinishedGame;
use crate::store::game_tags::GameTags;
use crate::store::sqlite::archive::read_entry;
use crate::store::sqlite::data_files::RowError;
use crate::store::sqlite::rows::{self, SELECT_GAME};

/// Number of games that a check compares with their entries in one snapshot.
const CHECK_PAGE_SIZE: i64 = 500;

/// A row of the index: a game from the point of view of one of its players.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct IndexEntry {
    pub game: i64,
    pub player: Vec<u8>,
    pub ended: i64,
    pub rules: String,
    /// `None` for a guest.
    pub opponent: Option<Vec<u8>>,
    /// 1 for a won, 0 for a drawn and -1 for a lost game of the player; 0 for a game against oneself.
    pub result: i64,
    pub is_public: bool,
}

/// Selects the columns that [`IndexEntry::read`] reads.
pub(crate) const SELECT_ENTRY: &str =
    "SELECT player, game, ended, rules, opponent, result, public FROM game_index";

impl IndexEntry {
    pub(crate) fn read(row: &Row<'_>) -> Result<IndexEntry, RowError> {
        let describe = || "index of games".into();
        Ok(IndexEntry {
            player: rows::column(row, 0, describe)?,
            game: rows::column(row, 1, describe)?,
            ended: rows::column(row, 2, describe)?,
            rules: rows::column(row, 3, describe)?,
            opponent: rows::column(row, 4, describe)?,
            result: rows::column(row, 5, describe)?,
            is_public: rows::column(row, 6, describe)?,
        })
    }

    /// Returns whether the player had both seats, which is possible in a private room.
    pub(crate) fn is_against_oneself(&self) -> bool {
        self.opponent.as_ref() == Some(&self.player)
    }

    /// Inserts the entry. An entry that damage of the file left behind is replaced, because it must not make a commit
    /// fail.
    fn insert(&self, connection: &Connection) -> rusqlite::Result<()> {
        connection
            .prepare_cached(
                "INSERT OR REPLACE INTO game_index (player, game, ended, rules, opponent, result, public)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            )?
            .execute(params![
                self.player,
                self.game,
                self.ended,
                self.rules,
                self.opponent,
                self.result,
                self.is_public
            ])
            .map(|_| ())
    }
}

/// Returns the entries of a game: one for each identity.
fn entries_of(game: i64, ended_at: u64, tags: GameTags, record: &Record) -> Vec<IndexEntry> {
    let [x, o] = record.identities.map(|identity| identity.map(identity_key));
    let is_against_oneself = x == o;
    let winner = record
        .outcome
        .as_ref()
        .and_then(|outcome| outcome.winner())
        .filter(|_| !is_against_oneself);
    let entry = |seat, player, opponent| IndexEntry {
        game,
        player,
        ended: ended_at as i64,
        rules: record.rules.to_string(),
        opponent,
        result: winner.map_or(0, |winner| if winner == seat { 1 } else { -1 }),
        is_public: tags.is_public,
    };
    let entry_of_x = x.clone().map(|player| entry(Seat::X, player, o.clone()));
    let entry_of_o = o.filter(|_| !is_against_oneself);
    let entry_of_o = entry_of_o.map(|player| entry(Seat::O, player, x));
    entry_of_x.into_iter().chain(entry_of_o).collect()
}

/// Writes a finished game and its entries. A text that is not a record has no players; [`read_entry`] reports such a
/// game as damaged.
pub(crate) fn write_game(
    connection: &Connection,
    game: i64,
    room: RoomId,
    finished: &FinishedGame,
) -> rusqlite::Result<()> {
    rows::write_game_row(connection, game, room, finished)?;
    let tags = GameTags::read(&finished.record);
    match finished.record.parse() {
        Ok(record) => entries_of(game, finished.ended_at, tags, &record)
            .iter()
            .try_for_each(|entry| entry.insert(connection)),
        Err(_) => Ok(()),
    }
}

/// Returns an identity as the table contains it.
pub(crate) fn identity_key(identity: Identity) -> Vec<u8> {
    identity.to_bytes().to_vec()
}

/// A difference between the games and their index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct IndexDamage {
    game: i64,
}

impl fmt::Display for IndexDamage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "index of games, game {}", self.game)
    }
}

/// Compares the index with the games, page by page, each page in one snapshot. A server may run at the same time. The
/// entries of a damaged game are not compared.
pub(crate) fn find_damage(
    connection: &Connection,
    mut on_damage: impl FnMut(IndexDamage),
) -> Result<(), RowError> {
    let mut after = i64::MIN;
    loop {
        let snapshot = connection.unchecked_transaction()?;
        let mut games = snapshot
            .prepare_cached(&format!("{SELECT_GAME} WHERE id > ?1 ORDER BY id LIMIT ?2"))?;
        let mut rows = games.query(params![after, CHECK_PAGE_SIZE])?;
        let (mut expected, mut damaged, mut last) = (Vec::new(), Vec::new(), None);
        while let Some(row) = rows.next()? {
            let id = row.get(0)?;
            last = Some(id);
            match read_entry(row)? {
                Ok(game) => {
                    expected.extend(entries_of(id, game.ended_at, game.tags, &game.record));
                }
                Err(_) => damaged.push(id),
            }
        }
        let mut entries = snapshot.prepare_cached(&format!(
            "{SELECT_ENTRY} WHERE game > ?1 AND game <= ?2 ORDER BY game, player"
        ))?;
        let mut found = Vec::new();
        let mut rows = entries.query(params![after, last.unwrap_or(i64::MAX)])?;
        while let Some(row) = rows.next()? {
            let entry = IndexEntry::read(row)?;
            if damaged.binary_search(&entry.game).is_err() {
                found.push(entry);
            }
        }
        expected.sort();
        let missing = expected
            .iter()
            .filter(|entry| found.binary_search(entry).is_err());
        let wrong = found
            .iter()
            .filter(|entry| expected.binary_search(entry).is_err());
        let mut differing: Vec<i64> = missing.chain(wrong).map(|entry| entry.game).collect();
        differing.sort_unstable();
        differing.dedup();
        differing
            .into_iter()
            .for_each(|game| on_damage(IndexDamage { game }));
        match last {
            Some(last) => after = last,
            None => return Ok(()),
        }
    }
}
