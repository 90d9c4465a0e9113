//! The server, players, a bot and a spectator in one process, on a simulated network and a modelled disk, in
//! virtual time. A seed decides what they do and what goes wrong, and the same seed does it again.
//!
//! `NOUGHTS_SEEDS=n` sets how many seeds are run, `NOUGHTS_SEED=n` runs this one and prints what happened;
//! both: so many from there.

mod accounts;
mod chronicle;
mod director;
mod disk;
mod ear;
mod judge;
mod machine;
mod network;
mod notes;
mod person;
mod plan;
mod probe;
mod spectator;
mod world;

use std::collections::BTreeMap;

use director::{Report, run};
use disk::Lie;
use noughts_server::fault::{Fault, Faults};
use plan::Plan;

/// Seeds in the normal suite.
const SEEDS: u64 = 200;

/// What happens at least once in forty seeds.
const OFTEN: [&str; 17] = [
    "clients told of a restart",
    "crashes of clients",
    "events told",
    "game_over",
    "games abandoned",
    "games ended",
    "kills",
    "requests answered",
    "requests lost with their line",
    "restarts",
    "room_full",
    "second windows",
    "spectators refused",
    "times online",
    "tokens guessed",
    "unavailable",
    "views of spectators",
];

/// Seeds after which a broken promise must have been noticed.
const ENOUGH: u64 = 100;

fn number(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name}={text}")))
}

#[test]
fn every_seed_holds() {
    let seeds = match (number("NOUGHTS_SEED"), number("NOUGHTS_SEEDS")) {
        (Some(seed), None) => seed..seed + 1,
        (first, count) => first.unwrap_or(0)..first.unwrap_or(0) + count.unwrap_or(SEEDS),
    };
    let count = seeds.end - seeds.start;
    let only = count == 1;
    let mut sums: BTreeMap<&str, u64> = BTreeMap::new();
    let mut failed = Vec::new();
    for seed in seeds {
        let Report { trace, counts, breach } = run(Plan::new(seed));
        if only {
            println!("{trace}");
        }
        for (what, count) in counts {
            *sums.entry(what).or_default() += count;
        }
        if count > SEEDS && (seed + 1).is_multiple_of(SEEDS) {
            println!("{seed}: {} failed so far", failed.len());
        }
        if let Some(breach) = breach {
            eprintln!("seed {seed}: {breach}");
            failed.push(seed);
        }
    }
    println!("{sums:#?}");
    let again = "NOUGHTS_SEED=SEED cargo test -p noughts-tests --test simulation every_seed -- --nocapture";
    // Otherwise the troubles trouble nobody, and the checks check nothing.
    for what in OFTEN.into_iter().filter(|_| count >= SEEDS) {
        let seen = sums.get(what).copied().unwrap_or_default();
        assert!(seen * 40 >= count, "{what}: only {seen} in {count} seeds");
    }
    assert!(failed.is_empty(), "seeds that fail: {failed:?}; to see one again: {again}");
}

#[test]
fn the_same_seed_does_the_same_again() {
    for seed in 0..8 {
        let (first, second) = (run(Plan::new(seed)), run(Plan::new(seed)));
        let mut lines = first.trace.lines().zip(second.trace.lines());
        if let Some((one, other)) = lines.find(|(one, other)| one != other) {
            panic!("seed {seed} took two courses:\n{one}\n{other}");
        }
        assert_eq!(first.trace.len(), second.trace.len(), "seed {seed}");
        assert!(first.trace.lines().count() > 100, "seed {seed}: something happened");
    }
}

/// What the run of some seed says of a plan that somebody spoils: the first that objects.
fn objection(spoil: impl Fn(&mut Plan)) -> Option<String> {
    (0..ENOUGH).find_map(|seed| {
        let mut plan = Plan::new(seed);
        spoil(&mut plan);
        run(plan).breach.map(|breach| format!("seed {seed}: {breach}"))
    })
}

#[test]
fn a_log_that_lies_is_found_out() {
    for lie in [Lie::AckUnsynced, Lie::StoreTwice, Lie::StoreTurned] {
        let objection = objection(|plan| plan.lie = Some(lie));
        println!("{lie:?}: {}", objection.unwrap_or_else(|| panic!("{lie:?} goes unnoticed")));
    }
}

#[test]
fn a_server_that_breaks_a_promise_is_found_out() {
    for fault in [
        Fault::TellBeforeCommit,
        Fault::ForgetAnswers,
        Fault::LoseBroadcasts,
        Fault::StoreFirstOnly,
        Fault::TellTokens,
        Fault::KeepGhosts,
        Fault::GapOnResume,
        Fault::TailWithoutView,
        Fault::ForfeitAtOnce,
        Fault::ShareSeats,
        Fault::IgnoreSilence,
        Fault::CloseWithAnyCode,
        Fault::RejectWithAnyCode,
        Fault::RestartInSilence,
        Fault::ShowUnstored,
        Fault::ReplayByTheClock,
    ] {
        let objection = objection(|plan| plan.limits.faults = Faults::of(fault));
        println!("{fault:?}: {}", objection.unwrap_or_else(|| panic!("{fault:?} goes unnoticed")));
    }
}
