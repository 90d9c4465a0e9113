//! Compares the machine-readable description in `asyncapi/` with the golden files and with the parsers.
//!
//! `NOUGHTS_TEST_GOLDEN=write cargo test -p noughts-protocol` writes the words in the schemas, and `noughts.d.ts` from
//! them.

mod typescript;
mod words;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Once;

use jsonschema::Validator;
use noughts_protocol::RuleFlag;
use noughts_protocol::wire::{Message, Request};
use serde_json::{Value, json};

/// Returns the patterns of rules, which follow from the flags.
fn rules_patterns() -> [(&'static str, String); 2] {
    let flags: String = RuleFlag::ALL
        .iter()
        .map(|flag| format!(r"(\+{flag})?"))
        .collect();
    let count = RuleFlag::ALL.len();
    [
        ("Rules", format!("^[0-9]+(x[0-9]+){{0,3}}:[0-9]+{flags}$")),
        (
            "RulesInput",
            format!(
                r"^([0-9]+([xX][0-9]+){{0,3}}:[0-9]+(\+[A-Za-z]+){{0,{count}}}|[A-Za-z][A-Za-z0-9-]*)$"
            ),
        ),
    ]
}

#[test]
fn patterns_of_rules_follow_from_the_flags() {
    let schemas = read_json("schemas.json");
    for (definition, pattern) in rules_patterns() {
        assert_eq!(schemas["$defs"][definition]["pattern"], pattern);
    }
}

fn crate_root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn asyncapi_file(file: &str) -> PathBuf {
    crate_root().join("asyncapi").join(file)
}

fn read_json(file: &str) -> Value {
    let path = asyncapi_file(file);
    let text =
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap()
}

/// Returns the schemas, with the words of the code if the tests write.
fn read_schemas() -> Value {
    static WORDS: Once = Once::new();
    if noughts_golden::is_writing() {
        WORDS.call_once(words::check_schemas);
    }
    read_json("schemas.json")
}

/// Compiles one definition of the schemas.
fn validator(schemas: &Value, definition: &str) -> Validator {
    assert!(
        schemas["$defs"][definition].is_object(),
        "no definition {definition}"
    );
    let reference = format!("#/$defs/{definition}");
    let schema =
        json!({ "$schema": schemas["$schema"], "$ref": reference, "$defs": schemas["$defs"] });
    jsonschema::draft202012::new(&schema).unwrap()
}

/// Closes all objects of the schemas, so that a field that no schema describes is an error.
fn close_objects(schema: &mut Value) {
    match schema {
        Value::Object(keywords) => {
            keywords.values_mut().for_each(close_objects);
            if keywords.get("type") == Some(&json!("object")) {
                keywords.insert("additionalProperties".into(), false.into());
            }
        }
        Value::Array(schemas) => schemas.iter_mut().for_each(close_objects),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Returns the definition that the values of a golden file satisfy; `None` for close codes, which JSON does not
/// contain, and for vectors.
fn definition_of(file: &str) -> Option<&'static str> {
    let (group, kind) = file.split_once('-').unwrap();
    Some(match (group, kind) {
        ("request", _) | ("feature", "hello") => "Request",
        ("message" | "feature" | "room", _) => "Message",
        ("event", _) => "EventRecord",
        ("notice", _) => "Notice",
        ("outcome", _) => "Outcome",
        ("word", "seat") => "Seat",
        ("word", "kind") => "PlayerKind",
        ("word", "offer") => "Offer",
        ("word", "result") => "ClaimResult",
        ("word", "phase") => "Phase",
        ("word", "close_reason") => "CloseReason",
        ("word", "presence") => "Presence",
        ("word", "line") => "LineName",
        ("word", "phrase") => "Phrase",
        ("code", "reject") => "RejectCode",
        ("code", "close" | "refusal") | ("vector", _) => return None,
        _ => panic!("no definition for {file}"),
    })
}

/// Returns the file name and values of each golden file.
fn golden_files() -> Vec<(String, Vec<Value>)> {
    let mut paths: Vec<PathBuf> = fs::read_dir(crate_root().join("golden"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        let values = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        (
            path.file_stem().unwrap().to_str().unwrap().to_owned(),
            values,
        )
    };
    paths.into_iter().map(read).collect()
}

#[test]
fn golden_values_satisfy_the_schemas() {
    let schemas = read_schemas();
    let mut closed = schemas.clone();
    close_objects(&mut closed);
    let mut count = 0;
    for (file, values) in golden_files() {
        let Some(definition) = definition_of(&file) else {
            continue;
        };
        for schemas in [&schemas, &closed] {
            let validator = validator(schemas, definition);
            for value in &values {
                let errors: Vec<String> = validator
                    .iter_errors(value)
                    .map(|error| error.to_string())
                    .collect();
                assert!(errors.is_empty(), "{file}: {value}: {errors:?}");
                count += 1;
            }
        }
    }
    assert!(count > 400, "only {count} values");
}

/// The words of an enumeration are the words of its golden file.
#[test]
fn enumerations_are_complete() {
    let schemas = read_schemas();
    for (file, values) in golden_files() {
        if let Some(definition) = definition_of(&file)
            && let Some(words) = schemas["$defs"][definition]["enum"].as_array()
        {
            assert_eq!(words, &values, "{definition}");
        }
    }
}

/// Returns variants of a value that differ in one place: a part is missing, or has a different type.
fn corruptions(value: &Value) -> Vec<Value> {
    let replacements = [json!({ "x": 1 }), json!("?"), Value::Null];
    let mut corrupted = Vec::new();
    let mut add = |part: &Value, rebuild: &dyn Fn(Option<Value>) -> Value| {
        corrupted.push(rebuild(None));
        let inner = corruptions(part).into_iter().chain(replacements.clone());
        corrupted.extend(
            inner
                .filter(|changed| changed != part)
                .map(|changed| rebuild(Some(changed))),
        );
    };
    match value {
        Value::Object(fields) => {
            for (field, part) in fields {
                add(part, &|changed| {
                    let mut fields = fields.clone();
                    match changed {
                        Some(changed) => fields.insert(field.clone(), changed),
                        None => fields.remove(field),
                    };
                    fields.into()
                });
            }
        }
        Value::Array(parts) => {
            for (index, part) in parts.iter().enumerate() {
                add(part, &|changed| {
                    let mut parts = parts.clone();
                    match changed {
                        Some(changed) => parts[index] = changed,
                        None => drop(parts.remove(index)),
                    }
                    parts.into()
                });
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    corrupted
}

/// The schemas reject all texts that the parsers of this crate reject.
#[test]
fn the_schemas_reject_what_the_parsers_reject() {
    let schemas = read_schemas();
    type Parser = fn(&str) -> bool;
    let parsers: [(&str, Parser); 2] = [
        ("Request", |text| Request::parse(text).is_ok()),
        ("Message", |text| Message::parse(text).is_ok()),
    ];
    for (definition, is_accepted) in parsers {
        let validator = validator(&schemas, definition);
        let mut count = 0;
        for (file, values) in golden_files() {
            if definition_of(&file) != Some(definition) {
                continue;
            }
            // Long messages are skipped, because they consist of parts that other files contain.
            for value in values
                .iter()
                .filter(|value| value.to_string().len() < 1_000)
            {
                for changed in corruptions(value) {
                    if !is_accepted(&changed.to_string()) {
                        assert!(
                            !validator.is_valid(&changed),
                            "{file}: accepted by the schema: {changed}"
                        );
                        count += 1;
                    }
                }
            }
        }
        assert!(count > 200, "only {count} invalid values of {definition}");
    }
    let request = validator(&schemas, "Request");
    for text in [
        r#"{"id":9007199254740992,"type":"list"}"#,
        r#"{"id":1.5,"type":"list"}"#,
        r#"{"id":1,"type":"later"}"#,
        r#"{"id":1,"type":"join","room":"pet1t97t9axa"}"#,
        r#"{"id":1,"type":"seek","rules":"3x3:3","seat":"x"}"#,
        r#"{"id":1,"type":"seek","rules":"3x3:3","clock":"90S+0"}"#,
        r#"{"id":1,"type":"move","cell":65536,"seq":1}"#,
    ] {
        assert!(
            !request.is_valid(&serde_json::from_str(text).unwrap()),
            "{text}"
        );
    }
}

/// Collects the targets of all references.
fn references(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            for (field, value) in fields {
                match value {
                    Value::String(target) if field == "$ref" => drop(found.insert(target.clone())),
                    Value::Null
                    | Value::Bool(_)
                    | Value::Number(_)
                    | Value::String(_)
                    | Value::Array(_)
                    | Value::Object(_) => references(value, found),
                }
            }
        }
        Value::Array(values) => values.iter().for_each(|value| references(value, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[test]
fn each_definition_is_used_and_each_reference_has_a_target() {
    let schemas = read_schemas();
    let mut found = BTreeSet::new();
    references(&schemas, &mut found);
    let defined: BTreeSet<String> = schemas["$defs"]
        .as_object()
        .unwrap()
        .keys()
        .map(|name| format!("#/$defs/{name}"))
        .collect();
    assert_eq!(found, defined);

    let document = read_json("asyncapi.json");
    let mut found = BTreeSet::new();
    references(&document, &mut found);
    for target in found {
        let (document, pointer) = match target.split_once('#').unwrap() {
            ("", pointer) => (&document, pointer),
            ("schemas.json", pointer) => (&schemas, pointer),
            (file, _) => panic!("{file}"),
        };
        assert!(document.pointer(pointer).is_some(), "{target}");
    }
}

/// The document has every message, with the direction of its golden file.
#[test]
fn the_document_has_every_message() {
    let (document, schemas) = (read_json("asyncapi.json"), read_schemas());
    for (operation, action, group) in [
        ("receiveRequest", "receive", "request"),
        ("sendMessage", "send", "message"),
    ] {
        let operation = &document["operations"][operation];
        assert_eq!(operation["action"], action);
        let type_of = |message: &Value| {
            let name = message["$ref"]
                .as_str()
                .unwrap()
                .rsplit('/')
                .next()
                .unwrap();
            assert!(
                document["channels"]["connection"]["messages"][name].is_object(),
                "{name}"
            );
            let payload = &document["components"]["messages"][name]["payload"]["schema"]["$ref"];
            assert_eq!(*payload, format!("schemas.json#/$defs/{name}"));
            schemas["$defs"][name]["properties"]["type"]["const"]
                .as_str()
                .unwrap()
                .to_owned()
        };
        let described: BTreeSet<String> = operation["messages"]
            .as_array()
            .unwrap()
            .iter()
            .map(type_of)
            .collect();
        let prefix = format!("{group}-");
        let files = golden_files();
        let golden: BTreeSet<String> = files
            .iter()
            .filter_map(|(file, _)| file.strip_prefix(&prefix).map(str::to_owned))
            .collect();
        assert_eq!(described, golden);
    }
}

#[test]
fn schemas_and_page_have_the_words_of_the_code() {
    // Writes the words in the schemas, if the tests write golden files.
    read_schemas();
    words::check_schemas();
    words::check_page();
}

#[test]
fn the_typescript_types_are_those_of_the_schemas() {
    let text = typescript::declarations(&read_schemas());
    noughts_golden::check_file(asyncapi_file("noughts.d.ts"), &text);
}
