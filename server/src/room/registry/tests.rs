use noughts_protocol::{Phase, Seat};

use super::*;
use crate::room::handle::room_channel;

const NOW: u64 = 1_000_000;

/// Registers a room with an id and tokens that derive from `room`.
fn insert(
    registry: &Registry,
    room: u64,
    code: Option<u64>,
    public: bool,
) -> Result<(), RejectCode> {
    let (room, code) = (RoomId::from_bits(room), code.map(RoomCode::from_bits));
    let tokens = [1, 2].map(|seat| token(room, seat));
    registry.insert(
        room_channel(room, 1).0,
        &RoomSecrets {
            room,
            code,
            tokens,
            parties: [None; 2],
            left: [false; 2],
        },
        public,
        NOW,
    )
}

fn assert_full(registry: &Registry, room: u64) {
    let full = Err(RejectCode::ServerFull);
    assert_eq!(insert(registry, room, None, true), full, "{room}");
}

fn token(room: RoomId, seat: u128) -> ResumeToken {
    ResumeToken::from_bits(u128::from(room.bits()) << 64 | seat)
}

#[test]
fn a_private_room_is_found_by_its_code_only() {
    let registry = Registry::new(10);
    let (id, code) = (RoomId::from_bits(1), RoomCode::from_bits(9));
    insert(&registry, 1, Some(9), false).unwrap();
    assert!(registry.find(RoomRef::Id(id)).is_none());
    assert!(registry.find(RoomRef::Code(code)).is_some());
    assert!(
        registry
            .find(RoomRef::Code(RoomCode::from_bits(8)))
            .is_none()
    );
    registry.remove(id, Some(code));
    assert!(registry.find(RoomRef::Code(code)).is_none());
    assert!(registry.len() == 0);
}

#[test]
fn room_is_found_only_by_its_own_tokens() {
    let registry = Registry::new(10);
    insert(&registry, 1, Some(9), false).unwrap();
    insert(&registry, 2, None, true).unwrap();
    let [one, two, none] = [1, 2, 3].map(RoomId::from_bits);
    for (room, token, is_found) in [
        (one, token(one, 1), true),
        (one, token(one, 2), true),
        (one, token(one, 3), false),
        (one, token(two, 1), false),
        (two, token(two, 2), true),
        (none, token(one, 1), false),
        (none, ResumeToken::from_bits(0), false),
    ] {
        assert_eq!(
            registry.find_by_token(room, token).is_some(),
            is_found,
            "{room} {token}"
        );
    }
}

#[test]
fn party_keeps_its_latest_seat_until_it_or_the_room_leaves() {
    let registry = Registry::new(10);
    let [one, two] = [1, 2].map(RoomId::from_bits);
    let [ann, bob] = [1, 2].map(Party::from_bits);
    let grant = |room, seat| SeatGrant {
        room,
        token: token(room, seat),
    };
    let seat_of = |party| {
        registry
            .seat_of(party)
            .map(|held| (held.room, held.token.to_bytes()))
    };
    let expected = |room, seat| Some((room, token(room, seat).to_bytes()));
    insert(&registry, 1, None, true).unwrap();
    insert(&registry, 2, None, true).unwrap();
    let holder = |party| SeatHolder {
        party,
        identity: None,
    };
    registry.assign_seat(grant(one, 1), holder(Some(ann)), 0);
    registry.assign_seat(grant(one, 2), holder(Some(bob)), 0);
    assert_eq!(
        (seat_of(ann), seat_of(bob)),
        (expected(one, 1), expected(one, 2))
    );
    registry.assign_seat(grant(two, 1), holder(Some(ann)), 0);
    registry.assign_seat(grant(one, 1), holder(None), 0);
    assert_eq!(
        seat_of(ann),
        expected(two, 1),
        "giving up the older seat keeps the newer one"
    );
    registry.assign_seat(grant(two, 1), holder(Some(bob)), 0);
    assert_eq!(
        (seat_of(ann), seat_of(bob)),
        (None, expected(two, 1)),
        "taken over"
    );
    registry.assign_seat(grant(one, 3), holder(Some(ann)), 0);
    assert_eq!(seat_of(ann), None, "not a token of that room");
    registry.remove(one, None);
    assert_eq!(seat_of(bob), expected(two, 1));
    registry.remove(two, None);
    assert!(registry.lock().seats.is_empty());
}

#[test]
fn ids_and_codes_are_unique_and_rooms_are_limited() {
    let registry = Registry::new(2);
    insert(&registry, 1, Some(1), false).unwrap();
    assert_eq!(insert(&registry, 1, None, true), Err(RejectCode::Busy));
    assert_eq!(insert(&registry, 2, Some(1), false), Err(RejectCode::Busy));
    insert(&registry, 2, None, true).unwrap();
    assert_full(&registry, 3);
    registry.remove(RoomId::from_bits(2), None);
    insert(&registry, 3, None, true).unwrap();
    assert_eq!(registry.lock().public.len(), 1);
}

#[test]
fn vacant_rooms_give_way_in_order() {
    let registry = Registry::new(4);
    for room in 1..=4 {
        insert(&registry, room, None, true).unwrap();
    }
    let vacant = |room, has_progress, since| {
        registry.set_vacancy(
            RoomId::from_bits(room),
            Some(Vacancy {
                has_progress,
                since,
            }),
        );
    };
    let evicting = || {
        let mut rooms: Vec<u64> = registry
            .lock()
            .evicting
            .iter()
            .map(|room| room.bits())
            .collect();
        rooms.sort_unstable();
        rooms
    };
    vacant(1, true, 0);
    vacant(2, false, NOW - 2_000);
    vacant(3, false, NOW - 1_999);
    vacant(4, false, NOW - 999);
    assert_eq!(insert(&registry, 1, None, true), Err(RejectCode::Busy));
    insert(&registry, 5, None, true).unwrap();
    assert_eq!(evicting(), [2], "the longest without progress");
    registry.set_vacancy(RoomId::from_bits(3), None);
    insert(&registry, 6, None, true).unwrap();
    assert_eq!(
        evicting(),
        [1, 2],
        "one with progress, because the other has members again"
    );
    assert_full(&registry, 7);
    // One room closes, and a client has returned to a second room.
    registry.remove(RoomId::from_bits(2), None);
    assert_full(&registry, 7);
    registry.cancel_eviction(RoomId::from_bits(1));
    registry.remove(RoomId::from_bits(6), None);
    // The server has one room more than the maximum.
    assert_full(&registry, 7);
    registry.remove(RoomId::from_bits(5), None);
    insert(&registry, 7, None, true).unwrap();
    registry.remove(RoomId::from_bits(4), None);
    assert!(registry.lock().vacant.is_empty());
}

/// Registers a public room with this phase in its entry.
fn insert_listed(registry: &Registry, room: u64, phase: Phase) {
    let id = RoomId::from_bits(room);
    let (handle, _inbox) = room_channel(id, 1);
    *handle.listing_mut() = Some(crate::tests::listing(room, phase, 0));
    let tokens = [1, 2].map(|seat| token(id, seat));
    let secrets = RoomSecrets {
        room: id,
        code: None,
        tokens,
        parties: [None; 2],
        left: [false; 2],
    };
    registry.insert(handle, &secrets, true, NOW).unwrap();
}

fn listed_rooms(registry: &Registry) -> Vec<u64> {
    let listings = registry.list();
    listings.iter().map(|listing| listing.room.bits()).collect()
}

#[test]
fn rooms_that_wait_for_a_player_are_listed_first() {
    let registry = Registry::new(1000);
    insert_listed(&registry, 1, Phase::Waiting);
    insert_listed(&registry, 2, Phase::Waiting);
    for room in 3..103 {
        insert_listed(&registry, room, Phase::Playing);
    }
    let expected: Vec<u64> = [2, 1].into_iter().chain((55..103).rev()).collect();
    assert_eq!(listed_rooms(&registry), expected);
    // A room where a bot may take the seat of an absent player counts as a waiting room.
    let handle = registry.find(RoomRef::Id(RoomId::from_bits(3))).unwrap();
    handle.listing_mut().as_mut().unwrap().open_seat = Some(Seat::O);
    assert_eq!(listed_rooms(&registry)[..4], [3, 2, 1, 102]);
}

#[test]
fn waiting_rooms_leave_lines_for_the_games_that_can_be_watched() {
    let registry = Registry::new(1000);
    for room in 0..20 {
        insert_listed(&registry, room, Phase::Playing);
    }
    for room in 20..120 {
        insert_listed(&registry, room, Phase::Waiting);
    }
    let expected: Vec<u64> = (80..120).rev().chain((10..20).rev()).collect();
    assert_eq!(listed_rooms(&registry), expected);
}

#[test]
fn an_identity_finds_the_rooms_of_its_seats_until_it_leaves_them() {
    let registry = Registry::new(100);
    let [ann, bob] = [1, 2].map(|byte| Identity::from_bytes([byte; 16]));
    let hold = |room, seat, identity| {
        let grant = SeatGrant {
            room: RoomId::from_bits(room),
            token: token(RoomId::from_bits(room), seat),
        };
        let party = None;
        registry.assign_seat(grant, SeatHolder { party, identity }, 0);
    };
    let rooms_of = |identity| {
        let client = SeatHolder {
            party: None,
            identity: Some(identity),
        };
        let own_rooms = registry.known_seats(client).own_rooms;
        for room in &own_rooms {
            assert!(
                registry
                    .find_to_resume(*room, None, Some(identity))
                    .is_some()
            );
        }
        own_rooms.into_iter().map(RoomId::bits).collect::<Vec<_>>()
    };
    for room in 1..=20 {
        insert(&registry, room, None, false).unwrap();
    }
    hold(1, 1, Some(ann));
    hold(1, 2, Some(bob));
    hold(2, 1, Some(ann));
    assert_eq!((rooms_of(ann), rooms_of(bob)), (vec![1, 2], vec![1]));
    let one = RoomId::from_bits(1);
    assert!(registry.find_to_resume(one, None, None).is_none());
    let two = RoomId::from_bits(2);
    assert!(registry.find_to_resume(two, None, Some(bob)).is_none());
    // Ann has both seats, and leaves one of them.
    hold(1, 2, Some(ann));
    hold(1, 1, None);
    assert_eq!((rooms_of(ann), rooms_of(bob)), (vec![1, 2], vec![]));
    registry.remove(one, None);
    assert_eq!(rooms_of(ann), [2]);
    for room in 2..=20 {
        hold(room, 1, Some(ann));
    }
    assert_eq!(rooms_of(ann).len(), MAX_OWN_ROOMS);
    for room in 2..=20 {
        registry.remove(RoomId::from_bits(room), None);
    }
    assert!(registry.lock().own_rooms.is_empty());
}
