use super::*;
use crate::connection::SendError;
use crate::facts::MenuItem;
use crate::io::io_error::LocalizableIoError;
use crate::model::{Screen, Stage};
use noughts_protocol::wire::{LobbyView, Notice, Presence};

#[test]
fn a_seek_leads_to_a_game() {
    let mut player = TestPlayer::connecting(Mode::Full, ServerUrl::local(), seek_goal());
    assert!(matches!(player.effects[..], [Effect::Connect]));
    player.connect();
    assert_eq!(
        player.sent,
        [serde_json::to_string(&seek_goal().request()).unwrap()]
    );
    player.confirm_last();
    assert_eq!(player.session().stage, Stage::Seeking);
    player.receive_message(TestRoom::in_game("3x3:3", None).snapshot(Some(Seat::X)));
    assert!(matches!(player.model.screen, Screen::Game(_)));
    assert_eq!(
        player.last_output(),
        "Game 1, tic-tac-toe 3x3. You are X, Bob is O. Your move."
    );
}

#[test]
fn a_seek_that_is_rejected_while_it_waits_is_over() {
    let mut player = TestPlayer::connecting(Mode::Full, ServerUrl::local(), seek_goal());
    player.connect();
    let seek = player.last_id().get();
    player.confirm_last();
    player.effects.clear();
    player.reject(seek, RejectCode::Unavailable);
    assert_eq!(player.quit, Some(Exit::Rejected));
    assert!(
        matches!(player.effects[..], [Effect::Disconnect]),
        "{:?}",
        player.effects
    );
}

#[test]
fn one_move_is_pending_until_the_server_confirms_it() {
    let mut host = TestRoom::in_game("3x3:3", None);
    let mut player = TestPlayer::seated(Mode::Full, &host);
    player.sent.clear();
    player.take_output();
    player.type_letters("51");
    assert_eq!(player.sent, [move_json(4, 4)]);
    assert_eq!(player.take_output(), ["Your move is being sent."]);
    assert!(player.view().pending_move.is_some());
    assert_eq!(player.ply(), 0, "the board changed before the event");
    let by = Some(RequestRef {
        seat: Seat::X,
        id: player.last_id(),
    });
    let left = None;
    player.receive_message(host.apply_event_by(
        Event::Moved {
            seat: Seat::X,
            cell: Cell::new(4),
            left,
        },
        by,
    ));
    let view = player.view();
    assert_eq!((view.pending_move, view.game.position().ply()), (None, 1));
}

#[test]
fn a_rejected_move_is_reported_and_can_be_repeated() {
    let host = TestRoom::in_game("3x3:3", None);
    let mut player = TestPlayer::seated(Mode::Full, &host);
    for (code, text) in [
        (RejectCode::Stale, "Rejected: the position has changed."),
        (RejectCode::CellTaken, "Rejected: the cell is taken."),
        (RejectCode::Busy, "Rejected: the server is busy; try again."),
    ] {
        player.type_letters("5");
        player.take_output();
        player.reject_last(code);
        assert_eq!(player.take_output(), [text]);
        assert!(player.view().pending_move.is_none());
    }
}

#[test]
fn a_person_aborts_instead_of_resigning_before_both_have_moved() {
    let mut host = TestRoom::in_game("3x3:3", None);
    let mut player = TestPlayer::seated(INTERACTIVE, &host);
    player.connect();
    player.receive_message(host.snapshot(Some(Seat::X)));
    for (cells, command) in [("b2", RoomCommand::Abort), ("a1", RoomCommand::Resign)] {
        player.receive_message(host.play(cells));
        player.sent.clear();
        player.type_line("resign");
        assert_eq!(player.sent, [command_json(command)], "after {cells}");
        player.reject_last(RejectCode::Busy);
    }
}

#[test]
fn an_illegal_move_is_not_sent() {
    let mut host = TestRoom::in_game("3x3:3", None);
    let mut player = TestPlayer::seated(Mode::Full, &host);
    player.receive_message(host.play("b2"));
    player.sent.clear();
    for (keys, text) in [
        ("1", "Not your turn yet."),
        ("x", "There is no offer to answer."),
        ("a", "There is no offer to answer."),
    ] {
        player.take_output();
        player.type_letters(keys);
        assert_eq!(player.take_output(), [text], "{keys}");
    }
    player.receive_message(host.play("a1"));
    player.take_output();
    player.type_letters("5");
    assert_eq!(player.take_output(), ["5 is taken. Try another cell."]);
    assert!(player.sent.is_empty());
}

#[test]
fn missing_events_are_requested_once_and_duplicates_ignored() {
    let mut host = TestRoom::in_game("3x3:3", None);
    let mut player = TestPlayer::seated(Mode::Full, &host);
    let first = host.play("b2");
    let (second, third) = (host.play("a1"), host.play("c1"));
    player.receive_message(first.clone());
    player.receive_message(first);
    player.sent.clear();
    player.receive_message(third.clone());
    player.receive_message(third.clone());
    assert_eq!(
        player.sent,
        [lobby_json(SessionRequest::Sync { seq: Seq::new(5) })],
        "the gap was requested more than once"
    );
    player.receive_message(second);
    player.receive_message(third);
    assert_eq!(player.view().game.seq(), host.game.seq());
    player.receive_message(host.snapshot(Some(Seat::X)));
    assert_eq!(player.view().game.position(), host.game.position());
}

#[test]
fn a_disconnect_is_reported_once_and_the_pending_move_stays() {
    let host = TestRoom::in_game("3x3:3", None);
    let mut player = TestPlayer::seated(INTERACTIVE, &host);
    player.type_line("b2");
    player.take_output();
    let offline = |attempt| ConnectionEvent::Disconnected {
        attempt,
        retry_in: secs(attempt.into()),
        reason: DisconnectReason::Silent,
    };
    player.receive(offline(1));
    player.receive(ConnectionEvent::Connecting { attempt: 1 });
    player.receive(offline(2));
    assert_eq!(
        player.take_output(),
        ["Connection lost: no data from the server. Reconnecting in 1 s."]
    );
    assert!(matches!(
        player.session().stage,
        Stage::Reconnecting { attempt: 2, .. }
    ));
    player.sent.clear();
    player.connect();
    assert_eq!(player.take_output(), ["Reconnected."]);
    assert!(
        player.sent.is_empty(),
        "the connection resumes the seat and retransmits the move, not the fold"
    );
    assert!(player.view().pending_move.is_some());
}

#[test]
fn an_opponent_that_returned_during_an_outage_is_connected() {
    let host = TestRoom::in_game("3x3:3", None);
    let mut player = TestPlayer::seated(INTERACTIVE, &host);
    let notice = Notice::Presence {
        seat: Seat::O,
        presence: Presence::Disconnected,
        claim_in_ms: Some(60_000),
    };
    player.receive_message(notice_message(notice));
    let presence =
        |player: &TestPlayer| player.view().room().unwrap().presence[Seat::O.index()].presence;
    assert_eq!(presence(&player), Presence::Disconnected);
    player.disconnect(1, 1);
    player.connect();
    assert_eq!(presence(&player), Presence::Connected);
}

#[test]
fn goals_are_requested_again_after_a_reconnect() {
    let mut player = TestPlayer::online(Mode::Full, seek_goal());
    player.confirm_last();
    player.sent.clear();
    player.connect();
    assert_eq!(
        player.sent,
        [serde_json::to_string(&seek_goal().request()).unwrap()]
    );

    // The connection rejoins the room automatically.
    let mut watcher =
        TestPlayer::online(Mode::Full, SessionGoal::Watch("k7qf3mzx".parse().unwrap()));
    watcher.receive_message(TestRoom::in_game("3x3:3", None).snapshot(None));
    watcher.sent.clear();
    watcher.connect();
    assert!(watcher.sent.is_empty());
    watcher.reject(999, RejectCode::UnknownRoom);
    assert!(
        watcher.view().room().unwrap().gone_since.is_some(),
        "the board is gone"
    );
}

#[test]
fn an_unavailable_room_keeps_its_board() {
    let host = TestRoom::in_game("3x3:3", Some("5+0"));
    let mut player = TestPlayer::seated(Mode::Full, &host);
    player.reject(999, RejectCode::UnknownRoom);
    assert!(player.model.deadline().is_none(), "a clock still runs");
    player.sent.clear();
    player.type_letters("5=");
    assert!(player.sent.is_empty(), "{:?}", player.sent);
    player.type_letters("e");
    assert_eq!(player.model.key_context(), KeyContext::Analysis);
    player.press(&[Key::Esc]);
    player.type_letters("q");
    assert_eq!(player.quit, Some(Exit::ConnectionLost));
}

#[test]
fn each_termination_has_its_exit_code() {
    let cannot_connect = TerminationReason::CannotConnect(DisconnectReason::Timeout);
    let version = TerminationReason::Rejected(Reject::new(RejectCode::Version));
    for (reason, exit) in [
        (cannot_connect, Exit::CannotConnect),
        (version, Exit::Rejected),
        (
            TerminationReason::GaveUp(DisconnectReason::Silent),
            Exit::ConnectionLost,
        ),
    ] {
        let mut player = TestPlayer::online(SCRIPT, seek_goal());
        player.receive(ConnectionEvent::Terminated(reason));
        assert_eq!(player.quit, Some(exit));
    }
    let mut refused = TestPlayer::online(SCRIPT, SessionGoal::Join("k7qf3mzx".parse().unwrap()));
    refused.reject_last(RejectCode::RoomFull);
    assert_eq!(refused.quit, Some(Exit::Rejected));
    assert_eq!(
        refused.last_output(),
        "Both seats are taken. To watch: noughts watch CODE, with the code of the room."
    );
}

#[test]
fn a_rejected_invitation_is_in_the_next_form() {
    let mut player = TestPlayer::new(Mode::Full, InitialAction::Home);
    for invite in ["abcd-efgh-jkmn", "games.example.org#abcd-efgh-jkmn"] {
        let menu = player.model.menu_items();
        let index = menu.iter().position(|item| *item == MenuItem::Join);
        player.press(&vec![Key::Down; index.unwrap()]);
        player.press(&[Key::Enter, Key::Ctrl('u')]);
        player.type_letters(invite);
        player.press(&[Key::Enter]);
        player.connect();
        player.reject_last(RejectCode::UnknownRoom);
        assert!(player.model.screen.is_home());
        player.press(&vec![Key::Down; index.unwrap()]);
        player.press(&[Key::Enter]);
        assert_eq!(player.field_text(0), invite);
        player.press(&[Key::Esc]);
    }
}

#[test]
fn a_failure_returns_to_the_home_menu() {
    let mut player = TestPlayer::new(Mode::Full, InitialAction::Home);
    player.press(&[Key::Enter, Key::Enter, Key::Enter]);
    assert!(matches!(player.model.screen, Screen::Waiting));
    player.terminate(TerminationReason::CannotConnect(DisconnectReason::Timeout));
    assert!(matches!(player.model.screen, Screen::Home { .. }));
    assert_eq!(player.quit, None);
    assert_eq!(
        player.last_output(),
        "Cannot connect to ws://127.0.0.1:7878/ws: timed out."
    );
}

#[test]
fn the_next_opponent_is_sought_in_the_same_game() {
    let mut host = TestRoom::in_game("connect4", Some("5+3"));
    let mut player = TestPlayer::seated(Mode::Full, &host);
    player.type_letters("n");
    assert!(
        player.model.game_view().is_some(),
        "the key leaves a game in progress"
    );
    let outcome = Outcome::Resigned { winner: Seat::X };
    player.receive_message(host.apply_event(Event::Ended {
        outcome,
        left: Some([1, 1]),
    }));
    player.sent.clear();
    player.effects.clear();
    player.advance(1_000);
    player.type_letters("n");
    assert_eq!(player.sent, [lobby_json(SessionRequest::Leave)]);
    assert!(
        matches!(player.effects[..], [Effect::Disconnect, Effect::Connect]),
        "{:?}",
        player.effects
    );
    assert!(matches!(player.model.screen, Screen::Waiting));
    let session = player.session();
    let (rules, clock) = ("connect4".parse().unwrap(), "5+3".parse().ok());
    assert_eq!(
        session.goal,
        SessionGoal::Seek {
            rules,
            clock,
            seat: None,
            opponents: Some(PlayerKind::Person),
        }
    );
}

#[test]
fn a_failed_send_is_reported() {
    let host = TestRoom::in_game("3x3:3", None);
    let mut player = TestPlayer::seated(Mode::Full, &host);
    player.type_letters("5");
    player.feed(Msg::SendFailed {
        request: Some(crate::facts::PendingRequest::Move(Cell::new(4))),
        error: SendError::Busy,
    });
    assert!(player.view().pending_move.is_none());
    assert_eq!(
        player.last_output(),
        "Too many unsent moves. Wait for the connection."
    );
}

#[test]
fn an_inconsistent_snapshot_is_ignored() {
    let host = TestRoom::in_game("3x3:3", None);
    let mut player = TestPlayer::seated(Mode::Full, &host);
    let mut state = host.state();
    state.moves = vec![Cell::new(0), Cell::new(0)];
    let role = OwnRole {
        seat: Some(Seat::X),
        token: None,
        code: None,
    };
    player.receive_message(Message::Snapshot {
        re: None,
        room: room_id(),
        role,
        state,
    });
    assert_eq!(player.ply(), 0);
}

#[test]
fn a_change_of_the_lobby_keeps_the_selected_room() {
    let view = |rooms: [&str; 3]| LobbyView {
        rooms: rooms.map(|room| listing(room, Phase::Playing)).into(),
        ..LobbyView::default()
    };
    let before = view(["00000000", "11111111", "22222222"]);
    let after = view(["33333333", "00000000", "11111111"]);
    let mut player = TestPlayer::online(Mode::Full, SessionGoal::Browse);
    player.receive_message(Message::Lobby {
        re: Some(player.last_id()),
        at: 0,
        view: before.clone(),
    });
    player.press(&[Key::Down]);
    let change = before.changes_to(&after);
    player.receive_message(Message::LobbyChanged { at: 0, change });
    let Screen::Lobby(lobby) = &player.model.screen else {
        panic!("the list is closed")
    };
    assert_eq!(lobby.selected, 2, "another room is selected");
}

#[test]
fn without_a_server_the_error_suggests_alternatives() {
    let mut player = TestPlayer::new(Mode::Full, InitialAction::Home);
    player.press(&[Key::Enter, Key::Enter, Key::Enter]);
    let refused = DisconnectReason::Io(LocalizableIoError::other("refused"));
    player.receive(ConnectionEvent::Terminated(
        TerminationReason::CannotConnect(refused.clone()),
    ));
    let output = player.last_output();
    assert!(
        output.contains("No server at 127.0.0.1:7878") && output.contains("noughts-server"),
        "{output}"
    );
    assert!(
        matches!(player.model.screen, Screen::Home { .. }) && player.model.notification.is_some()
    );
    player.type_letters("b");
    assert!(
        matches!(&player.model.screen, Screen::Form(form) if form.kind == crate::facts::FormKind::Bot)
    );
    // A server that the player has named appears in the text.
    let named_server: ServerUrl = "games.example.org".parse().unwrap();
    let output = Lang::default()
        .texts()
        .close_reason(&TerminationReason::CannotConnect(refused), &named_server);
    assert!(output.starts_with("Cannot connect to"), "{output}");
}
