//! The subcommand `backup`. Safe while a server is running.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use super::check;
use crate::store::sqlite::BackupFile;

/// Copies the data in `directory` to the new file `to`, and verifies the copy. Damage that the copy contains, because
/// the data does, is named on `messages`; the copy is then kept, and the exit code is 1.
///
/// # Errors
/// If the data cannot be read, or the file exists or cannot be written.
pub(super) fn run(
    directory: &Path,
    to: &Path,
    messages: &mut impl Write,
) -> anyhow::Result<ExitCode> {
    let backup = BackupFile::create(directory, to)?;
    let mut damage = Vec::new();
    check::verify(backup.partial_path(), |description| {
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
