//! Idempotency: the last requests of a player and their results, so that a repeated request is executed once.

use std::collections::VecDeque;

use noughts_protocol::wire::{Claim, RoomCommand};
use noughts_protocol::{Cell, Event, EventRecord, Offer, Outcome, RequestId, Rules, Seq};
use serde::{Deserialize, Serialize};

/// Number of requests that are remembered. A client with one pending move at a time needs far fewer.
const CAPACITY: usize = 32;

/// The last requests of one player and the events that answered them. Computed from events only, so that a replay
/// yields the same log.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "StoredRequestLog")]
pub(super) struct RequestLog {
    entries: VecDeque<(RequestId, Seq, RequestResult)>,
    /// The highest id in the log. Most requests have a higher id, and need no search.
    #[serde(skip)]
    highest: Option<RequestId>,
}

/// Stored form of [`RequestLog`].
#[derive(Deserialize)]
struct StoredRequestLog {
    entries: VecDeque<(RequestId, Seq, RequestResult)>,
}

impl From<StoredRequestLog> for RequestLog {
    fn from(StoredRequestLog { entries }: StoredRequestLog) -> RequestLog {
        let highest = entries.iter().map(|(id, _, _)| *id).max();
        RequestLog { entries, highest }
    }
}

/// Result of looking up a request id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lookup {
    New,
    /// The request was answered by this event.
    Duplicate(Seq),
    /// The id was used for a different request.
    Conflict,
}

/// The part of an event that identifies the request that it answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum RequestResult {
    Moved(Cell),
    Offered(Offer),
    Agreed(Offer),
    Declined(Offer),
    Resigned,
    Claimed(Claim),
    Flagged,
    Aborted,
    /// No request has this result, so the id cannot be used again.
    Other,
}

impl RequestLog {
    /// Records the event that answered a request, and forgets the oldest request beyond [`CAPACITY`].
    pub(super) fn record(&mut self, id: RequestId, event_record: &EventRecord) {
        if self.entries.len() == CAPACITY {
            let evicted = self.entries.pop_front();
            if evicted.is_some_and(|(id, _, _)| Some(id) == self.highest) {
                self.highest = self.entries.iter().map(|(id, _, _)| *id).max();
            }
        }
        self.entries.push_back((
            id,
            event_record.seq,
            RequestResult::from_event(&event_record.event),
        ));
        self.highest = self.highest.max(Some(id));
    }

    /// Invalidates the requests of the previous game: their ids cannot be repeated in the next game. The next game
    /// needs a request from each player, so every retransmission precedes it. Only the offer of a rematch, which this
    /// player may have `pending`, can be applied without its sender knowing.
    ///
    /// A move keeps its result, because the `seq` of the request identifies it.
    pub(super) fn on_game_started(&mut self, pending: bool) {
        let rematch = RequestResult::Offered(Offer::Rematch);
        let offer = self
            .entries
            .iter()
            .rposition(|(_, _, result)| *result == rematch)
            .filter(|_| pending);
        for (index, (_, _, result)) in self.entries.iter_mut().enumerate() {
            if Some(index) != offer && !matches!(result, RequestResult::Moved(_)) {
                *result = RequestResult::Other;
            }
        }
    }

    /// Invalidates the offer that led to the rematch that has now ended. The offer stays if its sender may not know
    /// that it was applied, because the opponent can end the game before this player has sent a further request.
    /// `is_end_requested`: this player ended the game by a request, which is not recorded yet.
    pub(super) fn on_game_ended(&mut self, is_end_requested: bool) {
        let known = if is_end_requested {
            self.entries.len()
        } else {
            self.entries.len().saturating_sub(1)
        };
        for (_, _, result) in self.entries.iter_mut().take(known) {
            if *result == RequestResult::Offered(Offer::Rematch) {
                *result = RequestResult::Other;
            }
        }
    }

    /// Looks up the id of a request. The same id with a different request is a conflict.
    pub(super) fn lookup(&self, id: RequestId, command: RoomCommand, rules: &Rules) -> Lookup {
        if Some(id) > self.highest {
            return Lookup::New;
        }
        match self.entries.iter().rev().find(|(known, _, _)| *known == id) {
            None => Lookup::New,
            Some((_, seq, result)) if result.is_result_of(command, *seq, rules) => {
                Lookup::Duplicate(*seq)
            }
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
                Outcome::Aborted => RequestResult::Aborted,
                Outcome::Flag { .. } => RequestResult::Flagged,
                Outcome::Line { .. } | Outcome::Full => RequestResult::Other,
            },
            Event::Opened { .. } | Event::Seated { .. } | Event::Closed { .. } => {
                RequestResult::Other
            }
        }
    }

    /// Returns whether `command` is the request that the event `answered_at` answered.
    fn is_result_of(self, command: RoomCommand, answered_at: Seq, rules: &Rules) -> bool {
        match (command, self) {
            // A request precedes its event, so a move made after the event is a different request.
            (RoomCommand::Move { cell, seq }, RequestResult::Moved(at)) => {
                seq < answered_at && is_same_target(rules, cell, at)
            }
            (
                RoomCommand::Offer { offer },
                RequestResult::Offered(accepted) | RequestResult::Agreed(accepted),
            ) => offer == accepted,
            (RoomCommand::Accept { offer }, RequestResult::Agreed(accepted)) => offer == accepted,
            (RoomCommand::Decline { offer }, RequestResult::Declined(declined)) => {
                offer == declined
            }
            (RoomCommand::Claim { result }, RequestResult::Claimed(claimed)) => result == claimed,
            (RoomCommand::Resign, RequestResult::Resigned)
            | (RoomCommand::Flag, RequestResult::Flagged)
            | (RoomCommand::Abort, RequestResult::Aborted) => true,
            (
                RoomCommand::Move { .. }
                | RoomCommand::Offer { .. }
                | RoomCommand::Accept { .. }
                | RoomCommand::Decline { .. }
                | RoomCommand::Resign
                | RoomCommand::Claim { .. }
                | RoomCommand::Flag
                | RoomCommand::Abort,
                _,
            ) => false,
        }
    }
}

/// Returns whether a move to `requested` is played at `at`: with gravity, every cell of a column means the same move.
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
