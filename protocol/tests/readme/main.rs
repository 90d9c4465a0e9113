//! Compares `README.md` with the code: the page lists every message, code and limit, and every example is
//! valid.
//!
//! The golden files list the kinds; the test `golden` checks that the list is complete.

mod page;
mod tables;

use std::collections::BTreeSet;

use noughts_protocol::wire::{
    DetailedEvents, MAX_MESSAGE_BYTES, MAX_REQUEST_BYTES, Message, RejectCode, Request,
    SUBPROTOCOL, VERSION,
};
use noughts_protocol::{Name, RequestId, RuleFlag, Rules, TimeControl};
use serde_json::Value;

use page::{golden_values, readme, sections, table_rows};

/// Groups of golden files, with the chapter that describes each.
const CHAPTERS: &[(&str, &str)] = &[
    ("request", "Requests"),
    ("message", "Messages"),
    ("event", "Events"),
    ("notice", "Notices"),
];

#[test]
fn examples_parse_and_reserialize() {
    let mut count = 0;
    for example in sections(&readme())
        .iter()
        .flat_map(|section| &section.examples)
    {
        let reserialized = if example.to_server {
            assert!(example.text.len() <= MAX_REQUEST_BYTES);
            Request::parse(&example.text)
                .map_err(|bad| bad.reject.to_string())
                .map(|it| it.to_json())
        } else {
            assert!(example.text.len() <= MAX_MESSAGE_BYTES);
            let is_events = example.value()["type"] == "events";
            match serde_json::from_str::<DetailedEvents>(&example.text) {
                Ok(events) if is_events => Ok(events.to_json()),
                Ok(_) | Err(_) => Message::parse(&example.text)
                    .map_err(|error| error.to_string())
                    .map(|it| it.to_json()),
            }
        };
        let reserialized = reserialized.unwrap_or_else(|error| panic!("{error}: {}", example.text));
        // All fields of the example are known, and no required field is missing.
        assert_eq!(
            serde_json::from_str::<Value>(&reserialized).unwrap(),
            example.value()
        );
        count += 1;
    }
    assert!(
        count > 50,
        "only {count} examples found: were their fences renamed?"
    );
}

#[test]
fn each_kind_has_a_heading_an_example_and_its_fields() {
    let readme = readme();
    let sections = sections(&readme);
    for (group, chapter) in CHAPTERS {
        let kinds = golden_values(group);
        for (kind, values) in &kinds {
            let heading = format!("`{kind}`");
            let mut sections_found = sections
                .iter()
                .filter(|it| it.chapter == *chapter && it.heading == heading);
            let section = sections_found
                .next()
                .unwrap_or_else(|| panic!("no heading {heading} under {chapter}"));
            assert!(
                sections_found.next().is_none(),
                "two headings {heading} under {chapter}"
            );

            let to_server = *group == "request";
            let is_shown = section.examples.iter().any(|example| {
                let value = example.value();
                example.to_server == to_server && kinds_in(group, &value).contains(&kind.as_str())
            });
            assert!(is_shown, "no example of {heading} under {chapter}");

            let fields: BTreeSet<&String> = values
                .iter()
                .flat_map(|value| described_fields(group, value))
                .collect();
            for field in fields
                .into_iter()
                .filter(|field| !["type", "id"].contains(&field.as_str()))
            {
                assert!(
                    section.text.contains(&format!("`{field}`")),
                    "`{field}` under {chapter}, {heading}"
                );
            }
        }
        let headings = sections
            .iter()
            .filter(|it| it.chapter == *chapter && !it.heading.is_empty());
        for heading in headings.map(|section| section.heading.trim_matches('`')) {
            assert!(
                kinds.contains_key(heading),
                "{heading} under {chapter} is not a kind"
            );
        }
    }
}

/// Returns the kinds of a group that occur in a message.
fn kinds_in<'a>(group: &str, message: &'a Value) -> Vec<&'a str> {
    let events = || message["events"].as_array().into_iter().flatten();
    match group {
        "event" => events()
            .filter_map(|stamped| stamped["event"]["type"].as_str())
            .collect(),
        "notice" => message["notice"]["type"].as_str().into_iter().collect(),
        _ => message["type"].as_str().into_iter().collect(),
    }
}

/// Returns the fields of a golden value that its own section describes.
fn described_fields<'a>(group: &str, value: &'a Value) -> Vec<&'a String> {
    let keys = |value: &'a Value| {
        value
            .as_object()
            .into_iter()
            .flat_map(|fields| fields.keys())
    };
    let inner_pointers: &[&str] = match (group, value["type"].as_str()) {
        ("event", _) => return keys(&value["event"]).collect(),
        (_, Some("welcome")) => &["/limits"],
        (_, Some("snapshot")) => &["/you", "/state", "/state/score", "/state/players/0"],
        (_, Some("rooms")) => &[
            "/rooms/0",
            "/rooms/1",
            "/seeks/0",
            "/seeks/1",
            "/seeks/0/player",
        ],
        (_, Some("lobby")) => &["/rooms/0", "/seeks/0", "/counts"],
        _ => &[],
    };
    let inner_pointers = inner_pointers
        .iter()
        .filter_map(|at| value.pointer(at))
        .flat_map(keys);
    keys(value).chain(inner_pointers).collect()
}

/// Fields of nested values may be described anywhere on the page.
#[test]
fn each_field_is_documented() {
    fn collect(value: &Value, names: &mut BTreeSet<String>) {
        match value {
            Value::Object(fields) => {
                for (field, value) in fields {
                    names.insert(field.clone());
                    collect(value, names);
                }
            }
            Value::Array(values) => values.iter().for_each(|value| collect(value, names)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    let mut fields = BTreeSet::new();
    for group in [
        "request", "message", "event", "notice", "outcome", "feature", "room",
    ] {
        golden_values(group)
            .values()
            .flatten()
            .for_each(|value| collect(value, &mut fields));
    }
    let readme = readme();
    for field in fields {
        assert!(readme.contains(&format!("`{field}`")), "`{field}`");
    }
}

#[test]
fn each_unit_variant_is_documented() {
    let readme = readme();
    for (file, words) in golden_values("word") {
        for word in words {
            let word = word.as_str().unwrap();
            let is_shown = [format!("`{word}`"), format!("`\"{word}\"`")];
            assert!(
                is_shown.iter().any(|is_shown| readme.contains(is_shown)),
                "{word} of {file}"
            );
        }
    }
}

#[test]
fn each_outcome_has_a_table_row() {
    let rows = table_rows(&readme(), "Outcomes");
    for kind in golden_values("outcome").keys() {
        assert!(
            rows.iter().any(|row| row[0] == format!("`{kind}`")),
            "{kind}"
        );
    }
}

#[test]
fn the_tables_are_those_of_the_code() {
    // Writes the tables of the page, if the tests write golden files.
    readme();
    tables::check();
}

/// A code that is not in a table occurs nowhere on the page.
#[test]
fn only_known_codes_are_documented() {
    let known_codes: BTreeSet<&str> = RejectCode::ALL.iter().map(|code| code.as_str()).collect();
    for section in sections(&readme()) {
        for example in &section.examples {
            if let Some(code) = example.value()["code"].as_str() {
                assert!(known_codes.contains(code), "{code}");
            }
        }
        for list in section
            .text
            .split("Reject")
            .skip(1)
            .filter(|list| list.starts_with([':', 's']))
        {
            let list = list.split_terminator("\n\n").next().unwrap_or_default();
            let Some(list) = list.trim_start_matches('s').strip_prefix([':', ',']) else {
                continue;
            };
            for word in list
                .split('`')
                .skip(1)
                .step_by(2)
                .filter(|word| word.contains('_'))
            {
                let field = ["wait_ms"].contains(&word);
                assert!(
                    known_codes.contains(word) || field,
                    "{word} under {}",
                    section.heading
                );
            }
        }
    }
}

#[test]
fn the_grammar_of_rules_has_each_flag_once() {
    let count = RuleFlag::ALL.len();
    assert!(readme().contains(&format!("\":\" line *{count}(\"+\" flag))")));
}

#[test]
fn named_rules_match_the_code() {
    let readme = readme();
    let all = table_rows(&readme, "Values");
    let is_rules =
        |row: &&Vec<String>| row.len() == 2 && row[1].contains(':') && row[1].starts_with('`');
    let named = all
        .iter()
        .filter(is_rules)
        .map(|row| (row[0].trim_matches('`'), row[1].trim_matches('`')));
    assert_eq!(named.collect::<Vec<_>>(), Rules::NAMED);
}

#[test]
fn the_prose_has_the_numbers_of_the_code() {
    let readme = readme();
    for text in [
        format!("0 to {} (2^53 − 1)", RequestId::MAX),
        format!("1 to {} columns", Name::MAX_COLUMNS),
        format!("at most {} characters", Name::MAX_CHARS),
        format!("1 to {} dimensions", Rules::MAX_DIMENSIONS),
        format!("sides of 1 to {} cells", Rules::MAX_SIDE),
        format!("at most {} cells", Rules::MAX_CELLS),
        format!("at most {} bytes", Rules::MAX_TEXT),
        format!("1 to {} seconds", TimeControl::MAX_BASE_S),
        format!("increment 0 to {}", TimeControl::MAX_INCREMENT_S),
        format!("This page describes version {VERSION}"),
        format!("subprotocol is `{SUBPROTOCOL}`"),
    ] {
        assert!(
            readme
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
                .contains(&text),
            "{text}"
        );
    }
}

/// Each link within the page has a target.
#[test]
fn each_link_has_a_heading() {
    let readme = readme();
    let anchor = |heading: &str| {
        let slug = heading.to_lowercase().replace(' ', "-");
        slug.chars()
            .filter(|c| c.is_alphanumeric() || "-_".contains(*c))
            .collect::<String>()
    };
    let mut anchors = BTreeSet::new();
    for section in &sections(&readme) {
        let title = if section.heading.is_empty() {
            &section.chapter
        } else {
            &section.heading
        };
        // The anchor of a repeated heading ends in a number.
        let anchor = anchor(title);
        if !anchors.insert(anchor.clone()) {
            assert!(
                anchors.insert(format!("{anchor}-1")),
                "{title} for the third time"
            );
        }
    }
    for link in readme.split("](#").skip(1) {
        let link = link.split(')').next().unwrap_or_default();
        assert!(anchors.contains(link), "#{link}");
    }
}

/// The example bots use no request, message kind or field that the page does not describe.
#[test]
fn example_bots_use_documented_words() {
    let readme = readme();
    let bots = [
        ("bot.py", include_str!("../../examples/bot.py")),
        ("bot.mjs", include_str!("../../examples/bot.mjs")),
    ];
    let requests = golden_values("request");
    let kinds: BTreeSet<String> = ["message", "event"]
        .into_iter()
        .flat_map(golden_values)
        .map(|(kind, _)| kind)
        .collect();
    for (name, code) in bots {
        assert!(
            readme.contains(&format!("](examples/{name})")),
            "{name} is not linked"
        );
        let mut request_count = 0;
        for call in code.split("ask(\"").skip(1) {
            let kind = call.split('"').next().unwrap_or_default();
            assert!(requests.contains_key(kind), "{name} sends {kind}");
            request_count += 1;
        }
        assert!(
            request_count >= 6,
            "{name}: only {request_count} requests found"
        );
        for comparison in ["[\"type\"] == \"", ".type === \""] {
            for rest in code.split(comparison).skip(1) {
                let kind = rest.split('"').next().unwrap_or_default();
                assert!(
                    kind == "notice" || kinds.contains(kind),
                    "{name} expects {kind}"
                );
            }
        }
        for field in code
            .split("[\"")
            .skip(1)
            .filter_map(|rest| rest.split("\"]").next())
        {
            if field
                .chars()
                .all(|letter| letter.is_ascii_lowercase() || letter == '_')
                && field != "noughts"
            {
                assert!(
                    readme.contains(&format!("`{field}`")),
                    "{name} reads {field}"
                );
            }
        }
    }
}
