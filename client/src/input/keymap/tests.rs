use super::*;
use crate::i18n::{self, Texts};
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
    // `в` is on the `d` key, which is unbound. The letter itself leaves.
    check(C::Playing, K('в'), Some(A::Leave));
    check(C::Playing, K('й'), Some(A::Leave));
    check(C::Playing, K('d'), None);
    check(C::Playing, K('р'), Some(A::MoveCursor(-1, 0)));
    check(C::Playing, K('Ж'), Some(A::OpenPrompt));
    check(C::Confirmation, K('н'), Some(A::No));
    check(C::Confirmation, K('д'), Some(A::Yes));
    // These letters are on the `n` and `l` keys. A question ignores the places of keys.
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

/// A row in the table of keys on the client's page: all bindings with the same text.
struct KeyRow {
    text: &'static str,
    keys: Vec<String>,
    contexts: Vec<String>,
    names: Vec<&'static str>,
}

fn add<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}

fn key_rows() -> Vec<KeyRow> {
    let texts = Texts::default();
    let mut rows: Vec<KeyRow> = Vec::new();
    for binding in DEFAULT_BINDINGS {
        for context in KeyContext::ALL
            .into_iter()
            .filter(|context| binding.contexts.is_empty() || binding.contexts.contains(context))
        {
            let text = texts.action(binding.action, context);
            let place = rows
                .iter()
                .position(|row| row.text == text)
                .unwrap_or_else(|| {
                    rows.push(KeyRow {
                        text,
                        keys: vec![],
                        contexts: vec![],
                        names: vec![],
                    });
                    rows.len() - 1
                });
            let row = &mut rows[place];
            for &key in &*binding.keys {
                add(&mut row.keys, format!("`{}`", texts.key(key)));
            }
            add(&mut row.contexts, i18n::word(&context).replace('_', " "));
            add(&mut row.names, binding.name);
        }
    }
    rows
}

/// Names the first and the last of numbered actions, or else all actions.
fn join_names(names: &[&str]) -> String {
    match names {
        [first, .., last] if first.ends_with(|letter: char| letter.is_ascii_digit()) => {
            format!("`{first}` to `{last}`")
        }
        _ => format!("`{}`", names.join("`, `")),
    }
}

/// Joins keys. Several digits become a range.
fn join_keys(keys: &[String]) -> String {
    let joined = keys.join(" ");
    let digits = "`1` `2` `3` `4` `5` `6` `7` `8` `9`";
    joined
        .replace("`0` `1`", "`0`, `1`")
        .replace(digits, "`1` to `9`")
}

#[test]
fn the_page_lists_the_keys() {
    let mut table = String::from("\n| key | does | where | name |\n|---|---|---|---|\n");
    for row in key_rows() {
        let places = match row.contexts.len() {
            9.. => "most places".to_owned(),
            _ => row.contexts.join(", "),
        };
        table += &format!(
            "| {} | {} | {places} | {} |\n",
            join_keys(&row.keys),
            row.text,
            join_names(&row.names)
        );
    }
    table.push('\n');
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");
    noughts_golden::check_part(page, "keys", &table);
}
