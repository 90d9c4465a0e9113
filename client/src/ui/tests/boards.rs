//! Snapshots of boards in two, three and four dimensions.

use super::*;

#[test]
fn a_small_board_shows_the_lag_and_the_spectators() {
    let (mut player, _) = playing("3x3:3", Some("5+3"), &["b2", "a1"]);
    player.press(&[Key::Right]);
    player.receive_message(notice_message(Notice::Lag {
        ms: [Some(23), Some(140)],
    }));
    player.receive_message(notice_message(Notice::Spectators { spectators: 2 }));
    check("small_board", player.model);
}

#[test]
fn gravity_shows_where_the_mark_would_fall() {
    let (mut player, _) = playing("connect4", None, &["d1", "d1", "c1", "d1"]);
    player.press(&[Key::Left]);
    check("connect4", player.model);
}

#[test]
fn a_large_board_is_drawn_with_rulers() {
    let (mut player, _) = playing("gomoku", Some("10+0"), &["h8", "i9", "i8", "g8"]);
    player.press(&[Key::Right, Key::Right, Key::Down]);
    check("gomoku", player.model);
}

#[test]
fn guide_lines_cross_the_cursor() {
    let (mut player, _) = playing("gomoku19", None, &["j10", "k10", "k11", "i9"]);
    player.press(&[Key::Right, Key::Down]);
    player.type_letters("g");
    check("gomoku19", player.model);
}

#[test]
fn three_dimensions_are_drawn_as_layers() {
    let (mut player, _) = playing("qubic", None, &["2,2,2", "3,2,2", "2,2,1", "4,4,4"]);
    player.type_letters("]");
    check("qubic", player.model);
}

#[test]
fn four_dimensions_are_drawn_as_a_grid_of_layers() {
    let (player, _) = playing("tesseract", None, &["2,2,2,2", "1,1,1,1"]);
    check("tesseract", player.model);
}

#[test]
fn a_board_larger_than_the_screen_scrolls() {
    let (mut player, _) = playing("25x25:5", Some("5+3"), &["m13", "n13"]);
    player.type_letters("nnnnnnnn");
    check("scrolled", player.model);
}

#[test]
fn a_turned_board_has_its_first_row_at_the_other_end() {
    let (mut player, _) = playing("3x3:3", None, &["a1", "c2"]);
    let numbers = |player: &TestPlayer| {
        let screen = screen_text(player, (80, 24));
        let column: String = screen
            .lines()
            .filter_map(|line| line.split(['│', '║']).next()?.trim().chars().next())
            .collect();
        column
            .chars()
            .filter(char::is_ascii_digit)
            .take(3)
            .collect::<String>()
    };
    assert_eq!(numbers(&player), "123");
    let cell = crate::model::layout::cell_at;
    let find = |player: &TestPlayer, name: &str| {
        let wanted = player.view().game.rules().parse_cell(name).unwrap();
        let mut places = (0..24).flat_map(|y| (0..80).map(move |x| (x, y)));
        places
            .find(|&(x, y)| cell(&player.model, x, y) == Some(wanted))
            .unwrap()
    };
    let (top, bottom) = (find(&player, "a1"), find(&player, "a3"));
    player.type_letters("f");
    assert_eq!(numbers(&player), "321");
    assert_eq!(
        (find(&player, "a3"), find(&player, "a1")),
        (top, bottom),
        "clicks follow"
    );
    // The cursor moves as the arrows point, and the names stay.
    player.press(&[Key::Up]);
    let view = player.view();
    assert_eq!(view.game.rules().cell_text(view.cursor), "b3");
    player.type_letters("f");
    assert_eq!(numbers(&player), "123");
    // Marks fall down.
    let (mut player, _) = playing("connect4", None, &["d6"]);
    let before = screen_text(&player, (80, 24));
    player.type_letters("f");
    assert_eq!(screen_text(&player, (80, 24)), before);
}
