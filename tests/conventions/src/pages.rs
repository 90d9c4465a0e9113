//! The pages of the repository name files, functions and sections that exist.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::source_tree::{self, workspace_root};

/// The longest line of prose, in characters.
const MAX_LINE_CHARS: usize = 100;
/// The longest cell of a table, in characters.
const MAX_CELL_CHARS: usize = 200;
/// Pages of measurements: most of their words are values in tables.
const TABLES_OF_MEASUREMENTS: &str = "tests/results";

fn page(path: &str) -> String {
    read(&workspace_root().join(path))
}

fn read(file: &Path) -> String {
    fs::read_to_string(file)
        .unwrap_or_else(|error| panic!("cannot read {}: {error}", file.display()))
}

/// Returns the text without fenced blocks.
fn prose(text: &str) -> String {
    text.split("```").step_by(2).collect()
}

fn code_spans(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// Returns the anchors of the headings of a page, as GitHub derives them.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut anchors = BTreeSet::new();
    for heading in text.lines().filter(|line| line.starts_with("##")) {
        let title = heading
            .trim_start_matches('#')
            .trim()
            .to_lowercase()
            .replace(' ', "-");
        let anchor: String = title
            .chars()
            .filter(|c| c.is_alphanumeric() || "-_".contains(*c))
            .collect();
        if !anchors.insert(anchor.clone()) {
            anchors.insert(format!("{anchor}-1"));
        }
    }
    anchors
}

#[test]
fn paths_on_pages_exist() {
    let root = workspace_root();
    let mut count = 0;
    for file in source_tree::pages() {
        let name = file.display();
        let text = prose(&read(&file));
        for span in code_spans(&text) {
            let path = span.split_whitespace().next().unwrap_or_default();
            let is_path = ["protocol/", "server/", "client/", "tests/"]
                .iter()
                .any(|top| path.starts_with(top));
            if is_path && !path.contains("...") {
                assert!(
                    root.join(path).exists(),
                    "{name} names {path}, which does not exist"
                );
                count += 1;
            }
        }
    }
    assert!(count > 40, "only {count} paths found");
}

#[test]
fn links_on_pages_lead_to_files_and_headings() {
    for file in source_tree::pages() {
        let name = file.display();
        let text = prose(&read(&file));
        for link in text
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next())
        {
            if link.starts_with("https://") {
                continue;
            }
            let (target, anchor) = link
                .split_once('#')
                .map_or((link, None), |(target, anchor)| (target, Some(anchor)));
            let folder = file.parent().expect("a page is in a folder");
            let target = if target.is_empty() {
                file.clone()
            } else {
                folder.join(target)
            };
            assert!(target.exists(), "{name} links to {link}");
            if let Some(anchor) = anchor {
                let headings = anchors(&prose(&read(&target)));
                assert!(
                    headings.contains(anchor),
                    "{name} links to {link}, which has no such heading"
                );
            }
        }
    }
}

/// Reads the rows of the table that follows a move. Their cells are the description, the functions and the files.
#[test]
fn functions_on_the_route_of_a_move_exist() {
    let architecture = page(".github/ARCHITECTURE.md");
    let table = architecture
        .split("## The route of a move")
        .nth(1)
        .and_then(|rest| rest.split("\n## ").next());
    let mut count = 0;
    for row in table.expect("the page has the route of a move").lines() {
        let cells: Vec<&str> = row.split(" | ").collect();
        let [_, functions, files] = cells[..] else {
            continue;
        };
        let sources: String = code_spans(files).map(page).collect();
        for function in code_spans(functions) {
            assert!(
                sources.contains(&format!("fn {function}(")),
                "no fn {function} in {files}"
            );
            count += 1;
        }
    }
    assert!(count >= 20, "only {count} functions found");
}

#[test]
fn the_first_page_is_short() {
    let lines = page("README.md").lines().count();
    assert!(lines <= 100, "the README has {lines} lines");
}

/// Returns the number of words: parts between blanks and bars that contain a letter or a digit.
fn count_words(text: &str) -> usize {
    text.split(|letter: char| letter.is_whitespace() || letter == '|')
        .filter(|word| word.contains(char::is_alphanumeric))
        .count()
}

/// Returns whether a line of prose cannot be wrapped: a heading, a picture, or one long word.
fn is_unbreakable(line: &str) -> bool {
    line.starts_with('#') || line.starts_with("![") || line.starts_with("<!--") || {
        let outside_of_code: String = line.split('`').step_by(2).collect();
        outside_of_code.split_whitespace().count() <= 3
    }
}

#[test]
fn pages_explain_in_wrapped_prose() {
    let mut faults = Vec::new();
    for file in source_tree::pages() {
        let text = prose(&read(&file));
        let (rows, lines): (Vec<&str>, Vec<&str>) =
            text.lines().partition(|line| line.starts_with('|'));
        let name = file.display();
        let [of_rows, of_lines] = [&rows, &lines].map(|part| count_words(&part.join("\n")));
        if of_rows > of_lines && !name.to_string().contains(TABLES_OF_MEASUREMENTS) {
            faults.push(format!(
                "{name}: {of_rows} words in tables, {of_lines} in prose"
            ));
        }
        for line in lines {
            if line.chars().count() > MAX_LINE_CHARS && !is_unbreakable(line) {
                faults.push(format!("{name}: long line: {line}"));
            }
        }
        for cell in rows.iter().flat_map(|row| {
            row.replace("\\|", "")
                .split('|')
                .map(str::to_owned)
                .collect::<Vec<_>>()
        }) {
            if cell.trim().chars().count() > MAX_CELL_CHARS {
                faults.push(format!("{name}: long cell: {cell}"));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
