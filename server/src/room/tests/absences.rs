//! Absent players: when the game may be claimed, and which rooms close.

use super::*;

#[test]
fn an_absence_can_be_claimed_on_the_absent_players_turn() {
    let claim = RoomCommand::Claim { result: Claim::Win };
    let mut script = RoomScript::new("3x3:3", None);
    script.set_connectivity(O, Connectivity::Disconnected(1_000));
    script.wait_until(61_000);
    assert_eq!(
        script.request(X, claim),
        Err(RejectCode::NotClaimable),
        "X is to move"
    );
    script.play(&[4]);
    assert_eq!(
        script.request(O, claim),
        Err(RejectCode::NotClaimable),
        "X is connected"
    );
    script.request(X, claim).unwrap();
    assert_eq!(
        script.outcome(),
        Some(&Outcome::Abandoned { winner: Some(X) })
    );
}

#[test]
fn a_claim_before_the_grace_period_is_rejected() {
    for (attendance, at) in [
        (Connectivity::Disconnected(5_000), 65_000),
        (Connectivity::Left(5_000), 15_000),
    ] {
        let mut script = RoomScript::new("3x3:3", None);
        script.play(&[4]);
        script.set_connectivity(O, attendance);
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
fn an_abandoned_game_ends_after_its_timeout() {
    let mut script = RoomScript::new("3x3:3", None);
    script.set_connectivity(O, Connectivity::Disconnected(7_000));
    script.wait_until(306_999);
    assert_eq!(script.phase(), Phase::Playing);
    script.wait_until(307_000);
    assert_eq!(
        script.outcome(),
        Some(&Outcome::Abandoned { winner: Some(X) })
    );
}

#[test]
fn a_player_who_reconnects_in_time_continues() {
    let mut script = RoomScript::new("3x3:3", None);
    script.set_connectivity(O, Connectivity::Disconnected(0));
    script.wait_until(299_999);
    script.set_connectivity(O, Connectivity::Connected);
    script.wait_until(400_000);
    script.play(&[4, 0]);
}

#[test]
fn a_game_that_both_players_left_closes_its_room() {
    let mut script = RoomScript::new("3x3:3", None);
    script.set_connectivity(X, Connectivity::Left(0));
    script.set_connectivity(O, Connectivity::Disconnected(2_000));
    script.wait_until(61_999);
    assert_eq!(script.phase(), Phase::Playing);
    script.wait_until(62_000);
    assert_eq!(script.phase(), Phase::Closed);
    assert_eq!(script.outcome(), Some(&Outcome::Abandoned { winner: None }));
    assert_eq!(script.room.poll_timeout(), None);
}

#[test]
fn a_waiting_room_closes_when_its_player_leaves() {
    for (attendance, at) in [
        (Connectivity::Left(500), 500),
        (Connectivity::Disconnected(500), 60_500),
    ] {
        let mut script = RoomScript::waiting("3x3:3", None);
        assert_eq!(script.room.poll_timeout(), Some(TIMEOUTS.room_idle_timeout));
        script.set_connectivity(X, attendance);
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
    waiting.wait_until(TIMEOUTS.room_idle_timeout);
    assert_eq!(
        waiting.room.game().close_reason(),
        Some(RoomCloseReason::Idle)
    );
    let mut playing = RoomScript::new("3x3:3", None);
    playing.wait_until(TIMEOUTS.game_idle_timeout);
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
    over.wait_until(TIMEOUTS.room_idle_timeout);
    assert_eq!(over.room.game().close_reason(), Some(RoomCloseReason::Idle));
}

#[test]
fn offers_do_not_reset_the_idle_timeout() {
    let mut script = RoomScript::new("3x3:3", None);
    while script.now < TIMEOUTS.game_idle_timeout - 600_000 {
        script.wait_until(script.now + 600_000);
        script.request(X, offer(Offer::Draw)).unwrap();
        script.request(O, decline(Offer::Draw)).unwrap();
    }
    script.wait_until(TIMEOUTS.game_idle_timeout);
    assert_eq!(
        script.room.game().close_reason(),
        Some(RoomCloseReason::Idle)
    );
}

#[test]
fn a_finished_room_stays_open_while_a_player_is_connected() {
    let mut script = RoomScript::new("3x3:3", None);
    script.request(X, RoomCommand::Resign).unwrap();
    script.set_connectivity(X, Connectivity::Left(0));
    script.wait_until(100_000);
    assert_eq!(script.phase(), Phase::Over);
    script.set_connectivity(O, Connectivity::Left(100_000));
    script.wait_until(100_000);
    assert_eq!(script.phase(), Phase::Closed);
}
