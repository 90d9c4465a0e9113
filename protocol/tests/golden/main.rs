//! Pins the JSON of every message, byte for byte, to the files in `golden/`.
//!
//! Each kind of message has a file with one value a line. The lists of kinds match their enums without a
//! wildcard: a new variant does not compile until it is listed, and does not pass until it has a value and a
//! file. `NOUGHTS_TEST_GOLDEN=write cargo test -p noughts-protocol` writes the files; a
//! difference is a change of the protocol and must be described in its README.

mod features;
mod kinds;
mod samples;
mod vectors;

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use noughts_protocol::wire::{Message, Request};
use noughts_protocol::{EventRecord, Game};
use serde_json::Value;

use kinds::{
    EVENTS, MESSAGES, NOTICES, OUTCOMES, REQUESTS, UNIT_ENUMS, event_kind, message_kind,
    notice_kind, outcome_kind, phases, request_kind,
};
use samples::{events, messages, notices, outcomes, requests};

fn golden_path(file: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("golden")
        .join(file)
        .with_extension("jsonl")
}

/// Compares `lines` with a golden file, and returns them.
fn check_golden_file(file: &str, lines: &[String]) -> Vec<String> {
    assert!(!lines.is_empty(), "{file}: no value of this kind");
    let text = lines
        .iter()
        .map(|line| format!("{line}\n"))
        .collect::<String>();
    noughts_golden::check_file(golden_path(file), &text);
    lines.to_vec()
}

/// Compares the values of an enum with the files of its kinds, in both directions.
fn check_group<T>(
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
        let values_of_kind: Vec<&T> = values.iter().filter(|value| kind(value) == *name).collect();
        let lines: Vec<String> = values_of_kind.iter().map(|value| write(value)).collect();
        for (value, line) in values_of_kind
            .into_iter()
            .zip(check_golden_file(&file, &lines))
        {
            let reparsed = read(&line);
            assert_eq!(write(&reparsed), line, "{file}: does not round-trip");
            assert!(
                same(value, &reparsed),
                "{file}: read as something else: {line}"
            );
        }
    }
}
fn string_at(text: &str, field: &str) -> String {
    let value: Value = serde_json::from_str(text).unwrap();
    value
        .pointer(field)
        .and_then(Value::as_str)
        .unwrap()
        .to_owned()
}

#[test]
fn requests_match_their_golden_files() {
    let requests = requests();
    for request in &requests {
        assert_eq!(
            string_at(&request.to_json(), "/type"),
            request_kind(&request.body)
        );
    }
    check_group(
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
fn messages_match_their_golden_files() {
    let messages = messages();
    for message in &messages {
        assert_eq!(
            string_at(&message.to_json(), "/type"),
            message_kind(message)
        );
    }
    check_group(
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
fn events_match_their_golden_files() {
    let events = events();
    for record in &events {
        let text = serde_json::to_string(record).unwrap();
        assert_eq!(string_at(&text, "/event/type"), event_kind(&record.event));
    }
    check_group(
        "event",
        EVENTS,
        |record: &EventRecord| event_kind(&record.event),
        &events,
        |record| serde_json::to_string(record).unwrap(),
        |text| serde_json::from_str(text).unwrap(),
        PartialEq::eq,
    );
}

#[test]
fn notices_match_their_golden_files() {
    let notices = notices();
    for notice in &notices {
        assert_eq!(
            string_at(&serde_json::to_string(notice).unwrap(), "/type"),
            notice_kind(notice)
        );
    }
    check_group(
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
fn outcomes_match_their_golden_files() {
    let outcomes = outcomes();
    for outcome in &outcomes {
        assert_eq!(
            string_at(&serde_json::to_string(outcome).unwrap(), "/reason"),
            outcome_kind(outcome)
        );
    }
    check_group(
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
fn unit_enums_and_codes_match_their_golden_files() {
    for (file, words) in UNIT_ENUMS {
        check_golden_file(file, &words());
    }
}

/// A client that loads a golden snapshot produces the same snapshot.
#[test]
fn golden_snapshots_are_consistent() {
    let mut seen = BTreeSet::new();
    for message in messages() {
        let Message::Snapshot { state, .. } = message else {
            continue;
        };
        let game = Game::from_snapshot(&state).unwrap();
        assert_eq!(game.snapshot(state.at), state);
        seen.insert(serde_json::to_string(&state.phase).unwrap());
    }
    assert_eq!(
        seen,
        phases().into_iter().collect(),
        "a snapshot in each phase"
    );
}

/// A file without a kind would pin no message.
#[test]
fn there_are_no_other_golden_files() {
    let groups = [
        ("request", REQUESTS),
        ("message", MESSAGES),
        ("event", EVENTS),
        ("notice", NOTICES),
        ("outcome", OUTCOMES),
    ];
    let mut expected: BTreeSet<String> = UNIT_ENUMS
        .iter()
        .map(|(file, _)| format!("{file}.jsonl"))
        .collect();
    expected.extend(features::FILES.iter().map(|file| format!("{file}.jsonl")));
    expected.extend(
        vectors::VECTOR_FILES
            .iter()
            .map(|file| format!("{file}.jsonl")),
    );
    for (group, names) in groups {
        expected.extend(names.iter().map(|name| format!("{group}-{name}.jsonl")));
    }
    let found: BTreeSet<String> = fs::read_dir(golden_path("any").parent().unwrap())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(found, expected);
}
