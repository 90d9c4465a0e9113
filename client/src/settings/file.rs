//! The settings file: where it lies, and how it is read and replaced.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use super::{Setting, SettingsError, SettingsFile};
use crate::i18n::lang::Lang;
use crate::io::io_error::LocalizableIoError;

/// No file is longer.
const MAX_BYTES: u64 = 64 * 1024;

/// Why there are no settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettingsFileError {
    /// The platform has no place for it.
    NoConfigDir,
    /// The system does not let us read or write it.
    Io(PathBuf, LocalizableIoError),
    /// It has a mistake.
    Invalid(PathBuf, SettingsError),
}

/// Where the file lies unless said otherwise; none where the platform has no such place.
pub(crate) fn default_path() -> Option<PathBuf> {
    let directories = directories::ProjectDirs::from("", "", "noughts")?;
    Some(directories.config_dir().join("config.toml"))
}

/// Reads the file. One that is not there says nothing, and is no mistake.
///
/// # Errors
/// When it cannot be read, or has a mistake.
pub(crate) fn load(path: &Path) -> Result<SettingsFile, SettingsFileError> {
    let text = read_text(path).map_err(|error| SettingsFileError::Io(path.to_owned(), error.into()))?;
    SettingsFile::parse(&text).map_err(|error| SettingsFileError::Invalid(path.to_owned(), error))
}

/// The language that the file chooses, if it can be read so far.
pub(crate) fn load_language(path: &Path) -> Option<Lang> {
    SettingsFile::language(&read_text(path).ok()?)
}

/// Writes changes into the file: whoever reads it meanwhile sees the old one or the new one, whole.
///
/// # Errors
/// When it cannot be read or replaced, or has a mistake.
pub(crate) fn save_changes(
    path: &Path,
    changes: &[(Setting, Option<String>)],
) -> Result<(), SettingsFileError> {
    let io_error = |error: io::Error| SettingsFileError::Io(path.to_owned(), error.into());
    let old = read_text(path).map_err(io_error)?;
    let new = super::apply_changes(&old, changes)
        .map_err(|error| SettingsFileError::Invalid(path.to_owned(), error))?;
    replace(path, &new).map_err(io_error)
}

fn read_text(path: &Path) -> io::Result<String> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(String::new()),
        Err(error) => return Err(error),
    };
    let mut text = String::new();
    if file.take(MAX_BYTES + 1).read_to_string(&mut text)? as u64 > MAX_BYTES {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "more than 64 KiB"));
    }
    Ok(text)
}

fn replace(path: &Path, text: &str) -> io::Result<()> {
    // A link stays one: what it leads to is replaced.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let temp_path = folder.join(format!(".config-{}.toml", std::process::id()));
    let result = write_and_rename(&temp_path, &path, text);
    if result.is_err() {
        // Nothing is left behind; that it is there matters less than why it is.
        drop(fs::remove_file(&temp_path));
    }
    result
}

fn write_and_rename(temp_path: &Path, path: &Path, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).open(temp_path)?;
    if let Ok(old) = fs::metadata(path) {
        file.set_permissions(old.permissions())?;
    }
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(temp_path, path)
}
