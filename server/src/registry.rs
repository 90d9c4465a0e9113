//! Where open rooms are found: by id, by code, and in the list of the public ones.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use noughts_protocol::wire::{Listing, RejectCode};
use noughts_protocol::{Code, RoomId, RoomRef};

use crate::room::handle::RoomHandle;

/// The most rooms in one list.
pub const MAX_LISTED: usize = 50;

/// The open rooms. Its lock is held for a look-up at a time, and never across an await.
#[derive(Debug)]
pub struct Registry {
    open: Mutex<Open>,
    max_rooms: usize,
}

#[derive(Debug, Default)]
struct Open {
    rooms: HashMap<RoomId, Entry>,
    codes: HashMap<Code, RoomId>,
    /// Public rooms in the order in which they were opened.
    public: BTreeMap<u64, RoomId>,
    opened: u64,
}

#[derive(Debug)]
struct Entry {
    handle: RoomHandle,
    /// The key under which a public room is listed.
    listed: Option<u64>,
}

impl Registry {
    /// With room for `max_rooms`.
    pub fn new(max_rooms: usize) -> Registry {
        Registry { open: Mutex::default(), max_rooms }
    }

    /// Nothing panics while the lock is held.
    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a room findable.
    ///
    /// # Errors
    /// `server_full`, or `busy` when the id or the code is in use: draw others.
    pub fn insert(&self, handle: RoomHandle, code: Option<Code>, public: bool) -> Result<(), RejectCode> {
        if self.len() >= self.max_rooms {
            return Err(RejectCode::ServerFull);
        }
        self.restore(handle, code, public)
    }

    /// Makes a room of an earlier run findable, however many there are: a limit that was lowered
    /// takes nobody's game away.
    ///
    /// # Errors
    /// `busy` when the id or the code is in use.
    pub fn restore(&self, handle: RoomHandle, code: Option<Code>, public: bool) -> Result<(), RejectCode> {
        let mut open = self.open();
        let id = handle.id();
        if open.rooms.contains_key(&id) || code.is_some_and(|code| open.codes.contains_key(&code)) {
            return Err(RejectCode::Busy);
        }
        open.opened += 1;
        let listed = public.then_some(open.opened);
        if let Some(key) = listed {
            open.public.insert(key, id);
        }
        if let Some(code) = code {
            open.codes.insert(code, id);
        }
        open.rooms.insert(id, Entry { handle, listed });
        Ok(())
    }

    /// Forgets a room.
    pub fn remove(&self, room: RoomId, code: Option<Code>) {
        let mut open = self.open();
        if let Some(Entry { listed: Some(key), .. }) = open.rooms.remove(&room) {
            open.public.remove(&key);
        }
        if let Some(code) = code {
            open.codes.remove(&code);
        }
    }

    /// The room that anyone may enter who knows this much of it: a public one by its id, a private
    /// one by its code only.
    pub fn find(&self, room: RoomRef) -> Option<RoomHandle> {
        let open = self.open();
        let id = match room {
            RoomRef::Id(id) => open.rooms.get(&id)?.listed.map(|_| id)?,
            RoomRef::Code(code) => *open.codes.get(&code)?,
        };
        open.rooms.get(&id).map(|entry| entry.handle.clone())
    }

    /// The room of this id, for who has a token to show there.
    pub fn get(&self, room: RoomId) -> Option<RoomHandle> {
        self.open().rooms.get(&room).map(|entry| entry.handle.clone())
    }

    /// How many rooms are open.
    pub fn len(&self) -> usize {
        self.open().rooms.len()
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The newest public rooms.
    pub fn list(&self) -> Vec<Listing> {
        let handles: Vec<RoomHandle> = {
            let open = self.open();
            let newest = open.public.values().rev().take(MAX_LISTED);
            newest.filter_map(|id| open.rooms.get(id)).map(|entry| entry.handle.clone()).collect()
        };
        handles.iter().filter_map(RoomHandle::listing).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::room::handle::handle;

    fn room(bits: u64) -> RoomHandle {
        handle(RoomId::from_bits(bits), 1).0
    }

    #[test]
    fn a_private_room_is_found_by_its_code_alone() {
        let registry = Registry::new(10);
        let (id, code) = (RoomId::from_bits(1), Code::from_bits(9));
        registry.insert(room(1), Some(code), false).unwrap();
        assert!(registry.find(RoomRef::Id(id)).is_none());
        assert!(registry.find(RoomRef::Code(code)).is_some());
        assert!(registry.find(RoomRef::Code(Code::from_bits(8))).is_none());
        assert!(registry.get(id).is_some());
        registry.remove(id, Some(code));
        assert!(registry.find(RoomRef::Code(code)).is_none());
        assert!(registry.is_empty());
    }

    #[test]
    fn names_are_unique_and_their_number_limited() {
        let registry = Registry::new(2);
        registry.insert(room(1), Some(Code::from_bits(1)), false).unwrap();
        assert_eq!(registry.insert(room(1), None, true), Err(RejectCode::Busy));
        assert_eq!(registry.insert(room(2), Some(Code::from_bits(1)), false), Err(RejectCode::Busy));
        registry.insert(room(2), None, true).unwrap();
        assert_eq!(registry.insert(room(3), None, true), Err(RejectCode::ServerFull));
        registry.remove(RoomId::from_bits(2), None);
        registry.insert(room(3), None, true).unwrap();
        assert_eq!(registry.open().public.len(), 1);
    }
}
