//! Words of the wire in `schemas.json` and in the browser page.

use std::fs;

use noughts_protocol::wire::{AnnouncedLimits, CloseCode, Phrase, RejectCode};
use noughts_protocol::{Name, Rules};

use crate::{asyncapi_file, crate_root};

/// Compares the words in the schemas, or writes them.
pub(super) fn check_schemas() {
    let path = asyncapi_file("schemas.json");
    let mut text = fs::read_to_string(&path).expect("the schemas");
    for (definition, words) in [
        (
            "RejectCode",
            RejectCode::ALL.map(RejectCode::as_str).to_vec(),
        ),
        ("Phrase", Phrase::ALL.map(Phrase::as_str).to_vec()),
    ] {
        text = with_list(&text, definition, "\"enum\": [", &words, |word| {
            format!("        \"{word}\"")
        });
    }
    let limits: Vec<&str> = AnnouncedLimits::DOCUMENTS
        .iter()
        .map(|(name, _)| *name)
        .collect();
    let property = |name: &str| {
        format!("        \"{name}\": {{\n          \"$ref\": \"#/$defs/Count\"\n        }}")
    };
    text = with_list(&text, "Limits", "\"properties\": {", &limits, property);
    text = with_list(&text, "Limits", "\"required\": [", &limits, |name| {
        format!("        \"{name}\"")
    });
    noughts_golden::check_file(&path, &text);
}

/// Replaces a list of one definition. The list ends at the closing bracket that has the same indentation as the list.
fn with_list(
    text: &str,
    definition: &str,
    opening: &str,
    words: &[&str],
    item: impl Fn(&str) -> String,
) -> String {
    let (before, rest) = split_after(text, &format!("\n    \"{definition}\": {{"));
    let (head, rest) = split_after(rest, opening);
    let end = rest
        .find("\n      ]")
        .into_iter()
        .chain(rest.find("\n      }"))
        .min();
    let end = end.unwrap_or_else(|| panic!("{definition}: the list does not end"));
    let items: Vec<String> = words.iter().map(|word| item(word)).collect();
    format!("{before}{head}\n{}{}", items.join(",\n"), &rest[end..])
}

/// Splits the text after the first occurrence of `mark`.
fn split_after<'t>(text: &'t str, mark: &str) -> (&'t str, &'t str) {
    let at = text.find(mark).unwrap_or_else(|| panic!("no {mark}"));
    text.split_at(at + mark.len())
}

/// Compares the module of the page with the words and limits that it uses, or writes it.
pub(super) fn check_page() {
    let phrases = Phrase::ALL.map(|phrase| format!("  \"{}\",\n", phrase.as_str()));
    // Of the codes from 1001 to 1999, a flag tells whether to reconnect; the hundreds of all other codes tell it.
    let is_final = |code: &CloseCode| (1001..2000).contains(&code.code()) && !code.can_resume();
    let final_codes = CloseCode::ALL.iter().filter(|code| is_final(code));
    let final_codes: Vec<String> = final_codes.map(|code| code.code().to_string()).collect();
    let named = [
        ("OUTDATED", CloseCode::Version),
        ("REPLACED", CloseCode::Replaced),
    ];
    let named = named.map(|(name, code)| format!("export const {name}_CODE = {};\n", code.code()));
    let rules = [
        ("MAX_DIMENSIONS", Rules::MAX_DIMENSIONS),
        ("MAX_SIDE", Rules::MAX_SIDE.into()),
        ("MAX_CELLS", Rules::MAX_CELLS),
        ("MAX_RULES_BYTES", Rules::MAX_TEXT),
    ];
    let rules = rules.map(|(name, limit)| format!("export const {name} = {limit};\n"));
    let text = format!(
        "// Words and limits of the wire. A test of the protocol writes this module: see protocol/src/wire/vocabulary.rs.\n\n\
         /** Phrases that a player can say, in the order of the buttons. */\n\
         export const PHRASES = Object.freeze([\n{}]);\n\n\
         /** Close codes below 4000 that keep the page from reconnecting. */\n\
         export const FINAL_CODES = Object.freeze([{}]);\n{}\n\
         export const MAX_NAME_CHARACTERS = {};\n{}",
        phrases.concat(),
        final_codes.join(", "),
        named.concat(),
        Name::MAX_CHARS,
        rules.concat()
    );
    noughts_golden::check_file(
        crate_root().join("../client/web/page/core/wire-table.js"),
        &text,
    );
}
