//! The subcommands for stored data: `games`, `backup`, `check`. Safe while a server is running.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use noughts_protocol::{Rules, Seat};
use serde::Serialize;

use crate::config::{GamesCommand, ServerLimits};
use crate::room::Room;
use crate::store::StoredRoom;
use crate::store::sqlite::{
    ArchivedGame, BackupFile, CheckHooks, DamagedGames, DataDirError, DataSummary, GameArchive,
    check_data,
};

/// Runs a subcommand on the data in `directory`, and prints its result to `out`. Damaged games are skipped and named
/// on `messages`; the exit code is then 1.
///
/// # Errors
/// If the data cannot be read, or the output cannot be written.
pub(super) fn show_games(
    command: &GamesCommand,
    directory: &Path,
    out: &mut impl Write,
    messages: &mut impl Write,
) -> anyhow::Result<ExitCode> {
    let archive = GameArchive::open(directory)?;
    let mut damaged_count = 0_u64;
    let mut report = |damaged: &DamagedGames| {
        damaged_count += 1;
        writeln!(messages, "damaged: {damaged}")
    };
    match command {
        GamesCommand::List { limit } => {
            for entry in archive.newest_games(*limit as usize)? {
                match entry {
                    Ok(archived) => writeln!(out, "{}", format_summary(&archived))?,
                    Err(damaged) => report(&damaged)?,
                }
            }
        }
        GamesCommand::Show { game } => match archive.game(*game)? {
            Some(Ok(archived)) => write!(out, "{}", archived.record)?,
            Some(Err(damaged)) => report(&damaged)?,
            None => anyhow::bail!("no game with number {game}"),
        },
        GamesCommand::Export => archive.for_each(|entry| {
            match entry {
                Ok(archived) => {
                    writeln!(
                        out,
                        "{}",
                        serde_json::to_string(&ExportedGame::from(&archived))?
                    )?;
                }
                Err(damaged) => report(&damaged)?,
            }
            anyhow::Ok(())
        })?,
    }
    if damaged_count == 0 {
        return Ok(ExitCode::SUCCESS);
    }
    writeln!(
        messages,
        "skipped {damaged_count} damaged entries; `noughts-server check` verifies all data"
    )?;
    Ok(ExitCode::FAILURE)
}

fn format_summary(archived: &ArchivedGame) -> String {
    let [x, o] = &archived.record.players;
    let ended = std::time::UNIX_EPOCH + std::time::Duration::from_millis(archived.ended_at);
    let result = archived
        .record
        .outcome
        .as_ref()
        .map(ToString::to_string)
        .unwrap_or_default();
    let (id, rules) = (archived.id, archived.record.rules);
    format!(
        "{id}  {}  {rules}  {x} (X) – {o} (O)  {result}",
        humantime::format_rfc3339_seconds(ended)
    )
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

/// Copies the data in `directory` to the new file `to`, and verifies the copy. The copy contains any damage of the
/// data. The damage is then named on `messages`, the copy is kept, and the exit code is 1.
///
/// # Errors
/// If the data cannot be read, or the file exists or cannot be written.
pub(super) fn back_up(
    directory: &Path,
    to: &Path,
    messages: &mut impl Write,
) -> anyhow::Result<ExitCode> {
    let backup = BackupFile::create(directory, to)?;
    let mut damage = Vec::new();
    verify(backup.partial_path(), |description| {
        damage.push(description.to_owned());
    })?;
    backup.publish()?;
    if damage.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    for description in &damage {
        writeln!(messages, "damaged: {description}")?;
    }
    writeln!(
        messages,
        "the backup {} was written, and contains this damage of the data",
        to.display()
    )?;
    Ok(ExitCode::FAILURE)
}

/// Checks a data directory or the file of a backup, and prints a report to `out`. The exit code is 1 if anything is
/// damaged.
///
/// # Errors
/// If the data cannot be read, or the output cannot be written.
pub(super) fn check_stored_data(path: &Path, out: &mut impl Write) -> anyhow::Result<ExitCode> {
    let mut printed = Ok(());
    let summary = verify(path, |damage| {
        let line = writeln!(out, "damaged: {damage}");
        printed = std::mem::replace(&mut printed, Ok(())).and(line);
    })?;
    printed?;
    let DataSummary {
        file,
        database_bytes,
        wal_bytes,
        open_rooms,
        events,
        games,
        damage,
    } = summary;
    writeln!(
        out,
        "database: {}, {database_bytes} bytes; write-ahead log: {wal_bytes} bytes",
        file.display()
    )?;
    writeln!(
        out,
        "intact: {open_rooms} open rooms with {events} events, {games} finished games"
    )?;
    if damage == 0 {
        writeln!(out, "no damage found")?;
        return Ok(ExitCode::SUCCESS);
    }
    writeln!(out, "damage found: {damage} places")?;
    Ok(ExitCode::FAILURE)
}

/// Checks data, and passes a description of each damaged place to `on_damage`.
///
/// # Errors
/// If the data cannot be read.
pub(super) fn verify(
    path: &Path,
    mut on_damage: impl FnMut(&str),
) -> Result<DataSummary, DataDirError> {
    let limits = Arc::new(ServerLimits::default());
    let replay = |stored: &StoredRoom| {
        // The time is arbitrary, because the deadlines of the room do not matter here.
        Room::replay(stored, Arc::clone(&limits), 0)
            .map(drop)
            .map_err(|error| error.to_string())
    };
    check_data(
        path,
        CheckHooks {
            replay: &replay,
            on_damage: &mut on_damage,
        },
    )
}
