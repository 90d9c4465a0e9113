//! The decisions of a match that follow from its game alone: the events or the rejection that a player's request leads
//! to. The server's rooms and games without a server share them.
//!
//! The referee changes nothing, and it knows neither connections nor storage: a room adds presence, stale
//! moves and repeated requests.

use crate::wire::{Reject, RejectCode};
use crate::{Cell, Event, Game, Offer, Outcome, Phase, Seat, Status};

/// Decides requests about a game as of a time. Every event that it returns applies to the game, in the order returned.
///
/// ```
/// use noughts_protocol::game::referee::Referee;
/// use noughts_protocol::wire::RejectCode;
/// use noughts_protocol::{Event, EventRecord, Game, Offer, Seat, Seq};
///
/// let opened = Event::Opened { rules: "3x3:3".parse().unwrap(), clock: None, public: false, free_first_moves: false };
/// let game = Game::open(&EventRecord { seq: Seq::new(1), at: 0, by: None, event: opened }).unwrap();
/// assert_eq!(Referee::new(&game, 0).resign(Seat::X), Err(RejectCode::NotStarted));
/// assert_eq!(Referee::new(&game, 0).offer(Seat::X, Offer::Rematch), Err(RejectCode::NotStarted));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Referee<'a> {
    game: &'a Game,
    now: u64,
}

impl<'a> Referee<'a> {
    /// Creates a referee of this game at `now`, the time of the request in milliseconds.
    pub fn new(game: &'a Game, now: u64) -> Referee<'a> {
        Referee { game, now }
    }

    /// Checks that a game is running.
    ///
    /// # Errors
    /// [`RejectCode::NotStarted`] before the first game, [`RejectCode::GameOver`] after a game.
    pub fn check_playing(&self) -> Result<(), RejectCode> {
        match self.game.phase() {
            Phase::Playing => Ok(()),
            Phase::Waiting => Err(RejectCode::NotStarted),
            Phase::Over | Phase::Closed => Err(RejectCode::GameOver),
        }
    }

    /// Checks that players may agree on `offer` in this phase: a rematch after a game, a draw and a takeback during
    /// one.
    ///
    /// # Errors
    /// [`RejectCode::NotStarted`], [`RejectCode::GameOn`] or [`RejectCode::GameOver`].
    pub fn check_offer_allowed(&self, offer: Offer) -> Result<(), RejectCode> {
        match (offer, self.game.phase()) {
            (Offer::Draw | Offer::Takeback, _) => self.check_playing(),
            (Offer::Rematch, Phase::Over) => Ok(()),
            (Offer::Rematch, Phase::Playing) => Err(RejectCode::GameOn),
            (Offer::Rematch, Phase::Waiting) => Err(RejectCode::NotStarted),
            (Offer::Rematch, Phase::Closed) => Err(RejectCode::GameOver),
        }
    }

    /// Decides a move: [`Event::Moved`] to the landing cell, and [`Event::Ended`] if it ends the game.
    ///
    /// # Errors
    /// The reason why the move is illegal, with the field to blame; see [`Game::check_move`].
    pub fn play(&self, seat: Seat, cell: Cell) -> Result<Vec<Event>, Reject> {
        let cell = self.game.check_move(seat, cell)?;
        let left = self
            .game
            .clock()
            .map(|clock| clock.left_after_move(seat, self.now));
        let moved = Event::Moved { seat, cell, left };
        match self
            .game
            .position()
            .status_after(cell)
            .expect("check_move found the move legal")
        {
            Status::Ongoing => Ok(vec![moved]),
            Status::Won(_) | Status::Drawn => {
                // The winning line exists only on the board after the move, so a copy of the board plays it. One copy
                // per game is cheap.
                let mut after = self.game.position().clone();
                after.play(cell).expect("status_after accepted the move");
                let outcome = after.outcome().expect("status_after found the game over");
                Ok(vec![moved, Event::Ended { outcome, left }])
            }
        }
    }

    /// Decides a resignation, which the other seat wins.
    ///
    /// # Errors
    /// The errors of [`Referee::check_playing`].
    pub fn resign(&self, seat: Seat) -> Result<Event, RejectCode> {
        self.check_playing()?;
        Ok(self.end(Outcome::Resigned {
            winner: seat.other(),
        }))
    }

    /// Decides the end of a game before both players have moved. The game does not count.
    ///
    /// # Errors
    /// The errors of [`Referee::check_playing`]; [`RejectCode::GameOn`] when two stones are on the board.
    pub fn abort(&self) -> Result<Event, RejectCode> {
        self.check_playing()?;
        if self.game.position().ply() >= 2 {
            return Err(RejectCode::GameOn);
        }
        Ok(self.end(Outcome::Aborted))
    }

    /// Decides an offer by `seat`: [`Event::Offered`], or the agreement if the other seat has made the same offer.
    ///
    /// # Errors
    /// The errors of [`Referee::check_offer_allowed`]; [`RejectCode::AlreadyOffered`] when the seat has made the offer
    /// before, [`RejectCode::NothingToTakeBack`] when the seat has no move on the board.
    pub fn offer(&self, seat: Seat, offer: Offer) -> Result<Event, RejectCode> {
        self.check_offer_allowed(offer)?;
        match self.game.offered_by(offer) {
            Some(by) if by == seat => return Err(RejectCode::AlreadyOffered),
            Some(by) => return self.agree(by, offer),
            None => {}
        }
        if offer == Offer::Takeback && self.game.takeback_plies(seat).is_none() {
            return Err(RejectCode::NothingToTakeBack);
        }
        Ok(Event::Offered { seat, offer })
    }

    /// Decides the agreement when `seat` accepts the offer of the other seat.
    ///
    /// # Errors
    /// The errors of [`Referee::check_offer_allowed`]; [`RejectCode::NoOffer`] if the other seat has not made this
    /// offer.
    pub fn accept(&self, seat: Seat, offer: Offer) -> Result<Event, RejectCode> {
        self.check_offer_allowed(offer)?;
        if self.game.offered_by(offer) != Some(seat.other()) {
            return Err(RejectCode::NoOffer);
        }
        self.agree(seat.other(), offer)
    }

    /// Decides the end of an offer: `seat` declines the offer of the other seat, or withdraws its own offer.
    ///
    /// # Errors
    /// [`RejectCode::NoOffer`] when neither seat has made the offer.
    pub fn decline(&self, seat: Seat, offer: Offer) -> Result<Event, RejectCode> {
        self.game
            .offered_by(offer)
            .map(|_| Event::Declined { seat, offer })
            .ok_or(RejectCode::NoOffer)
    }

    /// Returns the event that follows when both seats want what `proposer` offers: the draw, the takeback or the next
    /// game.
    ///
    /// # Errors
    /// The errors of [`Referee::check_offer_allowed`]; [`RejectCode::NothingToTakeBack`] when `proposer` has no move
    /// on the board.
    pub fn agree(&self, proposer: Seat, offer: Offer) -> Result<Event, RejectCode> {
        self.check_offer_allowed(offer)?;
        Ok(match offer {
            Offer::Draw => self.end(Outcome::Agreed),
            Offer::Takeback => {
                let plies = self
                    .game
                    .takeback_plies(proposer)
                    .ok_or(RejectCode::NothingToTakeBack)?;
                Event::TakenBack {
                    plies,
                    left: self.game.left(self.now),
                }
            }
            Offer::Rematch => Event::Started {
                game: self.game.number() + 1,
            },
        })
    }

    /// Returns the end of a game by the clock: the flag has fallen, and the other seat wins. `None` while time is left
    /// or no clock is running.
    pub fn flag(&self) -> Option<Event> {
        let clock = self.game.clock()?;
        let loser = clock
            .running()
            .filter(|_| clock.flag_at().is_some_and(|at| at <= self.now))?;
        Some(self.end(Outcome::Flag {
            winner: loser.other(),
        }))
    }

    /// Returns the event that ends the game by `outcome` now.
    pub fn end(&self, outcome: Outcome) -> Event {
        Event::Ended {
            outcome,
            left: self.game.left(self.now),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EventRecord, Player, PlayerKind, Rules, Seq, TimeControl};

    fn apply(game: &mut Game, at: u64, event: Event) {
        game.apply(&EventRecord {
            seq: game.seq().next(),
            at,
            by: None,
            event,
        })
        .unwrap();
    }

    /// Returns the first game of a room, which begins at time 0.
    fn game(rules: &str, clock: Option<TimeControl>) -> Game {
        let rules: Rules = rules.parse().unwrap();
        let opened = Event::Opened {
            rules,
            clock,
            public: false,
            free_first_moves: false,
        };
        let mut game = Game::open(&EventRecord {
            seq: Seq::new(1),
            at: 0,
            by: None,
            event: opened,
        })
        .unwrap();
        for (seat, name) in Seat::ALL.into_iter().zip(["Ann", "Bob"]) {
            let player = Player::guest(name.parse().unwrap(), PlayerKind::Person);
            apply(&mut game, 0, Event::Seated { seat, player });
        }
        apply(&mut game, 0, Event::Started { game: 1 });
        game
    }

    fn play(game: &mut Game, at: u64, seat: Seat, cell: u16) {
        for event in Referee::new(game, at).play(seat, Cell::new(cell)).unwrap() {
            apply(game, at, event);
        }
    }

    #[test]
    fn a_move_lands_and_charges_the_clock() {
        let clock: TimeControl = "1+2".parse().unwrap();
        let game = game("7x6:4+gravity", Some(clock));
        let events = Referee::new(&game, 5_000)
            .play(Seat::X, Cell::new(3))
            .unwrap();
        let left = Some([57_000, 60_000]);
        assert_eq!(
            events,
            [Event::Moved {
                seat: Seat::X,
                cell: Cell::new(38),
                left
            }]
        );
        let error = Referee::new(&game, 0)
            .play(Seat::O, Cell::new(3))
            .unwrap_err();
        assert_eq!(error, Reject::new(RejectCode::NotYourTurn));
        let error = Referee::new(&game, 0)
            .play(Seat::X, Cell::new(42))
            .unwrap_err();
        assert_eq!(error, Reject::new(RejectCode::OffBoard).field("cell"));
    }

    #[test]
    fn a_winning_move_ends_the_game_with_its_line() {
        let mut game = game("3x1:2", None);
        play(&mut game, 1, Seat::X, 0);
        play(&mut game, 2, Seat::O, 2);
        let events = Referee::new(&game, 3).play(Seat::X, Cell::new(1)).unwrap();
        let [
            Event::Moved { left: None, .. },
            Event::Ended {
                outcome,
                left: None,
            },
        ] = &events[..]
        else {
            panic!("{events:?}")
        };
        assert_eq!(outcome.winner(), Some(Seat::X));
        play(&mut game, 3, Seat::X, 1);
        let referee = Referee::new(&game, 4);
        assert_eq!(referee.resign(Seat::O), Err(RejectCode::GameOver));
        assert_eq!(
            referee.offer(Seat::O, Offer::Draw),
            Err(RejectCode::GameOver)
        );
        assert_eq!(
            referee.agree(Seat::O, Offer::Rematch),
            Ok(Event::Started { game: 2 })
        );
    }

    #[test]
    fn a_game_is_aborted_until_both_have_moved() {
        let mut game = game("3x3:3", None);
        let aborted = Ok(Event::Ended {
            outcome: Outcome::Aborted,
            left: None,
        });
        assert_eq!(Referee::new(&game, 0).abort(), aborted);
        play(&mut game, 1, Seat::X, 4);
        assert_eq!(Referee::new(&game, 0).abort(), aborted);
        let mut both_moved = game.clone();
        play(&mut both_moved, 2, Seat::O, 0);
        assert_eq!(
            Referee::new(&both_moved, 0).abort(),
            Err(RejectCode::GameOn)
        );
        let event = Referee::new(&game, 2).abort().unwrap();
        apply(&mut game, 2, event);
        assert_eq!(Referee::new(&game, 3).abort(), Err(RejectCode::GameOver));
        assert_eq!(
            (game.score(), game.phase()),
            (crate::MatchScore::default(), Phase::Over)
        );
    }

    #[test]
    fn offers_are_made_answered_and_agreed() {
        let mut game = game("3x3:3", None);
        let takeback = Offer::Takeback;
        assert_eq!(
            Referee::new(&game, 0).offer(Seat::X, takeback),
            Err(RejectCode::NothingToTakeBack),
            "no move is on the board"
        );
        assert_eq!(
            Referee::new(&game, 0).offer(Seat::X, Offer::Rematch),
            Err(RejectCode::GameOn)
        );
        assert_eq!(
            Referee::new(&game, 0).decline(Seat::X, takeback),
            Err(RejectCode::NoOffer)
        );
        play(&mut game, 1, Seat::X, 4);
        assert_eq!(
            Referee::new(&game, 2).offer(Seat::O, takeback),
            Err(RejectCode::NothingToTakeBack),
            "no own move"
        );
        let offered = Referee::new(&game, 2).offer(Seat::X, takeback).unwrap();
        assert_eq!(
            offered,
            Event::Offered {
                seat: Seat::X,
                offer: takeback
            }
        );
        apply(&mut game, 2, offered);
        let referee = Referee::new(&game, 3);
        assert_eq!(
            referee.offer(Seat::X, takeback),
            Err(RejectCode::AlreadyOffered)
        );
        assert_eq!(
            referee.accept(Seat::X, takeback),
            Err(RejectCode::NoOffer),
            "its own offer"
        );
        let taken_back = Ok(Event::TakenBack {
            plies: 1,
            left: None,
        });
        assert_eq!(referee.accept(Seat::O, takeback), taken_back);
        assert_eq!(
            referee.offer(Seat::O, takeback),
            taken_back,
            "the same offer agrees"
        );
        assert_eq!(
            referee.decline(Seat::O, takeback),
            Ok(Event::Declined {
                seat: Seat::O,
                offer: takeback
            })
        );
        let agreed = Event::Ended {
            outcome: Outcome::Agreed,
            left: None,
        };
        assert_eq!(referee.agree(Seat::O, Offer::Draw), Ok(agreed));
        let resigned = Event::Ended {
            outcome: Outcome::Resigned { winner: Seat::O },
            left: None,
        };
        assert_eq!(referee.resign(Seat::X), Ok(resigned));
    }

    #[test]
    fn a_flag_falls_when_the_time_is_used_up() {
        let game = game("3x3:3", Some("1+0".parse().unwrap()));
        assert_eq!(Referee::new(&game, 59_999).flag(), None);
        let ended = Event::Ended {
            outcome: Outcome::Flag { winner: Seat::O },
            left: Some([0, 60_000]),
        };
        assert_eq!(Referee::new(&game, 60_000).flag(), Some(ended));
        assert_eq!(
            Referee::new(&super::tests::game("3x3:3", None), 60_000).flag(),
            None
        );
    }
}
