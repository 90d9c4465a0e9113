//! The running game beside the menu and beside the lobby's list.

use noughts_protocol::wire::LobbyView;

use super::*;
use crate::facts::MenuItem;
use crate::model::PREVIEW_INDEX;

/// Returns the number of rooms that the player has connected to for a preview, and the number of those connections that
/// are open.
fn connections(player: &TestPlayer) -> (usize, usize) {
    let count = |is_counted: fn(&GameEffect) -> bool| {
        let effects = player.effects.iter();
        effects
            .filter(|effect| {
                matches!(effect, Effect::ForGame { index: PREVIEW_INDEX, effect } if is_counted(effect))
            })
            .count()
    };
    let opened = count(|effect| matches!(effect, GameEffect::Connect { .. }));
    let closed = count(|effect| matches!(effect, GameEffect::Disconnect));
    (opened, opened - closed)
}

fn view(rooms: &[(&str, Phase)]) -> LobbyView {
    LobbyView {
        rooms: rooms
            .iter()
            .map(|(id, phase)| listing(id, *phase))
            .collect(),
        ..LobbyView::default()
    }
}

fn receive_home(player: &mut TestPlayer, event: ConnectionEvent) {
    player.feed(Msg::HomeConnection(Box::new(event)));
}

fn home_with(size: (u16, u16), rooms: &[(&str, Phase)]) -> TestPlayer {
    let mut player = TestPlayer::new(Mode::Full, InitialAction::Home);
    player.model.size = size;
    let message = Message::Lobby {
        re: None,
        at: 60_000,
        view: view(rooms),
    };
    receive_home(&mut player, ConnectionEvent::Message(message));
    player
}

#[test]
fn the_home_screen_watches_one_running_game_where_it_has_room_for_it() {
    let rooms = [
        ("11111111", Phase::Waiting),
        ("k7qf3mzx", Phase::Playing),
        ("22222222", Phase::Playing),
    ];
    for size in [(80, 40), (120, 20)] {
        assert_eq!(connections(&home_with(size, &rooms)), (0, 0), "{size:?}");
    }
    assert_eq!(connections(&home_with((120, 40), &rooms[..1])), (0, 0));
    let mut player = home_with((120, 40), &rooms);
    assert_eq!(connections(&player), (1, 1));
    player.receive_for_game(
        PREVIEW_INDEX,
        ConnectionEvent::Connected { welcome: welcome() },
    );
    assert!(
        player.last_sent().contains("k7qf3mzx"),
        "{}",
        player.last_sent()
    );
    let mut host = TestRoom::in_game("3x3:3", None);
    let snapshot = host.snapshot(None);
    player.receive_for_game(PREVIEW_INDEX, ConnectionEvent::Message(snapshot));
    let moved = host.play("b2");
    player.receive_for_game(PREVIEW_INDEX, ConnectionEvent::Message(moved));
    let shown = player.model.preview.game.as_ref().expect("a game");
    assert_eq!(
        shown
            .model
            .game_view()
            .expect("a board")
            .game
            .position()
            .ply(),
        1
    );
    // The result stays for a while, then the next game follows.
    let ended = host.end(Outcome::Resigned { winner: Seat::X });
    player.receive_for_game(PREVIEW_INDEX, ConnectionEvent::Message(ended));
    assert_eq!(connections(&player), (1, 1));
    let over = [rooms[0], ("k7qf3mzx", Phase::Over), rooms[2]];
    let message = Message::LobbyChanged {
        at: 61_000,
        change: view(&rooms).changes_to(&view(&over)),
    };
    receive_home(&mut player, ConnectionEvent::Message(message));
    player.advance(7_000);
    assert_eq!(connections(&player), (1, 1));
    player.advance(1_000);
    player.advance(300);
    assert_eq!(connections(&player), (2, 1));
    // Another screen has no room for the preview.
    player.type_letters("b");
    assert_eq!(connections(&player), (2, 0));
}

#[test]
fn the_lobby_watches_the_room_on_which_the_selection_rests() {
    let rooms = [
        ("00000000", Phase::Playing),
        ("11111111", Phase::Playing),
        ("22222222", Phase::Playing),
    ];
    let mut player = TestPlayer::in_lobby(LobbyView::default());
    player.model.size = (120, 40);
    player.change_lobby(&LobbyView::default(), &view(&rooms));
    assert_eq!(connections(&player), (0, 0));
    player.advance(300);
    assert_eq!(connections(&player), (1, 1));
    player.press(&[Key::Down]);
    player.advance(100);
    player.press(&[Key::Down]);
    assert_eq!(connections(&player), (1, 1), "a selection that moves on");
    player.advance(300);
    assert_eq!(connections(&player), (2, 1));
    let shown = player.model.preview.game.as_ref().expect("a game");
    assert!(shown.is_in_room("22222222".parse().unwrap()));
}

#[test]
fn without_a_server_the_menu_offers_what_needs_none() {
    let mut player = TestPlayer::new(Mode::Full, InitialAction::Home);
    let lost =
        ConnectionEvent::Terminated(TerminationReason::CannotConnect(DisconnectReason::Timeout));
    receive_home(&mut player, lost);
    let selected = |player: &TestPlayer| {
        let crate::model::Screen::Home { selected } = player.model.screen else {
            panic!("another screen")
        };
        player.model.menu_items()[selected]
    };
    assert_eq!(selected(&player), MenuItem::Bot);
    player.press(&[Key::Home, Key::Enter]);
    assert!(player.model.screen.is_home(), "no form leads to a refusal");
    player.type_letters("b");
    assert!(player.model.screen.as_form().is_some());
}

#[test]
fn the_last_game_is_started_again_by_one_key() {
    let mut player = TestPlayer::new(Mode::Full, InitialAction::Home);
    player.type_letters("b");
    player.press(&[Key::Enter, Key::Right, Key::Enter]);
    assert!(player.is_in_local_game());
    player.type_letters("q");
    assert!(player.model.screen.is_home());
    player.press(&[Key::Enter]);
    assert!(player.is_in_local_game());
    let name = &player
        .view()
        .game
        .player(Seat::O)
        .expect("the computer")
        .name;
    assert_eq!(name.to_string(), "Bot casual");
}
