//! What a seed stands for: the games, the limits and the troubles of one run. The same seed, the same plan.

use std::sync::OnceLock;
use std::time::Duration;

use noughts_protocol::{Rules, TimeControl};
use noughts_server::config::ServerLimits;
use noughts_tests::rng::SeededRng;

use crate::disk::{DiskConditions, LogMutation};

/// A machine of the simulated network, beside the server's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SimMachine {
    /// One player of each pair, and the spectator.
    West,
    /// The other players.
    East,
    /// The bot.
    North,
}

impl SimMachine {
    pub(crate) const ALL: [SimMachine; 3] = [SimMachine::West, SimMachine::East, SimMachine::North];

    /// Its name on the network.
    pub(crate) fn host(self) -> &'static str {
        match self {
            SimMachine::West => "west",
            SimMachine::East => "east",
            SimMachine::North => "north",
        }
    }
}

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SimFault {
    /// Nothing passes between the place and the server, and what is under way is lost.
    Cut(SimMachine),
    /// What the server sends there is lost.
    Deaf(SimMachine),
    /// What is sent from there is lost.
    Mute(SimMachine),
    /// Nothing passes for a while, and then all of it at once.
    Hold(SimMachine),
    /// Everything takes this long.
    Slow(SimMachine, Duration),
    /// The machine's programs are killed; what they have on disk stays.
    Crash(SimMachine),
    /// The server's process is killed: the system closes its connections.
    Kill,
    /// The server's machine loses power: nobody hears of it.
    PowerCut,
    /// The server is told to stop, and started again.
    Restart,
    /// The server's disk does not do as it should.
    Disk(DiskConditions),
}

/// A trouble and when it is there, from the start of the run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FaultWindow {
    pub(crate) from: Duration,
    pub(crate) until: Duration,
    pub(crate) fault: SimFault,
}

/// A game that somebody wants.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlannedGame {
    pub(crate) rules: Rules,
    pub(crate) clock: Option<TimeControl>,
}

/// One run.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) seed: u64,
    pub(crate) limits: ServerLimits,
    /// A log that lies, to see that it is found out.
    pub(crate) mutation: Option<LogMutation>,
    /// The shortest and the longest way of a message.
    pub(crate) latency: [Duration; 2],
    pub(crate) fault_windows: Vec<FaultWindow>,
    /// From here on nothing goes wrong any more.
    pub(crate) faults_end_at: Duration,
    /// How far the machine's clock is off at each start of the server, in milliseconds.
    pub(crate) clock_offsets_ms: Vec<i64>,
    /// The private room's game, that of the pair in the lobby, and that of the bot.
    pub(crate) games: [PlannedGame; 3],
}

/// The longest that one trouble lasts.
pub(crate) const MAX_FAULT_MS: u64 = 4_000;

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// The defaults of the product stand in its flags; parsing them once is enough.
fn defaults() -> ServerLimits {
    static DEFAULTS: OnceLock<ServerLimits> = OnceLock::new();
    DEFAULTS.get_or_init(ServerLimits::default).clone()
}

impl Plan {
    /// The plan of a seed.
    pub(crate) fn new(seed: u64) -> Plan {
        let mut rng = SeededRng::new(seed);
        let faults_end_at = ms(rng.random_range(6_000, 16_000));
        let limits = random_limits(&mut rng);
        let games =
            [["3x3:3", "7x6:4+gravity", "4x4:3"], ["4x4:4", "3x4:3", "6x5:4"], ["5x5:4", "3x3x3:3", "5x4:4"]]
                .map(|texts| PlannedGame {
                    rules: rng.choose(&texts).parse().expect("rules"),
                    clock: rng.random_one_in(2).then(|| "5+2".parse().expect("a clock")),
                });
        let shortest = rng.random_range(1, 20);
        let latency = [ms(shortest), ms(shortest + rng.random_range(1, 80))];
        let fault_windows = random_fault_windows(&mut rng, faults_end_at);
        let clock_offsets_ms = (0..16).map(|_| random_clock_offset(&mut rng)).collect();
        Plan {
            seed,
            limits,
            mutation: None,
            latency,
            fault_windows: fault_windows,
            faults_end_at: faults_end_at,
            clock_offsets_ms: clock_offsets_ms,
            games: games,
        }
    }

    /// Whether a trouble of the line between a place and the server touches this time.
    pub(crate) fn is_disturbed(&self, machine: SimMachine, from: Duration, until: Duration) -> bool {
        self.fault_windows.iter().any(|window| {
            let is_same_machine = match window.fault {
                SimFault::Cut(at)
                | SimFault::Deaf(at)
                | SimFault::Mute(at)
                | SimFault::Hold(at)
                | SimFault::Slow(at, _)
                | SimFault::Crash(at) => at == machine,
                SimFault::Kill | SimFault::PowerCut => true,
                SimFault::Restart | SimFault::Disk(_) => false,
            };
            is_same_machine && window.from <= until && from <= window.until
        })
    }
}

/// Short times, so that a run sees every one of them pass; one server in four has no patience at all.
fn random_limits(rng: &mut SeededRng) -> ServerLimits {
    let mut limits = ServerLimits {
        ping: ms(1_000),
        append: ms(1_500),
        drain: ms(rng.random_range(200, 2_000)),
        grace: ms(30_000),
        left_grace: ms(5_000),
        abandon: ms(60_000),
        tail: *rng.choose(&[1, 8, 64]),
        ..defaults()
    };
    if rng.random_one_in(4) {
        (limits.grace, limits.left_grace, limits.abandon) = (ms(1_500), ms(500), ms(4_000));
        limits.idle_room = ms(10_000);
    }
    limits
}

/// Mostly right, sometimes off by seconds, sometimes by a day, in either direction.
fn random_clock_offset(rng: &mut SeededRng) -> i64 {
    let far = *rng.choose(&[0, 0, 0, 5_000, 86_400_000]);
    let off = rng.random_below(far + 1).cast_signed();
    if rng.random_one_in(2) { off } else { -off }
}

/// Each line, each machine and the disk have troubles of their own, one after the other; those of
/// different ones meet as they may.
fn random_fault_windows(rng: &mut SeededRng, faults_end_at: Duration) -> Vec<FaultWindow> {
    let mut fault_windows = Vec::new();
    // Calm runs find what a storm would hide.
    let pause = *rng.choose(&[1_500, 4_000, 9_000]);
    for machine in SimMachine::ALL {
        add_fault_series(rng, faults_end_at, pause, &mut fault_windows, |rng| match rng.random_below(6) {
            0 => SimFault::Cut(machine),
            1 => SimFault::Deaf(machine),
            2 => SimFault::Mute(machine),
            3 => SimFault::Slow(machine, ms(rng.random_range(100, 900))),
            _ => SimFault::Hold(machine),
        });
    }
    for machine in [SimMachine::West, SimMachine::East] {
        if rng.random_one_in(3) {
            add_fault_series(rng, faults_end_at, 12_000, &mut fault_windows, |_| SimFault::Crash(machine));
        }
    }
    if !rng.random_one_in(4) {
        add_fault_series(rng, faults_end_at, 2 * pause, &mut fault_windows, |rng| {
            match rng.random_below(4) {
                0 => SimFault::Restart,
                1 => SimFault::PowerCut,
                _ => SimFault::Kill,
            }
        });
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
        fault_windows.push(FaultWindow { from, until, fault: random_fault(rng) });
        from = until + ms(rng.random_range(300, pause));
    }
}
