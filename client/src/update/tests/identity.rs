//! Tests of players who are recognised: their tags, and a seat that was taken on another device.

use noughts_protocol::Identity;

use super::*;
use crate::facts::{MenuItem, Notification};
use crate::io::saved_games::tests::saved_game;
use crate::model::Screen;

fn bob_identity() -> Identity {
    "5k7qf3mzxw2tq9v7c3hmr5eyb1".parse().unwrap()
}

/// Ann, who plays X as a guest, and a player with this name, who is recognised.
pub(crate) fn room_with_recognised_opponent(name: &str) -> TestRoom {
    let mut host = TestRoom::open("3x3:3", None);
    let player = Player {
        identity: Some(bob_identity()),
        ..Player::guest(name.parse().unwrap(), PlayerKind::Person)
    };
    let seat = Seat::O;
    host.apply_event(Event::Seated { seat, player });
    host.apply_event(Event::Started { game: 1 });
    host
}

/// Returns the home screen of a player with seats in these rooms.
fn home_with_own_rooms(rooms: &[&str]) -> TestPlayer {
    let saved = vec![saved_game("k7qf3mzx")];
    let mut player = TestPlayer::with_saved_games(Mode::Full, InitialAction::Home, saved);
    let welcome = Welcome {
        own_rooms: rooms.iter().map(|room| room.parse().unwrap()).collect(),
        ..welcome()
    };
    player.feed(Msg::HomeConnection(Box::new(ConnectionEvent::Connected {
        welcome,
    })));
    player
}

#[test]
fn the_tag_tells_namesakes_apart_and_json_mode_has_the_id() {
    for (name, tagged) in [("Bob", false), ("Ann", true)] {
        let host = room_with_recognised_opponent(name);
        let said = TestPlayer::seated(INTERACTIVE, &host)
            .take_output()
            .join("\n");
        assert!(said.contains(&format!("{name}{}", if tagged { "·5k7qf3" } else { "" })));
        assert_eq!(said.contains("5k7qf3"), tagged, "{said}");
    }
    let host = room_with_recognised_opponent("Bob");
    let mut json = TestPlayer::seated(Mode::Json, &host);
    let events = json.take_output().join("\n");
    let identity = format!("\"identity\":\"{}\"", bob_identity());
    assert!(events.contains(&identity), "{events}");
}

#[test]
fn a_game_of_another_device_is_continued_without_a_token() {
    // The game of this device is listed once.
    let mut player = home_with_own_rooms(&["k7qf3mzx", "00000000"]);
    let items = player.model.menu_items();
    assert_eq!(items[..2], [MenuItem::Continue(0), MenuItem::Return(0)]);
    // Another window on this device plays the game.
    player.model.held_rooms = vec!["00000000".parse().unwrap()];
    assert!(!player.model.menu_items().contains(&MenuItem::Return(0)));
    player.model.held_rooms.clear();
    player.press(&[Key::Down, Key::Enter]);
    player.connect();
    let resume = SessionRequest::Resume {
        room: "00000000".parse().unwrap(),
        token: None,
        seq: None,
    };
    assert_eq!(player.sent, [lobby_json(resume)]);
    let reject = Reject::new(RejectCode::UnknownRoom);
    player.receive_message(Message::Reject {
        re: RequestId::new(1),
        reject,
    });
    assert!(player.model.screen.is_home());
    assert!(matches!(
        player.model.notification,
        Some(Notification::NothingToContinue { game: None })
    ));
}

#[test]
fn the_selected_entry_stays_selected_when_rooms_appear() {
    let mut player = home_with_own_rooms(&[]);
    player.press(&[Key::Down, Key::Down]);
    let selected = |player: &TestPlayer| {
        let Screen::Home { selected } = player.model.screen else {
            panic!("not at home")
        };
        player.model.menu_items()[selected]
    };
    let before = selected(&player);
    let welcome = Welcome {
        own_rooms: vec!["00000000".parse().unwrap()],
        ..welcome()
    };
    player.feed(Msg::HomeConnection(Box::new(ConnectionEvent::Connected {
        welcome,
    })));
    assert_eq!(selected(&player), before);
}

#[test]
fn another_address_of_a_known_server_is_reported() {
    let mut player = TestPlayer::online(Mode::Full, SessionGoal::Browse);
    player.feed(Msg::OtherAddress {
        address: "ws://192.168.1.7".parse().unwrap(),
        server: "ws://127.0.0.1".parse().unwrap(),
    });
    let said = player.last_output();
    assert!(
        said.ends_with("noughts identity alias 127.0.0.1 192.168.1.7"),
        "{said}"
    );
}
