//! The oracle detects each kind of violation.

use noughts_protocol::{Cell, Event, Player, PlayerKind, RequestRef, ResumeToken, Seat};
use noughts_server::ServerLimits;
use noughts_server::testing::Checkpoint;
use noughts_server::testing::Room;

use super::*;

const ROOM: u64 = 1;

fn room() -> RoomId {
    RoomId::from_bits(ROOM)
}

fn secrets() -> RoomSecrets {
    RoomSecrets {
        room: room(),
        code: None,
        tokens: [ResumeToken::from_bits(1); 2],
        parties: [None; 2],
        left: [false; 2],
    }
}

/// History of a room with a running game of `moves` moves; the requests have ids 1, 2 and so on.
fn history(moves: u64) -> Vec<EventRecord> {
    let player = |name: &str| Player::guest(name.parse().unwrap(), PlayerKind::Bot);
    let mut events = vec![
        (
            None,
            Event::Opened {
                rules: "9x9:9".parse().unwrap(),
                clock: None,
                public: true,
                free_first_moves: false,
            },
        ),
        (
            None,
            Event::Seated {
                seat: Seat::X,
                player: player("Ann"),
            },
        ),
        (
            None,
            Event::Seated {
                seat: Seat::O,
                player: player("Bob"),
            },
        ),
        (None, Event::Started { game: 1 }),
    ];
    events.extend((1..=moves).map(|id| {
        let seat = if id % 2 == 1 { Seat::X } else { Seat::O };
        let by = RequestRef {
            seat,
            id: RequestId::new(id).unwrap(),
        };
        (
            Some(by),
            Event::Moved {
                seat,
                cell: Cell::new(id as u16),
                left: None,
            },
        )
    }));
    let to_record = |((by, event), seq)| EventRecord {
        seq: Seq::new(seq),
        at: 7,
        by,
        event,
    };
    events.into_iter().zip(1..).map(to_record).collect()
}

fn stored_events(events: &[EventRecord]) -> StoredRoom {
    StoredRoom {
        checkpoint: None,
        events: events.to_vec(),
    }
}

/// Returns the stored room with a checkpoint in place of the first `checkpointed` events.
fn stored_with_checkpoint(events: &[EventRecord], checkpointed: usize) -> StoredRoom {
    let (before, after) = events.split_at(checkpointed);
    StoredRoom {
        checkpoint: Some(checkpoint(before)),
        events: after.to_vec(),
    }
}

fn checkpoint(events: &[EventRecord]) -> Checkpoint {
    let room = Room::replay(&stored_events(events), ServerLimits::default().into(), 7).unwrap();
    room.checkpoint().expect("between two decisions")
}

/// Returns the message of the failed check, for successive reads of the stored rooms and for a view.
fn check_error(sent: &[EventRecord], stored: &[StoredRoom], view: Option<&Game>) -> Option<String> {
    let result = std::panic::catch_unwind(|| {
        let observations = Observations::default();
        observations.record_events(room(), sent);
        if let Some(view) = view {
            observations.check_view(room(), view);
        }
        for stored in stored {
            observations.check(&[(secrets(), stored.clone())]);
        }
    });
    let error = result.err()?;
    Some(
        error
            .downcast_ref::<String>()
            .cloned()
            .unwrap_or_else(|| "a failed assertion".into()),
    )
}

#[test]
fn detects_lost_doubled_changed_and_missing_events() {
    let history = history(2);
    assert_eq!(
        check_error(&history, &[stored_events(&history)], None),
        None
    );
    assert_eq!(
        check_error(&history[4..5], &[stored_events(&history)], None),
        None,
        "more events may be stored than were sent"
    );
    let with = |change: fn(&mut Vec<EventRecord>)| {
        let mut stored = history.clone();
        change(&mut stored);
        check_error(&history[3..], &[stored_events(&stored)], None)
            .expect("the oracle reports a violation")
    };
    assert!(with(|events| drop(events.pop())).contains("6 events were sent, 5 are stored"));
    assert!(with(|events| drop(events.remove(2))).contains("gap in room"));
    assert!(with(|events| events[5].by = events[4].by).contains("two histories"));
    assert!(with(|events| events.swap(3, 4)).contains("gap in room"));
    let mut doubled = history.clone();
    doubled[5].by = doubled[4].by;
    assert!(
        check_error(&history[..5], &[stored_events(&doubled)], None)
            .unwrap()
            .contains("executed twice")
    );
    let lost = std::panic::catch_unwind(|| {
        let observations = Observations::default();
        observations.record_events(room(), &history);
        observations.check(&[]);
    });
    assert!(
        lost.unwrap_err()
            .downcast_ref::<String>()
            .unwrap()
            .contains("is lost")
    );
}

#[test]
fn trusts_a_checkpoint_only_for_unsent_events() {
    let history = history(12);
    let sent = &history[..8];
    // All checkpointed events were observed: the checkpoint must contain the same state.
    assert_eq!(
        check_error(&history, &[stored_with_checkpoint(&history, 12)], None),
        None
    );
    let mut other = history.clone();
    other[10].event = Event::Moved {
        seat: Seat::X,
        cell: Cell::new(80),
        left: None,
    };
    let error = check_error(&history, &[stored_with_checkpoint(&other, 12)], None)
        .expect("the oracle reports a violation");
    assert!(error.contains("not the fold"), "{error}");
    // Some checkpointed events were not observed: the history restarts at the checkpoint.
    let checkpoint_only = stored_with_checkpoint(&history[..12], 12);
    let continued = stored_with_checkpoint(&history, 12);
    assert_eq!(
        check_error(sent, &[checkpoint_only.clone(), continued.clone()], None),
        None
    );
    assert_eq!(
        check_error(
            sent,
            &[
                checkpoint_only.clone(),
                stored_with_checkpoint(&history, 14)
            ],
            None
        ),
        None,
        "a second checkpoint"
    );
    let mut changed = continued.clone();
    changed.events[1].by = changed.events[0].by;
    assert!(
        check_error(sent, &[checkpoint_only.clone(), changed.clone()], None)
            .unwrap()
            .contains("executed twice")
    );
    assert!(
        check_error(sent, &[continued.clone(), changed], None)
            .unwrap()
            .contains("two histories")
    );
    let lost = check_error(&history, std::slice::from_ref(&checkpoint_only), None).unwrap();
    assert!(
        lost.contains("16 events were sent, 12 are stored"),
        "{lost}"
    );
    // There are more unobserved events than the clients can have in flight.
    let error = check_error(sent, &[stored_with_checkpoint(&history, 14)], None).unwrap();
    assert!(error.contains("6 unsent events"), "{error}");
}

#[test]
fn compares_every_view_once_its_history_is_known() {
    let history = history(4);
    let mut other = history.clone();
    other[6].event = Event::Moved {
        seat: Seat::X,
        cell: Cell::new(80),
        left: None,
    };
    let view = |events: &[EventRecord]| {
        let mut game = Game::open(&events[0]).unwrap();
        events[1..]
            .iter()
            .for_each(|event| game.apply(event).unwrap());
        game
    };
    let right = view(&history[..7]);
    let wrong = view(&other[..7]);
    for sent in [&history[..7], &history[..5], &history[..0]] {
        assert_eq!(
            check_error(sent, &[stored_events(&history)], Some(&right)),
            None
        );
        let error = check_error(sent, &[stored_events(&history)], Some(&wrong))
            .expect("the oracle reports a violation");
        assert!(error.contains("not a prefix"), "{error}");
    }
    let error = check_error(&[], &[stored_events(&history[..6])], Some(&right))
        .expect("the oracle reports a violation");
    assert!(error.contains("has no history"), "{error}");
}
