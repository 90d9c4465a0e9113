//! Titles of the terminal's window.

use super::*;
use crate::ui::window_title::window_title;

#[test]
fn the_title_names_the_turn_and_the_opponent() {
    let home = TestPlayer::new(Mode::Full, InitialAction::Home);
    assert_eq!(window_title(&home.model), "Noughts");
    let (mut player, mut host) = playing("3x3:3", None, &[]);
    assert_eq!(window_title(&player.model), "* your move - Bob - Noughts");
    player.receive_message(host.play("b2"));
    assert_eq!(window_title(&player.model), "Bob to move - Noughts");
    player.receive_message(host.offer(Seat::O, Offer::Draw));
    assert_eq!(window_title(&player.model), "? draw - Bob - Noughts");
    player.model.settings.lang = Lang::Ru;
    assert_eq!(window_title(&player.model), "? ничья - Bob - Noughts");
    player.model.settings.lang = Lang::En;
    player.disconnect(1, 1);
    assert_eq!(window_title(&player.model), "! offline - Bob - Noughts");
}

#[test]
fn the_title_names_the_result() {
    for (winner, expected) in [
        (Seat::X, "you win - Bob - Noughts"),
        (Seat::O, "you lost - Bob - Noughts"),
    ] {
        let (mut player, mut host) = playing("3x3:3", None, &["b2"]);
        let outcome = Outcome::Resigned { winner };
        player.receive_message(host.end(outcome));
        assert_eq!(window_title(&player.model), expected);
    }
}

#[test]
fn a_player_who_waits_and_a_spectator_have_titles() {
    let waiting = TestPlayer::online(Mode::Full, seek_goal());
    assert_eq!(
        window_title(&waiting.model),
        "waiting for an opponent - Noughts"
    );
    let mut host = TestRoom::in_game("3x3:3", None);
    let mut player = TestPlayer::watching(Mode::Full, &host);
    player.receive_message(host.play("b2"));
    assert_eq!(window_title(&player.model), "Bob to move - Noughts");
}
