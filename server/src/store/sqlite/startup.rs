//! Opening a data directory: its lock, the checks of its files, and the recovery of open rooms.

pub(super) mod data_dir;
pub(super) mod data_files;
pub(super) mod database_copy;
pub(super) mod file_watch;
pub(super) mod lock_file;
pub(super) mod recovery;
pub(super) mod wal_check;
