//! Paths, permissions and durability of the files of a data directory.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use tracing::warn;

const DATABASE_FILE: &str = "noughts.db";

/// The database file of a data directory.
pub(crate) fn database_in(directory: &Path) -> PathBuf {
    directory.join(DATABASE_FILE)
}

/// The write-ahead log of a database file.
pub(crate) fn wal_of(database: &Path) -> PathBuf {
    with_suffix(database, "-wal")
}

/// The index of the write-ahead log of a database file. All processes that read the log share it.
pub(crate) fn wal_index_of(database: &Path) -> PathBuf {
    with_suffix(database, "-shm")
}

/// The path with a longer name.
pub(crate) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Creates a directory with its parents, durably. Returns whether it did not exist.
pub(crate) fn create_directory(directory: &Path) -> io::Result<bool> {
    let missing: Vec<&Path> = directory
        .ancestors()
        .take_while(|path| !path.as_os_str().is_empty() && !path.exists())
        .collect();
    fs::create_dir_all(directory)?;
    missing
        .iter()
        .try_for_each(|created| sync_parent(created))?;
    Ok(!missing.is_empty())
}

/// Makes the creation, renaming or deletion of a file durable.
pub(crate) fn sync_parent(file: &Path) -> io::Result<()> {
    let parent = file
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    sync_directory(parent.unwrap_or(Path::new(".")))
}

/// Makes the creation, renaming and deletion of the files of a directory durable. Not all directories can be synced: some
/// may be written but not read, and some file systems do not support it.
pub(crate) fn sync_directory(directory: &Path) -> io::Result<()> {
    use io::ErrorKind::{InvalidInput, PermissionDenied, Unsupported};
    match File::open(directory).and_then(|opened| opened.sync_all()) {
        Err(error) if matches!(error.kind(), PermissionDenied | InvalidInput | Unsupported) => {
            warn!(directory = %directory.display(), %error, "directory cannot be synced");
            Ok(())
        }
        synced => synced,
    }
}

/// Makes a file accessible to its owner only, because it contains tokens.
pub(crate) fn restrict_permissions(file: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(file, fs::Permissions::from_mode(0o600))
}
