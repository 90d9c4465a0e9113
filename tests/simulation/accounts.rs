//! A client's requests, and that each has exactly one answer, or its line ended.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use noughts_protocol::RequestId;
use noughts_protocol::wire::{Body, Lobby};

use crate::world::World;

/// The requests of one program over its link.
pub(crate) struct Accounts {
    world: Arc<World>,
    who: &'static str,
    open: BTreeMap<RequestId, Duration>,
    /// Answered by `done`, and refused after all when no room could be opened for the pair.
    seeks: BTreeSet<RequestId>,
    all: BTreeSet<RequestId>,
}

impl Accounts {
    pub(crate) fn new(world: Arc<World>, who: &'static str) -> Accounts {
        Accounts { world, who, open: BTreeMap::new(), seeks: BTreeSet::new(), all: BTreeSet::new() }
    }

    /// Notes a request that was sent.
    pub(crate) fn asks(&mut self, id: RequestId, body: &Body) {
        self.world.note(self.who, format_args!("asks {id}: {body:?}"));
        self.open.insert(id, self.world.notes.now());
        self.all.insert(id);
        if matches!(body, Body::Lobby(Lobby::Seek { .. })) {
            self.seeks.insert(id);
        }
    }

    /// Notes an answer. Those to the link's own requests are none of ours.
    pub(crate) fn answered(&mut self, id: RequestId) {
        if self.open.remove(&id).is_some() {
            self.world.notes.count("requests answered");
        } else if self.all.contains(&id) && !self.seeks.remove(&id) {
            self.world.breach(self.who, format_args!("request {id} is answered twice"));
        }
    }

    /// Notes that the link gave one up, with its line.
    pub(crate) fn lost(&mut self, id: RequestId) {
        self.world.notes.count("requests lost with their line");
        if self.open.remove(&id).is_none() && !self.seeks.remove(&id) {
            self.world
                .breach(self.who, format_args!("request {id} is lost, and was answered or never asked"));
        }
    }

    /// Whether this one was asked here, whatever came of it.
    pub(crate) fn is_ours(&self, id: RequestId) -> bool {
        self.all.contains(&id)
    }

    /// The request that has waited for longer than anything may take on a line that is there.
    pub(crate) fn overdue(&self, limit: Duration) -> Option<RequestId> {
        let now = self.world.notes.now();
        self.open.iter().find(|(_, asked)| now.saturating_sub(**asked) > limit).map(|(id, _)| *id)
    }
}
