//! State that a client needs to resume after a lost connection: its room, its resume token, the number of the last
//! event, and the unacknowledged requests. Pure: the requests and messages that pass through the connection update the
//! state.

use std::collections::VecDeque;

use noughts_protocol::wire::{Message, RejectCode, Request, RequestBody, SessionRequest};
use noughts_protocol::{
    Event, EventRecord, RequestId, RequestRef, ResumeToken, RoomId, RoomRef, Seat, Seq,
};

/// Maximum number of unacknowledged requests. Further requests wait in the queue.
const MAX_UNANSWERED_REQUESTS: usize = 32;

/// Location and unacknowledged requests of a client.
#[derive(Debug, Default)]
pub(super) struct ResumeState {
    location: Location,
    unanswered: VecDeque<UnansweredRequest>,
}

#[derive(Clone, Copy, Debug, Default)]
enum Location {
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
        room_ref: RoomRef,
        remarks: bool,
    },
}

#[derive(Debug)]
struct UnansweredRequest {
    request: Request,
    /// The client's seat at the time of the request. The event that acknowledges the request names it.
    seat: Option<Seat>,
}

impl UnansweredRequest {
    fn is_leave(&self) -> bool {
        matches!(
            self.request.body,
            RequestBody::Session(SessionRequest::Leave)
        )
    }

    /// Returns whether the request can be sent again. A repeated command has no second effect, because the server knows
    /// its id; and a client that wanted to leave still wants to leave.
    fn can_be_resent(&self) -> bool {
        matches!(self.request.body, RequestBody::Command(_)) || self.is_leave()
    }
}

impl ResumeState {
    pub(super) fn can_send(&self) -> bool {
        self.unanswered.len() < MAX_UNANSWERED_REQUESTS
    }

    /// Records that a request was sent for the first time.
    pub(super) fn on_sent(&mut self, request: &Request) {
        self.unanswered.push_back(UnansweredRequest {
            request: request.clone(),
            seat: self.seat(),
        });
    }

    /// Handles a lost connection. Returns the requests that will not be sent again; the server may have executed them.
    pub(super) fn on_disconnect(&mut self) -> Vec<RequestId> {
        let seated = self.seat().is_some();
        if !seated && self.unanswered.iter().any(UnansweredRequest::is_leave) {
            self.location = Location::Lobby;
        }
        self.drop_unanswered(|unanswered| seated && unanswered.can_be_resent())
    }

    /// Returns the request that leads back into the room; `None` in the lobby.
    pub(super) fn resume_request(&self) -> Option<SessionRequest> {
        match self.location {
            Location::Lobby => None,
            Location::Seated {
                room, token, seq, ..
            } => Some(SessionRequest::Resume {
                room,
                token: Some(token),
                seq: Some(seq),
            }),
            Location::Watching {
                room_ref, remarks, ..
            } => Some(SessionRequest::Watch {
                room: room_ref,
                remarks,
            }),
        }
    }

    /// Handles the loss of the room. Returns the requests that are lost with it.
    pub(super) fn forget_room(&mut self) -> Vec<RequestId> {
        self.location = Location::Lobby;
        self.drop_unanswered(|_| false)
    }

    /// Returns the requests to send again, under their old ids, after the seat was resumed.
    pub(super) fn retransmissions(&self) -> VecDeque<Request> {
        let resendable = self
            .unanswered
            .iter()
            .filter(|unanswered| unanswered.can_be_resent());
        resendable
            .map(|unanswered| unanswered.request.clone())
            .collect()
    }

    pub(super) fn on_message(&mut self, message: &Message) {
        match message {
            Message::Done { re, .. } => {
                if let Some(RequestBody::Session(SessionRequest::Leave)) =
                    self.resolve(*re).map(|request| request.body)
                {
                    self.location = Location::Lobby;
                }
            }
            Message::Reject { re, reject } => {
                re.map(|re| self.resolve(re));
                if reject.code == RejectCode::NotInRoom {
                    self.location = Location::Lobby;
                }
            }
            Message::Rooms { re, .. }
            | Message::Lobby { re: Some(re), .. }
            | Message::Games { re, .. }
            | Message::Game { re, .. }
            | Message::Profile { re, .. } => {
                self.resolve(*re);
            }
            Message::Snapshot {
                re,
                room,
                role,
                state,
            } => {
                let request = re.and_then(|re| self.resolve(re));
                self.location = match (role.seat, role.token.or(self.token(*room))) {
                    (Some(seat), Some(token)) => Location::Seated {
                        room: *room,
                        token,
                        seat,
                        seq: state.seq,
                    },
                    (Some(_) | None, _) => {
                        let (room_ref, remarks) = self.watch_ref(*room, request);
                        Location::Watching {
                            room: *room,
                            room_ref,
                            remarks,
                        }
                    }
                };
            }
            Message::Events { re, room, events } => {
                re.map(|re| self.resolve(re));
                for record in events {
                    self.on_event(*room, record);
                }
            }
            Message::Welcome { .. }
            | Message::Notice { .. }
            | Message::Lobby { re: None, .. }
            | Message::LobbyChanged { .. }
            | Message::Announcement { .. }
            | Message::Restarting { .. } => {}
        }
    }

    fn on_event(&mut self, event_room: RoomId, record: &EventRecord) {
        if let Some(RequestRef { seat, id }) = record.by {
            self.unanswered
                .retain(|unanswered| unanswered.request.id != id || unanswered.seat != Some(seat));
        }
        let Location::Seated {
            room, seat, seq, ..
        } = &mut self.location
        else {
            return;
        };
        if *room != event_room || record.seq != seq.next() {
            return;
        }
        *seq = record.seq;
        if let Event::Started { game: 2.. } = record.event {
            *seat = seat.other();
        }
    }

    fn seat(&self) -> Option<Seat> {
        match self.location {
            Location::Seated { seat, .. } => Some(seat),
            Location::Lobby | Location::Watching { .. } => None,
        }
    }

    /// Returns the known token for this room, because a snapshot need not repeat the token.
    fn token(&self, requested_room: RoomId) -> Option<ResumeToken> {
        match self.location {
            Location::Seated { room, token, .. } if room == requested_room => Some(token),
            Location::Seated { .. } | Location::Lobby | Location::Watching { .. } => None,
        }
    }

    /// Returns the reference from the request to watch the room, and whether that request asked for engine remarks. A
    /// private room is found only by its code.
    fn watch_ref(&self, watched_room: RoomId, request: Option<Request>) -> (RoomRef, bool) {
        match (request.map(|request| request.body), self.location) {
            (
                Some(RequestBody::Session(SessionRequest::Watch {
                    room: room_ref,
                    remarks,
                })),
                _,
            ) => (room_ref, remarks),
            (
                _,
                Location::Watching {
                    room,
                    room_ref,
                    remarks,
                },
            ) if room == watched_room => (room_ref, remarks),
            _ => (RoomRef::Id(watched_room), false),
        }
    }

    fn resolve(&mut self, id: RequestId) -> Option<Request> {
        let index = self
            .unanswered
            .iter()
            .position(|unanswered| unanswered.request.id == id)?;
        self.unanswered
            .remove(index)
            .map(|unanswered| unanswered.request)
    }

    fn drop_unanswered(&mut self, keep: impl Fn(&UnansweredRequest) -> bool) -> Vec<RequestId> {
        let lost = self
            .unanswered
            .iter()
            .filter(|unanswered| !keep(unanswered));
        let lost = lost.map(|unanswered| unanswered.request.id).collect();
        self.unanswered.retain(keep);
        lost
    }
}
