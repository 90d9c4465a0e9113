//! Spectator: watches public rooms and sends requests that spectators may not send.

use std::sync::Arc;
use std::time::Duration;

use noughts::testing::{
    ClientRng as LinkChance, ConnectionEvent, ConnectionHandle, TerminationReason,
};
use noughts_protocol::wire::{Message, RejectCode, RequestBody, RoomCommand, SessionRequest};
use noughts_protocol::{Event, Game, Phase, RequestId, ResumeToken, RoomId, RoomRef};
use noughts_tests::rng::SeededRng;
use tokio::time::{Instant, sleep, sleep_until};

use crate::actors::player::options;
use crate::checks::request_ledger::RequestLedger;
use crate::network::SimConnector;
use crate::plan::SimMachine;
use crate::sim_state::SimState;

/// Watches until the run finishes.
pub(crate) async fn run(sim_state: Arc<SimState>, name: &'static str, machine: SimMachine) {
    while !sim_state.finished_actors().contains(name) {
        SimSpectator::start(&sim_state, name, machine).run().await;
        sleep(Duration::from_millis(700)).await;
    }
}

struct SimSpectator<'a> {
    sim_state: &'a Arc<SimState>,
    name: &'static str,
    link: ConnectionHandle,
    ledger: RequestLedger,
    rng: SeededRng,
    online: bool,
    watching: Option<(RoomId, Game)>,
    pending_request: Option<RequestId>,
    next_action_at: Instant,
}

impl<'a> SimSpectator<'a> {
    fn start(
        sim_state: &'a Arc<SimState>,
        name: &'static str,
        machine: SimMachine,
    ) -> SimSpectator<'a> {
        let seed = sim_state.fresh_seed();
        let connector = SimConnector {
            sim_state: Arc::clone(sim_state),
            actor: name,
            machine,
        };
        SimSpectator {
            sim_state,
            name,
            link: ConnectionHandle::with_connector(
                options(name),
                connector,
                LinkChance::from_seed(seed),
            ),
            ledger: RequestLedger::new(Arc::clone(sim_state), name),
            rng: SeededRng::new(seed),
            online: false,
            watching: None,
            pending_request: None,
            next_action_at: Instant::now(),
        }
    }

    async fn run(mut self) {
        loop {
            tokio::select! {
                biased;
                connection_event = self.link.next() => match connection_event {
                    None | Some(ConnectionEvent::Terminated(TerminationReason::CannotConnect(_) | TerminationReason::Http(503))) => return,
                    Some(ConnectionEvent::Terminated(ended)) => return self.report_violation(format_args!("the link ended: {ended}")),
                    Some(ConnectionEvent::Connecting { .. }) => {}
                    Some(ConnectionEvent::Connected { .. }) => self.online = true,
                    Some(ConnectionEvent::Disconnected { .. }) => self.online = false,
                    Some(ConnectionEvent::RequestLost(id)) => {
                        self.ledger.record_loss(id);
                        self.pending_request.take_if(|pending| *pending == id);
                    }
                    Some(ConnectionEvent::Message(message)) => self.on_message(message),
                },
                () = sleep_until(self.next_action_at) => {
                    self.next_action_at = Instant::now() + Duration::from_millis(self.rng.random_range(50, 900));
                    if self.online && self.pending_request.is_none() {
                        if self.sim_state.is_finishing() {
                            self.link.close().await;
                            return self.sim_state.mark_done(self.name);
                        }
                        self.act();
                    }
                }
            }
        }
    }

    fn report_violation(&self, what: std::fmt::Arguments<'_>) {
        self.sim_state.record_violation(self.name, what);
    }

    fn send(&mut self, body: RequestBody) {
        if let Ok(id) = self.link.send(body.clone()) {
            self.ledger.record_request(id, &body);
            self.pending_request = Some(id);
        }
    }

    fn act(&mut self) {
        match (&self.watching, self.rng.random_below(10)) {
            // A guessed token must not resume a seat.
            (None, 0) => {
                let token = ResumeToken::from_bits(u128::from(self.rng.next_u64()));
                if let Some(room) = self
                    .sim_state
                    .disk
                    .room_models()
                    .keys()
                    .next_back()
                    .copied()
                {
                    self.sim_state.trace.count("guessed tokens");
                    self.send(RequestBody::Session(SessionRequest::Resume {
                        room,
                        token: Some(token),
                        seq: None,
                    }));
                }
            }
            (None, _) => self.send(RequestBody::Session(SessionRequest::List)),
            (Some(_), 0) => self.send(RequestBody::Session(SessionRequest::Leave)),
            (Some(_), 1) => self.send(RequestBody::Command(RoomCommand::Resign)),
            (Some(_), _) => {}
        }
    }

    fn on_response(&mut self, id: RequestId) -> bool {
        self.ledger.record_response(id);
        self.pending_request
            .take_if(|pending| *pending == id)
            .is_some()
    }

    fn on_message(&mut self, message: Message) {
        match message {
            Message::Welcome { .. }
            | Message::Announcement { .. }
            | Message::Restarting { .. }
            | Message::Lobby { .. }
            | Message::LobbyChanged { .. }
            | Message::Games { .. }
            | Message::Game { .. }
            | Message::Profile { .. }
            | Message::Notice { .. } => {}
            Message::Done { re, .. } => {
                self.on_response(re);
                self.watching = None;
            }
            Message::Reject { re, reject } => {
                if re.is_some_and(|re| self.on_response(re))
                    && reject.code == RejectCode::NotAPlayer
                {
                    self.sim_state.trace.count("spectators rejected");
                }
                #[expect(
                    clippy::wildcard_enum_match_arm,
                    reason = "every other refusal is a failure"
                )]
                match reject.code {
                    RejectCode::UnknownRoom | RejectCode::NotInRoom => self.watching = None,
                    // The request may be repeated.
                    RejectCode::NotAPlayer
                    | RejectCode::Busy
                    | RejectCode::Unavailable
                    | RejectCode::Draining
                    | RejectCode::RoomFull => {}
                    code => self.report_violation(format_args!("rejected: {code}")),
                }
            }
            Message::Rooms { re, rooms, .. } => {
                self.on_response(re);
                if !rooms.is_empty() && self.watching.is_none() {
                    let room = self.rng.choose(&rooms).room;
                    self.send(RequestBody::Session(SessionRequest::Watch {
                        room: RoomRef::Id(room),
                        remarks: false,
                    }));
                }
            }
            Message::Snapshot {
                re,
                room,
                role,
                state,
            } => {
                re.map(|re| self.on_response(re));
                if role.seat.is_some() || role.token.is_some() || role.code.is_some() {
                    self.report_violation(format_args!("a spectator received {role:?}"));
                }
                let Ok(game) = Game::from_snapshot(&state) else {
                    return;
                };
                self.sim_state.trace.count("snapshots of spectators");
                self.watching =
                    Some((room, game)).filter(|(_, game)| game.phase() != Phase::Closed);
            }
            Message::Events { room, events, .. } => {
                for event in events {
                    let Some((_, game)) =
                        self.watching.as_mut().filter(|(known, _)| *known == room)
                    else {
                        return self.report_violation(format_args!(
                            "received an event of room {room}, which it does not watch"
                        ));
                    };
                    if let Err(error) = game.apply(&event) {
                        return self.report_violation(format_args!("{error}: {event:?}"));
                    }
                    if matches!(event.event, Event::Closed { .. }) {
                        self.watching = None;
                    }
                }
            }
        }
    }
}
