//! What a player's last requests led to, so that one sent again is applied once.

use std::collections::VecDeque;

use noughts_protocol::wire::{Claim, Command};
use noughts_protocol::{Cell, Event, Offer, Outcome, RequestId, Rules, Seq, Stamped};
use serde::{Deserialize, Serialize};

/// How many requests a player may have sent before one is sent again: far more than a client that
/// keeps one move pending can have under way.
const REMEMBERED: usize = 32;

/// The last requests of one player and the events that answered them. A fold of events, so that it
/// is the same after a restart.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Written")]
pub(super) struct Answered {
    last: VecDeque<(RequestId, Seq, Answer)>,
    /// The highest number among them: most requests have a higher one, and are not looked for.
    #[serde(skip)]
    highest: Option<RequestId>,
}

/// The same as it is stored.
#[derive(Deserialize)]
struct Written {
    last: VecDeque<(RequestId, Seq, Answer)>,
}

impl From<Written> for Answered {
    fn from(Written { last }: Written) -> Answered {
        let highest = last.iter().map(|(id, _, _)| *id).max();
        Answered { last, highest }
    }
}

/// Whether a request has been here before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Earlier {
    Never,
    /// And this event answered it.
    Same(Seq),
    /// But its number was given to another one.
    Different,
}

/// As much of an event as is needed to tell which request it answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Answer {
    Moved(Cell),
    Offered(Offer),
    Agreed(Offer),
    Declined(Offer),
    Resigned,
    Claimed(Claim),
    Flagged,
    Other,
}

impl Answered {
    pub(super) fn note(&mut self, id: RequestId, stamped: &Stamped) {
        if self.last.len() == REMEMBERED {
            let forgotten = self.last.pop_front();
            if forgotten.is_some_and(|(id, _, _)| Some(id) == self.highest) {
                self.highest = self.last.iter().map(|(id, _, _)| *id).max();
            }
        }
        self.last.push_back((id, stamped.seq, Answer::of(&stamped.event)));
        self.highest = self.highest.max(Some(id));
    }

    pub(super) fn earlier(&self, id: RequestId, command: Command, rules: &Rules) -> Earlier {
        if Some(id) > self.highest {
            return Earlier::Never;
        }
        match self.last.iter().rev().find(|(known, _, _)| *known == id) {
            None => Earlier::Never,
            Some((_, seq, answer)) if answer.answers(command, rules) => Earlier::Same(*seq),
            Some(_) => Earlier::Different,
        }
    }
}

impl Answer {
    fn of(event: &Event) -> Answer {
        match event {
            Event::Moved { cell, .. } => Answer::Moved(*cell),
            Event::Offered { offer, .. } => Answer::Offered(*offer),
            Event::Declined { offer, .. } => Answer::Declined(*offer),
            Event::TakenBack { .. } => Answer::Agreed(Offer::Takeback),
            Event::Started { .. } => Answer::Agreed(Offer::Rematch),
            Event::Ended { outcome, .. } => match outcome {
                Outcome::Resigned { .. } => Answer::Resigned,
                Outcome::Agreed => Answer::Agreed(Offer::Draw),
                Outcome::Abandoned { winner: Some(_) } => Answer::Claimed(Claim::Win),
                Outcome::Abandoned { winner: None } => Answer::Claimed(Claim::Draw),
                Outcome::Flag { .. } => Answer::Flagged,
                Outcome::Line { .. } | Outcome::Full => Answer::Other,
            },
            Event::Opened { .. } | Event::Seated { .. } | Event::Closed { .. } => Answer::Other,
        }
    }

    fn answers(self, command: Command, rules: &Rules) -> bool {
        match (command, self) {
            (Command::Move { cell, .. }, Answer::Moved(at)) => same_place(rules, cell, at),
            (Command::Offer { offer }, Answer::Offered(it) | Answer::Agreed(it)) => offer == it,
            (Command::Accept { offer }, Answer::Agreed(it)) => offer == it,
            (Command::Decline { offer }, Answer::Declined(it)) => offer == it,
            (Command::Claim { result }, Answer::Claimed(as_what)) => result == as_what,
            (Command::Resign, Answer::Resigned) | (Command::Flag, Answer::Flagged) => true,
            (
                Command::Move { .. }
                | Command::Offer { .. }
                | Command::Accept { .. }
                | Command::Decline { .. }
                | Command::Resign
                | Command::Claim { .. }
                | Command::Flag,
                _,
            ) => false,
        }
    }
}

/// Whether a move to `asked` comes to rest at `at`: with gravity, any cell of a column names it.
fn same_place(rules: &Rules, asked: Cell, at: Cell) -> bool {
    let place = |cell| {
        rules.coordinates(cell).map(|mut at| {
            if rules.gravity() {
                at[1] = 0;
            }
            at
        })
    };
    place(asked).is_some() && place(asked) == place(at)
}
