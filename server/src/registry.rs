//! Where open rooms are found: by id, by code, in the list of the public ones, and by who has a seat.

use std::collections::{BTreeMap, HashMap};
use std::num::NonZeroU64;
use std::sync::{Mutex, MutexGuard, PoisonError};

use noughts_protocol::wire::{Held, Listing, RejectCode};
use noughts_protocol::{Code, Party, ResumeToken, RoomId, RoomRef};
use subtle::ConstantTimeEq;

use crate::fault::{Fault, Faults};
use crate::log::Founding;
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
    public: BTreeMap<NonZeroU64, RoomId>,
    opened: u64,
    /// The seat that each party took last and has not left.
    seats: HashMap<Party, Held>,
}

#[derive(Debug)]
struct Entry {
    handle: RoomHandle,
    /// The key under which a public room is listed.
    listed: Option<NonZeroU64>,
    /// The rights to its seats, and who has them.
    tokens: [ResumeToken; 2],
    parties: [Option<Party>; 2],
}

impl Entry {
    /// Which of its tokens this is. No stranger's guess comes so far.
    fn place_of(&self, token: ResumeToken) -> Option<usize> {
        self.tokens.iter().position(|known| known.to_bytes() == token.to_bytes())
    }
}

impl Open {
    fn insert(&mut self, handle: RoomHandle, founding: &Founding, public: bool) -> Result<(), RejectCode> {
        let Founding { room: id, code, tokens, parties: _ } = *founding;
        if self.rooms.contains_key(&id) || code.is_some_and(|code| self.codes.contains_key(&code)) {
            return Err(RejectCode::Busy);
        }
        self.opened += 1;
        let listed = NonZeroU64::new(self.opened).filter(|_| public);
        if let Some(key) = listed {
            self.public.insert(key, id);
        }
        if let Some(code) = code {
            self.codes.insert(code, id);
        }
        self.rooms.insert(id, Entry { handle, listed, tokens, parties: [None; 2] });
        Ok(())
    }

    fn remove(&mut self, room: RoomId, code: Option<Code>) {
        if let Some(entry) = self.rooms.remove(&room) {
            if let Some(key) = entry.listed {
                self.public.remove(&key);
            }
            for party in entry.parties.into_iter().flatten() {
                self.let_go(party, room);
            }
        }
        if let Some(code) = code {
            self.codes.remove(&code);
        }
    }

    /// Gives a seat to somebody else, or to nobody.
    fn give(&mut self, held: Held, party: Option<Party>) {
        let Some(entry) = self.rooms.get_mut(&held.room) else { return };
        let Some(place) = entry.place_of(held.token) else { return };
        if let Some(before) = std::mem::replace(&mut entry.parties[place], party) {
            self.let_go(before, held.room);
        }
        if let Some(party) = party {
            self.seats.insert(party, held);
        }
    }

    /// A party may have taken another seat since.
    fn let_go(&mut self, party: Party, room: RoomId) {
        if self.seats.get(&party).is_some_and(|held| held.room == room) {
            self.seats.remove(&party);
        }
    }
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
    pub fn insert(&self, handle: RoomHandle, founding: &Founding, public: bool) -> Result<(), RejectCode> {
        let mut open = self.open();
        if open.rooms.len() >= self.max_rooms {
            return Err(RejectCode::ServerFull);
        }
        open.insert(handle, founding, public)
    }

    /// Makes a room of an earlier run findable, however many there are: a limit that was lowered
    /// takes nobody's game away.
    ///
    /// # Errors
    /// `busy` when the id or the code is in use.
    pub fn restore(&self, handle: RoomHandle, founding: &Founding, public: bool) -> Result<(), RejectCode> {
        self.open().insert(handle, founding, public)
    }

    /// Forgets a room.
    pub fn remove(&self, room: RoomId, code: Option<Code>) {
        self.open().remove(room, code);
    }

    /// A seat is this party's from here on, or nobody's that is known by a party: what who had it before is
    /// told no more.
    pub fn give(&self, held: Held, party: Option<Party>) {
        self.open().give(held, party);
    }

    /// The seat that a party took last, if it has not left it.
    pub fn seat_of(&self, party: Party) -> Option<Held> {
        self.open().seats.get(&party).copied()
    }

    /// The room that anyone may enter who knows this much of it: a public one by its id, a private
    /// one by its code only.
    pub fn find(&self, room: RoomRef) -> Option<RoomHandle> {
        let open = self.open();
        let id = match room {
            RoomRef::Id(id) => open.rooms.get(&id)?.listed.map(|_| id)?,
            RoomRef::Code(code) => *open.codes.get(&code)?,
        };
        open.rooms.get(&id).map(|entry| entry.handle.unseated())
    }

    /// The room of this id, for who shows the right to one of its seats.
    ///
    /// A room that is not there costs the same two comparisons as a wrong token, each in constant time: the
    /// answer's delay tells neither from the other, and nothing of a token.
    pub fn held(&self, room: RoomId, token: ResumeToken, faults: Faults) -> Option<RoomHandle> {
        let open = self.open();
        let entry = open.rooms.get(&room);
        let tokens = entry.map_or([ResumeToken::from_bits(0); 2], |entry| entry.tokens);
        let [x, o] = tokens.map(|right| right.to_bytes().ct_eq(&token.to_bytes()));
        let held = bool::from(x | o) | faults.has(Fault::TakeAnyToken);
        entry.filter(|_| held).map(|entry| entry.handle.clone())
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

    /// A room of this number, with the code, and with tokens that follow from the number.
    fn insert(registry: &Registry, room: u64, code: Option<u64>, public: bool) -> Result<(), RejectCode> {
        let (room, code) = (RoomId::from_bits(room), code.map(Code::from_bits));
        let tokens = [1, 2].map(|seat| token(room, seat));
        registry.insert(handle(room, 1).0, &Founding { room, code, tokens, parties: [None; 2] }, public)
    }

    fn token(room: RoomId, seat: u128) -> ResumeToken {
        ResumeToken::from_bits(u128::from(room.bits()) << 64 | seat)
    }

    #[test]
    fn a_private_room_is_found_by_its_code_alone() {
        let registry = Registry::new(10);
        let (id, code) = (RoomId::from_bits(1), Code::from_bits(9));
        insert(&registry, 1, Some(9), false).unwrap();
        assert!(registry.find(RoomRef::Id(id)).is_none());
        assert!(registry.find(RoomRef::Code(code)).is_some());
        assert!(registry.find(RoomRef::Code(Code::from_bits(8))).is_none());
        registry.remove(id, Some(code));
        assert!(registry.find(RoomRef::Code(code)).is_none());
        assert!(registry.is_empty());
    }

    #[test]
    fn a_room_is_held_by_its_own_two_tokens_alone() {
        let registry = Registry::new(10);
        insert(&registry, 1, Some(9), false).unwrap();
        insert(&registry, 2, None, true).unwrap();
        let [one, two, none] = [1, 2, 3].map(RoomId::from_bits);
        for (room, token, held) in [
            (one, token(one, 1), true),
            (one, token(one, 2), true),
            (one, token(one, 3), false),
            (one, token(two, 1), false),
            (two, token(two, 2), true),
            (none, token(one, 1), false),
            (none, ResumeToken::from_bits(0), false),
        ] {
            assert_eq!(registry.held(room, token, Faults::NONE).is_some(), held, "{room} {token}");
        }
    }

    #[test]
    fn a_party_has_the_seat_that_it_took_last_until_it_goes_or_the_room_does() {
        let registry = Registry::new(10);
        let [one, two] = [1, 2].map(RoomId::from_bits);
        let [ann, bob] = [1, 2].map(Party::from_bits);
        let held = |room, seat| Held { room, token: token(room, seat) };
        let seat_of = |party| registry.seat_of(party).map(|held| (held.room, held.token.to_bytes()));
        let is = |room, seat| Some((room, token(room, seat).to_bytes()));
        insert(&registry, 1, None, true).unwrap();
        insert(&registry, 2, None, true).unwrap();
        registry.give(held(one, 1), Some(ann));
        registry.give(held(one, 2), Some(bob));
        assert_eq!((seat_of(ann), seat_of(bob)), (is(one, 1), is(one, 2)));
        registry.give(held(two, 1), Some(ann));
        registry.give(held(one, 1), None);
        assert_eq!(seat_of(ann), is(two, 1), "the older seat is given up, and not this one");
        registry.give(held(two, 1), Some(bob));
        assert_eq!((seat_of(ann), seat_of(bob)), (None, is(two, 1)), "taken over");
        registry.give(held(one, 3), Some(ann));
        assert_eq!(seat_of(ann), None, "no seat of that room");
        registry.remove(one, None);
        assert_eq!(seat_of(bob), is(two, 1));
        registry.remove(two, None);
        assert!(registry.open().seats.is_empty());
    }

    #[test]
    fn names_are_unique_and_their_number_limited() {
        let registry = Registry::new(2);
        insert(&registry, 1, Some(1), false).unwrap();
        assert_eq!(insert(&registry, 1, None, true), Err(RejectCode::Busy));
        assert_eq!(insert(&registry, 2, Some(1), false), Err(RejectCode::Busy));
        insert(&registry, 2, None, true).unwrap();
        assert_eq!(insert(&registry, 3, None, true), Err(RejectCode::ServerFull));
        registry.remove(RoomId::from_bits(2), None);
        insert(&registry, 3, None, true).unwrap();
        assert_eq!(registry.open().public.len(), 1);
    }
}
