//! What a player's last requests led to, so that one sent again is applied once.

use std::collections::VecDeque;

use noughts_protocol::wire::{Claim, RoomCommand};
use noughts_protocol::{Cell, Event, EventRecord, Offer, Outcome, RequestId, Rules, Seq};
use serde::{Deserialize, Serialize};

/// How many requests a player may have sent before one is sent again: far more than a client that
/// keeps one move pending can have under way.
const CAPACITY: usize = 32;

/// The last requests of one player and the events that answered them. A fold of events, so that it
/// is the same after a restart.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Written")]
pub(super) struct RequestLog {
    last: VecDeque<(RequestId, Seq, RequestResult)>,
    /// The highest number among them: most requests have a higher one, and are not looked for.
    #[serde(skip)]
    highest: Option<RequestId>,
}

/// The same as it is stored.
#[derive(Deserialize)]
struct Written {
    last: VecDeque<(RequestId, Seq, RequestResult)>,
}

impl From<Written> for RequestLog {
    fn from(Written { last }: Written) -> RequestLog {
        let highest = last.iter().map(|(id, _, _)| *id).max();
        RequestLog { last, highest }
    }
}

/// Whether a request has been here before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lookup {
    New,
    /// And this event answered it.
    Duplicate(Seq),
    /// But its number was given to another one.
    Conflict,
}

/// As much of an event as is needed to tell which request it answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum RequestResult {
    Moved(Cell),
    Offered(Offer),
    Agreed(Offer),
    Declined(Offer),
    Resigned,
    Claimed(Claim),
    Flagged,
    Other,
}

impl RequestLog {
    pub(super) fn record(&mut self, id: RequestId, event_record: &EventRecord) {
        if self.last.len() == CAPACITY {
            let evicted = self.last.pop_front();
            if evicted.is_some_and(|(id, _, _)| Some(id) == self.highest) {
                self.highest = self.last.iter().map(|(id, _, _)| *id).max();
            }
        }
        self.last.push_back((id, event_record.seq, RequestResult::from_event(&event_record.event)));
        self.highest = self.highest.max(Some(id));
    }

    pub(super) fn lookup(&self, id: RequestId, command: RoomCommand, rules: &Rules) -> Lookup {
        if Some(id) > self.highest {
            return Lookup::New;
        }
        match self.last.iter().rev().find(|(known, _, _)| *known == id) {
            None => Lookup::New,
            Some((_, seq, result)) if result.is_result_of(command, rules) => Lookup::Duplicate(*seq),
            Some(_) => Lookup::Conflict,
        }
    }
}

impl RequestResult {
    fn from_event(event: &Event) -> RequestResult {
        match event {
            Event::Moved { cell, .. } => RequestResult::Moved(*cell),
            Event::Offered { offer, .. } => RequestResult::Offered(*offer),
            Event::Declined { offer, .. } => RequestResult::Declined(*offer),
            Event::TakenBack { .. } => RequestResult::Agreed(Offer::Takeback),
            Event::Started { .. } => RequestResult::Agreed(Offer::Rematch),
            Event::Ended { outcome, .. } => match outcome {
                Outcome::Resigned { .. } => RequestResult::Resigned,
                Outcome::Agreed => RequestResult::Agreed(Offer::Draw),
                Outcome::Abandoned { winner: Some(_) } => RequestResult::Claimed(Claim::Win),
                Outcome::Abandoned { winner: None } => RequestResult::Claimed(Claim::Draw),
                Outcome::Flag { .. } => RequestResult::Flagged,
                Outcome::Line { .. } | Outcome::Full => RequestResult::Other,
            },
            Event::Opened { .. } | Event::Seated { .. } | Event::Closed { .. } => RequestResult::Other,
        }
    }

    fn is_result_of(self, command: RoomCommand, rules: &Rules) -> bool {
        match (command, self) {
            (RoomCommand::Move { cell, .. }, RequestResult::Moved(at)) => is_same_target(rules, cell, at),
            (
                RoomCommand::Offer { offer },
                RequestResult::Offered(accepted) | RequestResult::Agreed(accepted),
            ) => offer == accepted,
            (RoomCommand::Accept { offer }, RequestResult::Agreed(accepted)) => offer == accepted,
            (RoomCommand::Decline { offer }, RequestResult::Declined(declined)) => offer == declined,
            (RoomCommand::Claim { result }, RequestResult::Claimed(claimed)) => result == claimed,
            (RoomCommand::Resign, RequestResult::Resigned) | (RoomCommand::Flag, RequestResult::Flagged) => {
                true
            }
            (
                RoomCommand::Move { .. }
                | RoomCommand::Offer { .. }
                | RoomCommand::Accept { .. }
                | RoomCommand::Decline { .. }
                | RoomCommand::Resign
                | RoomCommand::Claim { .. }
                | RoomCommand::Flag,
                _,
            ) => false,
        }
    }
}

/// Whether a move to `asked` comes to rest at `at`: with gravity, any cell of a column names it.
fn is_same_target(rules: &Rules, requested: Cell, at: Cell) -> bool {
    let target = |cell| {
        rules.coordinates(cell).map(|mut at| {
            if rules.gravity() {
                at[1] = 0;
            }
            at
        })
    };
    target(requested).is_some() && target(requested) == target(at)
}
