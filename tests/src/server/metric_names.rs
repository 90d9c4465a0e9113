//! Names of metrics in the pages and in the output of a server.

use std::collections::BTreeSet;

/// Returns the names of the samples of a text.
pub fn sample_names(text: &str) -> BTreeSet<&str> {
    let samples = text.lines().filter(|line| !line.starts_with('#'));
    samples
        .filter_map(|line| line.split(['{', ' ']).next())
        .collect()
}

/// Returns the names of metrics in a text, without the names of crates.
pub fn named_metrics(text: &str) -> BTreeSet<&str> {
    let words = text.split(|letter: char| !letter.is_ascii_lowercase() && letter != '_');
    words
        .filter(|word| word.starts_with("noughts_") && !word.starts_with("noughts_server"))
        .map(|name| name.trim_end_matches('_'))
        .collect()
}
