//! Simulation: a server, players, a bot and a spectator in one process, on a simulated network and a modelled disk, in
//! virtual time. A seed determines all actions and faults. Other runs simulate several nodes over a modelled log.
//!
//! `NOUGHTS_TEST_SEEDS=n` sets the number of seeds. `NOUGHTS_TEST_SEED=n` runs this seed and prints its
//! trace; with both, it is the first seed.

mod actors;
mod checks;
mod cluster;
mod disk;
mod network;
mod plan;
mod runner;
mod sim_state;
mod trace;

use std::collections::BTreeMap;
use std::process::Command;

use cluster::plan::ClusterPlan;
use noughts_server::testing::{InjectedFault, PlantedFault};
use noughts_tests::faults::{Fault, LimitFault, LogFault, WireFault};
use plan::{LogMutation, Plan};
use runner::{RunReport, run};

/// Number of seeds by default.
const DEFAULT_SEEDS: u64 = 40;

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

/// Counters that must be positive in the default run with several nodes.
const REQUIRED_CLUSTER_COUNTS: [&str; 8] = [
    "client crashes",
    "events received",
    "games ended",
    "node cuts",
    "node kills",
    "nodes stopped",
    "requests answered",
    "unavailable",
];

/// Number of seeds of runs with several nodes by default.
const DEFAULT_CLUSTER_SEEDS: u64 = 10;

/// Default number of seeds of runs with clients that reach replaced nodes.
const SEPARATED_OWNER_SEEDS: u64 = 4;

/// Number of seeds within which a mutation must be detected.
const MAX_MUTATION_SEEDS: u64 = 100;

/// Environment variable that marks the process of a single test.
const PROCESS_VARIABLE: &str = "NOUGHTS_TEST_SIMULATION_PROCESS";

/// Runs a test in a process of its own: the runs of one process are serialised, but several processes use all cores.
fn in_own_process(test: &str, run: impl FnOnce()) {
    if std::env::var_os(PROCESS_VARIABLE).is_some() {
        return run();
    }
    let program = std::env::current_exe().expect("the program of this test");
    let output = Command::new(program)
        .args(["--exact", test, "--nocapture"])
        .env(PROCESS_VARIABLE, "1")
        .output()
        .expect("the program of this test starts");
    let [stdout, stderr] =
        [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    println!("{stdout}");
    assert!(output.status.success(), "{test} failed:\n{stdout}{stderr}");
}

fn env_number(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name}={text}")))
}

/// Runs many seeds. Fails if a seed fails, or if the events of a required counter are too rare.
fn check_seeds(make_plan: impl Fn(u64) -> Plan, default_seeds: u64, required: &[&str], test: &str) {
    let seeds = match (
        env_number("NOUGHTS_TEST_SEED"),
        env_number("NOUGHTS_TEST_SEEDS"),
    ) {
        (Some(seed), None) => seed..seed + 1,
        (first, count) => first.unwrap_or(0)..first.unwrap_or(0) + count.unwrap_or(default_seeds),
    };
    let count = seeds.end - seeds.start;
    let is_single = count == 1;
    let mut sums: BTreeMap<&str, u64> = BTreeMap::new();
    let mut failed = Vec::new();
    for seed in seeds {
        let RunReport {
            trace,
            counts,
            violation,
        } = run(make_plan(seed));
        if is_single {
            println!("{trace}");
        }
        for (what, count) in counts {
            *sums.entry(what).or_default() += count;
        }
        if count > default_seeds && (seed + 1).is_multiple_of(default_seeds) {
            println!("{seed}: {} failed so far", failed.len());
        }
        if let Some(violation) = violation {
            eprintln!("seed {seed}: {violation}");
            failed.push(seed);
        }
    }
    println!("{sums:#?}");
    let rerun_command = format!(
        "NOUGHTS_TEST_SEED=SEED cargo test -p noughts-tests --test simulation {test} -- --nocapture"
    );
    // If these events did not occur, the faults and the checks would test nothing.
    for what in required.iter().filter(|_| count >= default_seeds) {
        let seen = sums.get(what).copied().unwrap_or_default();
        assert!(seen * 40 >= count, "{what}: only {seen} in {count} seeds");
    }
    assert!(
        failed.is_empty(),
        "failed seeds: {failed:?}; to rerun one: {rerun_command}"
    );
}

#[test]
fn every_seed_holds() {
    in_own_process("every_seed_holds", || {
        check_seeds(
            Plan::new,
            DEFAULT_SEEDS,
            &REQUIRED_COUNTS,
            "every_seed_holds",
        );
    });
}

#[test]
fn every_seed_holds_with_several_nodes() {
    in_own_process("every_seed_holds_with_several_nodes", || {
        let required = &REQUIRED_CLUSTER_COUNTS;
        check_seeds(
            Plan::new_cluster,
            DEFAULT_CLUSTER_SEEDS,
            required,
            "every_seed_holds_with_several_nodes",
        );
    });
}

#[test]
fn the_same_seed_gives_the_same_run() {
    in_own_process("the_same_seed_gives_the_same_run", || {
        let plans = (0..4).map(|seed| (seed, Plan::new as fn(u64) -> Plan));
        let cluster_plans = (0..2).map(|seed| (seed, Plan::new_cluster as fn(u64) -> Plan));
        for (seed, make_plan) in plans.chain(cluster_plans) {
            let (first, second) = (run(make_plan(seed)), run(make_plan(seed)));
            let mut lines = first.trace.lines().zip(second.trace.lines());
            if let Some((one, other)) = lines.find(|(one, other)| one != other) {
                panic!("two runs of seed {seed} differ:\n{one}\n{other}");
            }
            assert_eq!(first.trace.len(), second.trace.len(), "seed {seed}");
            assert!(
                first.trace.lines().count() > 100,
                "seed {seed}: the trace is nearly empty"
            );
        }
    });
}

/// Returns the first violation found with mutated plans.
fn find_violation(mutate: impl Fn(&mut Plan)) -> Option<String> {
    find_violation_of(Plan::new, mutate)
}

fn find_violation_of(
    make_plan: impl Fn(u64) -> Plan,
    mutate: impl Fn(&mut Plan),
) -> Option<String> {
    (0..MAX_MUTATION_SEEDS).find_map(|seed| {
        let mut plan = make_plan(seed);
        mutate(&mut plan);
        run(plan)
            .violation
            .map(|violation| format!("seed {seed}: {violation}"))
    })
}

#[test]
fn a_mutated_log_is_detected() {
    in_own_process("a_mutated_log_is_detected", || {
        for mutation in [
            LogMutation::AckUnsynced,
            LogMutation::StoreTwice,
            LogMutation::StoreReordered,
        ] {
            let violation = find_violation(|plan| plan.mutation = Some(mutation));
            println!(
                "{mutation:?}: {}",
                violation.unwrap_or_else(|| panic!("{mutation:?} is not detected"))
            );
        }
    });
}

/// Number of seeds for a fault that no client of the simulation triggers.
const IDLE_FAULT_SEEDS: u64 = 3;

#[test]
fn a_server_with_an_injected_fault_is_detected() {
    in_own_process("a_server_with_an_injected_fault_is_detected", || {
        // Every client masks its frames, so this fault changes nothing. The runs show that the checks below detect
        // faults, and not merely the rewriting of bytes.
        for seed in 0..IDLE_FAULT_SEEDS {
            let mut plan = Plan::new(seed);
            plan.fault = Some(Fault::Wire(WireFault::AcceptUnmaskedFrames));
            assert_eq!(run(plan).violation, None, "seed {seed}");
        }
        for fault in [
            Fault::Room(InjectedFault::RepeatDuplicateRequests),
            Fault::Room(InjectedFault::IgnoreDisconnects),
            Fault::Room(InjectedFault::ShareSeats),
            Fault::Limit(LimitFault::ForfeitOnDisconnect),
            Fault::Limit(LimitFault::SendNoPings),
            Fault::Log(LogFault::BroadcastBeforeCommit),
            Fault::Log(LogFault::PersistFirstEventOnly),
            Fault::Log(LogFault::ShowUncommitted),
            Fault::Wire(WireFault::DropBroadcasts),
            Fault::Wire(WireFault::LeakTokensToSpectators),
            Fault::Wire(WireFault::GapOnResume),
            Fault::Wire(WireFault::ResumeWithoutSnapshot),
            Fault::Wire(WireFault::WrongCloseCode),
            Fault::Wire(WireFault::WrongRejectCode),
            Fault::Wire(WireFault::OmitRestartNotice),
        ] {
            let violation = find_violation(|plan| plan.fault = Some(fault));
            println!(
                "{fault:?}: {}",
                violation.unwrap_or_else(|| panic!("{fault:?} is not detected"))
            );
        }
    });
}

#[test]
fn a_planted_fault_of_a_cluster_is_detected() {
    in_own_process("a_planted_fault_of_a_cluster_is_detected", || {
        for planted in PlantedFault::ALL {
            let expected: &[&str] = match planted {
                PlantedFault::NoExpectation | PlantedFault::TakeOverWithoutClaim => {
                    &["follows", "two histories"]
                }
                PlantedFault::TruncateLiveEntries => &["are missing", "was never created"],
                // The next owner of the shard may notice the missing message before a player does.
                PlantedFault::AckWithoutStore => {
                    &["but the log has", "does not exist", "log ends at message"]
                }
                PlantedFault::LoseRelayedMessages => &["has no response", "came after"],
            };
            // Violations with other texts only follow from the fault; the search continues with the next seed.
            let find = |seed| {
                let mut plan = Plan::new_cluster(seed);
                plan.cluster = Some(ClusterPlan {
                    planted: Some(planted),
                    is_unconfirmed: false,
                });
                let violation = run(plan).violation?;
                println!("{planted:?}: seed {seed}: {violation}");
                expected
                    .iter()
                    .any(|text| violation.contains(text))
                    .then_some(())
            };
            let found = (0..MAX_MUTATION_SEEDS).find_map(find);
            found.unwrap_or_else(|| panic!("{planted:?} is not detected"));
        }
    });
}

#[test]
fn a_node_that_responds_without_confirmation_is_detected() {
    in_own_process(
        "a_node_that_responds_without_confirmation_is_detected",
        || {
            let violation = find_violation_of(Plan::new_cluster, |plan| {
                plan.separate_owners();
                plan.cluster = Some(ClusterPlan {
                    planted: None,
                    is_unconfirmed: true,
                });
            });
            let violation = violation.expect("an old state is detected");
            println!("{violation}");
            let expected = ["was received before", "but its player cannot resume"];
            assert!(
                expected.iter().any(|text| violation.contains(text)),
                "another violation: {violation}"
            );
        },
    );
}

#[test]
fn replaced_nodes_that_clients_still_reach_show_no_old_state() {
    in_own_process(
        "replaced_nodes_that_clients_still_reach_show_no_old_state",
        || {
            let make_plan = |seed| {
                let mut plan = Plan::new_cluster(seed);
                plan.separate_owners();
                plan
            };
            check_seeds(
                make_plan,
                SEPARATED_OWNER_SEEDS,
                &[],
                "replaced_nodes_that_clients_still_reach_show_no_old_state",
            );
        },
    );
}
