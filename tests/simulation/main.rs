//! Simulation: a server, players, a bot and a spectator in one process, on a simulated network and a modelled
//! disk, in virtual time. A seed determines all actions and faults.
//!
//! `NOUGHTS_TEST_SEEDS=n` sets the number of seeds. `NOUGHTS_TEST_SEED=n` runs this seed and prints its
//! trace; with both, it is the first seed.

mod actors;
mod checks;
mod disk;
mod network;
mod plan;
mod runner;
mod sim_state;
mod trace;

use std::collections::BTreeMap;

use noughts_server::testing::{InjectedFault, InjectedFaults};
use plan::{LogMutation, Plan};
use runner::{RunReport, run};

/// Number of seeds by default.
const DEFAULT_SEEDS: u64 = 200;

/// Counters that must be positive in the default run.
const REQUIRED_COUNTS: [&str; 17] = [
    "restart notices",
    "client crashes",
    "events received",
    "game_over",
    "games abandoned",
    "games ended",
    "kills",
    "requests answered",
    "requests lost with their connection",
    "restarts",
    "room_full",
    "second programs",
    "spectators rejected",
    "times online",
    "guessed tokens",
    "unavailable",
    "snapshots of spectators",
];

/// Number of seeds within which a mutation must be detected.
const MAX_MUTATION_SEEDS: u64 = 100;

fn env_number(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name}={text}")))
}

#[test]
fn every_seed_holds() {
    let seeds = match (env_number("NOUGHTS_TEST_SEED"), env_number("NOUGHTS_TEST_SEEDS")) {
        (Some(seed), None) => seed..seed + 1,
        (first, count) => first.unwrap_or(0)..first.unwrap_or(0) + count.unwrap_or(DEFAULT_SEEDS),
    };
    let count = seeds.end - seeds.start;
    let is_single = count == 1;
    let mut sums: BTreeMap<&str, u64> = BTreeMap::new();
    let mut failed = Vec::new();
    for seed in seeds {
        let RunReport { trace, counts, violation } = run(Plan::new(seed));
        if is_single {
            println!("{trace}");
        }
        for (what, count) in counts {
            *sums.entry(what).or_default() += count;
        }
        if count > DEFAULT_SEEDS && (seed + 1).is_multiple_of(DEFAULT_SEEDS) {
            println!("{seed}: {} failed so far", failed.len());
        }
        if let Some(violation) = violation {
            eprintln!("seed {seed}: {violation}");
            failed.push(seed);
        }
    }
    println!("{sums:#?}");
    let rerun_command =
        "NOUGHTS_TEST_SEED=SEED cargo test -p noughts-tests --test simulation every_seed -- --nocapture";
    // Without these events the faults and checks would be without effect.
    for what in REQUIRED_COUNTS.into_iter().filter(|_| count >= DEFAULT_SEEDS) {
        let seen = sums.get(what).copied().unwrap_or_default();
        assert!(seen * 40 >= count, "{what}: only {seen} in {count} seeds");
    }
    assert!(failed.is_empty(), "failed seeds: {failed:?}; to rerun one: {rerun_command}");
}

#[test]
fn the_same_seed_gives_the_same_run() {
    for seed in 0..8 {
        let (first, second) = (run(Plan::new(seed)), run(Plan::new(seed)));
        let mut lines = first.trace.lines().zip(second.trace.lines());
        if let Some((one, other)) = lines.find(|(one, other)| one != other) {
            panic!("two runs of seed {seed} differ:\n{one}\n{other}");
        }
        assert_eq!(first.trace.len(), second.trace.len(), "seed {seed}");
        assert!(first.trace.lines().count() > 100, "seed {seed}: the trace is nearly empty");
    }
}

/// Returns the first violation found with mutated plans.
fn find_violation(mutate: impl Fn(&mut Plan)) -> Option<String> {
    (0..MAX_MUTATION_SEEDS).find_map(|seed| {
        let mut plan = Plan::new(seed);
        mutate(&mut plan);
        run(plan).violation.map(|violation| format!("seed {seed}: {violation}"))
    })
}

#[test]
fn a_mutated_log_is_detected() {
    for mutation in [LogMutation::AckUnsynced, LogMutation::StoreTwice, LogMutation::StoreReordered] {
        let violation = find_violation(|plan| plan.mutation = Some(mutation));
        println!("{mutation:?}: {}", violation.unwrap_or_else(|| panic!("{mutation:?} is not detected")));
    }
}

#[test]
fn a_server_with_an_injected_fault_is_detected() {
    for fault in [
        InjectedFault::BroadcastBeforeCommit,
        InjectedFault::RepeatDuplicateRequests,
        InjectedFault::DropBroadcasts,
        InjectedFault::PersistFirstEventOnly,
        InjectedFault::LeakTokensToSpectators,
        InjectedFault::IgnoreDisconnects,
        InjectedFault::GapOnResume,
        InjectedFault::ResumeWithoutSnapshot,
        InjectedFault::ForfeitOnDisconnect,
        InjectedFault::ShareSeats,
        InjectedFault::IgnoreMissingPongs,
        InjectedFault::WrongCloseCode,
        InjectedFault::WrongRejectCode,
        InjectedFault::OmitRestartNotice,
        InjectedFault::ShowUncommitted,
        InjectedFault::ChargeOutageOnReplay,
    ] {
        let violation = find_violation(|plan| plan.limits.faults = InjectedFaults::from_fault(fault));
        println!("{fault:?}: {}", violation.unwrap_or_else(|| panic!("{fault:?} is not detected")));
    }
}
