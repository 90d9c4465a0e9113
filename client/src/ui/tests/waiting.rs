//! Screens without a game: the search, watching before the first game, and the player's own room.

use noughts_protocol::wire::LobbyView;

use super::*;
use crate::update::tests::test_lobby::listed_seek;

/// Gives a player a lobby with tic-tac-toe seeks for these seats.
fn push_seeks(player: &mut TestPlayer, seats: &[Option<Seat>]) {
    player.connect();
    let seek = |(number, seat): (u64, &Option<Seat>)| listed_seek(number, "Ann", *seat);
    let seeks = (1..).zip(seats).map(seek).collect();
    let view = LobbyView {
        seeks,
        ..LobbyView::default()
    };
    player.confirm_last();
    player.receive_message(Message::Lobby {
        re: None,
        at: 60_000,
        view,
    });
}

#[test]
fn a_long_search_states_whether_others_look_for_the_same_game() {
    let similar = "Others look for this game with another clock or seat.";
    for (seats, expected) in [
        (
            &[Some(Seat::X)][..],
            "No one is here. Play a bot meanwhile?",
        ),
        (&[Some(Seat::X), Some(Seat::X)][..], similar),
    ] {
        let goal = SessionGoal::Seek {
            rules: "3x3:3".parse().unwrap(),
            clock: None,
            seat: Some(Seat::X),
            opponents: Some(PlayerKind::Person),
        };
        let mut player = TestPlayer::online(Mode::Full, goal);
        push_seeks(&mut player, seats);
        player.advance(10_000);
        for size in [(80, 24), (60, 20)] {
            let screen = screen_text(&player, size);
            assert!(screen.contains(expected), "{size:?}: {screen}");
        }
    }
}

#[test]
fn the_tv_states_that_no_game_is_running() {
    let mut player = TestPlayer::new(
        Mode::Full,
        InitialAction::Tv(ServerUrl::local(), Vec::new()),
    );
    push_seeks(&mut player, &[]);
    assert_shown(
        &screen_text(&player, (80, 24)),
        &["TV", "NO GAME IS RUNNING."],
    );
}

/// Returns a player in the player's own room, on a server with its own address.
fn room_owner() -> TestPlayer {
    let host = TestRoom::open("3x3:3", None);
    let goal = create_goal(*host.game.rules(), true);
    let server: ServerUrl = "games.example.org".parse().unwrap();
    let mut player = TestPlayer::connecting(Mode::Full, server, goal);
    player.receive_message(host.snapshot(Some(Seat::X)));
    player
}

#[test]
fn the_key_of_the_qr_code_is_named_where_the_code_fits() {
    let mut player = room_owner();
    for (size, unicode, is_shown) in [
        ((80, 24), true, true),
        ((80, 24), false, false),
        ((60, 12), true, false),
    ] {
        player.model.size = size;
        player.model.appearance.unicode = unicode;
        let screen = screen_text(&player, size);
        assert_eq!(
            screen.contains("QR"),
            is_shown,
            "{size:?} {unicode}: {screen}"
        );
        player.press(&[Key::Char('i')]);
        let screen = screen_text(&player, size);
        assert_eq!(
            screen.contains('\u{2580}'),
            is_shown,
            "{size:?} {unicode}: {screen}"
        );
        player.press(&[Key::Char('i')]);
    }
}

#[test]
fn the_link_of_a_public_room_joins_it() {
    let player = room_owner();
    let screen = screen_text(&player, (80, 24));
    assert_shown(&screen, &["/#k7qf3mzx"]);
    assert_hidden(&screen, &["#w/"]);
    assert_shown(&screen, &["Room"]);
    assert_hidden(&screen, &["Code"]);
}

#[test]
fn an_earlier_position_does_not_hide_an_offer() {
    let (mut player, mut host) = playing("3x3:3", None, &["b2", "a1"]);
    player.receive_message(host.offer(Seat::O, Offer::Draw));
    player.press(&[Key::Char(',')]);
    let screen = screen_text(&player, (40, 12));
    assert_shown(&screen, &["Bob OFFERS A DRAW"]);
    assert!(
        screen
            .lines()
            .last()
            .is_some_and(|footer| footer.contains("a accept")),
        "{screen}"
    );
}

#[test]
fn a_waiting_player_sees_the_time_and_what_to_do_meanwhile() {
    let rules = "7x6:4+gravity".parse().unwrap();
    let goal = SessionGoal::Seek {
        rules,
        clock: Some("5+3".parse().unwrap()),
        seat: None,
        opponents: Some(PlayerKind::Person),
    };
    let mut player = TestPlayer::online(Mode::Full, goal);
    player.confirm_last();
    player.advance(47_000);
    check("seeking", player.model);
}
