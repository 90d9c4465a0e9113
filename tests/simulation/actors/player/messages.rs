//! Handling of messages, and checks that no forbidden message arrives.

use std::time::Duration;

use noughts::testing::{ConnectionEvent, TerminationReason};
use noughts_protocol::wire::{Message, Notice, OwnRole, Presence, Reject, RejectCode};
use noughts_protocol::{Event, EventRecord, FoldError, Game, Phase, RequestId, RoomId, Snapshot};
use noughts_tests::client::random_action::is_too_late;
use tokio::time::Instant;

use super::{JoinGoal, PlayerProgram, ProgramFlow, SimRoomView};
use crate::checks::room_log_model::RoomLogModel;

/// Delay of the next request after a request that the server could not serve.
const RETRY_DELAY: Duration = Duration::from_millis(200);

impl PlayerProgram<'_> {
    pub(super) fn on_connection_event(&mut self, event: ConnectionEvent) -> ProgramFlow {
        match event {
            ConnectionEvent::Connecting { .. } => {}
            ConnectionEvent::Connected { .. } => {
                self.sim_state().trace.count("times online");
                self.online_since = Some(Instant::now());
            }
            ConnectionEvent::Disconnected {
                reason: why,
                retry_in,
                ..
            } => {
                self.sim_state().record(
                    self.player.name,
                    format_args!("offline for {retry_in:?}: {why}"),
                );
                (self.online_since, self.seeking) = (None, false);
            }
            ConnectionEvent::RequestLost(id) => {
                self.ledger.record_loss(id);
                self.on_done(id);
            }
            ConnectionEvent::Message(message) => self.on_message(message),
            ConnectionEvent::Terminated(ended) => {
                self.sim_state()
                    .record(self.player.name, format_args!("ended: {ended}"));
                match ended {
                    // The client does not retry its first attempt to connect, and a fault made this attempt fail.
                    TerminationReason::CannotConnect(_) | TerminationReason::Http(503) => {}
                    // Another program of this player resumed the seat; at most one may be active.
                    TerminationReason::Replaced => {
                        self.report_violation(format_args!("replaced without a newer program"));
                    }
                    TerminationReason::Closed
                    | TerminationReason::Rejected(_)
                    | TerminationReason::Http(_)
                    | TerminationReason::NotNoughts
                    | TerminationReason::Final(_)
                    | TerminationReason::GaveUp(_) => {
                        self.report_violation(format_args!("the link ended: {ended}"));
                    }
                }
                return ProgramFlow::Exit;
            }
        }
        ProgramFlow::Continue
    }

    /// Clears a request that was answered or lost.
    fn on_done(&mut self, id: RequestId) {
        self.pending_room_request.take_if(|way| *way == id);
        self.pending_command.take_if(|command| *command == id);
    }

    fn on_response(&mut self, id: RequestId) {
        self.ledger.record_response(id);
        self.on_done(id);
    }

    fn on_message(&mut self, message: Message) {
        match message {
            Message::Welcome { .. }
            | Message::Lobby { .. }
            | Message::LobbyChanged { .. }
            | Message::Announcement { .. }
            | Message::Games { .. }
            | Message::Game { .. }
            | Message::Profile { .. }
            | Message::Restarting { .. } => {}
            Message::Rooms { re, .. } => self.on_response(re),
            Message::Done { re, .. } => {
                let is_room_request = self.pending_room_request == Some(re);
                self.on_response(re);
                if is_room_request {
                    self.on_room_request_done();
                }
            }
            Message::Reject { re, reject } => self.on_reject(re, &reject),
            Message::Snapshot {
                re,
                room,
                role,
                state,
            } => {
                if let Some(re) = re {
                    self.on_response(re);
                }
                self.on_snapshot(room, &role, &state);
            }
            Message::Events { re, room, events } => {
                if let Some(re) = re {
                    self.on_response(re);
                }
                for event in events {
                    self.on_event(room, &event);
                }
            }
            Message::Notice { room, notice } => match notice {
                Notice::Presence {
                    seat,
                    presence,
                    claim_in_ms,
                } => {
                    if let Some(room_view) = self
                        .room_view
                        .as_mut()
                        .filter(|room_view| room_view.room == room && room_view.seat != seat)
                    {
                        room_view.opponent_presence = presence;
                        room_view.claim_at =
                            claim_in_ms.map(|ms| Instant::now() + Duration::from_millis(ms));
                    }
                }
                Notice::Lag { .. }
                | Notice::Spectators { .. }
                | Notice::Remark { .. }
                | Notice::Phrase { .. } => {}
            },
        }
    }

    /// Advances the state after a seek, or after leaving a room.
    fn on_room_request_done(&mut self) {
        match self.room_view {
            None => self.seeking = true,
            Some(_) => self.on_left(),
        }
    }

    /// Forgets the room and the seat.
    fn on_left(&mut self) {
        self.room_view = None;
        self.player.persistent_state().seat = None;
    }

    fn on_reject(&mut self, re: Option<RequestId>, reject: &Reject) {
        let Some(re) = re else {
            return self.report_violation(format_args!("rejected without an id: {reject:?}"));
        };
        let is_ours = self.ledger.is_ours(re);
        let (is_room_request, is_command) = (
            self.pending_room_request == Some(re),
            self.pending_command == Some(re),
        );
        self.on_response(re);
        self.sim_state().trace.count(reject.code.as_str());
        if is_command
            && self
                .sim_state()
                .disk
                .room_models()
                .values()
                .any(|room| room.has_applied(re))
        {
            self.report_violation(format_args!(
                "request {re} is rejected ({}), but was executed",
                reject.code
            ));
        }
        #[expect(
            clippy::wildcard_enum_match_arm,
            reason = "every other reject is a failure"
        )]
        match reject.code {
            RejectCode::UnknownRoom => {
                // A resume by the link, or by a program after a crash, has failed: the room must be closed.
                let seat = self.player.persistent_state().seat;
                if let Some((room, _)) = seat.filter(|_| is_room_request || !is_ours) {
                    if !self.is_closed(room) {
                        self.report_violation(format_args!(
                            "room {room} is open, but its player cannot resume"
                        ));
                    }
                    self.on_left();
                }
            }
            RejectCode::NotInRoom => {
                if let Some(room) = self.room_view.as_ref().map(|room_view| room_view.room)
                    && !self.is_closed(room)
                {
                    self.report_violation(format_args!(
                        "rejected as not in a room while in room {room}"
                    ));
                }
                self.on_left();
            }
            // The guest's seat was granted in a lost response: start again with a new room.
            RejectCode::RoomFull if is_room_request => self.sim_state().share_code(None),
            RejectCode::Busy
            | RejectCode::Unavailable
            | RejectCode::Draining
            | RejectCode::ServerFull
            | RejectCode::AlreadySeeking => {
                self.seeking = false;
                self.next_action_at = Instant::now() + RETRY_DELAY;
            }
            // A simultaneous action of the opponent may make the request late.
            RejectCode::NotStarted | RejectCode::OpponentLeft | RejectCode::NotClaimable
                if is_command => {}
            code if is_command && is_too_late(code) => {}
            code => self.report_violation(format_args!("request {re} is rejected: {code}")),
        }
    }

    fn is_closed(&self, room: RoomId) -> bool {
        self.sim_state()
            .disk
            .room_models()
            .get(&room)
            .is_none_or(RoomLogModel::is_closed)
    }

    fn on_snapshot(&mut self, room: RoomId, role: &OwnRole, state: &Snapshot) {
        let (Some(seat), Some(token)) = (role.seat, role.token) else {
            return self.report_violation(format_args!("snapshot of room {room} without a seat"));
        };
        let Ok(game) = Game::from_snapshot(state) else {
            return;
        };
        if let Some(room_view) = &self.room_view
            && (room_view.room != room || room_view.game.seq() > game.seq())
        {
            let (known, seq) = (room_view.room, room_view.game.seq());
            self.report_violation(format_args!(
                "was in room {known} at {seq}, received a snapshot of {room} at {}",
                game.seq()
            ));
        }
        self.seeking = false;
        self.player.persistent_state().seat = Some((room, token));
        if let (JoinGoal::Host(_), None, Some(code)) =
            (self.player.goal, &self.room_view, role.code)
        {
            self.sim_state().share_code(Some(code));
        }
        let (opponent_presence, claim_at) = (Presence::Connected, None);
        let closed = game.phase() == Phase::Closed;
        self.room_view = Some(SimRoomView {
            room,
            seat,
            game,
            opponent_presence,
            claim_at,
            changed_at: Instant::now(),
        });
        if closed {
            self.on_left();
        }
    }

    fn on_event(&mut self, room: RoomId, event: &EventRecord) {
        let Some(room_view) = self
            .room_view
            .as_mut()
            .filter(|room_view| room_view.room == room)
        else {
            return self.report_violation(format_args!(
                "received an event of room {room}, which it is not in: {event:?}"
            ));
        };
        let is_ours = event
            .by
            .filter(|by| by.seat == room_view.seat)
            .map(|by| by.id);
        room_view.changed_at = Instant::now();
        if let Err(error) = room_view.game.apply(event) {
            let what = match error {
                FoldError::Gap { .. } => "a gap, or the same again",
                FoldError::Impossible { .. } => "impossible",
            };
            return self.report_violation(format_args!("{what}: {error}: {event:?}"));
        }
        if matches!(event.event, Event::Started { game } if game > 1) {
            room_view.seat = room_view.seat.other();
        }
        if let Some(id) = is_ours.filter(|id| self.ledger.is_ours(*id)) {
            self.on_response(id);
        }
        if matches!(event.event, Event::Closed { .. }) {
            self.on_left();
        }
    }
}
