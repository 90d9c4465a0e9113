//! Subcommands for stored data: `games list|show|export` and `backup`. Safe while a server is running.

use std::io::Write;
use std::path::Path;

use noughts_protocol::{Rules, Seat};
use serde::Serialize;

use crate::config::{GamesCommand, ServerCommand};
use crate::store::sqlite::{ArchivedGame, GameArchive};

/// Number of games per query of an export.
const EXPORT_PAGE_SIZE: u32 = 500;

/// Runs a subcommand on the data in `directory` and prints its result to `out`.
///
/// # Errors
/// If the data cannot be read, or the output cannot be written.
pub(super) fn run(command: &ServerCommand, directory: &Path, out: &mut impl Write) -> anyhow::Result<()> {
    let archive = GameArchive::open(directory)?;
    match command {
        ServerCommand::Games(GamesCommand::List { limit }) => {
            for archived in archive.newest_games(*limit)? {
                writeln!(out, "{}", format_summary(&archived))?;
            }
        }
        ServerCommand::Games(GamesCommand::Show { game }) => match archive.game(*game)? {
            Some(archived) => write!(out, "{}", archived.record)?,
            None => anyhow::bail!("no game with number {game}"),
        },
        ServerCommand::Games(GamesCommand::Export) => {
            // Begins below zero, so that a row with a corrupt number is reported rather than skipped.
            let mut last_id = i64::MIN;
            loop {
                let page = archive.games_after(last_id, EXPORT_PAGE_SIZE)?;
                let Some(last) = page.last() else { break };
                last_id = last.id;
                for archived in &page {
                    writeln!(out, "{}", serde_json::to_string(&ExportedGame::from(archived))?)?;
                }
            }
        }
        ServerCommand::Backup { file } => archive.back_up(file)?,
    }
    Ok(())
}

fn format_summary(archived: &ArchivedGame) -> String {
    let [x, o] = &archived.record.players;
    let ended = std::time::UNIX_EPOCH + std::time::Duration::from_millis(archived.ended_at);
    let result = archived.record.outcome.as_ref().map(ToString::to_string).unwrap_or_default();
    let (id, rules) = (archived.id, archived.record.rules);
    format!("{id}  {}  {rules}  {x} (X) – {o} (O)  {result}", humantime::format_rfc3339_seconds(ended))
}

/// Line of a JSON export.
#[derive(Serialize)]
struct ExportedGame<'a> {
    game: i64,
    room: noughts_protocol::RoomId,
    number: u32,
    ended: u64,
    rules: Rules,
    #[serde(skip_serializing_if = "Option::is_none")]
    clock: Option<noughts_protocol::TimeControl>,
    players: &'a [String; 2],
    moves: &'a [noughts_protocol::Cell],
    #[serde(skip_serializing_if = "Option::is_none")]
    winner: Option<Seat>,
    outcome: &'a Option<noughts_protocol::Outcome>,
}

impl<'a> From<&'a ArchivedGame> for ExportedGame<'a> {
    fn from(archived: &'a ArchivedGame) -> ExportedGame<'a> {
        let record = &archived.record;
        ExportedGame {
            game: archived.id,
            room: archived.room,
            number: archived.number,
            ended: archived.ended_at,
            rules: record.rules,
            clock: record.control,
            players: &record.players,
            moves: &record.moves,
            winner: record.outcome.as_ref().and_then(|outcome| outcome.winner()),
            outcome: &record.outcome,
        }
    }
}
