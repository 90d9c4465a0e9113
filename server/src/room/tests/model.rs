//! A naive model of a room that shares no state with the real room. Under random requests, absences and times both must
//! agree, and a replay of the history must yield the same room.

use noughts_protocol::wire::{Claim, RoomCommand};
use noughts_protocol::{Cell, Offer, Outcome, Phase, Seat};
use proptest::prelude::*;

use super::*;
use crate::room::Room;
use crate::store::StoredRoom;

/// Tic-tac-toe on 3×3 cells with a list of stones, a list of lines and a simple clock.
#[derive(Clone, Debug)]
struct ReferenceModel {
    marks: [Option<Seat>; 9],
    moves: Vec<usize>,
    outcome: Option<Outcome>,
    closed: bool,
    left: [u64; 2],
    turn_started_at: u64,
    absent: [Option<(u64, bool)>; 2],
    proposals: [Option<Seat>; 3],
    games: u32,
    last_change_at: u64,
}

const LINES: [[usize; 3]; 8] = [
    [0, 1, 2],
    [3, 4, 5],
    [6, 7, 8],
    [0, 3, 6],
    [1, 4, 7],
    [2, 5, 8],
    [0, 4, 8],
    [2, 4, 6],
];
const BASE: u64 = 90_000;
const INCREMENT: u64 = 1_000;

impl ReferenceModel {
    fn new() -> ReferenceModel {
        ReferenceModel {
            marks: [None; 9],
            moves: vec![],
            outcome: None,
            closed: false,
            left: [BASE; 2],
            turn_started_at: 0,
            absent: [None; 2],
            proposals: [None; 3],
            games: 1,
            last_change_at: 0,
        }
    }

    fn turn(&self) -> Seat {
        if self.moves.len().is_multiple_of(2) {
            Seat::X
        } else {
            Seat::O
        }
    }

    fn is_playing(&self) -> bool {
        self.outcome.is_none() && !self.closed
    }

    fn time_left(&self, now: u64) -> [u64; 2] {
        let mut left = self.left;
        if self.is_playing() {
            let turn = self.turn().index();
            left[turn] = left[turn].saturating_sub(now - self.turn_started_at);
        }
        left
    }

    fn end(&mut self, now: u64, outcome: Outcome) {
        self.left = self.time_left(now);
        self.outcome = Some(outcome);
        self.proposals = [None; 3];
        self.last_change_at = now;
    }

    fn claimable_at(&self, seat: Seat) -> Option<u64> {
        self.absent[seat.index()]
            .map(|(since, left)| since + if left { LEAVE_GRACE } else { RECONNECT_GRACE })
    }

    /// Applies one overdue deadline. Returns `false` if no deadline is overdue.
    fn apply_timeouts(&mut self, now: u64) -> bool {
        let both = |at: [Option<u64>; 2]| Some(at[0]?.max(at[1]?));
        if self.closed {
            return false;
        }
        let claims = Seat::ALL.map(|seat| self.claimable_at(seat));
        if self.outcome.is_some() {
            let absent = Seat::ALL.map(|seat| {
                let (since, left) = self.absent[seat.index()]?;
                Some(if left { since } else { since + RECONNECT_GRACE })
            });
            let due = self.last_change_at + ROOM_IDLE_TIMEOUT <= now
                || both(absent).is_some_and(|at| at <= now);
            if due {
                self.closed = true;
                self.proposals = [None; 3];
            }
            return due;
        }
        if self.time_left(now)[self.turn().index()] == 0 {
            self.end(
                now,
                Outcome::Flag {
                    winner: self.turn().other(),
                },
            );
        } else if both(claims).is_some_and(|at| at <= now) {
            self.end(now, Outcome::Abandoned { winner: None });
            self.closed = true;
        } else {
            let alone = match self.absent {
                [Some((since, _)), None] => Some((since, Seat::O)),
                [None, Some((since, _))] => Some((since, Seat::X)),
                _ => None,
            };
            match alone {
                Some((since, winner)) if since + ABANDON_AFTER <= now => {
                    self.end(
                        now,
                        Outcome::Abandoned {
                            winner: Some(winner),
                        },
                    );
                }
                _ => return false,
            }
        }
        true
    }

    /// Applies a request. Returns whether it is accepted.
    fn apply_request(&mut self, now: u64, seat: Seat, command: RoomCommand) -> bool {
        match command {
            RoomCommand::Move { cell, .. } => {
                let free = self.marks.get(cell.index()).is_some_and(Option::is_none);
                if !self.is_playing() || self.turn() != seat || !free {
                    return false;
                }
                self.left = self.time_left(now);
                self.left[seat.index()] += INCREMENT;
                self.marks[cell.index()] = Some(seat);
                self.moves.push(cell.index());
                (self.turn_started_at, self.last_change_at, self.proposals) = (now, now, [None; 3]);
                let complete =
                    |line: &[usize; 3]| line.iter().all(|&at| self.marks[at] == Some(seat));
                if LINES.iter().any(complete) {
                    // The model does not know the line. Only the winner is compared, so any outcome with this winner
                    // will do.
                    self.outcome = Some(Outcome::Resigned { winner: seat });
                } else if self.moves.len() == 9 {
                    self.outcome = Some(Outcome::Full);
                }
                true
            }
            RoomCommand::Resign if self.is_playing() => {
                self.end(
                    now,
                    Outcome::Resigned {
                        winner: seat.other(),
                    },
                );
                true
            }
            RoomCommand::Offer { offer } => {
                let left = self.absent[seat.other().index()].is_some_and(|(_, left)| left);
                match self.proposals[offer.index()] {
                    _ if !self.is_offer_allowed(offer) || left => false,
                    Some(by) if by == seat => false,
                    Some(by) => self.apply_agreement(now, by, offer),
                    None if offer == Offer::Takeback
                        && self.moves.len() < self.takeback_plies(seat) =>
                    {
                        false
                    }
                    None => {
                        self.proposals[offer.index()] = Some(seat);
                        true
                    }
                }
            }
            RoomCommand::Accept { offer } => {
                let left = self.absent[seat.other().index()].is_some_and(|(_, left)| left);
                self.proposals[offer.index()] == Some(seat.other())
                    && self.is_offer_allowed(offer)
                    && !(left && offer == Offer::Rematch)
                    && self.apply_agreement(now, seat.other(), offer)
            }
            RoomCommand::Decline { offer } => self.proposals[offer.index()].take().is_some(),
            RoomCommand::Claim { result } => {
                let due = self.claimable_at(seat.other()).is_some_and(|at| at <= now);
                let may = self.is_playing() && due && self.turn() == seat.other();
                if may {
                    let winner = (result == Claim::Win).then_some(seat);
                    self.end(now, Outcome::Abandoned { winner });
                }
                may
            }
            RoomCommand::Abort if self.is_playing() && self.moves.len() < 2 => {
                self.end(now, Outcome::Aborted);
                true
            }
            // A fallen flag ends the game before the request is handled.
            RoomCommand::Resign | RoomCommand::Flag | RoomCommand::Abort => false,
        }
    }

    fn is_offer_allowed(&self, offer: Offer) -> bool {
        match offer {
            Offer::Draw | Offer::Takeback => self.is_playing(),
            Offer::Rematch => self.outcome.is_some() && !self.closed,
        }
    }

    fn takeback_plies(&self, seat: Seat) -> usize {
        if self.turn() == seat { 2 } else { 1 }
    }

    fn apply_agreement(&mut self, now: u64, by: Seat, offer: Offer) -> bool {
        match offer {
            Offer::Draw => self.end(now, Outcome::Agreed),
            Offer::Takeback => {
                let (left, plies) = (self.time_left(now), self.takeback_plies(by));
                for _ in 0..plies {
                    let cell = self.moves.pop().expect("a takeback needs a move");
                    self.marks[cell] = None;
                }
                (self.left, self.turn_started_at, self.proposals) = (left, now, [None; 3]);
            }
            Offer::Rematch => {
                let (absent, games) = ([self.absent[1], self.absent[0]], self.games + 1);
                *self = ReferenceModel {
                    absent,
                    games,
                    turn_started_at: now,
                    ..ReferenceModel::new()
                };
            }
        }
        self.last_change_at = now;
        true
    }
}

#[derive(Clone, Debug)]
enum ModelStep {
    Wait(u64),
    Request(Seat, RoomCommand),
    Attend(Seat, u8),
}

fn step() -> impl Strategy<Value = ModelStep> {
    let seat = prop_oneof![Just(Seat::X), Just(Seat::O)];
    let offer = prop_oneof![
        Just(Offer::Draw),
        Just(Offer::Takeback),
        Just(Offer::Rematch)
    ];
    let command = prop_oneof![
        8 => (0..10_u16).prop_map(|cell| RoomCommand::Move { cell: Cell::new(cell), seq: Default::default() }),
        1 => Just(RoomCommand::Resign),
        3 => offer.clone().prop_map(|offer| RoomCommand::Offer { offer }),
        2 => offer.clone().prop_map(|offer| RoomCommand::Accept { offer }),
        1 => offer.prop_map(|offer| RoomCommand::Decline { offer }),
        1 => Just(RoomCommand::Claim { result: Claim::Win }),
        1 => Just(RoomCommand::Claim { result: Claim::Draw }),
        1 => Just(RoomCommand::Flag),
        1 => Just(RoomCommand::Abort),
    ];
    prop_oneof![
        2 => prop_oneof![0..3_000_u64, 0..70_000_u64, 0..400_000_u64].prop_map(ModelStep::Wait),
        10 => (seat.clone(), command).prop_map(|(seat, command)| ModelStep::Request(seat, command)),
        2 => (seat, 0..3_u8).prop_map(|(seat, how)| ModelStep::Attend(seat, how)),
    ]
}

fn check(script: &RoomScript, model: &ReferenceModel) -> Result<(), TestCaseError> {
    let game = script.room.game();
    let expected = match (model.closed, &model.outcome) {
        (true, _) => Phase::Closed,
        (false, Some(_)) => Phase::Over,
        (false, None) => Phase::Playing,
    };
    prop_assert_eq!(game.phase(), expected);
    let moves: Vec<usize> = game
        .position()
        .moves()
        .iter()
        .map(|cell| cell.index())
        .collect();
    prop_assert_eq!(&moves, &model.moves);
    prop_assert_eq!(game.number(), model.games);
    match (game.outcome(), &model.outcome) {
        (Some(Outcome::Line { winner, .. }), Some(other)) => {
            prop_assert_eq!(other.winner(), Some(*winner));
        }
        (real, modelled) => prop_assert_eq!(real, modelled.as_ref()),
    }
    if expected == Phase::Playing {
        prop_assert_eq!(game.left(script.now), Some(model.time_left(script.now)));
        for offer in Offer::ALL {
            prop_assert_eq!(game.offered_by(offer), model.proposals[offer.index()]);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_room_agrees_with_the_naive_one(steps in proptest::collection::vec(step(), 1..120)) {
        let mut script = RoomScript::new("3x3:3", Some("90s+1"));
        let mut naive = ReferenceModel::new();
        let (mut checkpointed, mut checkpoint_seq) = (None, 0);
        for step in steps {
            match step {
                ModelStep::Wait(time) => {
                    let until = script.now + time;
                    // The model has no timer: it is advanced to each deadline of the room.
                    while let Some(at) = script.room.poll_timeout().filter(|at| *at <= until) {
                        script.wait_until(at.max(script.now));
                        while naive.apply_timeouts(script.now) {}
                        check(&script, &naive)?;
                    }
                    script.now = until;
                    prop_assert!(!naive.apply_timeouts(until), "the room missed a deadline");
                }
                ModelStep::Request(seat, command) => {
                    let mut command = command;
                    if let RoomCommand::Move { seq, .. } = &mut command {
                        *seq = script.room.game().seq();
                    }
                    while naive.apply_timeouts(script.now) {}
                    let taken = script.request(seat, command).is_ok();
                    prop_assert_eq!(taken, naive.apply_request(script.now, seat, command), "{:?} by {}", command, seat);
                }
                ModelStep::Attend(seat, how) => {
                    let now = script.now;
                    let attendance = [SeatPresence::Connected, SeatPresence::Disconnected(now), SeatPresence::Left(now)][how as usize];
                    script.set_presence(seat, attendance);
                    naive.absent[seat.index()] = [None, Some((now, false)), Some((now, true))][how as usize];
                }
            }
            check(&script, &naive)?;
            let replayed = Room::replay(&script.to_stored_room(), test_limits(), script.now).unwrap();
            let due = checkpoint_seq == 0 || script.history.len() >= checkpoint_seq + 5;
            if let Some(checkpoint) = script.room.checkpoint().filter(|_| due) {
                checkpointed = Some(StoredRoom { checkpoint: Some(checkpoint), events: Vec::new() });
                checkpoint_seq = script.history.len();
            }
            let from_checkpoint = checkpointed.as_ref().map(|stored| {
                let events = script.history[checkpoint_seq..].to_vec();
                Room::replay(&StoredRoom { events, ..stored.clone() }, test_limits(), script.now).unwrap()
            });
            if let Some(from_checkpoint) = from_checkpoint {
                let same = format!("{:?}", from_checkpoint.request_logs) == format!("{:?}", replayed.request_logs);
                prop_assert!(same, "a checkpoint contains the request log");
                prop_assert_eq!(from_checkpoint.game.snapshot(script.now), replayed.game.snapshot(script.now));
            }
            let views = [&replayed, &script.room].map(|room| {
                let mut view = room.game().snapshot(script.now);
                view.left = None;
                view
            });
            prop_assert_eq!(&views[0], &views[1]);
        }
    }
}
