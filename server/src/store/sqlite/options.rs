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
    /// Time limit of one commit, after which the log counts as unhealthy, and of closing the file.
    pub write_timeout: Duration,
    /// Clock of the server.
    pub time: ServerClock,
}

impl SqliteOptions {
    /// Options of a log that keeps all games.
    pub fn new(durability: Durability, time: ServerClock) -> SqliteOptions {
        SqliteOptions {
            durability,
            keep_games: Duration::MAX,
            max_games: u64::MAX,
            write_timeout: Duration::from_secs(5),
            time,
        }
    }
}
