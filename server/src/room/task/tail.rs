//! The last events of a room, for clients that resume.

use std::collections::VecDeque;

use noughts_protocol::{EventRecord, Game, Seq};

/// The last events of a room, and from where on events suffice to catch up.
#[derive(Debug)]
pub(super) struct EventTail {
    events: VecDeque<EventRecord>,
    /// A client that does not know this event needs a snapshot: time was credited to the clocks since an
    /// earlier one, and no event records a credit.
    replayable_from: Seq,
}

impl EventTail {
    pub(super) fn new(events: VecDeque<EventRecord>, replayable_from: Seq) -> EventTail {
        EventTail {
            events,
            replayable_from,
        }
    }

    /// The last `capacity` of the stored events of a room that was read from the log.
    pub(super) fn from_log(events: Vec<EventRecord>, capacity: usize, game: &Game) -> EventTail {
        let excess = events.len().saturating_sub(capacity);
        EventTail::new(
            events.into_iter().skip(excess).collect(),
            replayable_after_restart(game),
        )
    }

    /// Appends events and discards the oldest beyond `capacity`.
    pub(super) fn extend(&mut self, events: &[EventRecord], capacity: usize) {
        self.events.extend(events.iter().cloned());
        while self.events.len() > capacity {
            self.events.pop_front();
        }
    }

    /// From now on, a client that does not know the event `seq` needs a snapshot.
    pub(super) fn require_snapshot_before(&mut self, seq: Seq) {
        self.replayable_from = seq;
    }

    /// The events from `after` up to `last`, the last event of the room. `None` if only a snapshot brings the
    /// client up to date.
    pub(super) fn events_after(&self, after: Seq, last: Seq) -> Option<Vec<EventRecord>> {
        let oldest = self.events.front().map_or(last.next(), |first| first.seq);
        if after > last || after.next() < oldest || after < self.replayable_from {
            return None;
        }
        Some(
            self.events
                .iter()
                .filter(|event| event.seq > after)
                .cloned()
                .collect(),
        )
    }
}

/// The first event from which on events suffice to catch up, just after the room was read from the log: a
/// running clock was credited the time of the outage.
pub(super) fn replayable_after_restart(game: &Game) -> Seq {
    if game.clock().is_some_and(|clock| clock.running().is_some()) {
        game.seq().next()
    } else {
        Seq::ZERO
    }
}

#[cfg(test)]
mod tests {
    use noughts_protocol::{Event, Offer, Seat};

    use super::*;

    const LAST: u64 = 10;

    /// The events 7 to 10.
    fn tail() -> EventTail {
        let event = Event::Offered {
            seat: Seat::X,
            offer: Offer::Draw,
        };
        let records: Vec<EventRecord> = (1..=10)
            .map(|seq| EventRecord {
                seq: Seq::new(seq),
                at: 1,
                request: None,
                event: event.clone(),
            })
            .collect();
        let mut tail = EventTail::new(VecDeque::new(), Seq::ZERO);
        tail.extend(&records[..6], 4);
        tail.extend(&records[6..], 4);
        tail
    }

    fn missed(tail: &EventTail, after: u64) -> Option<Vec<u64>> {
        let events = tail.events_after(Seq::new(after), Seq::new(LAST))?;
        Some(events.iter().map(|event| event.seq.get()).collect())
    }

    #[test]
    fn only_retained_events_are_returned() {
        let tail = tail();
        assert_eq!(missed(&tail, 5), None, "event 6 was discarded");
        assert_eq!(missed(&tail, 6), Some(vec![7, 8, 9, 10]));
        assert_eq!(missed(&tail, 10), Some(vec![]));
        assert_eq!(missed(&tail, 11), None, "not an event of this room");
    }

    #[test]
    fn a_client_from_before_a_credit_needs_a_snapshot() {
        let mut tail = tail();
        tail.require_snapshot_before(Seq::new(9));
        assert_eq!(missed(&tail, 8), None);
        assert_eq!(missed(&tail, 9), Some(vec![10]));
    }
}
