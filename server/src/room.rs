//! The pure core of a room: which events a request or the time causes, and how events change the room.
//!
//! Owns the game, the connectivity of the players and their request logs. Uses no log, no runtime and no socket;
//! times are arguments, in server milliseconds. Game events change the game only in [`Room::apply`], after the log has
//! stored them; clock credits and connectivity change outside the history.

mod checkpoint;
mod connectivity;
pub(crate) mod context;
mod decisions;
mod details;
pub(crate) mod handle;
pub(crate) mod members;
pub(crate) mod placement;
pub(crate) mod registry;
mod request_log;
pub(crate) mod task;
#[cfg(test)]
mod tests;
mod timeouts;

use std::sync::Arc;

use noughts_protocol::game::referee::Referee;
use noughts_protocol::wire::Presence;
use noughts_protocol::{Event, EventRecord, FoldError, Game, Offer, Outcome, Seat, Seq};

use crate::config::ServerLimits;
use crate::runtime::time::server_clock::millis;
use crate::store::{FinishedGame, StoredRoom};
pub(crate) use connectivity::Connectivity;
use request_log::RequestLog;
use timeouts::RoomDeadlines;

/// Number of moves from which a finished game is archived: each player has made one. A single client can end shorter games
/// at any rate.
const KEPT_MOVES_MIN: usize = 2;

/// A game with fewer moves gives way to a new room first.
const FEW_MOVES: usize = 4;

/// Result of a valid request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The request causes these events. The first one answers it.
    Events(Vec<Event>),
    /// The request was executed before, and this event answered it.
    Duplicate(Seq),
}

/// A room: the fold of its events, and the connectivity of its players.
#[derive(Clone, Debug)]
pub struct Room {
    game: Game,
    /// By seat. Swapped with the players.
    connectivity: [Connectivity; 2],
    /// By seat. Swapped with the players.
    request_logs: [RequestLog; 2],
    /// Time at which the room was opened or restored. Idle times start no earlier.
    active_since: u64,
    limits: Arc<ServerLimits>,
}

impl Room {
    /// Creates a room from its first event. No player is connected.
    ///
    /// # Errors
    /// If the event is not [`Event::Opened`].
    pub fn open(first: &EventRecord, limits: Arc<ServerLimits>) -> Result<Room, FoldError> {
        let game = Game::open(first)?;
        let connectivity = [Connectivity::Disconnected(first.at); 2];
        Ok(Room {
            game,
            connectivity,
            request_logs: Default::default(),
            active_since: first.at,
            limits,
        })
    }

    /// Replays the history of a room after a restart at `now`. No player is connected. The player to move has
    /// the time left at the last change of the board, which is the last time that an event states: the time since
    /// then, with the outage, is charged to no clock. The room's time does not go back: a `now` before the last
    /// event counts as the time of that event.
    ///
    /// # Errors
    /// If the events are not the history of a room.
    pub fn replay(
        stored: &StoredRoom,
        limits: Arc<ServerLimits>,
        now: u64,
    ) -> Result<Room, FoldError> {
        let (mut room, rest) = match (&stored.checkpoint, stored.events.split_first()) {
            (Some(checkpoint), _) => (
                Room::from_checkpoint(checkpoint, limits)?,
                &stored.events[..],
            ),
            (None, Some((first, rest))) => (Room::open(first, limits)?, rest),
            (None, None) => {
                return Err(FoldError::Gap {
                    expected: Seq::ZERO.next(),
                    got: Seq::ZERO,
                });
            }
        };
        for event_record in rest {
            room.try_apply(event_record)?;
        }
        // The clock of the machine may have been set back.
        let now = now.max(room.game.last_event_at());
        room.connectivity = [Connectivity::Disconnected(now); 2];
        room.active_since = now;
        // No clock runs until players had time to reconnect.
        room.game
            .restart_clock(now.saturating_add(millis(room.limits.drain_timeout)));
        Ok(room)
    }

    pub fn game(&self) -> &Game {
        &self.game
    }

    /// Connectivity of the player in `seat`.
    pub fn connectivity(&self, seat: Seat) -> Connectivity {
        self.connectivity[seat.index()]
    }

    /// Presence of the player in `seat` as on the wire, and for an absent player the time until the opponent
    /// may claim the game, in milliseconds.
    pub fn presence(&self, seat: Seat, now: u64) -> (Presence, Option<u64>) {
        let claim_in = self
            .deadlines()
            .claimable(seat)
            .map(|at| at.saturating_sub(now));
        match self.connectivity(seat) {
            Connectivity::Connected => (Presence::Connected, None),
            Connectivity::Disconnected(_) => (Presence::Disconnected, claim_in),
            Connectivity::Left(_) => (Presence::Left, claim_in),
        }
    }

    /// Sets the connectivity of the player in `seat`.
    pub fn set_connectivity(&mut self, seat: Seat, connectivity: Connectivity) {
        self.connectivity[seat.index()] = connectivity;
    }

    /// Credits `ms` milliseconds to the running clock, because no event could be stored meanwhile. The next
    /// event that contains the time left includes the credit, so that a replay needs no record of it.
    pub fn credit_time(&mut self, ms: u64) {
        self.game.credit_time(ms);
    }

    /// Applies the next event, which the log has stored.
    ///
    /// # Panics
    /// If the event does not follow from the state of the room. That is a bug; the room is rebuilt from the
    /// log.
    pub fn apply(&mut self, event_record: &EventRecord) {
        if let Err(error) = self.try_apply(event_record) {
            panic!("cannot apply a stored event: {error}");
        }
    }

    /// The game that ends with the next events, if one does, both players have moved in it, and it counts.
    pub fn finished_game(&self, events: &[EventRecord]) -> Option<FinishedGame> {
        let is_end =
            |event_record: &EventRecord| matches!(&event_record.event, Event::Ended { .. });
        let end_index = events.iter().position(is_end)?;
        if matches!(
            &events[end_index].event,
            Event::Ended {
                outcome: Outcome::Aborted,
                ..
            }
        ) {
            return None;
        }
        // Copied once per game.
        let mut game = self.game.clone();
        for event_record in &events[..=end_index] {
            game.apply(event_record).ok()?;
        }
        let record = game
            .record()
            .filter(|record| record.moves.len() >= KEPT_MOVES_MIN)?;
        Some(FinishedGame {
            number: game.number(),
            ended_at: events[end_index].at,
            record: record.to_string(),
        })
    }

    fn try_apply(&mut self, event_record: &EventRecord) -> Result<(), FoldError> {
        let rematch_by = self.game.offered_by(Offer::Rematch);
        self.game.apply(event_record)?;
        match event_record.event {
            Event::Started { .. } => {
                for seat in Seat::ALL {
                    self.request_logs[seat.index()].on_game_started(rematch_by == Some(seat));
                }
            }
            Event::Ended { .. } => {
                let ended_by = event_record.request.map(|request| request.seat);
                for seat in Seat::ALL {
                    self.request_logs[seat.index()].on_game_ended(ended_by == Some(seat));
                }
            }
            // The substitute numbers its requests itself.
            Event::Seated { seat, .. } if event_record.is_substitution() => {
                self.request_logs[seat.index()] = RequestLog::default();
            }
            Event::Opened { .. }
            | Event::Seated { .. }
            | Event::Moved { .. }
            | Event::Offered { .. }
            | Event::Declined { .. }
            | Event::TakenBack { .. }
            | Event::Closed { .. } => {}
        }
        if let Some(by) = event_record.request {
            self.request_logs[by.seat.index()].record(by.id, event_record);
        }
        if let Event::Started { game } = event_record.event
            && game > 1
        {
            self.connectivity.swap(0, 1);
            self.request_logs.swap(0, 1);
        }
        Ok(())
    }

    fn referee(&self, now: u64) -> Referee<'_> {
        Referee::new(&self.game, now)
    }

    /// The time at which [`Room::decide_timeout`] may next return events, if the room does not change before.
    pub fn poll_timeout(&self) -> Option<u64> {
        self.deadlines().next()
    }

    /// The events that the time causes at `now`: a flag falls, the game of an absent player ends, an
    /// abandoned or idle room closes.
    pub fn decide_timeout(&self, now: u64) -> Vec<Event> {
        self.deadlines().decide(now)
    }

    /// The events that close the room at `now`, because it gives way to a new one.
    pub fn decide_eviction(&self, now: u64) -> Vec<Event> {
        self.deadlines().evict(now)
    }

    /// Whether closing the room would lose a game that has got going, or a score.
    pub fn has_progress(&self) -> bool {
        self.game.number() > 1 || self.game.position().ply() >= FEW_MOVES
    }

    fn deadlines(&self) -> RoomDeadlines<'_> {
        RoomDeadlines {
            game: &self.game,
            connectivity: &self.connectivity,
            active_since: self.active_since,
            limits: &self.limits,
        }
    }
}
