//! Kills, stops and partitions of nodes and NATS servers, one after the other, while players play through a load
//! balancer. What the players have seen is compared with the log at the end.
//!
//! `NOUGHTS_TEST_CLUSTER_KILLS`, `NOUGHTS_TEST_CLUSTER_STOPS` and `NOUGHTS_TEST_PARTITIONS` set the number of faults.

use std::collections::HashMap;
use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;

use clap::Parser;
use noughts_protocol::{RoomId, Seq};
use noughts_server::ServerConfig;
use noughts_server::testing::{ServerClock, open_cluster};
use noughts_tests::cluster::{LoadBalancer, MachineNetwork, NodeProcesses, ProcessState};
use noughts_tests::oracle::observations::Observations;
use noughts_tests::rng::{SeededRng, env_number};
use noughts_tests::server::{LOAD_FLAGS, NatsServers, skips_nats};
use noughts_tests::wait::wait_until_timeout;
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

use crate::storage::crash_player::{CrashPlayer, LONG_TIMEOUT_FLAGS};

const NODE: &str = env!("CARGO_BIN_EXE_cluster_node");

/// Number of nodes, and of NATS servers.
const COUNT: usize = 3;

const PAIRS: usize = 6;

/// Events that show that a room is played.
const EVENTS_OF_A_ROOM: u64 = 6;

/// For an election of the NATS servers, a takeover, and players on a busy machine.
const RECOVERY_TIMEOUT: Duration = Duration::from_secs(120);

/// Duration of a stop or of a partition, in milliseconds: below and above the time after which a node is replaced.
const FAULT_MS: [u64; 2] = [1_000, 9_000];

/// A fault of one part.
#[derive(Clone, Copy, Debug)]
enum ClusterFault {
    KillNode,
    KillNatsServer,
    StopNode,
    StopNatsServer,
    /// The node reaches no NATS server; its clients reach it.
    CutNodeFromLog,
    /// Nothing reaches the node.
    CutNode,
    /// Nothing reaches the NATS server.
    CutNatsServer,
}

/// The parts of a run. Nodes are on the first machines of the network, NATS servers on the others.
struct FaultRun {
    balancer: LoadBalancer,
    nodes: NodeProcesses,
    nats: NatsServers,
    network: Option<MachineNetwork>,
    observations: Arc<Observations>,
    players: Vec<tokio::task::JoinHandle<()>>,
    rng: SeededRng,
}

impl FaultRun {
    async fn start(network: Option<MachineNetwork>, seed: u64) -> FaultRun {
        let nats = match &network {
            Some(network) => NatsServers::start_in(network, COUNT..2 * COUNT).await,
            None => NatsServers::start(COUNT).await,
        };
        let urls = nats.urls();
        let flags = ["--cluster", &urls, "--cluster-shards", "8"].into_iter();
        let flags = flags.chain(LOAD_FLAGS).chain(LONG_TIMEOUT_FLAGS);
        let command: Vec<OsString> = [NODE].into_iter().chain(flags).map(OsString::from).collect();
        let mut nodes = match &network {
            Some(network) => NodeProcesses::in_network(command, network, COUNT),
            None => NodeProcesses::on_loopback(command, COUNT),
        };
        let balancer = LoadBalancer::start(0, &nodes.addresses()).await.expect("a free port");
        for node in 0..COUNT {
            nodes.start(node);
        }
        wait_until_timeout(RECOVERY_TIMEOUT, "a ready node", async || {
            (balancer.ready_count() > 0).then_some(())
        })
        .await;
        let observations = Arc::new(Observations::default());
        let url = watch::Sender::new(Some(balancer.url()));
        let players = CrashPlayer::start_pairs(PAIRS, seed, &observations, &url).await;
        let spawn = |player: CrashPlayer| tokio::spawn(player.allow_outages().run(url.subscribe()));
        let players = players.into_iter().map(spawn).collect();
        // The address of the load balancer never changes.
        drop(url);
        FaultRun { balancer, nodes, nats, network, observations, players, rng: SeededRng::new(seed) }
    }

    /// The node with the most connections: it serves games.
    fn busiest_node(&self) -> usize {
        (0..COUNT).max_by_key(|node| self.balancer.report(*node).connections).expect("nodes")
    }

    /// Waits until all rooms are played. Returns the time that it took.
    async fn wait_for_play(&mut self, fault: &str) -> Duration {
        let began = Instant::now();
        let before: HashMap<RoomId, Seq> = self.observations.last_sent_seqs();
        wait_until_timeout(RECOVERY_TIMEOUT, ("play after", fault), async || {
            assert!(!self.players.iter().any(|player| player.is_finished()), "a player failed");
            // A service manager starts an ended node again.
            for node in 0..COUNT {
                if self.nodes.state(node) == ProcessState::Ended {
                    self.nodes.start(node);
                }
            }
            let now = self.observations.last_sent_seqs();
            let plays = |(room, seq): (&RoomId, &Seq)| seq.get() >= before[room].get() + EVENTS_OF_A_ROOM;
            now.iter().all(plays).then_some(())
        })
        .await;
        began.elapsed()
    }

    /// Causes a fault and ends it. Returns the time until all rooms were played again, from the begin of the fault.
    async fn cause(&mut self, fault: ClusterFault) -> Duration {
        let began = Instant::now();
        let node = self.busiest_node();
        let server = self.rng.random_below(COUNT as u64) as usize;
        let duration = Duration::from_millis(self.rng.random_range(FAULT_MS[0], FAULT_MS[1]));
        match fault {
            ClusterFault::KillNode => self.nodes.kill(node),
            ClusterFault::KillNatsServer => {
                self.nats.kill(server);
                self.wait_for_play("the kill of a NATS server").await;
                let recovered = began.elapsed();
                self.nats.restart(server).await;
                return recovered;
            }
            ClusterFault::StopNode => {
                self.nodes.suspend(node);
                sleep(duration).await;
                self.nodes.resume(node);
            }
            ClusterFault::StopNatsServer => {
                self.nats.send_signal(server, "STOP");
                sleep(duration).await;
                self.nats.send_signal(server, "CONT");
            }
            ClusterFault::CutNodeFromLog | ClusterFault::CutNode | ClusterFault::CutNatsServer => {
                self.cut(fault, node, server, duration).await;
            }
        }
        self.wait_for_play(&format!("{fault:?}")).await;
        began.elapsed()
    }

    async fn cut(&self, fault: ClusterFault, node: usize, server: usize, duration: Duration) {
        let network = self.network.as_ref().expect("partitions need a network");
        let machine = match fault {
            ClusterFault::CutNatsServer => COUNT + server,
            ClusterFault::KillNode
            | ClusterFault::KillNatsServer
            | ClusterFault::StopNode
            | ClusterFault::StopNatsServer
            | ClusterFault::CutNodeFromLog
            | ClusterFault::CutNode => node,
        };
        if matches!(fault, ClusterFault::CutNodeFromLog) {
            network.cut_from(machine, &[COUNT, COUNT + 1, COUNT + 2]);
        } else {
            network.cut(machine);
        }
        sleep(duration).await;
        network.repair(machine);
    }

    /// Lets the players finish, and compares what they have seen with the log.
    async fn finish(mut self, fault_count: u64) {
        self.observations.finish();
        for player in self.players.drain(..) {
            noughts_tests::wait::with_timeout("a player's end", player)
                .await
                .expect("a player saw no violation");
        }
        for node in 0..COUNT {
            self.nodes.kill(node);
        }
        let servers = self.nats.urls();
        let open = move || {
            let flags = ["noughts-server", "--cluster", &servers, "--cluster-shards", "8"];
            open_cluster(&ServerConfig::parse_from(flags), &ServerClock::start())
        };
        let log = tokio::task::spawn_blocking(open).await.expect("no panic");
        let log = log.expect("the cluster is complete").expect("a cluster is named");
        let rooms = log.recover().await.expect("the shards are owned");
        self.observations.check_after_faults(&rooms, fault_count.max(1));
        eprintln!("{}", self.observations.summary());
        tokio::task::spawn_blocking(move || drop(log)).await.expect("no panic");
    }
}

/// Number, median and maximum of some times.
fn format_times(times: &mut [Duration]) -> String {
    times.sort_unstable();
    let count = times.len();
    match (times.get(count / 2), times.last()) {
        (Some(median), Some(last)) => format!("{count}, median {median:.1?}, maximum {last:.1?}"),
        (None, _) | (_, None) => "none".into(),
    }
}

async fn run_faults(network: Option<MachineNetwork>, seed: u64, faults: &[(&str, &[ClusterFault], u64)]) {
    let mut run = FaultRun::start(network, seed).await;
    run.wait_for_play("the start").await;
    for (name, kinds, count) in faults {
        let mut times = Vec::new();
        for number in 0..*count {
            let fault = kinds[number as usize % kinds.len()];
            let recovered = run.cause(fault).await;
            eprintln!("{name} {}: {fault:?}, all rooms play after {recovered:.1?}", number + 1);
            times.push(recovered);
        }
        eprintln!("{name}: {}", format_times(&mut times));
    }
    run.finish(faults.iter().map(|(_, _, count)| count).sum()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kills_and_stops_lose_double_and_reorder_nothing() {
    if skips_nats() {
        return;
    }
    let kills = env_number("NOUGHTS_TEST_CLUSTER_KILLS", 4);
    let stops = env_number("NOUGHTS_TEST_CLUSTER_STOPS", 2);
    let faults = [
        ("kill", &[ClusterFault::KillNode, ClusterFault::KillNatsServer][..], kills),
        ("stop", &[ClusterFault::StopNode, ClusterFault::StopNatsServer][..], stops),
    ];
    run_faults(None, env_number("NOUGHTS_TEST_SEED", 1), &faults).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn partitions_lose_double_and_reorder_nothing() {
    if skips_nats() {
        return;
    }
    let network = match MachineNetwork::new(2 * COUNT) {
        Ok(network) => network,
        Err(error) => {
            // Written past the test runner's capture, so that a skipped test is visible.
            use std::io::Write;
            let written =
                writeln!(std::io::stderr(), "\npartitions: NOT RUN, cannot create networks: {error}");
            return written.expect("stderr is open");
        }
    };
    let kinds = [ClusterFault::CutNodeFromLog, ClusterFault::CutNode, ClusterFault::CutNatsServer];
    let partitions = env_number("NOUGHTS_TEST_PARTITIONS", 3);
    let faults = [("partition", &kinds[..], partitions)];
    run_faults(Some(network), env_number("NOUGHTS_TEST_SEED", 2), &faults).await;
}
