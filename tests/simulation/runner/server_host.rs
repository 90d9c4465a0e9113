//! The host of the server.

use std::sync::Arc;

use noughts_server::testing::{EventLog, ServerClock, ServerRng};
use noughts_tests::faults::{Fault, FaultyListener};

use super::EPOCH_MS;
use crate::disk::DiskLog;
use crate::network::{SERVER, SimListener};
use crate::sim_state::SimState;

/// Main function of the server.
pub(super) async fn run_server(sim_state: Arc<SimState>, start: usize) -> turmoil::Result {
    let fault = sim_state.plan.fault;
    let listener = FaultyListener::new(SimListener::bind().await?, fault.and_then(Fault::wire));
    tokio::spawn(Arc::clone(&sim_state.disk).run());
    let elapsed_ms = u64::try_from(sim_state.trace.now().as_millis())?;
    let clock_offset_ms =
        sim_state.plan.clock_offsets_ms[start % sim_state.plan.clock_offsets_ms.len()];
    let time =
        ServerClock::from_unix_ms((EPOCH_MS + elapsed_ms).saturating_add_signed(clock_offset_ms));
    let mut limits = sim_state.plan.limits.clone();
    let mut log: Arc<dyn EventLog> = Arc::new(DiskLog(Arc::clone(&sim_state.disk)));
    if let Some(fault) = fault {
        fault.change_limits(&mut limits);
        log = fault.wrap_log(log);
    }
    let rng = ServerRng::from_seed(sim_state.fresh_seed());
    noughts_server::run(
        listener,
        None,
        limits,
        log,
        rng,
        time,
        sim_state.stop.notified(),
    )
    .await?;
    sim_state.disk.flush();
    sim_state.record(SERVER, format_args!("stopped"));
    Ok(())
}
