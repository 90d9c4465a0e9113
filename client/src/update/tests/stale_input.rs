//! Input that arrives after the state that the player saw has changed.

use super::test_lobby::lobby_view;
use super::*;
use crate::facts::{HostError, MenuItem};
use noughts_protocol::wire::LobbyView;

/// Creates a player in a lobby that the server pushes, without the request for it.
fn in_lobby(view: LobbyView) -> TestPlayer {
    let mut player = TestPlayer::in_lobby(view);
    player.sent.clear();
    player
}

/// Creates a player who plays X.
fn seated_player(mode: Mode, host: &TestRoom) -> TestPlayer {
    let mut player = TestPlayer::seated(mode, host);
    player.connect();
    player.receive_message(host.snapshot_with_token(Seat::X));
    player.sent.clear();
    player.effects.clear();
    player.take_output();
    player
}

#[test]
fn a_second_enter_sends_no_second_request() {
    let mut player = in_lobby(lobby_view(&[(7, "Zoe")], &["00000000"]));
    player.press(&[Key::Enter]);
    assert!(
        player.model.notification.is_some(),
        "the request is not shown"
    );
    player.press(&[Key::Down, Key::Enter, Key::Enter]);
    assert_eq!(player.sent, [r#"{"type":"accept_seek","seek":7}"#]);
    player.receive_message(TestRoom::in_game("3x3:3", None).snapshot(Some(Seat::X)));
    assert!(player.model.game_view().is_some() && player.model.notification.is_none());
}

#[test]
fn a_late_reject_of_a_goal_keeps_the_game() {
    let host = TestRoom::in_game("3x3:3", None);
    let mut player = TestPlayer::online(Mode::Full, seek_goal());
    let re = Some(player.last_id());
    player.receive_message(host.snapshot(Some(Seat::X)));
    player.receive_message(Message::Reject {
        re,
        reject: Reject::new(RejectCode::AlreadyInRoom),
    });
    assert_eq!((player.quit, player.model.session.is_some()), (None, true));
    assert!(player.model.game_view().is_some());
}

#[test]
fn nothing_in_the_lobby_is_entered_while_offline() {
    let mut player = in_lobby(lobby_view(&[(7, "Zoe")], &["00000000"]));
    player.disconnect(1, 1);
    player.take_output();
    player.press(&[Key::Enter, Key::Down, Key::Enter]);
    assert!(player.sent.is_empty(), "{:?}", player.sent);
    let stage = &player.session().stage;
    assert!(
        matches!(stage, crate::model::Stage::Reconnecting { .. }),
        "{stage:?}"
    );
    assert_eq!(player.take_output(), ["Disconnected."; 2]);
    player.connect();
    assert_eq!(player.sent, [r#"{"type":"lobby"}"#]);
}

#[test]
fn enter_does_not_choose_the_row_that_took_the_place_of_another() {
    let (before, after) = (
        lobby_view(&[(7, "Zoe"), (8, "Max")], &["00000000"]),
        lobby_view(&[(8, "Max")], &["00000000"]),
    );
    let mut player = in_lobby(before.clone());
    player.change_lobby(&before, &after);
    player.press(&[Key::Enter, Key::Char('w'), Key::Enter]);
    assert!(player.sent.is_empty(), "{:?}", player.sent);
    // The rows move into the gap, so the first step selects the next row.
    player.press(&[Key::Down, Key::Enter]);
    assert_eq!(player.sent, [r#"{"type":"accept_seek","seek":8}"#]);
    // The last row behaves in the same way.
    let (before, after) = (
        lobby_view(&[(7, "Zoe")], &["00000000", "11111111"]),
        lobby_view(&[(7, "Zoe")], &["00000000"]),
    );
    let mut player = in_lobby(before.clone());
    player.press(&[Key::End]);
    player.change_lobby(&before, &after);
    player.press(&[Key::Enter]);
    assert!(player.sent.is_empty(), "{:?}", player.sent);
    player.press(&[Key::Up, Key::Enter]);
    assert_eq!(player.sent, [r#"{"type":"join","room":"00000000"}"#]);
}

#[test]
fn leaving_does_not_resign_if_the_question_did_not_say_so() {
    let host = TestRoom::in_game("3x3:3", None);
    let mut player = seated_player(Mode::Full, &host);
    player.disconnect(1, 1);
    player.type_letters("q");
    player.connect();
    player.receive_message(host.snapshot(Some(Seat::X)));
    player.sent.clear();
    player.type_letters("y");
    assert_eq!(
        (player.quit, player.sent.len()),
        (Some(Exit::Done), 0),
        "{:?}",
        player.sent
    );
    assert_eq!(
        player.count_effects(|effect| matches!(effect, Effect::DeleteSavedGame)),
        0
    );
    assert_eq!(
        player.count_effects(|effect| matches!(effect, Effect::Disconnect)),
        1
    );
}

#[test]
fn the_end_of_a_game_closes_the_question_about_it() {
    let mut host = TestRoom::in_game("3x3:3", None);
    for cell in ["b2", "a1"] {
        host.play(cell);
    }
    let mut player = seated_player(INTERACTIVE, &host);
    player.type_line("q");
    player.receive_message(host.end(Outcome::Resigned { winner: Seat::X }));
    assert_eq!(player.last_output(), "Play again? y or n.");
    player.type_line("y");
    assert_eq!(player.quit, None);
    assert_eq!(
        player.sent,
        [command_json(RoomCommand::Offer {
            offer: Offer::Rematch
        })]
    );
}

#[test]
fn a_change_of_the_menu_keeps_its_selection_and_blocks_enter_for_a_second() {
    let mut host = TestRoom::in_game("3x3:3", None);
    let mut player = seated_player(Mode::Full, &host);
    player.receive_message(host.end(Outcome::Resigned { winner: Seat::X }));
    player.advance(5_000);
    // The opponent leaves, so "Rematch", which was selected, vanishes.
    let left = Notice::Presence {
        seat: Seat::O,
        presence: Presence::Left,
        claim_in_ms: None,
    };
    player.receive_message(notice_message(left.clone()));
    player.press(&[Key::Enter]);
    assert!(
        player.sent.is_empty() && player.model.session.is_some(),
        "{:?}",
        player.sent
    );
    player.advance(1_000);
    player.press(&[Key::Enter]);
    assert!(
        player.model.screen.is_waiting(),
        "the next opponent is sought"
    );

    // A selected entry other than "Rematch" stays selected.
    let mut player = seated_player(Mode::Full, &host);
    player.press(&[Key::Down, Key::Down]);
    player.receive_message(notice_message(left.clone()));
    player.advance(1_000);
    player.press(&[Key::Enter]);
    assert_eq!(player.model.key_context(), KeyContext::Analysis);
}

#[test]
fn a_cursor_key_at_the_end_of_a_game_does_not_leave_the_room() {
    let mut host = TestRoom::in_game("3x3:3", None);
    let mut player = seated_player(Mode::Full, &host);
    player.receive_message(host.end(Outcome::Resigned { winner: Seat::X }));
    player.type_letters("n");
    assert!(player.model.game_view().is_some() && player.sent.is_empty());
    player.advance(1_000);
    player.type_letters("n");
    assert!(player.model.screen.is_waiting());
}

#[test]
fn the_address_of_the_own_server_does_not_become_the_default() {
    let mut player = TestPlayer::new(Mode::Full, InitialAction::Home);
    let index = player
        .model
        .menu_items()
        .iter()
        .position(|item| *item == MenuItem::Host)
        .unwrap();
    player.press(&vec![Key::Down; index]);
    player.press(&[Key::Enter, Key::Enter, Key::Enter]);
    let configured = player.model.settings.server.clone();
    let own: Result<ServerUrl, HostError> = Ok("127.0.0.1:17880".parse().unwrap());
    player.feed(Msg::ServerStarted(own));
    player.connect();
    player.model.screen = crate::model::Screen::Lobby(Default::default());
    player.type_letters("n");
    assert!(player.model.screen.as_form().is_some());
    assert_eq!(player.model.settings.server, configured);
    // The address of another server becomes the default.
    let mut player = in_lobby(lobby_view(&[], &[]));
    player.model.session.as_mut().unwrap().server = "games.example.org".parse().unwrap();
    player.type_letters("n");
    assert_eq!(player.model.settings.server.host(), "games.example.org");
}

#[test]
fn claiming_a_draw_by_key_needs_an_answer() {
    let mut host = TestRoom::in_game("3x3:3", None);
    host.play("b2");
    let mut player = seated_player(Mode::Full, &host);
    let absent = |claim_in_ms| {
        let (seat, presence) = (Seat::O, Presence::Disconnected);
        notice_message(Notice::Presence {
            seat,
            presence,
            claim_in_ms: Some(claim_in_ms),
        })
    };
    player.receive_message(absent(0));
    player.type_letters("=");
    assert!(player.sent.is_empty(), "{:?}", player.sent);
    player.type_letters("n");
    assert!(player.sent.is_empty() && player.model.overlay.is_none());
    player.type_letters("=y");
    let claim = noughts_protocol::wire::Claim::Draw;
    assert_eq!(
        player.sent,
        [command_json(RoomCommand::Claim { result: claim })]
    );
}

#[test]
fn a_game_that_can_be_aborted_is_not_resigned() {
    let mut host = TestRoom::in_game("3x3:3", None);
    let mut player = seated_player(Mode::Full, &host);
    let assert_question = |player: &TestPlayer, text: &str| {
        let area = ratatui::layout::Rect::new(0, 0, 80, 24);
        let mut buffer = ratatui::buffer::Buffer::empty(area);
        ui::draw(&player.model, area, &mut buffer);
        let cells = buffer.content().iter();
        let screen: String = cells.map(ratatui::buffer::Cell::symbol).collect();
        assert!(screen.contains(text), "{text} is missing: {screen}");
    };
    player.press(&[Key::Esc]);
    assert_question(&player, "R  Abort without a result");
    player.type_letters("R");
    assert_question(&player, "Abort without a result?");
    player.type_letters("y");
    assert_eq!(player.sent, [command_json(RoomCommand::Abort)]);
    player.reject_last(RejectCode::Busy);
    player.sent.clear();
    player.type_letters("q");
    assert_question(&player, "Abort and leave this");
    // Both players move before the answer, so the question is asked again.
    player.receive_message(host.play("b2"));
    player.receive_message(host.play("a1"));
    player.type_letters("y");
    assert!(player.sent.is_empty() && player.quit.is_none());
    assert_question(&player, "Resign and leave this");
    player.type_letters("y");
    assert_eq!(
        player.sent,
        [
            command_json(RoomCommand::Resign),
            lobby_json(SessionRequest::Leave)
        ]
    );
}

#[test]
fn line_mode_reports_the_moves_and_the_result_of_an_outage() {
    for mode in [INTERACTIVE, SCRIPT] {
        let mut host = TestRoom::in_game("3x3:3", None);
        let mut watcher = TestPlayer::watching(mode, &host);
        watcher.receive_message(host.play("b2"));
        watcher.disconnect(1, 1);
        host.play("a1");
        host.play("c1");
        host.end(Outcome::Resigned { winner: Seat::X });
        watcher.connect();
        watcher.take_output();
        watcher.receive_message(host.snapshot(None));
        assert_eq!(
            watcher.take_output(),
            [
                "Bob (O) plays a1.",
                "Ann (X) plays c1.",
                "Ann (X) wins: Bob resigned. Score: Ann 1 - 0 Bob, 0 draws."
            ]
        );
        // The same snapshot reports nothing more.
        watcher.receive_message(host.snapshot(None));
        assert!(watcher.take_output().is_empty());
    }
}

#[test]
fn a_snapshot_reports_moves_taken_back_and_the_next_game() {
    let mut host = TestRoom::in_game("3x3:3", None);
    let mut watcher =
        TestPlayer::online(INTERACTIVE, SessionGoal::Watch("k7qf3mzx".parse().unwrap()));
    host.play("b2");
    host.play("a1");
    watcher.receive_message(host.snapshot(None));
    watcher.take_output();
    host.apply_event(Event::TakenBack {
        plies: 1,
        left: None,
    });
    host.play("c3");
    watcher.receive_message(host.snapshot(None));
    assert_eq!(
        watcher.take_output(),
        ["Move taken back.", "Bob (O) plays c3."]
    );
    host.end(Outcome::Resigned { winner: Seat::X });
    host.apply_event(Event::Started { game: 2 });
    host.play("a2");
    watcher.receive_message(host.snapshot(None));
    assert_eq!(
        watcher.take_output(),
        [
            "Game 2, tic-tac-toe 3x3. Bob is X, Ann is O.",
            "Bob (X) plays a2."
        ]
    );
}

#[test]
fn a_snapshot_of_the_next_game_or_of_its_end_resets_the_view() {
    let mut host = TestRoom::in_game("3x3:3", None);
    host.play("b2");
    host.play("a1");
    let mut player = seated_player(Mode::Full, &host);
    player.press(&[Key::Left]);
    player.type_letters("q");
    host.end(Outcome::Resigned { winner: Seat::X });
    player.receive_message(host.snapshot(Some(Seat::X)));
    assert!(
        player.model.overlay.is_none(),
        "a question about the game is still open"
    );
    player.press(&[Key::Enter]);
    assert!(
        player.sent.is_empty(),
        "Enter works within a second: {:?}",
        player.sent
    );
    player.advance(1_000);
    player.type_letters("e");
    assert_eq!(player.model.key_context(), KeyContext::Analysis);
    host.apply_event(Event::Started { game: 2 });
    player.receive_message(host.snapshot(Some(Seat::O)));
    let view = player.view();
    assert!(view.analysis.is_none() && view.viewed_ply.is_none() && view.ended_at.is_none());
}
