//! Messages of a client with features, and of rooms with an aborted game, a substitute and free first moves.

use noughts_protocol::wire::{
    DetailedEvents, Feature, FeatureSet, Hello, Message, OwnRole, Request, RequestBody,
};
use noughts_protocol::{Event, Offer, Outcome, PlayerKind, Seat};

use super::check_golden_file;
use super::samples::{
    SampleRoom, events_message, limits, private_room, request_id, room, snapshot, token,
};

/// The golden files of this module.
pub(super) const FILES: &[&str] = &[
    "feature-hello",
    "feature-welcome",
    "feature-events",
    "room-aborted",
    "room-substitute",
    "room-first_moves",
];

/// A room with a free first move for each side.
#[test]
fn free_first_moves_match_their_golden_file() {
    let opened = Event::Opened {
        rules: "3x3:3".parse().unwrap(),
        clock: Some("5+3".parse().unwrap()),
        public: true,
        free_first_moves: true,
    };
    let mut sample = SampleRoom::start(opened);
    let snapshot = |sample: &SampleRoom| snapshot(OwnRole::default(), sample.snapshot());
    sample.push_seated("Ann", PlayerKind::Person, Seat::X);
    let mut messages = vec![snapshot(&sample)];
    sample.push_seated("Bob", PlayerKind::Person, Seat::O);
    sample.push_event(None, Event::Started { game: 1 });
    messages.push(snapshot(&sample));
    for (id, cell) in [(3, 4), (3, 0), (4, 2)] {
        sample.push_move(id, cell);
        messages.push(snapshot(&sample));
    }
    messages.push(events_message(sample.events.clone()));
    let lines: Vec<String> = messages.iter().map(Message::to_json).collect();
    for line in check_golden_file("room-first_moves", &lines) {
        let parsed = Message::parse(&line).unwrap();
        assert_eq!(parsed.to_json(), line);
        if let Message::Snapshot { state, .. } = parsed {
            let game = noughts_protocol::Game::from_snapshot(&state).unwrap();
            assert_eq!(game.snapshot(state.at), state);
        }
    }
    let left = |index: usize| {
        let Event::Moved { left, .. } = sample.events[index].event else {
            panic!("no move: {index}")
        };
        left
    };
    assert_eq!(left(4), Some([300_000; 2]), "the first move of X is free");
    assert_eq!(left(5), Some([300_000; 2]), "the first move of O is free");
    assert_eq!(
        left(6),
        Some([302_000, 300_000]),
        "the second move is charged"
    );
}

fn welcome(granted: FeatureSet) -> Message {
    Message::Welcome {
        re: request_id(1),
        version: 1,
        server: "noughts-server 0.1.0".to_owned(),
        name: "Ann".parse().unwrap(),
        identity: None,
        limits: limits(),
        grant: None,
        own_rooms: vec![],
        has: granted,
        address: None,
    }
}

#[test]
fn requested_features_match_their_golden_file() {
    let hello = |wants: FeatureSet| Hello {
        versions: [1, 1],
        name: "Ann".parse().unwrap(),
        kind: PlayerKind::Bot,
        client: None,
        party: None,
        identity_secret: None,
        wants,
    };
    let sets = [FeatureSet::all(), [Feature::Details].into_iter().collect()];
    let lines = sets.map(|wants| Request::hello(request_id(1), hello(wants)).to_json());
    for (line, wants) in check_golden_file("feature-hello", &lines).iter().zip(sets) {
        let request = Request::parse(line).unwrap();
        assert!(matches!(request.body, RequestBody::Hello(hello) if hello.wants == wants));
    }
}

#[test]
fn granted_features_match_their_golden_file() {
    let granted = FeatureSet::all();
    for line in check_golden_file("feature-welcome", &[welcome(granted).to_json()]) {
        let message = Message::parse(&line).unwrap();
        assert!(matches!(message, Message::Welcome { has, .. } if has == granted));
    }
}

/// Each text has all fields of `events`, and further fields.
#[test]
fn detailed_events_match_their_golden_file() {
    let (events, _) = private_room();
    let mut lines = Vec::new();
    for own in [Some(Seat::X), Some(Seat::O), None] {
        let mut game = noughts_protocol::Game::open(&events[0]).unwrap();
        for record in &events[1..] {
            game.apply(record).unwrap();
            let one = DetailedEvents::new(
                room(),
                std::slice::from_ref(record),
                &game,
                own,
                FeatureSet::all(),
            );
            let text = one.expect("one event has all details").to_json();
            let plain = events_message(vec![record.clone()]);
            assert_eq!(Message::parse(&text).unwrap().to_json(), plain.to_json());
            lines.push(text);
        }
    }
    for line in check_golden_file("feature-events", &lines) {
        assert_eq!(
            serde_json::from_str::<DetailedEvents>(&line)
                .unwrap()
                .to_json(),
            line
        );
    }
}

#[test]
fn aborted_games_match_their_golden_file() {
    let mut sample = SampleRoom::open("3x3:3".parse().unwrap(), None, true);
    sample.push_start(PlayerKind::Bot);
    sample.push_move(3, 4);
    sample.push_requested_event(
        Seat::O,
        3,
        Event::Ended {
            outcome: Outcome::Aborted,
            left: None,
        },
    );
    let role = OwnRole {
        seat: Some(Seat::O),
        token: Some(token()),
        code: None,
    };
    let messages = [
        events_message(sample.events[4..].to_vec()),
        snapshot(role, sample.snapshot()),
    ];
    let lines = messages.map(|message| message.to_json());
    for line in check_golden_file("room-aborted", &lines) {
        assert_eq!(Message::parse(&line).unwrap().to_json(), line);
    }
    assert_eq!(sample.game.score().draws, 0);
}

/// A bot takes the seat of an absent player.
#[test]
fn substitutes_match_their_golden_file() {
    let mut sample = SampleRoom::open("3x3:3".parse().unwrap(), None, true);
    sample.push_start(PlayerKind::Person);
    sample.push_move(3, 4);
    sample.push_offer(Seat::O, 3, Offer::Draw);
    sample.push_seated("Deep Four", PlayerKind::Bot, Seat::O);
    let record = sample.events.last().expect("an event").clone();
    assert!(record.is_substitution());
    assert!(
        !sample.events[..3]
            .iter()
            .any(noughts_protocol::EventRecord::is_substitution)
    );
    let messages = [
        events_message(vec![record]),
        snapshot(OwnRole::default(), sample.snapshot()),
    ];
    for line in check_golden_file(
        "room-substitute",
        &messages.map(|message| message.to_json()),
    ) {
        assert_eq!(Message::parse(&line).unwrap().to_json(), line);
    }
    assert_eq!(sample.game.offered_by(Offer::Draw), None);
    // The requests of the absent player do not count as requests of the substitute, and that player is now unknown.
    let details = |from: usize, own, features: &[Feature]| {
        let features = features.iter().copied().collect();
        DetailedEvents::new(room(), &sample.events[from..], &sample.game, own, features)
    };
    let replies = details(1, Some(Seat::O), &[Feature::Replies]).unwrap();
    assert!(replies.events.iter().all(|event| event.re.is_none()));
    assert!(details(1, Some(Seat::O), &[Feature::Details]).is_none());
    assert!(details(4, Some(Seat::O), &[Feature::Details]).is_some());
}

/// The number of moves of the previous game follows only from earlier events, so the client needs a snapshot.
#[test]
fn details_that_need_earlier_events_are_left_to_a_snapshot() {
    let (events, _) = private_room();
    let mut game = noughts_protocol::Game::open(&events[0]).unwrap();
    for record in &events[1..] {
        game.apply(record).unwrap();
    }
    let details = |from: usize, features: &[Feature]| {
        let features = features.iter().copied().collect();
        DetailedEvents::new(room(), &events[from..], &game, Some(Seat::O), features)
    };
    let started = events
        .iter()
        .rposition(|record| matches!(record.event, Event::Started { .. }))
        .unwrap();
    assert!(details(started, &[Feature::Details]).is_some());
    assert!(
        details(started - 4, &[Feature::Details]).is_none(),
        "a move of the game before"
    );
    // Requests of Ann, who had X in the first game.
    let replies = details(1, &[Feature::Replies]).unwrap();
    let own: Vec<u64> = replies
        .events
        .iter()
        .filter_map(|event| event.re)
        .map(|re| re.get())
        .collect();
    assert_eq!(own, [11, 12, 13, 14, 15, 16, 17, 18]);
}
