//! Rooms that close, opponents who leave, and what remains on the screen.

use noughts_protocol::wire::{CloseCode, Evaluation};
use noughts_protocol::{Cell, RoomCloseReason, Seq};

use super::*;
use crate::facts::Exit;

#[test]
fn a_closed_room_keeps_its_result() {
    let mut host = TestRoom::in_game("3x3:3", None);
    let mut player = TestPlayer::watching(Mode::Full, &host);
    player.receive_moves(&mut host, &["b2", "a1", "c1", "b1", "a3"]);
    player.receive_message(host.end_on_board());
    player.receive_message(host.close(RoomCloseReason::Deserted));
    let screen = screen_text(&player, (80, 24));
    assert_shown(&screen, &["*** Ann WINS ***", "Room closed: both players"]);
    assert_hidden(&screen, &["LIVE"]);
    assert_shown(&screen_text(&player, (40, 12)), &["*** Ann WINS ***"]);
}

#[test]
fn the_end_of_the_server_is_shown_and_keeps_the_result() {
    let closed = || TerminationReason::Final(CloseCode::ServerClosed);
    let (mut player, mut host) = playing("3x3:3", None, &["b2"]);
    player.receive_message(host.end(Outcome::Resigned { winner: Seat::X }));
    player.terminate(closed());
    let screen = screen_text(&player, (80, 24));
    assert_shown(
        &screen,
        &[
            "*** YOU WIN ***   Bob resigned",
            "the host has closed the server.",
        ],
    );
    // A server that has ended has no opponents.
    assert_hidden(&screen, &["CONNECTION", "Rematch", "Next opponent"]);
    player.advance(1_000);
    player.type_letters("q");
    assert_eq!(player.quit, Some(Exit::Done));
    let (mut player, _) = playing("3x3:3", None, &["b2", "a1"]);
    player.receive_message(opponent_presence(Presence::Disconnected, Some(60_000)));
    player.terminate(closed());
    let screen = screen_text(&player, (80, 24));
    assert_shown(
        &screen,
        &[" !  Disconnected: the host has closed the server."],
    );
    assert_hidden(&screen, &["Esc menu", "to reconnect", "╔"]);
}

#[test]
fn a_lost_connection_keeps_the_result_on_the_screen() {
    let (mut player, mut host) = playing("3x3:3", None, &["b2"]);
    player.receive_message(host.end(Outcome::Resigned { winner: Seat::X }));
    player.disconnect(2, 4);
    let screen = screen_text(&player, (80, 24));
    assert_shown(&screen, &["*** YOU WIN ***   Bob resigned", "! offline"]);
    assert_hidden(&screen, &["CONNECTION LOST"]);
}

#[test]
fn an_opponent_who_has_left_is_offered_no_rematch() {
    let (mut player, mut host) = playing("3x3:3", None, &["b2"]);
    player.receive_message(host.end(Outcome::Resigned { winner: Seat::X }));
    assert_shown(
        &screen_text(&player, (80, 24)),
        &["Enter rematch", "n  Next opponent"],
    );
    player.receive_message(opponent_presence(Presence::Left, None));
    let screen = screen_text(&player, (80, 24));
    assert!(!screen.to_lowercase().contains("rematch"), "{screen}");
    assert_shown(&screen, &["> n  Next opponent", "Enter next opponent"]);
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
    player.receive_message(host.close(RoomCloseReason::Deserted));
    check_state("closed", player.model);
}

#[test]
fn an_earlier_position_has_no_evaluation_and_a_spectator_no_cursor() {
    let mut host = TestRoom::in_game("connect4", None);
    let mut player = TestPlayer::watching(Mode::Full, &host);
    player.receive_message(host.play("d1"));
    player.receive_message(notice_message(Notice::Remark {
        seat: Seat::O,
        seq: Seq::new(5),
        evaluation: Evaluation::Win(5),
        pv: vec![Cell::new(0)],
    }));
    let live = screen_text(&player, (80, 24));
    assert_shown(&live, &["Bob thinks: winning, expects"]);
    assert_hidden(&live, &["cursor", ">1<"]);
    player.press(&[Key::Left]);
    let earlier = screen_text(&player, (80, 24));
    assert_hidden(&earlier, &["thinks"]);
}
