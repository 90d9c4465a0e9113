//! Flags of a node of a cluster.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Storage in a cluster of NATS servers instead of a data directory.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Cluster")]
pub struct ClusterConfig {
    /// NATS servers that store the games, separated by commas (`nats://a,nats://b,nats://c`), instead of --data.
    #[arg(
        long,
        value_name = "URLS",
        value_delimiter = ',',
        conflicts_with = "data",
        env = "NOUGHTS_CLUSTER"
    )]
    pub cluster: Vec<String>,

    /// Address and port of this machine at which the other nodes reach this one, such as `10.0.0.1:7880`. Their
    /// connections are not encrypted: use a private network.
    #[arg(
        long,
        value_name = "ADDR",
        requires = "cluster",
        value_parser = parse_node_address,
        env = "NOUGHTS_CLUSTER_LISTEN"
    )]
    pub cluster_listen: Option<SocketAddr>,

    /// Access to the servers.
    #[command(flatten)]
    pub access: ClusterAccess,
}

/// The cluster of a subcommand.
#[derive(Clone, Debug, Args)]
pub struct ClusterServers {
    /// NATS servers of the cluster, separated by commas (`nats://a,nats://b,nats://c`).
    #[arg(
        long,
        value_name = "URLS",
        value_delimiter = ',',
        required = true,
        env = "NOUGHTS_CLUSTER"
    )]
    pub cluster: Vec<String>,

    /// Access to the servers.
    #[command(flatten)]
    pub access: ClusterAccess,
}

/// Inspect a cluster, balance its stream leaders, archive its games, and import or export its rooms.
#[derive(Clone, Debug, Subcommand)]
pub enum ClusterCommand {
    /// Add the finished games of a cluster to the data directory of --data, until interrupted; `games` reads them
    /// there.
    Archive {
        /// The cluster.
        #[command(flatten)]
        servers: ClusterServers,
        /// End when all games are archived.
        #[arg(long)]
        once: bool,
    },
    /// Write the rooms and finished games of --data, which no server uses, to a cluster without running nodes.
    Import(ClusterServers),
    /// Write the rooms and finished games of a cluster without running nodes to --data, an empty directory.
    Export(ClusterServers),
    /// Print the nodes, shards and streams of a cluster. The exit code is 1 if a shard has no owner or is corrupt, or a
    /// stream has no leader or a replica that is missing or not current.
    Status {
        /// The cluster.
        #[command(flatten)]
        servers: ClusterServers,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Spread the leaders of the move streams evenly across the NATS servers. The rooms of a stream pause for a
    /// fraction of a second while its leader changes.
    Balance(ClusterServers),
}

/// Access to a cluster.
#[derive(Clone, Debug, Args)]
pub struct ClusterAccess {
    /// File with the credentials of the NATS user: an NKey seed, or a `.creds` file.
    #[arg(
        long,
        value_name = "FILE",
        requires = "cluster",
        env = "NOUGHTS_CLUSTER_CREDS"
    )]
    pub cluster_creds: Option<PathBuf>,

    /// Certificate authorities of the NATS servers (PEM); requires TLS.
    #[arg(
        long,
        value_name = "FILE",
        requires = "cluster",
        env = "NOUGHTS_CLUSTER_CA"
    )]
    pub cluster_ca: Option<PathBuf>,

    /// Name of the cluster: several of them can use the same NATS servers.
    #[arg(long, value_name = "NAME", default_value = "noughts", value_parser = parse_name)]
    pub cluster_name: String,

    /// Number of shards of a new cluster, a power of two; fixed afterwards [default: 64].
    #[arg(long, value_name = "N", requires = "cluster", value_parser = parse_shards)]
    pub cluster_shards: Option<u16>,

    /// Copies of all data, on as many NATS servers.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=5))]
    pub cluster_replicas: u8,

    /// Safety check that is disabled, in a build with the feature `faults` only.
    #[arg(skip)]
    pub disabled_check: Option<DisabledCheck>,
}

/// A safety check that a test disables, to prove that the tests find its violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DisabledCheck {
    /// The expectation of the last message in each append.
    Expectation,
    /// The minimum version of the NATS servers.
    ServerVersion,
}

impl ClusterAccess {
    #[cfg(feature = "faults")]
    pub(crate) fn is_disabled(&self, check: DisabledCheck) -> bool {
        self.disabled_check == Some(check)
    }

    #[cfg(not(feature = "faults"))]
    pub(crate) fn is_disabled(&self, _: DisabledCheck) -> bool {
        false
    }
}

/// Parses the address that a node announces to other nodes.
fn parse_node_address(text: &str) -> Result<SocketAddr, String> {
    match text.parse::<SocketAddr>() {
        Ok(address) if address.ip().is_unspecified() => {
            Err("an address that the other nodes reach, not an unspecified one".into())
        }
        Ok(address) => Ok(address),
        Err(_) => Err("an address and a port, such as 10.0.0.1:7880".into()),
    }
}

/// Maximum length of a cluster name.
const MAX_NAME_LEN: usize = 32;

/// Parses a cluster name. It becomes part of the names of subjects and streams.
fn parse_name(text: &str) -> Result<String, String> {
    let is_allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if (1..=MAX_NAME_LEN).contains(&text.len()) && text.chars().all(is_allowed) {
        Ok(text.to_owned())
    } else {
        Err(format!(
            "1 to {MAX_NAME_LEN} lower-case letters, digits and hyphens"
        ))
    }
}

fn parse_shards(text: &str) -> Result<u16, String> {
    let count = text
        .parse()
        .ok()
        .filter(|count: &u16| count.is_power_of_two() && *count <= 1024);
    count.ok_or_else(|| "a power of two up to 1024".into())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::config::{DataLocation, ServerCommand, ServerConfig};

    #[test]
    fn names_and_numbers_are_checked() {
        let parse = |flags: &[&str]| {
            let program = ["noughts-server", "--cluster", "nats://a,nats://b"];
            ServerConfig::try_parse_from(program.iter().chain(flags)).map(|config| config.cluster)
        };
        let config = parse(&[]).unwrap();
        assert_eq!(config.cluster, ["nats://a", "nats://b"]);
        let access = config.access;
        assert_eq!(
            (
                access.cluster_name.as_str(),
                access.cluster_shards,
                access.cluster_replicas
            ),
            ("noughts", None, 3)
        );
        assert_eq!(
            parse(&["--cluster-shards", "128"])
                .unwrap()
                .access
                .cluster_shards,
            Some(128)
        );
        for flags in [
            ["--cluster-shards", "48"],
            ["--cluster-shards", "2048"],
            ["--cluster-name", "a.b"],
            ["--cluster-name", ""],
            ["--cluster-replicas", "0"],
            ["--cluster-listen", "0.0.0.0:7880"],
            ["--cluster-listen", "a:7880"],
            ["--data", "memory"],
        ] {
            assert!(parse(&flags).is_err(), "{flags:?}");
        }
        assert!(ServerConfig::try_parse_from(["noughts-server", "--cluster-shards", "8"]).is_err());
    }

    #[test]
    fn a_subcommand_names_a_cluster_and_a_directory() {
        let program = [
            "noughts-server",
            "cluster",
            "archive",
            "--data",
            "/srv/games",
        ];
        let parse = |flags: &[&str]| ServerConfig::try_parse_from(program.iter().chain(flags));
        let config = parse(&[
            "--cluster",
            "nats://a,nats://b",
            "--cluster-name",
            "games",
            "--once",
        ])
        .unwrap();
        assert_eq!(config.data, DataLocation::Directory("/srv/games".into()));
        let Some(ServerCommand::Cluster(ClusterCommand::Archive { servers, once })) =
            config.command
        else {
            panic!("another command")
        };
        assert_eq!(servers.cluster, ["nats://a", "nats://b"]);
        assert_eq!(
            (servers.access.cluster_name.as_str(), once),
            ("games", true)
        );
        assert!(parse(&[]).is_err(), "without a cluster");
    }
}
