//! The client's pages name all flags, and the flags and command lines on these pages exist. The commands in the texts
//! of the screens exist too.

use std::collections::BTreeSet;
use std::path::Path;

use super::{command, parse_args};
use crate::i18n::Texts;
use crate::i18n::lang::Lang;
use crate::settings::{Setting, Settings};

const PAGES: &str = concat!(
    include_str!("../../README.md"),
    include_str!("../../JSON.md"),
    include_str!("../../ENGINES.md")
);

/// Returns the long flags of all commands, except hidden flags.
fn visible_flags() -> BTreeSet<String> {
    let root = command();
    let mut commands = vec![&root];
    let mut flags = BTreeSet::new();
    while let Some(command) = commands.pop() {
        let arguments = command
            .get_arguments()
            .filter(|argument| !argument.is_hide_set());
        flags.extend(
            arguments
                .filter_map(|argument| argument.get_long())
                .map(|flag| format!("--{flag}")),
        );
        commands.extend(command.get_subcommands());
    }
    flags
}

fn documented_flags() -> BTreeSet<String> {
    let is_flag_letter = |letter: char| letter.is_ascii_lowercase() || letter == '-';
    let words = PAGES.split(|letter: char| !is_flag_letter(letter) && letter != '`');
    let words = words
        .map(|word| word.trim_matches('`'))
        .filter(|word| word.len() > 2 && word.starts_with("--"));
    words
        .filter(|word| !word.starts_with("---"))
        .map(str::to_owned)
        .collect()
}

#[test]
fn each_flag_is_documented_and_exists() {
    let documented = documented_flags();
    let mut known = visible_flags();
    // The pages also name this flag of `cargo install`.
    assert!(known.insert("--path".to_owned()));
    for flag in &documented {
        assert!(
            known.contains(flag),
            "a page names {flag}, which does not exist"
        );
    }
    for flag in visible_flags()
        .iter()
        .filter(|flag| !["--help", "--version"].contains(&flag.as_str()))
    {
        assert!(documented.contains(flag), "no page names {flag}");
    }
}

#[test]
fn the_settings_are_documented() {
    let row = |&setting: &Setting| {
        let entry = setting.entry();
        let value = if entry.is_free_text {
            entry.value_name.to_owned()
        } else {
            (entry.options)().join("\\|")
        };
        let default = entry.derived.map(str::to_owned);
        let default =
            default.unwrap_or_else(|| format!("`{}`", (entry.text)(&Settings::default())));
        let text = Texts::default().argument("", entry.key).unwrap_or_default();
        let text = text.split(" [").next().unwrap_or_default();
        let (key, variable) = (entry.key, entry.variable);
        format!("| `--{key} {value}` | `{variable}` | {default} | {text} |\n")
    };
    let rows: String = Setting::ALL.iter().map(row).collect();
    let table = format!("\n| flag | variable | default | meaning |\n|---|---|---|---|\n{rows}\n");
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");
    noughts_golden::check_part(page, "settings", &table);
}

#[test]
fn example_command_lines_parse() {
    let mut count = 0;
    for block in PAGES.split("```").skip(1).step_by(2) {
        for line in block.lines() {
            let line = line
                .trim_start_matches("$ ")
                .split(" #")
                .next()
                .unwrap_or_default()
                .trim();
            let has_placeholder = line.split(' ').any(|word| word == "CODE");
            if line.starts_with("noughts ") && !line.contains('|') && !has_placeholder {
                let arguments = line.split_whitespace().map(Into::into).collect();
                assert!(parse_args(arguments, Texts::default()).is_ok(), "{line}");
                count += 1;
            }
        }
    }
    assert!(count >= 10, "only {count} command lines found");
}

/// Returns the texts of a language, without comments.
fn language_texts(folder: &Path) -> Vec<String> {
    let mut texts = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder of texts") {
        let path = entry.expect("an entry").path();
        let source = std::fs::read_to_string(&path).expect("texts in UTF-8");
        let lines = source.lines().filter(|line| !line.starts_with('#'));
        texts.extend(lines.map(str::to_owned));
    }
    texts
}

#[test]
fn texts_name_only_commands_that_exist() {
    let root = command();
    let known: BTreeSet<&str> = root
        .get_subcommands()
        .map(clap::Command::get_name)
        .collect();
    let mut named = BTreeSet::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("texts");
    for line in Lang::ALL
        .iter()
        .flat_map(|lang| language_texts(&folder.join(lang.as_str())))
    {
        for rest in line.split("noughts ").skip(1) {
            let word: String = rest.chars().take_while(char::is_ascii_lowercase).collect();
            if !word.is_empty() {
                named.insert(word);
            }
        }
    }
    assert!(named.len() >= 4, "{named:?}");
    for word in &named {
        assert!(
            known.contains(word.as_str()),
            "a text names noughts {word}, which does not exist"
        );
    }
}
