//! A client's requests, and that each has exactly one answer, or its line ended.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use noughts_protocol::RequestId;
use noughts_protocol::wire::{LobbyRequest, RequestBody};

use crate::sim_state::SimState;

/// The requests of one program over its link.
pub(crate) struct RequestLedger {
    sim_state: Arc<SimState>,
    actor: &'static str,
    pending: BTreeMap<RequestId, Duration>,
    /// Answered by `done`, and refused after all when no room could be opened for the pair.
    seeks: BTreeSet<RequestId>,
    all: BTreeSet<RequestId>,
}

impl RequestLedger {
    pub(crate) fn new(sim_state: Arc<SimState>, actor: &'static str) -> RequestLedger {
        RequestLedger {
            sim_state: sim_state,
            actor: actor,
            pending: BTreeMap::new(),
            seeks: BTreeSet::new(),
            all: BTreeSet::new(),
        }
    }

    /// Notes a request that was sent.
    pub(crate) fn record_request(&mut self, id: RequestId, body: &RequestBody) {
        self.sim_state.record(self.actor, format_args!("asks {id}: {body:?}"));
        self.pending.insert(id, self.sim_state.trace.now());
        self.all.insert(id);
        if matches!(body, RequestBody::Lobby(LobbyRequest::Seek { .. })) {
            self.seeks.insert(id);
        }
    }

    /// Notes an answer. Those to the link's own requests are none of ours.
    pub(crate) fn record_response(&mut self, id: RequestId) {
        if self.pending.remove(&id).is_some() {
            self.sim_state.trace.count("requests answered");
        } else if self.all.contains(&id) && !self.seeks.remove(&id) {
            self.sim_state.record_violation(self.actor, format_args!("request {id} is answered twice"));
        }
    }

    /// Notes that the link gave one up, with its line.
    pub(crate) fn record_loss(&mut self, id: RequestId) {
        self.sim_state.trace.count("requests lost with their line");
        if self.pending.remove(&id).is_none() && !self.seeks.remove(&id) {
            self.sim_state.record_violation(
                self.actor,
                format_args!("request {id} is lost, and was answered or never asked"),
            );
        }
    }

    /// Whether this one was asked here, whatever came of it.
    pub(crate) fn is_ours(&self, id: RequestId) -> bool {
        self.all.contains(&id)
    }

    /// The request that has waited for longer than anything may take on a line that is there.
    pub(crate) fn overdue_request(&self, limit: Duration) -> Option<RequestId> {
        let now = self.sim_state.trace.now();
        self.pending.iter().find(|(_, sent_at)| now.saturating_sub(**sent_at) > limit).map(|(id, _)| *id)
    }
}
