//! Detection of data that is removed or replaced while the server uses it.
//!
//! A process keeps writing to files that have no name any more, and to files of a directory that was moved. Acknowledged
//! moves would be gone after the next start.

use std::fmt;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The files of a running server, as they were when it opened them. The process holds all of them open, so that no other
/// file gets the number of one of them.
#[derive(Debug, Default)]
pub(crate) struct DataFileWatch(Vec<(PathBuf, FileIdentity)>);

/// Device and number of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FileIdentity {
    device: u64,
    inode: u64,
}

/// A change of the files under the running server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LostFile {
    /// Path at which the file was opened.
    pub path: PathBuf,
    /// Another file is at the path.
    pub replaced: bool,
}

impl fmt::Display for LostFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let change = if self.replaced {
            "replaced"
        } else {
            "removed or moved"
        };
        write!(f, "{} was {change}", self.path.display())
    }
}

impl DataFileWatch {
    /// Records the identities of files and directories. Those that do not exist are not watched.
    ///
    /// # Errors
    /// If a file cannot be accessed.
    pub(crate) fn new(paths: impl IntoIterator<Item = PathBuf>) -> io::Result<DataFileWatch> {
        let mut watched = Vec::new();
        for path in paths {
            if let Some(identity) = identity(&path)? {
                watched.push((path, identity));
            }
        }
        Ok(DataFileWatch(watched))
    }

    /// Returns the first file that is not at its path any more.
    ///
    /// # Errors
    /// If a path cannot be accessed; that proves nothing.
    pub(crate) fn find_lost(&self) -> io::Result<Option<LostFile>> {
        for (path, expected) in &self.0 {
            let found = identity(path)?;
            if found != Some(*expected) {
                return Ok(Some(LostFile {
                    path: path.clone(),
                    replaced: found.is_some(),
                }));
            }
        }
        Ok(None)
    }
}

/// Identity of the file at a path, if there is one.
fn identity(path: &Path) -> io::Result<Option<FileIdentity>> {
    match fs::metadata(path) {
        Ok(file) => Ok(Some(FileIdentity {
            device: file.dev(),
            inode: file.ino(),
        })),
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}
