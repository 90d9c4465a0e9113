//! The list of games.

use super::*;

fn picker() -> TestPlayer {
    let mut player = TestPlayer::new(Mode::Full, InitialAction::Home);
    player.press(&[Key::Enter]);
    player
}

#[test]
fn games_have_names_rules_and_pictures() {
    let mut player = picker();
    player.press(&[Key::Down, Key::Down]);
    check("game_picker", player.model);
    let mut player = picker();
    player.type_letters("gomoku");
    check_state("game_picker_filter", player.model);
}

#[test]
fn an_empty_list_names_what_to_type() {
    let mut player = picker();
    player.type_letters("chess");
    assert_shown(
        &screen_text(&player, (80, 24)),
        &["No game of this name. Sizes such as 9x9:5 work too."],
    );
    player.press(&[Key::Ctrl('u')]);
    player.type_letters("9x9:99");
    let screen = screen_text(&player, (80, 24));
    assert_shown(&screen, &["9x9:99"]);
    assert_hidden(&screen, &["No game of this name"]);
}

#[test]
fn every_entry_can_be_drawn_with_its_whole_name_and_rule() {
    for lang in Lang::ALL {
        let texts = lang.texts();
        for size in SIZES {
            let mut player = picker();
            player.model.settings.lang = lang;
            player.model.size = size;
            for (name, _) in noughts_protocol::Rules::NAMED {
                let rules = name.parse().unwrap();
                let screen = screen_text(&player, size);
                assert!(
                    screen.contains(&texts.short_rules(&rules)),
                    "{lang} {size:?} {name}: {screen}"
                );
                let rule = texts.rule_line(&rules);
                let short = texts.short_rule_line(&rules, true);
                let is_stated = screen.contains(&short)
                    || screen
                        .to_lowercase()
                        .contains(crate::i18n::first_part(&rule));
                assert!(is_stated, "{lang} {size:?} {name}: {screen}");
                player.press(&[Key::Down]);
            }
        }
    }
}

#[test]
fn the_cursor_of_the_terminal_is_in_the_filter() {
    let mut player = picker();
    player.type_letters("go");
    let area = Rect::new(0, 0, 80, 24);
    let mut buffer = Buffer::empty(area);
    let at = crate::ui::draw(&player.model, area, &mut buffer).expect("a text is edited");
    assert_eq!(buffer[(at.x - 1, at.y)].symbol(), "o");
}
