//! Tests of matchmaking with a clock that the test sets.

use noughts_protocol::PlayerKind;
use proptest::prelude::*;

use super::*;

fn seeker(member: u64, party: Option<PartyKey>) -> Seeker {
    Seeker {
        member: MemberId(member),
        player: Player {
            name: "Ann".parse().unwrap(),
            kind: PlayerKind::Human,
        },
        party,
        seat_room_at_hello: None,
        features: FeatureSet::default(),
    }
}

fn seek(member: u64, rules: &str, clock: Option<&str>, seat: Option<Seat>) -> Seek {
    Seek {
        seeker: seeker(member, None),
        since: 0,
        is_answer: false,
        rules: rules.parse().unwrap(),
        clock: clock.map(|clock| clock.parse().unwrap()),
        seat,
    }
}

fn enter<T>(lobby: &mut Lobby<T>, seek: Seek, contact: T, now: Instant) {
    lobby.seek(seek, contact, |_| true, now).unwrap();
}

/// Lets every pinged connection answer. Returns the pair that is then complete.
fn answer_pings<T>(lobby: &mut Lobby<T>, x_first: bool) -> Option<PairedSeeks<T>> {
    let mut pair = None;
    for (_, pairing) in lobby.take_pings() {
        let members: Vec<MemberId> = lobby
            .seeks
            .iter()
            .map(|waiting| waiting.seek.seeker.member)
            .collect();
        for member in members {
            pair = pair.or(lobby.on_pong(member, pairing, x_first, Instant::now()));
        }
    }
    pair
}

/// Returns the members of the pair that the last of `seeks` completes: X, then O.
fn check(seeks: &[Seek], x_first: bool) -> Option<[u64; 2]> {
    let mut lobby = Lobby::default();
    let mut pair = None;
    for seek in seeks {
        assert!(pair.is_none(), "paired early");
        enter(&mut lobby, seek.clone(), (), Instant::now());
        pair = answer_pings(&mut lobby, x_first);
    }
    pair.map(|pair| pair.map(|(seek, ())| seek.seeker.member.0))
}

#[test]
fn the_oldest_compatible_seek_is_paired_first() {
    let others = seek(1, "4x4:4", None, None);
    let first = seek(2, "3x3:3", None, Some(Seat::X));
    let second = seek(3, "3x3:3", None, Some(Seat::X));
    let third = seek(4, "3x3:3", None, None);
    assert_eq!(check(&[others, first, second, third], true), Some([2, 4]));
}

#[test]
fn incompatible_seeks_wait() {
    for (one, two) in [
        (seek(1, "3x3:3", None, None), seek(2, "4x4:4", None, None)),
        (
            seek(1, "3x3:3", None, None),
            seek(2, "3x3:3", Some("5+3"), None),
        ),
        (
            seek(1, "3x3:3", Some("5+0"), None),
            seek(2, "3x3:3", Some("5+3"), None),
        ),
        (
            seek(1, "3x3:3", None, Some(Seat::O)),
            seek(2, "3x3:3", None, Some(Seat::O)),
        ),
    ] {
        assert_eq!(check(&[one, two], true), None);
    }
}

#[test]
fn seats_are_as_requested_else_random() {
    let game = |one, two, x_first| {
        check(
            &[seek(1, "3x3:3", None, one), seek(2, "3x3:3", None, two)],
            x_first,
        )
    };
    for x_first in [true, false] {
        assert_eq!(game(Some(Seat::X), None, x_first), Some([1, 2]));
        assert_eq!(game(Some(Seat::O), None, x_first), Some([2, 1]));
        assert_eq!(game(None, Some(Seat::X), x_first), Some([2, 1]));
        assert_eq!(game(None, Some(Seat::O), x_first), Some([1, 2]));
        assert_eq!(game(Some(Seat::O), Some(Seat::X), x_first), Some([2, 1]));
    }
    assert_eq!(game(None, None, true), Some([1, 2]));
    assert_eq!(game(None, None, false), Some([2, 1]));
}

#[test]
fn a_connection_has_one_seek_and_is_not_paired_with_itself() {
    let (mut lobby, now) = (Lobby::default(), Instant::now());
    enter(&mut lobby, seek(1, "3x3:3", None, None), (), now);
    let again = lobby.seek(seek(1, "3x3:3", None, None), (), |()| true, now);
    assert_eq!(again, Err(RejectCode::AlreadySeeking));
    assert_eq!(lobby.cancel(MemberId(1), now), Ok(()));
    assert_eq!(lobby.cancel(MemberId(1), now), Err(RejectCode::NotSeeking));
    assert!(lobby.is_empty());
}

#[test]
fn a_party_is_not_paired_with_itself_over_two_connections() {
    let with_party = |member, party| Seek {
        seeker: seeker(member, party),
        ..seek(member, "3x3:3", None, None)
    };
    let [ann, bob] = [1, 2].map(|bits| Some(PartyKey::from_bits(bits)));
    assert_eq!(
        check(
            &[with_party(1, ann), with_party(2, ann), with_party(3, bob)],
            true
        ),
        Some([1, 3])
    );
    let (mut lobby, now) = (Lobby::default(), Instant::now());
    enter(&mut lobby, with_party(1, ann), "old", now);
    assert_eq!(
        lobby.remove_older_seek(PartyKey::from_bits(1), MemberId(1), now),
        None,
        "itself"
    );
    assert_eq!(
        lobby.remove_older_seek(PartyKey::from_bits(2), MemberId(2), now),
        None
    );
    assert_eq!(
        lobby.remove_older_seek(PartyKey::from_bits(1), MemberId(2), now),
        Some("old")
    );
    assert!(lobby.is_empty());
}

#[test]
fn disconnected_seeker_is_not_paired() {
    let (mut lobby, now) = (Lobby::default(), Instant::now());
    enter(&mut lobby, seek(1, "3x3:3", None, None), false, now);
    lobby
        .seek(
            seek(2, "3x3:3", None, None),
            true,
            |connected| *connected,
            now,
        )
        .unwrap();
    assert_eq!((lobby.take_pings().len(), lobby.len()), (0, 1));
}

/// Adds seeks for the same game, which connect in order.
fn lobby_of(members: &[u64], now: Instant) -> Lobby<u64> {
    let mut lobby = Lobby::default();
    for &member in members {
        enter(&mut lobby, seek(member, "3x3:3", None, None), member, now);
    }
    lobby
}

fn members(pair: Option<PairedSeeks<u64>>) -> Option<[u64; 2]> {
    pair.map(|pair| pair.map(|(_, member)| member))
}

/// Answers a ping, and returns the members of the pair that is then complete.
fn members_after_pong(
    lobby: &mut Lobby<u64>,
    member: u64,
    pairing: PairingId,
    now: Instant,
) -> Option<[u64; 2]> {
    members(lobby.on_pong(MemberId(member), pairing, true, now))
}

#[test]
fn a_silent_seek_is_passed_over_until_it_answers() {
    let now = Instant::now();
    let mut lobby = lobby_of(&[1, 2], now);
    let [(MemberId(1), first)] = lobby.take_pings()[..] else {
        panic!("the request of 2 shows that it is there")
    };
    assert_eq!(lobby.next_deadline(), Some(now + PAIRING_PONG_TIMEOUT));
    lobby.expire(now);
    assert!(lobby.list(9).is_empty(), "both are about to be paired");
    let later = now + PAIRING_PONG_TIMEOUT;
    lobby.expire(later);
    assert_eq!(
        (lobby.list(9).len(), lobby.len(), lobby.next_deadline()),
        (1, 2, None)
    );
    // The next seek is paired with the one that waits, not with the silent one.
    enter(&mut lobby, seek(3, "3x3:3", None, None), 3, later);
    let [(MemberId(2), second)] = lobby.take_pings()[..] else {
        panic!("2 waits")
    };
    assert_eq!(
        members_after_pong(&mut lobby, 2, first, later),
        None,
        "an earlier attempt"
    );
    assert_eq!(
        members_after_pong(&mut lobby, 2, second, later),
        Some([2, 3])
    );
    // A late answer.
    assert_eq!(members_after_pong(&mut lobby, 1, first, later), None);
    assert_eq!(lobby.list(9).len(), 1);
    enter(&mut lobby, seek(4, "3x3:3", None, None), 4, later);
    let [(MemberId(1), third)] = lobby.take_pings()[..] else {
        panic!("1 waits again")
    };
    assert_eq!(
        members_after_pong(&mut lobby, 1, third, later),
        Some([1, 4])
    );
    assert!(lobby.is_empty());
}

#[test]
fn the_partner_of_a_removed_seek_is_paired_with_the_next() {
    let now = Instant::now();
    for removal in 0..3 {
        let mut lobby = lobby_of(&[1, 2, 3], now);
        lobby.take_pings();
        match removal {
            0 => lobby.cancel(MemberId(1), now).unwrap(),
            1 => lobby.retain(|member| *member != 1, now),
            _ => lobby.expire(now + PAIRING_PONG_TIMEOUT),
        }
        // Both have waited.
        let pings = lobby.take_pings();
        let [(one, pairing), (other, _)] = pings[..] else {
            panic!("{pings:?}")
        };
        assert_eq!(one.min(other), MemberId(2));
        assert!(lobby.on_pong(MemberId(2), pairing, true, now).is_none());
        assert_eq!(
            members_after_pong(&mut lobby, 3, pairing, now),
            Some([2, 3])
        );
    }
}

#[test]
fn an_answer_is_paired_with_its_seek_alone() {
    let now = Instant::now();
    let mut lobby = lobby_of(&[1], now);
    enter(
        &mut lobby,
        seek(2, "4x4:4", Some("5+3"), Some(Seat::X)),
        2,
        now,
    );
    let [_, second] = lobby.list(9)[..]
        .iter()
        .map(|listed| listed.seek)
        .collect::<Vec<_>>()[..]
    else {
        panic!("two seeks")
    };
    let answer = |lobby: &mut Lobby<u64>, member, id| {
        lobby.answer(id, (seeker(member, None), 0), member, |_| true, now)
    };
    assert_eq!(
        answer(&mut lobby, 2, second),
        Err(RejectCode::AlreadySeeking)
    );
    assert_eq!(answer(&mut lobby, 3, second), Ok(()));
    assert_eq!(
        answer(&mut lobby, 4, second),
        Err(RejectCode::NoOffer),
        "about to be paired"
    );
    assert_eq!(answer(&mut lobby, 4, SeekId(99)), Err(RejectCode::NoOffer));
    let [(MemberId(2), pairing)] = lobby.take_pings()[..] else {
        panic!("the answer shows that 3 is there")
    };
    let pair = lobby
        .on_pong(MemberId(2), pairing, true, now)
        .expect("both have answered");
    let [(x, _), (o, _)] = &pair;
    assert_eq!(
        (o.rules, o.clock, o.seat),
        (x.rules, x.clock, Some(Seat::O))
    );
    assert_eq!(members(Some(pair)), Some([2, 3]));
    assert_eq!(lobby.len(), 1);
}

#[test]
fn the_number_of_a_seek_is_not_used_again_after_a_restart() {
    let now = Instant::now();
    let numbers = |started_at_ms| {
        let mut lobby = Lobby::new(started_at_ms, 0);
        for member in 1..=3 {
            enter(
                &mut lobby,
                seek(member, "4x4:4", None, Some(Seat::X)),
                member,
                now,
            );
        }
        lobby
            .list(9)
            .into_iter()
            .map(|listed| listed.seek)
            .collect::<Vec<_>>()
    };
    let started_at_ms = 1_800_000_000_000;
    let (before, after) = (numbers(started_at_ms), numbers(started_at_ms + 1));
    assert!(before.is_sorted() && before.len() == 3, "{before:?}");
    assert!(
        after
            .iter()
            .all(|seek| *seek > before[2] && seek.0 < 1 << 53),
        "{before:?} {after:?}"
    );
}

#[test]
fn an_answer_fails_with_a_silent_seek() {
    let now = Instant::now();
    let mut lobby = lobby_of(&[1], now);
    let first = lobby.list(1)[0].seek;
    lobby
        .answer(first, (seeker(2, None), 0), 2, |_| true, now)
        .unwrap();
    assert!(lobby.take_failed_answers().is_empty());
    lobby.expire(now + PAIRING_PONG_TIMEOUT);
    assert_eq!((lobby.take_failed_answers(), lobby.len()), (vec![2], 1));
    assert_eq!(
        lobby.answer(first, (seeker(2, None), 0), 2, |_| true, now),
        Err(RejectCode::NoOffer),
        "silent"
    );
    let party = Some(PartyKey::from_bits(1));
    let own = Seek {
        seeker: seeker(3, party),
        ..seek(3, "4x4:4", None, None)
    };
    enter(&mut lobby, own, 3, now);
    let own = lobby.list(1)[0].seek;
    let answer = lobby.answer(own, (seeker(4, party), 0), 4, |_| true, now);
    assert_eq!(answer, Err(RejectCode::NoOffer), "a seek of its own");
}

proptest! {
    /// No two open seeks are compatible after any sequence of operations, and every attempt has two seeks.
    #[test]
    fn no_compatible_seeks_wait(
        steps in proptest::collection::vec((0..8_u64, 0..2, 0..3, 0..6, any::<bool>()), 1..60)
    ) {
        let (mut lobby, mut now) = (Lobby::default(), Instant::now());
        let mut pings = Vec::new();
        for (member, rules, seat, step, x_first) in steps {
            let seat = [None, Some(Seat::X), Some(Seat::O)][seat as usize];
            let new_seek = seek(member, ["3x3:3", "4x4:4"][rules as usize], None, seat);
            let mut paired = None;
            match step {
                0 | 1 => if lobby.seek(new_seek, member, |_| true, now) == Err(RejectCode::AlreadySeeking) {
                    lobby.cancel(MemberId(member), now).unwrap();
                },
                2 => lobby.retain(|connected| *connected != member, now),
                3 => {
                    now += PAIRING_PONG_TIMEOUT / 2;
                    lobby.expire(now);
                }
                4 => if let Some(open) = lobby.list(9).last() {
                    let answer = lobby.answer(open.seek, (seeker(member, None), 0), member, |_| true, now);
                    let failure = [RejectCode::AlreadySeeking, RejectCode::NoOffer];
                    prop_assert!(answer.is_ok() || failure.contains(&answer.unwrap_err()));
                },
                _ => if let Some((member, pairing)) = pings.pop() {
                    paired = lobby.on_pong(member, pairing, x_first, now);
                },
            }
            for failed in lobby.take_failed_answers() {
                prop_assert!(lobby.contact(MemberId(failed)).is_none());
            }
            pings.extend(lobby.take_pings());
            if let Some([(x, _), (o, _)]) = paired {
                prop_assert_ne!(x.seeker.member, o.seeker.member);
                prop_assert!(x.seat != Some(Seat::O) && o.seat != Some(Seat::X));
            }
            for (at, waiting) in lobby.seeks.iter().enumerate() {
                let is_missed = |other: &WaitingSeek<u64>| {
                    other.state == SeekState::Open && waiting.seek.is_compatible_with(&other.seek)
                };
                match waiting.state {
                    SeekState::Open if waiting.seek.is_answer => prop_assert!(false, "an answer waits"),
                    SeekState::Open => prop_assert!(!lobby.seeks[..at].iter().any(is_missed)),
                    SeekState::Pairing { id, .. } => {
                        let is_partner = |other: &&WaitingSeek<u64>| {
                            matches!(other.state, SeekState::Pairing { id: known, .. } if known == id)
                        };
                        prop_assert_eq!(lobby.seeks.iter().filter(is_partner).count(), 2);
                    }
                    SeekState::Silent => {}
                }
            }
        }
    }
}
