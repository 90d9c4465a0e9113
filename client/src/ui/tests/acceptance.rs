//! Properties that hold on every screen of a game, in every language and size.

use super::*;

fn footer(player: &TestPlayer) -> String {
    screen_text(player, (80, 24))
        .lines()
        .last()
        .unwrap_or_default()
        .to_owned()
}

#[test]
fn the_footer_names_draw_takeback_and_resign_while_they_work() {
    let (mut player, mut host) = playing("3x3:3", None, &["b2", "a1"]);
    for shown in [
        "1-9 place",
        "= draw",
        "t take back",
        "R resign",
        "? keys",
        "q leave",
    ] {
        assert!(
            footer(&player).contains(shown),
            "{shown}: {}",
            footer(&player)
        );
    }
    // Before a move there is nothing to take back.
    let (first, _) = playing("3x3:3", None, &[]);
    assert!(!footer(&first).contains("take back"), "{}", footer(&first));
    player.receive_message(host.play("c1"));
    assert!(!footer(&player).contains("place"), "{}", footer(&player));
    player.receive_message(host.end(Outcome::Resigned { winner: Seat::X }));
    for absent in ["draw", "take back", "resign"] {
        assert!(
            !footer(&player).contains(absent),
            "{absent}: {}",
            footer(&player)
        );
    }
}

#[test]
fn each_key_of_the_footer_does_what_it_says() {
    let (mut player, mut host) = playing("3x3:3", None, &["b2", "a1"]);
    player.type_letters("=");
    assert!(player.last_sent().contains("draw"), "{:?}", player.sent);
    player.type_letters("t");
    assert!(player.last_sent().contains("takeback"), "{:?}", player.sent);
    player.type_letters("R");
    assert!(
        !player.last_sent().contains("resign"),
        "resigning needs no answer"
    );
    player.press(&[Key::Enter]);
    assert!(
        !player.last_sent().contains("resign"),
        "Enter is not the safe answer"
    );
    player.type_letters("Ry");
    assert!(player.last_sent().contains("resign"), "{:?}", player.sent);
    // `К` stands on the key of `R`, `е` on that of `t`.
    player.receive_message(host.play("c1"));
    player.receive_message(host.play("b1"));
    player.type_letters("К");
    assert!(player.model.overlay.is_some());
}

#[test]
fn stepping_back_is_shown_and_leads_back_to_the_same_screen() {
    let (mut player, _) = playing("3x3:3", None, &["b2", "a1", "c1", "a3"]);
    let live = screen_text(&player, (80, 24));
    player.type_letters(",,");
    let earlier = screen_text(&player, (80, 24));
    assert_shown(&earlier, &["<  MOVE 2 OF 4", "> a1 <"]);
    assert!(
        !earlier.contains(">    ") && !earlier.contains('║'),
        "the cursor is shown: {earlier}"
    );
    // A move is not played there: the key leads back to the game.
    let sent = player.sent.len();
    player.type_letters("9");
    assert_eq!(
        (player.sent.len(), screen_text(&player, (80, 24))),
        (sent, live.clone())
    );
    for back in [Key::End, Key::Esc] {
        player.press(&[Key::Home, back]);
        assert_eq!(screen_text(&player, (80, 24)), live, "{back}");
    }
}

#[test]
fn the_status_has_its_row_in_every_size_and_language() {
    let (mut player, _) = playing("connect4", Some("5+3"), &["d1", "d1"]);
    for lang in Lang::ALL {
        player.model.settings.lang = lang;
        for size in SIZES.into_iter().chain([(30, 10)]) {
            player.model.size = size;
            let screen = screen_text(&player, size);
            let status = screen.lines().nth(1).unwrap_or_default();
            assert!(status.contains(">> "), "{lang} {size:?}:\n{screen}");
            assert!(
                status.contains(player.model.lang().texts().turn_headline()),
                "{lang} {size:?}:\n{screen}"
            );
        }
    }
}

#[test]
fn a_window_that_is_too_small_still_says_whose_turn_it_is() {
    let (mut player, mut host) = playing("3x3:3", None, &["b2", "a1"]);
    assert!(
        screen_text(&player, (25, 8)).ends_with("Your move.\n\n\n\n"),
        "{}",
        screen_text(&player, (25, 8))
    );
    player.receive_message(host.play("c1"));
    assert!(!screen_text(&player, (25, 8)).contains("Your move."));
}

#[test]
fn the_board_has_the_same_place_in_every_language() {
    for rules in ["3x3:3", "connect4", "gomoku", "qubic"] {
        let (mut player, _) = playing(rules, Some("5+3"), &[]);
        let board = |player: &TestPlayer| {
            let buffer = render(&player.model, (80, 24));
            let cells = (2..22).flat_map(|y| (0..48).map(move |x| (x, y)));
            cells
                .map(|at| buffer[at].symbol().to_owned())
                .collect::<String>()
        };
        let english = board(&player);
        for lang in Lang::ALL {
            player.model.settings.lang = lang;
            assert_eq!(board(&player), english, "{rules} {lang}");
        }
    }
}

#[test]
fn victory_defeat_and_draw_differ_without_colours() {
    let status = |outcome: Outcome| {
        let (mut player, mut host) = playing("3x3:3", None, &["b2"]);
        player.receive_message(host.end(outcome));
        player.model.appearance = APPEARANCES[1];
        let buffer = render(&player.model, (80, 24));
        let reversed = buffer[(70, 1)].modifier.contains(Modifier::REVERSED);
        (
            buffer_text(&buffer)
                .lines()
                .nth(1)
                .unwrap_or_default()
                .trim()
                .to_owned(),
            reversed,
        )
    };
    for (outcome, text, is_bar) in [
        (
            Outcome::Resigned { winner: Seat::X },
            "*** YOU WIN ***   Bob resigned",
            true,
        ),
        (
            Outcome::Flag { winner: Seat::O },
            "--- YOU LOST ---   time ran out",
            false,
        ),
        (Outcome::Agreed, "=== DRAW ===   by agreement", false),
        (Outcome::Aborted, "=== GAME ABORTED ===   no result", false),
    ] {
        assert_eq!(status(outcome), (text.to_owned(), is_bar));
    }
}

#[test]
fn the_analysis_of_a_game_needs_no_file_and_leads_back() {
    let (mut player, mut host) = playing("3x3:3", None, &["b2", "a1", "c1", "b1", "a3"]);
    player.receive_message(host.end_on_board());
    let over = screen_text(&player, (80, 24));
    player.type_letters("e,,");
    let analysis = screen_text(&player, (80, 24));
    assert_shown(&analysis, &["Analysis: Tic-tac-toe 3x3", "MOVE 3 OF 5"]);
    // Enter tries a move beside the game; the game goes on underneath.
    player.type_letters("9");
    assert!(screen_text(&player, (80, 24)).contains("YOUR LINE, 1 move from the game"));
    player.press(&[Key::Esc]);
    assert!(screen_text(&player, (80, 24)).contains("MOVE 3 OF 5"));
    // Without an offer the key that accepts has no effect.
    player.sent.clear();
    player.type_letters("ax");
    assert!(player.sent.is_empty(), "{:?}", player.sent);
    player.receive_message(host.offer(Seat::O, Offer::Rematch));
    let offer = "?  Bob OFFERS A REMATCH   a accept   x decline";
    assert_shown(&screen_text(&player, (80, 24)), &[offer]);
    player.press(&[Key::Esc]);
    let back = screen_text(&player, (80, 24));
    assert!(
        over.contains("*** YOU WIN ***") && back.contains("*** YOU WIN ***"),
        "{back}"
    );
    player.type_letters(",");
    assert_shown(&screen_text(&player, (80, 24)), &[offer]);
    player.type_letters("ea");
    assert_eq!(player.last_sent(), r#"{"type":"offer","offer":"rematch"}"#);
    // A rematch closes the analysis.
    player.receive_message(host.apply_event(Event::Started { game: 2 }));
    assert!(screen_text(&player, (80, 24)).contains("Bob to move"));
}
