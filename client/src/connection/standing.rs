//! What a client must remember to come back to where it was: its room, its right to a seat, the last event
//! that it has, and the requests without an answer. Pure: it is told what was sent and what came.

use std::collections::VecDeque;

use noughts_protocol::wire::{Body, Lobby, Message, RejectCode, Request};
use noughts_protocol::{By, Event, RequestId, ResumeToken, RoomId, RoomRef, Seat, Seq, Stamped};

/// Requests that may be without an answer at once; further ones wait their turn.
const UNANSWERED: usize = 32;

/// Where a client stands with its server.
#[derive(Debug, Default)]
pub(super) struct Standing {
    place: Place,
    unanswered: VecDeque<Unanswered>,
}

#[derive(Clone, Copy, Debug, Default)]
enum Place {
    #[default]
    Lobby,
    Seated {
        room: RoomId,
        token: ResumeToken,
        seat: Seat,
        seq: Seq,
    },
    Watching {
        room: RoomId,
        by: RoomRef,
        remarks: bool,
    },
}

#[derive(Debug)]
struct Unanswered {
    request: Request,
    /// The seat that it was asked from: the event that answers it names this one.
    seat: Option<Seat>,
}

impl Unanswered {
    fn is_leave(&self) -> bool {
        matches!(self.request.body, Body::Lobby(Lobby::Leave))
    }

    /// Commands are applied once, however often they come; and who wanted to leave still does.
    fn may_be_sent_again(&self) -> bool {
        matches!(self.request.body, Body::Command(_)) || self.is_leave()
    }
}

impl Standing {
    /// Whether another request may be sent before an answer has come.
    pub(super) fn may_send(&self) -> bool {
        self.unanswered.len() < UNANSWERED
    }

    /// A request goes out for the first time.
    pub(super) fn sends(&mut self, request: &Request) {
        self.unanswered.push_back(Unanswered { request: request.clone(), seat: self.seat() });
    }

    /// The line is cut. Returns the requests whose fate is unknown and that will not be sent again.
    pub(super) fn cut(&mut self) -> Vec<RequestId> {
        let seated = self.seat().is_some();
        if !seated && self.unanswered.iter().any(Unanswered::is_leave) {
            self.place = Place::Lobby;
        }
        self.drop_unanswered(|unanswered| seated && unanswered.may_be_sent_again())
    }

    /// What to ask to be there again, if this client was in a room.
    pub(super) fn way_back(&self) -> Option<Lobby> {
        match self.place {
            Place::Lobby => None,
            Place::Seated { room, token, seq, .. } => Some(Lobby::Resume { room, token, seq: Some(seq) }),
            Place::Watching { by, remarks, .. } => Some(Lobby::Watch { room: by, remarks }),
        }
    }

    /// There is no way back. Returns the requests that are lost with the room.
    pub(super) fn forget_room(&mut self) -> Vec<RequestId> {
        self.place = Place::Lobby;
        self.drop_unanswered(|_| false)
    }

    /// What to send again, under the old ids, once the seat is taken again.
    pub(super) fn to_send_again(&self) -> VecDeque<Request> {
        let again = self.unanswered.iter().filter(|unanswered| unanswered.may_be_sent_again());
        again.map(|unanswered| unanswered.request.clone()).collect()
    }

    /// A message came.
    pub(super) fn hears(&mut self, message: &Message) {
        match message {
            Message::Done { re, .. } => {
                if let Some(Body::Lobby(Lobby::Leave)) = self.answered(*re).map(|request| request.body) {
                    self.place = Place::Lobby;
                }
            }
            Message::Reject { re, reject } => {
                re.map(|re| self.answered(re));
                if reject.code == RejectCode::NotInRoom {
                    self.place = Place::Lobby;
                }
            }
            Message::Rooms { re, .. } => {
                self.answered(*re);
            }
            Message::Snapshot { re, room, you, state } => {
                let request = re.and_then(|re| self.answered(re));
                self.place = match (you.seat, you.token.or(self.token(*room))) {
                    (Some(seat), Some(token)) => Place::Seated { room: *room, token, seat, seq: state.seq },
                    (Some(_) | None, _) => {
                        let (by, remarks) = self.watched_by(*room, request);
                        Place::Watching { room: *room, by, remarks }
                    }
                };
            }
            Message::Events { re, room, events } => {
                re.map(|re| self.answered(re));
                for stamped in events {
                    self.hears_event(*room, stamped);
                }
            }
            Message::Welcome { .. } | Message::Notice { .. } | Message::Restarting { .. } => {}
        }
    }

    fn hears_event(&mut self, of: RoomId, stamped: &Stamped) {
        if let Some(By { seat, id }) = stamped.by {
            self.unanswered.retain(|unanswered| unanswered.request.id != id || unanswered.seat != Some(seat));
        }
        let Place::Seated { room, seat, seq, .. } = &mut self.place else { return };
        if *room != of || stamped.seq != seq.next() {
            return;
        }
        *seq = stamped.seq;
        if let Event::Started { game: 2.. } = stamped.event {
            *seat = seat.other();
        }
    }

    fn seat(&self) -> Option<Seat> {
        match self.place {
            Place::Seated { seat, .. } => Some(seat),
            Place::Lobby | Place::Watching { .. } => None,
        }
    }

    /// The token for this room that is known already: a snapshot need not repeat it.
    fn token(&self, of: RoomId) -> Option<ResumeToken> {
        match self.place {
            Place::Seated { room, token, .. } if room == of => Some(token),
            Place::Seated { .. } | Place::Lobby | Place::Watching { .. } => None,
        }
    }

    /// How a watched room was asked for, a private one answers to its code only; and whether remarks were.
    fn watched_by(&self, of: RoomId, request: Option<Request>) -> (RoomRef, bool) {
        match (request.map(|request| request.body), self.place) {
            (Some(Body::Lobby(Lobby::Watch { room: by, remarks })), _) => (by, remarks),
            (_, Place::Watching { room, by, remarks }) if room == of => (by, remarks),
            _ => (RoomRef::Id(of), false),
        }
    }

    fn answered(&mut self, id: RequestId) -> Option<Request> {
        let at = self.unanswered.iter().position(|unanswered| unanswered.request.id == id)?;
        self.unanswered.remove(at).map(|unanswered| unanswered.request)
    }

    fn drop_unanswered(&mut self, keep: impl Fn(&Unanswered) -> bool) -> Vec<RequestId> {
        let lost = self.unanswered.iter().filter(|unanswered| !keep(unanswered));
        let lost = lost.map(|unanswered| unanswered.request.id).collect();
        self.unanswered.retain(keep);
        lost
    }
}
