//! The subcommand `check`, and the verification of a new backup. Safe while a server is running.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use crate::config::ServerLimits;
use crate::room::Room;
use crate::store::StoredRoom;
use crate::store::sqlite::{CheckHooks, DataDirError, DataSummary, check_data};

/// Checks a data directory or the file of a backup, and prints a report to `out`. The exit code is 1 if anything is
/// damaged.
///
/// # Errors
/// If the data cannot be read, or the output cannot be written.
pub(super) fn run(path: &Path, out: &mut impl Write) -> anyhow::Result<ExitCode> {
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
        // The deadlines of a room do not matter: any time will do.
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
