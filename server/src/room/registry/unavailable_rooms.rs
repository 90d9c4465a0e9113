//! Rooms of the log that do not run, although this server is responsible for them. A request for such a room is rejected
//! with `unavailable`: `unknown_room` would make its players give up their seats.

use std::collections::HashMap;

use noughts_protocol::{ResumeToken, RoomCode, RoomId, RoomRef};

#[derive(Debug, Default)]
pub(super) struct UnavailableRooms {
    rooms: HashMap<RoomId, UnavailableRoom>,
    codes: HashMap<RoomCode, RoomId>,
}

#[derive(Debug)]
struct UnavailableRoom {
    /// Present if the room is private.
    code: Option<RoomCode>,
    tokens: [ResumeToken; 2],
}

impl UnavailableRooms {
    pub(super) fn insert(
        &mut self,
        room: RoomId,
        code: Option<RoomCode>,
        tokens: [ResumeToken; 2],
    ) {
        self.remove(room);
        if let Some(code) = code {
            self.codes.insert(code, room);
        }
        self.rooms.insert(room, UnavailableRoom { code, tokens });
    }

    pub(super) fn remove(&mut self, room: RoomId) {
        let removed = self.rooms.remove(&room).and_then(|removed| removed.code);
        if let Some(code) = removed.filter(|code| self.codes.get(code) == Some(&room)) {
            self.codes.remove(&code);
        }
    }

    /// Removes the rooms for which `is_removed` is true.
    #[cfg(feature = "cluster")]
    pub(super) fn remove_if(&mut self, is_removed: impl Fn(RoomId) -> bool) {
        self.rooms.retain(|room, _| !is_removed(*room));
        self.codes.retain(|_, room| !is_removed(*room));
    }

    /// The id of a public room by its id, or of a private room by its code only.
    pub(super) fn find(&self, room: RoomRef) -> Option<RoomId> {
        match room {
            RoomRef::Id(id) => self
                .rooms
                .get(&id)
                .filter(|room| room.code.is_none())
                .map(|_| id),
            RoomRef::Code(code) => self.codes.get(&code).copied(),
        }
    }

    /// The tokens of the seats of a room.
    pub(super) fn tokens(&self, room: RoomId) -> Option<[ResumeToken; 2]> {
        self.rooms.get(&room).map(|room| room.tokens)
    }

    pub(super) fn len(&self) -> usize {
        self.rooms.len()
    }
}
