//! Clocks: flags, and the time that is credited or charged after a restart.

use super::*;

#[test]
fn a_flag_falls_on_its_deadline_before_any_late_move() {
    let mut script = RoomScript::new("3x3:3", Some("10s+2"));
    script.now = 4_000;
    let moved = script.try_move(X, 0).unwrap();
    assert_eq!(
        moved,
        [Event::Moved {
            seat: X,
            cell: Cell::new(0),
            left: Some([8_000, 10_000])
        }]
    );
    assert_eq!(
        script.request(X, RoomCommand::Flag),
        Err(RejectCode::FlagNotFallen)
    );
    assert_eq!(script.room.poll_timeout(), Some(14_000));
    script.now = 13_999;
    assert_eq!(
        script.request(X, RoomCommand::Flag),
        Err(RejectCode::FlagNotFallen)
    );
    script.now = 14_000;
    assert_eq!(script.try_move(O, 1), Err(RejectCode::GameOver));
    assert_eq!(script.outcome(), Some(&Outcome::Flag { winner: X }));
    assert_eq!(script.room.game().left(99_000), Some([8_000, 0]));
}

#[test]
fn a_flag_can_be_claimed() {
    let script = RoomScript::new("3x3:3", Some("10s+0"));
    let decided = script
        .room
        .decide(10_000, O, RequestId::new(1).unwrap(), RoomCommand::Flag)
        .unwrap();
    let ended = Event::Ended {
        outcome: Outcome::Flag { winner: O },
        left: Some([0, 10_000]),
    };
    assert_eq!(decided, Decision::Events(vec![ended]));
    let mut script = RoomScript::new("3x3:3", None);
    assert_eq!(
        script.request(X, RoomCommand::Flag),
        Err(RejectCode::FlagNotFallen)
    );
}

#[test]
fn credited_time_is_excluded_and_replayed_from_the_next_move() {
    let mut script = RoomScript::new("3x3:3", Some("10s+0"));
    script.now = 4_000;
    script.room.credit_time(3_000);
    assert_eq!(script.room.poll_timeout(), Some(13_000));
    let moved = script.try_move(X, 0).unwrap();
    assert_eq!(
        moved,
        [Event::Moved {
            seat: X,
            cell: Cell::new(0),
            left: Some([9_000, 10_000])
        }]
    );
    let replayed = Room::replay(&script.to_stored_room(), TIMEOUTS.into(), 4_000).unwrap();
    assert_eq!(replayed.game().left(4_000), script.room.game().left(4_000));
}

#[test]
fn an_outage_is_excluded_from_the_clocks() {
    let mut script = RoomScript::new("3x3:3", Some("1+0"));
    script.now = 10_000;
    script.play(&[4]);
    let room = Room::replay(&script.to_stored_room(), TIMEOUTS.into(), 9_000_000).unwrap();
    assert_eq!(room.game().left(9_000_000), Some([50_000, 60_000]));
    assert_eq!(
        room.game().left(9_005_000),
        Some([50_000, 60_000]),
        "not before the players had time to return"
    );
    assert_eq!(room.game().left(9_006_000), Some([50_000, 59_000]));
    assert_eq!(room.connectivity(X), Connectivity::Disconnected(9_000_000));
    let late = 10 * TIMEOUTS.game_idle_timeout;
    let room = Room::replay(&script.to_stored_room(), TIMEOUTS.into(), late).unwrap();
    assert_eq!(
        room.decide_timeout(late),
        [],
        "the outage does not count as idle time"
    );
}

#[test]
fn time_used_before_an_outage_still_counts() {
    let mut script = RoomScript::new("3x3:3", Some("1+0"));
    script.now = 10_000;
    script.play(&[4]);
    script.now = 20_000;
    script.request(X, offer(Offer::Draw)).unwrap();
    let stored = script.to_stored_room();
    // For each of the two events since the last change of the board, half a second is credited: the log may have used it.
    for (uptime, left) in [
        ("", 60_000_u64),
        ("0-10500", 60_000),
        ("0-40000", 31_000),
        ("25000-40000", 46_000),
        // Several runs; the clock of the machine is never set back.
        ("0-40000 1000000-1005000 2000000-2005000", 21_000),
        // No flag falls before a player had time to return.
        ("0-9999999", 1),
    ] {
        let uptime = uptime.parse().unwrap();
        let room = Room::restore(&stored, TIMEOUTS.into(), 9_000_000, &uptime).unwrap();
        for (now, left) in [
            (9_000_000, left),
            (9_005_000, left),
            (9_006_000, left.saturating_sub(1_000)),
        ] {
            assert_eq!(
                room.game().left(now),
                Some([50_000, left]),
                "{uptime} at {now}"
            );
        }
        // A checkpoint contains the stored time, so that uptime is charged only once.
        let checkpoint = room.checkpoint().expect("a running game");
        let again = StoredRoom {
            checkpoint: Some(checkpoint),
            events: Vec::new(),
        };
        let room = Room::restore(&again, TIMEOUTS.into(), 9_000_000, &uptime).unwrap();
        assert_eq!(
            room.game().left(9_000_000),
            Some([50_000, left]),
            "{uptime}"
        );
    }
}

#[test]
fn the_first_move_of_each_side_is_free_in_a_room_with_free_first_moves() {
    let mut script = RoomScript::waiting_with("3x3:3", Some("1+2"), true);
    script.take_seat("Bob", None).unwrap();
    script.now = 40_000;
    assert_eq!(
        script.room.game().left(script.now),
        Some([60_000; 2]),
        "the clocks stand still"
    );
    let state = script.room.game().snapshot(script.now);
    assert_eq!(
        (state.left, state.shown),
        (Some([20_000, 60_000]), Some([60_000; 2]))
    );
    let full = Some([60_000; 2]);
    assert_eq!(
        script.try_move(X, 0).unwrap(),
        [Event::Moved {
            seat: X,
            cell: Cell::new(0),
            left: full
        }]
    );
    script.now = 90_000;
    assert_eq!(
        script.try_move(O, 1).unwrap(),
        [Event::Moved {
            seat: O,
            cell: Cell::new(1),
            left: full
        }]
    );
    script.now = 100_000;
    let charged = Event::Moved {
        seat: X,
        cell: Cell::new(2),
        left: Some([52_000, 60_000]),
    };
    assert_eq!(script.try_move(X, 2).unwrap(), [charged]);
    // Replay and checkpoint know the kind of the room.
    let replayed = Room::replay(&script.to_stored_room(), TIMEOUTS.into(), 100_000).unwrap();
    assert!(replayed.game().has_free_first_moves());
}

#[test]
fn a_free_first_move_has_the_time_of_the_player_as_its_limit() {
    let mut script = RoomScript::waiting_with("3x3:3", Some("1+0"), true);
    script.take_seat("Bob", None).unwrap();
    assert_eq!(script.room.poll_timeout(), Some(60_000));
    script.now = 30_000;
    let checkpoint = script.room.checkpoint().expect("a running game");
    let stored = StoredRoom {
        checkpoint: Some(checkpoint),
        events: Vec::new(),
    };
    let restored = Room::restore(
        &stored,
        TIMEOUTS.into(),
        900_000,
        &"0-30500".parse().unwrap(),
    )
    .unwrap();
    assert_eq!(restored.game().left(910_000), Some([60_000; 2]));
    assert_eq!(
        restored.poll_timeout(),
        Some(905_000 + 30_000),
        "half a minute was used before the outage"
    );
    script.now = 60_000;
    assert_eq!(script.try_move(X, 1), Err(RejectCode::GameOver));
    assert_eq!(script.outcome(), Some(&Outcome::Flag { winner: O }));
    assert_eq!(script.room.game().left(99_000), Some([0, 60_000]));
}
