//! The deadlines of a room, and the events that passing a deadline causes.
//! Pure: the time is an argument.
//!
//! [`SeatPresence`] says whether the player of a seat is connected. It is not part of the history: events do not record
//! it.

use noughts_protocol::game::referee::Referee;
use noughts_protocol::{Event, Game, Outcome, Phase, RoomCloseReason, Seat};

use crate::config::ServerLimits;
use crate::runtime::clock::millis;

/// The deadlines of one room, computed from its state.
#[derive(Clone, Copy)]
pub(super) struct RoomDeadlines<'a> {
    pub(super) game: &'a Game,
    /// By seat.
    pub(super) presence: &'a [SeatPresence; 2],
    /// Time when the room was opened or restored: idle times start no earlier.
    pub(super) active_since: u64,
    pub(super) limits: &'a ServerLimits,
}

impl RoomDeadlines<'_> {
    /// Returns the next time when [`RoomDeadlines::decide`] may return events.
    pub(super) fn next(&self) -> Option<u64> {
        let times = match self.game.phase() {
            Phase::Closed => [None; 4],
            Phase::Waiting => [
                self.waiting_room_deadline(),
                Some(self.idle_deadline(millis(self.limits.room_idle_timeout))),
                None,
                None,
            ],
            Phase::Playing => [
                self.game.clock().and_then(|clock| clock.flag_at()),
                self.abandonment_deadline().map(|(at, _)| at),
                self.both_absent_deadline(),
                Some(self.idle_deadline(millis(self.limits.game_idle_timeout))),
            ],
            Phase::Over => [
                self.finished_room_deadline(),
                Some(self.idle_deadline(millis(self.limits.room_idle_timeout))),
                None,
                None,
            ],
        };
        times.into_iter().flatten().min()
    }

    /// Returns the events that are due at `now`: a flag falls, the game of an absent player ends, an abandoned or idle
    /// room closes.
    pub(super) fn decide(&self, now: u64) -> Vec<Event> {
        let is_due = |at: Option<u64>| at.is_some_and(|at| at <= now);
        let is_idle = |limit| self.idle_deadline(limit) <= now;
        let closed = |reason| vec![Event::Closed { reason }];
        match self.game.phase() {
            Phase::Closed => vec![],
            Phase::Waiting if is_due(self.waiting_room_deadline()) => {
                closed(RoomCloseReason::Deserted)
            }
            Phase::Waiting | Phase::Over if is_idle(millis(self.limits.room_idle_timeout)) => {
                closed(RoomCloseReason::Idle)
            }
            Phase::Over if is_due(self.finished_room_deadline()) => {
                closed(RoomCloseReason::Deserted)
            }
            Phase::Waiting | Phase::Over => vec![],
            Phase::Playing => {
                let referee = Referee::new(self.game, now);
                if let Some(event) = referee.flag() {
                    return vec![event];
                }
                let abandoned = |winner| referee.end(Outcome::Abandoned { winner });
                if is_due(self.both_absent_deadline()) {
                    return vec![
                        abandoned(None),
                        Event::Closed {
                            reason: RoomCloseReason::Deserted,
                        },
                    ];
                }
                if let Some((at, winner)) = self.abandonment_deadline()
                    && at <= now
                {
                    return vec![abandoned(Some(winner))];
                }
                if is_idle(millis(self.limits.game_idle_timeout)) {
                    return vec![
                        abandoned(None),
                        Event::Closed {
                            reason: RoomCloseReason::Idle,
                        },
                    ];
                }
                vec![]
            }
        }
    }

    /// Returns the events that close a room at `now`, whatever its state is.
    pub(super) fn close(&self, now: u64, reason: RoomCloseReason) -> Vec<Event> {
        let closed = Event::Closed { reason };
        match self.game.phase() {
            Phase::Closed => vec![],
            Phase::Waiting | Phase::Over => vec![closed],
            Phase::Playing => {
                let outcome = match reason {
                    // The operator ended the game, not the players, so the game does not count.
                    RoomCloseReason::Operator => Outcome::Aborted,
                    RoomCloseReason::Deserted | RoomCloseReason::Idle => {
                        Outcome::Abandoned { winner: None }
                    }
                };
                vec![Referee::new(self.game, now).end(outcome), closed]
            }
        }
    }

    /// Returns the earliest time when the opponent may claim the game because the player in `seat` is absent.
    pub(super) fn claimable(&self, seat: Seat) -> Option<u64> {
        match self.presence[seat.index()] {
            SeatPresence::Connected => None,
            SeatPresence::Disconnected(since) => {
                Some(since.saturating_add(millis(self.limits.reconnect_grace)))
            }
            SeatPresence::Left(since) => {
                Some(since.saturating_add(millis(self.limits.leave_grace)))
            }
        }
    }

    fn idle_deadline(&self, limit: u64) -> u64 {
        self.game
            .board_at()
            .max(self.active_since)
            .saturating_add(limit)
    }

    /// If both players are absent, returns the end of both grace periods, when the game ends.
    fn both_absent_deadline(&self) -> Option<u64> {
        let [x, o] = Seat::ALL.map(|seat| self.claimable(seat));
        Some(x?.max(o?))
    }

    /// If exactly one player is absent, returns the time when the game ends and the seat that then wins.
    fn abandonment_deadline(&self) -> Option<(u64, Seat)> {
        match self.presence.map(SeatPresence::absent_since) {
            [Some(since), None] => Some((
                since.saturating_add(millis(self.limits.abandon_after)),
                Seat::O,
            )),
            [None, Some(since)] => Some((
                since.saturating_add(millis(self.limits.abandon_after)),
                Seat::X,
            )),
            [None, None] | [Some(_), Some(_)] => None,
        }
    }

    /// Returns the time when a room that waits for an opponent closes, because its only player has left or has not
    /// returned in time.
    fn waiting_room_deadline(&self) -> Option<u64> {
        let seat = Seat::ALL
            .into_iter()
            .find(|seat| self.game.player(*seat).is_some())?;
        match self.presence[seat.index()] {
            SeatPresence::Connected => None,
            SeatPresence::Left(since) => Some(since),
            SeatPresence::Disconnected(_) => self.claimable(seat),
        }
    }

    /// Returns the time when a room closes after a game, because both players have left or have not returned in time.
    fn finished_room_deadline(&self) -> Option<u64> {
        let [x, o] = self.presence.map(|presence| match presence {
            SeatPresence::Connected => None,
            SeatPresence::Disconnected(since) => {
                Some(since.saturating_add(millis(self.limits.reconnect_grace)))
            }
            SeatPresence::Left(since) => Some(since),
        });
        Some(x?.max(o?))
    }
}

/// Presence of the player of a seat. Times are server milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeatPresence {
    /// A connection of the player is in the room.
    Connected,
    /// The connection was lost at this time.
    Disconnected(u64),
    /// The player left the room on purpose at this time.
    Left(u64),
}

impl SeatPresence {
    /// Returns the time since which the player has been absent; `None` for a connected player.
    pub fn absent_since(self) -> Option<u64> {
        match self {
            SeatPresence::Connected => None,
            SeatPresence::Disconnected(since) | SeatPresence::Left(since) => Some(since),
        }
    }
}
