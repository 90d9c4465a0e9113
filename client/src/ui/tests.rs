//! Every screen as text, checked in all sizes and languages. The snapshots have all sizes in English, and one size in
//! the other languages.
//!
//! After an intended change of a screen, review the snapshots with `cargo insta review` or accept them all with
//! `INSTA_UPDATE=always`.

mod acceptance;
mod acceptance_signs;
mod boards;
mod contrast;
mod errors;
mod game_picker;
mod line_mode;
mod pictures;
mod room_endings;
mod states;
mod waiting;
mod window_title;

use noughts_protocol::wire::{LobbyCounts, LobbyView, Message, Notice, Presence, RoomListing};
use noughts_protocol::{Event, Offer, Outcome, Phase, PlayerKind, Seat};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::drawing::CUT_TEXTS;
use crate::connection::server_url::ServerUrl;
use crate::connection::{ConnectionEvent, DisconnectReason, TerminationReason};
use crate::i18n::Texts;
use crate::i18n::lang::Lang;
use crate::input::Key;
use crate::io::saved_games::SavedGame;
use crate::io::saved_games::tests::saved_game;
use crate::model::{Appearance, FormResult, HomeServer, Mode, Model, PREVIEW_INDEX, SessionGoal};
use crate::settings::Theme;
use crate::update::tests::test_lobby::listed_seek;
use crate::update::tests::{
    TestPlayer, TestRoom, create_goal, multi_watch, notice_message, opponent_presence, room_id,
    seated_event, seek_goal, seek_goal_for, welcome,
};
use crate::update::{InitialAction, Msg};

const SIZES: [(u16, u16); 5] = [(80, 24), (60, 20), (40, 12), (30, 10), (120, 40)];
/// A size that is checked in English only.
const LARGEST_SIZE: (u16, u16) = (200, 60);
const APPEARANCES: [Appearance; 3] = [
    Appearance {
        color: true,
        has_palette: false,
        unicode: true,
        theme: Theme::Dark,
        has_light_background: false,
    },
    Appearance {
        color: true,
        has_palette: false,
        unicode: true,
        theme: Theme::HighContrast,
        has_light_background: false,
    },
    Appearance {
        color: false,
        has_palette: false,
        unicode: false,
        theme: Theme::Dark,
        has_light_background: false,
    },
];

const SURFACES: Appearance = Appearance {
    has_palette: true,
    ..APPEARANCES[0]
};

fn render(model: &Model, (width, height): (u16, u16)) -> Buffer {
    let area = Rect::new(0, 0, width, height);
    let mut buffer = Buffer::empty(area);
    super::draw(model, area, &mut buffer);
    buffer
}

/// Returns the characters of a screen, without trailing blanks.
fn buffer_text(buffer: &Buffer) -> String {
    let mut rows = Vec::new();
    for y in 0..buffer.area.height {
        let mut row = String::new();
        let mut x = 0;
        while x < buffer.area.width {
            let symbol = buffer[(x, y)].symbol();
            row.push_str(symbol);
            x += (symbol.width() as u16).max(1);
            assert!(
                x <= buffer.area.width,
                "half of {symbol:?} is beyond the edge"
            );
        }
        rows.push(row.trim_end().to_owned());
    }
    rows.join("\n")
}

/// Returns the screen of a player at this size.
fn screen_text(player: &TestPlayer, size: (u16, u16)) -> String {
    buffer_text(&render(&player.model, size))
}

fn assert_shown(screen: &str, texts: &[&str]) {
    for text in texts {
        assert!(screen.contains(text), "{text} is missing: {screen}");
    }
}

fn assert_hidden(screen: &str, texts: &[&str]) {
    for text in texts {
        assert!(!screen.contains(text), "{text} is shown: {screen}");
    }
}

/// Compares the screen of a model with its snapshot: in all sizes for English, and in the first size for the other
/// languages.
fn check(name: &str, model: Model) {
    check_sizes(name, model, &[&SIZES[..], &[LARGEST_SIZE]].concat());
}

/// Compares a state of a screen in English, in the sizes that wrap its texts. Another snapshot shows the layout.
fn check_state(name: &str, model: Model) {
    check_sizes(name, model, &[SIZES[0], (40, 12), (30, 10)]);
}

/// Checks the screen of a model in all sizes and languages. Compares it with its snapshot: in these sizes for English,
/// and in the first size for the other languages.
fn check_sizes(name: &str, mut model: Model, english_sizes: &[(u16, u16)]) {
    let mut snapshot = String::new();
    for lang in Lang::ALL {
        model.settings.lang = lang;
        let shown_sizes = match lang {
            Lang::En => english_sizes,
            Lang::Ru | Lang::Hans | Lang::Hant => &SIZES[..1],
        };
        let largest_size = (lang == Lang::En).then_some(LARGEST_SIZE);
        for size in SIZES.into_iter().chain(largest_size) {
            let [colored, ascii] = render_appearances(name, &mut model, size);
            let (width, height) = size;
            if shown_sizes.contains(&size) {
                snapshot.push_str(&format!("=== {lang} {width}x{height}\n{colored}\n"));
            }
            let is_ascii_shown = size == SIZES[0] && english_sizes.contains(&LARGEST_SIZE);
            if is_ascii_shown && ascii != colored && lang == Lang::En {
                snapshot.push_str(&format!("=== {lang} {width}x{height} ASCII\n{ascii}\n"));
            }
        }
    }
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!(name, snapshot);
    });
}

/// Checks that a screen has at most four colours, and that red only signals danger. The QR code is black on white.
fn check_colors(name: &str, buffer: &Buffer) {
    let mut colors: Vec<Color> = Vec::new();
    for cell in buffer
        .content()
        .iter()
        .filter(|cell| cell.bg == Color::Reset)
    {
        if cell.fg != Color::Reset && !colors.contains(&cell.fg) {
            colors.push(cell.fg);
        }
        let is_danger = matches!(cell.symbol(), "!" | "-" | "l" | " ");
        assert!(
            cell.fg != Color::LightRed || is_danger,
            "{name}: {} is red",
            cell.symbol()
        );
    }
    assert!(colors.len() <= 4, "{name}: {colors:?}");
}

/// Sets the appearance of the model and of its watched games.
fn set_appearance(model: &mut Model, appearance: Appearance) {
    model.appearance = appearance;
    model.sync_watched_games();
}

/// Renders a model in one size, with Unicode and with ASCII characters. Checks that every appearance shows the same
/// text, that the keys that lead out are visible, and that no forbidden colours or characters are used.
fn render_appearances(name: &str, model: &mut Model, size: (u16, u16)) -> [String; 2] {
    let lang = model.lang();
    model.size = size;
    set_appearance(model, APPEARANCES[0]);
    CUT_TEXTS.with_borrow_mut(Vec::clear);
    let dark = render(model, size);
    let cut = CUT_TEXTS.with_borrow(Clone::clone);
    check_colors(name, &dark);
    let colored = buffer_text(&dark);
    if size.0 >= SIZES[0].0 {
        // The rulers of a torus use the same sign as a cut name.
        let is_name_cut = !name.starts_with("torus") && colored.contains('~');
        assert!(
            cut.is_empty() && !is_name_cut,
            "{name} {lang} {size:?}: {cut:?} is cut: {colored}"
        );
    }
    set_appearance(model, APPEARANCES[1]);
    let hints = super::footer::hints(model).into_iter();
    let exits = hints.filter(|(action, _, _)| super::footer::is_exit_action(*action));
    for (_, _, hint) in exits.filter(|_| model.prompt.is_none()) {
        let is_visible = colored
            .lines()
            .last()
            .is_some_and(|last| last.contains(hint));
        assert!(
            is_visible,
            "{name} {lang}: the hint {hint} is missing at {size:?}"
        );
    }
    let contrast = render(model, size);
    assert_eq!(
        buffer_text(&contrast),
        colored,
        "{name}: with high contrast the text differs"
    );
    for cell in contrast.content() {
        assert!(
            !cell.modifier.contains(Modifier::DIM),
            "{name}: a high-contrast screen has dim text"
        );
        assert_eq!(
            (cell.fg, cell.bg),
            (Color::Reset, Color::Reset),
            "{name}: a colour is not readable on every palette"
        );
    }
    set_appearance(model, APPEARANCES[2]);
    let ascii = buffer_text(&render(model, size));
    let is_box_drawing =
        |letter: char| !letter.is_ascii() && !letter.is_alphabetic() && letter.width() != Some(2);
    assert!(!ascii.contains(is_box_drawing), "{name}: {ascii}");
    assert!(
        !colored.contains(['…', '—', '·', '«', '»', '×']),
        "{name}: {colored}"
    );
    [colored, ascii]
}

/// Returns a player who plays X against Bob, after these moves.
fn playing(rules: &str, clock: Option<&str>, cells: &[&str]) -> (TestPlayer, TestRoom) {
    let mut host = TestRoom::in_game(rules, clock);
    let mut player = TestPlayer::seated(Mode::Full, &host);
    for cell in cells {
        player.receive_message(host.play(cell));
    }
    (player, host)
}

#[test]
fn home_shows_the_menu() {
    let mut player = TestPlayer::new(Mode::Full, InitialAction::Home);
    player.press(&[Key::Down]);
    check("home", player.model);
}

#[test]
fn home_lists_saved_games_first() {
    let remote_game = SavedGame {
        server: "games.example.org".parse().unwrap(),
        opponent: Some("小明".parse().unwrap()),
        rules: "connect4".parse().unwrap(),
        ..saved_game("k7qf3mzx")
    };
    let game_without_opponent = SavedGame {
        opponent: None,
        ..saved_game("00000000")
    };
    let games = vec![remote_game, game_without_opponent, saved_game("11111111")];
    check(
        "continue",
        TestPlayer::with_saved_games(Mode::Full, InitialAction::Home, games).model,
    );
}

#[test]
fn watched_games_are_shown_side_by_side() {
    let mut hosts = [
        TestRoom::in_game("3x3:3", Some("10s+0")),
        TestRoom::in_game("connect4", None),
        TestRoom::in_game("connect4", Some("5+3")),
    ];
    let mut player = multi_watch::watching_player(Mode::Full, 3);
    for (place, host) in hosts.iter().enumerate().take(2) {
        player.receive_for_place(place, host.snapshot(None));
    }
    for (place, cells) in [
        (0, &["b2", "a1", "c1", "b1", "a3"][..]),
        (1, &["d1", "d1", "e1"][..]),
    ] {
        for cell in cells {
            player.receive_for_place(place, hosts[place].play(cell));
        }
    }
    let outcome = hosts[0].game.position().outcome().unwrap();
    player.receive_for_place(
        0,
        hosts[0].apply_event(Event::Ended {
            outcome,
            left: Some([4000, 3000]),
        }),
    );
    player.press(&[Key::Right]);
    check("several", player.model);
}

#[test]
fn watched_games_show_the_state_of_their_connections() {
    let mut hosts = [
        TestRoom::in_game("connect4", None),
        TestRoom::in_game("connect4", Some("5+3")),
    ];
    for cell in ["d1", "d1", "e1"] {
        hosts[0].play(cell);
    }
    let mut player = multi_watch::watching_player(Mode::Full, 3);
    player.receive_for_place(0, hosts[0].snapshot(None));
    player.receive_for_place(2, hosts[1].snapshot(None));
    player.receive_for_place(2, hosts[1].play("g1"));
    let retry_in = std::time::Duration::from_secs(3);
    player.receive_for_game(
        0,
        ConnectionEvent::Disconnected {
            attempt: 2,
            retry_in,
            reason: DisconnectReason::Silent,
        },
    );
    player.receive_for_game(
        1,
        ConnectionEvent::Terminated(TerminationReason::CannotConnect(DisconnectReason::Timeout)),
    );
    check_state("several_apart", player.model);
}

#[test]
fn hidden_games_are_counted_and_the_focused_game_is_visible() {
    let mut player = multi_watch::watching_player(Mode::Full, 3);
    for (place, rules) in ["gomoku", "16x16:5", "17x17:5"].into_iter().enumerate() {
        player.receive_for_place(place, TestRoom::in_game(rules, None).snapshot(None));
    }
    let screen = |player: &TestPlayer| screen_text(player, (80, 24));
    assert!(
        screen(&player).contains(">Gomoku")
            && screen(&player).contains("1 more game does not fit.")
    );
    assert!(screen(&player).contains("16x16") && !screen(&player).contains("17x17"));
    player.press(&[Key::BackTab]);
    assert!(
        screen(&player).contains(">17x17") && screen(&player).contains("2 more games do not fit.")
    );
}

#[test]
fn the_settings_form_shows_the_current_values() {
    let mut player = TestPlayer::new(Mode::Full, InitialAction::Home);
    player.press(&[Key::Down; 7]);
    player.press(&[Key::Enter, Key::Down, Key::Down]);
    check("settings", player.model);
}

#[test]
fn rebound_keys_appear_in_the_hints_and_in_the_help() {
    let (mut player, _) = playing("gomoku", None, &[]);
    for (action, key) in [
        ("place", Key::Char('p')),
        ("help", Key::Ctrl('h')),
        ("leave", Key::Char('Q')),
    ] {
        player.model.keymap.rebind(action, &[key]).unwrap();
    }
    assert_shown(&screen_text(&player, (80, 24)), &["p place", "Ctrl-H keys"]);
    player.press(&[Key::Esc]);
    assert_shown(&screen_text(&player, (80, 24)), &["Q  Leave"]);
    player.press(&[Key::Esc]);
    player.press(&[Key::Ctrl('h')]);
    player.model.size = (80, 60);
    let screen = screen_text(&player, (80, 60));
    assert!(
        screen
            .lines()
            .any(|line| line.trim_start().starts_with("p ") && line.contains("play the cell")),
        "{screen}"
    );
}

#[test]
fn a_form_shows_the_error_of_its_field() {
    let mut player = TestPlayer::new(Mode::Full, InitialAction::Home);
    player.press(&[Key::Enter, Key::Enter]);
    player.type_letters("x");
    player.press(&[Key::Enter]);
    check("form", player.model);
}

#[test]
fn the_lobby_lists_rooms_and_seeks() {
    let listing = |room: &str, rules: &str, phase: &str, players: &str| {
        let text = format!(
            r#"{{"room":"{room}","rules":"{rules}","phase":"{phase}","players":{players},"moves":3,"spectators":1}}"#
        );
        serde_json::from_str(&text).unwrap()
    };
    let ann = r#"[{"name":"Ann","kind":"person"},null]"#;
    let both = r#"[{"name":"小明","kind":"person"},{"name":"Deep Four","kind":"bot"}]"#;
    let rooms = vec![
        listing("k7qf3mzx", "3x3:3", "waiting", ann),
        listing("b8h9b88a", "15x15:5", "playing", both),
    ];
    let seek = r#"{"player":{"name":"Zoë","kind":"person"},"rules":"7x6:4+gravity","clock":"5+3","seat":"X"}"#;
    let mut player = TestPlayer::online(Mode::Full, SessionGoal::Browse);
    let seeks = vec![serde_json::from_str(seek).unwrap()];
    player.receive_message(Message::Rooms {
        re: player.last_id(),
        rooms,
        seeks,
    });
    check("lobby", player.model);
}

#[test]
fn the_home_screen_shows_the_server() {
    let mut player = TestPlayer::new(Mode::Full, InitialAction::Home);
    let counts = LobbyCounts {
        persons: 41,
        bots: 6,
        waiting: 4,
        games: 9,
    };
    player.model.home_server = HomeServer::Online(Some(LobbyView {
        counts,
        ..LobbyView::default()
    }));
    check_state("home_online", player.model);
    let mut player = TestPlayer::new(Mode::Full, InitialAction::Home);
    // The game of the selected entry is drawn beside the menu, and a single seek shows its name.
    player.model.home_server = HomeServer::Online(Some(LobbyView {
        seeks: vec![listed_seek(1, "Ann", None)],
        ..LobbyView::default()
    }));
    check_sizes("home_waiting", player.model, &[(120, 40)]);
    let mut player = TestPlayer::new(Mode::Full, InitialAction::Home);
    player.model.home_server = HomeServer::Offline { retry_at: 8000 };
    player.press(&[Key::Home, Key::Enter]);
    for (size, offers) in [
        (
            (80, 24),
            [
                "No server at 127.0.0.1",
                "b play the computer",
                "8 another server",
            ],
        ),
        (
            (120, 40),
            [
                "No server at 127.0.0.1",
                "b  play the computer",
                "8  choose another server",
            ],
        ),
    ] {
        player.model.size = size;
        assert_shown(&screen_text(&player, size), &offers);
    }
    player.model.notification = None;
    check_state("home_offline", player.model);
}

#[test]
fn the_home_screen_shows_a_running_game() {
    let mut player = TestPlayer::new(Mode::Full, InitialAction::Home);
    player.model.size = (120, 40);
    let host = TestRoom::in_game("connect4", Some("5+3"));
    watch_beside(&mut player, host, Msg::HomeConnection);
    check_sizes("home_game", player.model, &[(120, 40), (200, 60)]);
}

/// Lets a player who looks at a list watch this host's game beside the list.
fn watch_beside(player: &mut TestPlayer, mut host: TestRoom, msg: fn(Box<ConnectionEvent>) -> Msg) {
    let room = host.game.clone();
    let players = Seat::ALL.map(|seat| room.player(seat).cloned());
    let listing = RoomListing {
        room: room_id(),
        rules: *room.rules(),
        clock: room.control(),
        phase: Phase::Playing,
        players,
        moves: 3,
        spectators: 1,
        open_seat: None,
    };
    let view = LobbyView {
        rooms: vec![listing],
        counts: LobbyCounts {
            persons: 2,
            games: 1,
            ..LobbyCounts::default()
        },
        ..LobbyView::default()
    };
    let (re, at) = (Some(player.last_id()), 60_000);
    let lobby = Message::Lobby { re, at, view };
    player.feed(msg(Box::new(ConnectionEvent::Message(lobby))));
    player.advance(300);
    let events = [
        ConnectionEvent::Connected { welcome: welcome() },
        ConnectionEvent::Message(host.snapshot(None)),
    ];
    for event in events {
        player.receive_for_game(PREVIEW_INDEX, event);
    }
    for cell in ["d1", "d1", "c1"] {
        let moved = ConnectionEvent::Message(host.play(cell));
        player.receive_for_game(PREVIEW_INDEX, moved);
    }
}

#[test]
fn the_lobby_shows_the_selected_game() {
    let mut player = TestPlayer::online(Mode::Full, SessionGoal::Browse);
    player.model.size = (120, 40);
    let host = TestRoom::in_game("connect4", Some("5+3"));
    watch_beside(&mut player, host, Msg::Connection);
    check_sizes("lobby_game", player.model, &[(120, 40)]);
}

#[test]
fn the_menu_of_phrases_stands_beside_the_board() {
    let (mut player, _) = playing("3x3:3", None, &["b2"]);
    player.model.overlay = Some(crate::model::Overlay::Say(1));
    check("say", player.model);
}

#[test]
fn the_help_lists_the_keys_of_the_screen() {
    let (mut player, _) = playing("3x3:3", None, &[]);
    player.type_letters("?");
    check("help", player.model);
}

#[test]
fn an_analysis_shows_the_moves_and_the_result() {
    let text = "[Rules \"3x3:3\"]\n[X \"Ann\"]\n[O \"B\\u{1b}ob\"]\n[Result \"X line\"]\n\n1. b2 a1 2. c1 b1 3. a3\n";
    let mut player = TestPlayer::new(Mode::Full, InitialAction::Analysis(text.parse().unwrap()));
    player.press(&[Key::End]);
    check("analysis_of_a_record", player.model);
}

#[test]
fn a_small_terminal_shows_only_a_hint() {
    let (player, _) = playing("3x3:3", None, &["b2"]);
    for (width, height) in [(29, 24), (80, 9), (5, 1), (1, 1), (0, 0)] {
        let screen = buffer_text(&render(&player.model, (width, height)));
        assert!(
            "Terminal too small:".starts_with(screen.lines().next().unwrap_or("")),
            "{screen}"
        );
    }
}

#[test]
fn every_size_can_be_drawn() {
    let (mut game, _) = playing("qubic", Some("5+3"), &["b2-2"]);
    game.type_letters("?");
    let (wide, _) = playing("25x25:5", None, &["m13"]);
    let (deep, _) = playing("4x4x4x16:4", None, &["b2-2.9"]);
    let home = TestPlayer::new(Mode::Full, InitialAction::Home);
    for mut player in [game, wide, deep, home] {
        // Checks every width and every height, in a third of their combinations. The language changes from one
        // combination to the next.
        for width in 0..=100 {
            for height in (width % 3..=30).step_by(3) {
                player.model.settings.lang = Lang::ALL[usize::from(width + height) % 4];
                buffer_text(&render(&player.model, (width, height)));
            }
        }
    }
}

#[test]
fn escape_sequences_never_reach_the_screen() {
    let (mut player, _) = playing("3x3:3", None, &[]);
    player.model.prompt = None;
    player.type_letters(":");
    player.feed(crate::update::Msg::Input(crate::input::Input::Paste(
        "\u{1b}[2J\u{202e}x\u{7}".to_owned(),
    )));
    player.press(&[Key::Enter]);
    let screen = screen_text(&player, (80, 24));
    assert!(
        screen
            .chars()
            .all(|letter| letter == '\n' || !letter.is_control()),
        "{screen:?}"
    );
    assert!(!player.output.join("").contains(['\u{1b}', '\u{7}']));
}
