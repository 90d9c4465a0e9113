//! Pins the JSON of every message: what is in `golden/` is what travels, byte for byte.
//!
//! A kind of message has a file of its own, one value a line. Each list below matches its enum
//! without a wildcard: a new variant does not compile until it is named there, and does not pass
//! until it has a value and a file. `NOUGHTS_GOLDEN=write cargo test -p noughts-protocol --test golden`
//! writes the files; what changes then is a change of the wire, and belongs on the page.

mod kinds;
mod samples;

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use noughts_protocol::wire::{Message, Request};
use noughts_protocol::{Game, Stamped};
use serde_json::Value;

use kinds::{
    EVENTS, MESSAGES, NOTICES, OUTCOMES, REQUESTS, WORDS, event_kind, message_kind, notice_kind,
    outcome_kind, phases, request_kind,
};
use samples::{events, messages, notices, outcomes, requests};

fn path(file: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("golden").join(file).with_extension("jsonl")
}

/// Holds `lines` to a golden file, and returns the lines of the file.
fn golden(file: &str, lines: &[String]) -> Vec<String> {
    assert!(!lines.is_empty(), "{file}: a kind without a value to show for it");
    let text = lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    if std::env::var_os("NOUGHTS_GOLDEN").is_some_and(|how| how == "write") {
        fs::write(path(file), &text).unwrap();
    }
    let stored = fs::read_to_string(path(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
    assert_eq!(text, stored, "{file}: the wire has changed");
    stored.lines().map(str::to_owned).collect()
}

/// Holds the values of one enum to the files of its kinds, in both directions.
fn check<T>(
    group: &str,
    names: &[&str],
    kind: impl Fn(&T) -> &'static str,
    values: &[T],
    write: impl Fn(&T) -> String,
    read: impl Fn(&str) -> T,
    same: impl Fn(&T, &T) -> bool,
) {
    for name in names {
        let file = format!("{group}-{name}");
        let of_kind: Vec<&T> = values.iter().filter(|value| kind(value) == *name).collect();
        let lines: Vec<String> = of_kind.iter().map(|value| write(value)).collect();
        for (value, line) in of_kind.into_iter().zip(golden(&file, &lines)) {
            let again = read(&line);
            assert_eq!(write(&again), line, "{file}: read and written again");
            assert!(same(value, &again), "{file}: read as something else: {line}");
        }
    }
}
fn type_of(text: &str, field: &str) -> String {
    let value: Value = serde_json::from_str(text).unwrap();
    value.pointer(field).and_then(Value::as_str).unwrap().to_owned()
}

#[test]
fn requests_are_golden() {
    let requests = requests();
    for request in &requests {
        assert_eq!(type_of(&request.to_json(), "/type"), request_kind(&request.body));
    }
    check(
        "request",
        REQUESTS,
        |request: &Request| request_kind(&request.body),
        &requests,
        Request::to_json,
        |text| Request::parse(text).unwrap(),
        |one, other| one.id == other.id && one.to_json() == other.to_json(),
    );
}

#[test]
fn messages_are_golden() {
    let messages = messages();
    for message in &messages {
        assert_eq!(type_of(&message.to_json(), "/type"), message_kind(message));
    }
    check(
        "message",
        MESSAGES,
        message_kind,
        &messages,
        Message::to_json,
        |text| Message::parse(text).unwrap(),
        |one, other| one.to_json() == other.to_json(),
    );
}

#[test]
fn events_are_golden() {
    let events = events();
    for stamped in &events {
        let text = serde_json::to_string(stamped).unwrap();
        assert_eq!(type_of(&text, "/event/type"), event_kind(&stamped.event));
    }
    check(
        "event",
        EVENTS,
        |stamped: &Stamped| event_kind(&stamped.event),
        &events,
        |stamped| serde_json::to_string(stamped).unwrap(),
        |text| serde_json::from_str(text).unwrap(),
        PartialEq::eq,
    );
}

#[test]
fn notices_are_golden() {
    let notices = notices();
    for notice in &notices {
        assert_eq!(type_of(&serde_json::to_string(notice).unwrap(), "/type"), notice_kind(notice));
    }
    check(
        "notice",
        NOTICES,
        notice_kind,
        &notices,
        |notice| serde_json::to_string(notice).unwrap(),
        |text| serde_json::from_str(text).unwrap(),
        PartialEq::eq,
    );
}

#[test]
fn outcomes_are_golden() {
    let outcomes = outcomes();
    for outcome in &outcomes {
        assert_eq!(type_of(&serde_json::to_string(outcome).unwrap(), "/reason"), outcome_kind(outcome));
    }
    check(
        "outcome",
        OUTCOMES,
        outcome_kind,
        &outcomes,
        |outcome| serde_json::to_string(outcome).unwrap(),
        |text| serde_json::from_str(text).unwrap(),
        PartialEq::eq,
    );
}

#[test]
fn words_and_codes_are_golden() {
    for (file, words) in WORDS {
        golden(file, &words());
    }
}

/// The golden snapshots are of rooms that can be: a client that takes one in sees the same room.
#[test]
fn golden_snapshots_hold_together() {
    let mut seen = BTreeSet::new();
    for message in messages() {
        let Message::Snapshot { state, .. } = message else { continue };
        let game = Game::from_snapshot(&state).unwrap();
        assert_eq!(game.snapshot(state.at), state);
        seen.insert(serde_json::to_string(&state.phase).unwrap());
    }
    assert_eq!(seen, phases().into_iter().collect(), "a snapshot in each phase");
}

/// A file without a kind would pin nothing.
#[test]
fn nothing_else_is_golden() {
    let groups = [
        ("request", REQUESTS),
        ("message", MESSAGES),
        ("event", EVENTS),
        ("notice", NOTICES),
        ("outcome", OUTCOMES),
    ];
    let mut expected: BTreeSet<String> = WORDS.iter().map(|(file, _)| format!("{file}.jsonl")).collect();
    for (group, names) in groups {
        expected.extend(names.iter().map(|name| format!("{group}-{name}.jsonl")));
    }
    let found: BTreeSet<String> = fs::read_dir(path("any").parent().unwrap())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(found, expected);
}
