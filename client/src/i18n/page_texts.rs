//! The texts of the browser page. Each table below has the texts of one part of the page in all languages, in the order of
//! [`LANGUAGES`]; `terminal` stands for a text that the terminal has, too: names of games and levels, results, offers,
//! phrases, presence, rejections, errors in records and rules. The files of the page contain copies, which a test
//! compares. `NOUGHTS_TEST_GOLDEN=write` writes them again.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use noughts_protocol::clock::TimeControlError;
use noughts_protocol::outcome::{LineName, Verdict};
use noughts_protocol::record::{RecordError, RecordErrorKind};
use noughts_protocol::wire::{Phrase, Presence, Reject, RejectCode};
use noughts_protocol::{Offer, Outcome, Rules, RulesError, Seat};
use unicode_width::UnicodeWidthStr;

use crate::engine::Level;
use crate::facts::PlayerRef;
use crate::i18n::Texts;
use crate::i18n::errors::capitalize;
use crate::i18n::lang::Lang;

/// Writes a table of texts: a key, and a text or plural forms per language, or `terminal`.
macro_rules! page_texts {
    ($($key:literal: $($text:tt),+;)+) => {
        use super::PageText;

        pub(super) const TEXTS: &[(&str, &[PageText])] = &[$(($key, &[$(page_text!($text)),+])),+];
    };
}

macro_rules! page_text {
    (terminal) => {
        PageText::Terminal
    };
    ({ $($form:ident: $text:literal),+ }) => {
        PageText::Plural(&[$((stringify!($form), $text)),+])
    };
    ($text:literal) => {
        PageText::Plain($text)
    };
}

mod first_screen;
mod game;
mod other_screens;
mod start;

/// Languages of a row of a table, and the names of their files.
const LANGUAGES: [(Lang, &str); 4] = [
    (Lang::En, "en"),
    (Lang::Ru, "ru"),
    (Lang::Hans, "zh-hans"),
    (Lang::Hant, "zh-hant"),
];

/// Largest number of columns of a line that is written into a file of the page.
const MAX_LINE_COLUMNS: usize = 150;

/// A text of the page in one language.
#[derive(Clone, Copy, Debug)]
enum PageText {
    Plain(&'static str),
    /// Texts by the plural categories of `Intl.PluralRules`.
    Plural(&'static [(&'static str, &'static str)]),
    /// A text of the terminal, the same in the row of all languages.
    Terminal,
}

/// Rules that the page calls by a sign, `3⁴`, which no terminal draws reliably.
const NAMED_BY_SIGN: &str = "tesseract";

/// Returns the names and the texts that the page shares with the terminal.
fn shared_texts(lang: Lang) -> Vec<(String, String)> {
    let texts = Texts::new(lang);
    let name_of = |rules: &str| texts.short_rules(&rules.parse().expect("named rules are valid"));
    let games = Rules::NAMED
        .iter()
        .filter(|(name, _)| *name != NAMED_BY_SIGN)
        .map(|(name, rules)| {
            // The terminal tells the two boards of Gomoku apart by their size.
            let shown = if *name == "gomoku19" {
                format!("{} 19", name_of("gomoku"))
            } else {
                name_of(rules)
            };
            (format!("game_{name}"), shown)
        });
    let levels = Level::ALL
        .into_iter()
        .map(|level| (format!("level_{level}"), capitalize(texts.level(level))));
    let rejects = RejectCode::ALL.iter().map(|&code| {
        let text = texts.reject(&Reject::new(code));
        (
            format!("reject_{}", code.as_str()),
            texts.with_period(&capitalize(&text)),
        )
    });
    let errors = record_errors(texts).into_iter().chain(rules_errors(texts));
    let game = results(texts)
        .into_iter()
        .chain(offers(texts))
        .chain(lines(texts))
        .chain(phrases_presence_and_clock(texts));
    games
        .chain(levels)
        .chain(rejects)
        .chain(game)
        .chain(errors)
        .collect()
}

/// Returns a player whose name is a placeholder of the page.
fn placeholder(name: &str, seat: Seat, you: bool) -> PlayerRef {
    PlayerRef {
        seat,
        name: name.parse().expect("a placeholder is a valid name"),
        you,
    }
}

/// Returns a headline of the terminal as a title: in lower case after the first letter.
fn title(headline: &str) -> String {
    capitalize(&headline.to_lowercase())
}

fn results(texts: Texts) -> Vec<(String, String)> {
    let rules: Rules = "3x3:3".parse().expect("valid rules");
    let own = |winner: Seat| {
        let players = Seat::ALL.map(|seat| placeholder("{name}", seat, seat == Seat::X));
        texts.result_headline(&Outcome::Resigned { winner }, &players)
    };
    let others = [
        placeholder("{name}", Seat::X, false),
        placeholder("{name}", Seat::O, false),
    ];
    let reason = |outcome: &Outcome, players| {
        texts.to_sentence(&texts.result_reason(outcome, &rules, players))
    };
    let by_name = |text: String| texts.with_period(&text);
    let resigned = Outcome::Resigned { winner: Seat::O };
    let you = [
        placeholder("{name}", Seat::X, true),
        placeholder("{name}", Seat::O, false),
    ];
    let won = texts.line_result(&you[0], &you[1]);
    [
        ("you_win", won),
        ("you_lost", title(&own(Seat::O))),
        (
            "draw",
            title(&texts.result_headline(&Outcome::Full, &others)),
        ),
        (
            "aborted_game",
            title(&texts.result_headline(&Outcome::Aborted, &others)),
        ),
        (
            "x_wins",
            texts.winner_text(&placeholder("{x}", Seat::X, false)),
        ),
        (
            "o_wins",
            texts.winner_text(&placeholder("{o}", Seat::O, false)),
        ),
        ("full", reason(&Outcome::Full, &others)),
        ("agreed", reason(&Outcome::Agreed, &others)),
        ("flag", reason(&Outcome::Flag { winner: Seat::O }, &others)),
        (
            "abandoned_draw",
            reason(&Outcome::Abandoned { winner: None }, &others),
        ),
        ("you_resigned", reason(&resigned, &you)),
        (
            "resigned",
            by_name(texts.result_reason(&resigned, &rules, &others)),
        ),
        ("abandoned", by_name(texts.not_returned("{name}"))),
    ]
    .map(|(key, text)| (key.to_owned(), text))
    .to_vec()
}

fn offers(texts: Texts) -> Vec<(String, String)> {
    let (you, other) = (
        placeholder("{name}", Seat::X, true),
        placeholder("{name}", Seat::O, false),
    );
    let of = |(offer, name): (Offer, &str)| {
        [
            (
                format!("offer_{name}"),
                texts.offer_received("{name}", offer),
            ),
            (format!("offered_{name}"), texts.offer_made(&you, offer)),
            (
                format!("declined_{name}"),
                texts.offer_declined(&other, offer),
            ),
        ]
    };
    [
        (Offer::Draw, "draw"),
        (Offer::Takeback, "takeback"),
        (Offer::Rematch, "rematch"),
    ]
    .into_iter()
    .flat_map(of)
    .collect()
}

fn lines(texts: Texts) -> Vec<(String, String)> {
    let names = [
        (LineName::Row, "row"),
        (LineName::Column, "column"),
        (LineName::Pillar, "pillar"),
        (LineName::MainDiagonal, "main_diagonal"),
        (LineName::OtherDiagonal, "other_diagonal"),
        (LineName::SpaceDiagonal, "space_diagonal"),
        (LineName::Direction, "direction"),
    ];
    names
        .map(|(name, key)| {
            (
                format!("line_{key}"),
                texts.winning_line_sentence(name, "{cells}"),
            )
        })
        .to_vec()
}

fn phrases_presence_and_clock(texts: Texts) -> Vec<(String, String)> {
    let phrases = Phrase::ALL.iter().map(|&phrase| {
        let name = serde_json::to_value(phrase).expect("a phrase is a string");
        (
            format!("phrase_{}", name.as_str().expect("a phrase is a string")),
            texts.phrase(phrase).to_owned(),
        )
    });
    let presence = [
        (Presence::Connected, "connected"),
        (Presence::Disconnected, "away"),
        (Presence::Left, "left"),
    ];
    let presence =
        presence.map(|(presence, key)| (key.to_owned(), texts.presence_label(presence).to_owned()));
    let clock = ("without_clock".to_owned(), texts.time_control(None));
    phrases.chain(presence).chain([clock]).collect()
}

fn record_errors(texts: Texts) -> Vec<(String, String)> {
    let verdict = "nobody".parse::<Verdict>().expect_err("not a verdict");
    let kinds = [
        (RecordErrorKind::TooLong, "too_long"),
        (RecordErrorKind::Tag, "tag"),
        (RecordErrorKind::RepeatedTag, "repeated_tag"),
        (RecordErrorKind::NoRules, "no_rules"),
        (RecordErrorKind::Clock(TimeControlError::Syntax), "clock"),
        (RecordErrorKind::Result(verdict), "result"),
        (RecordErrorKind::Number, "number"),
        (RecordErrorKind::Mismatch, "mismatch"),
    ];
    kinds
        .map(|(kind, key)| {
            let text = texts.record_error(&RecordError { line: 1, kind });
            // The page writes the number of the line itself.
            let reason = text
                .split_once(": ")
                .or(text.split_once('：'))
                .map_or("", |(_, reason)| reason);
            (format!("record_{key}"), texts.to_sentence(reason))
        })
        .to_vec()
}

fn rules_errors(texts: Texts) -> Vec<(String, String)> {
    let errors = [
        (RulesError::Cells, "cells"),
        (RulesError::Line, "line"),
        (RulesError::GravityNeedsRows, "gravity"),
    ];
    errors
        .map(|(error, key)| {
            (
                format!("rules_{key}"),
                texts.to_sentence(&texts.rules_error(error)),
            )
        })
        .to_vec()
}

/// Returns a string literal of JavaScript.
fn js_string(text: &str) -> String {
    serde_json::to_string(text).expect("a string has a literal")
}

/// Returns an entry of a table as a property of JavaScript.
fn js_property(key: &str, text: PageText, terminal: &BTreeMap<String, String>) -> String {
    let value = match text {
        PageText::Plain(text) => js_string(text),
        PageText::Plural(forms) => {
            let forms: Vec<_> = forms
                .iter()
                .map(|(form, text)| format!("{form}: {}", js_string(text)))
                .collect();
            format!("{{ {} }}", forms.join(", "))
        }
        PageText::Terminal => js_string(
            terminal
                .get(key)
                .unwrap_or_else(|| panic!("the terminal has no text {key}")),
        ),
    };
    let is_name = key
        .chars()
        .all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    if is_name {
        format!("{key}: {value},")
    } else {
        format!("{}: {value},", js_string(key))
    }
}

/// Returns the module of a language with the texts of these tables.
fn js_module(
    lang: usize,
    tables: &[&[(&str, &[PageText])]],
    terminal: &BTreeMap<String, String>,
) -> String {
    let mut module = String::from(
        "// Written by a test from the tables in `client/src/i18n`. Change them there.\nexport default {",
    );
    let mut columns = MAX_LINE_COLUMNS;
    for (key, texts) in tables.iter().flat_map(|table| table.iter()) {
        assert!(
            matches!(texts, [PageText::Terminal] | [_, _, _, _]),
            "{key}: one text per language"
        );
        let property = js_property(key, texts[lang.min(texts.len() - 1)], terminal);
        if columns + 1 + property.width() > MAX_LINE_COLUMNS {
            module.push_str("\n  ");
            columns = 2;
        } else {
            module.push(' ');
            columns += 1;
        }
        module.push_str(&property);
        columns += property.width();
    }
    module.push_str("\n};\n");
    module
}

/// Checks the forms of a text in all languages: each needs its plural categories and the same placeholders.
fn check_row(key: &str, texts: &[PageText]) {
    let placeholders = |text: &str| -> BTreeSet<String> {
        let parts = text
            .split('{')
            .skip(1)
            .filter_map(|part| part.split_once('}'));
        parts.map(|(name, _)| name.to_owned()).collect()
    };
    let categories: [&[&str]; 4] = [
        &["one", "other"],
        &["one", "few", "many", "other"],
        &["other"],
        &["other"],
    ];
    let mut expected = None;
    for (index, text) in texts.iter().enumerate() {
        let forms = match text {
            PageText::Plain(text) => vec![*text],
            PageText::Plural(forms) => {
                let names: Vec<_> = forms.iter().map(|(name, _)| *name).collect();
                assert_eq!(names, categories[index], "{key}");
                forms.iter().map(|(_, text)| *text).collect()
            }
            PageText::Terminal => continue,
        };
        for form in forms {
            let found = placeholders(form);
            assert_eq!(
                expected.get_or_insert_with(|| found.clone()),
                &found,
                "{key}: {form}"
            );
        }
    }
}

#[test]
fn the_page_has_the_texts_of_its_tables() {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/web/page/i18n"));
    let is_written = std::env::var_os("NOUGHTS_TEST_GOLDEN").is_some_and(|mode| mode == "write");
    let files: [(&str, &[_]); 2] = [
        ("", &[first_screen::TEXTS]),
        (
            "screens/",
            &[start::TEXTS, game::TEXTS, other_screens::TEXTS],
        ),
    ];
    for (index, (lang, name)) in LANGUAGES.into_iter().enumerate() {
        let terminal = shared_texts(lang).into_iter().collect();
        for (subfolder, tables) in files {
            let path = folder.join(format!("{subfolder}{name}.js"));
            let module = js_module(index, tables, &terminal);
            if is_written {
                fs::write(&path, &module).expect("the file is writable");
            }
            let source = fs::read_to_string(&path)
                .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let differing: Vec<_> = module
                .lines()
                .zip(source.lines())
                .filter(|(written, found)| written != found)
                .collect();
            assert_eq!(
                differing,
                [],
                "{}: run this test with NOUGHTS_TEST_GOLDEN=write",
                path.display()
            );
            assert_eq!(
                module.lines().count(),
                source.lines().count(),
                "{}",
                path.display()
            );
        }
    }
    for (key, texts) in files
        .iter()
        .flat_map(|(_, tables)| tables.iter())
        .flat_map(|table| table.iter())
    {
        check_row(key, texts);
    }
}

#[test]
fn the_page_has_each_shared_text_from_the_terminal() {
    let rows = [
        first_screen::TEXTS,
        start::TEXTS,
        game::TEXTS,
        other_screens::TEXTS,
    ];
    let rows = rows.iter().flat_map(|table| table.iter());
    let from_terminal: BTreeSet<&str> = rows
        .clone()
        .filter(|(_, texts)| matches!(texts, [PageText::Terminal]))
        .map(|(key, _)| *key)
        .collect();
    let keys: Vec<_> = rows.map(|(key, _)| *key).collect();
    assert_eq!(
        keys.iter().collect::<BTreeSet<_>>().len(),
        keys.len(),
        "a key occurs twice"
    );
    // The page does not show rejections that it handles itself.
    let shared = shared_texts(Lang::En);
    let missing = shared
        .iter()
        .map(|(key, _)| key.as_str())
        .filter(|key| !from_terminal.contains(key));
    let missing: Vec<_> = missing
        .filter(|key| !key.starts_with("reject_") || keys.contains(key))
        .collect();
    assert_eq!(missing, Vec::<&str>::new());
}
