//! A server that the player starts from the home menu.

use super::*;
use crate::facts::{FormKind, HostError, MenuItem};
use crate::model::Screen;

/// Creates a player who has submitted the form of the menu item and waits for the server.
fn hosting_player() -> TestPlayer {
    let mut player = TestPlayer::new(Mode::Full, InitialAction::Home);
    let index = player
        .model
        .menu_items()
        .iter()
        .position(|item| *item == MenuItem::Host)
        .unwrap();
    player.press(&vec![Key::Down; index]);
    player.press(&[Key::Enter]);
    assert!(
        player
            .model
            .screen
            .as_form()
            .is_some_and(|form| form.kind == FormKind::Host)
    );
    // The first Enter chooses the game in the list, and the second Enter submits the form.
    player.press(&[Key::Enter, Key::Enter]);
    player
}

#[test]
fn the_server_of_the_player_runs_as_long_as_its_session() {
    let mut player = hosting_player();
    let is_start =
        |effect: &Effect| matches!(effect, Effect::StartServer(port) if port.get() == 7878);
    assert_eq!(player.count_effects(is_start), 1, "{:?}", player.effects);
    assert_eq!(
        player.count_effects(|effect| matches!(effect, Effect::Connect)),
        0,
        "the server does not run yet"
    );
    player.feed(Msg::ServerStarted(Ok(ServerUrl::local())));
    player.connect();
    assert_eq!(
        player.sent,
        [r#"{"type":"create","rules":"3x3:3","public":false}"#]
    );
    assert_eq!(
        player.count_effects(|effect| matches!(effect, Effect::StopServer)),
        0
    );
    player.receive_message(TestRoom::open("3x3:3", None).snapshot(Some(Seat::X)));
    player.type_letters("q");
    assert!(player.model.screen.is_home());
    assert_eq!(
        player.count_effects(|effect| matches!(effect, Effect::StopServer)),
        1
    );
}

#[test]
fn a_server_that_cannot_start_leaves_the_form_open() {
    for (error, text) in [
        (
            HostError::PortTaken(7878),
            "Another program uses port 7878. Choose another port.",
        ),
        (
            HostError::NotInstalled,
            "The program noughts-server is not installed here. Install it: cargo install --path server",
        ),
        (HostError::TimedOut, "The server does not answer."),
        (
            HostError::Failed("no disk".to_owned()),
            "The server cannot start: no disk",
        ),
    ] {
        let mut player = hosting_player();
        player.take_output();
        player.feed(Msg::ServerStarted(Err(error)));
        assert_eq!(player.take_output(), [text]);
        assert!(
            player.model.notification.is_some(),
            "the full screen shows it"
        );
        assert!(player.model.screen.as_form().is_some() && player.model.hosting.is_none());
    }
}

#[test]
fn a_server_that_starts_after_the_player_left_is_stopped() {
    let mut player = hosting_player();
    player.press(&[Key::Esc]);
    assert!(matches!(player.model.screen, Screen::Home { .. }));
    player.effects.clear();
    player.feed(Msg::ServerStarted(Ok(ServerUrl::local())));
    assert!(
        matches!(player.effects[..], [Effect::StopServer]),
        "{:?}",
        player.effects
    );
    assert!(player.model.session.is_none());
}

/// Creates a player in a room on the player's own server.
fn player_in_own_room(room: &TestRoom) -> TestPlayer {
    let mut player = hosting_player();
    player.feed(Msg::ServerStarted(Ok(ServerUrl::local())));
    player.connect();
    player.receive_message(room.snapshot_with_token(Seat::X));
    player.effects.clear();
    player.sent.clear();
    player
}

#[test]
fn an_open_invitation_is_closed_only_after_a_question() {
    let mut player = player_in_own_room(&TestRoom::open("3x3:3", None));
    player.press(&[Key::Esc]);
    assert!(player.is_in_room() && player.model.overlay.is_some());
    player.press(&[Key::Esc]);
    assert!(player.is_in_room() && player.model.overlay.is_none());
    player.press(&[Key::Esc, Key::Char('y')]);
    assert!(!player.is_in_room());
}

fn stops(player: &TestPlayer) -> usize {
    player.count_effects(|effect| matches!(effect, Effect::StopServer))
}

#[test]
fn the_next_opponent_is_sought_on_the_same_server() {
    let mut room = TestRoom::in_game("3x3:3", None);
    room.end(Outcome::Resigned { winner: Seat::O });
    let mut player = player_in_own_room(&room);
    player.type_letters("n");
    assert_eq!(player.sent, [lobby_json(SessionRequest::Leave)]);
    assert!(
        matches!(
            player.effects[..],
            [.., Effect::Disconnect, Effect::Connect]
        ),
        "{:?}",
        player.effects
    );
    assert_eq!(stops(&player), 0, "{:?}", player.effects);
    player.type_letters("q");
    assert_eq!(stops(&player), 1);
}

#[test]
fn no_seat_is_kept_on_a_server_that_stops() {
    let mut player = player_in_own_room(&TestRoom::in_game("3x3:3", None));
    player.press(&[Key::Ctrl('c')]);
    assert!(player.model.overlay.is_some() && player.sent.is_empty());
    player.type_letters("k");
    assert_eq!(player.quit, None);
    player.press(&[Key::Ctrl('c')]);
    assert_eq!(player.sent, [lobby_json(SessionRequest::Leave)]);
    let is_saved =
        |effect: &Effect| matches!(effect, Effect::SaveGame(_) | Effect::DeleteSavedGame);
    assert_eq!(
        player.count_effects(is_saved),
        0,
        "a game that cannot be resumed"
    );
    assert_eq!(stops(&player), 1);
}

#[test]
fn the_server_stops_when_its_room_cannot_be_opened() {
    let mut player = hosting_player();
    player.feed(Msg::ServerStarted(Ok(ServerUrl::local())));
    player.terminate(TerminationReason::GaveUp(DisconnectReason::Timeout));
    assert!(player.model.screen.is_home());
    assert_eq!(stops(&player), 1);
}
