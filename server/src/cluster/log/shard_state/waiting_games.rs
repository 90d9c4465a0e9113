//! The finished games of a shard that are not published. Pure.

use std::collections::BTreeMap;

use super::room_entries::{Located, Ordinal};
use crate::cluster::log::game_message::{GameKey, decode_entry};
use crate::cluster::log::message::{EntryKind, MessageEntry};
use crate::store::FinishedGame;

/// Maximum number of games of a shard that wait until they are published. Further games are not kept.
pub(super) const MAX_WAITING_GAMES: usize = 4096;

#[derive(Debug, Default)]
pub(super) struct WaitingGames {
    games: BTreeMap<GameKey, Located<FinishedGame>>,
    bytes: u64,
}

impl WaitingGames {
    /// Returns the size of the needed entries.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(super) fn is_empty(&self) -> bool {
        self.games.is_empty()
    }

    pub(super) fn is_full(&self) -> bool {
        self.games.len() >= MAX_WAITING_GAMES
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (GameKey, &FinishedGame)> {
        self.games.iter().map(|(key, game)| (*key, &game.value))
    }

    pub(super) fn iter_mut(
        &mut self,
    ) -> impl Iterator<Item = (&GameKey, &mut Located<FinishedGame>)> {
        self.games.iter_mut()
    }

    /// Returns the oldest message that contains a waiting game.
    pub(super) fn oldest(&self) -> Option<Ordinal> {
        self.games.values().map(|game| game.ordinal).min()
    }

    pub(super) fn contains(&self, key: &GameKey) -> bool {
        self.games.contains_key(key)
    }

    /// Applies an entry about a finished game.
    ///
    /// # Errors
    /// If it is damaged.
    pub(super) fn apply(
        &mut self,
        ordinal: Ordinal,
        entry: MessageEntry<'_>,
    ) -> Result<(), String> {
        let damaged = || {
            format!(
                "finished game {} of room {} is damaged",
                entry.count, entry.room
            )
        };
        let value = decode_entry(entry.count, entry.body).ok_or_else(damaged)?;
        let key = GameKey::of(entry.room, &value);
        let bytes = entry.size();
        let before = match entry.kind {
            EntryKind::Finished => {
                self.bytes += bytes;
                self.games.insert(
                    key,
                    Located {
                        ordinal,
                        bytes,
                        value,
                    },
                )
            }
            EntryKind::Published => self.games.remove(&key),
            EntryKind::Secrets | EntryKind::Events | EntryKind::Checkpoint | EntryKind::Deleted => {
                return Err(damaged());
            }
        };
        self.bytes -= before.map_or(0, |before| before.bytes);
        Ok(())
    }
}
