//! Which changes of the lobby subscribers get, and when. Pure: the time is an argument.
//!
//! Changes that invite to act (seeks, rooms, players) go out at the fixed pace. Numbers that change with each move go out
//! with them only every few seconds. Beyond the byte rates the pace slows down, and more changes share a message.

use std::time::Duration;

use noughts_protocol::wire::{LobbyChange, LobbyView, RoomListing};
use tokio::time::Instant;

/// Shortest time between two changes.
pub(super) const MIN_INTERVAL: Duration = Duration::from_millis(500);

/// Time between two changes that contain details.
const DETAILS_INTERVAL: Duration = Duration::from_secs(5);

/// Maximum number of bytes per second to one subscriber.
const MAX_BYTES_PER_SECOND: u64 = 16 * 1024;

/// Maximum number of bytes per second to all subscribers.
const MAX_TOTAL_BYTES_PER_SECOND: u64 = 8 * 1024 * 1024;

/// Maximum number of messages per second to all subscribers.
const MAX_MESSAGES_PER_SECOND: u64 = 10_000;

/// The view that subscribers have, and when they get the next change.
#[derive(Debug)]
pub(super) struct LobbyChanges {
    sent: LobbyView,
    details_at: Instant,
}

impl LobbyChanges {
    pub(super) fn new(sent: LobbyView, now: Instant) -> LobbyChanges {
        LobbyChanges {
            sent,
            details_at: now + DETAILS_INTERVAL,
        }
    }

    /// Returns the view that subscribers have.
    pub(super) fn sent(&self) -> &LobbyView {
        &self.sent
    }

    /// Returns whether `current` differs in details at most from the view that subscribers have.
    pub(super) fn has_same_entries(&self, current: &LobbyView) -> bool {
        let is_same = |(sent, current): (&RoomListing, &RoomListing)| {
            sent.room == current.room && has_same_players(sent, current)
        };
        self.sent.seeks == current.seeks
            && self.sent.rooms.len() == current.rooms.len()
            && self.sent.rooms.iter().zip(&current.rooms).all(is_same)
    }

    /// Returns what subscribers get of the difference to `current`, and records it as sent.
    pub(super) fn take(&mut self, mut current: LobbyView, now: Instant) -> LobbyChange {
        if now < self.details_at {
            self.retain_details(&mut current);
        } else {
            self.details_at = now + DETAILS_INTERVAL;
        }
        let change = self.sent.changes_to(&current);
        self.sent = current;
        change
    }

    /// Replaces the details in `current` by those that were sent.
    fn retain_details(&self, current: &mut LobbyView) {
        for room in &mut current.rooms {
            if let Some(sent) = self.sent.room(room.room)
                && has_same_players(sent, room)
            {
                room.clone_from(sent);
            }
        }
        if current.seeks == self.sent.seeks && current.counts.waiting == self.sent.counts.waiting {
            current.counts = self.sent.counts;
        }
    }
}

/// Whether two entries of a room differ in details at most.
fn has_same_players(sent: &RoomListing, current: &RoomListing) -> bool {
    let RoomListing {
        room: _,
        rules: _,
        clock: _,
        phase,
        players,
        moves: _,
        spectators: _,
        open_seat,
    } = sent;
    (phase, players, open_seat) == (&current.phase, &current.players, &current.open_seat)
}

/// Returns the time from a change to the next one. `total_bytes`: those of this change and of whole views, to all
/// subscribers. The budgets of the subscribers limit the views that each of them gets.
pub(super) fn interval_after(
    change_bytes: usize,
    total_bytes: usize,
    subscribers: usize,
) -> Duration {
    let (bytes, total_bytes, subscribers) =
        (change_bytes as u64, total_bytes as u64, subscribers as u64);
    let per_second =
        |amount: u64, rate: u64| Duration::from_millis(amount.saturating_mul(1000) / rate);
    [
        MIN_INTERVAL,
        per_second(bytes, MAX_BYTES_PER_SECOND),
        per_second(total_bytes, MAX_TOTAL_BYTES_PER_SECOND),
        per_second(subscribers, MAX_MESSAGES_PER_SECOND),
    ]
    .into_iter()
    .max()
    .expect("an array of four")
}

#[cfg(test)]
mod tests {
    use noughts_protocol::Phase;
    use noughts_protocol::wire::LobbyCounts;

    use super::*;
    use crate::tests::{listed_seek, listing};

    fn view(moves: u32, phase: Phase, seeks: u64) -> LobbyView {
        let counts = LobbyCounts {
            games: moves,
            ..LobbyCounts::default()
        };
        LobbyView {
            rooms: vec![listing(1, phase, moves)],
            seeks: (0..seeks).map(|seek| listed_seek(seek, 0)).collect(),
            counts,
        }
    }

    #[test]
    fn entries_differ_by_rooms_players_and_seeks_only() {
        let changes = LobbyChanges::new(view(0, Phase::Waiting, 1), Instant::now());
        let mut joined = view(0, Phase::Waiting, 1);
        joined.rooms[0].open_seat = match joined.rooms[0].open_seat {
            Some(_) => None,
            None => Some(noughts_protocol::Seat::O),
        };
        for (current, is_same) in [
            (view(5, Phase::Waiting, 1), true),
            (view(0, Phase::Playing, 1), false),
            (view(0, Phase::Waiting, 2), false),
            (joined, false),
        ] {
            assert_eq!(changes.has_same_entries(&current), is_same, "{current:?}");
        }
    }

    #[test]
    fn details_wait_for_their_interval() {
        let start = Instant::now();
        let mut changes = LobbyChanges::new(view(0, Phase::Waiting, 0), start);
        assert!(
            changes.take(view(1, Phase::Waiting, 0), start).is_empty(),
            "a move alone"
        );
        let sought = changes.take(view(1, Phase::Waiting, 1), start);
        assert_eq!((sought.seeks.len(), sought.rooms.len()), (1, 0));
        assert_eq!(
            sought.counts.map(|counts| counts.games),
            Some(1),
            "counts come with other changes"
        );
        let started = changes.take(view(2, Phase::Playing, 1), start);
        assert_eq!(started.rooms[0].moves, 2);
        assert!(changes.take(view(3, Phase::Playing, 1), start).is_empty());
        let later = changes.take(view(3, Phase::Playing, 1), start + DETAILS_INTERVAL);
        assert_eq!(later.rooms[0].moves, 3);
        assert_eq!(later.counts.map(|counts| counts.games), Some(3));
        assert_eq!(*changes.sent(), view(3, Phase::Playing, 1));
    }

    #[test]
    fn large_messages_and_many_subscribers_slow_the_pace() {
        let second = Duration::from_secs(1);
        assert_eq!(interval_after(200, 200_000, 1000), MIN_INTERVAL);
        assert_eq!(interval_after(16 * 1024, 16 * 1024, 1), second);
        assert_eq!(interval_after(8 * 1024, 16 << 20, 2048), 2 * second);
        assert_eq!(interval_after(100, 1_000_000, 10_000), second);
    }
}
