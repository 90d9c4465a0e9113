//! State machine of one seek, which is placed in the lobbies of the nodes. Pure.
//!
//! | state | meaning |
//! |---|---|
//! | `Querying` | all nodes are queried for an older seek and for a seat of the party |
//! | `Outside` | in no lobby; the next attempt to place the seek is due at once or later |
//! | `Inside` | in one lobby, or on its way there |
//! | `Withdrawing` | the same, and the lobby is requested to take it out |
//! | `Ended` | in no lobby. The client is in a room, enters one, has left the lobby, or its connection ends |
//!
//! Only the end that a lobby reports leads from `Inside` or `Withdrawing` to another state: the seek is never in two lobbies,
//! and a client that has cancelled is not paired later.

use noughts_protocol::RequestId;
use noughts_protocol::wire::RejectCode;

use crate::lobby::PingId;
use crate::lobby::handle::SeekEnd;

/// Maximum number of requests to cancel that wait for the lobby. A client waits for the response to the first.
const MAX_WAITING_CANCELS: usize = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RouteState {
    Querying,
    Outside,
    Inside,
    Withdrawing,
    Ended,
}

/// Event of a seek.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RouteEvent {
    /// The party has neither a newer seek nor an unknown seat.
    Admitted,
    /// The party has a seat that the client does not know: the client enters it instead.
    SeatFound,
    /// The party has a newer seek.
    Displaced,
    /// The client cancels.
    Cancel(RequestId),
    /// The connection has ended.
    Disconnected,
    /// The connection has answered a ping of the lobby.
    Pong(PingId),
    /// No node has the lobby, and it is too late to try again.
    Unavailable,
    /// The seek has ended in its lobby.
    End(SeekEnd),
    /// The connection to the lobby has ended: the client has to connect again.
    Lost,
}

/// Action for a seek.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RouteAction {
    /// Place the seek in the lobby of its game.
    Place,
    /// Request the lobby to take the seek out.
    Withdraw,
    /// Tell the lobby that the connection has answered its ping.
    Pong(PingId),
    /// Take the client out of the lobby state.
    LeaveLobby,
    /// Respond to a cancel.
    Done(RequestId),
    /// Reject a cancel: the seek has ended otherwise.
    NotSeeking(RequestId),
    /// Reject a cancel: too many wait.
    Busy(RequestId),
    /// Reject the seek.
    Reject(RejectCode),
    /// Close the connection: the party seeks on a newer one.
    CloseReplaced,
    /// Resume the client at the seat of its party.
    EnterSeat,
    /// Forward the requests of the client to its room, as long as it is there.
    ServeRoom,
}

/// State of one seek, or of one answer to a listed seek.
#[derive(Debug)]
pub(super) struct SeekRoute {
    state: RouteState,
    is_answer: bool,
    /// Requests to cancel that wait for the lobby.
    cancels: Vec<RequestId>,
    is_displaced: bool,
    is_seat_found: bool,
}

impl SeekRoute {
    /// A route that begins with the query to the other nodes. An answer is placed once.
    pub(super) fn new(is_answer: bool) -> SeekRoute {
        SeekRoute {
            state: RouteState::Querying,
            is_answer,
            cancels: Vec::new(),
            is_displaced: false,
            is_seat_found: false,
        }
    }

    /// Whether the other nodes have not answered.
    pub(super) fn is_querying(&self) -> bool {
        self.state == RouteState::Querying
    }

    /// Whether the seek is in a lobby, or on its way there.
    pub(super) fn is_inside(&self) -> bool {
        matches!(self.state, RouteState::Inside | RouteState::Withdrawing)
    }

    pub(super) fn has_ended(&self) -> bool {
        self.state == RouteState::Ended
    }

    /// The seek is on its way to a lobby.
    pub(super) fn on_placed(&mut self) {
        debug_assert_eq!(
            self.state,
            RouteState::Outside,
            "a seek is in one lobby at most"
        );
        self.state = RouteState::Inside;
    }

    /// Handles an event. Returns what to do, in order.
    pub(super) fn on_event(&mut self, event: RouteEvent) -> Vec<RouteAction> {
        match self.state {
            RouteState::Querying | RouteState::Outside => self.on_event_outside(event),
            RouteState::Inside | RouteState::Withdrawing => self.on_event_inside(event),
            RouteState::Ended => {
                let RouteEvent::Cancel(id) = event else {
                    return Vec::new();
                };
                vec![RouteAction::NotSeeking(id)]
            }
        }
    }

    fn on_event_outside(&mut self, event: RouteEvent) -> Vec<RouteAction> {
        match event {
            RouteEvent::Admitted if self.is_querying() => {
                self.state = RouteState::Outside;
                return vec![RouteAction::Place];
            }
            RouteEvent::Admitted | RouteEvent::Pong(_) | RouteEvent::End(_) => return Vec::new(),
            RouteEvent::SeatFound
            | RouteEvent::Displaced
            | RouteEvent::Cancel(_)
            | RouteEvent::Disconnected
            | RouteEvent::Unavailable
            | RouteEvent::Lost => self.state = RouteState::Ended,
        }
        match event {
            RouteEvent::SeatFound => vec![RouteAction::EnterSeat],
            RouteEvent::Displaced => vec![RouteAction::CloseReplaced],
            RouteEvent::Cancel(id) => vec![RouteAction::LeaveLobby, RouteAction::Done(id)],
            RouteEvent::Unavailable => reject(RejectCode::Unavailable),
            RouteEvent::Disconnected
            | RouteEvent::Lost
            | RouteEvent::Admitted
            | RouteEvent::Pong(_)
            | RouteEvent::End(_) => Vec::new(),
        }
    }

    fn on_event_inside(&mut self, event: RouteEvent) -> Vec<RouteAction> {
        match event {
            RouteEvent::Cancel(id) if self.cancels.len() >= MAX_WAITING_CANCELS => {
                vec![RouteAction::Busy(id)]
            }
            RouteEvent::Cancel(id) => {
                self.cancels.push(id);
                self.withdraw()
            }
            RouteEvent::Displaced => {
                self.is_displaced = true;
                self.withdraw()
            }
            RouteEvent::SeatFound => {
                self.is_seat_found = true;
                self.withdraw()
            }
            RouteEvent::Disconnected => self.withdraw(),
            RouteEvent::Pong(ping) if self.state == RouteState::Inside => {
                vec![RouteAction::Pong(ping)]
            }
            RouteEvent::End(end) => self.on_end(end),
            RouteEvent::Lost => {
                self.state = RouteState::Ended;
                Vec::new()
            }
            RouteEvent::Pong(_) | RouteEvent::Admitted | RouteEvent::Unavailable => Vec::new(),
        }
    }

    fn withdraw(&mut self) -> Vec<RouteAction> {
        if self.state == RouteState::Withdrawing {
            return Vec::new();
        }
        self.state = RouteState::Withdrawing;
        vec![RouteAction::Withdraw]
    }

    fn on_end(&mut self, end: SeekEnd) -> Vec<RouteAction> {
        let is_withdrawing = self.state == RouteState::Withdrawing;
        if end == SeekEnd::Moved && !is_withdrawing && !self.is_answer {
            self.state = RouteState::Outside;
            return vec![RouteAction::Place];
        }
        self.state = RouteState::Ended;
        let mut cancels = std::mem::take(&mut self.cancels).into_iter();
        let first = match end {
            SeekEnd::Paired | SeekEnd::Rejected => Vec::new(),
            SeekEnd::Moved | SeekEnd::Withdrawn if is_withdrawing => match cancels.next() {
                Some(id) => vec![RouteAction::LeaveLobby, RouteAction::Done(id)],
                None if self.is_displaced => vec![RouteAction::CloseReplaced],
                None if self.is_seat_found => vec![RouteAction::EnterSeat],
                // The connection has ended.
                None => Vec::new(),
            },
            // The answered seek is in another lobby, with another number.
            SeekEnd::Moved | SeekEnd::Withdrawn if self.is_answer => reject(RejectCode::NoOffer),
            SeekEnd::Moved | SeekEnd::Withdrawn => reject(RejectCode::Unavailable),
        };
        let rejected = cancels.map(RouteAction::NotSeeking);
        let last = (end == SeekEnd::Paired).then_some(RouteAction::ServeRoom);
        first.into_iter().chain(rejected).chain(last).collect()
    }
}

fn reject(code: RejectCode) -> Vec<RouteAction> {
    vec![RouteAction::LeaveLobby, RouteAction::Reject(code)]
}

#[cfg(test)]
mod tests;
