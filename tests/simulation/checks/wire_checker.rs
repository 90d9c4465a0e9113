//! Parses all messages of the server on one connection and compares them with the disk. Each event is durable when the
//! server sends it, in order, and equal for all clients.

use std::collections::BTreeMap;
use std::sync::Arc;

use noughts_protocol::wire::Message;
use noughts_protocol::{EventRecord, Game, RequestId, RoomId, Seq, Snapshot};
use noughts_tests::client::frame::take_server_frame;
use noughts_tests::client::raw_websocket::{CLOSE, PING, PONG, TEXT};

use crate::checks::room_log_model::untimed_view;
use crate::plan::SimMachine;
use crate::sim_state::{RoomStay, SimState};

/// Checker of one connection.
pub(crate) struct WireChecker {
    sim_state: Arc<SimState>,
    actor: &'static str,
    connection_number: usize,
    buffer: Vec<u8>,
    upgraded: bool,
    /// Room of the connection, and the number of the last event sent.
    room: Option<(RoomId, Option<Seq>)>,
    /// Last event of each room that any client had received when this connection began. The state in each response must
    /// contain this event.
    known_at_start: BTreeMap<RoomId, Seq>,
}

impl WireChecker {
    pub(crate) fn new(
        sim_state: Arc<SimState>,
        actor: &'static str,
        machine: SimMachine,
    ) -> WireChecker {
        let connection_number = sim_state.add_connection(actor, machine);
        sim_state.record(actor, format_args!("connection {connection_number}"));
        let known_at_start = sim_state.received_seqs();
        WireChecker {
            sim_state,
            actor,
            connection_number,
            buffer: Vec::new(),
            upgraded: false,
            room: None,
            known_at_start,
        }
    }

    /// Checks received bytes.
    pub(crate) fn on_bytes(&mut self, bytes: &[u8]) {
        self.sim_state.trace.record_receive(self.actor);
        let now = self.sim_state.trace.now();
        self.sim_state
            .with_connection(self.connection_number, |connection| {
                connection.last_received = now;
            });
        self.buffer.extend_from_slice(bytes);
        if !self.upgraded {
            let Some(end) = self
                .buffer
                .windows(4)
                .position(|window| window == b"\r\n\r\n")
            else {
                return;
            };
            self.buffer.drain(..end + 4);
            self.upgraded = true;
        }
        while let Some((first_byte, payload)) = take_server_frame(&mut self.buffer) {
            match first_byte {
                TEXT => self.check_text(&String::from_utf8_lossy(&payload)),
                CLOSE => {
                    let code = payload.first_chunk().map(|code| u16::from_be_bytes(*code));
                    self.sim_state.record(
                        self.actor,
                        format_args!("connection {}: close {code:?}", self.connection_number),
                    );
                    self.sim_state
                        .with_connection(self.connection_number, |connection| {
                            connection.closed = code;
                        });
                }
                PING | PONG => {}
                other => self.report_violation(&format!("unexpected frame {other:#04x}")),
            }
        }
    }

    /// Records the end of the stream.
    pub(crate) fn on_end(&mut self) {
        self.sim_state
            .with_connection(self.connection_number, |connection| connection.ended = true);
    }

    fn report_violation(&self, what: &str) {
        self.sim_state.record_violation(
            self.actor,
            format_args!("connection {}: {what}", self.connection_number),
        );
    }

    fn check_text(&mut self, text: &str) {
        self.sim_state.record(
            self.actor,
            format_args!("connection {}: {text}", self.connection_number),
        );
        self.sim_state
            .with_connection(self.connection_number, |connection| {
                connection.text.push_str(text);
                connection.text.push('\n');
            });
        match Message::parse(text) {
            Err(error) => self.report_violation(&format!("invalid message: {error}")),
            Ok(Message::Welcome { .. }) => {
                self.sim_state
                    .with_connection(self.connection_number, |connection| {
                        connection.welcomed = true;
                    });
            }
            Ok(Message::Restarting { .. }) => {
                self.sim_state
                    .with_connection(self.connection_number, |connection| {
                        connection.restarting = true;
                    });
            }
            Ok(Message::Snapshot { room, state, .. }) => self.check_snapshot(room, &state),
            Ok(Message::Events { re, room, events }) => self.check_events(re, room, &events),
            Ok(
                Message::Done { .. }
                | Message::Announcement { .. }
                | Message::Reject { .. }
                | Message::Notice { .. }
                | Message::Rooms { .. }
                | Message::Lobby { .. }
                | Message::LobbyChanged { .. }
                | Message::Games { .. }
                | Message::Game { .. }
                | Message::Profile { .. },
            ) => {}
        }
    }

    /// Checks that the state of a response contains all events that were received before its connection began.
    fn check_recency(&self, room: RoomId, seq: Seq) {
        if let Some(known) = self.known_at_start.get(&room).filter(|known| **known > seq) {
            self.report_violation(&format!(
                "response with the state of room {room} after event {seq}, though {known} was received before"
            ));
        }
    }

    fn check_snapshot(&mut self, room: RoomId, state: &Snapshot) {
        self.check_recency(room, state.seq);
        match Game::from_snapshot(state) {
            Err(error) => self.report_violation(&format!("inconsistent snapshot: {error}")),
            Ok(game) => {
                let durable = self
                    .sim_state
                    .disk
                    .room_models()
                    .get(&room)
                    .and_then(|known| known.view_at(state.seq).cloned());
                if durable.as_ref() != Some(&untimed_view(&game)) {
                    self.report_violation(&format!(
                        "received {state:?}, but the log has {durable:?}"
                    ));
                }
            }
        }
        match self.room {
            Some((known, Some(last))) if known == room && state.seq < last => {
                self.report_violation(&format!("moved back from {last} to {}", state.seq));
            }
            // The connection is in the room. If it has seen no state of the room yet, its stay begins with this
            // snapshot.
            Some((known, _)) if known == room => {
                self.sim_state
                    .with_connection(self.connection_number, |connection| {
                        if let Some(stay) = connection.stays.last_mut() {
                            stay.from.get_or_insert(state.seq);
                        }
                    });
            }
            Some(_) | None => self.enter_room(room, Some(state.seq)),
        }
        self.advance_to(room, state.seq);
    }

    fn check_events(&mut self, re: Option<RequestId>, room: RoomId, events: &[EventRecord]) {
        match self.room {
            Some((known, _)) if known == room => {}
            // Only the response to a resume may omit the snapshot.
            Some(_) | None => {
                if re.is_none() {
                    self.report_violation(&format!("events of room {room}, which it is not in"));
                }
                let before = events.first().map(|first| Seq::new(first.seq.get() - 1));
                self.enter_room(room, events.last().map(|last| last.seq).or(before));
            }
        }
        if let Some(last) = events.last().filter(|_| re.is_some()) {
            self.check_recency(room, last.seq);
        }
        for event in events {
            match self.room {
                Some((_, Some(last))) if re.is_none() && event.seq != last.next() => {
                    self.report_violation(&format!("event {} came after {last}", event.seq));
                }
                Some(_) | None => {}
            }
            let durable = self
                .sim_state
                .disk
                .room_models()
                .get(&room)
                .and_then(|known| known.event(event.seq).cloned());
            if durable.as_ref() != Some(event) {
                self.report_violation(&format!("received {event:?}, but the log has {durable:?}"));
            }
            self.sim_state.trace.count("events received");
            self.advance_to(room, event.seq);
        }
    }

    fn enter_room(&mut self, room: RoomId, from: Option<Seq>) {
        self.room = Some((room, from));
        self.sim_state.trace.record_entry(self.actor, room);
        self.sim_state
            .with_connection(self.connection_number, |connection| {
                connection.stays.push(RoomStay {
                    room,
                    from,
                    to: from,
                });
            });
    }

    fn advance_to(&mut self, room: RoomId, seq: Seq) {
        self.room = Some((room, Some(seq)));
        self.sim_state.record_received(room, seq);
        self.sim_state
            .with_connection(self.connection_number, |connection| {
                if let Some(stay) = connection.stays.last_mut() {
                    stay.from
                        .get_or_insert(Seq::new(seq.get().saturating_sub(1)));
                    stay.to = Some(stay.to.map_or(seq, |to| to.max(seq)));
                }
            });
    }
}

impl Drop for WireChecker {
    fn drop(&mut self) {
        self.sim_state
            .with_connection(self.connection_number, |connection| {
                connection.dropped = true;
            });
    }
}
