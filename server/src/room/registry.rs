//! Index of the open rooms: by id, by code, by seat token, party and identity, and in the public list.
//!
//! Holds handles only; it does not know the state of a room.
//!
//! [`UnavailableRooms`] are rooms of the log that do not run, although this server is responsible for them. A request
//! for such a room is rejected with `unavailable`: `unknown_room` would make its players give up their seats.
//!
//! [`RoomPlacement`] divides the rooms among the nodes of a cluster. A single server has all rooms.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt;
use std::num::NonZeroU64;
use std::sync::{Mutex, MutexGuard};

use noughts_protocol::wire::{MAX_OWN_ROOMS, RejectCode, RoomListing, SeatGrant};
use noughts_protocol::{Identity, Party, ResumeToken, RoomCode, RoomId, RoomRef};
use subtle::ConstantTimeEq;
use tokio_util::sync::CancellationToken;
use tokio_util::task::task_tracker::TaskTrackerToken;

use crate::limits::client_prefix::ClientPrefix;
use crate::room::handle::{self, RoomHandle, SeatHolder};
use crate::runtime::rng::ServerRng;
use crate::runtime::sync::lock;
use crate::store::RoomSecrets;

/// Maximum number of rooms in one list.
pub(crate) const MAX_LISTED_ROOMS: usize = 50;
/// Number of lines that a list reserves for rooms without a free seat, because waiting rooms must not hide the running
/// games.
const MIN_LISTED_OTHERS: usize = 10;
/// Maximum number of public rooms that are searched for rooms to join.
const MAX_SCANNED_ROOMS: usize = 1000;

/// The open rooms. The lock is held for one operation, never across an await.
#[derive(Debug)]
pub(crate) struct Registry {
    inner: Mutex<OpenRooms>,
    max_rooms: usize,
}

#[derive(Debug, Default)]
struct OpenRooms {
    rooms: HashMap<RoomId, RoomEntry>,
    codes: HashMap<RoomCode, RoomId>,
    /// Public rooms in the order of their creation.
    public: BTreeMap<NonZeroU64, RoomId>,
    opened_count: u64,
    /// Rooms without members. The first room is the first to give way to a new room.
    vacant: BTreeSet<(Vacancy, RoomId)>,
    /// Rooms that were asked to give way and have not closed.
    evicting: HashSet<RoomId>,
    /// Last seat that each party took and has not left.
    seats: HashMap<Party, PartySeat>,
    /// Rooms with a seat that each identity has taken and not left.
    own_rooms: BTreeSet<(Identity, RoomId)>,
    unavailable: UnavailableRooms,
}

/// A seat that a party took and has not left.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PartySeat {
    pub grant: SeatGrant,
    /// Server time when the party took the seat; after a restart, the time of the last event of the room.
    #[cfg_attr(
        not(feature = "cluster"),
        expect(dead_code, reason = "orders the seats of several nodes")
    )]
    pub since: u64,
}

/// The seats of a client, as the welcome reports them.
#[derive(Clone, Debug, Default)]
pub(crate) struct KnownSeats {
    /// The last seat that the party took and has not left.
    pub grant: Option<SeatGrant>,
    /// Rooms with a seat that the identity has taken and not left, at most [`MAX_OWN_ROOMS`].
    pub own_rooms: Vec<RoomId>,
}

/// A room without members. The room with the least vacancy is the first to give way to a new room.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Vacancy {
    /// Closing the room would lose a game with several moves, or a score.
    pub(crate) has_progress: bool,
    /// Server time when the room became vacant. After a restart, a grace time for the players is added.
    pub(crate) since: u64,
}

/// Time that clients have to return to a vacant room before it may give way, in milliseconds.
const VACANCY_MIN_MS: u64 = 1_000;

/// Like [`VACANCY_MIN_MS`], for a room with progress.
const VACANCY_WITH_PROGRESS_MIN_MS: u64 = 10_000;

impl Vacancy {
    fn gives_way_at(self) -> u64 {
        let grace = if self.has_progress {
            VACANCY_WITH_PROGRESS_MIN_MS
        } else {
            VACANCY_MIN_MS
        };
        self.since.saturating_add(grace)
    }
}

#[derive(Debug)]
struct RoomEntry {
    handle: RoomHandle,
    /// Key of a public room in `public`.
    list_key: Option<NonZeroU64>,
    /// Tokens of the seats, and the clients that hold them.
    tokens: [ResumeToken; 2],
    holders: [SeatHolder; 2],
    /// Key of a vacant room in `vacant`.
    vacancy: Option<Vacancy>,
}

impl RoomEntry {
    /// Returns the index of the seat with this token. Does not compare in constant time, because callers pass only
    /// tokens of the server itself.
    fn seat_index(&self, token: ResumeToken) -> Option<usize> {
        self.tokens
            .iter()
            .position(|known| known.to_bytes() == token.to_bytes())
    }
}

impl OpenRooms {
    fn insert(
        &mut self,
        handle: RoomHandle,
        secrets: &RoomSecrets,
        public: bool,
    ) -> Result<(), RejectCode> {
        let RoomSecrets {
            room: id,
            code,
            tokens,
            parties: _,
            left: _,
        } = *secrets;
        self.ensure_unused(secrets)?;
        self.unavailable.remove(id);
        self.opened_count += 1;
        let list_key = NonZeroU64::new(self.opened_count).filter(|_| public);
        if let Some(key) = list_key {
            self.public.insert(key, id);
        }
        if let Some(code) = code {
            self.codes.insert(code, id);
        }
        self.rooms.insert(
            id,
            RoomEntry {
                handle,
                list_key,
                tokens,
                holders: [SeatHolder::default(); 2],
                vacancy: None,
            },
        );
        Ok(())
    }

    fn ensure_unused(&self, secrets: &RoomSecrets) -> Result<(), RejectCode> {
        let is_code_used = secrets
            .code
            .is_some_and(|code| self.codes.contains_key(&code));
        if is_code_used || self.rooms.contains_key(&secrets.room) {
            Err(RejectCode::Busy)
        } else {
            Ok(())
        }
    }

    /// Checks that a new room does not replace a room of the log.
    fn ensure_not_stored(&self, secrets: &RoomSecrets) -> Result<(), RejectCode> {
        let has_code = |code| self.unavailable.find(RoomRef::Code(code)).is_some();
        let is_stored =
            self.unavailable.tokens(secrets.room).is_some() || secrets.code.is_some_and(has_code);
        if is_stored {
            Err(RejectCode::Busy)
        } else {
            Ok(())
        }
    }

    /// Returns the room that has to give way next, and records that it was asked to. Returns `None` if no room may give
    /// way at `now`.
    fn take_evictable(&mut self, now: u64) -> Option<RoomHandle> {
        let next = |has_progress: bool| {
            let first = (
                Vacancy {
                    has_progress,
                    since: 0,
                },
                RoomId::from_bits(0),
            );
            let next = self.vacant.range(first..).next().copied()?;
            (next.0.has_progress == has_progress && next.0.gives_way_at() <= now).then_some(next)
        };
        let (vacancy, room) = next(false).or_else(|| next(true))?;
        self.vacant.remove(&(vacancy, room));
        let entry = self.rooms.get_mut(&room)?;
        entry.vacancy = None;
        self.evicting.insert(room);
        Some(entry.handle.clone())
    }

    fn set_vacancy(&mut self, room: RoomId, vacancy: Option<Vacancy>) {
        let Some(entry) = self.rooms.get_mut(&room) else {
            return;
        };
        if let Some(earlier) = std::mem::replace(&mut entry.vacancy, vacancy) {
            self.vacant.remove(&(earlier, room));
        }
        if let Some(vacancy) = vacancy {
            self.vacant.insert((vacancy, room));
        }
    }

    /// Removes a room, and returns its tokens.
    fn remove(&mut self, room: RoomId, code: Option<RoomCode>) -> Option<[ResumeToken; 2]> {
        self.set_vacancy(room, None);
        self.evicting.remove(&room);
        let removed = self.rooms.remove(&room);
        if let Some(code) = code {
            self.codes.remove(&code);
        }
        removed.map(|entry| {
            if let Some(key) = entry.list_key {
                self.public.remove(&key);
            }
            for holder in entry.holders {
                self.release_seat(holder, room);
            }
            entry.tokens
        })
    }

    /// See [`Registry::assign_seat`].
    fn assign_seat(&mut self, grant: SeatGrant, holder: SeatHolder, since: u64) {
        let Some(entry) = self.rooms.get_mut(&grant.room) else {
            return;
        };
        let Some(index) = entry.seat_index(grant.token) else {
            return;
        };
        let previous = std::mem::replace(&mut entry.holders[index], holder);
        let other = entry.holders[1 - index];
        self.release_seat(previous, grant.room);
        if let Some(party) = holder.party {
            self.seats.insert(party, PartySeat { grant, since });
        }
        for identity in [other.identity, holder.identity].into_iter().flatten() {
            self.own_rooms.insert((identity, grant.room));
        }
    }

    /// Forgets the seat of a client in `room`, unless its party has taken a seat in another room.
    fn release_seat(&mut self, holder: SeatHolder, room: RoomId) {
        if let Some(party) = holder.party
            && self
                .seats
                .get(&party)
                .is_some_and(|held| held.grant.room == room)
        {
            self.seats.remove(&party);
        }
        if let Some(identity) = holder.identity {
            self.own_rooms.remove(&(identity, room));
        }
    }
}

impl Registry {
    /// Creates a registry for at most `max_rooms` rooms.
    pub(crate) fn new(max_rooms: usize) -> Registry {
        Registry {
            inner: Mutex::default(),
            max_rooms,
        }
    }

    fn lock(&self) -> MutexGuard<'_, OpenRooms> {
        lock(&self.inner)
    }

    /// Registers a new room at `now`. When the server is full, a room without members gives way. Until it has closed,
    /// the server has one room more than the maximum.
    ///
    /// # Errors
    /// `server_full`, or `busy` if the id or the code is in use. After `busy`, the caller generates a new id and code.
    pub(crate) fn insert(
        &self,
        handle: RoomHandle,
        secrets: &RoomSecrets,
        public: bool,
        now: u64,
    ) -> Result<(), RejectCode> {
        let mut inner = self.lock();
        inner.ensure_unused(secrets)?;
        inner.ensure_not_stored(secrets)?;
        let evicted = if inner.rooms.len() - inner.evicting.len() < self.max_rooms {
            None
        } else {
            Some(inner.take_evictable(now).ok_or(RejectCode::ServerFull)?)
        };
        inner.insert(handle, secrets, public)?;
        drop(inner);
        if let Some(evicted) = evicted {
            evicted.request_eviction();
        }
        Ok(())
    }

    /// Records that a room has no members, or that it has some.
    pub(crate) fn set_vacancy(&self, room: RoomId, vacancy: Option<Vacancy>) {
        self.lock().set_vacancy(room, vacancy);
    }

    /// Records that a room stays open although it was asked to give way.
    pub(crate) fn cancel_eviction(&self, room: RoomId) {
        self.lock().evicting.remove(&room);
    }

    /// Registers a room of an earlier run, and makes it available. Ignores the maximum, because lowering the maximum
    /// must not end games.
    ///
    /// # Errors
    /// `busy` if the id or the code is in use.
    pub(crate) fn restore(
        &self,
        handle: RoomHandle,
        secrets: &RoomSecrets,
        public: bool,
    ) -> Result<(), RejectCode> {
        self.lock().insert(handle, secrets, public)
    }

    /// Returns whether the id and the code of a room of an earlier run are not in use.
    #[cfg(feature = "cluster")]
    pub(crate) fn can_restore(&self, secrets: &RoomSecrets) -> bool {
        self.lock().ensure_unused(secrets).is_ok()
    }

    pub(crate) fn remove(&self, room: RoomId, code: Option<RoomCode>) {
        self.lock().remove(room, code);
    }

    /// Removes a room that the log keeps, and makes it unavailable.
    pub(crate) fn make_unavailable(&self, room: RoomId, code: Option<RoomCode>) {
        let mut inner = self.lock();
        if let Some(tokens) = inner.remove(room, code) {
            inner.unavailable.insert(room, code, tokens);
        }
    }

    /// Makes a room of the log that does not run unavailable. The room is then found, and rejects all requests.
    #[cfg(feature = "cluster")]
    pub(crate) fn add_unavailable(&self, secrets: &RoomSecrets) {
        self.lock()
            .unavailable
            .insert(secrets.room, secrets.code, secrets.tokens);
    }

    /// Forgets the unavailable rooms that `is_removed` selects, because the log has closed them or another server has
    /// them.
    #[cfg(feature = "cluster")]
    pub(crate) fn remove_unavailable(&self, is_removed: impl Fn(RoomId) -> bool) {
        self.lock().unavailable.remove_if(is_removed);
    }

    /// Returns the number of rooms of the log that do not run.
    pub(crate) fn unavailable_count(&self) -> usize {
        self.lock().unavailable.len()
    }

    /// Assigns a seat at server time `since` to a client. The previous holder loses it.
    pub(crate) fn assign_seat(&self, grant: SeatGrant, holder: SeatHolder, since: u64) {
        self.lock().assign_seat(grant, holder, since);
    }

    /// Replaces a token of a room: the previous holder of the seat loses access.
    pub(crate) fn replace_token(&self, room: RoomId, old: ResumeToken, new: ResumeToken) {
        let mut inner = self.lock();
        if let Some(entry) = inner.rooms.get_mut(&room)
            && let Some(index) = entry.seat_index(old)
        {
            entry.tokens[index] = new;
            let former = std::mem::take(&mut entry.holders[index]);
            inner.release_seat(former, room);
        }
    }

    /// Returns the last seat that a party took and has not left.
    pub(crate) fn seat_of(&self, party: Party) -> Option<SeatGrant> {
        self.party_seat(party).map(|held| held.grant)
    }

    /// Returns the last seat that a party took and has not left, with the time.
    pub(crate) fn party_seat(&self, party: Party) -> Option<PartySeat> {
        self.lock().seats.get(&party).copied()
    }

    /// Returns the seats of a client.
    pub(crate) fn known_seats(&self, client: SeatHolder) -> KnownSeats {
        let inner = self.lock();
        let held = client.party.and_then(|party| inner.seats.get(&party));
        let own_rooms = client.identity.map_or_else(Vec::new, |identity| {
            let first = (identity, RoomId::from_bits(0));
            let from_first = inner.own_rooms.range(first..);
            let own = from_first.take_while(|(holder, _)| *holder == identity);
            own.take(MAX_OWN_ROOMS).map(|(_, room)| *room).collect()
        });
        KnownSeats {
            grant: held.map(|held| held.grant),
            own_rooms,
        }
    }

    /// Returns the room of a seat by the token, or without one by the identity of the client.
    pub(crate) fn find_to_resume(
        &self,
        room: RoomId,
        token: Option<ResumeToken>,
        identity: Option<Identity>,
    ) -> Option<RoomHandle> {
        if let Some(token) = token {
            return self.find_by_token(room, token);
        }
        let inner = self.lock();
        let is_own = inner.own_rooms.contains(&(identity?, room));
        let entry = inner.rooms.get(&room).filter(|_| is_own)?;
        Some(entry.handle.clone())
    }

    /// Returns a public room by its id, or a private room by its code only.
    pub(crate) fn find(&self, room: RoomRef) -> Option<RoomHandle> {
        let inner = self.lock();
        let id = match room {
            RoomRef::Id(id) => inner
                .rooms
                .get(&id)
                .and_then(|entry| entry.list_key)
                .map(|_| id),
            RoomRef::Code(code) => inner.codes.get(&code).copied(),
        };
        let open = id
            .and_then(|id| inner.rooms.get(&id))
            .map(|entry| entry.handle.without_seat());
        open.or_else(|| inner.unavailable.find(room).map(handle::unavailable_room))
    }

    /// Returns the room with this id if `token` is the token of one of its seats.
    ///
    /// An unknown room costs the same two constant-time comparisons as a wrong token: the response time reveals neither
    /// the existence of a room nor a part of a token.
    pub(crate) fn find_by_token(&self, room: RoomId, token: ResumeToken) -> Option<RoomHandle> {
        let inner = self.lock();
        let entry = inner.rooms.get(&room);
        let known = entry
            .map(|entry| entry.tokens)
            .or_else(|| inner.unavailable.tokens(room));
        let tokens = known.unwrap_or([ResumeToken::from_bits(0); 2]);
        let [x, o] = tokens.map(|known| known.to_bytes().ct_eq(&token.to_bytes()));
        if !bool::from(x | o) || known.is_none() {
            return None;
        }
        Some(entry.map_or_else(
            || handle::unavailable_room(room),
            |entry| entry.handle.clone(),
        ))
    }

    pub(crate) fn len(&self) -> usize {
        self.lock().rooms.len()
    }

    /// Returns a room by its id, for the operator, also a private one.
    pub(crate) fn handle(&self, room: RoomId) -> Option<RoomHandle> {
        let inner = self.lock();
        let entry = inner.rooms.get(&room)?;
        Some(entry.handle.without_seat())
    }

    /// Returns all rooms, for the operator.
    pub(crate) fn handles(&self) -> Vec<RoomHandle> {
        let inner = self.lock();
        let entries = inner.rooms.values();
        entries.map(|entry| entry.handle.without_seat()).collect()
    }

    /// Lists public rooms. The list begins with the rooms that a player can join. The other rooms follow; some lines
    /// are reserved for them. Both parts begin with the newest room. A room that waits for its host is not listed.
    pub(crate) fn list(&self) -> Vec<RoomListing> {
        let (mut joinable, mut others) = (Vec::new(), Vec::new());
        {
            let inner = self.lock();
            let newest = inner.public.values().rev().take(MAX_SCANNED_ROOMS);
            for entry in newest.filter_map(|id| inner.rooms.get(id)) {
                let listed = match entry.handle.listed_as_joinable() {
                    None => continue,
                    Some(true) => &mut joinable,
                    Some(false) => &mut others,
                };
                if listed.len() < MAX_LISTED_ROOMS {
                    listed.push(entry.handle.clone());
                }
            }
        }
        limit_room_list(&mut joinable, &mut others);
        joinable
            .iter()
            .chain(&others)
            .filter_map(RoomHandle::listing)
            .collect()
    }
}

/// Shortens the two parts of a list of rooms, so that it has at most [`MAX_LISTED_ROOMS`] lines.
pub(crate) fn limit_room_list<T>(joinable: &mut Vec<T>, others: &mut Vec<T>) {
    joinable.truncate(MAX_LISTED_ROOMS - others.len().min(MIN_LISTED_OTHERS));
    others.truncate(MAX_LISTED_ROOMS - joinable.len());
}

#[derive(Debug, Default)]
struct UnavailableRooms {
    rooms: HashMap<RoomId, UnavailableRoom>,
    codes: HashMap<RoomCode, RoomId>,
}

#[derive(Debug)]
struct UnavailableRoom {
    /// The code of a private room.
    code: Option<RoomCode>,
    tokens: [ResumeToken; 2],
}

impl UnavailableRooms {
    fn insert(&mut self, room: RoomId, code: Option<RoomCode>, tokens: [ResumeToken; 2]) {
        self.remove(room);
        if let Some(code) = code {
            self.codes.insert(code, room);
        }
        self.rooms.insert(room, UnavailableRoom { code, tokens });
    }

    fn remove(&mut self, room: RoomId) {
        let removed = self.rooms.remove(&room).and_then(|removed| removed.code);
        if let Some(code) = removed.filter(|code| self.codes.get(code) == Some(&room)) {
            self.codes.remove(&code);
        }
    }

    #[cfg(feature = "cluster")]
    fn remove_if(&mut self, is_removed: impl Fn(RoomId) -> bool) {
        self.rooms.retain(|room, _| !is_removed(*room));
        self.codes.retain(|_, room| !is_removed(*room));
    }

    /// Finds a public room by its id, or a private room by its code only.
    fn find(&self, room: RoomRef) -> Option<RoomId> {
        match room {
            RoomRef::Id(id) => self
                .rooms
                .get(&id)
                .filter(|room| room.code.is_none())
                .map(|_| id),
            RoomRef::Code(code) => self.codes.get(&code).copied(),
        }
    }

    fn tokens(&self, room: RoomId) -> Option<[ResumeToken; 2]> {
        self.rooms.get(&room).map(|room| room.tokens)
    }

    fn len(&self) -> usize {
        self.rooms.len()
    }
}

/// Permission to run a room on this server. The server gives up a shard only after all permissions for its rooms were
/// dropped.
#[derive(Debug)]
pub(crate) struct RoomHold {
    stop: CancellationToken,
    _running: TaskTrackerToken,
}

impl RoomHold {
    #[cfg(feature = "cluster")]
    pub(crate) fn new(stop: CancellationToken, running: TaskTrackerToken) -> RoomHold {
        RoomHold {
            stop,
            _running: running,
        }
    }

    /// Returns a token that is cancelled when the room has to end on this server.
    pub(crate) fn stop(&self) -> CancellationToken {
        self.stop.clone()
    }
}

/// Placement of the rooms among servers.
pub(crate) trait RoomPlacement: Send + Sync + fmt::Debug + 'static {
    /// Draws the id of a room that this server may open, and its code if the room is private.
    ///
    /// # Errors
    /// `unavailable` if this server may open no room at present.
    fn draw_room(
        &self,
        rng: &ServerRng,
        is_private: bool,
    ) -> Result<(RoomId, Option<RoomCode>), RejectCode>;

    /// Permits a room to run on this server. `None` if it may not.
    fn hold(&self, room: RoomId) -> Option<RoomHold>;

    /// Returns the number of this server's claim to the shard of the key, if the rooms of the shard are open here.
    fn claim(&self, room: RoomRef) -> Option<u64>;

    /// Finds a room that is not open on this server. `None` if it is open nowhere.
    ///
    /// # Errors
    /// `unavailable` if the room may exist and cannot be reached.
    fn find_elsewhere(
        &self,
        room: RoomRef,
        client: ClientPrefix,
    ) -> Result<Option<RoomHandle>, RejectCode>;
}
