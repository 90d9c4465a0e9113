//! Plan of a run: games, limits and faults, all derived from the seed.

use std::sync::OnceLock;
use std::time::Duration;

use noughts_protocol::{Rules, TimeControl};
use noughts_server::ServerLimits;
use noughts_tests::faults::Fault;
use noughts_tests::rng::SeededRng;

use crate::cluster::plan::ClusterPlan;

/// Client machine of the simulated network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SimMachine {
    /// One player of each pair, and the spectator.
    West,
    /// The other players.
    East,
    North,
}

impl SimMachine {
    pub(crate) const ALL: [SimMachine; 3] = [SimMachine::West, SimMachine::East, SimMachine::North];

    /// Returns the host name.
    pub(crate) fn host(self) -> &'static str {
        match self {
            SimMachine::West => "west",
            SimMachine::East => "east",
            SimMachine::North => "north",
        }
    }
}

/// A kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SimFault {
    /// All messages between this machine and the server are lost.
    Cut(SimMachine),
    /// Messages from the server are lost.
    Deaf(SimMachine),
    /// Messages to the server are lost.
    Mute(SimMachine),
    /// Messages are held back and then delivered together.
    Hold(SimMachine),
    /// Messages take this long.
    Slow(SimMachine, Duration),
    /// The programs of the machine are killed; their disk remains.
    Crash(SimMachine),
    /// The server process is killed: the system closes its connections.
    Kill,
    /// The server's machine loses power: connections are not closed.
    PowerCut,
    /// The server is stopped and started again.
    Restart,
    /// The server's disk misbehaves.
    Disk(DiskConditions),
    /// A node is killed.
    NodeKill(usize),
    /// A node is stopped, and starts again automatically.
    NodeStop(usize),
    /// A node reaches neither the log nor other nodes; its clients reach it.
    NodeCut(usize),
    /// The log of the cluster has no leader.
    Election,
    /// This share of the accesses to the log of the cluster misbehaves, in percent.
    ClusterLog(u32),
}

/// Behaviour of the disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum DiskConditions {
    /// Without faults.
    #[default]
    Healthy,
    /// Stores nothing and returns errors.
    Refusing,
    /// Replies, and their absence, do not correspond to the stored data.
    Unreliable,
    /// Slow, sometimes beyond every timeout.
    Slow,
}

/// Violation of the log's contract that the checks must detect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LogMutation {
    /// Acknowledges writes that a crash then loses.
    AckUnsynced,
    /// Stores unanswered writes twice.
    StoreTwice,
    /// Stores unanswered writes in another order.
    StoreReordered,
}

/// Fault with its start and end, from the start of the run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FaultWindow {
    pub(crate) from: Duration,
    pub(crate) until: Duration,
    pub(crate) fault: SimFault,
}

/// Rules, clock and seat of a game.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlannedGame {
    pub(crate) rules: Rules,
    pub(crate) clock: Option<TimeControl>,
}

/// Plan of one run.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) seed: u64,
    pub(crate) limits: ServerLimits,
    /// Fault of the server, to test the checks.
    pub(crate) fault: Option<Fault>,
    /// Violation of the log's contract, to test the checks.
    pub(crate) mutation: Option<LogMutation>,
    /// Minimum and maximum latency of a message.
    pub(crate) latency: [Duration; 2],
    pub(crate) fault_windows: Vec<FaultWindow>,
    /// End of the last fault.
    pub(crate) faults_end_at: Duration,
    /// Error of the machine's clock at each start of the server, in milliseconds.
    pub(crate) clock_offsets_ms: Vec<i64>,
    /// Games of the private room, of the lobby's pair, and of the bot.
    pub(crate) games: [PlannedGame; 3],
    /// Several nodes in place of the server.
    pub(crate) cluster: Option<ClusterPlan>,
}

/// Maximum duration of a fault.
pub(crate) const MAX_FAULT_MS: u64 = 4_000;

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// Returns the default limits, cached because they are parsed from the command line.
fn defaults() -> ServerLimits {
    static DEFAULTS: OnceLock<ServerLimits> = OnceLock::new();
    DEFAULTS.get_or_init(ServerLimits::default).clone()
}

impl Plan {
    /// Creates the plan of a seed.
    pub(crate) fn new(seed: u64) -> Plan {
        let mut rng = SeededRng::new(seed);
        let faults_end_at = ms(rng.random_range(6_000, 16_000));
        let limits = random_limits(&mut rng);
        let games = [
            ["3x3:3", "7x6:4+gravity", "4x4:3"],
            ["4x4:4", "3x4:3", "6x5:4"],
            ["5x5:4", "3x3x3:3", "5x4:4"],
        ]
        .map(|texts| PlannedGame {
            rules: rng.choose(&texts).parse().expect("rules"),
            clock: rng
                .random_one_in(2)
                .then(|| "5+2".parse().expect("a clock")),
        });
        let shortest = rng.random_range(1, 20);
        let latency = [ms(shortest), ms(shortest + rng.random_range(1, 80))];
        let fault_windows = random_fault_windows(&mut rng, faults_end_at);
        let clock_offsets_ms = (0..16).map(|_| random_clock_offset(&mut rng)).collect();
        Plan {
            seed,
            limits,
            fault: None,
            mutation: None,
            latency,
            fault_windows,
            faults_end_at,
            clock_offsets_ms,
            games,
            cluster: None,
        }
    }

    /// Returns whether a network fault between a machine and the server overlaps a period.
    pub(crate) fn is_disturbed(
        &self,
        machine: SimMachine,
        from: Duration,
        until: Duration,
    ) -> bool {
        self.fault_windows.iter().any(|window| {
            let is_same_machine = match window.fault {
                SimFault::Cut(at)
                | SimFault::Deaf(at)
                | SimFault::Mute(at)
                | SimFault::Hold(at)
                | SimFault::Slow(at, _)
                | SimFault::Crash(at) => at == machine,
                SimFault::Kill | SimFault::PowerCut => true,
                SimFault::Restart
                | SimFault::Disk(_)
                | SimFault::NodeKill(_)
                | SimFault::NodeStop(_)
                | SimFault::NodeCut(_)
                | SimFault::Election
                | SimFault::ClusterLog(_) => false,
            };
            is_same_machine && window.from <= until && from <= window.until
        })
    }
}

/// Returns short limits, so that a run reaches all of them; one server in four has absence timeouts of zero.
fn random_limits(rng: &mut SeededRng) -> ServerLimits {
    let mut limits = ServerLimits {
        ping_interval: ms(1_000),
        append_timeout: ms(1_500),
        drain_timeout: ms(rng.random_range(200, 2_000)),
        reconnect_grace: ms(30_000),
        leave_grace: ms(5_000),
        abandon_after: ms(60_000),
        resume_buffer: *rng.choose(&[1, 8, 64]),
        // The clients offer and request much more often than people.
        offer_burst: 1_000,
        reply_bytes_per_second: 1_000_000,
        ..defaults()
    };
    if rng.random_one_in(4) {
        (
            limits.reconnect_grace,
            limits.leave_grace,
            limits.abandon_after,
        ) = (ms(1_500), ms(500), ms(4_000));
        limits.room_idle_timeout = ms(10_000);
    }
    limits
}

/// Returns an error of a clock in milliseconds: usually zero, sometimes up to five seconds or up to a day, in either
/// direction.
fn random_clock_offset(rng: &mut SeededRng) -> i64 {
    let far = *rng.choose(&[0, 0, 0, 5_000, 86_400_000]);
    let off = rng.random_below(far + 1).cast_signed();
    if rng.random_one_in(2) { off } else { -off }
}

/// Returns the successive faults of each connection, each machine and the disk, independent of each other.
fn random_fault_windows(rng: &mut SeededRng, faults_end_at: Duration) -> Vec<FaultWindow> {
    let mut fault_windows = Vec::new();
    // Long pauses reveal violations that frequent faults would hide.
    let pause = *rng.choose(&[1_500, 4_000, 9_000]);
    for machine in SimMachine::ALL {
        add_fault_series(
            rng,
            faults_end_at,
            pause,
            &mut fault_windows,
            |rng| match rng.random_below(6) {
                0 => SimFault::Cut(machine),
                1 => SimFault::Deaf(machine),
                2 => SimFault::Mute(machine),
                3 => SimFault::Slow(machine, ms(rng.random_range(100, 900))),
                _ => SimFault::Hold(machine),
            },
        );
    }
    for machine in [SimMachine::West, SimMachine::East] {
        if rng.random_one_in(3) {
            add_fault_series(rng, faults_end_at, 12_000, &mut fault_windows, |_| {
                SimFault::Crash(machine)
            });
        }
    }
    if !rng.random_one_in(4) {
        add_fault_series(
            rng,
            faults_end_at,
            2 * pause,
            &mut fault_windows,
            |rng| match rng.random_below(4) {
                0 => SimFault::Restart,
                1 => SimFault::PowerCut,
                _ => SimFault::Kill,
            },
        );
    }
    add_fault_series(rng, faults_end_at, pause, &mut fault_windows, |rng| {
        SimFault::Disk(*rng.choose(&[
            DiskConditions::Refusing,
            DiskConditions::Unreliable,
            DiskConditions::Unreliable,
            DiskConditions::Slow,
        ]))
    });
    fault_windows
}

fn add_fault_series(
    rng: &mut SeededRng,
    faults_end_at: Duration,
    pause: u64,
    fault_windows: &mut Vec<FaultWindow>,
    mut random_fault: impl FnMut(&mut SeededRng) -> SimFault,
) {
    let mut from = ms(rng.random_range(100, pause));
    loop {
        let until = from + ms(rng.random_range(50, MAX_FAULT_MS));
        if until >= faults_end_at {
            return;
        }
        fault_windows.push(FaultWindow {
            from,
            until,
            fault: random_fault(rng),
        });
        from = until + ms(rng.random_range(300, pause));
    }
}
