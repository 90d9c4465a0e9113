//! Requests of a client: each has exactly one response, or its connection ended.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use noughts_protocol::RequestId;
use noughts_protocol::wire::{RequestBody, SessionRequest};

use crate::sim_state::SimState;

/// Requests of one program.
pub(crate) struct RequestLedger {
    sim_state: Arc<SimState>,
    actor: &'static str,
    pending: BTreeMap<RequestId, Duration>,
    /// Seeks answered by `done`; they may still be rejected if no room can be created.
    seeks: BTreeSet<RequestId>,
    all: BTreeSet<RequestId>,
}

impl RequestLedger {
    pub(crate) fn new(sim_state: Arc<SimState>, actor: &'static str) -> RequestLedger {
        RequestLedger {
            sim_state,
            actor,
            pending: BTreeMap::new(),
            seeks: BTreeSet::new(),
            all: BTreeSet::new(),
        }
    }

    /// Records a sent request.
    pub(crate) fn record_request(&mut self, id: RequestId, body: &RequestBody) {
        self.sim_state
            .record(self.actor, format_args!("sends {id}: {body:?}"));
        self.pending.insert(id, self.sim_state.trace.now());
        self.all.insert(id);
        if matches!(body, RequestBody::Session(SessionRequest::Seek { .. })) {
            self.seeks.insert(id);
        }
    }

    /// Records a response; responses to the link's own requests are ignored.
    pub(crate) fn record_response(&mut self, id: RequestId) {
        if self.pending.remove(&id).is_some() {
            self.sim_state.trace.count("requests answered");
        } else if self.all.contains(&id) && !self.seeks.remove(&id) {
            self.sim_state
                .record_violation(self.actor, format_args!("request {id} has two responses"));
        }
    }

    /// Records that the link lost a request with its connection.
    pub(crate) fn record_loss(&mut self, id: RequestId) {
        self.sim_state
            .trace
            .count("requests lost with their connection");
        if self.pending.remove(&id).is_none() && !self.seeks.remove(&id) {
            self.sim_state.record_violation(
                self.actor,
                format_args!("request {id} is lost, but was answered or never sent"),
            );
        }
    }

    /// Returns whether this program sent the request.
    pub(crate) fn is_ours(&self, id: RequestId) -> bool {
        self.all.contains(&id)
    }

    /// Returns a request that has waited for longer than `limit`.
    pub(crate) fn overdue_request(&self, limit: Duration) -> Option<RequestId> {
        let now = self.sim_state.trace.now();
        self.pending
            .iter()
            .find(|(_, sent_at)| now.saturating_sub(**sent_at) > limit)
            .map(|(id, _)| *id)
    }
}
