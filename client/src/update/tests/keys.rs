use super::*;
use crate::model::{Overlay, Screen};

fn local_player(rules: &str) -> TestPlayer {
    TestPlayer::local(Mode::Full, rules, ["Ann", "Bob"])
}

fn check(rules: &str, keys: &[Key], cursor: &str) {
    let mut player = local_player(rules);
    player.press(keys);
    let rules = player.view().game.rules().to_owned();
    assert_eq!(
        rules.cell_text(player.model.cursor()),
        cursor,
        "{keys:?} on {rules}"
    );
}

fn letters(letters: &str) -> Vec<Key> {
    letters.chars().map(Key::Char).collect()
}

#[test]
fn the_cursor_reaches_all_cells_and_stops_at_edges() {
    check("15x15:5", &[], "h8");
    check("15x15:5", &[Key::Up, Key::Left, Key::Left], "f9");
    check("15x15:5", &letters("hjkl"), "h8");
    check("15x15:5", &letters("hhkk"), "f10");
    check("3x3:3", &letters("hhhkkk"), "a1");
    check("3x3:3", &letters("llljjj"), "c3");
    check("4x4x4:4", &letters("]]]]"), "b2-4");
    check("4x4x4:4", &[Key::PageUp, Key::PageUp], "b2-1");
    check("3x3x3x3:3", &[Key::PageDown, Key::Char('[')], "b2-1.3");
    check("15x15:5", &letters("]"), "h8");
    // The same keys in the Russian layout.
    check("15x15:5", &letters("рол"), "g8");
}

#[test]
fn digits_play_moves_in_either_order() {
    for (order, cell) in [(DigitOrder::Reading, "a3"), (DigitOrder::Numpad, "a1")] {
        let mut player = local_player("3x3:3");
        player.model.settings.digits = order;
        player.type_letters("7");
        let game = &player.view().game;
        assert_eq!(game.rules().cell_text(game.position().moves()[0]), cell);
    }
    let mut player = local_player("15x15:5");
    player.type_letters("7");
    assert_eq!(player.ply(), 0);
}

#[test]
fn clicks_play_moves() {
    let mut player = local_player("3x3:3");
    // The first click is on the middle cell. The other clicks are beside the cells.
    player.feed(Msg::Input(Input::Click(25, 12)));
    let game = &player.view().game;
    assert_eq!(game.rules().cell_text(game.position().moves()[0]), "b2");
    player.feed(Msg::Input(Input::Click(5, 12)));
    player.feed(Msg::Input(Input::Click(79, 23)));
    assert_eq!(player.ply(), 1, "a click beside the cells plays a move");
}

#[test]
fn the_command_line_accepts_cells_only() {
    let mut player = local_player("15x15:5");
    player.type_command("8 8");
    assert_eq!(player.ply(), 1);
    for text in ["nonsense", "resign", "quit"] {
        player.type_command(text);
        assert!(
            player.last_output().starts_with(&format!("{text}: ")),
            "{text}: {}",
            player.last_output()
        );
    }
    assert_eq!((player.ply(), player.model.overlay), (1, None));
    player.type_letters(":x");
    player.press(&[Key::Backspace, Key::Backspace]);
    assert!(player.model.prompt.is_none());
    player.type_letters(":h9");
    player.press(&[Key::Esc]);
    assert!(player.model.prompt.is_none() && player.ply() == 1);
}

#[test]
fn esc_closes_the_help_and_the_confirmation() {
    let mut player = local_player("3x3:3");
    player.type_letters("5?");
    assert_eq!(player.model.overlay, Some(Overlay::Help(0)));
    player.press(&[Key::Down]);
    assert!(matches!(player.model.overlay, Some(Overlay::Help(_))));
    player.press(&[Key::Esc]);
    assert_eq!(player.model.overlay, None);
    // Part of an arrow key may arrive as Esc.
    player.press(&[Key::Esc, Key::Esc]);
    assert_eq!(player.model.overlay, None);
    player.type_letters("q");
    assert!(matches!(
        player.model.overlay,
        Some(Overlay::Confirmation(_))
    ));
    player.press(&[Key::Esc]);
    assert_eq!((player.model.overlay, player.quit), (None, None));
}

#[test]
fn esc_does_not_leave_a_finished_game() {
    let mut player = local_player("3x3:3");
    player.type_letters("14253");
    player.advance(1_500);
    player.type_letters(",,");
    player.press(&[Key::Esc]);
    assert_eq!((player.view().plies_back(), player.quit), (None, None));
    // Part of an arrow key may arrive as Esc.
    player.press(&[Key::Esc]);
    assert_eq!(
        (player.model.key_context(), player.quit),
        (KeyContext::GameOver, None)
    );
}

#[test]
fn the_help_scrolls_to_its_end_and_no_further() {
    for (width, height) in [(30, 10), (40, 12), (80, 24), (200, 80)] {
        let mut player = local_player("3x3:3");
        player.model.size = (width, height);
        player.type_letters("?");
        player.press(&[Key::PageDown; 40]);
        let area = ratatui::layout::Rect::new(0, 0, width, height);
        let mut buffer = ratatui::buffer::Buffer::empty(area);
        ui::draw(&player.model, area, &mut buffer);
        let screen: String = buffer
            .content()
            .iter()
            .map(ratatui::buffer::Cell::symbol)
            .collect();
        assert!(screen.contains("boards"), "{width}x{height}: {screen}");
        player.press(&[Key::Up; 200]);
        assert_eq!(player.model.overlay, Some(Overlay::Help(0)));
    }
}

#[test]
fn keys_fill_in_a_form() {
    let mut player = TestPlayer::new(Mode::Full, InitialAction::Home);
    player.press(&[Key::Down, Key::Enter]);
    // The rules come from the list, the clock is text, and the seat is chosen by its first letter.
    player.press(&[Key::Down, Key::Down, Key::Enter, Key::Ctrl('u')]);
    player.type_letters("5+3");
    player.press(&[Key::Down]);
    player.type_letters("o");
    // A choice is not text, so pasting has no effect.
    player.feed(Msg::Input(Input::Paste("anything".to_owned())));
    player.press(&[Key::Down]);
    player.press(&[Key::Backspace]);
    player.feed(Msg::Input(Input::Paste("na\u{1b}\n".to_owned())));
    player.press(&[Key::Enter]);
    assert!(matches!(player.model.screen, Screen::Waiting));
    let session = player.session();
    assert_eq!(session.name.as_str(), "Anna");
    let SessionGoal::Create {
        rules, clock, seat, ..
    } = &session.goal
    else {
        panic!("the goal is not a room")
    };
    assert_eq!(
        (rules.name(), clock.unwrap().to_string(), *seat),
        (Some("connect4"), "5+3".to_owned(), Some(Seat::O))
    );
}

#[test]
fn a_game_is_chosen_from_a_list_with_a_filter() {
    let mut player = TestPlayer::new(Mode::Full, InitialAction::Home);
    player.press(&[Key::Enter]);
    assert_eq!(player.model.key_context(), KeyContext::GamePicker);
    // Letters that are keys elsewhere are text here.
    player.type_letters("q");
    player.type_letters("ubic");
    player.press(&[Key::Enter]);
    let form = player.form();
    assert_eq!(
        (
            form.fields[0].input.text(),
            form.focus,
            form.picker.is_none()
        ),
        ("qubic", 1, true)
    );
    // Typing in the game field opens the list again, with the letter in the filter.
    player.press(&[Key::Up]);
    player.type_letters("9x9:4");
    player.press(&[Key::Enter]);
    let form = player.form();
    assert_eq!(form.fields[0].input.text(), "9x9:4");
    // Enter in the field opens the list, and Esc returns to the form.
    player.press(&[Key::Up, Key::Enter]);
    assert_eq!(player.model.key_context(), KeyContext::GamePicker);
    player.press(&[Key::Esc]);
    assert_eq!(player.model.key_context(), KeyContext::Form);
}

#[test]
fn esc_in_the_first_list_of_games_leads_home() {
    let mut player = TestPlayer::new(Mode::Full, InitialAction::Home);
    player.press(&[Key::Enter, Key::Esc]);
    assert!(player.model.screen.is_home());
}

#[test]
fn the_entry_for_own_sizes_suggests_sizes_that_typing_replaces() {
    let mut player = TestPlayer::new(Mode::Full, InitialAction::Home);
    player.press(&[Key::Enter]);
    player.press(&[Key::Down; 20]);
    player.press(&[Key::Enter]);
    player.type_letters("8x8:5");
    player.press(&[Key::Enter]);
    assert_eq!(player.field_text(0), "8x8:5");
}

#[test]
fn a_filter_without_a_match_chooses_nothing() {
    let mut player = TestPlayer::new(Mode::Full, InitialAction::Home);
    player.press(&[Key::Enter]);
    player.type_letters("chess");
    player.press(&[Key::Enter, Key::Down, Key::Enter]);
    assert_eq!(player.model.key_context(), KeyContext::GamePicker);
    player.press(&[Key::Ctrl('u'), Key::Enter]);
    assert_eq!(player.field_text(0), "tictactoe");
}

#[test]
fn a_draw_between_two_people_at_one_terminal_is_confirmed() {
    let mut player = local_player("3x3:3");
    player.type_letters("5=");
    assert_eq!(player.model.key_context(), KeyContext::Confirmation);
    // `н` is on the `y` key and means no.
    player.type_letters("н");
    assert_eq!(player.model.key_context(), KeyContext::Playing);
    player.type_letters("=");
    player.type_letters("д");
    assert_eq!(player.model.key_context(), KeyContext::GameOver);
}

#[test]
fn an_invalid_field_keeps_the_focus() {
    let mut player = TestPlayer::new(Mode::Full, InitialAction::Home);
    player.press(&[Key::Enter, Key::Enter, Key::Ctrl('u')]);
    player.type_letters("5min");
    player.press(&[Key::Down, Key::Enter]);
    let Screen::Form(form) = &player.model.screen else {
        panic!("the form is closed")
    };
    assert!(form.error.is_some() && form.focus == 1);
    player.press(&[Key::Esc]);
    assert!(matches!(player.model.screen, Screen::Home { .. }));
    player.type_letters("q");
    assert_eq!(player.quit, Some(Exit::Done));
}

#[test]
fn keys_step_through_a_record() {
    let text = "[Rules \"3x3:3\"]\n[X \"Ann\"]\n[O \"Bob\"]\n[Result \"X line\"]\n\n1. b2 a1 2. c1 b1 3. a3\n";
    let mut player = TestPlayer::new(Mode::Full, InitialAction::Analysis(text.parse().unwrap()));
    let ply = |player: &TestPlayer| {
        let Screen::Analysis(analysis) = &player.model.screen else {
            panic!("no record is shown")
        };
        analysis.position.ply()
    };
    for (key, at) in [
        (Key::Char('.'), 5),
        (Key::Home, 0),
        (Key::Char(','), 0),
        (Key::Char('.'), 1),
        (Key::Char('.'), 2),
        (Key::End, 5),
        (Key::Char('.'), 5),
        (Key::Char(','), 4),
        (Key::Home, 0),
    ] {
        player.press(&[key]);
        assert_eq!(ply(&player), at, "{key}");
    }
    player.type_letters("й");
    assert_eq!(player.quit, Some(Exit::Done));
    let printed = TestPlayer::new(SCRIPT, InitialAction::Analysis(text.parse().unwrap()));
    assert_eq!(
        printed.last_output(),
        "Ann (X) wins. Anti-diagonal c1-b2-a3."
    );
    assert_eq!(printed.quit, Some(Exit::Done));
}

fn any_input() -> impl proptest::strategy::Strategy<Value = Input> {
    use proptest::prelude::*;
    const KEYS: &[Key] = &[
        Key::Up,
        Key::Down,
        Key::Left,
        Key::Right,
        Key::Enter,
        Key::Esc,
        Key::Tab,
        Key::BackTab,
        Key::Backspace,
        Key::Delete,
        Key::Home,
        Key::End,
        Key::PageUp,
        Key::PageDown,
        Key::Ctrl('u'),
        Key::Ctrl('l'),
    ];
    prop_oneof![
        4 => proptest::sample::select(KEYS).prop_map(Input::Key),
        6 => proptest::sample::select("123456789hjklyubn[]{}gax rw:?qйвя明,.=tRSezvmik\u{1b}\u{202e}".chars().collect::<Vec<_>>())
            .prop_map(|letter| Input::Key(Key::Char(letter))),
        1 => (0..100u16, 0..40u16).prop_map(|(x, y)| Input::Click(x, y)),
        1 => proptest::bool::ANY.prop_map(|down| Input::Wheel { down }),
        1 => (0..130u16, 0..50u16).prop_map(|(x, y)| Input::Resize(x, y)),
        1 => ".{0,40}".prop_map(Input::Paste),
    ]
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(64))]

    /// Draws every state on the way.
    #[test]
    fn no_sequence_of_keys_causes_a_panic(
        inputs in proptest::collection::vec(any_input(), 1..150),
        rules in proptest::sample::select(vec!["3x3:3", "7x6:4+gravity", "4x4x4:4", "3x3x3x3:3", "25x25:5", "9:3"]),
        start in 0..4,
    ) {
        let mut player = match start {
            0 => TestPlayer::new(Mode::Full, InitialAction::Home),
            1 => local_player(rules),
            2 => TestPlayer::seated(Mode::Full, &TestRoom::in_game(rules, Some("5+3"))),
            _ => TestPlayer::seated(Mode::Full, &TestRoom::open(rules, None)),
        };
        for input in inputs {
            player.feed(Msg::Input(input));
            let (width, height) = player.model.size;
            let area = ratatui::layout::Rect::new(0, 0, width, height);
            let mut buffer = ratatui::buffer::Buffer::empty(area);
            if let Some(at) = ui::draw(&player.model, area, &mut buffer) {
                assert!(area.contains(at), "the cursor is outside the screen");
            }
        }
    }

    /// Also checks that the output contains no escape sequence.
    #[test]
    fn no_sequence_of_lines_causes_a_panic(lines in proptest::collection::vec(".{0,30}|[a-h][1-9]|[bspcloqyn]|s [0-9a-h]|draw|undo|[1-9]", 1..60), person: bool) {
        let mode = Mode::Line { interactive: person };
        let mut player = TestPlayer::new(mode, InitialAction::Home);
        for line in &lines {
            player.type_line(line);
        }
        let mut seated = TestPlayer::seated(mode, &TestRoom::in_game("7x6:4+gravity", None));
        for line in &lines {
            seated.type_line(line);
        }
        let output = player.output.join("\n") + &seated.output.join("\n");
        assert!(output.chars().all(|letter| letter == '\n' || crate::i18n::is_printable(letter)), "{output:?}");
    }
}

#[test]
fn home_and_end_lead_to_the_first_and_the_last_entry() {
    let mut player = TestPlayer::new(Mode::Full, InitialAction::Home);
    player.press(&[Key::End, Key::Enter]);
    assert_eq!(player.quit, Some(Exit::Done), "the last entry quits");
    let mut player = TestPlayer::new(Mode::Full, InitialAction::Home);
    player.press(&[Key::End, Key::Home, Key::Down]);
    assert!(matches!(
        player.model.screen,
        crate::model::Screen::Home { selected: 1 }
    ));
}
