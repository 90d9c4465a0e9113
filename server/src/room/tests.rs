//! Tests of rooms in virtual time: scripts of player actions, and a comparison with a naive model.

mod absences;
mod clocks;
mod model;
mod repeated_requests;

use std::sync::Arc;
use std::time::Duration;

use noughts_protocol::wire::{Claim, RejectCode, RoomCommand};
use noughts_protocol::{
    Cell, Event, EventRecord, Offer, Outcome, Phase, Player, PlayerKind, RequestId, RequestRef,
    RoomCloseReason, Seat, Seq,
};

use super::{Decision, Room, SeatPresence};
use crate::config::ServerLimits;
use crate::store::StoredRoom;

const RECONNECT_GRACE: u64 = 60_000;
const LEAVE_GRACE: u64 = 10_000;
const ABANDON_AFTER: u64 = 300_000;
const ROOM_IDLE_TIMEOUT: u64 = 3_600_000;
const GAME_IDLE_TIMEOUT: u64 = 86_400_000;

fn test_limits() -> Arc<ServerLimits> {
    Arc::new(ServerLimits {
        reconnect_grace: Duration::from_millis(RECONNECT_GRACE),
        leave_grace: Duration::from_millis(LEAVE_GRACE),
        abandon_after: Duration::from_millis(ABANDON_AFTER),
        room_idle_timeout: Duration::from_millis(ROOM_IDLE_TIMEOUT),
        game_idle_timeout: Duration::from_millis(GAME_IDLE_TIMEOUT),
        drain_timeout: Duration::from_millis(5_000),
        ..ServerLimits::default()
    })
}

fn player(name: &str) -> Player {
    Player::guest(name.parse().unwrap(), PlayerKind::Person)
}

/// A room with virtual time and a counter of request ids. All calls of the room in these tests go through it.
struct RoomScript {
    room: Room,
    now: u64,
    id: u64,
    history: Vec<EventRecord>,
}

impl RoomScript {
    /// Creates a room with two connected players, at time 0.
    fn new(rules: &str, clock: Option<&str>) -> RoomScript {
        let mut room_script = RoomScript::waiting(rules, clock);
        room_script.take_seat("Bob", None).unwrap();
        room_script
    }

    /// Creates a room where X waits for an opponent.
    fn waiting(rules: &str, clock: Option<&str>) -> RoomScript {
        RoomScript::waiting_with(rules, clock, false)
    }

    fn waiting_with(rules: &str, clock: Option<&str>, free_first_moves: bool) -> RoomScript {
        let opened = Event::Opened {
            rules: rules.parse().unwrap(),
            clock: clock.map(|clock| clock.parse().unwrap()),
            public: true,
            free_first_moves,
        };
        let first = EventRecord {
            seq: Seq::new(1),
            at: 0,
            by: None,
            event: opened,
        };
        let room = Room::open(&first, test_limits()).unwrap();
        let mut room_script = RoomScript {
            room,
            now: 0,
            id: 0,
            history: vec![first],
        };
        room_script.take_seat("Ann", Some(Seat::X)).unwrap();
        room_script
    }

    fn take_seat(&mut self, name: &str, seat: Option<Seat>) -> Result<Seat, RejectCode> {
        let (seat, events) = self.room.decide_seating(player(name), seat)?;
        self.room.set_presence(seat, SeatPresence::Connected);
        self.apply_events(None, events);
        Ok(seat)
    }

    fn apply_events(&mut self, by: Option<RequestRef>, events: Vec<Event>) {
        let mut by = by;
        for event in events {
            let event_record = EventRecord {
                seq: self.room.game().seq().next(),
                at: self.now,
                by: by.take(),
                event,
            };
            self.room.apply(&event_record);
            self.history.push(event_record);
        }
    }

    /// Sends a request, and applies the decided events.
    fn send(&mut self, seat: Seat, id: u64, command: RoomCommand) -> Result<Decision, RejectCode> {
        let due = self.room.decide_timeout(self.now);
        self.apply_events(None, due);
        let id = RequestId::new(id).unwrap();
        let before = format!("{:?}", self.room);
        let decision = self.room.decide(self.now, seat, id, command);
        assert_eq!(
            format!("{:?}", self.room),
            before,
            "deciding changes nothing"
        );
        let decision = decision.map_err(|reject| reject.code)?;
        if let Decision::Events(events) = &decision {
            self.apply_events(Some(RequestRef { seat, id }), events.clone());
        }
        Ok(decision)
    }

    /// Sends a request with the next id, and returns its events.
    fn request(&mut self, seat: Seat, command: RoomCommand) -> Result<Vec<Event>, RejectCode> {
        self.id += 1;
        match self.send(seat, self.id, command)? {
            Decision::Events(events) => Ok(events),
            Decision::Duplicate(seq) => panic!("a new request was answered by event {seq}"),
        }
    }

    fn expect_reject(&mut self, seat: Seat, command: RoomCommand, code: RejectCode) {
        assert_eq!(
            self.request(seat, command),
            Err(code),
            "{command:?} by {seat}"
        );
    }

    /// Expects that an id is rejected because another request has used it.
    fn expect_reuse(&mut self, seat: Seat, id: u64, command: RoomCommand) {
        let decision = self.send(seat, id, command);
        assert_eq!(decision, Err(RejectCode::IdReused), "{command:?} by {seat}");
    }

    fn try_move(&mut self, seat: Seat, cell: u16) -> Result<Vec<Event>, RejectCode> {
        let seq = self.room.game().seq();
        self.request(seat, place(cell, seq))
    }

    /// Makes a move, and returns the clocks that its event states.
    fn left_after_move(&mut self, seat: Seat, cell: u16) -> Option<[u64; 2]> {
        match self.try_move(seat, cell).unwrap()[..] {
            [Event::Moved { left, .. }] => left,
            ref events => panic!("not one move: {events:?}"),
        }
    }

    /// Plays cells in turn, X first.
    fn play(&mut self, cells: &[u16]) {
        for &cell in cells {
            let seat = self.room.game().position().turn();
            self.try_move(seat, cell).unwrap();
        }
    }

    /// Advances the time, and applies the events of each deadline.
    fn wait_until(&mut self, until: u64) {
        while let Some(at) = self.room.poll_timeout().filter(|at| *at <= until) {
            self.now = self.now.max(at);
            let events = self.room.decide_timeout(self.now);
            assert!(!events.is_empty(), "the deadline {at} caused no event");
            self.apply_events(None, events);
        }
        self.now = until;
    }

    fn set_presence(&mut self, seat: Seat, presence: SeatPresence) {
        self.room.set_presence(seat, presence);
    }

    fn to_stored_room(&self) -> StoredRoom {
        StoredRoom {
            checkpoint: None,
            events: self.history.clone(),
        }
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

fn place(cell: u16, seq: Seq) -> RoomCommand {
    let cell = Cell::new(cell);
    RoomCommand::Move { cell, seq }
}

fn offer(offer: Offer) -> RoomCommand {
    RoomCommand::Offer { offer }
}

fn accept(offer: Offer) -> RoomCommand {
    RoomCommand::Accept { offer }
}

fn decline(offer: Offer) -> RoomCommand {
    RoomCommand::Decline { offer }
}

#[test]
fn each_illegal_move_has_its_reject_code() {
    let mut script = RoomScript::new("7x6:4+gravity", None);
    assert_eq!(script.try_move(O, 0), Err(RejectCode::NotYourTurn));
    assert_eq!(script.try_move(X, 42), Err(RejectCode::OffBoard));
    script.play(&[0, 0, 0, 0, 0, 0]);
    assert_eq!(script.try_move(X, 0), Err(RejectCode::ColumnFull));
    let mut script = RoomScript::new("3x3:3", None);
    script.play(&[4]);
    assert_eq!(script.try_move(O, 4), Err(RejectCode::CellTaken));
    let mut script = RoomScript::waiting("3x3:3", None);
    assert_eq!(script.try_move(X, 4), Err(RejectCode::NotStarted));
}

#[test]
fn a_move_against_another_board_is_stale() {
    let mut script = RoomScript::new("3x3:3", None);
    let before = script.room.game().seq();
    script.play(&[0, 1]);
    let stale = place(5, before);
    script.expect_reject(X, stale, RejectCode::Stale);
    let early = place(5, script.room.game().seq().next());
    script.expect_reject(X, early, RejectCode::Stale);
    // An offer between two moves does not change the board.
    let seen = script.room.game().seq();
    script.request(O, offer(Offer::Draw)).unwrap();
    script.request(X, place(5, seen)).unwrap();
}

#[test]
fn a_game_that_ends_before_both_players_moved_is_not_archived() {
    let mut script = RoomScript::new("3x3:3", None);
    let end = |script: &RoomScript| {
        let event = Event::Ended {
            outcome: Outcome::Resigned { winner: Seat::O },
            left: None,
        };
        [EventRecord {
            seq: script.room.game().seq().next(),
            at: script.now,
            by: None,
            event,
        }]
    };
    assert_eq!(script.room.finished_game(&end(&script)), None);
    script.play(&[4]);
    assert_eq!(script.room.finished_game(&end(&script)), None);
    script.play(&[0]);
    let finished = script
        .room
        .finished_game(&end(&script))
        .expect("both players have moved");
    assert!(finished.record.contains("b2 a1"), "{}", finished.record);
}

#[test]
fn a_player_who_left_cannot_accept_offers() {
    let mut script = RoomScript::new("3x3:3", None);
    script.set_presence(O, SeatPresence::Left(0));
    script.expect_reject(X, offer(Offer::Draw), RejectCode::OpponentLeft);
    script.set_presence(O, SeatPresence::Disconnected(0));
    script.request(X, offer(Offer::Draw)).unwrap();
    script.request(X, RoomCommand::Resign).unwrap();
    script.request(O, offer(Offer::Rematch)).unwrap();
    script.set_presence(O, SeatPresence::Left(0));
    script.expect_reject(X, accept(Offer::Rematch), RejectCode::OpponentLeft);
}

#[test]
fn a_seat_is_assigned_once() {
    let mut script = RoomScript::waiting("3x3:3", None);
    assert_eq!(script.take_seat("Bob", Some(X)), Err(RejectCode::RoomFull));
    assert_eq!(script.take_seat("Bob", None), Ok(O));
    assert_eq!(script.phase(), Phase::Playing);
    assert_eq!(script.take_seat("Cem", None), Err(RejectCode::RoomFull));
}

#[test]
fn a_checkpoint_keeps_its_stored_spelling() {
    let mut script = RoomScript::new("3x3:3", None);
    script.play(&[4, 0]);
    script
        .request(X, RoomCommand::Offer { offer: Offer::Draw })
        .unwrap();
    let checkpoint = script.room.checkpoint().unwrap();
    let document: serde_json::Value = serde_json::from_slice(&checkpoint.body).unwrap();
    let names: Vec<&String> = document.as_object().unwrap().keys().collect();
    assert_eq!(names, ["at", "board_seq", "request_logs", "snapshot"]);
    let request_logs = serde_json::json!([
        { "entries": [[1, 5, { "Moved": 4 }], [3, 7, { "Offered": "draw" }]] },
        { "entries": [[2, 6, { "Moved": 0 }]] },
    ]);
    assert_eq!(document["request_logs"], request_logs);
}
