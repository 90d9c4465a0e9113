//! The seeks of this node's clients that have a party. A party seeks once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use noughts_protocol::PartyKey;

use super::seek_control::SeekControl;
use crate::runtime::sync::lock;

/// The seek of each party.
#[derive(Debug, Default)]
pub(super) struct PartySeeks(Mutex<HashMap<PartyKey, Arc<SeekControl>>>);

impl PartySeeks {
    /// Records the seek of a party. Returns the older one, which has to end.
    pub(super) fn insert(
        &self,
        party: PartyKey,
        seek: Arc<SeekControl>,
    ) -> Option<Arc<SeekControl>> {
        lock(&self.0).insert(party, seek)
    }

    /// Returns the seek of a party.
    pub(super) fn get(&self, party: PartyKey) -> Option<Arc<SeekControl>> {
        lock(&self.0).get(&party).cloned()
    }

    /// Forgets a seek of a party, unless the party has a newer one.
    pub(super) fn remove(&self, party: PartyKey, seek: &Arc<SeekControl>) {
        let mut seeks = lock(&self.0);
        if seeks
            .get(&party)
            .is_some_and(|known| Arc::ptr_eq(known, seek))
        {
            seeks.remove(&party);
        }
    }
}
