//! The settings file: where it lies, and how it is read and replaced.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use super::{Mistake, Preferences, Setting};
use crate::lang::Lang;
use crate::system::SystemError;

/// No file is longer.
const MAX_BYTES: u64 = 64 * 1024;

/// Why there are no settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadError {
    /// The platform has no place for it.
    NoPlace,
    /// The system does not let us read or write it.
    Io(PathBuf, SystemError),
    /// It has a mistake.
    Mistake(PathBuf, Mistake),
}

/// Where the file lies unless said otherwise; none where the platform has no such place.
pub fn of_platform() -> Option<PathBuf> {
    let directories = directories::ProjectDirs::from("", "", "noughts")?;
    Some(directories.config_dir().join("config.toml"))
}

/// Reads the file. One that is not there says nothing, and is no mistake.
///
/// # Errors
/// When it cannot be read, or has a mistake.
pub fn read(path: &Path) -> Result<Preferences, ReadError> {
    let text = text(path).map_err(|error| ReadError::Io(path.to_owned(), error.into()))?;
    Preferences::parse(&text).map_err(|mistake| ReadError::Mistake(path.to_owned(), mistake))
}

/// The language that the file chooses, if it can be read so far.
pub fn language(path: &Path) -> Option<Lang> {
    Preferences::language(&text(path).ok()?)
}

/// Writes changes into the file: whoever reads it meanwhile sees the old one or the new one, whole.
///
/// # Errors
/// When it cannot be read or replaced, or has a mistake.
pub fn change(path: &Path, changes: &[(Setting, Option<String>)]) -> Result<(), ReadError> {
    let io = |error: io::Error| ReadError::Io(path.to_owned(), error.into());
    let old = text(path).map_err(io)?;
    let new =
        super::changed(&old, changes).map_err(|mistake| ReadError::Mistake(path.to_owned(), mistake))?;
    replace(path, &new).map_err(io)
}

fn text(path: &Path) -> io::Result<String> {
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
    let beside = folder.join(format!(".config-{}.toml", std::process::id()));
    let written = write(&beside, &path, text);
    if written.is_err() {
        // Nothing is left behind; that it is there matters less than why it is.
        drop(fs::remove_file(&beside));
    }
    written
}

fn write(beside: &Path, path: &Path, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).open(beside)?;
    if let Ok(old) = fs::metadata(path) {
        file.set_permissions(old.permissions())?;
    }
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(beside, path)
}
