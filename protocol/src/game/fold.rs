//! The fold: how each event changes the game. Apart from the fold, only clock credits change a game.

use super::{FREE_MOVES, FoldError, Game};
use crate::clock::Clock;
use crate::{Event, EventRecord, Offer, Outcome, Phase, Position, Seat, Status};

impl Game {
    /// Applies the next event. An error leaves the game unchanged.
    ///
    /// # Errors
    /// [`FoldError::Gap`] when the event does not follow the last event, [`FoldError::Impossible`] when the state does
    /// not allow it.
    pub fn apply(&mut self, record: &EventRecord) -> Result<(), FoldError> {
        let expected = self.seq.next();
        if record.seq != expected {
            return Err(FoldError::Gap {
                expected,
                got: record.seq,
            });
        }
        self.fold(record)
            .ok_or(FoldError::Impossible { seq: record.seq })?;
        self.seq = record.seq;
        self.last_event_at = record.at;
        Ok(())
    }

    /// Applies an event. Each kind of event has one arm. Returns `None`, and changes nothing, if the state does not
    /// allow the event.
    fn fold(&mut self, record: &EventRecord) -> Option<()> {
        let phase = self.phase();
        match &record.event {
            Event::Opened { .. } => return None,
            Event::Seated { seat, player } => {
                let slot = &mut self.players[seat.index()];
                match phase {
                    Phase::Waiting if slot.is_none() => {}
                    // A substitute takes over the seat, the board and the clock, but neither the pending offers nor the
                    // wins.
                    Phase::Playing => {
                        self.offers = [None; 3];
                        self.score.wins[seat.index()] = 0;
                    }
                    Phase::Waiting | Phase::Over | Phase::Closed => return None,
                }
                *slot = Some(player.clone());
            }
            Event::Started { game } => self.start(*game, record)?,
            Event::Moved { seat, cell, left } => {
                if phase != Phase::Playing
                    || self.position.turn() != *seat
                    || left.is_some() != self.clock.is_some()
                {
                    return None;
                }
                if !self.position.is_legal(*cell) {
                    return None;
                }
                self.position.play(*cell).ok()?;
                let running =
                    (self.position.status() == Status::Ongoing).then(|| self.position.turn());
                self.set_clock(*left, running, record.at);
                // A move voids every pending offer.
                self.offers = [None; 3];
                (self.board_seq, self.board_at) = (record.seq, record.at);
            }
            Event::Offered { seat, offer } => {
                let possible = match offer {
                    Offer::Draw | Offer::Takeback => phase == Phase::Playing,
                    Offer::Rematch => phase == Phase::Over,
                };
                if !possible {
                    return None;
                }
                self.offers[offer.index()] = Some(*seat);
            }
            Event::Declined { offer, .. } => {
                self.offers[offer.index()].take()?;
            }
            Event::TakenBack { plies, left } => {
                if phase != Phase::Playing || usize::from(*plies) > self.position.ply() {
                    return None;
                }
                for _ in 0..*plies {
                    self.position.undo();
                }
                self.set_clock(*left, Some(self.position.turn()), record.at);
                self.offers = [None; 3];
                (self.board_seq, self.board_at) = (record.seq, record.at);
            }
            Event::Ended { outcome, left } => {
                if phase != Phase::Playing || !self.position.allows_outcome(outcome) {
                    return None;
                }
                // The score of a snapshot may be any number, so the addition is checked.
                let count = match outcome.winner() {
                    Some(winner) => Some(&mut self.score.wins[winner.index()]),
                    None if *outcome == Outcome::Aborted => None,
                    None => Some(&mut self.score.draws),
                };
                if let Some(count) = count {
                    *count = count.checked_add(1)?;
                }
                self.set_clock(*left, None, record.at);
                self.outcome = Some(outcome.clone());
                self.offers = [None; 3];
                (self.board_seq, self.board_at) = (record.seq, record.at);
            }
            Event::Closed { reason } => {
                if phase == Phase::Closed {
                    return None;
                }
                self.close_reason = Some(*reason);
                self.offers = [None; 3];
                if let Some(clock) = &mut self.clock {
                    clock.stop(record.at);
                }
            }
        }
        Some(())
    }

    fn start(&mut self, game: u32, record: &EventRecord) -> Option<()> {
        let both_seated = self.players.iter().all(Option::is_some);
        let can_start = match self.phase() {
            Phase::Waiting => both_seated && self.number == 0,
            Phase::Over => true,
            Phase::Playing | Phase::Closed => false,
        };
        if !can_start || self.number.checked_add(1) != Some(game) {
            return None;
        }
        if self.number > 0 {
            self.players.swap(0, 1);
            self.score.wins.swap(0, 1);
        }
        self.number = game;
        self.position = Position::with_geometry(self.position.shared_geometry());
        self.outcome = None;
        self.offers = [None; 3];
        self.clock = self.control.map(|control| {
            let mut clock = Clock::new(control);
            if self.free_first_moves {
                clock.set_free(clock.left_at_last_stop(), Seat::X, record.at);
            } else {
                clock.set(clock.left_at_last_stop(), Some(Seat::X), record.at);
            }
            clock
        });
        (self.board_seq, self.board_at) = (record.seq, record.at);
        Some(())
    }

    fn set_clock(&mut self, left: Option<[u64; 2]>, running: Option<Seat>, at: u64) {
        if let (Some(clock), Some(left)) = (&mut self.clock, left) {
            match running {
                Some(seat) if self.free_first_moves && self.position.ply() < FREE_MOVES => {
                    clock.set_free(left, seat, at);
                }
                Some(_) | None => clock.set(left, running, at),
            }
        }
    }
}
