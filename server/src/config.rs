//! Command-line flags, their defaults and their validation.
//!
//! This module describes the configuration and constructs nothing: [`crate::cli::serve`] opens the store and the TLS
//! certificate that the flags name.

#[cfg(feature = "cluster")]
mod cluster;
mod ctl;
#[cfg(any(test, not(feature = "cluster")))]
mod no_cluster;
mod server_limits;
#[cfg(test)]
mod tests;

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use anyhow::Context;
use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;
use ipnet::IpNet;

use crate::runtime::logging::LogFormat;
use crate::store::sqlite::Durability;

#[cfg(feature = "cluster")]
pub use cluster::{ClusterAccess, ClusterCommand, ClusterConfig, ClusterServers, DisabledCheck};
pub use ctl::CtlArgs;
pub(crate) use ctl::CtlVerb;
#[cfg(any(test, not(feature = "cluster")))]
pub use no_cluster::{NoCluster, NoClusterCommand};
pub(crate) use server_limits::LIMITS;
pub use server_limits::ServerLimits;

/// Hosts rooms for k-in-a-row games over WebSockets.
///
/// Prints to stdout the address of its page and the command that joins it.
/// Logs go to stderr; RUST_LOG sets the level (default: info).
#[derive(Clone, Debug, Parser)]
#[command(name = "noughts-server", version)]
pub struct ServerConfig {
    /// Address and port to listen on; port 0 picks a free port. The default is loopback only.
    #[arg(
        long,
        value_name = "ADDR:PORT",
        default_value = "127.0.0.1:7878",
        env = "NOUGHTS_LISTEN"
    )]
    pub listen: SocketAddr,

    /// Address and port for /metrics, /ready and /health. The players' port then has no /metrics.
    #[arg(long, value_name = "ADDR:PORT", env = "NOUGHTS_ADMIN_LISTENER")]
    pub admin_listener: Option<SocketAddr>,

    /// Data directory, or `memory` to store nothing on disk. Default: the platform's data directory.
    #[arg(
        long,
        value_name = "DIR|memory",
        default_value = "default",
        hide_default_value = true
    )]
    #[arg(env = "NOUGHTS_DATA", global = true)]
    pub data: DataLocation,

    /// Durability of acknowledged moves.
    #[arg(long, value_enum, default_value = "power")]
    pub durability: Durability,

    /// Time for which finished games are kept.
    #[arg(long, value_name = "TIME", default_value = "10years", value_parser = parse_duration)]
    pub keep_games: Duration,

    /// Maximum number of finished games; older ones are deleted.
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub max_games: u64,

    /// TLS certificate chain (PEM); enables TLS. Requires --tls-key. Reloaded on SIGHUP.
    #[arg(
        long,
        value_name = "FILE",
        requires = "tls_key",
        env = "NOUGHTS_TLS_CERT"
    )]
    pub tls_cert: Option<PathBuf>,

    /// Private key (PEM) of the TLS certificate.
    #[arg(
        long,
        value_name = "FILE",
        requires = "tls_cert",
        env = "NOUGHTS_TLS_KEY"
    )]
    pub tls_key: Option<PathBuf>,

    /// Format of the log lines on stderr.
    #[arg(long, value_enum, default_value = "text")]
    pub log_format: LogFormat,

    /// Stops the server when its standard input ends, for a program that starts a server of its own. Clients of a
    /// server that stores nothing learn that the server does not return.
    #[arg(long)]
    pub stop_with_stdin: bool,

    /// Time from the first stop signal until the server refuses clients, at most 5m. The server keeps serving, but
    /// /ready returns 503, so that a load balancer notices. A further signal ends this time. Default: 0s, on a node of
    /// a cluster 3s.
    #[arg(long, value_name = "TIME", value_parser = parse_drain_wait, env = "NOUGHTS_DRAIN_WAIT")]
    pub drain_wait: Option<Duration>,

    /// Storage in a cluster.
    #[cfg(feature = "cluster")]
    #[command(flatten)]
    pub cluster: ClusterConfig,

    /// Refuses the flag that needs the feature `cluster`.
    #[cfg(not(feature = "cluster"))]
    #[command(flatten)]
    pub no_cluster: NoCluster,

    #[command(flatten)]
    pub limits: ServerLimits,

    /// Without a subcommand, the program runs the server.
    #[command(subcommand)]
    pub command: Option<ServerCommand>,
}

/// Maximum of [`ServerConfig::drain_wait`].
const MAX_DRAIN_WAIT: Duration = Duration::from_secs(300);

/// Default of [`ServerConfig::drain_wait`] on a node of a cluster. It suits a load balancer that checks the node every
/// second.
#[cfg(feature = "cluster")]
const NODE_DRAIN_WAIT_DEFAULT: Duration = Duration::from_secs(3);

impl ServerConfig {
    /// Returns the time from the first stop signal until the server refuses clients.
    pub(crate) fn drain_wait(&self) -> Duration {
        #[cfg(feature = "cluster")]
        let default = if self.cluster.cluster.is_empty() {
            Duration::ZERO
        } else {
            NODE_DRAIN_WAIT_DEFAULT
        };
        #[cfg(not(feature = "cluster"))]
        let default = Duration::ZERO;
        self.drain_wait.unwrap_or(default)
    }

    /// Returns the address of `/health` on this machine.
    pub(crate) fn status_address(&self) -> SocketAddr {
        let mut address = self.admin_listener.unwrap_or(self.listen);
        match address.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
            IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
            IpAddr::V4(_) | IpAddr::V6(_) => {}
        }
        address
    }
}

fn parse_duration(text: &str) -> Result<Duration, humantime::DurationError> {
    humantime::parse_duration(text)
}

fn parse_drain_wait(text: &str) -> Result<Duration, String> {
    let time = parse_duration(text).map_err(|error| error.to_string())?;
    if time <= MAX_DRAIN_WAIT {
        Ok(time)
    } else {
        Err("longer than 5m".into())
    }
}

/// A task other than running a server. Safe while a server runs, except for the import into a cluster and the export
/// from it.
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
    /// Ask the running server of the data directory, or change it.
    Ctl(CtlArgs),
    /// Check that a server responds. Exits with 1 if it does not.
    Health {
        /// Address of the server, or of its admin listener. Default: the address of --admin-listener, or else of
        /// --listen.
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
    /// Print a completion script for a shell.
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
    /// Print one game as a record that `noughts analyse` reads.
    Show {
        /// Number of the game, as printed by `games list`.
        game: i64,
    },
    /// Print every game as a line of JSON, oldest first.
    Export,
}

/// Location of the stored data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DataLocation {
    /// Nothing is stored on disk.
    Memory,
    /// The directory at this path.
    Directory(PathBuf),
    /// The platform's data directory.
    Default,
}

impl FromStr for DataLocation {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<DataLocation, Self::Err> {
        Ok(match text {
            "memory" => DataLocation::Memory,
            "default" => DataLocation::Default,
            directory => DataLocation::Directory(directory.into()),
        })
    }
}

impl DataLocation {
    /// Returns the directory of the data.
    ///
    /// # Errors
    /// If the data is in memory, or the platform has no data directory.
    pub fn directory(&self) -> anyhow::Result<PathBuf> {
        match self {
            DataLocation::Directory(directory) => Ok(directory.clone()),
            DataLocation::Memory => anyhow::bail!("no data is stored with --data memory"),
            DataLocation::Default => directories::ProjectDirs::from("", "", "noughts")
                .map(|directories| directories.data_dir().join("server"))
                .context("this platform has no data directory; set one with --data"),
        }
    }
}

/// Permitted origins, host names and proxies, and the public address.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Network")]
pub struct NetworkConfig {
    /// Origin of a web page that may connect, as a browser sends it (`https://play.example.org`); may be repeated.
    /// Same-origin and local pages are always allowed.
    #[arg(long, value_name = "ORIGIN")]
    pub allow_origin: Vec<String>,
    /// Accepted Host name; may be repeated. Always accepted: addresses, `localhost` and, beyond loopback, local names.
    /// With TLS the default is any name.
    #[arg(long, value_name = "NAME")]
    pub allow_host: Vec<String>,
    /// Network of proxies that name their clients in a PROXY header, `Forwarded` or `X-Forwarded-For`; may be repeated.
    #[arg(long, value_name = "CIDR", value_parser = parse_network)]
    pub trusted_proxy: Vec<IpNet>,
    /// WebSocket address at which other machines reach the server (`wss://games.example.org/ws`), for invitations.
    /// Default: the address that the server prints, unless it listens on loopback only.
    #[arg(long, value_name = "URL", env = "NOUGHTS_PUBLIC_URL")]
    pub public_url: Option<PublicUrl>,
}

/// Parses a network, or an address as the network that contains only it.
fn parse_network(text: &str) -> Result<IpNet, ipnet::AddrParseError> {
    text.parse().or_else(|error| {
        text.parse()
            .map(|address: IpAddr| address.into())
            .map_err(|_| error)
    })
}

/// A WebSocket address for invitations: `wss://games.example.org/ws`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicUrl(String);

impl PublicUrl {
    /// Maximum length, in bytes.
    const MAX_BYTES: usize = 200;

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A text that cannot be the address of a WebSocket server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected ws://HOST:PORT/ws or wss://HOST/ws of at most {} bytes",
    PublicUrl::MAX_BYTES
)]
pub struct PublicUrlError;

impl FromStr for PublicUrl {
    type Err = PublicUrlError;

    fn from_str(text: &str) -> Result<PublicUrl, PublicUrlError> {
        let url: hyper::Uri = text.parse().map_err(|_| PublicUrlError)?;
        let is_websocket = matches!(url.scheme_str(), Some("ws" | "wss"));
        let has_host = url.host().is_some_and(|host| !host.is_empty());
        if is_websocket && has_host && text.len() <= PublicUrl::MAX_BYTES {
            Ok(PublicUrl(text.to_owned()))
        } else {
            Err(PublicUrlError)
        }
    }
}
