//! The queries of clients about finished games. Each reads a bounded number of rows, whatever a client asks.

use std::collections::HashMap;

use noughts_protocol::wire::{
    FinishedListing, GameCounts, GameId, GamesFilter, MAX_COUNTED_GAMES, MAX_LISTED_GAMES,
    MAX_PROFILE_RULES, PROFILE_GAMES, PlayerProfile, RulesCounts,
};
use noughts_protocol::{Identity, Name, Player, Seat};
use rusqlite::{Connection, params};
use tracing::warn;

use crate::store::sqlite::archive::{ArchivedGame, read_entry};
use crate::store::sqlite::data_files::{DataDirError, RowError};
use crate::store::sqlite::game_index::{IndexEntry, SELECT_ENTRY, identity_key};
use crate::store::sqlite::rows::SELECT_GAME;

/// What a client asks. `asker`: the identity of the client.
#[derive(Clone, Debug)]
pub(crate) enum ArchiveQuery {
    /// Games of the player `of`.
    Games {
        of: Identity,
        filter: GamesFilter,
        asker: Option<Identity>,
    },
    Game {
        game: GameId,
        asker: Option<Identity>,
    },
    Profile {
        of: Identity,
        asker: Option<Identity>,
    },
}

/// The response to a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ArchiveResponse {
    Games {
        games: Vec<FinishedListing>,
        /// The list continues before this game.
        before: Option<GameId>,
    },
    Game {
        game: GameId,
        /// The record as text, with the tags of the archive.
        record: String,
    },
    Profile(Box<PlayerProfile>),
    /// The game does not exist, or the asker may not see it.
    UnknownGame,
    /// The asker may see no game of the player.
    UnknownPlayer,
}

/// Responds to a query in one read transaction.
pub(crate) fn respond(
    connection: &Connection,
    query: &ArchiveQuery,
) -> Result<ArchiveResponse, DataDirError> {
    let snapshot = connection.unchecked_transaction()?;
    Ok(match query {
        ArchiveQuery::Games { of, filter, asker } => list_games(&snapshot, *of, filter, *asker)?,
        ArchiveQuery::Game { game, asker } => {
            let id = i64::try_from(game.0).unwrap_or(i64::MAX);
            match read_game(&snapshot, id)? {
                Some(found) if is_visible(&found, *asker) => ArchiveResponse::Game {
                    game: *game,
                    record: found.text(),
                },
                Some(_) | None => ArchiveResponse::UnknownGame,
            }
        }
        ArchiveQuery::Profile { of, asker } => match read_profile(&snapshot, *of, *asker)? {
            Some(profile) => ArchiveResponse::Profile(Box::new(profile)),
            None => ArchiveResponse::UnknownPlayer,
        },
    })
}

/// Returns a game; `None` if it does not exist or is damaged.
fn read_game(connection: &Connection, id: i64) -> rusqlite::Result<Option<ArchivedGame>> {
    let sql = format!("{SELECT_GAME} WHERE id = ?1");
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query([id])?;
    let entry = rows.next()?.map(read_entry).transpose()?;
    Ok(entry.and_then(|entry| {
        entry
            .inspect_err(|damaged| warn!(%damaged, "cannot read finished game"))
            .ok()
    }))
}

/// Returns whether a client may see a game: it was played in a public room, or the client is one of its players.
fn is_visible(game: &ArchivedGame, asker: Option<Identity>) -> bool {
    game.tags.is_public || asker.is_some() && game.record.identities.contains(&asker)
}

/// Visits the newest games of a player before a game, at most [`MAX_COUNTED_GAMES`], newest first. Ends early when
/// `visit` returns false. Returns the last visited game if there are older games.
fn visit_entries(
    connection: &Connection,
    player: Identity,
    before: i64,
    mut visit: impl FnMut(&IndexEntry) -> Result<bool, RowError>,
) -> Result<Option<i64>, RowError> {
    let mut entries = connection.prepare_cached(&format!(
        "{SELECT_ENTRY} WHERE player = ?1 AND game < ?2 ORDER BY game DESC LIMIT ?3"
    ))?;
    let mut rows = entries.query(params![identity_key(player), before, MAX_COUNTED_GAMES + 1])?;
    let (mut count, mut last) = (0, None);
    while let Some(row) = rows.next()? {
        if count == MAX_COUNTED_GAMES {
            return Ok(last);
        }
        let entry = IndexEntry::read(row)?;
        count += 1;
        last = Some(entry.game);
        if !visit(&entry)? {
            return Ok(if rows.next()?.is_some() { last } else { None });
        }
    }
    Ok(None)
}

/// Returns whether a client may see a game of the index; the same rule as [`is_visible`].
fn is_entry_visible(entry: &IndexEntry, asker: Option<&Vec<u8>>) -> bool {
    entry.is_public
        || asker
            .is_some_and(|asker| *asker == entry.player || entry.opponent.as_ref() == Some(asker))
}

fn list_games(
    connection: &Connection,
    of: Identity,
    filter: &GamesFilter,
    asker: Option<Identity>,
) -> Result<ArchiveResponse, RowError> {
    let (asker, with) = (asker.map(identity_key), filter.with.map(identity_key));
    let rules = filter.rules.map(|rules| rules.to_string());
    let limit = usize::from(filter.limit.unwrap_or(MAX_LISTED_GAMES));
    let before = filter.before.map_or(i64::MAX, |before| {
        i64::try_from(before.0).unwrap_or(i64::MAX)
    });
    let mut games = Vec::new();
    let before = visit_entries(connection, of, before, |entry| {
        let is_wanted = is_entry_visible(entry, asker.as_ref())
            && (with.is_none() || entry.opponent == with)
            && rules.as_ref().is_none_or(|rules| *rules == entry.rules);
        if is_wanted {
            games.extend(read_listing(connection, entry.game)?);
        }
        Ok(games.len() < limit)
    })?;
    let before = before.and_then(|game| u64::try_from(game).ok()).map(GameId);
    Ok(ArchiveResponse::Games { games, before })
}

/// Returns the row of a list; `None` for a damaged game.
fn read_listing(connection: &Connection, id: i64) -> rusqlite::Result<Option<FinishedListing>> {
    Ok(read_game(connection, id)?.and_then(|game| {
        Some(FinishedListing {
            game: GameId(u64::try_from(game.id).ok()?),
            room: game.room,
            number: game.number,
            ended: game.ended_at,
            rules: game.record.rules,
            clock: game.record.control,
            players: Seat::ALL.map(|seat| player_of(&game, seat)),
            result: game.record.outcome.as_ref()?.verdict(),
            moves: u32::try_from(game.record.moves.len()).unwrap_or(u32::MAX),
        })
    }))
}

fn player_of(game: &ArchivedGame, seat: Seat) -> Player {
    let name: Name = game.record.players[seat.index()]
        .parse()
        .or_else(|_| "?".parse())
        .expect("a question mark is a name");
    Player {
        name,
        kind: game.tags.kinds[seat.index()],
        identity: game.record.identities[seat.index()],
    }
}

/// Counts a game, unless the player played both sides.
fn count(counts: &mut GameCounts, entry: &IndexEntry) {
    if entry.is_against_oneself() {
        return;
    }
    match entry.result {
        1.. => counts.wins += 1,
        0 => counts.draws += 1,
        ..0 => counts.losses += 1,
    }
}

/// Returns the profile of a player; `None` without a game that the asker may see.
fn read_profile(
    connection: &Connection,
    of: Identity,
    asker: Option<Identity>,
) -> Result<Option<PlayerProfile>, RowError> {
    let asker_key = asker.map(identity_key);
    let mut by_rules: HashMap<String, GameCounts> = HashMap::new();
    let (mut games, mut first_seen) = (Vec::new(), u64::MAX);
    visit_entries(connection, of, i64::MAX, |entry| {
        if is_entry_visible(entry, asker_key.as_ref()) {
            if games.len() < usize::from(PROFILE_GAMES) {
                games.extend(read_listing(connection, entry.game)?);
            }
            first_seen = first_seen.min(entry.ended.unsigned_abs());
            count(by_rules.entry(entry.rules.clone()).or_default(), entry);
        }
        Ok(true)
    })?;
    let Some(player) = games
        .first()
        .and_then(|game: &FinishedListing| {
            let mut players = game.players.iter();
            players.find(|player| player.identity == Some(of))
        })
        .cloned()
    else {
        return Ok(None);
    };
    let mut rules: Vec<RulesCounts> = by_rules
        .into_iter()
        .filter(|(_, counts)| counts.total() > 0)
        .filter_map(|(rules, counts)| {
            let rules = rules.parse().ok()?;
            Some(RulesCounts { rules, counts })
        })
        .collect();
    rules.sort_by_cached_key(|row| (u64::MAX - row.counts.total(), row.rules.to_string()));
    rules.truncate(MAX_PROFILE_RULES);
    let against_you = match asker.filter(|&asker| asker != of) {
        None => None,
        Some(asker) => Some(count_against(connection, of, asker)?),
    };
    Ok(Some(PlayerProfile {
        player,
        first_seen,
        rules,
        against_you,
        games,
    }))
}

/// Counts the games of a player against the asker, among the newest games of the asker: a bot may have played thousands
/// of games since.
fn count_against(
    connection: &Connection,
    of: Identity,
    asker: Identity,
) -> Result<GameCounts, RowError> {
    let (of, mut counts) = (Some(identity_key(of)), GameCounts::default());
    visit_entries(connection, asker, i64::MAX, |entry| {
        if entry.opponent == of {
            count(&mut counts, entry);
        }
        Ok(true)
    })?;
    Ok(GameCounts {
        wins: counts.losses,
        draws: counts.draws,
        losses: counts.wins,
    })
}
