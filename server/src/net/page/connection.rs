//! Resources that a connection holds while it loads the page, and its time limit.

use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::error::Elapsed;
use tokio::time::{Instant, timeout_at};

use crate::limits::client_prefix::ClientPrefix;
use crate::limits::handshake_slots::HandshakeSlot;
use crate::limits::quota::{Quota, QuotaError, QuotaPermit};
use crate::runtime::sync::lock::lock;

/// The deadline of a connection and the permit that admits it: a slot for handshakes before its first request, and a
/// permit for page connections while it loads the page.
#[derive(Debug)]
pub(in crate::net) struct PageConnection(Mutex<State>);

#[derive(Debug)]
struct State {
    deadline: Instant,
    slot: Option<HandshakeSlot>,
    permit: Option<QuotaPermit>,
}

impl PageConnection {
    /// Creates the state of a connection that has to complete its handshake before the `deadline`.
    pub(in crate::net) fn new(deadline: Instant) -> Arc<PageConnection> {
        Arc::new(PageConnection(Mutex::new(State {
            deadline,
            slot: None,
            permit: None,
        })))
    }

    /// Keeps the slot of the handshake until the connection loads the page.
    pub(in crate::net) fn set_slot(&self, slot: HandshakeSlot) {
        lock(&self.0).slot = Some(slot);
    }

    /// Admits a request for the page: exchanges the slot for a permit, and sets the deadline for the response.
    ///
    /// # Errors
    /// If the client has too many page connections. The slot is kept.
    pub(in crate::net) fn on_page_request(
        &self,
        quota: &Arc<Quota>,
        client_prefix: ClientPrefix,
        deadline: Instant,
    ) -> Result<(), QuotaError> {
        let mut state = lock(&self.0);
        if state.permit.is_none() {
            state.permit = Some(quota.try_acquire(client_prefix)?);
        }
        state.deadline = deadline;
        let slot = state.slot.take();
        drop(state);
        drop(slot);
        Ok(())
    }

    /// Runs a future that takes at most `limit`, and postpones the deadline by the time that the future takes.
    pub(in crate::net) async fn exclude<F: Future>(&self, limit: Duration, future: F) -> F::Output {
        let began = Instant::now();
        lock(&self.0).deadline += limit;
        let output = future.await;
        lock(&self.0).deadline -= limit.saturating_sub(began.elapsed());
        output
    }

    fn deadline(&self) -> Instant {
        lock(&self.0).deadline
    }

    /// Runs a future until the deadline, which requests for the page postpone.
    pub(in crate::net) async fn run<F: Future>(&self, future: F) -> Result<F::Output, Elapsed> {
        let mut future = pin!(future);
        loop {
            let deadline = self.deadline();
            match timeout_at(deadline, &mut future).await {
                Err(elapsed) if self.deadline() == deadline => return Err(elapsed),
                Err(_) => {}
                Ok(output) => return Ok(output),
            }
        }
    }
}
