//! Numbers of the batches between two nodes: every lost, repeated or reordered batch shows as a gap. Pure.
//!
//! Each side numbers its batches within a generation, and names the generation of the other side as far as it knows it.
//! After a gap a side forgets both and begins a new generation; the other side then sees a generation that it does not know,
//! and does the same.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

use crate::cluster::links::link_batch::BatchHeader;
use crate::cluster::nodes::membership::SUSPECT_AFTER;
use crate::cluster::shard::NodeId;

/// Maximum number of bytes that the other side has not acknowledged.
const MAX_UNACKNOWLEDGED_BYTES: usize = 8 << 20;

/// Silence after which a link without members is forgotten.
const GONE_AFTER: Duration = Duration::from_secs(60);

/// Handling of a received batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BatchVerdict {
    /// The members of the link have lost messages: they connect again.
    pub(crate) is_broken: bool,
    /// The entries are the next ones.
    pub(crate) is_next: bool,
}

/// This node's side of the link to another one.
#[derive(Debug)]
pub(crate) struct NodeLink {
    node: NodeId,
    generation: u64,
    /// 0 while it is unknown.
    peer_generation: u64,
    /// Latest generation of the other side that was seen. Earlier ones are under way late.
    peer_latest: u64,
    sent: u64,
    received: u64,
    /// Number and size of batches that are not acknowledged.
    unacknowledged: VecDeque<(u64, usize)>,
    unacknowledged_bytes: usize,
    heard_at: Instant,
}

impl NodeLink {
    /// A link of `node` that begins at `now`, with a generation later than all that the other side may know.
    pub(crate) fn new(node: NodeId, generation: u64, now: Instant) -> NodeLink {
        NodeLink {
            node,
            generation,
            peer_generation: 0,
            peer_latest: 0,
            sent: 0,
            received: 0,
            unacknowledged: VecDeque::new(),
            unacknowledged_bytes: 0,
            heard_at: now,
        }
    }

    /// Begins a new generation.
    pub(crate) fn restart(&mut self, now: Instant) {
        let peer_latest = self.peer_latest;
        *self = NodeLink {
            peer_latest,
            ..NodeLink::new(self.node, self.generation + 1, now)
        };
    }

    /// The current generation.
    pub(crate) fn generation(&self) -> u64 {
        self.generation
    }

    /// Whether the link is up with this generation of the other side.
    pub(crate) fn is_up(&self, peer_generation: u64) -> bool {
        self.peer_generation == peer_generation
    }

    /// Returns the header of the next batch, with `bytes` of entries; 0 for a batch that only acknowledges.
    pub(crate) fn next_header(&mut self, bytes: usize) -> BatchHeader {
        if bytes > 0 {
            self.sent += 1;
            self.unacknowledged.push_back((self.sent, bytes));
            self.unacknowledged_bytes += bytes;
        }
        BatchHeader {
            from: self.node,
            generation: self.generation,
            peer_generation: self.peer_generation,
            number: self.sent,
            received: self.received,
        }
    }

    /// Number of the last batch with entries.
    pub(crate) fn sent(&self) -> u64 {
        self.sent
    }

    /// Whether the other side has received the batch with this number.
    pub(crate) fn is_acknowledged(&self, number: u64) -> bool {
        self.unacknowledged
            .front()
            .is_none_or(|(first, _)| *first > number)
    }

    /// Whether the other side acknowledges too little.
    pub(crate) fn is_congested(&self) -> bool {
        self.unacknowledged_bytes > MAX_UNACKNOWLEDGED_BYTES
    }

    /// Whether the other side has sent nothing for long.
    pub(crate) fn is_silent(&self, now: Instant) -> bool {
        now - self.heard_at >= SUSPECT_AFTER
    }

    /// Whether the other side has been silent for so long that no batch of it is under way.
    pub(crate) fn is_gone(&self, now: Instant) -> bool {
        now - self.heard_at >= GONE_AFTER
    }

    /// Handles the header of a batch that arrived at `now`.
    pub(crate) fn on_batch(
        &mut self,
        header: &BatchHeader,
        has_entries: bool,
        now: Instant,
    ) -> BatchVerdict {
        let mut is_broken = false;
        if header.generation < self.peer_latest {
            return BatchVerdict {
                is_broken,
                is_next: false,
            };
        }
        if header.generation > self.peer_latest && self.peer_generation != 0 {
            is_broken = true;
            self.restart(now);
        }
        self.peer_latest = header.generation;
        self.heard_at = now;
        if header.peer_generation != 0 && header.peer_generation != self.generation {
            // The other side does not know this generation yet.
            return BatchVerdict {
                is_broken,
                is_next: false,
            };
        }
        self.peer_generation = header.generation;
        if header.number != self.received + u64::from(has_entries) {
            self.restart(now);
            return BatchVerdict {
                is_broken: true,
                is_next: false,
            };
        }
        self.received = header.number;
        if header.peer_generation == self.generation {
            while self
                .unacknowledged
                .front()
                .is_some_and(|(number, _)| *number <= header.received)
            {
                let (_, bytes) = self.unacknowledged.pop_front().expect("not empty");
                self.unacknowledged_bytes -= bytes;
            }
        }
        BatchVerdict {
            is_broken,
            is_next: has_entries,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    /// One side: its link, what it has sent since its members last began, and what it has received since.
    struct Side {
        link: NodeLink,
        /// Members of the link connect again when it breaks; their messages carry the number of the attempt.
        attempt: u64,
        sent: u64,
        /// Attempt of the other side, and the next message of it.
        expected: Option<(u64, u64)>,
    }

    type Sent = (BatchHeader, Option<(u64, u64)>);

    impl Side {
        fn new(id: u8, now: Instant) -> Side {
            Side {
                link: NodeLink::new(NodeId([id; 16]), 1, now),
                attempt: 0,
                sent: 0,
                expected: None,
            }
        }

        fn restart(&mut self) {
            (self.attempt, self.sent, self.expected) = (self.attempt + 1, 0, None);
        }

        fn send(&mut self, has_entries: bool) -> Sent {
            let header = self.link.next_header(if has_entries { 100 } else { 0 });
            self.sent += u64::from(has_entries);
            (header, has_entries.then_some((self.attempt, self.sent)))
        }

        fn receive(&mut self, (header, message): &Sent, now: Instant) -> Result<(), TestCaseError> {
            let verdict = self.link.on_batch(header, message.is_some(), now);
            if verdict.is_broken {
                self.restart();
            }
            if verdict.is_next {
                let (attempt, number) = message.expect("a batch with entries");
                let expected = self.expected.unwrap_or((attempt, 1));
                prop_assert_eq!(
                    (attempt, number),
                    expected,
                    "a message is lost, doubled or late"
                );
                self.expected = Some((attempt, number + 1));
            }
            Ok(())
        }
    }

    proptest! {
        /// 0 and 1: the batch arrives; 2: it is lost; 3: it overtakes the one before.
        #[test]
        fn no_message_is_lost_or_doubled_without_notice(steps in vec((0..2usize, any::<bool>(), 0..12u8), 1..300)) {
            let mut now = Instant::now();
            let mut sides = [Side::new(1, now), Side::new(2, now)];
            let mut queues: [VecDeque<Sent>; 2] = Default::default();
            for (from, has_entries, fate) in steps {
                now += Duration::from_millis(50);
                let sent = sides[from].send(has_entries);
                match fate {
                    10 => {}
                    11 => queues[from].push_front(sent),
                    _ => queues[from].push_back(sent),
                }
                // Some batches are under way when the next ones are sent.
                while queues[from].len() > usize::from(fate % 3) {
                    let batch = queues[from].pop_front().expect("not empty");
                    sides[1 - from].receive(&batch, now)?;
                }
            }
            // Without further losses, the link works again.
            for (from, queue) in queues.iter_mut().enumerate() {
                for batch in queue.drain(..) {
                    sides[1 - from].receive(&batch, now)?;
                }
            }
            for _ in 0..6 {
                for from in [0, 1] {
                    let batch = sides[from].send(false);
                    sides[1 - from].receive(&batch, now)?;
                }
            }
            let attempts = [sides[0].attempt, sides[1].attempt];
            for from in [0, 1] {
                let batch = sides[from].send(true);
                sides[1 - from].receive(&batch, now)?;
                prop_assert!(sides[1 - from].expected.is_some());
            }
            prop_assert_eq!([sides[0].attempt, sides[1].attempt], attempts);
        }
    }

    #[test]
    fn a_side_that_acknowledges_nothing_or_is_silent_is_noticed() {
        let now = Instant::now();
        let (mut a, mut b) = (
            NodeLink::new(NodeId([1; 16]), 1, now),
            NodeLink::new(NodeId([2; 16]), 1, now),
        );
        for _ in 0..8 {
            let header = a.next_header(1 << 20);
            assert!(!a.is_congested());
            assert_eq!(
                b.on_batch(&header, true, now),
                BatchVerdict {
                    is_broken: false,
                    is_next: true
                }
            );
        }
        a.next_header(1);
        assert!(a.is_congested());
        let header = b.next_header(0);
        a.on_batch(&header, false, now);
        assert!(!a.is_congested());
        assert!(!a.is_silent(now + SUSPECT_AFTER - Duration::from_millis(1)));
        assert!(a.is_silent(now + SUSPECT_AFTER));
    }
}
