//! Repeated requests and reused ids.

use super::*;

#[test]
fn a_retransmitted_request_is_applied_once() {
    let mut script = RoomScript::new("3x3:3", None);
    let seq = script.room.game().seq();
    let place = |cell| place(cell, seq);
    script.send(X, 7, place(4)).unwrap();
    let at = script.room.game().seq();
    assert_eq!(script.send(X, 7, place(4)), Ok(Decision::Duplicate(at)));
    script.expect_reuse(X, 7, place(5));
    script.expect_reuse(X, 7, RoomCommand::Resign);
    // The ids of one player do not depend on the ids of the opponent.
    let reply = super::place(0, at);
    assert!(matches!(script.send(O, 7, reply), Ok(Decision::Events(_))));
    // The repeated request is still recognized after later events and after a replay of the log.
    assert_eq!(script.send(X, 7, place(4)), Ok(Decision::Duplicate(at)));
    script.room = Room::replay(&script.to_stored_room(), test_limits(), script.now).unwrap();
    assert_eq!(script.send(X, 7, place(4)), Ok(Decision::Duplicate(at)));
}

/// A program that counts ids from 1 is restarted in the next game.
#[test]
fn an_id_of_an_earlier_game_is_reused_not_repeated() {
    let mut script = RoomScript::new("3x3:3", None);
    let place = |script: &RoomScript, cell| place(cell, script.room.game().seq());
    let first = place(&script, 4);
    script.send(X, 1, first).unwrap();
    let moved = script.room.game().seq();
    script.send(O, 1, offer(Offer::Draw)).unwrap();
    script.send(X, 2, decline(Offer::Draw)).unwrap();
    script.send(X, 3, RoomCommand::Resign).unwrap();
    script.send(O, 4, offer(Offer::Rematch)).unwrap();
    let offered = script.room.game().seq();
    script.send(X, 5, accept(Offer::Rematch)).unwrap();
    let started = script.room.game().seq();
    // The players have swapped seats.
    script.send(X, 6, place(&script, 0)).unwrap();
    for replayed in [false, true] {
        if replayed {
            script.room =
                Room::replay(&script.to_stored_room(), test_limits(), script.now).unwrap();
        }
        // The same move with another `seq` is a different request.
        script.expect_reuse(O, 1, place(&script, 4));
        assert_eq!(
            script.send(O, 1, first),
            Ok(Decision::Duplicate(moved)),
            "the same request"
        );
        script.expect_reuse(X, 1, offer(Offer::Draw));
        script.expect_reuse(O, 2, decline(Offer::Draw));
        script.expect_reuse(O, 3, RoomCommand::Resign);
        // These two requests may have been applied without the knowledge of their sender.
        assert_eq!(
            script.send(X, 4, offer(Offer::Rematch)),
            Ok(Decision::Duplicate(offered))
        );
        assert_eq!(
            script.send(O, 5, accept(Offer::Rematch)),
            Ok(Decision::Duplicate(started))
        );
    }
    script.send(O, 7, RoomCommand::Resign).unwrap();
    // The same id is used again for the next rematch.
    script.expect_reuse(X, 4, offer(Offer::Rematch));
}

#[test]
fn an_offer_of_a_rematch_can_be_repeated_after_the_opponent_ended_the_rematch() {
    let mut script = RoomScript::new("3x3:3", None);
    script.send(X, 1, RoomCommand::Resign).unwrap();
    script.send(O, 2, offer(Offer::Rematch)).unwrap();
    let offered = script.room.game().seq();
    script.send(X, 3, accept(Offer::Rematch)).unwrap();
    // The players have swapped seats. X has received nothing since the offer.
    script.send(O, 4, RoomCommand::Resign).unwrap();
    assert_eq!(
        script.send(X, 2, offer(Offer::Rematch)),
        Ok(Decision::Duplicate(offered))
    );
    script.room = Room::replay(&script.to_stored_room(), test_limits(), script.now).unwrap();
    assert_eq!(
        script.send(X, 2, offer(Offer::Rematch)),
        Ok(Decision::Duplicate(offered))
    );
}

#[test]
fn an_offer_of_a_rematch_cannot_be_repeated_after_its_sender_ended_the_rematch() {
    let mut script = RoomScript::new("3x3:3", None);
    script.send(X, 1, RoomCommand::Resign).unwrap();
    script.send(O, 2, offer(Offer::Rematch)).unwrap();
    script.send(X, 3, accept(Offer::Rematch)).unwrap();
    script.send(X, 4, RoomCommand::Resign).unwrap();
    script.expect_reuse(X, 2, offer(Offer::Rematch));
}

#[test]
fn a_move_of_the_same_game_with_another_seq_is_another_request() {
    let mut script = RoomScript::new("7x6:4+gravity", None);
    let first = script.room.game().seq();
    script.send(X, 1, place(3, first)).unwrap();
    let moved = script.room.game().seq();
    assert_eq!(
        script.send(X, 1, place(10, first)),
        Ok(Decision::Duplicate(moved)),
        "the same column"
    );
    script.send(O, 1, place(3, moved)).unwrap();
    let replied = script.room.game().seq();
    script.expect_reuse(X, 1, place(3, replied));
}
