//! The mark of a data directory whose rooms were imported into a cluster: a server must not serve them as well.

use std::path::{Path, PathBuf};

use crate::store::sqlite::error::DataDirError;

const MARK_FILE: &str = "noughts.imported";

/// A file that marks a data directory as imported.
#[derive(Clone, Debug)]
pub(crate) struct ImportMark(PathBuf);

impl ImportMark {
    /// The mark of a directory, which need not exist.
    pub(crate) fn in_directory(directory: &Path) -> ImportMark {
        ImportMark(directory.join(MARK_FILE))
    }

    /// Whether the directory is marked. A mark that cannot be read counts.
    #[cfg(feature = "cluster")]
    pub(crate) fn exists(&self) -> bool {
        self.0.try_exists().unwrap_or(true)
    }

    /// Marks the directory durably.
    #[cfg(feature = "cluster")]
    pub(crate) fn create(&self) -> std::io::Result<()> {
        std::fs::File::create(&self.0)?.sync_all()
    }

    /// Refuses a directory that is marked.
    ///
    /// # Errors
    /// [`DataDirError::Imported`].
    pub(crate) fn refuse(self) -> Result<(), DataDirError> {
        match self.0.try_exists() {
            Ok(false) => Ok(()),
            Ok(true) => Err(DataDirError::Imported { mark: self.0 }),
            Err(error) => Err(DataDirError::Directory {
                path: self.0,
                error,
            }),
        }
    }
}
