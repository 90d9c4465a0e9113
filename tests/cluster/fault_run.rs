//! Nodes and NATS servers with players behind a load balancer, and faults of one part after another.

use std::collections::HashMap;
use std::ffi::OsString;
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use clap::Parser;
use noughts_protocol::{RoomId, Seq};
use noughts_server::ServerConfig;
use noughts_server::testing::{
    DisabledCheck, HandoverWatch, ServerClock, ShardHandover, read_cluster, stream_of_room,
};
use noughts_tests::client::crash_player::{CrashPlayer, LONG_TIMEOUT_FLAGS};
use noughts_tests::cluster::{LoadBalancer, MachineNetwork, NodeProcesses, ProcessState};
use noughts_tests::oracle::observations::Observations;
use noughts_tests::rng::SeededRng;
use noughts_tests::server::{CONNECT_TIMEOUTS, LOAD_FLAGS, NatsServers, metric};
use noughts_tests::wait::{wait_until, wait_until_timeout};
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

use crate::node::{NODE, RECOVERY_TIMEOUT, SHARDS, wait_until_settled};

/// Number of nodes, and of NATS servers.
pub(super) const COUNT: usize = 3;

/// Number of streams of a cluster.
const STREAMS: u16 = 3;

const PAIRS: usize = 9;

/// Number of new events that show that a game is being played in a room.
const EVENTS_OF_A_ROOM: u64 = 6;

/// Interval between checks that the nodes are ready.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Interval between checks of the logs of the nodes.
const LOG_INTERVAL: Duration = Duration::from_secs(1);

/// Duration of a stop or of a partition, in milliseconds: below and above the time until a node is replaced.
const FAULT_MS: [u64; 2] = [1_000, 5_000];

/// A fault of one part.
#[derive(Clone, Copy, Debug)]
pub(super) enum ClusterFault {
    KillNode,
    KillAllNodes,
    KillNatsServer,
    StopNode,
    /// The node is paused until other nodes own all shards, and then continues. After a move in each room it is killed,
    /// so that its players connect to other nodes.
    ReplaceNode,
    StopNatsServer,
    /// The node stops in an orderly way (SIGTERM), and is started again.
    RestartNode,
    /// The NATS server hands its leaderships over, ends, and is started again.
    RestartNatsServer,
    /// The node reaches no NATS server; its clients reach it.
    CutNodeFromLog,
    /// Nothing reaches the node.
    CutNode,
    /// Nothing reaches the NATS server.
    CutNatsServer,
}

/// The pauses of the games after a fault.
#[derive(Debug)]
pub(super) struct FaultReport {
    /// Time from the beginning of the fault until all rooms were played.
    pub(super) recovered: Duration,
    /// Maximum time without a new event in any room; after the kill of a NATS server, in any room of a stream that it
    /// led.
    pub(super) longest_pause: Duration,
    /// Maximum time without a new event in the other rooms.
    pub(super) longest_other_pause: Duration,
}

/// The parts of a run. Nodes are on the first machines of the network, NATS servers on the other machines.
pub(super) struct FaultRun {
    balancer: LoadBalancer,
    nodes: NodeProcesses,
    nats: NatsServers,
    network: Option<MachineNetwork>,
    observations: Arc<Observations>,
    players: Vec<tokio::task::JoinHandle<()>>,
    rng: SeededRng,
    control: Option<DisabledCheck>,
    handovers: HandoverWatch,
}

fn stream_name(number: u16) -> String {
    format!("NOUGHTS_LOG_{number}")
}

/// Returns the flags of a node, and of a reader of its logs.
fn cluster_flags(nats: &NatsServers) -> [String; 6] {
    let flag = |name: &str| format!("--cluster{name}");
    let values = [nats.urls(), nats.count().to_string(), SHARDS.to_string()];
    let [urls, replicas, shards] = values;
    [
        flag(""),
        urls,
        flag("-replicas"),
        replicas,
        flag("-shards"),
        shards,
    ]
}

fn cluster_config(nats: &NatsServers) -> ServerConfig {
    let program = "noughts-server".to_owned();
    ServerConfig::parse_from([program].into_iter().chain(cluster_flags(nats)))
}

async fn wait_until_ready(nodes: &mut NodeProcesses, balancer: &LoadBalancer) {
    let deadline = Instant::now() + RECOVERY_TIMEOUT;
    while balancer.ready_count() < COUNT {
        // The rooms may already be played on other nodes while a stopping node has not ended yet.
        restart_ended(nodes);
        if Instant::now() >= deadline {
            panic!("not all nodes are ready\n{}", nodes.last_log_lines());
        }
        sleep(POLL_INTERVAL).await;
    }
}

/// Starts ended nodes again, like a service manager.
fn restart_ended(nodes: &mut NodeProcesses) {
    for node in 0..COUNT {
        if nodes.state(node) == ProcessState::Ended {
            nodes.start(node);
        }
    }
}

impl FaultRun {
    /// Starts players on nodes on loopback, or on the machines of a network.
    pub(super) async fn start(network: Option<MachineNetwork>, seed: u64) -> FaultRun {
        let nats = match &network {
            Some(network) => NatsServers::start_in(network, COUNT..2 * COUNT).await,
            None => NatsServers::start(COUNT).await,
        };
        FaultRun::start_on(nats, network, None, seed).await
    }

    /// Starts players on nodes that leave out a safety check.
    pub(super) async fn start_on(
        nats: NatsServers,
        network: Option<MachineNetwork>,
        control: Option<DisabledCheck>,
        seed: u64,
    ) -> FaultRun {
        let flags = cluster_flags(&nats);
        let variable = control.map(|control| match control {
            DisabledCheck::Expectation => "NOUGHTS_TEST_CONTROL=skip-expectation",
            DisabledCheck::ServerVersion => "NOUGHTS_TEST_CONTROL=accept-any-version",
        });
        // At this level, the logs show why a room was not found.
        let log_filter = "RUST_LOG=info,noughts_server::cluster=debug,noughts_server::room=debug";
        let program = ["env", log_filter]
            .into_iter()
            .chain(variable)
            .chain([NODE]);
        let flags = flags.iter().map(String::as_str);
        let connect_timeouts = CONNECT_TIMEOUTS
            .into_iter()
            .flat_map(|timeout| ["--set", timeout]);
        let flags = flags
            .chain(LOAD_FLAGS)
            .chain(LONG_TIMEOUT_FLAGS)
            .chain(connect_timeouts);
        let command: Vec<OsString> = program.chain(flags).map(OsString::from).collect();
        let mut nodes = match &network {
            Some(network) => NodeProcesses::in_network(command, network, COUNT),
            None => NodeProcesses::on_loopback(command, COUNT),
        };
        let balancer = LoadBalancer::start(0, &nodes.addresses())
            .await
            .expect("a free port");
        for node in 0..COUNT {
            nodes.start(node);
        }
        wait_until_ready(&mut nodes, &balancer).await;
        wait_until_settled(nodes.addresses()).await;
        let handovers = HandoverWatch::start(&cluster_config(&nats))
            .await
            .expect("the nodes have created the streams");
        let observations = Arc::new(Observations::default());
        let url = watch::Sender::new(Some(balancer.url()));
        let players = CrashPlayer::start_pairs(PAIRS, seed, &observations, &url).await;
        let spawn = |player: CrashPlayer| tokio::spawn(player.allow_outages().run(url.subscribe()));
        let players = players.into_iter().map(spawn).collect();
        // The sender is not needed any more, because the address of the load balancer never changes.
        drop(url);
        let rng = SeededRng::new(seed);
        FaultRun {
            balancer,
            nodes,
            nats,
            network,
            observations,
            players,
            rng,
            control,
            handovers,
        }
    }

    /// Returns the planned moves of shards since the last call.
    pub(super) fn take_handovers(&self) -> Vec<ShardHandover> {
        self.handovers.take()
    }

    /// Returns the node with the most connections: it serves games.
    fn busiest_node(&self) -> usize {
        (0..COUNT)
            .max_by_key(|node| self.balancer.report(*node).connections)
            .expect("nodes")
    }

    /// Waits until all rooms are played. Returns the time that it took.
    pub(super) async fn wait_for_play(&mut self, fault: &str) -> Duration {
        let began = Instant::now();
        let before: HashMap<RoomId, Seq> = self.observations.last_sent_seqs();
        let mut logs_read_at = began;
        wait_until_timeout(RECOVERY_TIMEOUT, ("play after", fault), async || {
            assert!(
                !self.players.iter().any(|player| player.is_finished()),
                "a player failed\n{}",
                self.nodes.last_log_lines()
            );
            restart_ended(&mut self.nodes);
            if logs_read_at.elapsed() >= LOG_INTERVAL {
                logs_read_at = Instant::now();
                self.check_logs();
            }
            let now = self.observations.last_sent_seqs();
            let plays =
                |(room, seq): (&RoomId, &Seq)| seq.get() >= before[room].get() + EVENTS_OF_A_ROOM;
            now.iter().all(plays).then_some(())
        })
        .await;
        began.elapsed()
    }

    /// Checks that no node has found a corrupt shard. The games of such a shard have stopped.
    fn check_logs(&self) {
        for node in 0..COUNT {
            let log = std::fs::read_to_string(self.nodes.log_file(node)).expect("a log");
            let corrupt = log.lines().find(|line| line.contains("is corrupt"));
            assert_eq!(corrupt, None, "node {node}");
        }
    }

    /// Waits until all parts that earlier faults stopped run again, then causes a fault and ends it.
    pub(super) async fn cause(&mut self, fault: ClusterFault) -> FaultReport {
        if matches!(fault, ClusterFault::RestartNode | ClusterFault::ReplaceNode) {
            // As an operator should, the test waits until the other nodes serve, because they have to take over.
            wait_until_ready(&mut self.nodes, &self.balancer).await;
        }
        for stream in (0..STREAMS).map(stream_name) {
            self.nats.wait_until_current(&stream).await;
        }
        let node = self.busiest_node();
        let server = self.rng.random_below(self.nats.count() as u64) as usize;
        let duration = Duration::from_millis(self.rng.random_range(FAULT_MS[0], FAULT_MS[1]));
        let led_streams = if matches!(fault, ClusterFault::KillNatsServer) {
            self.streams_led_by(server).await
        } else {
            (0..STREAMS).collect()
        };
        self.observations.take_longest_pauses();
        let began = Instant::now();
        match fault {
            ClusterFault::KillNode => self.nodes.kill(node),
            ClusterFault::KillAllNodes => (0..COUNT).for_each(|node| self.nodes.kill(node)),
            ClusterFault::RestartNode => {
                self.nodes.terminate(node);
                let ended = wait_until("the node's end", async || self.nodes.exit_status(node));
                assert!(
                    ended.await.success(),
                    "SIGTERM ends a node without an error"
                );
            }
            ClusterFault::KillNatsServer => self.nats.kill(server),
            ClusterFault::RestartNatsServer => self.nats.drain(server),
            ClusterFault::StopNode => {
                self.nodes.suspend(node);
                sleep(duration).await;
                self.nodes.resume(node);
            }
            ClusterFault::ReplaceNode => {
                self.nodes.suspend(node);
                self.wait_until_replaced(node).await;
                self.nodes.resume(node);
                self.wait_for_play("the end of a stop").await;
                self.nodes.kill(node);
                wait_until("the load balancer notices the kill", async || {
                    (!self.balancer.report(node).is_ready).then_some(())
                })
                .await;
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
        let recovered = began.elapsed();
        let pauses = self.observations.take_longest_pauses().into_iter();
        let (led, others): (Vec<_>, Vec<_>) = pauses
            .partition(|(room, _)| led_streams.contains(&stream_of_room(*room, SHARDS as u16)));
        let longest = |rooms: Vec<(RoomId, Duration)>| {
            rooms
                .into_iter()
                .map(|(_, pause)| pause)
                .max()
                .unwrap_or_default()
        };
        if matches!(
            fault,
            ClusterFault::KillNatsServer | ClusterFault::RestartNatsServer
        ) {
            self.nats.restart(server).await;
            self.nats.wait_for_meta_leader().await;
        }
        FaultReport {
            recovered,
            longest_pause: longest(led),
            longest_other_pause: longest(others),
        }
    }

    /// Waits until the other nodes own all shards.
    async fn wait_until_replaced(&self, node: usize) {
        let mut others = self.nodes.addresses();
        others.remove(node);
        wait_until("another owner of each shard", async || {
            self.check_logs();
            let mut owned = 0;
            for other in &others {
                // A node ends if it finds a corrupt shard while it starts.
                TcpStream::connect(other).ok()?;
                owned += metric(*other, "noughts_shards_owned").await;
            }
            (owned == SHARDS).then_some(())
        })
        .await;
    }

    /// Returns the numbers of the streams that a NATS server leads.
    async fn streams_led_by(&self, server: usize) -> Vec<u16> {
        let mut led = Vec::new();
        for stream in 0..STREAMS {
            if self.nats.leader(&stream_name(stream)).await == server {
                led.push(stream);
            }
        }
        led
    }

    async fn cut(&self, fault: ClusterFault, node: usize, server: usize, duration: Duration) {
        let network = self.network.as_ref().expect("partitions need a network");
        let machine = if matches!(fault, ClusterFault::CutNatsServer) {
            COUNT + server
        } else {
            node
        };
        if matches!(fault, ClusterFault::CutNodeFromLog) {
            network.cut_from(machine, &[COUNT, COUNT + 1, COUNT + 2]);
        } else {
            network.cut(machine);
        }
        sleep(duration).await;
        network.repair(machine);
    }

    /// Lets the players finish, and compares the events that they have seen with the log.
    pub(super) async fn finish(mut self, fault_count: u64) {
        self.observations.finish();
        for player in self.players.drain(..) {
            noughts_tests::wait::with_timeout("a player's end", player)
                .await
                .expect("a player saw no violation");
        }
        for node in 0..COUNT {
            self.nodes.kill(node);
        }
        let mut config = cluster_config(&self.nats);
        config.cluster.access.disabled_check = self.control;
        let rooms = read_cluster(&config, &ServerClock::start())
            .await
            .expect("the cluster is complete");
        self.observations
            .check_after_faults(&rooms, fault_count.max(1));
        eprintln!("{}", self.observations.summary());
    }
}
