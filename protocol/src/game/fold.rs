//! How each event changes the game: the only place where it does.

use super::{FoldError, Game, Phase};
use crate::clock::Clock;
use crate::{Event, Offer, Position, Seat, Stamped, Status};

impl Game {
    /// Takes in the next event. On an error nothing has changed.
    ///
    /// # Errors
    /// When the event is not the next one, or cannot happen in this state.
    pub fn apply(&mut self, stamped: &Stamped) -> Result<(), FoldError> {
        let expected = self.seq.next();
        if stamped.seq != expected {
            return Err(FoldError::Gap { expected, got: stamped.seq });
        }
        self.fold(stamped).ok_or(FoldError::Impossible { seq: stamped.seq })?;
        self.seq = stamped.seq;
        self.at = stamped.at;
        Ok(())
    }

    /// One arm a kind of event; `None`, with nothing changed, when it cannot happen now.
    fn fold(&mut self, stamped: &Stamped) -> Option<()> {
        let phase = self.phase();
        match &stamped.event {
            Event::Opened { .. } => return None,
            Event::Seated { seat, player } => {
                let chair = &mut self.players[seat.index()];
                if phase != Phase::Waiting || chair.is_some() {
                    return None;
                }
                *chair = Some(player.clone());
            }
            Event::Started { game } => self.start(*game, stamped)?,
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
                let runs = (self.position.status() == Status::Ongoing).then(|| self.position.turn());
                self.set_clock(*left, runs, stamped.at);
                // An answer by playing on: what was proposed before this move is off the table.
                self.offers = [None; 3];
                (self.board_seq, self.board_at) = (stamped.seq, stamped.at);
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
                self.set_clock(*left, Some(self.position.turn()), stamped.at);
                self.offers = [None; 3];
                (self.board_seq, self.board_at) = (stamped.seq, stamped.at);
            }
            Event::Ended { outcome, left } => {
                if phase != Phase::Playing || !outcome.agrees_with(&self.position) {
                    return None;
                }
                // A view may come from a server that counts as it likes.
                let count = match outcome.winner() {
                    Some(winner) => &mut self.score.wins[winner.index()],
                    None => &mut self.score.draws,
                };
                *count = count.checked_add(1)?;
                self.set_clock(*left, None, stamped.at);
                self.outcome = Some(outcome.clone());
                self.offers = [None; 3];
                (self.board_seq, self.board_at) = (stamped.seq, stamped.at);
            }
            Event::Closed { closing } => {
                if phase == Phase::Closed {
                    return None;
                }
                self.closing = Some(*closing);
                self.offers = [None; 3];
                if let Some(clock) = &mut self.clock {
                    clock.stop(stamped.at);
                }
            }
        }
        Some(())
    }

    fn start(&mut self, game: u32, stamped: &Stamped) -> Option<()> {
        let seated = self.players.iter().all(Option::is_some);
        let may = match self.phase() {
            Phase::Waiting => seated && self.number == 0,
            Phase::Over => true,
            Phase::Playing | Phase::Closed => false,
        };
        if !may || self.number.checked_add(1) != Some(game) {
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
            clock.set(clock.stored(), Some(Seat::X), stamped.at);
            clock
        });
        (self.board_seq, self.board_at) = (stamped.seq, stamped.at);
        Some(())
    }

    fn set_clock(&mut self, left: Option<[u64; 2]>, running: Option<Seat>, at: u64) {
        if let (Some(clock), Some(left)) = (&mut self.clock, left) {
            clock.set(left, running, at);
        }
    }
}
