//! Conventions of the source tree that the compiler does not check: names, predicates, and the order of modules.
//!
//! The tests parse the Rust sources with `syn`. Code under `#[cfg(test)]` is left out of the module graph.
#![cfg(test)]
#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "the enums of syn are non-exhaustive"
)]

mod module_graph;
mod names;
mod pages;
mod plain_words;
mod source_tree;
