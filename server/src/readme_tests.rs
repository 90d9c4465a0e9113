//! Compares the operator's page with the flags and the metrics.

use std::collections::BTreeSet;

use clap::CommandFactory;

use crate::runtime::metrics::{ExternalGauges, Metrics};
use crate::ServerConfig;

const README: &str = include_str!("../README.md");

#[test]
fn each_flag_is_documented_and_exists() {
    let command = ServerConfig::command();
    let visible = command.get_arguments().filter(|argument| !argument.is_hide_set());
    let known: BTreeSet<String> =
        visible.filter_map(|argument| argument.get_long()).map(|flag| format!("--{flag}")).collect();
    let is_flag_letter = |letter: char| letter.is_ascii_lowercase() || letter == '-';
    let documented: BTreeSet<&str> = README
        .split(|letter: char| !is_flag_letter(letter))
        .filter(|word| word.len() > 2 && word.starts_with("--") && !word.starts_with("---"))
        .collect();
    for flag in documented.iter().filter(|flag| !["--path", "--help"].contains(flag)) {
        assert!(known.contains(*flag), "the page names {flag}, which does not exist");
    }
    for flag in known.iter().filter(|flag| !["--help", "--version"].contains(&flag.as_str())) {
        assert!(documented.contains(flag.as_str()), "the page does not name {flag}");
    }
}

#[test]
fn each_metric_is_documented() {
    let text = Metrics::default().render(ExternalGauges::default());
    let names = text.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next());
    let mut count = 0;
    for name in names {
        let is_documented = README.contains(&format!("`{name}`")) || README.contains(&format!("`{name}{{"));
        assert!(is_documented, "the page does not name {name}");
        count += 1;
    }
    assert!(count >= 15, "only {count} metrics found");
}
