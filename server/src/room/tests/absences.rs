//! Absent players: when the game may be claimed, and which rooms close.

use super::*;

#[test]
fn a_claim_before_the_grace_period_is_rejected() {
    for (attendance, at) in [
        (SeatPresence::Disconnected(5_000), 65_000),
        (SeatPresence::Left(5_000), 15_000),
    ] {
        let mut script = RoomScript::new("3x3:3", None);
        script.play(&[4]);
        script.set_presence(O, attendance);
        script.now = at - 1;
        let id = RequestId::new(99).unwrap();
        let reject = script
            .room
            .decide(
                script.now,
                X,
                id,
                RoomCommand::Claim {
                    result: Claim::Draw,
                },
            )
            .unwrap_err();
        assert_eq!(
            (reject.code, reject.wait_ms),
            (RejectCode::NotClaimable, Some(1))
        );
        script.now = at;
        script
            .request(
                X,
                RoomCommand::Claim {
                    result: Claim::Draw,
                },
            )
            .unwrap();
        assert_eq!(script.outcome(), Some(&Outcome::Abandoned { winner: None }));
    }
}

#[test]
fn a_waiting_room_closes_when_its_player_leaves() {
    for (attendance, at) in [
        (SeatPresence::Left(500), 500),
        (SeatPresence::Disconnected(500), 60_500),
    ] {
        let mut script = RoomScript::waiting("3x3:3", None);
        assert_eq!(script.room.poll_timeout(), Some(ROOM_IDLE_TIMEOUT));
        script.set_presence(X, attendance);
        assert_eq!(script.room.poll_timeout(), Some(at));
        script.wait_until(at);
        assert_eq!(
            script.room.game().close_reason(),
            Some(RoomCloseReason::Deserted)
        );
    }
}

#[test]
fn every_phase_has_an_idle_timeout() {
    let mut waiting = RoomScript::waiting("3x3:3", None);
    waiting.wait_until(ROOM_IDLE_TIMEOUT);
    assert_eq!(
        waiting.room.game().close_reason(),
        Some(RoomCloseReason::Idle)
    );
    let mut playing = RoomScript::new("3x3:3", None);
    playing.wait_until(GAME_IDLE_TIMEOUT);
    assert_eq!(
        playing.room.game().close_reason(),
        Some(RoomCloseReason::Idle)
    );
    assert_eq!(
        playing.outcome(),
        Some(&Outcome::Abandoned { winner: None })
    );
    let mut over = RoomScript::new("3x3:3", None);
    over.request(X, RoomCommand::Resign).unwrap();
    over.wait_until(ROOM_IDLE_TIMEOUT);
    assert_eq!(over.room.game().close_reason(), Some(RoomCloseReason::Idle));
}

#[test]
fn offers_do_not_reset_the_idle_timeout() {
    let mut script = RoomScript::new("3x3:3", None);
    while script.now < GAME_IDLE_TIMEOUT - 600_000 {
        script.wait_until(script.now + 600_000);
        script.request(X, offer(Offer::Draw)).unwrap();
        script.request(O, decline(Offer::Draw)).unwrap();
    }
    script.wait_until(GAME_IDLE_TIMEOUT);
    assert_eq!(
        script.room.game().close_reason(),
        Some(RoomCloseReason::Idle)
    );
}
