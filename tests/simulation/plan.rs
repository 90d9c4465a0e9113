//! What a seed stands for: the games, the limits and the troubles of one run. The same seed, the same plan.

use std::sync::OnceLock;
use std::time::Duration;

use noughts_protocol::{Rules, TimeControl};
use noughts_server::config::Limits;
use noughts_tests::chance::Chance;

use crate::disk::{Lie, Weather};

/// A machine of the simulated network, beside the server's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place {
    /// One player of each pair, and the spectator.
    West,
    /// The other players.
    East,
    /// The bot.
    North,
}

impl Place {
    pub(crate) const ALL: [Place; 3] = [Place::West, Place::East, Place::North];

    /// Its name on the network.
    pub(crate) fn host(self) -> &'static str {
        match self {
            Place::West => "west",
            Place::East => "east",
            Place::North => "north",
        }
    }
}

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// Nothing passes between the place and the server, and what is under way is lost.
    Cut(Place),
    /// What the server sends there is lost.
    Deaf(Place),
    /// What is sent from there is lost.
    Mute(Place),
    /// Nothing passes for a while, and then all of it at once.
    Hold(Place),
    /// Everything takes this long.
    Slow(Place, Duration),
    /// The machine's programs are killed; what they have on disk stays.
    Crash(Place),
    /// The server's process is killed: the system closes its connections.
    Kill,
    /// The server's machine loses power: nobody hears of it.
    PowerCut,
    /// The server is told to stop, and started again.
    Restart,
    /// The server's disk does not do as it should.
    Disk(Weather),
}

/// A trouble and when it is there, from the start of the run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spell {
    pub(crate) from: Duration,
    pub(crate) until: Duration,
    pub(crate) what: Trouble,
}

/// A game that somebody wants.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    pub(crate) rules: Rules,
    pub(crate) clock: Option<TimeControl>,
}

/// One run.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) seed: u64,
    pub(crate) limits: Limits,
    /// A log that lies, to see that it is found out.
    pub(crate) lie: Option<Lie>,
    /// The shortest and the longest way of a message.
    pub(crate) latency: [Duration; 2],
    pub(crate) spells: Vec<Spell>,
    /// From here on nothing goes wrong any more.
    pub(crate) quiet_at: Duration,
    /// How far the machine's clock is off at each start of the server, in milliseconds.
    pub(crate) clock_off: Vec<i64>,
    /// The private room's game, that of the pair in the lobby, and that of the bot.
    pub(crate) wanted: [Wanted; 3],
}

/// The longest that one trouble lasts.
pub(crate) const LONGEST: u64 = 4_000;

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// The defaults of the product stand in its flags; parsing them once is enough.
fn defaults() -> Limits {
    static DEFAULTS: OnceLock<Limits> = OnceLock::new();
    DEFAULTS.get_or_init(Limits::default).clone()
}

impl Plan {
    /// The plan of a seed.
    pub(crate) fn new(seed: u64) -> Plan {
        let mut chance = Chance::new(seed);
        let quiet_at = ms(chance.between(6_000, 16_000));
        let limits = limits(&mut chance);
        let wanted =
            [["3x3:3", "7x6:4+gravity", "4x4:3"], ["4x4:4", "3x4:3", "6x5:4"], ["5x5:4", "3x3x3:3", "5x4:4"]]
                .map(|texts| Wanted {
                    rules: chance.pick(&texts).parse().expect("rules"),
                    clock: chance.one_in(2).then(|| "5+2".parse().expect("a clock")),
                });
        let shortest = chance.between(1, 20);
        let latency = [ms(shortest), ms(shortest + chance.between(1, 80))];
        let spells = spells(&mut chance, quiet_at);
        let clock_off = (0..16).map(|_| clock_off(&mut chance)).collect();
        Plan { seed, limits, lie: None, latency, spells, quiet_at, clock_off, wanted }
    }

    /// Whether a trouble of the line between a place and the server touches this time.
    pub(crate) fn is_troubled(&self, place: Place, from: Duration, until: Duration) -> bool {
        self.spells.iter().any(|spell| {
            let here = match spell.what {
                Trouble::Cut(at)
                | Trouble::Deaf(at)
                | Trouble::Mute(at)
                | Trouble::Hold(at)
                | Trouble::Slow(at, _)
                | Trouble::Crash(at) => at == place,
                Trouble::Kill | Trouble::PowerCut => true,
                Trouble::Restart | Trouble::Disk(_) => false,
            };
            here && spell.from <= until && from <= spell.until
        })
    }
}

/// Short times, so that a run sees every one of them pass; one server in four has no patience at all.
fn limits(chance: &mut Chance) -> Limits {
    let mut limits = Limits {
        ping: ms(1_000),
        append: ms(1_500),
        drain: ms(chance.between(200, 2_000)),
        grace: ms(30_000),
        left_grace: ms(5_000),
        abandon: ms(60_000),
        tail: *chance.pick(&[1, 8, 64]),
        ..defaults()
    };
    if chance.one_in(4) {
        (limits.grace, limits.left_grace, limits.abandon) = (ms(1_500), ms(500), ms(4_000));
        limits.idle_room = ms(10_000);
    }
    limits
}

/// Mostly right, sometimes off by seconds, sometimes by a day, in either direction.
fn clock_off(chance: &mut Chance) -> i64 {
    let far = *chance.pick(&[0, 0, 0, 5_000, 86_400_000]);
    let off = chance.below(far + 1).cast_signed();
    if chance.one_in(2) { off } else { -off }
}

/// Each line, each machine and the disk have troubles of their own, one after the other; those of
/// different ones meet as they may.
fn spells(chance: &mut Chance, quiet_at: Duration) -> Vec<Spell> {
    let mut spells = Vec::new();
    // Calm runs find what a storm would hide.
    let pause = *chance.pick(&[1_500, 4_000, 9_000]);
    for place in Place::ALL {
        series(chance, quiet_at, pause, &mut spells, |chance| match chance.below(6) {
            0 => Trouble::Cut(place),
            1 => Trouble::Deaf(place),
            2 => Trouble::Mute(place),
            3 => Trouble::Slow(place, ms(chance.between(100, 900))),
            _ => Trouble::Hold(place),
        });
    }
    for place in [Place::West, Place::East] {
        if chance.one_in(3) {
            series(chance, quiet_at, 12_000, &mut spells, |_| Trouble::Crash(place));
        }
    }
    if !chance.one_in(4) {
        series(chance, quiet_at, 2 * pause, &mut spells, |chance| match chance.below(4) {
            0 => Trouble::Restart,
            1 => Trouble::PowerCut,
            _ => Trouble::Kill,
        });
    }
    series(chance, quiet_at, pause, &mut spells, |chance| {
        Trouble::Disk(*chance.pick(&[Weather::Refusing, Weather::Doubtful, Weather::Doubtful, Weather::Slow]))
    });
    spells
}

fn series(
    chance: &mut Chance,
    quiet_at: Duration,
    pause: u64,
    spells: &mut Vec<Spell>,
    mut draw: impl FnMut(&mut Chance) -> Trouble,
) {
    let mut from = ms(chance.between(100, pause));
    loop {
        let until = from + ms(chance.between(50, LONGEST));
        if until >= quiet_at {
            return;
        }
        spells.push(Spell { from, until, what: draw(chance) });
        from = until + ms(chance.between(300, pause));
    }
}
