//! Options of a SQLite log. A leaf: the command line uses the types, too.

use std::time::Duration;

use crate::runtime::time::server_clock::ServerClock;

/// Failure that an acknowledged event survives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Durability {
    /// A power failure, provided that the disk honours fsync: every commit is synced.
    Power,
    /// The end of the process, even by SIGKILL. A power failure may lose the last seconds.
    Process,
}

impl Durability {
    /// Value of `PRAGMA synchronous`.
    pub(super) fn synchronous(self) -> &'static str {
        match self {
            Durability::Power => "full",
            Durability::Process => "normal",
        }
    }
}

/// Options of a log.
#[derive(Clone, Debug)]
pub struct SqliteOptions {
    /// Failure that an acknowledged event survives.
    pub durability: Durability,
    /// Age at which finished games are deleted.
    pub keep_games: Duration,
    /// Maximum number of finished games; the oldest are deleted first.
    pub max_games: u64,
    /// Age below which a finished game is not deleted because of the maximum. While there is no other one to delete, new
    /// games are not kept.
    pub protect_games: Duration,
    /// Time limit of one commit, after which the log counts as unhealthy, and of closing the file.
    pub write_timeout: Duration,
    /// Size to which the write-ahead log is truncated when it begins again.
    pub wal_kept_bytes: u64,
    /// Size from which the server warns about the write-ahead log.
    pub wal_warning_bytes: u64,
    /// Clock of the server.
    pub time: ServerClock,
}

/// Default of [`SqliteOptions::wal_kept_bytes`]: more than the log reaches under constant load, where it is overwritten in
/// place. Writing to a file that grows again would make every commit slower.
const WAL_KEPT_BYTES_DEFAULT: u64 = 96 << 20;

/// Default of [`SqliteOptions::wal_warning_bytes`].
const WAL_WARNING_BYTES_DEFAULT: u64 = 256 << 20;

impl SqliteOptions {
    /// Options of a log that keeps all games.
    pub fn new(durability: Durability, time: ServerClock) -> SqliteOptions {
        SqliteOptions {
            durability,
            keep_games: Duration::MAX,
            max_games: u64::MAX,
            protect_games: Duration::ZERO,
            write_timeout: Duration::from_secs(5),
            wal_kept_bytes: WAL_KEPT_BYTES_DEFAULT,
            wal_warning_bytes: WAL_WARNING_BYTES_DEFAULT,
            time,
        }
    }
}
