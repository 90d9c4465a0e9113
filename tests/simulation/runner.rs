//! Runs a plan: starts all programs, begins and ends faults, waits for everything to settle, and checks the
//! invariants.

mod cluster_faults;
mod server_host;

use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use noughts_tests::lock::lock;
use turmoil::{Builder, Sim};

use crate::actors::player::{JoinGoal, SimPlayer};
use crate::actors::{bot, spectator};
use crate::checks::invariants;
use crate::checks::metrics_check;
use crate::cluster::node;
use crate::network::SERVER;
use crate::plan::{DiskConditions, FaultWindow, Plan, SimFault, SimMachine};
use crate::sim_state::SimState;
use server_host::run_server;

/// Time step of the network. Timers within a machine are exact.
const TICK: Duration = Duration::from_millis(20);
/// Timeout for settling after the last fault.
const SETTLE_TIMEOUT: Duration = Duration::from_secs(200);
/// Timeout for the restart notice on a working connection.
const RESTART_NOTICE_TIMEOUT: Duration = Duration::from_millis(1_500);
/// Clock at the start, in Unix milliseconds.
pub(crate) const EPOCH_MS: u64 = 1_750_000_000_000;

const CLIENTS: [&str; 7] = ["Ann", "Bob", "Cid", "Dan", "Eve", "Fay", bot::NAME];

/// Result of a run.
pub(crate) struct RunReport {
    pub(crate) trace: String,
    pub(crate) counts: std::collections::BTreeMap<&'static str, u64>,
    /// First violation, if any.
    pub(crate) violation: Option<String>,
}

/// Runs a plan until its end or the first violation.
pub(crate) fn run(plan: Plan) -> RunReport {
    // A runtime drops its tasks in an order that depends on task ids, and these come from one counter of the process.
    // The runs of a process are therefore serialised, each with the same first id.
    static RUN_LOCK: Mutex<()> = Mutex::new(());
    let _guard = lock(&RUN_LOCK);
    align_task_ids();
    let sim_state = SimState::new(plan);
    let result = std::panic::catch_unwind(AssertUnwindSafe(|| Runner::new(&sim_state).run()));
    let violation = match result {
        Ok(Ok(())) => sim_state.trace.first_violation(),
        // If the log is damaged, the damage is reported, because it causes the violations that clients see.
        Ok(Err(violation)) => Some(sim_state.audit().err().unwrap_or(violation)),
        Err(panic) => {
            let message = panic.downcast_ref::<String>().cloned();
            Some(
                message
                    .or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()))
                    .unwrap_or_default(),
            )
        }
    };
    RunReport {
        trace: sim_state.trace.text(),
        counts: sim_state.trace.counts(),
        violation,
    }
}

/// Allocates task ids until the next id falls into the first shard of tokio's task list. The number of
/// shards is a small power of two.
fn align_task_ids() {
    const TASK_ID_PERIOD: u64 = 64;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        loop {
            let id: u64 = tokio::spawn(async {})
                .id()
                .to_string()
                .parse()
                .expect("ids are numbers");
            if id % TASK_ID_PERIOD == TASK_ID_PERIOD - 1 {
                return;
            }
        }
    });
}

struct Runner<'a> {
    sim_state: &'a Arc<SimState>,
    sim: Sim<'a>,
    /// The faults that have begun and not ended.
    active_faults: Vec<SimFault>,
    /// Whether the server is stopping and has to be started again afterwards.
    restart_pending: bool,
    /// Deadlines for restart notices, each with the number of its connection.
    expected_notices: Vec<(Duration, usize)>,
}

impl<'a> Runner<'a> {
    fn new(sim_state: &'a Arc<SimState>) -> Runner<'a> {
        let plan = &sim_state.plan;
        let mut sim = Builder::new()
            .epoch(SystemTime::UNIX_EPOCH + Duration::from_millis(EPOCH_MS))
            .tick_duration(TICK)
            .simulation_duration(Duration::from_secs(3_600))
            .rng_seed(plan.seed)
            .min_message_latency(plan.latency[0])
            .max_message_latency(plan.latency[1])
            .enable_random_order()
            .build();
        if sim_state.cluster.is_some() {
            for (number, host) in sim_state.hosts().iter().enumerate() {
                let node = Arc::clone(sim_state);
                sim.host(*host, move || node::run(Arc::clone(&node), number));
            }
        } else {
            let starts = Arc::new(AtomicUsize::new(0));
            let server = Arc::clone(sim_state);
            sim.host(SERVER, move || {
                run_server(Arc::clone(&server), starts.fetch_add(1, Ordering::Relaxed))
            });
        }
        let [private, paired, against_the_bot] = plan.games;
        let players = [
            SimPlayer::new(sim_state, "Ann", SimMachine::West, JoinGoal::Host(private)),
            SimPlayer::new(sim_state, "Bob", SimMachine::East, JoinGoal::Guest),
            SimPlayer::new(sim_state, "Cid", SimMachine::West, JoinGoal::Seek(paired)),
            SimPlayer::new(sim_state, "Dan", SimMachine::East, JoinGoal::Seek(paired)),
            SimPlayer::new(
                sim_state,
                "Eve",
                SimMachine::East,
                JoinGoal::Seek(against_the_bot),
            ),
        ];
        for machine in SimMachine::ALL {
            let local_players: Vec<SimPlayer> = players
                .iter()
                .filter(|player| player.machine() == machine)
                .cloned()
                .collect();
            let sim_state = Arc::clone(sim_state);
            sim.host(machine.host(), move || {
                let (local_players, sim_state) = (local_players.clone(), Arc::clone(&sim_state));
                async move {
                    let mut programs = tokio::task::JoinSet::new();
                    for player in local_players {
                        programs.spawn(player.run());
                    }
                    match machine {
                        SimMachine::West => {
                            drop(programs.spawn(spectator::run(sim_state, "Fay", machine)));
                        }
                        SimMachine::East => {}
                        SimMachine::North => {
                            drop(programs.spawn(bot::run(sim_state, against_the_bot)));
                        }
                    }
                    while let Some(ended) = programs.join_next().await {
                        ended?;
                    }
                    Ok(())
                }
            });
        }
        Runner {
            sim_state,
            sim,
            active_faults: Vec::new(),
            restart_pending: false,
            expected_notices: Vec::new(),
        }
    }

    fn run(mut self) -> Result<(), String> {
        self.run_faults()?;
        let faults_end_at = self.sim_state.plan.faults_end_at;
        let settle_deadline = faults_end_at + SETTLE_TIMEOUT;
        self.run_until(settle_deadline, "the server runs", |runner| {
            runner
                .sim_state
                .hosts()
                .iter()
                .all(|host| runner.sim.is_host_running(*host))
        })?;
        self.sim_state.finish();
        let players_and_spectator = CLIENTS.len() - 1;
        self.run_until(settle_deadline, "all clients finished", |runner| {
            runner.sim_state.finished_actors().len() >= players_and_spectator
        })?;
        self.sim_state.trace.record_departure_from_all(bot::NAME);
        self.sim_state.bot_stop.cancel();
        self.run_until(settle_deadline, "the bot is done", |runner| {
            runner.sim_state.finished_actors().len() == CLIENTS.len()
        })?;
        // The check waits until the server holds no resources.
        let is_settled = Arc::new(AtomicUsize::new(0));
        let (sim_state, done) = (Arc::clone(self.sim_state), Arc::clone(&is_settled));
        self.sim.client("probe", async move {
            metrics_check::wait_until_idle(&sim_state).await;
            done.store(1, Ordering::Relaxed);
            Ok(())
        });
        self.run_until(
            settle_deadline + SETTLE_TIMEOUT,
            "nothing is left on the server",
            |_| is_settled.load(Ordering::Relaxed) == 1,
        )?;
        self.sim_state.audit()?;
        invariants::check_at_end(self.sim_state)
    }

    /// Advances the simulation by one tick.
    fn step(&mut self) -> Result<(), String> {
        self.sim_state.trace.set_time(self.sim.elapsed());
        self.sim
            .step()
            .map_err(|error| format!("a program failed: {error}"))?;
        let now = self.sim.elapsed();
        let sim_state = self.sim_state;
        self.expected_notices.retain(|(due, connection_number)| {
            if *due <= now {
                invariants::check_restart_notice(sim_state, *connection_number);
            }
            *due > now
        });
        if self.restart_pending && !self.sim.is_host_running(SERVER) {
            self.restart_pending = false;
            self.start_server();
        }
        self.sim_state.trace.first_violation().map_or(Ok(()), Err)
    }

    fn run_until(
        &mut self,
        limit: Duration,
        what: &str,
        mut condition: impl FnMut(&mut Self) -> bool,
    ) -> Result<(), String> {
        while !condition(self) {
            if self.sim.elapsed() > limit {
                let done = self.sim_state.finished_actors();
                let missing: Vec<_> = CLIENTS
                    .iter()
                    .filter(|name| !done.contains(*name))
                    .collect();
                return Err(format!(
                    "timeout while waiting until {what}; unfinished: {missing:?}"
                ));
            }
            self.step()?;
        }
        Ok(())
    }

    /// Begins and ends all faults.
    fn run_faults(&mut self) -> Result<(), String> {
        let fault_windows = &self.sim_state.plan.fault_windows;
        let begins = fault_windows
            .iter()
            .map(|FaultWindow { from, fault, .. }| (*from, *fault, true));
        let ends = fault_windows
            .iter()
            .map(|FaultWindow { until, fault, .. }| (*until, *fault, false));
        let mut changes: Vec<_> = begins.chain(ends).collect();
        changes.sort_by_key(|(at, _, _)| *at);
        for (at, fault, begins) in changes {
            while self.sim.elapsed() < at {
                self.step()?;
            }
            self.sim_state.trace.set_time(self.sim.elapsed());
            self.sim_state.record(
                "runner",
                format_args!("{fault:?} {}", if begins { "begins" } else { "ends" }),
            );
            if begins {
                self.start_fault(fault)?;
                self.active_faults.push(fault);
            } else {
                self.active_faults.retain(|on| *on != fault);
                self.end_fault(fault);
            }
        }
        while self.sim.elapsed() < self.sim_state.plan.faults_end_at {
            self.step()?;
        }
        self.sim_state
            .record("runner", format_args!("no more faults"));
        Ok(())
    }

    fn start_fault(&mut self, fault: SimFault) -> Result<(), String> {
        match fault {
            SimFault::Cut(_) | SimFault::Deaf(_) | SimFault::Mute(_) | SimFault::Hold(_) => {
                self.disturb_link(fault);
            }
            SimFault::Slow(machine, latency) => {
                for host in self.sim_state.hosts() {
                    self.sim.set_link_latency(machine.host(), *host, latency);
                }
            }
            SimFault::Crash(machine) => {
                self.sim_state.trace.count("client crashes");
                self.sim.crash(machine.host());
            }
            SimFault::Kill => return self.kill_server(),
            SimFault::PowerCut => {
                for machine in SimMachine::ALL {
                    self.sim.partition(machine.host(), SERVER);
                }
                let result = self.kill_server();
                for machine in SimMachine::ALL {
                    self.sim.repair(machine.host(), SERVER);
                }
                for fault in self.active_faults.clone() {
                    self.disturb_link(fault);
                }
                return result;
            }
            SimFault::Restart => {
                if self.sim.is_host_running(SERVER) && !self.restart_pending {
                    self.sim_state.trace.count("restarts");
                    self.record_expected_notices();
                    self.restart_pending = true;
                    self.sim_state.stop.notify_one();
                }
            }
            SimFault::Disk(disk_conditions) => self.sim_state.disk.set_conditions(disk_conditions),
            SimFault::NodeKill(_)
            | SimFault::NodeStop(_)
            | SimFault::NodeCut(_)
            | SimFault::Election
            | SimFault::ClusterLog(_) => return self.start_cluster_fault(fault),
        }
        Ok(())
    }

    fn disturb_link(&self, fault: SimFault) {
        for host in self.sim_state.hosts().iter().copied() {
            match fault {
                SimFault::Cut(machine) => self.sim.partition(machine.host(), host),
                SimFault::Deaf(machine) => self.sim.partition_oneway(host, machine.host()),
                SimFault::Mute(machine) => self.sim.partition_oneway(machine.host(), host),
                SimFault::Hold(machine) => self.sim.hold(machine.host(), host),
                SimFault::Slow(..)
                | SimFault::Crash(_)
                | SimFault::Kill
                | SimFault::PowerCut
                | SimFault::Restart
                | SimFault::Disk(_)
                | SimFault::NodeKill(_)
                | SimFault::NodeStop(_)
                | SimFault::NodeCut(_)
                | SimFault::Election
                | SimFault::ClusterLog(_) => {}
            }
        }
    }

    fn end_fault(&mut self, fault: SimFault) {
        for host in self.sim_state.hosts().iter().copied() {
            match fault {
                SimFault::Cut(machine) | SimFault::Deaf(machine) | SimFault::Mute(machine) => {
                    self.sim.repair(machine.host(), host);
                }
                SimFault::Hold(machine) => self.sim.release(machine.host(), host),
                SimFault::Slow(machine, _) => {
                    self.sim
                        .set_link_latency(machine.host(), host, self.sim_state.plan.latency[1]);
                }
                SimFault::Crash(_)
                | SimFault::Kill
                | SimFault::PowerCut
                | SimFault::Restart
                | SimFault::Disk(_)
                | SimFault::NodeKill(_)
                | SimFault::NodeStop(_)
                | SimFault::NodeCut(_)
                | SimFault::Election
                | SimFault::ClusterLog(_) => {}
            }
        }
        match fault {
            SimFault::Cut(_)
            | SimFault::Deaf(_)
            | SimFault::Mute(_)
            | SimFault::Hold(_)
            | SimFault::Slow(..) => {}
            SimFault::Crash(machine) => self.sim.bounce(machine.host()),
            SimFault::Kill | SimFault::PowerCut => self.start_server(),
            // The server is started again when it has stopped.
            SimFault::Restart => {}
            SimFault::Disk(_) => self.sim_state.disk.set_conditions(DiskConditions::Healthy),
            SimFault::NodeKill(_)
            | SimFault::NodeStop(_)
            | SimFault::NodeCut(_)
            | SimFault::Election
            | SimFault::ClusterLog(_) => self.end_cluster_fault(fault),
        }
    }

    fn start_server(&mut self) {
        self.sim_state
            .record("runner", format_args!("the server starts"));
        self.sim.bounce(SERVER);
    }

    fn kill_server(&mut self) -> Result<(), String> {
        self.sim_state.trace.count("kills");
        self.restart_pending = false;
        self.sim.crash(SERVER);
        self.sim_state.disk.crash();
        invariants::check_after_crash(self.sim_state)
    }

    /// Records the connections that must receive a restart notice: those with a recent ping.
    fn record_expected_notices(&mut self) {
        let now = self.sim.elapsed();
        let due = now + RESTART_NOTICE_TIMEOUT;
        let plan = &self.sim_state.plan;
        let recent = now.saturating_sub(2 * plan.limits.ping_interval);
        // A connection that has lost messages may be dead, although the server has not noticed it yet.
        let before = now.saturating_sub(4 * plan.limits.ping_interval);
        self.sim_state.with_connections(|connections| {
            for (number, connection) in connections.iter().enumerate() {
                let is_reachable = connection.welcomed
                    && !connection.ended
                    && !connection.dropped
                    && connection.closed.is_none();
                if is_reachable
                    && connection.last_received >= recent
                    && !plan.is_disturbed(connection.machine, before, due)
                {
                    self.expected_notices.push((due, number));
                }
            }
        });
    }
}
