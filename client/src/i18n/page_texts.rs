//! The texts that the browser page has in common with the terminal: names of games and levels, results, offers, phrases,
//! presence, rejections, errors in records and rules. The tables of this crate are their only source: the files of the
//! page contain copies, which this test compares. `NOUGHTS_TEST_GOLDEN=write` writes them again.

use std::borrow::Cow;
use std::fs;
use std::path::PathBuf;

use noughts_protocol::clock::TimeControlError;
use noughts_protocol::outcome::{LineName, Verdict};
use noughts_protocol::record::{RecordError, RecordErrorKind};
use noughts_protocol::wire::{Phrase, Presence, Reject, RejectCode};
use noughts_protocol::{Offer, Outcome, Rules, RulesError, Seat};

use crate::engine::Level;
use crate::facts::PlayerRef;
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
    let errors = record_errors(texts).into_iter().chain(rules_errors(texts));
    let game = results(texts)
        .into_iter()
        .chain(offers(texts))
        .chain(lines(texts))
        .chain(phrases_presence_and_clock(texts));
    games.chain(levels).chain(rejects).chain(game).chain(errors).collect()
}

/// Returns a player whose name is a placeholder of the page.
fn placeholder(name: &str, seat: Seat, you: bool) -> PlayerRef {
    PlayerRef { seat, name: name.parse().expect("a placeholder is a valid name"), you }
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
    let others = [placeholder("{name}", Seat::X, false), placeholder("{name}", Seat::O, false)];
    let reason =
        |outcome: &Outcome, players| texts.to_sentence(&texts.result_reason(outcome, &rules, players));
    let by_name = |text: String| texts.with_period(&text);
    let resigned = Outcome::Resigned { winner: Seat::O };
    let you = [placeholder("{name}", Seat::X, true), placeholder("{name}", Seat::O, false)];
    let won = texts.line_result(&you[0], &you[1]);
    [
        ("you_win", won),
        ("you_lost", title(&own(Seat::O))),
        ("draw", title(&texts.result_headline(&Outcome::Full, &others))),
        ("aborted_game", title(&texts.result_headline(&Outcome::Aborted, &others))),
        ("x_wins", texts.winner_text(&placeholder("{x}", Seat::X, false))),
        ("o_wins", texts.winner_text(&placeholder("{o}", Seat::O, false))),
        ("full", reason(&Outcome::Full, &others)),
        ("agreed", reason(&Outcome::Agreed, &others)),
        ("flag", reason(&Outcome::Flag { winner: Seat::O }, &others)),
        ("abandoned_draw", reason(&Outcome::Abandoned { winner: None }, &others)),
        ("you_resigned", reason(&resigned, &you)),
        ("resigned", by_name(texts.result_reason(&resigned, &rules, &others))),
        ("abandoned", by_name(texts.not_returned("{name}"))),
    ]
    .map(|(key, text)| (key.to_owned(), text))
    .to_vec()
}

fn offers(texts: Texts) -> Vec<(String, String)> {
    let (you, other) = (placeholder("{name}", Seat::X, true), placeholder("{name}", Seat::O, false));
    let of = |(offer, name): (Offer, &str)| {
        [
            (format!("offer_{name}"), texts.offer_received("{name}", offer)),
            (format!("offered_{name}"), texts.offer_made(&you, offer)),
            (format!("declined_{name}"), texts.offer_declined(&other, offer)),
        ]
    };
    [(Offer::Draw, "draw"), (Offer::Takeback, "takeback"), (Offer::Rematch, "rematch")]
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
    names.map(|(name, key)| (format!("line_{key}"), texts.winning_line_sentence(name, "{cells}"))).to_vec()
}

fn phrases_presence_and_clock(texts: Texts) -> Vec<(String, String)> {
    let phrases = Phrase::ALL.iter().map(|&phrase| {
        let name = serde_json::to_value(phrase).expect("a phrase is a string");
        (format!("phrase_{}", name.as_str().expect("a phrase is a string")), texts.phrase(phrase).to_owned())
    });
    let presence =
        [(Presence::Connected, "connected"), (Presence::Disconnected, "away"), (Presence::Left, "left")];
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
            let reason = text.split_once(": ").or(text.split_once('：')).map_or("", |(_, reason)| reason);
            (format!("record_{key}"), texts.to_sentence(reason))
        })
        .to_vec()
}

fn rules_errors(texts: Texts) -> Vec<(String, String)> {
    let errors =
        [(RulesError::Cells, "cells"), (RulesError::Line, "line"), (RulesError::GravityNeedsRows, "gravity")];
    errors.map(|(error, key)| (format!("rules_{key}"), texts.to_sentence(&texts.rules_error(error)))).to_vec()
}

/// Replaces the value of a text in a file of the page. `None` if the file does not have the text.
fn replace_text<'a>(source: &'a str, name: &str, text: &str) -> Option<Cow<'a, str>> {
    let quoted = format!("\"{name}\": \"");
    let plain = format!(" {name}: \"");
    let start = [quoted, plain].iter().find_map(|key| source.find(key.as_str()).map(|at| at + key.len()))?;
    let mut is_escaped = false;
    let end = source[start..].find(|letter| {
        let is_end = letter == '"' && !is_escaped;
        is_escaped = letter == '\\' && !is_escaped;
        is_end
    })?;
    let (old, text) = (&source[start..start + end], text.replace('"', "\\\""));
    if old == text {
        return Some(Cow::Borrowed(source));
    }
    Some(Cow::Owned(format!("{}{text}{}", &source[..start], &source[start + end..])))
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
                assert!(!text.contains('\\'), "{key}: {text}");
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
