//! Words that the comments and pages of this project do without.

use std::fs;
use std::path::Path;

use crate::source_tree;

/// Phrases to avoid, each with the advice for a better word.
const FORBIDDEN: &[(&str, &str)] = &[
    ("is told", "name the recipient and the message"),
    ("are told", "name the recipient and the message"),
    ("was told", "name the recipient and the message"),
    ("told so", "name the recipient and the message"),
    ("said so", "name the log message or the error"),
    ("whoever", "name the client, player, task or caller"),
    ("whom", "name the client, player, task or caller"),
    ("nobody", "name the client, player, task or caller"),
    ("somebody", "name the client, player, task or caller"),
    ("by lot", "at random"),
    ("besides", "also, in addition to"),
    ("of which nobody", "unconfirmed, unknown"),
    ("not to be had", "not available"),
];

#[test]
fn comments_and_pages_use_plain_words() {
    let mut findings = Vec::new();
    for file in source_tree::rust_files()
        .into_iter()
        .chain(source_tree::pages())
    {
        let text = fs::read_to_string(&file).expect("a source file is readable");
        let is_page = file.extension().is_some_and(|extension| extension == "md");
        for (index, line) in text.lines().enumerate() {
            let prose = if is_page { Some(line) } else { comment(line) };
            let Some(prose) = prose else { continue };
            let words = lower_words(prose);
            for (phrase, advice) in FORBIDDEN {
                if words.contains(&format!(" {phrase} ")) && !is_this_file(&file) {
                    findings.push(format!(
                        "{}:{}: \"{phrase}\": {advice}",
                        file.display(),
                        index + 1
                    ));
                }
            }
        }
    }
    assert!(
        findings.is_empty(),
        "{} phrases:\n{}",
        findings.len(),
        findings.join("\n")
    );
}

#[test]
fn a_phrase_is_found_in_a_comment_and_not_in_code() {
    assert_eq!(
        comment("    /// The client is told.").map(lower_words),
        Some(" the client is told ".to_owned())
    );
    assert_eq!(comment("let nobody = 1;"), None);
    assert_eq!(comment("let url = \"ws://nobody\";"), None);
    assert_eq!(
        comment("let a = 1; // why").map(lower_words),
        Some(" why ".to_owned())
    );
}

/// The comment that a line holds. A comment behind code is found after a blank.
fn comment(line: &str) -> Option<&str> {
    if let Some(rest) = line.trim_start().strip_prefix("//") {
        return Some(rest);
    }
    line.split_once(" // ").map(|(_, rest)| rest)
}

/// The words of a text in lower case, each between blanks.
fn lower_words(text: &str) -> String {
    let words = text
        .split(|character: char| !character.is_alphanumeric())
        .filter(|word| !word.is_empty());
    let mut spaced = String::from(" ");
    for word in words {
        spaced.extend(word.chars().flat_map(char::to_lowercase));
        spaced.push(' ');
    }
    spaced
}

fn is_this_file(file: &Path) -> bool {
    file.ends_with("conventions/src/plain_words.rs")
}
