//! Decisions of a room: the events that a request causes. They change nothing.

use noughts_protocol::wire::{Claim, EngineRemark, Reject, RejectCode, RoomCommand};
use noughts_protocol::{Event, Offer, Outcome, Phase, Player, RequestId, Seat, Seq};

use crate::runtime::fault_injection::InjectedFault;

use super::request_log::Lookup;
use super::{Connectivity, Decision, Room};

impl Room {
    /// The events that seat a player on the `wanted` seat, or on any free one. Changes nothing.
    ///
    /// # Errors
    /// `room_full` if the seat is not free.
    pub fn decide_seating(
        &self,
        player: Player,
        wanted: Option<Seat>,
    ) -> Result<(Seat, Vec<Event>), RejectCode> {
        let free = |seat: &Seat| self.game.player(*seat).is_none();
        let seat = match wanted {
            Some(seat) => Some(seat).filter(free),
            None => Seat::ALL.into_iter().find(free),
        };
        let Some(seat) = seat.filter(|_| self.game.phase() == Phase::Waiting) else {
            return Err(RejectCode::RoomFull);
        };
        let mut events = vec![Event::Seated { seat, player }];
        if self.game.player(seat.other()).is_some() {
            events.push(Event::Started { game: 1 });
        }
        Ok((seat, events))
    }

    /// Checks that the opponent of the player in `seat` is absent beyond the grace time of a running game. Returns the seat
    /// of the opponent.
    ///
    /// # Errors
    /// The reject that answers the request to open that seat.
    pub fn check_opponent_absent(&self, now: u64, seat: Seat) -> Result<Seat, Reject> {
        self.referee(now).check_playing()?;
        let absent = seat.other();
        match self.deadlines().claimable(absent) {
            Some(at) if at <= now => Ok(absent),
            Some(at) => Err(Reject::new(RejectCode::NotClaimable).wait_ms(at - now)),
            None => Err(RejectCode::NotClaimable.into()),
        }
    }

    /// The event that seats a substitute on the seat of an absent player in a running game. Changes nothing.
    ///
    /// # Errors
    /// `room_full` if that player is connected, or no game is running.
    pub fn decide_substitution(&self, substitute: Player, seat: Seat) -> Result<Event, RejectCode> {
        if self.game.phase() != Phase::Playing || self.connectivity(seat) == Connectivity::Connected
        {
            return Err(RejectCode::RoomFull);
        }
        Ok(Event::Seated {
            seat,
            player: substitute,
        })
    }

    /// The events that a request of the player in `seat` causes. Changes nothing.
    ///
    /// # Errors
    /// The reject that answers an invalid request.
    pub fn decide(
        &self,
        now: u64,
        seat: Seat,
        id: RequestId,
        command: RoomCommand,
    ) -> Result<Decision, Reject> {
        match self.request_logs[seat.index()].lookup(id, command, self.game.rules()) {
            Lookup::New => {}
            Lookup::Duplicate(_)
                if self
                    .limits
                    .faults
                    .is_on(InjectedFault::RepeatDuplicateRequests) => {}
            Lookup::Duplicate(seq) => return Ok(Decision::Duplicate(seq)),
            Lookup::Conflict => return Err(RejectCode::IdReused.into()),
        }
        let referee = self.referee(now);
        let events = match command {
            RoomCommand::Move { cell, seq } => {
                referee.check_playing()?;
                self.check_current(seq)?;
                referee.play(seat, cell)?
            }
            RoomCommand::Resign => vec![referee.resign(seat)?],
            RoomCommand::Offer { offer } => {
                referee.check_offer_allowed(offer)?;
                self.check_opponent_present(seat)?;
                vec![referee.offer(seat, offer)?]
            }
            RoomCommand::Accept { offer } => {
                let agreement = referee.accept(seat, offer)?;
                if offer == Offer::Rematch {
                    self.check_opponent_present(seat)?;
                }
                vec![agreement]
            }
            RoomCommand::Decline { offer } => vec![referee.decline(seat, offer)?],
            RoomCommand::Claim { result } => vec![self.decide_claim(now, seat, result)?],
            RoomCommand::Flag => {
                referee.check_playing()?;
                vec![referee.flag().ok_or(RejectCode::FlagNotFallen)?]
            }
            RoomCommand::Abort => vec![referee.abort()?],
        };
        Ok(Decision::Events(events))
    }

    /// Checks that a remark is about the current position of a running game.
    ///
    /// # Errors
    /// The reject that answers an invalid remark.
    pub fn check_remark(&self, remark: &EngineRemark) -> Result<(), Reject> {
        self.referee(self.game.last_event_at()).check_playing()?;
        self.check_current(remark.seq)?;
        if remark
            .pv
            .iter()
            .any(|cell| cell.index() >= self.game.rules().cells())
        {
            return Err(Reject::new(RejectCode::OffBoard).field("line"));
        }
        Ok(())
    }

    fn decide_claim(&self, now: u64, seat: Seat, result: Claim) -> Result<Event, Reject> {
        let referee = self.referee(now);
        referee.check_playing()?;
        let absent = seat.other();
        let claimable_at = self.deadlines().claimable(absent);
        let Some(at) = claimable_at.filter(|_| self.game.position().turn() == absent) else {
            return Err(RejectCode::NotClaimable.into());
        };
        if now < at {
            return Err(Reject::new(RejectCode::NotClaimable).wait_ms(at - now));
        }
        let winner = match result {
            Claim::Win => Some(seat),
            Claim::Draw => None,
        };
        Ok(referee.end(Outcome::Abandoned { winner }))
    }

    /// Checks that a request was made for the current board.
    fn check_current(&self, seq: Seq) -> Result<(), Reject> {
        if seq < self.game.board_seq() || seq > self.game.seq() {
            return Err(Reject::new(RejectCode::Stale).field("seq"));
        }
        Ok(())
    }

    /// Checks that the opponent of `seat` has not left, and may answer.
    fn check_opponent_present(&self, seat: Seat) -> Result<(), RejectCode> {
        match self.connectivity(seat.other()) {
            Connectivity::Connected | Connectivity::Disconnected(_) => Ok(()),
            Connectivity::Left(_) => Err(RejectCode::OpponentLeft),
        }
    }
}
