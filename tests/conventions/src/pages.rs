//! The pages of the repository name files, functions and sections that exist.

use std::collections::BTreeSet;
use std::fs;

use crate::source_tree::workspace_root;

const PAGES: [&str; 9] = [
    "README.md",
    ".github/ARCHITECTURE.md",
    ".github/CONTRIBUTING.md",
    "server/README.md",
    "server/CLUSTER.md",
    "client/README.md",
    "protocol/README.md",
    "tests/README.md",
    "tests/RESULTS.md",
];

fn page(path: &str) -> String {
    fs::read_to_string(workspace_root().join(path))
        .unwrap_or_else(|error| panic!("cannot read {path}: {error}"))
}

/// The text without fenced blocks.
fn prose(text: &str) -> String {
    text.split("```").step_by(2).collect()
}

fn code_spans(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// The anchors of the headings of a page, as GitHub makes them.
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
    for name in PAGES {
        let text = prose(&page(name));
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
    let root = workspace_root();
    for name in PAGES {
        let text = prose(&page(name));
        for link in text
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next())
        {
            if link.starts_with("https://") {
                continue;
            }
            let (file, anchor) = link
                .split_once('#')
                .map_or((link, None), |(file, anchor)| (file, Some(anchor)));
            let folder = root
                .join(name)
                .parent()
                .expect("a page is in a folder")
                .to_owned();
            let target = if file.is_empty() {
                root.join(name)
            } else {
                folder.join(file)
            };
            assert!(target.exists(), "{name} links to {link}");
            if let Some(anchor) = anchor {
                let headings = anchors(&prose(
                    &fs::read_to_string(&target).expect("a page is text"),
                ));
                assert!(
                    headings.contains(anchor),
                    "{name} links to {link}, which has no such heading"
                );
            }
        }
    }
}

/// The rows of the table that follows a move: description, functions, files.
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
