//! Load on a cluster: three nodes on three NATS servers, with the players on the node of their room or on other nodes.

mod cluster_report;
mod cluster_run;
mod running_cluster;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::ensure;
use clap::{Args, ValueEnum};
use noughts_tests::server::skips_nats;

use crate::recorded_games::RecordedGames;
use crate::scenario::MeasureWindow;
use cluster_report::{ClusterMetric, ClusterReport};

/// First argument that makes this program a node of a cluster.
pub(crate) const NODE_ARGUMENT: &str = "node";

/// Nodes of the two players of each pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(crate) enum PlayerLocations {
    /// Both players are on the node of the room.
    Local,
    /// One player is on the node of the room, the opponent on another node.
    OneRemote,
    /// Both players are on nodes other than the node of the room.
    BothRemote,
}

impl PlayerLocations {
    fn name(self) -> &'static str {
        match self {
            PlayerLocations::Local => "local",
            PlayerLocations::OneRemote => "one remote",
            PlayerLocations::BothRemote => "both remote",
        }
    }

    /// Returns the number of players that are not on the node of their room.
    fn remote_players(self) -> usize {
        match self {
            PlayerLocations::Local => 0,
            PlayerLocations::OneRemote => 1,
            PlayerLocations::BothRemote => 2,
        }
    }
}

/// Load on a cluster.
#[derive(Clone, Debug, Args)]
pub(crate) struct ClusterLoad {
    /// Pairs of players.
    #[arg(long, default_value_t = 100)]
    pub(crate) pairs: usize,
    /// Moves per second of all pairs.
    #[arg(long, default_value_t = 1000.0)]
    pub(crate) rate: f64,
    /// Number of shards, a power of two. With fewer shards, more moves share a message.
    #[arg(long, default_value_t = 64)]
    pub(crate) shards: u16,
    /// Idle connections for the measurement of memory.
    #[arg(long, default_value_t = 300)]
    pub(crate) idle: usize,
    /// Locations of the players to measure [default: all].
    #[arg(long, value_delimiter = ',', value_enum)]
    locations: Vec<PlayerLocations>,
    /// Server with the feature `cluster` [default: the server that this program contains].
    #[arg(long, value_name = "PROGRAM")]
    program: Option<PathBuf>,
}

impl ClusterLoad {
    /// Returns the load of the smoke test.
    pub(crate) fn small() -> ClusterLoad {
        let locations = vec![PlayerLocations::BothRemote];
        ClusterLoad {
            pairs: 3,
            rate: 200.0,
            shards: 64,
            idle: 3,
            locations,
            program: None,
        }
    }

    /// Returns the command that runs a node, without its flags.
    fn node_command(&self) -> anyhow::Result<Vec<OsString>> {
        Ok(match &self.program {
            Some(program) => vec![program.into()],
            None => vec![std::env::current_exe()?.into(), NODE_ARGUMENT.into()],
        })
    }

    /// Measures each choice of nodes for the players on a new cluster, `rounds` times, and prints the medians.
    ///
    /// # Errors
    /// If a node does not respond, or no game is played.
    pub(crate) async fn measure(
        &self,
        recorded_games: &std::rc::Rc<RecordedGames>,
        rounds: usize,
        window: MeasureWindow,
    ) -> anyhow::Result<()> {
        if skips_nats() {
            return Ok(());
        }
        let all = [
            PlayerLocations::Local,
            PlayerLocations::OneRemote,
            PlayerLocations::BothRemote,
        ];
        let is_selected = |locations: &PlayerLocations| {
            self.locations.is_empty() || self.locations.contains(locations)
        };
        let mut report = ClusterReport::default();
        for _ in 0..rounds {
            for locations in all.into_iter().filter(is_selected) {
                report.add(
                    locations,
                    cluster_run::run(self, locations, recorded_games, window).await?,
                );
            }
        }
        println!(
            "{} pairs, {} moves/s, {} shards",
            self.pairs, self.rate, self.shards
        );
        println!("{report}");
        let pair_bytes = |locations| report.median(ClusterMetric::BytesPerPair, locations);
        for locations in all.into_iter().filter(is_selected).filter(|locations| {
            is_selected(&PlayerLocations::Local) && locations.remote_players() > 0
        }) {
            let bytes = (pair_bytes(locations) - pair_bytes(PlayerLocations::Local))
                / locations.remote_players() as f64;
            println!(
                "{}: {bytes:.0} bytes more for each remote member",
                locations.name()
            );
        }
        for locations in all.into_iter().filter(is_selected) {
            let moves = report.median(ClusterMetric::MovesPerSecond, locations);
            ensure!(moves > 0.0, "no move was played: {locations:?}");
        }
        Ok(())
    }
}

/// Maximum time until the cluster has started and the players are connected.
const START_TIMEOUT: Duration = Duration::from_secs(120);
