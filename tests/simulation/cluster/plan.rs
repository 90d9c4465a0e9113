//! Plan of a run with several nodes: the faults of nodes and of their log.

use std::time::Duration;

use noughts_server::testing::PlantedFault;
use noughts_tests::rng::SeededRng;

use crate::plan::{FaultWindow, Plan, SimFault, SimMachine};

/// Host names of the nodes.
pub(crate) const NODES: [&str; 3] = ["node-a", "node-b", "node-c"];

/// Number of shards. It is small, so that a run contains shards with several rooms and shards without rooms.
pub(crate) const SHARDS: u16 = 4;

/// Time from the cut of one node to the cut of the next node, in seconds. Longer than the time to replace a node.
const CUT_SECONDS: f64 = 13.0;

/// Adds successive faults of one kind, each with a duration between the two times in milliseconds.
fn add_series(
    rng: &mut SeededRng,
    end: Duration,
    [shortest, longest]: [u64; 2],
    windows: &mut Vec<FaultWindow>,
    mut random_fault: impl FnMut(&mut SeededRng) -> SimFault,
) {
    let mut from = Duration::from_millis(rng.random_range(500, 8_000));
    loop {
        let until = from + Duration::from_millis(rng.random_range(shortest, longest));
        if until >= end {
            return;
        }
        windows.push(FaultWindow {
            from,
            until,
            fault: random_fault(rng),
        });
        from = until + Duration::from_millis(rng.random_range(500, 6_000));
    }
}

/// Violations of the nodes that the checks must detect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ClusterPlan {
    pub(crate) planted: Option<PlantedFault>,
    /// Nodes reply without an append that confirms their state.
    pub(crate) is_unconfirmed: bool,
}

impl Plan {
    /// Creates the plan of a run with several nodes. The networks of the clients fail as with one server.
    pub(crate) fn new_cluster(seed: u64) -> Plan {
        let mut plan = Plan::new(seed);
        let mut rng = SeededRng::new(seed ^ 0x5eed_c105_7e12_0000);
        plan.cluster = Some(ClusterPlan::default());
        // A failure of a node and an election of the log may follow each other. A room must close before the run
        // settles, even if no client has learned of its creation.
        plan.limits.reconnect_grace = Duration::from_secs(60);
        plan.limits.leave_grace = Duration::from_secs(10);
        plan.limits.abandon_after = Duration::from_secs(90);
        plan.limits.room_idle_timeout = Duration::from_secs(60);
        plan.faults_end_at += Duration::from_secs(15);
        let end = plan.faults_end_at;
        plan.fault_windows.retain(|window| match window.fault {
            SimFault::Cut(_)
            | SimFault::Deaf(_)
            | SimFault::Mute(_)
            | SimFault::Hold(_)
            | SimFault::Slow(..)
            | SimFault::Crash(_) => true,
            SimFault::Kill
            | SimFault::PowerCut
            | SimFault::Restart
            | SimFault::Disk(_)
            | SimFault::NodeKill(_)
            | SimFault::NodeStop(_)
            | SimFault::NodeCut(_)
            | SimFault::Election
            | SimFault::ClusterLog(_) => false,
        });
        for node in 0..NODES.len() {
            add_series(
                &mut rng,
                end,
                [2_000, 9_000],
                &mut plan.fault_windows,
                |rng| match rng.random_below(5) {
                    0 => SimFault::NodeKill(node),
                    1 => SimFault::NodeStop(node),
                    _ => SimFault::NodeCut(node),
                },
            );
        }
        add_series(
            &mut rng,
            end,
            [500, 4_000],
            &mut plan.fault_windows,
            |rng| match rng.random_below(4) {
                0 => SimFault::Election,
                _ => SimFault::ClusterLog(*rng.choose(&[5, 20, 40])),
            },
        );
        plan
    }

    /// Replaces all faults by long cuts of one node after the other. The programs of the clients crash repeatedly
    /// meanwhile: they resume at replaced nodes, and at the nodes that replaced them.
    pub(crate) fn separate_owners(&mut self) {
        let seconds = Duration::from_secs_f64;
        self.fault_windows.clear();
        let cut_ends = |node: usize| 4.0 + CUT_SECONDS * (node + 1) as f64;
        for node in 0..NODES.len() {
            let (from, until) = (
                seconds(cut_ends(node) - CUT_SECONDS),
                seconds(cut_ends(node) - 1.0),
            );
            self.fault_windows.push(FaultWindow {
                from,
                until,
                fault: SimFault::NodeCut(node),
            });
        }
        self.faults_end_at = seconds(cut_ends(NODES.len() - 1));
        let mut from = 4.0;
        while seconds(from + 1.0) < self.faults_end_at {
            for (machine, begin) in [(SimMachine::West, from), (SimMachine::East, from + 0.5)] {
                let (from, until) = (seconds(begin), seconds(begin + 0.2));
                self.fault_windows.push(FaultWindow {
                    from,
                    until,
                    fault: SimFault::Crash(machine),
                });
            }
            from += 1.7;
        }
    }
}
