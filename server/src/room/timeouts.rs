//! What happens in a room by itself, and when: flags, absences, rooms that nobody needs.

use noughts_protocol::{Event, Outcome, Phase, RoomCloseReason, Seat};

use super::{Connectivity, Room};
use crate::fault_injection::{InjectedFault, InjectedFaults};

/// The limits that decide when a room moves on by itself, in milliseconds.
#[derive(Clone, Copy, Debug)]
pub struct RoomTimeouts {
    /// For a lost player to return before the other may claim.
    pub reconnect_grace: u64,
    /// The same for one who left on purpose.
    pub leave_grace: u64,
    /// Until the game of an absent player ends by itself.
    pub abandon_after: u64,
    /// For an opponent or a rematch to come.
    pub room_idle_timeout: u64,
    /// For a move to come.
    pub game_idle_timeout: u64,
    /// For players to come back after a restart, before a clock runs again.
    pub restart_grace: u64,
    /// What is done wrong on purpose.
    pub faults: InjectedFaults,
}

impl RoomTimeouts {
    /// The operator's limits.
    pub fn new(limits: &crate::config::ServerLimits) -> RoomTimeouts {
        use crate::config::millis;
        RoomTimeouts {
            reconnect_grace: millis(limits.grace),
            leave_grace: millis(limits.left_grace),
            abandon_after: millis(limits.abandon),
            room_idle_timeout: millis(limits.idle_room),
            game_idle_timeout: millis(limits.idle_game),
            restart_grace: millis(limits.drain),
            faults: limits.faults,
        }
    }
}

impl Room {
    pub(super) fn decide_flag(&self, now: u64) -> Option<Event> {
        let clock = self.game.clock()?;
        let loser = clock.running().filter(|_| clock.flag_at().is_some_and(|at| at <= now))?;
        Some(self.end_event(now, Outcome::Flag { winner: loser.other() }))
    }

    fn absent_since(&self, seat: Seat) -> Option<u64> {
        match self.connectivity(seat) {
            Connectivity::Connected => None,
            Connectivity::Disconnected(since) | Connectivity::Left(since) => Some(since),
        }
    }

    /// When the absence of `seat` may be claimed.
    pub(super) fn claimable_at(&self, seat: Seat) -> Option<u64> {
        match self.connectivity(seat) {
            Connectivity::Connected => None,
            Connectivity::Disconnected(since)
                if self.timeouts.faults.has(InjectedFault::ForfeitOnDisconnect) =>
            {
                Some(since)
            }
            Connectivity::Disconnected(since) => Some(since.saturating_add(self.timeouts.reconnect_grace)),
            Connectivity::Left(since) => Some(since.saturating_add(self.timeouts.leave_grace)),
        }
    }

    /// When both players have been away for as long as either may.
    fn both_absent_deadline(&self) -> Option<u64> {
        let [x, o] = Seat::ALL.map(|seat| self.claimable_at(seat));
        Some(x?.max(o?))
    }

    /// When the room has to be woken, if nothing happens before. Never in the past of what
    /// [`Room::decide_timeout`] has already dealt with.
    pub fn poll_timeout(&self) -> Option<u64> {
        let idle_deadline =
            |limit: u64| Some(self.game.board_at().max(self.active_since).saturating_add(limit));
        let times = match self.game.phase() {
            Phase::Closed => [None; 4],
            Phase::Waiting => {
                [self.waiting_room_deadline(), idle_deadline(self.timeouts.room_idle_timeout), None, None]
            }
            Phase::Playing => [
                self.game.clock().and_then(|clock| clock.flag_at()),
                self.abandonment_deadline().map(|(at, _)| at),
                self.both_absent_deadline(),
                idle_deadline(self.timeouts.game_idle_timeout),
            ],
            Phase::Over => {
                [self.finished_room_deadline(), idle_deadline(self.timeouts.room_idle_timeout), None, None]
            }
        };
        times.into_iter().flatten().min()
    }

    /// What happens by itself at `now`: a flag falls, an absent player's game is abandoned, a room
    /// that nobody needs closes.
    pub fn decide_timeout(&self, now: u64) -> Vec<Event> {
        let is_due = |at: Option<u64>| at.is_some_and(|at| at <= now);
        let is_idle =
            |limit: u64| is_due(Some(self.game.board_at().max(self.active_since).saturating_add(limit)));
        let closed = |closing| vec![Event::Closed { closing }];
        match self.game.phase() {
            Phase::Closed => vec![],
            Phase::Waiting if is_due(self.waiting_room_deadline()) => closed(RoomCloseReason::Deserted),
            Phase::Waiting | Phase::Over if is_idle(self.timeouts.room_idle_timeout) => {
                closed(RoomCloseReason::Idle)
            }
            Phase::Over if is_due(self.finished_room_deadline()) => closed(RoomCloseReason::Deserted),
            Phase::Waiting | Phase::Over => vec![],
            Phase::Playing => {
                if let Some(event) = self.decide_flag(now) {
                    return vec![event];
                }
                if is_due(self.both_absent_deadline()) {
                    let ended = self.end_event(now, Outcome::Abandoned { winner: None });
                    return vec![ended, Event::Closed { closing: RoomCloseReason::Deserted }];
                }
                if let Some((at, winner)) = self.abandonment_deadline()
                    && at <= now
                {
                    return vec![self.end_event(now, Outcome::Abandoned { winner: Some(winner) })];
                }
                if is_idle(self.timeouts.game_idle_timeout) {
                    let ended = self.end_event(now, Outcome::Abandoned { winner: None });
                    return vec![ended, Event::Closed { closing: RoomCloseReason::Idle }];
                }
                vec![]
            }
        }
    }

    /// When the game of a player who is away alone ends by itself, and who then wins.
    fn abandonment_deadline(&self) -> Option<(u64, Seat)> {
        let [x, o] = Seat::ALL.map(|seat| self.absent_since(seat));
        match (x, o) {
            (Some(since), None) => Some((since.saturating_add(self.timeouts.abandon_after), Seat::O)),
            (None, Some(since)) => Some((since.saturating_add(self.timeouts.abandon_after), Seat::X)),
            (None, None) | (Some(_), Some(_)) => None,
        }
    }

    /// A room that waits for its second player is given up with the first, at once if on purpose.
    fn waiting_room_deadline(&self) -> Option<u64> {
        let mut seated = Seat::ALL.into_iter().filter(|seat| self.game.player(*seat).is_some());
        match self.connectivity(seated.next()?) {
            Connectivity::Connected => None,
            Connectivity::Left(since) => Some(since),
            Connectivity::Disconnected(_) => Seat::ALL.into_iter().find_map(|seat| {
                self.game.player(seat)?;
                self.claimable_at(seat)
            }),
        }
    }

    /// After a game, one who left on purpose is not waited for.
    fn finished_room_deadline(&self) -> Option<u64> {
        let departure_deadline = |seat| match self.connectivity(seat) {
            Connectivity::Connected => None,
            Connectivity::Disconnected(since) => Some(since.saturating_add(self.timeouts.reconnect_grace)),
            Connectivity::Left(since) => Some(since),
        };
        let [x, o] = Seat::ALL.map(departure_deadline);
        Some(x?.max(o?))
    }
}
