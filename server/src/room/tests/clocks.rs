//! Clocks: flags, and the time that is credited or charged after a restart.

use super::*;

#[test]
fn a_flag_falls_on_its_deadline_before_any_late_move() {
    let mut script = RoomScript::new("3x3:3", Some("10s+2"));
    script.now = 4_000;
    assert_eq!(script.left_after_move(X, 0), Some([8_000, 10_000]));
    script.expect_reject(X, RoomCommand::Flag, RejectCode::FlagNotFallen);
    assert_eq!(script.room.poll_timeout(), Some(14_000));
    script.now = 13_999;
    script.expect_reject(X, RoomCommand::Flag, RejectCode::FlagNotFallen);
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
    script.expect_reject(X, RoomCommand::Flag, RejectCode::FlagNotFallen);
}

#[test]
fn credited_time_is_excluded_and_replayed_from_the_next_move() {
    let mut script = RoomScript::new("3x3:3", Some("10s+0"));
    script.now = 4_000;
    script.room.credit_time(3_000);
    assert_eq!(script.room.poll_timeout(), Some(13_000));
    assert_eq!(script.left_after_move(X, 0), Some([9_000, 10_000]));
    let replayed = Room::replay(&script.to_stored_room(), test_limits(), 4_000).unwrap();
    assert_eq!(replayed.game().left(4_000), script.room.game().left(4_000));
}

#[test]
fn an_outage_is_excluded_from_the_clocks() {
    let mut script = RoomScript::new("3x3:3", Some("1+0"));
    script.now = 10_000;
    script.play(&[4]);
    let room = Room::replay(&script.to_stored_room(), test_limits(), 9_000_000).unwrap();
    assert_eq!(room.game().left(9_000_000), Some([50_000, 60_000]));
    assert_eq!(
        room.game().left(9_005_000),
        Some([50_000, 60_000]),
        "not before the players had time to return"
    );
    assert_eq!(room.game().left(9_006_000), Some([50_000, 59_000]));
    assert_eq!(room.presence(X), SeatPresence::Disconnected(9_000_000));
    let late = 10 * GAME_IDLE_TIMEOUT;
    let room = Room::replay(&script.to_stored_room(), test_limits(), late).unwrap();
    assert_eq!(
        room.decide_timeout(late),
        [],
        "the outage does not count as idle time"
    );
}

#[test]
fn the_time_since_the_last_change_of_the_board_is_given_back_after_an_outage() {
    let mut script = RoomScript::new("3x3:3", Some("1+0"));
    script.now = 10_000;
    script.play(&[4]);
    script.now = 20_000;
    // The event of an offer does not record the time left.
    script.request(X, offer(Offer::Draw)).unwrap();
    script.now = 30_000;
    let checkpoint = script.room.checkpoint().expect("a running game");
    let from_checkpoint = StoredRoom {
        checkpoint: Some(checkpoint),
        events: Vec::new(),
    };
    for stored in [script.to_stored_room(), from_checkpoint] {
        let room = Room::replay(&stored, test_limits(), 9_000_000).unwrap();
        for (now, left) in [
            (9_000_000, 60_000),
            (9_005_000, 60_000),
            (9_006_000, 59_000),
        ] {
            assert_eq!(room.game().left(now), Some([50_000, left]), "at {now}");
        }
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
    assert_eq!(script.left_after_move(X, 0), full);
    script.now = 90_000;
    assert_eq!(script.left_after_move(O, 1), full);
    script.now = 100_000;
    assert_eq!(script.left_after_move(X, 2), Some([52_000, 60_000]));
    // A replay and a checkpoint keep the free first moves of the room.
    let replayed = Room::replay(&script.to_stored_room(), test_limits(), 100_000).unwrap();
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
    let restored = Room::replay(&stored, test_limits(), 900_000).unwrap();
    assert_eq!(restored.game().left(910_000), Some([60_000; 2]));
    assert_eq!(
        restored.game().snapshot(905_000).left,
        Some([60_000; 2]),
        "the time before the outage is given back"
    );
    script.now = 60_000;
    assert_eq!(script.try_move(X, 1), Err(RejectCode::GameOver));
    assert_eq!(script.outcome(), Some(&Outcome::Flag { winner: O }));
    assert_eq!(script.room.game().left(99_000), Some([0, 60_000]));
}
