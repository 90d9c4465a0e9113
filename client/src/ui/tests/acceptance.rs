//! Properties that hold on every screen of a game, in every language and size.

use noughts_protocol::wire::Phrase;

use super::*;
use crate::engine::{Evaluation, SearchScore};
use crate::engines::analysis::{AnalysisResult, GameReview, ReviewedMove};
use crate::update::Msg;

fn footer(player: &TestPlayer) -> String {
    screen_text(player, (80, 24))
        .lines()
        .last()
        .unwrap_or_default()
        .to_owned()
}

#[test]
fn the_footer_has_four_entries_and_the_menu_has_what_works() {
    let (mut player, mut host) = playing("3x3:3", None, &["b2", "a1"]);
    assert_eq!(
        footer(&player).trim(),
        "1-9 place  , . moves  Esc menu  ? keys"
    );
    let menu = |player: &mut TestPlayer| {
        player.press(&[Key::Esc]);
        let screen = screen_text(player, (80, 24));
        player.press(&[Key::Esc]);
        assert!(player.model.overlay.is_none());
        screen
    };
    let all = [
        "=  Offer a draw",
        "t  Take back a move",
        "s  Say something",
        "i  Show how to watch",
        "y  Copy link to watch",
        "R  Resign",
        "q  Leave",
    ];
    assert_shown(&menu(&mut player), &all);
    // The opponent's offer is answered first.
    let (mut asked, mut asking) = playing("3x3:3", None, &["b2", "a1"]);
    asked.receive_message(asking.offer(Seat::O, Offer::Draw));
    let screen = menu(&mut asked);
    assert_shown(&screen, &["a  Accept the offer", "x  Decline the offer"]);
    // Before the first move, there is nothing to take back and no result to lose.
    let (mut first, _) = playing("3x3:3", None, &[]);
    let screen = menu(&mut first);
    assert_hidden(&screen, &["Take back", "Resign"]);
    assert_shown(&screen, &["R  Abort without a result"]);
    // A game without a server has no phrases and no link.
    let mut offline = TestPlayer::local(Mode::Full, "3x3:3", ["Ann", "Bob"]);
    let screen = menu(&mut offline);
    assert_hidden(&screen, &["Say", "watch", "link"]);
    assert_shown(&screen, &["=  Offer a draw", "R  Resign", "q  Leave"]);
    player.receive_message(host.play("c1"));
    assert!(!footer(&player).contains("place"), "{}", footer(&player));
    player.press(&[Key::Esc]);
    player.receive_message(host.end(Outcome::Resigned { winner: Seat::X }));
    assert!(player.model.overlay.is_none(), "the menu outlives the game");
}

#[test]
fn the_menu_runs_an_entry_by_its_key_and_by_enter() {
    let (mut player, mut host) = playing("3x3:3", None, &["b2", "a1"]);
    // Nothing is selected at first, so Enter after Esc has no effect.
    let sent = player.sent.len();
    player.press(&[Key::Esc, Key::Enter]);
    assert_eq!(player.sent.len(), sent);
    player.press(&[Key::Down, Key::Down, Key::Enter]);
    assert!(player.last_sent().contains("takeback"), "{:?}", player.sent);
    player.receive_message(host.offer(Seat::X, Offer::Takeback));
    player.press(&[Key::Esc]);
    assert_shown(&screen_text(&player, (80, 24)), &["x  Withdraw your offer"]);
    player.type_letters("x");
    assert!(player.last_sent().contains("decline"), "{:?}", player.sent);
    // A key without an entry has no effect while the menu is open.
    let sent = player.sent.len();
    player.press(&[Key::Esc]);
    player.type_letters("3");
    assert_eq!(player.sent.len(), sent);
    player.type_letters("Ry");
    assert!(player.last_sent().contains("resign"), "{:?}", player.sent);
}

#[test]
fn the_selected_entry_of_the_menu_is_visible_on_the_smallest_screen() {
    let (mut player, _host) = playing("3x3:3", None, &["b2", "a1"]);
    player.model.size = (30, 10);
    player.press(&[Key::Esc]);
    for entry in player.model.game_menu_actions() {
        player.press(&[Key::Down]);
        let screen = screen_text(&player, (30, 10));
        assert!(screen.contains("> "), "{entry:?}: {screen}");
    }
    assert_shown(&screen_text(&player, (30, 10)), &["> q  Leave"]);
}

#[test]
fn a_key_that_arrives_as_escape_never_ends_a_game() {
    for players in [["Ann", "Bob"], ["bot:easy", "bot:easy"]] {
        let mut player = TestPlayer::local(Mode::Full, "3x3:3", players);
        player.press(&[Key::Esc, Key::Esc, Key::Esc]);
        assert!(
            player.is_in_local_game() && player.quit.is_none(),
            "{players:?}"
        );
    }
}

#[test]
fn the_panel_lists_the_last_six_phrases() {
    let (mut player, host) = playing("3x3:3", None, &["b2"]);
    let spectator = TestPlayer::watching(Mode::Full, &host);
    for (player, name) in [(&mut player, "you"), (&mut { spectator }, "Ann")] {
        for phrase in &Phrase::ALL[..7] {
            let notice = Notice::Phrase {
                seat: Seat::X,
                phrase: *phrase,
            };
            player.receive_message(notice_message(notice));
        }
        let screen = screen_text(player, (80, 24));
        assert_hidden(&screen, &["Hello"]);
        let row = |text: &str| format!("{name}  {text}");
        for phrase in [
            "Good luck",
            "Have fun",
            "Nice move",
            "Oops",
            "I am thinking",
            "Sorry",
        ] {
            assert_eq!(screen.matches(phrase).count(), 1, "{phrase}: {screen}");
            assert_shown(&screen, &[&row(phrase)]);
        }
    }
}

#[test]
fn a_phrase_without_a_row_in_the_panel_is_shown_below_the_board() {
    let notice = || {
        notice_message(Notice::Phrase {
            seat: Seat::O,
            phrase: Phrase::ALL[0],
        })
    };
    // The menu after a game needs the rows of a low panel.
    let (mut player, mut host) = playing("3x3:3", None, &["b2"]);
    player.receive_message(host.end(Outcome::Resigned { winner: Seat::X }));
    player.receive_message(notice());
    for size in [(60, 12), (80, 24)] {
        assert_shown(&screen_text(&player, size), &["Hello"]);
    }
    // The panel of an analysis lists no phrases.
    player.type_letters("e");
    assert!(player.model.screen.as_analysis().is_some());
    player.receive_message(notice());
    assert_shown(&screen_text(&player, (80, 24)), &["Hello"]);
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
    // `К` is on the `R` key, and `е` on the `t` key.
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
    assert_shown(&earlier, &["<  MOVE 2 OF 4", "> 1 <", "move 2 of 4"]);
    assert!(
        !earlier.contains(">    ") && !earlier.contains('║'),
        "the cursor is shown: {earlier}"
    );
    // While an earlier position is displayed, the key plays no move, but leads back to the game.
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
            // A screen of 120 columns has the status above its board.
            let status = if size.0 < 120 { status } else { &screen };
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
            let layer_name = player.model.lang().texts().layer_name("1");
            let (word, _) = layer_name
                .split_once('1')
                .expect("the name contains the number");
            let screen = screen_text(player, (80, 24));
            let rows = screen.lines().skip(2).take(20);
            let rows = rows.map(|row| row.chars().take(48).collect::<String>());
            // Only the names of layers differ.
            let rows = rows.filter(|row| !row.contains(word));
            rows.map(|row| row.trim_end().to_owned())
                .collect::<Vec<_>>()
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
        let reversed = buffer[(7, 1)].modifier.contains(Modifier::REVERSED);
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
            true,
        ),
        (Outcome::Agreed, "=== DRAW ===   by agreement", true),
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
    // The digit tries a move beside the game, and the game continues underneath.
    player.type_letters("9");
    assert!(screen_text(&player, (80, 24)).contains("YOUR LINE, 1 move from the game"));
    player.press(&[Key::Esc]);
    assert!(screen_text(&player, (80, 24)).contains("MOVE 3 OF 5"));
    // Without an offer, the key that accepts has no effect.
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

#[test]
fn only_a_slow_connection_is_shown() {
    let (mut player, _) = playing("3x3:3", None, &["b2"]);
    for (ms, is_shown) in [(99, false), (100, true)] {
        let lag = [Some(ms), Some(ms)];
        player.receive_message(notice_message(Notice::Lag { ms: lag }));
        let screen = screen_text(&player, (80, 24));
        for text in [format!("slow: {ms} ms"), format!("online {ms} ms")] {
            assert_eq!(screen.contains(&text), is_shown, "{text}: {screen}");
        }
    }
}

#[test]
fn a_game_that_is_watched_alone_has_its_clocks_and_moves() {
    let mut host = TestRoom::in_game("3x3:3", Some("5+3"));
    let mut player = multi_watch::watching_player(Mode::Full, 1);
    player.receive_for_place(0, host.snapshot(None));
    player.receive_for_place(0, host.play("b2"));
    let screen = screen_text(&player, (80, 24));
    assert_shown(&screen, &["1.   5", "5:00", "p hold", "q leave"]);
}

#[test]
fn an_analysis_says_what_was_wrong_with_the_shown_move() {
    let text = "[Rules \"3x3:3\"]\n[X \"Ann\"]\n[O \"Bob\"]\n[Result \"X line\"]\n\n1. b2 b1 2. a1 c3 3. a2 a3 4. c2\n";
    let record: noughts_protocol::Record = text.parse().unwrap();
    let mut player = TestPlayer::new(Mode::Full, InitialAction::Analysis(record.clone()));
    let score = |evaluation| SearchScore {
        evaluation,
        exact: true,
    };
    let moves = record.moves.iter().enumerate().map(|(index, &cell)| {
        let is_mistake = index == 1;
        ReviewedMove {
            seat: Seat::ALL[index % 2],
            cell,
            score_before: score(Evaluation::Draw),
            score_after: score(if is_mistake {
                Evaluation::Loss(4)
            } else {
                Evaluation::Draw
            }),
            best_cell: if is_mistake { record.moves[2] } else { cell },
        }
    });
    let review = GameReview {
        rules: record.rules,
        winner: Some(Seat::X),
        moves: moves.collect(),
    };
    player.feed(Msg::AnalysisDone(AnalysisResult::Review(review)));
    player.press(&[Key::Home, Key::Char('e')]);
    let mistake = [
        "MOVE 2 OF 7   O 2: mistake, better 1",
        "2? <",
        "Move 2 (O, cell 2) gave X a",
    ];
    assert_shown(&screen_text(&player, (80, 24)), &mistake);
    // The screen shows the side that is ahead, the better move on the board, and the meanings of the signs.
    let notes = ["X: winning", "? mistake", "( ) better"];
    assert_shown(&screen_text(&player, (80, 24)), &notes);
    assert_shown(&screen_text(&player, (40, 12)), &["( O )"]);
    // A screen without a panel shows the short form.
    assert_shown(&screen_text(&player, (40, 12)), &mistake[..1]);
    player.type_letters(",");
    let screen = screen_text(&player, (80, 24));
    assert_hidden(&screen, &["forced win", "( ) better"]);
    assert_shown(&screen, &["even", "Move 1 (X, cell 5): the best"]);
}
