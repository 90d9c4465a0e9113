//! Words that comments and pages do without, and words of which few are left.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::source_tree;

/// Phrases that no comment and no page may use, and what to write instead.
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

/// Phrases that make a sentence hard to read, and what to write instead. A few uses have no plainer form.
const AVOIDED: &[(&[&str], &str)] = &[
    (
        &[
            "the one",
            "another one",
            "the other one",
            "the earlier one",
            "that of",
            "those of",
            "the former",
            "the latter",
        ],
        "repeat the noun",
    ),
    (
        &[
            "of which",
            "to which",
            "in which",
            "on which",
            "by which",
            "at which",
            "from which",
            "with which",
            "for which",
            "after which",
            "before which",
            "against which",
            "through which",
            "without which",
            "under which",
            "over which",
            "whose",
        ],
        "write two sentences, or a clause with the verb",
    ),
    (
        &[
            "goes on",
            "go on",
            "going on",
            "went on",
            "serves on",
            "waits on",
            "plays on",
            "lives on",
            "runs on",
            "carries on",
        ],
        "continues, keeps serving",
    ),
    (
        &[
            "for long",
            "so long",
            "at once",
            "by itself",
            "by themselves",
        ],
        "for a long time, immediately, automatically",
    ),
    (&["is no", "are no"], "is not a, there is not"),
];

/// Files that list the phrases, and old measurements.
const EXEMPT: [&str; 2] = ["tests/conventions/src/plain_words.rs", "tests/results"];

/// Number of avoided phrases that each part of the repository may still have, by the beginning of its paths. The
/// numbers may only fall.
const BUDGETS: &[(&str, usize)] = &[
    ("client", 0),
    ("protocol", 3),
    ("server", 7),
    ("tests", 0),
    ("pages", 13),
];

#[test]
fn comments_and_pages_use_plain_words() {
    let forbidden = FORBIDDEN
        .iter()
        .map(|(phrase, advice)| (*phrase, *advice))
        .collect();
    let findings = find(forbidden).into_values().flatten().collect::<Vec<_>>();
    assert!(
        findings.is_empty(),
        "{} phrases:\n{}",
        findings.len(),
        findings.join("\n")
    );
}

#[test]
fn comments_and_pages_have_few_avoided_phrases() {
    let avoided = AVOIDED
        .iter()
        .flat_map(|(phrases, advice)| phrases.iter().map(|phrase| (*phrase, *advice)))
        .collect();
    let findings = find(avoided);
    for (part, budget) in BUDGETS {
        let found = findings.get(*part).map_or(&[][..], Vec::as_slice);
        assert!(
            found.len() <= *budget,
            "{part} has {} avoided phrases instead of {budget}:\n{}",
            found.len(),
            found.join("\n")
        );
        assert!(
            found.len() == *budget,
            "lower the budget of {part} to {}",
            found.len()
        );
    }
}

#[test]
fn a_phrase_is_found_in_a_comment_and_not_in_code() {
    let found = |is_code: bool, text: &str| {
        let phrases = vec![("is told", ""), ("nobody", "")];
        find_in(text, is_code, &phrases)
    };
    assert_eq!(
        found(true, "let a = 1;\n    /// The client is\n    /// told."),
        [(2, "is told")]
    );
    assert_eq!(
        found(true, "  /**\n   * Nobody.\n   */\n  let a;"),
        [(2, "nobody")]
    );
    assert_eq!(found(true, "let a = 1; // nobody"), [(1, "nobody")]);
    assert_eq!(found(true, "let nobody = \"ws://nobody\";"), []);
    assert_eq!(found(false, "The client is\ntold."), [(1, "is told")]);
    assert_eq!(found(false, "The client is\n\ntold."), []);
    assert_eq!(found(false, "A client is, told."), []);
}

/// Finds phrases in the comments of the sources and in the pages, by part of the repository.
fn find(phrases: Vec<(&'static str, &str)>) -> BTreeMap<&'static str, Vec<String>> {
    let mut findings = BTreeMap::<_, Vec<String>>::new();
    let sources = ["rs", "js", "mjs", "css"]
        .map(source_tree::files_of)
        .concat();
    for (file, is_code) in sources
        .into_iter()
        .map(|file| (file, true))
        .chain(source_tree::pages().into_iter().map(|page| (page, false)))
        .filter(|(file, _)| {
            !EXEMPT
                .iter()
                .any(|path| file.starts_with(source_tree::workspace_root().join(path)))
        })
    {
        let text = fs::read_to_string(&file).expect("a source file is readable");
        for (line, phrase) in find_in(&text, is_code, &phrases) {
            let advice = phrases
                .iter()
                .find(|(known, _)| *known == phrase)
                .map_or("", |(_, advice)| advice);
            findings
                .entry(part_of(&file, is_code))
                .or_default()
                .push(format!("{}:{line}: \"{phrase}\": {advice}", file.display()));
        }
    }
    findings
}

/// Returns the part of the repository that a file belongs to.
fn part_of(file: &Path, is_code: bool) -> &'static str {
    let file = file
        .strip_prefix(source_tree::workspace_root())
        .unwrap_or(file);
    BUDGETS
        .iter()
        .map(|(part, _)| *part)
        .find(|part| is_code && file.starts_with(part))
        .unwrap_or("pages")
}

/// Finds phrases in the prose of a file, also across the ends of its lines. Returns the lines of their first words.
fn find_in<'a>(text: &str, is_code: bool, phrases: &[(&'a str, &str)]) -> Vec<(usize, &'a str)> {
    let mut findings = Vec::new();
    let mut block = Vec::<(usize, String)>::new();
    let mut is_in_comment = false;
    for (number, line) in (1..).zip(text.lines().chain([""])) {
        let prose = match is_code {
            true => comment(line, &mut is_in_comment),
            false => Some(line),
        };
        let words = prose
            .map(words)
            .filter(|words| words.iter().any(|word| word != "."));
        if words.is_none() {
            for (phrase, _) in phrases {
                let wanted = phrase.split(' ').collect::<Vec<_>>();
                let found = block
                    .windows(wanted.len())
                    .filter(|window| window.iter().map(|(_, word)| word).eq(&wanted));
                findings.extend(found.map(|window| (window[0].0, *phrase)));
            }
            block.clear();
        }
        block.extend(words.into_iter().flatten().map(|word| (number, word)));
    }
    findings
}

/// Returns the comment that a line holds. A comment behind code is found after a blank.
fn comment<'a>(line: &'a str, is_in_comment: &mut bool) -> Option<&'a str> {
    let text = line.trim_start();
    if *is_in_comment || text.starts_with("/*") {
        *is_in_comment = !text.contains("*/");
        return Some(text.trim_start_matches(['/', '*']));
    }
    match text.strip_prefix("//") {
        Some(rest) => Some(rest.trim_start_matches(['/', '!'])),
        None => line.split_once(" // ").map(|(_, rest)| rest),
    }
}

/// Returns the words of a text in lower case, and a dot for each mark or symbol between two words.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for piece in text.split_whitespace() {
        for (index, word) in piece
            .split(|character: char| !character.is_alphanumeric() && character != '_')
            .enumerate()
        {
            if index > 0 {
                words.push(".".to_owned());
            }
            if !word.is_empty() {
                words.push(word.to_lowercase());
            }
        }
    }
    words
}
