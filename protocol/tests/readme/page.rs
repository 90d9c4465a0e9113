//! Reads `README.md` and the golden files.
//!
//! On the page, a fence marked `text` holds messages. A line that starts with `→` goes to the server, a line that
//! starts with `←` comes from it, and an indented line continues the previous line.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::Once;

use serde_json::Value;

use crate::tables;

pub(crate) fn crate_root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the page, with the tables of the code if the tests write.
pub(crate) fn readme() -> String {
    static TABLES: Once = Once::new();
    if noughts_golden::is_writing() {
        TABLES.call_once(tables::check);
    }
    fs::read_to_string(crate_root().join("README.md")).unwrap()
}

/// Returns the golden values of a group by kind.
pub(crate) fn golden_values(group: &str) -> BTreeMap<String, Vec<Value>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(crate_root().join("golden")).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        let kind = name
            .strip_suffix(".jsonl")
            .and_then(|name| name.strip_prefix(group)?.strip_prefix('-'));
        if let Some(kind) = kind {
            let text = fs::read_to_string(entry.path()).unwrap();
            let values = text
                .lines()
                .map(|line| serde_json::from_str(line).unwrap())
                .collect();
            found.insert(kind.to_owned(), values);
        }
    }
    assert!(!found.is_empty(), "no golden files of {group}");
    found
}

/// Section of the page: chapter, heading, prose and examples.
#[derive(Default)]
pub(crate) struct Section {
    pub(crate) chapter: String,
    pub(crate) heading: String,
    pub(crate) text: String,
    pub(crate) examples: Vec<Example>,
}

pub(crate) struct Example {
    pub(crate) to_server: bool,
    pub(crate) text: String,
}

impl Example {
    pub(crate) fn value(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }
}

pub(crate) fn sections(readme: &str) -> Vec<Section> {
    let mut sections = vec![Section::default()];
    let mut fence: Option<String> = None;
    for line in readme.lines() {
        let last = sections.len() - 1;
        if let Some(kind) = line.strip_prefix("```") {
            fence = if fence.is_some() {
                None
            } else {
                Some(kind.to_owned())
            };
            assert_ne!(
                fence.as_deref(),
                Some("json"),
                "a message stands in a text fence, behind its arrow"
            );
            continue;
        }
        match fence.as_deref() {
            Some("text") => {
                let examples = &mut sections[last].examples;
                if let Some(continuation) = line.strip_prefix("  ") {
                    examples
                        .last_mut()
                        .expect("a message begins with an arrow")
                        .text += continuation;
                } else {
                    let arrows = [(true, "→ "), (false, "← ")];
                    let found = arrows.iter().find_map(|(is_to_server, arrow)| {
                        Some((*is_to_server, line.strip_prefix(arrow)?))
                    });
                    let (to_server, text) =
                        found.unwrap_or_else(|| panic!("line without an arrow: {line}"));
                    examples.push(Example {
                        to_server,
                        text: text.to_owned(),
                    });
                }
            }
            Some(_) => {}
            None => {
                if let Some(chapter) = line.strip_prefix("## ") {
                    sections.push(Section {
                        chapter: chapter.to_owned(),
                        ..Section::default()
                    });
                } else if let Some(heading) = line.strip_prefix("### ") {
                    let chapter = sections[last].chapter.clone();
                    sections.push(Section {
                        chapter,
                        heading: heading.to_owned(),
                        ..Section::default()
                    });
                } else {
                    sections[last].text += line;
                    sections[last].text.push('\n');
                }
            }
        }
    }
    assert!(fence.is_none(), "unclosed fence");
    sections
}

/// Returns cells of the table rows in a chapter, without header and delimiter rows.
pub(crate) fn table_rows(readme: &str, chapter: &str) -> Vec<Vec<String>> {
    let text: String = sections(readme)
        .iter()
        .filter(|section| section.chapter == chapter)
        .map(|s| s.text.clone())
        .collect();
    assert!(!text.is_empty(), "no chapter {chapter}");
    let row = |line: &str| {
        let cells = line.strip_prefix("| ")?.strip_suffix(" |")?;
        Some(cells.split(" | ").map(str::to_owned).collect())
    };
    text.lines().filter_map(row).collect()
}
