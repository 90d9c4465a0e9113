//! One link: its numbers, the entries that wait to be sent, and the members of both sides.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use prometheus_client::metrics::counter::Counter;
use tokio::time::Instant;
use tokio_util::bytes::{Bytes, BytesMut};

use super::gateway_member::GatewayMember;
use super::link_batch::{LinkEntry, LinkEntryKind, MembershipId, encode_batch, next_batch_len};
use super::node_link::NodeLink;
use super::remote_member::RemoteMember;
use crate::cluster::shard::NodeId;

/// Maximum number of bytes that wait to be sent.
const MAX_WAITING_BYTES: usize = 4 << 20;

/// Maximum number of members of each side.
const MAX_MEMBERS: usize = 100_000;

/// Minimum time after which clients return when a link is closed, in milliseconds; at most three times as much, at random.
const CLOSED_RETRY_MS: u64 = 250;

/// Progress of the announcement that this node stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Announcement {
    /// It waits to be sent.
    Waiting,
    /// The batch with this number contains it.
    Sent(u64),
}

#[derive(Debug)]
pub(super) struct LinkState {
    pub(super) link: NodeLink,
    /// Entries that wait to be sent.
    waiting: BytesMut,
    /// Clients of this node in rooms of the other one.
    pub(super) clients: BTreeMap<MembershipId, Arc<GatewayMember>>,
    /// Clients of the other node in rooms of this one.
    pub(super) members: BTreeMap<MembershipId, RemoteMember>,
    /// The other node stops.
    pub(super) is_leaving: bool,
    /// The other node has sent its last entry.
    pub(super) has_ended: bool,
    /// The other node waits for an acknowledgement.
    pub(super) is_acknowledgement_due: bool,
    /// Announcement that this node stops.
    announcement: Option<Announcement>,
    /// Counts the times that members had to connect again.
    closed_count: Counter<u64, AtomicU64>,
}

impl LinkState {
    pub(super) fn new(
        node: NodeId,
        generation: u64,
        closed_count: Counter<u64, AtomicU64>,
        now: Instant,
    ) -> LinkState {
        LinkState {
            closed_count,
            link: NodeLink::new(node, generation, now),
            waiting: BytesMut::new(),
            clients: BTreeMap::new(),
            members: BTreeMap::new(),
            is_leaving: false,
            has_ended: false,
            is_acknowledgement_due: false,
            announcement: None,
        }
    }

    /// Adds an entry to those that wait. Returns whether there is space for it.
    pub(super) fn push(
        &mut self,
        kind: LinkEntryKind,
        member: MembershipId,
        value: u32,
        body: &str,
    ) -> bool {
        if self.waiting.len() + body.len() > MAX_WAITING_BYTES {
            return false;
        }
        LinkEntry::encode(kind, member, value, body, &mut self.waiting);
        true
    }

    /// Whether a further client or member is accepted.
    pub(super) fn has_capacity(&self) -> bool {
        self.clients.len() < MAX_MEMBERS && self.members.len() < MAX_MEMBERS
    }

    /// Announces that this node stops.
    pub(super) fn announce_leaving(&mut self) {
        if self.push(LinkEntryKind::Leaving, MembershipId::NONE, 0, "") {
            self.announcement = Some(Announcement::Waiting);
        }
    }

    /// Whether requests may arrive that the other node sent before it received the announcement.
    pub(super) fn awaits_requests(&self, now: Instant) -> bool {
        let is_pending = match self.announcement {
            None => false,
            Some(Announcement::Waiting) => true,
            Some(Announcement::Sent(number)) => !self.link.is_acknowledged(number),
        };
        is_pending && !self.has_ended && !self.link.is_silent(now)
    }

    /// Takes the next batch of the waiting entries, or an acknowledgement that is due.
    pub(super) fn take_batch(&mut self) -> Option<Bytes> {
        let is_acknowledgement_due = std::mem::take(&mut self.is_acknowledgement_due);
        if self.waiting.is_empty() {
            return is_acknowledgement_due.then(|| self.acknowledgement());
        }
        let entries = self.waiting.split_to(next_batch_len(&self.waiting));
        let header = self.link.next_header(entries.len());
        if self.waiting.is_empty() && self.announcement == Some(Announcement::Waiting) {
            self.announcement = Some(Announcement::Sent(self.link.sent()));
        }
        Some(encode_batch(&header, &entries))
    }

    /// A batch that only acknowledges what was received.
    pub(super) fn acknowledgement(&mut self) -> Bytes {
        encode_batch(&self.link.next_header(0), &[])
    }

    /// Whether the link has members.
    pub(super) fn is_used(&self) -> bool {
        !(self.clients.is_empty() && self.members.is_empty())
    }

    /// Closes the link and begins it anew.
    pub(super) fn close(&mut self) {
        self.link.restart(Instant::now());
        self.end_members();
    }

    /// Makes all members of both sides connect again.
    pub(super) fn end_members(&mut self) {
        if self.is_used() {
            self.closed_count.inc();
        }
        self.waiting = BytesMut::new();
        let is_leaving = self.announcement.take().is_some();
        for (member, client) in std::mem::take(&mut self.clients) {
            client.restart(closed_retry_ms(member));
        }
        // Their rooms notice the disconnects.
        self.members.clear();
        if is_leaving {
            self.announce_leaving();
        }
    }
}

/// Time after which a client of a closed link should return, in milliseconds. Spread by its number.
fn closed_retry_ms(member: MembershipId) -> u64 {
    CLOSED_RETRY_MS + member.0.wrapping_mul(37) % (2 * CLOSED_RETRY_MS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stopping_node_awaits_no_requests_of_a_node_that_has_ended() {
        let now = Instant::now();
        let mut state = LinkState::new(NodeId([1; 16]), 1, Counter::default(), now);
        assert!(!state.awaits_requests(now));
        state.announce_leaving();
        assert!(
            state.awaits_requests(now),
            "the announcement waits to be sent"
        );
        drop(state.take_batch().expect("the announcement"));
        assert!(
            state.awaits_requests(now),
            "the announcement is not acknowledged"
        );
        state.has_ended = true;
        state.close();
        assert!(
            !state.awaits_requests(now),
            "nobody is there to acknowledge it"
        );
    }
}
