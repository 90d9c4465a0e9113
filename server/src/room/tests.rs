//! Rooms in virtual time: scripts of what players do, and a naive model beside the real one.

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
        let room = Room::open(&first, PATIENCE).unwrap();
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
    script.room = Room::replay(&script.stored(), PATIENCE, script.now).unwrap();
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
fn a_flag_falls_by_itself_and_is_not_outrun() {
    let mut script = Script::new("3x3:3", Some("10s+2"));
    script.now = 4_000;
    let moved = script.place(X, 0).unwrap();
    assert_eq!(moved, [Event::Moved { seat: X, cell: Cell::new(0), left: Some([8_000, 10_000]) }]);
    assert_eq!(script.ask(X, Command::Flag), Err(RejectCode::FlagNotFallen));
    assert_eq!(script.room.poll_timeout(), Some(14_000));
    script.now = 13_999;
    assert_eq!(script.ask(X, Command::Flag), Err(RejectCode::FlagNotFallen));
    script.now = 14_000;
    assert_eq!(script.place(O, 1), Err(RejectCode::GameOver));
    assert_eq!(script.outcome(), Some(&Outcome::Flag { winner: X }));
    assert_eq!(script.room.game().left(99_000), Some([8_000, 0]));
}

#[test]
fn a_flag_may_be_pointed_out() {
    let script = Script::new("3x3:3", Some("10s+0"));
    let decided = script.room.decide(10_000, O, RequestId::new(1).unwrap(), Command::Flag).unwrap();
    let ended = Event::Ended { outcome: Outcome::Flag { winner: O }, left: Some([0, 10_000]) };
    assert_eq!(decided, Decision::Events(vec![ended]));
    let mut script = Script::new("3x3:3", None);
    assert_eq!(script.ask(X, Command::Flag), Err(RejectCode::FlagNotFallen));
}

#[test]
fn an_absence_is_claimed_on_the_absent_ones_turn() {
    let claim = Command::Claim { result: Claim::Win };
    let mut script = Script::new("3x3:3", None);
    script.attend(O, Attendance::Away(1_000));
    script.wait_until(61_000);
    assert_eq!(script.ask(X, claim), Err(RejectCode::NotClaimable), "X is to move");
    script.play(&[4]);
    assert_eq!(script.ask(O, claim), Err(RejectCode::NotClaimable), "X is here");
    script.ask(X, claim).unwrap();
    assert_eq!(script.outcome(), Some(&Outcome::Abandoned { winner: Some(X) }));
}

#[test]
fn a_claim_comes_not_before_its_time() {
    for (attendance, at) in [(Attendance::Away(5_000), 65_000), (Attendance::Left(5_000), 15_000)] {
        let mut script = Script::new("3x3:3", None);
        script.play(&[4]);
        script.attend(O, attendance);
        script.now = at - 1;
        let id = RequestId::new(99).unwrap();
        let reject =
            script.room.decide(script.now, X, id, Command::Claim { result: Claim::Draw }).unwrap_err();
        assert_eq!((reject.code, reject.wait_ms), (RejectCode::NotClaimable, Some(1)));
        script.now = at;
        script.ask(X, Command::Claim { result: Claim::Draw }).unwrap();
        assert_eq!(script.outcome(), Some(&Outcome::Abandoned { winner: None }));
    }
}

#[test]
fn an_absent_players_game_ends_by_itself() {
    let mut script = Script::new("3x3:3", None);
    script.attend(O, Attendance::Away(7_000));
    script.wait_until(306_999);
    assert_eq!(script.phase(), Phase::Playing);
    script.wait_until(307_000);
    assert_eq!(script.outcome(), Some(&Outcome::Abandoned { winner: Some(X) }));
}

#[test]
fn who_comes_back_in_time_plays_on() {
    let mut script = Script::new("3x3:3", None);
    script.attend(O, Attendance::Away(0));
    script.wait_until(299_999);
    script.attend(O, Attendance::Here);
    script.wait_until(400_000);
    script.play(&[4, 0]);
}

#[test]
fn a_game_that_both_have_left_ends_with_its_room() {
    let mut script = Script::new("3x3:3", None);
    script.attend(X, Attendance::Left(0));
    script.attend(O, Attendance::Away(2_000));
    script.wait_until(61_999);
    assert_eq!(script.phase(), Phase::Playing);
    script.wait_until(62_000);
    assert_eq!(script.phase(), Phase::Closed);
    assert_eq!(script.outcome(), Some(&Outcome::Abandoned { winner: None }));
    assert_eq!(script.room.poll_timeout(), None);
}

#[test]
fn a_room_closes_with_the_one_who_waited() {
    for (attendance, at) in [(Attendance::Left(500), 500), (Attendance::Away(500), 60_500)] {
        let mut script = Script::waiting("3x3:3", None);
        assert_eq!(script.room.poll_timeout(), Some(PATIENCE.idle_room));
        script.attend(X, attendance);
        assert_eq!(script.room.poll_timeout(), Some(at));
        script.wait_until(at);
        assert_eq!(script.room.game().closing(), Some(Closing::Deserted));
    }
}

#[test]
fn nothing_waits_for_ever() {
    let mut waiting = Script::waiting("3x3:3", None);
    waiting.wait_until(PATIENCE.idle_room);
    assert_eq!(waiting.room.game().closing(), Some(Closing::Idle));
    let mut playing = Script::new("3x3:3", None);
    playing.wait_until(PATIENCE.idle_game);
    assert_eq!(playing.room.game().closing(), Some(Closing::Idle));
    assert_eq!(playing.outcome(), Some(&Outcome::Abandoned { winner: None }));
    let mut over = Script::new("3x3:3", None);
    over.ask(X, Command::Resign).unwrap();
    over.wait_until(PATIENCE.idle_room);
    assert_eq!(over.room.game().closing(), Some(Closing::Idle));
}

#[test]
fn offers_keep_no_room_alive() {
    let mut script = Script::new("3x3:3", None);
    while script.now < PATIENCE.idle_game - 600_000 {
        script.wait_until(script.now + 600_000);
        script.ask(X, offer(Offer::Draw)).unwrap();
        script.ask(O, decline(Offer::Draw)).unwrap();
    }
    script.wait_until(PATIENCE.idle_game);
    assert_eq!(script.room.game().closing(), Some(Closing::Idle));
}

#[test]
fn a_credit_counts_for_nobodys_clock_and_a_replay_knows_it_by_the_next_move() {
    let mut script = Script::new("3x3:3", Some("10s+0"));
    script.now = 4_000;
    script.room.credit(3_000);
    assert_eq!(script.room.poll_timeout(), Some(13_000));
    let moved = script.place(X, 0).unwrap();
    assert_eq!(moved, [Event::Moved { seat: X, cell: Cell::new(0), left: Some([9_000, 10_000]) }]);
    let replayed = Room::replay(&script.stored(), PATIENCE, 4_000).unwrap();
    assert_eq!(replayed.game().left(4_000), script.room.game().left(4_000));
}

#[test]
fn after_a_game_the_room_lasts_while_somebody_is_there() {
    let mut script = Script::new("3x3:3", None);
    script.ask(X, Command::Resign).unwrap();
    script.attend(X, Attendance::Left(0));
    script.wait_until(100_000);
    assert_eq!(script.phase(), Phase::Over);
    script.attend(O, Attendance::Left(100_000));
    script.wait_until(100_000);
    assert_eq!(script.phase(), Phase::Closed);
}

#[test]
fn seats_are_taken_once() {
    let mut script = Script::waiting("3x3:3", None);
    assert_eq!(script.sit("Bob", Some(X)), Err(RejectCode::RoomFull));
    assert_eq!(script.sit("Bob", None), Ok(O));
    assert_eq!(script.phase(), Phase::Playing);
    assert_eq!(script.sit("Cem", None), Err(RejectCode::RoomFull));
}

#[test]
fn an_outage_costs_nobody_time() {
    let mut script = Script::new("3x3:3", Some("1+0"));
    script.now = 10_000;
    script.play(&[4]);
    let room = Room::replay(&script.stored(), PATIENCE, 9_000_000).unwrap();
    assert_eq!(room.game().left(9_000_000), Some([50_000, 60_000]));
    assert_eq!(room.game().left(9_005_000), Some([50_000, 60_000]), "not before they can be back");
    assert_eq!(room.game().left(9_006_000), Some([50_000, 59_000]));
    assert_eq!(room.attendance(X), Attendance::Away(9_000_000));
    let late = 10 * PATIENCE.idle_game;
    let room = Room::replay(&script.stored(), PATIENCE, late).unwrap();
    assert_eq!(room.decide_timeout(late), [], "the outage is no idleness");
}

#[test]
fn what_a_clock_ran_before_an_outage_is_not_given_back() {
    let mut script = Script::new("3x3:3", Some("1+0"));
    script.now = 10_000;
    script.play(&[4]);
    script.now = 20_000;
    script.ask(X, offer(Offer::Draw)).unwrap();
    let stored = script.stored();
    // Half a second for each of the two events since the board changed is given back: it may have been the log's.
    for (lived, left) in [
        ("", 60_000_u64),
        ("0-10500", 60_000),
        ("0-40000", 31_000),
        ("25000-40000", 46_000),
        // Over several runs, the machine's clock set back in none of them.
        ("0-40000 1000000-1005000 2000000-2005000", 21_000),
        // Nobody's flag has fallen who has come back to play.
        ("0-9999999", 1),
    ] {
        let lived = lived.parse().unwrap();
        let room = Room::resume(&stored, PATIENCE, 9_000_000, &lived).unwrap();
        for (now, left) in [(9_000_000, left), (9_005_000, left), (9_006_000, left.saturating_sub(1_000))] {
            assert_eq!(room.game().left(now), Some([50_000, left]), "{lived} at {now}");
        }
        // An image in between is of what was stored, not of what was counted: it counts once.
        let image = room.image().expect("a game that is on");
        let again = Stored { image: Some(image), events: Vec::new() };
        let room = Room::resume(&again, PATIENCE, 9_000_000, &lived).unwrap();
        assert_eq!(room.game().left(9_000_000), Some([50_000, left]), "{lived}");
    }
}
