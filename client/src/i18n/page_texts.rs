//! The texts that the browser page has in common with the terminal. The tables of this crate are their only source: the
//! files of the page contain copies, which this test compares. `NOUGHTS_TEST_GOLDEN=write` writes them again.

use std::borrow::Cow;
use std::fs;
use std::path::PathBuf;

use noughts_protocol::Rules;
use noughts_protocol::wire::{Reject, RejectCode};

use crate::engine::Level;
use crate::i18n::Texts;
use crate::i18n::errors::capitalize;
use crate::i18n::lang::Lang;

/// Rules that the page calls by a sign, `3⁴`, which no terminal draws reliably.
const NAMED_BY_SIGN: &str = "tesseract";

/// Returns the names and the texts that the page shares with the terminal.
fn shared_texts(lang: Lang) -> Vec<(String, String)> {
    let texts = Texts::new(lang);
    let name_of = |rules: &str| texts.short_rules(&rules.parse().expect("named rules are valid"));
    let games = Rules::NAMED.iter().filter(|(name, _)| *name != NAMED_BY_SIGN).map(|(name, rules)| {
        // The terminal tells the two boards of Gomoku apart by their size.
        let shown = if *name == "gomoku19" { format!("{} 19", name_of("gomoku")) } else { name_of(rules) };
        (format!("game_{name}"), shown)
    });
    let levels =
        Level::ALL.into_iter().map(|level| (format!("level_{level}"), capitalize(texts.level(level))));
    let rejects = RejectCode::ALL.iter().map(|&code| {
        let text = texts.reject(&Reject::new(code));
        (format!("reject_{}", code.as_str()), texts.with_period(&capitalize(&text)))
    });
    games.chain(levels).chain(rejects).collect()
}

/// Replaces the value of a text in a file of the page. `None` if the file does not have the text.
fn replace_text<'a>(source: &'a str, name: &str, text: &str) -> Option<Cow<'a, str>> {
    let quoted = format!("\"{name}\": \"");
    let plain = format!(" {name}: \"");
    let start = [quoted, plain].iter().find_map(|key| source.find(key.as_str()).map(|at| at + key.len()))?;
    let end = start + source[start..].find('"')?;
    if &source[start..end] == text {
        return Some(Cow::Borrowed(source));
    }
    Some(Cow::Owned(format!("{}{text}{}", &source[..start], &source[end..])))
}

#[test]
fn the_page_has_the_texts_of_the_terminal() {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/web/page/i18n"));
    let is_written = std::env::var_os("NOUGHTS_TEST_GOLDEN").is_some_and(|mode| mode == "write");
    for (lang, name) in Lang::ALL.into_iter().zip(["en", "ru", "zh-hans", "zh-hant"]) {
        let mut found = Vec::new();
        for path in [folder.join(format!("{name}.js")), folder.join(format!("screens/{name}.js"))] {
            let source =
                fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let mut expected = source.clone();
            for (key, text) in shared_texts(lang) {
                assert!(!text.contains(['"', '\\', '{']), "{key}: {text}");
                if let Some(replaced) = replace_text(&expected, &key, &text) {
                    expected = replaced.into_owned();
                    found.push(key);
                }
            }
            if is_written {
                fs::write(&path, &expected).expect("the file is writable");
                continue;
            }
            let lines = source.lines().zip(expected.lines());
            let differing: Vec<_> = lines.filter(|(source, expected)| source != expected).collect();
            assert_eq!(differing, [], "{}: run this test with NOUGHTS_TEST_GOLDEN=write", path.display());
        }
        // The page does not show rejections that it handles itself.
        let is_needed = |key: &str| !key.starts_with("reject_");
        let missing: Vec<_> = shared_texts(lang)
            .into_iter()
            .map(|(key, _)| key)
            .filter(|key| is_needed(key) && !found.contains(key))
            .collect();
        assert_eq!(missing, Vec::<String>::new(), "{name}");
        assert!(found.iter().filter(|key| key.starts_with("reject_")).count() >= 20, "{name}: {found:?}");
    }
}
