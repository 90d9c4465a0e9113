//! A node: a process that serves until it is stopped or killed, and starts again.

use std::sync::Arc;
use std::time::Duration;

use noughts_server::testing::{ServerClock, ServerRng};
use noughts_tests::rng::SeededRng;
use tokio::time::sleep;

use crate::cluster::plan::NODES;
use crate::cluster::unconfirmed_log::UnconfirmedLog;
use crate::network::SimListener;
use crate::runner::EPOCH_MS;
use crate::sim_state::{SimCluster, SimState};

/// Time until the service manager restarts a node that has ended.
const RESTART_DELAY: Duration = Duration::from_millis(500);

/// Main function of the host of a node.
pub(crate) async fn run(sim_state: Arc<SimState>, node: usize) -> turmoil::Result {
    let cluster = sim_state.cluster.as_ref().expect("a plan with nodes");
    loop {
        serve(&sim_state, cluster, node).await?;
        sleep(RESTART_DELAY).await;
    }
}

/// Runs one process of a node until it is stopped.
async fn serve(sim_state: &SimState, cluster: &SimCluster, node: usize) -> turmoil::Result {
    let (name, plan) = (NODES[node], cluster.plan);
    let seed = sim_state.fresh_seed();
    let elapsed_ms = u64::try_from(sim_state.trace.now().as_millis())?;
    let offsets = &sim_state.plan.clock_offsets_ms;
    // The clock of a node is off by the same time at each start.
    let time =
        ServerClock::from_unix_ms((EPOCH_MS + elapsed_ms).saturating_add_signed(offsets[node]));
    let mut rng = SeededRng::new(seed);
    let id = [rng.next_u64().to_be_bytes(), rng.next_u64().to_be_bytes()].concat();
    let id: [u8; 16] = id.try_into().expect("two numbers of eight bytes");
    let limits = sim_state.plan.limits.clone();
    let mut server = match cluster
        .model
        .start_node(node, id, &limits, time.clone())
        .await
    {
        Ok(server) => server,
        Err(reason) => {
            sim_state.record_violation(name, format_args!("cannot serve: {reason}"));
            return Ok(());
        }
    };
    sim_state.record(name, format_args!("serves"));
    if plan.is_unconfirmed {
        server.log = Arc::new(UnconfirmedLog(server.log));
    }
    let listener = SimListener::bind().await?;
    let stop = cluster.stops[node].notified();
    match server
        .run(listener, limits, ServerRng::from_seed(seed), time, stop)
        .await
    {
        Ok(()) => sim_state.trace.count("nodes stopped"),
        Err(error) => sim_state.record_violation(name, format_args!("ended: {error}")),
    }
    sim_state.record(name, format_args!("ended"));
    Ok(())
}
