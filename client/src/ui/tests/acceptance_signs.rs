//! Properties of signs, colours and texts that also hold without colours, in every language and size.

use noughts_protocol::{RoomCloseReason, Rules};

use super::*;

/// Returns whether the screen contains rules in the text form, which only the list of games and the command line show.
fn has_rules_text(screen: &str) -> bool {
    screen.contains("+gravity") || screen.contains("+exact") || screen.contains("+misere")
}

#[test]
fn the_turn_is_told_by_a_badge_and_a_double_frame_without_colours() {
    for rules in ["3x3:3", "connect4", "qubic"] {
        let (mut player, mut host) = playing(rules, None, &[]);
        let check = |player: &mut TestPlayer, is_own: bool| {
            player.model.appearance = APPEARANCES[1];
            for size in SIZES {
                player.model.size = size;
                let buffer = render(&player.model, size);
                let screen = buffer_text(&buffer);
                let is_badge = |y: &u16| {
                    let reversed = (0..size.0)
                        .filter(|x| buffer[(*x, *y)].modifier.contains(Modifier::REVERSED));
                    let badge: String = reversed.map(|x| buffer[(x, *y)].symbol()).collect();
                    badge == " YOUR MOVE "
                };
                let is_shown = (0..size.1).any(|y| is_badge(&y));
                assert_eq!(is_shown, is_own, "{rules} {size:?}: {screen}");
                if screen.contains(['\u{2502}', '\u{2551}']) {
                    assert_eq!(
                        screen.contains('\u{2551}'),
                        is_own,
                        "{rules} {size:?}: {screen}"
                    );
                }
            }
        };
        check(&mut player, true);
        player.receive_message(host.play(if rules == "qubic" { "b2-2" } else { "b2" }));
        check(&mut player, false);
    }
}

#[test]
fn the_card_of_the_player_to_move_is_lit_or_has_a_sign() {
    let (mut player, _) = playing("gomoku", Some("5+3"), &["h8"]);
    for (has_palette, sign) in [(true, " "), (false, ">")] {
        player.model.appearance = Appearance {
            has_palette,
            ..APPEARANCES[0]
        };
        let buffer = render(&player.model, (80, 24));
        let rows: Vec<String> = buffer_text(&buffer).lines().map(str::to_owned).collect();
        let row = |name: &str| {
            let is_card = |row: &&String| row.contains(name);
            rows.iter().position(|row| is_card(&row)).unwrap() as u16
        };
        let (active, other) = (row("O  Bob"), row("X  Ann (you)"));
        let at = |y: u16| {
            let column = rows[usize::from(y)].find(if y == active { "O  Bob" } else { "X  Ann" });
            let column = rows[usize::from(y)][..column.unwrap()].chars().count() as u16;
            &buffer[(column - 2, y)]
        };
        assert_eq!((at(active).symbol(), at(other).symbol()), (sign, " "));
        assert_eq!(at(active).bg != at(other).bg, has_palette);
    }
}

#[test]
fn a_wide_screen_keeps_the_board_and_its_panel_together() {
    for (rules, size) in [
        ("3x3:3", (200, 60)),
        ("gomoku", (120, 40)),
        ("gomoku", (200, 60)),
    ] {
        let rules: Rules = rules.parse().unwrap();
        let area = Rect::new(0, 0, size.0, size.1);
        let game = crate::model::layout::GameAreas::new(&rules, area);
        let board = game
            .split
            .layout(rules, noughts_protocol::Cell::new(0))
            .bounds();
        let crate::model::layout::PanelArea::Full(panel) = game.split.panel else {
            panic!("{rules} {size:?} has no panel");
        };
        let header = game.areas.header;
        assert!(panel.x - board.right() < size.0 / 10, "{rules} {size:?}");
        assert!(
            header.width <= board.width.max(74) + 4 + 46,
            "{rules} {size:?}"
        );
        assert!(
            header.x.abs_diff(size.0 - header.right()) <= 1,
            "{rules} {size:?}"
        );
        assert_eq!(header.right(), panel.right(), "{rules} {size:?}");
        assert_eq!(
            (panel.y, panel.bottom()),
            (board.y, board.bottom()),
            "{rules} {size:?}"
        );
    }
}

#[test]
fn a_large_panel_has_a_large_clock_whose_last_seconds_are_reversed() {
    let (mut player, _) = playing("gomoku", Some("10s+0"), &["h8", "h9"]);
    let digits = |player: &TestPlayer| {
        let buffer = render(&player.model, (120, 40));
        let blocks = buffer.content().iter();
        let blocks = blocks.filter(|cell| matches!(cell.symbol(), "\u{2588}" | "\u{2580}"));
        let reversed = blocks
            .clone()
            .filter(|cell| cell.modifier.contains(Modifier::REVERSED));
        (blocks.count(), reversed.count())
    };
    player.model.appearance = APPEARANCES[0];
    let (blocks, reversed) = digits(&player);
    assert!(blocks > 20 && reversed > 0, "{blocks} {reversed}");
    player.model.appearance = APPEARANCES[2];
    assert_shown(&screen_text(&player, (120, 40)), &["0:10"]);
    assert_eq!(digits(&player), (0, 0));
}

#[test]
fn a_winning_line_keeps_the_letter_and_the_colour_of_its_owner() {
    let (mut player, mut host) = playing("3x3:3", None, &["b2", "a1", "c1", "b1", "a3"]);
    player.receive_message(host.end_on_board());
    player.model.appearance = APPEARANCES[0];
    let buffer = render(&player.model, (80, 24));
    let is_winning = |cell: &&ratatui::buffer::Cell| {
        cell.symbol() == "X" && cell.fg == Color::Cyan && cell.modifier.contains(Modifier::REVERSED)
    };
    assert_eq!(buffer.content().iter().filter(is_winning).count(), 3);
}

#[test]
fn an_invitation_opens_a_room_with_the_same_game() {
    let mut player = TestPlayer::online(Mode::Full, seek_goal());
    player.confirm_last();
    player.type_letters("iy");
    player.connect();
    let request = player.last_sent();
    assert!(
        request.contains("create") && request.contains("\"public\":false"),
        "{request}"
    );
}

#[test]
fn a_key_of_the_home_screen_tries_the_server_again() {
    let mut player = TestPlayer::new(Mode::Full, InitialAction::Home);
    player.model.home_server = HomeServer::Offline { retry_at: 8000 };
    player.type_letters("r");
    assert!(player.model.home_server.can_connect(player.model.now));
}

#[test]
fn the_digits_of_the_home_screen_open_its_entries() {
    for (digit, kind) in [
        ("1", crate::facts::FormKind::Quick),
        ("6", crate::facts::FormKind::Bot),
    ] {
        let mut player = TestPlayer::with_saved_games(
            Mode::Full,
            InitialAction::Home,
            vec![saved_game("k7qf3mzx"), saved_game("00000000")],
        );
        player.type_letters(digit);
        assert_eq!(
            player.model.screen.as_form().map(|form| form.kind),
            Some(kind),
            "{digit}"
        );
    }
}

#[test]
fn games_have_names_on_every_screen() {
    for rules in Rules::NAMED
        .iter()
        .map(|(_, rules)| *rules)
        .chain(["6x6:4+gravity", "9x9:4"])
    {
        let (mut player, _) = playing(rules, None, &[]);
        let goal = seek_goal_for(rules.parse().unwrap());
        let mut waiting = TestPlayer::online(Mode::Full, goal);
        for (lang, size) in Lang::ALL
            .into_iter()
            .flat_map(|lang| SIZES.map(|size| (lang, size)))
        {
            player.model.settings.lang = lang;
            player.model.size = size;
            waiting.model.settings.lang = lang;
            for screen in [screen_text(&player, size), screen_text(&waiting, size)] {
                assert!(
                    !has_rules_text(&screen),
                    "{rules} {lang} {size:?}: {screen}"
                );
            }
        }
    }
}

#[test]
fn the_code_of_a_room_is_one_key_away() {
    let mut host = TestRoom::in_game("3x3:3", None);
    host.code = Some("abcd-efgh-jkmn".parse().unwrap());
    let mut player = TestPlayer::seated(Mode::Full, &host);
    assert_hidden(&screen_text(&player, (80, 24)), &["abcd-efgh-jkmn"]);
    player.type_letters("i");
    let command = "To watch: noughts watch abcd-efgh-jkmn";
    assert_shown(&screen_text(&player, (80, 24)), &[command]);
    player.receive_message(host.end(Outcome::Resigned { winner: Seat::X }));
    player.type_letters("i");
    assert_shown(&screen_text(&player, (80, 24)), &["abcd-efgh-jkmn"]);
}

#[test]
fn a_board_is_whole_or_counts_what_it_hides() {
    for rules in [
        "3x3:3",
        "connect4",
        "15x15:5",
        "19x19:5",
        "25x25:5",
        "qubic",
        "8x8x8:5",
        "4x4x4x16:4",
    ] {
        let (mut player, _) = playing(rules, None, &[]);
        for size in SIZES {
            player.model.size = size;
            let area = Rect::new(0, 0, size.0, size.1);
            let rules: Rules = rules.parse().unwrap();
            let view = player.view();
            let split = crate::model::layout::GameAreas::new(&rules, area).split;
            let layout = split.layout(rules, view.effective_cursor());
            let Some(hidden) = layout.hidden_parts() else {
                continue;
            };
            let screen = screen_text(&player, size);
            for (sign, count) in [
                ("^", hidden.above),
                ("v", hidden.below),
                ("<", hidden.left),
                (">", hidden.right),
            ] {
                let is_counted = screen.contains(&format!("{sign} {count}"));
                assert!(
                    count == 0 || is_counted,
                    "{rules} {size:?} {sign} {count}: {screen}"
                );
            }
            assert!(
                hidden.layers.is_none() || screen.contains("z "),
                "{rules} {size:?}: {screen}"
            );
        }
    }
}

#[test]
fn a_grid_shows_whole_boards_only() {
    let mut player = multi_watch::watching_player(Mode::Full, 3);
    for (place, rules) in ["connect4", "25x25:5", "3x3:3"].into_iter().enumerate() {
        let host = TestRoom::in_game(rules, None);
        player.receive_for_place(place, host.snapshot(None));
    }
    // The large board has its own page.
    player.press(&[Key::Tab, Key::Tab]);
    for lang in Lang::ALL {
        player.model.settings.lang = lang;
        player.model.sync_watched_games();
        let screen = screen_text(&player, (80, 24));
        assert!(
            screen.contains(&lang.texts().board_needs(54, 26)),
            "{lang}: {screen}"
        );
        assert!(
            !screen.contains("^ ") && !screen.contains("v "),
            "{lang}: {screen}"
        );
    }
    player.model.settings.lang = Lang::En;
    check("several_large", player.model);
}

#[test]
fn the_result_stays_after_the_room_has_closed() {
    let (mut player, mut host) = playing("3x3:3", None, &["b2"]);
    player.receive_message(host.end(Outcome::Resigned { winner: Seat::X }));
    player.receive_message(host.close(RoomCloseReason::Deserted));
    for size in SIZES {
        player.model.size = size;
        let screen = screen_text(&player, size);
        assert!(screen.contains("YOU WIN"), "{size:?}: {screen}");
        assert!(
            !screen.to_lowercase().contains("rematch"),
            "{size:?}: {screen}"
        );
    }
}
