//! Rooms that close, opponents who leave, and what remains on the screen.

use noughts_protocol::wire::Evaluation;
use noughts_protocol::{Cell, RoomCloseReason, Seq};

use super::states::screen_text;
use super::*;

#[test]
fn a_closed_room_keeps_its_result() {
    let mut host = TestRoom::in_game("3x3:3", None);
    let mut player =
        TestPlayer::online(Mode::Full, SessionGoal::Watch("k7qf3mzx".parse().unwrap()));
    player.receive_message(host.snapshot(None));
    for cell in ["b2", "a1", "c1", "b1", "a3"] {
        player.receive_message(host.play(cell));
    }
    let outcome = host.game.position().outcome().unwrap();
    player.receive_message(host.apply_event(Event::Ended {
        outcome,
        left: None,
    }));
    player.receive_message(host.apply_event(Event::Closed {
        reason: RoomCloseReason::Deserted,
    }));
    let screen = screen_text(&player, (80, 24));
    assert!(
        screen.contains("*** Ann WINS ***") && screen.contains("Room closed: both players"),
        "{screen}"
    );
    assert!(!screen.contains("LIVE"), "{screen}");
    let screen = screen_text(&player, (40, 12));
    assert!(screen.contains("*** Ann WINS ***"), "{screen}");
}

#[test]
fn an_opponent_who_has_left_is_offered_no_rematch() {
    let (mut player, mut host) = playing("3x3:3", None, &["b2"]);
    let outcome = noughts_protocol::Outcome::Resigned { winner: Seat::X };
    player.receive_message(host.apply_event(Event::Ended {
        outcome,
        left: None,
    }));
    let screen = screen_text(&player, (80, 24));
    assert!(
        screen.contains("Enter rematch") && screen.contains("n next opponent"),
        "{screen}"
    );
    player.receive_message(notice_message(Notice::Presence {
        seat: Seat::O,
        presence: Presence::Left,
        claim_in_ms: None,
    }));
    let screen = screen_text(&player, (80, 24));
    assert!(!screen.to_lowercase().contains("rematch"), "{screen}");
    assert!(
        screen.contains("> n  Next opponent") && screen.contains("Enter next opponent"),
        "{screen}"
    );
    player.type_letters("?");
    let help = screen_text(&player, (80, 40));
    assert!(
        !help.contains(" rematch"),
        "the help offers a rematch: {help}"
    );
}

#[test]
fn a_closed_room_keeps_its_board() {
    let (mut player, mut host) = playing("3x3:3", None, &["b2"]);
    player.receive_message(host.apply_event(Event::Closed {
        reason: RoomCloseReason::Deserted,
    }));
    check_state("closed", player.model);
}

#[test]
fn an_earlier_position_has_no_evaluation_and_a_spectator_no_cursor() {
    let mut host = TestRoom::in_game("connect4", None);
    let mut player =
        TestPlayer::online(Mode::Full, SessionGoal::Watch("k7qf3mzx".parse().unwrap()));
    player.receive_message(host.snapshot(None));
    player.receive_message(host.play("d1"));
    player.receive_message(notice_message(Notice::Remark {
        seat: Seat::O,
        seq: Seq::new(5),
        evaluation: Evaluation::Win(5),
        pv: vec![Cell::new(0)],
    }));
    let live = screen_text(&player, (80, 24));
    assert!(
        live.contains("Engine") && !live.contains("cursor") && !live.contains(">1<"),
        "{live}"
    );
    player.press(&[Key::Left]);
    let earlier = screen_text(&player, (80, 24));
    assert!(!earlier.contains("Engine"), "{earlier}");
}
