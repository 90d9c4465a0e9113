//! Temporary folders.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Temporary folder, deleted when dropped.
#[derive(Debug)]
pub struct TempDir(PathBuf);

impl Default for TempDir {
    /// Skips names left behind by an earlier process with the same id.
    fn default() -> TempDir {
        static NEXT_NUMBER: AtomicU64 = AtomicU64::new(0);
        loop {
            let name = format!(
                "noughts-{}-{}",
                std::process::id(),
                NEXT_NUMBER.fetch_add(1, Ordering::Relaxed)
            );
            let path = std::env::temp_dir().join(name);
            match std::fs::create_dir(&path) {
                Ok(()) => return TempDir(path),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => panic!("cannot create {}: {error}", path.display()),
            }
        }
    }
}

impl TempDir {
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.0) {
            eprintln!("cannot delete {}: {error}", self.0.display());
        }
    }
}
