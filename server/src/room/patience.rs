//! What happens in a room by itself, and when: flags, absences, rooms that nobody needs.

use noughts_protocol::{Closing, Event, Outcome, Phase, Seat};

use super::{Attendance, Room};
use crate::fault::{Fault, Faults};

/// The limits that decide when a room moves on by itself, in milliseconds.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// For a lost player to return before the other may claim.
    pub grace: u64,
    /// The same for one who left on purpose.
    pub left_grace: u64,
    /// Until the game of an absent player ends by itself.
    pub abandon: u64,
    /// For an opponent or a rematch to come.
    pub idle_room: u64,
    /// For a move to come.
    pub idle_game: u64,
    /// For players to come back after a restart, before a clock runs again.
    pub back: u64,
    /// What is done wrong on purpose.
    pub faults: Faults,
}

impl Patience {
    /// The operator's limits.
    pub fn new(limits: &crate::config::Limits) -> Patience {
        use crate::config::millis;
        Patience {
            grace: millis(limits.grace),
            left_grace: millis(limits.left_grace),
            abandon: millis(limits.abandon),
            idle_room: millis(limits.idle_room),
            idle_game: millis(limits.idle_game),
            back: millis(limits.drain),
            faults: limits.faults,
        }
    }
}

impl Room {
    pub(super) fn flag_fallen(&self, now: u64) -> Option<Event> {
        let clock = self.game.clock()?;
        let loser = clock.running().filter(|_| clock.flag_at().is_some_and(|at| at <= now))?;
        Some(self.ended(now, Outcome::Flag { winner: loser.other() }))
    }

    fn absent_since(&self, seat: Seat) -> Option<u64> {
        match self.attendance(seat) {
            Attendance::Here => None,
            Attendance::Away(since) | Attendance::Left(since) => Some(since),
        }
    }

    /// When the absence of `seat` may be claimed.
    pub(super) fn claimable_at(&self, seat: Seat) -> Option<u64> {
        match self.attendance(seat) {
            Attendance::Here => None,
            Attendance::Away(since) if self.patience.faults.has(Fault::ForfeitAtOnce) => Some(since),
            Attendance::Away(since) => Some(since.saturating_add(self.patience.grace)),
            Attendance::Left(since) => Some(since.saturating_add(self.patience.left_grace)),
        }
    }

    /// When both players have been away for as long as either may.
    fn deserted_at(&self) -> Option<u64> {
        let [x, o] = Seat::ALL.map(|seat| self.claimable_at(seat));
        Some(x?.max(o?))
    }

    /// When the room has to be woken, if nothing happens before. Never in the past of what
    /// [`Room::decide_timeout`] has already dealt with.
    pub fn poll_timeout(&self) -> Option<u64> {
        let idle = |limit: u64| Some(self.game.board_at().max(self.since).saturating_add(limit));
        let times = match self.game.phase() {
            Phase::Closed => [None; 4],
            Phase::Waiting => [self.waiting_deserted_at(), idle(self.patience.idle_room), None, None],
            Phase::Playing => [
                self.game.clock().and_then(|clock| clock.flag_at()),
                self.abandoned_at().map(|(at, _)| at),
                self.deserted_at(),
                idle(self.patience.idle_game),
            ],
            Phase::Over => [self.over_deserted_at(), idle(self.patience.idle_room), None, None],
        };
        times.into_iter().flatten().min()
    }

    /// What happens by itself at `now`: a flag falls, an absent player's game is abandoned, a room
    /// that nobody needs closes.
    pub fn decide_timeout(&self, now: u64) -> Vec<Event> {
        let due = |at: Option<u64>| at.is_some_and(|at| at <= now);
        let idle = |limit: u64| due(Some(self.game.board_at().max(self.since).saturating_add(limit)));
        let closed = |closing| vec![Event::Closed { closing }];
        match self.game.phase() {
            Phase::Closed => vec![],
            Phase::Waiting if due(self.waiting_deserted_at()) => closed(Closing::Deserted),
            Phase::Waiting | Phase::Over if idle(self.patience.idle_room) => closed(Closing::Idle),
            Phase::Over if due(self.over_deserted_at()) => closed(Closing::Deserted),
            Phase::Waiting | Phase::Over => vec![],
            Phase::Playing => {
                if let Some(event) = self.flag_fallen(now) {
                    return vec![event];
                }
                if due(self.deserted_at()) {
                    let ended = self.ended(now, Outcome::Abandoned { winner: None });
                    return vec![ended, Event::Closed { closing: Closing::Deserted }];
                }
                if let Some((at, winner)) = self.abandoned_at()
                    && at <= now
                {
                    return vec![self.ended(now, Outcome::Abandoned { winner: Some(winner) })];
                }
                if idle(self.patience.idle_game) {
                    let ended = self.ended(now, Outcome::Abandoned { winner: None });
                    return vec![ended, Event::Closed { closing: Closing::Idle }];
                }
                vec![]
            }
        }
    }

    /// When the game of a player who is away alone ends by itself, and who then wins.
    fn abandoned_at(&self) -> Option<(u64, Seat)> {
        let [x, o] = Seat::ALL.map(|seat| self.absent_since(seat));
        match (x, o) {
            (Some(since), None) => Some((since.saturating_add(self.patience.abandon), Seat::O)),
            (None, Some(since)) => Some((since.saturating_add(self.patience.abandon), Seat::X)),
            (None, None) | (Some(_), Some(_)) => None,
        }
    }

    /// A room that waits for its second player is given up with the first, at once if on purpose.
    fn waiting_deserted_at(&self) -> Option<u64> {
        let mut seated = Seat::ALL.into_iter().filter(|seat| self.game.player(*seat).is_some());
        match self.attendance(seated.next()?) {
            Attendance::Here => None,
            Attendance::Left(since) => Some(since),
            Attendance::Away(_) => Seat::ALL.into_iter().find_map(|seat| {
                self.game.player(seat)?;
                self.claimable_at(seat)
            }),
        }
    }

    /// After a game, one who left on purpose is not waited for.
    fn over_deserted_at(&self) -> Option<u64> {
        let gone = |seat| match self.attendance(seat) {
            Attendance::Here => None,
            Attendance::Away(since) => Some(since.saturating_add(self.patience.grace)),
            Attendance::Left(since) => Some(since),
        };
        let [x, o] = Seat::ALL.map(gone);
        Some(x?.max(o?))
    }
}
