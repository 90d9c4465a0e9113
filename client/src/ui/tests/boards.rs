//! Snapshots of boards in two, three and four dimensions.

use super::*;
use crate::settings::MotionMode;

/// Compares boards on a terminal with 256 colours with a snapshot. Their marks are filled shapes, and their signs need
/// no colour.
#[test]
fn boards_on_grounds_have_filled_marks() {
    let (mut won, mut host) = playing("3x3:3", None, &["b2", "a1", "c1", "b1", "a3"]);
    let outcome = host.game.position().outcome().unwrap();
    won.receive_message(host.apply_event(Event::Ended {
        outcome,
        left: None,
    }));
    let (mut small, _) = playing("3x3:3", None, &["b2", "a1"]);
    small.press(&[Key::Right]);
    let (mut connect_four, _) = playing("connect4", None, &["d1", "d1", "c1", "d1"]);
    connect_four.press(&[Key::Left]);
    let (mut gomoku, _) = playing("gomoku", None, &["h8", "i9", "i8", "g8"]);
    gomoku.press(&[Key::Right, Key::Right, Key::Down]);
    let (mut qubic, _) = playing("qubic", None, &["b2-2", "c2-2", "b2-1", "d4-4"]);
    qubic.type_letters("]");
    let (tesseract, _) = playing("tesseract", None, &["b2-2.2", "a1-1.1"]);
    let mut snapshot = String::new();
    for (mut player, sizes) in [
        (small, &[(80, 24), (200, 60)][..]),
        (won, &[(80, 24)]),
        (connect_four, &[(60, 20), (80, 24), (120, 40)]),
        (gomoku, &[(60, 20), (80, 24), (120, 40), (200, 60)]),
        (qubic, &[(80, 24), (120, 40)]),
        (tesseract, &[(80, 24)]),
    ] {
        for &size in sizes {
            player.model.size = size;
            set_appearance(&mut player.model, SURFACES);
            let buffer = render(&player.model, size);
            let text = buffer_text(&buffer);
            snapshot.push_str(&format!("=== {}x{}\n{text}\n", size.0, size.1));
        }
    }
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("surfaces", snapshot);
    });
}

#[test]
fn a_small_board_shows_the_lag_and_the_spectators() {
    let (mut player, _) = playing("3x3:3", Some("5+3"), &["b2", "a1"]);
    player.press(&[Key::Right]);
    player.receive_message(notice_message(Notice::Lag {
        ms: [Some(23), Some(140)],
    }));
    player.receive_message(notice_message(Notice::Spectators { count: 2 }));
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
    let (mut player, _) = playing("qubic", None, &["b2-2", "c2-2", "b2-1", "d4-4"]);
    player.type_letters("]");
    check("qubic", player.model);
}

#[test]
fn four_dimensions_are_drawn_as_a_grid_of_layers() {
    let (player, _) = playing("tesseract", None, &["b2-2.2", "a1-1.1"]);
    check("tesseract", player.model);
}

#[test]
fn a_line_across_the_edge_of_a_torus_is_marked() {
    // The cells are in the notation of the protocol.
    let (player, _) = playing("torus4", None, &["b1", "a1", "c2", "a2", "d3", "b2", "a4"]);
    check("torus4", player.model);
}

#[test]
fn a_board_larger_than_the_screen_scrolls() {
    let (mut player, _) = playing("25x25:5", Some("5+3"), &["m13", "n13"]);
    player.type_letters("llllllll");
    player.type_letters("jjjjjjjj");
    check("scrolled", player.model);
}

/// Renders each frame of an animation until the board is at rest. Returns the screens, including the screen at rest.
fn frames(player: &mut TestPlayer) -> Vec<Buffer> {
    let mut screens = vec![render(&player.model, (80, 24))];
    while let Some(deadline) = player.model.deadline() {
        assert!(screens.len() <= 3, "the motion does not end");
        let ms = deadline - player.model.now;
        player.advance(ms);
        screens.push(render(&player.model, (80, 24)));
    }
    screens
}

#[test]
fn a_mark_falls_and_a_line_lights_up_in_three_frames() {
    let moving = |rules: &str, cells: &[&str]| {
        let (mut player, host) = playing(rules, None, cells);
        player.model.settings.motion = MotionMode::On;
        player.model.appearance = SURFACES;
        (player, host)
    };
    let (mut player, mut host) = moving("connect4", &["d1"]);
    player.receive_message(host.play("d1"));
    let screens = frames(&mut player);
    assert_eq!(screens.len(), 4);
    for (number, screen) in screens.iter().enumerate() {
        assert!(
            !screens[..number].contains(screen),
            "frame {number} shows no change"
        );
    }

    player.receive_message(host.play("d1"));
    player.receive_message(host.play("d1"));
    assert!(player.model.deadline().is_some());
    player.press(&[Key::Left]);
    assert_eq!(
        player.model.deadline(),
        None,
        "a key does not end the motion"
    );

    let (mut player, mut host) = moving("3x3:3", &["b2", "a1", "c1", "b1", "a3"]);
    let outcome = host.game.position().outcome().unwrap();
    player.receive_message(host.apply_event(Event::Ended {
        outcome,
        left: None,
    }));
    let winning_ground = SURFACES.winning_stone(Seat::X).bg;
    let lit = frames(&mut player).into_iter().map(|screen| {
        let cells = screen.content().iter();
        cells.filter(|cell| Some(cell.bg) == winning_ground).count()
    });
    let lit: Vec<usize> = lit.collect();
    assert!(lit.is_sorted() && lit[0] < lit[3], "{lit:?}");

    // Nothing is animated if the setting is off.
    let (mut still, mut host) = playing("connect4", None, &["d1"]);
    still.receive_message(host.play("d1"));
    assert_eq!(still.model.deadline(), None);
}
