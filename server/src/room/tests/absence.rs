//! Who goes: what may be claimed and when, and which rooms close for it.

use super::*;

#[test]
fn an_absence_is_claimed_on_the_absent_ones_turn() {
    let claim = Command::Claim { result: Claim::Win };
    let mut script = Script::new("3x3:3", None);
    script.attend(O, Attendance::Away(1_000));
    script.wait_until(61_000);
    assert_eq!(script.ask(X, claim), Err(RejectCode::NotClaimable), "X is to move");
    script.play(&[4]);
    assert_eq!(script.ask(O, claim), Err(RejectCode::NotClaimable), "X is here");
    script.ask(X, claim).unwrap();
    assert_eq!(script.outcome(), Some(&Outcome::Abandoned { winner: Some(X) }));
}

#[test]
fn a_claim_comes_not_before_its_time() {
    for (attendance, at) in [(Attendance::Away(5_000), 65_000), (Attendance::Left(5_000), 15_000)] {
        let mut script = Script::new("3x3:3", None);
        script.play(&[4]);
        script.attend(O, attendance);
        script.now = at - 1;
        let id = RequestId::new(99).unwrap();
        let reject =
            script.room.decide(script.now, X, id, Command::Claim { result: Claim::Draw }).unwrap_err();
        assert_eq!((reject.code, reject.wait_ms), (RejectCode::NotClaimable, Some(1)));
        script.now = at;
        script.ask(X, Command::Claim { result: Claim::Draw }).unwrap();
        assert_eq!(script.outcome(), Some(&Outcome::Abandoned { winner: None }));
    }
}

#[test]
fn an_absent_players_game_ends_by_itself() {
    let mut script = Script::new("3x3:3", None);
    script.attend(O, Attendance::Away(7_000));
    script.wait_until(306_999);
    assert_eq!(script.phase(), Phase::Playing);
    script.wait_until(307_000);
    assert_eq!(script.outcome(), Some(&Outcome::Abandoned { winner: Some(X) }));
}

#[test]
fn who_comes_back_in_time_plays_on() {
    let mut script = Script::new("3x3:3", None);
    script.attend(O, Attendance::Away(0));
    script.wait_until(299_999);
    script.attend(O, Attendance::Here);
    script.wait_until(400_000);
    script.play(&[4, 0]);
}

#[test]
fn a_game_that_both_have_left_ends_with_its_room() {
    let mut script = Script::new("3x3:3", None);
    script.attend(X, Attendance::Left(0));
    script.attend(O, Attendance::Away(2_000));
    script.wait_until(61_999);
    assert_eq!(script.phase(), Phase::Playing);
    script.wait_until(62_000);
    assert_eq!(script.phase(), Phase::Closed);
    assert_eq!(script.outcome(), Some(&Outcome::Abandoned { winner: None }));
    assert_eq!(script.room.poll_timeout(), None);
}

#[test]
fn a_room_closes_with_the_one_who_waited() {
    for (attendance, at) in [(Attendance::Left(500), 500), (Attendance::Away(500), 60_500)] {
        let mut script = Script::waiting("3x3:3", None);
        assert_eq!(script.room.poll_timeout(), Some(PATIENCE.idle_room));
        script.attend(X, attendance);
        assert_eq!(script.room.poll_timeout(), Some(at));
        script.wait_until(at);
        assert_eq!(script.room.game().closing(), Some(Closing::Deserted));
    }
}

#[test]
fn nothing_waits_for_ever() {
    let mut waiting = Script::waiting("3x3:3", None);
    waiting.wait_until(PATIENCE.idle_room);
    assert_eq!(waiting.room.game().closing(), Some(Closing::Idle));
    let mut playing = Script::new("3x3:3", None);
    playing.wait_until(PATIENCE.idle_game);
    assert_eq!(playing.room.game().closing(), Some(Closing::Idle));
    assert_eq!(playing.outcome(), Some(&Outcome::Abandoned { winner: None }));
    let mut over = Script::new("3x3:3", None);
    over.ask(X, Command::Resign).unwrap();
    over.wait_until(PATIENCE.idle_room);
    assert_eq!(over.room.game().closing(), Some(Closing::Idle));
}

#[test]
fn offers_keep_no_room_alive() {
    let mut script = Script::new("3x3:3", None);
    while script.now < PATIENCE.idle_game - 600_000 {
        script.wait_until(script.now + 600_000);
        script.ask(X, offer(Offer::Draw)).unwrap();
        script.ask(O, decline(Offer::Draw)).unwrap();
    }
    script.wait_until(PATIENCE.idle_game);
    assert_eq!(script.room.game().closing(), Some(Closing::Idle));
}

#[test]
fn after_a_game_the_room_lasts_while_somebody_is_there() {
    let mut script = Script::new("3x3:3", None);
    script.ask(X, Command::Resign).unwrap();
    script.attend(X, Attendance::Left(0));
    script.wait_until(100_000);
    assert_eq!(script.phase(), Phase::Over);
    script.attend(O, Attendance::Left(100_000));
    script.wait_until(100_000);
    assert_eq!(script.phase(), Phase::Closed);
}
