//! Pictures of every screen, as text, in four sizes each and in every language. A picture that changes is a decision: look at
//! it, then accept it with `cargo insta review`, or by INSTA_UPDATE=always.

mod boards;
mod lines;
mod states;

use noughts_protocol::wire::{Message, Notice, Presence};
use noughts_protocol::{Event, Kind, Offer, Seat};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::connection::{Ended, News, Offline};
use crate::input::Key;
use crate::lang::Lang;
use crate::model::{Goal, Look, Mode, Model, Plan, Theme};
use crate::server_url::ServerUrl;
use crate::unfinished::Unfinished;
use crate::unfinished::tests::game;
use crate::update::Start;
use crate::update::tests::grid::{self, of};
use crate::update::tests::{Host, Player, notice, seated, seek};
use crate::words::Words;

const SIZES: [(u16, u16); 4] = [(80, 24), (60, 20), (40, 12), (120, 40)];
/// Those that are enough to see how a language fits.
const ENDS: [(u16, u16); 2] = [SIZES[0], SIZES[2]];
const LOOKS: [Look; 4] = [
    Look { color: true, unicode: true, theme: Theme::Ansi },
    Look { color: true, unicode: true, theme: Theme::Mono },
    Look { color: false, unicode: false, theme: Theme::Ansi },
    Look { color: true, unicode: true, theme: Theme::HighContrast },
];

fn paint(model: &Model, (width, height): (u16, u16)) -> Buffer {
    let area = Rect::new(0, 0, width, height);
    let mut buffer = Buffer::empty(area);
    super::draw(model, area, &mut buffer);
    buffer
}

/// The characters of a picture, without blanks at the ends of rows and without empty rows at the end of
/// the body.
fn text(buffer: &Buffer) -> String {
    let mut rows = Vec::new();
    for y in 0..buffer.area.height {
        let mut row = String::new();
        let mut x = 0;
        while x < buffer.area.width {
            let symbol = buffer[(x, y)].symbol();
            row.push_str(symbol);
            x += (symbol.width() as u16).max(1);
            assert!(x <= buffer.area.width, "half of {symbol:?} is beyond the edge");
        }
        rows.push(row.trim_end().to_owned());
    }
    rows.join("\n")
}

/// The one place that compares pictures. In English: all sizes in one file; and whatever the look, the same
/// words. In each other language: the usual size and the smallest.
fn check(name: &str, mut model: Model) {
    for lang in Lang::ALL {
        model.speak(lang);
        let (name, sizes) = match lang {
            Lang::En => (name.to_owned(), &SIZES[..]),
            Lang::Ru | Lang::Hans | Lang::Hant => (format!("{name}_{lang}"), &ENDS[..]),
        };
        let pictures = pictures(&name, &mut model, sizes);
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(name, pictures);
        });
    }
}

/// Shows everything in this look, and in the language and size that the model has.
fn wear(model: &mut Model, look: Look) {
    model.look = look;
    model.align_games();
}

fn pictures(name: &str, model: &mut Model, sizes: &[(u16, u16)]) -> String {
    let mut pictures = String::new();
    for &size in sizes {
        model.size = size;
        wear(model, LOOKS[0]);
        let colored = text(&paint(model, size));
        wear(model, LOOKS[1]);
        let mono = paint(model, size);
        assert_eq!(text(&mono), colored, "{name}: colour is a second cue only");
        for cell in mono.content() {
            assert_eq!((cell.fg, cell.bg), (Color::Reset, Color::Reset), "{name}: no colour is no colour");
        }
        wear(model, LOOKS[3]);
        let ways_out =
            super::wanted(model, model.context()).iter().filter(|&&action| super::is_way_out(action));
        for &action in ways_out.filter(|_| model.prompt.is_none()) {
            let hint = model.words.hint(action);
            let shown = colored.lines().last().is_some_and(|last| last.contains(hint));
            assert!(shown, "{name}: no {hint} at {size:?}");
        }
        let contrast = paint(model, size);
        assert_eq!(text(&contrast), colored, "{name}: and so is contrast");
        for cell in contrast.content() {
            assert!(
                !cell.modifier.contains(Modifier::DIM),
                "{name}: nothing is dim where contrast is wanted"
            );
            let bright = [Color::Reset, Color::LightCyan, Color::LightYellow, Color::LightGreen];
            let bright = [&bright[..], &[Color::LightRed, Color::LightMagenta]].concat();
            assert!(bright.contains(&cell.fg) && cell.bg == Color::Reset, "{name}: {:?}", cell.fg);
        }
        wear(model, LOOKS[2]);
        let ascii = text(&paint(model, size));
        let beyond =
            |letter: char| !letter.is_ascii() && !letter.is_alphabetic() && letter.width() != Some(2);
        assert!(!ascii.contains(beyond), "{name}: {ascii}");
        pictures.push_str(&format!("=== {}x{}\n{colored}\n", size.0, size.1));
        if size == SIZES[0] && ascii != colored && model.words.lang() == Lang::En {
            pictures.push_str(&format!("=== {}x{} ASCII\n{ascii}\n", size.0, size.1));
        }
    }
    pictures
}

fn playing(rules: &str, clock: Option<&str>, cells: &[&str]) -> (Player, Host) {
    let mut host = Host::playing(rules, clock);
    let mut player = Player::seated(Mode::Full, &host);
    for cell in cells {
        player.message(host.moves(cell));
    }
    (player, host)
}

#[test]
fn home() {
    let mut player = Player::new(Mode::Full, Start::Home);
    player.press(&[Key::Down]);
    check("home", player.model);
}

#[test]
fn home_with_games_to_continue() {
    let elsewhere = Unfinished {
        server: "games.example.org".parse().unwrap(),
        opponent: Some("小明".parse().unwrap()),
        rules: "connect4".parse().unwrap(),
        ..game("k7qf3mzx")
    };
    let mine = Unfinished { opponent: None, ..game("00000000") };
    let games = vec![elsewhere, mine, game("11111111")];
    check("continue", Player::killed(Mode::Full, Start::Home, games).model);
}

#[test]
fn the_selected_entry_is_seen_where_not_all_have_room() {
    let games = vec![game("k7qf3mzx"), game("00000000"), game("11111111")];
    let mut player = Player::killed(Mode::Full, Start::Home, games);
    player.press(&[Key::Down; 20]);
    assert!(text(&paint(&player.model, (30, 10))).contains("> Quit"));
}

#[test]
fn several_games() {
    let mut hosts = [
        Host::playing("3x3:3", Some("10s+0")),
        Host::playing("connect4", None),
        Host::playing("connect4", Some("5+3")),
    ];
    let mut player = grid::watching(Mode::Full, 3);
    for (place, host) in hosts.iter().enumerate().take(2) {
        player.hear_of(place, of(place, host.snapshot(None)));
    }
    for (place, cells) in [(0, &["b2", "a1", "c1", "b1", "a3"][..]), (1, &["d1", "d1", "e1"][..])] {
        for cell in cells {
            player.hear_of(place, of(place, hosts[place].moves(cell)));
        }
    }
    let outcome = hosts[0].game.position().outcome().unwrap();
    player.hear_of(0, of(0, hosts[0].happens(Event::Ended { outcome, left: Some([4000, 3000]) })));
    player.press(&[Key::Right]);
    check("several", player.model);
    // One line is lost, one room is not there, one game goes on.
    let mut player = grid::watching(Mode::Full, 3);
    player.hear_of(0, of(0, hosts[1].snapshot(None)));
    player.hear_of(2, of(2, hosts[2].snapshot(None)));
    player.hear_of(2, of(2, hosts[2].moves("g1")));
    let retry_in = std::time::Duration::from_secs(3);
    player.hear_of(0, News::Offline { attempt: 2, retry_in, why: Offline::Silent });
    player.hear_of(1, News::Ended(Ended::CannotConnect(Offline::Timeout)));
    check("several_apart", player.model);
}

#[test]
fn games_that_do_not_fit_are_counted_and_come_with_the_focus() {
    let mut player = grid::watching(Mode::Full, 3);
    for place in 0..3 {
        player.hear_of(place, of(place, Host::playing("gomoku", None).snapshot(None)));
    }
    let shown = |player: &Player| text(&paint(&player.model, (80, 24)));
    assert!(shown(&player).contains(">k7qf3mzx") && shown(&player).contains("1 more game does not fit."));
    assert!(shown(&player).contains("00000000") && !shown(&player).contains("11111111"));
    player.press(&[Key::BackTab]);
    assert!(shown(&player).contains(">11111111") && shown(&player).contains("2 more games do not fit."));
}

#[test]
fn settings() {
    let mut player = Player::new(Mode::Full, Start::Home);
    player.press(&[Key::Down; 6]);
    player.press(&[Key::Enter, Key::Down, Key::Down]);
    check("settings", player.model);
}

#[test]
fn keys_on_the_screen_are_those_of_the_keymap() {
    let (mut player, _) = playing("3x3:3", None, &[]);
    for (action, key) in [("place", Key::Char('z')), ("help", Key::Ctrl('h')), ("leave", Key::Char('Q'))] {
        player.model.keymap.rebind(action, &[key]).unwrap();
    }
    let shown = text(&paint(&player.model, (80, 24)));
    assert!(
        shown.contains("z mark") && shown.contains("Ctrl-H help") && shown.contains("Q leave"),
        "{shown}"
    );
    player.press(&[Key::Ctrl('h')]);
    let shown = text(&paint(&player.model, (80, 24)));
    assert!(shown.lines().any(|line| line.starts_with("z ") && line.contains("mark the cell")), "{shown}");
}

#[test]
fn form() {
    let mut player = Player::new(Mode::Full, Start::Home);
    player.press(&[Key::Enter, Key::Down]);
    player.letters("x");
    player.press(&[Key::Enter]);
    check("form", player.model);
}

#[test]
fn lobby() {
    let listing = |room: &str, rules: &str, phase: &str, players: &str| {
        let text = format!(
            r#"{{"room":"{room}","rules":"{rules}","phase":"{phase}","players":{players},"moves":3,"watching":1}}"#
        );
        serde_json::from_str(&text).unwrap()
    };
    let ann = r#"[{"name":"Ann","kind":"human"},null]"#;
    let both = r#"[{"name":"小明","kind":"human"},{"name":"Deep Four","kind":"bot"}]"#;
    let rooms =
        vec![listing("k7qf3mzx", "3x3:3", "waiting", ann), listing("b8h9b88a", "15x15:5", "playing", both)];
    let seek = r#"{"player":{"name":"Zoë","kind":"human"},"rules":"7x6:4+gravity","clock":"5+3","seat":"X"}"#;
    let mut player = Player::online(Mode::Full, Goal::Browse);
    let seeks = vec![serde_json::from_str(seek).unwrap()];
    player.message(Message::Rooms { re: player.last_id(), rooms, seeks });
    check("lobby", player.model);
}

#[test]
fn help() {
    let (mut player, _) = playing("3x3:3", None, &[]);
    player.letters("?");
    check("help", player.model);
}

#[test]
fn replay() {
    let text = "[Rules \"3x3:3\"]\n[X \"Ann\"]\n[O \"B\\u{1b}ob\"]\n[Result \"X line\"]\n\n1. b2 a1 2. c1 b1 3. a3\n";
    let mut player = Player::new(Mode::Full, Start::Replay(text.parse().unwrap()));
    player.press(&[Key::End]);
    check("replay", player.model);
}

#[test]
fn too_small() {
    let (player, _) = playing("3x3:3", None, &["b2"]);
    for (width, height) in [(29, 24), (80, 9), (5, 1), (1, 1), (0, 0)] {
        let shown = text(&paint(&player.model, (width, height)));
        assert!("Too small.".starts_with(shown.lines().next().unwrap_or("")), "{shown}");
    }
}

#[test]
fn no_size_breaks_any_screen() {
    let (mut game, _) = playing("qubic", Some("5+3"), &["2,2,2"]);
    game.letters("?");
    let (wide, _) = playing("25x25:5", None, &["m13"]);
    let (deep, _) = playing("4x4x4x16:4", None, &["2,2,2,9"]);
    let home = Player::new(Mode::Full, Start::Home);
    for mut player in [game, wide, deep, home] {
        for lang in Lang::ALL {
            player.model.words = Words::new(lang);
            let step = if lang == Lang::En { 1 } else { 3 };
            for width in (0..=100).step_by(step) {
                for height in (0..=30).step_by(step) {
                    text(&paint(&player.model, (width, height)));
                }
            }
        }
    }
}

#[test]
fn hostile_text_never_reaches_the_screen() {
    let (mut player, _) = playing("3x3:3", None, &[]);
    player.model.prompt = None;
    player.letters(":");
    player.feed(crate::update::Msg::Input(crate::input::Input::Paste("\u{1b}[2J\u{202e}x\u{7}".to_owned())));
    player.press(&[Key::Enter]);
    let shown = text(&paint(&player.model, (80, 24)));
    assert!(shown.chars().all(|letter| letter == '\n' || !letter.is_control()), "{shown:?}");
    assert!(!player.told.join("").contains(['\u{1b}', '\u{7}']));
}
