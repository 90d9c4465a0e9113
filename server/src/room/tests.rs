//! Rooms in virtual time: scripts of what players do, and a naive model beside the real one.

mod absence;
mod clocks;
mod model;

use noughts_protocol::wire::{Claim, Command, RejectCode};
use noughts_protocol::{
    By, Cell, Closing, Event, Kind, Offer, Outcome, Phase, Player, RequestId, Seat, Seq, Stamped,
};

use crate::fault::Faults;
use crate::log::Stored;

use super::{Attendance, Decision, Patience, Room};

const PATIENCE: Patience = Patience {
    faults: Faults::NONE,
    grace: 60_000,
    left_grace: 10_000,
    abandon: 300_000,
    idle_room: 3_600_000,
    idle_game: 86_400_000,
    back: 5_000,
};

fn player(name: &str) -> Player {
    Player { name: name.parse().unwrap(), kind: Kind::Human }
}

/// A room with its own time and numbers for requests: the only caller of the room in these tests.
struct Script {
    room: Room,
    now: u64,
    id: u64,
    history: Vec<Stamped>,
}

impl Script {
    /// Two players at a board, both there, at time 0.
    fn new(rules: &str, clock: Option<&str>) -> Script {
        let mut script = Script::waiting(rules, clock);
        script.sit("Bob", None).unwrap();
        script
    }

    /// One player, X, who waits.
    fn waiting(rules: &str, clock: Option<&str>) -> Script {
        let opened = Event::Opened {
            rules: rules.parse().unwrap(),
            clock: clock.map(|clock| clock.parse().unwrap()),
            public: true,
        };
        let first = Stamped { seq: Seq::new(1), at: 0, by: None, event: opened };
        let room = Room::open(&first, PATIENCE.into()).unwrap();
        let mut script = Script { room, now: 0, id: 0, history: vec![first] };
        script.sit("Ann", Some(Seat::X)).unwrap();
        script
    }

    fn sit(&mut self, name: &str, seat: Option<Seat>) -> Result<Seat, RejectCode> {
        let (seat, events) = self.room.decide_seating(player(name), seat)?;
        self.room.attend(seat, Attendance::Here);
        self.happen(None, events);
        Ok(seat)
    }

    fn happen(&mut self, by: Option<By>, events: Vec<Event>) {
        let mut by = by;
        for event in events {
            let stamped = Stamped { seq: self.room.game().seq().next(), at: self.now, by: by.take(), event };
            self.room.apply(&stamped);
            self.history.push(stamped);
        }
    }

    /// Sends a request and lets what was decided happen.
    fn send(&mut self, seat: Seat, id: u64, command: Command) -> Result<Decision, RejectCode> {
        let due = self.room.decide_timeout(self.now);
        self.happen(None, due);
        let id = RequestId::new(id).unwrap();
        let before = format!("{:?}", self.room);
        let decision = self.room.decide(self.now, seat, id, command);
        assert_eq!(format!("{:?}", self.room), before, "deciding changes nothing");
        let decision = decision.map_err(|reject| reject.code)?;
        if let Decision::Events(events) = &decision {
            self.happen(Some(By { seat, id }), events.clone());
        }
        Ok(decision)
    }

    /// The same with a number of its own, and the events only.
    fn ask(&mut self, seat: Seat, command: Command) -> Result<Vec<Event>, RejectCode> {
        self.id += 1;
        match self.send(seat, self.id, command)? {
            Decision::Events(events) => Ok(events),
            Decision::Already(seq) => panic!("a new request was answered by event {seq}"),
        }
    }

    fn place(&mut self, seat: Seat, cell: u16) -> Result<Vec<Event>, RejectCode> {
        let seq = self.room.game().seq();
        self.ask(seat, Command::Move { cell: Cell::new(cell), seq })
    }

    /// Plays cells in turn, X first.
    fn play(&mut self, cells: &[u16]) {
        for &cell in cells {
            let seat = self.room.game().position().turn();
            self.place(seat, cell).unwrap();
        }
    }

    /// Lets time pass, waking the room whenever it wants to be woken.
    fn wait_until(&mut self, until: u64) {
        while let Some(at) = self.room.poll_timeout().filter(|at| *at <= until) {
            self.now = self.now.max(at);
            let events = self.room.decide_timeout(self.now);
            assert!(!events.is_empty(), "the room asked to be woken at {at} for nothing");
            self.happen(None, events);
        }
        self.now = until;
    }

    fn attend(&mut self, seat: Seat, attendance: Attendance) {
        self.room.attend(seat, attendance);
    }

    fn stored(&self) -> Stored {
        Stored { image: None, events: self.history.clone() }
    }

    fn outcome(&self) -> Option<&Outcome> {
        self.room.game().outcome()
    }

    fn phase(&self) -> Phase {
        self.room.game().phase()
    }
}

const X: Seat = Seat::X;
const O: Seat = Seat::O;

fn offer(offer: Offer) -> Command {
    Command::Offer { offer }
}

fn accept(offer: Offer) -> Command {
    Command::Accept { offer }
}

fn decline(offer: Offer) -> Command {
    Command::Decline { offer }
}

#[test]
fn a_game_is_played_to_its_line() {
    let mut script = Script::new("3x3:3", None);
    script.play(&[0, 3, 1, 4]);
    let events = script.place(X, 2).unwrap();
    assert!(matches!(&events[..], [Event::Moved { seat: X, .. }, Event::Ended { outcome, .. }]
        if outcome.winner() == Some(X) && outcome.line().unwrap().cells.len() == 3));
    assert_eq!((script.phase(), script.room.game().score().wins), (Phase::Over, [1, 0]));
    assert_eq!(script.place(O, 8), Err(RejectCode::GameOver));
}

#[test]
fn each_wrong_move_has_its_code() {
    let mut script = Script::new("7x6:4+gravity", None);
    assert_eq!(script.place(O, 0), Err(RejectCode::NotYourTurn));
    assert_eq!(script.place(X, 42), Err(RejectCode::OffBoard));
    script.play(&[0, 0, 0, 0, 0, 0]);
    assert_eq!(script.place(X, 0), Err(RejectCode::ColumnFull));
    let mut script = Script::new("3x3:3", None);
    script.play(&[4]);
    assert_eq!(script.place(O, 4), Err(RejectCode::CellTaken));
    let mut script = Script::waiting("3x3:3", None);
    assert_eq!(script.place(X, 4), Err(RejectCode::NotStarted));
}

#[test]
fn a_move_against_another_board_is_stale() {
    let mut script = Script::new("3x3:3", None);
    let before = script.room.game().seq();
    script.play(&[0, 1]);
    let stale = Command::Move { cell: Cell::new(5), seq: before };
    assert_eq!(script.ask(X, stale), Err(RejectCode::Stale));
    let early = Command::Move { cell: Cell::new(5), seq: script.room.game().seq().next() };
    assert_eq!(script.ask(X, early), Err(RejectCode::Stale));
    // An offer in between changes no board.
    let seen = script.room.game().seq();
    script.ask(O, offer(Offer::Draw)).unwrap();
    script.ask(X, Command::Move { cell: Cell::new(5), seq: seen }).unwrap();
}

#[test]
fn a_game_that_ends_without_a_move_is_not_kept() {
    let mut script = Script::new("3x3:3", None);
    let end = |script: &Script| {
        let event = Event::Ended { outcome: Outcome::Resigned { winner: Seat::O }, left: None };
        [Stamped { seq: script.room.game().seq().next(), at: script.now, by: None, event }]
    };
    assert_eq!(script.room.finished_by(&end(&script)), None);
    script.play(&[4]);
    let finished = script.room.finished_by(&end(&script)).expect("a move was made");
    assert!(finished.record.contains("b2"), "{}", finished.record);
}

#[test]
fn a_request_sent_again_is_applied_once() {
    let mut script = Script::new("3x3:3", None);
    let seq = script.room.game().seq();
    let place = |cell| Command::Move { cell: Cell::new(cell), seq };
    script.send(X, 7, place(4)).unwrap();
    let at = script.room.game().seq();
    assert_eq!(script.send(X, 7, place(4)), Ok(Decision::Already(at)));
    assert_eq!(script.send(X, 7, place(5)), Err(RejectCode::IdReused));
    assert_eq!(script.send(X, 7, Command::Resign), Err(RejectCode::IdReused));
    // The other player's numbers are its own.
    let reply = Command::Move { cell: Cell::new(0), seq: at };
    assert!(matches!(script.send(O, 7, reply), Ok(Decision::Events(_))));
    // Also when the game has gone on since, and after a replay of the log.
    assert_eq!(script.send(X, 7, place(4)), Ok(Decision::Already(at)));
    script.room = Room::replay(&script.stored(), PATIENCE.into(), script.now).unwrap();
    assert_eq!(script.send(X, 7, place(4)), Ok(Decision::Already(at)));
}

#[test]
fn a_number_follows_its_player_through_a_rematch() {
    let mut script = Script::new("3x3:3", None);
    script.send(X, 1, Command::Resign).unwrap();
    let resigned = script.room.game().seq();
    script.send(O, 1, offer(Offer::Rematch)).unwrap();
    script.send(X, 2, accept(Offer::Rematch)).unwrap();
    let started = script.room.game().seq();
    // Who was X is O now.
    assert_eq!(script.send(O, 1, Command::Resign), Ok(Decision::Already(resigned)));
    assert_eq!(script.send(O, 2, accept(Offer::Rematch)), Ok(Decision::Already(started)));
}

#[test]
fn a_draw_is_offered_declined_and_agreed() {
    let mut script = Script::new("3x3:3", None);
    assert_eq!(script.ask(X, accept(Offer::Draw)), Err(RejectCode::NoOffer));
    script.ask(X, offer(Offer::Draw)).unwrap();
    assert_eq!(script.ask(X, offer(Offer::Draw)), Err(RejectCode::AlreadyOffered));
    assert_eq!(script.ask(X, accept(Offer::Draw)), Err(RejectCode::NoOffer));
    script.ask(O, decline(Offer::Draw)).unwrap();
    assert_eq!(script.ask(O, decline(Offer::Draw)), Err(RejectCode::NoOffer));
    script.ask(X, offer(Offer::Draw)).unwrap();
    script.ask(X, decline(Offer::Draw)).unwrap();
    script.ask(X, offer(Offer::Draw)).unwrap();
    // To offer what is on offer is to accept it.
    script.ask(O, offer(Offer::Draw)).unwrap();
    assert_eq!(script.outcome(), Some(&Outcome::Agreed));
    assert_eq!(script.room.game().score().draws, 1);
}

#[test]
fn playing_on_takes_an_offer_off_the_table() {
    let mut script = Script::new("3x3:3", None);
    script.ask(O, offer(Offer::Draw)).unwrap();
    script.play(&[4]);
    assert_eq!(script.ask(X, accept(Offer::Draw)), Err(RejectCode::NoOffer));
}

#[test]
fn a_takeback_undoes_ones_own_last_move() {
    let mut script = Script::new("3x3:3", None);
    assert_eq!(script.ask(X, offer(Offer::Takeback)), Err(RejectCode::NothingToTakeBack));
    script.play(&[4]);
    assert_eq!(script.ask(O, offer(Offer::Takeback)), Err(RejectCode::NothingToTakeBack));
    script.ask(X, offer(Offer::Takeback)).unwrap();
    script.ask(O, accept(Offer::Takeback)).unwrap();
    assert_eq!((script.room.game().position().ply(), script.room.game().position().turn()), (0, X));
    script.play(&[4, 0]);
    script.ask(X, offer(Offer::Takeback)).unwrap();
    let taken = script.ask(O, accept(Offer::Takeback)).unwrap();
    assert_eq!(taken, [Event::TakenBack { plies: 2, left: None }]);
    assert_eq!((script.room.game().position().ply(), script.room.game().position().turn()), (0, X));
}

#[test]
fn a_rematch_swaps_seats_and_keeps_the_score() {
    let mut script = Script::new("3x3:3", None);
    assert_eq!(script.ask(X, offer(Offer::Rematch)), Err(RejectCode::GameOn));
    script.play(&[0, 3, 1, 4, 2]);
    script.ask(O, offer(Offer::Rematch)).unwrap();
    assert_eq!(script.ask(X, accept(Offer::Rematch)), Ok(vec![Event::Started { game: 2 }]));
    let game = script.room.game();
    assert_eq!(game.player(O).unwrap().name.as_str(), "Ann");
    assert_eq!((game.score().wins, game.number(), game.position().ply()), ([0, 1], 2, 0));
    assert_eq!(game.position().turn(), X);
}

#[test]
fn who_has_left_answers_no_offer() {
    let mut script = Script::new("3x3:3", None);
    script.attend(O, Attendance::Left(0));
    assert_eq!(script.ask(X, offer(Offer::Draw)), Err(RejectCode::OpponentLeft));
    script.attend(O, Attendance::Away(0));
    script.ask(X, offer(Offer::Draw)).unwrap();
    script.ask(X, Command::Resign).unwrap();
    script.ask(O, offer(Offer::Rematch)).unwrap();
    script.attend(O, Attendance::Left(0));
    assert_eq!(script.ask(X, accept(Offer::Rematch)), Err(RejectCode::OpponentLeft));
}

#[test]
fn seats_are_taken_once() {
    let mut script = Script::waiting("3x3:3", None);
    assert_eq!(script.sit("Bob", Some(X)), Err(RejectCode::RoomFull));
    assert_eq!(script.sit("Bob", None), Ok(O));
    assert_eq!(script.phase(), Phase::Playing);
    assert_eq!(script.sit("Cem", None), Err(RejectCode::RoomFull));
}
