//! Runs a plan: starts everybody, brings the troubles on and takes them away, lets everything come to rest,
//! and judges.

use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use noughts_server::dice::Dice;
use noughts_server::time::Time;
use turmoil::{Builder, Sim};

use crate::disk::{DiskLog, Weather};
use crate::judge;
use crate::network::{Door, SERVER};
use crate::person::{Errand, Person};
use crate::plan::{Place, Plan, Spell, Trouble};
use crate::world::World;
use crate::{machine, probe, spectator};

/// How finely time passes on the network; within a machine it passes as it does.
const TICK: Duration = Duration::from_millis(20);
/// When everything must have come to rest, after the last trouble.
const REST_WITHIN: Duration = Duration::from_secs(200);
/// By when a client hears of a restart where the line is as it should be.
const TOLD_WITHIN: Duration = Duration::from_millis(1_500);
/// The machine's clock at the start, in milliseconds since 1970.
const EPOCH: u64 = 1_750_000_000_000;

/// The players, the spectator and the bot.
const CAST: [&str; 7] = ["Ann", "Bob", "Cid", "Dan", "Eve", "Fay", machine::NAME];

/// What came of a run.
pub(crate) struct Report {
    pub(crate) trace: String,
    pub(crate) counts: std::collections::BTreeMap<&'static str, u64>,
    /// What was wrong, if anything was.
    pub(crate) breach: Option<String>,
}

/// Runs a plan to its end, or to the first thing that must not be.
pub(crate) fn run(plan: Plan) -> Report {
    // The order in which a dying runtime drops its tasks depends on their ids, which all threads of the
    // process draw from one counter: one run at a time, each from the same place.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    align_task_ids();
    let world = World::new(plan);
    let ran = std::panic::catch_unwind(AssertUnwindSafe(|| Director::new(&world).run()));
    let breach = match ran {
        Ok(Ok(())) => world.notes.first_breach(),
        Ok(Err(breach)) => Some(breach),
        Err(panic) => {
            let said = panic.downcast_ref::<String>().cloned();
            Some(
                said.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()))
                    .unwrap_or_default(),
            )
        }
    };
    Report { trace: world.notes.trace(), counts: world.notes.counts(), breach }
}

/// Draws ids of tasks until the next one is in the first place of whatever tokio keeps tasks in: those are
/// few, and their number is a power of two.
fn align_task_ids() {
    const PLACES: u64 = 64;
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(async {
        loop {
            let id: u64 = tokio::spawn(async {}).id().to_string().parse().expect("ids are numbers");
            if id % PLACES == PLACES - 1 {
                return;
            }
        }
    });
}

struct Director<'a> {
    world: &'a Arc<World>,
    sim: Sim<'a>,
    /// What is on now.
    on: Vec<Trouble>,
    /// The server has been told to stop, and is to be started again once it has.
    restarts: bool,
    /// Lines whose ends are to be told of a restart by then.
    to_be_told: Vec<(Duration, usize)>,
}

impl<'a> Director<'a> {
    fn new(world: &'a Arc<World>) -> Director<'a> {
        let plan = &world.plan;
        let mut sim = Builder::new()
            .epoch(SystemTime::UNIX_EPOCH + Duration::from_millis(EPOCH))
            .tick_duration(TICK)
            .simulation_duration(Duration::from_secs(3_600))
            .rng_seed(plan.seed)
            .min_message_latency(plan.latency[0])
            .max_message_latency(plan.latency[1])
            .enable_random_order()
            .build();
        let starts = Arc::new(AtomicUsize::new(0));
        let server = Arc::clone(world);
        sim.host(SERVER, move || serve(Arc::clone(&server), starts.fetch_add(1, Ordering::Relaxed)));
        let [private, paired, against_the_bot] = plan.wanted;
        let people = [
            Person::new(world, "Ann", Place::West, Errand::Host(private)),
            Person::new(world, "Bob", Place::East, Errand::Guest),
            Person::new(world, "Cid", Place::West, Errand::Seek(paired)),
            Person::new(world, "Dan", Place::East, Errand::Seek(paired)),
            Person::new(world, "Eve", Place::East, Errand::Seek(against_the_bot)),
        ];
        for place in Place::ALL {
            let here: Vec<Person> = people.iter().filter(|person| person.place() == place).cloned().collect();
            let world = Arc::clone(world);
            sim.host(place.host(), move || {
                let (here, world) = (here.clone(), Arc::clone(&world));
                async move {
                    let mut programs = tokio::task::JoinSet::new();
                    for person in here {
                        programs.spawn(person.live());
                    }
                    match place {
                        Place::West => drop(programs.spawn(spectator::live(world, "Fay", place))),
                        Place::East => {}
                        Place::North => drop(programs.spawn(machine::live(world, against_the_bot))),
                    }
                    while let Some(ended) = programs.join_next().await {
                        ended?;
                    }
                    Ok(())
                }
            });
        }
        Director { world, sim, on: Vec::new(), restarts: false, to_be_told: Vec::new() }
    }

    fn run(mut self) -> Result<(), String> {
        self.troubles()?;
        let quiet = self.world.plan.quiet_at;
        let rest_by = quiet + REST_WITHIN;
        self.until(rest_by, "the server runs", |director| director.sim.is_host_running(SERVER))?;
        self.world.finish();
        let all_but_the_bot = CAST.len() - 1;
        self.until(rest_by, "everybody is done", |director| {
            director.world.who_is_done().len() >= all_but_the_bot
        })?;
        self.world.notes.leaves_all(machine::NAME);
        self.world.bot_stop.cancel();
        self.until(rest_by, "the bot is done", |director| director.world.who_is_done().len() == CAST.len())?;
        // Nothing is left of them on the server.
        let probed = Arc::new(AtomicUsize::new(0));
        let (world, done) = (Arc::clone(self.world), Arc::clone(&probed));
        self.sim.client("probe", async move {
            probe::settled(&world).await;
            done.store(1, Ordering::Relaxed);
            Ok(())
        });
        self.until(rest_by + REST_WITHIN, "nothing is left on the server", |_| {
            probed.load(Ordering::Relaxed) == 1
        })?;
        judge::at_rest(self.world)
    }

    /// One tick of the whole world.
    fn step(&mut self) -> Result<(), String> {
        self.world.notes.at(self.sim.elapsed());
        self.sim.step().map_err(|error| format!("a program failed: {error}"))?;
        let now = self.sim.elapsed();
        let world = self.world;
        self.to_be_told.retain(|(due, line)| {
            if *due <= now {
                judge::told_of_restart(world, *line);
            }
            *due > now
        });
        if self.restarts && !self.sim.is_host_running(SERVER) {
            self.restarts = false;
            self.start_server();
        }
        self.world.notes.first_breach().map_or(Ok(()), Err)
    }

    fn until(
        &mut self,
        limit: Duration,
        what: &str,
        mut there: impl FnMut(&mut Self) -> bool,
    ) -> Result<(), String> {
        while !there(self) {
            if self.sim.elapsed() > limit {
                let done = self.world.who_is_done();
                let missing: Vec<_> = CAST.iter().filter(|name| !done.contains(*name)).collect();
                return Err(format!("waited for this: {what}; not done: {missing:?}"));
            }
            self.step()?;
        }
        Ok(())
    }

    /// Everything that goes wrong, from the first to the last.
    fn troubles(&mut self) -> Result<(), String> {
        let spells = &self.world.plan.spells;
        let begins = spells.iter().map(|Spell { from, what, .. }| (*from, *what, true));
        let ends = spells.iter().map(|Spell { until, what, .. }| (*until, *what, false));
        let mut turns: Vec<_> = begins.chain(ends).collect();
        turns.sort_by_key(|(at, _, _)| *at);
        for (at, what, begins) in turns {
            while self.sim.elapsed() < at {
                self.step()?;
            }
            self.world.notes.at(self.sim.elapsed());
            self.world.note("director", format_args!("{what:?} {}", if begins { "begins" } else { "ends" }));
            if begins {
                self.begin(what)?;
                self.on.push(what);
            } else {
                self.on.retain(|on| *on != what);
                self.end(what);
            }
        }
        while self.sim.elapsed() < self.world.plan.quiet_at {
            self.step()?;
        }
        self.world.note("director", format_args!("quiet"));
        Ok(())
    }

    fn begin(&mut self, what: Trouble) -> Result<(), String> {
        match what {
            Trouble::Cut(_) | Trouble::Deaf(_) | Trouble::Mute(_) | Trouble::Hold(_) => self.disturb(what),
            Trouble::Slow(place, latency) => self.sim.set_link_latency(place.host(), SERVER, latency),
            Trouble::Crash(place) => {
                self.world.notes.count("crashes of clients");
                self.sim.crash(place.host());
            }
            Trouble::Kill => return self.kill(),
            Trouble::PowerCut => {
                for place in Place::ALL {
                    self.sim.partition(place.host(), SERVER);
                }
                let killed = self.kill();
                for place in Place::ALL {
                    self.sim.repair(place.host(), SERVER);
                }
                for on in self.on.clone() {
                    self.disturb(on);
                }
                return killed;
            }
            Trouble::Restart => {
                if self.sim.is_host_running(SERVER) && !self.restarts {
                    self.world.notes.count("restarts");
                    self.note_who_is_to_be_told();
                    self.restarts = true;
                    self.world.stop.notify_one();
                }
            }
            Trouble::Disk(weather) => self.world.disk.set(weather),
        }
        Ok(())
    }

    fn disturb(&self, what: Trouble) {
        match what {
            Trouble::Cut(place) => self.sim.partition(place.host(), SERVER),
            Trouble::Deaf(place) => self.sim.partition_oneway(SERVER, place.host()),
            Trouble::Mute(place) => self.sim.partition_oneway(place.host(), SERVER),
            Trouble::Hold(place) => self.sim.hold(place.host(), SERVER),
            Trouble::Slow(..)
            | Trouble::Crash(_)
            | Trouble::Kill
            | Trouble::PowerCut
            | Trouble::Restart
            | Trouble::Disk(_) => {}
        }
    }

    fn end(&mut self, what: Trouble) {
        match what {
            Trouble::Cut(place) | Trouble::Deaf(place) | Trouble::Mute(place) => {
                self.sim.repair(place.host(), SERVER);
            }
            Trouble::Hold(place) => self.sim.release(place.host(), SERVER),
            Trouble::Slow(place, _) => {
                self.sim.set_link_latency(place.host(), SERVER, self.world.plan.latency[1]);
            }
            Trouble::Crash(place) => self.sim.bounce(place.host()),
            Trouble::Kill | Trouble::PowerCut => self.start_server(),
            // It is started again once it has stopped.
            Trouble::Restart => {}
            Trouble::Disk(_) => self.world.disk.set(Weather::Fair),
        }
    }

    fn start_server(&mut self) {
        self.world.note("director", format_args!("the server starts"));
        self.sim.bounce(SERVER);
    }

    fn kill(&mut self) -> Result<(), String> {
        self.world.notes.count("kills");
        self.restarts = false;
        self.sim.crash(SERVER);
        self.world.disk.crash();
        judge::after_crash(self.world)
    }

    /// Every client that the server knows, and whose line nothing is the matter with: pings came lately.
    fn note_who_is_to_be_told(&mut self) {
        let now = self.sim.elapsed();
        let due = now + TOLD_WITHIN;
        let plan = &self.world.plan;
        let lately = now.saturating_sub(2 * plan.limits.ping);
        // A line that lost something before may be dead without either side knowing it yet.
        let before = now.saturating_sub(4 * plan.limits.ping);
        self.world.lines(|lines| {
            for (number, line) in lines.iter().enumerate() {
                let there = line.welcomed && !line.ended && !line.dropped && line.closed.is_none();
                if there && line.heard >= lately && !plan.is_troubled(line.place, before, due) {
                    self.to_be_told.push((due, number));
                }
            }
        });
    }
}

/// The server's program.
async fn serve(world: Arc<World>, start: usize) -> turmoil::Result {
    let door = Door::open().await?;
    tokio::spawn(Arc::clone(&world.disk).work());
    let passed = u64::try_from(world.notes.now().as_millis())?;
    let off = world.plan.clock_off[start % world.plan.clock_off.len()];
    let time = Time::at((EPOCH + passed).saturating_add_signed(off));
    let (limits, log) = (world.plan.limits.clone(), Arc::new(DiskLog(Arc::clone(&world.disk))));
    let dice = Dice::from_seed(world.fresh_seed());
    noughts_server::run(door, None, limits, log, dice, time, world.stop.notified()).await?;
    world.disk.flush();
    world.note(SERVER, format_args!("has stopped"));
    Ok(())
}
