//! Snapshots of the states of a session and of a game.

use noughts_protocol::wire::{Evaluation, RejectCode};
use noughts_protocol::{Cell, RoomCloseReason, Seq};

use super::*;
use crate::model::local_game::{LocalSetup, SeatAssignment};

#[test]
fn a_spectator_sees_an_earlier_position() {
    let mut host = TestRoom::in_game("3x3:3", Some("10s+0"));
    let watch = SessionGoal::Watch("k7qf3mzx".parse().unwrap());
    let mut player = TestPlayer::online(Mode::Full, watch);
    player.receive_message(host.snapshot(None));
    for cell in ["b2", "a1", "c1", "b1"] {
        player.receive_message(host.play(cell));
    }
    player.press(&[Key::Left, Key::Left]);
    check("behind", player.model);
}

#[test]
fn connecting_shows_the_server() {
    let form_result = FormResult::Server(ServerUrl::local(), "Ann".parse().unwrap(), seek_goal());
    check("connecting", TestPlayer::new(Mode::Full, InitialAction::Apply(form_result)).model);
}

#[test]
fn waiting_shows_the_command_for_the_friend() {
    let mut host = TestRoom::open("connect4", Some("5+3"));
    host.code = Some("abcd-efgh-jkmn".parse().unwrap());
    let goal =
        SessionGoal::Create { rules: *host.game.rules(), clock: None, seat: None, public: false, bot: None };
    let server: ServerUrl = "games.example.org".parse().unwrap();
    let mut player = TestPlayer::new(
        Mode::Full,
        InitialAction::Apply(FormResult::Server(server, "Ann".parse().unwrap(), goal)),
    );
    player.receive_message(host.snapshot(Some(Seat::X)));
    check("waiting", player.model);
}

#[test]
fn a_pending_move_is_marked_and_a_second_one_is_rejected() {
    let (mut player, _) = playing("3x3:3", None, &["b2", "a1"]);
    player.type_letters("3");
    player.press(&[Key::Down]);
    player.type_letters("2");
    check("pending", player.model);
}

#[test]
fn an_offer_and_the_absence_of_the_opponent_are_shown() {
    let (mut player, mut host) = playing("3x3:3", Some("5+3"), &["b2"]);
    player.receive_message(host.apply_event(Event::Offered { seat: Seat::O, offer: Offer::Draw }));
    player.receive_message(notice_message(Notice::Presence {
        seat: Seat::O,
        presence: Presence::Disconnected,
        claim_in_ms: Some(45_000),
    }));
    check("proposal", player.model);
}

#[test]
fn a_lost_connection_shows_the_next_attempt() {
    let (mut player, _) = playing("3x3:3", Some("5+3"), &["b2"]);
    player.receive(ConnectionEvent::Disconnected {
        attempt: 3,
        retry_in: std::time::Duration::from_secs(4),
        reason: DisconnectReason::PingTimeout,
    });
    check("offline", player.model);
}

#[test]
fn a_finished_game_shows_its_result_and_the_rematch_offer() {
    let (mut player, mut host) =
        playing("gomoku", None, &["h8", "a1", "i9", "b1", "j10", "c1", "k11", "d1", "l12"]);
    let outcome = host.game.position().outcome().unwrap();
    player.receive_message(host.apply_event(Event::Ended { outcome, left: None }));
    player.receive_message(host.apply_event(Event::Offered { seat: Seat::O, offer: Offer::Rematch }));
    check("result", player.model);
}

#[test]
fn a_spectator_sees_the_evaluation_of_an_engine() {
    let mut host = TestRoom::open("3x3:3", None);
    host.apply_event(seated_event(Seat::O, "Deep Three", PlayerKind::Bot));
    host.apply_event(Event::Started { game: 1 });
    let mut player = TestPlayer::online(Mode::Full, SessionGoal::Watch("k7qf3mzx".parse().unwrap()));
    player.receive_message(host.snapshot(None));
    player.receive_message(host.play("b2"));
    player.receive_message(notice_message(Notice::Remark {
        seat: Seat::O,
        seq: Seq::new(5),
        evaluation: Evaluation::Win(5),
        pv: vec![Cell::new(0), Cell::new(1)],
    }));
    check("watching", player.model);
}

#[test]
fn the_confirmation_and_the_command_line_are_shown() {
    let (mut player, _) = playing("3x3:3", None, &["b2"]);
    player.type_letters("q");
    check("question", player.model);
    let (mut player, _) = playing("3x3:3", None, &["b2"]);
    player.type_letters(":resi");
    check("command_line", player.model);
}

#[test]
fn a_rematch_shows_the_score_the_low_clock_and_the_spectators() {
    let (mut player, mut host) = playing("3x3:3", Some("10s+0"), &["b2", "a1", "c1", "b1", "a3"]);
    let outcome = host.game.position().outcome().unwrap();
    player.receive_message(host.apply_event(Event::Ended { outcome, left: Some([9000, 8000]) }));
    player.receive_message(host.apply_event(Event::Started { game: 2 }));
    player.receive_message(host.play("b2"));
    player.receive_message(notice_message(Notice::Lag { ms: [Some(1240), None] }));
    player.receive_message(notice_message(Notice::Spectators { spectators: 3 }));
    player.advance(2500);
    check("series", player.model);
}

#[test]
fn the_own_offer_is_shown() {
    let (mut player, mut host) = playing("3x3:3", None, &["b2"]);
    player.receive_message(host.apply_event(Event::Offered { seat: Seat::X, offer: Offer::Takeback }));
    check("own_proposal", player.model);
}

#[test]
fn an_absent_opponent_can_be_claimed_against_after_a_countdown() {
    let (mut player, _) = playing("3x3:3", None, &["b2"]);
    let presence_event =
        |presence, claim_in_ms| notice_message(Notice::Presence { seat: Seat::O, presence, claim_in_ms });
    player.receive_message(presence_event(Presence::Left, Some(10_000)));
    player.advance(2_000);
    check("left", player.model);
    let (mut player, _) = playing("3x3:3", None, &["b2"]);
    player.receive_message(presence_event(Presence::Disconnected, Some(3_000)));
    player.advance(3_000);
    check("claimable", player.model);
}

#[test]
fn a_restart_of_the_server_is_announced() {
    let (mut player, _) = playing("3x3:3", Some("5+3"), &["b2"]);
    player.receive_message(Message::Restarting { retry_after_ms: 2_000 });
    check("restarting", player.model);
}

#[test]
fn a_local_bot_is_shown_as_thinking() {
    let players = ["Ann".parse().unwrap(), "bot:hard".parse().unwrap()];
    let setup =
        LocalSetup { rules: "gomoku".parse().unwrap(), players, seat_assignment: SeatAssignment::AsGiven };
    let mut player = TestPlayer::new(Mode::Full, InitialAction::Apply(FormResult::Local(setup)));
    player.press(&[Key::Enter]);
    check("thinks", player.model);
}

#[test]
fn a_long_rejection_is_wrapped() {
    let (mut player, _) = playing("3x3:3", None, &["b2", "a1"]);
    player.type_letters("3");
    player.reject_last(RejectCode::Unavailable);
    check("refused", player.model);
}

#[test]
fn a_closed_room_keeps_its_board() {
    let (mut player, mut host) = playing("3x3:3", None, &["b2"]);
    player.receive_message(host.apply_event(Event::Closed { reason: RoomCloseReason::Deserted }));
    check("closed", player.model);
}
