//! Clicks and the wheel.

use super::*;
use crate::facts::FormKind;
use crate::model::{Overlay, Screen};

fn click(player: &mut TestPlayer, column: u16, row: u16) {
    player.feed(Msg::Input(Input::Click(column, row)));
}

/// Clicks on the last occurrence of this text on the screen.
fn click_text(player: &mut TestPlayer, text: &str) {
    let (column, row) = find(player, text).unwrap_or_else(|| panic!("{text} is not on the screen"));
    click(player, column, row);
}

/// Returns the place of the last occurrence of a text on the screen.
fn find(player: &TestPlayer, text: &str) -> Option<(u16, u16)> {
    let (width, height) = player.model.size;
    let area = ratatui::layout::Rect::new(0, 0, width, height);
    let mut buffer = ratatui::buffer::Buffer::empty(area);
    ui::draw(&player.model, area, &mut buffer);
    (0..height).rev().find_map(|y| {
        let row: String = (0..width).map(|x| buffer[(x, y)].symbol()).collect();
        let start = row.find(text)?;
        Some((row[..start].chars().count() as u16, y))
    })
}

fn seated(rules: &str, cells: &[&str]) -> (TestPlayer, TestRoom) {
    let mut host = TestRoom::in_game(rules, None);
    let mut player = TestPlayer::seated(Mode::Full, &host);
    for cell in cells {
        player.receive_message(host.play(cell));
    }
    (player, host)
}

fn shown_ply(player: &TestPlayer) -> usize {
    player
        .model
        .game_view()
        .expect("a game")
        .shown_position()
        .ply()
}

#[test]
fn a_click_on_the_home_menu_opens_the_entry() {
    let mut player = TestPlayer::new(Mode::Full, InitialAction::Home);
    click_text(&mut player, "Settings");
    assert!(matches!(&player.model.screen, Screen::Form(form) if form.kind == FormKind::Settings));
}

#[test]
fn clicks_choose_a_game_and_fields_of_a_form() {
    let mut player = TestPlayer::new(Mode::Full, InitialAction::Home);
    click_text(&mut player, "Quick play");
    click_text(&mut player, "Qubic");
    assert_eq!(player.model.key_context(), KeyContext::GamePicker);
    click_text(&mut player, "Qubic");
    let form = player.form();
    assert_eq!((form.fields[0].input.text(), form.focus), ("qubic", 1));
    click_text(&mut player, "You play");
    assert_eq!(player.form().focus, 2);
    click_text(&mut player, "You play");
    assert_eq!(player.field_text(2), "X");
    // Clicks on a key in the footer.
    click_text(&mut player, "Esc back");
    assert!(player.model.screen.is_home());
}

#[test]
fn a_click_on_a_move_shows_its_position_and_the_footer_leads_back() {
    let (mut player, _) = seated("4x4:3", &["b2", "a1", "c1", "b1"]);
    click_text(&mut player, "a1 ");
    assert_eq!(shown_ply(&player), 2);
    click_text(&mut player, "End latest");
    assert_eq!(shown_ply(&player), 4);
    // Clicks on the two keys of one entry.
    click_text(&mut player, ", .");
    assert_eq!(shown_ply(&player), 3);
    let (column, row) = find(&player, ", .").unwrap();
    click(&mut player, column + 2, row);
    assert_eq!(shown_ply(&player), 4);
}

#[test]
fn the_wheel_steps_through_the_moves_and_through_lists() {
    let (mut player, _) = seated("3x3:3", &["b2", "a1", "c1"]);
    player.feed(Msg::Input(Input::Wheel { down: false }));
    player.feed(Msg::Input(Input::Wheel { down: false }));
    assert_eq!(shown_ply(&player), 1);
    player.feed(Msg::Input(Input::Wheel { down: true }));
    assert_eq!(shown_ply(&player), 2);
    let mut player = TestPlayer::new(Mode::Full, InitialAction::Home);
    player.feed(Msg::Input(Input::Wheel { down: true }));
    assert!(matches!(player.model.screen, Screen::Home { selected: 1 }));
}

#[test]
fn small_cells_need_a_second_click() {
    let (mut player, _) = seated("19x19:5", &[]);
    let requests = player.sent.len();
    click(&mut player, 20, 8);
    assert_eq!(
        player.sent.len(),
        requests,
        "a slip of the mouse plays a move"
    );
    click(&mut player, 20, 8);
    assert_eq!(player.sent.len(), requests + 1);
    // A mark in another cell of the same column falls to the same place.
    let (mut player, _) = seated("connect4", &[]);
    player.model.size = (60, 18);
    let requests = player.sent.len();
    let (column, row) = find(&player, ". \u{2502}").unwrap();
    click(&mut player, column, row);
    click(&mut player, column, row - 2);
    assert_eq!(player.sent.len(), requests + 1);
}

#[test]
fn the_menu_after_a_game_and_its_question_take_clicks() {
    let (mut player, mut host) = seated("3x3:3", &["b2", "a1"]);
    let outcome = Outcome::Resigned { winner: Seat::X };
    click_text(&mut player, "Esc menu");
    click_text(&mut player, "R  Resign");
    assert!(matches!(
        player.model.overlay,
        Some(Overlay::Confirmation(_))
    ));
    // A question makes the board below it inaccessible.
    let requests = player.sent.len();
    click(&mut player, 15, 5);
    click_text(&mut player, "Play on");
    assert_eq!((player.model.overlay, player.sent.len()), (None, requests));
    player.receive_message(host.end(outcome));
    click_text(&mut player, "Rematch");
    assert!(
        player.last_sent().contains("rematch"),
        "{:?}",
        player.sent.last()
    );
}

#[test]
fn a_click_says_a_phrase() {
    let (mut player, host) = seated("3x3:3", &[]);
    player.connect();
    player.receive_message(host.snapshot(Some(Seat::X)));
    player.type_letters("s");
    assert_eq!(player.model.overlay, Some(Overlay::Say(0)));
    let requests = player.sent.len();
    click_text(&mut player, "Good luck");
    assert_eq!(
        (player.model.overlay, player.sent.len()),
        (None, requests + 1)
    );
}

#[test]
fn a_click_does_nothing_while_a_command_is_typed_or_the_terminal_is_tiny() {
    let (mut player, _) = seated("3x3:3", &[]);
    let requests = player.sent.len();
    player.type_letters(":h8");
    click(&mut player, 25, 12);
    assert!(player.model.prompt.is_some());
    player.press(&[Key::Esc]);
    player.model.size = (20, 5);
    click(&mut player, 5, 3);
    assert_eq!(player.sent.len(), requests);
}
