//! Subcommands of the program.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Subcommand;
use clap_complete::Shell;

#[cfg(feature = "cluster")]
use super::cluster::ClusterCommand;
#[cfg(not(feature = "cluster"))]
use super::no_cluster::NoClusterCommand;

/// A task other than running a server. All of them are safe while a server runs.
#[derive(Clone, Debug, Subcommand)]
pub enum ServerCommand {
    /// List, show or export finished games.
    #[command(subcommand)]
    Games(GamesCommand),
    /// Back up the database to a new file, and verify the copy.
    Backup {
        /// File to create.
        file: PathBuf,
    },
    /// Verify all stored data. Exits with 1 if anything is damaged.
    Check {
        /// File of a backup, or a data directory. Default: the data directory of --data.
        path: Option<PathBuf>,
    },
    /// Check that a server responds. Exits with 1 if it does not.
    Health {
        /// Address of the server, or of its admin listener. Default: the address of --admin-listener, or else of --listen.
        address: Option<SocketAddr>,
    },
    /// Move games between a data directory and a cluster, and archive those of a cluster.
    #[cfg(feature = "cluster")]
    #[command(subcommand)]
    Cluster(ClusterCommand),
    /// The command of a program with the feature `cluster`.
    #[cfg(not(feature = "cluster"))]
    #[command(hide = true)]
    Cluster(NoClusterCommand),
    /// Print the manual page.
    Man,
    /// Print the completion script of a shell.
    Completions {
        /// The shell.
        shell: Shell,
    },
}

/// List, show or export finished games.
#[derive(Clone, Debug, Subcommand)]
pub enum GamesCommand {
    /// Print the newest games, one per line.
    List {
        /// Maximum number of games.
        #[arg(long, default_value_t = 20)]
        limit: u32,
    },
    /// Print one game as a record that `noughts replay` reads.
    Show {
        /// Number of the game, as printed by `games list`.
        game: i64,
    },
    /// Print every game as a line of JSON, oldest first.
    Export,
}
