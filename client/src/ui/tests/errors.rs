//! Errors on the full screen. They are displayed above the keys that work, and name only keys and commands that exist.

use noughts_protocol::wire::{Reject, RejectCode};

use super::line_mode::error_notifications;
use super::*;
use crate::cli::Cli;
use crate::facts::{FormKind, HostError, Notification};
use crate::input::commands::COMMANDS;
use crate::input::{Action, KeyContext, Keymap, TextCommandError};
use crate::model::layout;
use clap::CommandFactory;

/// Names in the texts of all languages that are neither keys nor commands of this program.
const PROPER_NAMES: &[&str] = &[
    "noughts",
    "noughts-server",
    "Noughts",
    "X",
    "O",
    "TLS",
    "ping",
    "draw",
    "undo",
    "rematch",
];

fn all_errors() -> Vec<Notification> {
    let host = [
        HostError::NotInstalled,
        HostError::PortTaken(7878),
        HostError::TimedOut,
        HostError::Failed("cannot bind".to_owned()),
    ];
    let commands = COMMANDS.iter().take(4).map(TextCommandError::BadArgument);
    let typed = commands.chain([TextCommandError::NoBoard, TextCommandError::UnknownCommand]);
    let mut all = error_notifications();
    all.extend(host.map(Notification::HostFailed));
    all.extend(typed.map(|error| Notification::InvalidCommand {
        text: "h99".to_owned(),
        error,
    }));
    all.extend([
        Notification::Illegal {
            reject: Reject::new(RejectCode::CellTaken),
            cell: "b2".to_owned(),
        },
        Notification::Illegal {
            reject: Reject::new(RejectCode::NotYourTurn),
            cell: "b2".to_owned(),
        },
        Notification::OpponentFound("Bob".parse().unwrap()),
        Notification::BotFailed,
        Notification::NothingToContinue { game: None },
        Notification::RoomGone,
    ]);
    all
}

fn is_bound_key(word: &str) -> bool {
    let keymap = Keymap::default();
    KeyContext::ALL.into_iter().any(|context| {
        keymap
            .bindings(context)
            .flat_map(|binding| binding.keys.iter())
            .any(|key| key.to_string() == word)
    })
}

fn is_command(word: &str) -> bool {
    COMMANDS.iter().any(|entry| {
        let localized = Lang::ALL
            .into_iter()
            .flat_map(|lang| entry.localized_names(lang).iter());
        entry
            .names
            .iter()
            .chain(localized)
            .any(|name| *name == word)
    })
}

#[test]
fn errors_name_only_keys_and_commands_that_exist() {
    let program = Cli::command();
    let mut faults = Vec::new();
    let mut check = |is_good: bool, what: String| faults.extend((!is_good).then_some(what));
    for lang in Lang::ALL {
        for error in all_errors() {
            let text = lang.texts().notification(&error);
            let is_usage = matches!(
                error,
                Notification::InvalidCommand { .. } | Notification::HostFailed(_)
            );
            let separators = |c: char| c.is_whitespace() || "，。；：、（）()".contains(c);
            let words: Vec<&str> = text
                .split(separators)
                .map(|word| {
                    word.trim_matches(['.', ',', ';', '"', '!'])
                        .trim_end_matches(':')
                })
                .filter(|word| !word.is_empty())
                .collect();
            for (place, word) in words.iter().enumerate() {
                if let Some(command) = word.strip_prefix(':') {
                    check(
                        is_command(command),
                        format!("{lang}: the command {word} of {text}"),
                    );
                }
                let is_key_name =
                    word.len() == 1 && word.chars().all(|c| c.is_ascii_lowercase() || c == '?');
                let is_article = lang == Lang::En && *word == "a";
                if (is_key_name || ["Enter", "Esc", "Tab", "Space"].contains(word)) && !is_article {
                    check(
                        is_bound_key(word) || is_command(word),
                        format!("{lang}: the key {word} of {text}"),
                    );
                }
                if *word == "noughts" {
                    let subcommand = words.get(place + 1).copied().unwrap_or_default();
                    let is_known = program.find_subcommand(subcommand).is_some();
                    check(is_known, format!("{lang}: noughts {subcommand} of {text}"));
                }
                // A Latin word in another script is a name that the player must type or know.
                let is_latin = word.len() > 1 && word.chars().all(|c| c.is_ascii_alphabetic());
                let is_key = is_bound_key(word);
                let is_subcommand = place > 0 && words[place - 1] == "noughts";
                let is_known = is_key || is_subcommand || is_command(word);
                if lang != Lang::En && is_latin && !is_known && !is_usage {
                    let is_name = PROPER_NAMES.contains(word) || *word == "Bob";
                    check(is_name, format!("{lang}: the word {word} of {text}"));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

/// Returns a player on each screen.
fn players_on_all_screens() -> Vec<TestPlayer> {
    let seeking = {
        let mut player = TestPlayer::online(Mode::Full, seek_goal());
        player.confirm_last();
        player
    };
    let finished = {
        let (mut player, mut host) = playing("3x3:3", None, &["b2"]);
        player.receive_message(host.end(Outcome::Resigned { winner: Seat::X }));
        player
    };
    let form = crate::model::Form::new(FormKind::Private, &crate::update::tests::settings());
    vec![
        TestPlayer::new(Mode::Full, InitialAction::Home),
        TestPlayer::new(Mode::Full, InitialAction::Form(form)),
        seeking,
        TestPlayer::seated(Mode::Full, &TestRoom::open("3x3:3", None)),
        playing("3x3:3", None, &["b2"]).0,
        playing("gomoku", None, &[]).0,
        finished,
    ]
}

#[test]
fn each_error_is_whole_and_stands_above_a_key_that_leads_on() {
    for (index, player) in players_on_all_screens().iter_mut().enumerate() {
        let context = player.model.key_context();
        for lang in Lang::ALL {
            player.model.settings.lang = lang;
            let texts = all_errors().into_iter();
            let texts = texts.map(|error| (lang.texts().notification(&error), error));
            let longest = texts.clone().map(|(text, _)| text.width()).max();
            for (text, error) in texts {
                player.model.notification = Some(error);
                // If the longest text is complete, all texts are, because it wraps into the most rows. The first screen
                // shows every text.
                let is_longest = Some(text.width()) == longest;
                let small = (is_longest || index == 0).then_some((30, 10));
                let large = is_longest.then_some((80, 24));
                for size in small.into_iter().chain(large) {
                    player.model.size = size;
                    let screen = screen_text(player, size);
                    let letters = |text: &str| {
                        text.chars()
                            .filter(|c| !c.is_whitespace())
                            .collect::<String>()
                    };
                    // A text of several rows is beside a board.
                    let area = Rect::new(0, 0, size.0, size.1);
                    let panel = layout::panel_beside_board(&player.model, area);
                    let left = panel.map_or(0, |(panel, _)| usize::from(panel.x));
                    let has_text = [0, left].into_iter().any(|left| {
                        let lines = screen.lines();
                        let shown: String =
                            lines.flat_map(|line| line.chars().skip(left)).collect();
                        letters(&shown).contains(&letters(&text))
                    });
                    assert!(
                        has_text || text.is_empty(),
                        "{lang} {context:?} {size:?}: {text}\n{screen}"
                    );
                    let footer = screen.lines().last().unwrap_or_default();
                    let leads_on = [Action::Leave, Action::Close, Action::Help]
                        .into_iter()
                        .any(|action| {
                            let key = player.model.keymap.first_key(context, action);
                            key.is_some_and(|key| footer.contains(lang.texts().key(key).as_ref()))
                        });
                    assert!(leads_on, "{lang} {context:?} {size:?}\n{screen}");
                }
            }
        }
    }
}

#[test]
fn the_smallest_screen_keeps_the_end_of_the_menu_and_the_key_of_a_move() {
    for lang in Lang::ALL {
        let mut player = TestPlayer::new(Mode::Full, InitialAction::Home);
        player.model.settings.lang = lang;
        let quit = lang.texts().menu_item(crate::facts::MenuItem::Quit, &[]).0;
        for _ in 0..12 {
            let screen = screen_text(&player, (30, 10));
            assert!(
                screen.lines().any(|line| line.contains(quit)),
                "{lang}\n{screen}"
            );
            assert!(
                screen.contains("> "),
                "{lang}: the chosen entry is not visible\n{screen}"
            );
            player.press(&[Key::Down]);
        }
        for (rules, key) in [
            ("3x3:3", "1-9".to_owned()),
            ("gomoku", lang.texts().key(Key::Enter).into_owned()),
        ] {
            let (mut player, _) = playing(rules, None, &[]);
            player.model.settings.lang = lang;
            let screen = screen_text(&player, (30, 10));
            let place = lang.texts().hint(Action::PlayCursor, KeyContext::Playing);
            let footer = screen.lines().last().unwrap_or_default();
            assert!(
                footer.contains(&format!("{key} {place}")),
                "{lang} {rules}\n{screen}"
            );
        }
    }
}
