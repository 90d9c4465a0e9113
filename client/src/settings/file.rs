//! Finds and reads the settings file, and replaces it atomically.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use super::{Setting, SettingsError, SettingsFile};
use crate::i18n::lang::Lang;
use crate::io::io_error::LocalizableIoError;

/// Maximum length of the file in bytes.
const MAX_FILE_BYTES: u64 = 64 * 1024;

/// Reason why the settings file cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettingsFileError {
    /// The platform has no folder for settings.
    NoConfigDir,
    /// The file cannot be read.
    Read(PathBuf, LocalizableIoError),
    /// The file cannot be replaced.
    Write(PathBuf, LocalizableIoError),
    /// The contents are invalid.
    Invalid(PathBuf, SettingsError),
}

/// Returns the default path; `None` if the platform has no folder for settings.
pub(crate) fn default_path() -> Option<PathBuf> {
    let directories = directories::ProjectDirs::from("", "", "noughts")?;
    Some(directories.config_dir().join("config.toml"))
}

/// Loads the file. A missing file counts as empty.
///
/// # Errors
/// Returns an error if the file cannot be read or is invalid.
pub(crate) fn load(path: &Path) -> Result<SettingsFile, SettingsFileError> {
    let text = read_text(path)?;
    SettingsFile::parse(&text).map_err(|error| SettingsFileError::Invalid(path.to_owned(), error))
}

/// Returns the language in the file, if the file can be read and names a language.
pub(crate) fn load_language(path: &Path) -> Option<Lang> {
    SettingsFile::language(&read_text(path).ok()?)
}

/// Saves changes atomically. Concurrent readers see either the old or the new file.
///
/// # Errors
/// Returns an error if the file cannot be read or replaced, or if it is invalid.
pub(crate) fn save_changes(
    path: &Path,
    changes: &[(Setting, String)],
) -> Result<(), SettingsFileError> {
    let old = read_text(path)?;
    let new = super::apply_changes(&old, changes)
        .map_err(|error| SettingsFileError::Invalid(path.to_owned(), error))?;
    replace(path, &new).map_err(|error| SettingsFileError::Write(path.to_owned(), error.into()))
}

fn read_text(path: &Path) -> Result<String, SettingsFileError> {
    read_limited(path).map_err(|error| SettingsFileError::Read(path.to_owned(), error.into()))
}

fn read_limited(path: &Path) -> io::Result<String> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(String::new()),
        Err(error) => return Err(error),
    };
    let mut text = String::new();
    if file.take(MAX_FILE_BYTES + 1).read_to_string(&mut text)? as u64 > MAX_FILE_BYTES {
        return Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            "more than 64 KiB",
        ));
    }
    Ok(text)
}

fn replace(path: &Path, text: &str) -> io::Result<()> {
    // Replaces the target of a symbolic link rather than the link.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let directory = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(directory)?;
    let temp_path = directory.join(format!(".config-{}.toml", std::process::id()));
    let result = write_and_rename(&temp_path, &path, text);
    if result.is_err() {
        // The first error is returned even if the temporary file cannot be removed.
        drop(fs::remove_file(&temp_path));
    }
    result
}

fn write_and_rename(temp_path: &Path, path: &Path, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .open(temp_path)?;
    if let Ok(old) = fs::metadata(path) {
        file.set_permissions(old.permissions())?;
    }
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(temp_path, path)
}
