//! Command-line flags, their defaults and their validation.
//!
//! A leaf of the crate: it describes the configuration and constructs nothing. [`crate::cli::serve`] opens the store
//! and the TLS certificate that the flags name.

#[cfg(feature = "cluster")]
mod cluster;
mod command;
mod data_location;
mod limit_field;
mod network_config;
#[cfg(any(test, not(feature = "cluster")))]
mod no_cluster;
mod public_url;
mod server_limits;

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;

use crate::runtime::logging::LogFormat;
use crate::store::sqlite::Durability;
#[cfg(feature = "cluster")]
pub use cluster::{ClusterAccess, ClusterCommand, ClusterConfig, ClusterServers, DisabledCheck};
pub use command::{GamesCommand, ServerCommand};
pub use data_location::DataLocation;
pub use network_config::NetworkConfig;
#[cfg(any(test, not(feature = "cluster")))]
pub use no_cluster::{NoCluster, NoClusterCommand};
pub use public_url::PublicUrl;
pub(crate) use server_limits::LIMITS;
pub use server_limits::ServerLimits;

/// Hosts rooms for k-in-a-row games over WebSockets.
///
/// Prints to stdout the address of its page and the command that joins it.
/// Logs go to stderr; RUST_LOG sets the level (default: info).
#[derive(Clone, Debug, Parser)]
#[command(name = "noughts-server", version)]
pub struct ServerConfig {
    /// Address and port to listen on; port 0 picks a free one. The default is loopback only.
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

    /// Stops the server when its standard input ends, for a program that starts a server of its own. Clients of a server that
    /// stores nothing learn that the server does not return.
    #[arg(long)]
    pub stop_with_stdin: bool,

    /// Time from the first stop signal until the server refuses clients, at most 5m. The server keeps serving, but /ready
    /// returns 503, so that a load balancer notices. A further signal ends this time. Default: 0s, on a node of a cluster 3s.
    #[arg(long, value_name = "TIME", value_parser = parse_drain_wait, env = "NOUGHTS_DRAIN_WAIT")]
    pub drain_wait: Option<Duration>,

    /// Storage in a cluster.
    #[cfg(feature = "cluster")]
    #[command(flatten)]
    pub cluster: ClusterConfig,

    /// The flag of a program with the feature `cluster`.
    #[cfg(not(feature = "cluster"))]
    #[command(flatten)]
    pub no_cluster: NoCluster,

    /// Limits.
    #[command(flatten)]
    pub limits: ServerLimits,

    /// Subcommand. Without one, the program runs the server.
    #[command(subcommand)]
    pub command: Option<ServerCommand>,
}

/// Maximum of [`ServerConfig::drain_wait`].
const MAX_DRAIN_WAIT: Duration = Duration::from_secs(300);

/// Default of [`ServerConfig::drain_wait`] on a node of a cluster, whose load balancer checks it every second.
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::CommandFactory;

    use super::limit_field::LimitField;
    use super::*;
    use crate::runtime::clock::millis;

    #[cfg(not(feature = "cluster"))]
    const PAGES: &str = include_str!("../README.md");
    #[cfg(feature = "cluster")]
    const PAGES: &str = concat!(include_str!("../README.md"), include_str!("../CLUSTER.md"));

    #[test]
    fn flags_are_well_formed() {
        ServerConfig::command().debug_assert();
    }

    fn flags_of_subcommands(command: &clap::Command) -> BTreeSet<String> {
        let flags = |command: &clap::Command| {
            let own = command
                .get_arguments()
                .filter_map(|argument| argument.get_long());
            let own = own.map(|flag| format!("--{flag}"));
            own.chain(flags_of_subcommands(command)).collect::<Vec<_>>()
        };
        command.get_subcommands().flat_map(flags).collect()
    }

    #[test]
    fn each_flag_is_documented_and_exists() {
        let command = ServerConfig::command();
        let visible = command
            .get_arguments()
            .filter(|argument| !argument.is_hide_set());
        let known: BTreeSet<String> = visible
            .filter_map(|argument| argument.get_long())
            .map(|flag| format!("--{flag}"))
            .collect();
        let of_subcommands: BTreeSet<String> = flags_of_subcommands(&command);
        let is_flag_letter = |letter: char| letter.is_ascii_lowercase() || letter == '-';
        let documented: BTreeSet<&str> = PAGES
            .split(|letter: char| !is_flag_letter(letter))
            .filter(|word| word.len() > 2 && word.starts_with("--") && !word.starts_with("---"))
            .collect();
        for flag in documented.iter().filter(|flag| {
            ![
                "--path",
                "--help",
                "--features",
                "--signal",
                "--release",
                "--bin",
                "--now",
                "--unsetenv",
            ]
            .contains(flag)
        }) {
            let exists = known.contains(*flag) || of_subcommands.contains(*flag);
            assert!(exists, "the page names {flag}, which does not exist");
        }
        for flag in known
            .iter()
            .filter(|flag| !["--help", "--version"].contains(&flag.as_str()))
        {
            assert!(
                documented.contains(flag.as_str()),
                "the page does not name {flag}"
            );
        }
    }

    fn parse_limits(arguments: &[&str]) -> Result<ServerLimits, String> {
        let config = ServerConfig::try_parse_from(["noughts-server"].iter().chain(arguments));
        config
            .map(|config| config.limits)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn limits_are_set_by_name_and_the_last_value_counts() {
        let limits = parse_limits(&[
            "--max-rooms",
            "7",
            "--set",
            "reconnect-grace = 1500ms, max-new-per-second=3",
            "--set",
            "max-new-per-second=4",
        ])
        .unwrap();
        assert_eq!(limits.max_rooms, 7);
        assert_eq!(millis(limits.reconnect_grace), 1500);
        assert_eq!(limits.max_new_per_second, Some(4));
        assert_eq!(limits.leave_grace, ServerLimits::default().leave_grace);
    }

    #[test]
    fn the_page_lists_all_limits() {
        let row = |field: &LimitField<ServerLimits>| {
            let name = if field.flag.is_some() {
                format!("--{}", field.name)
            } else {
                field.name.clone()
            };
            let (default, range) = (field.shown_default(), &field.range);
            format!(
                "| `{name}` | {default} | {range} | {} |\n",
                field.document()
            )
        };
        let rows: String = LIMITS.iter().map(row).collect();
        let table = format!("\n| name | default | value | effect |\n|---|---|---|---|\n{rows}\n");
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");
        noughts_golden::check_part(page, "limits", &table);
    }

    #[test]
    fn derived_limits_follow_from_the_connections_of_an_address() {
        let limits = ServerLimits::default();
        assert_eq!(limits.new_connections_per_second(), 86);
        assert_eq!(limits.spectator_byte_rate(), 48 * 64);
        assert_eq!(limits.lobby_byte_rate(), 2 * 48 * 64);
    }

    #[test]
    fn a_refused_limit_names_what_it_takes() {
        for (arguments, expected) in [
            (["--set", "send-queue"], "NAME=VALUE"),
            (["--set", "=3"], "NAME=VALUE"),
            (
                ["--set", "reconnect-grace=soon"],
                "reconnect-grace takes a time, 0s to 1year",
            ),
            (
                ["--set", "lobby-inbox=0"],
                "lobby-inbox takes a number, 1 to 1000000",
            ),
            (["--set", "colour=red"], "write-timeout (a time, 1ms to 1h)"),
            (["--set", "max-rooms=7"], "flag of its own: --max-rooms"),
            (["--max-rooms", "many"], "max-rooms takes a number"),
        ] {
            let error = parse_limits(&arguments).unwrap_err();
            assert!(error.contains(expected), "{arguments:?}: {error}");
        }
    }

    #[test]
    fn the_wait_before_a_drain_is_limited_and_depends_on_the_mode() {
        let parse = |flags: &[&str]| {
            let config = ServerConfig::try_parse_from(["noughts-server"].iter().chain(flags));
            config.map(|config| millis(config.drain_wait()))
        };
        assert_eq!(parse(&[]).unwrap(), 0);
        assert_eq!(parse(&["--drain-wait", "5m"]).unwrap(), 300_000);
        for flag in ["301s", "soon", ""] {
            assert!(parse(&["--drain-wait", flag]).is_err(), "{flag}");
        }
        #[cfg(feature = "cluster")]
        {
            assert_eq!(parse(&["--cluster", "nats://a"]).unwrap(), 3_000);
            assert_eq!(
                parse(&["--cluster", "nats://a", "--drain-wait", "0s"]).unwrap(),
                0
            );
        }
    }
}
