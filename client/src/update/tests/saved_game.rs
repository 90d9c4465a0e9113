//! Saving, deleting and resuming games.

use noughts_protocol::wire::CloseCode;

use super::*;
use crate::facts::MenuItem;
use crate::io::io_error::LocalizableIoError;
use crate::io::saved_games::tests::saved_game;
use crate::io::saved_games::{SavedGame, SavedGameError};
use crate::model::Screen;

fn player_with_token(mode: Mode, host: &TestRoom) -> TestPlayer {
    let mut player = TestPlayer::online(mode, seek_goal());
    player.receive_message(host.snapshot_with_token(Seat::X));
    player
}

/// Returns the effects on saved games since the last call.
fn saved_game_effects(player: &mut TestPlayer) -> Vec<String> {
    let effects = std::mem::take(&mut player.effects)
        .into_iter()
        .filter_map(|effect| {
            if let Effect::SaveGame(game) = effect {
                let opponent = game.opponent.map(|name| name.to_string());
                Some(format!(
                    "save {} as {} against {opponent:?}",
                    game.room, game.seat
                ))
            } else if let Effect::DeleteSavedGame = effect {
                Some("delete".to_owned())
            } else if let Effect::LockSavedGame(game) = effect {
                Some(format!("lock {}", game.room))
            } else {
                None
            }
        });
    effects.collect()
}

const SAVED_GAME: &str = "save k7qf3mzx as X against Some(\"Bob\")";

#[test]
fn a_game_is_saved_while_it_is_in_progress() {
    let mut host = TestRoom::open("3x3:3", None);
    let mut player = player_with_token(INTERACTIVE, &host);
    assert_eq!(
        saved_game_effects(&mut player),
        ["save k7qf3mzx as X against None"],
        "a game without an opponent is saved too"
    );
    player.receive_message(host.apply_event(seated_event(Seat::O, "Bob", PlayerKind::Person)));
    player.receive_message(host.apply_event(Event::Started { game: 1 }));
    assert_eq!(saved_game_effects(&mut player), [SAVED_GAME]);
    player.receive_moves(&mut host, &["b2", "a1", "c1", "b1", "a3"]);
    assert!(
        saved_game_effects(&mut player).is_empty(),
        "a move changes nothing in the saved game"
    );
    player.receive_message(host.end_on_board());
    assert_eq!(saved_game_effects(&mut player), ["delete"]);
    player.receive_message(host.apply_event(Event::Started { game: 2 }));
    assert_eq!(
        saved_game_effects(&mut player),
        ["save k7qf3mzx as O against Some(\"Bob\")"]
    );
    player.receive_message(host.close(RoomCloseReason::Idle));
    assert_eq!(saved_game_effects(&mut player), ["delete"]);
}

#[test]
fn a_watched_game_is_not_saved() {
    let host = TestRoom::in_game("3x3:3", None);
    let mut watcher = TestPlayer::watching(Mode::Full, &host);
    assert!(saved_game_effects(&mut watcher).is_empty());
}

#[test]
fn a_deliberate_leave_deletes_the_saved_game_and_a_kill_does_not() {
    let mut host = TestRoom::in_game("3x3:3", None);
    for (msg, exit, requests, effects) in [
        (
            Msg::Signal(2),
            2,
            vec![lobby_json(SessionRequest::Leave)],
            vec!["delete"],
        ),
        (Msg::Signal(15), 15, vec![], vec![]),
        (Msg::Signal(1), 1, vec![], vec![]),
        (Msg::Input(Input::Hangup), 1, vec![], vec![]),
    ] {
        let mut player = player_with_token(Mode::Full, &host);
        saved_game_effects(&mut player);
        player.sent.clear();
        let context = format!("{msg:?}");
        player.feed(msg);
        assert_eq!(player.quit, Some(Exit::Signal(exit)), "{context}");
        assert_eq!(player.sent, requests, "{context}");
        assert_eq!(saved_game_effects(&mut player), effects, "{context}");
    }
    let mut player = player_with_token(Mode::Full, &host);
    saved_game_effects(&mut player);
    player.receive_moves(&mut host, &["b2", "a1"]);
    saved_game_effects(&mut player);
    player.sent.clear();
    player.type_letters("qy");
    assert_eq!(saved_game_effects(&mut player), ["delete"]);
    assert_eq!(
        player.sent,
        [
            command_json(RoomCommand::Resign),
            lobby_json(SessionRequest::Leave)
        ],
        "the opponent waits for a player who does not return"
    );
}

#[test]
fn ctrl_c_asks_during_a_game_and_a_second_one_keeps_the_seat() {
    let host = TestRoom::in_game("3x3:3", None);
    for (mode, msg) in [
        (
            Mode::Full,
            (|| Msg::Input(Input::Key(Key::Ctrl('c')))) as fn() -> Msg,
        ),
        (INTERACTIVE, || Msg::Signal(2)),
    ] {
        let mut player = player_with_token(mode, &host);
        saved_game_effects(&mut player);
        player.sent.clear();
        player.feed(msg());
        assert_eq!(player.quit, None, "{mode:?}");
        assert_eq!(
            player.model.key_context(),
            KeyContext::Confirmation,
            "{mode:?}"
        );
        player.feed(msg());
        assert_eq!(player.quit, Some(Exit::Signal(2)), "{mode:?}");
        assert_eq!(
            (saved_game_effects(&mut player), player.sent),
            (vec![], vec![]),
            "{mode:?}"
        );
    }
    // A script is not asked.
    let mut script = player_with_token(SCRIPT, &host);
    script.feed(Msg::Signal(2));
    assert_eq!(script.quit, Some(Exit::Signal(2)));
}

#[test]
fn ctrl_c_without_a_connection_keeps_the_saved_game() {
    let host = TestRoom::in_game("3x3:3", None);
    let mut player = player_with_token(Mode::Full, &host);
    saved_game_effects(&mut player);
    player.sent.clear();
    player.disconnect(1, 1);
    player.press(&[Key::Ctrl('c'), Key::Ctrl('c')]);
    assert_eq!(player.quit, Some(Exit::Signal(2)));
    assert_eq!(
        (saved_game_effects(&mut player), player.sent),
        (vec![], vec![])
    );
}

#[test]
fn the_end_of_the_server_deletes_the_saved_game() {
    let host = TestRoom::in_game("3x3:3", None);
    let mut line = player_with_token(SCRIPT, &host);
    saved_game_effects(&mut line);
    line.terminate(TerminationReason::Final(CloseCode::ServerClosed));
    assert_eq!(saved_game_effects(&mut line), ["delete"]);
    assert_eq!(
        (line.last_output(), line.quit),
        (
            "Disconnected: the host has closed the server.",
            Some(Exit::ConnectionLost)
        )
    );
}

#[test]
fn a_terminated_connection_keeps_the_saved_game() {
    let host = TestRoom::in_game("3x3:3", None);
    let gave_up =
        || ConnectionEvent::Terminated(TerminationReason::GaveUp(DisconnectReason::Silent));
    let mut line = player_with_token(SCRIPT, &host);
    saved_game_effects(&mut line);
    line.receive(gave_up());
    assert!(saved_game_effects(&mut line).is_empty());
    assert_eq!(
        line.last_output(),
        "Unfinished game: tic-tac-toe 3x3, vs Bob. Resume it with noughts continue."
    );
    let mut full = player_with_token(Mode::Full, &host);
    saved_game_effects(&mut full);
    full.receive(gave_up());
    full.type_letters("q");
    assert_eq!(
        (saved_game_effects(&mut full), full.quit),
        (vec![], Some(Exit::ConnectionLost))
    );
}

#[test]
fn an_expired_room_deletes_its_saved_game() {
    let host = TestRoom::in_game("3x3:3", None);
    for mode in [Mode::Full, INTERACTIVE] {
        let mut player = player_with_token(mode, &host);
        saved_game_effects(&mut player);
        let reject = Reject::new(RejectCode::UnknownRoom);
        player.receive_message(Message::Reject {
            re: RequestId::new(999),
            reject,
        });
        assert_eq!(saved_game_effects(&mut player), ["delete"]);
    }
}

#[test]
fn the_home_menu_lists_saved_games_first() {
    let games = || vec![saved_game("k7qf3mzx"), saved_game("00000000")];
    let mut player = TestPlayer::with_saved_games(Mode::Full, InitialAction::Home, games());
    assert_eq!(
        player.model.menu_items()[..3],
        [
            MenuItem::Continue(0),
            MenuItem::Continue(1),
            MenuItem::Quick
        ]
    );
    player.press(&[Key::Down, Key::Enter]);
    assert_eq!(saved_game_effects(&mut player), ["lock 00000000"]);
    let mut other = TestPlayer::with_saved_games(Mode::Full, InitialAction::Home, games());
    other.press(&[Key::Down, Key::Down, Key::Enter]);
    assert!(matches!(other.model.screen, Screen::Form(_)));
    assert!(saved_game_effects(&mut other).is_empty());

    let mut line = TestPlayer::with_saved_games(INTERACTIVE, InitialAction::Home, games());
    assert_eq!(line.output[1], "1  Continue      tic-tac-toe 3x3, vs Bob");
    assert_eq!(line.output[3], "3  Quick play    find an opponent");
    line.type_line("2");
    assert_eq!(saved_game_effects(&mut line), ["lock 00000000"]);
}

#[test]
fn the_start_of_another_game_mentions_the_saved_game() {
    let form_result =
        || FormResult::Server(ServerUrl::local(), "Ann".parse().unwrap(), seek_goal());
    let player = TestPlayer::with_saved_games(
        INTERACTIVE,
        InitialAction::Apply(form_result()),
        vec![saved_game("k7qf3mzx")],
    );
    assert_eq!(
        player.last_output(),
        "Unfinished game: tic-tac-toe 3x3, vs Bob. Resume it with noughts continue."
    );
    let player =
        TestPlayer::with_saved_games(INTERACTIVE, InitialAction::Apply(form_result()), Vec::new());
    assert_eq!(player.output, ["Connecting to ws://127.0.0.1:7878/ws."]);
}

/// Creates a player who resumes a game and has connected.
fn resuming_player(mode: Mode, game: SavedGame) -> TestPlayer {
    let mut player =
        TestPlayer::with_saved_games(mode, InitialAction::Continue(game.clone()), Vec::new());
    assert_eq!(saved_game_effects(&mut player), ["lock k7qf3mzx"]);
    assert!(
        player.sent.is_empty(),
        "a request was sent before the game was locked"
    );
    player.feed(Msg::SavedGameLocked(Ok(Box::new(game))));
    assert!(matches!(player.effects[..], [Effect::Connect]));
    player.connect();
    player
}

#[test]
fn a_saved_game_resumes_at_its_position() {
    let mut host = TestRoom::in_game("3x3:3", None);
    host.play("b2");
    host.play("a1");
    for mode in [Mode::Full, INTERACTIVE] {
        let mut player = resuming_player(mode, saved_game("k7qf3mzx"));
        let resume = SessionRequest::Resume {
            room: room_id(),
            token: Some(saved_game("k7qf3mzx").token),
            seq: None,
        };
        assert_eq!(player.sent, [lobby_json(resume)]);
        player.take_output();
        player.receive_message(host.snapshot_with_token(Seat::X));
        assert_eq!(
            player.take_output()[0],
            "You are X: Ann (X) vs Bob (O), tic-tac-toe 3x3, no clock. Your move."
        );
        assert!(player.view().can_move());
        assert!(
            saved_game_effects(&mut player).is_empty(),
            "the saved game was changed"
        );
        player.type_letters("q");
        player.type_line("q");
        player.type_letters("y");
        player.type_line("y");
        assert_eq!(saved_game_effects(&mut player), ["delete"]);
    }
}

#[test]
fn resuming_a_finished_game_reports_its_result() {
    let mut host = TestRoom::in_game("3x3:3", None);
    let outcome = Outcome::Abandoned {
        winner: Some(Seat::O),
    };
    host.end(outcome);
    let mut player = resuming_player(INTERACTIVE, saved_game("k7qf3mzx"));
    player.take_output();
    player.receive_message(host.snapshot_with_token(Seat::X));
    let output = player.take_output();
    assert_eq!(
        output[1],
        "You lost: you did not reconnect. Score: you 0 - 1 Bob, 0 draws."
    );
    assert_eq!(saved_game_effects(&mut player), ["delete"]);
}

#[test]
fn a_game_unknown_to_its_server_is_deleted_and_reported() {
    for (code, text, effects) in [
        (
            RejectCode::UnknownRoom,
            "This game is over, or its server has ended it: tic-tac-toe 3x3, vs Bob. For a new one: noughts play",
            vec!["delete"],
        ),
        (
            RejectCode::Busy,
            "Rejected: the server is busy; try again.",
            vec![],
        ),
        (
            RejectCode::Draining,
            "Rejected: the server starts no new games at present.",
            vec![],
        ),
    ] {
        let mut player = resuming_player(INTERACTIVE, saved_game("k7qf3mzx"));
        saved_game_effects(&mut player);
        player.reject_last(code);
        assert_eq!(player.last_output(), text);
        assert_eq!(saved_game_effects(&mut player), effects);
        assert_eq!(player.quit, Some(Exit::Rejected));
    }
    let mut offline = resuming_player(INTERACTIVE, saved_game("k7qf3mzx"));
    saved_game_effects(&mut offline);
    offline.terminate(TerminationReason::CannotConnect(DisconnectReason::Timeout));
    assert!(
        saved_game_effects(&mut offline).is_empty(),
        "the saved game is kept while the server cannot be reached"
    );
}

#[test]
fn a_game_that_cannot_be_locked_is_not_resumed() {
    for (error, text) in [
        (SavedGameError::Held, "This game is open in another window."),
        (SavedGameError::Gone, "This game can no longer be resumed."),
        (
            SavedGameError::Io(LocalizableIoError::other("disk\u{1b}")),
            "Cannot resume the game: disk.",
        ),
    ] {
        let mut player = TestPlayer::with_saved_games(
            INTERACTIVE,
            InitialAction::Continue(saved_game("k7qf3mzx")),
            Vec::new(),
        );
        player.feed(Msg::SavedGameLocked(Err(error.clone())));
        assert_eq!(
            (player.last_output(), player.quit),
            (text, Some(Exit::Usage))
        );
        let mut home = TestPlayer::with_saved_games(
            Mode::Full,
            InitialAction::Home,
            vec![saved_game("k7qf3mzx")],
        );
        home.press(&[Key::Enter]);
        home.feed(Msg::SavedGameLocked(Err(error)));
        assert!(matches!(home.model.screen, Screen::Home { .. }));
        assert_eq!((home.last_output(), home.quit), (text, None));
        assert!(home.sent.is_empty());
    }
}

#[test]
fn a_failed_save_is_reported_and_not_repeated() {
    let host = TestRoom::in_game("3x3:3", None);
    let mut player = player_with_token(INTERACTIVE, &host);
    player.feed(Msg::SaveGameFailed(SavedGameError::Io(
        LocalizableIoError::other("no space left"),
    )));
    assert_eq!(
        player.last_output(),
        "If this program is killed, you cannot resume this game: no space left."
    );
    saved_game_effects(&mut player);
    player.receive_message(notice_message(Notice::Spectators { count: 1 }));
    assert!(saved_game_effects(&mut player).is_empty());
}

#[test]
fn no_token_is_printed_or_shown_in_debug() {
    let host = TestRoom::in_game("3x3:3", None);
    let mut player = resuming_player(INTERACTIVE, saved_game("k7qf3mzx"));
    player.receive_message(host.snapshot_with_token(Seat::X));
    let token = saved_game("k7qf3mzx").token.to_string();
    assert!(!player.output.iter().any(|line| line.contains(&token)));
    assert!(!format!("{:?} {:?}", player.model, player.effects).contains(&token));
}
