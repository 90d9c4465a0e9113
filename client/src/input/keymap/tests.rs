use super::*;
use Action as A;
use Key::Char as K;
use KeyContext as C;

fn check(context: KeyContext, key: Key, expected: Option<Action>) {
    assert_eq!(
        Keymap::default().action(context, key),
        expected,
        "{key} in {context:?}"
    );
}

#[test]
fn the_character_takes_precedence_over_the_place_of_the_key() {
    // `в` stands on the key `d`, which is unbound; as itself it leaves.
    check(C::Playing, K('в'), Some(A::Leave));
    check(C::Playing, K('й'), Some(A::Leave));
    check(C::Playing, K('d'), None);
    check(C::Playing, K('р'), Some(A::MoveCursor(-1, 0)));
    check(C::Playing, K('Ж'), Some(A::OpenPrompt));
    check(C::Confirmation, K('н'), Some(A::No));
    check(C::Confirmation, K('д'), Some(A::Yes));
    // These letters stand on `n` and on `l`; a question does not know places.
    check(C::Confirmation, K('т'), None);
    check(C::Confirmation, K('Д'), None);
}

#[test]
fn the_action_of_a_key_depends_on_the_context() {
    check(C::OwnRoom, K('b'), Some(A::InviteBot));
    check(C::Lobby, K('n'), Some(A::NewRoom));
    check(C::GameOver, K('n'), Some(A::NextOpponent));
    check(C::GameOver, Key::Enter, Some(A::Choose));
    check(C::Confirmation, Key::Enter, Some(A::No));
    check(C::Playing, K('='), Some(A::OfferDraw));
    check(C::Playing, K('К'), Some(A::Resign));
    check(C::Playing, K('к'), None);
    check(C::Playing, K('。'), Some(A::Next));
    check(C::Playing, K('ю'), Some(A::Next));
    // The key of phrases.
    check(C::Playing, K('o'), None);
    check(C::Watching, Key::Enter, None);
    check(C::Form, K('q'), None);
    check(C::Help, K('q'), Some(A::Close));
    check(C::Confirmation, K('q'), Some(A::No));
}

#[test]
fn ctrl_c_works_everywhere() {
    for context in [
        C::Home,
        C::Form,
        C::Lobby,
        C::Waiting,
        C::OwnRoom,
        C::Playing,
        C::GameOver,
        C::Help,
        C::Confirmation,
    ] {
        check(context, Key::Ctrl('c'), Some(A::Interrupt));
    }
}

#[test]
fn no_key_has_two_meanings_in_a_context() {
    assert_eq!(Keymap::default().check(), Ok(()));
    // Each context lists the keys of an action once.
    for context in KeyContext::ALL {
        let keymap = Keymap::default();
        let keys: Vec<Key> = keymap
            .bindings(context)
            .flat_map(|binding| binding.keys.iter())
            .copied()
            .collect();
        for (place, key) in keys.iter().enumerate() {
            assert!(!keys[..place].contains(key), "{key} twice in {context:?}");
        }
    }
}

/// Ctrl-C is fixed, and numbered actions are documented as ranges.
#[test]
fn each_action_with_a_key_is_documented() {
    let readme = include_str!("../../../README.md");
    let keymap = Keymap::default();
    let names = keymap.bindings.iter().map(|binding| binding.name);
    for name in names.filter(|name| *name != "interrupt") {
        let family = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
        let is_documented = match family == name {
            true => readme.contains(&format!("`{name}`")),
            false => [0, 1]
                .iter()
                .any(|first| readme.contains(&format!("`{family}{first}` to `{family}"))),
        };
        assert!(is_documented, "the README does not name {name}");
    }
}
