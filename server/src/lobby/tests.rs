//! Tests of matchmaking with a clock that the test sets.

use std::collections::HashMap;

use proptest::prelude::*;

use super::*;

fn seeker(connection: u64, party: Option<Party>) -> Seeker {
    Seeker {
        since: 0,
        connection: ConnectionId(connection),
        client: ClientPrefix::from_ip([192, 0, 2, 0].into()),
        player: Player::guest("Ann".parse().unwrap(), PlayerKind::Person),
        party,
        seat_room_at_hello: None,
        features: FeatureSet::default(),
    }
}

/// Returns a bot for every fourth connection, and a person for the others.
fn seeker_of_kind(connection: u64) -> Seeker {
    let mut seeker = seeker(connection, None);
    if connection % 4 == 3 {
        seeker.player.kind = PlayerKind::Bot;
    }
    seeker
}

fn seek(connection: u64, rules: &str, clock: Option<&str>, seat: Option<Seat>) -> Seek {
    let clock = clock.map(|clock| clock.parse().unwrap());
    Seek::new(
        seeker(connection, None),
        rules.parse().unwrap(),
        clock,
        seat,
    )
}

fn enter<T>(lobby: &mut Lobby<T>, seek: Seek, contact: T, now: Instant) {
    lobby.seek(seek, contact, |_| true, now).unwrap();
}

fn take_pair<T>(lobby: &mut Lobby<T>, x_first: bool) -> Option<PairedSeeks<T>> {
    let mut pairs = lobby.take_pairs(|| x_first);
    assert!(pairs.len() < 2, "several pairs at once");
    pairs.pop()
}

/// Returns the connections of the pair that the last of `seeks` completes: X, then O.
fn check(seeks: &[Seek], x_first: bool) -> Option<[u64; 2]> {
    let mut lobby = Lobby::default();
    let mut pair = None;
    for seek in seeks {
        assert!(pair.is_none(), "paired early");
        let now = Instant::now();
        enter(&mut lobby, seek.clone(), (), now);
        for (connection, ping) in lobby.take_pings() {
            lobby.on_pong(connection, ping, now);
        }
        pair = take_pair(&mut lobby, x_first);
    }
    pair.map(|pair| pair.map(|(seek, ())| seek.seeker.connection.0))
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
    assert_eq!(lobby.cancel(ConnectionId(1)), Ok(()));
    assert_eq!(lobby.cancel(ConnectionId(1)), Err(RejectCode::NotSeeking));
    assert!(lobby.is_empty());
}

#[test]
fn a_party_is_not_paired_with_itself_over_two_connections() {
    let with_party = |connection, party| Seek {
        seeker: seeker(connection, party),
        ..seek(connection, "3x3:3", None, None)
    };
    let [ann, bob] = [1, 2].map(|bits| Some(Party::from_bits(bits)));
    assert_eq!(
        check(
            &[with_party(1, ann), with_party(2, ann), with_party(3, bob)],
            true
        ),
        Some([1, 3])
    );
    let (mut lobby, now) = (Lobby::default(), Instant::now());
    enter(&mut lobby, with_party(1, ann), "old", now);
    let other_seeker = |party, connection| {
        lobby.other_seeker_of(Party::from_bits(party), ConnectionId(connection))
    };
    assert_eq!(other_seeker(1, 1), None, "itself");
    assert_eq!(other_seeker(2, 2), None);
    assert_eq!(other_seeker(1, 2), Some(&seeker(1, ann)));
}

#[test]
fn a_seek_for_people_is_not_paired_with_a_bot() {
    let now = Instant::now();
    let wanting = |connection, opponents| Seek {
        seeker: seeker_of_kind(connection),
        opponents,
        ..seek(connection, "3x3:3", None, None)
    };
    let (person, bot) = (Some(PlayerKind::Person), Some(PlayerKind::Bot));
    // Connections 3 and 7 are bots.
    for (seeks, expected) in [
        (&[(1, person), (3, None), (2, None)][..], Some([1, 2])),
        (&[(3, None), (1, person), (2, person)], Some([1, 2])),
        (&[(1, bot), (2, None), (3, person)], Some([1, 3])),
        (&[(1, bot), (3, bot), (7, None)], Some([1, 7])),
        (&[(1, None), (3, None)], Some([1, 3])),
        (&[(1, person), (3, None)], None),
    ] {
        let seeks: Vec<Seek> = seeks.iter().map(|seek| wanting(seek.0, seek.1)).collect();
        assert_eq!(check(&seeks, true), expected, "{seeks:?}");
    }
    let mut lobby = Lobby::default();
    enter(&mut lobby, wanting(1, person), 1, now);
    let listed = lobby.list(1)[0].clone();
    assert_eq!(listed.open.opponents, person);
    let mut accept = |connection| {
        let seeker = seeker_of_kind(connection);
        lobby.accept_seek(listed.seek, seeker, connection, |_| true, now)
    };
    assert_eq!(accept(3), Err(RejectCode::NoOffer));
    assert_eq!(accept(2), Ok(()));
}

#[test]
fn the_seeks_of_a_meeting_are_paired_with_each_other_only_and_without_a_ping() {
    let meeting = |connection, number| Seek {
        meeting: Some(number),
        ..seek(connection, "3x3:3", None, None)
    };
    let (mut lobby, now) = (Lobby::default(), Instant::now());
    enter(&mut lobby, seek(1, "3x3:3", None, None), (), now);
    enter(&mut lobby, meeting(2, 7), (), now);
    enter(&mut lobby, meeting(3, 8), (), now);
    assert_eq!(lobby.list(9).len(), 1, "others cannot answer it");
    enter(&mut lobby, meeting(4, 7), (), now + PING_INTERVAL);
    let paired =
        take_pair(&mut lobby, true).map(|pair| pair.map(|(seek, ())| seek.seeker.connection.0));
    assert_eq!((paired, lobby.len()), (Some([2, 4]), 2));
    assert_eq!(lobby.take_pings(), []);
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
    assert!(take_pair(&mut lobby, true).is_none());
    assert_eq!((lobby.take_pings().len(), lobby.len()), (0, 1));
}

/// Adds seeks for the same game, which connect in order.
fn lobby_of(connections: &[u64], now: Instant) -> Lobby<u64> {
    let mut lobby = Lobby::default();
    for &connection in connections {
        enter(
            &mut lobby,
            seek(connection, "3x3:3", None, None),
            connection,
            now,
        );
    }
    lobby
}

fn connections(pair: Option<PairedSeeks<u64>>) -> Option<[u64; 2]> {
    pair.map(|pair| pair.map(|(_, connection)| connection))
}

/// A lobby and its connections. Each connection answers pings after a delay of its own.
struct World {
    lobby: Lobby<u64>,
    start: Instant,
    now: Instant,
    /// Pongs under way, with the time of their arrival.
    pongs: Vec<(Instant, ConnectionId, PingId)>,
    pings: Vec<(Duration, u64)>,
    pairs: Vec<(Duration, [u64; 2])>,
    /// The seeks that answer in time, including ended seeks, with the times of the request and of the last answer.
    answering: HashMap<u64, (Seek, [Instant; 2])>,
}

/// Number of the first connection that answers after 3.2 s. Connections with a lower number answer after ten
/// milliseconds times their number.
const LATE: u64 = 100;

impl World {
    fn new() -> World {
        let now = Instant::now();
        World {
            lobby: Lobby::default(),
            start: now,
            now,
            pongs: Vec::new(),
            pings: Vec::new(),
            pairs: Vec::new(),
            answering: HashMap::new(),
        }
    }

    /// Adds a seek from network 0.
    fn enter(&mut self, connection: u64, seat: Option<Seat>) {
        self.enter_from(0, connection, seat);
    }

    fn enter_from(&mut self, network: u8, connection: u64, seat: Option<Seat>) {
        let mut seek = seek(connection, "3x3:3", None, seat);
        seek.seeker.client = ClientPrefix::from_ip([192, 0, 2, network].into());
        if connection < LATE {
            let times = [self.now; 2];
            self.answering.insert(connection, (seek.clone(), times));
        }
        enter(&mut self.lobby, seek, connection, self.now);
        self.handle_outcomes();
    }

    fn run(&mut self, seconds: u64) {
        self.run_for(Duration::from_secs(seconds));
    }

    fn run_for(&mut self, time: Duration) {
        let end = self.now + time;
        while self.now < end {
            self.now += Duration::from_millis(10);
            let due = self.pongs.extract_if(.., |(at, ..)| *at <= self.now);
            for (_, connection, ping) in due.collect::<Vec<_>>() {
                if let Some((_, [_, answered_at])) = self.answering.get_mut(&connection.0) {
                    *answered_at = self.now;
                }
                self.lobby.on_pong(connection, ping, self.now);
                self.handle_outcomes();
            }
            self.lobby.expire(self.now);
            self.handle_outcomes();
        }
    }

    /// Checks that two seeks of one network are paired only if neither had a partner of another network that answered
    /// recently, and since both seeks were open.
    fn check_networks(&self, pair: [u64; 2]) {
        let [one, two] = pair.map(|connection| self.answering.get(&connection));
        let (Some(one), Some(two)) = (one, two) else {
            return;
        };
        if !one.0.is_of_same_network(&two.0) {
            return;
        }
        let open = self.lobby.listed().map(|open| open.contact);
        for connection in open.filter(|connection| *connection < LATE) {
            let third = &self.answering[&connection];
            for (seek, [entered_at, answered_at]) in [one, two] {
                let (other, [other_entered_at, other_answered_at]) = third;
                let is_ready = [
                    (answered_at, other_entered_at),
                    (other_answered_at, entered_at),
                ]
                .iter()
                .all(|(answer, entry)| answer >= entry && self.now - **answer < PONG_TIMEOUT);
                let is_preferred =
                    seek.is_compatible_with(other) && !seek.is_of_same_network(other);
                assert!(!(is_ready && is_preferred), "{pair:?} before {connection}");
            }
        }
    }

    fn handle_outcomes(&mut self) {
        let since_start = self.now - self.start;
        for pair in self.lobby.take_pairs(|| true) {
            let connections = pair.map(|(_, connection)| connection);
            self.check_networks(connections);
            self.pairs.push((since_start, connections));
        }
        for (connection, ping) in self.lobby.take_pings() {
            let delay = if connection.0 >= LATE {
                3200
            } else {
                connection.0 * 10
            };
            self.pongs
                .push((self.now + Duration::from_millis(delay), connection, ping));
            self.pings.push((since_start, connection.0));
        }
    }

    fn listed(&self) -> usize {
        self.lobby.list(99).len()
    }
}

#[test]
fn seeks_that_answer_late_delay_others_for_a_bounded_time() {
    for (late, late_network) in [1, 2, 3, 60]
        .into_iter()
        .flat_map(|late| [(late, 0), (late, 1)])
    {
        for first_seat in [None, Some(Seat::X)] {
            for wait in [0, 1, 4, 20, 90] {
                let mut world = World::new();
                for connection in 0..late {
                    world.enter_from(late_network, LATE + connection, Some(Seat::X));
                }
                world.run(5);
                world.enter(1, first_seat);
                world.run(wait);
                assert!(world.lobby.listed().any(|open| open.contact == 1));
                let second_at = world.now - world.start;
                world.enter(2, Some(Seat::O));
                world.run(4);
                let [(paired_at, pair)] = world.pairs[..] else {
                    panic!("{late} late seeks, {wait} s: {:?}", world.pairs)
                };
                assert_eq!(pair, [1, 2]);
                let delay = paired_at - second_at;
                // A seek that answered recently is pinged first, and an idle seek after all older seeks.
                let limit = if wait < 3 { 520 } else { 3100 };
                assert!(
                    delay < Duration::from_millis(limit),
                    "{late} late seeks, {wait} s: {delay:?}"
                );
            }
        }
    }
}

#[test]
fn seeks_that_come_and_go_do_not_keep_an_idle_seek_from_its_partner() {
    // If the same visitor also has an older seek that answers late, the idle seek is pinged half a second later.
    for (network, has_late, paired_after_ms) in [(0, false, 300), (1, false, 300), (1, true, 800)] {
        let mut world = World::new();
        if has_late {
            world.enter_from(network, LATE, Some(Seat::X));
        }
        world.enter_from(2, 30, Some(Seat::X));
        world.run(60);
        // The new connection answers after a second. Meanwhile seeks for the seat of the idle seek follow each other.
        world.enter(99, Some(Seat::O));
        for _ in 0..40 {
            world.enter_from(network, 1, Some(Seat::X));
            world.run_for(Duration::from_millis(40));
            if world.lobby.cancel(ConnectionId(1)).is_err() {
                break;
            }
        }
        let paired_at = Duration::from_millis(60_000 + paired_after_ms);
        assert_eq!(world.pairs, [(paired_at, [30, 99])]);
    }
}

#[test]
fn a_seek_is_paired_with_another_network_first() {
    // An idle seek of the visitor's network is the oldest seek, and answers soonest.
    for (network, second, paired_after_ms, x) in
        [(1, 30, 10, 1), (2, 30, 300, 30), (2, LATE, 500, 1)]
    {
        let mut world = World::new();
        world.enter_from(1, 1, Some(Seat::X));
        world.enter_from(network, second, Some(Seat::X));
        world.run(60);
        world.enter_from(1, 2, Some(Seat::O));
        world.run(1);
        let paired_at = Duration::from_millis(60_000 + paired_after_ms);
        assert_eq!(world.pairs, [(paired_at, [x, 2])], "{second} of {network}");
    }
    // Many new seeks of another network delay a partner of the same network for one interval.
    let mut world = World::new();
    world.enter_from(1, 30, Some(Seat::X));
    world.run(60);
    for late in 0..8 {
        world.enter_from(2, LATE + late, Some(Seat::X));
    }
    world.run(10);
    world.enter_from(1, 2, Some(Seat::O));
    world.run(1);
    let paired_at = Duration::from_millis(70_500);
    assert_eq!(world.pairs, [(paired_at, [30, 2])]);
}

#[test]
fn a_silent_seek_is_pinged_at_growing_intervals_and_reopened_as_the_newest() {
    let mut world = World::new();
    world.enter(LATE, Some(Seat::X));
    world.run(4);
    world.enter(1, Some(Seat::O));
    world.run(300);
    let pings = world
        .pings
        .iter()
        .filter(|(_, connection)| *connection == LATE);
    let times: Vec<u64> = pings.map(|(at, _)| at.as_secs()).collect();
    assert_eq!(times, [4, 12, 25, 48, 91, 154, 217, 280]);
    assert_eq!(
        (world.listed(), world.lobby.len()),
        (1, 2),
        "the late pongs open nothing"
    );
    // The seek of 2 becomes older than the silent seek, which opens again as the newest.
    world.lobby.cancel(ConnectionId(1)).unwrap();
    world.enter(2, Some(Seat::X));
    let (connection, ping) = loop {
        world.now += Duration::from_secs(1);
        world.lobby.expire(world.now);
        if let Some(ping) = world.lobby.take_pings().pop() {
            break ping;
        }
    };
    assert_eq!(connection, ConnectionId(LATE));
    world.lobby.on_pong(connection, ping, world.now);
    let open: Vec<u64> = world
        .lobby
        .seeks
        .iter()
        .map(|waiting| waiting.contact)
        .collect();
    assert_eq!((world.listed(), open), (2, vec![2, LATE]));
}

#[test]
fn of_two_seeks_that_answer_the_older_is_paired_although_it_is_slower() {
    for is_newer_recent in [false, true] {
        let mut world = World::new();
        world.enter(40, Some(Seat::X));
        if !is_newer_recent {
            world.enter(1, Some(Seat::X));
        }
        world.run(59);
        if is_newer_recent {
            world.enter(1, Some(Seat::X));
        }
        world.run(1);
        world.enter(2, None);
        world.run(1);
        assert_eq!(world.pairs, [(Duration::from_millis(60_400), [40, 2])]);
    }
}

#[test]
fn the_partner_of_a_removed_seek_is_paired_with_the_next() {
    for removal in 0..3 {
        let mut world = World::new();
        for connection in [LATE, 1] {
            world.enter(connection, Some(Seat::X));
        }
        world.run(10);
        world.enter(2, Some(Seat::O));
        assert_eq!(world.pings.last(), Some(&(Duration::from_secs(10), LATE)));
        match removal {
            0 => {
                world.lobby.cancel(ConnectionId(LATE)).unwrap();
            }
            1 => world.lobby.retain(|connection| *connection != LATE),
            _ => {}
        }
        world.run(1);
        assert_eq!(world.pairs, [(Duration::from_millis(10_510), [1, 2])]);
    }
}

#[test]
fn an_answer_is_paired_with_its_seek_alone() {
    let mut now = Instant::now();
    let mut lobby = lobby_of(&[1], now);
    enter(
        &mut lobby,
        seek(2, "4x4:4", Some("5+3"), Some(Seat::X)),
        2,
        now,
    );
    now += PONG_TIMEOUT;
    let [_, second] = lobby.list(9)[..]
        .iter()
        .map(|listed| listed.seek)
        .collect::<Vec<_>>()[..]
    else {
        panic!("two seeks")
    };
    let answer = |lobby: &mut Lobby<u64>, connection, id| {
        lobby.accept_seek(id, seeker(connection, None), connection, |_| true, now)
    };
    assert_eq!(
        answer(&mut lobby, 2, second),
        Err(RejectCode::AlreadySeeking)
    );
    assert_eq!(answer(&mut lobby, 3, second), Ok(()));
    assert_eq!(
        answer(&mut lobby, 4, second),
        Ok(()),
        "the first one is not paired"
    );
    assert_eq!(answer(&mut lobby, 5, SeekId(99)), Err(RejectCode::NoOffer));
    let [(ConnectionId(2), ping)] = lobby.take_pings()[..] else {
        panic!("the answers show that 3 and 4 are there")
    };
    assert!(take_pair(&mut lobby, true).is_none());
    lobby.on_pong(ConnectionId(2), ping, now);
    let pair = take_pair(&mut lobby, true).expect("both have answered");
    let [(x, _), (o, _)] = &pair;
    assert_eq!(
        (o.rules, o.clock, o.seat),
        (x.rules, x.clock, Some(Seat::O))
    );
    assert_eq!(connections(Some(pair)), Some([2, 3]));
    assert_eq!((lobby.take_failed_accepts(), lobby.len()), (vec![4], 1));
}

#[test]
fn the_number_of_a_seek_is_not_used_again_after_a_restart() {
    let now = Instant::now();
    let numbers = |started_at_ms| {
        let mut lobby = Lobby::new(started_at_ms, 0);
        for connection in 1..=3 {
            enter(
                &mut lobby,
                seek(connection, "4x4:4", None, Some(Seat::X)),
                connection,
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
    let mut now = Instant::now();
    let mut lobby = lobby_of(&[1], now);
    now += PONG_TIMEOUT;
    let first = lobby.list(1)[0].seek;
    lobby
        .accept_seek(first, seeker(2, None), 2, |_| true, now)
        .unwrap();
    assert!(lobby.take_failed_accepts().is_empty());
    lobby.expire(now + PONG_TIMEOUT);
    assert_eq!((lobby.take_failed_accepts(), lobby.len()), (vec![2], 1));
    assert_eq!(
        lobby.accept_seek(first, seeker(2, None), 2, |_| true, now),
        Err(RejectCode::NoOffer),
        "silent"
    );
    let party = Some(Party::from_bits(1));
    let own = Seek {
        seeker: seeker(3, party),
        ..seek(3, "4x4:4", None, None)
    };
    enter(&mut lobby, own, 3, now);
    let own = lobby.list(1)[0].seek;
    let answer = lobby.accept_seek(own, seeker(4, party), 4, |_| true, now);
    assert_eq!(answer, Err(RejectCode::NoOffer), "a seek of its own");
}

proptest! {
    /// After any sequence of operations, two compatible open seeks wait only for a pong or for the next ping.
    #[test]
    fn compatible_open_seeks_wait_only_for_a_pong_or_a_ping(
        steps in proptest::collection::vec((0..8_u64, 0..2, 0..9, 0..7_u32, any::<bool>()), 1..60)
    ) {
        let (mut lobby, mut now) = (Lobby::default(), Instant::now());
        let mut pings = Vec::new();
        for (connection, rules, seat, step, x_first) in steps {
            let (seat, opponents) = (seat % 3, seat / 3);
            let seat = [None, Some(Seat::X), Some(Seat::O)][seat as usize];
            let new_seek = Seek {
                seeker: seeker_of_kind(connection),
                opponents: [None, Some(PlayerKind::Person), Some(PlayerKind::Bot)][opponents as usize],
                ..seek(connection, ["3x3:3", "4x4:4"][rules as usize], None, seat)
            };
            match step {
                0 | 1 => if lobby.seek(new_seek, connection, |_| true, now) == Err(RejectCode::AlreadySeeking) {
                    lobby.cancel(ConnectionId(connection)).unwrap();
                },
                2 => lobby.retain(|connected| *connected != connection),
                3 | 4 => {
                    now += PONG_TIMEOUT * (step - 3) + PONG_TIMEOUT / 8;
                    lobby.expire(now);
                }
                5 => if let Some(open) = lobby.list(9).last() {
                    let answer = lobby.accept_seek(open.seek, seeker_of_kind(connection), connection, |_| true, now);
                    let failure = [RejectCode::AlreadySeeking, RejectCode::NoOffer];
                    prop_assert!(answer.is_ok() || failure.contains(&answer.unwrap_err()));
                },
                _ => if let Some((connection, ping)) = pings.pop() {
                    lobby.on_pong(connection, ping, now);
                },
            }
            for failed in lobby.take_failed_accepts() {
                prop_assert!(lobby.contact(ConnectionId(failed)).is_none());
            }
            pings.extend(lobby.take_pings());
            for [(x, _), (o, _)] in lobby.take_pairs(|| x_first) {
                prop_assert_ne!(x.seeker.connection, o.seeker.connection);
                prop_assert!(x.seat != Some(Seat::O) && o.seat != Some(Seat::X));
                prop_assert!(x.admits(o.seeker.player.kind) && o.admits(x.seeker.player.kind));
            }
            for one in &lobby.seeks {
                if let Some(listed) = one.seek.accepts {
                    prop_assert!(one.is_open() && lobby.listed().any(|open| open.id == listed));
                }
                for two in lobby.seeks.iter().filter(|two| one.is_open() && two.is_candidate_of(one)) {
                    let progresses = |seek: &WaitingSeek<u64>| seek.ping.is_some() || seek.interval_end.is_some();
                    prop_assert!(progresses(one) || progresses(two), "{:?} {:?}", one, two);
                }
                let deadline = lobby.next_deadline();
                let waits_for = one.ping.map(|(_, end)| end).into_iter().chain(one.interval_end).chain(one.silent_until);
                for time in waits_for {
                    prop_assert!(time <= now || deadline.is_some_and(|deadline| deadline <= time));
                }
            }
        }
    }

    /// Seeks that answer in time are paired, whatever other seeks answer late. Partners of another network come first,
    /// see [`World::check_networks`].
    #[test]
    fn seeks_that_answer_are_paired_within_seconds(
        seeks in proptest::collection::vec(
            (0..40_u64, any::<bool>(), 0..3_u8, 0..3_usize, prop_oneof![0..50_u64, 0..2000_u64]),
            1..40,
        )
    ) {
        let mut world = World::new();
        for (connection, is_late, network, seat, pause_ms) in seeks {
            let connection = if is_late { LATE + connection } else { connection };
            if world.lobby.index_of(ConnectionId(connection)).is_none() {
                world.enter_from(network, connection, [None, Some(Seat::X), Some(Seat::O)][seat]);
            }
            world.run_for(Duration::from_millis(pause_ms));
        }
        world.run(7);
        let open: Vec<_> = world.lobby.listed().filter(|open| open.contact < LATE).collect();
        for one in &open {
            prop_assert!(!open.iter().any(|two| two.is_candidate_of(one)), "{:?}", one);
        }
    }
}
