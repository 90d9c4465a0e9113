//! What an operator may set: the address, and every limit of the server with its default.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use clap::{Args, Parser, Subcommand};
use noughts_protocol::wire;

use crate::fault_injection::InjectedFaults;
use crate::net::tls::{TlsCertificate, TlsError};
use crate::store::sqlite::{Durability, SqliteOptions};
use crate::store::{EventLog, MemoryLog, SqliteLog};
use crate::time::server_clock::ServerClock;

/// Hosts rooms for k-in-a-row games over WebSockets.
///
/// The first line on stdout is the WebSocket address served, the second what a friend types to join.
/// Logs go to stderr; RUST_LOG sets how much (default: info).
#[derive(Clone, Debug, Parser)]
#[command(name = "noughts-server", version)]
pub struct ServerConfig {
    /// Address and port to serve; port 0 takes a free one. Beyond loopback only if told so.
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:7878", env = "NOUGHTS_LISTEN")]
    pub listen: SocketAddr,

    /// Where games are kept: a directory, or `memory` for nowhere. By default the platform's data
    /// directory.
    #[arg(long, value_name = "DIR|memory", default_value = "default", hide_default_value = true)]
    #[arg(env = "NOUGHTS_DATA", global = true)]
    pub data: DataLocation,

    /// What an acknowledged move survives: a power cut, or only the end of the process.
    #[arg(long, value_enum, default_value = "power")]
    pub durability: Durability,

    /// For how long finished games are kept.
    #[arg(long, value_name = "TIME", default_value = "10years", value_parser = time)]
    pub keep_games: Duration,

    /// How many finished games are kept; beyond, the oldest give way.
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub max_games: u64,

    /// Certificate chain (PEM): with it and its key, TLS is spoken. SIGHUP reads both again.
    #[arg(long, value_name = "FILE", requires = "tls_key", env = "NOUGHTS_TLS_CERT")]
    pub tls_cert: Option<PathBuf>,

    /// Private key (PEM) of the certificate.
    #[arg(long, value_name = "FILE", requires = "tls_cert", env = "NOUGHTS_TLS_KEY")]
    pub tls_key: Option<PathBuf>,

    /// The limits.
    #[command(flatten)]
    pub limits: ServerLimits,

    /// Something else than to serve.
    #[command(subcommand)]
    pub command: Option<ServerCommand>,
}

impl ServerConfig {
    /// Opens the log.
    ///
    /// # Errors
    /// When its directory cannot be used.
    pub fn open_store(&self, time: &ServerClock) -> anyhow::Result<Arc<dyn EventLog>> {
        let options = SqliteOptions {
            keep_games: self.keep_games,
            max_games: self.max_games,
            write_timeout: self.limits.append,
            ..SqliteOptions::new(self.durability, time.clone())
        };
        Ok(match &self.data {
            DataLocation::Memory => Arc::new(MemoryLog::default()),
            DataLocation::Directory(_) | DataLocation::Default => {
                Arc::new(SqliteLog::open(&self.data.directory()?, options)?)
            }
        })
    }

    /// The certificate to show, if there is one.
    ///
    /// # Errors
    /// When it cannot be used.
    pub fn load_tls(&self) -> Result<Option<Arc<TlsCertificate>>, TlsError> {
        let Some((certificate, key)) = self.tls_cert.as_deref().zip(self.tls_key.as_deref()) else {
            return Ok(None);
        };
        TlsCertificate::open(certificate, key).map(|tls| Some(Arc::new(tls)))
    }
}

/// What can be done with the data, also while a server runs.
#[derive(Clone, Debug, Subcommand)]
pub enum ServerCommand {
    /// Lists, shows or exports finished games.
    #[command(subcommand)]
    Games(GamesCommand),
    /// Copies all data, as of now, to a new file.
    Backup {
        /// The file to write.
        file: PathBuf,
    },
}

/// What can be done with finished games.
#[derive(Clone, Debug, Subcommand)]
pub enum GamesCommand {
    /// The newest, a line each.
    List {
        /// How many at most.
        #[arg(long, default_value_t = 20)]
        limit: u32,
    },
    /// One game as a record that `noughts replay` reads.
    Show {
        /// Its number in the list.
        game: i64,
    },
    /// Every game as a line of JSON, oldest first.
    Export,
}

/// Where games are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DataLocation {
    /// Nowhere.
    Memory,
    /// In this directory.
    Directory(PathBuf),
    /// In the platform's data directory.
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
    /// The directory, where there is one.
    ///
    /// # Errors
    /// With `memory`, or where the platform names no data directory.
    pub fn directory(&self) -> anyhow::Result<PathBuf> {
        match self {
            DataLocation::Directory(directory) => Ok(directory.clone()),
            DataLocation::Memory => anyhow::bail!("nothing is kept with --data memory"),
            DataLocation::Default => directories::ProjectDirs::from("", "", "noughts")
                .map(|directories| directories.data_dir().join("server"))
                .context("this platform names no data directory: give one with --data"),
        }
    }
}

/// Every limit of the server. What happens beyond each stands in server/README.md.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Limits")]
pub struct ServerLimits {
    /// A web page that may connect, as a browser names it (`https://play.example.org`); may be repeated.
    /// Pages of this very server and of this machine may anyway.
    #[arg(long, value_name = "ORIGIN")]
    pub allow_origin: Vec<String>,
    /// A name under which the server may be asked for; may be repeated. Without any, every name will
    /// do, except that on loopback only loopback's names do.
    #[arg(long, value_name = "NAME")]
    pub allow_host: Vec<String>,
    /// WebSocket connections in all.
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    pub max_connections: usize,
    /// WebSocket connections from one address (of IPv6: one /64), and as many that have not finished their
    /// request.
    #[arg(long, value_name = "N", default_value_t = 64)]
    pub max_per_address: usize,
    /// Connections that have not finished their HTTP request.
    #[arg(long, value_name = "N", default_value_t = 1_024)]
    pub max_handshakes: usize,
    /// Rooms.
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub max_rooms: usize,
    /// Rooms that parties from one address have opened or wait for; by default twice the connections that it
    /// may have.
    #[arg(long, value_name = "N")]
    pub max_rooms_per_address: Option<usize>,
    /// Spectators in one room.
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    pub max_watching: usize,
    /// Requests that may wait for one room.
    #[arg(long, value_name = "N", default_value_t = 32)]
    pub room_inbox: u32,
    /// Requests that may wait for the lobby.
    #[arg(long, value_name = "N", default_value_t = 1_024)]
    pub lobby_inbox: usize,
    /// Messages that may wait for one connection.
    #[arg(long, value_name = "N", default_value_t = 64)]
    pub outbox: usize,
    /// Events that a room keeps for those who resume; beyond them they get a snapshot.
    #[arg(long, value_name = "N", default_value_t = 64)]
    pub tail: usize,
    /// Messages that a connection may send at once.
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub burst: u32,
    /// Messages a second that a connection may send in the long run.
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub per_second: u32,
    /// Wrong room ids, codes and tokens from one address in a minute.
    #[arg(long, value_name = "N", default_value_t = 240)]
    pub guesses: u32,
    /// How often a seat may be taken over from a live connection at once; in the long run once a second.
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub takeovers: u32,
    /// Time for a handshake: TLS, the HTTP request and its answer together.
    #[arg(long, value_name = "TIME", default_value = "4s", value_parser = time)]
    pub handshake: Duration,
    /// Time for the hello to arrive.
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = time)]
    pub hello: Duration,
    /// Time for one write to a socket.
    #[arg(long, value_name = "TIME", default_value = "3s", value_parser = time)]
    pub write: Duration,
    /// Time between two pings; a connection that leaves two unanswered is dead.
    #[arg(long, value_name = "TIME", default_value = "15s", value_parser = time)]
    pub ping: Duration,
    /// Time for a lost player to return before the other may claim the game.
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = time)]
    pub grace: Duration,
    /// The same for a player who left on purpose.
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = time)]
    pub left_grace: Duration,
    /// Time after which the game of an absent player is over by itself.
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = time)]
    pub abandon: Duration,
    /// Time that a room may wait for an opponent or for a rematch.
    #[arg(long, value_name = "TIME", default_value = "1h", value_parser = time)]
    pub idle_room: Duration,
    /// Time that a game may go without a move.
    #[arg(long, value_name = "TIME", default_value = "24h", value_parser = time)]
    pub idle_game: Duration,
    /// Time for an event to become durable.
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = time)]
    pub append: Duration,
    /// Time to drain at a shutdown, and what clients are told to wait before they come back.
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = time)]
    pub drain: Duration,
    /// What is done wrong on purpose. No flag: tests set it.
    #[arg(skip)]
    pub faults: InjectedFaults,
}

fn time(text: &str) -> Result<Duration, humantime::DurationError> {
    humantime::parse_duration(text)
}

impl Default for ServerLimits {
    /// The defaults stand once, in the flags.
    fn default() -> ServerLimits {
        ServerConfig::parse_from(["noughts-server"]).limits
    }
}

impl ServerLimits {
    /// The rooms that one address may have.
    pub fn rooms_per_address(&self) -> usize {
        self.max_rooms_per_address.unwrap_or(self.max_per_address.saturating_mul(2))
    }

    /// What the welcome tells a client.
    pub fn wire_limits(&self) -> wire::AnnouncedLimits {
        wire::AnnouncedLimits {
            message_bytes: wire::MAX_REQUEST_BYTES as u32,
            burst: self.burst,
            per_second: self.per_second,
            ping_ms: millis(self.ping),
            grace_ms: millis(self.grace),
            left_grace_ms: millis(self.left_grace),
            tail: u32::try_from(self.tail).unwrap_or(u32::MAX),
            outbox: u32::try_from(self.outbox).unwrap_or(u32::MAX),
        }
    }
}

/// A limit of time in the unit that rooms and wire count in.
pub fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_flags_are_well_formed() {
        ServerConfig::command().debug_assert();
    }

    #[test]
    fn a_limit_that_is_no_time_is_refused() {
        assert!(ServerConfig::try_parse_from(["noughts-server", "--grace", "soon"]).is_err());
        let config = ServerConfig::try_parse_from(["noughts-server", "--grace", "1500ms"]).unwrap();
        assert_eq!(millis(config.limits.grace), 1500);
    }
}
