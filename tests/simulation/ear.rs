//! Listens to what the server says on one connection, byte by byte, and holds it against the disk: whatever
//! anybody is told is durable at that moment, in its place and the same for all.

use std::sync::Arc;

use noughts_protocol::wire::Message;
use noughts_protocol::{Game, RequestId, RoomId, Seq, Snapshot, Stamped};

use crate::chronicle::view;
use crate::plan::Place;
use crate::world::{Stay, World};

/// Opcodes of RFC 6455 that a server sends, whole and without a mask.
const TEXT: u8 = 0x81;
const CLOSE: u8 = 0x88;
const PING: u8 = 0x89;
const PONG: u8 = 0x8A;

/// The ear on one line.
pub(crate) struct Ear {
    world: Arc<World>,
    who: &'static str,
    number: usize,
    read: Vec<u8>,
    upgraded: bool,
    /// The room that the connection is in, and the last event that it was sent.
    room: Option<(RoomId, Option<Seq>)>,
}

impl Ear {
    pub(crate) fn new(world: Arc<World>, who: &'static str, place: Place) -> Ear {
        let number = world.new_line(who, place);
        world.note(who, format_args!("line {number}"));
        Ear { world, who, number, read: Vec::new(), upgraded: false, room: None }
    }

    /// Takes in what has just been read.
    pub(crate) fn hear(&mut self, bytes: &[u8]) {
        self.world.notes.heard(self.who);
        let now = self.world.notes.now();
        self.world.line(self.number, |line| line.heard = now);
        self.read.extend_from_slice(bytes);
        if !self.upgraded {
            let Some(end) = self.read.windows(4).position(|window| window == b"\r\n\r\n") else { return };
            self.read.drain(..end + 4);
            self.upgraded = true;
        }
        while let Some((opcode, payload)) = self.frame() {
            match opcode {
                TEXT => self.text(&String::from_utf8_lossy(&payload)),
                CLOSE => {
                    let code = payload.first_chunk().map(|code| u16::from_be_bytes(*code));
                    self.world.note(self.who, format_args!("line {}: close {code:?}", self.number));
                    self.world.line(self.number, |line| line.closed = code);
                }
                PING | PONG => {}
                other => self.breach(&format!("a frame that begins with {other:#x}")),
            }
        }
    }

    /// The line has ended, from the other side.
    pub(crate) fn end(&mut self) {
        self.world.line(self.number, |line| line.ended = true);
    }

    fn frame(&mut self) -> Option<(u8, Vec<u8>)> {
        let (&[opcode, short], _) = self.read.split_first_chunk()?;
        let (head, length) = match short {
            127 => (10, u64::from_be_bytes(*self.read.get(2..10)?.first_chunk()?) as usize),
            126 => (4, usize::from(u16::from_be_bytes(*self.read.get(2..4)?.first_chunk()?))),
            length => (2, usize::from(length)),
        };
        if self.read.len() < head + length {
            return None;
        }
        let payload = self.read[head..head + length].to_vec();
        self.read.drain(..head + length);
        Some((opcode, payload))
    }

    fn breach(&self, what: &str) {
        self.world.breach(self.who, format_args!("line {}: {what}", self.number));
    }

    fn text(&mut self, text: &str) {
        self.world.note(self.who, format_args!("line {}: {text}", self.number));
        self.world.line(self.number, |line| {
            line.text.push_str(text);
            line.text.push('\n');
        });
        match Message::parse(text) {
            Err(error) => self.breach(&format!("no message: {error}")),
            Ok(Message::Welcome { .. }) => self.world.line(self.number, |line| line.welcomed = true),
            Ok(Message::Restarting { .. }) => self.world.line(self.number, |line| line.restarting = true),
            Ok(Message::Snapshot { room, state, .. }) => self.snapshot(room, &state),
            Ok(Message::Events { re, room, events }) => self.events(re, room, &events),
            Ok(
                Message::Done { .. }
                | Message::Reject { .. }
                | Message::Notice { .. }
                | Message::Rooms { .. },
            ) => {}
        }
    }

    fn snapshot(&mut self, room: RoomId, state: &Snapshot) {
        match Game::from_snapshot(state) {
            Err(error) => self.breach(&format!("a snapshot that does not hold together: {error}")),
            Ok(game) => {
                let durable =
                    self.world.disk.rooms().get(&room).and_then(|known| known.view(state.seq).cloned());
                if durable.as_ref() != Some(&view(&game)) {
                    self.breach(&format!("was shown {state:?}, but the log has {durable:?}"));
                }
            }
        }
        match self.room {
            Some((known, Some(last))) if known == room && state.seq < last => {
                self.breach(&format!("set back from {last} to {}", state.seq));
            }
            // Who was in the room and was told nothing yet knows what this view contains from the view.
            Some((known, _)) if known == room => self.world.line(self.number, |line| {
                if let Some(stay) = line.stays.last_mut() {
                    stay.from.get_or_insert(state.seq);
                }
            }),
            Some(_) | None => self.enters(room, Some(state.seq)),
        }
        self.reaches(room, state.seq);
    }

    fn events(&mut self, re: Option<RequestId>, room: RoomId, events: &[Stamped]) {
        match self.room {
            Some((known, _)) if known == room => {}
            // Only an answer to a resume lets a connection in without a whole view.
            Some(_) | None => {
                if re.is_none() {
                    self.breach(&format!("events of room {room}, which it is not in"));
                }
                let before = events.first().map(|first| Seq::new(first.seq.get() - 1));
                self.enters(room, events.last().map(|last| last.seq).or(before));
            }
        }
        for event in events {
            match self.room {
                Some((_, Some(last))) if re.is_none() && event.seq != last.next() => {
                    self.breach(&format!("event {} came after {last}", event.seq));
                }
                Some(_) | None => {}
            }
            let durable =
                self.world.disk.rooms().get(&room).and_then(|known| known.event(event.seq).cloned());
            if durable.as_ref() != Some(event) {
                self.breach(&format!("was told {event:?}, but the log has {durable:?}"));
            }
            self.world.notes.count("events told");
            self.reaches(room, event.seq);
        }
    }

    fn enters(&mut self, room: RoomId, from: Option<Seq>) {
        self.room = Some((room, from));
        self.world.notes.entered(self.who, room);
        self.world.line(self.number, |line| line.stays.push(Stay { room, from, to: from }));
    }

    fn reaches(&mut self, room: RoomId, seq: Seq) {
        self.room = Some((room, Some(seq)));
        self.world.line(self.number, |line| {
            if let Some(stay) = line.stays.last_mut() {
                stay.from.get_or_insert(Seq::new(seq.get().saturating_sub(1)));
                stay.to = Some(stay.to.map_or(seq, |to| to.max(seq)));
            }
        });
    }
}

impl Drop for Ear {
    fn drop(&mut self) {
        self.world.line(self.number, |line| line.dropped = true);
    }
}
