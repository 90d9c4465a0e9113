//! Faults of the nodes of a cluster and of its log.

use std::time::Duration;

use super::Runner;
use crate::checks::invariants;
use crate::cluster::plan::NODES;
use crate::plan::SimFault;

/// Time without a leader of the log: an election of NATS takes 4 to 9 s.
const ELECTION: Duration = Duration::from_secs(6);

impl Runner<'_> {
    pub(super) fn start_cluster_fault(&mut self, fault: SimFault) -> Result<(), String> {
        let Some(cluster) = &self.sim_state.cluster else {
            return Ok(());
        };
        match fault {
            SimFault::NodeKill(node) => {
                self.sim_state.trace.count("node kills");
                self.sim.crash(NODES[node]);
                return invariants::check_after_crash(self.sim_state);
            }
            SimFault::NodeStop(node) => cluster.stops[node].notify_waiters(),
            SimFault::NodeCut(node) => {
                self.sim_state.trace.count("node cuts");
                cluster.model.set_cut(node, true);
            }
            SimFault::Election => cluster.model.interrupt(ELECTION),
            SimFault::ClusterLog(percent) => cluster.model.set_misbehaviour(percent),
            SimFault::Cut(_)
            | SimFault::Deaf(_)
            | SimFault::Mute(_)
            | SimFault::Hold(_)
            | SimFault::Slow(..)
            | SimFault::Crash(_)
            | SimFault::Kill
            | SimFault::PowerCut
            | SimFault::Restart
            | SimFault::Disk(_) => {}
        }
        Ok(())
    }

    pub(super) fn end_cluster_fault(&mut self, fault: SimFault) {
        let Some(cluster) = &self.sim_state.cluster else {
            return;
        };
        match fault {
            SimFault::NodeKill(node) => self.sim.bounce(NODES[node]),
            SimFault::NodeCut(node) => cluster.model.set_cut(node, false),
            SimFault::ClusterLog(_) => cluster.model.set_misbehaviour(0),
            // These faults end automatically.
            SimFault::NodeStop(_) | SimFault::Election => {}
            SimFault::Cut(_)
            | SimFault::Deaf(_)
            | SimFault::Mute(_)
            | SimFault::Hold(_)
            | SimFault::Slow(..)
            | SimFault::Crash(_)
            | SimFault::Kill
            | SimFault::PowerCut
            | SimFault::Restart
            | SimFault::Disk(_) => {}
        }
    }
}
